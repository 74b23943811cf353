//! Documents that a signed-in operator uploads from the console.

use crate::api::ApiError;
use crate::downloads::operator;
use app::{ConsoleError, Flash, Query, SESSION_FLASH};
use axum::extract::multipart::MultipartError;
use axum::extract::{DefaultBodyLimit, FromRequest, Multipart, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{MethodRouter, post};
use foundation::{Engine, Error, OpContext};
use remembrancer::knowledge;
use tower_sessions::Session;
use wire::{ErrorCode, FieldError, FileOutcome, OperatorRole, UPLOAD_FILES_MAX, UPLOAD_MAX, UploadedFile};

/// The page of the form.
const PAGE: &str = "/knowledge/upload";

/// The route of `POST /console/upload`: files and a pasted text for one collection. It redirects to the page of the form, which shows what
/// became of each file.
pub fn documents<S: Clone + Send + Sync + 'static>(engine: Engine) -> MethodRouter<S> {
    // A form has boundaries and names besides its files.
    post(upload).layer(DefaultBodyLimit::max(UPLOAD_MAX + 64 * 1024)).with_state(engine)
}

async fn upload(State(engine): State<Engine>, request: Request) -> Result<Response, ApiError> {
    let (mut parts, body) = request.into_parts();
    let ctx = match operator(&mut parts, &engine).await {
        Err(error) if error.code() == ErrorCode::Unauthenticated => {
            return Ok(Redirect::to(&format!("/sign-in?next={PAGE}")).into_response());
        }
        ctx => ctx?,
    };
    let session = parts.extensions.get::<Session>().cloned().ok_or_else(|| Error::internal("a layer is missing: sessions"))?;
    let mut typed = String::new();
    let flash = match ingest(&engine.current(), &ctx, Request::from_parts(parts, body), &mut typed).await {
        Ok((collection, files)) => {
            let text = summary(&collection, &files);
            // A form of which nothing was ingested is shown again.
            let nothing = files.iter().all(|file| file.outcome == FileOutcome::Failed);
            let flash = if nothing { Flash { typed, ..Flash::unchanged(text) } } else { Flash::done(text) };
            Flash { uploaded: files, ..flash }
        }
        Err(error) if error.code() == ErrorCode::Internal => return Err(error.into()),
        Err(error) => {
            let error = ConsoleError { code: error.code(), message: error.message(), fields: error.fields().to_vec(), request_id: None };
            Flash::refused(&error, &typed)
        }
    };
    session.insert(SESSION_FLASH, flash.without_secrets()).await.map_err(|error| Error::Unavailable(format!("session: {error}")))?;
    Ok(Redirect::to(PAGE).into_response())
}

/// Ingests what the form holds; `typed` is what the form shows again if that is refused.
async fn ingest(engine: &Engine, ctx: &OpContext, request: Request, typed: &mut String) -> Result<(String, Vec<UploadedFile>), Error> {
    // Who may not upload is refused before the files are read.
    ctx.require_role(OperatorRole::Reviewer)?;
    let multipart = Multipart::from_request(request, &()).await;
    let mut form = Form::default();
    let read = form.read(multipart.map_err(|_| Error::invalid("files", "must be sent as a form with files"))?).await;
    *typed = form.typed();
    read?;
    let collection = form.collection()?;
    let files = form.documents()?;
    let files = knowledge::upload(engine, ctx, &collection, files).await?;
    Ok((collection, files))
}

/// The fields of the form.
#[derive(Default)]
struct Form {
    collection: String,
    /// The document that is replaced; empty for new ones.
    path: String,
    name: String,
    text: String,
    files: Vec<(String, Vec<u8>)>,
}

impl Form {
    /// Reads the fields in their order. Files of no collection are not read: the form names it before them.
    async fn read(&mut self, mut multipart: Multipart) -> Result<(), Error> {
        while let Some(field) = multipart.next_field().await.map_err(unreadable)? {
            match field.name().unwrap_or_default() {
                "collection" => self.collection = field.text().await.map_err(unreadable)?,
                "path" => self.path = field.text().await.map_err(unreadable)?,
                "name" => self.name = field.text().await.map_err(unreadable)?,
                "text" => self.text = field.text().await.map_err(unreadable)?,
                // A browser sends a file without a name if none was chosen.
                "files" if field.file_name().is_some_and(|name| !name.is_empty()) => {
                    self.collection()?;
                    let name = field.file_name().unwrap_or_default().to_owned();
                    self.files.push((name, field.bytes().await.map_err(unreadable)?.to_vec()));
                }
                _ => {}
            }
            if self.files.len() > UPLOAD_FILES_MAX {
                return Err(Error::invalid("files", format!("has more than {UPLOAD_FILES_MAX} files")));
            }
        }
        Ok(())
    }

    /// What was typed, as a query; without the text if that is too long for a session.
    fn typed(&self) -> String {
        let fields = Query::default().with("collection", &self.collection).with("path", &self.path).with("name", &self.name);
        let all = fields.with("text", &self.text).href("");
        if all.len() <= Flash::TYPED_MAX { all } else { fields.with("lost", "true").href("") }
    }

    fn collection(&self) -> Result<String, Error> {
        match self.collection.trim() {
            "" => Err(Error::invalid("collection", "is missing: choose a collection, or name a new one")),
            name => Ok(name.to_owned()),
        }
    }

    /// The files and the pasted text; of a document that is replaced, its new version under its path.
    fn documents(self) -> Result<Vec<(String, Vec<u8>)>, Error> {
        let (mut files, path) = (self.files, self.path.trim());
        if !self.text.trim().is_empty() {
            let name = if path.is_empty() { self.name.trim() } else { path };
            if name.is_empty() {
                return Err(Error::invalid("name", "is missing: the text needs a file name such as notes.md"));
            }
            let name = if name.contains('.') { name.to_owned() } else { format!("{name}.md") };
            files.push((name, self.text.replace("\r\n", "\n").into_bytes()));
        }
        match files.as_slice() {
            [] => Err(Error::invalid("files", "is empty: choose a file or paste a text")),
            _ if path.is_empty() => Ok(files),
            // The ending says how a file is read.
            [(name, _)] if ending(name) != ending(path) => {
                Err(Error::invalid("files", format!("must end in .{}, like the document that it replaces", ending(path))))
            }
            [_] => Ok(files.into_iter().map(|(_, bytes)| (path.to_owned(), bytes)).collect()),
            _ => Err(Error::invalid("files", "has several files: a new version is one file or one text")),
        }
    }
}

/// What follows the last dot of a path.
fn ending(path: &str) -> String {
    path.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default()
}

fn unreadable(error: MultipartError) -> Error {
    match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            Error::Invalid(vec![FieldError::new("files", format!("is larger than {} MB in all", UPLOAD_MAX / 1024 / 1024))])
        }
        _ => Error::invalid("files", "could not be read to its end"),
    }
}

/// What became of the files in a sentence: `3 files for “handbook”: 2 added, 1 failed.`
fn summary(collection: &str, files: &[UploadedFile]) -> String {
    let counts = FileOutcome::ALL.iter().map(|outcome| (outcome, files.iter().filter(|file| file.outcome == *outcome).count()));
    let counts: Vec<String> = counts.filter(|(_, count)| *count > 0).map(|(outcome, count)| format!("{count} {outcome}")).collect();
    let noun = if files.len() == 1 { "file" } else { "files" };
    format!("{} {noun} for “{collection}”: {}.", files.len(), counts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_need_a_collection_and_a_text_needs_a_name() {
        let form = |collection: &str| Form { collection: collection.into(), ..Form::default() }.collection();
        assert_eq!(form(" wiki ").unwrap(), "wiki");
        assert_eq!(form(" ").unwrap_err().fields()[0].field, "collection");
        let pasted = |name: &str| Form { name: name.into(), text: "# Tea\r\n\r\nGreen.".into(), ..Form::default() }.documents();
        assert_eq!(pasted("tea").unwrap(), [("tea.md".to_owned(), b"# Tea\n\nGreen.".to_vec())]);
        assert_eq!(pasted("").unwrap_err().fields()[0].field, "name");
        assert_eq!(Form::default().documents().unwrap_err().fields()[0].field, "files");
    }

    #[test]
    fn a_new_version_is_one_file_under_the_path_of_the_document() {
        let replaced = |names: &[&str], text: &str| {
            let files = names.iter().map(|name| ((*name).to_owned(), b"# Tea".to_vec())).collect();
            let form = Form { path: "docs/tea.md".into(), text: text.into(), files, ..Form::default() };
            form.documents().map(|files| files.into_iter().map(|(path, _)| path).collect::<Vec<_>>()).map_err(|error| error.message())
        };
        assert_eq!(replaced(&["tea (2).MD"], ""), Ok(vec!["docs/tea.md".to_owned()]));
        assert_eq!(replaced(&[], "# Tea"), Ok(vec!["docs/tea.md".to_owned()]));
        assert!(replaced(&["tea.html"], "").unwrap_err().contains("must end in .md"));
        assert!(replaced(&["tea.md"], "# Tea").unwrap_err().contains("several files"));
    }

    #[test]
    fn the_files_are_summed_up() {
        let file = |outcome| UploadedFile { path: "a.md".into(), outcome, failures: vec![], document_id: None };
        let files = [file(FileOutcome::Added), file(FileOutcome::Failed), file(FileOutcome::Added)];
        assert_eq!(summary("wiki", &files), "3 files for “wiki”: 2 added, 1 failed.");
        assert_eq!(summary("wiki", &files[1..2]), "1 file for “wiki”: 1 failed.");
    }
}

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

/// The route of `POST /console/upload`: Markdown files and a pasted text for one collection. It redirects to the page of the form, which
/// shows what became of each file.
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
    let form = Form::read(multipart.map_err(|_| Error::invalid("files", "must be sent as a form with files"))?).await?;
    *typed = form.typed();
    let collection = form.collection()?;
    let files = form.documents()?;
    let files = knowledge::upload(engine, ctx, &collection, files).await?;
    Ok((collection, files))
}

/// The fields of the form.
#[derive(Default)]
struct Form {
    collection: String,
    new_collection: String,
    name: String,
    text: String,
    files: Vec<(String, Vec<u8>)>,
}

impl Form {
    async fn read(mut multipart: Multipart) -> Result<Self, Error> {
        let mut form = Self::default();
        while let Some(field) = multipart.next_field().await.map_err(unreadable)? {
            match field.name().unwrap_or_default() {
                "collection" => form.collection = field.text().await.map_err(unreadable)?,
                "new_collection" => form.new_collection = field.text().await.map_err(unreadable)?,
                "name" => form.name = field.text().await.map_err(unreadable)?,
                "text" => form.text = field.text().await.map_err(unreadable)?,
                "files" => {
                    let name = field.file_name().unwrap_or_default().to_owned();
                    let bytes = field.bytes().await.map_err(unreadable)?;
                    // A browser sends a file without a name if none was chosen.
                    if !name.is_empty() {
                        form.files.push((name, bytes.to_vec()));
                    }
                }
                _ => {}
            }
            if form.files.len() > UPLOAD_FILES_MAX {
                return Err(Error::invalid("files", format!("has more than {UPLOAD_FILES_MAX} files")));
            }
        }
        Ok(form)
    }

    /// What was typed, as a query; without the text if that is too long for a session.
    fn typed(&self) -> String {
        let fields =
            Query::default().with("collection", &self.collection).with("new_collection", &self.new_collection).with("name", &self.name);
        let all = fields.with("text", &self.text).href("");
        if all.len() <= Flash::TYPED_MAX { all } else { fields.with("lost", "true").href("") }
    }

    /// The collection that was named, or else the one that was chosen.
    fn collection(&self) -> Result<String, Error> {
        let named = [&self.new_collection, &self.collection].into_iter().map(|name| name.trim()).find(|name| !name.is_empty());
        named.map(str::to_owned).ok_or_else(|| Error::invalid("collection", "is missing: choose a collection, or name a new one"))
    }

    /// The files and the pasted text.
    fn documents(self) -> Result<Vec<(String, Vec<u8>)>, Error> {
        let mut files = self.files;
        if !self.text.trim().is_empty() {
            let name = self.name.trim();
            if name.is_empty() {
                return Err(Error::invalid("name", "is missing: the text needs a file name such as notes.md"));
            }
            let name = if name.contains('.') { name.to_owned() } else { format!("{name}.md") };
            files.push((name, self.text.replace("\r\n", "\n").into_bytes()));
        }
        match files.is_empty() {
            true => Err(Error::invalid("files", "is empty: choose a file or paste a text")),
            false => Ok(files),
        }
    }
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
    fn a_new_name_goes_before_the_chosen_collection_and_a_text_needs_a_name() {
        let form = |new: &str, chosen: &str| Form { new_collection: new.into(), collection: chosen.into(), ..Form::default() }.collection();
        assert_eq!(form(" wiki ", "handbook").unwrap(), "wiki");
        assert_eq!(form("", "handbook").unwrap(), "handbook");
        assert_eq!(form("", " ").unwrap_err().fields()[0].field, "collection");
        let pasted = |name: &str| Form { name: name.into(), text: "# Tea\r\n\r\nGreen.".into(), ..Form::default() }.documents();
        assert_eq!(pasted("tea").unwrap(), [("tea.md".to_owned(), b"# Tea\n\nGreen.".to_vec())]);
        assert_eq!(pasted("").unwrap_err().fields()[0].field, "name");
        assert_eq!(Form::default().documents().unwrap_err().fields()[0].field, "files");
    }

    #[test]
    fn the_files_are_summed_up() {
        let file = |outcome| UploadedFile { path: "a.md".into(), outcome, failures: vec![] };
        let files = [file(FileOutcome::Added), file(FileOutcome::Failed), file(FileOutcome::Added)];
        assert_eq!(summary("wiki", &files), "3 files for “wiki”: 2 added, 1 failed.");
        assert_eq!(summary("wiki", &files[1..2]), "1 file for “wiki”: 1 failed.");
    }
}

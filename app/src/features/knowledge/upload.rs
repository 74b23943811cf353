use super::api::collections;
use crate::{
    Flash,
    layout::{PageHead, ViewerResource},
    query::{Query, use_query},
    ui::{AreaField, Badge, DataTable, PostForm, TextField, Tone, awaited, columns, or_error, text},
};
use leptos::prelude::*;
use wire::{FileOutcome, OperatorRole, UPLOAD_FILES_MAX, UPLOAD_MAX, UploadedFile};

const NOT_ALLOWED: &str = "Uploading documents requires the role “reviewer”. Ask an administrator for it.";

/// The page that uploads files into a collection, and shows what became of each. With `collection` and `path` in its URL it uploads a new
/// version of that document.
#[component]
pub fn UploadPage() -> impl IntoView {
    let (known, who, query) = (collections(), ViewerResource::shared(), use_query());
    view! {
        <PageHead title="Upload documents">
            "Markdown, plain text, HTML pages or a pasted text. A file replaces the document with the same name in its collection."
        </PageHead>
        {awaited(async move {
            let answer = who.permitted(OperatorRole::Reviewer, NOT_ALLOWED, async { Ok(known.await.unwrap_or_default()) }).await;
            or_error(answer, |(viewer, collections)| view! { <Upload collections flash=viewer.flash query /> })
        })}
    }
}

#[component]
fn Upload(
    collections: Vec<String>,
    flash: Option<Flash>,
    /// The collection and the path of a document that is replaced.
    query: Query,
) -> impl IntoView {
    let uploaded = flash.as_ref().map(|flash| flash.uploaded.clone()).unwrap_or_default();
    let typed = flash.as_ref().filter(|flash| flash.refused).map_or(query, |flash| Query::parse(&flash.typed));
    let message = move |field: &str| flash.as_ref().and_then(|flash| flash.field(field));
    let files_error = message("files");
    let (collection, path) = (typed.text("collection"), typed.owned("path"));
    let (is_new, replaced) = (path.is_none(), path.map(|path| (collection.clone(), path)));
    view! {
        <Results files=uploaded />
        <PostForm class="card max-w-2xl divide-y divide-line" action="/console/upload" files=true>
            {replaced.map(|(collection, path)| view! { <Replaced collection path /> })}
            {is_new.then(|| view! {
                <div class="p-4">
                    // The browser asks for it before it sends a file.
                    <TextField
                        name="collection"
                        label="Collection"
                        hint="handbook"
                        value=collection
                        list="collections"
                        required=true
                        most=64
                        note="One of your collections, or the name of a new one."
                        error=message("collection")
                    />
                    <datalist id="collections">
                        {collections.into_iter().map(|name| view! { <option value=name></option> }).collect_view()}
                    </datalist>
                </div>
            })}
            <div class="p-4">
                <label class="label" for="files">"Files"</label>
                <input
                    class="block w-full cursor-pointer text-sm text-soft file:mr-3 file:cursor-pointer file:rounded-md file:border file:border-solid \
                    file:border-line-strong file:bg-surface file:px-3 file:py-1.5 file:text-ink hover:file:bg-sunken"
                    id="files"
                    name="files"
                    type="file"
                    multiple=is_new
                    accept=".md,.txt,.html,.htm,text/markdown,text/plain,text/html"
                    aria-invalid=files_error.as_ref().map(|_| "true")
                    aria-describedby=if files_error.is_some() { "files-error files-hint" } else { "files-hint" }
                />
                {files_error.map(|text| view! { <p class="mt-1 text-xs text-danger" id="files-error">{text}</p> })}
                <p class="mt-1 text-xs text-soft" id="files-hint">
                    {match is_new {
                        true => format!(
                            "At most {UPLOAD_FILES_MAX} files with names that end in .md, .txt, .html or .htm, 10 MB each and {} MB in all.",
                            UPLOAD_MAX / 1024 / 1024,
                        ),
                        false => "One file of the same kind, at most 10 MB.".to_owned(),
                    }}
                </p>
            </div>
            <div class="space-y-3 p-4">
                <div>
                    <AreaField
                        id="text"
                        name="text"
                        label="Or a text"
                        rows="8"
                        class="input font-mono text-xs"
                        hint="# Title"
                        value=typed.text("text")
                    />
                    {typed.get("lost").map(|_| view! {
                        <p class="mt-1 text-xs text-warn">"The text was too long to be restored here. Go back in your browser to find it."</p>
                    })}
                </div>
                {is_new.then(|| view! {
                    <TextField name="name" label="File name of the text" optional=true hint="notes.md"
                        value=typed.text("name") error=message("name") />
                })}
            </div>
            <div class="p-4"><button class="button button-primary" type="submit">"Upload documents"</button></div>
        </PostForm>
    }
}

/// The document that gets a new version.
#[component]
fn Replaced(collection: String, path: String) -> impl IntoView {
    let name = format!("{collection}/{path}");
    view! {
        <div class="p-4 text-sm" data-testid="replaced">
            <input type="hidden" name="collection" value=collection />
            <input type="hidden" name="path" value=path />
            "A new version of " <span class="font-mono text-xs break-all">{text::visible(&name)}</span> ". The present text stays among the versions. "
            <a class="underline" href="/knowledge/upload">"Upload other documents"</a>
        </div>
    }
}

/// What became of each file of the last upload.
#[component]
fn Results(files: Vec<UploadedFile>) -> impl IntoView {
    let row = |file: UploadedFile| {
        let (tone, text) = match file.outcome {
            FileOutcome::Added => (Tone::Good, "added"),
            FileOutcome::Changed => (Tone::Good, "changed"),
            FileOutcome::Reindexed => (Tone::Plain, "re-indexed"),
            FileOutcome::Unchanged => (Tone::Plain, "unchanged"),
            FileOutcome::Failed => (Tone::Danger, "failed"),
        };
        let failures = file.failures.into_iter().map(|failure| {
            let line = failure.line.map(|line| format!("Line {line}: ")).unwrap_or_default();
            view! { <p class="text-sm break-words text-danger">{line} {text::visible(&failure.reason)}</p> }
        });
        view! {
            <tr data-testid="uploaded">
                <td>
                    <p class="font-mono text-xs break-all">
                        {match file.document_id {
                            Some(id) => {
                                view! { <a href=format!("/knowledge/documents/{id}")>{text::visible(&file.path)}</a> }.into_any()
                            }
                            None => text::visible(&file.path).into_any(),
                        }}
                    </p>
                    {failures.collect_view()}
                </td>
                <td><Badge tone text /></td>
            </tr>
        }
    };
    (!files.is_empty()).then(|| {
        view! {
            <section class="mb-6 max-w-2xl" aria-labelledby="uploaded">
                <h2 class="mb-2" id="uploaded">"Uploaded files"</h2>
                <div class="card">
                    <DataTable
                        label="Uploaded files" heads=columns([("File", ""), ("Result", "w-32")])
                        rows=files.into_iter().map(row).collect_view()
                    />
                </div>
                <p class="mt-2 text-sm"><a href="/knowledge">"Show documents"</a></p>
            </section>
        }
    })
}

use super::{api::collections, tabs::Tabs};
use crate::{
    Flash,
    layout::{PageHead, ViewerResource},
    query::Query,
    ui::{AreaField, Badge, DataTable, PostForm, SelectField, TextField, Tone, awaited, choice, columns, or_error, text},
};
use leptos::prelude::*;
use wire::{FileOutcome, OperatorRole, UPLOAD_FILES_MAX, UPLOAD_MAX, UploadedFile};

const NOT_ALLOWED: &str = "Uploading documents requires the role “reviewer”. Ask an administrator for it.";

/// The page that uploads Markdown into a collection, and shows what became of each file.
#[component]
pub fn UploadPage() -> impl IntoView {
    let (known, who) = (collections(), ViewerResource::shared());
    view! {
        <PageHead title="Upload documents">
            "Markdown files or a pasted text. A file replaces the document with the same name in its collection."
        </PageHead>
        <Tabs />
        {awaited(async move {
            let answer = who.permitted(OperatorRole::Reviewer, NOT_ALLOWED, async { Ok(known.await.unwrap_or_default()) }).await;
            or_error(answer, |(viewer, collections)| view! { <Upload collections flash=viewer.flash /> })
        })}
    }
}

#[component]
fn Upload(collections: Vec<String>, flash: Option<Flash>) -> impl IntoView {
    let uploaded = flash.as_ref().map(|flash| flash.uploaded.clone()).unwrap_or_default();
    let typed = flash.as_ref().filter(|flash| flash.refused).map(|flash| Query::parse(&flash.typed)).unwrap_or_default();
    let message = move |field: &str| flash.as_ref().and_then(|flash| flash.field(field));
    let files_error = message("files");
    let first = collections.is_empty();
    let known = std::iter::once(choice("", "Choose a collection")).chain(collections.iter().map(|name| choice(name, name))).collect();
    view! {
        <Results files=uploaded />
        <PostForm class="card max-w-2xl divide-y divide-line" action="/console/upload" files=true>
            <div class="grid gap-3 p-4 sm:grid-cols-2">
                {(!first).then(|| view! {
                    <SelectField name="collection" label="Collection" value=typed.text("collection") choices=known error=message("collection") />
                })}
                <TextField
                    name="new_collection"
                    label=if first { "Collection" } else { "Or a new collection" }
                    hint="handbook"
                    value=typed.text("new_collection")
                    most=64
                    error=message("collection").filter(|_| first)
                />
            </div>
            <div class="p-4">
                <label class="label" for="files">"Files"</label>
                <input
                    class="block w-full cursor-pointer text-sm text-soft file:mr-3 file:cursor-pointer file:rounded-md file:border file:border-solid \
                    file:border-line-strong file:bg-surface file:px-3 file:py-1.5 file:text-ink hover:file:bg-sunken"
                    id="files"
                    name="files"
                    type="file"
                    multiple
                    accept=".md,text/markdown"
                    aria-invalid=files_error.as_ref().map(|_| "true")
                    aria-describedby=if files_error.is_some() { "files-error files-hint" } else { "files-hint" }
                />
                {files_error.map(|text| view! { <p class="mt-1 text-xs text-danger" id="files-error">{text}</p> })}
                <p class="mt-1 text-xs text-soft" id="files-hint">
                    {format!("At most {UPLOAD_FILES_MAX} files with names that end in .md, 10 MB each and {} MB in all.", UPLOAD_MAX / 1024 / 1024)}
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
                <TextField name="name" label="File name of the text" hint="notes.md" value=typed.text("name") error=message("name") />
            </div>
            <div class="p-4"><button class="button button-primary" type="submit">"Upload documents"</button></div>
        </PostForm>
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
                    <p class="font-mono text-xs break-all">{text::visible(&file.path)}</p>
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

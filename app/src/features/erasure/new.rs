use super::{
    NOT_ALLOWED,
    api::{preview_erasure, ticked},
    tables::{Counts, Mentions},
};
use crate::{
    Flash,
    layout::{Crumb, PageHead, ViewerResource},
    query::{Query, use_query},
    ui::{PostForm, ReasonField, awaited, or_error, text},
};
use leptos::prelude::*;
use wire::{ErasurePreview, OperatorRole};

/// The preview of an erasure with the form that requests it.
#[component]
pub fn NewErasurePage() -> impl IntoView {
    let query = use_query();
    let (user, names) = (query.text("user"), query.text("names"));
    let preview = preview_erasure(user.clone(), names.clone());
    let who = ViewerResource::shared();
    view! {
        <Crumb href="/erasure" text="Erasure" />
        <PageHead title="Request an erasure">"Review what will be removed, and choose which records of others to erase with it."</PageHead>
        {awaited(async move {
            let answer = who.permitted(OperatorRole::Admin, NOT_ALLOWED, preview).await;
            or_error(answer, |(viewer, preview)| view! { <Request preview user names flash=viewer.refused() /> })
        })}
    }
}

#[component]
fn Request(preview: ErasurePreview, user: String, names: String, flash: Option<Flash>) -> impl IntoView {
    let ticked = flash.as_ref().map(|flash| ticked(&Query::parse(&flash.typed))).unwrap_or_default();
    let (typed, error) = Flash::reason(flash);
    let known = match (preview.name, preview.external_ref) {
        (Some(name), Some(reference)) => format!("{name} ({reference})"),
        (name, reference) => name.or(reference).unwrap_or_else(|| preview.user_id.to_string()),
    };
    let export = Query::default().with("person", preview.user_id).href("/export.jsonl");
    let hold = preview.hold.map(|hold| {
        view! { <p class="card mb-6 p-4 text-sm text-warn">"This person is under a legal hold, set by " {hold.set_by} ". Lift it first."</p> }
    });
    let mentions = match preview.mentions.is_empty() {
        true => view! { <p class="mb-6 text-sm text-soft">"No records of others mention the person by these names."</p> }.into_any(),
        false => view! { <Mentions mentions=preview.mentions ticked=Some(ticked) /> }.into_any(),
    };
    view! {
        {hold}
        <PostForm action="/console/api/request_erasure" class="items-start gap-6 lg:grid lg:grid-cols-[minmax(0,1fr)_21rem]">
            <div class="min-w-0">
                {mentions}
                {preview.more.then(|| view! {
                    <p class="mb-6 text-sm text-warn">"Not all mentions are listed. Repeat the search after this erasure."</p>
                })}
                <Counts tables=preview.tables />
            </div>
            <div class="card space-y-3 p-4 lg:sticky lg:top-5">
                <h2 class="wrap-anywhere">"Erase " {text::visible(&known)} "?"</h2>
                <p class="text-sm text-soft">
                    "Nothing is removed until another admin confirms it. If the person asked for the data, save it first: "
                    <a class="underline" href=export rel="external" download="">"Export the person’s data"</a> "."
                </p>
                <input type="hidden" name="user" value=user />
                <input type="hidden" name="names" value=names />
                <ReasonField id="reason" typed error hint="The reason is kept after the erasure. Refer to the case and do not name the person." />
                <button class="button button-danger" type="submit">"Request erasure"</button>
                <a class="button button-quiet" href="/erasure">"Cancel"</a>
            </div>
        </PostForm>
    }
}

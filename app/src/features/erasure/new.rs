use super::{
    NOT_ALLOWED,
    api::{Whom, ticked, whom},
    names::{Names, Proposal},
    tables::{Counts, Mentions},
};
use crate::{
    Flash,
    layout::{Crumb, PageHead, ViewerResource},
    query::{Query, use_query},
    ui::{AreaField, Empty, PostForm, ReasonField, Shape, awaited, or_error, text},
};
use leptos::prelude::*;
use wire::{ErasurePreview, OperatorRole, UserId};

/// The preview of an erasure with the names that it searches for, and the form that requests it.
#[component]
pub fn NewErasurePage() -> impl IntoView {
    let query = use_query();
    let user = query.text("user");
    let subject = whom(query);
    let who = ViewerResource::shared();
    view! {
        <Crumb href="/erasure" text="Erasure" />
        <PageHead title="Request an erasure">"Review what will be removed, and choose which records of others to erase with it."</PageHead>
        {awaited(async move {
            let answer = who.permitted(OperatorRole::Admin, NOT_ALLOWED, subject).await;
            or_error(answer, |(viewer, subject)| match subject {
                Some(subject) => view! { <Whole subject flash=viewer.refused() /> }.into_any(),
                None => view! { <Nobody user /> }.into_any(),
            })
        })}
    }
}

/// What to do where nobody is meant.
#[component]
fn Nobody(user: String) -> impl IntoView {
    let people = Query::default().with("user", &user).href("/people");
    let mentions = mentions_of(&user);
    view! {
        <div class="card">
            <Empty shape=Shape::People title=format!("Nobody is known as “{}”", text::visible(&user))>
                <p class="mb-3">
                    "No person has this name, reference or id. Find the person by the beginning of a name, or look for people who are only mentioned in texts."
                </p>
                <p class="flex flex-wrap justify-center gap-2">
                    <a class="button" href=people>"Find in People"</a>
                    <a class="button" href=mentions>"Look for mentions"</a>
                </p>
            </Empty>
        </div>
    }
}

/// The URL of the form that erases mentions of somebody whom only texts name.
pub fn mentions_of(name: &str) -> String {
    Query::default().with("names", name).href("/erasure/new")
}

#[component]
fn Whole(subject: Whom, flash: Option<Flash>) -> impl IntoView {
    let Whom { id, names, preview } = subject;
    let searched = names.all();
    let found = preview.as_ref().ok().cloned();
    view! {
        <Search id names found />
        {or_error(preview, |preview| view! { <Request preview names=searched flash /> })}
    }
}

/// How many records of others have a name, after a search.
fn records(found: Option<&ErasurePreview>, name: &str) -> Option<String> {
    let found = found?;
    let records = found.mentions.iter().filter(|mention| mention.names.iter().any(|one| one == name)).count();
    let records = text::count(i64::try_from(records).unwrap_or(i64::MAX), "record", "records");
    Some(if found.more { format!("at least {records}") } else { records })
}

/// The names by which records of others are searched.
#[component]
fn Search(id: UserId, names: Names, found: Option<ErasurePreview>) -> impl IntoView {
    let counts: Vec<String> =
        names.typed.iter().filter_map(|name| Some(format!("“{}”: {}", text::visible(name), records(found.as_ref(), name)?))).collect();
    let proposal = |Proposal { name, why, ticked }: Proposal| {
        let records = ticked.then(|| records(found.as_ref(), &name)).flatten().map(|records| format!("{records}. "));
        view! {
            <label class="flex items-start gap-2 text-sm">
                <input class="mt-0.5 shrink-0" type="checkbox" name="names" value=name.clone() checked=ticked />
                <span class="min-w-0 wrap-anywhere">
                    <span class="font-medium">{text::visible(&name)}</span> " " <span class="text-soft">{records} {why}</span>
                </span>
            </label>
        }
    };
    let proposals: Vec<_> = names.proposals.into_iter().map(proposal).collect();
    view! {
        <form class="card mb-6 space-y-3 p-4" method="get" action="/erasure/new" aria-label="Names" data-testid="names">
            <input type="hidden" name="user" value=id.to_string() />
            <input type="hidden" name="searched" value="true" />
            <div>
                <AreaField
                    id="names"
                    name="names"
                    label="Names, one on each line"
                    rows="3"
                    value=names.typed.join("\n")
                    dir="auto"
                    note="Records of others that contain one of these names as whole words, in any case, are listed below. The person’s id, reference and name are searched, too."
                />
                {(!counts.is_empty()).then(|| view! { <p class="mt-1 text-sm wrap-anywhere" data-testid="found">{counts.join(" · ")}</p> })}
            </div>
            {(!proposals.is_empty()).then(|| view! {
                <fieldset class="space-y-1.5">
                    <legend class="label">"Suggested names"</legend>
                    {proposals}
                </fieldset>
            })}
            <button class="button" type="submit">"Search again"</button>
        </form>
    }
}

#[component]
fn Request(preview: ErasurePreview, names: Vec<String>, flash: Option<Flash>) -> impl IntoView {
    let ticked = flash.as_ref().map(|flash| ticked(&Query::parse(&flash.typed))).unwrap_or_default();
    let (typed, error) = Flash::reason(flash);
    let known = match (preview.name, preview.external_ref) {
        (Some(name), Some(reference)) => format!("{name} ({reference})"),
        (name, reference) => name.or(reference).or_else(|| names.first().cloned()).unwrap_or_else(|| preview.user_id.to_string()),
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
                <input type="hidden" name="user" value=preview.user_id.to_string() />
                <input type="hidden" name="names" value=names.join("\n") />
                <ReasonField id="reason" typed error hint="The reason is kept after the erasure. Refer to the case and do not name the person." />
                <button class="button button-danger" type="submit">"Request erasure"</button>
                <a class="button button-quiet" href="/erasure">"Cancel"</a>
            </div>
        </PostForm>
    }
}

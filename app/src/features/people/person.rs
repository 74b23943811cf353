use super::{
    known::{Known, LISTED, Legal, read_known, read_legal},
    leaf::CitedLeaf,
    path::PersonPath,
    tree::{Tree, first},
};
use crate::{
    ConsoleError, Flash,
    features::{
        inbox::ShortQuote,
        memories::{memory_form, place, state},
        session::Viewer,
    },
    guard::by_id,
    layout::{Crumb, ViewerResource},
    query::{Query, use_param},
    ui::{ErrorView, IconLink, PostForm, ReasonField, Shape, Time, Titled, awaited, fact, fact_as, or_missing, reading, rows_or, text},
};
use leptos::prelude::*;
use leptos_meta::Title;
use wire::{InboxQuote, LegalHold, MemoryRow, MemoryStatus, OperatorRole, PersonDetail, Retrieval, SourceRow, UserId};

/// Most characters of a memory on the page of a person.
const EXCERPT: usize = 280;

/// What the viewer may do from the page of a person.
#[derive(Clone, Copy)]
struct May {
    /// Forget entries.
    review: bool,
    /// Correct and delete memories.
    operate: bool,
    /// Export, hold and erase.
    administer: bool,
}

/// The page of one person: what each agent knows, since when, and from which sentence.
#[component]
pub fn PersonPage() -> impl IntoView {
    let known = reading(by_id(use_param::<UserId>("user"), read_known, "No person has this address."));
    let who = ViewerResource::expect();
    view! {
        <Crumb href="/people" text="People" />
        {awaited(async move {
            let (viewer, known) = (who.await.ok(), known.await);
            let has = |role| viewer.as_ref().is_some_and(|viewer| viewer.profile.has(role));
            let may =
                May { review: has(OperatorRole::Reviewer), operate: has(OperatorRole::Operator), administer: has(OperatorRole::Admin) };
            let flash = viewer.and_then(Viewer::refused);
            let legal = match &known {
                Ok(known) if may.administer => Some(read_legal(known.id).await),
                _ => None,
            };
            or_missing("Person", known, |known| view! { <Whole known legal may flash /> })
        })}
    }
}

#[component]
fn Whole(known: Known, legal: Option<Result<Legal, ConsoleError>>, may: May, flash: Option<Flash>) -> impl IntoView {
    let (id, name) = (known.id, known.name());
    let title = name.map_or_else(|| id.to_string(), |name| text::visible(&name));
    view! {
        <Title text=title.clone() />
        <header class="mb-5">
            <h1 class="wrap-anywhere" dir="auto" title=id.to_string()>{title}</h1>
            <p class="mt-0.5 text-sm text-soft">
                "What agents know about this person, since when, and from which sentence. Sources of other people that mention this person are not listed."
            </p>
        </header>
        <div class="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[minmax(0,1fr)_21rem]">
            <div class="min-w-0 space-y-6">
                <Profiles id details=known.details.clone() total=known.profiles may />
                <Memories id remembered=known.remembered.clone() total=known.memories may />
                <Recalls id recalls=known.recalls.rows.clone() total=known.recalls.total />
                <Sources id sources=known.sources.rows.clone() total=known.sources.total />
            </div>
            <div class="min-w-0 space-y-6 lg:col-start-2 lg:row-start-1">
                {may.administer.then(|| view! { <Actions known=known.clone() /> })}
                <Facts known />
                {legal.map(|legal| match legal {
                    Ok(legal) => view! { <Lawful id legal flash /> }.into_any(),
                    Err(error) => view! { <div class="card"><ErrorView error /></div> }.into_any(),
                })}
            </div>
        </div>
    }
}

/// The way to the whole list, where the page shows only the beginning.
fn all(total: i64, shown: usize, noun: &str, href: String) -> Option<impl IntoView + use<>> {
    let says = format!("All {} {noun}", text::total_number(total));
    (i64::try_from(shown).unwrap_or(i64::MAX) < total).then(|| view! { <p class="mt-2 text-sm"><a href=href>{says}</a></p> })
}

/// What each agent derived from observations.
#[component]
fn Profiles(id: UserId, details: Vec<PersonDetail>, total: i64, may: May) -> impl IntoView {
    let shown = details.len();
    let none = "No agent keeps a profile of this person.";
    let rows: Vec<_> = details.into_iter().map(|detail| view! { <Profile id detail may /> }).collect();
    view! {
        <Titled id="profiles" title="Profiles">
            {rows_or(none, rows)}
            {all(total, shown, "profiles", Query::default().with("user", id).href("/people"))}
        </Titled>
    }
}

#[component]
fn Profile(id: UserId, detail: PersonDetail, may: May) -> impl IntoView {
    let href = PersonPath { agent: detail.agent_id, user: detail.user_id }.href();
    let leaves = CitedLeaf::all_of(&detail, &super::name::page(id));
    let entries = i64::try_from(leaves.len()).unwrap_or(i64::MAX);
    let leaves = first(leaves, LISTED);
    let more = all(entries, leaves.len(), "entries", href.clone());
    let says = format!("{}, {}", detail.agent_slug, text::count(entries, "entry", "entries"));
    view! {
        <li class="space-y-3 p-4" data-testid="profile">
            <h3 class="text-sm font-medium"><a href=href>{says}</a></h3>
            {(!leaves.is_empty()).then(|| view! { <Tree leaves may_forget=may.review /> })}
            {more}
        </li>
    }
}

/// What is remembered of the person: of every agent, archived and deleted memories and candidates included.
#[component]
fn Memories(id: UserId, remembered: Vec<(MemoryRow, Vec<InboxQuote>)>, total: i64, may: May) -> impl IntoView {
    let list = Query::default().with("user", id).with("state", "all").href("/memories");
    let shown = remembered.len();
    let rows: Vec<_> = remembered.into_iter().map(|(row, quotes)| view! { <Memory row quotes list=list.clone() may /> }).collect();
    view! {
        <Titled id="memories" title="Memories">
            {rows_or("No agent remembers anything of this person.", rows)}
            {all(total, shown, "memories", list.clone())}
        </Titled>
    }
}

#[component]
fn Memory(row: MemoryRow, quotes: Vec<InboxQuote>, list: String, may: May) -> impl IntoView {
    let in_reach = row.deleted_at.is_none() && row.archived_at.is_none();
    let recalled = in_reach && matches!(row.status, MemoryStatus::Active | MemoryStatus::Contradicted);
    let correct = (may.operate && recalled).then(|| view! { <a href=memory_form(row.id, &list, "correct")>"Correct…"</a> });
    let delete =
        (may.operate && recalled).then(|| view! { <a class="text-danger" href=memory_form(row.id, &list, "delete")>"Delete…"</a> });
    let said = match quotes.is_empty() {
        true => {
            view! { <p class="text-xs wrap-anywhere text-soft">"Stored by " {row.agent_slug.clone()} " from " {place(&row.source)}</p> }
                .into_any()
        }
        false => quotes.into_iter().map(|quote| view! { <ShortQuote evidence=quote.evidence /> }).collect_view().into_any(),
    };
    let content = text::excerpt(&row.content, &[], EXCERPT);
    view! {
        <li class="space-y-1.5 px-4 py-3" data-testid="remembered">
            <p class="flex flex-wrap items-baseline gap-x-2 gap-y-1">
                <a class="min-w-0 font-medium wrap-anywhere" dir="auto" href=format!("/memories/{}", row.id)>{text::visible(&row.topic)}</a>
                {state(&row)}
                <span class="text-xs text-soft">{row.agent_slug.clone()} ", since " <Time at=row.created_at /></span>
            </p>
            <p class="text-sm wrap-anywhere" dir="auto">{text::visible(&content)}</p>
            {said}
            <p class="flex flex-wrap gap-x-4 text-xs empty:hidden">{correct} {delete}</p>
        </li>
    }
}

/// What agents asked on behalf of the person.
#[component]
fn Recalls(id: UserId, recalls: Vec<Retrieval>, total: i64) -> impl IntoView {
    let shown = recalls.len().min(LISTED);
    let row = |recall: Retrieval| {
        let hits = text::count(i64::from(recall.hits), "memory", "memories");
        view! {
            <li class="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-4 py-2 text-sm" data-testid="recall">
                <a class="min-w-0 grow basis-48 wrap-anywhere" dir="auto" href=format!("/recall/log/{}", recall.id)>{text::visible(&recall.query)}</a>
                <span class="text-soft">{recall.agent_slug} " · " {hits} " · " <Time at=recall.at /></span>
            </li>
        }
    };
    let contexts = Query::default().with("user", id).href("/recall/contexts");
    view! {
        <Titled id="recalls" title="Recalls on their behalf">
            {rows_or("No recall in the log was on behalf of this person.", recalls.into_iter().take(LISTED).map(row).collect())}
            {all(total, shown, "recalls", Query::default().with("user", id).href("/recall/log"))}
            <p class="mt-2 text-sm"><a href=contexts>"Contexts that were assembled for them"</a></p>
        </Titled>
    }
}

/// The texts that were captured on behalf of the person.
#[component]
fn Sources(id: UserId, sources: Vec<SourceRow>, total: i64) -> impl IntoView {
    let shown = sources.len().min(LISTED);
    let row = |source: SourceRow| {
        view! {
            <li class="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-4 py-2 text-sm" data-testid="source">
                <a class="min-w-0 grow basis-48 wrap-anywhere" dir="auto" href=format!("/sources/{}", source.id)>{text::visible(&source.title)}</a>
                <span class="text-soft">{source.agent_slug} " · " <Time at=source.created_at /></span>
            </li>
        }
    };
    view! {
        <Titled id="sources" title="Sources">
            {rows_or("No text was captured on behalf of this person.", sources.into_iter().take(LISTED).map(row).collect())}
            {all(total, shown, "sources", Query::default().with("user", id).href("/sources"))}
        </Titled>
    }
}

/// How much is known, and by which names.
#[component]
fn Facts(known: Known) -> impl IntoView {
    let (name, reference) = known.user.map_or((None, None), |user| (user.name, Some(user.external_ref)));
    view! {
        <dl class="facts card p-4" data-testid="facts">
            {name.map(|name| fact("Name", text::visible(&name)))}
            {reference.map(|reference| fact("Reference", text::visible(&reference)))}
            {fact_as("font-mono text-xs break-all", "Id", known.id.to_string())}
            {fact("Profiles", text::number(known.profiles))}
            {fact("Memories", text::total_number(known.memories))}
            {fact("Recalls", text::total_number(known.recalls.total))}
            {fact("Sources", text::number(known.sources.total))}
        </dl>
    }
}

/// What an admin does for the person.
#[component]
fn Actions(known: Known) -> impl IntoView {
    let export = Query::default().with("person", known.id).href("/export.jsonl");
    let erase = Query::default().with("user", known.id).href("/erasure/new");
    view! {
        <div class="card space-y-2 p-4" data-testid="actions">
            <p class="flex flex-wrap gap-2">
                <a class="button" href=export rel="external" download="">"Export"</a>
                <IconLink class="button button-danger" href=erase shape=Shape::Delete text="Erase…" />
            </p>
            <p class="text-xs text-soft">
                "The file has the person’s profiles, memories with every version, sources and reported actions, of all agents. The logs of recalls and contexts are not in it."
            </p>
        </div>
    }
}

/// The legal hold and the requests to erase the person.
#[component]
fn Lawful(id: UserId, legal: Legal, flash: Option<Flash>) -> impl IntoView {
    let requests: Vec<_> = legal
        .requests
        .into_iter()
        .map(|request| {
            view! {
                <li class="px-4 py-2 text-sm">
                    <a class="wrap-anywhere" href=format!("/erasure/{}", request.id)>{text::visible(&request.reason)}</a>
                    <span class="block text-soft">
                        {request.state.as_str()} ", requested by " {request.requested_by_name} " " <Time at=request.requested_at />
                    </span>
                </li>
            }
        })
        .collect();
    view! {
        <Hold id hold=legal.hold flash />
        <Titled id="erasures" title="Erasure requests">
            {rows_or("No request to erase this person among the latest 100.", requests)}
        </Titled>
    }
}

#[component]
fn Hold(id: UserId, hold: Option<LegalHold>, flash: Option<Flash>) -> impl IntoView {
    if let Some(hold) = hold {
        return view! {
            <p class="card p-4 text-sm text-warn" data-testid="held">
                "Legal hold, set by " {hold.set_by} " " <Time at=hold.set_at /> ": " {text::visible(&hold.reason)} " "
                <a class="underline" href="/erasure">"Lift it"</a>
            </p>
        }
        .into_any();
    }
    let (typed, error) = flash.and_then(|flash| flash.refused_at(("user", &id.to_string()), "reason")).unzip();
    let (open, typed) = (typed.is_some(), typed.map(|typed| typed.text("reason")).unwrap_or_default());
    view! {
        <details class="card" open=open>
            <summary class="px-4 py-2.5 font-medium">"Set a legal hold…"</summary>
            <PostForm class="space-y-3 px-4 pb-4" action="/console/api/set_hold" fields=[
                ("user", id.to_string()), ("done", super::name::page(id)),
            ]>
                <p class="text-sm text-soft">"While the hold is active, no data of the person is erased, archived or swept."</p>
                <ReasonField id="hold-reason" typed error=error.flatten() hint="Kept in the audit log." />
                <button class="button" type="submit">"Set hold"</button>
            </PostForm>
        </details>
    }
    .into_any()
}

use super::{
    fate::{self, Fates, fates},
    url::{diagnose_of, question},
    words::cause_sentence,
};
use crate::{
    features::{
        expectations,
        memories::Restore,
        people::{Person, person_names},
    },
    query::Query,
    ui::{Badge, Bar, Pager, Time, Tone, awaited, reading, text},
};
use leptos::prelude::*;
use wire::{ExpectationOrigin, NearMiss, NearMissState, Page, ZeroHit, ZeroHitCause};

/// The list of recalls that found nothing, newest first, each with links to fix it.
#[component]
pub fn ZeroHits(page: Page<ZeroHit>, query: Query, may_restore: bool) -> impl IntoView {
    let Page { rows, next, previous, total } = page;
    let body = if rows.is_empty() {
        view! { <p class="px-4 py-3 text-sm text-soft">"Every recall that matches these filters found something."</p> }.into_any()
    } else {
        let (query, names) = (query.clone(), reading(person_names(rows.iter().filter_map(|hit| hit.user_id).collect())));
        let fates = reading(fates(rows.iter().flat_map(|hit| hit.near_misses.clone()).collect()));
        let rows = awaited(async move {
            let (names, fates) = (names.await, fates.await);
            let item = |hit: ZeroHit| {
                let person = hit.user_id.and_then(|id| names.get(&id).cloned());
                view! { <Item hit person fates=fates.clone() query=query.clone() may_restore /> }
            };
            rows.into_iter().map(item).collect_view()
        });
        view! { <ol>{rows}</ol> }.into_any()
    };
    view! {
        <section aria-labelledby="latest">
            <h2 class="mb-2 flex flex-wrap items-baseline gap-x-2" id="latest">
                "Latest recalls that found nothing"
                <span class="text-sm font-normal text-soft" data-testid="total">{text::count(total, "recall", "recalls")}</span>
            </h2>
            <div class="card">{body}</div>
            <Pager path="/recall" query previous next />
        </section>
    }
}

#[component]
fn Item(
    hit: ZeroHit,
    /// What people call the person on whose behalf it was.
    person: Option<String>,
    fates: Fates,
    query: Query,
    may_restore: bool,
) -> impl IntoView {
    let restore = may_restore.then(|| (query.href("/recall"), hit.retrieval_id.to_string()));
    let theirs = query.without(&["after", "before"]).with("agent", hit.agent_id).href("/recall");
    view! {
        <li class="space-y-1.5 border-b border-line px-4 py-3 last:border-b-0" data-testid="zero-hit">
            <div class="flex flex-wrap items-baseline gap-x-2 gap-y-1">
                <h3 class="line-clamp-3 min-w-0 font-medium break-words" title=hit.query.clone()>
                    <a href=format!("/recall/log/{}", hit.retrieval_id)>{text::visible(&hit.query)}</a>
                </h3>
                {hit.expected.then(|| view! { <Badge tone=Tone::Warn text="result expected" title="The agent expected a result." /> })}
                {hit.query_canonical
                    .clone()
                    .map(|term| view! { <span class="min-w-0 text-sm break-words text-good">{format!("searched as “{term}”")}</span> })}
                <span class="ml-auto text-sm text-soft">
                    <a class="underline" href=theirs>{hit.agent_slug.clone()}</a>
                    " · "
                    <Time at=hit.at />
                </span>
            </div>
            {hit.user_id.map(|id| view! { <p class="text-xs text-soft">"On behalf of " <Person id name=person.clone() /></p> })}
            <Why hit fates restore />
        </li>
    }
}

/// Why a recall found nothing: the cause, the memory that it could not return, the near misses, and the links to fix it.
#[component]
pub fn Why(
    hit: ZeroHit,
    fates: Fates,
    /// As that of [`NearMisses`].
    restore: Option<(String, String)>,
) -> impl IntoView {
    let knowledge = (hit.knowledge_hits > 0).then(|| {
        let pieces = text::count(hit.knowledge_hits, "passage", "passages");
        view! { <p class="text-sm text-soft">"No memory was found, but the answer had " {pieces} " of shared knowledge."</p> }
    });
    let why = match stopped(&hit) {
        Some(miss) => fate::stopped(miss, &fates),
        None => cause_sentence(hit.cause, &hit.degraded, None),
    };
    // An erased memory has no topic.
    let culprit = stopped(&hit).filter(|miss| !miss.topic.is_empty()).map(|miss| {
        view! { " Its topic is " <a class="underline wrap-anywhere" href=format!("/memories/{}", miss.memory_id)>{text::visible(&miss.topic)}</a> "." }
    });
    let expect = expected(&hit);
    let links = actions(&hit).into_iter().map(|(text, href)| view! { <a href=href>{text}</a> }).collect_view();
    view! {
        <p class="text-sm" data-testid="cause">{why} {culprit}</p>
        <NearMisses misses=hit.near_misses fates restore />
        {knowledge}
        <p class="flex flex-wrap gap-x-4 gap-y-1.5 text-sm" data-testid="actions">{links} <a href=expect>"This should have been found"</a></p>
    }
}

/// The form that makes an expectation of a zero hit. It begins with the nearest of its near misses.
fn expected(hit: &ZeroHit) -> String {
    let near = NearMiss::decisive(&hit.near_misses).or(hit.near_misses.first());
    expectations::form_for(&question(hit).with_some("memory", near.map(|miss| miss.memory_id)), ExpectationOrigin::ZeroHit)
}

/// The near misses of a recall: relevance, floor, and why each was no hit.
#[component]
pub fn NearMisses(
    misses: Vec<NearMiss>,
    fates: Fates,
    /// The page to return to after restoring one, and what tells lists on that page apart; none if the viewer may not restore.
    restore: Option<(String, String)>,
) -> impl IntoView {
    let one = |miss: NearMiss| {
        let restore = restore.clone().filter(|_| miss.restorable);
        let fate = fate::badge(&miss, &fates);
        let (by, reason) = (miss.deleted_by, miss.delete_reason);
        view! {
            <li class="flex flex-wrap items-center gap-x-2 gap-y-1.5 text-sm">
                <Bar label="Relevance" value=miss.similarity floor=miss.floor />
                <a class="min-w-0 break-words" href=format!("/memories/{}", miss.memory_id)>{text::visible(&miss.topic)}</a>
                <span class="text-soft">{miss.agent_slug}</span>
                {fate}
                {restore.map(|(here, place)| view! { <Restore id=miss.memory_id here place by reason /> })}
            </li>
        }
    };
    (!misses.is_empty()).then(|| {
        let list = misses.into_iter().map(one).collect_view();
        view! { <ul class="space-y-1.5 border-l-2 border-line pl-3" aria-label="Near misses">{list}</ul> }
    })
}

/// The memory that was relevant enough and still no hit.
fn stopped(hit: &ZeroHit) -> Option<&NearMiss> {
    NearMiss::decisive(&hit.near_misses).filter(|_| hit.cause == ZeroHitCause::FilteredOut)
}

/// The links to fix a zero hit: label and URL.
fn actions(hit: &ZeroHit) -> Vec<(&'static str, String)> {
    let mut actions = Vec::new();
    if hit.cause == ZeroHitCause::BelowFloor && hit.query_canonical.is_none() {
        actions.push(("Add an alias", Query::default().with("alias", &hit.query).href("/vocabulary/terms/new")));
        actions.push(("New term", Query::default().with("name", &hit.query).href("/vocabulary/terms/new")));
    }
    if let Some(miss) = hit.near_misses.iter().find(|miss| miss.state == NearMissState::Deleted) {
        actions.push(("See the deleted memory", format!("/memories/{}", miss.memory_id)));
    }
    if matches!(hit.cause, ZeroHitCause::NothingStored | ZeroHitCause::BelowFloor) {
        actions.push(("Ingest a document", "/knowledge/upload".to_owned()));
    }
    if let Some(miss) = stopped(hit).filter(|miss| miss.state != NearMissState::Deleted) {
        actions.push(("Why was it not recalled?", diagnose_of(&question(hit), miss.memory_id)));
    }
    actions.push(("Try it again", question(hit).href("/recall/playground")));
    actions
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;
    use uuid::Uuid;
    use wire::{AgentId, MemoryId, RetrievalId};

    #[test]
    fn each_cause_has_its_way_out() {
        let hit = |cause, canonical: Option<&str>, near_misses: Vec<NearMiss>| ZeroHit {
            retrieval_id: RetrievalId(Uuid::nil()),
            at: DateTime::UNIX_EPOCH,
            agent_id: AgentId(Uuid::nil()),
            agent_slug: "atlas".into(),
            user_id: None,
            query: "stage & db".into(),
            query_canonical: canonical.map(str::to_owned),
            filters: serde_json::json!({ "kinds": ["decision"] }),
            expected: true,
            cause,
            degraded: vec![],
            near_misses,
            knowledge_hits: 0,
        };
        let miss = NearMiss {
            memory_id: MemoryId(Uuid::nil()),
            agent_slug: "atlas".into(),
            topic: "staging".into(),
            similarity: 0.6,
            floor: 0.25,
            state: NearMissState::Deleted,
            restorable: true,
            deleted_by: None,
            delete_reason: None,
        };
        let names = |hit: ZeroHit| actions(&hit).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(names(hit(ZeroHitCause::BelowFloor, None, vec![])), ["Add an alias", "New term", "Ingest a document", "Try it again"]);
        assert_eq!(names(hit(ZeroHitCause::BelowFloor, Some("staging"), vec![])), ["Ingest a document", "Try it again"]);
        let theirs = NearMiss { state: NearMissState::OtherUser, restorable: false, ..miss.clone() };
        assert_eq!(names(hit(ZeroHitCause::FilteredOut, None, vec![miss])), ["See the deleted memory", "Try it again"]);
        assert_eq!(names(hit(ZeroHitCause::FilteredOut, None, vec![theirs.clone()])), ["Why was it not recalled?", "Try it again"]);
        let ended = NearMiss { memory_id: MemoryId(Uuid::max()), similarity: 0.9, state: NearMissState::Expired, ..theirs.clone() };
        let decisive = |misses: &[NearMiss]| NearMiss::decisive(misses).map(|miss| miss.state);
        assert_eq!(decisive(&[ended.clone(), theirs.clone()]), Some(NearMissState::OtherUser), "not the closer one that expired");
        let weak = NearMiss { similarity: 0.2, ..theirs.clone() };
        assert_eq!(decisive(&[ended.clone(), weak.clone()]), Some(NearMissState::Expired), "nothing else is relevant");
        assert_eq!(decisive(&[weak]), None);
        let (_, link) = actions(&hit(ZeroHitCause::FilteredOut, None, vec![ended.clone(), theirs])).swap_remove(0);
        assert!(!link.contains(&ended.memory_id.to_string()) && link.contains("kind=decision"), "{link}");
        assert_eq!(names(hit(ZeroHitCause::NothingStored, None, vec![])), ["Ingest a document", "Try it again"]);
        let alias = actions(&hit(ZeroHitCause::BelowFloor, None, vec![])).remove(0).1;
        assert_eq!(alias, "/vocabulary/terms/new?alias=stage+%26+db");
        let nil = Uuid::nil();
        let form = format!("/quality/expectations/new?agent={nil}&q=stage+%26+db&from=zero_hit");
        assert_eq!(expected(&hit(ZeroHitCause::NothingStored, None, vec![])), form, "its filters are left out");
        let near = expected(&hit(ZeroHitCause::BelowFloor, None, vec![ended]));
        assert!(near.contains(&format!("memory={}", Uuid::max())), "{near}");
    }
}

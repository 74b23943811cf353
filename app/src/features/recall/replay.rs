use super::considered::{Name, gone};
use crate::ui::{Badge, Diff, Icon, Shape, Tone, text};
use leptos::prelude::*;
use wire::{Considered, Replay};

/// How the place of a hit compares with the logged answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Same,
    /// Its place in the log.
    Moved(usize),
    New,
}

/// How the content of a hit compares with the logged answer. Its topic is left out: a memory that is only refiled says the same.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Content {
    Same,
    /// The logged content.
    Changed(String),
    /// The version that the log names is no longer stored.
    Unknown,
}

/// A hit of an answer, compared with the log.
struct Marked {
    one: Considered,
    mark: Mark,
    content: Content,
}

/// The identity of a hit: a memory, or a chunk of a document.
fn key(one: &Considered) -> impl PartialEq + use<> {
    (one.memory_id, one.chunk_id)
}

/// The hits among the logged candidates, best first.
fn hits(considered: Vec<Considered>) -> Vec<Considered> {
    let mut hits: Vec<_> = considered.into_iter().filter(|one| one.rank.is_some()).collect();
    hits.sort_by_key(|one| one.rank);
    hits
}

/// Compares the content of a hit with the logged one.
fn content(logged: &Considered, now: &Considered) -> Content {
    if logged.content == now.content {
        Content::Same
    } else if logged.content.is_empty() {
        Content::Unknown
    } else {
        Content::Changed(logged.content.clone())
    }
}

/// An answer compared with the log: its hits, and the missing ones with their places in the log.
type Held = (Vec<Marked>, Vec<(Considered, usize)>);

/// Compares `answer` with the logged hits.
fn held(logged: &[Considered], answer: Vec<Considered>) -> Held {
    let missing = logged.iter().enumerate().filter(|(_, one)| !answer.iter().any(|other| key(other) == key(one)));
    let missing = missing.map(|(place, one)| (one.clone(), place + 1)).collect();
    let marked = answer.into_iter().enumerate().map(|(place, one)| {
        let before = logged.iter().enumerate().find(|(_, other)| key(other) == key(&one));
        let mark = match before {
            Some((before, _)) if before == place => Mark::Same,
            Some((before, _)) => Mark::Moved(before + 1),
            None => Mark::New,
        };
        let content = before.map_or(Content::Same, |(_, logged)| content(logged, &one));
        Marked { one, mark, content }
    });
    (marked.collect(), missing)
}

/// How today's answer compares with the log, in a sentence.
fn verdict((marked, missing): &Held) -> String {
    let changed = marked.iter().filter(|hit| matches!(hit.content, Content::Changed(_))).count();
    let unknown = marked.iter().filter(|hit| hit.content == Content::Unknown).count();
    let mut notes = Vec::new();
    if changed > 0 {
        notes.push(format!("{changed} {} new content", if changed == 1 { "has" } else { "have" }));
    }
    if unknown > 0 {
        notes.push(format!("the earlier content of {unknown} is no longer stored"));
    }
    let same_hits = missing.is_empty() && marked.iter().all(|hit| hit.mark == Mark::Same);
    match (same_hits, notes.join(", ")) {
        (true, notes) if notes.is_empty() => "Today's results are the same.".to_owned(),
        (true, notes) => format!("Today: the same hits, {notes}."),
        (false, notes) if notes.is_empty() => "Today's results differ.".to_owned(),
        (false, notes) => format!("Today's results differ; of the hits in both, {notes}."),
    }
}

/// The logged answer, the replayed one and today's, side by side.
#[component]
pub fn Compared(replay: Replay) -> impl IntoView {
    let logged = hits(replay.logged.considered);
    let (then, today) = (held(&logged, replay.replayed), held(&logged, replay.today));
    let verdict = verdict(&today);
    let as_logged = logged.into_iter().map(|one| Marked { one, mark: Mark::Same, content: Content::Same }).collect();
    let lost = (!replay.lost.is_empty()).then(|| {
        let sentences = replay.lost.into_iter().map(|text| view! { <li>{text}</li> }).collect_view();
        view! {
            <div class="rounded-md border border-warn bg-warn-wash px-3 py-2 text-sm text-warn" data-testid="lost">
                <p class="font-medium">"What can no longer be reproduced"</p>
                <ul class="list-disc space-y-0.5 pl-5">{sentences}</ul>
            </div>
        }
    });
    view! {
        <div class="space-y-3" data-testid="replay">
            <Verdict same=replay.same today=verdict />
            {lost}
            <div class="grid gap-4 lg:grid-cols-3">
                <Column title="Logged" hint="What the agent got." hits=as_logged missing=vec![] />
                <Column title="Replayed" hint="The same question, with the memory of that time." hits=then.0 missing=then.1 />
                <Column title="Today" hint="The same question, with today's memory." hits=today.0 missing=today.1 />
            </div>
        </div>
    }
}

#[component]
fn Verdict(same: bool, today: String) -> impl IntoView {
    let (class, shape, says) = match same {
        true => ("border-good bg-good-wash text-good", Shape::Done, "Reproduced: the same hits in the same order."),
        false => ("border-warn bg-warn-wash text-warn", Shape::Alert, "Not reproduced: the replay differs from the log."),
    };
    view! {
        <p class=format!("flex items-start gap-2.5 rounded-md border px-3 py-2 text-sm {class}") data-testid="verdict">
            <span class="pt-0.5"><Icon shape /></span>
            <span><strong class="font-medium">{says}</strong> " " {today}</span>
        </p>
    }
}

#[component]
fn Column(title: &'static str, hint: &'static str, hits: Vec<Marked>, missing: Vec<(Considered, usize)>) -> impl IntoView {
    let id = format!("column-{}", title.to_lowercase());
    let body = if hits.is_empty() {
        view! { <p class="px-3 py-2.5 text-sm text-soft">"No hits."</p> }.into_any()
    } else {
        let rows = hits.into_iter().enumerate().map(|(place, hit)| view! { <Hit place=place + 1 hit /> }).collect_view();
        view! { <ol class="divide-y divide-line">{rows}</ol> }.into_any()
    };
    let lacks = missing.into_iter().map(|(one, place)| view! { <Missing one place /> }).collect_view();
    view! {
        <section class="card min-w-0 self-start" aria-labelledby=id.clone() data-testid=id.clone()>
            <div class="border-b border-line px-3 py-2">
                <h3 class="text-sm font-semibold" id=id.clone()>{title}</h3>
                <p class="text-xs text-soft">{hint}</p>
            </div>
            {body}
            <ul class="divide-y divide-line">{lacks}</ul>
        </section>
    }
}

#[component]
fn Hit(place: usize, hit: Marked) -> impl IntoView {
    let Marked { one, mark, content } = hit;
    let badge = match mark {
        Mark::Same => None,
        Mark::Moved(before) => {
            let arrow = if before > place { "↑" } else { "↓" };
            Some(view! { <Badge tone=Tone::Accent text=format!("{arrow} was {before}") /> }.into_any())
        }
        Mark::New => Some(view! { <Badge tone=Tone::Good text="new" title="Not in the logged answer." /> }.into_any()),
    };
    let changed = match content {
        Content::Same => None,
        Content::Changed(_) => {
            Some(view! { <Badge tone=Tone::Warn text="new content" title="The logged answer had other words." /> }.into_any())
        }
        Content::Unknown => {
            Some(view! { <Badge text="cannot be compared" title="The version that the agent got is no longer stored." /> }.into_any())
        }
    };
    let says = match content {
        Content::Changed(old) => view! {
            <div class="max-h-60 overflow-y-auto" tabindex="0" role="group" aria-label="Changed words"><Diff old new=one.content.clone() /></div>
        }
        .into_any(),
        _ => view! { <p class="line-clamp-2 text-xs wrap-anywhere text-soft">{text::visible(&one.content)}</p> }.into_any(),
    };
    let version = one.version.map(|version| format!("v{version} · ")).unwrap_or_default();
    view! {
        <li class="flex gap-2.5 px-3 py-2 text-sm" class:bg-accent-wash=matches!(mark, Mark::Moved(_)) class:bg-good-wash=mark == Mark::New>
            <span class="w-5 shrink-0 text-right text-soft">{place.to_string()}</span>
            <div class="min-w-0">
                <div class="flex flex-wrap items-baseline gap-x-2 gap-y-0.5"><Name one=one.clone() /> {badge} {changed} {gone(&one)}</div>
                {says}
                <p class="text-xs text-soft">{version} {format!("score {:.3}", one.score)}</p>
            </div>
        </li>
    }
}

#[component]
fn Missing(one: Considered, place: usize) -> impl IntoView {
    view! {
        <li class="flex gap-2.5 bg-danger-wash px-3 py-2 text-sm" data-testid="missing">
            <span class="w-5 shrink-0 text-right text-danger" aria-hidden="true">"–"</span>
            <div class="flex min-w-0 flex-wrap items-baseline gap-x-2 gap-y-0.5">
                <Name one=one.clone() />
                <Badge tone=Tone::Danger text=format!("missing, was {place}") />
                {gone(&one)}
            </div>
        </li>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;
    use wire::{MatchedBy, MemoryId, SourceTag};

    fn hit(n: u128, rank: Option<u32>) -> Considered {
        Considered {
            rank,
            source_tag: SourceTag::Private,
            memory_id: Some(MemoryId(Uuid::from_u128(n))),
            agent_id: None,
            version: Some(1),
            document_id: None,
            chunk_id: None,
            title: format!("memory {n}"),
            content: String::new(),
            score: 0.5,
            similarity: 0.5,
            matched_by: MatchedBy::Vector,
            recency: 1.0,
            parts: vec![],
            matched_words: vec![],
            explanation: String::new(),
            passed: true,
            gone: false,
        }
    }

    #[test]
    fn only_what_was_returned_is_a_hit() {
        let logged = hits(vec![hit(2, Some(2)), hit(9, None), hit(1, Some(1))]);
        assert_eq!(logged.iter().map(|one| one.title.as_str()).collect::<Vec<_>>(), ["memory 1", "memory 2"]);
    }

    #[test]
    fn what_moved_came_or_went_is_marked() {
        let logged: Vec<_> = (1..=4).map(|n| hit(n, u32::try_from(n).ok())).collect();
        let (marked, missing) = held(&logged, vec![hit(1, None), hit(3, None), hit(7, None), hit(4, None)]);
        assert_eq!(marked.iter().map(|hit| hit.mark).collect::<Vec<_>>(), [Mark::Same, Mark::Moved(3), Mark::New, Mark::Same]);
        assert_eq!(missing.iter().map(|(one, place)| (one.title.as_str(), *place)).collect::<Vec<_>>(), [("memory 2", 2)]);
        let (marked, missing) = held(&[], vec![]);
        assert_eq!((marked.len(), missing.len()), (0, 0));
    }

    #[test]
    fn the_verdict_on_today_compares_content_and_not_only_hits() {
        let saying = |n: u128, content: &str| Considered { content: content.into(), ..hit(n, Some(1)) };
        let logged = [saying(1, "The ferry leaves at 9:30."), saying(2, "The ferry is green.")];
        let verdict_on = |today: Vec<Considered>| verdict(&held(&logged, today));
        let changed = || Considered { version: Some(2), ..saying(1, "The ferry leaves at 9:45.") };
        let refiled = || Considered { version: Some(3), title: "colours".into(), ..logged[1].clone() };
        assert_eq!(verdict_on(vec![logged[0].clone(), refiled()]), "Today's results are the same.");
        assert_eq!(verdict_on(vec![changed(), refiled()]), "Today: the same hits, 1 has new content.");
        let old = Content::Changed("The ferry leaves at 9:30.".into());
        assert_eq!(held(&logged, vec![changed()]).0.iter().map(|hit| &hit.content).collect::<Vec<_>>(), [&old]);
        assert_eq!(verdict_on(vec![refiled(), logged[0].clone()]), "Today's results differ.");
        assert_eq!(verdict_on(vec![changed()]), "Today's results differ; of the hits in both, 1 has new content.");
        // History that was deleted proves nothing.
        let swept = [Considered { gone: true, ..saying(1, "") }];
        assert_eq!(verdict(&held(&swept, vec![changed()])), "Today: the same hits, the earlier content of 1 is no longer stored.");
    }
}

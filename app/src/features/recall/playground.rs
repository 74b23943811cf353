use super::{
    api::try_recall,
    candidates::Candidates,
    fate::Fates,
    options::Options,
    url,
    words::{cause_name, cause_sentence},
    zero_hits::NearMisses,
};
use crate::{
    features::{expectations::ShouldHaveBeenFound, memories::AgentField},
    layout::PageHead,
    query::Query,
    ui::{Answered, Badge, Empty, FilterForm, Filtered, SearchField, Shape, TextField, Titled, Tone, chart::share_of, fact, text},
};
use leptos::prelude::*;
use wire::{ExpectationOrigin, NearMiss, Playground, PlaygroundRequest};

/// The playground page: runs a recall without logging it and shows every step.
#[component]
pub fn PlaygroundPage() -> impl IntoView {
    let filtered = Filtered::by(url::playground);
    let (query, answer) = (filtered.query.clone(), filtered.load(try_recall));
    view! {
        <PageHead title="Playground">
            "Run a recall as an agent and inspect every step. Playground queries are not logged or counted."
        </PageHead>
        <Form filtered />
        <Answered answer show query />
    }
}

fn show(answer: Option<Playground>, query: Query) -> AnyView {
    match answer {
        Some(answer) => view! { <Answer answer query /> }.into_any(),
        None => view! { <div class="card"><NotAsked /></div> }.into_any(),
    }
}

#[component]
fn Form(filtered: Filtered<Option<PlaygroundRequest>>) -> impl IntoView {
    view! {
        <FilterForm action="/recall/playground" label="Playground">
            <div class="card grid grid-cols-2 gap-3 p-3 lg:grid-cols-[12rem_6rem_minmax(0,1fr)]">
                <div class="col-span-full lg:col-span-1">
                    <AgentField value=filtered.value("agent") none="Choose an agent" labelled=true error=filtered.error("agent") />
                </div>
                <TextField name="k" label="Maximum hits" kind="number" hint="10" value=filtered.value("k") error=filtered.error("k") />
                {filtered.text_field("user", "On behalf of a user", "Name, reference or id")}
                <div class="col-span-full flex flex-wrap gap-2">
                    <SearchField value=filtered.value("q") label="Question" hint="What would an agent ask?" />
                    <button class="button button-primary" type="submit">
                        "Recall"
                    </button>
                </div>
                <Options filtered=filtered.fields() names=url::OPTIONS all_of_them=true />
            </div>
        </FilterForm>
    }
}

#[component]
fn NotAsked() -> impl IntoView {
    view! {
        <Empty shape=Shape::Playground title="No recall yet">
            <p>
                "Choose an agent and enter a question. You will see how the vocabulary resolves the question, the score of every candidate, "
                "and which candidates become hits."
            </p>
        </Empty>
    }
}

#[component]
fn Answer(answer: Playground, query: Query) -> impl IntoView {
    let searched = answer.memories.zip(answer.passed).map(|(memories, passed)| (memories, passed, answer.more));
    let (passages, memories): (Vec<_>, Vec<_>) = answer.hits.iter().partition(|hit| hit.knowledge().is_some());
    let total = total([memories.len(), passages.len()], searched);
    let limits = match (answer.may_recall, answer.may_read_knowledge) {
        (false, _) => Some("No key of this agent has permission to recall. The agent would get an error instead of this answer."),
        (true, false) => Some("No key of this agent has permission to read shared knowledge. Only memories are searched."),
        (true, true) => None,
    };
    let limits = limits.map(|text| view! { <p class="mb-2 text-sm text-warn" data-testid="limits">{text}</p> });
    let nothing = answer.zero_hit && answer.hits.is_empty();
    let unexpected = (nothing && query.get("expected") == Some("true"))
        .then_some("A result was expected. A recall of an agent like this one would be reported on the health page.");
    let unexpected = unexpected.map(|text| view! { <p class="mb-2 text-sm text-soft">{text}</p> });
    let degraded = (!answer.degraded.is_empty()).then(|| {
        let text = format!("degraded: {}", answer.degraded.join(", "));
        view! { <Badge tone=Tone::Warn text title="Part of the search could not run. Some hits may be missing." /> }
    });
    let zero_hit = answer.zero_hit.then(|| view! { <NothingFound answer=answer.clone() /> });
    view! {
        <div class="mb-2 flex flex-wrap items-center justify-between gap-2">
            <p class="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-soft" data-testid="total">
                <span>{total}</span>
                {degraded}
            </p>
            <ShouldHaveBeenFound query=query.clone() origin=ExpectationOrigin::Playground />
        </div>
        {limits}
        {unexpected}
        <div class="space-y-5">
            {zero_hit}
            <div class="grid items-start gap-5 lg:grid-cols-2">
                <Words answer=answer.clone() question=query.text("q") />
                <Timings timings=answer.timings />
            </div>
            <Titled id="candidates" title="Candidates">
                <div class="card"><Candidates candidates=answer.candidates query /></div>
            </Titled>
        </div>
    }
}

/// How many memories and passages of shared knowledge are hits; and how many memories could be searched, how many of them are known to reach
/// the floor, and whether there may be more.
fn total(hits: [usize; 2], searched: Option<(i64, i64, bool)>) -> String {
    let [memory_hits, passages] = hits.map(|number| i64::try_from(number).unwrap_or(i64::MAX));
    let all = text::count(memory_hits.saturating_add(passages), "hit", "hits");
    let parts = [(memory_hits, "memory", "memories"), (passages, "passage of shared knowledge", "passages of shared knowledge")];
    let parts: Vec<String> = parts.into_iter().filter(|(n, ..)| *n > 0).map(|(n, one, many)| text::count(n, one, many)).collect();
    // Without knowledge every hit is a memory.
    let all = if passages > 0 { format!("{all} ({})", parts.join(", ")) } else { all };
    match searched {
        Some((0, ..)) => format!("{all}; no memories to search"),
        Some((memories, passed, more)) => {
            let passed = text::at_least(passed.max(memory_hits), more);
            format!("{all}; {passed} of {} reached the floor", text::count(memories, "memory", "memories"))
        }
        None => all,
    }
}

/// The cause of a recall without hits, and the near misses.
#[component]
fn NothingFound(answer: Playground) -> impl IntoView {
    let stopped = NearMiss::decisive(&answer.near_misses).map(|miss| miss.state);
    let cause = answer.cause.map(|cause| {
        view! {
            <h2 class="font-semibold">"No memory found: " {cause_name(cause)}</h2>
            <p>{cause_sentence(cause, &answer.degraded, stopped)}</p>
        }
    });
    view! {
        <section class="card space-y-2 border-l-4 border-l-warn px-4 py-3 text-sm" aria-label="Why nothing was found" data-testid="silent">
            {cause}
            // The candidates among them wait now.
            <NearMisses misses=answer.near_misses fates=Fates::new() restore=None />
        </section>
    }
}

/// How the vocabulary resolved the question.
#[component]
fn Words(answer: Playground, question: String) -> impl IntoView {
    let canonical = match answer.query_canonical {
        Some(term) => view! { <strong class="font-medium text-good">{term}</strong> }.into_any(),
        None => view! { <span class="text-soft">"no term; searched as written"</span> }.into_any(),
    };
    let inside = if answer.terms_inside.is_empty() {
        view! { <span class="text-soft">"none"</span> }.into_any()
    } else {
        view! {
            <ul class="space-y-0.5">
                {answer.terms_inside.into_iter().map(|term| view! { <li class="break-words text-good">{term}</li> }).collect_view()}
            </ul>
        }
        .into_any()
    };
    view! {
        <Titled id="words" title="Vocabulary">
            <dl class="card facts p-4" data-testid="words">
                {fact("Question", question)}
                {fact("Resolved to", canonical)}
                {fact("Terms inside", inside)}
                {fact("Searched for", answer.searched)}
                {fact("Vocabulary", view! { "version " {text::number(answer.vocabulary_version)} })}
            </dl>
        </Titled>
    }
}

/// The duration of each step.
#[component]
pub fn Timings(timings: Vec<(String, f64)>) -> impl IntoView {
    let longest = timings.iter().map(|(_, millis)| *millis).fold(0.0, f64::max);
    let one = |(step, millis): (String, f64)| {
        let width = format!("{:.1}", share_of(millis, longest) * 160.0);
        view! {
            <li class="grid grid-cols-[10rem_minmax(0,1fr)_5rem] items-center gap-x-3">
                <span class="truncate text-soft">{step}</span>
                <svg class="h-2 w-full" viewBox="0 0 160 8" preserveAspectRatio="none" aria-hidden="true">
                    <rect class="fill-line" width="160" height="8" />
                    <rect class="fill-chart" width=width height="8" />
                </svg>
                <span class="text-right">{text::millis(millis)}</span>
            </li>
        }
    };
    view! {
        <section aria-labelledby="timings">
            <h2 class="mb-2" id="timings">"Time"</h2>
            <div class="card p-4 text-sm">
                <ul class="space-y-1.5" data-testid="timings">{timings.into_iter().map(one).collect_view()}</ul>
                <p class="mt-3 text-xs text-soft">"The searches run in parallel. A full bar is the longest step."</p>
            </div>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::total;

    #[test]
    fn hits_of_shared_knowledge_are_no_memories() {
        assert_eq!(
            total([1, 1], Some((55, 1, false))),
            "2 hits (1 memory, 1 passage of shared knowledge); 1 of 55 memories reached the floor"
        );
        assert_eq!(total([0, 2], Some((55, 0, false))), "2 hits (2 passages of shared knowledge); 0 of 55 memories reached the floor");
        assert_eq!(total([3, 0], Some((55, 9, true))), "3 hits; at least 9 of 55 memories reached the floor");
        assert_eq!(total([0, 1], Some((0, 0, false))), "1 hit (1 passage of shared knowledge); no memories to search");
        assert_eq!(total([2, 0], None), "2 hits");
    }
}

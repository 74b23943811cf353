use crate::{
    ConsoleError,
    layout::LogPeriod,
    ui::{ErrorView, Time, text},
};
use leptos::prelude::*;
use wire::{MemoryId, MemoryRecall, MemoryRecalls};

/// The logged recalls that returned a memory, latest first, each with its rank.
#[component]
pub fn RecalledBy(
    recalls: Result<MemoryRecalls, ConsoleError>,
    id: MemoryId,
    /// The page that explains why a recall does not return it.
    why_not: String,
) -> impl IntoView {
    let total = recalls.as_ref().map_or(0, |recalls| recalls.total);
    let body = match recalls {
        Ok(recalls) if recalls.latest.is_empty() => {
            view! { <p class="px-4 py-3 text-sm text-soft">"No recall in the log returned it. " <LogPeriod /></p> }.into_any()
        }
        Ok(recalls) => view! { <Latest recalls id /> }.into_any(),
        Err(error) => view! { <ErrorView error /> }.into_any(),
    };
    view! {
        <section aria-labelledby="recalled-by">
            <div class="mb-2 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
                <h2 class="flex flex-wrap items-baseline gap-x-2" id="recalled-by">
                    "Recalled by"
                    <span class="text-sm font-normal text-soft">{(total > 0).then(|| text::count(total, "recall", "recalls"))}</span>
                </h2>
                <a class="text-sm" href=why_not>"Why was it not recalled?"</a>
            </div>
            <div class="card" data-testid="recalled-by">
                {body}
            </div>
        </section>
    }
}

#[component]
fn Latest(recalls: MemoryRecalls, id: MemoryId) -> impl IntoView {
    let more = i64::try_from(recalls.latest.len()).is_ok_and(|shown| shown < recalls.total);
    let all = format!("/recall/log?memory={id}");
    view! {
        <ol>{recalls.latest.into_iter().map(|recall| view! { <Question recall /> }).collect_view()}</ol>
        {more.then(|| view! { <p class="border-t border-line px-4 py-2 text-sm"><a href=all>{format!("All {} recalls", text::number(recalls.total))}</a></p> })}
    }
}

#[component]
fn Question(recall: MemoryRecall) -> impl IntoView {
    view! {
        <li class="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 border-b border-line px-4 py-2 text-sm last:border-b-0">
            <span class="w-8 shrink-0 font-medium" title="Its place in the answer">{format!("#{}", recall.rank)}</span>
            <a class="line-clamp-2 min-w-0 grow basis-48 wrap-anywhere" href=format!("/recall/log/{}", recall.retrieval_id)>{text::visible(&recall.query)}</a>
            <span class="text-soft">{recall.agent_slug} " · " <Time at=recall.at /></span>
        </li>
    }
}

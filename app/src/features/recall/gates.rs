use super::{
    diagnose::way,
    words::{gate_badge, gate_name},
};
use crate::{
    query::Query,
    ui::{Icon, Shape},
};
use leptos::prelude::*;
use wire::{Gate, GateOutcome, GateResult};

/// Every gate between a memory and the answer, in the order in which they are checked.
#[component]
pub fn Gates(gates: Vec<GateResult>, stopped_by: Option<Gate>, query: Query) -> impl IntoView {
    let one = |result: GateResult| {
        let first = stopped_by == Some(result.gate);
        view! { <Row result first query=query.clone() /> }
    };
    view! {
        <section class="min-w-0" aria-labelledby="gates">
            <h2 class="mb-2" id="gates">"Gates"</h2>
            <ol class="card" aria-labelledby="gates" data-testid="gates">{gates.into_iter().map(one).collect_view()}</ol>
        </section>
    }
}

#[component]
fn Row(
    result: GateResult,
    /// It is the first that stopped the memory.
    first: bool,
    query: Query,
) -> impl IntoView {
    let (shape, colour) = match result.outcome {
        GateOutcome::Passed => (Shape::Done, "text-good"),
        GateOutcome::Short => (Shape::Alert, "text-warn"),
        GateOutcome::Stopped => (Shape::Close, "text-danger"),
        GateOutcome::Open => (Shape::Next, "text-soft"),
    };
    let mend = result.mend.map(|mend| {
        let way = mend.link.map(|link| way(link, &query)).map(|(href, label)| view! { " " <a class="underline" href=href>{label}</a> });
        view! { <p class="text-soft">{mend.text} {way}</p> }
    });
    view! {
        <li class="flex gap-3 border-b border-line px-4 py-2.5 text-sm last:border-b-0" class:bg-danger-wash=first data-testid="gate">
            <span class=format!("mt-0.5 {colour}")>
                <Icon shape />
            </span>
            <div class="min-w-0">
                <p class="flex flex-wrap items-baseline gap-x-2 gap-y-1">
                    <span class="font-medium">{gate_name(result.gate)}</span>
                    {gate_badge(result.outcome)}
                </p>
                <p class="wrap-anywhere">{result.detail}</p>
                {mend}
            </div>
        </li>
    }
}

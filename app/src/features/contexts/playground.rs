use super::{
    api::try_context,
    parts::Parts,
    prompt::PromptText,
    url::{self, OPTIONS, PLAYGROUND},
    words::{order_name, tiers_name},
};
use crate::{
    features::{memories::AgentField, recall::Timings},
    layout::PageHead,
    query::Query,
    ui::{Answered, Choice, Empty, FilterForm, Filtered, Icon, SearchField, SelectField, Shape, TextField, Titled, choice},
};
use leptos::prelude::*;
use wire::{BlockOrder, ContextPreview, ContextTiers, PreviewRequest};

/// The playground page that assembles a context without logging it.
#[component]
pub fn ContextPlaygroundPage() -> impl IntoView {
    let filtered = Filtered::by(url::preview);
    let (query, answer) = (filtered.query.clone(), filtered.load(try_context));
    view! {
        <PageHead title="Playground">
            "Assemble a context as an agent and see what it costs. Playground contexts are not logged or counted."
        </PageHead>
        <Form filtered />
        <Answered answer show query />
    }
}

fn show(answer: Option<ContextPreview>, _: Query) -> AnyView {
    match answer {
        Some(answer) => view! { <Answer answer /> }.into_any(),
        None => view! { <div class="card"><NotAsked /></div> }.into_any(),
    }
}

#[component]
fn Form(filtered: Filtered<Option<PreviewRequest>>) -> impl IntoView {
    let orders: Vec<Choice> = BlockOrder::ALL.iter().map(|order| choice(order.as_str(), order_name(*order))).collect();
    let tiers: Vec<Choice> = ContextTiers::ALL.iter().rev().map(|tiers| choice(tiers.as_str(), tiers_name(*tiers))).collect();
    let vectors = vec![choice("true", "By meaning and words"), choice("false", "By words only")];
    // An absent value stands for the default.
    let or = |name: &str, usual: &str| filtered.query.get(name).unwrap_or(usual).to_owned();
    let (order, tier, search) = (or("order", "stable_first"), or("tiers", "all"), or("vectors", "true"));
    view! {
        <FilterForm action=PLAYGROUND label="Playground">
            <div class="card grid grid-cols-2 gap-3 p-3 lg:grid-cols-[12rem_8rem_minmax(0,1fr)]">
                <div class="col-span-full lg:col-span-1">
                    <AgentField value=filtered.value("agent") none="Choose an agent" labelled=true error=filtered.error("agent") />
                </div>
                <TextField name="budget" label="Budget in tokens" kind="number" hint="8000" value=filtered.value("budget") error=filtered.error("budget") />
                {filtered.text_field("user", "On behalf of a user", "Name, reference or id")}
                <div class="col-span-full flex flex-wrap gap-2">
                    <SearchField value=filtered.value("q") label="Query" hint="The question or task of the turn" />
                    <button class="button button-primary" type="submit">
                        "Assemble"
                    </button>
                </div>
                <details class="col-span-full" open=filtered.query.any(OPTIONS)>
                    <summary class="button button-quiet -ml-3">
                        <Icon shape=Shape::Filter />
                        "Options"
                    </summary>
                    <div class="mt-2 grid grid-cols-2 gap-3 lg:grid-cols-4">
                        <SelectField name="order" label="Order" value=order error=filtered.error("order") choices=orders />
                        {filtered.text_field("role", "Role of the agent", "for its skills")}
                        <SelectField name="tiers" label="Memory" value=tier error=filtered.error("tiers") choices=tiers />
                        <SelectField name="vectors" label="Search" value=search error=filtered.error("vectors") choices=vectors />
                    </div>
                </details>
            </div>
        </FilterForm>
    }
}

#[component]
fn NotAsked() -> impl IntoView {
    view! {
        <Empty shape=Shape::Context title="No context yet">
            <p>
                "Choose an agent and enter a query. You will see which blocks the agent's next prompt would have, how many tokens each takes, "
                "and where each line comes from. Blocks that the caller adds, such as its system prompt, are not included."
            </p>
        </Empty>
    }
}

#[component]
fn Answer(answer: ContextPreview) -> impl IntoView {
    let ContextPreview { context, sources, may_assemble, may_read_knowledge, timings } = answer;
    let limits = match (may_assemble, may_read_knowledge) {
        (false, _) => {
            Some("No key of this agent has permission to assemble contexts. The agent would get an error instead of this answer.")
        }
        (true, false) => Some("No key of this agent has permission to read shared knowledge. The context has no documents."),
        (true, true) => None,
    };
    view! {
        {limits.map(|limits| view! { <p class="mb-2 text-sm text-warn" data-testid="limits">{limits}</p> })}
        <div class="space-y-5">
            <Parts tokens=context.tokens budget=context.budget blocks=context.blocks.clone() cut=context.cut degraded=context.degraded />
            <Titled id="prompt" title="Text">
                <div class="card"><PromptText blocks=context.blocks whole=context.text sources /></div>
            </Titled>
            <Timings timings />
        </div>
    }
}

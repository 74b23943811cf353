use super::{
    api::read_context,
    parts::{Parts, used},
    prompt::PromptText,
    url::{COMPARE, PATH, try_again},
    words::{order_name, outcome_badges, tiers_name},
};
use crate::{
    features::people::PersonOf,
    guard::by_id,
    layout::Crumb,
    query::use_param,
    ui::{IconLink, Shape, Time, Titled, Zone, awaited, fact, fact_as, or_missing, reading, text},
};
use leptos::prelude::*;
use leptos_meta::Title;
use wire::{ContextDetail, ContextId, ContextTiers, LoggedContext, TextState};

#[component]
pub fn ContextPage() -> impl IntoView {
    let id = use_param::<ContextId>("id");
    let detail = reading(by_id(id, read_context, "No context has this id."));
    view! {
        <Crumb href=PATH text="Contexts" />
        {awaited(async move { or_missing("Context", detail.await, |detail| view! { <Whole detail /> }) })}
    }
}

#[component]
fn Whole(detail: ContextDetail) -> impl IntoView {
    let context = detail.context.clone();
    let title = match &context.query {
        Some(query) => text::visible(query),
        None => format!("Context of {}", detail.agent_slug),
    };
    let of_agent = format!("{PATH}?agent={}", context.agent_id);
    view! {
        <Title text=text::short(&title, 80) />
        <header class="mb-5">
            <h1 class="line-clamp-4 wrap-anywhere" title=title.clone()>{title.clone()}</h1>
            <div class="mt-1.5 flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-soft">
                {outcome_badges(&context.cut, &context.degraded)}
                <span>"assembled for " <a class="underline" href=of_agent>{detail.agent_slug.clone()}</a> ", " <Time at=context.at /></span>
            </div>
        </header>
        <div class="items-start gap-6 lg:grid lg:grid-cols-[minmax(0,1fr)_21rem]">
            <div class="min-w-0 space-y-6">
                <Parts
                    tokens=context.tokens
                    budget=context.budget
                    blocks=context.blocks.clone()
                    cut=context.cut.clone()
                    degraded=context.degraded.clone()
                />
                <KeptText detail />
            </div>
            <div class="mt-6 lg:mt-0"><Facts context /></div>
        </div>
    }
}

/// The text, or why there is none.
#[component]
fn KeptText(detail: ContextDetail) -> impl IntoView {
    let ContextDetail { context, sources, .. } = detail;
    let (state, blocks) = (context.text_state, context.blocks);
    let body = match (state, context.text) {
        (TextState::Kept, Some(whole)) => view! { <div class="card"><PromptText blocks whole sources /></div> }.into_any(),
        (_, Some(whole)) => view! {
            <div class="card">
                <p class="border-b border-line bg-warn-wash px-4 py-2.5 text-sm text-warn" data-testid="withheld">
                    "A memory was deleted or expired after this context was assembled. Agents no longer get the text."
                </p>
                <details>
                    <summary class="px-4 py-2.5 text-sm text-accent">"Show the text anyway"</summary>
                    <div class="border-t border-line"><PromptText blocks whole sources /></div>
                </details>
            </div>
        }
        .into_any(),
        (_, None) => view! {
            <p class="card px-4 py-3 text-sm text-soft" data-testid="gone">
                "The text is not stored. Its retention ended, or texts of this agent are not stored."
            </p>
        }
        .into_any(),
    };
    view! {
        <Titled id="prompt" title="Text">
            {body}
        </Titled>
    }
}

#[component]
fn Facts(context: LoggedContext) -> impl IntoView {
    let (at, zone) = (context.at, Zone::expect());
    let compare = context.text.is_some().then(|| format!("{COMPARE}?ids={}", context.id));
    let playground = context.query.as_ref().map(|query| try_again(&context, query));
    let measured = (context.tiers != ContextTiers::All).then(|| tiers_name(context.tiers));
    view! {
        <section class="card divide-y divide-line" aria-label="Facts">
            <dl class="facts p-4">
                {fact("Budget", used(context.tokens, context.budget))}
                {fact("Order", order_name(context.order))}
                {measured.map(|tiers| view! { <dt>"Memory"</dt><dd>{tiers}</dd> })}
                {(!context.vectors).then(|| view! { <dt>"Search"</dt><dd>"by words only"</dd> })}
                {context.user_id.map(|id| fact("On behalf of", view! { <PersonOf id /> }))}
                {context.model.map(|model| view! { <dt>"Model"</dt><dd>{text::visible(&model)}</dd> })}
            </dl>
            <dl class="facts p-4">
                {fact("Counted with", context.tokenizer)}
                {fact("Duration", text::millis(context.took_ms))}
                {fact("Assembled", zone.moment(at))}
                {fact_as("font-mono text-xs break-all", "SHA-256", context.hash)}
                {fact_as("font-mono text-xs break-all", "Id", context.id.to_string())}
            </dl>
            {compare.map(|compare| view! {
                <p class="flex flex-wrap gap-2 p-4">
                    <IconLink href=compare shape=Shape::Restore text="Compare with today" />
                    {playground.map(|href| view! { <IconLink href shape=Shape::Playground text="Open in the playground" /> })}
                </p>
            })}
        </section>
    }
}

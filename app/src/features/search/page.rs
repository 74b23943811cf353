use super::{
    api::{read_knowledge_categories, read_search_policy},
    input::SearchInput,
};
use crate::{
    Flash,
    features::memories::AgentField,
    layout::{PageHead, ViewerResource},
    query::Query,
    ui::{FilterForm, Filtered, Parsed, PostForm, TextField, awaited, or_error, parsed, reading},
};
use leptos::prelude::*;
use wire::{AgentId, OperatorRole, SearchPolicy};

/// The agent whose categories are shown.
fn agent(query: &Query) -> Parsed<Option<AgentId>> {
    parsed(|errors| query.read("agent", "Choose one of the agents.", errors))
}

/// The page of how `search_my_memories` ranks. Administrators change it, others read it.
#[component]
pub fn SearchPolicyPage() -> impl IntoView {
    let filtered = Filtered::by(agent);
    let query = filtered.query.clone();
    let policy = reading(read_search_policy());
    let categories = filtered.load(read_knowledge_categories);
    let who = ViewerResource::shared();
    view! {
        <PageHead title="Search across sources">
            "How " <code class="font-mono">"search_my_memories"</code>
            " ranks memories, reported actions, workflow steps and documents in one list. Recalls are ranked by their own formula."
        </PageHead>
        {awaited(async move {
            let (may_edit, flash) = who.allows(OperatorRole::Admin).await;
            // The fields that are wrong tell which form was refused.
            let is_weight = |name: &str| name.starts_with("weights") || name == "similarity_min";
            let (of_weights, of_agent): (Vec<_>, Vec<_>) =
                flash.into_iter().partition(|flash| flash.fields.iter().any(|field| is_weight(&field.field)));
            let agent = query.text("agent");
            let weights = or_error(policy.await, |policy| view! { <Weights policy may_edit flash=of_weights.into_iter().next() /> });
            let relevant = or_error(categories.await, |categories| match agent.is_empty() {
                true => ().into_any(),
                false => view! { <Categories agent categories may_edit flash=of_agent.into_iter().next() /> }.into_any(),
            });
            view! {
                {weights}
                <section class="mt-6 max-w-3xl" aria-labelledby="relevant">
                    <h2 class="mb-1" id="relevant">"Relevant documents"</h2>
                    <p class="mb-3 text-sm text-soft">
                        "Each agent searches the documents of its categories. Categories affect relevance, not permissions."
                    </p>
                    <FilterForm action="/recall/policy" label="Agent">
                        <div class="mb-4 flex flex-wrap items-end gap-2">
                            <div class="min-w-40 grow sm:grow-0">
                                <AgentField value=filtered.value("agent") none="Choose an agent" labelled=true error=filtered.error("agent") />
                            </div>
                            <button class="button" type="submit">"Show categories"</button>
                        </div>
                    </FilterForm>
                    {relevant}
                </section>
            }
        })}
    }
}

#[component]
fn Weights(policy: SearchPolicy, may_edit: bool, flash: Option<Flash>) -> impl IntoView {
    let shown = flash.as_ref().map_or_else(|| SearchInput::of(&policy), |flash| SearchInput::read(&Query::parse(&flash.typed)));
    let error = |field: &str| flash.as_ref().and_then(|flash| flash.field(field));
    let all = error("weights");
    let rows = [
        ("similarity", "Similarity", shown.similarity, error("weights.similarity")),
        ("recency", "Recency", shown.recency, error("weights.recency")),
        ("importance", "Importance", shown.importance, error("weights.importance")),
        ("source_priority", "Source priority", shown.source_priority, error("weights.source_priority")),
        ("similarity_min", "Minimum similarity", shown.similarity_min, error("similarity_min")),
    ];
    if !may_edit {
        let rows = rows.into_iter().map(|(_, label, value, _)| {
            let value = if value.is_empty() { "default of the model".to_owned() } else { value };
            view! { <dt>{label}</dt> <dd>{value}</dd> }
        });
        return view! {
            <dl class="facts card max-w-3xl p-4" data-testid="policy">{rows.collect_view()}</dl>
            <p class="mt-3 text-sm text-soft">"Changing the policy requires the role “admin”."</p>
        }
        .into_any();
    }
    let fields = rows.into_iter().map(|(name, label, value, error)| view! { <TextField name label value error /> });
    view! {
        <PostForm class="card max-w-3xl space-y-4 p-4" action="/console/api/set_search_policy">
            <p class="text-sm text-soft">
                "Weights are numbers from 0 to 1. A hit must reach the minimum similarity. Without one, the floor of the embedding model applies."
            </p>
            <div class="grid grid-cols-2 gap-3 sm:grid-cols-5">{fields.collect_view()}</div>
            {all.map(|text| view! { <p class="text-xs text-danger">{text}</p> })}
            <button class="button button-primary" type="submit">"Save weights"</button>
        </PostForm>
    }
    .into_any()
}

#[component]
fn Categories(agent: String, categories: Vec<String>, may_edit: bool, flash: Option<Flash>) -> impl IntoView {
    let error = flash.as_ref().and_then(|flash| flash.field("categories"));
    let shown = flash.map_or_else(|| categories.join(", "), |flash| Query::parse(&flash.typed).text("categories"));
    if !may_edit {
        let text = if shown.is_empty() { "All documents are relevant.".to_owned() } else { shown };
        return view! { <p class="card p-4 text-sm" data-testid="categories">{text}</p> }.into_any();
    }
    view! {
        <PostForm class="card space-y-3 p-4" action="/console/api/set_knowledge_categories" fields=[("agent", agent)]>
            <TextField name="categories" label="Categories" hint="adr, billing" value=shown error />
            <p class="text-sm text-soft">
                "Kinds of documents (spec, adr, architecture, glossary, document) or names of collections, separated by commas. Empty: all \
                documents are relevant."
            </p>
            <button class="button button-primary" type="submit">"Save categories"</button>
        </PostForm>
    }
    .into_any()
}

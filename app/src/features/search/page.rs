use super::{
    api::{read_knowledge_categories, read_search_policy, try_weights},
    input::{Look, SearchInput},
    tried::Tried,
};
use crate::{
    Flash,
    features::memories::AgentField,
    layout::{PageHead, ViewerResource},
    query::Query,
    ui::{FilterForm, Filtered, PostForm, SearchField, TextField, awaited, or_error, reading},
};
use leptos::prelude::*;
use wire::OperatorRole;

/// The page of how `search_my_memories` ranks. Administrators change it, others read it.
#[component]
pub fn SearchPolicyPage() -> impl IntoView {
    let filtered = Filtered::by(Look::read);
    let query = filtered.query.clone();
    let policy = reading(read_search_policy());
    let (categories, tried) = (filtered.load(read_knowledge_categories), filtered.load(try_weights));
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
            let stored = policy.await.map(|policy| SearchInput::of(&policy));
            let to_try = Some(SearchInput::read(&query)).filter(|input| *input != SearchInput::default());
            let to_try = to_try.or_else(|| stored.as_ref().ok().cloned()).unwrap_or_default();
            let input = to_try.clone();
            let weights = or_error(stored, |stored| match may_edit {
                true => view! { <Weights stored input flash=of_weights.into_iter().next() /> }.into_any(),
                false => view! { <Read stored /> }.into_any(),
            });
            // A filter that cannot be read is an error of the list below.
            let is_read = filtered.filter.is_ok();
            let compared = tried.await;
            let compared = is_read.then(|| or_error(compared, |hits| hits.map(|[now, tried]| view! { <Tried now tried /> })));
            let relevant = or_error(categories.await, |categories| match agent.is_empty() {
                true => ().into_any(),
                false => view! { <Categories agent categories may_edit flash=of_agent.into_iter().next() /> }.into_any(),
            });
            view! {
                {weights}
                <section class="mt-6 max-w-5xl" aria-labelledby="try">
                    <h2 class="mb-1" id="try">"For one agent"</h2>
                    <p class="mb-3 text-sm text-soft">
                        "Compare the hits of a question with other weights before you save them, and choose the documents that are relevant to the \
                        agent. Nothing is logged or counted."
                    </p>
                    <FilterForm action="/recall/policy" label="Agent">
                        <div class="card mb-4 grid grid-cols-2 items-end gap-3 p-4 sm:grid-cols-5">
                            <div class="col-span-2">
                                <AgentField value=filtered.value("agent") none="Choose an agent" labelled=true error=filtered.error("agent") />
                            </div>
                            <div class="col-span-full flex flex-wrap gap-2 sm:col-span-3">
                                <SearchField value=filtered.value("q") label="Question to try" hint="What the agent would search for" />
                                <button class="button" type="submit">"Show"</button>
                            </div>
                            <ToTry input=to_try filtered=filtered.fields() />
                        </div>
                    </FilterForm>
                    {compared}
                    <div class="mt-4 max-w-3xl">{relevant}</div>
                </section>
            }
        })}
    }
}

/// The weights to try, each with its error.
#[component]
fn ToTry(input: SearchInput, filtered: Filtered<()>) -> impl IntoView {
    let fields = [
        ("similarity", "Similarity to try", input.similarity, "weights.similarity"),
        ("recency", "Recency to try", input.recency, "weights.recency"),
        ("importance", "Importance to try", input.importance, "weights.importance"),
        ("source_priority", "Source priority to try", input.source_priority, "weights.source_priority"),
        ("similarity_min", "Minimum similarity to try", input.similarity_min, "similarity_min"),
    ];
    fields
        .map(|(name, label, value, field)| {
            view! { <TextField name label value id=format!("try-{name}") error=filtered.error(field) /> }
        })
        .collect_view()
}

/// The weights in force, for those who may not change them.
#[component]
fn Read(stored: SearchInput) -> impl IntoView {
    let rows = [
        ("Similarity", stored.similarity),
        ("Recency", stored.recency),
        ("Importance", stored.importance),
        ("Source priority", stored.source_priority),
        ("Minimum similarity", stored.similarity_min),
    ];
    let rows = rows.map(|(label, value)| {
        let value = if value.is_empty() { "default of the model".to_owned() } else { value };
        view! { <dt>{label}</dt> <dd>{value}</dd> }
    });
    view! {
        <dl class="facts card max-w-3xl p-4" data-testid="policy">{rows.collect_view()}</dl>
        <p class="mt-3 text-sm text-soft">"Changing the policy requires the role “admin”."</p>
    }
}

/// The form of weights; what was tried can be saved as it is.
#[component]
fn Weights(
    /// The weights in force.
    stored: SearchInput,
    /// Those that were tried, or else those in force.
    input: SearchInput,
    flash: Option<Flash>,
) -> impl IntoView {
    let shown = flash.as_ref().map_or(input, |flash| SearchInput::read(&Query::parse(&flash.typed)));
    let unsaved = (shown != stored).then(|| view! { <p class="text-sm font-medium">"These weights are not saved yet."</p> });
    let error = |field: &str| flash.as_ref().and_then(|flash| flash.field(field));
    let all = error("weights");
    let rows = [
        ("similarity", "Similarity", shown.similarity, error("weights.similarity")),
        ("recency", "Recency", shown.recency, error("weights.recency")),
        ("importance", "Importance", shown.importance, error("weights.importance")),
        ("source_priority", "Source priority", shown.source_priority, error("weights.source_priority")),
        ("similarity_min", "Minimum similarity", shown.similarity_min, error("similarity_min")),
    ];
    let fields = rows.into_iter().map(|(name, label, value, error)| {
        let optional = name == "similarity_min";
        view! { <TextField name label value required=!optional optional error /> }
    });
    view! {
        <PostForm class="card max-w-3xl space-y-4 p-4" action="/console/api/set_search_policy">
            <p class="text-sm text-soft">
                "Weights are numbers from 0 to 1. A hit must reach the minimum similarity. Without one, the floor of the embedding model applies."
            </p>
            <div class="grid grid-cols-2 gap-3 sm:grid-cols-5">{fields.collect_view()}</div>
            {all.map(|text| view! { <p class="text-xs text-danger">{text}</p> })}
            {unsaved}
            <button class="button button-primary" type="submit">"Save weights"</button>
        </PostForm>
    }
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
            <TextField name="categories" label="Categories" optional=true hint="adr, billing" value=shown error />
            <p class="text-sm text-soft">
                "Kinds of documents (spec, adr, architecture, glossary, document) or names of collections, separated by commas. Empty: all \
                documents are relevant. Categories affect relevance, not permissions."
            </p>
            <button class="button button-primary" type="submit">"Save categories"</button>
        </PostForm>
    }
    .into_any()
}

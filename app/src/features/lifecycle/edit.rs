use super::{
    api::read_lifecycle_policy,
    policy_input::{GROUPS, Group},
};
use crate::{
    Flash,
    features::memories::AgentField,
    layout::{PageHead, ViewerResource},
    query::Query,
    ui::{FilterForm, Filtered, Parsed, PostForm, TextField, awaited, or_error, parsed},
};
use leptos::prelude::*;
use wire::{AgentId, LifecyclePolicy, OperatorRole};

/// The agent whose policy is shown; none for that of the organisation.
fn agent(query: &Query) -> Parsed<Option<AgentId>> {
    parsed(|errors| query.read("agent", "Choose one of the agents.", errors))
}

/// The page of the lifecycle policy of the organisation or of an agent. Administrators change it, others read it.
#[component]
pub fn LifecyclePolicyPage() -> impl IntoView {
    let filtered = Filtered::by(agent);
    let (query, policy) = (filtered.query.clone(), filtered.load(read_lifecycle_policy));
    let who = ViewerResource::shared();
    view! {
        <PageHead title="Lifecycle policy">
            "How memories age. An agent without its own policy uses the policy of the organisation."
        </PageHead>
        <div class="mb-4">
            <FilterForm action="/lifecycle/policy" label="Policy">
                <div class="flex flex-wrap items-end gap-2">
                    <div class="min-w-40 grow sm:grow-0">
                        <AgentField value=filtered.value("agent") none="The organisation" labelled=true error=filtered.error("agent") />
                    </div>
                    <button class="button" type="submit">"Show policy"</button>
                </div>
            </FilterForm>
        </div>
        {awaited(async move {
            let (may_edit, flash) = who.allows(OperatorRole::Admin).await;
            or_error(policy.await, |policy| match may_edit {
                true => view! { <Edit policy agent=query.text("agent") flash /> }.into_any(),
                false => view! { <Read policy /> }.into_any(),
            })
        })}
    }
}

#[component]
fn Edit(policy: LifecyclePolicy, agent: String, flash: Option<Flash>) -> impl IntoView {
    let typed = flash.as_ref().map(|flash| Query::parse(&flash.typed));
    let group = move |group: &'static Group| {
        let fields = group.fields.iter().map(|field| {
            let value = typed.as_ref().map_or_else(|| field.of(&policy), |typed| typed.text(field.name));
            let error = flash.as_ref().and_then(|flash| flash.field(field.name));
            view! { <TextField name=field.name label=field.label value=value required=true error /> }
        });
        view! {
            <fieldset class="py-4">
                <legend class="float-left w-full font-medium">{group.title}</legend>
                <p class="mb-3 text-sm text-soft">{group.says}</p>
                <div class="grid grid-cols-2 items-end gap-3 sm:grid-cols-4">{fields.collect_view()}</div>
            </fieldset>
        }
    };
    view! {
        <PostForm class="card max-w-3xl divide-y divide-line px-4" action="/console/api/set_lifecycle_policy" fields=[("agent", agent)]>
            {GROUPS.iter().map(group).collect_view()}
            <div class="py-4"><button class="button button-primary" type="submit">"Save policy"</button></div>
        </PostForm>
    }
}

#[component]
fn Read(policy: LifecyclePolicy) -> impl IntoView {
    let group = |group: &'static Group| {
        let rows = group.fields.iter().map(|field| view! { <dt>{field.label}</dt> <dd>{field.of(&policy)}</dd> });
        view! {
            <section class="p-4">
                <h2 class="mb-2">{group.title}</h2>
                <dl class="facts">{rows.collect_view()}</dl>
            </section>
        }
    };
    view! {
        <div class="card max-w-3xl divide-y divide-line" data-testid="policy">{GROUPS.iter().map(group).collect_view()}</div>
        <p class="mt-3 text-sm text-soft">"Changing the policy requires the role “admin”."</p>
    }
}

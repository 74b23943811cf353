use super::{
    api::{LIST, choices},
    input::ExpectationInput,
    words::CANNOT_CHANGE,
};
use crate::{
    Flash,
    layout::{Crumb, PageHead, ViewerResource},
    query::{Query, use_query},
    ui::{AreaField, PostForm, SelectField, TextField, awaited, choice, or_error},
};
use leptos::prelude::*;
use wire::{AgentName, EXPECTATION_NOTE_MAX, EXPECTATION_SET_NAME_MAX, EXPECTED_MEMORIES_MAX, OperatorRole};

/// The page of the form. Its URL fills in the agent, the question, the user and the memory of a recall.
#[component]
pub fn NewExpectationPage() -> impl IntoView {
    let (who, query) = (ViewerResource::shared(), use_query());
    view! {
        <Crumb href=LIST text="Expectations" />
        <PageHead title="New expectation">
            "A question and the memories that should answer it. Every run of its set asks it again as this agent."
        </PageHead>
        {awaited(async move {
            let answer = who.permitted(OperatorRole::Reviewer, CANNOT_CHANGE, choices()).await;
            or_error(answer, |(viewer, (agents, sets))| view! { <Form agents sets flash=viewer.refused() query /> })
        })}
    }
}

#[component]
fn Form(
    agents: Vec<AgentName>,
    /// The names of the sets.
    sets: Vec<String>,
    /// The refused form.
    flash: Option<Flash>,
    query: Query,
) -> impl IntoView {
    let before = ExpectationInput::read(&flash.as_ref().map_or(query, |flash| Query::parse(&flash.typed)));
    let error = move |names: &[&str]| flash.as_ref().and_then(|flash| names.iter().find_map(|name| flash.field(name)));
    let named = agents.into_iter().map(|agent| (agent.id.to_string(), agent.slug));
    let agents = std::iter::once(choice("", "Choose an agent")).chain(named).collect();
    let is_first = sets.is_empty();
    let known = std::iter::once(choice("", "A new set")).chain(sets.into_iter().map(|name| (name.clone(), name))).collect();
    let (set_error, new_error) = if is_first { (None, error(&["set"])) } else { (error(&["set"]), None) };
    let known =
        (!is_first).then(|| view! { <SelectField name="set" label="Set" value=before.set choices=known error=set_error /> }.into_any());
    let memories = format!(
        "Short ids of at most {EXPECTED_MEMORIES_MAX} memories, with blanks between them. The short id is at the top of a memory’s page."
    );
    view! {
        <PostForm
            class="card max-w-3xl space-y-3 p-4"
            action="/console/api/add_expectation"
            label="New expectation"
            fields=[("from", before.from)]
        >
            <AreaField
                id="q" name="q" label="Question" rows="2" value=before.q required=true dir="auto" error=error(&["query"])
            />
            <div class="grid items-start gap-3 sm:grid-cols-2">
                <SelectField name="agent" label="Agent" required=true value=before.agent choices=agents error=error(&["agent"]) />
                <TextField
                    name="user" label="On behalf of a user" optional=true value=before.user
                    note="Name, reference or id." error=error(&["user", "user_id"])
                />
            </div>
            <AreaField
                id="memory" name="memory" label="Expected memories" rows="2" value=before.memory required=true note=memories
                error=error(&["memories"])
            />
            <div class="grid items-start gap-3 sm:grid-cols-2">
                {known}
                <TextField
                    name="new_set" label="Name of a new set" optional=!is_first required=is_first value=before.new_set
                    most=EXPECTATION_SET_NAME_MAX error=new_error
                />
            </div>
            <AreaField
                id="note" name="note" label="Note" optional=true rows="2" value=before.note most=EXPECTATION_NOTE_MAX
                error=error(&["note"])
            />
            <button class="button button-primary" type="submit">"Add expectation"</button>
            <a class="button button-quiet" href=LIST>"Cancel"</a>
        </PostForm>
    }
}

use super::{
    fields::{Modes, ProjectField, ZoneField, scopes},
    input::CaptureInput,
};
use crate::{
    Flash,
    islands::ChooseFile,
    query::Query,
    ui::{AreaField, PostForm, SelectField, TextField, choice},
};
use leptos::prelude::*;
use uuid::Uuid;
use wire::{AgentName, FILENAME_MAX};

/// The form that captures a text. With JavaScript its text stays in the field when the form is refused, however long it is.
#[component]
pub fn CaptureForm(
    agents: Vec<AgentName>,
    /// Projects by id and slug.
    projects: Vec<(Uuid, String)>,
    /// The refused form.
    flash: Option<Flash>,
    /// Presets from the address, such as the agent.
    query: Query,
) -> impl IntoView {
    let typed = flash.as_ref().map_or_else(|| query.clone(), |flash| Query::parse(&flash.typed));
    let lost = typed.get("lost").is_some();
    let before = CaptureInput::read(&typed);
    let refusal = flash.as_ref().map(|flash| flash.text.clone());
    let error = move |name: &str| {
        // The engine has names of its own for some fields.
        let other = match name {
            "text" => "content",
            "project" => "project_id",
            "user" => "user_id",
            same => same,
        };
        flash.as_ref().and_then(|flash| flash.field(name).or_else(|| flash.field(other)))
    };
    let named = agents.into_iter().map(|agent| (agent.id.to_string(), agent.slug));
    let agents = std::iter::once(choice("", "Choose an agent")).chain(named).collect();
    view! {
        <PostForm class="group card max-w-4xl space-y-4 p-4" action="/console/api/capture" keep=true>
            <div>
                <AreaField
                    id="text"
                    name="text"
                    label="Text"
                    rows="14"
                    class="input min-h-64 font-mono text-sm"
                    value=before.text
                    dir="auto"
                    hint="Vera: Let us release on Thursdays from now on.\nIdris: Agreed."
                    error=error("text")
                />
                {lost.then(|| view! {
                    <noscript>
                        <p class="mt-1 text-xs text-warn">"The text was too long to be restored here. Go back in your browser to find it."</p>
                    </noscript>
                })}
                <input type="hidden" name="filename" value=before.filename />
                <div class="mt-2"><ChooseFile /></div>
            </div>
            <Modes chosen=before.mode error=error("mode") />
            <div class="grid items-start gap-3 sm:grid-cols-2">
                <SelectField name="agent" label="Agent" required=true value=before.agent choices=agents error=error("agent") />
                <TextField
                    name="user"
                    label="On behalf of"
                    optional=true
                    hint="Name, reference or id"
                    value=before.user
                    note="The text and its memories then belong to this person."
                    error=error("user")
                />
                <TextField name="title" label="Title" optional=true value=before.title most=FILENAME_MAX />
                <SelectField name="scope" label="Scope of the memories" value=before.scope choices=scopes() error=error("scope") />
                <ProjectField projects value=before.project error=error("project") />
                <ZoneField value=before.time_zone error=error("time_zone") />
            </div>
            <div class="flex flex-wrap items-center gap-3">
                <button class="button button-primary" type="submit">"Capture text"</button>
                <p class="text-sm text-danger" role="alert">{refusal}</p>
            </div>
        </PostForm>
    }
}

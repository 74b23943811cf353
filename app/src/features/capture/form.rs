use super::{
    api::capture,
    file::{ChooseFile, Target},
    input::CaptureInput,
    modes::{Modes, scopes},
    project_field::ProjectField,
};
use crate::{
    Flash,
    query::Query,
    ui::{Now, SelectField, choice, text},
};
use leptos::{html::Form, prelude::*, task::spawn_local, web_sys};
use remembrancer::api::{AgentName, FILENAME_MAX};
use uuid::Uuid;

/// The form that captures a text. With JavaScript it is sent without leaving the page, so that an error costs no text.
#[component]
pub fn CaptureForm(
    agents: Vec<AgentName>,
    /// Projects by id and slug.
    projects: Vec<(Uuid, String)>,
    /// The refused form of a browser without JavaScript.
    flash: Option<Flash>,
    /// Presets from the address, such as the agent.
    query: Query,
) -> impl IntoView {
    let typed = flash.as_ref().map_or_else(|| query.clone(), |flash| Query::parse(&flash.typed));
    let lost = typed.get("lost").is_some();
    let before = CaptureInput::read(&typed);
    let (refused, sending) = (RwSignal::new(flash), RwSignal::new(false));
    let error = move |name: &'static str| {
        // The engine has names of its own for two fields.
        let other = match name {
            "text" => "content",
            "project" => "project_id",
            same => same,
        };
        Signal::derive(move || refused.with(|flash| flash.as_ref().and_then(|flash| flash.field(name).or_else(|| flash.field(other)))))
    };
    let (form, area, hydrated) = (NodeRef::<Form>::new(), NodeRef::new(), Now::hydrated());
    let target = Target { text: area, filename: RwSignal::new(before.filename), says: RwSignal::new(String::new()) };
    let named = agents.into_iter().map(|agent| (agent.id.to_string(), agent.slug));
    let agents = std::iter::once(choice("", "Choose an agent")).chain(named).collect();
    let submit = move |event: leptos::ev::SubmitEvent| {
        let Some(input) = form.get_untracked().and_then(|form| entered(&form)) else { return };
        event.prevent_default();
        if !sending.get_untracked() {
            sending.set(true);
            spawn_local(async move {
                match capture(input).await {
                    Ok(id) => drop(window().location().set_href(&format!("/sources/{id}"))),
                    Err(error) => {
                        refused.set(Some(Flash::refused(&error, "")));
                        sending.set(false);
                    }
                }
            });
        }
    };
    view! {
        <form class="group card max-w-4xl space-y-4 p-4" method="post" action="/console/api/capture" node_ref=form on:submit=submit>
            <div on:dragover=|event| event.prevent_default() on:drop=move |event| target.dropped(&event)>
                <label class="label" for="text">"Text"</label>
                <textarea
                    class="input min-h-64 font-mono text-sm"
                    id="text"
                    name="text"
                    rows="14"
                    dir="auto"
                    placeholder="Vera: Let us release on Thursdays from now on.\nIdris: Agreed."
                    node_ref=area
                    aria-invalid=move || error("text").get().map(|_| "true")
                    aria-describedby=move || error("text").get().map(|_| "error-text")
                >
                    {text::editable(&before.text)}
                </textarea>
                {move || error("text").get().map(|text| view! { <p class="mt-1 text-xs text-danger" id="error-text">{text}</p> })}
                {lost.then(|| view! {
                    <p class="mt-1 text-xs text-warn">"The text was too long to be restored here. Go back in your browser to find it."</p>
                })}
                <input type="hidden" name="filename" value=move || target.filename.get() />
                <div class="mt-2"><ChooseFile target hydrated /></div>
            </div>
            <Modes chosen=before.mode error=error("mode") />
            <div class="grid items-start gap-3 sm:grid-cols-2">
                <SelectField name="agent" label="Agent" value=before.agent choices=agents error=error("agent") />
                <div>
                    <label class="label" for="title">"Title (optional)"</label>
                    <input class="input" id="title" name="title" maxlength=FILENAME_MAX.to_string() autocomplete="off" value=before.title />
                </div>
                <SelectField name="scope" label="Scope of the memories" value=before.scope choices=scopes() error=error("scope") />
                <ProjectField projects value=before.project error=error("project") />
            </div>
            <div class="flex flex-wrap items-center gap-3">
                <button class="button button-primary" type="submit" disabled=move || sending.get()>
                    {move || if sending.get() { "Capturing…" } else { "Capture text" }}
                </button>
                <p class="text-sm text-danger" role="alert">
                    {move || refused.with(|flash| flash.as_ref().map(|flash| flash.text.clone()))}
                </p>
            </div>
        </form>
    }
}

/// What the form holds.
fn entered(form: &web_sys::HtmlFormElement) -> Option<CaptureInput> {
    let fields = web_sys::FormData::new_with_form(form).ok()?;
    let text = |name: &str| fields.get(name).as_string().unwrap_or_default();
    Some(CaptureInput {
        agent: text("agent"),
        mode: text("mode"),
        scope: text("scope"),
        project: text("project"),
        title: text("title"),
        filename: text("filename"),
        text: text("text"),
    })
}

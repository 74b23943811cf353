//! Fields of the form that captures a text.

use crate::ui::{Choice, SelectField, TextField, Zone, choice};
use leptos::prelude::*;
use uuid::Uuid;
use wire::CaptureMode;

fn sentence(mode: CaptureMode) -> (&'static str, &'static str) {
    match mode {
        CaptureMode::Transcript => ("Transcript", "A conversation. Each turn begins with its speaker: “Vera: …”."),
        CaptureMode::Note => ("Note", "Notes, with or without headings."),
        CaptureMode::Summary => ("Summary", "A summary that an agent wrote, for example at the end of a session."),
    }
}

/// The radio buttons for how the text is read.
#[component]
pub fn Modes(chosen: String, error: Option<String>) -> impl IntoView {
    let chosen = chosen.parse().unwrap_or(CaptureMode::Transcript);
    let option = move |mode: &CaptureMode| {
        let (name, says) = sentence(*mode);
        view! {
            <label class="flex cursor-pointer items-start gap-2.5 rounded-md border border-line px-3 py-2 hover:bg-sunken has-checked:border-accent \
            has-checked:bg-accent-wash">
                <input class="mt-1 shrink-0 accent-accent" type="radio" name="mode" value=mode.as_str() checked=*mode == chosen />
                <span class="min-w-0">
                    <span class="block font-medium">{name}</span>
                    <span class="block text-sm text-soft">{says}</span>
                </span>
            </label>
        }
    };
    view! {
        <fieldset>
            <legend class="label">"Kind"</legend>
            <div class="grid gap-2 lg:grid-cols-3">{CaptureMode::ALL.iter().map(option).collect_view()}</div>
            {error.map(|text| view! { <p class="mt-1 text-xs text-danger">{text}</p> })}
        </fieldset>
    }
}

/// The scopes that a captured text may have, each with what it means.
pub fn scopes() -> Vec<Choice> {
    vec![
        choice("agent", "Agent: only this agent recalls it"),
        choice("project", "Project: agents that work on one project recall it"),
        choice("global", "Global: every agent recalls it"),
    ]
}

/// The select field for a project, which shows while the form's field `scope` is `project`, with or without JavaScript. The form has the
/// class `group`.
#[component]
pub fn ProjectField(
    /// Projects by id and slug.
    projects: Vec<(Uuid, String)>,
    #[prop(into)] value: String,
    #[prop(optional_no_strip)] error: Option<String>,
) -> impl IntoView {
    let none = if projects.is_empty() { "No project exists yet" } else { "Choose a project" };
    let named = projects.into_iter().map(|(id, slug)| (id.to_string(), slug));
    let choices = std::iter::once(choice("", none)).chain(named).collect();
    view! {
        <div class="hidden group-has-[option[value=project]:checked]:block">
            <SelectField name="project" label="Project" value choices error />
        </div>
    }
}

/// The field for the time zone of times that have none, with that of the reader as its default.
#[component]
pub fn ZoneField(value: String, #[prop(optional_no_strip)] error: Option<String>) -> impl IntoView {
    let value = if value.is_empty() { Zone::expect().name().to_owned() } else { value };
    view! {
        <div>
            <TextField
                name="time_zone"
                label="Time zone"
                value
                list="list-time_zone"
                required=true
                note="For times without a zone, as in WhatsApp chats."
                error
            />
            <datalist id="list-time_zone">{Zone::names().map(|name| view! { <option value=name></option> }).collect_view()}</datalist>
        </div>
    }
}

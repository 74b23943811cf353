use crate::ui::{Choice, choice};
use leptos::prelude::*;
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
                <input class="mt-1 accent-accent" type="radio" name="mode" value=mode.as_str() checked=*mode == chosen />
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

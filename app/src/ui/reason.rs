use crate::ui::text;
use leptos::prelude::*;
use wire::REASON_MAX;

/// The field for the reason of a change; required, and kept in the audit log.
#[component]
pub fn ReasonField(
    #[prop(into)] id: String,
    /// The text that was typed before the form was refused.
    #[prop(into)]
    typed: String,
    error: Option<String>,
    hint: &'static str,
) -> impl IntoView {
    let (hint_id, error_id) = (format!("{id}-hint"), format!("{id}-error"));
    let described = if error.is_some() { format!("{error_id} {hint_id}") } else { hint_id.clone() };
    view! {
        <label class="label" for=id.clone()>
            "Reason"
        </label>
        <textarea
            class="input"
            id=id
            name="reason"
            rows="2"
            required
            maxlength=REASON_MAX.to_string()
            aria-invalid=error.as_ref().map(|_| "true")
            aria-describedby=described
        >
            {text::editable(&typed)}
        </textarea>
        {error.map(|error| view! { <p class="mt-1 text-xs text-danger" id=error_id>{error}</p> })}
        <p class="mt-1 text-xs text-soft" id=hint_id>
            {hint}
        </p>
    }
}

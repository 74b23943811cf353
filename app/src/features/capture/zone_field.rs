use crate::ui::Zone;
use leptos::prelude::*;

/// The field for the time zone of times that have none, with that of the reader as its default.
#[component]
pub fn ZoneField(value: String, #[prop(optional_no_strip)] error: Option<String>) -> impl IntoView {
    let value = if value.is_empty() { Zone::expect().name().to_owned() } else { value };
    let described = if error.is_some() { "error-time_zone hint-time_zone" } else { "hint-time_zone" };
    view! {
        <div>
            <label class="label" for="field-time_zone">"Time zone"</label>
            <input
                class="input"
                id="field-time_zone"
                name="time_zone"
                list="list-time_zone"
                autocomplete="off"
                required
                value=value
                aria-invalid=error.as_ref().map(|_| "true")
                aria-describedby=described
            />
            <datalist id="list-time_zone">{Zone::names().map(|name| view! { <option value=name></option> }).collect_view()}</datalist>
            {error.map(|text| view! { <p class="mt-1 text-xs text-danger" id="error-time_zone">{text}</p> })}
            <p class="mt-1 text-xs text-soft" id="hint-time_zone">"For times without a zone, as in WhatsApp chats."</p>
        </div>
    }
}

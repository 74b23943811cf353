use crate::ui::{TextField, Zone};
use leptos::prelude::*;

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

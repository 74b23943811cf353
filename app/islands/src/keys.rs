use super::help::Help;
use leptos::{ev, prelude::*, wasm_bindgen::JsCast, web_sys};
use std::collections::VecDeque;

/// Keyboard shortcuts of the console: a key clicks the element that has it in `data-keys`, or focuses it if it is a field or a button,
/// so that a letter alone sends nothing. In a field, Escape leaves the field. Every key is declared on its element, and a key without
/// an element on the page does nothing. `?` lists them.
#[island]
pub fn Keys() -> impl IntoView {
    let (help, waiting) = (RwSignal::new(false), StoredValue::new(VecDeque::<String>::new()));
    Effect::new(move |_| {
        // Both listen as long as the document is there.
        let _ = window_event_listener(ev::keydown, move |event| {
            let meant_otherwise = event.ctrl_key() || event.meta_key() || event.alt_key() || event.default_prevented();
            if meant_otherwise {
                return;
            }
            if let Some(field) = field(&event) {
                if event.key() == "Escape" {
                    drop(field.blur());
                }
                return;
            }
            // A dialog has the keyboard to itself.
            if document().query_selector("dialog[open]").is_ok_and(|dialog| dialog.is_some()) {
                return;
            }
            if event.key() == "?" {
                event.prevent_default();
                return help.set(true);
            }
            // Enter belongs to the link or button that has the focus.
            if event.key() == "Enter" && focused().is_some() {
                return;
            }
            let Some(element) = owner(&event.key()) else { return };
            event.prevent_default();
            // The key is meant for the page to come, so that two quick presses are two steps.
            if is_busy() { waiting.update_value(|keys| keys.push_back(event.key())) } else { press(&element) }
        });
        let _ = window_event_listener_untyped("rmb:shown", move |_| {
            while !is_busy()
                && let Some(key) = waiting.try_update_value(VecDeque::pop_front).flatten()
            {
                owner(&key).iter().for_each(press);
            }
        });
    });
    view! { <Help open=help /> }
}

/// Clicks a link, and focuses a field or a button.
fn press(element: &web_sys::HtmlElement) {
    match element.tag_name().as_str() {
        "INPUT" | "TEXTAREA" | "SELECT" | "BUTTON" => drop(element.focus()),
        _ => element.click(),
    }
}

/// Whether the next page is on its way.
fn is_busy() -> bool {
    document().query_selector("main[aria-busy=true]").is_ok_and(|main| main.is_some())
}

fn owner(key: &str) -> Option<web_sys::HtmlElement> {
    // Only letters, digits and names of keys go into the selector.
    let plain = key == "/" || key.chars().all(|c| c.is_ascii_alphanumeric());
    let element = plain.then(|| document().query_selector(&format!("[data-keys~=\"{key}\"]")).ok().flatten())??;
    element.dyn_into().ok()
}

/// The field that receives the key, if any.
fn field(event: &ev::KeyboardEvent) -> Option<web_sys::HtmlElement> {
    let element = event.target()?.dyn_into::<web_sys::HtmlElement>().ok()?;
    let writes = matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT")
        && element.get_attribute("type").as_deref() != Some("checkbox");
    writes.then_some(element)
}

/// The element that has the focus, other than the page itself or a row of a list.
fn focused() -> Option<web_sys::Element> {
    document().active_element().filter(|element| !matches!(element.tag_name().as_str(), "BODY" | "MAIN" | "TR" | "LI"))
}

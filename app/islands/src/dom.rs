//! Finds and listens to elements that the server rendered around an island.

use leptos::{
    prelude::*,
    wasm_bindgen::{JsCast, closure::Closure, convert::FromWasmAbi},
    web_sys,
};

/// The elements inside `root` that a selector finds.
pub fn all<T: JsCast>(root: &web_sys::Element, selector: &str) -> Vec<T> {
    let Ok(nodes) = root.query_selector_all(selector) else { return Vec::new() };
    (0..nodes.length()).filter_map(|i| nodes.item(i)?.dyn_into().ok()).collect()
}

/// The elements of the page that a selector finds.
pub fn everywhere<T: JsCast>(selector: &str) -> Vec<T> {
    document().document_element().map(|root| all(&root, selector)).unwrap_or_default()
}

/// The form around an element.
pub fn form(element: &web_sys::Element) -> Option<web_sys::HtmlFormElement> {
    element.closest("form").ok()??.dyn_into().ok()
}

/// Calls `handle` for each event at `target`, as long as the element is there.
pub fn listen<E: FromWasmAbi + 'static>(target: &web_sys::EventTarget, event: &str, handle: impl Fn(E) + 'static) {
    let handle = Closure::<dyn Fn(E)>::new(handle);
    // Fails for no event of ours. The browser drops the listener with the element.
    let _ = target.add_event_listener_with_callback(event, handle.as_ref().unchecked_ref());
    handle.forget();
}

use leptos::{prelude::*, wasm_bindgen::JsCast, web_sys};

/// Focuses the row that the address names, so that the keyboard goes on where a form led back to.
#[component]
pub fn Landing() -> impl IntoView {
    Effect::new(|_| {
        let hash = window().location().hash().unwrap_or_default();
        let named = hash.strip_prefix('#').filter(|id| !id.is_empty()).and_then(|id| document().get_element_by_id(id));
        // Rows that can be landed on have a tab index; a link of this page to one of its parts moves the focus by itself.
        let row = named.filter(|row| row.has_attribute("tabindex")).and_then(|row| row.dyn_into::<web_sys::HtmlElement>().ok());
        if let Some(row) = row {
            let _ = row.focus();
        }
    });
}

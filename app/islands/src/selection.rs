use super::dom;
use crate::text;
use leptos::{ev, html, prelude::*, wasm_bindgen::JsCast, web_sys};

/// A checkbox that ticks every `ids` box of its form.
#[island]
pub fn SelectAll() -> impl IntoView {
    let all = move |event: ev::Event| {
        let Some(this) = event.target().and_then(|target| target.dyn_into::<web_sys::HtmlInputElement>().ok()) else { return };
        // The event bubbles up to the form, where the ticked boxes are counted.
        boxes(&this, "").iter().for_each(|each| each.set_checked(this.checked()));
    };
    view! { <input class="scripted block" type="checkbox" aria-label="Select all on this page" on:change=all /> }
}

/// How many `ids` boxes of its form are ticked. While there are none, the buttons of its footer are disabled; otherwise each says the number
/// in place of its word in `data-selected`.
#[island]
pub fn Selected(
    /// The noun for one row, and for several.
    one: String,
    many: String,
    /// The text while nothing is selected.
    hint: String,
) -> impl IntoView {
    let (place, ticked) = (NodeRef::<html::Span>::new(), RwSignal::new(0_usize));
    Effect::new(move |_| {
        let Some(place) = place.get() else { return };
        let Some(form) = dom::form(&place) else { return };
        let footer = place.closest(".selection").ok().flatten();
        let count = move || {
            let number = boxes(&place, ":checked").len();
            if let Some(footer) = &footer {
                ready(footer, number);
            }
            ticked.set(number);
        };
        // A page that is shown again may have kept its ticks.
        count();
        dom::listen(&form, "change", move |_: web_sys::Event| count());
    });
    let says = move || match ticked.get() {
        0 => hint.clone(),
        n => format!("{} selected", text::count(i64::try_from(n).unwrap_or(i64::MAX), &one, &many)),
    };
    view! { <span class="text-soft" aria-live="polite" node_ref=place>{says}</span> }
}

/// Lets the buttons of a footer act on some rows, or on none.
fn ready(footer: &web_sys::Element, number: usize) {
    for button in dom::all::<web_sys::Element>(footer, "button") {
        // Fails for no attribute of ours.
        let _ = button.toggle_attribute_with_force("disabled", number == 0);
    }
    for word in dom::all::<web_sys::Element>(footer, "[data-selected]") {
        let none = word.get_attribute("data-selected").filter(|_| number == 0);
        word.set_text_content(Some(&none.unwrap_or_else(|| number.to_string())));
    }
}

/// The `ids` boxes of the form around an element.
fn boxes(inside: &web_sys::Element, which: &str) -> Vec<web_sys::HtmlInputElement> {
    dom::form(inside).map(|form| dom::all(&form, &format!("input[name^=ids]{which}"))).unwrap_or_default()
}

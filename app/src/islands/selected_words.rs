use super::dom;
use leptos::{ev, html, prelude::*, wasm_bindgen::JsCast, web_sys};

/// Words of a turn that are selected.
#[derive(Clone, PartialEq)]
struct Selected {
    turn: String,
    words: String,
    /// The lower edge of the words in the window.
    bottom: f64,
}

/// A button below the words of a turn that are selected. It opens the form for a candidate (`#add-candidate`) at that turn, with the words.
#[island]
pub fn SelectedWords() -> impl IntoView {
    let (place, selected) = (NodeRef::<html::Div>::new(), RwSignal::new(None::<Selected>));
    Effect::new(move |_| {
        let Some(place) = place.get() else { return };
        // The document outlives this page: what listens for a page that was left does nothing.
        dom::listen(&document(), "selectionchange", move |_: web_sys::Event| {
            if place.is_connected() {
                selected.set(selection());
            }
        });
    });
    Effect::new(move |_| {
        let (Some(place), Some(Selected { bottom, .. })) = (place.get(), selected.get()) else { return };
        if let Ok(Some(card)) = place.closest(".card") {
            let top = bottom - card.get_bounding_client_rect().top();
            let _ = web_sys::HtmlElement::style(&place).set_property("top", &format!("{top}px"));
        }
    });
    let add = move |_: ev::MouseEvent| selected.get_untracked().iter().for_each(open);
    // Pressing a button would take the selection away, and the button with it.
    let keep = |event: ev::MouseEvent| event.prevent_default();
    view! {
        <div class="absolute right-3 z-10 mt-1" hidden=move || selected.with(Option::is_none) node_ref=place>
            <button class="button button-primary shadow-lg" type="button" data-testid="add-selected" on:mousedown=keep on:click=add>
                "Add candidate"
            </button>
        </div>
    }
}

/// What is selected, if it is inside one turn that takes candidates.
fn selection() -> Option<Selected> {
    let selection = window().get_selection().ok()??;
    let turn = turn_of(selection.anchor_node()?).or_else(|| turn_of(selection.focus_node()?))?;
    let words = String::from(selection.to_string()).trim().to_owned();
    // A triple click selects as far as the beginning of the next turn.
    let is_inside = !words.is_empty() && turn.text_content()?.contains(&words);
    let bottom = selection.get_range_at(0).ok()?.get_bounding_client_rect().bottom();
    is_inside.then_some(Selected { turn: turn.get_attribute("data-turn")?, words, bottom })
}

/// The text of the turn that a node is in.
fn turn_of(node: web_sys::Node) -> Option<web_sys::Element> {
    let element = node.dyn_into::<web_sys::Element>().map_or_else(|node| node.parent_element(), Some);
    element?.closest("[data-turn]").ok()?
}

/// Opens the form at a turn, with the words.
fn open(selected: &Selected) {
    let find = |selector: &str| dom::everywhere::<web_sys::HtmlElement>(selector).into_iter().next();
    let turn = find(&format!("[data-turn=\"{}\"]", selected.turn)).and_then(|text| text.parent_element());
    let (Some(form), Some(turn)) = (find("#add-candidate"), turn) else { return };
    let _ = turn.append_child(&form);
    form.set_hidden(false);
    // Until the form is sent or cancelled, the page is not refreshed.
    let _ = form.set_attribute("data-opened", "");
    dom::all::<web_sys::HtmlInputElement>(&form, "[name=turn]").iter().for_each(|field| field.set_value(&selected.turn));
    for field in dom::all::<web_sys::HtmlTextAreaElement>(&form, "[name=words]") {
        field.set_value(&selected.words);
        let _ = field.focus();
    }
}

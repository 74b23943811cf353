use super::dom;
use crate::icon::{CLOSE, Icon};
use leptos::{html, prelude::*, wasm_bindgen::JsCast, web_sys};

/// What a key does, and the key.
type Shortcut = (String, String);

/// The dialog that lists the keys of the page; `?` opens it. It reads them from the elements that declare them.
#[component]
pub fn Help(open: RwSignal<bool>) -> impl IntoView {
    let (dialog, shortcuts) = (NodeRef::<html::Dialog>::new(), RwSignal::new(Vec::<Shortcut>::new()));
    Effect::new(move |_| {
        if let Some(dialog) = dialog.get().filter(|_| open.get()) {
            shortcuts.set(declared());
            let _ = dialog.show_modal();
        }
    });
    let row = |(label, keys): Shortcut| {
        view! {
            <dt class="min-w-0 break-words">{label}</dt>
            <dd><kbd class="kbd">{keys}</kbd></dd>
        }
    };
    view! {
        <dialog class="dialog max-w-md" node_ref=dialog aria-labelledby="keys-title" data-testid="keys" on:close=move |_| open.set(false)>
            <form class="flex items-center justify-between border-b border-line px-4 py-2" method="dialog">
                <h2 id="keys-title">"Keys of this page"</h2>
                <button class="button button-quiet px-2!" aria-label="Close"><Icon shape=CLOSE /></button>
            </form>
            <dl class="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-2 px-4 py-3 text-sm">
                {move || shortcuts.get().into_iter().map(row).collect_view()}
            </dl>
        </dialog>
    }
}

/// The keys that the visible elements of the page declare, and those of every page.
fn declared() -> Vec<Shortcut> {
    let mut all: Vec<Shortcut> = Vec::new();
    let elements = dom::everywhere::<web_sys::HtmlElement>("[data-keys]");
    for element in elements.into_iter().filter(|element| element.get_client_rects().length() > 0) {
        let names = [(" ", " or "), ("+", " "), ("Escape", "Esc"), ("ArrowDown", "↓"), ("ArrowUp", "↑")];
        let keys = element.get_attribute("data-keys").unwrap_or_default();
        let shortcut = (label(&element), names.iter().fold(keys, |keys, (name, shown)| keys.replace(name, shown)));
        if !all.contains(&shortcut) {
            all.push(shortcut);
        }
    }
    all.extend([("Leave a field".to_owned(), "Esc".to_owned()), ("Show these keys".to_owned(), "?".to_owned())]);
    all
}

/// What an element is called: by its label, its title, or its text without the hint of a key.
fn label(element: &web_sys::HtmlElement) -> String {
    let attribute = |name: &str| element.get_attribute(name).filter(|text| !text.is_empty());
    let labelled = || text(&document().query_selector(&format!("label[for=\"{}\"]", element.id())).ok()??);
    let named = attribute("data-keys-label").or_else(|| attribute("aria-label")).or_else(|| attribute("title"));
    named.or_else(|| labelled().filter(|_| !element.id().is_empty())).or_else(|| text(element)).unwrap_or_default()
}

/// The text of an element without the hint of a key.
fn text(element: &web_sys::Element) -> Option<String> {
    let copy = element.clone_node_with_deep(true).ok()?.dyn_into::<web_sys::Element>().ok()?;
    while let Ok(Some(hint)) = copy.query_selector(".kbd") {
        hint.remove();
    }
    let text = copy.text_content()?.trim().to_owned();
    Some(text).filter(|text| !text.is_empty())
}

use super::api::{PLACES, Target, read, with_q};
use crate::{TOPIC_MAX, text};
use leptos::{ev, html, prelude::*, task::spawn_local, wasm_bindgen::JsCast, web_sys};
use std::time::Duration;

/// How long typing rests before the server is asked.
const REST: Duration = Duration::from_millis(120);

/// What the menu shows: the targets for the text of its field, and which one Enter opens.
#[derive(Clone, Copy)]
struct Choices {
    /// The text of the field.
    text: RwSignal<String>,
    targets: RwSignal<Vec<Target>>,
    at: RwSignal<usize>,
    error: RwSignal<Option<String>>,
    /// Counts the texts, so that a late answer to an earlier one is dropped.
    turn: RwSignal<u32>,
    /// The text whose answer is shown.
    shown: RwSignal<u32>,
    /// Enter was pressed: the first answer to the text is opened as soon as it is there.
    entered: RwSignal<bool>,
}

impl Choices {
    fn new() -> Self {
        Self {
            text: RwSignal::default(),
            targets: RwSignal::default(),
            at: RwSignal::new(0),
            error: RwSignal::default(),
            turn: RwSignal::new(0),
            shown: RwSignal::new(0),
            entered: RwSignal::new(false),
        }
    }

    /// Asks the server for the targets of a text, after a rest.
    fn find(self, text: String, rest: Duration) {
        let turn = self.turn.get_untracked().wrapping_add(1);
        self.turn.set(turn);
        self.entered.set(false);
        self.text.set(text.clone());
        let ask = move || {
            if self.turn.get_untracked() != turn {
                return;
            }
            spawn_local(async move {
                let answer = read(PLACES, &text).await;
                if self.turn.get_untracked() == turn {
                    self.show(turn, answer);
                }
            });
        };
        set_timeout(ask, rest);
    }

    fn show(self, turn: u32, answer: Result<Vec<Target>, String>) {
        self.at.set(0);
        self.error.set(answer.as_ref().err().map(|error| text::sentence(error)));
        self.targets.set(answer.unwrap_or_default());
        self.shown.set(turn);
    }

    /// Whether the targets are those of the text.
    fn is_answered(self) -> bool {
        let shown = self.shown.get();
        shown > 0 && shown == self.turn.get()
    }

    /// Moves by one, around the ends.
    fn step(self, down: bool) {
        let count = self.targets.with_untracked(Vec::len);
        if count > 0 {
            self.at.update(|at| *at = (*at + if down { 1 } else { count - 1 }) % count);
            reveal(&option_id(self.at.get_untracked()));
        }
    }

    /// The URL that Enter opens.
    fn chosen(self) -> Option<String> {
        self.targets.with_untracked(|targets| targets.get(self.at.get_untracked()).map(|target| target.href.clone()))
    }
}

/// Whether somebody clicked a link to the search page. The menu opens in its place.
fn is_search_link(event: &ev::MouseEvent) -> bool {
    let element = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    element.is_some_and(|element| element.closest("a[data-go-to]").is_ok_and(|link| link.is_some()))
}

fn option_id(place: usize) -> String {
    format!("place-{place}")
}

/// The menu that `Ctrl K` opens: a field, and everything that has the entered name.
#[island]
pub fn GoTo() -> impl IntoView {
    let (open, choices) = (RwSignal::new(false), Choices::new());
    let (dialog, field, link) = (NodeRef::<html::Dialog>::new(), NodeRef::<html::Input>::new(), NodeRef::<html::A>::new());
    let close = move || dialog.get_untracked().into_iter().for_each(|dialog| dialog.close());
    let go = Callback::new(move |href: String| {
        close();
        // Clicked, so that it opens as every link of the page does.
        if let Some(link) = link.get_untracked() {
            link.set_href(&href);
            link.click();
        }
    });
    Effect::new(move |_| {
        // Both listen as long as the document is there.
        let _ = window_event_listener(ev::keydown, move |event| {
            if (event.ctrl_key() || event.meta_key()) && !event.shift_key() && event.key().eq_ignore_ascii_case("k") {
                event.prevent_default();
                open.set(true);
            }
        });
        let _ = window_event_listener(ev::click, move |event| {
            // With a modifier the reader wants the page in another tab.
            let plain = !(event.ctrl_key() || event.meta_key() || event.shift_key());
            if plain && is_search_link(&event) {
                event.prevent_default();
                open.set(true);
            }
        });
    });
    Effect::new(move |_| {
        if let (true, Some(dialog), Some(field)) = (open.get(), dialog.get(), field.get()) {
            // It throws where it is open already.
            let _ = dialog.show_modal();
            field.select();
            choices.find(field.value(), Duration::ZERO);
        }
    });
    Effect::new(move |_| {
        if choices.entered.get() && choices.is_answered() {
            choices.entered.set(false);
            choices.chosen().into_iter().for_each(|href| go.run(href));
        }
    });
    let key = move |event: ev::KeyboardEvent| match event.key().as_str() {
        "ArrowDown" | "ArrowUp" => {
            event.prevent_default();
            choices.step(event.key() == "ArrowDown");
        }
        "Enter" => {
            event.prevent_default();
            choices.entered.set(true);
        }
        _ => {}
    };
    view! {
        <dialog
            class="dialog w-[calc(100%-1.5rem)] max-w-xl"
            node_ref=dialog
            aria-label="Go to anything by its name"
            data-testid="go-to"
            on:close=move |_| open.set(false)
        >
            <input
                class="input h-11! rounded-b-none! border-x-0! border-t-0! px-4! outline-none!"
                node_ref=field
                type="text"
                role="combobox"
                aria-label="Name, topic or short id"
                aria-autocomplete="list"
                aria-expanded="true"
                aria-controls="places"
                aria-activedescendant=move || choices.targets.with(|targets| (!targets.is_empty()).then(|| option_id(choices.at.get())))
                placeholder="Page, agent, memory, term, document or person…"
                autocomplete="off"
                spellcheck="false"
                maxlength=TOPIC_MAX.to_string()
                on:input=move |event| choices.find(event_target_value(&event), REST)
                on:keydown=key
            />
            <Options choices go />
            <a class="hidden" node_ref=link href="/search" tabindex="-1" aria-hidden="true"></a>
            <p class="hidden flex-wrap gap-x-4 border-t border-line px-4 py-2 text-xs text-soft md:flex" aria-hidden="true">
                <span><kbd class="kbd">"↑"</kbd> " " <kbd class="kbd">"↓"</kbd> " choose"</span>
                <span><kbd class="kbd">"Enter"</kbd> " open"</span>
                <span><kbd class="kbd">"Esc"</kbd> " close"</span>
                <span class="ml-auto"><kbd class="kbd">"?"</kbd> " shows the keys of a page"</span>
            </p>
        </dialog>
    }
}

/// The list of targets, of which the chosen one is marked.
#[component]
fn Options(choices: Choices, go: Callback<String>) -> impl IntoView {
    let option = move |(place, target): (usize, Target)| {
        let href = target.href;
        view! {
            <li
                class="flex cursor-pointer items-baseline gap-x-3 rounded-md px-3 py-1.5 aria-selected:bg-accent-wash"
                id=option_id(place)
                role="option"
                aria-selected=move || (choices.at.get() == place).to_string()
                on:mousemove=move |_| choices.at.set(place)
                on:click=move |_| go.run(href.clone())
            >
                <span class="min-w-0 truncate font-medium">{target.label}</span>
                <span class="min-w-0 truncate text-sm text-soft">{target.detail}</span>
                <span class="ml-auto shrink-0 text-xs text-soft">{target.kind}</span>
            </li>
        }
    };
    let says = move || match choices.error.get() {
        Some(error) => error,
        None if choices.is_answered() && choices.targets.with(Vec::is_empty) => "No results.".to_owned(),
        None => String::new(),
    };
    // The page of memories searches by meaning, too.
    let in_memories = move || {
        let none = choices.is_answered() && choices.error.with(Option::is_none) && choices.targets.with(Vec::is_empty);
        none.then(|| {
            let href = with_q("/memories", &choices.text.get());
            let target = href.clone();
            let click = move |event: ev::MouseEvent| {
                event.prevent_default();
                go.run(target.clone());
            };
            view! { <a class="button mx-4 mb-3" href=href on:click=click>"Search memories"</a> }
        })
    };
    view! {
        <ul class="max-h-[50dvh] overflow-y-auto p-1.5 empty:hidden" id="places" role="listbox" aria-label="Results">
            {move || choices.targets.get().into_iter().enumerate().map(option).collect_view()}
        </ul>
        <p class="px-4 py-3 text-sm text-soft empty:hidden" role="status">{says}</p>
        {in_memories}
    }
}

/// Scrolls the option with this id into view, unless it is visible.
fn reveal(id: &str) {
    if let Some(option) = document().get_element_by_id(id) {
        let nearest = web_sys::ScrollIntoViewOptions::new();
        nearest.set_block(web_sys::ScrollLogicalPosition::Nearest);
        option.scroll_into_view_with_scroll_into_view_options(&nearest);
    }
}

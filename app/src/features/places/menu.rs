use super::api::{Target, find_places};
use crate::{
    query::Query,
    ui::{Icon, Shape, reveal, text},
};
use leptos::{ev, html, prelude::*, task::spawn_local};
use leptos_router::{NavigateOptions, hooks::use_navigate};
use remembrancer::api::TOPIC_MAX;
use std::time::Duration;

/// How long typing rests before the server is asked.
const REST: Duration = Duration::from_millis(120);

/// Whether the menu is open.
#[derive(Clone, Copy)]
pub struct MenuOpen(RwSignal<bool>);

impl MenuOpen {
    /// Provides it to the links and to the menu below.
    pub fn provide() {
        provide_context(Self(RwSignal::new(false)));
    }

    fn expect() -> RwSignal<bool> {
        expect_context::<Self>().0
    }
}

/// The link to the search page; with JavaScript it opens the menu instead.
#[component]
pub fn SearchLink(#[prop(optional)] narrow: bool) -> impl IntoView {
    let open = MenuOpen::expect();
    let class =
        if narrow { "button button-quiet ml-auto px-2!" } else { "button w-full shrink-0 justify-start! px-2! font-normal! text-soft!" };
    let click = move |event: ev::MouseEvent| {
        // With a modifier the reader wants the page in another tab.
        if !(event.ctrl_key() || event.meta_key() || event.shift_key()) {
            event.prevent_default();
            open.set(true);
        }
    };
    view! {
        <a
            class=class
            href="/search"
            aria-keyshortcuts="Control+K Meta+K"
            data-keys="Ctrl+K"
            data-keys-label="Go to anything by its name"
            on:click=click
        >
            <Icon shape=Shape::Search />
            "Search"
            {(!narrow).then(|| view! { <kbd class="kbd ml-auto" aria-hidden="true">"Ctrl K"</kbd> })}
        </a>
    }
}

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
                let answer = find_places(text).await;
                if self.turn.get_untracked() == turn {
                    self.show(turn, answer);
                }
            });
        };
        set_timeout(ask, rest);
    }

    fn show(self, turn: u32, answer: Result<Vec<Target>, crate::ConsoleError>) {
        self.at.set(0);
        self.error.set(answer.as_ref().err().map(|error| text::sentence(&error.message)));
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

fn option_id(place: usize) -> String {
    format!("place-{place}")
}

/// The menu that `Ctrl K` opens: a field, and everything that has the entered name.
#[component]
pub fn Menu() -> impl IntoView {
    let (open, choices) = (MenuOpen::expect(), Choices::new());
    let (dialog, field) = (NodeRef::<html::Dialog>::new(), NodeRef::<html::Input>::new());
    let navigate = use_navigate();
    let close = move || dialog.get_untracked().into_iter().for_each(|dialog| dialog.close());
    let go = Callback::new(move |href: String| {
        close();
        navigate(&href, NavigateOptions::default());
    });
    Effect::new(move |_| {
        let handle = window_event_listener(ev::keydown, move |event| {
            if (event.ctrl_key() || event.meta_key()) && !event.shift_key() && event.key().eq_ignore_ascii_case("k") {
                event.prevent_default();
                open.set(true);
            }
        });
        on_cleanup(move || handle.remove());
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
                <span class="min-w-0 truncate font-medium">{text::visible(&target.label)}</span>
                <span class="min-w-0 truncate text-sm text-soft">{text::visible(&target.detail)}</span>
                <span class="ml-auto shrink-0 text-xs text-soft">{target.kind}</span>
            </li>
        }
    };
    let says = move || match choices.error.get() {
        Some(error) => error,
        None if choices.is_answered() && choices.targets.with(Vec::is_empty) => "No results.".to_owned(),
        None => String::new(),
    };
    // Names only are compared here; the page of memories searches contents.
    let in_memories = move || {
        let none = choices.is_answered() && choices.error.with(Option::is_none) && choices.targets.with(Vec::is_empty);
        none.then(|| {
            let href = Query::default().with("q", choices.text.get()).href("/memories");
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

//! Reads a text file into a text area, in the browser.

use crate::ui::{Icon, Shape, text};
use leptos::{
    ev,
    html::{Input, Textarea},
    prelude::*,
    task::spawn_local,
    wasm_bindgen::JsCast,
    web_sys::{self, js_sys::futures::JsFuture},
};
use remembrancer::api::SOURCE_MAX;

/// Where a file goes: the text area, the hidden field with the file's name, and the line that says what was read.
#[derive(Clone, Copy)]
pub struct Target {
    pub text: NodeRef<Textarea>,
    pub filename: RwSignal<String>,
    pub says: RwSignal<String>,
}

impl Target {
    /// Reads a file into the text area.
    fn read(self, file: web_sys::File) {
        let name = file.name();
        // Sizes are whole numbers far below 2^53.
        #[expect(clippy::cast_possible_truncation, reason = "a size of a file")]
        let size = file.size() as i64;
        if usize::try_from(size).is_ok_and(|size| size > SOURCE_MAX) {
            let most = text::bytes(i64::try_from(SOURCE_MAX).unwrap_or(i64::MAX));
            self.says.set(format!("{name} has {}; at most {most} are allowed.", text::bytes(size)));
            return;
        }
        spawn_local(async move {
            let read = JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string());
            let (Some(content), Some(area)) = (read, self.text.get_untracked()) else {
                self.says.set(format!("{name} cannot be read."));
                return;
            };
            area.set_value(&content);
            self.says.set(format!("{name}, {}", text::bytes(size)));
            self.filename.set(name);
        });
    }

    /// Reads a file that is dropped; other drops keep their usual effect.
    pub fn dropped(self, event: &ev::DragEvent) {
        if let Some(file) = event.data_transfer().and_then(|data| data.files()).and_then(|files| files.get(0)) {
            event.prevent_default();
            self.read(file);
        }
    }

    fn chosen(self, event: &ev::Event) {
        let field = event.target().and_then(|target| target.dyn_into::<web_sys::HtmlInputElement>().ok());
        if let Some(file) = field.and_then(|field| field.files()).and_then(|files| files.get(0)) {
            self.read(file);
        }
    }
}

/// The button that chooses a file; shows with JavaScript only.
#[component]
pub fn ChooseFile(target: Target, hydrated: Signal<bool>) -> impl IntoView {
    let field = NodeRef::<Input>::new();
    let open = move |_| field.get_untracked().into_iter().for_each(|field| field.click());
    view! {
        <div class="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-soft" class:hidden=move || !hydrated.get()>
            <button class="button" type="button" on:click=open>
                <Icon shape=Shape::Sources />
                "Choose a text file"
            </button>
            // Without a name the form does not send it.
            <input
                class="hidden"
                type="file"
                accept="text/*,.md,.txt,.log,.json,.csv,.srt,.vtt"
                aria-label="Text file"
                node_ref=field
                on:change=move |event| target.chosen(&event)
            />
            <span aria-live="polite" class="wrap-anywhere">
                {move || match target.says.get() {
                    says if says.is_empty() => "or drop it on the text.".to_owned(),
                    says => says,
                }}
            </span>
        </div>
    }
}

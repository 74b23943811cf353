use super::dom;
use crate::{
    SOURCE_MAX,
    icon::{Icon, SOURCES},
    text,
};
use leptos::{ev, html, prelude::*, task::spawn_local, web_sys, web_sys::js_sys::futures::JsFuture};

/// Chooses a text file, or takes one that is dropped on its form, and puts its text and name into the fields `text` and `filename`.
#[island]
pub fn ChooseFile() -> impl IntoView {
    let (field, says) = (NodeRef::<html::Input>::new(), RwSignal::new("or drop it on the text.".to_owned()));
    let open = move |_| field.get_untracked().into_iter().for_each(|field| field.click());
    let chosen = move |_| {
        let Some(field) = field.get_untracked() else { return };
        if let Some((form, file)) = dom::form(&field).zip(field.files().and_then(|files| files.get(0))) {
            read(form, file, says);
        }
    };
    Effect::new(move |_| {
        let Some(form) = field.get().and_then(|field| dom::form(&field)) else { return };
        let into = form.clone();
        dom::listen(&form, "dragover", |event: ev::DragEvent| event.prevent_default());
        dom::listen(&form, "drop", move |event: ev::DragEvent| {
            // Other drops, a piece of text, keep their usual effect.
            if let Some(file) = event.data_transfer().and_then(|data| data.files()).and_then(|files| files.get(0)) {
                event.prevent_default();
                read(into.clone(), file, says);
            }
        });
    });
    view! {
        <div class="scripted flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-soft">
            <button class="button" type="button" on:click=open>
                <Icon shape=SOURCES />
                "Choose a text file"
            </button>
            // Without a name the form does not send it.
            <input
                class="hidden"
                type="file"
                accept="text/*,.md,.txt,.log,.json,.jsonl,.csv,.srt,.vtt"
                aria-label="Text file"
                node_ref=field
                on:change=chosen
            />
            <span aria-live="polite" class="wrap-anywhere">{says}</span>
        </div>
    }
}

/// Reads a file into the fields of a form.
fn read(form: web_sys::HtmlFormElement, file: web_sys::File, says: RwSignal<String>) {
    let name = file.name();
    // Sizes are whole numbers far below 2^53.
    #[expect(clippy::cast_possible_truncation, reason = "a size of a file")]
    let size = file.size() as i64;
    if usize::try_from(size).is_ok_and(|size| size > SOURCE_MAX) {
        let most = text::bytes(i64::try_from(SOURCE_MAX).unwrap_or(i64::MAX));
        says.set(format!("{name} has {}; at most {most} are allowed.", text::bytes(size)));
        return;
    }
    spawn_local(async move {
        let content = JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string());
        let area = dom::all::<web_sys::HtmlTextAreaElement>(&form, "[name=text]").into_iter().next();
        let Some((content, area)) = content.zip(area) else {
            says.set(format!("{name} cannot be read."));
            return;
        };
        area.set_value(&content);
        dom::all::<web_sys::HtmlInputElement>(&form, "[name=filename]").iter().for_each(|field| field.set_value(&name));
        says.set(format!("{name}, {}", text::bytes(size)));
    });
}

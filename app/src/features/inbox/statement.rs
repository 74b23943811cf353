use crate::ui::text;
use leptos::prelude::*;
use words::minutes::{Minutes, Question, format_day};

/// What a candidate says. A quotation is shown as it was said: what it replies to, folded, then who said it when, then the words.
#[component]
pub fn Statement(content: String) -> impl IntoView {
    let Some(minutes) = Minutes::parse(&content) else { return words(&content).into_any() };
    view! {
        <div class="space-y-1" data-testid="minutes">
            {minutes.question.map(replied_to)}
            <p class="flex flex-wrap gap-x-2 text-xs text-soft">
                <span class="font-medium" dir="auto">{text::visible(minutes.speaker)}</span>
                {minutes.day.map(format_day)}
            </p>
            {words(&format!("“{}”", minutes.words))}
            {minutes.note.map(|note| view! { <p class="text-sm text-soft" dir="auto">{text::visible(note)}</p> })}
        </div>
    }
    .into_any()
}

fn words(words: &str) -> impl IntoView + use<> {
    let words = text::visible(words);
    view! { <h2 class="max-h-80 overflow-y-auto text-lg leading-snug font-medium break-words whitespace-pre-wrap" dir="auto">{words}</h2> }
}

fn replied_to(question: Question<'_>) -> impl IntoView + use<> {
    let (speaker, words) = (text::visible(question.speaker), text::visible(question.words));
    view! {
        <details class="text-sm text-soft">
            <summary>"Replies to " <span dir="auto">{speaker}</span></summary>
            <blockquote class="said mt-1 border-l-2 border-line-strong pl-3" dir="auto">"“" {words} "”"</blockquote>
        </details>
    }
}

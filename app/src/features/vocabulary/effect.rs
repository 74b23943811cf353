use super::{input::DecisionInput, words::extent};
use crate::ui::text;
use leptos::prelude::*;
use wire::Effect;

/// Most phrases that are listed unfolded.
const SHOWN: usize = 12;

/// The effect of a decision: how many memories, and which phrases get another meaning.
#[component]
pub fn Effects(effect: Effect) -> impl IntoView {
    let extent = extent(&effect);
    let phrase = |(phrase, meaning): (String, Option<String>)| {
        let meaning = match meaning {
            Some(term) => view! { <span class="font-medium">{text::visible(&term)}</span> }.into_any(),
            None => view! { <span class="text-soft">"no term: the topic as sent"</span> }.into_any(),
        };
        view! {
            <li class="break-words" data-testid="phrase">
                {text::visible(&phrase)}
                <span class="text-soft">" → "</span>
                {meaning}
            </li>
        }
    };
    let mut phrases = effect.phrases;
    let rest = phrases.split_off(phrases.len().min(SHOWN));
    let rest = (!rest.is_empty()).then(|| {
        let number = text::count(i64::try_from(rest.len()).unwrap_or(i64::MAX), "more phrase", "more phrases");
        view! {
            <details>
                <summary class="py-1 text-soft">{number}</summary>
                <ul class="space-y-0.5">{rest.into_iter().map(phrase).collect_view()}</ul>
            </details>
        }
    });
    view! {
        <div class="space-y-1.5 rounded-md bg-sunken px-3 py-2 text-sm wrap-anywhere" data-testid="effect">
            <p class="font-medium">{extent}</p>
            <ul class="space-y-0.5">{phrases.into_iter().map(phrase).collect_view()}</ul>
            {rest}
        </div>
    }
}

/// The input as hidden fields of a form.
#[component]
pub fn Hidden(input: DecisionInput, #[prop(default = &[])] but: &'static [&'static str]) -> impl IntoView {
    let field = |(name, value): (&'static str, &str)| {
        let shown = !value.is_empty() && !but.contains(&name);
        shown.then(|| view! { <input type="hidden" name=name value=value.to_owned() /> })
    };
    input.fields().map(field).collect_view()
}

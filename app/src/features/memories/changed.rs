use super::{
    api::{called, changed_memories},
    version::{changed_reasons, changes},
};
use crate::{
    Flash,
    ids::Versions,
    query::Query,
    ui::{Icon, Shape, Sides, awaited, if_any, reading},
};
use leptos::prelude::*;
use wire::ChangedMemory;

/// The memories that changed after the refused form showed them: both texts, so that the reviewer can decide again. Nothing if none did.
#[component]
pub fn Changed(flash: Option<Flash>) -> impl IntoView {
    let shown = |flash: Flash| Versions::try_from(Query::parse(&flash.typed).text("shown")).ok();
    let shown = flash.filter(|flash| flash.refused).and_then(shown).filter(|shown| !shown.0.is_empty());
    let changed = shown.map(|shown| reading(changed_memories(shown)));
    awaited(async move {
        // The form is refused without it, too.
        let changed = if_any(changed).await.and_then(Result::ok).unwrap_or_default();
        changed.into_iter().map(|memory| view! { <Both memory /> }).collect_view()
    })
}

/// What the two sides are.
const NAMES: (&str, &str) = ("You saw", "It says now");

#[component]
fn Both(memory: ChangedMemory) -> impl IntoView {
    let ChangedMemory { memory_id, then, now, .. } = memory;
    let title = format!("{} changed after you opened this page", called(&then.content));
    let same = then.content == now.content;
    let mut sentences = changes(&then, &now);
    let reasons = changed_reasons(&then, &now);
    if same && sentences.is_empty() && reasons.is_empty() {
        sentences.push("The content is the same. Other details changed, such as the evidence: read them below.".to_owned());
    }
    let sentences = sentences.into_iter().map(|text| view! { <p class="text-sm text-soft wrap-anywhere">{text}</p> }).collect_view();
    let sides = (!same).then(|| view! { <Sides old=then.content new=now.content names=NAMES /> });
    let reasons = reasons.into_iter().map(|(label, old, new)| {
        view! {
            <p class="pt-1 text-sm font-medium">{label}</p>
            <Sides old new names=NAMES />
        }
    });
    let reasons = reasons.collect_view();
    let heading = format!("{title}.");
    view! {
        <section class="mb-4 overflow-hidden rounded-md border border-warn" aria-label=title data-testid="changed">
            <div class="flex items-start gap-2 bg-warn-wash px-3 py-2 text-sm text-warn">
                <span class="pt-0.5"><Icon shape=Shape::Alert /></span>
                <p class="min-w-0">
                    <span class="font-medium">{heading}</span>
                    " Nothing was changed. Compare both texts, then send the form again. "
                    <a class="text-inherit underline" href=format!("/memories/{memory_id}#history")>"Show its history"</a>
                </p>
            </div>
            <div class="space-y-2 p-3">{sentences} {sides} {reasons}</div>
        </section>
    }
}

use super::list::message;
use crate::ui::{Time, text};
use leptos::prelude::*;
use wire::{AuditEntry, audit_words};

/// The audit entries of one thing, newest first.
#[component]
pub fn Trail(entries: Vec<AuditEntry>) -> impl IntoView {
    if entries.is_empty() {
        return view! { <p class="px-4 py-3 text-sm text-soft">"No entries yet. They appear within a few seconds of a change."</p> }
            .into_any();
    }
    let one = |entry: AuditEntry| {
        let (action, message) = (audit_words(&entry.action).to_owned(), message(&entry));
        let kind = (entry.actor_kind != entry.actor_name).then(|| view! { <span class="text-soft">" (" {entry.actor_kind} ")"</span> });
        view! {
            <li class="border-b border-line px-4 py-2.5 text-sm last:border-b-0">
                <div class="flex flex-wrap items-baseline gap-x-2">
                    <span class="font-medium" title=entry.action>{action}</span>
                    <span>{entry.actor_name} {kind}</span>
                    <span class="ml-auto text-soft"><Time at=entry.at /></span>
                </div>
                {message.map(|message| view! { <p class="break-words text-soft">{text::visible(&message)}</p> })}
                {entry.reason.map(|reason| view! { <p class="break-words">"Reason: " {text::visible(&reason)}</p> })}
            </li>
        }
    };
    view! { <ol data-testid="trail">{entries.into_iter().map(one).collect_view()}</ol> }.into_any()
}

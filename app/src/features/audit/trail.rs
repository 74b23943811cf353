use crate::ui::Time;
use leptos::prelude::*;
use remembrancer::api::AuditEntry;

/// The audit entries of one thing, newest first.
#[component]
pub fn Trail(entries: Vec<AuditEntry>) -> impl IntoView {
    if entries.is_empty() {
        return view! { <p class="px-4 py-3 text-sm text-soft">"Nothing on record yet; entries arrive within a few seconds."</p> }
            .into_any();
    }
    let one = |entry: AuditEntry| {
        view! {
            <li class="border-b border-line px-4 py-2.5 text-sm last:border-b-0">
                <div class="flex flex-wrap items-baseline gap-x-2">
                    <code class="font-mono text-xs">{entry.action}</code>
                    <span>{entry.actor_name} <span class="text-soft">" (" {entry.actor_kind} ")"</span></span>
                    <span class="ml-auto text-soft"><Time at=entry.at /></span>
                </div>
                <p class="break-words text-soft">{entry.message}</p>
                {entry.reason.map(|reason| view! { <p class="break-words">"Reason: " {reason}</p> })}
            </li>
        }
    };
    view! { <ol data-testid="trail">{entries.into_iter().map(one).collect_view()}</ol> }.into_any()
}

use crate::ui::{fact, text};
use leptos::prelude::*;
use wire::LifecyclePolicy;

/// The policy of the organisation, and the way to all of it.
#[component]
pub fn Policy(policy: LifecyclePolicy, may_edit: bool) -> impl IntoView {
    let days = policy.retention_days;
    let rows = [
        ("Routine messages", format!("{} days", days.routine)),
        ("Errors and failures", format!("{} days", days.error)),
        ("Completed tasks", format!("{} days", days.task)),
        ("Decisions and approvals", format!("{} days", days.decision)),
        ("Archived when the importance falls below", format!("{:.2}", policy.archived_below)),
        ("Archived early, near the limit, below", format!("{:.2}", policy.cleaned_up_below)),
        ("Maximum episodes per agent", text::number(policy.episodes_max.into())),
        ("Maximum memories per agent", text::number(policy.memories_max.into())),
    ];
    let rows = rows.into_iter().map(|(name, value)| fact(name, value));
    view! {
        <section class="card" aria-labelledby="policy">
            <h2 class="border-b border-line px-3 py-2" id="policy">"Policy"</h2>
            <dl class="facts p-4">{rows.collect_view()}</dl>
            <p class="border-t border-line px-4 py-3 text-sm text-soft">
                "Pinned memories and memories that a person asked to keep never expire."
            </p>
            <p class="px-4 pb-4">
                <a class="button" href="/lifecycle/policy">{if may_edit { "Change policy" } else { "Show policy" }}</a>
            </p>
        </section>
    }
}

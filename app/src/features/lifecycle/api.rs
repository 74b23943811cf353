use super::policy_input::PolicyFields;
use crate::{
    ConsoleError, Flash,
    guard::{invalid, operator, own_path},
    query::Query,
    submit::submit,
};
use foundation::identity;
use leptos::prelude::*;
use remembrancer::{lifecycle, memories};
use wire::{AgentId, Forecast as Ahead, LifecyclePolicy, MemoryId};

/// What a sweep would archive now, what the next week brings, and the latest sweeps.
pub async fn forecast() -> Result<Ahead, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(lifecycle::forecast(&engine, &ctx).await?)
}

/// The policy of an agent, or without an agent that of the organisation.
pub async fn read_lifecycle_policy(agent: Option<AgentId>) -> Result<LifecyclePolicy, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(identity::lifecycle(&engine, &ctx, agent).await?)
}

/// Changes the policy of an agent, or without an agent that of the organisation, then redirects to its page.
#[server(endpoint = "set_lifecycle_policy")]
pub async fn set_lifecycle_policy(#[server(default)] agent: String, #[server(flatten)] input: PolicyFields) -> Result<(), ConsoleError> {
    let asked = Query::default().with("agent", &agent);
    let page = asked.href("/lifecycle/policy");
    submit(&page, input.query(), |engine, ctx| async move {
        let mut errors = Vec::new();
        let agent = asked.read("agent", "Choose one of the agents.", &mut errors);
        let policy = if errors.is_empty() { input.policy() } else { Err(errors) };
        identity::set_lifecycle(&engine, &ctx, agent, policy.map_err(invalid)?).await?;
        Ok(Flash::done("The policy was saved. It applies from the next write or sweep on."))
    })
    .await
}

/// Requests a sweep, then redirects to the page.
#[server(endpoint = "sweep")]
pub async fn sweep() -> Result<(), ConsoleError> {
    submit("/lifecycle", Query::default(), |engine, ctx| async move {
        lifecycle::sweep_now(&engine, &ctx).await?;
        Ok(Flash::done("The sweep was requested. Reload this page in a moment."))
    })
    .await
}

/// Pins or unpins a memory, then redirects to `done`, or to its page.
#[server(endpoint = "pin_memory")]
pub async fn pin_memory(id: MemoryId, pinned: bool, #[server(default)] done: String) -> Result<(), ConsoleError> {
    let page = format!("/memories/{id}");
    submit(own_path(&done, &page), Query::default(), |engine, ctx| async move {
        memories::set_pinned(&engine, &ctx, &id.into(), None, pinned).await?;
        let done = Flash::done(if pinned { "Pinned. The memory never expires." } else { "Unpinned. Its retention period starts now." });
        Ok(done.undone_by("pin_memory", [("id", id.to_string()), ("pinned", (!pinned).to_string())]))
    })
    .await
}

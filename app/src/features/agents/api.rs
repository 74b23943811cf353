use crate::{ConsoleError, Flash, guard::operator, query::Query, submit::submit};
use foundation::identity;
use leptos::prelude::*;
use remembrancer::overview;
use wire::{AgentDetail, AgentId, AgentSummary, KeyId, Toolset};

pub async fn agents() -> Result<Vec<AgentSummary>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(overview::agents(&engine, &ctx).await?)
}

/// Everything about one agent.
pub async fn read_agent(id: AgentId) -> Result<AgentDetail, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(overview::agent(&engine, &ctx, id).await?)
}

/// Blocks or unblocks an agent, then redirects to its page.
#[server(endpoint = "set_agent_blocked")]
pub async fn set_agent_blocked(id: AgentId, blocked: bool, #[server(default)] reason: String) -> Result<(), ConsoleError> {
    let page = format!("/agents/{id}");
    submit(&page, Query::default().with("reason", &reason), |engine, ctx| async move {
        let changed = identity::set_blocked(&engine, &ctx, id, blocked, &reason).await?;
        let done = Flash::done(match (changed, blocked) {
            (true, true) => "Blocked. The keys of the agent are refused from now on.",
            (true, false) => "Unblocked. The keys of the agent work again.",
            (false, true) => "The agent is already blocked.",
            (false, false) => "The agent is already unblocked.",
        });
        let back = [("id", id.to_string()), ("blocked", (!blocked).to_string()), ("reason", "Undo".to_owned())];
        Ok(if changed { done.undone_by("set_agent_blocked", back) } else { done })
    })
    .await
}

/// Revokes a key of an agent, then redirects to the agent's page.
#[server(endpoint = "revoke_key")]
pub async fn revoke_key(id: KeyId, agent: AgentId) -> Result<(), ConsoleError> {
    let page = format!("/agents/{agent}");
    submit(&page, Query::default().with("key", id), |engine, ctx| async move {
        identity::revoke_key(&engine, &ctx, id).await?;
        Ok(Flash::done("Revoked. The key is refused from now on."))
    })
    .await
}

/// Chooses the toolsets that clients list with a key of an agent besides `core`, then redirects to the agent's page.
#[server(endpoint = "set_key_toolsets")]
pub async fn set_key_toolsets(id: KeyId, agent: AgentId, #[server(default)] toolsets: Vec<Toolset>) -> Result<(), ConsoleError> {
    let page = format!("/agents/{agent}");
    submit(&page, Query::default().with("key", id), |engine, ctx| async move {
        identity::set_toolsets(&engine, &ctx, id, &toolsets).await?;
        Ok(Flash::done("Saved. Clients see the change when they next list their tools."))
    })
    .await
}

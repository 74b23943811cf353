//! A context as an agent would get it, for operators: nothing is logged or counted.

use super::assembly::{build, check};
use super::sources;
use crate::profile::documents::require_connections;
use foundation::{Engine, Error, OpContext, identity};
use std::sync::Arc;
use verb::verb;
use wire::{ContextPreview, KeyScope, PreviewRequest};

/// Assembles a context as the agent's keys would. Nothing is logged, and no memory counts as recalled. The models that the agent's request
/// would use are used, and their use is booked.
///
/// # Errors
/// `Forbidden` without the role `viewer`; `NotFound` for another tenant's agent; `Invalid` for a user that is missing or unknown, and as
/// [`super::assemble`].
#[verb(role = Viewer)]
pub async fn preview(engine: &Engine, ctx: &OpContext, request: PreviewRequest) -> Result<ContextPreview, Error> {
    let PreviewRequest { agent_id, context: request } = request;
    check(&request)?;
    let agent = identity::all_agents(engine, ctx).await?.into_iter().find(|one| one.id == agent_id).ok_or(Error::NotFound("agent"))?;
    let user = identity::user_of_agent(engine, ctx, &agent, request.user_id.as_ref()).await?;
    let as_agent = identity::acting_as(engine, ctx, agent, user.into()).await?;
    require_connections(engine, &as_agent, request.connections.as_deref()).await?;
    let built = build(engine, &as_agent, &Arc::new(request)).await?;
    let sources = sources::names(engine, ctx, &built.context.blocks).await?;
    Ok(ContextPreview {
        context: built.context,
        sources,
        may_assemble: as_agent.require(KeyScope::ContextRead).is_ok(),
        may_read_knowledge: as_agent.require(KeyScope::KbRead).is_ok(),
        timings: built.timings,
    })
}

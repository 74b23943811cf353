//! Two contexts side by side: two of the log, or one of the log and what the same request gives now.

use super::assembly::build;
use super::diff;
use super::log::read;
use super::store::{Entry, Text};
use chrono::{DateTime, Utc};
use foundation::heavy::off_thread;
use foundation::identity::{self, Agent};
use foundation::{Engine, Error, OpContext};
use std::sync::Arc;
use verb::verb;
use wire::{AssembledContext, ComparedContext, ContextComparison, ContextId};

/// Two logged contexts, the earlier first; or, for one id, that context and what the same request gives its agent now. Nothing is logged or
/// counted.
///
/// # Errors
/// `Forbidden` without the role `viewer`; `Invalid` unless `ids` names one or two contexts; `NotFound` for another tenant's context, and for
/// one id whose text, and with it the request, is no longer kept.
#[verb(role = Viewer)]
pub async fn compare(engine: &Engine, ctx: &OpContext, ids: &[ContextId]) -> Result<ContextComparison, Error> {
    let agents = identity::all_agents(engine, ctx).await?;
    match ids {
        [one] => with_today(engine, ctx, *one, agents).await,
        [one, other] if one != other => with_another(engine, ctx, *one, *other, &agents).await,
        _ => {
            let message = format!("names {} contexts; name one, to compare it with today's assembly, or two different ones", ids.len());
            Err(Error::invalid("ids", message))
        }
    }
}

async fn with_today(engine: &Engine, ctx: &OpContext, id: ContextId, agents: Vec<Agent>) -> Result<ContextComparison, Error> {
    let (entry, text, _) = read(engine, ctx, id).await?;
    let text = text.ok_or(Error::NotFound("text of this context"))?;
    let agent = agents.into_iter().find(|agent| agent.id == entry.agent_id).ok_or(Error::NotFound("agent"))?;
    let slug = agent.slug.clone();
    let as_agent = identity::acting_as(engine, ctx, agent, entry.user_id.into()).await?;
    let now = build(engine, &as_agent, &Arc::new(text.request.0)).await?.context;
    let (old, new) = (text.text, now.text.clone());
    let lines = off_thread(move || diff::compare(&old, &new)).await?;
    Ok(ContextComparison { before: logged(entry, slug.clone()), after: assembled(now, slug, engine.clock().now()), lines: Some(lines) })
}

async fn with_another(
    engine: &Engine,
    ctx: &OpContext,
    one: ContextId,
    other: ContextId,
    agents: &[Agent],
) -> Result<ContextComparison, Error> {
    let (one, other) = tokio::try_join!(read(engine, ctx, one), read(engine, ctx, other))?;
    let ((before, old, _), (after, new, _)) = if other.0.at < one.0.at { (other, one) } else { (one, other) };
    let lines = match (old, new) {
        (Some(Text { text: old, .. }), Some(Text { text: new, .. })) => Some(off_thread(move || diff::compare(&old, &new)).await?),
        _ => None,
    };
    let slug = |entry: &Entry| {
        let agent = agents.iter().find(|agent| agent.id == entry.agent_id);
        agent.map_or_else(|| entry.agent_id.to_string(), |agent| agent.slug.clone())
    };
    let (of_before, of_after) = (slug(&before), slug(&after));
    Ok(ContextComparison { before: logged(before, of_before), after: logged(after, of_after), lines })
}

fn logged(entry: Entry, agent_slug: String) -> ComparedContext {
    ComparedContext {
        id: Some(entry.id),
        agent_slug,
        at: entry.at,
        budget: u32::try_from(entry.budget).unwrap_or_default(),
        tokens: u32::try_from(entry.tokens).unwrap_or_default(),
        blocks: entry.blocks.0,
        cut: entry.cut.0,
        degraded: entry.degraded,
    }
}

fn assembled(context: AssembledContext, agent_slug: String, at: DateTime<Utc>) -> ComparedContext {
    let AssembledContext { budget, tokens, blocks, cut, degraded, .. } = context;
    ComparedContext { id: None, agent_slug, at, budget, tokens, blocks, cut, degraded }
}

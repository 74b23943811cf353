//! What agents, workers and reviewers do during an evaluation.

use crate::Failure;
use chrono::{DateTime, Utc};
use db::clock::{Clock, SystemClock};
use foundation::{Engine, OpContext, identity};
use remembrancer::{consolidation, memories, workers};
use tokio_util::sync::CancellationToken;
use wire::{
    AgentId, BULK_MAX, InboxFilter, InboxVerdict, KeyScope, MemoryFilter, MemoryId, MemoryKind, RememberRequest, RequestId, Source,
};

pub async fn agent(engine: &Engine, tenant: &OpContext, number: usize) -> Result<OpContext, Failure> {
    let agent = identity::create_agent(engine, tenant, &format!("scope-{number}"), "A scope of the evaluation", false).await?;
    let scopes = [KeyScope::MemoryRead, KeyScope::MemoryWrite, KeyScope::CaptureWrite, KeyScope::ContextRead];
    let (_, key) = identity::create_key(engine, tenant, agent.id, "evaluation", &scopes, None, None).await?;
    Ok(identity::authenticate(engine, &key, RequestId(SystemClock.id())).await?)
}

/// The request with which an agent would remember a turn: its words, time and place.
pub fn memory(topic: &str, scope: &str, text: &str, at: Option<DateTime<Utc>>) -> RememberRequest {
    let source = Source { platform: "eval".into(), channel_id: Some(scope.into()), observed_at: at, ..Source::default() };
    let kind = Some(MemoryKind::Episode);
    RememberRequest { topic_raw: topic.into(), content: text.into(), source, kind, ..RememberRequest::default() }
}

/// Delivers what waits and works until no event is due.
pub async fn work(engine: &Engine) -> Result<(), Failure> {
    let stop = CancellationToken::new();
    while workers::drain(engine).await? + workers::work(engine, &stop).await? > 0 {}
    Ok(())
}

/// Every kind except episodes.
pub fn lasting() -> Vec<MemoryKind> {
    MemoryKind::ALL.iter().copied().filter(|kind| *kind != MemoryKind::Episode).collect()
}

/// Confirms every candidate of an agent that is of one of these kinds.
pub async fn confirm(engine: &Engine, tenant: &OpContext, agent_id: AgentId, kinds: &[MemoryKind]) -> Result<(), Failure> {
    for kind in kinds {
        loop {
            let filter = InboxFilter { agent_id: Some(agent_id), kind: Some(*kind), ..InboxFilter::default() };
            let rows = consolidation::inbox(engine, tenant, &filter).await?.rows;
            let ids: Vec<MemoryId> = rows.iter().map(|row| row.id).take(BULK_MAX).collect();
            if ids.is_empty() {
                break;
            }
            let verdict = InboxVerdict::confirm();
            consolidation::decide(engine, tenant, &ids, verdict, &Default::default()).await?;
        }
    }
    Ok(())
}

/// The memories of an agent that a recall can find, with their lengths in characters.
pub async fn memories_of(engine: &Engine, tenant: &OpContext, agent_id: AgentId) -> Result<Vec<(MemoryId, usize)>, Failure> {
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let filter = MemoryFilter { agent_id: Some(agent_id), after, ..MemoryFilter::default() };
        let page = memories::browse(engine, tenant, &filter).await?;
        found.extend(page.rows.iter().map(|row| (row.id, row.content.chars().count())));
        after = page.next;
        if after.is_none() {
            return Ok(found);
        }
    }
}

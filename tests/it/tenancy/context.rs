//! The queries of contexts and their log, and those of quality, which counts it.

use super::queries::{Case, Query, queries};
use db::cursor::Seek;
use remembrancer::context::store::{self as context, Entry, Text, Wanted};
use remembrancer::quality::store::{self as quality, Answer, Period};
use sqlx::types::Json;
use wire::{AssembleRequest, BlockOrder, ContextFilter, ContextId, ContextTiers};

/// A context of the case's agent with both of its memories, which the fixture's first memory names.
pub fn entry(case: &Case, id: ContextId) -> Entry {
    Entry {
        agent_id: case.agent,
        id,
        user_id: case.memory.user_id,
        at: case.now,
        ordering: BlockOrder::StableFirst,
        tiers: ContextTiers::All,
        vectors: true,
        model: None,
        budget: 8_000,
        tokens: 40,
        tokenizer: "o200k_base".into(),
        hash: vec![1; 32],
        blocks: Json(vec![]),
        cut: Json(vec![]),
        degraded: vec![],
        memory_ids: vec![case.id, case.other],
        took_ms: 3.0,
    }
}

pub fn kept_text() -> Text {
    Text { request: Json(AssembleRequest::new("tea")), text: "Vera likes black tea".into() }
}

/// The context that the fixture has.
pub fn logged(case: &Case) -> ContextId {
    ContextId(case.id.0)
}

pub const CONTEXT: &[Query] = queries! {
    "context::memories" |tx, c| {
        let agents = [c.agent, c.ctx.commons_id];
        let wanted = Wanted { tenancy: c.ctx.tenancy(), agents: &agents, project: None, repo: None, found: &[c.id], now: c.now };
        context::memories(tx, &wanted, 10).await?.len()
    };
    "context::insert_context" |tx, c| { context::insert_context(tx, c.ctx.tenancy(), &entry(c, ContextId(c.fresh))).await?; 0 };
    "context::insert_text" |tx, c| {
        context::insert_text(tx, c.ctx.tenancy(), &entry(c, ContextId(c.fresh)), &kept_text()).await?;
        0
    };
    "context::context" |tx, c| usize::from(context::context(tx, c.ctx.tenancy(), logged(c)).await?.is_some());
    "context::text" |tx, c| usize::from(context::text(tx, c.ctx.tenancy(), c.agent, logged(c)).await?.is_some());
    "context::count_contexts" |tx, c| {
        usize::try_from(context::count_contexts(tx, c.ctx.tenancy(), &ContextFilter::default(), None).await?).unwrap()
    };
    "context::list_contexts" |tx, c| {
        context::list_contexts(tx, c.ctx.tenancy(), &ContextFilter::default(), None, &Seek::First, 10).await?.len()
    };
    "context::holds_forgotten" |tx, c| {
        // Whoever may not read its memories is told that they are gone, and learns no more.
        usize::from(!context::holds_forgotten(tx, c.ctx.tenancy(), &[c.agent, c.commons], &entry(c, logged(c)), c.now).await?)
    };
};

/// The result of an answer to the fixture's context.
pub fn answer(case: &Case) -> Answer<'_> {
    Answer { agent_id: case.agent, context_id: logged(case), user_id: case.memory.user_id, at: case.now, injected: 2, memory_ids: &[] }
}

fn period(case: &Case) -> Period {
    Period { tenant: case.tenant, agent: Some(case.agent), since: case.now - chrono::Duration::days(1) }
}

pub const QUALITY: &[Query] = queries! {
    "quality::put_answer" |tx, c| { quality::put_answer(tx, c.ctx.tenancy(), &Answer { injected: 7, ..answer(c) }).await?; 0 };
};

/// What only operators count.
pub const QUALITY_COUNTS: &[Query] = queries! {
    "quality::answers" |tx, c| quality::answers(tx, &period(c)).await?.len();
    "quality::contexts" |tx, c| quality::contexts(tx, &period(c)).await?.len();
    "quality::observations" |tx, c| quality::observations(tx, &period(c)).await?.len();
    "quality::leaves" |tx, c| quality::leaves(tx, &period(c)).await?.len();
    "quality::profiles" |tx, c| quality::profiles(tx, &period(c)).await?.len();
    "quality::questions" |tx, c| quality::questions(tx, &period(c), 10).await?.len();
};

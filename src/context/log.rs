//! The context log: what the contexts of agents consisted of, and for some days their texts.

use super::store::{self, Entry, Text};
use crate::recall::Sight;
use async_recursion::async_recursion as boxed;
use chrono::{DateTime, Days, Utc};
use db::{DbError, Tenancy, Users};
use foundation::audit::{self, NewEntry};
use foundation::heavy::off_thread;
use foundation::identity::{self, acting_for};
use foundation::op::Access;
use foundation::{Engine, Error, OpContext};
use sqlx::types::Json;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::time::Duration;
use verb::verb;
use wire::{
    AssembleRequest, AssembledContext, BlockItem, BlockName, ContextBlock, ContextId, KeyScope, LoggedContext, OperatorRole, TextState,
    UserRef,
};
use words::guard;

/// Rows deleted by one statement of a sweep.
const SWEEP: i64 = 1000;

/// Writes a context that was begun `at` into the log, after its answer. Nobody waits for it. If it fails, or if too many wait already, the
/// answer stays valid, and the loss is counted.
pub(super) fn write(
    engine: &Engine,
    ctx: &OpContext,
    request: Arc<AssembleRequest>,
    context: &AssembledContext,
    at: DateTime<Utc>,
    took: Duration,
) {
    let Ok(agent_id) = ctx.agent_id() else { return };
    let Ok(place) = Arc::clone(engine.context_writes()).try_acquire_owned() else {
        metrics::counter!("remembrancer_context_log_dropped_total").increment(1);
        return;
    };
    let memory_ids: BTreeSet<_> = context.blocks.iter().flat_map(|block| &block.items).filter_map(|item| item.memory_id).collect();
    let entry = Entry {
        agent_id,
        id: context.id,
        user_id: ctx.user(),
        at,
        ordering: request.order,
        tiers: request.tiers,
        vectors: request.vectors,
        model: request.model.clone().map(guard::without_secrets),
        budget: i32::try_from(context.budget).unwrap_or(i32::MAX),
        tokens: i32::try_from(context.tokens).unwrap_or(i32::MAX),
        tokenizer: context.tokenizer.clone(),
        hash: hex::decode(&context.hash).unwrap_or_default(),
        blocks: Json(context.blocks.iter().map(without_words).collect()),
        cut: Json(context.cut.clone()),
        degraded: context.degraded.clone(),
        memory_ids: memory_ids.into_iter().collect(),
        took_ms: took.as_secs_f64() * 1000.0,
    };
    let text = context.text.clone();
    let (engine, ctx) = (engine.clone(), ctx.clone());
    engine.clone().defer(async move {
        let _place = place;
        if let Err(error) = insert(&engine, &ctx, entry, request, text).await {
            metrics::counter!("remembrancer_context_log_dropped_total").increment(1);
            tracing::warn!(error = %error.chain(), "a context was assembled and could not be logged");
        }
    });
}

/// One transaction: the row, its text if the agent's texts are kept, and an audit entry if something was cut.
async fn insert(engine: &Engine, ctx: &OpContext, mut entry: Entry, request: Arc<AssembleRequest>, text: String) -> Result<(), Error> {
    let keeps = engine.settings().context_text_days > 0 && keeps_text(engine, ctx, &entry).await;
    let kept = if keeps {
        let bytes: Vec<u32> = entry.blocks.iter().map(|block| block.bytes).collect();
        let (text, bytes) = off_thread(move || to_keep(&request, &text, &bytes)).await??;
        entry.blocks.iter_mut().zip(bytes).for_each(|(block, bytes)| block.bytes = bytes);
        Some(text)
    } else {
        None
    };
    let entry = &entry;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    store::insert_context(&mut tx, ctx.tenancy(), entry).await?;
    if let Some(text) = kept {
        store::insert_text(&mut tx, ctx.tenancy(), entry, &text).await?;
    }
    if !entry.cut.is_empty() {
        let tokens: u32 = entry.cut.iter().map(|cut| cut.tokens).sum();
        let mut blocks: Vec<&str> = entry.cut.iter().map(|cut| cut.block.as_str()).collect();
        // Turns may be condensed and then left out.
        let mut seen = HashSet::new();
        blocks.retain(|block| seen.insert(*block));
        let message = format!("cut {tokens} tokens of a context to fit its budget of {}: {}", entry.budget, blocks.join(", "));
        let changes = serde_json::to_value(&entry.cut).map_err(Error::failed("a cut cannot be serialised"))?;
        let warning = NewEntry::new(engine, ctx, "context.cut", "context", entry.id, message).agent(entry.agent_id);
        audit::record(&mut tx, ctx.tenant_id, ctx.commons_id, &warning.changes(serde_json::json!({ "cut": changes }))).await?;
    }
    tx.commit().await?;
    engine.relay().wake();
    Ok(())
}

/// A request and a text without secrets, and the bytes that each block has now.
fn to_keep(request: &AssembleRequest, text: &str, blocks: &[u32]) -> Result<(Text, Vec<u32>), Error> {
    let request = serde_json::to_value(request).map_err(Error::failed("a request cannot be serialised"))?;
    let request = serde_json::from_value(guard::json_without_secrets(request)).map_err(Error::failed("a request cannot be read"))?;
    let mut kept = String::with_capacity(text.len());
    let mut bytes = Vec::with_capacity(blocks.len());
    let mut rest = text;
    for block in blocks {
        let (part, tail) = rest.split_at_checked(usize::try_from(*block).unwrap_or(usize::MAX)).unwrap_or((rest, ""));
        let part = guard::without_secrets(part.to_owned());
        bytes.push(u32::try_from(part.len()).unwrap_or(u32::MAX));
        kept.push_str(&part);
        rest = tail;
    }
    Ok((Text { request: Json(request), text: kept }, bytes))
}

/// Whether the agent's texts are kept. If that cannot be read, this one is not.
async fn keeps_text(engine: &Engine, ctx: &OpContext, entry: &Entry) -> bool {
    identity::keeps_context_texts(engine, ctx, entry.agent_id).await.unwrap_or_else(|error| {
        tracing::warn!(error = %error.chain(), "a context is logged without its text");
        false
    })
}

/// A block without citations, speakers and reasons: the log holds nobody's words.
fn without_words(block: &ContextBlock) -> ContextBlock {
    let item = |item: &BlockItem| BlockItem { citation: None, because: None, provenance: None, ..item.clone() };
    ContextBlock { items: block.items.iter().map(item).collect(), ..block.clone() }
}

/// One context of the log: an agent reads its own, for the user it acts for; an operator reads those of the tenant. An agent does not get
/// the text if a memory was forgotten since, or one in it has expired; an operator gets it with that state. A key without `kb:read` gets it
/// without documents, whichever key of the agent assembled it.
///
/// # Errors
/// `Forbidden` without `context:read` or the role `viewer`; `NotFound` for another agent's, user's or tenant's context, or one that the log
/// no longer keeps.
#[verb]
pub async fn logged(engine: &Engine, ctx: &OpContext, id: ContextId, user: Option<&UserRef>) -> Result<LoggedContext, Error> {
    let own = match &ctx.access {
        Access::KeyScopes(_) => {
            ctx.require(KeyScope::ContextRead)?;
            Some(ctx.agent_id()?)
        }
        Access::Roles(_) | Access::System => {
            ctx.require_role(OperatorRole::Viewer)?;
            None
        }
    };
    let ctx = &acting_for(engine, ctx, user).await?;
    let (mut entry, mut text, withheld) = read(engine, ctx, id).await?;
    if own.is_some_and(|own| own != entry.agent_id) {
        return Err(Error::NotFound("context"));
    }
    let state = match (&text, withheld) {
        (None, _) => TextState::Gone,
        (Some(_), true) => TextState::Withheld,
        (Some(_), false) => TextState::Kept,
    };
    let sight = Sight::of(ctx);
    narrow(sight, &mut entry, text.as_mut());
    let text = text.filter(|_| sight.gone || !withheld);
    Ok(to_logged(entry, text, state))
}

/// Leaves out of a context what the caller may not see. The hash stays that of the whole text.
fn narrow(sight: Sight, entry: &mut Entry, text: Option<&mut Text>) {
    sight.narrow_degraded(&mut entry.degraded);
    if sight.knowledge {
        return;
    }
    let hidden = |block: &ContextBlock| block.name == BlockName::Knowledge;
    let tokens: u32 = entry.blocks.iter().filter(|block| hidden(block)).map(|block| block.tokens).sum();
    entry.tokens = entry.tokens.saturating_sub_unsigned(tokens);
    if let Some(Text { text, .. }) = text {
        let mut rest = std::mem::take(text);
        for block in entry.blocks.iter() {
            let end = usize::try_from(block.bytes).unwrap_or(usize::MAX);
            let tail = if rest.is_char_boundary(end) { rest.split_off(end) } else { String::new() };
            if !hidden(block) {
                text.push_str(&rest);
            }
            rest = tail;
        }
    }
    entry.blocks.retain(|block| !hidden(block));
    entry.cut.retain(|cut| cut.block != BlockName::Knowledge);
}

/// The row and the text, if it is kept; and whether the text may hold what was forgotten.
pub(super) async fn read(engine: &Engine, ctx: &OpContext, id: ContextId) -> Result<(Entry, Option<Text>, bool), Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let entry = store::context(&mut tx, ctx.tenancy(), id).await?.ok_or(Error::NotFound("context"))?;
    let text = store::text(&mut tx, ctx.tenancy(), entry.agent_id, id).await?;
    let agents = [entry.agent_id, ctx.commons_id];
    // An operator reads every user's rows; what counts is the reach of the agent that assembled the context.
    let users = if matches!(ctx.users, Users::Every) { entry.user_id.into() } else { ctx.users };
    let reach = Tenancy { users, ..ctx.tenancy() };
    let withheld = store::holds_forgotten(&mut tx, reach, &agents, &entry, engine.clock().now()).await?;
    tx.commit().await?;
    Ok((entry, text, withheld))
}

fn to_logged(entry: Entry, text: Option<Text>, text_state: TextState) -> LoggedContext {
    let (query, text) = text.map(|Text { request, text }| (request.0.query, text)).unzip();
    LoggedContext {
        id: entry.id,
        agent_id: entry.agent_id,
        user_id: entry.user_id,
        at: entry.at,
        order: entry.ordering,
        tiers: entry.tiers,
        vectors: entry.vectors,
        model: entry.model,
        budget: u32::try_from(entry.budget).unwrap_or_default(),
        tokens: u32::try_from(entry.tokens).unwrap_or_default(),
        tokenizer: entry.tokenizer,
        hash: hex::encode(entry.hash),
        blocks: entry.blocks.0,
        cut: entry.cut.0,
        degraded: entry.degraded,
        took_ms: entry.took_ms,
        text_state,
        query,
        text,
    }
}

/// Deletes contexts that are older than the retention of the log and texts that are older than theirs, of every tenant; how many.
#[boxed]
pub async fn sweep(engine: &Engine, now: DateTime<Utc>) -> Result<i64, DbError> {
    let settings = engine.settings();
    let before = |days: u32| now.checked_sub_days(Days::new(u64::from(days)));
    let log = settings.retrieval_log_days.and_then(|days| before(days.get()));
    let texts = before(settings.context_text_days).unwrap_or(now);
    let mut swept = 0;
    loop {
        let gone = store::sweep(engine.db().memory.system(), log, texts, SWEEP).await?;
        swept += gone;
        if gone < SWEEP {
            return Ok(swept);
        }
    }
}

//! The retrieval log for agents and operators, and its retention.

use super::log::{LoggedChunk, LoggedMemory};
use super::sight::Sight;
use super::store::{self, Measured};
use crate::ranking::explain;
use crate::{knowledge, memories};
use async_recursion::async_recursion as boxed;
use chrono::{DateTime, Days, Utc};
use db::cursor::{Cursor, Seek};
use db::{DbError, Planned, Tx};
use foundation::identity::{self, acting_for};
use foundation::op::Access;
use foundation::{Checks, Engine, Error, OpContext};
use std::collections::{BTreeMap, HashMap};
use verb::verb;
use wire::{
    AgentId, Breakdown, ChunkId, Considered, DECAY_DAYS, KeyScope, MemoryId, OperatorRole, Page, Part, Retrieval, RetrievalDetail,
    RetrievalFilter, RetrievalId, SourceTag, UserRef,
};
use words::hybrid::RECENCY_DAYS;
use words::stems;

/// Recalls on one page.
const PAGE: usize = 25;
/// Longest text in a search of the log, in characters.
const TEXT_MAX: usize = 256;
/// Recalls deleted by one statement of a sweep.
const SWEEP: i64 = 1000;

/// A page of the retrieval log, newest first: an agent sees its own recalls for the user it acts for and those without a user; an operator
/// sees those of the tenant.
///
/// # Errors
/// `Forbidden` without `memory:read` or the role `viewer`; `Invalid` for a foreign cursor, an over-long text, a period that ends before it
/// begins, another agent's recalls, or a text that means no person, or several.
#[verb]
pub async fn retrievals(engine: &Engine, ctx: &OpContext, filter: &RetrievalFilter) -> Result<Page<Retrieval>, Error> {
    let own = reader(ctx)?;
    let ctx = &acting_for(engine, ctx, filter.user_id.as_ref()).await?;
    Checks::default()
        .optional_text("q", filter.q.as_deref(), TEXT_MAX)
        .that(
            own.is_none() || filter.agent_id.is_none() || filter.agent_id == own,
            "agent_id",
            "names another agent: an agent can read only its own log",
        )
        .that(filter.from.zip(filter.until).is_none_or(|(from, until)| from < until), "until", "must be later than from")
        .done()?;
    let seek = &Seek::from_parameters(filter.after.as_deref(), filter.before.as_deref())?;
    // An agent's own user is in its context.
    let user = identity::person(engine, ctx, filter.user_id.as_ref().filter(|_| own.is_none())).await?;
    let filter = &RetrievalFilter { agent_id: own.or(filter.agent_id), user_id: user.map(UserRef::Id), ..filter.clone() };
    let slugs = memories::slugs(engine, ctx).await?;
    let read = |mut tx: Tx| async move {
        let total = store::count_retrievals(&mut tx, ctx.tenancy(), filter).await?;
        // What a filter does not find is not looked for twice.
        let rows = if total == 0 { vec![] } else { store::list_retrievals(&mut tx, ctx.tenancy(), filter, seek, PAGE).await? };
        tx.commit().await?;
        Ok::<_, Error>((total, rows))
    };
    let (total, mut rows) = ctx.read(&engine.db().memory, Planned::PerCall, read).await?;
    rows.iter_mut().for_each(|row| Sight::of(ctx).narrow(row));
    let page = seek.clone().page(rows, PAGE, total, |row: &Retrieval| Cursor { key: row.at, id: row.id.0 });
    Ok(page.map(|row| Retrieval { agent_slug: slug(&slugs, row.agent_id), ..row }))
}

/// One recall with everything that it considered and the log kept, with the texts of that time. Agents do not see the text of memories that
/// are deleted or expired by now; a key without `kb:read` sees no knowledge, whichever key of the agent asked.
///
/// # Errors
/// `Forbidden` without `memory:read` or the role `viewer`; `NotFound` for another agent's or another tenant's recall, or one that the log
/// no longer keeps.
#[verb]
pub async fn retrieval(engine: &Engine, ctx: &OpContext, id: RetrievalId, user: Option<&UserRef>) -> Result<RetrievalDetail, Error> {
    let (ctx, measured) = measured(engine, ctx, id, user).await?;
    detail(engine, &ctx, measured).await
}

fn reader(ctx: &OpContext) -> Result<Option<AgentId>, Error> {
    match &ctx.access {
        Access::KeyScopes(_) => {
            ctx.require(KeyScope::MemoryRead)?;
            ctx.agent_id().map(Some)
        }
        Access::Roles(_) | Access::System => ctx.require_role(OperatorRole::Viewer).map(|()| None),
    }
}

/// The row of the log, if the caller may read it, as far as they may, and the context in which they read it.
pub(super) async fn measured(
    engine: &Engine,
    ctx: &OpContext,
    id: RetrievalId,
    user: Option<&UserRef>,
) -> Result<(OpContext, Measured), Error> {
    let own = reader(ctx)?;
    let ctx = acting_for(engine, ctx, user).await?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let found = store::retrieval(&mut tx, ctx.tenancy(), id).await?;
    tx.commit().await?;
    let mut found = found.filter(|found| own.is_none_or(|own| own == found.logged.agent_id)).ok_or(Error::NotFound("retrieval"))?;
    Sight::of(&ctx).narrow_measured(&mut found);
    Ok((ctx, found))
}

/// A row of the log with the texts of that time.
pub(super) async fn detail(engine: &Engine, ctx: &OpContext, measured: Measured) -> Result<RetrievalDetail, Error> {
    let slugs = memories::slugs(engine, ctx).await?;
    let (candidates, chunks) = (measured.candidates.0, measured.knowledge.0);
    let considered = considered(engine, ctx, &terms(&measured.logged), measured.vector_floor, &candidates, &chunks).await?;
    Ok(RetrievalDetail {
        retrieval: Retrieval { agent_slug: slug(&slugs, measured.logged.agent_id), ..measured.logged },
        filters: measured.filters,
        model: measured.model,
        vector_floor: measured.vector_floor,
        lexical_floor: measured.lexical_floor,
        vocabulary_version: measured.vocabulary_version,
        considered,
    })
}

/// Memories and knowledge as they were: the hits first, in the order of the answer, then the others by score.
pub(super) async fn considered(
    engine: &Engine,
    ctx: &OpContext,
    asked: &BTreeMap<String, u32>,
    floor: f64,
    candidates: &[LoggedMemory],
    chunks: &[LoggedChunk],
) -> Result<Vec<Considered>, Error> {
    let seen: Vec<(AgentId, MemoryId, i32)> = candidates.iter().map(|one| (one.agent_id, one.memory_id, one.version)).collect();
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let texts = store::versions_seen(&mut tx, ctx.tenancy(), &seen, Sight::of(ctx).gone, engine.clock().now()).await?;
    tx.commit().await?;
    let texts: HashMap<MemoryId, store::Seen> = texts.into_iter().map(|text| (text.memory_id, text)).collect();
    let ids: Vec<ChunkId> = chunks.iter().map(|one| one.chunk_id).collect();
    let passages = knowledge::passages(engine, ctx, &ids).await?;
    let memory = |one: &LoggedMemory| {
        let text = texts.get(&one.memory_id);
        let matched_words = text.map(|text| stems::matched_words(&text.words(), asked)).unwrap_or_default();
        let breakdown = Breakdown { similarity: one.similarity, recency: one.recency, floor, parts: one.parts.clone() };
        Considered {
            explanation: explain::score_sentence(
                &breakdown,
                one.matched_by,
                one.score,
                &matched_words,
                age_in_days(one.recency, &breakdown.parts),
            ),
            recency: one.recency,
            parts: breakdown.parts,
            matched_words,
            rank: one.rank,
            source_tag: if one.agent_id == ctx.commons_id { SourceTag::Shared } else { SourceTag::Private },
            memory_id: Some(one.memory_id),
            agent_id: Some(one.agent_id),
            version: Some(one.version),
            document_id: None,
            chunk_id: None,
            title: text.map(|text| text.topic.clone()).unwrap_or_default(),
            content: text.map(|text| text.content.clone()).unwrap_or_default(),
            score: one.score,
            similarity: one.similarity,
            matched_by: one.matched_by,
            passed: one.passed,
            gone: text.is_none_or(|text| text.gone),
        }
    };
    let chunk = |one: &LoggedChunk| {
        let passage = passages.get(&one.chunk_id);
        let score = one.score.unwrap_or(one.similarity);
        let matched_words = passage.map(|passage| stems::matched_words(&passage.content, asked)).unwrap_or_default();
        Considered {
            explanation: knowledge::explain((one.matched_by, one.passed), one.similarity, &matched_words, &one.parts, score),
            recency: 1.0,
            parts: one.parts.clone(),
            matched_words,
            rank: one.rank,
            source_tag: SourceTag::Canonical,
            memory_id: None,
            agent_id: None,
            version: None,
            document_id: Some(one.document_id),
            chunk_id: Some(one.chunk_id),
            title: passage.map(|passage| passage.title.clone()).unwrap_or_default(),
            content: passage.map(|passage| passage.content.clone()).unwrap_or_default(),
            score,
            similarity: one.similarity,
            matched_by: one.matched_by,
            passed: one.passed,
            gone: passage.is_none_or(|passage| !passage.in_force),
        }
    };
    let mut all: Vec<Considered> = candidates.iter().map(memory).chain(chunks.iter().map(chunk)).collect();
    all.sort_by(|a, b| (a.rank.is_none(), a.rank).cmp(&(b.rank.is_none(), b.rank)).then_with(|| b.score.total_cmp(&a.score)));
    Ok(all)
}

fn slug(slugs: &HashMap<AgentId, String>, agent: AgentId) -> String {
    slugs.get(&agent).cloned().unwrap_or_default()
}

/// The words of the query of a recall.
pub(super) fn terms(recall: &Retrieval) -> BTreeMap<String, u32> {
    let mut terms = stems::terms(&recall.query);
    terms.extend(recall.query_canonical.as_deref().map(stems::terms).unwrap_or_default());
    terms
}

/// The age of a memory whose recency has this value; only `decay` has no parts.
fn age_in_days(recency: f64, parts: &[Part]) -> i64 {
    let days = if parts.is_empty() { DECAY_DAYS } else { RECENCY_DAYS };
    // Rounding: the logarithm returns a little less than the exact age.
    (-recency.max(f64::MIN_POSITIVE).ln() * days + 1e-6).floor() as i64
}

/// Deletes recalls that are older than the retention of the log, of every tenant; how many.
///
/// # Errors
/// When the database is out of reach.
#[boxed]
pub async fn sweep(engine: &Engine, now: DateTime<Utc>) -> Result<i64, DbError> {
    let Some(before) = engine.settings().retrieval_log_days.and_then(|days| now.checked_sub_days(Days::new(u64::from(days.get())))) else {
        return Ok(0);
    };
    let mut swept = 0;
    loop {
        let gone = store::sweep(engine.db().memory.system(), before, SWEEP).await?;
        swept += gone;
        if gone < SWEEP {
            return Ok(swept);
        }
    }
}

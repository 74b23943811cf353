//! The context log and the texts of contexts.

use chrono::{DateTime, Utc};
use db::cursor::Seek;
use db::{COUNTED, DbError, SystemPool, Tenancy, Tx, begin, count_rows, insert, of_user, sql, statement};
use sqlx::types::Json;
use sqlx::{Postgres, QueryBuilder};
use wire::{
    AgentId, AssembleRequest, BlockOrder, ContextBlock, ContextCut, ContextEntry, ContextFilter, ContextId, ContextTiers, MemoryId, UserId,
};

/// One context as the log keeps it.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Entry {
    pub agent_id: AgentId,
    pub id: ContextId,
    pub user_id: Option<UserId>,
    pub at: DateTime<Utc>,
    pub ordering: BlockOrder,
    pub tiers: ContextTiers,
    pub vectors: bool,
    pub model: Option<String>,
    pub budget: i32,
    pub tokens: i32,
    pub tokenizer: String,
    pub hash: Vec<u8>,
    pub blocks: Json<Vec<ContextBlock>>,
    pub cut: Json<Vec<ContextCut>>,
    pub degraded: Vec<String>,
    pub memory_ids: Vec<MemoryId>,
    pub took_ms: f64,
}

/// The text of a context, and the request that it answered.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Text {
    pub request: Json<AssembleRequest>,
    pub text: String,
}

/// Writes a context into the log.
pub async fn insert_context(tx: &mut Tx, tenancy: Tenancy, entry: &Entry) -> Result<(), DbError> {
    let query = insert!("insert into context_log" {
        tenant_id: tenancy.tenant,
        agent_id: entry.agent_id,
        id: entry.id,
        user_id: entry.user_id,
        at: entry.at,
        ordering: entry.ordering,
        tiers: entry.tiers,
        vectors: entry.vectors,
        model: entry.model.as_deref(),
        budget: entry.budget,
        tokens: entry.tokens,
        tokenizer: entry.tokenizer.as_str(),
        hash: entry.hash.as_slice(),
        blocks: &entry.blocks,
        cut: &entry.cut,
        degraded: entry.degraded.as_slice(),
        memory_ids: entry.memory_ids.as_slice(),
        took_ms: entry.took_ms,
    } "");
    tx.run(query).await
}

/// Keeps the text of a context in the log.
pub async fn insert_text(tx: &mut Tx, tenancy: Tenancy, entry: &Entry, text: &Text) -> Result<(), DbError> {
    let query = insert!("insert into context_texts" {
        tenant_id: tenancy.tenant,
        agent_id: entry.agent_id,
        context_id: entry.id,
        user_id: entry.user_id,
        at: entry.at,
        request: &text.request,
        text: text.text.as_str(),
    } "");
    tx.run(query).await
}

/// A context of the log.
pub async fn context(tx: &mut Tx, tenancy: Tenancy, id: ContextId) -> Result<Option<Entry>, DbError> {
    tx.row_if_any(sql!(
        [tenancy.tenant, id, tenancy.users],
        r"select c.agent_id, c.id, c.user_id, c.at, c.ordering, c.tiers, c.vectors, c.model, c.budget, c.tokens, c.tokenizer,
                 c.hash, c.blocks,
                 c.cut, c.degraded, c.memory_ids, c.took_ms
            from context_log c
           where c.tenant_id = $1 and c.id = $2 and ",
        of_user!("c", "$3")
    ))
    .await
}

/// The text of a context, if it is still kept.
pub async fn text(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, id: ContextId) -> Result<Option<Text>, DbError> {
    tx.row_if_any(sql!(
        [tenancy.tenant, agent, id, tenancy.users],
        "select t.request, t.text from context_texts t where t.tenant_id = $1 and t.agent_id = $2 and t.context_id = $3 and ",
        of_user!("t", "$4")
    ))
    .await
}

/// `select … from …` of the contexts that a filter matches; `user` is the one that it names.
fn select(from: &str, tenancy: Tenancy, filter: &ContextFilter, user: Option<UserId>) -> Result<QueryBuilder<Postgres>, DbError> {
    let mut query = statement!(
        format!(concat!("select {from} where c.tenant_id = $1 and ", of_user!("c", "$2")), from = from),
        tenancy.tenant,
        tenancy.users,
    );
    if let Some(agent) = filter.agent_id {
        query.push(" and c.agent_id = ").push_bind(agent);
    }
    if let Some(user) = user {
        query.push(" and c.user_id = ").push_bind(user);
    }
    if let Some(cut) = filter.cut {
        query.push(if cut { " and c.was_cut" } else { " and not c.was_cut" });
    }
    if let Some(degraded) = filter.degraded {
        query.push(if degraded { " and c.was_degraded" } else { " and not c.was_degraded" });
    }
    if let Some(from) = filter.from {
        query.push(" and c.at >= ").push_bind(from);
    }
    if let Some(until) = filter.until {
        query.push(" and c.at < ").push_bind(until);
    }
    Ok(query)
}

/// How many contexts a filter matches, up to [`wire::TOTAL_MAX`] and one more.
pub async fn count_contexts(tx: &mut Tx, tenancy: Tenancy, filter: &ContextFilter, user: Option<UserId>) -> Result<i64, DbError> {
    count_rows(tx, select(&format!("{COUNTED} from context_log c"), tenancy, filter, user)?, "c.at desc, c.id desc").await
}

/// Contexts, newest first, with their queries as long as their texts are kept.
pub async fn list_contexts(
    tx: &mut Tx,
    tenancy: Tenancy,
    filter: &ContextFilter,
    user: Option<UserId>,
    seek: &Seek,
    size: usize,
) -> Result<Vec<ContextEntry>, DbError> {
    let from = r"c.id, c.agent_id, c.user_id, c.at, t.query, c.budget, c.tokens, c.cut, c.degraded, c.took_ms
                   from context_log c
                   left join context_texts t on t.tenant_id = c.tenant_id and t.agent_id = c.agent_id and t.context_id = c.id";
    let mut query = select(from, tenancy, filter, user)?;
    seek.push(&mut query, "c.at", "c.id", !filter.reversed, size);
    tx.rows(query).await
}

/// Whether a context may hold words that its agent may no longer read: one of its memories is forgotten or has expired, or a memory in reach
/// or an entry of the profile was forgotten after it was assembled, because turns and profiles may repeat what memories say.
pub async fn holds_forgotten(
    tx: &mut Tx,
    tenancy: Tenancy,
    agents: &[AgentId],
    entry: &Entry,
    now: DateTime<Utc>,
) -> Result<bool, DbError> {
    tx.value(sql!(
        [tenancy.tenant, agents, &entry.memory_ids, entry.at, now, tenancy.users],
        r"select (select count(*) from agent_memories m
                   where m.tenant_id = $1 and m.agent_id = any($2) and m.id = any($3) and m.deleted_at is null
                     and (m.expires_at is null or m.expires_at > $5) and ",
        of_user!("m", "$6"),
        r") < (select count(distinct i) from unnest($3::uuid[]) i)
             or exists (select from agent_memories m
                         where m.tenant_id = $1 and m.agent_id = any($2) and m.deleted_at >= $4 and ",
        of_user!("m", "$6"),
        r") or exists (select from profile_versions v
                        where v.tenant_id = $1 and v.agent_id = any($2) and v.created_at >= $4
                          and jsonb_array_length(coalesce(v.diff->'forgotten', '[]')) > 0 and ",
        of_user!("v", "$6"),
        ")"
    ))
    .await
}

/// Deletes at most `most` old rows of the log and as many old texts, of any tenant; how many. Without a time, the log is kept.
pub async fn sweep(pool: &SystemPool, log: Option<DateTime<Utc>>, texts: DateTime<Utc>, most: i64) -> Result<i64, DbError> {
    let mut tx = begin(pool).await?;
    let swept = tx.value(sql!([log, texts, most], "select sweep_contexts($1, $2, $3)")).await?;
    tx.commit().await?;
    Ok(swept)
}

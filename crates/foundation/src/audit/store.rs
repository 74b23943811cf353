//! All SQL of the audit log and of the outboxes that feed it.

use super::{NewEntry, chain};
use crate::notices;
use chrono::{DateTime, Utc};
use db::cursor::Seek;
use db::{COUNTED, DbError, SystemPool, Tx, count_rows, insert, like, lock, lock_key, sql};
use sqlx::{Postgres, QueryBuilder};
use std::collections::HashSet;
use uuid::Uuid;
use wire::{AgentId, AuditEntry, AuditFilter, EventId, TenantId};

/// Where an outbox row goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "lowercase")]
pub enum Destination {
    Audit,
    Proposal,
    /// Onto the event bus of private memory.
    Job,
    /// To those outside who follow what happens.
    Notice,
}

/// Writes what must reach another database beside the change that caused it.
pub async fn post(
    tx: &mut Tx,
    tenant: TenantId,
    agent: AgentId,
    id: EventId,
    destination: Destination,
    payload: &serde_json::Value,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    tx.run(sql!(
        [tenant, agent, id, destination, payload, now],
        "insert into outbox (tenant_id, agent_id, id, destination, payload, created_at) values ($1, $2, $3, $4, $5, $6)"
    ))
    .await
}

/// A row on its way.
#[derive(sqlx::FromRow)]
pub struct Waiting {
    pub tenant_id: TenantId,
    pub agent_id: AgentId,
    pub id: EventId,
    pub destination: Destination,
    pub payload: serde_json::Value,
}

/// Takes undelivered rows, oldest first, leaving out those that another relay holds.
pub async fn take(tx: &mut Tx, batch: i64) -> Result<Vec<Waiting>, DbError> {
    tx.rows(sql!(
        [batch],
        r"select tenant_id, agent_id, id, destination, payload from outbox
           where delivered_at is null and error is null order by created_at, id limit $1 for update skip locked"
    ))
    .await
}

/// The same of one tenant: where tables are distributed, no statement locks rows of two.
pub async fn take_of(tx: &mut Tx, tenant: TenantId, batch: i64) -> Result<Vec<Waiting>, DbError> {
    tx.rows(sql!(
        [tenant, batch],
        r"select tenant_id, agent_id, id, destination, payload from outbox
           where tenant_id = $1 and delivered_at is null and error is null
           order by created_at, id limit $2 for update skip locked"
    ))
    .await
}

/// The tenants with undelivered rows in distributed tables, the one that waits longest first. While a node is down, those of the others.
pub async fn waiting_tenants(pool: &SystemPool) -> Result<Vec<TenantId>, DbError> {
    let anywhere = pool.values(sql!(
        [],
        r"select tenant_id from outbox where delivered_at is null and error is null
           group by tenant_id order by min(created_at), tenant_id"
    ));
    match anywhere.await {
        Err(error) if error.is_away() => {
            pool.values(sql!(
                [],
                r"select split_part(t.line, ' ', 1)::uuid
                    from run_command_on_shards('outbox', $shard$
                         select string_agg(w.tenant_id || ' ' || extract(epoch from w.since), ',')
                           from (select tenant_id, min(created_at) as since from %s
                                  where delivered_at is null and error is null group by tenant_id) w$shard$) r
                   cross join unnest(string_to_array(r.result, ',')) as t (line)
                   where r.success order by split_part(t.line, ' ', 2)::numeric, 1"
            ))
            .await
        }
        tenants => tenants,
    }
}

/// Marks rows as delivered. They keep their words for as long as they are kept: a receiver that is restored from a backup gets them again.
pub async fn delivered(tx: &mut Tx, rows: &[(TenantId, AgentId, EventId)], now: DateTime<Utc>) -> Result<(), DbError> {
    let tenants: Vec<Uuid> = rows.iter().map(|(tenant, ..)| tenant.0).collect();
    let agents: Vec<Uuid> = rows.iter().map(|(_, agent, _)| agent.0).collect();
    let ids: Vec<Uuid> = rows.iter().map(|(.., id)| id.0).collect();
    tx.run(sql!(
        [tenants, agents, ids, now],
        r"update outbox o
             set delivered_at = $4, attempts = o.attempts + 1
            from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as d (tenant_id, agent_id, id)
           where o.tenant_id = any($1) and o.tenant_id = d.tenant_id and o.agent_id = d.agent_id and o.id = d.id"
    ))
    .await
}

/// Empties the delivered rows of a tenant: from now on only the receivers hold their words, where they can be erased; how many.
pub async fn empty_delivered(pool: &SystemPool, tenant: TenantId) -> Result<u64, DbError> {
    pool.changed(sql!([tenant], "update outbox set payload = '{}' where tenant_id = $1 and delivered_at is not null and payload <> '{}'"))
        .await
}

/// Marks a row that cannot be read.
pub async fn set_aside(tx: &mut Tx, row: &Waiting, error: &str) -> Result<(), DbError> {
    tx.run(sql!(
        [row.tenant_id, row.agent_id, row.id, error],
        "update outbox set error = $4, attempts = attempts + 1 where tenant_id = $1 and agent_id = $2 and id = $3"
    ))
    .await
}

/// Deletes at most `most` rows of any tenant that were delivered before a time; how many.
pub async fn sweep(pool: &SystemPool, before: DateTime<Utc>, most: i64) -> Result<i64, DbError> {
    pool.value(sql!([before, most], "select sweep_outbox($1, $2)")).await
}

/// How many rows wait, and the time of the oldest.
pub async fn lag(pool: &SystemPool) -> Result<(i64, Option<DateTime<Utc>>), DbError> {
    pool.row(sql!([], "select count(*), min(created_at) from outbox where delivered_at is null")).await
}

/// The same for one tenant.
pub async fn lag_of(tx: &mut Tx, tenant: TenantId) -> Result<(i64, Option<DateTime<Utc>>), DbError> {
    tx.row(sql!([tenant], "select count(*), min(created_at) from outbox where tenant_id = $1 and delivered_at is null")).await
}

/// Appends entries to one tenant's chain, each with the salt of its texts, in the caller's transaction. An entry that is there already is
/// left alone, so delivering twice is harmless.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, entries = entries.len()))]
pub async fn append(tx: &mut Tx, tenant: TenantId, entries: &[(&NewEntry, String)]) -> Result<(), DbError> {
    lock(tx, lock_key(&[b"audit", tenant.0.as_bytes()])).await?;
    let ids: Vec<Uuid> = entries.iter().map(|(entry, _)| entry.event_id.0).collect();
    let mut there: HashSet<Uuid> = tx
        .values(sql!([tenant, &ids], "select event_id from audit_log where tenant_id = $1 and event_id = any($2)"))
        .await?
        .into_iter()
        .collect();
    let last: Option<(i64, Vec<u8>)> =
        tx.row_if_any(sql!([tenant], "select seq, hash from audit_log where tenant_id = $1 order by seq desc limit 1")).await?;
    let (mut seq, mut previous) = last.unwrap_or((0, chain::GENESIS.to_vec()));
    let mut heard = Vec::new();
    for (entry, salt) in entries {
        if !there.insert(entry.event_id.0) {
            continue;
        }
        seq += 1;
        let texts_hash = chain::texts_hash(salt, entry);
        let hash = chain::hash(tenant, seq, entry, &texts_hash, &previous);
        let query = insert!("insert into audit_log" {
            tenant_id: tenant,
            event_id: entry.event_id,
            seq: seq,
            at: entry.at,
            actor_kind: &entry.actor_kind,
            actor_id: &entry.actor_id,
            actor_name: "",
            action: &entry.action,
            target_kind: &entry.target_kind,
            target_id: &entry.target_id,
            agent_id: entry.agent_id,
            message: "",
            request_id: entry.request_id,
            visibility: entry.visibility,
            previous: &previous,
            hash: &hash,
            texts_hash: texts_hash,
        } "");
        tx.run(query).await?;
        let query = insert!("insert into audit_texts" {
            tenant_id: tenant,
            event_id: entry.event_id,
            salt: salt,
            actor_name: &entry.actor_name,
            message: &entry.message,
            reason: &entry.reason,
            changes: &entry.changes,
        } "");
        tx.run(query).await?;
        heard.extend(entry.notice());
        previous = hash;
    }
    notices::store::append(tx, tenant, &heard).await
}

/// Erases the texts of entries, with their salts; how many entries had any. The chain stays whole. Entries that were made before texts had
/// a table of their own keep theirs.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, entries = entries.len()))]
pub async fn erase_texts(tx: &mut Tx, tenant: TenantId, entries: &[EventId]) -> Result<u64, DbError> {
    tx.changed(sql!([tenant, entries], "delete from audit_texts where tenant_id = $1 and event_id = any($2)")).await
}

/// The last link of a tenant's chain.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Head {
    pub tenant_id: TenantId,
    /// Its place, which is the number of entries.
    pub seq: i64,
    pub hash: Vec<u8>,
}

/// The last link of every chain.
pub async fn heads(control: &SystemPool) -> Result<Vec<Head>, DbError> {
    control
        .rows(sql!(
            [],
            r"select t.id as tenant_id, l.seq, l.hash
            from tenants t
           cross join lateral (select seq, hash from audit_log where tenant_id = t.id order by seq desc limit 1) l
           order by t.id"
        ))
        .await
}

/// The columns of an [`AuditEntry`], without its proof, for an entry `l` and its texts `x`: a literal, like the statements that read it. Erased texts say so.
macro_rules! columns {
    () => {
        "l.event_id, l.seq, l.at, l.actor_kind, l.actor_id, l.action, l.target_kind, l.target_id, l.agent_id, l.request_id, l.visibility, \
         case when l.texts_hash is null then l.actor_name else coalesce(x.actor_name, 'erased') end as actor_name, \
         case when l.texts_hash is null then l.message else coalesce(x.message, 'the texts of this entry were erased') end as message, \
         case when l.texts_hash is null then l.reason else x.reason end as reason, \
         case when l.texts_hash is null then l.changes else coalesce(x.changes, '{}') end as changes"
    };
}

/// Whether the texts of an entry are those that `columns!` reads in place of erased ones.
pub(super) fn reads_erased(entry: &NewEntry) -> bool {
    entry.actor_name == "erased"
        && entry.message == "the texts of this entry were erased"
        && entry.reason.is_none()
        && entry.changes == serde_json::json!({})
}

/// The columns of an [`AuditProof`](wire::AuditProof), for the same tables.
macro_rules! proof {
    () => {
        "l.tenant_id, encode(l.previous, 'hex') as previous, encode(l.hash, 'hex') as hash, encode(l.texts_hash, 'hex') as texts_hash, x.salt"
    };
}

/// Entries with their texts.
macro_rules! entries {
    () => {
        " from audit_log l left join audit_texts x on x.tenant_id = l.tenant_id and x.event_id = l.event_id"
    };
}

fn narrow(query: &mut QueryBuilder<Postgres>, tenant: TenantId, filter: &AuditFilter) {
    query.push(" where l.tenant_id = ").push_bind(tenant);
    if let Some(actor) = &filter.actor {
        let like = like::contains(actor);
        query.push(" and (l.actor_name ilike ").push_bind(like.clone()).push(" or x.actor_name ilike ").push_bind(like.clone());
        query.push(" or l.actor_id ilike ").push_bind(like).push(")");
    }
    if let Some(action) = &filter.action {
        query.push(" and l.action like ").push_bind(like::starts_with(action));
    }
    if let Some(target) = &filter.target {
        query.push(" and (l.target_id like ").push_bind(like::starts_with(target));
        query.push(" or l.target_id = any(").push_bind(filter.targets.clone()).push("))");
    }
    if let Some(from) = filter.from {
        query.push(" and l.at >= ").push_bind(from);
    }
    if let Some(until) = filter.until {
        query.push(" and l.at < ").push_bind(until);
    }
}

/// How many entries a filter matches, up to [`wire::TOTAL_MAX`] and one more.
pub async fn count(tx: &mut Tx, tenant: TenantId, filter: &AuditFilter) -> Result<i64, DbError> {
    let mut query = QueryBuilder::new(format!("select {COUNTED}{}", entries!()));
    narrow(&mut query, tenant, filter);
    count_rows(tx, query, "l.at desc, l.event_id desc").await
}

/// One page's entries and one more, in reading order.
pub async fn list(tx: &mut Tx, tenant: TenantId, filter: &AuditFilter, seek: &Seek, size: usize) -> Result<Vec<AuditEntry>, DbError> {
    let mut query = QueryBuilder::new(concat!("select ", columns!(), ", ", proof!(), entries!()));
    narrow(&mut query, tenant, filter);
    seek.push(&mut query, "l.at", "l.event_id", !filter.reversed, size);
    tx.rows(query).await
}

/// The newest entries about one target.
pub async fn of_target(tx: &mut Tx, tenant: TenantId, target: &str, most: i64) -> Result<Vec<AuditEntry>, DbError> {
    tx.rows(sql!(
        [tenant, target, most],
        "select ",
        columns!(),
        ", ",
        proof!(),
        entries!(),
        " where l.tenant_id = $1 and l.target_id = $2 order by l.seq desc limit $3"
    ))
    .await
}

/// Where the texts of an entry are.
pub enum Texts {
    /// In the row and under its hash: the entry was made before texts had a table of their own.
    InRow,
    /// Beside the row, with their salt; the row has their hash.
    Beside { salt: String, hash: Vec<u8> },
    /// Erased; the row has their hash.
    Erased { hash: Vec<u8> },
}

/// A link of the chain as it is stored.
pub struct Link {
    pub entry: NewEntry,
    pub texts: Texts,
    pub seq: i64,
    pub previous: Vec<u8>,
    pub hash: Vec<u8>,
}

/// Links of a tenant's chain after `seq`, in order.
pub async fn links(control: &SystemPool, tenant: TenantId, seq: i64, most: i64) -> Result<Vec<Link>, DbError> {
    #[derive(sqlx::FromRow)]
    struct Stored {
        #[sqlx(flatten)]
        entry: NewEntry,
        seq: i64,
        previous: Vec<u8>,
        hash: Vec<u8>,
        texts_hash: Option<Vec<u8>>,
        salt: Option<String>,
    }
    let rows: Vec<Stored> = control
        .rows(sql!(
            [tenant, seq, most],
            "select ",
            columns!(),
            ", l.previous, l.hash, l.texts_hash, x.salt",
            entries!(),
            " where l.tenant_id = $1 and l.seq > $2 order by l.seq limit $3"
        ))
        .await?;
    let link = |Stored { entry, seq, previous, hash, texts_hash, salt }: Stored| Link {
        entry,
        seq,
        texts: match (texts_hash, salt) {
            (None, _) => Texts::InRow,
            (Some(hash), Some(salt)) => Texts::Beside { salt, hash },
            (Some(hash), None) => Texts::Erased { hash },
        },
        previous,
        hash,
    };
    Ok(rows.into_iter().map(link).collect())
}

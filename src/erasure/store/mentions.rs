//! Rows that mention a person and belong to others or to nobody.

use super::turns::{Places, delete_leaves, delete_quotes, mark_erased};
use chrono::{DateTime, Utc};
use db::columns::{Erasure, Holds, TABLES};
use db::of_user::{delete, delete_where};
use db::{DbError, Tx, like, lock_owner, sql, statement};
use extract::redact::COLUMNS;
use sqlx::FromRow;
use std::collections::BTreeSet;
use uuid::Uuid;
use wire::{AgentId, ErasureId, MentionPlace, TenantId, UserId};

/// Where mentions are searched: a table, and the column that names the row that goes.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub place: MentionPlace,
    pub database: &'static str,
    pub table: &'static str,
    pub key: &'static str,
}

const fn place(place: MentionPlace, database: &'static str, table: &'static str, key: &'static str) -> Place {
    Place { place, database, table, key }
}

/// Every place. A version, a further topic and a quote stand for their memory.
pub const PLACES: [Place; 19] = {
    use MentionPlace::{
        Action, AuditText, Decision, Document, Event, Expectation, ExpectationSet, Memory, Proposal, Quarantine, Retrieval, Source, Step,
        Term, Turns, View,
    };
    [
        place(Memory, "agent_memory", "agent_memories", "id"),
        place(Memory, "agent_memory", "agent_memory_versions", "memory_id"),
        place(Memory, "agent_memory", "memory_topics", "memory_id"),
        place(Memory, "agent_memory", "evidence", "memory_id"),
        place(Source, "agent_memory", "sources", "id"),
        place(Turns, "agent_memory", "sources", "id"),
        place(Event, "agent_memory", "events", "id"),
        place(Retrieval, "agent_memory", "retrievals", "id"),
        place(Quarantine, "agent_memory", "quarantine", "id"),
        place(Expectation, "agent_memory", "expectations", "id"),
        place(ExpectationSet, "agent_memory", "expectation_sets", "id"),
        place(Proposal, "shared_kb", "term_proposals", "id"),
        place(Decision, "shared_kb", "decisions", "id"),
        place(Term, "shared_kb", "canonical_terms", "id"),
        place(Document, "shared_kb", "chunks", "document_id"),
        place(Action, "internal_shared", "actions", "id"),
        place(Step, "internal_shared", "workflow_steps", "id"),
        place(View, "internal_shared", "saved_views", "id"),
        place(AuditText, "internal_shared", "audit_texts", "event_id"),
    ]
};

impl Place {
    /// The table in the list of columns, with whether its rows name their user.
    fn listed(&self) -> (bool, Vec<&'static str>) {
        let table = TABLES.iter().find(|table| (table.database, table.name) == (self.database, self.table));
        let Some(table) = table else { return (false, vec![]) };
        // Of the organisation's own tables every text counts.
        let shared = !self.place.is_erasable();
        // Hashes and what a run was requested for hold no name, and normal forms and keys repeat what stands beside them.
        let reads = |name: &str, holds: Holds| {
            (holds == Holds::Words || shared && holds == Holds::Plain)
                && !name.ends_with("hash")
                && name != "requested_for"
                && !name.ends_with("normal")
                && !name.ends_with("topic_key")
        };
        let columns = table.columns.iter().filter(|(name, holds, _)| reads(name, *holds)).map(|(name, ..)| *name).collect();
        (table.erasure == Erasure::Row, columns)
    }
}

/// A row that mentions a person.
#[derive(Clone, Debug, FromRow)]
pub struct MentionRow {
    pub id: Uuid,
    pub user_id: Option<UserId>,
    pub text: String,
}

/// Rows of a place that have one of some names in them and are not the user's, or, with `ids`, that are among these: sources as wholes.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, table = at.table))]
pub async fn find(
    tx: &mut Tx,
    at: &Place,
    tenant: TenantId,
    user: UserId,
    names: &[String],
    ids: Option<&[Uuid]>,
    most: i64,
) -> Result<Vec<MentionRow>, DbError> {
    let (of_user, columns) = at.listed();
    let (table, key) = (at.table, at.key);
    // Leaves empty JSON and empty arrays out of the text.
    let text = |column: &&str| format!("nullif(nullif(t.{column}::text, '{{}}'), '[]')");
    let texts = columns.iter().map(text).collect::<Vec<_>>().join(", ");
    let owner = if of_user { "t.user_id" } else { "null::uuid" };
    // The parts of a source are one mention.
    let row = if table == "sources" { "coalesce(t.whole_id, t.id)".to_owned() } else { format!("t.{key}") };
    let separator = u32::from(COLUMNS);
    // The names are those of the list: constants.
    let sql = format!(
        r"select {row} as id, min({owner}::text)::uuid as user_id, string_agg(x.text, chr({separator}) order by t.{key}) as text
            from {table} t cross join lateral (select concat_ws(chr({separator}), {texts}) as text) x
           where t.tenant_id = $1 and ({owner} is distinct from $2) and x.text ~* any($3)
             and ($4::uuid[] is null or t.{key} = any($4) or {row} = any($4))
           group by 1 order by 1 limit $5"
    );
    let patterns: Vec<String> = names.iter().map(|name| like::named(name)).collect();
    tx.rows(statement!(sql, tenant, user, patterns, ids, most)).await
}

/// The users to whom rows of a place belong, as far as they name one.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, table = at.table))]
pub async fn owners(tx: &mut Tx, at: &Place, tenant: TenantId, ids: &[Uuid]) -> Result<Vec<UserId>, DbError> {
    if !at.listed().0 {
        return Ok(vec![]);
    }
    let sql = format!("select distinct user_id from {} where tenant_id = $1 and {} = any($2) and user_id is not null", at.table, at.key);
    tx.values(statement!(sql, tenant, ids)).await
}

/// Locks sources with all of their parts, then takes their events from the workers, whose step begins again, and removes all events of a user
/// who is erased, then locks the owners: the order of everybody who works on a source. What a worker stored until then is seen from now on.
/// Which parts.
pub async fn lock_sources(tx: &mut Tx, tenant: TenantId, ids: &[Uuid], gone: Option<UserId>) -> Result<Vec<Uuid>, DbError> {
    let parts: Vec<(Uuid, AgentId, Option<UserId>)> = tx
        .rows(sql!(
            [tenant, ids],
            r"select s.id, s.agent_id, s.user_id from sources s
               where s.tenant_id = $1 and (s.id = any($2)
                  or s.whole_id in (select coalesce(w.whole_id, w.id) from sources w where w.tenant_id = $1 and w.id = any($2)))
               order by coalesce(s.whole_id, s.id), s.part for update of s"
        ))
        .await?;
    let ids: Vec<Uuid> = parts.iter().map(|(id, ..)| *id).collect();
    tx.run(sql!(
        [tenant, &ids],
        r"update events set state = 'pending', error = null, leased_until = null, attempts_before = attempt
           where tenant_id = $1 and source_id = any($2) and state = 'running'"
    ))
    .await?;
    if let Some(user) = gone {
        delete(tx, "events", tenant, user).await?;
    }
    for (agent, user) in parts.into_iter().map(|(_, agent, user)| (agent, user)).collect::<BTreeSet<_>>() {
        lock_owner(tx, agent, user).await?;
    }
    Ok(ids)
}

/// Removes sources with all of their parts, what quotes them, and what profiles have from them.
pub async fn delete_sources(tx: &mut Tx, tenant: TenantId, request: ErasureId, ids: &[Uuid], now: DateTime<Utc>) -> Result<(), DbError> {
    let parts = lock_sources(tx, tenant, ids, None).await?;
    let all = Places::whole(&parts);
    mark_erased(tx, tenant, request, &parts, &all, &[], now).await?;
    delete_quotes(tx, tenant, &all).await?;
    delete_where(tx, "events", "source_id", tenant, &parts).await?;
    delete_leaves(tx, tenant, &parts, &all, &[]).await?;
    delete_where(tx, "sources", "id", tenant, &parts).await?;
    Ok(())
}

//! Queries of export and import on evidence, quarantine and proposals about two memories.

use super::{Scope, page};
use crate::lines::{EvidenceLine, PairLine, QuarantinedTurnLine, Section};
use db::{DbError, Tenancy, Tx, of_user, statement};
use serde_json::Value;
use sqlx::{AssertSqlSafe, FromRow};
use uuid::Uuid;

/// Columns of [`EvidenceLine`], except its agent.
pub const EVIDENCE: &[&str] = &[
    "id",
    "memory_id",
    "user_id",
    "candidate_id",
    "source_id",
    "event_id",
    "starts",
    "ends",
    "quote",
    "speaker",
    "observed_at",
    "created_at",
];
/// Columns of [`QuarantinedTurnLine`], except its agent.
pub const QUARANTINED_TURN: &[&str] =
    &["id", "user_id", "source_id", "event_id", "starts", "ends", "quote", "reasons", "state", "created_at", "decided_at", "decided_by"];
/// Columns of [`PairLine`], except its agent.
pub const PAIR: &[&str] = &["id", "user_id", "from_id", "to_id", "relation", "reason", "state", "created_at", "decided_at", "decided_by"];

/// Evidence after `last`, by id; with a filter or for an agent only that of selected memories. A candidate that is not selected is left
/// out: the memory that it was merged into takes its place.
pub async fn evidence(tx: &mut Tx, scope: &Scope<'_>, last: Option<&EvidenceLine>, size: usize) -> Result<Vec<EvidenceLine>, DbError> {
    let mut query = statement!(
        r"select t.agent_id, t.id, t.memory_id, t.user_id, coalesce(c.id, t.memory_id) as candidate_id, t.source_id, t.event_id, t.starts,
                 t.ends, t.quote, t.speaker, t.observed_at, t.created_at
            from evidence t
            left join lateral (select m.id from agent_memories m where m.tenant_id = $1 and m.agent_id = $2 and m.id = t.candidate_id",
        scope.tenancy.tenant,
        scope.agent,
        scope.tenancy.users,
    );
    scope.matching(&mut query);
    query.push(concat!(") c on true where t.tenant_id = $1 and t.agent_id = $2 and ", of_user!("t", "$3")));
    scope.narrow_to_person(&mut query);
    scope.about(&mut query, "m.id = t.memory_id");
    if let Some(last) = last {
        query.push(" and t.id > ").push_bind(last.id);
    }
    page(tx, query, "t.id", size).await
}

/// Turns in quarantine after `last`, by id, decided or not.
pub async fn quarantined_turns(
    tx: &mut Tx,
    scope: &Scope<'_>,
    last: Option<&QuarantinedTurnLine>,
    size: usize,
) -> Result<Vec<QuarantinedTurnLine>, DbError> {
    let mut query = scope.select("quarantine", QUARANTINED_TURN)?;
    if let Some(last) = last {
        query.push(" and t.id > ").push_bind(last.id);
    }
    page(tx, query, "t.id", size).await
}

/// Proposals about two memories after `last`, by id, decided or not.
pub async fn pairs(tx: &mut Tx, scope: &Scope<'_>, last: Option<&PairLine>, size: usize) -> Result<Vec<PairLine>, DbError> {
    let mut query = scope.select("memory_proposals", PAIR)?;
    if let Some(last) = last {
        query.push(" and t.id > ").push_bind(last.id);
    }
    page(tx, query, "t.id", size).await
}

/// The rows that quote a source which exists already with another user, or with other bytes at that place.
pub async fn misplaced(tx: &mut Tx, tenancy: Tenancy, section: Section, rows: &Value) -> Result<Vec<Uuid>, DbError> {
    let table = match section {
        Section::Evidence => "evidence",
        Section::QuarantinedTurn => "quarantine",
        _ => return Ok(vec![]),
    };
    let of_user = of_user!("s", "$3");
    // A source is converted once, however many rows quote it.
    let sql = format!(
        r"with given as materialized (select r.* from jsonb_populate_recordset(null::{table}, $2) r),
               texts as materialized (
                   select s.agent_id, s.id, s.user_id, convert_to(coalesce(s.content, ''), 'UTF8') as content from sources s
                    where s.tenant_id = $1 and (s.agent_id, s.id) in (select r.agent_id, r.source_id from given r) and {of_user})
          select r.id from given r join texts s on s.agent_id = r.agent_id and s.id = r.source_id
           where s.user_id is distinct from r.user_id or octet_length(s.content) < r.ends
              or substring(s.content from r.starts + 1 for r.ends - r.starts) <> convert_to(r.quote, 'UTF8')"
    );
    // The table is one of the literals above.
    Ok(sqlx::query_scalar(AssertSqlSafe(sql)).bind(tenancy.tenant).bind(rows).bind(tenancy.users).fetch_all(&mut **tx).await?)
}

/// How many rows of a file exist already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct Captured {
    pub existing: i64,
    /// Those of them that an import brings forward.
    pub behind: i64,
}

/// Evidence that exists already and follows its memory: the candidate was merged in the file, or its merge was undone there.
macro_rules! behind_in_evidence {
    () => {
        concat!(
            r"from jsonb_populate_recordset(null::evidence, $2) r
              join evidence t on t.tenant_id = $1 and t.agent_id = r.agent_id and t.id = r.id and t.user_id is not distinct from r.user_id
                             and t.candidate_id = r.candidate_id and t.memory_id <> r.memory_id
              join agent_memories c on c.tenant_id = $1 and c.agent_id = t.agent_id and c.id = t.candidate_id
              join agent_memories h on h.tenant_id = $1 and h.agent_id = t.agent_id and h.id = t.memory_id
             where case when r.memory_id = r.candidate_id then c.status <> 'superseded' else h.status = 'superseded' end and ",
            of_user!("t", "$3")
        )
    };
}

/// Rows of a table that wait for a decision here and have one in the file.
macro_rules! behind_in {
    ($table:literal, $waits:literal) => {
        concat!(
            "from jsonb_populate_recordset(null::",
            $table,
            ", $2) r join ",
            $table,
            " t on t.tenant_id = $1 and t.agent_id = r.agent_id and t.id = r.id and t.user_id is not distinct from r.user_id \
             where t.state = '",
            $waits,
            "' and r.state <> t.state and ",
            of_user!("t", "$3")
        )
    };
}

/// How many rows of evidence, quarantine or proposals exist already: with the same id, at the same place or about the same memories.
pub async fn count_captured(tx: &mut Tx, tenancy: Tenancy, section: Section, rows: &Value) -> Result<Captured, DbError> {
    let (table, key, behind) = match section {
        Section::Evidence => ("evidence", "source_id, starts, ends", behind_in_evidence!()),
        Section::QuarantinedTurn => ("quarantine", "source_id, starts, ends", behind_in!("quarantine", "waiting")),
        Section::Pair => ("memory_proposals", "from_id, to_id, relation", behind_in!("memory_proposals", "open")),
        _ => return Ok(Captured { existing: 0, behind: 0 }),
    };
    let of_user = of_user!("t", "$3");
    let sql = format!(
        r"with given as materialized (select r.* from jsonb_populate_recordset(null::{table}, $2) r),
               there as (select r.id from given r join {table} t using (agent_id, id) where t.tenant_id = $1 and {of_user}
                         union
                         select r.id from given r join {table} t using (agent_id, {key}) where t.tenant_id = $1 and {of_user})
          select (select count(*) from there) as existing, (select count(*) {behind}) as behind"
    );
    // Table, key and condition are the literals above.
    Ok(sqlx::query_as(AssertSqlSafe(sql)).bind(tenancy.tenant).bind(rows).bind(tenancy.users).fetch_one(&mut **tx).await?)
}

/// Gives evidence that exists already to the memory in the file, if the candidate was merged there, or its merge undone.
pub async fn forward_evidence(tx: &mut Tx, tenancy: Tenancy, rows: &Value) -> Result<(), DbError> {
    sqlx::query(concat!(
        r"update evidence e set memory_id = behind.memory_id
            from (select t.agent_id, t.id, r.memory_id ",
        behind_in_evidence!(),
        r") behind
            join agent_memories m on m.tenant_id = $1 and m.agent_id = behind.agent_id and m.id = behind.memory_id
           where e.tenant_id = $1 and e.agent_id = behind.agent_id and e.id = behind.id and m.user_id is not distinct from e.user_id"
    ))
    .bind(tenancy.tenant)
    .bind(rows)
    .bind(tenancy.users)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Decides turns that wait in quarantine here and were decided in the file.
pub async fn forward_quarantined_turns(tx: &mut Tx, tenancy: Tenancy, rows: &Value) -> Result<(), DbError> {
    sqlx::query(concat!(
        r"update quarantine e set state = behind.state, decided_at = behind.decided_at, decided_by = behind.decided_by
            from (select t.agent_id, t.id, r.state, r.decided_at, r.decided_by ",
        behind_in!("quarantine", "waiting"),
        ") behind where e.tenant_id = $1 and e.agent_id = behind.agent_id and e.id = behind.id"
    ))
    .bind(tenancy.tenant)
    .bind(rows)
    .bind(tenancy.users)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Decides proposals that are open here and were decided in the file.
pub async fn forward_pairs(tx: &mut Tx, tenancy: Tenancy, rows: &Value) -> Result<(), DbError> {
    sqlx::query(concat!(
        r"update memory_proposals e set state = behind.state, decided_at = behind.decided_at, decided_by = behind.decided_by
            from (select t.agent_id, t.id, r.state, r.decided_at, r.decided_by ",
        behind_in!("memory_proposals", "open"),
        ") behind where e.tenant_id = $1 and e.agent_id = behind.agent_id and e.id = behind.id"
    ))
    .bind(tenancy.tenant)
    .bind(rows)
    .bind(tenancy.users)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Inserts evidence whose memory and source are the same agent's and user's.
pub async fn put_evidence(tx: &mut Tx, tenancy: Tenancy, rows: &Value) -> Result<(), DbError> {
    put(tx, tenancy, "evidence", EVIDENCE, &[("agent_memories", "memory_id"), ("agent_memories", "candidate_id"), SOURCE], rows).await
}

/// Inserts turns in quarantine whose source is the same agent's and user's.
pub async fn put_quarantined_turns(tx: &mut Tx, tenancy: Tenancy, rows: &Value) -> Result<(), DbError> {
    put(tx, tenancy, "quarantine", QUARANTINED_TURN, &[SOURCE], rows).await
}

/// Inserts proposals about two memories of the same agent and user.
pub async fn put_pairs(tx: &mut Tx, tenancy: Tenancy, rows: &Value) -> Result<(), DbError> {
    put(tx, tenancy, "memory_proposals", PAIR, &[("agent_memories", "from_id"), ("agent_memories", "to_id")], rows).await
}

const SOURCE: (&str, &str) = ("sources", "source_id");

/// Inserts rows of which every named column has the id of a row of another table that is the same agent's and user's.
async fn put(
    tx: &mut Tx,
    tenancy: Tenancy,
    table: &str,
    columns: &[&str],
    references: &[(&str, &str)],
    rows: &Value,
) -> Result<(), DbError> {
    let values = columns.join(", r.");
    let (columns, of_user) = (columns.join(", "), of_user!("r", "$3"));
    let owned: String = references
        .iter()
        .map(|(other, column)| {
            format!(
                " and exists (select from {other} o where o.tenant_id = $1 and o.agent_id = r.agent_id and o.id = r.{column}
                                 and o.user_id is not distinct from r.user_id)"
            )
        })
        .collect();
    let sql = format!(
        r"insert into {table} (tenant_id, agent_id, {columns})
          select $1, r.agent_id, r.{values} from jsonb_populate_recordset(null::{table}, $2) r where {of_user}{owned} on conflict do nothing"
    );
    // Tables and columns are literals of the functions above.
    sqlx::query(AssertSqlSafe(sql)).bind(tenancy.tenant).bind(rows).bind(tenancy.users).execute(&mut **tx).await?;
    Ok(())
}

//! Queries of export and import on evidence, quarantine and proposals about two memories.

use crate::lines::Section;
use db::{DbError, Tenancy, Tx, of_user, statement};
use serde_json::Value;
use sqlx::FromRow;
use uuid::Uuid;

/// The rows that quote a source which exists already with another user, or with other bytes at that place.
pub async fn misplaced(tx: &mut Tx, tenancy: Tenancy, section: Section, rows: &Value) -> Result<Vec<Uuid>, DbError> {
    if section == Section::Suggestion {
        return Ok(vec![]);
    }
    let (table, of_user) = (section.table(), of_user!("s", "$3"));
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
    // The table is one of the format.
    tx.values(statement!(sql, tenancy.tenant, rows, tenancy.users)).await
}

/// How many rows of a file exist already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct Captured {
    pub existing: i64,
    /// Those of them that an import brings forward.
    pub behind: i64,
}

/// The rows that an import brings forward: evidence whose candidate was merged in the file, or whose merge was undone there; turns in
/// quarantine and proposals that wait for a decision here and have one in the file.
fn behind(section: Section) -> String {
    let (table, of_user) = (section.table(), of_user!("t", "$3"));
    let condition = match section {
        Section::Evidence => {
            r"join agent_memories c on c.tenant_id = $1 and c.agent_id = t.agent_id and c.id = t.candidate_id
              join agent_memories h on h.tenant_id = $1 and h.agent_id = t.agent_id and h.id = t.memory_id
             where t.candidate_id = r.candidate_id and t.memory_id <> r.memory_id
               and case when r.memory_id = r.candidate_id then c.status <> 'superseded' else h.status = 'superseded' end"
        }
        Section::Suggestion => "where t.state = 'open' and r.state <> t.state",
        _ => "where t.state = 'waiting' and r.state <> t.state",
    };
    format!(
        r"from jsonb_populate_recordset(null::{table}, $2) r
          join {table} t on t.tenant_id = $1 and t.agent_id = r.agent_id and t.id = r.id and t.user_id is not distinct from r.user_id
          {condition} and {of_user}"
    )
}

/// How many rows of evidence, quarantine or proposals exist already: with the same id, at the same place or about the same memories.
pub async fn count_captured(tx: &mut Tx, tenancy: Tenancy, section: Section, rows: &Value) -> Result<Captured, DbError> {
    let (table, of_user) = (section.table(), of_user!("t", "$3"));
    let key = if section == Section::Suggestion { "from_id, to_id, relation" } else { "source_id, starts, ends" };
    let behind = behind(section);
    let sql = format!(
        r"with given as materialized (select r.* from jsonb_populate_recordset(null::{table}, $2) r),
               there as (select r.id from given r join {table} t using (agent_id, id) where t.tenant_id = $1 and {of_user}
                         union
                         select r.id from given r join {table} t using (agent_id, {key}) where t.tenant_id = $1 and {of_user})
          select (select count(*) from there) as existing, (select count(*) {behind}) as behind"
    );
    // Table, key and condition are constants.
    tx.row(statement!(sql, tenancy.tenant, rows, tenancy.users)).await
}

/// Gives evidence that exists already to the memory in the file, if the candidate was merged there, or its merge undone.
pub async fn forward_evidence(tx: &mut Tx, tenancy: Tenancy, rows: &Value) -> Result<(), DbError> {
    let sql = format!(
        r"update evidence e set memory_id = behind.memory_id
            from (select t.agent_id, t.id, r.memory_id {}) behind
            join agent_memories m on m.tenant_id = $1 and m.agent_id = behind.agent_id and m.id = behind.memory_id
           where e.tenant_id = $1 and e.agent_id = behind.agent_id and e.id = behind.id and m.user_id is not distinct from e.user_id",
        behind(Section::Evidence)
    );
    // Table and condition are constants.
    tx.run(statement!(sql, tenancy.tenant, rows, tenancy.users)).await
}

/// Decides turns in quarantine or proposals that wait here and were decided in the file.
pub async fn forward_decisions(tx: &mut Tx, tenancy: Tenancy, section: Section, rows: &Value) -> Result<(), DbError> {
    let sql = format!(
        r"update {} e set state = behind.state, decided_at = behind.decided_at, decided_by = behind.decided_by
            from (select t.agent_id, t.id, r.state, r.decided_at, r.decided_by {}) behind
           where e.tenant_id = $1 and e.agent_id = behind.agent_id and e.id = behind.id",
        section.table(),
        behind(section)
    );
    // Table and condition are constants.
    tx.run(statement!(sql, tenancy.tenant, rows, tenancy.users)).await
}

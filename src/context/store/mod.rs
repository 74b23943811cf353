//! All SQL of contexts.

mod log;

pub use log::*;

use crate::memories::model::Memory;
use crate::memories::store::columns;
use chrono::{DateTime, Utc};
use db::{DbError, Tenancy, Tx, of_user, sql};
use uuid::Uuid;
use wire::{AgentId, MemoryId};

/// Whose memories, and for which work.
pub struct Wanted<'a> {
    pub tenancy: Tenancy,
    pub agents: &'a [AgentId],
    pub project: Option<Uuid>,
    pub repo: Option<Uuid>,
    /// The memories that the search found.
    pub found: &'a [MemoryId],
    pub now: DateTime<Utc>,
}

/// The memories that the search found, and three groups that apply to every task: profile facts, facts of the project and the repository,
/// and decisions in force. At most `most` of each group, the most important first, then the newest.
pub async fn memories(tx: &mut Tx, wanted: &Wanted<'_>, most: i64) -> Result<Vec<Memory>, DbError> {
    tx.rows(sql!(
        [wanted.tenancy.tenant, wanted.agents, wanted.tenancy.users, wanted.project, wanted.repo, wanted.found, wanted.now, most],
        r"with standing as (
              select m.id, row_number() over (
                         partition by case when m.kind = 'decision' then 'decisions' when m.scope in ('project', 'repo') then 'project' end
                         order by m.pinned desc, m.importance desc, m.updated_at desc, m.id desc) as place
                from agent_memories m
               where ",
        of_user!("m", "$3"),
        r" and m.tenant_id = $1 and m.agent_id = any($2) and m.live
                 and (m.expires_at is null or m.expires_at > $7) and m.kind <> 'episode'
                 and ((m.scope = 'project' and m.project_id = $4) or (m.scope = 'repo' and m.repo_id = $5)
                      or (m.scope = 'global' and m.kind in ('profile', 'decision')) or (m.scope = 'agent' and m.kind = 'decision')
                      or m.profile_fact))
          select ",
        columns!(),
        r" from agent_memories m
           where m.tenant_id = $1 and m.agent_id = any($2) and m.live and (m.expires_at is null or m.expires_at > $7) and ",
        of_user!("m", "$3"),
        // One array: with `or`, every memory of the agent would be read once more.
        r"
             and m.id = any(array(select unnest($6::uuid[]) union select s.id from standing s where s.place <= $8))
           order by m.pinned desc, m.importance desc, m.updated_at desc, m.id desc"
    ))
    .await
}

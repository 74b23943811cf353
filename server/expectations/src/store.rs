//! All SQL of expectations.

use crate::score::{Measured, Scores};
use crate::state::State;
use chrono::{DateTime, Utc};
use db::{DbError, Tenancy, Tx, insert, lock, lock_key, of_user, sql};
use sqlx::FromRow;
use wire::{
    AgentId, ExpectationId, ExpectationOrigin, ExpectationRun, ExpectationRunId, ExpectationSetId, MemoryId, RunCause, TenantId, UserId,
};

/// A set, and whether a run of it waits or is under way.
#[derive(Clone, Debug, FromRow)]
pub struct StoredSet {
    pub id: ExpectationSetId,
    pub name: String,
    pub waiting: bool,
    /// For what a run was last requested.
    pub requested_for: Option<String>,
}

/// A run with its set.
#[derive(Clone, Debug, FromRow)]
pub struct StoredRun {
    pub set_id: ExpectationSetId,
    #[sqlx(flatten)]
    pub run: ExpectationRun,
}

/// An expectation as its table has it.
#[derive(Clone, Debug, FromRow)]
pub struct StoredExpectation {
    pub id: ExpectationId,
    pub set_id: ExpectationSetId,
    pub agent_id: AgentId,
    pub user_id: Option<UserId>,
    pub query: String,
    pub memory_ids: Vec<MemoryId>,
    pub origin: ExpectationOrigin,
    pub note: Option<String>,
    pub added_by: String,
    pub created_at: DateTime<Utc>,
}

/// What one run found for one expectation.
#[derive(Clone, Debug, FromRow)]
pub struct StoredResult {
    pub run_id: ExpectationRunId,
    pub expectation_id: ExpectationId,
    pub expected: i32,
    pub found: i32,
    pub rank: Option<i32>,
    pub stopped_by: Option<String>,
}

/// A memory that somebody named, and the one that stands for it now.
#[derive(Clone, Debug, FromRow)]
pub struct Successor {
    pub named: MemoryId,
    pub id: MemoryId,
    pub topic: String,
    pub is_deleted: bool,
}

/// The sets of a tenant, or one of them, by name.
pub async fn sets(tx: &mut Tx, tenant: TenantId, id: Option<ExpectationSetId>) -> Result<Vec<StoredSet>, DbError> {
    tx.rows(sql!(
        [tenant, id],
        r"select s.id, s.name, s.requested_for,
                 exists (select from events e
                          where e.tenant_id = $1 and e.task = 'run_expectations' and e.state in ('pending', 'running', 'failed')
                            and e.payload->>'set_id' = s.id::text) as waiting
            from expectation_sets s where s.tenant_id = $1 and ($2::uuid is null or s.id = $2) order by lower(s.name), s.name"
    ))
    .await
}

/// How many expectations each set has; sets without any are left out.
pub async fn sizes(tx: &mut Tx, tenant: TenantId) -> Result<Vec<(ExpectationSetId, i64)>, DbError> {
    tx.rows(sql!([tenant], "select set_id, count(*) from expectations where tenant_id = $1 group by set_id")).await
}

/// The last runs of the sets of a tenant, or of one of them: at most `most` of each, newest first.
pub async fn runs(tx: &mut Tx, tenant: TenantId, set: Option<ExpectationSetId>, most: i64) -> Result<Vec<StoredRun>, DbError> {
    tx.rows(sql!(
        [tenant, set, most],
        r"select r.set_id, r.id, r.at, r.cause, r.model, r.vector_floor, r.lexical_floor, r.vocabulary_version, r.k::bigint as k,
                 r.expectations::bigint as expectations, r.counted::bigint as counted, r.met::bigint as met, r.recall, r.mrr
            from expectation_sets s
           cross join lateral (select * from expectation_runs o where o.tenant_id = $1 and o.set_id = s.id
                                order by o.at desc, o.id desc limit $3) r
           where s.tenant_id = $1 and ($2::uuid is null or s.id = $2) order by r.set_id, r.at desc, r.id desc"
    ))
    .await
}

/// The results of some runs.
pub async fn results(tx: &mut Tx, tenant: TenantId, runs: &[ExpectationRunId]) -> Result<Vec<StoredResult>, DbError> {
    tx.rows(sql!(
        [tenant, runs],
        r"select run_id, expectation_id, expected, found, rank, stopped_by from expectation_results
           where tenant_id = $1 and run_id = any($2)"
    ))
    .await
}

/// The expectations of a set, newest first.
pub async fn expectations(tx: &mut Tx, tenancy: Tenancy, set: ExpectationSetId) -> Result<Vec<StoredExpectation>, DbError> {
    tx.rows(sql!(
        [tenancy.tenant, set, tenancy.users],
        r"select e.id, e.set_id, e.agent_id, e.user_id, e.query, e.memory_ids, e.origin, e.note, e.added_by, e.created_at
            from expectations e where e.tenant_id = $1 and e.set_id = $2 and ",
        of_user!("e", "$3"),
        " order by e.created_at desc, e.id desc"
    ))
    .await
}

/// The memories that stand for some now: each itself, or the last of those that superseded it. A memory that was erased is left out.
pub async fn successors(tx: &mut Tx, tenancy: Tenancy, named: &[MemoryId]) -> Result<Vec<Successor>, DbError> {
    tx.rows(sql!(
        [tenancy.tenant, named, tenancy.users],
        r"with recursive chain as (
              select m.id as named, m.id, m.topic, m.status, m.deleted_at, 0 as depth
                from agent_memories m where m.tenant_id = $1 and m.id = any($2) and ",
        of_user!("m", "$3"),
        r"
              union all
              select c.named, n.id, n.topic, n.status, n.deleted_at, c.depth + 1
                from chain c
                join memory_links l on l.tenant_id = $1 and l.to_id = c.id and l.relation = 'supersedes'
                join agent_memories n on n.tenant_id = $1 and n.id = l.from_id
               where c.status = 'superseded' and c.depth < 20 and ",
        of_user!("n", "$3"),
        r")
          select distinct on (named) named, id, topic, deleted_at is not null as is_deleted
            from chain order by named, depth desc, deleted_at is not null, id"
    ))
    .await
}

/// Serialises changes of a tenant's sets, so that they can be counted.
pub async fn lock_sets(tx: &mut Tx, tenant: TenantId) -> Result<(), DbError> {
    lock(tx, lock_key(&[b"expectations", tenant.0.as_bytes()])).await
}

/// The set with a name.
pub async fn set_named(tx: &mut Tx, tenant: TenantId, name: &str) -> Result<Option<ExpectationSetId>, DbError> {
    tx.value_if_any(sql!([tenant, name], "select id from expectation_sets where tenant_id = $1 and name = $2")).await
}

/// How many sets a tenant has.
pub async fn count_sets(tx: &mut Tx, tenant: TenantId) -> Result<i64, DbError> {
    tx.value(sql!([tenant], "select count(*) from expectation_sets where tenant_id = $1")).await
}

/// How many expectations a set has.
pub async fn count(tx: &mut Tx, tenant: TenantId, set: ExpectationSetId) -> Result<i64, DbError> {
    tx.value(sql!([tenant, set], "select count(*) from expectations where tenant_id = $1 and set_id = $2")).await
}

/// Makes a set.
pub async fn insert_set(tx: &mut Tx, tenant: TenantId, id: ExpectationSetId, name: &str, now: DateTime<Utc>) -> Result<(), DbError> {
    tx.run(sql!([tenant, id, name, now], "insert into expectation_sets (tenant_id, id, name, created_at) values ($1, $2, $3, $4)")).await
}

/// An expectation of a set with the same agent, user, question and memories, if there is one.
pub async fn same(tx: &mut Tx, tenant: TenantId, new: &StoredExpectation) -> Result<Option<ExpectationId>, DbError> {
    tx.value_if_any(sql!(
        [tenant, new.set_id, new.agent_id, new.user_id, &new.query, &new.memory_ids],
        r"select id from expectations
           where tenant_id = $1 and set_id = $2 and agent_id = $3 and user_id is not distinct from $4 and query = $5 and memory_ids = $6
           limit 1"
    ))
    .await
}

/// Adds an expectation.
pub async fn insert(tx: &mut Tx, tenant: TenantId, new: &StoredExpectation) -> Result<(), DbError> {
    let query = insert!("insert into expectations" {
        tenant_id: tenant,
        agent_id: new.agent_id,
        id: new.id,
        set_id: new.set_id,
        user_id: new.user_id,
        query: &new.query,
        memory_ids: &new.memory_ids,
        origin: new.origin,
        note: &new.note,
        added_by: &new.added_by,
        created_at: new.created_at,
    } "");
    tx.run(query).await
}

/// How many expectations of a set, or that one, belong to a user who is under a legal hold.
pub async fn held(tx: &mut Tx, tenant: TenantId, set: Option<ExpectationSetId>, one: Option<ExpectationId>) -> Result<i64, DbError> {
    tx.value(sql!(
        [tenant, set, one],
        r"select count(*) from expectations e
            join legal_holds h on h.tenant_id = $1 and h.user_id = e.user_id and h.lifted_at is null
           where e.tenant_id = $1 and (e.set_id = $2 or e.id = $3)"
    ))
    .await
}

/// Removes an expectation with its results. Returns its set and its agent, if there was one.
pub async fn remove(tx: &mut Tx, tenant: TenantId, id: ExpectationId) -> Result<Option<(ExpectationSetId, AgentId)>, DbError> {
    tx.row_if_any(sql!(
        [tenant, id],
        r"with results as (delete from expectation_results where tenant_id = $1 and expectation_id = $2)
          delete from expectations where tenant_id = $1 and id = $2 returning set_id, agent_id"
    ))
    .await
}

/// Deletes a set with its expectations and runs. Returns its name, if there was one.
pub async fn delete_set(tx: &mut Tx, tenant: TenantId, id: ExpectationSetId) -> Result<Option<String>, DbError> {
    tx.run(sql!(
        [tenant, id],
        r"delete from expectation_results r using expectation_runs o
           where o.tenant_id = $1 and o.set_id = $2 and r.tenant_id = $1 and r.run_id = o.id"
    ))
    .await?;
    tx.run(sql!([tenant, id], "delete from expectation_runs where tenant_id = $1 and set_id = $2")).await?;
    tx.run(sql!([tenant, id], "delete from expectations where tenant_id = $1 and set_id = $2")).await?;
    tx.value_if_any(sql!([tenant, id], "delete from expectation_sets where tenant_id = $1 and id = $2 returning name")).await
}

/// Records for what a run was last requested.
pub async fn note_request(tx: &mut Tx, tenant: TenantId, set: ExpectationSetId, state: &str) -> Result<(), DbError> {
    tx.run(sql!([tenant, set, state], "update expectation_sets set requested_for = $3 where tenant_id = $1 and id = $2")).await
}

/// A run that is to be stored.
pub struct NewRun<'a> {
    pub id: ExpectationRunId,
    pub set: ExpectationSetId,
    pub at: DateTime<Utc>,
    pub cause: RunCause,
    pub state: &'a State,
    pub k: u32,
    pub expectations: usize,
    pub scores: Scores,
}

/// Stores a run; false: it is stored already.
pub async fn insert_run(tx: &mut Tx, tenant: TenantId, run: &NewRun<'_>) -> Result<bool, DbError> {
    let query = insert!("insert into expectation_runs" {
        tenant_id: tenant,
        id: run.id,
        set_id: run.set,
        at: run.at,
        cause: run.cause,
        model: &run.state.model,
        vector_floor: run.state.floors.vector,
        lexical_floor: run.state.floors.lexical,
        vocabulary_version: run.state.vocabulary_version,
        k: i32::try_from(run.k).unwrap_or(i32::MAX),
        expectations: i32::try_from(run.expectations).unwrap_or(i32::MAX),
        counted: run.scores.counted,
        met: run.scores.met,
        recall: run.scores.recall,
        mrr: run.scores.mrr,
    } "on conflict do nothing");
    tx.changed_any(query).await
}

/// Stores what a run found.
pub async fn insert_results(
    tx: &mut Tx,
    tenant: TenantId,
    run: ExpectationRunId,
    results: &[(StoredExpectation, Measured)],
) -> Result<(), DbError> {
    let ids: Vec<ExpectationId> = results.iter().map(|(one, _)| one.id).collect();
    let expected: Vec<i32> = results.iter().map(|(_, measured)| measured.expected).collect();
    let found: Vec<i32> = results.iter().map(|(_, measured)| measured.found).collect();
    let ranks: Vec<Option<i32>> = results.iter().map(|(_, measured)| measured.rank).collect();
    let gates: Vec<Option<&str>> = results.iter().map(|(_, measured)| measured.stopped_by.map(wire::Gate::as_str)).collect();
    // An expectation that was removed meanwhile has no result; one of an erased user has no row that names the user.
    tx.run(sql!(
        [tenant, run, ids, expected, found, ranks, gates],
        r"insert into expectation_results (tenant_id, agent_id, run_id, expectation_id, user_id, expected, found, rank, stopped_by)
          select e.tenant_id, e.agent_id, $2, e.id, e.user_id, g.expected, g.found, g.rank, g.stopped_by
            from unnest($3::uuid[], $4::integer[], $5::integer[], $6::integer[], $7::text[]) as g (id, expected, found, rank, stopped_by)
            join expectations e on e.tenant_id = $1 and e.id = g.id"
    ))
    .await
}

/// Deletes runs of a set beyond the last `runs`, and results beyond those of the last `results` runs.
pub async fn forget_old_runs(tx: &mut Tx, tenant: TenantId, set: ExpectationSetId, results: i64, runs: i64) -> Result<(), DbError> {
    tx.run(sql!(
        [tenant, set, results],
        r"delete from expectation_results where tenant_id = $1 and run_id in (
              select id from expectation_runs where tenant_id = $1 and set_id = $2 order by at desc, id desc offset $3)"
    ))
    .await?;
    tx.run(sql!(
        [tenant, set, runs],
        r"delete from expectation_runs where tenant_id = $1 and id in (
              select id from expectation_runs where tenant_id = $1 and set_id = $2 order by at desc, id desc offset $3)"
    ))
    .await
}

//! The queries of expectations.

use super::queries::{Case, Query, queries};
use ::expectations::store::{self as expectations, NewRun, StoredExpectation};
use ::expectations::{Measured, Scores, State};
use db::{DbError, Tx};
use foundation::registry::Floors;
use sqlx::{AssertSqlSafe, PgConnection};
use uuid::Uuid;
use wire::{ExpectationId, ExpectationOrigin, ExpectationRunId, ExpectationSetId, RunCause};

/// A set with an expectation, a run and its result.
const SET: ExpectationSetId = ExpectationSetId(Uuid::from_u128(0x5e7));
const ONE: ExpectationId = ExpectationId(Uuid::from_u128(0x5e8));
/// An expectation of a user under a legal hold, and the user.
const HELD: Uuid = Uuid::from_u128(0x5ea);
const RUN: ExpectationRunId = ExpectationRunId(Uuid::from_u128(0x5e9));

/// Adds a set with one of each to the fixture.
pub async fn fill(owner: &mut PgConnection, case: &Case) {
    let (tenant, agent, commons, memory) = (case.tenant, case.agent, case.commons, case.id);
    let sql = format!(
        "insert into expectation_sets (tenant_id, id, name, created_at) values ('{tenant}', '{SET}', 'tea', now());
         insert into expectations (tenant_id, agent_id, id, set_id, query, memory_ids, origin, added_by, created_at)
         values ('{tenant}', '{agent}', '{ONE}', '{SET}', 'Which tea?', array['{memory}'::uuid], 'zero_hit', 'Vera', now());
         insert into expectations (tenant_id, agent_id, id, set_id, user_id, query, memory_ids, origin, added_by, created_at)
         values ('{tenant}', '{agent}', '{HELD}', '{SET}', '{HELD}', 'Which cup?', array['{memory}'::uuid], 'zero_hit', 'Vera', now());
         insert into legal_holds (tenant_id, agent_id, id, user_id, reason, set_by, set_at)
         values ('{tenant}', '{commons}', '{HELD}', '{HELD}', 'because', 'Vera', now());
         insert into expectation_runs (tenant_id, id, set_id, at, cause, model, vector_floor, lexical_floor, vocabulary_version, k,
                                       expectations, counted, met)
         values ('{tenant}', '{RUN}', '{SET}', now(), 'requested', 'fake', 0.3, 0.3, 1, 10, 1, 1, 1);
         insert into expectation_results (tenant_id, agent_id, run_id, expectation_id, expected, found, rank)
         values ('{tenant}', '{agent}', '{RUN}', '{ONE}', 1, 1, 1)"
    );
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(owner).await.unwrap();
}

fn new(c: &Case) -> StoredExpectation {
    StoredExpectation {
        id: ExpectationId(c.fresh),
        set_id: SET,
        agent_id: c.agent,
        user_id: None,
        query: "intruded".into(),
        memory_ids: vec![c.id],
        origin: ExpectationOrigin::Diagnosis,
        note: None,
        added_by: "intruder".into(),
        created_at: c.now,
    }
}

/// In the database of memories; kept apart by tenant.
pub const EXPECTATIONS: &[Query] = queries! {
    "expectations::sets" |tx, c| expectations::sets(tx, c.tenant, Some(SET)).await?.len();
    "expectations::sizes" |tx, c| expectations::sizes(tx, c.tenant).await?.len();
    "expectations::runs" |tx, c| expectations::runs(tx, c.tenant, None, 2).await?.len();
    "expectations::results" |tx, c| expectations::results(tx, c.tenant, &[RUN]).await?.len();
    "expectations::expectations" |tx, c| expectations::expectations(tx, c.ctx.tenancy(), SET).await?.len();
    "expectations::successors" |tx, c| expectations::successors(tx, c.ctx.tenancy(), &[c.id]).await?.len();
    "expectations::set_named" |tx, c| usize::from(expectations::set_named(tx, c.tenant, "tea").await?.is_some());
    "expectations::count_sets" |tx, c| expectations::count_sets(tx, c.tenant).await? as usize;
    "expectations::count" |tx, c| expectations::count(tx, c.tenant, SET).await? as usize;
    "expectations::held" |tx, c| expectations::held(tx, c.tenant, Some(SET), None).await? as usize;
    "expectations::insert_set" |tx, c| { expectations::insert_set(tx, c.tenant, ExpectationSetId(c.fresh), "intruded", c.now).await?; 0 };
    "expectations::same" |tx, c| {
        let same = StoredExpectation { query: "Which tea?".into(), ..new(c) };
        usize::from(expectations::same(tx, c.tenant, &same).await?.is_some())
    };
    "expectations::insert" |tx, c| { expectations::insert(tx, c.tenant, &new(c)).await?; 0 };
    "expectations::remove" |tx, c| usize::from(expectations::remove(tx, c.tenant, ONE).await?.is_some());
    "expectations::delete_set" |tx, c| usize::from(expectations::delete_set(tx, c.tenant, SET).await?.is_some());
    "expectations::note_request" |tx, c| { expectations::note_request(tx, c.tenant, SET, "intruded").await?; 0 };
    "expectations::forget_old_runs" |tx, c| { expectations::forget_old_runs(tx, c.tenant, SET, 0, 0).await?; 0 };
    "expectations::insert_run" |tx, c| usize::from(insert_run(tx, c).await?);
    "expectations::insert_results" |tx, c| {
        insert_run(tx, c).await?;
        let stored = StoredExpectation { id: ONE, ..new(c) };
        expectations::insert_results(tx, c.tenant, ExpectationRunId(c.fresh), &[(stored, Measured::default())]).await?;
        0
    };
};

async fn insert_run(tx: &mut Tx, c: &Case) -> Result<bool, DbError> {
    let state = State { model: "intruder".into(), floors: Floors { vector: 0.0, lexical: 0.0 }, vocabulary_version: 1 };
    let run = NewRun {
        id: ExpectationRunId(c.fresh),
        set: SET,
        at: c.now,
        cause: RunCause::Changed,
        state: &state,
        k: 10,
        expectations: 1,
        scores: Scores::of([]),
    };
    expectations::insert_run(tx, c.tenant, &run).await
}

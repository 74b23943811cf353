//! The queries of sessions, and of the life cycle: limits, the archive and its sweeps.

use super::capture::{copy, source};
use super::queries::{Case, Query, queries};
use db::cursor::Seek;
use foundation::sessions::store::{self as sessions, Touch};
use remembrancer::lifecycle::store::{self as lifecycle, Record};
use remembrancer::memories::store::{self as memories, Which};
use serde_json::json;
use sqlx::PgConnection;
use uuid::Uuid;
use wire::{ArchiveReason, MemoryId};

const SESSION: Uuid = Uuid::from_u128(0x5e5510);

/// An episode that may fade.
fn episode(case: &Case) -> MemoryId {
    MemoryId(Uuid::from_u128(case.id.0.as_u128() ^ (9 << 8)))
}

/// Adds to the fixture a weak episode of a session that the source of the capture is from, a sweep, and a version, moments, an event, a turn in quarantine and a session without messages that are old.
pub async fn fill(owner: &mut PgConnection, case: &Case) {
    let weak = json!({ "id": episode(case), "short_id": "episode1", "kind": "episode", "retention": "routine", "importance": 0.01, "session_id": SESSION,
        "expires_at": case.now + chrono::Duration::days(1) });
    copy(owner, "agent_memories", "id", case.id.0, &weak).await;
    sqlx::query(
        "insert into events (tenant_id, agent_id, id, kind, task, payload, state, run_after, created_at, finished_at)
         values ($1, $2, gen_random_uuid(), 'maintenance', 'sweep', '{\"run\": \"1\"}', 'done', now(), now(), now())",
    )
    .bind(case.tenant)
    .bind(case.commons)
    .execute(&mut *owner)
    .await
    .unwrap();
    sqlx::query(
        "insert into sessions (tenant_id, agent_id, id, user_id, external_ref, messages, started_at, last_at)
         values ($1, $2, $3, $4, 'a session', 1, now(), now())",
    )
    .bind(case.tenant)
    .bind(case.agent)
    .bind(SESSION)
    .bind(case.memory.user_id)
    .execute(&mut *owner)
    .await
    .unwrap();
    let captured = "update sources set session_id = $2 where id = $1";
    sqlx::query(captured).bind(source(case)).bind(SESSION).execute(&mut *owner).await.unwrap();
    for version in [8, 9] {
        let later = json!({ "version": version, "change": "revised", "memory_id": episode(case) });
        copy(owner, "agent_memory_versions", "version = 1 and memory_id", case.id.0, &later).await;
    }
    for sql in [
        "insert into memory_moments (tenant_id, agent_id, memory_id, user_id, at, what)
         select $1, $2, $3, $4, now() - n * interval '1 hour', 'repeated' from generate_series(1, 2) n",
        "insert into events (tenant_id, agent_id, id, user_id, kind, task, state, run_after, created_at, finished_at)
         values ($1, $2, $3, $4, 'manual_write', 'remember', 'done', now(), now(), now())",
        "insert into quarantine (tenant_id, agent_id, id, user_id, source_id, event_id, starts, ends, quote, reasons, state, created_at, decided_at)
         values ($1, $2, $3, $4, $3, $3, 0, 3, 'tea', '{}', 'dismissed', now(), now())",
        "insert into sessions (tenant_id, agent_id, id, user_id, external_ref, messages, started_at, last_at)
         values ($1, $2, $3, $4, 'a session without messages', 0, now(), now())",
    ] {
        let query = sqlx::query(sql).bind(case.tenant).bind(case.agent).bind(episode(case)).bind(case.memory.user_id);
        query.execute(&mut *owner).await.unwrap();
    }
}

/// A time after all that is there.
fn later(case: &Case) -> chrono::DateTime<chrono::Utc> {
    case.now + chrono::Duration::days(3650)
}

/// What agents' calls run.
pub const LIFECYCLE: &[Query] = queries! {
    "memories::to_archive" |tx, c|
        memories::to_archive(tx, c.ctx.tenancy(), c.agent, Which::Below(0.1), 10, c.now).await?.len();
    "memories::live" |tx, c| memories::live(tx, c.ctx.tenancy(), c.agent).await? as usize;
    "memories::disputed" |tx, c| memories::disputed(tx, c.ctx.tenancy(), &[c.id]).await?.len();
    "memories::fading" |tx, c| memories::fading(tx, c.ctx.tenancy(), c.agent, c.now).await? as usize;
    "memories::archive" |tx, c| {
        memories::archive(tx, &c.ctx, c.agent, &[episode(c)], ArchiveReason::Faded, c.now).await? as usize
    };
    "memories::unarchive" |tx, c| { memories::unarchive(tx, c.ctx.tenancy(), &c.memory, Some(c.now), c.now).await?; 0 };
    "memories::set_pinned" |tx, c| {
        memories::set_pinned(tx, c.ctx.tenancy(), c.agent, c.id, true, Some(c.now)).await?;
        0
    };
    "lifecycle::aging" |tx, c| lifecycle::aging(tx, c.ctx.tenancy(), &[(c.agent, 0.1)], c.now).await?.first().map_or(0, |one| one.faded) as usize;
    "lifecycle::expiring" |tx, c| {
        lifecycle::expiring(tx, c.ctx.tenancy(), &[c.agent], c.now).await?.len()
    };
    "lifecycle::session_exists" |tx, c| usize::from(lifecycle::session_exists(tx, c.ctx.tenancy(), c.agent, SESSION).await?);
    "lifecycle::count_session" |tx, c| {
        lifecycle::count_session(tx, c.ctx.tenancy(), c.agent, SESSION, c.now).await? as usize
    };
    "lifecycle::list_session" |tx, c| {
        lifecycle::list_session(tx, c.ctx.tenancy(), c.agent, SESSION, &Seek::First, 9, c.now).await?.len()
    };
    "sessions::touch" |tx, c| {
        let user = c.ctx.tenancy().users.id();
        let touch = Touch { user, messages: 1, ..Touch::named(c.agent, c.fresh, "a session".into(), c.now) };
        sessions::touch(tx, c.tenant, &touch).await?;
        0
    };
    "sessions::count" |tx, c| sessions::count(tx, c.ctx.tenancy(), &Default::default()).await? as usize;
    "sessions::list" |tx, c| sessions::list(tx, c.ctx.tenancy(), &Default::default(), &Seek::First, 9).await?.len();
    "sessions::session" |tx, c| usize::from(sessions::session(tx, c.ctx.tenancy(), SESSION).await?.is_some());
    "sessions::made" |tx, c| sessions::made(tx, c.ctx.tenancy(), &[SESSION]).await?.len();
};

/// What background work and the console run.
pub const SWEEPS: &[Query] = queries! {
    "lifecycle::last_sweep" |tx, c| usize::from(lifecycle::last_sweep(tx, c.tenant).await?.is_some());
    "lifecycle::sweep_records" |tx, c| {
        lifecycle::sweep_records(tx, c.tenant, c.agent, Record::Versions, later(c), 9).await? as usize
    };
    "lifecycle::sweep_records" |tx, c| lifecycle::sweep_records(tx, c.tenant, c.agent, Record::Moments, later(c), 9).await? as usize;
    "lifecycle::sweep_records" |tx, c| lifecycle::sweep_records(tx, c.tenant, c.agent, Record::Events, later(c), 9).await? as usize;
    "lifecycle::sweep_records" |tx, c| {
        lifecycle::sweep_records(tx, c.tenant, c.agent, Record::Quarantine, later(c), 9).await? as usize
    };
    "lifecycle::sweep_records" |tx, c| lifecycle::sweep_records(tx, c.tenant, c.agent, Record::Sessions, later(c), 9).await? as usize;
    "lifecycle::sweep_runs" |tx, c| lifecycle::sweep_runs(tx, c.tenant, 10).await?.len();
};

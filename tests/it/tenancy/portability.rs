//! What export and import ask of the database of memories.

use super::queries::{Case, Query};
use remembrancer::db::{DbError, Tx};
use remembrancer::portability::lines::Section;
use remembrancer::portability::store::{self as portability, Importing, Scope};
use serde_json::{Value, json};
use uuid::Uuid;

macro_rules! queries {
    ($($name:literal |$tx:ident, $case:ident| $body:expr;)*) => {
        &[$(Query { name: $name, run: |$tx, $case| Box::pin(async move { Ok($body) }) }),*]
    };
}

fn importing(c: &Case) -> Importing<'static> {
    Importing { by: "intruder", revives: true, now: c.now }
}

fn scope(c: &Case) -> Scope<'_> {
    Scope { tenancy: c.ctx.tenancy(), agent: c.agent, agents: std::slice::from_ref(&c.agent), filter: None, in_reach_at: None }
}

/// The memory as a file might bring it: with another content and a later version.
fn memory(c: &Case) -> Value {
    json!([{
        "agent_id": c.agent, "user_id": c.memory.user_id, "id": c.id, "short_id": c.memory.short_id, "created_by": c.agent, "kind": "profile", "retention": "permanent",
        "scope": "agent", "status": "active", "topic": "tea", "topic_raw": "tea", "is_canonical": true, "content": "intruded",
        "source": c.memory.source, "source_kind": "manual", "confidence": 1.0, "importance": 1.0, "pinned": false, "version": 99,
        "access_count": 0, "created_at": c.now, "updated_at": c.now, "topic_normal": "tea", "vocabulary_version": 1, "profile_fact": false,
    }])
}

fn version(c: &Case, version: i32) -> Value {
    json!([{
        "agent_id": c.agent, "memory_id": c.id, "version": version, "change": "revised", "content": "intruded", "topic": "tea",
        "topic_raw": "tea", "is_canonical": true, "status": "active", "deleted": false, "updated_at": c.now, "valid_from": c.now,
        "actor_kind": "agent", "actor_id": "", "actor_name": "intruder", "source": c.memory.source,
    }])
}

fn link(c: &Case, relation: &str) -> Value {
    json!([{
        "agent_id": c.agent, "from_id": c.id, "to_id": c.other, "relation": relation, "created_at": c.now, "created_by": "intruder",
    }])
}

fn tombstone(c: &Case) -> Value {
    json!([{
        "agent_id": c.agent, "user_id": c.memory.user_id, "memory_id": c.id, "content_hash": "\\x01", "source": c.memory.source, "created_at": c.now,
    }])
}

fn source(c: &Case) -> Value {
    json!([{ "agent_id": c.agent, "user_id": c.memory.user_id, "id": c.fresh, "kind": "manual", "reference": "x", "metadata": {}, "created_at": c.now }])
}

fn event(c: &Case) -> Value {
    json!([{
        "agent_id": c.agent, "user_id": c.memory.user_id, "id": c.fresh, "kind": "observation", "task": "x", "payload": {}, "state": "done", "attempt": 0,
        "run_after": c.now, "created_at": c.now,
    }])
}

/// A source beside the memory, where that is seen.
async fn with_source(tx: &mut Tx, c: &Case) -> Result<(), DbError> {
    sqlx::query(
        "insert into sources (tenant_id, agent_id, id, kind, reference, created_at, user_id)
         select tenant_id, agent_id, $3, 'manual', 'x', now(), user_id from agent_memories where tenant_id = $1 and id = $2 and (user_id is null or user_id = $4 or $4 = 'ffffffff-ffff-ffff-ffff-ffffffffffff')",
    )
    .bind(c.tenant)
    .bind(c.id)
    .bind(c.fresh)
    .bind(c.ctx.users)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Three projects, of which two are linked, and a repository, likewise.
async fn with_projects(tx: &mut Tx, c: &Case) -> Result<(), DbError> {
    for sql in [
        "insert into projects select tenant_id, agent_id, p.id, p.slug, 'P', now(), 'x' from agent_memories,
            (values ($3::uuid, 'kettle'), ('00000000-0000-0000-0000-000000000000'::uuid, 'nil'), ('ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid, 'max')) p (id, slug) where tenant_id = $1 and agent_memories.id = $2",
        "insert into repos select tenant_id, agent_id, $3, $3, 'r', 'R', now(), 'x' from agent_memories where tenant_id = $1 and id = $2",
        "insert into project_links select tenant_id, agent_id, $3, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid, now(), 'x' from agent_memories where tenant_id = $1 and id = $2",
    ] {
        sqlx::query(sql).bind(c.tenant).bind(c.id).bind(c.fresh).execute(&mut **tx).await?;
    }
    Ok(())
}

fn project(c: &Case) -> Value {
    json!([{ "agent_id": c.agent, "id": c.fresh, "slug": "kettle", "name": "P", "created_at": c.now, "created_by": "x" }])
}

/// A tombstone beside it, likewise.
async fn with_tombstone(tx: &mut Tx, c: &Case) -> Result<(), DbError> {
    sqlx::query(
        "insert into tombstones (tenant_id, agent_id, memory_id, content_hash, source, created_at, user_id)
         select tenant_id, agent_id, id, content_hash, source, now(), user_id from agent_memories where tenant_id = $1 and id = $2 and (user_id is null or user_id = $3 or $3 = 'ffffffff-ffff-ffff-ffff-ffffffffffff')",
    )
    .bind(c.tenant)
    .bind(c.id)
    .bind(c.ctx.users)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// In the database of memories; kept apart by tenant and by agent.
pub const PORTABILITY: &[Query] = queries! {
    "portability::memories" |tx, c| portability::memories(tx, &scope(c), None, 10).await?.len();
    "portability::versions" |tx, c| portability::versions(tx, &scope(c), None, 10).await?.len();
    "portability::links" |tx, c| portability::links(tx, &scope(c), None, 10).await?.len();
    "portability::tombstones" |tx, c| { with_tombstone(tx, c).await?; portability::tombstones(tx, &scope(c), None, 10).await?.len() };
    "portability::sources" |tx, c| { with_source(tx, c).await?; portability::sources(tx, &scope(c), None, 10).await?.len() };
    "portability::projects" |tx, c| { with_projects(tx, c).await?; portability::projects(tx, &scope(c), None, 10).await?.len() };
    "portability::repos" |tx, c| { with_projects(tx, c).await?; portability::repos(tx, &scope(c), None, 10).await?.len() };
    "portability::project_links" |tx, c| {
        with_projects(tx, c).await?;
        portability::project_links(tx, &scope(c), None, 10).await?.len()
    };
    "portability::same_slugs" |tx, c| {
        with_projects(tx, c).await?;
        let mut rows = project(c);
        rows[0]["id"] = c.operator.0.to_string().into();
        portability::same_slugs(tx, c.tenant, Section::Project, &rows).await?.len()
    };
    "portability::put_projects" |tx, c| { portability::put_projects(tx, c.tenant, &project(c)).await?; 0 };
    "portability::put_repos" |tx, c| {
        with_projects(tx, c).await?;
        let repo = json!([{
            "agent_id": c.agent, "id": c.other, "project_id": c.fresh, "slug": "r2", "name": "R", "created_at": c.now, "created_by": "x",
        }]);
        portability::put_repos(tx, c.tenant, &repo).await?;
        0
    };
    "portability::put_project_links" |tx, c| {
        with_projects(tx, c).await?;
        let link = json!([{
            "agent_id": c.agent, "one_id": Uuid::nil(), "other_id": c.fresh, "created_at": c.now, "created_by": "x",
        }]);
        portability::put_project_links(tx, c.tenant, &link).await?;
        0
    };
    "portability::events" |tx, c| portability::events(tx, &scope(c), None, 10).await?.len();
    "portability::authors" |tx, c| portability::authors(tx, c.ctx.tenancy(), &[c.agent], None).await?.len();
    "portability::same_short_ids" |tx, c| {
        let mut rows = memory(c);
        rows[0]["id"] = c.fresh.to_string().into();
        portability::same_short_ids(tx, c.tenant, &rows).await?.len()
    };
    "portability::stored_memories" |tx, c| portability::stored_memories(tx, c.ctx.tenancy(), &memory(c)).await?.len();
    "portability::stored_versions" |tx, c| portability::stored_versions(tx, c.ctx.tenancy(), &version(c, 1)).await?.len();
    "portability::count_existing" |tx, c| portability::count_existing(tx, c.ctx.tenancy(), Section::Link, &link(c, "supports")).await? as usize;
    "portability::put_memories" |tx, c| portability::put_memories(tx, c.ctx.tenancy(), &memory(c), importing(c)).await?.len();
    "portability::put_versions" |tx, c| { portability::put_versions(tx, c.ctx.tenancy(), &version(c, 0), importing(c)).await?; 0 };
    "portability::put_links" |tx, c| { portability::put_links(tx, c.ctx.tenancy(), &link(c, "derived_from")).await?; 0 };
    "portability::put_tombstones" |tx, c| { portability::put_tombstones(tx, c.ctx.tenancy(), &tombstone(c)).await?; 0 };
    "portability::put_sources" |tx, c| { portability::put_sources(tx, c.ctx.tenancy(), &source(c)).await?; 0 };
    "portability::put_events" |tx, c| { portability::put_events(tx, c.ctx.tenancy(), &event(c)).await?; 0 };
    "portability::drop_tombstones" |tx, c| {
        with_tombstone(tx, c).await?;
        sqlx::query("update agent_memories set pinned = not pinned where tenant_id = $1 and id = $2 and (user_id is null or user_id = $3 or $3 = 'ffffffff-ffff-ffff-ffff-ffffffffffff')").bind(c.tenant).bind(c.id).bind(c.ctx.users).execute(&mut **tx).await?;
        portability::drop_tombstones(tx, c.ctx.tenancy(), c.agent, &[c.id]).await?;
        0
    };
};

//! The rows of a person that name the person in a column: counting them, removing them.

use super::store::{self, Known, OF_MEMORY, Places};
use db::{Tx, columns};
use foundation::{Engine, Error, OpContext};
use uuid::Uuid;
use wire::{ErasureId, TableCount, TenantId, UserId};

/// Tables of memories whose rows the audit log may be about.
const TARGETS: [&str; 6] = ["sessions", "sources", "events", "quarantine", "memory_proposals", "profile_leaves"];
/// The same in the control database.
const REPORTED: [&str; 2] = ["actions", "workflow_steps"];
/// Tables of the control database with statements of their own, and the column that names the user.
const NAMING: [(&str, &str); 3] = [("users", "id"), ("api_keys", "user_id"), ("usage_ledger", "user_id")];

/// How many rows of a person each table has that erasure changes, in the order of the databases.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(super) async fn counts(engine: &Engine, ctx: &OpContext, user: UserId) -> Result<Vec<TableCount>, Error> {
    let (db, tenant, mut all) = (engine.db(), ctx.tenant_id, Vec::new());
    let mut note = |database: &str, table: &str, rows| {
        all.push(TableCount { database: database.into(), table: table.into(), label: columns::label(database, table).into(), rows });
    };
    let mut tx = db.memory.begin_erasure(tenant).await?;
    for table in store::tables("agent_memory") {
        note("agent_memory", table, store::count(&mut tx, table, "user_id", tenant, user).await?);
    }
    let memories = store::memories_of(&mut tx, tenant, user).await?;
    let mut targets: Vec<Uuid> = memories.iter().map(|id| id.0).chain([user.0]).collect();
    targets.extend(ids(&mut tx, &TARGETS, tenant, user).await?);
    tx.commit().await?;

    let mut tx = db.kb.begin_erasure(tenant).await?;
    for table in store::tables("shared_kb") {
        note("shared_kb", table, store::count(&mut tx, table, "user_id", tenant, user).await?);
    }
    let (proposals, times) = store::phrases_of(&mut tx, tenant, &memories).await?;
    note("shared_kb", "proposal_memories", times);
    note("shared_kb", "term_proposals", proposals);
    tx.commit().await?;

    let mut tx = db.control.begin_erasure(tenant).await?;
    for (table, column) in store::tables("internal_shared").map(|table| (table, "user_id")).chain(NAMING) {
        note("internal_shared", table, store::count(&mut tx, table, column, tenant, user).await?);
    }
    targets.extend(ids(&mut tx, &REPORTED, tenant, user).await?);
    let known = store::known(&mut tx, tenant, user).await?;
    note("internal_shared", "audit_texts", store::count_texts(&mut tx, tenant, &targets, user, &known).await?);
    tx.commit().await?;
    Ok(all)
}

async fn ids(tx: &mut Tx, tables: &[&'static str], tenant: TenantId, user: UserId) -> Result<Vec<Uuid>, Error> {
    let mut ids = Vec::new();
    for table in tables {
        ids.extend(store::ids_of(tx, table, tenant, user).await?);
    }
    Ok(ids)
}

/// Removes the person's work, sources first: extraction that runs finds nothing to store its results with.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(super) async fn erase_work(engine: &Engine, ctx: &OpContext, request: ErasureId, user: UserId) -> Result<(), Error> {
    let tenant = ctx.tenant_id;
    let mut tx = engine.db().memory.begin_erasure(tenant).await?;
    // The rows go after the texts about them, so that an attempt that dies in between finds them again.
    let targets = ids(&mut tx, &TARGETS, tenant, user).await?;
    erase_texts(engine, ctx, &targets).await?;
    let sources = store::ids_of(&mut tx, "sources", tenant, user).await?;
    let parts = store::lock_sources(&mut tx, tenant, &sources, Some(user)).await?;
    let all = Places::whole(&parts);
    store::mark_erased(&mut tx, tenant, request, &parts, &all, &[], engine.clock().now()).await?;
    store::delete_quotes(&mut tx, tenant, &all).await?;
    // Events that came meanwhile may be at work, and wait for this: they go with the remaining records.
    store::delete(&mut tx, "sources", tenant, user).await?;
    Ok(tx.commit().await?)
}

/// Erases the texts of audit entries about some rows.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor, targets = targets.len()))]
pub(super) async fn erase_texts(engine: &Engine, ctx: &OpContext, targets: &[Uuid]) -> Result<(), Error> {
    let mut tx = engine.db().control.begin_erasure(ctx.tenant_id).await?;
    store::erase_texts_about(&mut tx, ctx.tenant_id, targets).await?;
    Ok(tx.commit().await?)
}

/// Removes what else the person has, after the memories.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(super) async fn erase_rows(engine: &Engine, ctx: &OpContext, user: UserId) -> Result<(), Error> {
    let (db, tenant) = (engine.db(), ctx.tenant_id);
    // A memory that came meanwhile goes with what is derived from it, in the next round.
    let with_memory = |table: &str| table == "agent_memories" || OF_MEMORY.iter().any(|(derived, _)| *derived == table);
    for table in store::tables("agent_memory").filter(|table| !with_memory(table)) {
        let mut tx = db.memory.begin_erasure(tenant).await?;
        store::delete(&mut tx, table, tenant, user).await?;
        tx.commit().await?;
    }
    let mut tx = db.memory.begin_erasure(tenant).await?;
    store::delete_orphaned_jobs(&mut tx, tenant).await?;
    tx.commit().await?;
    let mut tx = db.kb.begin_erasure(tenant).await?;
    for table in store::tables("shared_kb") {
        store::delete(&mut tx, table, tenant, user).await?;
    }
    tx.commit().await?;
    Ok(())
}

/// Removes what the control database has, the user first: a consent that has locked it may still add a key, which goes with the others.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(super) async fn erase_control(engine: &Engine, ctx: &OpContext, user: UserId) -> Result<(), Error> {
    let tenant = ctx.tenant_id;
    let mut tx = engine.db().control.begin_erasure(tenant).await?;
    let known: Known = store::known(&mut tx, tenant, user).await?;
    store::erase_user(&mut tx, tenant, user).await?;
    let mut targets = ids(&mut tx, &REPORTED, tenant, user).await?;
    targets.extend(store::revoke_keys(&mut tx, tenant, user, engine.clock().now()).await?);
    targets.push(user.0);
    store::erase_texts_about(&mut tx, tenant, &targets).await?;
    store::erase_texts_naming(&mut tx, tenant, user, &known).await?;
    for table in store::tables("internal_shared") {
        store::delete(&mut tx, table, tenant, user).await?;
    }
    store::erase_ledger(&mut tx, tenant, user).await?;
    Ok(tx.commit().await?)
}

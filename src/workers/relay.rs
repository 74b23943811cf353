//! The relay: delivers outbox rows, at least once, until they are marked as delivered.

use crate::vocabulary;
use async_recursion::async_recursion as boxed;
use db::{Database, DbError, Tx};
use foundation::Engine;
use foundation::audit::{self, NewEntry, store};
use foundation::jobs::{self, PostedJob};
use foundation::notices;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use wire::TenantId;

/// Rows per round.
const BATCH: i64 = 200;
/// How long the relay sleeps when nobody wakes it.
const PAUSE: Duration = Duration::from_secs(1);

/// Delivers until it is stopped. Writers wake it; a missed wake-up costs one pause.
pub async fn run(engine: Engine, stop: CancellationToken) {
    let mut attendance = engine.relay().attend();
    loop {
        if let Err(error) = attendance.round(drain(&engine)).await {
            tracing::warn!(%error, "the relay could not deliver; it tries again");
        }
        tokio::select! {
            () = stop.cancelled() => break,
            () = attendance.woken() => {}
            () = tokio::time::sleep(PAUSE) => {}
        }
    }
}

/// Delivers every waiting row; returns how many.
///
/// # Errors
/// When a database is out of reach; nothing is lost, it is delivered later.
#[boxed]
pub async fn drain(engine: &Engine) -> Result<usize, DbError> {
    let mut carried = 0;
    for database in [&engine.db().memory, &engine.db().kb] {
        loop {
            let round = deliver_batch(engine, database).await?;
            carried += round;
            if round == 0 {
                break;
            }
        }
    }
    Ok(carried)
}

/// Delivers a batch. The rows stay locked meanwhile, so two relays never deliver the same one; after a crash in between they are delivered
/// twice, which the receivers ignore.
async fn deliver_batch(engine: &Engine, database: &Database) -> Result<usize, DbError> {
    let (mut tx, rows) = take(database).await?;
    if rows.is_empty() {
        return Ok(0);
    }
    let mut entries: BTreeMap<TenantId, Vec<NewEntry>> = BTreeMap::new();
    let mut carried = Vec::with_capacity(rows.len());
    for row in &rows {
        let delivered = match row.destination {
            store::Destination::Audit => read(row).map(|entry| entries.entry(row.tenant_id).or_default().push(entry)),
            store::Destination::Proposal => propose(engine, row).await,
            store::Destination::Job => hand_over(engine, row).await,
            store::Destination::Notice => announce(engine, row).await,
        };
        match delivered {
            Ok(()) => carried.push((row.tenant_id, row.agent_id, row.id)),
            // One row that cannot be read or delivered must not hold up those behind it. It stays, marked, and is counted.
            Err(error) if error.is_lasting() => {
                tracing::error!(%error, event_id = %row.id, "an outbox row cannot be delivered and was set aside");
                store::set_aside(&mut tx, row, &error.to_string()).await?;
            }
            Err(error) => return Err(error),
        }
    }
    for (tenant, entries) in entries {
        audit::append_all(engine, tenant, &entries).await?;
    }
    store::delivered(&mut tx, &carried, engine.clock().now()).await?;
    tx.commit().await?;
    metrics::counter!("remembrancer_outbox_delivered_total").increment(carried.len() as u64);
    Ok(rows.len())
}

/// Opens a transaction that holds the rows of a batch; none if no row waits.
async fn take(database: &Database) -> Result<(Tx, Vec<store::Waiting>), DbError> {
    if !database.system().finds_distributed().await? {
        let mut tx = database.begin_system().await?;
        let rows = store::take(&mut tx, BATCH).await?;
        return Ok((tx, rows));
    }
    // Before the transaction: relays that each hold a connection and ask for a second one wait for each other.
    let tenants = store::waiting_tenants(database.system()).await?;
    let mut tx = database.begin_system().await?;
    for tenant in tenants {
        let rows = store::take_of(&mut tx, tenant, BATCH).await?;
        if !rows.is_empty() {
            return Ok((tx, rows));
        }
    }
    Ok((tx, Vec::new()))
}

async fn propose(engine: &Engine, row: &store::Waiting) -> Result<(), DbError> {
    vocabulary::store::deliver_proposal(engine.db().kb.system(), row.tenant_id, row.id, engine.clock().id(), &read(row)?).await
}

async fn announce(engine: &Engine, row: &store::Waiting) -> Result<(), DbError> {
    notices::append(engine, row.tenant_id, &[read(row)?]).await
}

async fn hand_over(engine: &Engine, row: &store::Waiting) -> Result<(), DbError> {
    let posted: PostedJob = read(row)?;
    jobs::store::deliver(engine.db().memory.system(), row.tenant_id, row.agent_id, row.id, &posted, engine.clock().now()).await
}

fn read<T: serde::de::DeserializeOwned>(row: &store::Waiting) -> Result<T, DbError> {
    serde_json::from_value(row.payload.clone()).map_err(|error| DbError::Inconsistent {
        table: "outbox",
        column: "payload",
        row: row.id.to_string(),
        reason: error.to_string(),
    })
}

//! The usage ledger: what calls of models cost, by tenant, agent and user. Calls are summed in memory and written every few seconds.

mod ledger;
pub mod store;

pub use ledger::{Ledger, Line, Payer, Purpose, Sum};

use crate::api::OperatorRole;
use crate::engine::Engine;
use crate::error::Error;
use crate::op::OpContext;
use async_recursion::async_recursion as boxed;
use chrono::{DateTime, Utc};
use tracing::instrument;

/// Writes what was recorded since the last time. If the database is out of reach, the next call writes it.
///
/// # Errors
/// When the database is out of reach.
pub async fn flush(engine: &Engine) -> Result<(), Error> {
    let lines: Vec<(Line, Sum)> = engine.ledger().take().into_iter().collect();
    if lines.is_empty() {
        return Ok(());
    }
    let written = store::add(engine.db().control.system(), &lines).await;
    if written.is_err() {
        for (line, sum) in lines {
            engine.ledger().add(line, sum);
        }
    }
    Ok(written?)
}

/// What an organisation used since a time: one line for each agent, model and purpose, the dearest first.
///
/// # Errors
/// `Forbidden` without the role `viewer`.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn report(engine: &Engine, ctx: &OpContext, since: DateTime<Utc>) -> Result<Vec<store::Used>, Error> {
    ctx.require_role(OperatorRole::Viewer)?;
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let used = store::used(&mut tx, ctx.tenant_id, since).await?;
    tx.commit().await?;
    Ok(used)
}

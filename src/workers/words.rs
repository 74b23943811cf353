//! Cuts the words of stored texts again where the rules for words have changed: at the start, and then once an hour for what was left out.

use crate::reindex;
use async_recursion::async_recursion as boxed;
use foundation::identity::{self, store as tenants};
use foundation::{Engine, Error};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const EVERY: Duration = Duration::from_secs(60 * 60);

/// Cuts words again until it is stopped.
pub async fn run(engine: Engine, stop: CancellationToken) {
    while !stop.is_cancelled() {
        if let Err(error) = once(&engine, &stop).await {
            tracing::warn!(%error, "words could not be cut by the rules of this version; it will be tried again");
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = tokio::time::sleep(EVERY) => {}
        }
    }
}

#[boxed]
async fn once(engine: &Engine, stop: &CancellationToken) -> Result<(), Error> {
    for slug in tenants::tenant_slugs(engine.db().control.system()).await? {
        let ctx = identity::open_tenant(engine, &slug).await?;
        let texts = reindex::reindex(engine, &ctx, stop).await?;
        if texts > 0 {
            tracing::info!(tenant = %ctx.tenant_id, texts, "cut words by the rules of this version");
        }
    }
    Ok(())
}

//! Whose turn it is. Heavy work is done in steps of about a second, and organisations take turns between the steps: a small capture of one
//! never waits for the end of a large one of another.

use chrono::{DateTime, Utc};
use db::{DbError, SystemPool};
use foundation::jobs::store::{self, Leased};
use std::sync::{Mutex, PoisonError};
use wire::TenantId;

/// The turns of the heavy workers of a process.
#[derive(Default)]
pub struct Turns {
    /// The organisation that was served last. Locked during a claim, so that two workers never claim for the same one.
    last: tokio::sync::Mutex<Option<TenantId>>,
    /// The organisations that a worker serves now. Each has one step at a time, so that one alone never takes every worker.
    busy: Mutex<Vec<TenantId>>,
}

/// A claimed step. Its organisation has its next turn when this is dropped.
pub(crate) struct Turn<'a> {
    turns: &'a Turns,
    event: Leased,
}

impl Turns {
    /// Claims the next step; `None` if nothing is due.
    pub(crate) async fn next(
        &self,
        pool: &SystemPool,
        now: DateTime<Utc>,
        lease_until: DateTime<Utc>,
    ) -> Result<Option<Turn<'_>>, DbError> {
        let mut last = self.last.lock().await;
        let busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(event) = store::claim_step(pool, now, lease_until, *last, &busy).await? else { return Ok(None) };
        *last = Some(event.tenant_id);
        self.busy.lock().unwrap_or_else(PoisonError::into_inner).push(event.tenant_id);
        Ok(Some(Turn { turns: self, event }))
    }
}

impl Turn<'_> {
    /// The event whose step it is.
    pub(crate) fn event(&self) -> &Leased {
        &self.event
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.turns.busy.lock().unwrap_or_else(PoisonError::into_inner).retain(|tenant| *tenant != self.event.tenant_id);
    }
}

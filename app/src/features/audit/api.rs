use crate::{ConsoleError, guard::operator};
use foundation::audit::{self, Verification};
use remembrancer::overview;
use wire::{AuditEntry, AuditFilter, Page};

/// One page of the audit log, newest first.
pub async fn audit_log(filter: AuditFilter) -> Result<Page<AuditEntry>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(overview::audit_log(&engine, &ctx, &filter).await?)
}

/// How far the hash chain of the log is verified, and what is wrong with it.
pub async fn integrity() -> Result<Verification, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(audit::integrity(&engine, &ctx).await?)
}

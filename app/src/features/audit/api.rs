use crate::{ConsoleError, guard::operator};
use remembrancer::overview;
use wire::{AuditEntry, AuditFilter, Page};

/// One page of the audit log, newest first.
pub async fn audit_log(filter: AuditFilter) -> Result<Page<AuditEntry>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(overview::audit_log(&engine, &ctx, &filter).await?)
}

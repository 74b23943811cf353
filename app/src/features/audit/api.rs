#[cfg(feature = "ssr")]
use crate::guard::operator;
use crate::{ConsoleError, codec::Text};
use leptos::{prelude::*, server_fn::codec::GetUrl};
use remembrancer::api::{AuditEntry, AuditFilter, Page};
#[cfg(feature = "ssr")]
use remembrancer::overview;

/// One page of the audit log, newest first.
#[server(endpoint = "audit_log", input = GetUrl, output = Text)]
pub async fn audit_log(#[server(default)] filter: AuditFilter) -> Result<Page<AuditEntry>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(overview::audit_log(&engine, &ctx, &filter).await?)
}

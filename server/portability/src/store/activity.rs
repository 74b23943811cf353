//! Statements of export and import about what agents reported.

use super::super::lines::{ActionLine, WorkflowStepLine};
use db::{DbError, Tenancy, Tx, of_user, statement};
use remembrancer::activity::Reports;
use serde_json::Value;
use sqlx::FromRow;
use sqlx::postgres::PgRow;
use uuid::Uuid;
use wire::AgentId;

/// Columns of [`ActionLine`], except its agent.
pub const ACTION: &[&str] =
    &["id", "user_id", "session_id", "kind", "action", "message", "meta", "outcome", "succeeded", "importance", "created_at"];
/// Columns of [`WorkflowStepLine`], except its agent.
pub const WORKFLOW_STEP: &[&str] =
    &["id", "user_id", "session_id", "workflow", "step_name", "output", "importance", "completed_at", "created_at"];

fn columns(of: Reports) -> &'static [&'static str] {
    match of {
        Reports::Actions => ACTION,
        Reports::Steps => WORKFLOW_STEP,
    }
}

/// Whose reports are exported.
#[derive(Clone, Copy, Debug)]
pub struct ReportedBy {
    pub tenancy: Tenancy,
    /// All agents if absent.
    pub agent: Option<AgentId>,
    /// Only what belongs to the tenancy's user, and nothing without a user.
    pub of_person: bool,
}

async fn page<T: for<'r> FromRow<'r, PgRow> + Send + Unpin>(
    tx: &mut Tx,
    of: Reports,
    by: ReportedBy,
    last: Option<Uuid>,
    size: usize,
) -> Result<Vec<T>, DbError> {
    let mut query = statement!(
        format!(
            r"select t.agent_id, t.{} from {} t
               where t.tenant_id = $1 and ($3::uuid is null or t.agent_id = $3) and ($4::uuid is null or t.id > $4)
                 and (not $6 or t.user_id is not null) and {}
               order by t.id limit $5",
            columns(of).join(", t."),
            of.table(),
            of_user!("t", "$2"),
        ),
        by.tenancy.tenant,
        by.tenancy.users,
        by.agent,
        last,
        i64::try_from(size).unwrap_or(i64::MAX),
        by.of_person,
    );
    Ok(query.build_query_as().fetch_all(&mut **tx).await?)
}

/// Actions after `last`, by id.
pub async fn actions(tx: &mut Tx, by: ReportedBy, last: Option<&ActionLine>, size: usize) -> Result<Vec<ActionLine>, DbError> {
    page(tx, Reports::Actions, by, last.map(|line| line.id), size).await
}

/// Steps of workflows after `last`, by id.
pub async fn workflow_steps(
    tx: &mut Tx,
    by: ReportedBy,
    last: Option<&WorkflowStepLine>,
    size: usize,
) -> Result<Vec<WorkflowStepLine>, DbError> {
    page(tx, Reports::Steps, by, last.map(|line| line.id), size).await
}

/// How many of these reports exist.
pub async fn count_reports(tx: &mut Tx, tenancy: Tenancy, of: Reports, ids: &[Uuid]) -> Result<i64, DbError> {
    let text = format!("select count(*) from {} t where t.tenant_id = $1 and t.id = any($3) and {}", of.table(), of_user!("t", "$2"));
    let mut query = statement!(text, tenancy.tenant, tenancy.users, ids);
    Ok(query.build_query_scalar().fetch_one(&mut **tx).await?)
}

/// Inserts reports that do not exist; returns the ids of the new ones.
pub async fn put_reports(tx: &mut Tx, tenancy: Tenancy, of: Reports, rows: &Value) -> Result<Vec<Uuid>, DbError> {
    let (table, columns) = (of.table(), columns(of));
    let mut query = statement!(
        format!(
            r"insert into {table} (tenant_id, agent_id, searchable, content_hash, {})
              select $1, r.agent_id, r.searchable, r.content_hash, r.{} from jsonb_populate_recordset(null::{table}, $3) r where {}
              on conflict do nothing returning id",
            columns.join(", "),
            columns.join(", r."),
            of_user!("r", "$2"),
        ),
        tenancy.tenant,
        tenancy.users,
        rows,
    );
    Ok(query.build_query_scalar().fetch_all(&mut **tx).await?)
}

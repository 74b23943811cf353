//! SQL of the usage ledger.

use super::{Line, Purpose, Sum};
use crate::api::{AgentId, TenantId};
use crate::db::{DbError, Tx};
use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgPool};
use uuid::Uuid;

/// Adds sums to the lines of the ledger, at today's prices, in one statement: all or nothing.
pub async fn add(pool: &PgPool, lines: &[(Line, Sum)]) -> Result<(), DbError> {
    let each = |value: &dyn Fn(&Line) -> Uuid| -> Vec<Uuid> { lines.iter().map(|(line, _)| value(line)).collect() };
    let count = |value: &dyn Fn(&Sum) -> i64| -> Vec<i64> { lines.iter().map(|(_, sum)| value(sum)).collect() };
    sqlx::query(
        r"insert into usage_ledger (tenant_id, hour, agent_id, user_id, model, purpose, calls, tokens_in, tokens_out, dollars)
          select u.tenant_id, u.hour, u.agent_id, u.user_id, u.model, u.purpose, u.calls, u.tokens_in, u.tokens_out,
                 coalesce((p.input * u.tokens_in + p.output * u.tokens_out) / 1000000, 0)
            from unnest($1::uuid[], $2::timestamptz[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::bigint[], $8::bigint[], $9::bigint[])
                 as u (tenant_id, hour, agent_id, user_id, model, purpose, calls, tokens_in, tokens_out)
            left join model_prices p on p.model = u.model
           order by 1, 2, 3, 4, 5, 6
          on conflict (tenant_id, hour, agent_id, user_id, model, purpose)
             do update set calls = usage_ledger.calls + excluded.calls, tokens_in = usage_ledger.tokens_in + excluded.tokens_in,
                           tokens_out = usage_ledger.tokens_out + excluded.tokens_out, dollars = usage_ledger.dollars + excluded.dollars",
    )
    .bind(each(&|line| line.payer.tenant_id.0))
    .bind(lines.iter().map(|(line, _)| line.hour).collect::<Vec<_>>())
    .bind(each(&|line| line.payer.agent_id.map_or(Uuid::nil(), |id| id.0)))
    .bind(each(&|line| line.payer.user_id.map_or(Uuid::nil(), |id| id.0)))
    .bind(lines.iter().map(|(line, _)| line.model.clone()).collect::<Vec<_>>())
    .bind(lines.iter().map(|(line, _)| line.purpose.as_str()).collect::<Vec<_>>())
    .bind(count(&|sum| sum.calls))
    .bind(count(&|sum| sum.tokens_in))
    .bind(count(&|sum| sum.tokens_out))
    .execute(pool)
    .await?;
    Ok(())
}

/// What was used, of all hours and users.
#[derive(Clone, Debug, PartialEq, FromRow)]
pub struct Used {
    /// The nil id if no agent caused it.
    pub agent_id: AgentId,
    pub model: String,
    pub purpose: Purpose,
    pub calls: i64,
    pub tokens_in: i64,
    pub tokens_out: i64,
    pub dollars: f64,
}

/// What a tenant used since a time, the dearest first.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant))]
pub async fn used(tx: &mut Tx, tenant: TenantId, since: DateTime<Utc>) -> Result<Vec<Used>, DbError> {
    Ok(sqlx::query_as(
        r"select agent_id, model, purpose, sum(calls)::bigint as calls, sum(tokens_in)::bigint as tokens_in,
                 sum(tokens_out)::bigint as tokens_out, sum(dollars) as dollars
            from usage_ledger where tenant_id = $1 and hour >= $2
           group by agent_id, model, purpose order by sum(dollars) desc, sum(tokens_in) desc, agent_id, model, purpose",
    )
    .bind(tenant)
    .bind(since)
    .fetch_all(&mut **tx)
    .await?)
}

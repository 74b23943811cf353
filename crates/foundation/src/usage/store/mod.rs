//! SQL of the usage ledger, and of accounts and prices.

mod accounts;

pub use accounts::{StoredAccount, StoredCredit, accounts, add_credit, credits, require_credit, set_limits, set_price};

use super::{Line, Purpose, Sum};
use chrono::{DateTime, NaiveDate, Utc};
use db::{DbError, SystemPool, Tenancy, Tx, begin, sql};
use sqlx::FromRow;
use uuid::Uuid;
use wire::{AgentId, TenantId, Usage, UsageLine, Usd};

/// Adds sums to the lines of the ledger, and lowers the accounts that they concern: all or nothing.
pub async fn add(pool: &SystemPool, lines: &[(Line, Sum)], month: DateTime<Utc>) -> Result<(), DbError> {
    let each = |value: &dyn Fn(&Line) -> Uuid| -> Vec<Uuid> { lines.iter().map(|(line, _)| value(line)).collect() };
    let count = |value: &dyn Fn(&Sum) -> i64| -> Vec<i64> { lines.iter().map(|(_, sum)| value(sum)).collect() };
    let tenants = each(&|line| line.payer.tenant_id.0);
    let users = each(&|line| line.payer.user_id.map_or(Uuid::nil(), |id| id.0));
    let costs = count(&|sum| sum.cost.dollars.as_micros());
    let mut tx = begin(pool).await?;
    // Accounts before lines, and both in their order: servers that write at the same moment wait for each other.
    tx.run(sql!(
        [&tenants, &users, &costs, count(&|sum| sum.cost.tokens), Uuid::nil(), month],
        r"with line as (
              select * from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[]) as u (tenant_id, user_id, microusd, tokens)
               where tokens > 0),
          spent as (
              select tenant_id, user_id, sum(microusd)::bigint as microusd, sum(tokens)::bigint as tokens
                from (select * from line where user_id <> $5
                      union all select tenant_id, $5, microusd, tokens from line) as each_account (tenant_id, user_id, microusd, tokens)
               group by tenant_id, user_id),
          locked as (
              select a.tenant_id, a.user_id from usage_accounts a join spent s on s.tenant_id = a.tenant_id and s.user_id = a.user_id
               order by 1, 2 for update of a)
          update usage_accounts a
             set spent_microusd = a.spent_microusd + case when a.needs_credit then s.microusd else 0 end,
                 used_microusd = case when a.month >= $6 then a.used_microusd else 0 end + s.microusd,
                 used_tokens = case when a.month >= $6 then a.used_tokens else 0 end + s.tokens,
                 month = greatest(a.month, $6)
            from spent s join locked l on l.tenant_id = s.tenant_id and l.user_id = s.user_id
           where a.tenant_id = s.tenant_id and a.user_id = s.user_id"
    ))
    .await?;
    tx.run(sql!(
        [
            &tenants,
            lines.iter().map(|(line, _)| line.hour).collect::<Vec<_>>(),
            each(&|line| line.payer.agent_id.map_or(Uuid::nil(), |id| id.0)),
            &users,
            lines.iter().map(|(line, _)| line.model.as_str()).collect::<Vec<_>>(),
            lines.iter().map(|(line, _)| line.purpose.as_str()).collect::<Vec<_>>(),
            count(&|sum| sum.calls),
            count(&|sum| sum.tokens_in),
            count(&|sum| sum.tokens_out),
            &costs
        ],
        r"insert into usage_ledger (tenant_id, hour, agent_id, user_id, model, purpose, calls, tokens_in, tokens_out, cost_microusd)
          select * from unnest($1::uuid[], $2::timestamptz[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::bigint[], $8::bigint[],
                               $9::bigint[], $10::bigint[])
           order by 1, 2, 3, 4, 5, 6
          on conflict (tenant_id, hour, agent_id, user_id, model, purpose)
             do update set calls = usage_ledger.calls + excluded.calls, tokens_in = usage_ledger.tokens_in + excluded.tokens_in,
                           tokens_out = usage_ledger.tokens_out + excluded.tokens_out,
                           cost_microusd = usage_ledger.cost_microusd + excluded.cost_microusd"
    ))
    .await?;
    Ok(tx.commit().await?)
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
    #[sqlx(rename = "cost_microusd")]
    pub dollars: Usd,
}

/// What a tenant used since a time, the dearest first.
pub async fn used(tx: &mut Tx, tenant: TenantId, since: DateTime<Utc>) -> Result<Vec<Used>, DbError> {
    tx.rows(sql!(
        [tenant, since],
        r"select agent_id, model, purpose, sum(calls)::bigint as calls, sum(tokens_in)::bigint as tokens_in,
                 sum(tokens_out)::bigint as tokens_out, sum(cost_microusd)::bigint as cost_microusd
            from usage_ledger where tenant_id = $1 and hour >= $2
           group by agent_id, model, purpose order by sum(cost_microusd) desc, sum(tokens_in) desc, agent_id, model, purpose"
    ))
    .await
}

/// From the first moment of one day up to that of another, in UTC.
pub type Span = (DateTime<Utc>, DateTime<Utc>);

/// What an agent used for the users in reach and for nobody, by day, model and purpose.
pub async fn of_agent(tx: &mut Tx, tenancy: Tenancy, (from, until): Span) -> Result<Vec<UsageLine>, DbError> {
    tx.rows(sql!(
        [tenancy.tenant, tenancy.agent, from, until, Uuid::nil(), tenancy.users],
        r"select (hour at time zone 'UTC')::date as day, model, purpose, sum(calls)::bigint as calls, sum(tokens_in)::bigint as tokens_in,
                 sum(tokens_out)::bigint as tokens_out, sum(cost_microusd)::bigint as cost_microusd
            from usage_ledger
           where tenant_id = $1 and agent_id = $2 and hour >= $3 and hour < $4
             and (user_id = $5 or user_id = $6 or $6 = 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
           group by 1, 2, 3 order by 1, 2, 3"
    ))
    .await
}

/// Which lines of the ledger a report of an organisation is about.
#[derive(Clone, Copy, Debug)]
pub struct Lines<'a> {
    pub tenant: TenantId,
    pub span: Span,
    pub agent: Option<AgentId>,
    pub model: Option<&'a str>,
}

/// One part of a report: one of the first five fields is there and says which part.
#[derive(Clone, Debug, FromRow)]
pub struct Part {
    pub day: Option<NaiveDate>,
    /// The nil ids are no agent and no user.
    pub agent_id: Option<Uuid>,
    pub user_id: Option<Uuid>,
    pub model: Option<String>,
    pub purpose: Option<Purpose>,
    #[sqlx(flatten)]
    pub usage: Usage,
}

/// The sums of a report by day, by agent, by user, by model and by purpose, the dearest of each first.
pub async fn parts(tx: &mut Tx, lines: Lines<'_>) -> Result<Vec<Part>, DbError> {
    tx.rows(sql!(
        [lines.tenant, lines.span.0, lines.span.1, lines.agent, lines.model],
        r"with line as (
              select (hour at time zone 'UTC')::date as day, agent_id, user_id, model, purpose, calls, tokens_in, tokens_out,
                   cost_microusd
                from usage_ledger
               where tenant_id = $1 and hour >= $2 and hour < $3 and ($4::uuid is null or agent_id = $4)
                    and ($5::text is null or model = $5))
          select day, agent_id, user_id, model, purpose, sum(calls)::bigint as calls, sum(tokens_in)::bigint as tokens_in,
                 sum(tokens_out)::bigint as tokens_out, sum(cost_microusd)::bigint as cost_microusd
            from line
           group by grouping sets (day, agent_id, user_id, model, purpose)
           order by cost_microusd desc, calls desc, day, agent_id, user_id, model, purpose"
    ))
    .await
}

/// One line of an exported report.
#[derive(Clone, Debug, FromRow)]
pub struct Exported {
    pub day: NaiveDate,
    pub agent_id: Uuid,
    pub user_id: Uuid,
    pub model: String,
    pub purpose: Purpose,
    #[sqlx(flatten)]
    pub usage: Usage,
}

/// The lines of a report, by day, agent, user, model and purpose.
pub async fn exported(tx: &mut Tx, lines: Lines<'_>) -> Result<Vec<Exported>, DbError> {
    tx.rows(sql!(
        [lines.tenant, lines.span.0, lines.span.1, lines.agent, lines.model],
        r"select (hour at time zone 'UTC')::date as day, agent_id, user_id, model, purpose, sum(calls)::bigint as calls,
                 sum(tokens_in)::bigint as tokens_in, sum(tokens_out)::bigint as tokens_out, sum(cost_microusd)::bigint as cost_microusd
            from usage_ledger
           where tenant_id = $1 and hour >= $2 and hour < $3 and ($4::uuid is null or agent_id = $4) and ($5::text is null or model = $5)
           group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5"
    ))
    .await
}

/// What people call agents and users, of those ids that the tenant has.
pub async fn names(tx: &mut Tx, tenant: TenantId, ids: &[Uuid]) -> Result<Vec<(Uuid, String)>, DbError> {
    tx.rows(sql!(
        [tenant, ids],
        r"select id, slug from agents where tenant_id = $1 and id = any($2)
          union all
          select id, coalesce(name, external_ref) from users where tenant_id = $1 and id = any($2)"
    ))
    .await
}

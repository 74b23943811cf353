//! Calls of models that are not written yet, and whose account they go to.

use crate::op::OpContext;
use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use db::{EVERY_AGENT, Tenancy};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
pub use wire::CallPurpose as Purpose;
use wire::{AgentId, TenantId, Usd, UserId};

/// Whose account a call of a model goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Payer {
    pub tenant_id: TenantId,
    /// Absent for work of the organisation.
    pub agent_id: Option<AgentId>,
    pub user_id: Option<UserId>,
}

impl Payer {
    /// The same account for the work of one agent and user.
    pub fn of(ctx: &OpContext, agent: AgentId, user: Option<UserId>) -> Self {
        Self { tenant_id: ctx.tenant_id, agent_id: Some(agent), user_id: user }
    }
}

impl From<Tenancy> for Payer {
    fn from(tenancy: Tenancy) -> Self {
        let agent_id = (tenancy.agent != EVERY_AGENT).then_some(tenancy.agent);
        Self { tenant_id: tenancy.tenant, agent_id, user_id: tenancy.users.id() }
    }
}

impl From<&OpContext> for Payer {
    fn from(ctx: &OpContext) -> Self {
        ctx.tenancy().into()
    }
}

/// One line of the ledger: the calls of one hour with the same payer, model and purpose.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Line {
    pub payer: Payer,
    pub hour: DateTime<Utc>,
    pub model: String,
    pub purpose: Purpose,
}

/// What calls of paid models cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    pub dollars: Usd,
    pub tokens: i64,
}

impl Cost {
    /// Both together.
    pub fn plus(self, more: Self) -> Self {
        Self { dollars: self.dollars + more.dollars, tokens: self.tokens.saturating_add(more.tokens) }
    }
}

/// Calls, their tokens and what they cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    pub calls: i64,
    pub tokens_in: i64,
    pub tokens_out: i64,
    pub cost: Cost,
}

/// The calls that are not written yet.
#[derive(Debug, Default)]
pub struct Ledger {
    open: Mutex<HashMap<Line, Sum>>,
}

impl Ledger {
    /// Adds one call.
    pub fn record(&self, payer: Payer, model: &str, purpose: Purpose, call: Sum, now: DateTime<Utc>) {
        let hour = now.duration_trunc(TimeDelta::hours(1)).unwrap_or(now);
        self.add(Line { payer, hour, model: model.to_owned(), purpose }, call);
    }

    /// Adds what calls of one line cost.
    pub fn add(&self, line: Line, more: Sum) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let sum = open.entry(line).or_default();
        sum.calls += more.calls;
        sum.tokens_in += more.tokens_in;
        sum.tokens_out += more.tokens_out;
        sum.cost = sum.cost.plus(more.cost);
    }

    /// The lines of a tenant that are not written yet.
    pub fn open_of(&self, tenant: TenantId) -> Vec<(Line, Sum)> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.iter().filter(|(line, _)| line.payer.tenant_id == tenant).map(|(line, sum)| (line.clone(), *sum)).collect()
    }

    /// Everything that is not written yet; nothing is left.
    pub fn take(&self) -> HashMap<Line, Sum> {
        std::mem::take(&mut *self.open.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

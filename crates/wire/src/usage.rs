//! What calls of models cost: reports, limits and credit. Days are days in UTC.

use super::text_enum::text_enum;
use super::{AgentId, Usd, UserId, UserRef};
use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

/// Most days of one report.
pub const USAGE_DAYS_MAX: i64 = 92;
/// Days of a report that names no first day.
pub const USAGE_DAYS: i64 = 30;
/// Largest amount of one grant, correction or monthly quota, and highest price of a million tokens.
pub const DOLLARS_MAX: Usd = Usd::from_dollars(1_000_000);
/// Largest monthly quota in tokens.
pub const TOKENS_MAX: i64 = 1_000_000_000_000;

text_enum! {
    /// What a model was called for.
    CallPurpose {
        /// Vectors of memories, documents, terms and questions.
        Embedding = "embedding",
        /// Facts from captured conversations.
        Extraction = "extraction",
        /// A summary of the older turns of a prompt.
        Condensation = "condensation",
        /// What observations say of a person.
        Synthesis = "synthesis",
        /// How good a narrative is.
        Evaluation = "evaluation",
    }
}

/// Calls of models and what they cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema, sqlx::FromRow)]
pub struct Usage {
    pub calls: i64,
    /// Tokens that the models read.
    pub tokens_in: i64,
    /// Tokens that the models wrote.
    pub tokens_out: i64,
    /// US dollars, at the prices at the time of the calls. 0 for a model without a price.
    #[schemars(with = "f64")]
    #[sqlx(rename = "cost_microusd")]
    pub dollars: Usd,
}

impl Usage {
    /// The sum of both.
    #[must_use]
    pub fn plus(self, more: Self) -> Self {
        Self {
            calls: self.calls + more.calls,
            tokens_in: self.tokens_in + more.tokens_in,
            tokens_out: self.tokens_out + more.tokens_out,
            dollars: self.dollars + more.dollars,
        }
    }

    /// Tokens read and written.
    pub fn tokens(self) -> i64 {
        self.tokens_in + self.tokens_out
    }
}

/// The period of `GET /api/usage`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsageRequest {
    /// First day; 30 days before the last one if absent.
    pub from: Option<NaiveDate>,
    /// Last day; today if absent.
    pub until: Option<NaiveDate>,
    /// Whose calls, besides those for nobody.
    pub user_id: Option<UserRef>,
}

/// The calls of one day with the same model and purpose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema, sqlx::FromRow)]
pub struct UsageLine {
    pub day: NaiveDate,
    pub model: String,
    pub purpose: CallPurpose,
    #[serde(flatten)]
    #[sqlx(flatten)]
    pub usage: Usage,
}

/// Answer of `GET /api/usage`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct UsageResponse {
    pub from: NaiveDate,
    /// The last day; it is part of the period.
    pub until: NaiveDate,
    pub total: Usage,
    /// By day, model and purpose. Calls of the last seconds may be missing.
    pub lines: Vec<UsageLine>,
}

/// What the page Usage asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UsageFilter {
    pub from: Option<NaiveDate>,
    /// The last day.
    pub until: Option<NaiveDate>,
    pub agent: Option<AgentId>,
    pub model: Option<String>,
}

/// A part of a report: an agent, a model, a purpose or a user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UsageShare {
    /// What people call it; `None` for work of no agent or no user.
    pub name: Option<String>,
    pub usage: Usage,
}

/// The report of the page Usage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UsageReport {
    pub from: NaiveDate,
    pub until: NaiveDate,
    pub total: Usage,
    /// Every day of the period, in order.
    pub days: Vec<(NaiveDate, Usage)>,
    /// Each list begins with the highest cost.
    pub agents: Vec<UsageShare>,
    pub models: Vec<UsageShare>,
    pub purposes: Vec<UsageShare>,
    pub users: Vec<UsageShare>,
}

/// The limits of an account. Without any of them nothing is limited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UsageLimits {
    /// Whether calls need credit.
    pub needs_credit: bool,
    /// US dollars for each calendar month in UTC.
    pub month_dollars: Option<Usd>,
    /// Tokens for each calendar month in UTC, read and written ones.
    pub month_tokens: Option<i64>,
}

/// The account of the organisation or of a user: its limits, and what they leave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Account {
    /// `None`: the organisation.
    pub user_id: Option<UserId>,
    /// What people call the user.
    pub name: Option<String>,
    pub limits: UsageLimits,
    /// Credit that is left; below 0 after an overshoot or a correction. `None` if calls need none.
    pub credit: Option<Usd>,
    /// US dollars and tokens used in this month.
    pub used_dollars: Usd,
    pub used_tokens: i64,
    /// Whether calls are refused now, and why.
    pub exhausted: Option<Exhausted>,
}

/// A grant of credit, or a correction, which is below 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Credit {
    /// `None`: the organisation.
    pub user_id: Option<UserId>,
    pub name: Option<String>,
    pub dollars: Usd,
    pub reason: String,
    pub at: DateTime<Utc>,
    pub by: String,
}

/// The accounts with limits, and the latest grants and corrections.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Balances {
    pub accounts: Vec<Account>,
    pub credits: Vec<Credit>,
}

/// An account that has nothing left: its calls of paid models are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exhausted {
    /// `None`: the organisation.
    pub user_id: Option<UserId>,
    /// When the monthly quota renews, if it is the quota that is used up; credit does not renew.
    pub renews: Option<NaiveDate>,
}

impl std::fmt::Display for Exhausted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = if self.renews.is_some() { "monthly quota" } else { "credit" };
        match self.user_id {
            Some(user) => write!(f, "the {what} of the user {user} for models is used up")?,
            None => write!(f, "the {what} of the organisation for models is used up")?,
        }
        match self.renews {
            Some(day) => write!(f, "; it renews on {day} (UTC)"),
            None => f.write_str("; an admin can grant more"),
        }
    }
}

impl std::error::Error for Exhausted {}

//! A recall as an operator runs it for an agent: with the reach of the agent's keys, and without a trace.

use super::find::{self, Finding};
use super::past;
use super::question::{Past, Question};
use super::scope::{self, Scoping};
use super::store::{Narrowing, Reach};
use super::{NEAR_MISSES, RANKING, check};
use chrono::{DateTime, Utc};
use db::Tenancy;
use foundation::identity::{self, Agent};
use foundation::{Engine, Error, OpContext};
use wire::{AgentId, KeyScope, Ranking, RecallRequest, UserId};

/// A recall, and what the agent may reach with it.
pub(super) struct AgentRecall<'a> {
    pub recall: &'a RecallRequest,
    pub agent: Agent,
    /// The agent and the commons.
    pub agents: [AgentId; 2],
    pub user: Option<UserId>,
    /// The scopes that a key of the agent has.
    pub scopes: Vec<KeyScope>,
    pub scoping: Scoping,
    pub now: DateTime<Utc>,
    tenancy: Tenancy,
}

impl<'a> AgentRecall<'a> {
    /// Checks the recall as the agent's keys would.
    ///
    /// # Errors
    /// `NotFound` for another tenant's agent; `Invalid` for a user that is missing or unknown, and as [`super::recall`].
    pub async fn new(engine: &Engine, ctx: &OpContext, agent: AgentId, recall: &'a RecallRequest) -> Result<Self, Error> {
        let now = engine.clock().now();
        check(recall, now)?;
        let agent = identity::all_agents(engine, ctx).await?.into_iter().find(|one| one.id == agent).ok_or(Error::NotFound("agent"))?;
        if let Some(at) = recall.as_of {
            past::check(engine, ctx, agent.id, at, now).await?;
        }
        let user = identity::user_of_agent(engine, ctx, &agent, recall.user_id.as_ref()).await?;
        let scopes = identity::scopes_of(engine, ctx, agent.id).await?;
        let now = recall.as_of.unwrap_or(now);
        let scoping = scope::of(engine, ctx, &recall.filters, now).await?;
        let tenancy = Tenancy { agent: agent.id, users: user.into(), ..ctx.tenancy() };
        Ok(Self { recall, agents: [agent.id, ctx.commons_id], agent, user, scopes, scoping, now, tenancy })
    }

    /// Whether a key of the agent has this scope.
    pub fn may(&self, scope: KeyScope) -> bool {
        self.scopes.contains(&scope)
    }

    /// The ranking of the recall.
    pub fn ranking(&self) -> Ranking {
        self.recall.ranking.unwrap_or(RANKING)
    }

    /// Runs the recall for `k` hits. `all_scored` keeps every memory that was scored.
    ///
    /// # Errors
    /// As [`find::find`].
    pub async fn find(&self, engine: &Engine, k: u32, all_scored: bool) -> Result<Finding, Error> {
        let filters = &self.recall.filters;
        let reach = Reach {
            tenancy: self.tenancy,
            agents: &self.agents,
            filters: Narrowing::Agent(filters),
            scoping: &self.scoping,
            now: self.now,
        };
        let question = Question {
            query: &self.recall.query,
            ranking: self.ranking(),
            reach,
            most: i64::from(k + NEAR_MISSES),
            knowledge: self.may(KeyScope::KbRead) && !filters.narrows(),
            all_scored,
            floors: None,
            counted: true,
            past: self.recall.as_of.map(Past::at),
        };
        find::find(engine, question).await
    }
}

//! Which memories a search may find, as parts of its statements.

use crate::memories::store::narrow;
use crate::recall::scope::Scoping;
use chrono::{DateTime, Utc};
use db::{Tenancy, Users};
use packed::Place;
use sqlx::{Postgres, QueryBuilder};
use std::ops::Range;
use uuid::Uuid;
use wire::{AgentId, MemoryFilter, RecallFilters, TenantId, UserId};

/// The agents whose memories are searched, and the conditions on them.
#[derive(Clone, Copy)]
pub struct Reach<'a> {
    /// The tenant, and the users whose rows are in reach.
    pub tenancy: Tenancy,
    pub agents: &'a [AgentId],
    pub filters: Narrowing<'a>,
    /// The project that the search is for.
    pub scoping: &'a Scoping,
    pub now: DateTime<Utc>,
}

/// The filters of a search.
#[derive(Clone, Copy)]
pub enum Narrowing<'a> {
    Agent(&'a RecallFilters),
    /// Decisions: by their kind, or messages of sessions that are kept as decisions.
    Decisions,
    Console(&'a MemoryFilter),
}

impl Narrowing<'_> {
    /// The conditions of the filters, for a table called `m`.
    pub(super) fn push(&self, query: &mut QueryBuilder<Postgres>) {
        match self {
            Self::Console(filter) => narrow(query, filter),
            Self::Decisions => drop(query.push(" and (m.kind = 'decision' or m.retention = 'decision')")),
            Self::Agent(filters) => {
                if !filters.kinds.is_empty() {
                    query.push(" and m.kind = any(").push_bind(texts(&filters.kinds)).push(")");
                }
                if !filters.scopes.is_empty() {
                    query.push(" and m.scope = any(").push_bind(texts(&filters.scopes)).push(")");
                }
                if let Some(platform) = &filters.platform {
                    query.push(" and m.platform = ").push_bind(platform.clone());
                }
                if let Some(project) = filters.project_id {
                    query.push(" and m.project_id = ").push_bind(project);
                }
                if let Some(repo) = filters.repo_id {
                    query.push(" and m.repo_id = ").push_bind(repo);
                }
                if !filters.statuses.is_empty() {
                    query.push(" and m.status = any(").push_bind(texts(&filters.statuses)).push(")");
                }
                if let Some(from) = filters.from {
                    query.push(" and m.said_at >= ").push_bind(from);
                }
                if let Some(until) = filters.until {
                    query.push(" and m.said_at < ").push_bind(until);
                }
            }
        }
    }
}

impl Reach<'_> {
    pub(super) fn tenant(&self) -> TenantId {
        self.tenancy.tenant
    }

    pub(super) fn user_id(&self) -> Option<UserId> {
        self.tenancy.users.id()
    }

    fn filtered(&self) -> bool {
        match &self.filters {
            Narrowing::Agent(filters) => filters.narrows(),
            Narrowing::Console(filter) => filter.narrows(),
            Narrowing::Decisions => true,
        }
    }

    /// Whether anything besides agents, user and expiry narrows the search.
    pub(super) fn narrowed(&self) -> bool {
        self.filtered() || self.scoping.narrow
    }

    /// The conditions of the filters, for a table called `m`.
    pub(super) fn push_filters(&self, query: &mut QueryBuilder<Postgres>) {
        self.filters.push(query);
    }

    /// The condition on `{table}.user_id`, where `parameter` is [`Reach::user_id`]. Each case has its own condition, because an index
    /// answers these without the row.
    pub(super) fn of_user(&self, table: &str, parameter: &str) -> String {
        match self.tenancy.users {
            Users::Every => String::new(),
            Users::Nobody => format!(" and {table}.user_id is null"),
            Users::One(_) => format!(" and ({table}.user_id is null or {table}.user_id = {parameter})"),
        }
    }

    /// Begins a statement whose parameters are `$1` the tenant, `$2` the agents, `$3` the moment and `$4` the user.
    ///
    /// A narrowed search lists the memories that it may find, in `reach (id, term_count, fits)`, where `fits` is false for another
    /// project's memories. Any other search lists the live memories that it may not find, in `expired (id, term_count)`, because these are
    /// few.
    pub(super) fn push_candidates(&self, query: &mut QueryBuilder<Postgres>) {
        let of_user = self.of_user("m", "$4");
        if !self.narrowed() {
            query.push(format!(
                r"with expired as materialized (
                      select m.id, m.term_count from agent_memories m
                       where m.tenant_id = $1 and m.agent_id = any($2) and m.live and m.expires_at <= $3{of_user})"
            ));
            return;
        }
        query.push("with reach as materialized (select m.id, m.term_count, ");
        self.push_fits(query, "m");
        query.push(format!(
            r" as fits from agent_memories m
                where m.tenant_id = $1 and m.agent_id = any($2) and m.live and (m.expires_at is null or m.expires_at > $3){of_user}"
        ));
        self.push_filters(query);
        query.push(")");
    }

    /// Whether a memory fits the project that the search is for: [`Scoping::fit`] above 0.
    pub(super) fn push_fits(&self, query: &mut QueryBuilder<Postgres>, table: &str) {
        let Scoping { narrow, project, repo, linked, .. } = self.scoping;
        if !narrow {
            query.push("true");
            return;
        }
        let projects: Vec<Uuid> = project.iter().chain(linked).copied().collect();
        query.push(format!("({table}.scope in ('global', 'agent', 'session') or coalesce({table}.project_id = any(")).push_bind(projects);
        query.push(format!("), false) or ({table}.scope = 'repo' and coalesce({table}.repo_id = ")).push_bind(*repo).push(", false)))");
    }

    /// Filters and project for a memory in the recall cache: nothing if the filters refuse it, else whether it fits the project. The same
    /// conditions as those of [`Narrowing::push`] and [`Reach::push_fits`], besides the times.
    pub(in crate::recall) fn fits(&self, place: &Place) -> Option<bool> {
        let Scoping { narrow, project, repo, linked, .. } = self.scoping;
        let is_here = || place.project.is_some_and(|of| project.iter().chain(linked).any(|here| *here == of));
        let is_of_repo = || place.scope == "repo" && place.repo.is_some() && place.repo == *repo;
        let passes = match &self.filters {
            Narrowing::Console(_) => false,
            Narrowing::Decisions => place.kind == "decision" || place.retention == "decision",
            Narrowing::Agent(filters) => {
                is_among(&filters.kinds, &place.kind)
                    && is_among(&filters.scopes, &place.scope)
                    && is_among(&filters.statuses, &place.status)
                    && (filters.platform.is_none() || filters.platform == place.platform)
                    && (filters.project_id.is_none() || filters.project_id == place.project)
                    && (filters.repo_id.is_none() || filters.repo_id == place.repo)
            }
        };
        passes.then(|| !narrow || ["global", "agent", "session"].contains(&place.scope.as_str()) || is_here() || is_of_repo())
    }

    /// The times between which a memory was said that the filters let through, in microseconds.
    pub(in crate::recall) fn period(&self) -> Range<i64> {
        let (from, until) = match &self.filters {
            Narrowing::Agent(filters) => (filters.from, filters.until),
            Narrowing::Decisions | Narrowing::Console(_) => (None, None),
        };
        let micros = |time: DateTime<Utc>| time.timestamp_micros();
        from.map_or(i64::MIN, micros)..until.map_or(i64::MAX, micros)
    }

    /// The condition that a table's `memory_id` may be found, after [`Reach::push_candidates`]. Rows of vectors have their own expiry.
    pub(super) fn may_find(&self, table: &str) -> String {
        match self.narrowed() {
            true => format!(" and {table}.memory_id in (select id from reach)"),
            false => format!(" and {table}.memory_id not in (select id from expired)"),
        }
    }

    /// How many memories may be found and how many terms they have, after [`Reach::push_candidates`]: two columns. Memories of other
    /// projects do not count.
    pub(super) fn statistics(&self) -> String {
        if self.narrowed() {
            return r"(select count(*) from reach where fits) as documents,
                     (select coalesce(sum(term_count), 0)::bigint from reach where fits) as terms"
                .into();
        }
        let of_user = self.of_user("c", "$4");
        let counted = |column: &str, expired: &str| {
            format!(
                r"(select coalesce(sum(c.{column}), 0)::bigint from memory_term_counts c
                    where c.tenant_id = $1 and c.agent_id = any($2){of_user}) - (select {expired}::bigint from expired) as {column}"
            )
        };
        format!("{}, {}", counted("documents", "count(*)"), counted("terms", "coalesce(sum(term_count), 0)"))
    }
}

/// Whether a list has a text, or is empty: then it narrows nothing.
fn is_among<T: ToString>(values: &[T], text: &str) -> bool {
    values.is_empty() || values.iter().any(|value| value.to_string() == text)
}

fn texts<T: ToString>(values: &[T]) -> Vec<String> {
    values.iter().map(ToString::to_string).collect()
}

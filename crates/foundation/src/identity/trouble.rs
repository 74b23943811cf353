//! Agents whose keys need attention: the server refused calls of theirs, or they stopped calling.

use super::store::{self, AgentCalls};
use chrono::{DateTime, TimeDelta, Utc};
use db::{DbError, Tx};
use wire::TenantId;

/// Days within which a refused call counts, and after which an agent is silent.
const WEEK: i64 = 7;
/// Days within which a silent agent called before: one that is longer away is no surprise.
const MONTH: i64 = 30;

/// Agents with a call that was refused within a week, and agents that called within a month and not within a week, each by slug.
pub async fn troubled(tx: &mut Tx, tenant: TenantId, now: DateTime<Utc>) -> Result<(Vec<String>, Vec<String>), DbError> {
    Ok(of(&store::calls_of_agents(tx, tenant).await?, now))
}

fn of(agents: &[AgentCalls], now: DateTime<Utc>) -> (Vec<String>, Vec<String>) {
    let within = |at: Option<DateTime<Utc>>, days| at.is_some_and(|at| now - at <= TimeDelta::days(days));
    let is_refused = |calls: &AgentCalls| within(calls.last_refused_at, WEEK);
    let is_silent = |calls: &AgentCalls| calls.is_meant_to_call && within(calls.last_used_at, MONTH) && !within(calls.last_used_at, WEEK);
    (slugs(agents, is_refused), slugs(agents, is_silent))
}

fn slugs(agents: &[AgentCalls], is_one: impl Fn(&AgentCalls) -> bool) -> Vec<String> {
    agents.iter().filter(|calls| is_one(calls)).map(|calls| calls.slug.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;
    use wire::AgentId;

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000, 0).unwrap()
    }

    /// An agent that last called, and was last refused, some days ago.
    fn calls(agent: &str, used: Option<i64>, refused: Option<i64>) -> AgentCalls {
        let ago = |days: Option<i64>| days.map(|days| now() - TimeDelta::days(days));
        AgentCalls {
            agent_id: AgentId(Uuid::nil()),
            slug: agent.to_owned(),
            last_used_at: ago(used),
            last_refused_at: ago(refused),
            is_meant_to_call: true,
        }
    }

    #[test]
    fn an_agent_is_named_for_what_happened_of_late() {
        let agents = [
            calls("atlas", Some(1), Some(8)),
            calls("binky", Some(9), None),
            AgentCalls { is_meant_to_call: false, ..calls("heron", Some(9), None) },
            calls("mole", Some(9), Some(2)),
            calls("newt", Some(40), None),
            calls("otter", None, None),
            calls("zephyr", Some(2), Some(3)),
        ];
        let (refused, silent) = of(&agents, now());
        assert_eq!(refused, ["mole", "zephyr"]);
        assert_eq!(silent, ["binky", "mole"], "not one whose keys somebody took away");
        assert_eq!(of(&[], now()), (vec![], vec![]));
    }
}

//! Agents whose keys need attention: the server refused calls of theirs, or they stopped calling.

use super::store;
use chrono::{DateTime, TimeDelta, Utc};
use db::{DbError, Tx};
use std::collections::BTreeMap;
use wire::{ApiKey, TenantId};

/// Days within which a refused call counts, and after which an agent is silent.
const WEEK: i64 = 7;
/// Days within which a silent agent called before: one that is longer away is no surprise.
const MONTH: i64 = 30;
/// Most keys that are looked at, those in force first.
const KEYS: i64 = 1_000;

/// What the keys of an agent tell.
#[derive(Default)]
struct Calls {
    refused: bool,
    last_used_at: Option<DateTime<Utc>>,
    /// It has a key that nobody took away or replaced, even if it expired.
    is_meant_to_call: bool,
}

/// Agents with a call that was refused within a week, and agents that called within a month and not within a week, each by slug.
pub async fn troubled(tx: &mut Tx, tenant: TenantId, now: DateTime<Utc>) -> Result<(Vec<String>, Vec<String>), DbError> {
    Ok(of(&store::api_keys(tx, tenant, None, None, KEYS).await?, now))
}

fn of(keys: &[ApiKey], now: DateTime<Utc>) -> (Vec<String>, Vec<String>) {
    let within = |at: Option<DateTime<Utc>>, days| at.is_some_and(|at| now - at <= TimeDelta::days(days));
    let mut agents = BTreeMap::<&str, Calls>::new();
    for key in keys {
        let calls = agents.entry(&key.agent).or_default();
        calls.refused |= within(key.last_refused_at, WEEK);
        calls.last_used_at = calls.last_used_at.max(key.last_used_at);
        calls.is_meant_to_call |= key.revoked_at.is_none() && key.replaced_by.is_none();
    }
    let is_silent = |calls: &Calls| calls.is_meant_to_call && within(calls.last_used_at, MONTH) && !within(calls.last_used_at, WEEK);
    let refused = agents.iter().filter(|(_, calls)| calls.refused).map(|(slug, _)| (*slug).to_owned()).collect();
    let silent = agents.iter().filter(|(_, calls)| is_silent(calls)).map(|(slug, _)| (*slug).to_owned()).collect();
    (refused, silent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;
    use wire::{AgentId, KeyId};

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000, 0).unwrap()
    }

    /// A key that was used, and refused, some days ago.
    fn key(agent: &str, used: Option<i64>, refused: Option<i64>) -> ApiKey {
        let ago = |days: Option<i64>| days.map(|days| now() - TimeDelta::days(days));
        ApiKey {
            id: KeyId(Uuid::nil()),
            agent_id: AgentId(Uuid::nil()),
            agent: agent.to_owned(),
            name: "laptop".to_owned(),
            hint: String::new(),
            scopes: vec![],
            toolsets: vec![],
            user_id: None,
            is_granted: false,
            created_at: now(),
            expires_at: None,
            revoked_at: None,
            replaced_by: None,
            requests: 0,
            refused: 0,
            last_used_at: ago(used),
            last_used_from: None,
            last_refused_at: ago(refused),
        }
    }

    #[test]
    fn an_agent_is_named_for_what_happened_of_late() {
        let revoked = ApiKey { revoked_at: Some(now()), ..key("heron", Some(9), None) };
        let expired = ApiKey { expires_at: Some(now() - TimeDelta::days(9)), ..key("mole", Some(9), Some(2)) };
        let keys = [
            key("atlas", Some(1), Some(8)),
            key("binky", Some(9), None),
            key("newt", Some(40), None),
            key("otter", None, None),
            // Its other key calls.
            key("zephyr", Some(9), Some(3)),
            key("zephyr", Some(2), None),
            revoked,
            expired,
        ];
        let (refused, silent) = of(&keys, now());
        assert_eq!(refused, ["mole", "zephyr"]);
        assert_eq!(silent, ["binky", "mole"], "not one whose keys somebody took away");
        assert_eq!(of(&[], now()), (vec![], vec![]));
    }
}

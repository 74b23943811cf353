//! Sessions of agents: how a call of a coding agent names one, and what lists show of them.

use super::projects::is_slug;
use super::{AgentId, UserId, UserRef};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use uuid::Uuid;

/// Longest id that a host gives a session, in bytes.
const ID_MAX: usize = 128;

/// The session of a coding agent that a call belongs to, as a header names it: `claude-code/6f0d4a52; project=…; tokens=1200`. Project and
/// tokens may be absent, and parameters that nobody knows are ignored. A project of zeros is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRef {
    /// The program in which the agent works, as a slug.
    pub host: String,
    /// The host's id of the session.
    pub id: String,
    /// The project in which the agent works.
    pub project: Option<Uuid>,
    /// Tokens that the session was given so far; 0 if the host does not count them.
    pub tokens: u32,
}

impl SessionRef {
    /// The name under which the session is kept: its host and its id.
    pub fn name(&self) -> String {
        format!("{}/{}", self.host, self.id)
    }
}

impl fmt::Display for SessionRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.host, self.id)?;
        if let Some(project) = self.project {
            write!(f, "; project={project}")?;
        }
        write!(f, "; tokens={}", self.tokens)
    }
}

impl FromStr for SessionRef {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = || {
            let mut parts = text.split(';').map(str::trim);
            let (host, id) = parts.next()?.split_once('/')?;
            let is_id = (1..=ID_MAX).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
            if !is_slug(host) || !is_id {
                return None;
            }
            let mut session = Self { host: host.to_owned(), id: id.to_owned(), project: None, tokens: 0 };
            for part in parts {
                match part.split_once('=') {
                    Some(("project", id)) => session.project = Some(id.parse().ok()?).filter(|id: &Uuid| !id.is_nil()),
                    Some(("tokens", number)) => session.tokens = count(number)?,
                    _ => {}
                }
            }
            Some(session)
        };
        read().ok_or_else(|| "must be a host and its id of the session, such as claude-code/6f0d4a52; tokens=1200".to_owned())
    }
}

/// A number of tokens; a greater one than can be kept is the greatest.
fn count(number: &str) -> Option<u32> {
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| number.parse().unwrap_or(u32::MAX))
}

/// Which sessions are listed; an absent field does not filter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AgentSessionFilter {
    /// Operators only; an agent sees its own sessions.
    pub agent_id: Option<AgentId>,
    /// The program of the coding agent, such as `claude-code`.
    pub host: Option<String>,
    /// Only sessions of this project.
    pub project_id: Option<Uuid>,
    /// The person you are talking to; the list has their sessions and those without a user. For an operator it has theirs alone.
    pub user_id: Option<UserRef>,
    pub after: Option<String>,
    pub before: Option<String>,
    /// True: in the reverse of the usual order. The console sets it, no request has it.
    #[serde(skip)]
    pub reversed: bool,
}

/// A session of an agent: what it was given, and how much was captured from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, sqlx::FromRow)]
pub struct AgentSession {
    pub id: Uuid,
    pub agent_id: AgentId,
    #[sqlx(skip)]
    pub agent_slug: String,
    pub user_id: Option<UserId>,
    /// The program of the coding agent; absent if an agent stored the messages of the session itself.
    pub host: Option<String>,
    /// What its host or its agent calls it.
    pub name: String,
    pub project_id: Option<Uuid>,
    /// The slug of the project, if it is registered.
    pub project: Option<String>,
    /// When the first captured message was said, or the first call was made.
    pub started_at: DateTime<Utc>,
    /// When the last captured message was said, or the last call was made.
    pub last_at: DateTime<Utc>,
    /// Messages that were captured or stored.
    pub messages: i64,
    /// Recalls that were answered.
    pub recalls: i64,
    /// Contexts before a task.
    pub contexts: i64,
    /// Tokens that it was given, as far as its host counts them.
    pub tokens: i64,
    /// Candidates from its sources that wait for review.
    #[sqlx(skip)]
    pub candidates: i64,
    /// Live memories from its sources.
    #[sqlx(skip)]
    pub memories: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_names_a_session() {
        let read = |text: &str| text.parse::<SessionRef>();
        let plain = SessionRef { host: "codex".into(), id: "c-1".into(), project: None, tokens: 0 };
        assert_eq!(read("codex/c-1"), Ok(plain.clone()));
        assert_eq!(read(" codex/c-1 ;of-a-later=version; tokens=12"), Ok(SessionRef { tokens: 12, ..plain.clone() }));
        for whole in [plain.clone(), SessionRef { project: Some(Uuid::from_u128(7)), tokens: 1200, ..plain.clone() }] {
            assert_eq!(read(&whole.to_string()), Ok(whole));
        }
        for (text, tokens) in [("codex/c-1;", 0), ("codex/c-1; x; tokens=3;", 3), ("codex/c-1; tokens=99999999999999", u32::MAX)] {
            assert_eq!(read(text), Ok(SessionRef { tokens, ..plain.clone() }), "{text}");
        }
        assert_eq!(read(&format!("codex/c-1; project={}", Uuid::nil())), Ok(plain), "of no project");
        let long = format!("codex/{}", "x".repeat(ID_MAX + 1));
        for wrong in [
            "",
            "codex",
            "codex/",
            "/c-1",
            "Codex/c-1",
            "codex/a b",
            "codex/../x",
            "codex/c-1; tokens=-1",
            "codex/c-1; project=x",
            long.as_str(),
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}

//! Names of profiles and of their leaves, as URLs and forms have them.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};
use wire::{AgentId, LeafId, UserId};

/// The user of a profile that names nobody.
const NOBODY: &str = "nobody";

/// A profile: `<agent>/<user>`, where the user may be `nobody`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PersonPath {
    pub agent: AgentId,
    pub user: Option<UserId>,
}

/// A leaf of a profile: `<agent>/<user>/<leaf>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LeafPath {
    pub person: PersonPath,
    pub leaf: LeafId,
}

impl PersonPath {
    /// The URL of the person's page.
    pub fn href(self) -> String {
        format!("/people/{self}")
    }
}

impl fmt::Display for PersonPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.user {
            Some(user) => write!(f, "{}/{user}", self.agent),
            None => write!(f, "{}/{NOBODY}", self.agent),
        }
    }
}

impl fmt::Display for LeafPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.person, self.leaf)
    }
}

impl FromStr for PersonPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = || {
            let (agent, user) = text.split_once('/')?;
            let user = if user == NOBODY { None } else { Some(user.parse().ok()?) };
            Some(Self { agent: agent.parse().ok()?, user })
        };
        read().ok_or_else(|| "No profile has this address.".to_owned())
    }
}

impl FromStr for LeafPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = || {
            let (person, leaf) = text.rsplit_once('/')?;
            Some(Self { person: person.parse().ok()?, leaf: leaf.parse().ok()? })
        };
        read().ok_or_else(|| "No profile entry has this address.".to_owned())
    }
}

impl TryFrom<String> for LeafPath {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<LeafPath> for String {
    fn from(path: LeafPath) -> Self {
        path.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_survive_the_trip_and_others_are_refused() {
        let id = "01900000-0000-7000-8000-000000000000";
        for text in [format!("{id}/{id}/{id}"), format!("{id}/nobody/{id}")] {
            let leaf: LeafPath = text.parse().unwrap();
            assert_eq!(leaf.to_string(), text);
            assert_eq!(leaf.person.to_string().parse(), Ok(leaf.person));
        }
        for text in ["", "nobody", "atlas/nobody", &format!("{id}/vera")] {
            assert!(text.parse::<PersonPath>().is_err(), "{text}");
        }
        assert!(format!("{id}/{id}").parse::<LeafPath>().is_err());
    }
}

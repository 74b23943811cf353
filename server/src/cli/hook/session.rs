//! A session of a host, as its files and the server name it, and how much it was given.

use super::project::Project;
use super::state::{Kind, State, digest};
use super::{Failure, Host};
use uuid::Uuid;
use wire::SessionRef;

/// Characters that a token has on average: the server counts the budget of a context in the same way.
const TOKEN: usize = 4;

/// The name of a session's files.
pub fn name(host: Host, session: &str) -> String {
    digest(&format!("{} {session}", host.id()))
}

/// The session as the server knows it. An id that is no UUID is replaced by one that follows from it: it may be the path of a folder.
pub fn reference(host: Host, session: &str, project: Option<&Project>, state: &State) -> SessionRef {
    let id: Uuid = session.parse().or_else(|_| digest(session).parse()).unwrap_or_default();
    let tokens = state.get(Kind::Tokens, &name(host, session)).unwrap_or_default();
    // A nil id means that the server does not know the project yet (`Project::of_answers`).
    let project = project.map(|project| project.id).filter(|id| !id.is_nil());
    SessionRef { host: host.id().to_owned(), id: id.to_string(), project, tokens }
}

/// Adds a text to what a session was given, by the name of its files.
///
/// # Errors
/// When it cannot be written down.
pub fn count(name: &str, text: &str, state: &State) -> Result<(), Failure> {
    let tokens = u32::try_from(text.chars().count().div_ceil(TOKEN)).unwrap_or(u32::MAX);
    let before: u32 = state.get(Kind::Tokens, name).unwrap_or_default();
    state.put(Kind::Tokens, name, &before.saturating_add(tokens))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_counts_what_it_was_given_and_hides_what_it_is_called() {
        let folder = tempfile::tempdir().unwrap();
        let state = State::at(folder.path().join("state")).unwrap();
        let (here, there) = (name(Host::Codex, "/home/vera/harbour"), name(Host::Cursor, "/home/vera/harbour"));
        for (text, tokens) in [("", 0), ("The port is 5544.", 5), ("Mina", 6)] {
            count(&here, text, &state).unwrap();
            let session = reference(Host::Codex, "/home/vera/harbour", None, &state);
            assert_eq!((session.host.as_str(), session.tokens), ("codex", tokens));
            assert!(session.id.parse::<Uuid>().is_ok() && !session.id.contains("vera"), "{session}");
            assert_eq!(session.to_string().parse(), Ok(session));
        }
        assert_eq!(state.get::<u32>(Kind::Tokens, &there), None);
        let uuid = Uuid::from_u128(7);
        let project = Project { id: uuid, repo: None };
        let session = reference(Host::ClaudeCode, &uuid.to_string(), Some(&project), &state);
        assert_eq!((session.id, session.project, session.tokens), (uuid.to_string(), Some(uuid), 0));
        let unknown = Project { id: Uuid::nil(), repo: None };
        assert_eq!(reference(Host::ClaudeCode, "a", Some(&unknown), &state).project, None);
    }
}

//! What pages call hosts and sessions.

use crate::ui::text;
use wire::{AgentSession, HostName};

/// What people call a host. An agent without one stores its messages over the API.
pub fn host_name(host: Option<&str>) -> &str {
    let Some(host) = host else { return "API" };
    HostName::HOOKED.iter().find(|known| known.id == host).map_or(host, |known| known.label)
}

/// What people call a session: its host and project, or the name that its agent gave it.
pub fn title(session: &AgentSession) -> String {
    match (session.host.as_deref(), &session.project) {
        (None, _) => text::visible(&session.name),
        (Some(host), Some(project)) => format!("{} in {project}", host_name(Some(host))),
        (Some(host), None) => host_name(Some(host)).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::host_name;

    #[test]
    fn hosts_have_the_names_of_their_makers() {
        assert_eq!([Some("claude-code"), Some("of-a-later-version"), None].map(host_name), ["Claude Code", "of-a-later-version", "API"]);
    }
}

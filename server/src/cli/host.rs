//! The hosts of coding agents, as every command names them.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use wire::HostName;

/// A program in which coding agents run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Host {
    /// Claude Code
    ClaudeCode,
    /// Codex CLI
    Codex,
    /// Cursor
    Cursor,
    /// Gemini CLI
    Gemini,
    /// OpenCode
    #[value(name = "opencode")]
    #[serde(rename = "opencode")]
    OpenCode,
    /// GitHub Copilot CLI
    Copilot,
}

impl Host {
    fn name(self) -> HostName {
        match self {
            Self::ClaudeCode => HostName::CLAUDE_CODE,
            Self::Codex => HostName::CODEX,
            Self::Cursor => HostName::CURSOR,
            Self::Gemini => HostName::GEMINI,
            Self::OpenCode => HostName::OPENCODE,
            Self::Copilot => HostName::COPILOT,
        }
    }

    /// Its name on the command line and in files.
    pub fn id(self) -> &'static str {
        self.name().id
    }

    /// What its makers call it.
    pub fn label(self) -> &'static str {
        self.name().label
    }
}

#[cfg(test)]
mod tests {
    use super::Host;
    use clap::ValueEnum;
    use wire::HostName;

    #[test]
    fn a_host_has_one_name_everywhere() {
        assert_eq!(Host::value_variants().len(), HostName::HOOKED.len());
        for host in Host::value_variants() {
            assert_eq!(host.to_possible_value().unwrap().get_name(), host.id());
            assert_eq!(serde_json::to_value(host).unwrap(), host.id());
            assert_eq!(HostName::HOOKED.iter().filter(|known| known.id == host.id()).count(), 1);
        }
    }
}

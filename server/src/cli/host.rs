//! The hosts of coding agents, as every command names them.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

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
    /// Its name on the command line and in files.
    pub fn id(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Gemini => "gemini",
            Self::OpenCode => "opencode",
            Self::Copilot => "copilot",
        }
    }

    /// What its makers call it.
    pub fn label(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
            Self::Cursor => "Cursor",
            Self::Gemini => "Gemini CLI",
            Self::OpenCode => "OpenCode",
            Self::Copilot => "Copilot CLI",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Host;
    use clap::ValueEnum;

    #[test]
    fn a_host_has_one_name_everywhere() {
        for host in Host::value_variants() {
            assert_eq!(host.to_possible_value().unwrap().get_name(), host.id());
            assert_eq!(serde_json::to_value(host).unwrap(), host.id());
        }
    }
}

//! The programs in which agents run, as hooks, the command line and the console name them.

/// A program in which agents run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostName {
    /// Its name in addresses, in files and on the command line.
    pub id: &'static str,
    /// What its makers call it.
    pub label: &'static str,
}

impl HostName {
    pub const CLAUDE_CODE: Self = Self { id: "claude-code", label: "Claude Code" };
    pub const CODEX: Self = Self { id: "codex", label: "Codex" };
    pub const COPILOT: Self = Self { id: "copilot", label: "Copilot CLI" };
    pub const CURSOR: Self = Self { id: "cursor", label: "Cursor" };
    pub const GEMINI: Self = Self { id: "gemini", label: "Gemini CLI" };
    pub const OPENCODE: Self = Self { id: "opencode", label: "OpenCode" };

    /// Those whose hooks name their sessions, by label.
    pub const HOOKED: [Self; 6] = [Self::CLAUDE_CODE, Self::CODEX, Self::COPILOT, Self::CURSOR, Self::GEMINI, Self::OPENCODE];
}

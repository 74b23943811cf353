//! The documents of the invented organisation.

macro_rules! files {
    ($($path:literal),+ $(,)?) => { &[$(($path, include_str!(concat!("knowledge/", $path)))),+] };
}

/// Documents: path and Markdown.
pub const FILES: &[(&str, &str)] = files![
    ".context/decisions/ADR-001-record-decisions.md",
    ".context/decisions/ADR-002-rust-for-services.md",
    ".context/decisions/ADR-003-one-queue.md",
    ".context/decisions/ADR-004-graph-database.md",
    ".context/decisions/ADR-005-postgres-jsonb-for-the-knowledge-graph.md",
    "ARCHITECTURE.md",
    "GLOSSARY.md",
    "docs/onboarding.md",
    "docs/specs/approved/SPEC-001-agent-memory.md",
    "docs/specs/approved/SPEC-002-shared-knowledge.md",
    "docs/specs/approved/SPEC-003-vocabulary.md",
];

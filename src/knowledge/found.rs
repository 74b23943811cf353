//! What search finds of documents: which of them, and by which text.

use words::tokens::Tokens;

/// Statuses of documents that were replaced or never in force: kept and shown, but not found, because no agent should rely on them.
const NOT_IN_FORCE: [&str; 8] = ["superseded", "deprecated", "rejected", "withdrawn", "obsolete", "retired", "draft", "proposed"];

/// Whether search finds a document with this status while it is in force.
pub fn is_found(status: &str) -> bool {
    !NOT_IN_FORCE.iter().any(|word| status.split(|c: char| !c.is_alphanumeric()).next() == Some(word))
}

/// The text whose words are indexed: the chunk, its reference, title and headings.
pub fn searched_text(reference: Option<&str>, title: &str, heading_path: &[String], content: &str) -> String {
    format!("{}\n{content}", documents::above(reference, title, heading_path))
}

/// The text that is embedded: the same, as far as the model reads it.
pub(crate) fn embedded_text(reference: Option<&str>, title: &str, heading_path: &[String], content: &str, tokens: &dyn Tokens) -> String {
    format!("{}\n{content}", documents::embedded_above(&documents::above(reference, title, heading_path), tokens))
}

//! Patterns of LIKE from what somebody typed.

/// Matches texts that contain `text`.
pub fn contains(text: &str) -> String {
    format!("%{}%", escape(text))
}

/// Matches texts that start with `text`.
pub fn starts_with(text: &str) -> String {
    format!("{}%", escape(text))
}

/// Makes the wildcards of LIKE literal.
fn escape(text: &str) -> String {
    text.replace('\\', r"\\").replace('%', r"\%").replace('_', r"\_")
}

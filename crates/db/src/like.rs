//! Patterns of LIKE from what somebody typed.

/// Matches texts that contain `text`.
pub fn contains(text: &str) -> String {
    format!("%{}%", escape(text))
}

/// The operator that matches the pattern of `text` in upper or lower case. For a text in ASCII, only ASCII letters are folded, which takes
/// half the time.
pub fn in_any_case(text: &str) -> &'static str {
    if text.is_ascii() { " collate \"C\" ilike " } else { " ilike " }
}

/// Matches texts that start with `text`.
pub fn starts_with(text: &str) -> String {
    format!("{}%", escape(text))
}

/// Makes the wildcards of LIKE literal.
fn escape(text: &str) -> String {
    text.replace('\\', r"\\").replace('%', r"\%").replace('_', r"\_")
}

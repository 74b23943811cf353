//! Patterns of LIKE from what somebody typed, and of regular expressions from names.

use wire::ERASURE_NAME_MIN;

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

/// The pattern of `~*` for texts that have a name. One with fewer than [`ERASURE_NAME_MIN`] characters counts only as a word of its own.
pub fn named(name: &str) -> String {
    let mut literal = String::new();
    for letter in name.chars() {
        literal.extend(letter.is_ascii_punctuation().then_some('\\'));
        literal.push(letter);
    }
    match name.chars().count() < ERASURE_NAME_MIN {
        true => format!("(^|[^[:alnum:]]){literal}($|[^[:alnum:]])"),
        false => literal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_no_expression() {
        assert_eq!(named("***Mina (L.)"), r"\*\*\*Mina \(L\.\)");
        assert_eq!(named("A."), r"(^|[^[:alnum:]])A\.($|[^[:alnum:]])");
    }
}

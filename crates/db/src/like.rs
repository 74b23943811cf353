//! Patterns of LIKE from what somebody typed, and of regular expressions from names.

use wire::erasure_name_min;

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

/// The pattern of `~*` for texts that have a name. One with fewer than [`erasure_name_min`] characters counts only as a word of its own.
pub fn named(name: &str) -> String {
    let mut literal = String::new();
    for letter in name.chars() {
        literal.extend(letter.is_ascii_punctuation().then_some('\\'));
        literal.push(letter);
    }
    match name.chars().count() < erasure_name_min(name) {
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
        assert_eq!(
            (named("王芳"), named("김철"), named("王")),
            ("王芳".into(), "김철".into(), "(^|[^[:alnum:]])王($|[^[:alnum:]])".into())
        );
    }
}

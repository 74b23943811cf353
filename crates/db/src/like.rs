//! Patterns of LIKE from what somebody typed, and of regular expressions from names.

use wire::{erasure_name_min, joins_words};

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
    match name.chars().count() < erasure_name_min(name) {
        true => word(name),
        false => literal(name),
    }
}

/// The pattern of `~` for texts that have a reference or an id: as words of their own, or anywhere where the next word is joined to them.
pub fn referred(text: &str) -> String {
    if text.contains(joins_words) { named(text) } else { word(text) }
}

/// Matches a text as words of their own. In the text of a JSON value a letter behind `\` is a sign of its own: `\n`.
fn word(text: &str) -> String {
    format!(r"(^|[^[:alnum:]]|\\[bfnrt]){}($|[^[:alnum:]])", literal(text))
}

/// Makes the signs of an expression literal.
fn literal(text: &str) -> String {
    let mut literal = String::new();
    for letter in text.chars() {
        literal.extend(letter.is_ascii_punctuation().then_some('\\'));
        literal.push(letter);
    }
    literal
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(literal: &str) -> String {
        format!(r"(^|[^[:alnum:]]|\\[bfnrt]){literal}($|[^[:alnum:]])")
    }

    #[test]
    fn a_name_is_no_expression() {
        assert_eq!(named("***Mina (L.)"), r"\*\*\*Mina \(L\.\)");
        assert_eq!((named("A."), named("王")), (whole(r"A\."), whole("王")));
        assert_eq!((named("王芳"), named("김철")), ("王芳".into(), "김철".into()));
    }

    #[test]
    fn a_reference_is_a_word_of_any_length() {
        assert_eq!((referred("7"), referred("crm-4711"), referred("王芳")), (whole("7"), whole(r"crm\-4711"), "王芳".into()));
    }
}

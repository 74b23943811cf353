//! Patterns of LIKE from what somebody typed, and of regular expressions from names.

use wire::{JOINED_SCRIPTS, NameEnd, has_genitive, joins_words};

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

/// The last character in the patterns' list of joined letters. Further ideographs are rare, and a pattern that is matched in any case folds
/// every letter of its lists.
const JOINED_MAX: char = '\u{ffff}';

/// The pattern of `~*` for texts that have a name, as [`NameEnd`] says, also in the genitive.
pub fn named(name: &str) -> String {
    let [begin, end] = NameEnd::of(name);
    let genitive = if has_genitive(name) { "s?" } else { "" };
    format!("{}{}{genitive}{}", edge(begin, r"^|\\[bfnrt]"), literal(name), edge(end, "$"))
}

/// The pattern of `~` for texts that have a reference or an id: as words of their own, or anywhere where the next word is joined to them.
pub fn referred(text: &str) -> String {
    if text.contains(joins_words) { named(text) } else { word(text) }
}

/// Matches a text as words of their own.
fn word(text: &str) -> String {
    format!("{}{}{}", edge(NameEnd::NoLetter, r"^|\\[bfnrt]"), literal(text), edge(NameEnd::NoLetter, "$"))
}

/// What stands next to an end of a name: a character that it allows, or something else. In the text of a JSON value a letter behind `\` is a
/// sign of its own: `\n`.
fn edge(end: NameEnd, or: &str) -> String {
    match end {
        NameEnd::Any => String::new(),
        NameEnd::NoLetter => format!("({or}|[^[:alnum:]])"),
        NameEnd::NoSpacedLetter => format!("({or}|[^[:alnum:]]|[{}])", joined()),
    }
}

/// The letters that join words, for a list in brackets.
fn joined() -> String {
    JOINED_SCRIPTS.iter().filter(|(_, last)| *last <= JOINED_MAX).map(|(first, last)| format!("{first}-{last}")).collect()
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
        format!(r"(^|\\[bfnrt]|[^[:alnum:]]){literal}($|[^[:alnum:]])")
    }

    fn spaced(literal: &str) -> String {
        let joined = joined();
        format!(r"(^|\\[bfnrt]|[^[:alnum:]]|[{joined}]){literal}($|[^[:alnum:]]|[{joined}])")
    }

    #[test]
    fn a_name_is_no_expression_and_a_word_of_its_own() {
        assert_eq!(named("***Mina (L.)"), spaced(r"\*\*\*Mina \(L\.\)"));
        assert_eq!((named("Mina"), named("A."), named("王")), (spaced("Minas?"), spaced(r"A\."), whole("王")));
        assert_eq!((named("王芳"), named("김철"), named("นก")), ("王芳".into(), "김철".into(), "นก".into()));
    }

    #[test]
    fn a_reference_is_a_word_of_any_length() {
        assert_eq!((referred("7"), referred("crm-4711"), referred("王芳")), (whole("7"), whole(r"crm\-4711"), "王芳".into()));
    }
}

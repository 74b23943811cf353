//! Words that an installation adds to those of the program: names of secrets, orders to an agent, words of sensitive matters. A process installs
//! them before it reads its first text.

use super::fold::{folded, is_unspaced, words};
use super::lexicon::Value;
use super::phrases::Order;
use std::sync::OnceLock;
use wire::Matter;

/// The largest file, in bytes.
const FILE_MAX: usize = 64 * 1024;
/// Most names, orders and words together.
const ENTRIES_MAX: usize = 1_000;
/// The longest name or word, in characters.
const LETTERS_MAX: usize = 60;
/// The shortest one, and the shortest first and last word of an order, in letters; a shorter one would be in every second text.
const LETTERS_MIN: usize = 3;
/// The same in scripts without spaces.
const LETTERS_MIN_UNSPACED: usize = 2;
/// What one order may have. Its gaps multiply the places that are tried.
const PARTS_MAX: usize = 12;
const GAPS_MAX: usize = 3;
const CHOICES_MAX: usize = 40;

/// What a name of a secret may stand before.
const SECRETS: &[(&str, Value)] =
    &[("password", Value::Password), ("code", Value::Code), ("key", Value::Key), ("token", Value::Token), ("phrase", Value::Phrase)];
/// What an order may want.
const ORDERS: &[(&str, Order)] = &[
    ("dismiss", Order::Dismiss),
    ("reveal", Order::Reveal),
    ("hide", Order::Hide),
    ("persona", Order::Persona),
    ("command", Order::Command),
    ("rights", Order::Rights),
    ("memory", Order::Memory),
    ("reader", Order::Reader),
];

static INSTALLED: OnceLock<AddedWords> = OnceLock::new();

/// The words of a file.
#[derive(Clone, Default)]
pub struct AddedWords {
    /// In lower case.
    pub(super) names: Vec<(String, Value)>,
    /// In the form of [`super::phrases`].
    pub(super) orders: Vec<(Order, String)>,
    /// `a~` is any word that begins so.
    pub(crate) matters: Vec<(Matter, String)>,
}

/// Adds words to those of the program, for as long as the process runs. False, and nothing is added, if a text was read before.
pub fn install(words: AddedWords) -> bool {
    INSTALLED.set(words).is_ok()
}

/// The words that were added.
pub(crate) fn added() -> &'static AddedWords {
    INSTALLED.get_or_init(AddedWords::default)
}

/// Whether nothing separates the words of a script: parts of a text are compared, not words.
pub(crate) fn is_dense(text: &str) -> bool {
    text.contains(|c| is_unspaced(c) || is_joined(c))
}

/// Thai, Lao, Burmese and Khmer: a run of their words is one word to a search for orders.
fn is_joined(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

impl AddedWords {
    /// Reads a file: `secret KIND: name, name`, `order KIND: pattern`, `MATTER: word word`, `[xx]` before the words of a language, and comments
    /// behind `#`.
    ///
    /// # Errors
    /// A sentence about the first line that cannot be read, with its number.
    pub fn parse(file: &str) -> Result<Self, String> {
        if file.len() > FILE_MAX {
            return Err(format!("it has {} bytes; at most {FILE_MAX} are allowed", file.len()));
        }
        let mut words = Self::default();
        for (number, line) in (1..).zip(file.trim_start_matches('\u{feff}').lines()) {
            words.read(line.trim()).map_err(|reason| format!("line {number}: {reason}"))?;
            if words.count() > ENTRIES_MAX {
                return Err(format!("line {number}: the file has more than {ENTRIES_MAX} entries"));
            }
        }
        Ok(words)
    }

    /// How many names, orders and words it has.
    pub fn count(&self) -> usize {
        self.names.len() + self.orders.len() + self.matters.len()
    }

    fn read(&mut self, line: &str) -> Result<(), String> {
        if line.is_empty() || line.starts_with('#') || line.starts_with('[') && line.ends_with(']') {
            return Ok(());
        }
        let (name, list) = line.split_once(':').ok_or("a list begins with its name and a colon")?;
        let list = list.split_whitespace().collect::<Vec<_>>().join(" ");
        if list.is_empty() {
            return Err("the list is empty".to_owned());
        }
        match name.trim().split_once(' ') {
            Some(("secret", kind)) => {
                let value = of(SECRETS, kind, "secret")?;
                for name in list.split(',') {
                    self.names.push((secret(name.trim())?, value));
                }
            }
            Some(("order", kind)) => self.orders.push((of(ORDERS, kind, "order")?, order(list)?)),
            _ => {
                let matter: Matter = name.trim().parse().map_err(|_| unknown(name.trim()))?;
                for word in list.split(' ') {
                    self.matters.push((matter, sensitive(word)?));
                }
            }
        }
        Ok(())
    }
}

/// What a kind means.
fn of<T: Copy>(known: &[(&str, T)], kind: &str, what: &str) -> Result<T, String> {
    let found = known.iter().find(|(name, _)| *name == kind.trim()).map(|(_, value)| *value);
    let names = || known.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    found.ok_or_else(|| format!("“{}” is not a kind of {what}; the kinds are {}", kind.trim(), names()))
}

fn unknown(name: &str) -> String {
    let matters: Vec<&str> = Matter::ALL.iter().map(|matter| matter.as_str()).collect();
    format!("“{name}” is not the name of a list; the names are secret KIND, order KIND, {}", matters.join(", "))
}

/// The name of a secret.
fn secret(name: &str) -> Result<String, String> {
    has_letters(name)?;
    if !name.starts_with(char::is_alphabetic) {
        return Err(format!("“{name}” must begin with a letter"));
    }
    Ok(name.to_lowercase())
}

/// A word of a sensitive matter.
fn sensitive(word: &str) -> Result<String, String> {
    has_letters(word)?;
    let plain = folded(word.strip_suffix('~').unwrap_or(word));
    if plain.contains(['~', '\'']) || !is_dense(&plain) && words(&plain).len() != 1 {
        return Err(format!("“{word}” is more than one word"));
    }
    Ok(word.to_owned())
}

fn has_letters(word: &str) -> Result<(), String> {
    let least = if is_dense(word) { LETTERS_MIN_UNSPACED } else { LETTERS_MIN };
    if word.chars().count() > LETTERS_MAX {
        return Err(format!("“{word}” has more than {LETTERS_MAX} characters"));
    }
    if word.chars().filter(|c| c.is_alphabetic()).count() < least {
        return Err(format!("“{word}” has fewer than {least} letters"));
    }
    Ok(())
}

/// The pattern of an order.
fn order(pattern: String) -> Result<String, String> {
    let parts: Vec<&str> = pattern.split(' ').collect();
    let is_gap = |part: &&&str| matches!(**part, "*" | "**");
    let gaps = parts.iter().filter(is_gap).count();
    if parts.len() - gaps < 2 || parts.first().is_some_and(|part| is_gap(&part)) || parts.last().is_some_and(|part| is_gap(&part)) {
        return Err("an order begins and ends with words, and has at least two of them".to_owned());
    }
    if parts.len() > PARTS_MAX || gaps > GAPS_MAX {
        return Err(format!("an order has at most {PARTS_MAX} parts, of which {GAPS_MAX} are * or **"));
    }
    for part in parts.iter().filter(|part| !is_gap(part)) {
        let choices: Vec<&str> = part.trim_start_matches('^').split('|').collect();
        let empty = |choice: &&str| words(&folded(&choice.trim_end_matches('~').replace('_', " "))).is_empty();
        if choices.len() > CHOICES_MAX || choices.iter().any(|choice| choice.chars().count() > LETTERS_MAX || empty(choice)) {
            return Err(format!("“{part}” must be 1 to {CHOICES_MAX} words between |, each of at most {LETTERS_MAX} characters"));
        }
        if part.contains(is_joined) {
            return Err(format!("“{part}” cannot be found in an order: of the scripts without spaces, only Han and Kana can"));
        }
    }
    let ends = parts.first().into_iter().chain(parts.last());
    ends.flat_map(|part| part.trim_start_matches('^').split('|')).try_for_each(has_letters)?;
    Ok(pattern)
}

#[cfg(test)]
mod tests {
    use super::AddedWords;

    #[test]
    fn a_file_is_read_line_by_line() {
        let file = "\u{feff}# ours\n[sv]\nsecret password: lösenfras, hemligt ord\norder dismiss: glöm|strunta_i ** regler~\r\n\nhealth: sjuk~ feber\n";
        let words = AddedWords::parse(file).ok().unwrap();
        assert_eq!((words.names.len(), words.orders.len(), words.matters.len(), words.count()), (2, 1, 2, 5));
        assert_eq!(AddedWords::parse("").ok().unwrap().count(), 0);
    }

    #[test]
    fn a_wrong_line_is_named_with_its_number() {
        for (line, reason) in [
            ("feber", "a colon"),
            ("health:", "is empty"),
            ("wealth: guld", "is not the name of a list"),
            ("secret pasword: lösen", "the kinds are password, code"),
            ("secret code: pin,", "fewer than 3 letters"),
            ("secret code: 1234abc", "begin with a letter"),
            ("order forget: glöm alla", "is not a kind of order"),
            ("order dismiss: glöm", "at least two"),
            ("order dismiss: ** glöm regler", "begins and ends with words"),
            ("order dismiss: a * b * c * d * e", "at most 12 parts"),
            ("order dismiss: glöm ~", "must be 1 to 40 words"),
            ("order dismiss: glöm|än ** regler", "fewer than 3 letters"),
            ("order dismiss: ^glöm ** a~", "fewer than 3 letters"),
            ("order dismiss: 忘 ** 规则", "fewer than 2 letters"),
            ("order dismiss: ลืม ** คำสั่ง", "only Han and Kana"),
            ("health: si~", "fewer than 3 letters"),
            ("health: lång-covid", "more than one word"),
            ("health: 病", "fewer than 2 letters"),
        ] {
            let error = AddedWords::parse(&format!("# ours\n{line}\n")).err().unwrap_or_default();
            assert!(error.starts_with("line 2: ") && error.contains(reason), "{line}: {error}");
        }
    }

    #[test]
    fn a_file_has_limits() {
        let too_long = AddedWords::parse(&"#".repeat(super::FILE_MAX + 1)).err().unwrap_or_default();
        assert!(too_long.contains("65536"), "{too_long}");
        let too_many = AddedWords::parse(&format!("health: {}", "abc ".repeat(super::ENTRIES_MAX + 1))).err().unwrap_or_default();
        assert!(too_many.contains("more than 1000 entries"), "{too_many}");
        let word = "a".repeat(super::LETTERS_MAX + 1);
        assert!(AddedWords::parse(&format!("health: {word}")).err().unwrap_or_default().contains("more than 60 characters"));
    }
}

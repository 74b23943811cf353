//! Secrets by their shape or by the name before them. Each becomes a marker, so that nobody stores it.

use super::fold::is_unspaced;
use super::kind::{MARKER, Match, SecretKind};
use super::view::View;
use super::{commands, named, shapes};
use crate::steps;
use std::cell::Cell;

/// A text without secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted {
    pub text: String,
    /// What was removed, mostly in the order of the text.
    pub removed: Vec<SecretKind>,
}

/// Most times that a text is read.
const PASSES: usize = 4;

/// Replaces each secret by a marker such as `[secret removed: API key]`. Redacting twice changes nothing.
///
/// The time is linear in the text: at each place a bounded stretch decides, and what is removed is read once.
pub fn redact(text: &str) -> Redacted {
    let mut redacted = pass(text);
    let mut last = redacted.removed.len();
    // What stands between a name and its value is read when the value is gone.
    for _ in 1..PASSES {
        if last == 0 {
            break;
        }
        let again = pass(&redacted.text);
        last = again.removed.len();
        redacted.text = again.text;
        redacted.removed.extend(again.removed);
    }
    redacted
}

/// A text without secrets that stands under a name, as in JSON: the name may give it away, though it has several words.
pub fn redact_under(name: &str, text: &str) -> Redacted {
    let quote = if text.contains(['"', '\\', '\n']) { "" } else { "\"" };
    let prefix = format!("{name}: {quote}");
    let whole = redact(&format!("{prefix}{text}{quote}"));
    match whole.text.strip_prefix(&prefix).and_then(|rest| rest.strip_suffix(quote)) {
        Some(clean) if !name.is_empty() => Redacted { text: clean.to_owned(), removed: whole.removed },
        _ => redact(text),
    }
}

fn pass(text: &str) -> Redacted {
    let view = View::new(text);
    let reader = Reader { text: view.text(), pem_end: Cell::new(None) };
    let (mut clean, mut removed) = (String::with_capacity(text.len()), Vec::new());
    let (mut kept, mut done, mut at) = (0, 0, 0);
    // The character before decides whether a word begins here.
    let mut before = None;
    while let Some(c) = reader.text.get(at..).and_then(|rest| rest.chars().next()) {
        if let Some(length) = marker(reader.text, at) {
            (at, before) = (at + length, Some(']'));
        } else if let Some(found) = reader.secret(at, c, before).filter(|found| found.end > found.start && found.start >= done) {
            clean.push_str(text.get(kept..view.original(found.start)).unwrap_or_default());
            clean.push_str(&format!("{MARKER}{}]", found.kind));
            removed.push(found.kind);
            (done, kept) = (found.end, view.original(found.end));
            // A password before a sign ends where the sign is.
            (at, before) = (found.end.max(at + c.len_utf8()), Some(']'));
        } else {
            (at, before) = (at + c.len_utf8(), Some(c));
        }
    }
    clean.push_str(text.get(kept..).unwrap_or_default());
    Redacted { text: clean, removed }
}

/// The length of the marker at a place: what it says is no secret.
fn marker(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..).filter(|rest| rest.starts_with(MARKER))?;
    rest.bytes().take(48).position(|byte| byte == b']').map(|end| end + 1)
}

/// A text that is searched for secrets.
struct Reader<'a> {
    text: &'a str,
    /// From which place the next last line of a private key was searched, and where it is, so that no part is searched twice.
    pem_end: Cell<Option<(usize, Option<usize>)>>,
}

impl Reader<'_> {
    /// The secret that begins with the character `c` at this place, or after a name that does.
    fn secret(&self, at: usize, c: char, before: Option<char>) -> Option<Match> {
        let text = self.text;
        let in_word = before.is_some_and(|before| before.is_ascii_alphanumeric());
        match c {
            '-' => shapes::pem(text, at, |from| self.pem_end(from)).or_else(|| commands::flagged(text, at)),
            ':' => shapes::address(text, at),
            '@' => shapes::source(text, at),
            '0'..='9' => shapes::vendor(text, at, before).or_else(|| self.number(at, before)),
            c if c.is_ascii_alphabetic() => {
                let shaped = shapes::vendor(text, at, before);
                let word = || Some(()).filter(|()| !in_word).and_then(|()| self.word(at, before));
                let iban = || Some(()).filter(|()| !in_word || self.follows(at, "iban")).and_then(|()| shapes::iban(text, at));
                shaped.or_else(word).or_else(iban)
            }
            c if c.is_alphabetic() => named::named(text, at, before),
            _ => None,
        }
    }

    /// What may begin with a letter where a word begins.
    fn word(&self, at: usize, before: Option<char>) -> Option<Match> {
        let shaped = shapes::signed(self.text, at).or_else(|| shapes::parts(self.text, at)).or_else(|| commands::basic(self.text, at));
        let named = || named::named(self.text, at, before).filter(|_| before != Some('_') || !self.is_joined(at));
        shaped.or_else(named).or_else(|| commands::login(self.text, at))
    }

    /// What may begin with a digit: a word may stand directly before it.
    fn number(&self, at: usize, before: Option<char>) -> Option<Match> {
        let fresh = match before {
            Some(c) if c.is_ascii_alphabetic() => {
                ["card", "visa", "number", "nr", "no", "pan", "karte"].iter().any(|word| self.follows(at, word))
            }
            Some(c) => is_unspaced(c) || !c.is_alphanumeric() && !matches!(c, '.' | '_' | '+'),
            None => true,
        };
        Some(()).filter(|()| fresh).and_then(|()| shapes::card(self.text, at).or_else(|| shapes::bot(self.text, at)))
    }

    /// Whether a letter or digit stands before the underscore before a place.
    fn is_joined(&self, at: usize) -> bool {
        let before = self.text.get(..at).and_then(|head| head.strip_suffix('_'));
        before.is_some_and(|head| head.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
    }

    fn follows(&self, at: usize, word: &str) -> bool {
        let before = at.checked_sub(word.len()).and_then(|start| self.text.get(start..at));
        before.is_some_and(|before| before.eq_ignore_ascii_case(word))
    }

    /// Where the next last line of a private key begins, at or after `from`.
    fn pem_end(&self, from: usize) -> Option<usize> {
        let known = self.pem_end.get().filter(|(searched, end)| *searched <= from && end.is_none_or(|end| end >= from));
        if let Some((_, end)) = known {
            return end;
        }
        let end = self.text.get(from..).and_then(|rest| rest.find("-----END ")).map(|end| from + end);
        steps::looked_at(end.unwrap_or(self.text.len()) - from);
        self.pem_end.set(Some((from, end)));
        end
    }
}

#[cfg(test)]
mod tests;

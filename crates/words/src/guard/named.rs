//! Secrets by the name before them: "password:", `API_KEY=`, "the PIN is".

use super::added::added;
use super::fold::is_unspaced;
use super::kind::{Match, SecretKind};
use super::lexicon::{BETWEEN, ENDS_UNSPACED, NAMES, PHRASES, PLACEHOLDERS, SAYS, SAYS_LATER, SAYS_UNSPACED, SUFFIXES, Value};
use super::value::{is_code, is_marked, is_odd, is_plain_id, is_random, is_reference, is_strong, mixed, stretch};
use std::collections::HashMap;
use std::sync::LazyLock;

/// The longest value, in bytes.
pub const VALUE_MAX: usize = 200;
/// The longest name, in bytes.
const NAME_MAX: usize = 64;
/// The longest line of cookies, in bytes.
const LINE_MAX: usize = 4_096;
/// How far a separator may be from its name: "the password of the wifi upstairs is", in bytes.
const FILLER_MAX: usize = 48;
/// The shortest name that may end a longer word: `PGPASSWORD`.
const JOINED_MIN: usize = 5;

static BY_END: LazyLock<HashMap<&str, Vec<&(&'static str, Value)>>> = LazyLock::new(|| {
    let mut by_end: HashMap<&str, Vec<&(&'static str, Value)>> = HashMap::new();
    for entry in NAMES {
        by_end.entry(entry.0.get(entry.0.len() - 2..).unwrap_or_default()).or_default().push(entry);
    }
    // Of two names that end alike, the longer one says more.
    by_end.values_mut().for_each(|entries| entries.sort_by_key(|(name, _)| std::cmp::Reverse(name.len())));
    by_end
});
static BY_FIRST: LazyLock<HashMap<char, Vec<(&str, Value)>>> = LazyLock::new(|| {
    let mut by_first: HashMap<char, Vec<(&str, Value)>> = HashMap::new();
    let added = added().names.iter().map(|(name, value)| (name.as_str(), *value));
    for entry in PHRASES.iter().copied().chain(added) {
        by_first.entry(entry.0.chars().next().unwrap_or_default()).or_default().push(entry);
    }
    by_first.values_mut().for_each(|entries| entries.sort_by_key(|(name, _)| std::cmp::Reverse(name.len())));
    by_first
});

/// A name in a text.
struct Name<'a> {
    text: &'a str,
    end: usize,
    value: Value,
    /// `--password`
    flag: bool,
}

/// What joins a value to its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Join {
    /// A colon, an equals sign, a flag.
    Sure,
    /// "is", a dash.
    Said,
    /// Words between them, or nothing.
    Loose,
}

/// The secret after the name at this place.
pub fn named(text: &str, at: usize, before: Option<char>) -> Option<Match> {
    let name = phrase(text, at, before).or_else(|| identifier(text, at, before))?;
    let rest = text.get(name.end..)?;
    let (gap, join) = join(rest, &name, text.get(..at).unwrap_or_default())?;
    let start = name.end + gap;
    let found = |(from, to): (usize, usize), kind| (from < to).then_some(Match { start: start + from, end: start + to, kind });
    let value = text.get(start..)?;
    match name.value {
        Value::Header if join == Join::Sure => found(credential(value)?, SecretKind::Token),
        Value::Cookie if join == Join::Sure => found(cookies(value, name.text.starts_with(['s', 'S']))?, SecretKind::Token),
        Value::Phrase if join != Join::Loose => found(words(value, 6)?, SecretKind::Password),
        Value::Header | Value::Cookie | Value::Phrase => None,
        Value::Person => found(number(value)?, SecretKind::IdNumber),
        Value::Password if join == Join::Sure && name.text.to_ascii_lowercase().ends_with("phrase") && words(value, 4).is_some() => {
            found(words(value, 4)?, SecretKind::Password)
        }
        _ => single(text, start, &name, join),
    }
}

/// A name of several words or of another language. Where a capital letter can begin a word, a name does not begin within one.
fn phrase(text: &str, at: usize, before: Option<char>) -> Option<Name<'_>> {
    let rest = text.get(at..)?;
    let first = rest.chars().next()?;
    if before.is_some_and(|c| c.is_alphabetic() && c < '\u{590}') && first < '\u{590}' {
        return None;
    }
    let ends = |length: &usize| {
        let (name, after) = rest.split_at(*length);
        name.ends_with(is_unspaced) || !after.starts_with(|c: char| c.is_ascii_alphanumeric())
    };
    let fits = |(name, value): &(&str, Value)| Some((head(rest, name).filter(ends)?, *value));
    let (length, value) = BY_FIRST.get(&first.to_lowercase().next()?)?.iter().find_map(fits)?;
    Some(Name { text: rest.get(..length)?, end: at + length, value, flag: false })
}

/// The length of a name in lower case with which a text begins, in any case.
fn head(text: &str, name: &str) -> Option<usize> {
    let mut letters = text.chars();
    name.chars().all(|c| letters.next().is_some_and(|letter| letter.to_lowercase().eq([c]))).then(|| text.len() - letters.as_str().len())
}

/// An identifier that ends with a name: `password`, `DB_PASS_PROD`, `x-api-key`.
fn identifier<'a>(text: &'a str, at: usize, before: Option<char>) -> Option<Name<'a>> {
    let rest = text.get(at..)?;
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let whole = rest.get(..rest.bytes().take(NAME_MAX).take_while(part).count())?;
    let name = whole.trim_end_matches(['-', '.', '_']);
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches(['_', '-', '.']);
    let cut = |suffix: &&str| {
        base.contains(['_', '-', '.'])
            && base.len() > suffix.len()
            && base.is_char_boundary(base.len() - suffix.len())
            && is_suffix(base, suffix)
    };
    let core = SUFFIXES.iter().find(|suffix| cut(suffix)).and_then(|suffix| base.get(..base.len() - suffix.len() - 1)).unwrap_or(base);
    let (known, value) = [name, core].into_iter().find_map(ending)?;
    let in_query = matches!(before, Some('?' | '&' | ';'));
    let upper = name.len() > 4 && !name.contains(|c: char| c.is_ascii_lowercase());
    // Some names say more often something else.
    let weak = match known {
        "key" | "auth" | "sid" => !(upper || in_query),
        "sig" => !in_query,
        "signature" => !(in_query || name.to_ascii_lowercase().starts_with("x-")),
        _ => false,
    };
    let flag = before == Some('-') && text.get(..at)?.ends_with("--");
    (!weak).then_some(Name { text: name, end: at + name.len(), value, flag })
}

/// Whether a name ends with `_suffix`.
fn is_suffix(name: &str, suffix: &str) -> bool {
    let (head, tail) = name.split_at(name.len() - suffix.len());
    tail.eq_ignore_ascii_case(suffix) && head.ends_with(['_', '-', '.'])
}

/// The longest name that an identifier ends with, and its kind.
fn ending(name: &str) -> Option<(&'static str, Value)> {
    let squashed: String = name.chars().filter(|c| !matches!(c, '_' | '-' | '.')).map(|c| c.to_ascii_lowercase()).collect();
    let last = squashed.get(squashed.len().checked_sub(2)?..)?;
    let fits = |(known, _): &&&(&'static str, Value)| {
        squashed.ends_with(known) && (squashed.len() == known.len() || known.len() >= JOINED_MIN || is_part(name, known.len()))
    };
    BY_END.get(last)?.iter().find(fits).map(|(known, value)| (*known, *value))
}

/// Whether the last `length` letters of an identifier are a part of it, by a separator or a capital letter.
fn is_part(name: &str, length: usize) -> bool {
    let mut letters = name.char_indices().rev().filter(|(_, c)| !matches!(c, '_' | '-' | '.'));
    let Some((at, first)) = letters.nth(length - 1) else { return false };
    let before = name.get(..at).and_then(|head| head.chars().next_back());
    before.is_none_or(|c| matches!(c, '_' | '-' | '.') || c.is_ascii_lowercase() && first.is_ascii_uppercase())
}

/// How far the value is from its name, and what joins them.
fn join(rest: &str, name: &Name<'_>, above: &str) -> Option<(usize, Join)> {
    let closed = stretch(rest, 3, |c| !matches!(c, '"' | '\'' | '`' | '*' | ')' | ']' | '\\'));
    let blanks = stretch(rest.get(closed..)?, 4, |c| !matches!(c, ' ' | '\t'));
    let mark = closed + blanks;
    let after = rest.get(mark..)?;
    let open = |from: usize| {
        let tail = rest.get(from..).unwrap_or_default();
        let length = stretch(tail, 8, |c| !matches!(c, ' ' | '\t' | '*' | '\\'));
        // A line break once.
        let length = match tail.get(length..) {
            Some(line) if line.starts_with('\n') => {
                length + 1 + stretch(line.get(1..).unwrap_or_default(), 8, |c| !matches!(c, ' ' | '\t'))
            }
            _ => length,
        };
        from + length
    };
    let marked = [":=", "=>", "->", "==", ":", "=", "|"].into_iter().find(|sign| after.starts_with(sign));
    if let Some(sign) = marked {
        return Some((open(mark + sign.len()), Join::Sure));
    }
    if after.starts_with(", ") && rest.starts_with(['"', '\'']) || after.starts_with('>') && above.ends_with('<') {
        return Some((open(mark + 1), Join::Sure));
    }
    if after.starts_with("- ") && blanks > 0 {
        return Some((open(mark + 2), Join::Said));
    }
    let near = |most: usize| above.get(above.floor_char_boundary(above.len().saturating_sub(most))..).unwrap_or_default();
    let alone = || near(8) == above || near(8).contains('\n');
    let begins = || near(8).rsplit('\n').next().is_some_and(|line| line.trim_matches([' ', '#', '*', '-']).is_empty());
    if after.starts_with('\n') && alone() && begins() {
        return Some((open(mark), Join::Said));
    }
    if let Some(word) = SAYS_UNSPACED.iter().find(|word| after.starts_with(**word)) {
        return Some((open(mark + word.len()), Join::Said));
    }
    let netrc = || near(100).contains("machine ") && near(100).contains("login ");
    if blanks == 0 && name.text.ends_with(is_unspaced) {
        return Some((mark, Join::Loose));
    }
    if blanks == 0 || name.flag || netrc() {
        return (blanks > 0).then_some((mark, Join::Sure));
    }
    let says = |word: &&&str| head(after, word).is_some();
    let spaced = |word: &&&str| after.get(word.len()..).is_some_and(|rest| rest.starts_with([' ', ':']));
    if let Some(word) = SAYS.iter().filter(says).find(spaced) {
        return Some((open(mark + word.len() + usize::from(after.get(word.len()..)?.starts_with(':'))), Join::Said));
    }
    Some((filler(after).map_or(mark, |length| open(mark + length)), Join::Loose))
}

/// The length of words between a name and a colon or an "is".
fn filler(after: &str) -> Option<usize> {
    if !BETWEEN.iter().any(|word| head(after, word).is_some()) {
        return None;
    }
    let line = after.get(..stretch(after, FILLER_MAX, |c| matches!(c, '\n' | '.' | ',' | ';' | '!' | '?')))?;
    let said = SAYS_LATER.iter().filter_map(|word| Some(line.find(word)? + word.len()));
    said.chain(line.find(": ").map(|at| at + 2)).min()
}

/// A value of one word, or of several between quotation marks.
fn single(text: &str, start: usize, name: &Name<'_>, join: Join) -> Option<Match> {
    let body = text.get(start..)?;
    let quote = body.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
    let from = usize::from(quote.is_some());
    let inner = body.get(from..)?;
    let stop = |c: char| match quote {
        Some(quote) => c == quote || c == '\n' || c == '\\',
        None => c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<') || c >= '\u{2e80}',
    };
    let raw = inner.get(..stretch(inner, VALUE_MAX, stop))?;
    let quoted = quote.is_some_and(|quote| inner.get(raw.len()..).is_some_and(|rest| rest.starts_with([quote, '\\'])));
    let value = if quoted { raw } else { before_next(raw) };
    let assigned = join == Join::Sure && text.get(..start)?.ends_with('=') && start == name.end + 1;
    let kind = judge(value, &Place { name, join, quoted, assigned, after: inner.get(value.len()..)? })?;
    Some(Match { start: start + from, end: start + from + value.len(), kind })
}

/// A value without the punctuation after it, and without the pair that follows it in a query or a connection string.
pub fn before_next(raw: &str) -> &str {
    let is_pair = |at: usize| {
        let next = raw.get(at + 1..).unwrap_or_default();
        let name = next.bytes().take(40).take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')).count();
        next.is_empty() || name > 0 && next.get(name..).is_some_and(|after| after.starts_with('='))
    };
    let end = raw.char_indices().find(|(at, c)| matches!(c, '&' | ';') && is_pair(*at)).map_or(raw.len(), |(at, _)| at);
    raw.get(..end).unwrap_or(raw).trim_end_matches(['.', ',', ';', ':', ')', ']', '}', '|'])
}

/// Where a value stands.
struct Place<'a> {
    name: &'a Name<'a>,
    join: Join,
    quoted: bool,
    /// The value follows an equals sign without a blank, as in a shell.
    assigned: bool,
    after: &'a str,
}

impl Place<'_> {
    /// Whether nothing of the sentence follows but another name with a value.
    fn ends(&self) -> bool {
        let mut rest = self.after.chars();
        match rest.next() {
            _ if self.assigned || ENDS_UNSPACED.iter().any(|end| self.after.starts_with(end)) => true,
            None | Some('\n' | '\r' | ',' | ';' | '.' | ')' | ']' | '}' | '<' | '"' | '\'' | '`' | '&' | '|') => true,
            _ => {
                let next = self.after.trim_start_matches([' ', '\t']);
                let word = next.get(..stretch(next, 40, |c| c.is_whitespace())).unwrap_or_default();
                word.is_empty() || word.contains([':', '=']) || self.name.flag && word.starts_with('-')
            }
        }
    }
}

/// What a value is, if it is a secret.
fn judge(value: &str, place: &Place<'_>) -> Option<SecretKind> {
    if is_marked(value) || is_reference(value, place.quoted) {
        return None;
    }
    let sure = place.join == Join::Sure;
    let secret = match place.name.value {
        Value::Password => is_password(value, place),
        Value::Weak => place.join != Join::Loose && is_strong(value),
        Value::Key | Value::Token if is_random(value, 12) => sure || place.join == Join::Said || value.len() >= 20 && !is_plain_id(value),
        Value::Key | Value::Token => sure && is_strong(value) && value.len() >= 8 && (place.quoted || place.ends()),
        Value::Code => is_code(value) || place.join != Join::Loose && is_strong(value),
        Value::Check => (3..=4).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_digit()),
        Value::Person | Value::Phrase | Value::Header | Value::Cookie => false,
    };
    secret.then_some(match place.name.value {
        Value::Key => SecretKind::ApiKey,
        Value::Token => SecretKind::Token,
        Value::Check => SecretKind::CardNumber,
        _ => SecretKind::Password,
    })
}

fn is_password(value: &str, place: &Place<'_>) -> bool {
    let digits = value.bytes().all(|byte| byte.is_ascii_digit());
    let words = value.split_whitespace().count();
    let plain = |word: &str| PLACEHOLDERS.contains(&word.to_lowercase().as_str());
    match place.join {
        _ if value.len() < 4 => false,
        Join::Loose => is_strong(value),
        _ if words > 1 => place.quoted && !value.split_whitespace().any(plain),
        _ if digits => place.quoted || place.ends(),
        _ if is_odd(value) => true,
        // "the password is swordfish" says no less, but "the password is required" is as usual.
        Join::Said => place.quoted && value.is_ascii(),
        Join::Sure => (place.quoted || place.ends()) && value.is_ascii() && value.contains(|c: char| c.is_ascii_alphabetic()),
    }
}

/// The credential of a header, after its scheme.
fn credential(value: &str) -> Option<(usize, usize)> {
    let quote = stretch(value, 2, |c| !matches!(c, '"' | '\'' | '`'));
    let line = value.get(quote..)?;
    let word = |from: usize| {
        line.get(from..).map_or(0, |rest| stretch(rest, LINE_MAX, |c| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ',')))
    };
    let first = word(0);
    let scheme = first < 20 && line.get(..first)?.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-');
    let from = if scheme && line.get(first..)?.starts_with(' ') { first + 1 } else { 0 };
    let credential = line.get(from..from + word(from))?;
    let secret = credential.len() >= 8
        && !is_reference(credential, true)
        && !is_marked(credential)
        && (from > 0 && is_odd(credential) || mixed(credential));
    secret.then_some((quote + from, quote + from + credential.len()))
}

/// The values of cookies: of one that is set up to its attributes, of those that are sent up to the end of the line.
fn cookies(value: &str, set: bool) -> Option<(usize, usize)> {
    let end = stretch(value, LINE_MAX, |c| matches!(c, '\n' | '"' | '\'' | '`') || set && c == ';');
    let line = value.get(..end)?.trim_end_matches([' ', '\r', '.']);
    let (name, values) = line.split_once('=')?;
    let one_word = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    (one_word && values.len() >= 6 && !is_marked(values)).then_some((name.len() + 1, line.len()))
}

/// A number of nine digits, in groups or not.
fn number(value: &str) -> Option<(usize, usize)> {
    let length = stretch(value, 12, |c| !(c.is_ascii_digit() || matches!(c, '-' | ' ')));
    let number = value.get(..length)?.trim_end_matches(['-', ' ']);
    (number.bytes().filter(u8::is_ascii_digit).count() == 9).then_some((0, number.len()))
}

/// A line of at least so many plain words.
fn words(value: &str, least: usize) -> Option<(usize, usize)> {
    let quote = stretch(value, 2, |c| !matches!(c, '"' | '\'' | '`'));
    let line = value.get(quote..)?;
    let length = stretch(line, VALUE_MAX, |c| !(c.is_ascii_lowercase() || c == ' '));
    let line = line.get(..length)?.trim_end();
    let count = line.split(' ').filter(|word| (3..=8).contains(&word.len())).count();
    (count >= least && count == line.split(' ').count()).then_some((quote, quote + line.len()))
}

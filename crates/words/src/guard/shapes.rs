//! The shapes of secrets. Each function looks at one place of a text, reads a bounded stretch from there, and returns the secret if it is one.

use super::kind::{Match, SecretKind};
use super::lexicon::{CARDS, NOT_CARDS, NOT_CARDS_UNSPACED, NUMBERED};
use super::rules::{Body, HOOKS, IBANS, VENDORS, Vendor, WORDS};
use super::value::{entropy, is_cased, is_marked, mixed, stretch};
use crate::steps;
use std::sync::LazyLock;

/// The longest beginning of a key or an address that is read to decide, in bytes.
const READ_MAX: usize = 200;
/// How much is read of what stands before a number, in bytes.
const BEFORE_MAX: usize = 48;
/// The longest private key, in bytes.
const PEM_MAX: usize = 64 * 1024;
/// The least entropy of what follows the beginning of a key, in bits per character: four characters in turn have 2, and `xxxx` has none.
const ENTROPY_MIN: f64 = 1.9;

/// The beginnings of keys by their first byte, and whether they are so rare that a letter may stand before them.
static BY_FIRST: LazyLock<Vec<Vec<(bool, &Vendor)>>> = LazyLock::new(|| {
    let all = VENDORS.iter().map(|vendor| (true, vendor)).chain(WORDS.iter().map(|vendor| (false, vendor)));
    let of = |first: u8| all.clone().filter(|(_, (prefix, ..))| prefix.as_bytes().first() == Some(&first)).collect();
    (0..128).map(of).collect()
});

impl Body {
    fn has(self, byte: u8) -> bool {
        match self {
            _ if byte.is_ascii_alphanumeric() => true,
            Self::Plain => false,
            Self::Url => matches!(byte, b'-' | b'_' | b'='),
            Self::Dotted => matches!(byte, b'-' | b'_' | b'=' | b'.'),
            Self::Base64 => matches!(byte, b'+' | b'/' | b'='),
        }
    }
}

/// A vendor's key. `before` is the character before `at`.
pub fn vendor(text: &str, at: usize, before: Option<char>) -> Option<Match> {
    let rest = text.as_bytes().get(at..)?;
    let fresh = !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '/'));
    let known = BY_FIRST.get(usize::from(*rest.first()?))?.iter().filter(|(rare, _)| *rare || fresh);
    known.filter(|(_, (prefix, ..))| rest.starts_with(prefix.as_bytes())).find_map(|(_, (prefix, least, body, kind))| {
        let letters = rest.get(prefix.len()..)?;
        let head = letters.iter().take(READ_MAX).take_while(|byte| body.has(**byte)).count();
        let decides = std::str::from_utf8(letters.get(..head)?).ok()?;
        let capitals = || decides.bytes().all(|byte| !byte.is_ascii_lowercase());
        let random = entropy(decides) >= ENTROPY_MIN && (mixed(decides) || capitals() || is_cased(decides));
        if head < *least || !random {
            return None;
        }
        // The secret is removed as a whole, so what follows is read once.
        let length = letters.iter().take_while(|byte| body.has(**byte)).count();
        let end = at + prefix.len() + length;
        let dots = text.get(at..end)?.bytes().rev().take_while(|byte| *byte == b'.').count();
        Some(Match { start: at, end: end - dots, kind: *kind })
    })
}

/// A signed token of three parts between dots; the last may be lost.
pub fn signed(text: &str, at: usize) -> Option<Match> {
    let rest = text.get(at..).filter(|rest| rest.starts_with("eyJ"))?;
    let part = |from: usize, most: usize| rest.bytes().skip(from).take(most).take_while(|byte| Body::Url.has(*byte)).count();
    let head = part(0, READ_MAX);
    let body = Some(head).filter(|head| *head >= 10 && rest.as_bytes().get(*head) == Some(&b'.')).map(|head| part(head + 1, 10))?;
    let end = rest.bytes().take_while(|byte| Body::Dotted.has(*byte)).count();
    let end = at + rest.get(..end)?.trim_end_matches('.').len();
    (body == 10).then_some(Match { start: at, end, kind: SecretKind::Token })
}

/// The token of a Telegram bot: its number, a colon, letters.
pub fn bot(text: &str, at: usize) -> Option<Match> {
    let rest = text.get(at..)?;
    let digits = rest.bytes().take(12).take_while(u8::is_ascii_digit).count();
    let letters = rest.get(digits..)?.strip_prefix(':')?;
    let length = letters.bytes().take(READ_MAX).take_while(|byte| Body::Url.has(*byte)).count();
    let is_token = (8..=11).contains(&digits) && (30..64).contains(&length) && mixed(letters.get(..length)?);
    is_token.then_some(Match { start: at, end: at + digits + 1 + length, kind: SecretKind::Token })
}

/// A token of a Discord bot, or another of three parts: 24, 6 and 27 characters or more.
pub fn parts(text: &str, at: usize) -> Option<Match> {
    let rest = text.get(at..).filter(|rest| rest.starts_with(['M', 'N', 'O']))?;
    let length = rest.bytes().take(120).take_while(|byte| Body::Dotted.has(*byte)).count();
    let run = rest.get(..length)?.trim_end_matches('.');
    let lengths: Vec<usize> = run.split('.').map(str::len).collect();
    let is_token = matches!(lengths.as_slice(), [23..=28, 5..=7, 27..=45]) && mixed(run);
    is_token.then_some(Match { start: at, end: at + run.len(), kind: SecretKind::Token })
}

/// A private key between its first and its last line; if that is lost, up to the end of its letters. `end_at` is the place of the next last
/// line.
pub fn pem(text: &str, at: usize, end_at: impl Fn(usize) -> Option<usize>) -> Option<Match> {
    let rest = text.get(at..)?;
    let after = rest.strip_prefix("-----BEGIN ")?;
    let label = after.get(..after.bytes().take(40).position(|byte| byte == b'-')?)?;
    if !label.contains("PRIVATE KEY") {
        return None;
    }
    let head = at + "-----BEGIN ".len() + label.len();
    let body = text.get(head..)?;
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c.is_whitespace() || matches!(c, '+' | '/' | '=' | '\\' | ':' | ',' | '-');
    steps::looked_at(body.find(|c| !is_letter(c)).unwrap_or(body.len()));
    let letters = head + body.find(|c| !is_letter(c)).map_or(body, |end| &body[..end]).trim_end().len();
    let closed = end_at(head).filter(|end| end - head <= PEM_MAX && !text.get(head..*end).is_some_and(|key| key.contains("-----BEGIN ")));
    let tail = |end: usize| text.get(end + 5..).and_then(|line| line.bytes().take(60).position(|byte| byte == b'-')).map(|at| end + 5 + at);
    let end = closed.and_then(tail).map_or(letters, |end| end + text.bytes().skip(end).take(5).take_while(|byte| *byte == b'-').count());
    Some(Match { start: at, end, kind: SecretKind::PrivateKey })
}

/// A card number by issuer, length and check digit, and by its groups or by what stands before it; other numbers may follow.
pub fn card(text: &str, at: usize) -> Option<Match> {
    let bytes = text.as_bytes();
    let (mut digits, mut groups, mut group, mut place) = (String::new(), 1, 0, at);
    while let Some(byte) = bytes.get(place) {
        match byte {
            b'0'..=b'9' if digits.len() < 19 => {
                digits.push(char::from(*byte));
                group += 1;
            }
            // A group of one or two digits belongs to a telephone number or to a barcode.
            b' ' | b'-' | b'.' if groups < 6 && group > 2 && bytes.get(place + 1).is_some_and(u8::is_ascii_digit) => {
                (groups, group) = (groups + 1, 0);
            }
            _ => break,
        }
        place += 1;
        let ends = !bytes.get(place).is_some_and(u8::is_ascii_alphanumeric);
        let fits = || if groups == 1 { is_alone(text, at, digits.len()) } else { groups > 2 && group > 2 };
        if ends && is_issued(&digits) && luhn(&digits) && fits() {
            return Some(Match { start: at, end: place, kind: SecretKind::CardNumber });
        }
    }
    None
}

/// Whether a number without groups is a card's: nothing before it names another kind of number. Of lengths that few cards have and many
/// numbers, the words before it must say so.
fn is_alone(text: &str, at: usize, length: usize) -> bool {
    let before = text.get(text.floor_char_boundary(at.saturating_sub(BEFORE_MAX))..at).unwrap_or_default().to_lowercase();
    !is_numbered(&before) && (matches!(length, 14..=16) || CARDS.iter().any(|word| before.contains(word)))
}

/// Whether an issuer gives out cards with so many digits that begin so.
fn is_issued(digits: &str) -> bool {
    let Some(prefix) = digits.get(..4).and_then(|prefix| prefix.parse::<u32>().ok()) else { return false };
    match digits.len() {
        13 => prefix / 1000 == 4,
        14 => matches!(prefix / 10, 300..=305) || matches!(prefix / 100, 36 | 38 | 39),
        15 => matches!(prefix / 100, 34 | 37),
        16 => {
            matches!(prefix / 1000, 4)
                || matches!(prefix / 100, 51..=55 | 62 | 65 | 81 | 82)
                || matches!(prefix / 10, 644..=649)
                || matches!(prefix, 2200..=2204 | 2221..=2720 | 3528..=3589 | 6011)
        }
        17 | 18 => prefix / 100 == 62,
        19 => prefix / 1000 == 4 || prefix / 100 == 62,
        _ => false,
    }
}

/// Whether the words before a number name another kind of number: an order, a parcel.
fn is_numbered(before: &str) -> bool {
    // The signs of Devanagari are parts of words.
    let parts = |c: char| !(c.is_alphanumeric() || matches!(c, '°' | '№') || ('\u{900}'..='\u{963}').contains(&c));
    let mut words = before.split(parts).rev().filter(|word| !word.is_empty());
    let named = words.find(|word| !NUMBERED.contains(word));
    named.is_some_and(|word| NOT_CARDS.contains(&word) || NOT_CARDS_UNSPACED.iter().any(|part| word.contains(part)))
}

fn luhn(digits: &str) -> bool {
    let doubled = |(at, digit): (usize, u8)| match u32::from(digit - b'0') * if at % 2 == 1 { 2 } else { 1 } {
        value if value > 9 => value - 9,
        value => value,
    };
    digits.bytes().rev().enumerate().map(doubled).sum::<u32>().is_multiple_of(10)
}

/// An IBAN by its country, length and checksum; its letters may stand in groups, in either case.
pub fn iban(text: &str, at: usize) -> Option<Match> {
    let rest = text.get(at..)?;
    // The digits after the country decide quickest.
    if !rest.as_bytes().get(2..4)?.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let country = rest.get(..2).filter(|two| two.bytes().all(|byte| byte.is_ascii_alphabetic()))?.to_ascii_uppercase();
    let length: usize = IBANS.split_whitespace().find_map(|entry| entry.strip_prefix(country.as_str()))?.parse().ok()?;
    let (mut letters, mut end) = (String::new(), at);
    for (place, byte) in rest.bytes().enumerate() {
        match byte {
            _ if letters.len() == length => break,
            byte if byte.is_ascii_alphanumeric() => letters.push(char::from(byte)),
            b' ' | b'-' | b'.' if rest.as_bytes().get(place + 1).is_some_and(u8::is_ascii_alphanumeric) => continue,
            _ => return None,
        }
        end = at + place + 1;
    }
    let whole = letters.len() == length && !text.as_bytes().get(end).is_some_and(u8::is_ascii_alphanumeric);
    let moved = format!("{}{}", letters.get(4..)?, letters.get(..4)?);
    let remainder = moved.chars().try_fold(0, |sum, c| {
        let value = c.to_digit(36)?;
        Some((sum * if value > 9 { 100 } else { 10 } + value) % 97)
    });
    (whole && remainder == Some(1)).then_some(Match { start: at, end, kind: SecretKind::Iban })
}

/// The password in an address, at the `://` of it: `scheme://user:password@host`, a token alone, or a path that is a secret.
pub fn address(text: &str, at: usize) -> Option<Match> {
    let start = at + "://".len();
    let rest = text.get(at..)?.strip_prefix("://")?;
    let is_web = text.get(..at).is_some_and(|before| before.ends_with("http") || before.ends_with("https"));
    let stop = |c: char| c.is_whitespace() || matches!(c, '/' | '"' | '<' | '>' | '`') || is_web && matches!(c, '?' | '#');
    let length = stretch(rest, READ_MAX, stop);
    let Some(host) = rest.get(..length)?.rfind('@') else { return hook(rest, start) };
    let user = rest.get(..host)?;
    let (begin, password) = match user.split_once(':') {
        Some((name, password)) => (start + name.len() + 1, password),
        None => (start, Some(user).filter(|user| user.len() >= 16 && mixed(user) && user.bytes().all(|byte| Body::Url.has(byte)))?),
    };
    let reference =
        !password.contains(char::is_alphanumeric) || is_marked(rest.get(..length)?) || password.starts_with(['$', '<', '{', '*']);
    (!reference).then_some(Match { start: begin, end: start + host, kind: SecretKind::Password })
}

/// The path of an address that whoever knows it may post to.
fn hook(rest: &str, start: usize) -> Option<Match> {
    let part = HOOKS.iter().find_map(|hook| {
        let host = rest.get(..rest.find('/')?.min(80))?;
        let skipped = host.len() - hook.split('/').next()?.len().min(host.len());
        rest.get(skipped..)?.starts_with(hook).then_some(skipped + hook.len())
    })?;
    let path = rest.get(part..)?;
    let length = stretch(path, READ_MAX, |c| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | ')' | '`' | '?'));
    let path = path.get(..length)?.trim_end_matches(['.', ',', ';']);
    (path.len() >= 8 && !is_marked(path)).then_some(Match { start: start + part, end: start + part + path.len(), kind: SecretKind::Token })
}

/// The password of `user:password@tcp(host)`, at its `@`.
pub fn source(text: &str, at: usize) -> Option<Match> {
    let after = text.get(at + 1..)?;
    if !["tcp(", "unix(", "tcp6(", "("].iter().any(|network| after.starts_with(network)) {
        return None;
    }
    let before = text.get(text.floor_char_boundary(at.saturating_sub(200))..at)?;
    let word = before.rsplit(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '=')).next()?;
    let (user, password) = word.split_once(':')?;
    let secret = !user.is_empty() && !password.is_empty() && !password.starts_with('/') && !word.contains('(') && !is_marked(password);
    secret.then_some(Match { start: at - password.len(), end: at, kind: SecretKind::Password })
}

//! The shapes of secrets. Each function looks at the beginning of a text, reads a bounded or single stretch, and returns where it ends.

use super::secrets::{MARKER, Match, SecretKind};

/// How keys of common vendors begin, and the fewest characters that follow.
#[rustfmt::skip]
const VENDORS: &[(&str, usize)] = &[
    ("sk-", 20), ("sk_live_", 16), ("sk_test_", 16), ("rk_live_", 16), ("ghp_", 30), ("gho_", 30), ("ghu_", 30), ("ghs_", 30),
    ("ghr_", 30), ("github_pat_", 30), ("glpat-", 16), ("xoxb-", 16), ("xoxp-", 16), ("xoxa-", 16), ("xapp-", 16), ("AKIA", 16),
    ("ASIA", 16), ("AIza", 30), ("ya29.", 20), ("hf_", 30), ("npm_", 30), ("pypi-", 30), ("dop_v1_", 30), ("SG.", 40), ("shpat_", 30),
    ("rmb_", 20), ("gsk_", 30),
];
/// Names before a password.
const PASSWORDS: &[&str] = &["password", "passwort", "passwd", "passphrase", "pwd"];
/// Names before a key or token, as they end: `STRIPE_API_KEY`.
#[rustfmt::skip]
const KEYS: &[(&str, SecretKind)] = &[
    ("api key", SecretKind::ApiKey), ("api_key", SecretKind::ApiKey), ("api-key", SecretKind::ApiKey), ("apikey", SecretKind::ApiKey),
    ("access key", SecretKind::ApiKey), ("access_key", SecretKind::ApiKey), ("secret key", SecretKind::ApiKey),
    ("secret_key", SecretKind::ApiKey), ("secret_access_key", SecretKind::ApiKey), ("client_secret", SecretKind::ApiKey),
    ("client secret", SecretKind::ApiKey), ("secret", SecretKind::ApiKey), ("token", SecretKind::Token), ("bearer", SecretKind::Token),
];
/// What stands where a password would and is none.
const PLACEHOLDERS: &[&str] =
    &["none", "null", "nil", "true", "false", "required", "optional", "string", "empty", "unknown", "redacted", "removed", "n/a", "tbd"];
/// The longest value of a password, in bytes.
const VALUE_MAX: usize = 200;
/// The least entropy of a key, in bits per character. English words have less.
const ENTROPY_MIN: f64 = 3.0;

/// A private key in PEM, up to its end line or the end of its letters.
pub fn pem(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix("-----BEGIN ")?;
    let label = after.get(..after.find("-----").filter(|end| *end < 40)?)?;
    if !label.ends_with("PRIVATE KEY") {
        return None;
    }
    let end = format!("-----END {label}-----");
    let head = "-----BEGIN ".len() + label.len() + "-----".len();
    let body = rest.get(head..)?;
    let letters = body
        .find(|c: char| !(c.is_ascii_alphanumeric() || c.is_whitespace() || matches!(c, '+' | '/' | '=' | '\\' | ':' | ',' | '-')))
        .unwrap_or(body.len());
    let closed = body.get(..letters)?.find(&end).map(|at| at + end.len());
    Some(head + closed.unwrap_or_else(|| body.get(..letters).map_or(0, |body| body.trim_end().len())))
}

/// A vendor's key or a signed token.
pub fn key(rest: &str) -> Option<Match> {
    let token = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let vendor = VENDORS.iter().find(|(prefix, _)| rest.starts_with(prefix));
    if vendor.is_none() && !rest.starts_with("eyJ") {
        return None;
    }
    let run = rest.get(..rest.find(|c: char| !token(c)).unwrap_or(rest.len()))?.trim_end_matches('.');
    let kind = match vendor {
        Some((prefix, least)) if run.len() >= prefix.len() + least && mixed(run.get(prefix.len()..)?) => SecretKind::ApiKey,
        None if run.split('.').count() == 3 && run.split('.').all(|part| part.len() >= 10) => SecretKind::Token,
        _ => return None,
    };
    Some(Match { start: 0, end: run.len(), kind })
}

/// Letters and digits both.
fn mixed(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit()) && text.contains(|c: char| c.is_ascii_alphabetic())
}

/// A card number by issuer, length and check digit; its digits may stand in groups.
pub fn card(rest: &str) -> Option<usize> {
    let (digits, end) = grouped(rest, 19, |c| c.is_ascii_digit())?;
    let prefix: u32 = digits.get(..4)?.parse().ok()?;
    let issued = match digits.len() {
        13 | 19 => prefix / 1000 == 4,
        15 => matches!(prefix / 100, 34 | 37),
        16 => prefix / 1000 == 4 || matches!(prefix / 100, 51..=55 | 65) || matches!(prefix, 2221..=2720 | 6011),
        _ => false,
    };
    (issued && luhn(&digits)).then_some(end)
}

fn luhn(digits: &str) -> bool {
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(at, digit)| {
            let value = u32::from(digit - b'0') * if at % 2 == 1 { 2 } else { 1 };
            if value > 9 { value - 9 } else { value }
        })
        .sum();
    sum.is_multiple_of(10)
}

/// An IBAN by its shape and checksum; its letters may stand in groups.
pub fn iban(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let shaped = bytes.get(..2)?.iter().all(u8::is_ascii_uppercase) && bytes.get(2..4)?.iter().all(u8::is_ascii_digit);
    if !shaped {
        return None;
    }
    let (letters, end) = grouped(rest, 34, |c| c.is_ascii_digit() || c.is_ascii_uppercase())?;
    let moved = format!("{}{}", letters.get(4..)?, letters.get(..4)?);
    let remainder = moved.chars().try_fold(0, |sum, c| {
        let value = c.to_digit(36)?;
        Some((sum * if value > 9 { 100 } else { 10 } + value) % 97)
    });
    ((15..=34).contains(&letters.len()) && remainder == Some(1)).then_some(end)
}

/// At most `most` characters that satisfy `part`, single spaces or hyphens between groups left out, and where they end.
fn grouped(rest: &str, most: usize, part: impl Fn(char) -> bool) -> Option<(String, usize)> {
    let (mut letters, mut end, mut gap) = (String::new(), 0, false);
    for (at, c) in rest.char_indices() {
        if part(c) {
            letters.push(c);
            end = at + 1;
            gap = false;
        } else if matches!(c, ' ' | '-') && !gap {
            gap = true;
        } else if gap || !c.is_alphanumeric() {
            break;
        } else {
            // A longer word.
            return None;
        }
        if letters.len() > most {
            return None;
        }
    }
    Some((letters, end))
}

/// The password in an address: `scheme://user:password@host`.
pub fn login(rest: &str) -> Option<Match> {
    let scheme = rest.bytes().take(16).take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')).count();
    let after = rest.get(scheme..)?.strip_prefix("://")?;
    let length = after
        .bytes()
        .take(2 * VALUE_MAX)
        .take_while(|byte| !byte.is_ascii_whitespace() && !matches!(byte, b'/' | b'?' | b'"' | b'#'))
        .count();
    let authority = after.get(..length)?;
    let (user, password) = authority.get(..authority.rfind('@')?)?.split_once(':')?;
    let start = scheme + "://".len() + user.len() + 1;
    (!password.is_empty() && !is_marked(password)).then_some(Match { start, end: start + password.len(), kind: SecretKind::Password })
}

/// A value after a name such as "password:" or "API_KEY =".
pub fn named(rest: &str) -> Option<Match> {
    let name = rest.bytes().take(64).take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')).count();
    let first = rest.get(..name)?.to_ascii_lowercase();
    // "api key" has two words.
    let second = rest.get(name..)?.strip_prefix(' ').map(|after| after.bytes().take(8).take_while(u8::is_ascii_alphabetic).count());
    let both = second.and_then(|second| rest.get(..name + 1 + second)).map(str::to_ascii_lowercase);
    let is_password = PASSWORDS.iter().any(|name| first.ends_with(name));
    let by_two = both.as_deref().and_then(|both| KEYS.iter().find(|(key, _)| *key == both));
    let (length, kind) = match (is_password, by_two) {
        (true, _) => (name, SecretKind::Password),
        (_, Some((key, kind))) => (key.len(), *kind),
        _ => (name, KEYS.iter().find(|(key, _)| first.ends_with(key))?.1),
    };
    let (start, sure) = value_start(rest, length, kind, first == "bearer")?;
    let (start, end) = value(rest, start)?;
    let text = rest.get(start..end)?;
    let follows = rest.get(end..)?.lines().next().unwrap_or_default().trim_matches(|c: char| !c.is_alphanumeric());
    let placeholder =
        is_marked(text) || PLACEHOLDERS.contains(&text.to_ascii_lowercase().as_str()) || text.starts_with(['*', '<', '$', '{', '[']);
    let secret = match kind {
        SecretKind::Password => {
            text.len() >= 4 && (is_odd(text) || (sure && (follows.is_empty() || rest.get(..start)?.ends_with(['"', '\'', '`']))))
        }
        _ => text.len() >= 12 && mixed(text) && entropy(text) >= ENTROPY_MIN,
    };
    (secret && !placeholder).then_some(Match { start, end, kind })
}

/// Where the value after a name begins, and whether a colon or an equals sign says that it is one.
fn value_start(rest: &str, name: usize, kind: SecretKind, bare: bool) -> Option<(usize, bool)> {
    let after = rest.get(name..)?;
    let marks = after.bytes().take(6).take_while(|byte| matches!(byte, b' ' | b'"' | b'\'' | b':' | b'=' | b'`' | b'>' | b'*')).count();
    let between = after.get(..marks)?;
    if between.contains([':', '=']) {
        return Some((name + marks, true));
    }
    let said = after.strip_prefix(" is ").filter(|_| kind == SecretKind::Password).map(|_| (name + " is ".len(), false));
    said.or((bare && !between.is_empty()).then_some((name + marks, false)))
}

/// The value that begins at `start`: the inside of quotation marks, or a stretch without white space.
fn value(rest: &str, start: usize) -> Option<(usize, usize)> {
    let quote = rest.get(..start)?.chars().next_back().filter(|c| matches!(c, '"' | '\'' | '`'));
    let body = rest.get(start..)?;
    let stretch = |stop: &dyn Fn(char) -> bool| {
        body.char_indices().take_while(|(at, c)| *at < VALUE_MAX && !stop(*c)).map(|(at, c)| at + c.len_utf8()).last().unwrap_or(0)
    };
    let length = match quote {
        Some(quote) => stretch(&|c| c == quote || c == '\n'),
        None => {
            let length = stretch(&|c| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<'));
            body.get(..length)?.trim_end_matches(['.', ',', ';', ')', '!', '?']).len()
        }
    };
    Some((start, start + length))
}

/// Whether a value holds the beginning of a marker, up to its first space.
fn is_marked(text: &str) -> bool {
    MARKER.split(' ').next().is_some_and(|beginning| text.contains(beginning))
}

/// Not a plain word: digits or signs among its letters.
fn is_odd(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit() || matches!(c, '!' | '@' | '#' | '$' | '%' | '^' | '&' | '*' | '_'))
        && text.contains(char::is_alphabetic)
}

/// Bits per character.
fn entropy(text: &str) -> f64 {
    let mut counts = [0u32; 128];
    let mut all = 0u32;
    for byte in text.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
            all += 1;
        }
    }
    counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / f64::from(all)).map(|share| -share * share.log2()).sum()
}

//! What a value looks like: a random key, an odd word, a word of a language.

use super::kind::MARKER;
use super::lexicon::PLACEHOLDERS;
use super::rules::REFERENCES;
use crate::steps;

/// How many bytes of a text stand before the first character that stops it; at most about `most`.
pub fn stretch(text: &str, most: usize, stop: impl Fn(char) -> bool) -> usize {
    let length = text.char_indices().take_while(|(at, c)| *at < most && !stop(*c)).last().map_or(0, |(at, c)| at + c.len_utf8());
    steps::looked_at(length + 1);
    length
}

/// Whether a value holds the beginning of a marker, up to its first space.
pub fn is_marked(text: &str) -> bool {
    MARKER.split(' ').next().is_some_and(|beginning| text.contains(beginning))
}

/// Letters and digits both.
pub fn mixed(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit()) && text.contains(|c: char| c.is_ascii_alphabetic())
}

/// Capital letters in many places, as no word has them.
pub fn is_cased(text: &str) -> bool {
    let cases: Vec<bool> = text.bytes().filter(u8::is_ascii_alphabetic).map(|byte| byte.is_ascii_uppercase()).collect();
    cases.windows(2).filter(|two| matches!(two, [a, b] if a != b)).count() >= 4
}

/// Not a plain word: digits, signs or capitals among its letters.
pub fn is_odd(text: &str) -> bool {
    let sign = |c: char| c.is_ascii_digit() || matches!(c, '!' | '@' | '#' | '$' | '%' | '^' | '&' | '*' | '_' | '+' | '=' | '?' | '~');
    text.trim_end_matches(['!', '?']).contains(sign) && text.contains(char::is_alphabetic) || is_cased(text)
}

/// Bits per character.
pub fn entropy(text: &str) -> f64 {
    let mut counts = [0_u32; 128];
    for byte in text.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let all = f64::from(counts.iter().sum::<u32>());
    counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / all).map(|share| -share * share.log2()).sum()
}

/// Whether a value is random enough for a key: at least `least` characters, letters and digits, no word.
pub fn is_random(text: &str, least: usize) -> bool {
    text.len() >= least
        && text.bytes().all(|byte| byte.is_ascii_graphic())
        && (mixed(text) || text.len() >= 16 && is_cased(text) && !text.contains(['-', '_', '.']))
        && entropy(text) >= 3.0
}

/// The bytes of a text in base64, of either alphabet; none if a character is no part of it.
pub fn decoded(text: &str) -> Option<Vec<u8>> {
    let (mut bytes, mut bits, mut held) = (Vec::with_capacity(text.len() / 4 * 3), 0_u32, 0_u32);
    for byte in text.trim_end_matches('=').bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        (bits, held) = ((bits << 6 | u32::from(value)) & 0xff_ffff, held + 6);
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from(bits >> held & 0xff).ok()?);
        }
    }
    Some(bytes)
}

/// Letters and digits that are no version, date, file, address or measure.
pub fn is_strong(value: &str) -> bool {
    let sign = value.trim_end_matches(['!', '?']).contains(['!', '@', '#', '$', '%', '^', '&', '*', '_', '+', '=', '?', '~']);
    let is_file = value.contains('/') || value.rsplit('.').next().is_some_and(|end| end != value && !end.is_empty() && end.len() < 5);
    mixed(value)
        && value.is_ascii()
        && value.len() >= 6
        && !is_file
        && !value.contains("://")
        && (sign || value.len() >= 8 && !value.contains('-'))
}

/// An id of one of the usual forms: a UUID or a hash.
pub fn is_plain_id(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-') && (value.len() == 36 || matches!(value.len(), 32 | 40 | 64))
}

/// A code: four to ten digits, or groups of letters and digits.
pub fn is_code(value: &str) -> bool {
    let groups: Vec<&str> = value.split('-').collect();
    let digits = value.bytes().all(|byte| byte.is_ascii_digit()) && (4..=10).contains(&value.len());
    let grouped = groups.len() > 1 && groups.iter().all(|group| group.len() >= 3 && group.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    digits || grouped && value.contains(|c: char| c.is_ascii_digit()) && value.len() >= 7
}

/// Whether a value only says where the secret is, or that there is one.
pub fn is_reference(value: &str, quoted: bool) -> bool {
    let lower = value.to_lowercase();
    let same = value.chars().next().is_none_or(|first| value.chars().all(|c| c == first));
    let called = !quoted && (value.contains('(') || value.contains('[') && value.contains(']'));
    let variable = value.strip_prefix('$').is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'));
    let bracketed = value.starts_with(['<', '{', '[', '%']) && value.ends_with(['>', '}', ']', '%']) || value.starts_with("[secret");
    same || called
        || variable
        || bracketed
        || PLACEHOLDERS.contains(&lower.as_str())
        || REFERENCES.iter().any(|reference| value.starts_with(reference))
}

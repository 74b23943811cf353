//! Secrets beside a command or a scheme: `mysql -p…`, `ssh vera / …`, `Basic …`.

use super::kind::{Match, SecretKind};
use super::named::{VALUE_MAX, before_next};
use super::rules::{COMMANDS, LOGINS};
use super::value::{decoded, is_marked, is_reference, is_strong, stretch};

/// The credential after "Basic", if it is a name and a password in base64.
pub fn basic(text: &str, at: usize) -> Option<Match> {
    let rest = text.get(at..)?.strip_prefix("Basic ")?;
    let length = rest.bytes().take(VALUE_MAX).take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')).count();
    let plain = String::from_utf8(decoded(rest.get(..length).filter(|value| value.len() >= 8)?)?).ok()?;
    let start = at + "Basic ".len();
    (plain.contains(':') && !plain.contains(char::is_control)).then_some(Match { start, end: start + length, kind: SecretKind::Password })
}

/// The password after a flag of a command, at the dash of the flag: `mysql -u root -p…`.
pub fn flagged(text: &str, at: usize) -> Option<Match> {
    let rest = text.get(at..)?;
    let before = text.get(text.floor_char_boundary(at.saturating_sub(120))..at)?;
    let line = before.rsplit(['\n', '|', ';']).next()?;
    let fits =
        |(command, flag, _): &&(&str, &str, bool)| rest.starts_with(flag) && line.split([' ', '/', '`']).any(|word| word == *command);
    let (_, flag, attached) = COMMANDS.iter().find(fits)?;
    let after = rest.get(flag.len()..)?;
    let blank = stretch(after, 2, |c| !matches!(c, ' ' | '=' | '"' | '\''));
    if blank == 0 && !attached {
        return None;
    }
    let value = after.get(blank..)?;
    let value = value.get(..stretch(value, VALUE_MAX, |c| c.is_whitespace() || matches!(c, '"' | '\'' | '`')))?;
    // `user:password`, `user%password`, `pass:password`
    let name = value.split_once([':', '%']).map_or(0, |(name, _)| name.len() + 1);
    let password = value.get(name..)?;
    let named = name > 0 || !matches!(*flag, "-u" | "--user" | "-U" | "-passin" | "-passout");
    let start = at + flag.len() + blank + name;
    let secret = named && password.len() >= 4 && !is_marked(password) && !is_reference(password, false) && !password.starts_with('-');
    let port = blank > 0 && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b':') && *flag == "-p" && value.len() < 6;
    (secret && !port).then_some(Match { start, end: start + password.len(), kind: SecretKind::Password })
}

/// The password beside a user's name after a word such as "login": `ssh vera / …`.
pub fn login(text: &str, at: usize) -> Option<Match> {
    let rest = text.get(at..)?;
    let word = rest.bytes().take(16).take_while(u8::is_ascii_alphabetic).count();
    let known = rest.get(..word)?.to_ascii_lowercase();
    if !LOGINS.contains(&known.as_str()) {
        return None;
    }
    let gap = word + stretch(rest.get(word..)?, 3, |c| !matches!(c, ' ' | ':' | '='));
    let user = gap + stretch(rest.get(gap..)?, 40, |c| c.is_whitespace() || matches!(c, '/' | ':' | '|' | ','));
    let after = rest.get(user..)?;
    let sign = [" / ", " : ", " | ", "/", ":"].into_iter().find(|sign| after.starts_with(sign)).filter(|_| gap > word && user > gap)?;
    let value = after.get(sign.len()..)?;
    let value = before_next(value.get(..stretch(value, VALUE_MAX, |c| c.is_whitespace() || matches!(c, '"' | '\'' | '`')))?);
    let start = at + user + sign.len();
    let spaced = sign.len() > 1 || matches!(known.as_str(), "credentials" | "creds");
    (spaced && is_strong(value) && !is_marked(value)).then_some(Match { start, end: start + value.len(), kind: SecretKind::Password })
}

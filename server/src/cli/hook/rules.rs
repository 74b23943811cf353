//! What a repository says about its memory: `remembrancer.toml` in its folder.

use super::{Failure, git};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use wire::is_slug;

/// The file's name.
const FILE: &str = "remembrancer.toml";
/// Longest path that is compared, in bytes.
const PATH_MAX: usize = 512;
/// Most paths, and most words, that a file may forbid.
const ENTRIES_MAX: usize = 100;
/// Longest of them, in bytes.
const ENTRY_MAX: usize = 256;

/// How much of a session is captured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Capture {
    /// What people and agents say, and the beginning of what tools answer.
    #[default]
    All,
    /// What people and agents say.
    Words,
    Nothing,
}

/// The rules of a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Rules {
    /// The agent whose key is used; the user's file has the keys, and must trust the repository.
    pub agent: Option<String>,
    /// The slug of the project, instead of one that is made of the remote's address, if the user's file trusts the repository.
    pub project: Option<String>,
    pub capture: Capture,
    /// Whether prompts are answered with memories; the user's file may turn it off everywhere.
    pub prompt: Option<bool>,
    /// Paths that must not be captured, such as `secrets/**` or `*.pem`: no message that names one, no answer of a tool that was asked
    /// for one.
    pub never_paths: Vec<String>,
    /// Words that must not be captured, in any case: no message that holds one.
    pub never_words: Vec<String>,
}

impl Rules {
    /// The rules of a folder; those without a file if there is none.
    ///
    /// # Errors
    /// When the file cannot be read. Nothing is captured then, because it may say so.
    pub fn of(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(FILE);
        match fs::symlink_metadata(&path) {
            Ok(file) if file.is_file() => {}
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Ok(_) => return Err(format!("{FILE} must be a file, and no link").into()),
            Err(error) => return Err(format!("{FILE} cannot be read: {error}").into()),
        }
        let text = git::small(&path).ok_or_else(|| format!("{FILE} cannot be read"))?;
        let rules: Self = toml::from_str(&text).map_err(|error| format!("{FILE} cannot be read: {}", error.message()))?;
        rules.check()
    }

    fn check(self) -> Result<Self, Failure> {
        let is_long = |entries: &[String]| entries.len() > ENTRIES_MAX || entries.iter().any(|entry| entry.len() > ENTRY_MAX);
        if self.project.as_deref().is_some_and(|slug| !is_slug(slug)) {
            return Err(format!("{FILE}: project must be a slug: a-z, 0-9 and '-'").into());
        }
        if is_long(&self.never_paths) || is_long(&self.never_words) {
            return Err(format!("{FILE}: never_paths and never_words may have {ENTRIES_MAX} entries of {ENTRY_MAX} bytes").into());
        }
        Ok(self)
    }

    /// Forbids what other rules forbid as well.
    pub fn tighten(&mut self, others: Self) {
        self.capture = self.capture.max(others.capture);
        for (own, others) in [(&mut self.never_paths, others.never_paths), (&mut self.never_words, others.never_words)] {
            own.extend(others);
            own.sort();
            own.dedup();
        }
    }

    /// Whether a text names a path, or holds words, that must not be captured.
    pub fn forbid(&self, text: &str) -> bool {
        self.names_path(text) || self.holds_words(text)
    }

    fn holds_words(&self, text: &str) -> bool {
        let mut words = self.never_words.iter().filter(|words| !words.trim().is_empty()).peekable();
        if words.peek().is_none() {
            return false;
        }
        let text = text.to_lowercase();
        words.any(|words| text.contains(&words.trim().to_lowercase()))
    }

    fn names_path(&self, text: &str) -> bool {
        if self.never_paths.is_empty() {
            return false;
        }
        let ends = |c: char| {
            c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '(' | ')' | '{' | '}' | '<' | '>' | ',' | ';' | ':' | '=' | '|' | '&')
        };
        text.split(ends).filter(|path| !path.is_empty() && path.len() <= PATH_MAX).any(|path| {
            let path = path.trim_start_matches("./").trim_end_matches('.');
            self.never_paths.iter().any(|pattern| fits(pattern, path))
        })
    }
}

/// Whether a path fits a pattern, from any of its folders on: agents name files in many ways.
fn fits(pattern: &str, path: &str) -> bool {
    let pattern = pattern.trim().trim_start_matches("./").trim_start_matches('/');
    !pattern.is_empty() && glob(pattern.as_bytes(), path.as_bytes())
}

/// Compares with `*` for any part of a name, `?` for a character of it, and `**` for any number of folders. The time is that of the lengths
/// multiplied, whatever the pattern.
fn glob(pattern: &[u8], path: &[u8]) -> bool {
    // At which places of the path the pattern may go on: at first, at the beginning and behind each folder.
    let mut reached: Vec<bool> = std::iter::once(true).chain(path.iter().map(|byte| *byte == b'/')).collect();
    if let Some(end) = reached.last_mut() {
        *end = false;
    }
    let mut rest = pattern;
    while let ([first, tail @ ..], true) = (rest, reached.contains(&true)) {
        let (next, tail) = match (first, tail) {
            (b'*', [b'*', b'/', tail @ ..] | [b'*', tail @ ..]) => (any(&reached, path, |_| true), tail),
            (b'*', tail) => (any(&reached, path, |byte| byte != b'/'), tail),
            (b'?', tail) => (one(&reached, path, |byte| byte != b'/'), tail),
            (wanted, tail) => (one(&reached, path, |byte| byte == *wanted), tail),
        };
        (reached, rest) = (next, tail);
    }
    reached.last() == Some(&true)
}

/// The places after any number of bytes.
fn any(reached: &[bool], path: &[u8], fits: impl Fn(u8) -> bool) -> Vec<bool> {
    let mut next = reached.to_vec();
    for (place, byte) in path.iter().enumerate() {
        next[place + 1] |= next[place] && fits(*byte);
    }
    next
}

/// The places after one byte.
fn one(reached: &[bool], path: &[u8], fits: impl Fn(u8) -> bool) -> Vec<bool> {
    std::iter::once(false).chain(reached.iter().zip(path).map(|(reached, byte)| *reached && fits(*byte))).collect()
}

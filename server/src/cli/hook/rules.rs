//! What a repository says about its memory: `remembrancer.toml` in its folder.

use super::{Failure, git};
use serde::Deserialize;
use std::path::Path;
use wire::is_slug;

/// The file's name.
const FILE: &str = "remembrancer.toml";
/// Longest path that is compared, in bytes.
const PATH_MAX: usize = 4096;

/// How much of a session is captured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
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
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Rules {
    /// The agent whose key is used; the user's file has the keys.
    pub agent: Option<String>,
    /// The slug of the project, instead of one that is made of the remote's address.
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
        let Some(text) = git::small(&path) else {
            return if path.exists() { Err(format!("{FILE} cannot be read").into()) } else { Ok(Self::default()) };
        };
        let rules: Self = toml::from_str(&text).map_err(|error| format!("{FILE} cannot be read: {}", error.message()))?;
        match rules.project.as_deref().filter(|slug| !is_slug(slug)) {
            Some(_) => Err(format!("{FILE}: project must be a slug: a-z, 0-9 and '-'").into()),
            None => Ok(rules),
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
    let from_folders = path.match_indices('/').filter_map(|(at, _)| path.get(at + 1..));
    !pattern.is_empty() && std::iter::once(path).chain(from_folders).any(|path| !path.is_empty() && glob(pattern, path))
}

/// Compares with `*` for any part of a name, `?` for a character of it, and `**` for any number of folders. The time is that of the lengths
/// multiplied, whatever the pattern.
fn glob(pattern: &str, path: &str) -> bool {
    let (path, mut rest) = (path.as_bytes(), pattern.as_bytes());
    // At which places of the path the pattern may go on.
    let mut reached = vec![false; path.len() + 1];
    reached[0] = true;
    while let [first, tail @ ..] = rest {
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

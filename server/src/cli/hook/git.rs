//! The repository around a folder, read from git's own files: no program is started for it.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Most bytes of a file that is read as a whole.
const SMALL: u64 = 256 * 1024;

/// A repository, or a worktree of one.
#[derive(Debug, PartialEq, Eq)]
pub struct Repository {
    /// The folder that is checked out.
    pub root: PathBuf,
    /// The folder of the repository itself, the same for all of its worktrees.
    pub main: PathBuf,
    /// The address of the remote without credentials: host and path.
    pub remote: Option<String>,
    pub branch: Option<String>,
}

impl Repository {
    /// The repository that holds a folder.
    pub fn around(folder: &Path) -> Option<Self> {
        folder.ancestors().find_map(Self::at)
    }

    fn at(root: &Path) -> Option<Self> {
        let dot = root.join(".git");
        let own = match small(&dot) {
            Some(text) => root.join(text.strip_prefix("gitdir:")?.trim()),
            None => dot,
        };
        let head = small(&own.join("HEAD"))?;
        let common = small(&own.join("commondir")).map_or_else(|| own.clone(), |path| own.join(path.trim()));
        let common = common.canonicalize().ok()?;
        let main = if common.ends_with(".git") { common.parent()?.to_owned() } else { common.clone() };
        let remote = small(&common.join("config")).and_then(|config| cleaned(&remote(&config)?));
        let branch = head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned);
        Some(Self { root: root.to_owned(), main, remote, branch })
    }
}

/// A small file of text; `None` if it is none or cannot be read.
pub fn small(path: &Path) -> Option<String> {
    let mut text = String::new();
    let file = File::open(path).ok()?;
    let length = file.take(SMALL + 1).read_to_string(&mut text).ok()?;
    (length as u64 <= SMALL).then_some(text)
}

/// The URL of the remote `origin`, or else of the first one.
fn remote(config: &str) -> Option<String> {
    let (mut name, mut found) = (None, Vec::new());
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            name = line.strip_prefix("[remote \"").and_then(|rest| rest.strip_suffix("\"]"));
        } else if let (Some(name), Some((key, url))) = (name, line.split_once('='))
            && key.trim() == "url"
        {
            found.push((name != "origin", url.trim().trim_matches('"').to_owned()));
        }
    }
    found.into_iter().min_by_key(|(is_other, _)| *is_other).map(|(_, url)| url)
}

/// An address without credentials, port and ending, such as `example.org/vera/harbour`. Of a path on this machine only its last part stays.
pub fn cleaned(url: &str) -> Option<String> {
    let url = url.trim();
    let (is_file, rest) = match url.split_once("://") {
        Some((scheme, rest)) => (scheme == "file", rest),
        None => (!url.split('/').next()?.contains(':'), url),
    };
    // What stands before the last sign may hold a password, however it is written.
    let rest = rest.rsplit_once('@').filter(|_| !is_file).map_or(rest, |(_, rest)| rest);
    let rest = rest.split(['?', '#']).next()?.trim_end_matches('/');
    let rest = rest.strip_suffix(".git").unwrap_or(rest).trim_end_matches('/');
    if is_file {
        return rest.rsplit('/').next().filter(|name| !name.is_empty()).map(str::to_owned);
    }
    let (host, path) = rest.split_once(['/', ':'])?;
    let path = path.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix('/').unwrap_or(path).trim_matches('/');
    (!host.is_empty() && !path.is_empty()).then(|| format!("{}/{path}", host.to_lowercase()))
}

//! The repository around a folder, read from git's own files: no program is started for it.

use std::fs::{self, File, Metadata};
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

    /// The repository of a folder that holds a `.git`, of whatever kind. One that leads to the repository of another folder tells nothing.
    fn at(root: &Path) -> Option<Self> {
        fs::symlink_metadata(root.join(".git")).ok()?;
        let Some((own, common)) = folders(root) else {
            return Some(Self { root: root.to_owned(), main: root.canonicalize().ok()?, remote: None, branch: None });
        };
        let main = if common.ends_with(".git") { common.parent()?.to_owned() } else { common.clone() };
        let remote = small(&common.join("config")).and_then(|config| cleaned(remote(&config)?));
        let head = small(&own.join("HEAD")).unwrap_or_default();
        let branch = head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned);
        Some(Self { root: root.to_owned(), main, remote, branch })
    }
}

/// The folder of a checkout's git files, and that of its repository. `None` unless both belong to this checkout: an archive may hold a
/// `.git` that leads to a repository of the person who unpacks it.
fn folders(root: &Path) -> Option<(PathBuf, PathBuf)> {
    let dot = root.join(".git");
    if fs::symlink_metadata(&dot).ok()?.is_dir() {
        let own = dot.canonicalize().ok()?;
        return Some((own.clone(), own));
    }
    let own = root.join(small(&dot)?.strip_prefix("gitdir:")?.trim()).canonicalize().ok()?;
    let Some(common) = small(&own.join("commondir")) else {
        // The configuration of a submodule names its checkout.
        let config = small(&own.join("config"))?;
        let (_, back) = values(&config, "worktree").into_iter().find(|(section, _)| *section == "core")?;
        return (own.join(back).canonicalize().ok()? == root.canonicalize().ok()?).then(|| (own.clone(), own));
    };
    // The repository holds a folder for each worktree, which names the checkout.
    let common = own.join(common.trim()).canonicalize().ok()?;
    let back = own.join(small(&own.join("gitdir"))?.trim()).canonicalize().ok()?;
    (own.parent()? == common.join("worktrees") && back == dot.canonicalize().ok()?).then_some((own, common))
}

/// A small file of text; `None` if it is none or cannot be read. A link is none: it may lead to a terminal, which is waited for.
pub fn small(path: &Path) -> Option<String> {
    fs::symlink_metadata(path).ok().filter(Metadata::is_file)?;
    let mut text = String::new();
    let file = File::open(path).ok()?;
    let length = file.take(SMALL + 1).read_to_string(&mut text).ok()?;
    (length as u64 <= SMALL).then_some(text)
}

/// The URL of the remote `origin`, or else of the first one.
fn remote(config: &str) -> Option<&str> {
    let urls = values(config, "url").into_iter().filter(|(section, _)| section.starts_with("remote \""));
    urls.min_by_key(|(section, _)| *section != "remote \"origin\"").map(|(_, url)| url)
}

/// The values of a key in git's configuration, each with its section.
fn values<'a>(config: &'a str, key: &str) -> Vec<(&'a str, &'a str)> {
    let (mut section, mut found) = ("", Vec::new());
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or_default();
        } else if let Some((_, value)) = line.split_once('=').filter(|(name, _)| name.trim() == key) {
            found.push((section, value.trim().trim_matches('"')));
        }
    }
    found
}

/// An address without credentials, port and ending, such as `example.org/vera/harbour`. Of a path on this machine only its last part stays.
pub fn cleaned(url: &str) -> Option<String> {
    let url = url.trim();
    let (is_file, rest) = match url.split_once("://") {
        Some((scheme, rest)) => (scheme == "file", rest),
        None => (!url.split('/').next()?.contains(':'), url),
    };
    let rest = if is_file { rest } else { without_credentials(rest, url.contains("://")) };
    let rest = rest.split(['?', '#']).next()?.trim_end_matches('/');
    let rest = rest.strip_suffix(".git").unwrap_or(rest).trim_end_matches('/');
    if is_file {
        return rest.rsplit('/').next().filter(|name| !name.is_empty()).map(str::to_owned);
    }
    let (host, path) = rest.split_once(['/', ':'])?;
    let path = path.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix('/').unwrap_or(path).trim_matches('/');
    (!host.is_empty() && !path.is_empty()).then(|| format!("{}/{path}", host.to_lowercase()))
}

/// What follows the credentials of an address. The last sign ends them, however the password is written, unless it begins a name of the
/// path, as in `example.org/@vera/harbour`.
fn without_credentials(rest: &str, is_url: bool) -> &str {
    let host = rest.split('/').next().unwrap_or_default();
    // A word where a port would be is a password that holds the `/`.
    let is_password = |word: &str| !word.contains('@') && !word.chars().all(|c| c.is_ascii_digit());
    let any = is_url && host.rsplit_once(':').is_some_and(|(_, word)| is_password(word));
    let begins_name = |at: usize| rest.get(..at).is_some_and(|before| before.ends_with('/') || (!is_url && before.ends_with(':')));
    let sign = rest.rmatch_indices('@').map(|(at, _)| at).find(|at| any || !begins_name(*at));
    sign.and_then(|at| rest.get(at + 1..)).unwrap_or(rest)
}

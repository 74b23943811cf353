//! Where an agent works: the repository, its project, and its rules.

use super::git::{self, Repository};
use super::rules::Rules;
use super::state::digest;
use super::{Failure, settings};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use words::guard;

/// Longest slug, in bytes.
const SLUG_MAX: usize = 63;
/// Characters of a digest that stands for what a slug leaves out.
const DIGITS: usize = 8;

/// Where an agent works.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Absent outside of repositories that no `remembrancer.toml` names.
    pub project: Option<Named>,
    pub branch: Option<String>,
    pub rules: Rules,
}

/// A project or a repository, as the server calls it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// Of the project.
    pub slug: String,
    /// Of the repository in it.
    pub repo: String,
    /// Of both, for people: `vera/harbour`.
    pub name: String,
}

/// What the user's file says of repositories.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Trust {
    /// Folders whose `remembrancer.toml` may choose the project and the agent.
    trusted: Vec<PathBuf>,
}

impl Place {
    /// The place around a folder.
    ///
    /// # Errors
    /// When the repository's rules, or the user's file, cannot be read.
    pub fn of(folder: &Path) -> Result<Self, Failure> {
        Self::trusting(folder, trusted)
    }

    /// The same, for a user who trusts the rules of some folders.
    pub fn trusting(folder: &Path, trusted: impl FnOnce() -> Result<Vec<PathBuf>, Failure>) -> Result<Self, Failure> {
        let repository = Repository::around(folder);
        let root = repository.as_ref().map_or(folder, |repository| repository.root.as_path());
        let mut rules = Rules::of(root)?;
        if rules.agent.is_some() || rules.project.is_some() {
            let trusted = trusted()?;
            let main = repository.as_ref().map(|repository| repository.main.as_path());
            // Whoever wrote the file would choose whose memory is read and written.
            if ![Some(root), main].into_iter().flatten().any(|folder| is_one_of(folder, &trusted)) {
                (rules.agent, rules.project) = (None, None);
            }
        }
        let own = repository.as_ref().map(name);
        let name = own.clone().or_else(|| rules.project.clone());
        let project = name.map(|name| {
            let repo = slug(&own.unwrap_or_else(|| name.clone()));
            Named { slug: rules.project.clone().unwrap_or_else(|| repo.clone()), repo, name }
        });
        Ok(Self { project, branch: repository.and_then(|repository| repository.branch), rules })
    }

    /// This place, with the rules of another as well.
    pub fn tightened(mut self, other: Self) -> Self {
        self.rules.tighten(other.rules);
        self
    }
}

/// The folders that the user trusts.
fn trusted() -> Result<Vec<PathBuf>, Failure> {
    let text = settings::file().and_then(|path| git::small(&path)).unwrap_or_default();
    let trust: Trust = toml::from_str(&text).map_err(|error| format!("hook.toml cannot be read: {}", error.message()))?;
    Ok(trust.trusted)
}

/// Whether a folder is one of others, however they are written.
fn is_one_of(folder: &Path, others: &[PathBuf]) -> bool {
    let Ok(folder) = folder.canonicalize() else { return false };
    others.iter().any(|other| other.is_absolute() && other.canonicalize().is_ok_and(|other| other == folder))
}

/// What people call a repository: the path of its remote, or its folder. One that holds a secret has a digest instead.
fn name(repository: &Repository) -> String {
    let path = repository.remote.as_deref().map(|remote| remote.split_once('/').map_or(remote, |(_, path)| path));
    let name: String = path
        .map(str::to_owned)
        .or_else(|| Some(repository.main.file_name()?.to_string_lossy().into_owned()))
        .unwrap_or_else(|| "repository".into())
        .chars()
        .take(200)
        .collect();
    if guard::without_secrets(name.clone()) == name { name } else { format!("repository {}", short(&name)) }
}

/// A few characters that stand for a text.
fn short(text: &str) -> String {
    digest(text).chars().take(DIGITS).collect()
}

/// A slug of a name. A name that is too long or not written in Latin letters gets a digest, so that it stays apart from others.
pub fn slug(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    let parts: Vec<&str> = plain.split('-').filter(|part| !part.is_empty()).collect();
    let slug = parts.join("-");
    if !slug.is_empty() && slug.len() <= SLUG_MAX && name.is_ascii() {
        return slug;
    }
    let begin: String = slug.chars().take(SLUG_MAX - DIGITS - 1).collect();
    format!("{begin}-{}", short(name)).trim_start_matches('-').to_owned()
}

//! Where an agent works: the repository, its project, and its rules.

use super::Failure;
use super::git::Repository;
use super::rules::Rules;
use super::state::digest;
use std::path::Path;

/// Longest slug, in bytes.
const SLUG_MAX: usize = 63;
/// Characters of a digest that stands for what a slug leaves out.
const DIGITS: usize = 8;

/// Where an agent works.
#[derive(Debug)]
pub struct Place {
    /// Absent outside of repositories that no `remembrancer.toml` names.
    pub project: Option<Named>,
    pub branch: Option<String>,
    pub rules: Rules,
}

/// A project or a repository, as the server calls it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Of the project.
    pub slug: String,
    /// Of the repository in it.
    pub repo: String,
    /// Of both, for people: `vera/harbour`.
    pub name: String,
}

impl Place {
    /// The place around a folder.
    ///
    /// # Errors
    /// When the repository's rules cannot be read.
    pub fn of(folder: &Path) -> Result<Self, Failure> {
        let repository = Repository::around(folder);
        let rules = Rules::of(repository.as_ref().map_or(folder, |repository| repository.root.as_path()))?;
        let own = repository.as_ref().map(name);
        let name = own.clone().or_else(|| rules.project.clone());
        let project = name.map(|name| {
            let repo = slug(&own.unwrap_or_else(|| name.clone()));
            Named { slug: rules.project.clone().unwrap_or_else(|| repo.clone()), repo, name }
        });
        Ok(Self { project, branch: repository.and_then(|repository| repository.branch), rules })
    }
}

/// What people call a repository: the path of its remote, or its folder.
fn name(repository: &Repository) -> String {
    let path = repository.remote.as_deref().map(|remote| remote.split_once('/').map_or(remote, |(_, path)| path));
    path.map(str::to_owned)
        .or_else(|| Some(repository.main.file_name()?.to_string_lossy().into_owned()))
        .unwrap_or_else(|| "repository".into())
        .chars()
        .take(200)
        .collect()
}

/// A slug of a name. A name that is too long or not written in Latin letters gets a digest, so that it stays apart from others.
pub fn slug(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    let parts: Vec<&str> = plain.split('-').filter(|part| !part.is_empty()).collect();
    let slug = parts.join("-");
    if !slug.is_empty() && slug.len() <= SLUG_MAX && name.is_ascii() {
        return slug;
    }
    let digest = digest(name);
    let begin: String = slug.chars().take(SLUG_MAX - DIGITS - 1).collect();
    let end: String = digest.chars().take(DIGITS).collect();
    format!("{begin}-{end}").trim_start_matches('-').to_owned()
}

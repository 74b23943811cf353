//! The project of a place, as the server knows it. It is made when the first session of the place is captured.

use super::client::{Fault, Server};
use super::place::{Named, Place};
use super::state::{Kind, State, digest};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

/// A project of the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Project {
    pub id: Uuid,
    /// The repository of the place in it.
    pub repo: Option<Uuid>,
}

impl Project {
    /// The project of a place, if it was learned before.
    pub fn known(server: &Server, state: &State, place: &Place) -> Option<Self> {
        state.get(Kind::Projects, &file(server, place.project.as_ref()?))
    }

    /// The project whose memories an answer may have. Where the server does not know the project of a place yet, it is one that has no
    /// memories: without a project, an answer would have those of all projects. `None` outside of repositories.
    ///
    /// # Errors
    /// When the server does not answer.
    pub async fn of_answers(server: &Server, state: &State, place: &Place) -> Result<Option<Self>, Fault> {
        let Some(named) = &place.project else { return Ok(None) };
        if let Some(known) = Self::known(server, state, place) {
            return Ok(Some(known));
        }
        let list = server.get("projects").await?;
        let Some(project) = with_slug(list.get("projects"), &named.slug) else {
            return Ok(Some(Self { id: Uuid::nil(), repo: None }));
        };
        Ok(Some(Self { id: id(project).unwrap_or_default(), repo: with_slug(project.get("repos"), &named.repo).and_then(id) }))
    }

    /// The project of a place, which is made if it does not exist. `None` outside of repositories, and where the server makes none.
    ///
    /// # Errors
    /// When the server does not answer.
    pub async fn of(server: &Server, state: &State, place: &Place) -> Result<Option<Self>, Fault> {
        let Some(named) = &place.project else { return Ok(None) };
        if let Some(known) = Self::known(server, state, place) {
            return Ok(Some(known));
        }
        match Self::made(server, named).await {
            Ok(project) => {
                state.put(Kind::Projects, &file(server, named), &project).map_err(|error| Fault::Later(error.to_string()))?;
                Ok(Some(project))
            }
            // What was said is worth more than where it belongs.
            Err(Fault::Forbidden(_) | Fault::Refused(_)) => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    async fn made(server: &Server, named: &Named) -> Result<Self, Fault> {
        let list = server.get("projects").await?;
        let project = match with_slug(list.get("projects"), &named.slug) {
            Some(project) => project.clone(),
            None => server.post("projects", &[], body(&named.slug, &named.name), None).await?,
        };
        let repo = match with_slug(project.get("repos"), &named.repo) {
            Some(repo) => Ok(repo.clone()),
            None => server.post(&format!("projects/{}/repos", named.slug), &[], body(&named.repo, &named.name), None).await,
        };
        let repo = match repo {
            Ok(repo) => id(&repo),
            // A project of others is used without a repository.
            Err(Fault::Forbidden(_)) => None,
            Err(fault) => return Err(fault),
        };
        Ok(Self { id: id(&project).ok_or_else(|| Fault::Refused("the server's project has no id".into()))?, repo })
    }
}

/// The name of the file that holds what was learned. Organisations of one server have projects of the same name.
pub fn file(server: &Server, named: &Named) -> String {
    digest(&format!("{} {} {} {}", server.name(), server.whose(), named.slug, named.repo))
}

fn body(slug: &str, name: &str) -> String {
    json!({ "slug": slug, "name": name }).to_string()
}

fn with_slug<'a>(list: Option<&'a Value>, slug: &str) -> Option<&'a Value> {
    list?.as_array()?.iter().find(|one| one.get("slug").and_then(Value::as_str) == Some(slug))
}

fn id(value: &Value) -> Option<Uuid> {
    value.get("id")?.as_str()?.parse().ok()
}

//! Projects, their repositories, and the links between projects.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A project of the tenant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Project {
    /// The value of `project_id` in a memory.
    pub id: Uuid,
    pub slug: String,
    pub name: String,
    pub created_at: DateTime<Utc>,
    /// By slug.
    pub repos: Vec<Repo>,
    /// The linked projects, by id: each may use the memories of the other.
    pub linked: Vec<Uuid>,
}

/// A project as a request names it: by id, or by slug.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(with = "String", extend("pattern" = PROJECT_REF))]
#[serde(try_from = "String", into = "String")]
pub enum ProjectRef {
    Id(Uuid),
    Slug(String),
}

/// Both forms, as a regular expression for JSON Schema: an id is written like a slug.
const PROJECT_REF: &str = "^[a-z0-9][a-z0-9-]{0,62}$";

/// Whether a text can be a slug: 1 to 63 characters of a-z, 0-9 and '-', of which the first is no '-'.
pub fn is_slug(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    text.starts_with(plain) && text.len() <= 63 && text.chars().all(|c| plain(c) || c == '-')
}

impl ProjectRef {
    /// The id, if it is one.
    pub fn id(&self) -> Option<Uuid> {
        match self {
            Self::Id(id) => Some(*id),
            Self::Slug(_) => None,
        }
    }
}

impl TryFrom<String> for ProjectRef {
    type Error = &'static str;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        if let Ok(id) = text.parse() {
            return Ok(Self::Id(id));
        }
        if is_slug(&text) { Ok(Self::Slug(text)) } else { Err("must be a project's id or slug") }
    }
}

impl From<Uuid> for ProjectRef {
    fn from(id: Uuid) -> Self {
        Self::Id(id)
    }
}

impl From<ProjectRef> for String {
    fn from(project: ProjectRef) -> Self {
        match project {
            ProjectRef::Id(id) => id.to_string(),
            ProjectRef::Slug(slug) => slug,
        }
    }
}

/// A repository of a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Repo {
    /// The value of `repo_id` in a memory.
    pub id: Uuid,
    pub project_id: Uuid,
    pub slug: String,
    pub name: String,
    pub created_at: DateTime<Utc>,
}

/// Input of `list_projects`: nothing.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("properties" = {}))]
#[serde(deny_unknown_fields)]
pub struct ListProjectsRequest {}

/// Input of `create_project`, and body of `POST /api/projects` and of `POST /api/projects/{project}/repos`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "slug": "harbour", "name": "Harbour" }]))]
#[serde(deny_unknown_fields)]
pub struct NewProject {
    /// 1 to 63 of a-z, 0-9 and '-'; unique in the organisation.
    #[schemars(length(min = 1, max = 63), regex(pattern = "^[a-z0-9-]+$"))]
    pub slug: String,
    /// 1 to 200 characters.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
}

/// Body of `POST /api/projects/{project}/links`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "project": "orchard" }]))]
#[serde(deny_unknown_fields)]
pub struct ProjectLinkRequest {
    /// The other project, by id or slug.
    pub project: String,
    /// True: removes the link.
    #[serde(default)]
    pub remove: bool,
}

/// Answer of `list_projects` and of `GET /api/projects`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ProjectList {
    /// By slug.
    pub projects: Vec<Project>,
}

/// Answer of `POST /api/projects/{project}/links`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ProjectLinkResponse {
    /// False: nothing changed, because it was so before.
    pub changed: bool,
}

//! Lines of who and what an organisation has: agents, users, projects.

use super::record::record;
use super::{COMMONS, NAME_MAX, Owner, Record};
use crate::values::Stamp;
use foundation::Checks;
use foundation::identity::{AGENT_NAME_MAX, check_agent_id, check_user};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use uuid::Uuid;
use wire::{AgentId, Discipline, UserId};

/// An agent; the other lines name it by its slug. The commons has no line, because every organisation has one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentLine {
    pub id: AgentId,
    pub slug: String,
    pub name: String,
    pub require_user: bool,
    /// How eagerly it writes.
    pub discipline: Discipline,
}

/// A user with the organisation's own reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserLine {
    pub id: UserId,
    pub external_ref: String,
    pub name: Option<String>,
}

/// A project that memories belong to; the commons owns it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromRow)]
#[serde(deny_unknown_fields)]
pub struct ProjectLine {
    pub agent_id: AgentId,
    pub id: Uuid,
    pub slug: String,
    pub name: String,
    pub created_at: Stamp,
    /// The name of its creator.
    pub created_by: String,
}

/// A repository of a project; the commons owns it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromRow)]
#[serde(deny_unknown_fields)]
pub struct RepoLine {
    pub agent_id: AgentId,
    pub id: Uuid,
    pub project_id: Uuid,
    pub slug: String,
    pub name: String,
    pub created_at: Stamp,
    pub created_by: String,
}

/// Two linked projects, whose memories are relevant to each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromRow)]
#[serde(deny_unknown_fields)]
pub struct ProjectLinkLine {
    pub agent_id: AgentId,
    pub one_id: Uuid,
    pub other_id: Uuid,
    pub created_at: Stamp,
    pub created_by: String,
}

impl Record for AgentLine {
    record! {
        Agent in "agents", of_users: false, by: [slug], author: none, derived: none,
        owner: |_| Owner::Organisation, needs: |_| [],
    }

    fn check(&self, checks: &mut Checks) {
        checks.text("name", &self.name, AGENT_NAME_MAX).that(self.slug != COMMONS, "slug", "is that of the commons, which has no line");
        check_agent_id(checks, self.id);
    }
}

impl Record for UserLine {
    record! {
        User in "users", of_users: false, by: [external_ref], author: none, derived: none,
        owner: |_| Owner::Organisation, needs: |_| [],
    }

    fn check(&self, checks: &mut Checks) {
        check_user(checks, &self.external_ref, self.name.as_deref(), Some(self.id));
    }
}

impl Record for ProjectLine {
    record! {
        Project in "projects", of_users: false, by: [id], author: [created_by], derived: none,
        owner: |it| Owner::Agent(it.agent_id), needs: |_| [],
    }

    fn check(&self, checks: &mut Checks) {
        checks.text("name", &self.name, NAME_MAX).text("created_by", &self.created_by, NAME_MAX);
    }
}

impl Record for RepoLine {
    record! {
        Repo in "repos", of_users: false, by: [id], author: [created_by], derived: none,
        owner: |it| Owner::Agent(it.agent_id), needs: |it| [("project", it.project_id.to_string())],
    }

    fn check(&self, checks: &mut Checks) {
        checks.text("name", &self.name, NAME_MAX).text("created_by", &self.created_by, NAME_MAX);
    }
}

impl Record for ProjectLinkLine {
    record! {
        ProjectLink in "project_links", of_users: false, by: [one_id, other_id], author: [created_by], derived: none,
        owner: |it| Owner::Agent(it.agent_id), needs: |it| [it.one_id, it.other_id].map(|id| ("project", id.to_string())),
    }

    fn check(&self, checks: &mut Checks) {
        checks.that(self.one_id < self.other_id, "other_id", "must be greater than one_id").text("created_by", &self.created_by, NAME_MAX);
    }
}

//! How well a memory's scope fits the project of a question.

use chrono::{DateTime, Utc};
use foundation::{Engine, Error, OpContext, projects};
use uuid::Uuid;
use verb::verb;
use wire::{MemoryScope, RecallFilters};

/// A memory of another project must share at least this much of the question's words to be shown without a link, or be about its matter by
/// the model's `related_threshold`.
pub const STRONG_WORDS: f64 = 0.6;

/// How many of `k` hits may belong to other projects: a fifth, but one if there are fewer than five.
pub fn most_elsewhere(k: usize) -> usize {
    (k / 5).max(1)
}

/// The project and repository of a question, and the projects linked to it. By default there is none, and all memories fit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scoping {
    pub narrow: bool,
    pub project: Option<Uuid>,
    pub repo: Option<Uuid>,
    pub linked: Vec<Uuid>,
    /// Least cosine of a memory of another project that is shown.
    pub strong: f64,
}

/// The scoping of a request's filters, with the links of a moment.
///
/// # Errors
/// When the database is out of reach.
#[verb]
pub async fn of(engine: &Engine, ctx: &OpContext, filters: &RecallFilters, at: DateTime<Utc>) -> Result<Scoping, Error> {
    let (project, repo) = (filters.for_project, filters.for_repo);
    let strong = engine.model().related_threshold;
    let Some(of) = project else { return Ok(Scoping { narrow: repo.is_some(), project, repo, linked: vec![], strong }) };
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let linked = projects::store::linked(&mut tx, ctx.tenant_id, of, at).await?;
    tx.commit().await?;
    Ok(Scoping { narrow: true, project, repo, linked, strong })
}

impl Scoping {
    /// 1 for global memories, the agent's own, and those of this project and repository; 0.5 for a linked project or another repository of
    /// this one; 0 for any other project.
    pub fn fit(&self, scope: MemoryScope, project: Option<Uuid>, repo: Option<Uuid>) -> f64 {
        let same_project = project.is_some() && project == self.project;
        match scope {
            _ if !self.narrow => 1.0,
            MemoryScope::Global | MemoryScope::Agent | MemoryScope::Session => 1.0,
            MemoryScope::Project if same_project => 1.0,
            MemoryScope::Repo if repo.is_some() && repo == self.repo => 1.0,
            MemoryScope::Repo if same_project => 0.5,
            _ if project.is_some_and(|project| self.linked.contains(&project)) => 0.5,
            _ => 0.0,
        }
    }

    /// Whether a memory of that fit is shown: one of another project only if it is strongly relevant.
    pub fn shows(&self, fit: f64, semantic: Option<f64>, lexical: Option<f64>) -> bool {
        fit > 0.0 || semantic.is_some_and(|semantic| semantic >= self.strong) || lexical.is_some_and(|lexical| lexical >= STRONG_WORDS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_projects_are_shown_by_link_or_strength() {
        let [here, linked, other] = [1, 2, 3].map(Uuid::from_u128);
        let scoping = Scoping { narrow: true, project: Some(here), repo: None, linked: vec![linked], strong: 0.6 };
        let fit = |project| scoping.fit(MemoryScope::Project, Some(project), None);
        assert_eq!((fit(here), fit(linked), fit(other)), (1.0, 0.5, 0.0));
        assert_eq!(scoping.fit(MemoryScope::Global, None, None), 1.0);
        assert_eq!(scoping.fit(MemoryScope::Repo, Some(here), Some(other)), 0.5);
        assert!(scoping.shows(0.5, Some(0.1), None) && scoping.shows(0.0, Some(0.7), None) && scoping.shows(0.0, None, Some(0.6)));
        assert!(!scoping.shows(0.0, Some(0.5), Some(0.5)));
        assert_eq!(Scoping::default().fit(MemoryScope::Project, Some(other), None), 1.0);
    }
}

//! Lines of the vocabulary: terms and aliases through time, decisions and proposals.

use super::record::record;
use super::{ACTOR_KINDS, NAME_MAX, Need, Owner, Record, WORD_MAX, entries};
use crate::values::Stamp;
use foundation::Checks;
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use uuid::Uuid;
use wire::{
    AgentId, CATEGORY_MAX, DEFINITION_MAX, DecisionId, DecisionKind, EventId, MemoryId, ProposalId, ProposalStatus, REASON_MAX, TOPIC_MAX,
    TermId,
};
use words::normal;

/// Highest count of deliveries or memories: a number that can still grow.
const COUNT_MAX: i64 = 1_000_000_000_000;

/// The name of a term from one moment to another; in force if it has no end. Its normal form derives from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromRow)]
#[serde(deny_unknown_fields)]
pub struct TermLine {
    pub id: Uuid,
    /// The term through all its names: the id of its first line.
    pub lineage: TermId,
    pub term: String,
    pub definition: String,
    pub category: Option<String>,
    pub created_at: Stamp,
    pub valid_from: Stamp,
    pub valid_to: Option<Stamp>,
}

/// Another phrase for a term, from one moment to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromRow)]
#[serde(deny_unknown_fields)]
pub struct AliasLine {
    pub id: Uuid,
    pub term_id: TermId,
    pub alias: String,
    pub valid_from: Stamp,
    pub valid_to: Option<Stamp>,
}

/// A decision on the vocabulary, with the lines that it opened and closed. Its version means something in one installation only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromRow)]
#[serde(deny_unknown_fields)]
pub struct DecisionLine {
    pub id: DecisionId,
    pub kind: DecisionKind,
    pub subjects: Vec<String>,
    pub term_id: Option<TermId>,
    pub term: Option<String>,
    pub reason: Option<String>,
    pub actor_kind: String,
    pub actor_id: String,
    pub actor_name: String,
    pub at: Stamp,
    pub forms: Vec<String>,
    pub memories: i64,
    pub opened_terms: Vec<Uuid>,
    pub closed_terms: Vec<Uuid>,
    pub opened_aliases: Vec<Uuid>,
    pub closed_aliases: Vec<Uuid>,
    /// A decision of the file, which may come after this one.
    pub undone_by: Option<DecisionId>,
}

/// A phrase that agents used and the vocabulary did not know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromRow)]
#[serde(deny_unknown_fields)]
pub struct ProposalLine {
    pub id: ProposalId,
    pub phrase: String,
    pub status: ProposalStatus,
    pub count: i64,
    pub first_seen: Stamp,
    pub last_seen: Stamp,
    pub decision_id: Option<DecisionId>,
}

/// Where a proposal's phrase was met: the agent and the memory. The memory need not be in the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromRow)]
#[serde(deny_unknown_fields)]
pub struct ProposalMemoryLine {
    pub agent_id: AgentId,
    pub event_id: EventId,
    pub proposal_id: ProposalId,
    pub memory_id: Option<MemoryId>,
    pub seen_at: Stamp,
}

impl Record for TermLine {
    record! {
        Term in "canonical_terms", of_users: false,
        by: {
            |it| it.id.to_string(),
            "t.lineage" => it.lineage, "t.id <> t.lineage" => it.id != it.lineage.0, "t.id" => it.id
        },
        author: none, derived: { |it| normal = normal(&it.term), status = "active" },
        owner: |_| Owner::Organisation,
        needs: |it| if it.lineage.0 == it.id { vec![] } else { vec![("term", it.lineage.to_string())] },
    }

    fn check(&self, checks: &mut Checks) {
        phrase(checks, "term", &self.term);
        checks.limit("definition", &self.definition, DEFINITION_MAX).limit(
            "category",
            self.category.as_deref().unwrap_or_default(),
            CATEGORY_MAX,
        );
    }
}

impl Record for AliasLine {
    record! {
        Alias in "term_aliases", of_users: false, by: [id], author: none, derived: { |it| normal = normal(&it.alias) },
        owner: |_| Owner::Organisation, needs: |it| [("term", it.term_id.to_string())],
    }

    fn check(&self, checks: &mut Checks) {
        phrase(checks, "alias", &self.alias);
    }
}

impl Record for DecisionLine {
    record! {
        // Version 0 is older than any other: the decision made no version of this installation.
        Decision in "decisions", of_users: false, by: [id], author: none, derived: { |_| version = 0 },
        owner: |_| Owner::Organisation, needs: |it| it.lines(),
    }

    fn check(&self, checks: &mut Checks) {
        for (field, texts) in [("subjects", &self.subjects), ("forms", &self.forms)] {
            entries(checks, field, texts);
            for text in texts {
                checks.text(field, text, TOPIC_MAX);
            }
        }
        for (field, ids) in [
            ("opened_terms", &self.opened_terms),
            ("closed_terms", &self.closed_terms),
            ("opened_aliases", &self.opened_aliases),
            ("closed_aliases", &self.closed_aliases),
        ] {
            entries(checks, field, ids);
        }
        checks
            .optional_text("term", self.term.as_deref(), TOPIC_MAX)
            .optional_text("reason", self.reason.as_deref(), REASON_MAX)
            .that(ACTOR_KINDS.contains(&self.actor_kind.as_str()), "actor_kind", format!("must be one of {}", ACTOR_KINDS.join(", ")))
            .limit("actor_id", &self.actor_id, WORD_MAX)
            .text("actor_name", &self.actor_name, NAME_MAX)
            .that(self.undone_by != Some(self.id), "undone_by", "must be another decision");
        count(checks, "memories", self.memories);
    }
}

impl DecisionLine {
    /// The lines that it is about.
    fn lines(&self) -> Vec<Need> {
        let terms = self.opened_terms.iter().chain(&self.closed_terms).chain(self.term_id.as_ref().map(|id| &id.0));
        let aliases = self.opened_aliases.iter().chain(&self.closed_aliases);
        terms.map(|id| ("term", id.to_string())).chain(aliases.map(|id| ("alias", id.to_string()))).collect()
    }
}

impl Record for ProposalMemoryLine {
    record! {
        ProposalMemory in "proposal_memories", of_users: false, by: [event_id], author: none, derived: none,
        owner: |_| Owner::Organisation, needs: |it| [("proposal", it.proposal_id.to_string())],
    }

    fn check(&self, _: &mut Checks) {}
}

impl Record for ProposalLine {
    record! {
        Proposal in "term_proposals", of_users: false, by: [id], author: none, derived: { |it| normal = normal(&it.phrase), unused = false },
        owner: |_| Owner::Organisation,
        needs: |it| it.decision_id.iter().map(|id| ("decision", id.to_string())).collect::<Vec<_>>(),
    }

    fn check(&self, checks: &mut Checks) {
        let open = self.status == ProposalStatus::Open;
        checks
            .text("phrase", &self.phrase, TOPIC_MAX)
            .that(open != self.decision_id.is_some(), "decision_id", "is required if the proposal is decided, and only then")
            .that(self.last_seen >= self.first_seen, "last_seen", "must not be before first_seen");
        count(checks, "count", self.count);
    }
}

/// Checks a phrase that can be looked up: it has a normal form.
fn phrase(checks: &mut Checks, field: &str, text: &str) {
    checks.text(field, text, TOPIC_MAX).that(!normal(text).is_empty(), field, "must have letters or digits");
}

fn count(checks: &mut Checks, field: &str, number: i64) {
    checks.that((0..=COUNT_MAX).contains(&number), field, format!("must be from 0 to {COUNT_MAX}"));
}

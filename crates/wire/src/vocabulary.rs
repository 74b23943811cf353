//! The shared vocabulary: terms, proposals, decisions, and what a decision would change.

use super::text_enum::text_enum;
use super::{AgentId, DecisionId, MemoryId, ProposalId, TermId, UserRef};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

text_enum! {
    /// The state of a proposal.
    ProposalStatus { Open = "open", Approved = "approved", Merged = "merged", Rejected = "rejected" }
}

text_enum! {
    /// What a decision did to the vocabulary.
    DecisionKind {
        /// A proposal became a term.
        Approve = "approve",
        /// A proposal became an alias of a term.
        Merge = "merge",
        /// A proposal was turned down; no term changed.
        Reject = "reject",
        /// A term was added without a proposal: from a glossary or the command line.
        Add = "add",
        /// A term has a new name; the old one is an alias now.
        Rename = "rename",
        /// A term has another definition or category.
        Define = "define",
        /// A term has one more alias.
        Alias = "alias",
        /// A term has one alias less.
        Unalias = "unalias",
        /// A term and its aliases became aliases of another term.
        Combine = "combine",
        /// A term and its aliases are no longer in use.
        Retire = "retire",
        /// A decision was taken back.
        Undo = "undo",
    }
}

text_enum! {
    /// How a suggested term resembles a phrase.
    Likeness {
        /// Jaro–Winkler similarity of the normal forms.
        Spelling = "spelling",
        /// Cosine of the embeddings.
        Meaning = "meaning",
    }
}

/// A phrase that agents used and the vocabulary does not know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    pub id: ProposalId,
    /// As it was first met.
    pub phrase: String,
    pub status: ProposalStatus,
    /// How often it was met.
    pub count: i64,
    /// The slugs of the agents that met it.
    pub agents: Vec<String>,
    pub first_seen: DateTime<Utc>,
    pub last_seen: DateTime<Utc>,
    /// The decision in force, unless it is open.
    pub decision: Option<Decision>,
}

/// Which proposals a list shows: by default open ones whose phrase is still used, the most frequent first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProposalFilter {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<ProposalStatus>,
    /// Only those that were used once, or only those that were used more often, whether by one agent or by several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub once: Option<bool>,
    /// A part of the phrase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
}

/// A memory in which a phrase was met, read live; it is never stored with the proposal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    pub memory_id: MemoryId,
    pub agent_slug: String,
    pub topic_raw: String,
    /// Verbatim.
    pub content: String,
    pub platform: String,
    pub updated_at: DateTime<Utc>,
}

/// A term that resembles a phrase. It is only a suggestion: a phrase that resembles a term does not resolve to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(rename = "Suggestion")]
pub struct NearestTerm {
    pub term_id: TermId,
    pub term: String,
    /// The term or the alias that resembles it.
    pub form: String,
    /// 0 to 1.
    pub score: f64,
    pub likeness: Likeness,
}

/// What a decision would change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// Memories that would be refiled.
    pub memories: i64,
    /// Agents to whom they belong.
    pub agents: i64,
    /// Phrases (normal forms) whose meaning would change, each with its new meaning; `None`: no meaning any more.
    pub phrases: Vec<(String, Option<String>)>,
}

/// A proposal with everything a reviewer needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProposalDetail {
    pub proposal: Proposal,
    /// The newest live memories with the phrase, at most five.
    pub evidence: Vec<Evidence>,
    /// The nearest terms, best first, at most five.
    pub nearest: Vec<NearestTerm>,
    /// What approving it as it is, or merging it, would change: the memories that carry the phrase.
    pub effect: Effect,
}

/// What a reviewer decides about proposals. Several proposals get the same verdict, all or none, and each has a decision of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case", deny_unknown_fields)]
pub enum Verdict {
    /// Makes it a new term, under another name if one is given. Of several proposals with a name, all become that one term: a phrase with
    /// another name becomes its alias.
    Approve {
        #[serde(default)]
        term: Option<String>,
        #[serde(default)]
        definition: String,
        #[serde(default)]
        category: Option<String>,
    },
    /// Makes it an alias of a term.
    Merge { term_id: TermId },
    /// Rejects it. If the phrase is met again, the proposal stays rejected and its count goes up.
    Reject { reason: String },
}

/// What a reviewer does to a term.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case", deny_unknown_fields)]
pub enum TermChange {
    Rename { term: String },
    Define { definition: String, category: Option<String> },
    Alias { alias: String },
    Unalias { alias: String },
    Combine { into: TermId },
    Retire { reason: String },
}

/// A decision on the vocabulary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    pub id: DecisionId,
    /// The id that decisions made in one step share; none if it was made alone.
    pub together: Option<DecisionId>,
    pub kind: DecisionKind,
    /// What the decision is about: the phrase of a proposal, or the term.
    pub subjects: Vec<String>,
    /// The term that it made or merged into, if any.
    pub term: Option<String>,
    pub term_id: Option<TermId>,
    pub reason: Option<String>,
    /// Who decided.
    pub by: String,
    pub at: DateTime<Utc>,
    /// The vocabulary's version that it made.
    pub version: i64,
    /// Memories to refile, counted when it was decided.
    pub memories: i64,
    /// Those of them that are still to be refiled.
    pub remaining: i64,
    /// Whether it was undone.
    pub undone: bool,
    /// Whether it can be: nothing later was built on it. Undoing an undo makes the decision again.
    pub undoable: bool,
}

/// A canonical term as lists show it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Term {
    pub id: TermId,
    pub term: String,
    pub definition: String,
    pub category: Option<String>,
    pub aliases: Vec<String>,
    /// Live memories filed under it.
    pub memories: i64,
    pub agents: i64,
    /// Since when the term has this name, definition and category.
    pub since: DateTime<Utc>,
    pub retired_at: Option<DateTime<Utc>>,
}

/// A term in use, by its id and its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedTerm {
    pub id: TermId,
    pub term: String,
}

/// Which terms a list shows: by default those in use, in alphabetical order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TermFilter {
    /// A part of the term, of an alias or of the definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retired: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// True: in the reverse of the usual order. The console sets it, no request has it.
    #[serde(skip)]
    pub reversed: bool,
}

/// How many memories one agent has under a term.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TermUsage {
    pub agent_id: AgentId,
    pub agent_slug: String,
    pub memories: i64,
    pub last_write: DateTime<Utc>,
}

/// A term with its usage and its history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TermDetail {
    pub term: Term,
    pub usage: Vec<TermUsage>,
    /// Newest first.
    pub history: Vec<Decision>,
}

/// Input of `canonical_terms_lookup`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "phrase": "release train" }]))]
#[serde(deny_unknown_fields)]
pub struct LookupRequest {
    /// The phrase as you met it.
    #[schemars(length(min = 1, max = 256))]
    pub phrase: String,
}

/// A canonical term in the answer of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct KnownTerm {
    pub term_id: TermId,
    pub term: String,
    pub definition: String,
    pub category: Option<String>,
    pub aliases: Vec<String>,
}

/// Answer of `canonical_terms_lookup`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LookupResponse {
    /// Whether the whole phrase is a term or an alias.
    pub found: bool,
    /// The term that the phrase resolves to, if it was found.
    pub term: Option<KnownTerm>,
    /// Otherwise the longest known terms inside the phrase.
    pub inside: Vec<KnownTerm>,
    /// Otherwise terms that resemble it. They are suggestions only.
    pub suggestions: Vec<NearestTerm>,
}

/// Input of `canonical_terms_propose`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "phrase": "release train" }]))]
#[serde(deny_unknown_fields)]
pub struct ProposeRequest {
    /// The phrase that the vocabulary should know.
    #[schemars(length(min = 1, max = 256))]
    pub phrase: String,
    /// The memory in which you met it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_id: Option<MemoryId>,
    /// The person you are talking to.
    ///
    /// The memory must belong to that person or to nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
}

/// Answer of `canonical_terms_propose`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ProposeResponse {
    /// False if the vocabulary knows the phrase already.
    pub proposed: bool,
    /// The term that it resolves to, if it is known.
    pub term: Option<String>,
}

//! A recall: the question, the ranked answer, and why each hit is in it.

use super::text_enum::text_enum;
use super::{AgentId, KnowledgeHit, MemoryFields, MemoryId, MemoryKind, MemoryRow, MemoryScope, MemoryStatus, RetrievalId, UserRef};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::ops::Deref;
use uuid::Uuid;

text_enum! {
    /// The formula that orders hits.
    Ranking {
        /// similarity · exp(−Δdays/90), Δ since the memory was last written. It halves in 62 days.
        Decay = "decay",
        /// The sum of words, meaning, speaker, date, scope, recency and confidence; words of the turns around it count, too. Recency is
    /// exp(−Δdays/365) since it was stated.
        Hybrid = "hybrid",
        /// The terms of `hybrid` without recency, over 4, times 0.9 + 0.1 · exp(−Δdays/365): age decides between equals.
        HybridDecay = "hybrid_decay",
    }
}

text_enum! {
    /// Where a hit comes from.
    SourceTag {
        /// The agent's own memory.
        Private = "private",
        /// The memory that all agents of the organisation share.
        Shared = "shared",
        /// Decided knowledge: specs, ADRs, documents.
        Canonical = "canonical",
    }
}

text_enum! {
    /// How a hit was found.
    MatchedBy {
        /// By meaning: cosine of the embeddings.
        Vector = "vector",
        /// By words: normalised BM25.
        Lexical = "lexical",
        /// By meaning and by words.
        Both = "both",
    }
}

text_enum! {
    /// A part of a score that is a sum.
    Criterion {
        /// Words of the question, in the memory or in the turns around it.
        Words = "words",
        /// Cosine of the embeddings.
        Meaning = "meaning",
        /// Said by, or about, the one person whom the question names.
        Speaker = "speaker",
        /// Said in the month or on the day that the question names.
        Date = "date",
        /// Mentions a time, and the question asks when.
        Time = "time",
        /// Is a question itself.
        Question = "question",
        /// How much it says: the logarithm of the number of its words.
        Length = "length",
        /// Names an identifier of the question to the letter.
        Identifier = "identifier",
        /// Was said later than a memory of the same matter, and is placed before it.
        Newer = "newer",
        /// Says what a better hit says: its highest cosine with one of them.
        Repeats = "repeats",
        /// How well its scope fits the project that the question is asked for.
        Scope = "scope",
        /// exp(−Δdays/365) since it was last stated: said, or remembered again.
        Recency = "recency",
        Confidence = "confidence",
    }
}

text_enum! {
    /// A part of a search that could not be provided, as `degraded` names it. Contexts name blocks there, too.
    DegradedPart {
        Vocabulary = "vocabulary",
        /// The model failed, was late, or was not asked.
        Embedding = "embedding",
        /// The account has nothing left for the model.
        Balance = "balance",
        /// The model does not know the language of the text.
        Language = "language",
        Memory = "memory",
        Knowledge = "knowledge",
        /// The settings of a search over several sources.
        Settings = "settings",
        /// Some documents have no vector yet.
        Vectors = "vectors",
        /// The chat model's summary of older turns.
        Condensation = "condensation",
    }
}

text_enum! {
    /// Why a recall came back empty, as an agent sees it.
    NothingReason {
        /// Nothing is stored that could match.
        NothingFound = "nothing_found",
        /// Something was found, and none of it was relevant enough.
        BelowFloor = "below_floor",
        /// Part of the search could not run.
        Degraded = "degraded",
        /// Something that shares the question's words waits until a person reviews it.
        WaitsForReview = "waits_for_review",
    }
}

/// What narrows a recall before anything is scored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RecallFilters {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<MemoryKind>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<MemoryScope>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_id: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo_id: Option<Uuid>,
    /// `active` and `contradicted` are in reach.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub statuses: Vec<MemoryStatus>,
    /// Said at or after this (RFC 3339).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<DateTime<Utc>>,
    /// Said before this (RFC 3339).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<DateTime<Utc>>,
    /// The project you work on; hides unrelated memories of other projects.
    ///
    /// Memories of other projects count only if their project is linked to it or they fit very well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub for_project: Option<Uuid>,
    /// The repository you work on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub for_repo: Option<Uuid>,
}

impl RecallFilters {
    /// Whether they exclude anything. `for_project` and `for_repo` are not filters.
    pub fn narrows(&self) -> bool {
        let Self { for_project, for_repo, .. } = *self;
        *self != Self { for_project, for_repo, ..Self::default() }
    }
}

/// Input of `agent_memory_recall`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "query": "Which editor does Vera use?", "expected": true }]))]
#[serde(deny_unknown_fields)]
pub struct RecallRequest {
    /// What you want to know, as a topic or a question.
    ///
    /// 1 byte to 4 KiB.
    #[schemars(length(min = 1))]
    pub query: String,
    /// How many hits, up to 100.
    #[serde(default = "default_k")]
    #[schemars(range(min = 1, max = 100))]
    pub k: u32,
    /// True: you expect a result, so finding nothing is reported.
    #[serde(default)]
    pub expected: bool,
    /// The person you are talking to.
    ///
    /// The search covers their memories and those without a user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranking: Option<Ranking>,
    #[serde(default)]
    pub filters: RecallFilters,
    /// Answer with what was known at this time (RFC 3339).
    ///
    /// Such a recall is neither logged nor counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<DateTime<Utc>>,
}

impl RecallRequest {
    /// A request for ten hits, without options.
    pub fn new(query: &str) -> Self {
        Self {
            query: query.into(),
            k: default_k(),
            expected: false,
            user_id: None,
            ranking: None,
            filters: RecallFilters::default(),
            as_of: None,
        }
    }
}

/// Input of `agent_memory_search`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "query": "release process", "k": 5 }]))]
#[serde(deny_unknown_fields)]
pub struct SearchRequest {
    /// Words or a question.
    ///
    /// 1 byte to 4 KiB.
    #[schemars(length(min = 1))]
    pub query: String,
    /// How many memories, up to 100.
    #[serde(default = "default_k")]
    #[schemars(range(min = 1, max = 100))]
    pub k: u32,
    /// The person you are talking to.
    ///
    /// The search covers their memories and those without a user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
    #[serde(default)]
    pub filters: RecallFilters,
    /// True: only strong hits.
    ///
    /// The list ends where scores fall below half of the best score.
    #[serde(default)]
    pub fewer: bool,
    /// Search what was known at this time (RFC 3339).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<DateTime<Utc>>,
}

fn default_k() -> u32 {
    10
}

/// The parts of a score. Under `decay` it is similarity · recency, under `hybrid` the sum of value · weight over `parts`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Breakdown {
    /// Relevance before decay, 0 to 1.
    pub similarity: f64,
    /// 0 to 1: exp(−Δdays/365) since the memory was stated; under `decay`, exp(−Δdays/90) since it was last written.
    pub recency: f64,
    /// The relevance that this hit had to reach.
    pub floor: f64,
    /// The terms of the sum; empty under `decay`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
}

/// One term of a score that is a sum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Part {
    pub name: Criterion,
    pub value: f64,
    pub weight: f64,
}

text_enum! {
    /// How far a memory can be trusted.
    Trust {
        /// It is the agent's own.
        Own = "own",
        /// The agent keeps what somebody else said or wrote: a person, a tool, a document. It is rendered as a quotation.
        Captured = "captured",
        /// It is shared, and a person confirmed it.
        Reviewed = "reviewed",
        /// It is shared, another agent may have written it, and no person confirmed it.
        Unreviewed = "unreviewed",
    }
}

/// One memory that answers a recall: the record as `GET /api/memories/{memory_id}` returns it, except for versions, links and counters, and
/// why it is a hit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Hit {
    #[serde(flatten)]
    pub memory: MemoryFields,
    /// The memory's scope.
    pub matched_scope: MemoryScope,
    /// What supports it: `evidence_ref`, or `source_ref` where there is none.
    pub evidence: Option<String>,
    pub similarity: f64,
    pub recency_score: f64,
    pub score: f64,
    pub breakdown: Breakdown,
    pub matched_by: MatchedBy,
    /// The words of the query that the memory holds, in the memory's own spelling.
    pub matched_words: Vec<String>,
    /// The memories that say otherwise; give both sides.
    #[serde(default)]
    pub contradicts: Vec<MemoryId>,
    /// How to begin a quotation of the content, with the day on which it was said: "I remember (from 3 May 2026):", or "According to Vera (on
    /// 3 May 2026):" if somebody else said it. It never holds the content.
    pub attribution: String,
    /// Why it is here, in a sentence.
    pub explanation: String,
}

/// What a hit says of the memory is read as its own, as in JSON.
impl Deref for Hit {
    type Target = MemoryFields;

    fn deref(&self) -> &MemoryFields {
        &self.memory
    }
}

/// A memory or a piece of shared knowledge, in one ranked list; `source_tag` says which.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum RecallHit {
    /// `private` or `shared`.
    Memory(Box<Hit>),
    /// `canonical`.
    Knowledge(Box<KnowledgeHit>),
}

impl RecallHit {
    /// The memory, if it is one.
    pub fn memory(&self) -> Option<&Hit> {
        match self {
            Self::Memory(hit) => Some(hit),
            Self::Knowledge(_) => None,
        }
    }

    /// The piece of knowledge, if it is one.
    pub fn knowledge(&self) -> Option<&KnowledgeHit> {
        match self {
            Self::Memory(_) => None,
            Self::Knowledge(hit) => Some(hit),
        }
    }
}

/// Answer of `agent_memory_recall`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RecallResponse {
    pub retrieval_id: RetrievalId,
    /// Best first, memories and knowledge in one list.
    pub hits: Vec<RecallHit>,
    /// The canonical form that the query was searched under, if the vocabulary knew it.
    pub query_canonical: Option<String>,
    pub ranking: Ranking,
    /// No private or shared memory passed the relevance floor. Knowledge does not mask that.
    pub zero_hit: bool,
    /// Present when `zero_hit`.
    pub reason: Option<NothingReason>,
    /// Parts of the search that could not run: `embedding`, `knowledge`, …
    pub degraded: Vec<String>,
}

impl RecallResponse {
    /// The memories among the hits, best first.
    pub fn memories(&self) -> Vec<&Hit> {
        self.hits.iter().filter_map(RecallHit::memory).collect()
    }

    /// The knowledge among the hits, best first.
    pub fn knowledge(&self) -> Vec<&KnowledgeHit> {
        self.hits.iter().filter_map(RecallHit::knowledge).collect()
    }
}

/// A hit as the console shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchHit {
    pub memory: MemoryRow,
    pub score: f64,
    pub breakdown: Breakdown,
    pub matched_by: MatchedBy,
    pub matched_words: Vec<String>,
    pub explanation: String,
}

/// What a search in the console found. Nothing is counted and nothing is logged for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchResults {
    /// At most 100, best first.
    pub hits: Vec<SearchHit>,
    /// How many memories are known to reach the floor.
    pub passed: i64,
    /// Whether more may reach it: those that are near in meaning are counted up to the number of hits.
    pub more: bool,
    /// How many memories the filters let through.
    pub memories: i64,
    /// The best relevance below the floor, if nothing passed.
    pub nearest: Option<f64>,
    pub floor: f64,
    pub query_canonical: Option<String>,
    pub degraded: Vec<String>,
    /// The agents whose memories were searched.
    pub agents: Vec<AgentId>,
}

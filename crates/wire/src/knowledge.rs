//! Shared knowledge: documents, their chunks, what depends on what, and ingestions.

use super::text_enum::text_enum;
use super::{AgentId, ChunkId, DocumentId, MatchedBy, Part, RetrievalId, RunId, SourceTag};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

text_enum! {
    /// What a document is.
    DocumentKind {
        /// An approved specification.
        Spec = "spec",
        /// An architecture decision record.
        Adr = "adr",
        /// Components and what they depend on.
        Architecture = "architecture",
        /// Terms with definitions.
        Glossary = "glossary",
        /// Anything else.
        Document = "document",
    }
}

/// A document as lists show it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Document {
    pub id: DocumentId,
    pub kind: DocumentKind,
    /// `SPEC-005`, `ADR-008`, …
    pub reference: Option<String>,
    /// The directory or service that it was ingested from, by name.
    pub collection: String,
    /// Relative to the collection's root.
    pub path: String,
    pub title: String,
    /// As its front matter says: `approved`, `accepted`, `draft`, …; empty if it says nothing.
    pub status: String,
    pub chunks: i64,
    /// Chunks that have a vector; the others are found by their words meanwhile.
    pub embedded: i64,
    /// Recalls of the last 30 days in which it was cited.
    pub citations: i64,
    pub updated_at: DateTime<Utc>,
    pub retired_at: Option<DateTime<Utc>>,
}

/// Which documents a list shows: by default those in force, newest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DocumentFilter {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<DocumentKind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// A part of the title, the reference or the path.
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

/// A part of a document that is found as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chunk {
    pub id: ChunkId,
    /// The headings above it, outermost first.
    pub heading_path: Vec<String>,
    pub content: String,
    /// The content as HTML, which is safe inside a page.
    pub html: String,
    /// Where it begins in the file, in bytes.
    pub start_byte: i64,
    pub end_byte: i64,
    pub embedded: bool,
}

/// A recall that cited a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, sqlx::FromRow)]
pub struct Citation {
    pub retrieval_id: RetrievalId,
    pub agent_id: AgentId,
    #[sqlx(skip)]
    pub agent_slug: String,
    pub query: String,
    pub at: DateTime<Utc>,
    /// 1 for the best hit.
    #[sqlx(try_from = "i32")]
    pub rank: i64,
}

/// A document with its parts and its use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DocumentDetail {
    pub document: Document,
    /// Name and value, as text.
    pub front_matter: Vec<(String, String)>,
    pub chunks: Vec<Chunk>,
    /// The newest 20.
    pub cited: Vec<Citation>,
    /// Every text it has had under this path: id, from, until; newest first.
    pub versions: Vec<(DocumentId, DateTime<Utc>, Option<DateTime<Utc>>)>,
}

/// A file that could not be ingested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct IngestFailure {
    pub path: String,
    /// From 1; absent if the failure belongs to no line.
    pub line: Option<i64>,
    pub reason: String,
}

/// What an ingestion did, or would do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct IngestReport {
    pub added: i64,
    pub changed: i64,
    pub unchanged: i64,
    /// Unchanged files that were divided into chunks by an older version or for another model, and are divided again.
    #[serde(default)]
    pub reindexed: i64,
    pub retired: i64,
    /// Canonical terms that glossaries added or redefined.
    pub terms: i64,
    /// Components that architecture files name.
    pub components: i64,
    /// True: nothing was written.
    pub dry_run: bool,
    pub failures: Vec<IngestFailure>,
}

text_enum! {
    /// What became of a file of an upload.
    FileOutcome {
        Added = "added",
        Changed = "changed",
        /// Its text is as before, and is divided into chunks again.
        Reindexed = "reindexed",
        Unchanged = "unchanged",
        Failed = "failed",
    }
}

/// A file of an upload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UploadedFile {
    pub path: String,
    pub outcome: FileOutcome,
    /// What could not be read, of the whole file or of parts of it.
    pub failures: Vec<IngestFailure>,
    /// The document that has its text; absent if it failed.
    #[serde(default)]
    pub document_id: Option<DocumentId>,
}

/// One ingestion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, sqlx::FromRow)]
pub struct IngestRun {
    pub id: RunId,
    pub collection: String,
    /// The git revision of the ingested files, if it is known.
    pub revision: Option<String>,
    #[sqlx(rename = "actor_name")]
    pub by: String,
    pub started_at: DateTime<Utc>,
    /// Absent while it runs, and for good if it was killed.
    pub finished_at: Option<DateTime<Utc>>,
    #[sqlx(json)]
    pub report: IngestReport,
}

/// A file to ingest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewDocument {
    /// Relative, with `/`, ending in `.md`, `.txt`, `.html` or `.htm`; it decides what the file is (`docs/specs/approved/…`,
    /// `.context/decisions/…`).
    pub path: String,
    /// Markdown, with or without YAML front matter, plain text or an HTML page.
    pub content: String,
}

/// Body of `POST /api/kb/documents`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{
        "collection": "wiki",
        "documents": [{ "path": "onboarding.md", "content": "# Onboarding\n\nMina shows newcomers around." }],
    }]))]
#[serde(deny_unknown_fields)]
pub struct IngestRequest {
    /// Where they come from; files of other collections are not touched.
    #[serde(default = "default_collection")]
    #[schemars(length(min = 1, max = 64))]
    pub collection: String,
    /// 1 to 100.
    #[schemars(length(min = 1, max = 100))]
    pub documents: Vec<NewDocument>,
    /// Say what would happen, and do nothing.
    #[serde(default)]
    pub dry_run: bool,
}

fn default_collection() -> String {
    "api".into()
}

/// Input of `shared_kb_search`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "query": "How are releases approved?" }]))]
#[serde(deny_unknown_fields)]
pub struct KnowledgeRequest {
    /// What you want to know.
    ///
    /// 1 byte to 4 KiB.
    #[schemars(length(min = 1))]
    pub query: String,
    /// How many hits, up to 100.
    #[serde(default = "default_k")]
    #[schemars(range(min = 1, max = 100))]
    pub k: u32,
    /// Only these kinds.
    #[serde(default)]
    pub kinds: Vec<DocumentKind>,
}

fn default_k() -> u32 {
    10
}

/// A part of a document that answers a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct KnowledgeHit {
    pub chunk_id: ChunkId,
    pub document_id: DocumentId,
    pub kind: DocumentKind,
    /// `SPEC-005`, if it is a specification with a number.
    pub spec_id: Option<String>,
    /// `ADR-008`, if it is a decision record with a number.
    pub adr_id: Option<String>,
    pub title: String,
    pub heading_path: Vec<String>,
    pub path: String,
    pub content: String,
    /// Always `canonical`.
    pub source_tag: SourceTag,
    /// Relevance, 0 to 1. Knowledge does not decay.
    pub similarity: f64,
    /// Always 1.
    pub recency_score: f64,
    pub score: f64,
    /// The terms of the score where it is a sum; empty under `decay`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
    /// The relevance that this hit had to reach.
    pub floor: f64,
    pub matched_by: MatchedBy,
    /// The words of the query that it holds.
    pub matched_words: Vec<String>,
    /// `ADR-005, Consequences`.
    pub citation: String,
    /// How to begin a quotation of the content: "Per ADR-005:". It never holds the content.
    pub attribution: String,
    /// Why it is here, in a sentence.
    pub explanation: String,
}

/// Answer of `shared_kb_search`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct KnowledgeResponse {
    /// Best first.
    pub hits: Vec<KnowledgeHit>,
    /// Parts of the search that could not run: `embedding`.
    pub degraded: Vec<String>,
}

/// Input of `shared_kb_topology`.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "component": "billing" }]))]
#[serde(deny_unknown_fields)]
pub struct TopologyRequest {
    /// Its name; separators and case do not matter.
    pub component: String,
}

/// A part of the system and its neighbours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Component {
    pub name: String,
    pub description: String,
    /// Components that it depends on.
    pub depends_on: Vec<String>,
    /// Components that depend on it.
    pub depended_on_by: Vec<String>,
    /// The document that describes it.
    pub document_id: DocumentId,
    pub path: String,
}

/// A page of the knowledge index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct IndexPage {
    /// `docs/specs/INDEX.md`
    pub path: String,
    /// Markdown.
    pub content: String,
}

/// Answer of `GET /api/kb/index`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct IndexResponse {
    pub pages: Vec<IndexPage>,
}

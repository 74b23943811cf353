//! What each column holds that is not a number, a time or an id: the one list that erasure, export and retention read. A test compares it
//! with the databases, so a column that nobody classified fails.

/// What a column holds, seen from the person it may be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Words of users, or what gives them away: vectors, single words, hashes that confirm a guess.
    Words,
    /// The name of a person or an account.
    Name,
    /// A secret, or the hash of one.
    Secret,
    /// States, kinds, names of models, ids in JSON: nobody's words.
    Plain,
}

/// What erasing a user does with the rows that belong to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Erasure {
    /// Every row whose `user_id` is the user's goes.
    Row,
    /// The rows do not name the user in `user_id`, or they stay without the user's words: a statement of their own.
    Special,
    /// Nothing, for a reason.
    Keep(&'static str),
}

/// How long rows are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// As long as the memory, which its retention decides.
    WithMemory,
    /// For a day.
    Day,
    /// For `RETRIEVAL_LOG_DAYS`.
    RetrievalLog,
    /// For the days of `history_days` in the lifecycle policy, unless something depends on it.
    History,
    /// For the days that the capture policy says of their sensitive matter; without one, without a limit.
    Matter,
    /// For `CONTEXT_TEXT_DAYS`.
    ContextTexts,
    /// As long as something refers to them, and at least as long as messages can be kept.
    Used,
    /// Until it ends by itself.
    Session,
    /// Without a limit.
    Forever,
}

/// A table and its columns.
pub struct Table {
    pub database: &'static str,
    pub name: &'static str,
    /// What its rows are, for people.
    pub label: &'static str,
    pub kept: Kept,
    pub erasure: Erasure,
    /// Columns with what they hold, and whether an export has them.
    pub columns: &'static [(&'static str, Holds, bool)],
}

const OF_THE_ORGANISATION: Erasure = Erasure::Keep("it belongs to the organisation, whose people wrote it for all agents");
const OF_NOBODY: Erasure = Erasure::Keep("it holds no words of people");

/// Every column of text, JSON, bytes, arrays or vectors in the three databases. Tables of rows with an owner and without such columns are
/// here, too, because erasure reads the list: it goes from the end to the beginning, so a table comes after those that its rows refer to.
#[rustfmt::skip]
pub const TABLES: &[Table] = {
    use Erasure::{Row, Special};
    use Holds::{Name, Plain, Secret, Words};
    use Kept::{ContextTexts, Day, Forever, History, Matter, RetrievalLog, Session, Used, WithMemory};
    &[
        Table { database: "agent_memory", name: "agent_memories", label: "Memories", kept: WithMemory, erasure: Row, columns: &[
            ("short_id", Plain, true), ("kind", Plain, true), ("category", Plain, true), ("subject", Words, true), ("retention", Plain, true),
            ("scope", Plain, true), ("status", Plain, true), ("topic", Words, true), ("topic_raw", Words, true), ("title", Words, true),
            ("content", Words, true), ("summary", Words, true), ("rationale", Words, true), ("alternatives", Words, true), ("role", Plain, true), ("source", Words, true), ("source_kind", Plain, true),
            ("evidence_ref", Words, true), ("context_type", Plain, true), ("attachment_id", Words, true), ("filename", Words, true),
            ("content_hash", Words, false), ("deleted_by", Name, true), ("delete_reason", Words, true), ("topic_normal", Words, false), ("topic_key", Words, false),
            ("speaker", Words, false), ("platform", Words, false), ("imported_by", Name, false), ("retention_rule", Plain, true), ("importance_factors", Words, true),
            ("archive_reason", Plain, true), ("speaker_kind", Plain, true), ("confirmed_by", Name, true), ("trust", Plain, true),
        ] },
        // What an agent calls a session is in the messages, too, as the thread of their source.
        Table { database: "agent_memory", name: "sessions", label: "Conversations", kept: Used, erasure: Row, columns: &[("external_ref", Words, false), ("host", Plain, false)] },
        Table { database: "agent_memory", name: "agent_memory_versions", label: "Versions of memories", kept: History, erasure: Row, columns: &[
            ("change", Plain, true), ("content", Words, true), ("topic", Words, true), ("topic_raw", Words, true), ("status", Plain, true),
            ("kind", Plain, true), ("scope", Plain, true), ("retention", Plain, true),
            ("actor_kind", Plain, true), ("actor_id", Plain, true), ("actor_name", Name, true), ("source", Words, true),
            ("provenance", Words, true), ("title", Words, true), ("summary", Words, true), ("category", Plain, true),
            ("subject", Words, true), ("rationale", Words, true), ("alternatives", Words, true), ("imported_by", Name, false),
        ] },
        Table { database: "agent_memory", name: "memory_topics", label: "Further topics of memories", kept: WithMemory, erasure: Row, columns: &[
            ("topic", Words, true), ("topic_raw", Words, true), ("topic_normal", Words, false),
        ] },
        Table { database: "agent_memory", name: "memory_term_counts", label: "Word counts of agents", kept: WithMemory, erasure: Row, columns: &[] },
        Table { database: "agent_memory", name: "embeddings_384", label: "Vectors of memories", kept: WithMemory, erasure: Row, columns: &[
            ("model", Plain, false), ("embedding", Words, false), ("half", Words, false),
        ] },
        Table { database: "agent_memory", name: "embeddings_1536", label: "Vectors of memories", kept: WithMemory, erasure: Row, columns: &[
            ("model", Plain, false), ("embedding", Words, false), ("bits", Words, false),
        ] },
        Table { database: "agent_memory", name: "memory_terms", label: "Words of memories", kept: WithMemory, erasure: Row, columns: &[("term", Words, false)] },
        Table { database: "agent_memory", name: "memory_moments", label: "Times when memories became searchable", kept: History, erasure: Row, columns: &[
            ("what", Plain, false), ("model", Plain, false), ("text_hash", Words, false),
        ] },
        Table { database: "agent_memory", name: "memory_links", label: "Links between memories", kept: WithMemory, erasure: Row, columns: &[
            ("relation", Plain, true), ("created_by", Name, true),
        ] },
        Table { database: "agent_memory", name: "tombstones", label: "Marks of deleted memories", kept: Forever, erasure: Row, columns: &[
            ("content_hash", Words, true), ("source", Words, true),
        ] },
        Table { database: "agent_memory", name: "sources", label: "Sources", kept: Forever, erasure: Row, columns: &[
            ("kind", Plain, true), ("reference", Words, true), ("content", Words, true), ("metadata", Words, true), ("form", Plain, true),
            ("title", Words, true), ("filename", Words, true), ("attachment_id", Plain, true), ("turns", Words, true),
            ("media_type", Plain, false), ("bytes", Words, false),
        ] },
        Table { database: "agent_memory", name: "events", label: "Events", kept: History, erasure: Row, columns: &[
            ("kind", Plain, true), ("task", Plain, true), ("payload", Words, true), ("state", Plain, true), ("error", Words, true),
            ("outcome", Words, true), ("recorded_state", Plain, false), ("event_type", Plain, true), ("source_metadata", Words, true),
            ("requested_scope", Plain, true),
        ] },
        Table { database: "agent_memory", name: "evidence", label: "Quoted sentences", kept: WithMemory, erasure: Row, columns: &[
            ("quote", Words, true), ("speaker", Words, true),
        ] },
        Table { database: "agent_memory", name: "quarantine", label: "Quarantined turns", kept: History, erasure: Row, columns: &[
            ("quote", Words, true), ("reasons", Words, true), ("state", Plain, true), ("decided_by", Name, true),
        ] },
        Table { database: "agent_memory", name: "memory_proposals", label: "Suggestions", kept: WithMemory, erasure: Row, columns: &[
            ("relation", Plain, true), ("reason", Words, true), ("state", Plain, true), ("decided_by", Name, true),
            ("effect", Plain, false),
        ] },
        // A narrative is rebuilt from the leaves.
        Table { database: "agent_memory", name: "profiles", label: "Profiles", kept: Forever, erasure: Row, columns: &[("working_memory", Words, false)] },
        Table { database: "agent_memory", name: "profile_leaves", label: "Facts in profiles", kept: Matter, erasure: Row, columns: &[
            ("part", Plain, true), ("path", Words, true), ("value", Words, true), ("state", Plain, true), ("leaf_hash", Words, false),
            ("contradicts", Plain, true), ("source_ids", Plain, true), ("event_ids", Plain, true), ("matters", Plain, false),
            ("session_ids", Plain, true),
        ] },
        Table { database: "agent_memory", name: "profile_versions", label: "Versions of profiles", kept: Forever, erasure: Row, columns: &[
            ("diff", Plain, true), ("event_ids", Plain, true),
        ] },
        Table { database: "agent_memory", name: "connections", label: "Connections", kept: Forever, erasure: Row, columns: &[
            ("tool_id", Plain, true), ("name", Words, true), ("tool_schema", Words, true),
        ] },
        // A copy of what a tool holds: the caller reports it again.
        Table { database: "agent_memory", name: "connection_entities", label: "Contents of connections", kept: Forever, erasure: Row, columns: &[
            ("key", Words, false), ("content", Words, false), ("message_id", Plain, false),
        ] },
        // Derived from leaves, connections, entities and sources.
        Table { database: "agent_memory", name: "profile_documents", label: "Profile documents", kept: Matter, erasure: Row, columns: &[
            ("context_type", Plain, false), ("context_source", Plain, false), ("content", Words, false), ("metadata", Words, false),
        ] },
        Table { database: "agent_memory", name: "profile_document_terms", label: "Words of profile documents", kept: Matter, erasure: Row, columns: &[("term", Words, false)] },
        Table { database: "agent_memory", name: "profile_embeddings_384", label: "Vectors of profile documents", kept: Matter, erasure: Row, columns: &[
            ("model", Plain, false), ("half", Words, false),
        ] },
        Table { database: "agent_memory", name: "profile_embeddings_1536", label: "Vectors of profile documents", kept: Matter, erasure: Row, columns: &[
            ("model", Plain, false), ("half", Words, false),
        ] },
        // A day from delivery; an erasure empties what was delivered.
        Table { database: "agent_memory", name: "outbox", label: "Messages to other databases", kept: Day, erasure: Row, columns: &[
            ("destination", Plain, false), ("payload", Words, false), ("error", Words, false),
        ] },
        Table { database: "agent_memory", name: "retrievals", label: "Recalls", kept: RetrievalLog, erasure: Row, columns: &[
            ("query", Words, false), ("query_canonical", Words, false), ("ranking", Plain, false), ("filters", Words, false),
            ("model", Plain, false), ("statistics", Plain, false), ("candidates", Plain, false), ("reason", Plain, false),
            ("degraded", Plain, false), ("cause", Plain, false), ("near_misses", Plain, false), ("knowledge", Plain, false),
        ] },
        Table { database: "agent_memory", name: "retrieval_hits", label: "Hits of recalls", kept: RetrievalLog, erasure: Row, columns: &[] },
        Table { database: "agent_memory", name: "citations", label: "Documents cited by recalls", kept: RetrievalLog, erasure: Row, columns: &[] },
        Table { database: "agent_memory", name: "context_log", label: "Contexts", kept: RetrievalLog, erasure: Row, columns: &[
            ("ordering", Plain, false), ("tiers", Plain, false), ("model", Plain, false), ("tokenizer", Plain, false), ("hash", Words, false), ("blocks", Plain, false),
            ("cut", Plain, false), ("degraded", Plain, false), ("memory_ids", Plain, false),
        ] },
        Table { database: "agent_memory", name: "context_texts", label: "Texts of contexts", kept: ContextTexts, erasure: Row, columns: &[
            ("request", Words, false), ("text", Words, false), ("query", Words, false),
        ] },
        // Which memories a reported answer used.
        Table { database: "agent_memory", name: "context_answers", label: "Answers to contexts", kept: RetrievalLog, erasure: Row, columns: &[("memory_ids", Plain, false)] },
        Table { database: "agent_memory", name: "expectation_sets", label: "Sets of expectations", kept: Forever, erasure: OF_THE_ORGANISATION, columns: &[
            ("name", Plain, false), ("requested_for", Plain, false),
        ] },
        Table { database: "agent_memory", name: "expectations", label: "Expectations", kept: Forever, erasure: Row, columns: &[
            ("query", Words, false), ("memory_ids", Plain, false), ("origin", Plain, false), ("note", Words, false), ("added_by", Name, false),
        ] },
        Table { database: "agent_memory", name: "expectation_runs", label: "Runs of expectations", kept: Forever, erasure: OF_NOBODY, columns: &[
            ("cause", Plain, false), ("model", Plain, false),
        ] },
        Table { database: "agent_memory", name: "expectation_results", label: "Results of expectations", kept: Forever, erasure: Row, columns: &[
            ("stopped_by", Plain, false),
        ] },
        // Forgetting a memory empties the rows that hold words of it.
        Table { database: "agent_memory", name: "idempotent_requests", label: "Requests of the last day", kept: Day, erasure: Row, columns: &[
            ("operation", Plain, false), ("idempotency_key", Words, false), ("fingerprint", Words, false), ("answer", Words, false),
            ("memory_ids", Plain, false),
        ] },
        Table { database: "agent_memory", name: "legal_holds", label: "Legal holds", kept: Forever, erasure: Row, columns: &[
            ("reason", Words, false), ("set_by", Name, false), ("lift_reason", Words, false), ("lifted_by", Name, false),
        ] },
        Table { database: "agent_memory", name: "erased_texts", label: "Fingerprints of erased texts", kept: Forever,
            erasure: Erasure::Keep("fingerprints under a key that is in another database: they keep erased text from coming back"),
            columns: &[("fingerprint", Secret, false)] },
        // Ids: which request erased a source, or what a memory quoted.
        Table { database: "agent_memory", name: "erased_sources", label: "Marks of erased sources", kept: Forever, erasure: Special, columns: &[] },
        Table { database: "agent_memory", name: "projects", label: "Projects", kept: Forever, erasure: OF_THE_ORGANISATION, columns: &[
            ("slug", Plain, true), ("name", Plain, true), ("created_by", Name, true),
        ] },
        Table { database: "agent_memory", name: "repos", label: "Repositories", kept: Forever, erasure: OF_THE_ORGANISATION, columns: &[
            ("slug", Plain, true), ("name", Plain, true), ("created_by", Name, true),
        ] },
        Table { database: "agent_memory", name: "project_links", label: "Links between projects", kept: Forever, erasure: OF_THE_ORGANISATION, columns: &[
            ("created_by", Name, true),
        ] },
        Table { database: "shared_kb", name: "canonical_terms", label: "Terms", kept: Forever, erasure: OF_THE_ORGANISATION, columns: &[
            ("term", Plain, true), ("normal", Plain, false), ("definition", Plain, true), ("category", Plain, true), ("status", Plain, false),
            ("imported_by", Name, false),
        ] },
        Table { database: "shared_kb", name: "term_aliases", label: "Aliases of terms", kept: Forever, erasure: OF_THE_ORGANISATION, columns: &[
            ("alias", Plain, true), ("normal", Plain, false), ("imported_by", Name, false),
        ] },
        Table { database: "shared_kb", name: "term_embeddings", label: "Vectors of terms", kept: Forever, erasure: OF_THE_ORGANISATION, columns: &[
            ("model", Plain, false), ("term", Plain, false), ("embedding", Plain, false),
        ] },
        // A phrase is an agent's topic, which may be somebody's words. The memories that it came from are named in proposal_memories.
        Table { database: "shared_kb", name: "term_proposals", label: "Proposed phrases", kept: Forever, erasure: Special, columns: &[
            ("phrase", Words, true), ("normal", Words, false), ("status", Plain, true), ("imported_by", Name, false),
        ] },
        Table { database: "shared_kb", name: "proposal_memories", label: "Memories of proposed phrases", kept: Forever, erasure: Special, columns: &[] },
        Table { database: "shared_kb", name: "decisions", label: "Vocabulary decisions", kept: Forever, erasure: Special, columns: &[
            ("kind", Plain, true), ("subjects", Words, true), ("term", Plain, true), ("reason", Words, true), ("actor_kind", Plain, true),
            ("actor_id", Plain, true), ("actor_name", Name, true), ("forms", Words, true), ("opened_terms", Plain, true),
            ("closed_terms", Plain, true), ("opened_aliases", Plain, true), ("closed_aliases", Plain, true), ("imported_by", Name, false),
        ] },
        Table { database: "shared_kb", name: "documents", label: "Documents", kept: Forever, erasure: OF_THE_ORGANISATION, columns: &[
            ("kind", Plain, true), ("reference", Plain, true), ("path", Plain, true), ("title", Plain, true), ("status", Plain, true),
            ("front_matter", Plain, true), ("content_hash", Plain, true), ("collection", Plain, true),
            ("chunking", Plain, true), ("imported_by", Name, false),
        ] },
        Table { database: "shared_kb", name: "chunks", label: "Sections of documents", kept: Forever, erasure: OF_THE_ORGANISATION, columns: &[
            ("heading_path", Plain, true), ("content", Plain, true),
        ] },
        Table { database: "shared_kb", name: "chunk_terms", label: "Words of sections", kept: Forever, erasure: OF_THE_ORGANISATION, columns: &[("term", Plain, false)] },
        Table { database: "shared_kb", name: "chunk_embeddings_384", label: "Vectors of sections", kept: Forever, erasure: OF_THE_ORGANISATION, columns: &[
            ("model", Plain, false), ("half", Plain, false),
        ] },
        Table { database: "shared_kb", name: "chunk_embeddings_1536", label: "Vectors of sections", kept: Forever, erasure: OF_THE_ORGANISATION, columns: &[
            ("model", Plain, false), ("half", Plain, false),
        ] },
        Table { database: "shared_kb", name: "components", label: "Components", kept: Forever, erasure: OF_THE_ORGANISATION, columns: &[
            ("name", Plain, true), ("normal", Plain, false), ("description", Plain, true), ("depends_on", Plain, true),
        ] },
        Table { database: "shared_kb", name: "ingest_runs", label: "Ingestions of documents", kept: Forever, erasure: OF_THE_ORGANISATION, columns: &[
            ("collection", Plain, false), ("revision", Plain, false), ("actor_name", Name, false), ("report", Plain, false),
        ] },
        Table { database: "shared_kb", name: "sources", label: "Sources of knowledge", kept: Forever, erasure: OF_THE_ORGANISATION, columns: &[
            ("kind", Plain, false), ("reference", Plain, false), ("content", Plain, false), ("metadata", Plain, false),
        ] },
        Table { database: "shared_kb", name: "events", label: "Events of knowledge", kept: History, erasure: OF_THE_ORGANISATION, columns: &[
            ("kind", Plain, false), ("task", Plain, false), ("payload", Plain, false), ("state", Plain, false), ("error", Plain, false),
            ("outcome", Plain, false),
        ] },
        Table { database: "shared_kb", name: "outbox", label: "Messages to other databases", kept: Day,
            erasure: Erasure::Keep("erasure waits until they are delivered, and empties them"), columns: &[
            ("destination", Plain, false), ("payload", Words, false), ("error", Words, false),
        ] },
        // An agent may propose a phrase in the name of a user.
        Table { database: "shared_kb", name: "idempotent_requests", label: "Requests of the last day", kept: Day, erasure: Row, columns: &[
            ("operation", Plain, false), ("idempotency_key", Words, false), ("fingerprint", Words, false), ("answer", Words, false),
            ("memory_ids", Plain, false),
        ] },
        Table { database: "internal_shared", name: "tenants", label: "Organisations", kept: Forever, erasure: OF_NOBODY, columns: &[
            ("slug", Plain, false), ("name", Plain, false),
        ] },
        Table { database: "internal_shared", name: "agents", label: "Agents", kept: Forever, erasure: OF_NOBODY, columns: &[
            ("kind", Plain, false), ("slug", Plain, true), ("name", Plain, true), ("discipline", Plain, true),
            ("knowledge_categories", Plain, false),
        ] },
        // Words go with their row.
        Table { database: "internal_shared", name: "actions", label: "Actions", kept: Forever, erasure: Row, columns: &[
            ("session_id", Words, true), ("kind", Plain, true), ("action", Words, true), ("message", Words, true), ("meta", Words, true),
            ("outcome", Words, true), ("content_hash", Words, false),
        ] },
        Table { database: "internal_shared", name: "action_terms", label: "Words of actions", kept: Forever, erasure: Row, columns: &[
            ("term", Words, false), ("kind", Plain, false),
        ] },
        Table { database: "internal_shared", name: "workflow_steps", label: "Workflow steps", kept: Forever, erasure: Row, columns: &[
            ("session_id", Words, true), ("workflow", Words, true), ("step_name", Words, true), ("output", Words, true),
            ("content_hash", Words, false),
        ] },
        Table { database: "internal_shared", name: "workflow_step_terms", label: "Words of workflow steps", kept: Forever, erasure: Row, columns: &[
            ("term", Words, false), ("kind", Plain, false),
        ] },
        // Numbers of a user's reports.
        Table { database: "internal_shared", name: "activity_counts", label: "Counts of actions and steps", kept: Forever, erasure: Row, columns: &[("source", Plain, false)] },
        Table { database: "internal_shared", name: "idempotent_requests", label: "Requests of the last day", kept: Day, erasure: Row, columns: &[
            ("operation", Plain, false), ("idempotency_key", Words, false), ("fingerprint", Words, false), ("answer", Words, false),
            ("memory_ids", Plain, false),
        ] },
        Table { database: "internal_shared", name: "search_policies", label: "Search policies", kept: Forever, erasure: OF_NOBODY, columns: &[
            ("updated_by", Name, false),
        ] },
        Table { database: "internal_shared", name: "capture_policies", label: "Capture policies", kept: Forever, erasure: OF_NOBODY, columns: &[
            ("episodes", Plain, false), ("profile", Plain, false), ("decisions", Plain, false), ("others", Plain, false),
            ("commons", Plain, false), ("sharing", Plain, false), ("own_statements", Plain, false), ("updated_by", Name, false),
        ] },
        Table { database: "internal_shared", name: "lifecycle_policies", label: "Lifecycle policies", kept: Forever, erasure: OF_NOBODY, columns: &[
            ("policy", Plain, false), ("updated_by", Name, false),
        ] },
        Table { database: "internal_shared", name: "users", label: "Users", kept: Forever, erasure: Special, columns: &[
            ("external_ref", Name, true), ("name", Name, true),
        ] },
        // A key that is bound to the user is revoked, and loses its name.
        Table { database: "internal_shared", name: "api_keys", label: "API keys", kept: Forever, erasure: Special, columns: &[
            ("prefix", Plain, false), ("secret_hash", Secret, false), ("name", Name, false), ("scopes", Plain, false),
            ("toolsets", Plain, false),
        ] },
        Table { database: "internal_shared", name: "bots", label: "Bots", kept: Forever, erasure: OF_NOBODY, columns: &[
            ("platform", Plain, false), ("name", Plain, false), ("secret_hash", Secret, false),
        ] },
        // Memories and candidates by their ids, for a day.
        Table { database: "internal_shared", name: "notices", label: "Notices of the last day", kept: Session, erasure: OF_NOBODY, columns: &[
            ("kind", Plain, false), ("target_id", Plain, false),
        ] },
        Table { database: "internal_shared", name: "webhooks", label: "Webhooks", kept: Forever, erasure: OF_NOBODY, columns: &[
            ("url", Plain, false), ("kinds", Plain, false), ("secret", Secret, false), ("previous_secret", Secret, false),
            ("state", Plain, false), ("reason", Plain, false), ("error", Plain, false),
        ] },
        Table { database: "internal_shared", name: "bot_chats", label: "Chats of bots", kept: Forever, erasure: Row, columns: &[("chat_id", Name, false)] },
        Table { database: "internal_shared", name: "operators", label: "Operators", kept: Forever,
            erasure: Erasure::Keep("people of the organisation, disabled when they leave"), columns: &[
            ("login", Name, false), ("name", Name, false), ("password_hash", Secret, false), ("roles", Plain, false),
            ("issuer", Plain, false), ("subject", Name, false),
        ] },
        Table { database: "internal_shared", name: "operator_invitations", label: "Links for operators", kept: Session,
            erasure: Erasure::Keep("people of the organisation, until the link is used or expires"), columns: &[
            ("kind", Plain, false), ("token_hash", Secret, false), ("login", Name, false), ("name", Name, false), ("roles", Plain, false),
            ("created_by", Name, false),
        ] },
        Table { database: "internal_shared", name: "sessions", label: "Sessions of operators", kept: Session,
            erasure: Erasure::Keep("what an operator typed into a refused form, until the next page"), columns: &[
            ("data", Words, false), ("id_hash", Secret, false),
        ] },
        // Programs, which name themselves.
        Table { database: "internal_shared", name: "oauth_clients", label: "Clients", kept: Session, erasure: OF_NOBODY, columns: &[
            ("name", Plain, false), ("redirect_uris", Plain, false),
        ] },
        // The key of the access has the user.
        Table { database: "internal_shared", name: "oauth_grants", label: "Access of clients", kept: Session, erasure: OF_NOBODY, columns: &[
            ("redirect_uri", Plain, false), ("challenge", Plain, false), ("code_hash", Secret, false), ("family_hash", Secret, false),
            ("turn_hash", Secret, false), ("previous_hash", Secret, false), ("salt", Secret, false),
        ] },
        // Operators write them; one that mentions the user goes if an admin ticks it.
        Table { database: "internal_shared", name: "saved_views", label: "Saved views", kept: Forever, erasure: Special, columns: &[
            ("page", Plain, false), ("name", Words, false), ("query", Words, false), ("sharing", Plain, false),
        ] },
        Table { database: "internal_shared", name: "models", label: "Models", kept: Forever, erasure: OF_NOBODY, columns: &[("name", Plain, false), ("fault", Plain, false)] },
        Table { database: "internal_shared", name: "model_prices", label: "Prices of models", kept: Forever, erasure: OF_NOBODY, columns: &[("model", Plain, false)] },
        // The costs stay, in the name of nobody.
        Table { database: "internal_shared", name: "usage_ledger", label: "Usage", kept: Forever, erasure: Special, columns: &[
            ("model", Plain, false), ("purpose", Plain, false),
        ] },
        Table { database: "internal_shared", name: "usage_accounts", label: "Balances", kept: Forever, erasure: Row, columns: &[("updated_by", Name, false)] },
        // An admin writes the reason of a grant.
        Table { database: "internal_shared", name: "usage_credits", label: "Credits", kept: Forever, erasure: Row, columns: &[
            ("reason", Words, false), ("created_by", Name, false),
        ] },
        Table { database: "internal_shared", name: "audit_log", label: "Audit entries", kept: Forever,
            erasure: Erasure::Keep("the hash chain covers it; newer rows hold no texts, which have a table of their own"), columns: &[
            ("actor_kind", Plain, false), ("actor_id", Plain, false), ("actor_name", Name, false), ("action", Plain, false),
            ("target_kind", Plain, false), ("target_id", Plain, false), ("message", Words, false), ("reason", Words, false),
            ("changes", Plain, false), ("visibility", Plain, false), ("previous", Plain, false), ("hash", Plain, false),
            ("texts_hash", Plain, false),
        ] },
        Table { database: "internal_shared", name: "audit_texts", label: "Texts of audit entries", kept: Forever, erasure: Special, columns: &[
            ("salt", Secret, false), ("actor_name", Name, false), ("message", Words, false), ("reason", Words, false), ("changes", Words, false),
        ] },
        Table { database: "internal_shared", name: "erasure_requests", label: "Erasure requests", kept: Forever,
            erasure: Erasure::Keep("the record of the erasure: counts, and an id that identifies nobody any more; names are removed at its \
                 end"),
            columns: &[
            ("reason", Words, false), ("names", Name, false), ("mentions", Plain, false), ("state", Plain, false),
            ("requested_by_name", Name, false), ("ended_by_name", Name, false), ("confirmed_by_name", Name, false), ("step", Plain, false),
            ("found", Plain, false), ("report", Plain, false), ("signature", Plain, false),
        ] },
        Table { database: "internal_shared", name: "tenant_keys", label: "Keys for signatures", kept: Forever, erasure: OF_NOBODY, columns: &[("secret", Secret, false)] },
    ]
};

/// What the rows of a table are, for people.
pub fn label(database: &str, name: &str) -> &'static str {
    TABLES.iter().find(|table| (table.database, table.name) == (database, name)).map_or("", |table| table.label)
}

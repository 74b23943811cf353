//! Wire types: what agents, the console and the command line exchange with the engine.
//!
//! They depend on nothing else of ours.
//! Times are RFC 3339 in UTC, ids are UUIDs in their usual text form, numbers on the wire are `i64`, `u32` or `f64`.

mod activity;
mod admin;
mod agents;
mod assembly;
mod audit;
mod batch;
mod blocks;
mod brief;
mod capture;
mod capture_policy;
mod captured;
mod chat;
mod context;
mod context_log;
mod diagnose;
mod documents;
mod erasure;
mod error;
mod expectations;
mod health;
mod hosts;
mod ids;
mod inbox;
mod knowledge;
mod lifecycle;
mod memories;
mod memory_block;
pub mod oauth;
mod page;
mod people;
mod places;
mod portability;
mod profile;
mod projects;
mod provenance;
mod quality;
mod recall;
mod records;
mod retrievals;
pub mod schema;
mod service;
mod session;
mod sessions;
mod skills;
mod sources;
mod text_enum;
mod usage;
mod usd;
mod views;
mod vocabulary;
mod webhooks;

pub use activity::{
    ACTION_MAX, ActionKind, MESSAGE_MAX, META_MAX, NewStep, OUTCOME_MAX, OUTPUT_MAX, RecordActionRequest, RecordActionResponse,
    RecordStepRequest, RecordStepsRequest, RecordStepsResponse, STEPS_MAX,
};
pub use admin::{
    AdminAgent, AdminAgents, AdminBot, AdminBots, AdminOperator, AdminOperators, AdminUser, AdminUsers, AgentSettings, ApiKey, ApiKeys,
    INVITATION_HOURS, INVITATION_HOURS_MAX, INVITATION_PAGE, Invitation, InvitationKind, Invitations, KeyPreset, MadeApiKey,
    MadeInvitation, NewApiKey, NewInvitation, OVERLAP_HOURS, OVERLAP_HOURS_MAX, OperatorSettings, RotateKey, UserSettings,
};
pub use agents::{ActivityDay, AgentDetail, AgentKey, AgentKind, AgentName, AgentSummary, Toolset};
pub use assembly::{
    AssembleRequest, AssembledContext, BLOCK_MAX, BlockItem, CONTEXT_BUDGET, CONTEXT_NAME_MAX, ContextBlock, ContextCut, ContextMessage,
    ContextTurn, MessageRole, TOOL_RESULTS_MAX, TURNS_MAX, ToolResult, TurnRole,
};
pub use audit::{AUDIT_ACTIONS, AuditEntry, AuditFilter, AuditFormat, AuditProof, AuditVisibility, audit_words, change_words};
pub use batch::{BatchError, BatchOutcome, BatchRequest, BatchResponse};
pub use blocks::{BlockName, BlockOrder, ContextTiers, CutAction, ItemOrigin, Pace};
pub use brief::{BriefHit, BriefKnowledge, BriefKnowledgeSearch, BriefMemory, BriefRecall};
pub use capture::{
    ATTACHMENT_MAX, CaptureConversationRequest, CaptureMode, CaptureResponse, CaptureSessionRequest, CaptureTextRequest,
    CaptureTextResponse, ConnectionContextRequest, FILENAME_MAX, OBSERVATION_MAX, ObservationCategory, ObservationRequest, SOURCE_MAX,
    SourceDetails, SourceForm, SourceResponse, UPDATES_MAX, UserContextRequest,
};
pub use capture_policy::{CapturePolicy, MATTER_DAYS_MAX, Matter, Promotion, SensitiveMatters, Sharing};
pub use captured::{
    EventBus, EventCount, EventFilter, EventKind, EventRow, EventState, QuotedMemory, SourceDetail, SourceFilter, SourcePiece,
    SourceReading, SourceRow, SourceSpeaker, SourceTurn,
};
pub use chat::{TelegramChat, TelegramMessage, TelegramReply, TelegramUpdate};
pub use context::{ContextBundle, ContextItem, ContextRequest, ContextSection, Level, SectionName};
pub use context_log::{
    ComparedContext, ContextComparison, ContextDetail, ContextEntry, ContextFilter, ContextPreview, LineChange, LoggedContext, NamedSource,
    PreviewRequest, TextLine, TextState,
};
pub use diagnose::{DiagnoseRequest, DiagnosedMemory, Diagnosis, Gate, GateOutcome, GateResult, Mend, MendLink, Relevance};
pub use documents::{
    CONNECTIONS_MAX, ConnectionEntity, ContextDocument, ContextMetadata, ContextSource, ContextType, DISTANCE_MAX, DOCUMENTS_N,
    DOCUMENTS_N_MAX, ENTITIES_BYTES_MAX, ENTITIES_MAX, ENTITY_KEY_MAX, ENTITY_MAX, PutEntitiesRequest, PutEntitiesResponse,
    SearchUserContextRequest, SearchUserContextResponse,
};
pub use erasure::{
    ERASURE_DAYS, ERASURE_MENTIONS_MAX, ERASURE_NAME_MAX, ERASURE_NAMES_MAX, ErasedTable, Erasure, ErasureDetail, ErasurePreview,
    ErasureReport, ErasureState, JOINED_SCRIPTS, KeptTable, LegalHold, Mention, MentionPlace, MentionRef, NameEnd, NewErasure,
    SignedReport, SourceExtent, TableCount, erasure_name_min, has_genitive, joins_words,
};
pub use error::{ErrorBody, ErrorCode, ErrorDetail, FieldError, plain};
pub use expectations::{
    EXPECTATION_NOTE_MAX, EXPECTATION_SET_NAME_MAX, EXPECTATION_SETS_MAX, EXPECTATIONS_MAX, EXPECTED_MEMORIES_MAX, ExpectationChange,
    ExpectationOrigin, ExpectationOutcome, ExpectationRow, ExpectationRun, ExpectationRunRequested, ExpectationSet, ExpectationSetDetail,
    ExpectationSetList, ExpectationSetRow, ExpectedMemory, NewExpectation, RunCause,
};
pub use health::{
    Attention, BarUnit, CandidateLink, HealthBar, HealthFilter, Inventory, LastDay, NearMiss, NearMissState, NewMemory, Overview,
    Playground, PlaygroundCandidate, PlaygroundRequest, Prompt, PromptList, RecallCounts, RecallHealth, ZeroHit, ZeroHitCause,
};
pub use hosts::HostName;
pub use ids::{
    AgentId, BotId, ChunkId, ContextId, DecisionId, DocumentId, ErasureId, EventId, ExpectationId, ExpectationRunId, ExpectationSetId,
    InvitationId, KeyId, LeafId, MemoryId, MemoryRef, OperatorId, ProposalId, QuarantineId, RequestId, RetrievalId, RunId, SHORT_ID_LENGTH,
    SourceId, SuggestionId, TenantId, TermId, USER_REF_MAX, UserId, UserRef, ViewId, WebhookId,
};
pub use inbox::{
    ConsolidateRequest, InboxEdit, InboxFilter, InboxItem, InboxOutcome, InboxQuote, InboxSuggestion, InboxVerdict, IngestMemoryRequest,
    MemoryEvidence, MemoryInput, QuarantineItem, QuarantineState, QueuedResponse, ReviewNumbers, SUGGESTIONS_MAX, SuggestedMemory,
    Suggestion, SuggestionFilter, SuggestionRelation,
};
pub use knowledge::{
    Chunk, Citation, Component, Document, DocumentDetail, DocumentFilter, DocumentKind, FileOutcome, IndexPage, IndexResponse,
    IngestFailure, IngestReport, IngestRequest, IngestRun, KnowledgeHit, KnowledgeRequest, KnowledgeResponse, NewDocument, TopologyRequest,
    UploadedFile,
};
pub use lifecycle::{
    AddMessagesRequest, AgentAging, ArchiveReason, ExpiringDay, Factor, FactorShare, Forecast, HistoryDays, ImportanceWeights,
    LifecyclePolicy, ListMessagesRequest, MessagesRequest, MessagesResponse, NewMessage, PinResponse, RetentionDays, RetentionRule,
    SessionFilter, SessionMessage, ShareResponse, StateFilter, StoredMessage, SweepRun,
};
pub use memories::{
    BulkOutcome, Category, ChangedMemory, ForgetRequest, ForgetResponse, MemoryDetail, MemoryFilter, MemoryKind, MemoryLink, MemoryRecall,
    MemoryRecalls, MemoryRow, MemoryScope, MemoryStatus, MemoryVersion, Relation, RememberRequest, RememberResponse, Retention, Role,
    SimilarMemory, Source, SourceKind,
};
pub use memory_block::{
    AddMemoryRequest, AddMemoryResponse, COMMAND_MAX, CommandRequest, CommandResponse, Discipline, ENTRY_MAX, ENTRY_MIN,
    MemoryListResponse, MemoryResponse, MemoryVersionResponse, MemoryWithVersions, PutMemoryRequest, SimilarEntry, UpdateMemoryRequest,
    UpdateMemoryResponse,
};
pub use page::{Page, TOTAL_MAX};
pub use people::{CitedSentence, LeafEvidence, PeopleFilter, PersonDetail, PersonRow};
pub use places::Place;
pub use portability::{Area, ImportCount, ImportReport};
pub use profile::{
    Connection, ConnectionList, ForgetLeafRequest, ForgetLeafResponse, LeafChange, ProfileChange, ProfileLeaf, ProfileOrigin, ProfilePart,
    ProfileRequest, ProfileResponse, ProfileVersion, ProfileVersions, PutConnectionRequest, PutConnectionResponse, SCHEMA_TTL,
    SCHEMA_TTL_MAX, TOOL_SCHEMA_MAX,
};
pub use projects::{
    ListProjectsRequest, NewProject, Project, ProjectLinkRequest, ProjectLinkResponse, ProjectList, ProjectRef, Repo, is_slug,
};
pub use provenance::{Provenance, Speaker};
pub use quality::{ANSWER_MAX, AnswerRequest, AnswerUse, Quality, QualityCounts, QualityFilter, Ratio};
pub use recall::{
    Breakdown, Criterion, DegradedPart, Hit, MatchedBy, NothingReason, Part, Ranking, RecallFilters, RecallHit, RecallRequest,
    RecallResponse, SearchHit, SearchRequest, SearchResults, SourceTag, Trust,
};
pub use records::{
    Comparison, LinkEnd, LinkRequest, LinkResponse, ListMemoriesRequest, ListedMemory, MemoryFields, MemoryRecord, ProfileFactRequest,
    ReviseRequest, ReviseResponse, VersionsResponse,
};
pub use retrievals::{Considered, ExplainRequest, Explanation, Replay, Retrieval, RetrievalDetail, RetrievalFilter};
pub use service::{Liveness, Readiness};
pub use session::{KeyScope, OperatorProfile, OperatorRole};
pub use sessions::{AgentSession, AgentSessionFilter, SessionRef};
pub use skills::{SkillError, SkillList, SkillSummary};
pub use sources::{
    DecisionPoint, SOURCES_K_MAX, SearchMyMemoriesRequest, SearchMyMemoriesResponse, SearchPolicy, SearchSource, SourceHit, SourceReport,
    SourceState, SystemMessage, Weights,
};
pub use usage::{
    Account, Balances, CallPurpose, Credit, DOLLARS_MAX, Exhausted, TOKENS_MAX, USAGE_DAYS, USAGE_DAYS_MAX, Usage, UsageFilter,
    UsageLimits, UsageLine, UsageReport, UsageRequest, UsageResponse, UsageShare,
};
pub use usd::Usd;
pub use views::{SavedView, VIEW_NAME_MAX, VIEW_QUERY_MAX, VIEWS_MAX, ViewPage, ViewSharing};
pub use vocabulary::{
    Decision, DecisionKind, Effect, Evidence, KnownTerm, Likeness, LookupRequest, LookupResponse, NamedTerm, NearestTerm, Proposal,
    ProposalDetail, ProposalFilter, ProposalStatus, ProposeRequest, ProposeResponse, Term, TermChange, TermDetail, TermFilter, TermUsage,
    Verdict,
};
pub use webhooks::{
    MadeWebhook, NewWebhook, Notice, NoticeBody, NoticeData, NoticeKind, WEBHOOK_URL_MAX, WEBHOOKS_MAX, Webhook, WebhookSettings,
    WebhookState, Webhooks,
};

/// Time constant of the decay, in days: relevance is multiplied by exp(−Δ/[`DECAY_DAYS`]), Δ in days since the last write.
pub const DECAY_DAYS: f64 = 90.0;
/// Longest topic, in characters.
pub const TOPIC_MAX: usize = 256;
/// Longest definition of a term, in characters.
pub const DEFINITION_MAX: usize = 2000;
/// Longest category of a term, in characters.
pub const CATEGORY_MAX: usize = 64;
/// Most files of one upload of documents.
pub const UPLOAD_FILES_MAX: usize = 100;
/// Largest upload of documents, in bytes.
pub const UPLOAD_MAX: usize = 24 * 1024 * 1024;
/// Longest content, in bytes.
pub const CONTENT_MAX: usize = 16 * 1024;
/// Longest recall query, in bytes.
pub const QUERY_MAX: usize = 4 * 1024;
/// Most hits a recall may ask for.
pub const K_MAX: u32 = 100;
/// Longest idempotency key, in characters.
pub const IDEMPOTENCY_KEY_MAX: usize = 255;
/// Most memories that a batch may store.
pub const BATCH_MAX: usize = 500;
/// Most memories that one bulk action may touch.
pub const BULK_MAX: usize = 100;
/// Longest reason of a deletion or a restoration, in characters.
pub const REASON_MAX: usize = 500;
/// Longest subject, in characters.
pub const SUBJECT_MAX: usize = 200;
/// Longest title, in characters.
pub const TITLE_MAX: usize = 256;
/// Longest summary, in characters.
pub const SUMMARY_MAX: usize = 2000;
/// Longest rationale of a decision, in characters.
pub const RATIONALE_MAX: usize = 2000;
/// Most rejected alternatives of a decision.
pub const ALTERNATIVES_MAX: usize = 20;
/// Longest reference to evidence, in characters.
pub const EVIDENCE_MAX: usize = 1000;
/// Longest id of a session, in characters.
pub const SESSION_MAX: usize = 256;
/// Most messages of one request.
pub const MESSAGES_MAX: usize = 100;
/// Decayed importance below which an episode is archived, unless the policy says otherwise.
pub const ARCHIVED_BELOW: f32 = 0.1;
/// Decayed importance below which an episode may be archived early, unless the policy says otherwise.
pub const CLEANED_UP_BELOW: f32 = 0.2;
/// Most episodes of an agent that may fade, unless the policy says otherwise.
pub const EPISODES_MAX: u32 = 10_000;
/// Most live memories of an agent, unless the policy says otherwise.
pub const MEMORIES_MAX: u32 = 1_000_000;

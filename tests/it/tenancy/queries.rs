//! What the tables of the stores' queries share, and the queries that are exempt, with the reasons.

use chrono::{DateTime, Utc};
use db::clock::Clock;
use db::cursor::Seek;
use db::{DbError, SystemPool, Tx};
use foundation::OpContext;
use foundation::idempotency::store as idempotency;
use foundation::identity::save_view;
use foundation::projects::store as projects;
use foundation::registry::Floors;
use foundation::terms::store as terms;
use foundation::testing::World;
use remembrancer::knowledge::store as knowledge;
use remembrancer::memories::model::{DedupKey, Details, Draft, Memory};
use remembrancer::memories::store::{self as memories, Embedded};
use remembrancer::vocabulary::store as vocabulary;
use std::pin::Pin;
use uuid::Uuid;
use wire::{
    AgentId, ChunkId, DecisionId, DocumentId, KeyId, LifecyclePolicy, MemoryId, OperatorId, ProposalId, Retention, RunId, SourceKind,
    TenantId, TermId, ViewId, ViewPage,
};

type Answer<'a> = Pin<Box<dyn Future<Output = Result<usize, DbError>> + 'a>>;

/// A query with the arguments of a [`Case`]; how many rows of the case's agent it saw. Its name is that of the function, followed by `/type`
/// if it is tried with several types.
pub struct Query {
    pub name: &'static str,
    pub run: for<'a> fn(&'a mut Tx, &'a Case) -> Answer<'a>,
}

/// A query of the pool that sees all tenants; its argument names the tenant.
pub struct Pooled {
    pub name: &'static str,
    pub kb: bool,
    pub run: for<'a> fn(&'a SystemPool, &'a Case) -> Answer<'a>,
}

/// One of the control database.
pub fn control(name: &'static str, run: for<'a> fn(&'a SystemPool, &'a Case) -> Answer<'a>) -> Pooled {
    Pooled { name, kb: false, run }
}

/// Arguments: a tenant, and the ids of one of its agents' rows.
#[derive(Clone)]
pub struct Case {
    pub tenant: TenantId,
    pub ctx: OpContext,
    pub agent: AgentId,
    pub commons: AgentId,
    pub id: MemoryId,
    pub other: MemoryId,
    pub memory: Memory,
    pub vector: Vec<f32>,
    /// The collection of the document.
    pub categories: Vec<String>,
    pub now: DateTime<Utc>,
    pub fresh: Uuid,
    pub key: KeyId,
    pub operator: OperatorId,
    /// A saved view of that operator.
    pub view: ViewId,
    pub shared: Shared,
    /// An action and a step that the agent reported.
    pub reports: (Uuid, Uuid),
}

/// Ids of the tenant's rows in the database of knowledge.
#[derive(Clone)]
pub struct Shared {
    pub term: TermId,
    pub proposal: ProposalId,
    pub decision: DecisionId,
    pub document: DocumentId,
    pub chunk: ChunkId,
    pub run: RunId,
    pub projects: (Uuid, Uuid),
}

impl Shared {
    async fn new(world: &World) -> Self {
        let tenant = world.system.tenant_id;
        let mut tx = world.engine.db().kb.begin(world.system.tenancy()).await.unwrap();
        let state = terms::state(&mut tx, tenant).await.unwrap();
        let proposal = vocabulary::list_proposals(&mut tx, tenant, &Default::default(), &Seek::First, 1).await.unwrap().remove(0);
        let decision = vocabulary::list_decisions(&mut tx, tenant, &Seek::First, 1).await.unwrap().remove(0);
        let document = knowledge::list_documents(&mut tx, tenant, &Default::default(), &Seek::First, 1).await.unwrap().remove(0);
        let chunk = knowledge::chunks(&mut tx, tenant, document.id).await.unwrap().remove(0);
        let run = knowledge::list_runs(&mut tx, tenant, &Seek::First, 1).await.unwrap().remove(0);
        tx.commit().await.unwrap();
        let mut tx = world.engine.db().memory.begin(world.system.tenancy()).await.unwrap();
        let projects = projects::links(&mut tx, tenant).await.unwrap().remove(0);
        tx.commit().await.unwrap();
        Self {
            projects,
            term: state.terms[0].lineage,
            proposal: proposal.id,
            decision: decision.id,
            document: document.id,
            chunk: chunk.id,
            run: run.id,
        }
    }
}

impl Case {
    pub async fn new(world: &World, agent: AgentId, id: MemoryId, other: MemoryId) -> Self {
        let mut tx = world.engine.db().memory.begin(world.system.tenancy()).await.unwrap();
        let memory = memories::by_ids(&mut tx, world.system.tenancy(), None, &[id], false).await.unwrap().pop().unwrap();
        tx.commit().await.unwrap();
        Self {
            tenant: world.system.tenant_id,
            ctx: world.system.clone(),
            agent,
            commons: world.system.commons_id,
            id,
            other,
            memory,
            vector: world.embedder.vector("tea\nVera likes black tea"),
            categories: vec!["acme".to_owned()],
            now: world.clock.now(),
            fresh: world.clock.id(),
            key: KeyId(Uuid::nil()),
            operator: world.vera.actor.id().parse().unwrap(),
            view: save_view(&world.engine, &world.vera, ViewPage::Memories, "decisions", "kind=decision").await.unwrap().id,
            shared: Shared::new(world).await,
            reports: (Uuid::nil(), Uuid::nil()),
        }
    }

    /// The same ids, used by another tenant.
    pub fn of(self, ctx: &OpContext) -> Self {
        Self { tenant: ctx.tenant_id, ctx: ctx.clone(), ..self }
    }

    pub fn long_ago(&self) -> DateTime<Utc> {
        self.now - chrono::Duration::days(30)
    }

    pub fn embedded(&self) -> Embedded<'_> {
        Embedded { model: "all-MiniLM-L6-v2", vector: &self.vector }
    }

    /// A request of the agent with an idempotency key; the fixture has the one with the key `tea-1`.
    pub fn request(&self, idempotency_key: &'static str) -> idempotency::Request<'_> {
        idempotency::Request { agent: self.agent, key: self.key, operation: "remember", idempotency_key, fingerprint: &[7; 32] }
    }

    pub fn key(&self) -> DedupKey {
        self.memory.key()
    }

    pub fn draft(&self) -> Draft {
        Draft {
            suspicious: false,
            review: false,
            key: self.key(),
            created_by: self.agent,
            topic_raw: "tea".into(),
            is_canonical: true,
            vocabulary_version: 1,
            content: "intruded".into(),
            content_hash: vec![1; 32],
            source: self.memory.source.clone(),
            origin: None,
            source_kind: SourceKind::Manual,
            lifecycle: LifecyclePolicy::default(),
            retention: Retention::Permanent,
            details: Details::default(),
        }
    }
}

pub const FLOORS: Floors = Floors { vector: 0.0, lexical: 0.0 };

/// A table of queries: the name of each, and what it runs in a transaction with the arguments of a [`Case`].
macro_rules! queries {
    ($($name:literal |$tx:ident, $case:ident| $body:expr;)*) => {
        &[$(Query { name: $name, run: |$tx, $case| Box::pin(async move { Ok($body) }) }),*]
    };
}

/// A query in a transaction of its own, which is committed.
macro_rules! kept {
    ($pool:ident, |$tx:ident| $body:expr) => {
        Box::pin(async move {
            let mut opened = db::begin($pool).await?;
            let $tx = &mut opened;
            let seen = $body;
            opened.commit().await?;
            Ok(seen)
        })
    };
}

pub(super) use {kept, queries};

/// Queries of rows that belong to no user, with the reason.
pub const WITHOUT_USERS: &[(&str, &str)] = &[
    ("activity::insert", "what is written belongs to whoever writes"),
    ("activity::put_words", "what is written belongs to whoever writes"),
    ("memories::live", "a number over all users of an agent"),
    ("jobs::insert", "what is written belongs to whoever writes"),
    ("audit::post", "what is written belongs to whoever writes"),
    ("jobs::insert_with_origin", "what is written belongs to whoever writes"),
    ("jobs::request_synthesis", "what is written belongs to whoever writes"),
    ("capture::insert_source", "what is written belongs to whoever writes"),
    ("sessions::touch", "what is written belongs to whoever writes"),
    ("idempotency::insert", "what is written belongs to whoever writes"),
    ("portability::put/project", "projects belong to the organisation"),
    ("portability::put/repo", "projects belong to the organisation"),
    ("portability::put/project_link", "projects belong to the organisation"),
    ("portability::page/project", "projects belong to the organisation"),
    ("portability::page/repo", "projects belong to the organisation"),
    ("portability::page/project_link", "projects belong to the organisation"),
    ("portability::same_slugs", "projects belong to the organisation"),
];

/// Queries of database functions that follow the settings of the transaction: without settings they return nothing.
pub const BY_SETTINGS: &[&str] = &[
    "memories::live",
    "memories::still_linked",
    "idempotency::erase",
    "lifecycle::sweep_records",
    "lifecycle::sweep_leaves",
    "jobs::sweep",
];

/// Queries without a user: operators' views of every user, which only policies protect, and inserts of rows that a verb has checked.
pub const OF_EVERY_USER: &[(&str, &str)] = &[
    ("memories::count", "the console's list"),
    ("memories::list", "the console's list"),
    ("memories::named", "the console's audit log"),
    ("memories::counts", "the console's page of agents"),
    ("memories::written_by_day", "the console's page of agents"),
    ("memories::stored_by", "the console's page of recall health"),
    ("memories::last_write", "the console's page of recall health"),
    ("memories::newest", "the console's front page"),
    ("memories::late_vectors", "the console's front page"),
    ("memories::count_phrases", "the review of the vocabulary"),
    ("memories::phrases_in_use", "the review of the vocabulary"),
    ("memories::with_phrase", "the review of the vocabulary"),
    ("memories::unresolved", "the review of the vocabulary"),
    ("memories::stale", "re-canonicalisation"),
    ("memories::file_under", "re-canonicalisation"),
    ("memories::stale_topics", "re-canonicalisation"),
    ("memories::file_topic", "re-canonicalisation"),
    ("memories::add_topic", "the memory has the user"),
    ("memories::suggest", "the user is given beside the agent"),
    ("memories::topic_use", "the console's page of a term"),
    ("memories::insert", "the draft has the user"),
    ("memories::link", "the user is given beside the agent"),
    ("context::insert_context", "the entry has the user"),
    ("quality::put_answer", "the answer has the user of its context"),
    ("context::insert_text", "the entry has the user"),
    ("recall::insert_log", "the log writer"),
    ("recall::count_accesses", "the log writer"),
    ("recall::nearest_of_all", "the diagnosis for operators"),
    ("recall::by_bar", "the console's page of recall health"),
    ("recall::shares", "the console's page of recall health"),
    ("recall::slow", "the console's front page"),
    ("recall::count_zero_hits", "the console's page of recall health"),
    ("recall::list_zero_hits", "the console's page of recall health"),
    ("recall::zero_hit", "the console's page of a recall"),
    ("profile::put_leaf", "the subject names the user"),
    ("profile::put_working_memory", "the subject names the user"),
    ("profile::insert_version", "the subject names the user"),
    ("profile::put_connection", "the subject names the user"),
    ("documents::put_documents", "the subject names the user"),
    ("documents::put_entities", "the subject names the user"),
    ("portability::same_short_ids", "a short id is unique among all users of an agent"),
    ("jobs::depth_of", "the console's front page"),
    ("jobs::unfiled", "the console's front page"),
    ("audit::lag_of", "the console's front page"),
];

/// Queries that no table has to list, with the reason.
pub const EXEMPT: &[(&str, &str)] = &[
    ("recall::sweep", "the log of every tenant ends"),
    ("context::sweep", "the log of every tenant ends"),
    ("idempotency::sweep", "the requests of every tenant end"),
    ("models::model", "the model registry has no tenants"),
    ("models::current", "the model registry has no tenants"),
    ("models::states", "the model registry has no tenants"),
    ("models::set_kept", "the model registry has no tenants"),
    ("models::make_current", "the model registry has no tenants"),
    ("models::set_fault", "the model registry has no tenants"),
    ("models::hold_filling", "the model registry has no tenants"),
    ("models::end_filling", "the model registry has no tenants"),
    ("usage::add", "each line names its tenant"),
    ("balances::prices", "prices have no tenants"),
    ("usage::set_price", "prices have no tenants"),
    ("jobs::announce", "wakes the workers and reads no table"),
    ("jobs::hasten", "names its tenant, and changes only when its events are tried again"),
    ("chat::bot", "finds the tenant by a bot's id"),
    ("identity::tenant", "finds the tenant"),
    ("identity::tenant_slugs", "the command line's list of tenants"),
    ("identity::insert_tenant", "makes the tenant"),
    ("identity::key_by_prefix", "finds the tenant by a key"),
    ("identity::agent_holder", "tells whose an id is, for imports"),
    ("portability::begin_check", "a temporary table of its own transaction"),
    ("portability::note", "a temporary table of its own transaction"),
    ("portability::note_texts", "a temporary table of its own transaction"),
    ("portability::misquoted", "a temporary table of its own transaction"),
    ("portability::begin_vocabulary", "temporary tables of its own transaction"),
    ("portability::begin_knowledge", "a temporary table of its own transaction"),
    ("portability::stage", "temporary tables of its own transaction"),
    ("portability::undone_by_nothing", "a temporary table of its own transaction"),
    ("portability::open_twice", "a temporary table of its own transaction"),
    ("portability::missing", "a temporary table of its own transaction"),
    ("portability::imported_elsewhere", "tells that an id of the caller's is taken, and by whom not"),
    ("portability::ids_of", "names its tenant and the agents of an import"),
    ("portability::held_elsewhere", "tells that an id it was given is taken, and by whom not"),
    ("identity::insert_client", "clients belong to no tenant"),
    ("identity::oauth_client", "clients belong to no tenant"),
    ("identity::sweep_clients", "clients belong to no tenant"),
    ("identity::trim_clients", "clients belong to no tenant"),
    ("identity::grant_by_code", "finds the tenant by a code, which is a secret"),
    ("identity::grant_by_family", "finds the tenant by a refresh token, which is a secret"),
    ("identity::sweep_grants", "the access of every tenant ends"),
    ("identity::operator_by_login", "finds the tenant by a login, which is unique over all"),
    ("identity::operator_by_login_in", "finds the tenant by a login, which is unique over all"),
    ("identity::operator_by_subject", "finds the tenant by a person of an identity provider, who is unique over all"),
    ("identity::operator_by_subject_in", "finds the tenant by a person of an identity provider, who is unique over all"),
    ("identity::operator", "finds the tenant by a session's operator"),
    ("identity::set_password", "by an operator's id, found before"),
    ("identity::lock_views", "an advisory lock: no row is read"),
    ("identity::lock_policies", "an advisory lock: no row is read"),
    ("identity::lock_operators", "an advisory lock: no row is read"),
    ("identity::invitation_by_token", "finds the tenant by the token of a link, which is a secret"),
    ("identity::take_invitation", "finds the tenant by the token of a link, which is a secret"),
    ("identity::session", "by a session's id, which is a secret"),
    ("identity::insert_session", "by a session's id, which is a secret"),
    ("identity::save_session", "by a session's id, which is a secret"),
    ("identity::delete_session", "by a session's id, which is a secret; and all that have ended"),
    ("jobs::claim", "workers serve all tenants"),
    ("jobs::claim_step", "workers serve all tenants"),
    ("jobs::claim_deliveries", "workers serve all tenants"),
    ("webhooks::behind", "workers serve all tenants"),
    ("webhooks::paused", "workers serve all tenants"),
    ("webhooks::forget_secrets", "the replaced secrets of every tenant end"),
    ("notices::sweep", "the notices of every tenant end"),
    ("jobs::give_back", "by a lease that was claimed"),
    ("jobs::extend", "by a lease that was claimed"),
    ("jobs::finish", "by a lease that was claimed"),
    ("jobs::depth", "a metric over all tenants"),
    ("expectations::lock_sets", "an advisory lock: no row is read"),
    ("vocabulary::lock_vocabulary", "an advisory lock: no row is read"),
    ("knowledge::lock_knowledge", "an advisory lock: no row is read"),
    ("audit::take", "the relay serves all tenants"),
    ("audit::take_of", "the relay serves all tenants, one after the other"),
    ("audit::waiting_tenants", "the relay serves all tenants"),
    ("audit::delivered", "by rows that were taken"),
    ("audit::set_aside", "by a row that was taken"),
    ("audit::sweep", "the delivered rows of every tenant end"),
    ("audit::lag", "a metric over all tenants"),
    ("audit::heads", "the anchors of all chains, for the log and a metric"),
];

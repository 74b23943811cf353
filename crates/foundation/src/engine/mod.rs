//! The engine's handle: everything a verb needs, cheap to clone. It imports leaves only, so that every room can import it; background work
//! is in `workers` of the engine.

pub mod chains;
mod changes;
mod embedding;
mod evaluator;
pub mod log;
pub mod shelf;
mod signal;
mod spending;
pub mod uses;

pub use changes::Changes;
pub use embedding::{LoadedModel, Loader};
pub use evaluator::{Evaluating, Evaluator};
pub use signal::Signal;
pub use spending::Missing;

use crate::balances::{self, Accounts, Ledger, Payer, Purpose};
use crate::error::Error;
use crate::outbound::Outbound;
use crate::terms::Snapshots;
use chains::Chains;
use db::clock::Clock;
use db::{DatabaseUrls, Databases, DbError, Logins, Patience};
use embedding::tokens_of;
use log::RetrievalLog;
use models::chat::{Answer, Chat, ChatError, Question};
use models::{Embedder, TokenUse};
use moka::future::Cache;
use serde_json::Value;
use shelf::Shelf;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::{Arc, RwLock};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;
use tracing::Instrument;
use uses::Uses;
use wire::oauth::ClientDocument;
use wire::{AgentId, LifecyclePolicy, ReviewNumbers, TenantId};
use words::tokens::count;

/// Vectors of questions that are kept: 1.5 kB each.
pub const CACHED_QUERIES: u64 = 10_000;

/// Fills of the cache of recalls at a time, each of which reads all memories of an owner or all chunks of an organisation: a recall may lack
/// both.
const CACHE_FILLS: usize = 2;
/// Questions about the past that are answered at a time: each reads all that its agent had.
const PAST_SEARCHES: usize = 2;
/// Searches of a whole organisation that take two connections at a time.
const WIDE_SEARCHES: usize = 4;

/// Contexts that may wait to be logged.
const CONTEXT_WRITES: usize = 256;

/// Agents whose lifecycle policy is kept in memory, and for how long.
const POLICIES: u64 = 10_000;
const POLICY_AGE: Duration = Duration::from_secs(1);

/// Organisations whose numbers of waiting work are kept in memory, and for how long.
const NUMBERS: u64 = 1_000;
const NUMBERS_AGE: Duration = Duration::from_secs(5);

/// Documents of OAuth clients that are kept in memory, each of 64 KiB at most, and for how long.
const DOCUMENTS: u64 = 250;
const DOCUMENT_AGE: Duration = Duration::from_secs(600);

/// Tokens that a chat model is expected to write before its answer is there.
const ANSWER_TOKENS: i64 = 500;

/// What can be tuned.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How long a write waits for its vector before it is stored without.
    pub write_embedding_budget: Duration,
    /// How long a recall waits for the query's vector before words alone must do.
    pub query_embedding_budget: Duration,
    /// How long a job waits for a vector before it is tried again; shorter than its lease.
    pub job_embedding_budget: Duration,
    /// How long a request waits for a connection to a database before it fails as unavailable.
    pub connection_budget: Duration,
    /// The same for what comes before a request: the lookup of a key, a session, an organisation.
    pub lookup_budget: Duration,
    /// Where the server's roles log in; as the owner if absent.
    pub logins: Logins,
    /// How long a statement of a request or worker may take; exports, imports and sweeps may take longer.
    pub statement_budget: Duration,
    /// How old what people read from a replica may be.
    pub replica_age: Duration,
    /// How long `search_my_memories` waits for each of its sources.
    pub source_deadline: Duration,
    /// How long after signing in a session ends, however much it is used.
    pub session_age: Duration,
    /// Whether operators sign in with passwords; without them, an identity provider lets them in.
    pub passwords: bool,
    /// Bytes that one API key may send in a day to be captured.
    pub source_bytes_per_day: u64,
    /// How many days the retrieval log is kept; for ever if absent.
    pub retrieval_log_days: Option<NonZeroU32>,
    /// How many days the texts of assembled contexts are kept; none if 0.
    pub context_text_days: u32,
    /// Whether private addresses may be fetched from and called, and http ones.
    pub allow_private_addresses: bool,
    /// Bytes that the cache of recalls may take; 0 keeps none.
    pub recall_cache_bytes: usize,
    /// With fewer memories or chunks in reach, a search reads the database and not the cache.
    pub recall_cache_from: i64,
    /// The folder of SKILL.md documents, if there is one.
    pub skills_dir: Option<PathBuf>,
    /// True while history is loaded: its recalls are logged with their own time and cause no metric and no warning, which are about now.
    pub backfill: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            write_embedding_budget: Duration::from_millis(250),
            query_embedding_budget: Duration::from_secs(2),
            job_embedding_budget: Duration::from_secs(20),
            connection_budget: Duration::from_secs(10),
            lookup_budget: Duration::from_secs(1),
            logins: Logins::default(),
            statement_budget: Duration::from_secs(15),
            replica_age: Duration::from_secs(10),
            source_deadline: Duration::from_secs(1),
            session_age: Duration::from_secs(7 * 24 * 60 * 60),
            passwords: true,
            source_bytes_per_day: 256 * 1024 * 1024,
            retrieval_log_days: NonZeroU32::new(90),
            context_text_days: 14,
            allow_private_addresses: false,
            recall_cache_bytes: 128 * 1024 * 1024,
            recall_cache_from: 1_000,
            skills_dir: None,
            backfill: false,
        }
    }
}

struct Inner {
    db: Databases,
    urls: DatabaseUrls,
    /// The model that is current in this process.
    current: RwLock<Arc<LoadedModel>>,
    settings: Settings,
    vocabulary: Snapshots,
    log: RetrievalLog,
    skills: Shelf,
    ledger: Ledger,
    key_uses: Uses,
    accounts: Arc<Accounts>,
    lifecycle: Cache<(TenantId, AgentId), LifecyclePolicy>,
    review_numbers: Cache<TenantId, ReviewNumbers>,
    outbound: Outbound,
    client_documents: Cache<String, ClientDocument>,
    recall_cache: packed::Cache,
    cache_fills: Arc<Semaphore>,
    past_searches: Arc<Semaphore>,
    wide_searches: Semaphore,
    past_words: Semaphore,
    context_writes: Arc<Semaphore>,
    relay: Signal,
    jobs: Signal,
    captures: Signal,
    knowledge_changes: Changes,
    chains: Chains,
    deferred: TaskTracker,
}

/// A handle on the engine; clones share everything. Each keeps the embedding model that it has: one that begins a request or a job is made by
/// [`Engine::current`].
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
    clock: Arc<dyn Clock>,
    chat: Option<Arc<dyn Chat>>,
    model: Arc<LoadedModel>,
    loader: Option<Arc<dyn Loader>>,
    evaluator: Option<Arc<dyn Evaluator>>,
}

impl Engine {
    /// Connects to migrated databases and checks the embedder against the model registry.
    ///
    /// # Errors
    /// When a database is out of reach, or the provider does not match the registry: the message says what to do.
    pub async fn open(urls: DatabaseUrls, embedder: Arc<dyn Embedder>, clock: Arc<dyn Clock>, settings: Settings) -> Result<Self, Error> {
        let db = Databases::connect(
            &urls,
            &settings.logins,
            Patience {
                connection: settings.connection_budget,
                lookup: settings.lookup_budget,
                statement: settings.statement_budget,
                replica: settings.replica_age,
            },
        )?;
        let model = Arc::new(LoadedModel::register(&db.control, embedder).await?);
        let accounts = Accounts::default();
        accounts.set_prices(balances::store::prices(db.control.system()).await?);
        let inner = Arc::new(Inner {
            db,
            urls,
            current: RwLock::new(Arc::clone(&model)),
            skills: Shelf::new(settings.skills_dir.clone()),
            outbound: Outbound::new(settings.allow_private_addresses),
            recall_cache: packed::Cache::new(settings.recall_cache_bytes),
            cache_fills: Arc::new(Semaphore::new(CACHE_FILLS)),
            settings,
            vocabulary: Snapshots::default(),
            log: RetrievalLog::default(),
            ledger: Ledger::default(),
            key_uses: Uses::default(),
            accounts: Arc::new(accounts),
            lifecycle: Cache::builder().max_capacity(POLICIES).time_to_live(POLICY_AGE).build(),
            review_numbers: Cache::builder().max_capacity(NUMBERS).time_to_live(NUMBERS_AGE).build(),
            client_documents: Cache::builder().max_capacity(DOCUMENTS).time_to_live(DOCUMENT_AGE).build(),
            past_searches: Arc::new(Semaphore::new(PAST_SEARCHES)),
            wide_searches: Semaphore::new(WIDE_SEARCHES),
            past_words: Semaphore::new(PAST_SEARCHES),
            context_writes: Arc::new(Semaphore::new(CONTEXT_WRITES)),
            relay: Signal::default(),
            jobs: Signal::default(),
            captures: Signal::default(),
            knowledge_changes: Changes::default(),
            chains: Chains::default(),
            deferred: TaskTracker::new(),
        });
        Ok(Self { inner, clock, chat: None, model, loader: None, evaluator: None })
    }

    /// The same engine with a chat model, for the organisations that allow one.
    pub fn with_chat(self, chat: Option<Arc<dyn Chat>>) -> Self {
        Self { chat, ..self }
    }

    /// The chat model, if one is configured.
    pub fn chat(&self) -> Option<&Arc<dyn Chat>> {
        self.chat.as_ref()
    }

    /// The answer of the chat model, on the account of `payer`. What it answered in vain is counted, too.
    ///
    /// # Errors
    /// When no chat model is configured, or the account has nothing left for it, or it does not answer, or answers something unusable.
    pub async fn ask(&self, payer: Payer, purpose: Purpose, question: Question) -> Result<Value, ChatError> {
        let chat = self.chat.as_ref().ok_or(ChatError::NotConfigured)?;
        let read = tokens_of(count(&question.instructions) + count(&question.text));
        let call = self.begin_call(payer, chat.model(), purpose, TokenUse { read, written: ANSWER_TOKENS }).await?;
        let span = tracing::debug_span!("chat", model = chat.model());
        let Answer { content, tokens } = chat.answer(question).instrument(span).await?;
        self.end_call(call, tokens);
        content
    }

    /// What the limits of accounts leave.
    pub fn accounts(&self) -> &Arc<Accounts> {
        &self.inner.accounts
    }

    /// The calls of models that are not in the usage ledger yet.
    pub fn ledger(&self) -> &Ledger {
        &self.inner.ledger
    }

    /// The uses of API keys that are not written yet.
    pub fn key_uses(&self) -> &Uses {
        &self.inner.key_uses
    }

    /// The lifecycle policies of agents, as they were some seconds ago.
    pub fn lifecycle_policies(&self) -> &Cache<(TenantId, AgentId), LifecyclePolicy> {
        &self.inner.lifecycle
    }

    /// How much waits for people, as it was some seconds ago. Every page of the console shows it, and counting takes long. A form of the
    /// console drops it.
    pub fn review_numbers(&self) -> &Cache<TenantId, ReviewNumbers> {
        &self.inner.review_numbers
    }

    /// What fetches addresses that a stranger chose.
    pub fn outbound(&self) -> &Outbound {
        &self.inner.outbound
    }

    /// The documents of OAuth clients by their addresses, as they were some minutes ago.
    pub fn client_documents(&self) -> &Cache<String, ClientDocument> {
        &self.inner.client_documents
    }

    /// The three databases.
    pub fn db(&self) -> &Databases {
        &self.inner.db
    }

    /// Where the databases are, for work of the owner (migrations).
    pub fn urls(&self) -> &DatabaseUrls {
        &self.inner.urls
    }

    /// Time and ids.
    pub fn clock(&self) -> &dyn Clock {
        self.clock.as_ref()
    }

    /// The same engine with another clock: its writes get the times of that clock.
    pub fn with_clock(&self, clock: Arc<dyn Clock>) -> Self {
        Self { clock, ..self.clone() }
    }

    /// What can be tuned.
    pub fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    /// The tenants' vocabularies.
    pub fn vocabulary(&self) -> &Snapshots {
        &self.inner.vocabulary
    }

    /// The queue of the retrieval log.
    pub fn log(&self) -> &RetrievalLog {
        &self.inner.log
    }

    /// The skills in memory.
    pub fn skills(&self) -> &Shelf {
        &self.inner.skills
    }

    /// The memories and chunks of documents that are searched in this process. It may be dropped at any time: the database is the truth.
    pub fn recall_cache(&self) -> &packed::Cache {
        &self.inner.recall_cache
    }

    /// Turns for filling it.
    pub fn cache_fills(&self) -> &Arc<Semaphore> {
        &self.inner.cache_fills
    }

    /// Turns for questions about the past.
    pub fn past_searches(&self) -> &Arc<Semaphore> {
        &self.inner.past_searches
    }

    /// Turns for searches that take two connections at once: few, so that they cannot wait for one another's.
    pub fn wide_searches(&self) -> &Semaphore {
        &self.inner.wide_searches
    }

    /// Turns for counting the words of knowledge that is no longer in force.
    pub fn past_words(&self) -> &Semaphore {
        &self.inner.past_words
    }

    /// Places for contexts that wait to be logged.
    pub fn context_writes(&self) -> &Arc<Semaphore> {
        &self.inner.context_writes
    }

    /// Wakes the relay when the outbox holds something.
    pub fn relay(&self) -> &Signal {
        &self.inner.relay
    }

    /// Wakes the job worker when an event waits.
    pub fn jobs(&self) -> &Signal {
        &self.inner.jobs
    }

    /// Wakes the worker that extracts and consolidates.
    pub fn captures(&self) -> &Signal {
        &self.inner.captures
    }

    /// Announces that documents were ingested or retired.
    pub fn knowledge_changes(&self) -> &Changes {
        &self.inner.knowledge_changes
    }

    /// How far the audit chains are verified.
    pub fn chains(&self) -> &Chains {
        &self.inner.chains
    }

    /// Whether the databases answer; how many migrations of this program they lack.
    ///
    /// # Errors
    /// The first one that does not, by name.
    pub async fn ready(&self) -> Result<usize, (&'static str, DbError)> {
        let answers = self.inner.db.ping().await;
        answers.into_iter().try_fold(0, |sum, (name, pending)| Ok(sum + pending.map_err(|error| (name, error))?))
    }

    /// Runs work after the answer that caused it, so that the response time reveals nothing about it.
    pub fn defer(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.inner.deferred.spawn(work);
    }

    /// Waits for all deferred work. The process does so before it ends.
    pub async fn finish_deferred(&self) {
        self.inner.deferred.close();
        self.inner.deferred.wait().await;
        self.inner.deferred.reopen();
    }
}

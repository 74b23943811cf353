//! The engine's handle: everything a verb needs, cheap to clone. It imports leaves only, so that every room can import it; background work
//! is in `workers` of the engine.

mod changes;
pub mod log;
pub mod shelf;
mod signal;
mod spending;
pub mod uses;

pub use changes::Changes;
pub use signal::Signal;
pub use spending::Missing;

use crate::balances::{self, Accounts, Ledger, Payer, Purpose};
use crate::error::Error;
use crate::registry::{self, EmbeddingModel};
use crate::terms::Snapshots;
use db::clock::Clock;
use db::{DatabaseUrls, Databases, DbError, Logins, Patience};
use log::RetrievalLog;
use models::chat::{Answer, Chat, ChatError, Question};
use models::{EmbedError, Embedder, Embeddings, TokenUse};
use moka::future::Cache;
use serde_json::Value;
use shelf::Shelf;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tokio_util::task::TaskTracker;
use uses::Uses;
use wire::{AgentId, LifecyclePolicy, TenantId};
use words::tokens::{Tokens, count};

/// Vectors of questions that are kept: 1.5 kB each.
pub const CACHED_QUERIES: u64 = 10_000;

/// Questions about the past that are answered at a time: each reads all that its agent had.
const PAST_SEARCHES: usize = 2;
/// Searches of a whole organisation that take two connections at a time.
const WIDE_SEARCHES: usize = 4;

/// Contexts that may wait to be logged.
const CONTEXT_WRITES: usize = 256;

/// Agents whose lifecycle policy is kept in memory, and for how long.
const POLICIES: u64 = 10_000;
const POLICY_AGE: Duration = Duration::from_secs(5);

/// Tokens that a chat model is expected to write before its answer is there.
const ANSWER_TOKENS: i64 = 500;

/// The largest share of a text's tokens that the model may not know.
const UNKNOWN_MAX: f64 = 0.2;
/// Texts embedded by one call of the model.
const BATCH: usize = 32;
/// Longest time that many texts may take before they are stored without vectors.
const BATCH_BUDGET: Duration = Duration::from_secs(20);

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
    /// How long `search_my_memories` waits for each of its sources.
    pub source_deadline: Duration,
    /// How long after signing in a session ends, however much it is used.
    pub session_age: Duration,
    /// Bytes that one API key may send in a day to be captured.
    pub source_bytes_per_day: u64,
    /// How many days the retrieval log is kept; for ever if absent.
    pub retrieval_log_days: Option<NonZeroU32>,
    /// How many days the texts of assembled contexts are kept; none if 0.
    pub context_text_days: u32,
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
            source_deadline: Duration::from_secs(1),
            session_age: Duration::from_secs(7 * 24 * 60 * 60),
            source_bytes_per_day: 256 * 1024 * 1024,
            retrieval_log_days: NonZeroU32::new(90),
            context_text_days: 14,
            skills_dir: None,
            backfill: false,
        }
    }
}

struct Inner {
    db: Databases,
    urls: DatabaseUrls,
    embeddings: Embeddings,
    model: EmbeddingModel,
    settings: Settings,
    vocabulary: Snapshots,
    log: RetrievalLog,
    skills: Shelf,
    ledger: Ledger,
    key_uses: Uses,
    accounts: Arc<Accounts>,
    lifecycle: Cache<(TenantId, AgentId), LifecyclePolicy>,
    past_searches: Arc<Semaphore>,
    wide_searches: Semaphore,
    past_words: Semaphore,
    context_writes: Arc<Semaphore>,
    relay: Signal,
    jobs: Signal,
    captures: Signal,
    knowledge_changes: Changes,
    deferred: TaskTracker,
}

/// A handle on the engine; clones share everything.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
    clock: Arc<dyn Clock>,
    chat: Option<Arc<dyn Chat>>,
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
            Patience { connection: settings.connection_budget, lookup: settings.lookup_budget, statement: settings.statement_budget },
        )?;
        let model = registry::registered(&db.control, embedder.model()).await?.ok_or_else(|| {
            Error::Misconfigured(format!(
                "the embedding model {0} is not in the model registry: set EMBEDDING_MODEL to a registered one, or add {0} to the table models",
                embedder.model()
            ))
        })?;
        if model.dimension != embedder.dimension() {
            return Err(Error::Misconfigured(format!(
                "the embedding model {} gives {} dimensions, but the registry says {}: set EMBEDDING_MODEL to the model that is registered",
                model.name,
                embedder.dimension(),
                model.dimension
            )));
        }
        let accounts = Accounts::default();
        accounts.set_prices(balances::store::prices(db.control.system()).await?);
        let inner = Arc::new(Inner {
            db,
            urls,
            embeddings: Embeddings::new(embedder, CACHED_QUERIES),
            model,
            skills: Shelf::new(settings.skills_dir.clone()),
            settings,
            vocabulary: Snapshots::default(),
            log: RetrievalLog::default(),
            ledger: Ledger::default(),
            key_uses: Uses::default(),
            accounts: Arc::new(accounts),
            lifecycle: Cache::builder().max_capacity(POLICIES).time_to_live(POLICY_AGE).build(),
            past_searches: Arc::new(Semaphore::new(PAST_SEARCHES)),
            wide_searches: Semaphore::new(WIDE_SEARCHES),
            past_words: Semaphore::new(PAST_SEARCHES),
            context_writes: Arc::new(Semaphore::new(CONTEXT_WRITES)),
            relay: Signal::default(),
            jobs: Signal::default(),
            captures: Signal::default(),
            knowledge_changes: Changes::default(),
            deferred: TaskTracker::new(),
        });
        Ok(Self { inner, clock, chat: None })
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
        let Answer { content, tokens } = chat.answer(question).await?;
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
        Self { inner: Arc::clone(&self.inner), clock, chat: self.chat.clone() }
    }

    /// The embedding model's registered thresholds and floors.
    pub fn model(&self) -> &EmbeddingModel {
        &self.inner.model
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

    /// How the embedding model divides text.
    pub fn tokens(&self) -> Arc<dyn Tokens> {
        self.inner.embeddings.tokens()
    }

    /// The vector of a memory's text for a job, which can wait, but not for ever.
    ///
    /// # Errors
    /// When the provider fails or takes longer than the budget.
    pub async fn embed_for_job(&self, payer: Payer, text: &str) -> Result<Vec<f32>, EmbedError> {
        let budget = self.settings().job_embedding_budget;
        tokio::time::timeout(budget, self.embed(payer, text)).await.unwrap_or(Err(EmbedError::Timeout(budget)))
    }

    /// The vectors of many texts for a job, in their order, with the same budget.
    ///
    /// # Errors
    /// As [`Engine::embed_for_job`].
    pub async fn embed_batch_for_job(&self, payer: Payer, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        let budget = self.settings().job_embedding_budget;
        let work = self.documents(payer, texts);
        tokio::time::timeout(budget, work).await.unwrap_or(Err(EmbedError::Timeout(budget)))
    }

    async fn embed(&self, payer: Payer, text: &str) -> Result<Vec<f32>, EmbedError> {
        let mut vectors = self.documents(payer, vec![text.to_owned()]).await?;
        vectors.pop().ok_or_else(|| EmbedError::BadResponse("no vector for one text".into()))
    }

    async fn documents(&self, payer: Payer, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        let tokens = self.tokens();
        let read = TokenUse::reading(tokens_of(texts.iter().map(|text| tokens.count(text)).sum()));
        let call = self.begin_call(payer, &self.inner.model.name, Purpose::Embedding, read).await?;
        let vectors = timed(self.inner.embeddings.documents(texts)).await?;
        self.end_call(call, read);
        Ok(vectors)
    }

    /// The vector of a memory's text, or why there is none: it failed, took longer than the budget, or nothing is left to pay for it. Nobody
    /// waits on a model.
    pub async fn embed_for_write(&self, payer: Payer, text: &str) -> Result<Vec<f32>, Missing> {
        if !self.reads(text) {
            return Err(Missing::Language);
        }
        within(self.inner.settings.write_embedding_budget, self.embed(payer, text)).await
    }

    /// The vectors of many memories' texts, in their order, or why there is none: as many as there are within the time that they would have one by
    /// one, and at most [`BATCH_BUDGET`].
    pub async fn embed_batch_for_write(&self, payer: Payer, texts: Vec<String>) -> Vec<Result<Vec<f32>, Missing>> {
        let (many, budget) = (texts.len(), self.inner.settings.write_embedding_budget);
        let deadline = Instant::now() + budget.saturating_mul(u32::try_from(many).unwrap_or(u32::MAX)).min(BATCH_BUDGET);
        let mut vectors = vec![Err(Missing::Language); many];
        let known: Vec<(usize, String)> = texts.into_iter().enumerate().filter(|(_, text)| self.reads(text)).collect();
        let mut chunks = known.chunks(BATCH);
        while let Some(chunk) = chunks.next() {
            let left = deadline.saturating_duration_since(Instant::now());
            match within(left, self.documents(payer, chunk.iter().map(|(_, text)| text.clone()).collect())).await {
                Ok(batch) => chunk.iter().zip(batch).for_each(|((place, _), vector)| vectors[*place] = Ok(vector)),
                Err(missing) => {
                    chunk.iter().chain(chunks.flatten()).for_each(|(place, _)| vectors[*place] = Err(missing));
                    break;
                }
            }
        }
        vectors
    }

    /// Whether the model knows the language of a text well enough for a vector to say something about it.
    pub fn reads(&self, text: &str) -> bool {
        self.tokens().unknown(text) <= UNKNOWN_MAX
    }

    /// Whether the embedding model answers in time. Nobody's account is charged for the question.
    pub async fn is_model_ready(&self) -> bool {
        within(self.inner.settings.query_embedding_budget, timed(self.inner.embeddings.query("ready"))).await.is_ok()
    }

    /// The vector of a query, with a budget, too; equal queries are embedded and paid for once.
    pub async fn embed_query(&self, payer: Payer, text: &str) -> Result<Arc<[f32]>, Missing> {
        if !self.reads(text) {
            return Err(Missing::Language);
        }
        within(self.inner.settings.query_embedding_budget, self.query(payer, text)).await
    }

    async fn query(&self, payer: Payer, text: &str) -> Result<Arc<[f32]>, EmbedError> {
        if let Some(vector) = self.inner.embeddings.known(text).await {
            return Ok(vector);
        }
        let read = TokenUse::reading(tokens_of(self.tokens().count(text)));
        let call = self.begin_call(payer, &self.inner.model.name, Purpose::Embedding, read).await?;
        let (vector, is_new) = timed(self.inner.embeddings.query(text)).await?;
        if is_new {
            self.end_call(call, read);
        }
        Ok(vector)
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

async fn timed<T>(work: impl Future<Output = Result<T, EmbedError>>) -> Result<T, EmbedError> {
    let start = tokio::time::Instant::now();
    let result = work.await;
    metrics::histogram!("remembrancer_embedding_seconds").record(start.elapsed().as_secs_f64());
    result
}

fn tokens_of(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

async fn within<T>(budget: Duration, work: impl Future<Output = Result<T, EmbedError>>) -> Result<T, Missing> {
    let failure = match tokio::time::timeout(budget, work).await {
        Ok(Ok(vector)) => return Ok(vector),
        Ok(Err(EmbedError::Exhausted(_))) => return Err(Missing::Balance),
        Ok(Err(error)) => error,
        Err(_) => EmbedError::Timeout(budget),
    };
    metrics::counter!("remembrancer_embedding_missed_total").increment(1);
    tracing::warn!(%failure, "going on without a vector");
    Err(Missing::Embedding)
}

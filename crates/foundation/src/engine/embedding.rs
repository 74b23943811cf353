//! The embedding model of a handle, and what it makes vectors of.
//!
//! The server's model can change while it runs. A handle keeps the model that it has, so that one request never compares vectors of two models.

use super::{CACHED_QUERIES, Engine, Missing};
use crate::balances::{Payer, Purpose};
use crate::error::Error;
use crate::registry::{self, EmbeddingModel};
use db::Database;
use futures_util::future::BoxFuture;
use models::{EmbedError, Embedder, Embeddings, TokenUse};
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::time::Instant;
use tracing::Instrument;
use words::tokens::Tokens;

/// The largest share of a text's tokens that the model may not know.
const UNKNOWN_MAX: f64 = 0.2;
/// Texts embedded by one call of the model.
const BATCH: usize = 32;
/// Longest time that many texts may take before they are stored without vectors.
const BATCH_BUDGET: Duration = Duration::from_secs(20);

/// An embedding model that is loaded, and what the registry says about it.
pub struct LoadedModel {
    embeddings: Embeddings,
    registered: EmbeddingModel,
}

impl LoadedModel {
    /// Checks a model against the registry.
    ///
    /// # Errors
    /// `Misconfigured` when the registry does not have it, or has it with another dimension: the message says what to do.
    pub async fn register(control: &Database, embedder: Arc<dyn Embedder>) -> Result<Self, Error> {
        let registered = registry::registered(control, embedder.model()).await?.ok_or_else(|| {
            Error::Misconfigured(format!(
                "the embedding model {0} is not in the model registry: set EMBEDDING_MODEL to a registered one, or add {0} to the table models",
                embedder.model()
            ))
        })?;
        if registered.dimension != embedder.dimension() {
            return Err(Error::Misconfigured(format!(
                "the embedding model {} gives {} dimensions, but the registry says {}: set EMBEDDING_MODEL to the model that is registered",
                registered.name,
                embedder.dimension(),
                registered.dimension
            )));
        }
        Ok(Self { embeddings: Embeddings::new(embedder, CACHED_QUERIES), registered })
    }

    /// The name under which the registry knows it.
    pub fn name(&self) -> &str {
        &self.registered.name
    }
}

/// Loads embedding models by their names: what the process was configured with knows where they are.
pub trait Loader: Send + Sync + 'static {
    /// The model of a name; or a sentence that says what is wrong and what to do.
    fn load<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Arc<dyn Embedder>, String>>;
}

impl Engine {
    /// The same engine with what loads other embedding models. Without it, the model cannot be changed while the process runs.
    pub fn with_loader(self, loader: Arc<dyn Loader>) -> Self {
        Self { loader: Some(loader), ..self }
    }

    /// Whether other embedding models can be loaded.
    pub fn can_load(&self) -> bool {
        self.loader.is_some()
    }

    /// Loads an embedding model of the registry.
    ///
    /// # Errors
    /// `Misconfigured` when it cannot be loaded or the registry does not have it: the message says what to do.
    pub async fn load(&self, name: &str) -> Result<Arc<LoadedModel>, Error> {
        let loader = self.loader.as_ref().ok_or_else(|| Error::internal("nothing in this process loads embedding models"))?;
        let embedder = loader.load(name).await.map_err(Error::Misconfigured)?;
        Ok(Arc::new(LoadedModel::register(&self.db().control, embedder).await?))
    }

    /// The same engine with the embedding model that is current now. A request, a job and each round of a worker begin with it.
    pub fn current(&self) -> Self {
        let model = Arc::clone(&self.inner.current.read().unwrap_or_else(PoisonError::into_inner));
        Self { model, ..self.clone() }
    }

    /// The same engine with another embedding model.
    pub fn with_model(&self, model: Arc<LoadedModel>) -> Self {
        Self { model, ..self.clone() }
    }

    /// The embedding model of this handle.
    pub fn loaded(&self) -> Arc<LoadedModel> {
        Arc::clone(&self.model)
    }

    /// Makes a model the current one of this process. Handles that were made before keep theirs.
    pub fn make_current(&self, model: Arc<LoadedModel>) {
        *self.inner.current.write().unwrap_or_else(PoisonError::into_inner) = model;
    }

    /// The embedding model's registered thresholds and floors.
    pub fn model(&self) -> &EmbeddingModel {
        &self.model.registered
    }

    /// How the embedding model divides text.
    pub fn tokens(&self) -> Arc<dyn Tokens> {
        self.model.embeddings.tokens()
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
        let call = self.begin_call(payer, &self.model.registered.name, Purpose::Embedding, read).await?;
        let vectors = timed(self.model.embeddings.documents(texts)).await?;
        self.end_call(call, read);
        Ok(vectors)
    }

    /// The vector of a memory's text, or why there is none: it failed, took longer than the budget, or nothing is left to pay for it. Nobody
    /// waits on a model.
    pub async fn embed_for_write(&self, payer: Payer, text: &str) -> Result<Vec<f32>, Missing> {
        if !self.reads(text) {
            return Err(Missing::Language);
        }
        within(self.settings().write_embedding_budget, self.embed(payer, text)).await
    }

    /// The vectors of many memories' texts, in their order, or why there is none: as many as there are within the time that they would have one by
    /// one, and at most [`BATCH_BUDGET`].
    pub async fn embed_batch_for_write(&self, payer: Payer, texts: Vec<String>) -> Vec<Result<Vec<f32>, Missing>> {
        let (many, budget) = (texts.len(), self.settings().write_embedding_budget);
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

    /// Whether the current embedding model answers in time. Nobody's account is charged for the question.
    pub async fn is_model_ready(&self) -> bool {
        within(self.settings().query_embedding_budget, timed(self.current().model.embeddings.query("ready"))).await.is_ok()
    }

    /// Asks the model of this handle for a vector that nobody needs, and that nobody's account is charged for.
    ///
    /// # Errors
    /// When the provider fails or takes longer than a job may wait.
    pub async fn probe(&self) -> Result<(), EmbedError> {
        let budget = self.settings().job_embedding_budget;
        let answer = tokio::time::timeout(budget, self.model.embeddings.query("ready")).await;
        answer.unwrap_or(Err(EmbedError::Timeout(budget))).map(drop)
    }

    /// The vector of a query, with a budget, too; equal queries are embedded and paid for once.
    pub async fn embed_query(&self, payer: Payer, text: &str) -> Result<Arc<[f32]>, Missing> {
        if !self.reads(text) {
            return Err(Missing::Language);
        }
        within(self.settings().query_embedding_budget, self.query(payer, text)).await
    }

    async fn query(&self, payer: Payer, text: &str) -> Result<Arc<[f32]>, EmbedError> {
        if let Some(vector) = self.model.embeddings.known(text).await {
            return Ok(vector);
        }
        let read = TokenUse::reading(tokens_of(self.tokens().count(text)));
        let call = self.begin_call(payer, &self.model.registered.name, Purpose::Embedding, read).await?;
        let (vector, is_new) = timed(self.model.embeddings.query(text)).await?;
        if is_new {
            self.end_call(call, read);
        }
        Ok(vector)
    }
}

async fn timed<T>(work: impl Future<Output = Result<T, EmbedError>>) -> Result<T, EmbedError> {
    let start = tokio::time::Instant::now();
    let result = work.instrument(tracing::debug_span!("embedding")).await;
    metrics::histogram!("remembrancer_embedding_seconds").record(start.elapsed().as_secs_f64());
    result
}

pub(super) fn tokens_of(count: usize) -> i64 {
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

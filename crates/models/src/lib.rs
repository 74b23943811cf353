//! Models behind traits: they turn text into vectors, in this process or over HTTP, or answer questions in JSON.
//!
//! Nothing in here knows a database; a verb calls a provider before it opens a transaction, never inside one.

pub mod chat;
#[cfg(feature = "testing")]
pub mod fake;
mod http;
pub mod local;
pub mod openai;

pub use http::ApiKey;

use std::{sync::Arc, time::Duration};
use wire::Exhausted;

use futures_util::future::BoxFuture;
use moka::future::Cache;
use words::tokens::{Estimate, Tokens};

/// What a text is to a model that is asked for its vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It asks.
    Query,
    /// It is stored, and may answer.
    Passage,
}

/// Turns text into vectors.
pub trait Embedder: Send + Sync + 'static {
    /// The name under which the model registry knows the model, e.g. `all-MiniLM-L6-v2`.
    fn model(&self) -> &str;
    /// Components of each vector.
    fn dimension(&self) -> usize;
    /// One vector of unit length per text, in the order of the texts. Dropping the future abandons the work.
    fn embed(&self, texts: Vec<String>, role: Role) -> BoxFuture<'_, Result<Vec<Vec<f32>>, EmbedError>>;
    /// How it divides text; an estimate unless the tokenizer is available.
    fn tokens(&self) -> Arc<dyn Tokens> {
        Arc::new(Estimate)
    }
}

/// Tokens of a call of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenUse {
    pub read: i64,
    pub written: i64,
}

impl TokenUse {
    /// Those of a call that writes no text.
    pub fn reading(read: i64) -> Self {
        Self { read, written: 0 }
    }
}

/// Why a text has no vector.
#[derive(Clone, Debug, thiserror::Error)]
pub enum EmbedError {
    #[error("the model could not be loaded from {path}: {reason}")]
    Load { path: String, reason: String },
    #[error("the embedding provider cannot be reached: {0}")]
    Unavailable(String),
    #[error("the embedding provider did not answer within {} ms", .0.as_millis())]
    Timeout(Duration),
    #[error("the embedding provider refused the API key (HTTP {status}): check OPENAI_API_KEY")]
    Unauthorized { status: u16 },
    #[error("the embedding provider has no capacity for this key now (HTTP 429)")]
    RateLimited { retry_after: Option<Duration> },
    #[error("the embedding provider refused the request (HTTP {status}): {message}")]
    Refused { status: u16, message: String },
    #[error("the embedding provider's answer cannot be used: {0}")]
    BadResponse(String),
    #[error("the model failed on this text: {0}")]
    Failed(String),
    /// The provider was not called.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
}

impl EmbedError {
    /// Whether the same text may succeed later without a change of the configuration.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::Timeout(_) | Self::RateLimited { .. } | Self::BadResponse(_) | Self::Exhausted(_))
    }
}

/// An embedder with a cache of query vectors: people and agents repeat questions, memories rarely repeat.
#[derive(Clone)]
pub struct Embeddings {
    embedder: Arc<dyn Embedder>,
    queries: Cache<Arc<str>, Arc<[f32]>>,
}

impl Embeddings {
    /// Keeps the vectors of the `cached_queries` most useful queries.
    pub fn new(embedder: Arc<dyn Embedder>, cached_queries: u64) -> Self {
        Self { embedder, queries: Cache::new(cached_queries) }
    }

    /// The name under which the model registry knows the model.
    pub fn model(&self) -> &str {
        self.embedder.model()
    }

    /// Components of each vector.
    pub fn dimension(&self) -> usize {
        self.embedder.dimension()
    }

    /// How the model divides text.
    pub fn tokens(&self) -> Arc<dyn Tokens> {
        self.embedder.tokens()
    }

    /// The vector of a query that was computed before, if it is still kept.
    pub async fn known(&self, text: &str) -> Option<Arc<[f32]>> {
        self.queries.get(text).await
    }

    /// The vector of a query, and whether it was computed for this call. Callers that ask for one text at the same moment share one
    /// computation; failures are not cached.
    pub async fn query(&self, text: &str) -> Result<(Arc<[f32]>, bool), EmbedError> {
        let key: Arc<str> = text.into();
        let text = text.to_owned();
        let compute = async {
            let mut vectors = self.embedder.embed(vec![text], Role::Query).await?;
            vectors.pop().map(Arc::from).ok_or_else(|| EmbedError::BadResponse("no vector for one text".into()))
        };
        let entry = self.queries.entry(key).or_try_insert_with(compute).await.map_err(Arc::unwrap_or_clone)?;
        let is_new = entry.is_fresh();
        Ok((entry.into_value(), is_new))
    }

    /// The vectors of texts to be stored, in their order; not cached.
    pub async fn documents(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.embedder.embed(texts, Role::Passage).await
    }
}

/// Scales a vector to unit length in place; a vector without direction (zero, or not finite) is an error.
fn normalise(vector: &mut [f32]) -> Result<(), EmbedError> {
    let length = vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
    if !length.is_finite() || length < f64::from(f32::MIN_POSITIVE) {
        return Err(EmbedError::BadResponse("a vector without direction".into()));
    }
    for x in vector {
        *x = (f64::from(*x) / length) as f32;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalise_gives_unit_length_and_keeps_direction() {
        let mut v = [3.0, 4.0];
        normalise(&mut v).unwrap();
        assert!((v[0] - 0.6).abs() < 1e-6 && (v[1] - 0.8).abs() < 1e-6, "{v:?}");
        let mut tiny = [1e-30, 0.0];
        normalise(&mut tiny).unwrap();
        assert_eq!(tiny, [1.0, 0.0]);
    }

    #[test]
    fn a_vector_without_direction_is_refused() {
        for mut v in [[0.0, 0.0], [f32::NAN, 1.0], [f32::INFINITY, 1.0]] {
            assert!(normalise(&mut v).is_err(), "{v:?}");
        }
    }

    #[cfg(feature = "testing")]
    mod cache {
        use super::*;
        use crate::fake::Fake;

        #[tokio::test]
        async fn equal_queries_share_one_computation() {
            let fake = Fake::new();
            let embeddings = Embeddings::new(Arc::new(fake.clone()), 16);
            let (a, b) = tokio::join!(embeddings.query("where is the key"), embeddings.query("where is the key"));
            let ((a, first), (b, second)) = (a.unwrap(), b.unwrap());
            assert_eq!(a, b);
            assert!(first != second, "one of the two computed it");
            embeddings.query("where is the key").await.unwrap();
            assert_eq!(fake.calls(), 1);
            embeddings.query("another").await.unwrap();
            assert_eq!(fake.calls(), 2);
        }

        #[tokio::test]
        async fn a_failure_is_not_remembered() {
            let fake = Fake::new();
            let embeddings = Embeddings::new(Arc::new(fake.clone()), 16);
            fake.fail();
            assert!(embeddings.query("x").await.is_err());
            fake.work();
            assert!(embeddings.query("x").await.is_ok());
        }

        #[tokio::test]
        async fn a_caller_that_gives_up_does_not_take_the_others_along() {
            let fake = Fake::new();
            let embeddings = Embeddings::new(Arc::new(fake.clone()), 16);
            fake.hang();
            let impatient = tokio::time::timeout(Duration::from_millis(20), embeddings.query("x"));
            let patient = embeddings.query("x");
            let (gone, (), vector) = tokio::join!(
                impatient,
                async {
                    tokio::time::sleep(Duration::from_millis(60)).await;
                    fake.work();
                },
                patient
            );
            assert!(gone.is_err());
            assert_eq!(vector.unwrap().0.len(), embeddings.dimension());
        }
    }
}

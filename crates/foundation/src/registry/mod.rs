//! The registry of embedding models: the dimension of each, the thresholds that were calibrated for it, and which ones this installation keeps.
//!
//! A *kept* model has, or is getting, a vector of every stored text. One kept model is the *current* one, which recalls use.

pub mod store;

use chrono::{DateTime, Utc};
use db::{Database, DatabaseUrls, DbError};

/// A registered embedding model.
#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct EmbeddingModel {
    pub name: String,
    /// 384 or 1536.
    #[sqlx(try_from = "i32")]
    pub dimension: usize,
    /// Cosine above which two memories are so near that one may replace the other, even if their words differ.
    pub dedup_threshold: f64,
    /// Cosine above which two memories are near: with the same words they are one memory, otherwise an update is suggested.
    pub suggestion_threshold: f64,
    /// Least cosine of two memories that are about one matter: they may contradict one another.
    pub related_threshold: f64,
    /// Least cosine of a phrase and a term that resembles it.
    pub term_threshold: f64,
    #[sqlx(flatten)]
    pub floors: Floors,
}

/// The least relevance, before decay, at which a memory is returned.
#[derive(Clone, Copy, Debug, PartialEq, sqlx::FromRow)]
pub struct Floors {
    /// Of a match by meaning: a cosine.
    #[sqlx(rename = "vector_floor")]
    pub vector: f64,
    /// Of a match by words: a normalised BM25 score.
    #[sqlx(rename = "lexical_floor")]
    pub lexical: f64,
}

/// What this installation does with a registered model.
#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct ModelState {
    pub name: String,
    /// 384 or 1536.
    #[sqlx(try_from = "i32")]
    pub dimension: usize,
    /// Whether its vectors are stored and filled in.
    pub is_kept: bool,
    /// Whether recalls use it.
    pub is_current: bool,
    /// When a command made it the current one; absent if it was so from the start.
    pub current_since: Option<DateTime<Utc>>,
    /// When it ceased to be the current one.
    pub current_until: Option<DateTime<Utc>>,
    /// Why a server could not load it.
    pub fault: Option<String>,
}

/// Reads a registered model by name.
pub async fn registered(control: &Database, name: &str) -> Result<Option<EmbeddingModel>, DbError> {
    store::model(control.system(), name).await
}

/// The name of the current model. Before the first organisation, `wanted` becomes it; `None` if the registry does not have that one.
///
/// # Errors
/// When the database is out of reach.
pub async fn current(urls: &DatabaseUrls, wanted: Option<&str>) -> Result<Option<String>, DbError> {
    store::current(&urls.internal_shared, wanted).await
}

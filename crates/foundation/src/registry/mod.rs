//! The registry of embedding models: the dimension of each, and the thresholds that were calibrated for it.

mod store;

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

/// Reads a registered model by name.
pub async fn registered(control: &Database, name: &str) -> Result<Option<EmbeddingModel>, DbError> {
    store::model(control.system(), name).await
}

/// The local model that the databases began with. As long as they have no organisation, `wanted` is it.
///
/// # Errors
/// When the database is out of reach.
pub async fn first(urls: &DatabaseUrls, wanted: Option<&str>) -> Result<String, DbError> {
    store::first(&urls.internal_shared, wanted).await
}

use crate::{ConsoleError, guard::operator};
use remembrancer::model_change::{self, ModelProgress};

/// The embedding models of the server.
pub struct Models {
    /// Those that have, or are getting, a vector of every text; the current one first.
    pub kept: Vec<ModelProgress>,
    /// The names of those that can be added.
    pub others: Vec<String>,
    /// The name of the model that this process uses.
    pub used: String,
    /// How many tokens of a text it reads.
    pub reads: usize,
}

/// Reads the page of the embedding model.
pub async fn models() -> Result<Models, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let all = model_change::overview(&engine, &ctx).await?;
    let (kept, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|model| model.state.is_kept);
    let others = others.into_iter().map(|model| model.state.name).collect();
    Ok(Models { kept, others, used: engine.model().name.clone(), reads: engine.tokens().limit() })
}

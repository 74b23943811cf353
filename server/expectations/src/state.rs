//! What the results of recalls depend on besides the memories.

use foundation::registry::Floors;
use foundation::{Engine, Error, OpContext};
use std::fmt::{Display, Formatter};

/// The embedding model, its thresholds and the vocabulary.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    pub model: String,
    pub floors: Floors,
    pub vocabulary_version: i64,
}

impl State {
    /// As it is now in this process.
    ///
    /// # Errors
    /// When the vocabulary cannot be read.
    pub async fn now(engine: &Engine, ctx: &OpContext) -> Result<Self, Error> {
        let vocabulary = engine.vocabulary().snapshot(&engine.db().kb, ctx.tenancy()).await?;
        let model = engine.model();
        Ok(Self { model: model.name.clone(), floors: model.floors, vocabulary_version: vocabulary.version })
    }
}

/// Two states with one text are the same.
impl Display for State {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Self { model, floors: Floors { vector, lexical }, vocabulary_version } = self;
        write!(f, "{model} {vector} {lexical} {vocabulary_version}")
    }
}

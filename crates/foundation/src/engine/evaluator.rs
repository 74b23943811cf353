//! The way from the queue to the runs of expectations, which a package above the engine makes.

use super::Engine;
use crate::error::Error;
use crate::op::OpContext;
use serde_json::Value;
use std::pin::Pin;
use std::sync::Arc;
use wire::{ExpectationSetId, RunCause};

/// A run, whose result is the outcome of its event.
pub type Evaluating<'a> = Pin<Box<dyn Future<Output = Result<Value, Error>> + Send + 'a>>;

/// Runs sets of expectations.
pub trait Evaluator: Send + Sync {
    /// Runs a set of the organisation of the context.
    fn evaluate<'a>(&'a self, engine: &'a Engine, ctx: &'a OpContext, set: ExpectationSetId, cause: RunCause) -> Evaluating<'a>;
}

impl Engine {
    /// The same engine with what runs expectations.
    pub fn with_evaluator(self, evaluator: Arc<dyn Evaluator>) -> Self {
        Self { evaluator: Some(evaluator), ..self }
    }

    /// Runs a set of expectations; the outcome of the event.
    ///
    /// # Errors
    /// `Internal` in a process that cannot run expectations, and those of the run.
    pub async fn evaluate(&self, ctx: &OpContext, set: ExpectationSetId, cause: RunCause) -> Result<Value, Error> {
        let evaluator = self.evaluator.as_ref().ok_or_else(|| Error::internal("this process runs no expectations"))?;
        evaluator.evaluate(self, ctx, set, cause).await
    }
}

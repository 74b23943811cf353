//! Calls of models on somebody's account: none begins for which nothing is left.

use super::Engine;
use crate::balances::{Hold, Payer, Purpose};
use chrono::{DateTime, Utc};
use models::TokenUse;
use wire::{DegradedPart, Exhausted};

/// Why a text goes on without a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The model failed, was late, or was not asked.
    Embedding,
    /// The account has nothing left for the model.
    Balance,
    /// The text is in a language that the model does not know: a vector of it would say nothing.
    Language,
}

impl Missing {
    /// The part that could not run.
    pub fn part(self) -> DegradedPart {
        match self {
            Self::Embedding => DegradedPart::Embedding,
            Self::Balance => DegradedPart::Balance,
            Self::Language => DegradedPart::Language,
        }
    }

    /// What `degraded` of a write says: nothing if the vector only comes later.
    pub fn of_write(self) -> Vec<String> {
        match self {
            Self::Embedding => vec![],
            Self::Balance | Self::Language => vec![self.part().to_string()],
        }
    }

    /// Whether the vector may come later.
    pub fn is_late(self) -> bool {
        self != Self::Language
    }
}

/// A call of a model that goes on.
pub(super) struct Call<'a> {
    payer: Payer,
    model: &'a str,
    purpose: Purpose,
    /// Absent for a model that costs nothing.
    _hold: Option<Hold>,
}

impl Engine {
    /// Begins a call of a model that is expected to read and write so many tokens.
    ///
    /// # Errors
    /// When the account of the organisation or of the user has nothing left for a model that costs something.
    pub(super) async fn begin_call<'a>(
        &self,
        payer: Payer,
        model: &'a str,
        purpose: Purpose,
        expected: TokenUse,
    ) -> Result<Call<'a>, Exhausted> {
        let accounts = self.accounts();
        let Some(price) = accounts.price(model) else { return Ok(Call { payer, model, purpose, _hold: None }) };
        let now = self.clock().now();
        accounts.refresh(&self.db().control, self.settings().connection_budget, self.ledger(), payer.tenant_id, now).await;
        let hold = accounts.begin(payer, price.of(expected), now).inspect_err(|_| {
            metrics::counter!("remembrancer_balance_refused_total", "purpose" => purpose.as_str()).increment(1);
        })?;
        Ok(Call { payer, model, purpose, _hold: Some(hold) })
    }

    /// Ends a call that read and wrote so many tokens.
    pub(super) fn end_call(&self, call: Call<'_>, tokens: TokenUse) {
        self.book_call(call.payer, call.model, call.purpose, tokens, self.clock().now());
    }

    /// Enters a call of a model into the usage ledger, at the model's price now, and lowers the balances of its payer.
    pub fn book_call(&self, payer: Payer, model: &str, purpose: Purpose, tokens: TokenUse, at: DateTime<Utc>) {
        self.accounts().book(self.ledger(), payer, model, purpose, tokens, at);
    }
}

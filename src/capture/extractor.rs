//! What proposes memories from a conversation: quoting, which needs no model, or a chat model.

use extract::{Extraction, Transcript, quotes};
use foundation::heavy::off_thread;
use futures_util::future::BoxFuture;
use models::chat::ChatError;
use tokio_util::sync::CancellationToken;

/// Proposes memories from a conversation.
pub trait Extractor: Send + Sync + 'static {
    /// The name that events record: `quotes`, or that of a model.
    fn name(&self) -> &str;
    /// Whether reading a text again costs next to nothing. What costs more is placed as a whole before others have their turn.
    fn is_free(&self) -> bool;
    /// Candidates from byte `from` on, in the order of the text. An extractor reads as much at a time as suits it, and says how far it came.
    ///
    /// # Errors
    /// When a model does not answer, or answers something unusable. Quoting never fails.
    fn extract<'a>(&'a self, transcript: &'a Transcript, from: usize) -> BoxFuture<'a, Result<Extraction, ExtractError>>;
}

/// Why nothing was extracted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExtractError {
    #[error(transparent)]
    ChatModel(#[from] ChatError),
    #[error("the extraction stopped before its end")]
    Ended,
}

impl ExtractError {
    /// Whether the same text may succeed later, without a change of the configuration.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::ChatModel(error) => error.is_transient(),
            Self::Ended => true,
        }
    }
}

/// Quotes what people say ([`extract::quotes`]). It holds no state.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quotes;

impl Extractor for Quotes {
    fn name(&self) -> &str {
        "quotes"
    }

    fn is_free(&self) -> bool {
        true
    }

    fn extract<'a>(&'a self, transcript: &'a Transcript, from: usize) -> BoxFuture<'a, Result<Extraction, ExtractError>> {
        let (copy, ended) = (transcript.clone(), CancellationToken::new());
        // The thread ends at the next sentence if nobody waits for it any more.
        let guard = ended.clone().drop_guard();
        Box::pin(async move {
            let _guard = guard;
            off_thread(move || quotes::step(&copy, from, &|| ended.is_cancelled())).await.map_err(|_| ExtractError::Ended)
        })
    }
}

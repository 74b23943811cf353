//! The tokenizer of a model: it cuts texts into what the model reads, and counts beyond that.

use super::known::Known;
use super::pieces::Vocabulary;
use super::prepare;
use crate::{EmbedError, Role};
use std::path::Path;
use tokenizers::{DecoderWrapper, NormalizerWrapper, PostProcessorWrapper, PreTokenizerWrapper, TokenizerImpl};
use words::tokens::{Estimate, Tokens};

type Tokenizer = TokenizerImpl<Vocabulary, NormalizerWrapper, PreTokenizerWrapper, PostProcessorWrapper, DecoderWrapper>;

const FILE: &str = "tokenizer.json";
/// Tokens that a model adds to every text: one in front, one at the end.
const TOKENS_ADDED: usize = 2;

/// The tokenizer of a model. One is enough for all threads: that of a hundred languages is large.
pub struct ModelTokenizer {
    tokenizer: Tokenizer,
    model: &'static Known,
    /// Tokens that mean something to the model and are no words, such as `</s>`.
    special: Vec<String>,
    /// The token that fills up the shorter texts of a batch.
    pub pad: u32,
}

impl ModelTokenizer {
    /// Reads the tokenizer in the folder of a model.
    ///
    /// # Errors
    /// `Load` when the file is missing, cannot be read or is that of another model.
    pub fn load(model: &'static Known, directory: &Path) -> Result<Self, EmbedError> {
        let failed = |reason: String| EmbedError::Load { path: directory.join(FILE).display().to_string(), reason };
        let file = std::fs::read(directory.join(FILE)).map_err(|error| failed(prepare::reason(&error)))?;
        let mut tokenizer: Tokenizer = serde_json::from_slice(&file).map_err(|error| failed(error.to_string()))?;
        let tokens = tokenizer.get_vocab_size(true);
        if tokens != model.tokens {
            return Err(failed(format!("it is that of another model: it has {tokens} tokens, and {} has {}", model.name, model.tokens)));
        }
        // The file may ask for padding and a limit; both are ours.
        tokenizer.with_truncation(None).map_err(|error| failed(error.to_string()))?;
        tokenizer.with_padding(None);
        let pad = tokenizer.token_to_id(model.padding).ok_or_else(|| failed(format!("it has no token {}", model.padding)))?;
        let special = tokenizer.get_added_tokens_decoder().into_values().filter(|token| token.special).map(|token| token.content).collect();
        Ok(Self { tokenizer, model, special, pad })
    }

    /// A text in which nothing is a token with a meaning: what somebody writes is only text.
    pub fn plain(&self, text: &str) -> String {
        self.special.iter().fold(text.to_owned(), |text, token| match token.chars().next() {
            Some(first) if text.contains(token.as_str()) => {
                text.replace(token.as_str(), &format!("{first} {}", &token[first.len_utf8()..]))
            }
            _ => text,
        })
    }

    /// The tokens that the model reads of a text.
    ///
    /// # Errors
    /// When the tokenizer fails on it.
    pub fn read(&self, text: String) -> Result<Vec<u32>, EmbedError> {
        let encoding = self.tokenizer.encode_fast(text, true).map_err(|error| EmbedError::Failed(error.to_string()))?;
        Ok(match encoding.get_ids().split_last() {
            // The last one ends a text.
            Some((last, before)) if before.len() >= self.model.tokens_max => [&before[..self.model.tokens_max - 1], &[*last]].concat(),
            _ => encoding.get_ids().to_vec(),
        })
    }
}

impl Tokens for ModelTokenizer {
    fn limit(&self) -> usize {
        let prefix = [Role::Query, Role::Passage].map(|role| self.count(self.model.prefix(role)));
        self.model.tokens_max - TOKENS_ADDED - prefix.into_iter().max().unwrap_or_default()
    }

    fn starts(&self, text: &str) -> Vec<usize> {
        match self.tokenizer.encode(text, false) {
            Ok(encoding) => encoding.get_offsets().iter().map(|(start, _)| *start).collect(),
            Err(error) => {
                tracing::warn!(%error, "the tokenizer failed on a text; its tokens are estimated");
                Estimate.starts(text)
            }
        }
    }

    fn unknown(&self, text: &str) -> f64 {
        let Some(unknown) = self.tokenizer.token_to_id(self.model.unknown) else { return 0.0 };
        let Ok(encoding) = self.tokenizer.encode_fast(self.plain(text), false) else { return 0.0 };
        let ids = encoding.get_ids();
        ids.iter().filter(|id| **id == unknown).count() as f64 / (ids.len() as f64).max(1.0)
    }
}

//! An embedder for tests: no model, no time, no surprise.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use futures_util::future::BoxFuture;
use sha2::{Digest, Sha256};
use tokio::sync::watch;

use super::{EmbedError, Embedder, Role, normalise};
use words::tokens::Tokens;

/// Longest text that it reads, in words; the rest is ignored, as by a real model.
const WORDS_MAX: usize = 256;

/// A bag of hashed words: texts that share words are similar, equal texts are equal, and nothing depends on a model file.
///
/// Clones share their switches and their count.
#[derive(Clone)]
pub struct Fake {
    dimension: usize,
    mode: watch::Sender<Mode>,
    calls: Arc<AtomicUsize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Work,
    Fail,
    Hang,
}

impl Default for Fake {
    fn default() -> Self {
        Self::new()
    }
}

impl Fake {
    /// 384 components, as the local model has.
    pub fn new() -> Self {
        Self::with_dimension(384)
    }

    pub fn with_dimension(dimension: usize) -> Self {
        Self { dimension, mode: watch::Sender::new(Mode::Work), calls: Arc::default() }
    }

    /// From now on every call fails as if the provider could not be reached.
    pub fn fail(&self) {
        self.mode.send_replace(Mode::Fail);
    }

    /// From now on calls do not return until [`Fake::work`] or [`Fake::fail`] is called.
    pub fn hang(&self) {
        self.mode.send_replace(Mode::Hang);
    }

    /// Back to normal; calls that hang are answered.
    pub fn work(&self) {
        self.mode.send_replace(Mode::Work);
    }

    /// How often `embed` was called, in any mode.
    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    /// The vector of one text.
    pub fn vector(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0; self.dimension];
        for (_, word) in words(&text.to_lowercase()).take(WORDS_MAX) {
            let hash = Sha256::digest(word.as_bytes());
            // Several places per word, so that two different words hardly ever look alike.
            for place in hash.as_chunks::<4>().0.iter().take(4) {
                let n = u32::from_le_bytes([place[0], place[1], place[2], place[3]]) as usize;
                vector[(n >> 1) % self.dimension] += if n & 1 == 0 { 1.0 } else { -1.0 };
            }
        }
        if normalise(&mut vector).is_err() {
            vector.fill(0.0);
            vector[0] = 1.0;
        }
        vector
    }
}

/// Words with the places where they begin.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let word = |part: &&str| !part.is_empty();
    text.split(|c: char| !c.is_alphanumeric()).filter(word).map(|word| (word.as_ptr().addr() - text.as_ptr().addr(), word))
}

/// Every word is a token.
struct Words;

impl Tokens for Words {
    fn limit(&self) -> usize {
        WORDS_MAX
    }

    fn starts(&self, text: &str) -> Vec<usize> {
        words(text).map(|(at, _)| at).collect()
    }
}

impl Embedder for Fake {
    fn model(&self) -> &str {
        // It has the name of the registered model with its dimension.
        if self.dimension == 1536 { "text-embedding-3-small" } else { "all-MiniLM-L6-v2" }
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn tokens(&self) -> Arc<dyn Tokens> {
        Arc::new(Words)
    }

    fn embed(&self, texts: Vec<String>, _: Role) -> BoxFuture<'_, Result<Vec<Vec<f32>>, EmbedError>> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let mut mode = self.mode.subscribe();
        Box::pin(async move {
            let mode = mode.wait_for(|m| *m != Mode::Hang).await.map(|m| *m);
            match mode {
                Ok(Mode::Work) => Ok(texts.iter().map(|text| self.vector(text)).collect()),
                _ => Err(EmbedError::Unavailable("the fake was told to fail".into())),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cos(a: &[f32], b: &[f32]) -> f32 {
        a.iter().zip(b).map(|(x, y)| x * y).sum()
    }

    #[test]
    fn shared_words_are_similar() {
        let fake = Fake::new();
        let base = fake.vector("the roadmap is in the drive folder");
        assert!((cos(&base, &base) - 1.0).abs() < 1e-5);
        assert_eq!(base, fake.vector("The roadmap is in the Drive folder!"));
        assert!(cos(&base, &fake.vector("the roadmap folder")) > 0.5);
        assert!(cos(&base, &fake.vector("lunch on friday")) < 0.3);
        assert!((cos(&fake.vector(""), &fake.vector("…")) - 1.0).abs() < 1e-6);
    }
}

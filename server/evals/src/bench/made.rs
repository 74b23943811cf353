//! An embedder for loading: it makes vectors out of those of some phrases, because a model would take hours for 100,000 texts.

use super::texts::{self, mix};
use crate::Failure;
use futures_util::future::BoxFuture;
use models::{EmbedError, Embedder, Role};

/// Length of the part of a vector that its text alone decides, beside a part of length 1 that its phrases decide. Texts that differ only in
/// a number are then about as near as they are to a model.
const OWN: f64 = 0.25;
/// Phrases in one call of the model.
const CALL: usize = 16;

/// The sum of the vectors that a model gives for the phrases in a text, and a little of its own for each text. It has the name of that model, so
/// that a server with the model searches among its vectors.
pub struct Made {
    model: String,
    dimension: usize,
    phrases: Vec<(&'static str, Vec<f32>)>,
}

impl Made {
    /// Asks a model for the vectors of all phrases.
    ///
    /// # Errors
    /// When the model fails.
    pub async fn like(model: &dyn Embedder) -> Result<Self, Failure> {
        let mut phrases = Vec::new();
        for call in texts::phrases().chunks(CALL) {
            let vectors = model.embed(call.iter().map(|(_, meaning)| meaning.clone()).collect(), Role::Passage).await?;
            phrases.extend(call.iter().map(|(part, _)| *part).zip(vectors));
        }
        Ok(Self { model: model.model().to_owned(), dimension: model.dimension(), phrases })
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let mut sum = vec![0.0; self.dimension];
        for (_, vector) in self.phrases.iter().filter(|(part, _)| text.contains(part)) {
            sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum += f64::from(*value));
        }
        scale(&mut sum);
        // FNV-1a.
        let seed = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        let mut own: Vec<f64> = (0..self.dimension as u64).map(|place| mix(seed ^ place) as f64 / u64::MAX as f64 - 0.5).collect();
        scale(&mut own);
        sum.iter_mut().zip(own).for_each(|(sum, value)| *sum += OWN * value);
        scale(&mut sum);
        sum.into_iter().map(|value| value as f32).collect()
    }
}

/// Scales a vector to length 1, unless it has none.
fn scale(vector: &mut [f64]) {
    let length = vector.iter().map(|value| value * value).sum::<f64>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|value| *value /= length);
    }
}

impl Embedder for Made {
    fn model(&self) -> &str {
        &self.model
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn embed(&self, texts: Vec<String>, _: Role) -> BoxFuture<'_, Result<Vec<Vec<f32>>, EmbedError>> {
        Box::pin(async move { Ok(texts.iter().map(|text| self.vector(text)).collect()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cosine(a: &[f32], b: &[f32]) -> f32 {
        a.iter().zip(b).map(|(x, y)| x * y).sum()
    }

    #[test]
    fn texts_with_the_same_phrases_are_near_and_never_equal() {
        let phrases = texts::phrases().into_iter().enumerate().map(|(place, (part, _))| {
            let mut vector = vec![0.0; 384];
            vector[place] = 1.0;
            (part, vector)
        });
        let made = Made { model: "all-MiniLM-L6-v2".into(), dimension: 384, phrases: phrases.collect() };
        let [one, again, other] = [8, 9, 4].map(|number| made.vector(&texts::memory(number).content));
        assert!((cosine(&one, &one) - 1.0).abs() < 1e-5);
        assert!((0.85..0.99).contains(&cosine(&one, &again)), "{}", cosine(&one, &again));
        assert!(cosine(&one, &other) < 0.85, "{}", cosine(&one, &other));
        assert!((cosine(&made.vector(""), &made.vector("")) - 1.0).abs() < 1e-5);
    }
}

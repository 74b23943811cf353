//! Where the vectors of a model begin to differ.
//!
//! All vectors of some models point nearly the same way: two unrelated texts of multilingual-e5-small have a cosine of about 0.8. What all
//! vectors have in common says nothing about a text, so most of it is taken away (J. Mu and P. Viswanath, All-but-the-Top, 2018). Then
//! unrelated texts have a cosine near 0.2, thresholds mean about the same for every model, and relevance reads from "unrelated" to "same".
//! Questions and passages are moved by the same mean: moved by one each, they rank worse.
//!
//! The mean is that of the sentences in `centre/sentences.tsv`: eight statements and their questions in each of twelve languages.

use super::known::Known;
use crate::{EmbedError, normalise};

/// Language, statement and question, a line each.
#[cfg(test)]
pub const SENTENCES: &str = include_str!("centre/sentences.tsv");
/// How much of the mean is taken away. From 0.7 to 0.9 texts rank alike; beyond, short ones come too near to one another.
const SHARE: f32 = 0.8;

/// The mean of a model's vectors; empty if they point every way as they are.
pub struct Centre(pub Vec<f32>);

impl Centre {
    /// The centre of a model.
    pub fn of(model: &Known) -> Self {
        Self(model.mean.unwrap_or_default().split_whitespace().filter_map(|number| number.parse().ok()).collect())
    }

    /// A vector of the model without most of what all have in common, at length 1.
    ///
    /// # Errors
    /// When nothing is left of it.
    pub fn moved(&self, mut vector: Vec<f32>) -> Result<Vec<f32>, EmbedError> {
        if !self.0.is_empty() {
            vector.iter_mut().zip(&self.0).for_each(|(number, mean)| *number -= SHARE * mean);
            normalise(&mut vector)?;
        }
        Ok(vector)
    }
}

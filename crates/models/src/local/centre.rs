//! What is taken away from the vectors of a model because it says nothing about what a text is about.
//!
//! All vectors of some models point nearly the same way: two unrelated texts of multilingual-e5-small have a cosine of about 0.8. So most of
//! the mean of many vectors is taken away (J. Mu and P. Viswanath, All-but-the-Top, 2018). A text also has something of its language, which
//! makes unrelated texts of one language alike, and related ones of two languages unlike: the directions in which the means of twelve
//! languages lie are taken away entirely. Then unrelated texts have a cosine near 0.1, thresholds mean about the same for every model, and
//! relevance reads from "unrelated" to "same".
//!
//! The means are those of the sentences in `centre/sentences.tsv`: eight statements and their questions in each of twelve languages.
//! Questions and passages are moved by the same mean: moved by one each, they rank worse.

use super::known::Known;
use crate::{EmbedError, normalise};

/// Language, statement and question, a line each.
#[cfg(test)]
pub const SENTENCES: &str = include_str!("centre/sentences.tsv");
/// How much of the mean is taken away. From 0.7 to 0.9 texts rank alike; beyond, short ones come too near to one another.
const SHARE: f32 = 0.8;

/// What the vectors of a model lose: nothing if it is empty.
#[derive(Debug, Default)]
pub struct Centre {
    pub mean: Vec<f32>,
    /// Of length 1, and at right angles to one another.
    pub languages: Vec<Vec<f32>>,
}

impl Centre {
    /// The centre of a model.
    pub fn of(model: &Known) -> Self {
        let Some([mean, languages]) = model.common else { return Self::default() };
        let numbers = |text: &str| text.split_whitespace().filter_map(|number| number.parse().ok()).collect();
        Self { mean: numbers(mean), languages: languages.lines().map(numbers).collect() }
    }

    /// A vector of the model without what says nothing, at length 1.
    ///
    /// # Errors
    /// When nothing is left of it.
    pub fn moved(&self, mut vector: Vec<f32>) -> Result<Vec<f32>, EmbedError> {
        if self.mean.is_empty() {
            return Ok(vector);
        }
        vector.iter_mut().zip(&self.mean).for_each(|(number, mean)| *number -= SHARE * mean);
        for language in &self.languages {
            remove(&mut vector, language);
        }
        normalise(&mut vector)?;
        Ok(vector)
    }
}

/// Takes away what a vector has in a direction.
pub fn remove(vector: &mut [f32], direction: &[f32]) {
    let length: f32 = vector.iter().zip(direction).map(|(one, other)| one * other).sum();
    vector.iter_mut().zip(direction).for_each(|(number, part)| *number -= length * part);
}

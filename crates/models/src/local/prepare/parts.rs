//! What the weights of a BERT encoder consist of.

use serde::{Deserialize, Serialize};

/// The vectors of the vocabulary's tokens.
pub const WORDS: &str = "embeddings.word_embeddings.weight";
/// What the blocks of these vectors are multiplied by where they are kept as bytes.
pub const SCALES: &str = "embeddings.word_embeddings.scales";
/// The vectors of the places in a text.
pub const POSITIONS: &str = "embeddings.position_embeddings.weight";
/// The vectors of the two texts of a pair.
pub const TYPES: &str = "embeddings.token_type_embeddings.weight";

/// The sizes of an encoder.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sizes {
    /// Components of a token's vector, and of a text's.
    pub hidden: usize,
    pub layers: usize,
    pub heads: usize,
    /// Components between the two products of a layer.
    pub inner: usize,
    /// Tokens of the vocabulary.
    pub rows: usize,
    /// Most tokens of a text.
    pub positions: usize,
    pub types: usize,
    pub epsilon: f32,
}

/// A tensor: its name as sentence-transformers and this program have it, its name in files of 4-bit blocks, and its shape.
pub struct Part {
    pub name: String,
    pub short: String,
    pub shape: Vec<usize>,
}

impl Sizes {
    /// All tensors of an encoder.
    pub fn parts(self) -> Vec<Part> {
        let Self { hidden, inner, .. } = self;
        let part =
            |name: &str, short: &str, shape: &[usize]| Part { name: name.to_owned(), short: short.to_owned(), shape: shape.to_vec() };
        let mut parts = vec![
            part(WORDS, "emb.word", &[self.rows, hidden]),
            part(POSITIONS, "emb.pos", &[self.positions, hidden]),
            part(TYPES, "emb.type", &[self.types, hidden]),
            part("embeddings.LayerNorm.weight", "emb.ln.w", &[hidden]),
            part("embeddings.LayerNorm.bias", "emb.ln.b", &[hidden]),
        ];
        for layer in 0..self.layers {
            let linear = [
                ("attention.self.query", "q", hidden, hidden),
                ("attention.self.key", "k", hidden, hidden),
                ("attention.self.value", "v", hidden, hidden),
                ("attention.output.dense", "ao", hidden, hidden),
                ("intermediate.dense", "fi", inner, hidden),
                ("output.dense", "fo", hidden, inner),
            ];
            for (name, short, to, from) in linear {
                parts.push(part(&format!("encoder.layer.{layer}.{name}.weight"), &format!("l{layer}.{short}.w"), &[to, from]));
                parts.push(part(&format!("encoder.layer.{layer}.{name}.bias"), &format!("l{layer}.{short}.b"), &[to]));
            }
            for (name, short) in [("attention.output.LayerNorm", "aln"), ("output.LayerNorm", "oln")] {
                parts.push(part(&format!("encoder.layer.{layer}.{name}.weight"), &format!("l{layer}.{short}.w"), &[hidden]));
                parts.push(part(&format!("encoder.layer.{layer}.{name}.bias"), &format!("l{layer}.{short}.b"), &[hidden]));
            }
        }
        parts
    }
}

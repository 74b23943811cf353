//! The models that run in this process.

use crate::Role;

/// A model that this program can run, once its files are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// The name under which the model registry knows it.
    pub name: &'static str,
    /// The name of its folder among the local models.
    pub folder: &'static str,
    /// What `scripts/fetch.sh` calls it.
    pub download: &'static str,
    /// Components of its vectors.
    pub dimension: usize,
    /// Longest text that it was trained to read, in tokens; the rest is cut.
    pub tokens_max: usize,
    /// Vectors of tokens in its weights.
    pub rows: usize,
    /// Tokens of its tokenizer. Weights may have rows to spare.
    pub tokens: usize,
    /// The token that stands for what the model does not know.
    pub unknown: &'static str,
    /// The token that fills up the shorter texts of a batch.
    pub padding: &'static str,
    /// What it was trained to read before a question, and before a text that may answer one.
    pub prefixes: [&'static str; 2],
    /// What its vectors have in common and what tells languages apart, as files have them (see `centre.rs`).
    pub common: Option<[&'static str; 2]>,
}

impl Known {
    /// What stands before a text of this role.
    pub fn prefix(&self, role: Role) -> &'static str {
        let [query, passage] = self.prefixes;
        match role {
            Role::Query => query,
            Role::Passage => passage,
        }
    }
}

/// All of them; the first is what a new installation starts with.
pub static KNOWN: [Known; 2] = [
    // About a hundred languages.
    Known {
        name: "multilingual-e5-small",
        folder: "multilingual-e5-small",
        download: "model",
        dimension: 384,
        tokens_max: 512,
        rows: 250_037,
        tokens: 250_002,
        unknown: "<unk>",
        padding: "<pad>",
        prefixes: ["query: ", "passage: "],
        common: Some([include_str!("centre/mean.txt"), include_str!("centre/languages.txt")]),
    },
    // English; half the time for a text.
    Known {
        name: "all-MiniLM-L6-v2",
        folder: "all-minilm-l6-v2",
        download: "minilm",
        dimension: 384,
        tokens_max: 256,
        rows: 30_522,
        tokens: 30_522,
        unknown: "[UNK]",
        padding: "[PAD]",
        prefixes: ["", ""],
        common: None,
    },
];

/// The model of a name.
pub fn known(name: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|model| model.name == name)
}

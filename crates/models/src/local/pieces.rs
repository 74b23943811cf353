//! The vocabulary of a tokenizer. One of pieces with scores (SentencePiece's unigram model, <https://arxiv.org/abs/1804.10959>) is our own: the
//! library keeps a map for each letter of 250,000 pieces, which takes 290 MB; one automaton takes 20 and is twice as fast. The numbers and places
//! of tokens are the same.

use daachorse::DoubleArrayAhoCorasick;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use tokenizers::models::unigram::UnigramTrainer;
use tokenizers::{Model, ModelWrapper, Result, Token};

/// How much less probable a letter that no piece has is than the least probable piece, as SentencePiece has it.
const UNKNOWN_PENALTY: f64 = 10.0;

/// What cuts words into tokens.
pub enum Vocabulary {
    Pieces(Pieces),
    /// As the library runs it.
    Other(Box<ModelWrapper>),
}

impl<'de> Deserialize<'de> for Vocabulary {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Kind<'a> {
            r#type: Option<&'a str>,
        }
        let json = <&RawValue>::deserialize(deserializer)?.get();
        let kind: Kind = serde_json::from_str(json).map_err(D::Error::custom)?;
        match kind.r#type {
            Some("Unigram") => serde_json::from_str(json).map(Self::Pieces),
            _ => serde_json::from_str(json).map(|model| Self::Other(Box::new(model))),
        }
        .map_err(D::Error::custom)
    }
}

/// Only what reading texts takes: nothing here turns numbers into text again, and nothing is trained or saved.
impl Model for Vocabulary {
    type Trainer = UnigramTrainer;

    fn tokenize(&self, text: &str) -> Result<Vec<Token>> {
        match self {
            Self::Pieces(pieces) => Ok(pieces.tokens(text)),
            Self::Other(model) => model.tokenize(text),
        }
    }

    fn token_to_id(&self, token: &str) -> Option<u32> {
        match self {
            Self::Pieces(pieces) => pieces.id(token),
            Self::Other(model) => model.token_to_id(token),
        }
    }

    fn id_to_token(&self, _: u32) -> Option<String> {
        None
    }

    fn get_vocab(&self) -> HashMap<String, u32> {
        HashMap::new()
    }

    fn get_vocab_size(&self) -> usize {
        match self {
            Self::Pieces(pieces) => pieces.scores.len(),
            Self::Other(model) => model.get_vocab_size(),
        }
    }

    fn save(&self, _: &Path, _: Option<&str>) -> Result<Vec<PathBuf>> {
        Err("a vocabulary is only read".into())
    }

    fn get_trainer(&self) -> UnigramTrainer {
        UnigramTrainer::default()
    }
}

/// Pieces, each with the logarithm of its probability; the place of a piece is its number.
pub struct Pieces {
    automaton: DoubleArrayAhoCorasick<u32>,
    scores: Vec<f64>,
    /// The number of what no piece has.
    unknown: u32,
    unknown_score: f64,
}

/// The end of the most probable way to cut the beginning of a text.
#[derive(Clone, Copy, Default)]
struct Cut {
    /// Of the last piece.
    id: u32,
    /// In bytes.
    start: usize,
    score: f64,
}

impl<'de> Deserialize<'de> for Pieces {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct File<'a> {
            unk_id: u32,
            #[serde(borrow)]
            vocab: Vec<(Cow<'a, str>, f64)>,
        }
        let File { unk_id, vocab } = File::deserialize(deserializer)?;
        let scores: Vec<f64> = vocab.iter().map(|(_, score)| *score).collect();
        let automaton = DoubleArrayAhoCorasick::new(vocab.iter().map(|(piece, _)| piece.as_bytes())).map_err(D::Error::custom)?;
        let least = scores.iter().copied().fold(f64::INFINITY, f64::min);
        Ok(Self { automaton, scores, unknown: unk_id, unknown_score: least - UNKNOWN_PENALTY })
    }
}

impl Pieces {
    fn id(&self, token: &str) -> Option<u32> {
        let whole = (0, token.len());
        self.automaton.find_overlapping_iter(token).find(|found| (found.start(), found.end()) == whole).map(|found| found.value())
    }

    fn tokens(&self, text: &str) -> Vec<Token> {
        let cuts = self.cuts(text);
        let (mut places, mut end): (Vec<(u32, usize, usize)>, usize) = (Vec::new(), text.len());
        while end > 0 {
            let cut = cuts[end];
            match places.last_mut() {
                // Neighbours that no piece has are one token.
                Some((id, start, _)) if *id == self.unknown && cut.id == self.unknown => *start = cut.start,
                _ => places.push((cut.id, cut.start, end)),
            }
            end = cut.start;
        }
        places.into_iter().rev().map(|(id, start, end)| Token::new(id, text[start..end].to_owned(), (start, end))).collect()
    }

    /// For the end of each letter the most probable way to cut the text before it, by Viterbi: of equally probable ones that whose last piece is
    /// longer.
    fn cuts(&self, text: &str) -> Vec<Cut> {
        let mut cuts = vec![Cut::default(); text.len() + 1];
        let mut automaton = self.automaton.find_overlapping_stepper();
        for (at, letter) in text.char_indices() {
            let end = at + letter.len_utf8();
            text.as_bytes()[at..end].iter().for_each(|byte| automaton.consume(*byte));
            let mut best: Option<Cut> = None;
            let mut offer = |id: u32, start: usize, score: f64| {
                let score = score + cuts[start].score;
                if best.is_none_or(|best| score > best.score) {
                    best = Some(Cut { id, start, score });
                }
            };
            let mut is_piece = false;
            for found in automaton.matches() {
                is_piece |= found.start() == at;
                offer(found.value(), found.start(), self.scores[found.value() as usize]);
            }
            if !is_piece {
                offer(self.unknown, at, self.unknown_score);
            }
            cuts[end] = best.unwrap_or_default();
        }
        cuts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tokenizers::models::unigram::Unigram;

    /// Nested pieces of several scripts, two ways of equal probability, and letters that are no piece of their own.
    const PIECES: [(&str, f64); 14] = [
        ("<unk>", 0.0),
        ("▁", -2.0),
        ("▁a", -2.5),
        ("a", -3.0),
        ("b", -3.0),
        ("ab", -4.0),
        ("ba", -4.0),
        ("aba", -7.0),
        ("abab", -9.5),
        ("漢", -5.0),
        ("漢字", -6.0),
        ("é", -4.5),
        ("éa", -6.0),
        ("😀b", -3.0),
    ];

    #[test]
    fn tokens_are_those_of_the_library() {
        let vocab: Vec<(String, f64)> = PIECES.map(|(piece, score)| (piece.to_owned(), score)).to_vec();
        let json = json!({ "type": "Unigram", "unk_id": 0, "vocab": &vocab }).to_string();
        let ours: Vocabulary = serde_json::from_str(&json).unwrap();
        assert!(matches!(ours, Vocabulary::Pieces(_)));
        let theirs = Unigram::from(vocab, Some(0), false).unwrap();
        let letters = ["a", "b", "▁", "漢", "字", "é", "😀"];
        let mut texts = vec![String::new()];
        for from in 0.. {
            if texts[from].chars().count() == 5 {
                break;
            }
            texts.extend(letters.map(|letter| format!("{}{letter}", texts[from])));
        }
        assert_eq!(texts.len(), 1 + 7 + 49 + 343 + 2_401 + 16_807);
        for text in &texts {
            assert_eq!(ours.tokenize(text).unwrap(), theirs.tokenize(text).unwrap(), "{text}");
        }
        for (piece, _) in PIECES {
            assert_eq!(ours.token_to_id(piece), theirs.token_to_id(piece), "{piece}");
        }
        assert_eq!((ours.token_to_id("c"), ours.get_vocab_size()), (None, PIECES.len()));
    }

    #[test]
    fn other_vocabularies_are_the_library_s() {
        let json = r###"{ "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
            "vocab": { "[UNK]": 0, "boat": 1, "##s": 2 } }"###;
        let vocabulary: Vocabulary = serde_json::from_str(json).unwrap();
        let ids: Vec<u32> = vocabulary.tokenize("boats").unwrap().into_iter().map(|token| token.id).collect();
        assert_eq!(ids, [1, 2]);
    }
}

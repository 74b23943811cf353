//! BM25 of the words of a question, each word weighed by how rare it is among the texts that are searched. Pure.
//!
//! Robertson and Zaragoza, *The Probabilistic Relevance Framework: BM25 and Beyond* (2009), with two changes: a prior of texts without the
//! word, so that a store of three entries does not call every word rare, and a sum that is divided by what the question weighs, so that it
//! is 0 to about 1.

use crate::stems::{B, K1, PRIOR_DOCUMENTS};
use std::collections::BTreeMap;

/// How many texts are searched, and how many terms they have together. The log keeps it, so that a recall can be explained later.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Statistics {
    pub documents: i64,
    pub terms: i64,
}

impl Statistics {
    /// Terms of a usual text.
    fn mean_length(&self) -> f64 {
        (self.terms as f64 / (self.documents as f64).max(1.0)).max(1.0)
    }
}

/// The words of a question: every word once, and which of them each of its wordings has. An alias that a term stands for is a wording of its
/// own beside the term's, so that neither weakens the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Words {
    /// In their order.
    pub terms: Vec<String>,
    wordings: Vec<Vec<bool>>,
}

impl Words {
    /// The words of `terms` and, for each wording, those that it has.
    pub fn new(terms: &BTreeMap<String, u32>, wordings: &[BTreeMap<String, u32>]) -> Self {
        let terms: Vec<String> = terms.keys().cloned().collect();
        let wordings = wordings.iter().map(|wording| terms.iter().map(|term| wording.contains_key(term)).collect()).collect();
        Self { terms, wordings }
    }

    /// The postings of a text whose terms are `counts`.
    pub fn postings<Id: Copy>(&self, id: Id, counts: &BTreeMap<String, u32>) -> Vec<Posting<Id>> {
        let length = i32::try_from(counts.values().sum::<u32>()).unwrap_or(i32::MAX);
        let counted = (0_i32..).zip(self.terms.iter().map(|term| counts.get(term)));
        counted.filter_map(|(term, tf)| Some(Posting { term, id, tf: *tf? as f32, length })).collect()
    }

    /// The place of a posting's word in the question.
    fn place<Id>(&self, posting: &Posting<Id>) -> Option<usize> {
        usize::try_from(posting.term).ok().filter(|place| *place < self.terms.len())
    }
}

/// A word in a text: the word's place in the question, how often the text has it, and the text's length in terms.
#[derive(Clone, Copy, Debug)]
pub struct Posting<Id> {
    pub term: i32,
    pub id: Id,
    pub tf: f32,
    pub length: i32,
}

/// What a word is worth in a text that has it (a summand of BM25).
#[derive(Clone, Copy, Debug)]
pub struct Worth<Id> {
    id: Id,
    /// The word's place in the question.
    pub place: usize,
    pub value: f64,
}

/// The texts that have words of the question, with what each word is worth in them.
#[derive(Debug)]
pub struct Postings<Id> {
    /// What each word weighs: the rarer, the more.
    idf: Vec<f64>,
    /// For each wording of the question, which words it has.
    wordings: Vec<Vec<bool>>,
    /// What the words of each wording weigh together.
    weights: Vec<f64>,
    /// Terms of a usual text.
    mean: f64,
    /// In the order of text and word, so that the past adds up as the present did.
    worths: Vec<Worth<Id>>,
    /// Each text of `worths` with its relevance.
    relevances: Vec<(Id, f64)>,
}

impl<Id> Default for Postings<Id> {
    fn default() -> Self {
        Self { idf: vec![], wordings: vec![], weights: vec![], mean: 1.0, worths: vec![], relevances: vec![] }
    }
}

impl<Id: Copy + Ord> Postings<Id> {
    /// Weighs the words of a question. Texts that are not `counted` have no say in how rare a word is.
    pub fn new(words: &Words, statistics: Statistics, postings: &[Posting<Id>], counted: impl Fn(&Id) -> bool) -> Self {
        let mut df = vec![0.0; words.terms.len()];
        for place in postings.iter().filter(|posting| counted(&posting.id)).filter_map(|posting| words.place(posting)) {
            df[place] += 1.0;
        }
        Self::weighed(words, statistics, &df, postings)
    }

    /// Weighs the words of a question, where `df` says in how many texts each of them is: for postings of a part of these texts.
    pub fn weighed(words: &Words, statistics: Statistics, df: &[f64], postings: &[Posting<Id>]) -> Self {
        let documents = statistics.documents as f64;
        let idf: Vec<f64> = df.iter().map(|df| (1.0 + (documents + PRIOR_DOCUMENTS - df + 0.5) / (df + 0.5)).ln()).collect();
        let weight = |wording: &Vec<bool>| idf.iter().zip(wording).filter(|(_, has)| **has).map(|(idf, _)| idf).sum();
        let weights = words.wordings.iter().map(weight).collect();
        let mut all = Self { weights, wordings: words.wordings.clone(), idf, mean: statistics.mean_length(), ..Self::default() };
        all.worths = postings.iter().filter_map(|posting| all.worth(posting)).collect();
        // Mostly they are in order already, in a few runs: a stable sort takes them as they are.
        all.worths.sort_by_key(|worth| (worth.id, worth.place));
        all.relevances = all.texts().map(|(id, worths)| (id, all.share(worths))).collect();
        all
    }

    fn worth(&self, posting: &Posting<Id>) -> Option<Worth<Id>> {
        let place = usize::try_from(posting.term).ok()?;
        let (tf, length) = (f64::from(posting.tf), f64::from(posting.length));
        let value = self.idf.get(place)? * tf * (K1 + 1.0) / (tf + K1 * (1.0 - B + B * length / self.mean));
        Some(Worth { id: posting.id, place, value })
    }

    /// The words that a text has.
    pub fn of(&self, id: Id) -> &[Worth<Id>] {
        let first = self.worths.partition_point(|worth| worth.id < id);
        let rest = &self.worths[first..];
        // A handful of words: counted faster than searched for.
        &rest[..rest.iter().take_while(|worth| worth.id == id).count()]
    }

    /// Every text that has a word of the question, with the words that it has.
    pub fn texts(&self) -> impl Iterator<Item = (Id, &[Worth<Id>])> {
        self.worths.chunk_by(|a, b| a.id == b.id).map(|worths| (worths[0].id, worths))
    }

    /// Every text that has a word of the question, with its relevance.
    pub fn relevances(&self) -> impl Iterator<Item = (Id, f64)> {
        self.relevances.iter().copied()
    }

    /// Normalised BM25 of a text, 0 to about 1; nothing if it has no word of the question.
    pub fn relevance(&self, id: Id) -> Option<f64> {
        let place = self.relevances.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        self.relevances.get(place).map(|(_, relevance)| *relevance)
    }

    /// The same for a text that is not searched: its words weigh as much as in those that are. `postings` are its own, in the order of the
    /// words.
    pub fn relevance_of(&self, postings: &[Posting<Id>]) -> Option<f64> {
        let worths: Vec<_> = postings.iter().filter_map(|posting| self.worth(posting)).collect();
        (!worths.is_empty()).then(|| self.share(&worths))
    }

    fn share(&self, worths: &[Worth<Id>]) -> f64 {
        let share = |(wording, all): (&Vec<bool>, &f64)| {
            worths.iter().filter(|worth| wording[worth.place]).map(|worth| worth.value).sum::<f64>() / all
        };
        self.wordings.iter().zip(&self.weights).map(share).fold(0.0, f64::max)
    }

    /// The most relevant texts, best first, of those that are accepted by id and relevance; at the same relevance the newer id.
    pub fn best(&self, most: usize, accepted: impl Fn(Id, f64) -> bool) -> Vec<Id> {
        let mut all: Vec<(Id, f64)> = self.relevances().filter(|(id, relevance)| accepted(*id, *relevance)).collect();
        let order = |a: &(Id, f64), b: &(Id, f64)| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0));
        // Common words are in very many texts: only the best are sorted.
        if most < all.len() {
            if most > 0 {
                all.select_nth_unstable_by(most - 1, order);
            }
            all.truncate(most);
        }
        all.sort_unstable_by(order);
        all.into_iter().map(|(id, _)| id).collect()
    }

    /// The share of the question's weight that words of these worths have, by the wording that suits them best. Only words that are
    /// `counted` are looked at. `values` has a worth for every word of the question.
    pub fn covered(&self, values: &[f64], counted: &[bool]) -> f64 {
        let share = |wording: &Vec<bool>| {
            let (mut has, mut all) = (0.0, 0.0);
            for place in (0..values.len()).filter(|place| wording[*place] && counted[*place]) {
                has += values[place];
                all += self.idf[place];
            }
            if all == 0.0 { 0.0 } else { has / all }
        };
        self.wordings.iter().map(share).fold(0.0, f64::max)
    }

    /// How many words the question has.
    pub fn words(&self) -> usize {
        self.idf.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(query: &[&str]) -> Words {
        let terms: BTreeMap<String, u32> = query.iter().map(|word| ((*word).to_owned(), 1)).collect();
        Words::new(&terms, std::slice::from_ref(&terms))
    }

    fn posting(id: u32, term: i32) -> Posting<u32> {
        Posting { term, id, tf: 1.0, length: 10 }
    }

    const HUNDRED: Statistics = Statistics { documents: 100, terms: 1_000 };

    #[test]
    fn a_rare_word_counts_for_more_and_all_words_for_one() {
        let mut rows: Vec<_> = (1..=50).map(|id| posting(id, 0)).collect();
        rows.extend([posting(51, 1), posting(52, 0), posting(52, 1)]);
        let postings = Postings::new(&words(&["apple", "banana"]), HUNDRED, &rows, |_| true);
        assert_eq!(postings.best(3, |_, _| true), [52, 51, 50], "both words, the rare one, and the newest of the rest");
        assert!((postings.relevance(52).unwrap() - 1.0).abs() < 1e-9);
        assert_eq!(postings.relevance(53), None);
    }

    #[test]
    fn texts_that_are_not_counted_do_not_change_how_rare_a_word_is() {
        let rows: Vec<_> = (1..=50).map(|id| posting(id, 0)).chain([posting(51, 1)]).collect();
        let of = |counted: fn(&u32) -> bool| Postings::new(&words(&["apple", "banana"]), HUNDRED, &rows, counted);
        let (all, few) = (of(|_| true), of(|id| *id == 1 || *id == 51));
        assert!(all.relevance(1) < all.relevance(51));
        assert_eq!(few.relevance(1), few.relevance(51));
    }

    #[test]
    fn a_text_that_is_not_searched_weighs_as_much_as_its_twin_that_is() {
        let rows: Vec<_> = (1..=50).map(|id| posting(id, 0)).chain([posting(51, 1), posting(52, 0), posting(52, 1)]).collect();
        let postings = Postings::new(&words(&["apple", "banana"]), HUNDRED, &rows, |_| true);
        assert_eq!(postings.relevance_of(&[posting(99, 0), posting(99, 1)]), postings.relevance(52));
        assert_eq!(postings.relevance_of(&[posting(99, 1)]), postings.relevance(51));
        assert_eq!((postings.relevance_of(&[]), postings.relevance_of(&[posting(99, 7)])), (None, None));
    }

    #[test]
    fn a_text_is_as_relevant_as_its_best_wording() {
        let wording = |query: &[&str]| query.iter().map(|word| ((*word).to_owned(), 1)).collect::<BTreeMap<String, u32>>();
        let (alias, term) = (wording(&["k8s"]), wording(&["cluster", "management"]));
        let all: BTreeMap<String, u32> = alias.iter().chain(&term).map(|(word, count)| (word.clone(), *count)).collect();
        let words = Words::new(&all, &[term, alias]);
        let rows = [words.postings(1, &wording(&["k8s"])), words.postings(2, &wording(&["cluster", "k8s"]))].concat();
        let postings = Postings::new(&words, Statistics { documents: 2, terms: 3 }, &rows, |_| true);
        assert!(postings.relevance(1).unwrap() > 0.9, "{postings:?}");
        assert_eq!(postings.best(9, |id, _| id != 1), [2]);
    }
}

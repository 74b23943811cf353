//! How important a message is, by its words. English only: in other languages a message has the base importance.

use super::phrases::Words;
use wire::{Factor, FactorShare, ImportanceWeights};

/// Requests to remember something.
const EXPLICIT: &[&str] = &[
    "remember this",
    "remember that",
    "remember the following",
    "please remember",
    "don't forget",
    "do not forget",
    "keep in mind",
    "make a note",
    "for future reference",
];
/// Before a request to remember, these words make it a statement: "I remember that".
const STATED: &[&str] = &["i", "i'll", "we", "they", "he", "she", "not", "don't", "can't", "cannot", "couldn't", "never", "didn't", "to"];
const DECISIONS: &[&str] = &[
    "decided",
    "decide",
    "decision",
    "we'll go with",
    "we will go with",
    "let's go with",
    "we chose",
    "agreed to",
    "agreed on",
    "agreed that",
    "from now on",
    "ruled out",
    "settled on",
];
const ACTIONS: &[&str] = &[
    "done",
    "completed",
    "finished",
    "deployed",
    "shipped",
    "released",
    "merged",
    "migrated",
    "installed",
    "fixed",
    "resolved",
    "published",
    "created",
    "deleted",
    "cancelled",
    "scheduled",
    "booked",
    "ordered",
    "signed",
    "sent",
    "paid",
    "assigned",
    "succeeded",
    "successfully",
];
const APPROVALS: &[&str] = &["approved", "approve", "approval", "rejected", "rejection", "declined", "signed off", "sign off", "vetoed"];
const CURRENCIES: &[&str] =
    &["usd", "eur", "chf", "gbp", "jpy", "cny", "sek", "nok", "dkk", "dollars", "dollar", "euros", "euro", "francs", "pounds", "cents"];
/// Most words of small talk.
const SMALL_TALK_MAX: usize = 8;
const SMALL_TALK: &[&str] = &[
    "hi",
    "hello",
    "hey",
    "there",
    "good",
    "morning",
    "afternoon",
    "evening",
    "night",
    "thanks",
    "thank",
    "you",
    "thx",
    "so",
    "much",
    "very",
    "ok",
    "okay",
    "k",
    "yes",
    "yeah",
    "yep",
    "no",
    "nope",
    "sure",
    "great",
    "cool",
    "nice",
    "perfect",
    "awesome",
    "got",
    "it",
    "understood",
    "noted",
    "ack",
    "bye",
    "goodbye",
    "see",
    "later",
    "soon",
    "welcome",
    "you're",
    "how",
    "are",
    "i'm",
    "fine",
    "well",
    "and",
    "a",
    "all",
    "sounds",
    "haha",
    "lol",
    "wow",
    "please",
    "will",
    "do",
    "np",
    "problem",
    "again",
    "too",
    "have",
    "day",
    "weekend",
    "cheers",
    "hm",
    "hmm",
];

/// The importance of a message, and what it was computed from.
#[derive(Clone, Debug, PartialEq)]
pub struct Importance {
    /// 0 to 1.
    pub value: f32,
    pub factors: Vec<FactorShare>,
}

impl Importance {
    /// Whether a factor is among those of the message.
    pub fn has(&self, factor: Factor) -> bool {
        self.factors.iter().any(|share| share.factor == factor)
    }
}

/// The base plus the weights of the factors in the text, cut to 0 to 1. A request to remember makes it 1, of somebody who may ask for it: a
/// tool cannot.
pub fn importance(text: &str, may_ask: bool, weights: &ImportanceWeights) -> Importance {
    let words = Words::of(text);
    let found = [
        (Factor::Explicit, words.phrase(EXPLICIT, is_request).filter(|_| may_ask)),
        (Factor::Decision, words.phrase(DECISIONS, |_| true)),
        (Factor::Action, words.phrase(ACTIONS, |before| before.last().is_none_or(|(word, _)| word != "not"))),
        (Factor::Amount, words.pair(is_amount)),
        (Factor::Approval, words.phrase(APPROVALS, |_| true)),
        (Factor::SmallTalk, is_small_talk(&words).then(|| words.written())),
    ];
    let factors: Vec<FactorShare> = found
        .into_iter()
        .filter_map(|(factor, words)| words.map(|words| FactorShare { factor, weight: weights.of(factor), words }))
        .collect();
    let sum: f32 = weights.base + factors.iter().map(|share| share.weight).sum::<f32>();
    let explicit = factors.iter().any(|share| share.factor == Factor::Explicit);
    Importance { value: if explicit { 1.0 } else { sum.clamp(0.0, 1.0) }, factors }
}

/// Whether "remember that …" asks for it. "Do you remember that?" does not.
fn is_request(before: &[(String, &str)]) -> bool {
    let word = |back: usize| before.len().checked_sub(back).and_then(|at| before.get(at)).map_or("", |(word, _)| word.as_str());
    let asks = word(1) == "you" && ["do", "did", "don't", "if", "as"].contains(&word(2));
    !STATED.contains(&word(1)) && !asks
}

fn is_small_talk(words: &Words<'_>) -> bool {
    (1..=SMALL_TALK_MAX).contains(&words.len()) && words.all(|word| SMALL_TALK.contains(&word))
}

/// "$1,200", "1.200 EUR", "€5k", "300 dollars".
fn is_amount(written: &str, next: &str) -> bool {
    let written = written.trim_matches(|c: char| "\"'“”‘’().,;:!?".contains(c));
    let number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let (symbol, rest) = (written.starts_with(['$', '€', '£', '¥']), written.trim_start_matches(['$', '€', '£', '¥']));
    let code = CURRENCIES.contains(&next);
    (symbol && number(rest)) || (number(written) && (code || written.ends_with(['$', '€', '£', '¥'])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn factors(text: &str) -> Vec<Factor> {
        importance(text, true, &ImportanceWeights::default()).factors.into_iter().map(|share| share.factor).collect()
    }

    #[test]
    fn words_show_the_factors() {
        use Factor::{Action, Amount, Approval, Decision, Explicit, SmallTalk};
        for (text, expected) in [
            ("Please remember that the port is 8443.", vec![Explicit]),
            ("Can you remember this for me?", vec![Explicit]),
            ("Do you remember that evening?", vec![]),
            ("I remember that evening.", vec![]),
            ("I can't remember that.", vec![]),
            ("We decided to move the release to Monday.", vec![Decision]),
            ("The migration is done.", vec![Action]),
            ("The migration is not done.", vec![]),
            ("The budget is $1,200 a month.", vec![Amount]),
            ("It costs 300 dollars.", vec![Amount]),
            ("Idris approved 1200 EUR.", vec![Amount, Approval]),
            ("Thanks, sounds good!", vec![SmallTalk]),
            ("ok", vec![SmallTalk]),
            ("Good morning! The deploy runs at ten.", vec![]),
            ("There are 14 boats in the harbour.", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(factors(text), expected, "{text:?}");
        }
    }

    #[test]
    fn factors_add_up_and_name_their_words() {
        let weights = ImportanceWeights::default();
        let both = importance("Mina approved €5,000 for the fair.", true, &weights);
        assert!((both.value - 0.9).abs() < 1e-6, "{both:?}");
        assert_eq!(both.factors.iter().map(|share| share.words.as_str()).collect::<Vec<_>>(), ["€5,000 for", "approved"]);
        assert_eq!(importance("Remember this: tea, no milk.", true, &weights).value, 1.0);
        assert!((importance("Thank you!", true, &weights).value - 0.15).abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn it_is_always_between_0_and_1(text in "\\PC{0,80}", base in -3.0_f32..3.0, decision in -3.0_f32..3.0) {
            let weights = ImportanceWeights { base, decision, ..ImportanceWeights::default() };
            prop_assert!((0.0..=1.0).contains(&importance(&text, true, &weights).value));
        }
    }
}

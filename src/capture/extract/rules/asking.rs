//! What a question asks for: news, advice, how something went, or which thing "it" is.

use super::pattern::has_any;
use super::reading::Sentence;
use super::topical;
use super::words::{Word, lower};

/// The most topical words of a question that names nothing itself.
const CONTENT_MAX: usize = 2;
/// Questions that turn to something else.
#[rustfmt::skip]
const OPEN: &[&str] = &[
    "lately|recently|else", "up to", "about you", "going on", "how are|have you", "how's|how your week|weekend|day|everything|life|work",
    "what is|what's new|up", "anything|something new",
];
/// Questions for advice.
const ADVICE: &[&str] = &[
    "advice|ideas|pointers|recommend|recommendation|recommendations|suggestion|suggestions|tip|tips",
    "how can|do|should i|we",
    "should i|we",
    "easy|hard|tough to?",
];
/// What a question asks of something that "it" means, by a noun that nobody has to have named.
const ATTRIBUTES: &[&str] = &[
    "age", "brand", "breed", "color", "colour", "day", "flavor", "flavour", "genre", "kind", "make", "model", "size", "sort", "time",
    "type",
];
/// Questions that may turn to something else.
const TURNING: &[&str] =
    &["have you been|ever|got|had|read|seen|tried|watched", "do you have|got|know", "is|are there any|anything|anywhere", "are you into"];

/// Whether it asks for anything new: "What are you up to these days?"
pub fn is_open(question: &Sentence) -> bool {
    has_any(&lower(&question.words), OPEN)
}

/// Whether it asks for anything new and names no topic: "Anything fun lately?"
pub fn is_vague(question: &Sentence) -> bool {
    let vague = &["anything|something|what's|what've|how|how's|how've", "up to", "about you", "going on"];
    is_open(question) && has_any(&lower(&question.words), vague)
}

/// Whether it asks what somebody should do: "Any tips for a beginner?"
pub fn wants_advice(question: &Sentence) -> bool {
    let lowers = lower(&question.words);
    has_any(&lowers, ADVICE) && !has_any(&lowers, &["you need|want"])
}

/// Whether it may turn to something else: "Have you been reading anything?"
pub fn may_turn(question: &Sentence) -> bool {
    question.signals.content >= CONTENT_MAX && has_any(&lower(&question.words), TURNING)
}

/// Whether a question asks about something that the listener did, without naming it: "What did you all play?"
pub fn asks_of_past(question: &Sentence) -> bool {
    let signals = &question.signals;
    let past = has_any(&lower(&question.words), &["did you", "did y'all", "were you all|guys|both?", "was that|it|the"]);
    past && signals.concrete == 0 && signals.content <= CONTENT_MAX
}

/// Whether words before have the noun of "What race was it?" `true` for other questions.
pub fn identifies(before: &[Word], question: &Sentence) -> bool {
    let lowers = lower(&question.words);
    let noun = lowers.windows(4).find_map(|four| match four {
        ["what" | "which", noun, "is" | "was" | "were", "it" | "that" | "this" | "they"] => Some(*noun),
        _ => None,
    });
    noun.is_none_or(|noun| ATTRIBUTES.contains(&noun) || topical::has(before, noun))
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

    fn question(text: &str) -> Sentence {
        Sentence::new(0, text.len(), text, &[])
    }

    #[test]
    fn questions_differ_by_what_they_ask_for() {
        assert!(is_open(&question("What are you up to these days?")) && !is_open(&question("How old is your boat?")));
        assert!(wants_advice(&question("Any tips for a beginner?")) && !wants_advice(&question("Do you need advice?")));
        assert!(may_turn(&question("Have you been reading any good novels?")) && !may_turn(&question("What did you play?")));
        assert!(asks_of_past(&question("What did you all play?")) && !asks_of_past(&question("Did you sail to Basel?")));
    }

    #[test]
    fn which_race_it_was_needs_a_race() {
        let race = question("Which race was it?");
        assert!(identifies(&words("I won a race"), &race) && !identifies(&words("I won"), &race));
        assert!(identifies(&words("I adopted a kitten"), &question("What breed is it?")));
    }
}

//! Sentences that hold more than one statement: dashes between clauses, and questions that only ask for assent.

use super::pattern::{begins_any, length};
use super::words::{lower, words};
use std::ops::Range;

/// The fewest words of a clause that stands alone.
const WORDS_MIN: usize = 3;
/// Beginnings of a clause about the speaker, or of a question.
#[rustfmt::skip]
const BEGINNINGS: &[&str] = &[
    "and|but|so? i|i'm|i've|i'd|i'll|we|we're|we've|we'd|we'll|my|our", "what|how|who|where|when|why|which|want|wanna|got|any",
    "just? had|went|took|made|started|finished|bought|joined a|an|my|the|some|to",
    "do|does|did|is|are|was|were|have|has|can|could|will|would you|it|that|they|there|this", "check|look|come|take a? out|at|look|see",
];
/// Questions after a statement that only ask for assent.
#[rustfmt::skip]
const TAGS: &[&str] = &[
    "right|huh|eh|ok|okay|yeah|yes|no", "you know", "do|don't you think|agree", "what do you think|say", "what|how about you",
    "is|isn't|are|aren't|was|wasn't|were|weren't|do|don't|does|doesn't|did|didn't|have|haven't|will|won't it|that|they|he|she|you|we|i",
];

/// The clauses of a sentence as ranges of its bytes: divided at a dash or semicolon before a clause about the speaker or a question.
pub fn clauses(sentence: &str) -> Vec<Range<usize>> {
    let (mut clauses, mut start) = (Vec::new(), 0);
    for (at, mark) in sentence.match_indices(['-', '–', '—', ';']) {
        let (before, after) = (sentence.get(start..at).unwrap_or_default(), sentence.get(at + mark.len()..).unwrap_or_default());
        // A hyphen inside a word divides nothing.
        let divides = mark != "-" || before.ends_with([' ', '-']) || after.starts_with([' ', '-']);
        if divides && is_clause(before) && is_clause(after) && begins_any(&lower(&words(after)), BEGINNINGS) {
            clauses.push(trimmed(sentence, start..at));
            start = at + mark.len();
        }
    }
    clauses.push(trimmed(sentence, start..sentence.len()));
    clauses
}

/// A question without the tag that makes it one: "It's cold, isn't it?"; `None` for real questions.
pub fn untagged(sentence: &str) -> Option<&str> {
    let body = sentence.trim_end_matches(['?', '!', ' ', '"', '”']);
    let at = body.rfind([',', '-', '–', '—'])?;
    let tag = words(body.get(at..)?);
    let lowers = lower(&tag);
    let is_tag = TAGS.iter().any(|pattern| length(&lowers, pattern) == Some(lowers.len()));
    let statement = body.get(..at)?;
    let asks = begins_any(&lower(&words(statement)), BEGINNINGS.get(1..).unwrap_or_default());
    (is_tag && !asks && is_clause(statement)).then(|| statement.trim_end())
}

fn is_clause(text: &str) -> bool {
    text.split_whitespace().nth(WORDS_MIN - 1).is_some()
}

/// The range without the white space around it.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let raw = text.get(range.clone()).unwrap_or_default();
    let around = |c: char| c.is_whitespace() || c == '-';
    let start = range.start + (raw.len() - raw.trim_start_matches(around).len());
    start..start + raw.trim_matches(around).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_divide_before_a_subject() {
        let split = |text: &'static str| clauses(text).into_iter().map(|range| &text[range]).collect::<Vec<_>>();
        assert_eq!(split("The boat is finished - I've painted it blue."), ["The boat is finished", "I've painted it blue."]);
        assert_eq!(split("I finished the boat — want to see it?"), ["I finished the boat", "want to see it?"]);
        assert_eq!(split("I love well-known songs - old ones."), ["I love well-known songs - old ones."]);
        assert_eq!(split("- I -"), ["I"]);
    }

    #[test]
    fn tags_make_no_question() {
        assert_eq!(untagged("I live in Basel, you know?"), Some("I live in Basel"));
        assert_eq!(untagged("Old boats are slow, aren't they?"), Some("Old boats are slow"));
        assert_eq!(untagged("Do you live in Basel, right?"), None);
        assert_eq!(untagged("I wonder, where is it?"), None);
    }
}

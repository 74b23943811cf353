//! Where sentences begin and end. They are never cut inside: what is doubtful is one sentence. Linear in the text.

use super::word::quotes;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// The longest sentence, in characters: a longer one is data and not speech.
const SENTENCE_MAX: usize = 1000;
/// How far away the end of a quotation may be, in characters.
const QUOTATION_MAX: usize = 400;
/// From how many characters on a line is wrapped text, which goes on in the next line.
const WRAPPED_MIN: usize = 60;
/// Words whose full stop ends no sentence.
#[rustfmt::skip]
const ABBREVIATIONS: &[&str] = &[
    "approx", "bzw", "ca", "co", "dr", "dra", "e.g", "est", "etc", "evtl", "fig", "ggf", "i.e", "inc", "jr", "ltd", "mme", "mr", "mrs", "ms",
    "mt", "nr", "prof", "sig", "sr", "sra", "st", "str", "usw", "vgl", "vs", "z.b", "г", "др", "ул",
];

/// The sentences of a text by bytes, without the marks of lists before them. Code, tables, headings, quoted lines and remarks in brackets
/// have none. `code`: the text begins inside of code.
pub fn sentences(text: &str, code: bool) -> Vec<Range<usize>> {
    blocks(text, code).into_iter().flat_map(|block| split(text, block)).filter(|one| text.get(one.clone()).is_some_and(is_speech)).collect()
}

fn is_speech(text: &str) -> bool {
    let remark = text.starts_with('[') && text.trim_end_matches(['.', '!', ' ']).ends_with(']');
    let short = text.len() <= 4 * SENTENCE_MAX && text.chars().nth(SENTENCE_MAX).is_none();
    !remark && short && text.contains(char::is_alphanumeric)
}

/// Whether code is open after a text if it was not before, and the other way round.
pub fn toggles_code(text: &str) -> bool {
    text.lines().filter(|line| is_fence(line.trim())).count() % 2 == 1
}

fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}

/// Stretches in which a sentence may go on over the end of a line.
fn blocks(text: &str, mut code: bool) -> Vec<Range<usize>> {
    let (mut found, mut wraps, mut start): (Vec<Range<usize>>, bool, usize) = (Vec::new(), false, 0);
    for line in text.split_inclusive('\n') {
        let (from, to) = (start, start + line.len());
        start = to;
        let trimmed = line.trim();
        let fence = is_fence(trimmed);
        code ^= fence;
        if code || fence || trimmed.is_empty() || trimmed.starts_with(['|', '>', '#']) {
            wraps = false;
            // A block ends here, even if the next line looks like its continuation.
            found.push(to..to);
            continue;
        }
        let begins = unmarked(trimmed);
        let goes_on = begins.len() == trimmed.len() && (wraps || trimmed.starts_with(char::is_lowercase));
        match found.last_mut().filter(|last| goes_on && last.start < last.end) {
            Some(last) => last.end = to,
            None => found.push(from + (line.len() - line.trim_start().len()) + (trimmed.len() - begins.len())..to),
        }
        let ended = trimmed.ends_with(|c: char| !c.is_alphanumeric() && !matches!(c, ',' | ';' | '-' | '–'));
        wraps = !ended && trimmed.chars().nth(WRAPPED_MIN).is_some();
    }
    found
}

/// A line without the mark of a list before it.
fn unmarked(line: &str) -> &str {
    if let Some(rest) = line.strip_prefix(['-', '*', '•', '–']).filter(|rest| rest.starts_with(' ')) {
        return rest.trim_start();
    }
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = (1..4).contains(&(line.len() - rest.len()));
    rest.strip_prefix(['.', ')']).filter(|after| number && after.starts_with(' ')).map_or(line, str::trim_start)
}

fn split(text: &str, block: Range<usize>) -> Vec<Range<usize>> {
    // The end of a line is no end of a sentence; blanks of the same length keep every place.
    let body = text.get(block.clone()).unwrap_or_default().replace(['\n', '\r'], " ");
    let (mut found, mut start, mut open): (Vec<Range<usize>>, usize, bool) = (Vec::new(), 0, false);
    for (at, piece) in body.split_sentence_bound_indices() {
        let end = at + piece.len();
        open = piece.chars().fold(open, quotes);
        let rest = body.get(end..).unwrap_or_default();
        let sentence = body.get(start..end).unwrap_or_default();
        if !rest.is_empty() && (open && is_closed(rest) || is_abbreviated(sentence)) {
            continue;
        }
        open = false;
        let begin = start + (sentence.len() - sentence.trim_start().len());
        found.push(block.start + begin..block.start + begin + sentence.trim().len());
        start = end;
    }
    found
}

/// Whether a quotation that is open before `rest` ends soon.
fn is_closed(rest: &str) -> bool {
    rest.chars().take(QUOTATION_MAX).any(|c| matches!(c, '"' | '”' | '“' | '»' | '«' | '」' | '』'))
}

/// Whether a text ends with a full stop that ends no sentence: "Dr.", "J.", "3." of a date.
fn is_abbreviated(text: &str) -> bool {
    let Some(before) = text.trim_end().strip_suffix('.') else { return false };
    // The last word, of which a few letters are enough.
    let tail: Vec<char> = before.chars().rev().take(8).take_while(|c| !c.is_whitespace() && *c != '(').collect();
    let word: String = tail.into_iter().rev().flat_map(char::to_lowercase).collect();
    let initials = word != "i" && word.split('.').all(|part| part.chars().count() == 1 && part.chars().all(char::is_alphabetic));
    let day = word.len() <= 2 && !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
    initials || day || ABBREVIATIONS.contains(&word.as_str())
}

#[cfg(test)]
mod tests {
    use super::sentences;
    use proptest::prelude::*;

    fn split(text: &str) -> Vec<&str> {
        sentences(text, false).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn doubtful_ends_are_none() {
        assert_eq!(split("Dr. Vera pays 3.50 at example.org. Fine!"), ["Dr. Vera pays 3.50 at example.org.", "Fine!"]);
        assert_eq!(split("Wir sehen uns am 3. Mai z. B. im Hafen. Gut."), ["Wir sehen uns am 3. Mai z. B. im Hafen.", "Gut."]);
        assert_eq!(split("She said \"Stop! Now.\" and left. He stayed."), ["She said \"Stop! Now.\" and left.", "He stayed."]);
        assert_eq!(split("Mina sagte: „Ich gehe. Bald.“ Dann ging sie."), ["Mina sagte: „Ich gehe. Bald.“", "Dann ging sie."]);
        assert_eq!(split("So do I. Then it rained."), ["So do I.", "Then it rained."]);
        assert_eq!(split("我住在东京。他也是。"), ["我住在东京。", "他也是。"]);
    }

    #[test]
    fn lines_lists_code_and_quoted_lines() {
        assert_eq!(
            split("# Notes\n- one thing\n2. another\n\nA long line that\ngoes on here."),
            ["one thing", "another", "A long line that\ngoes on here."]
        );
        assert_eq!(split("Run this:\n```\nrm -rf. Yes.\n```\nDone."), ["Run this:", "Done."]);
        assert_eq!(split("> I live in Bern.\nSo do I, since May."), ["So do I, since May."]);
        assert_eq!(split("[photo: two boats]. It is blue.\n| a | b |"), ["It is blue."]);
        assert!(split(" \n ... \n").is_empty());
    }

    #[test]
    fn data_is_no_sentence() {
        assert!(split(&"x".repeat(100_000)).is_empty());
        assert!(split(&"x ".repeat(100_000)).is_empty());
    }

    proptest! {
        #[test]
        fn sentences_are_disjoint_and_in_order(text in "(\\PC|[.!?\"\n -]|1\\. |```\n){0,120}") {
            let mut last = 0;
            for range in sentences(&text, false) {
                prop_assert!(range.start >= last && range.start < range.end && text.get(range.clone()).is_some());
                last = range.end;
            }
        }
    }
}

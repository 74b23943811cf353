//! Where sentences begin and end: abbreviations, decimals, addresses, quotations and lists considered. Linear in the text.

use std::ops::Range;

/// Words whose full stop ends no sentence.
const TITLES: &[&str] = &["dr", "e.g", "eg", "fig", "gen", "i.e", "jr", "mr", "mrs", "ms", "mt", "no", "prof", "sr", "st", "vs"];
/// Words whose full stop ends a sentence only before a capital.
const ABBREVIATIONS: &[&str] =
    &["a.m", "approx", "apr", "aug", "co", "dec", "dept", "est", "etc", "feb", "inc", "jan", "ltd", "nov", "oct", "p.m", "sept"];
/// The longest quotation that is kept in one sentence, in bytes.
const QUOTATION: usize = 400;

/// The sentences of `text` as ranges of bytes, without white space, list marks and headings' marks around them. Code blocks and tables
/// have no sentences.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    paragraphs(text).into_iter().flat_map(|paragraph| split(text, paragraph)).collect()
}

/// The notes in brackets of a text, with the marks that end them: "[photo: two boats]". Notes with nothing between them are one.
pub fn notes(text: &str) -> Vec<Range<usize>> {
    let mut notes: Vec<Range<usize>> = Vec::new();
    let mut open = None;
    for (at, mark) in text.match_indices(['[', ']']) {
        if mark == "[" {
            open = Some(at);
            continue;
        }
        let Some(start) = open.take() else { continue };
        let rest = text.get(at + 1..).unwrap_or_default();
        let end = at + 1 + (rest.len() - rest.trim_start_matches(is_end).len());
        match notes.last_mut() {
            Some(last) if text.get(last.end..start).is_some_and(|between| between.trim().is_empty()) => last.end = end,
            _ => notes.push(start..end),
        }
    }
    notes
}

/// Stretches without a hard line break: a line that goes on in lower case is one with the next.
fn paragraphs(text: &str) -> Vec<Range<usize>> {
    let (mut found, mut code, mut open): (Vec<Range<usize>>, bool, bool) = (Vec::new(), false, false);
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let (from, to) = (start, start + line.len());
        start = to;
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            (code, open) = (!code, false);
            continue;
        }
        if code || trimmed.is_empty() || trimmed.starts_with('|') {
            open = false;
            continue;
        }
        match found.last_mut() {
            Some(last) if open && trimmed.starts_with(char::is_lowercase) => last.end = to,
            _ => found.push(from..to),
        }
        open = true;
    }
    found
}

fn split(text: &str, paragraph: Range<usize>) -> Vec<Range<usize>> {
    let Some(body) = text.get(paragraph.clone()) else { return Vec::new() };
    let (mut found, mut start, mut quoted_until) = (Vec::new(), 0, 0);
    let mut chars = body.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if at < quoted_until {
            continue;
        }
        let closes = at > 0 && at == quoted_until;
        if let Some(close) = closing(c).filter(|_| !closes) {
            let inside = at + c.len_utf8();
            quoted_until = closed(body, inside, close).map_or(0, |length| inside + length);
            continue;
        }
        let marked = is_end(c) || (is_close(c) && body.get(..at).is_some_and(|before| before.ends_with(is_end)));
        if !marked {
            continue;
        }
        let mut end = at + c.len_utf8();
        while let Some((next, _)) = chars.next_if(|(_, c)| is_end(*c) || is_close(*c)) {
            end = next + body.get(next..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        }
        if ends(body, start, at, end, c) {
            push(&mut found, text, paragraph.start + start, paragraph.start + end);
            start = end;
        }
    }
    push(&mut found, text, paragraph.start + start, paragraph.end);
    found
}

fn is_end(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？') || is_pictogram(c)
}

/// An emoji, or what changes its look.
fn is_pictogram(c: char) -> bool {
    matches!(c, '\u{2600}'..='\u{27bf}' | '\u{1f300}'..='\u{1faff}' | '\u{200d}' | '\u{fe0f}')
}

fn is_close(c: char) -> bool {
    matches!(c, '"' | '”' | '’' | ')' | ']' | '»')
}

/// The mark that closes a quotation which `c` opens.
fn closing(c: char) -> Option<char> {
    match c {
        '“' => Some('”'),
        '"' => Some('"'),
        '«' => Some('»'),
        _ => None,
    }
}

/// How many bytes a quotation has that begins at `from`, without its closing mark.
fn closed(body: &str, from: usize, close: char) -> Option<usize> {
    let mut read = 0;
    for c in body.get(from..)?.chars() {
        if c == close {
            return Some(read);
        }
        read += c.len_utf8();
        if read > QUOTATION {
            return None;
        }
    }
    None
}

/// Whether the mark `c` at `at`, with what closes after it until `end`, ends the sentence that began at `start`.
fn ends(body: &str, start: usize, at: usize, end: usize, c: char) -> bool {
    let mut after = body.get(end..).unwrap_or_default().chars();
    let next = after.next();
    if matches!(c, '。' | '！' | '？') {
        return true;
    }
    if !next.is_none_or(char::is_whitespace) {
        return false;
    }
    let follows = after.find(|c| !c.is_whitespace());
    if is_pictogram(c) {
        return follows.is_none_or(|c| c.is_uppercase() || c == '[');
    }
    if c != '.' || end > at + 1 {
        // "Stop!" she said: the sentence goes on.
        return !(is_close(c) || end > at + c.len_utf8()) || !follows.is_some_and(char::is_lowercase);
    }
    // Only the end of a long sentence is needed to know its last word.
    let before = body.get(start..at).unwrap_or_default();
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    if word.len() > 12 {
        return true;
    }
    let word = word.to_lowercase();
    let initial = word.split('.').all(|part| part.chars().count() == 1 && part.chars().all(char::is_alphabetic))
        && !["i", "a.m", "p.m"].contains(&word.as_str());
    let numbered = before.trim().chars().all(|c| c.is_ascii_digit()) && !before.trim().is_empty();
    if initial || numbered || TITLES.contains(&word.as_str()) {
        return false;
    }
    !ABBREVIATIONS.contains(&word.as_str()) || !follows.is_some_and(char::is_lowercase)
}

/// Adds a sentence without the marks around it, if there is one.
fn push(found: &mut Vec<Range<usize>>, text: &str, start: usize, end: usize) {
    let Some(raw) = text.get(start..end) else { return };
    let unmarked = unmarked(raw);
    let start = start + (raw.len() - unmarked.len());
    let trimmed = unmarked.trim_end();
    if trimmed.chars().any(char::is_alphanumeric) {
        found.push(start..start + trimmed.len());
    }
}

/// Without white space and marks of lists, headings and quotations at the beginning.
fn unmarked(raw: &str) -> &str {
    let mut text = raw.trim_start();
    loop {
        let bullet = text.strip_prefix(['-', '*', '•', '>', '#']).filter(|rest| rest.starts_with([' ', '#', '>']));
        let number = || {
            let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
            rest.strip_prefix(['.', ')']).filter(|after| (1..4).contains(&(text.len() - rest.len())) && after.starts_with(' '))
        };
        match bullet.or_else(number) {
            Some(rest) => text = rest.trim_start(),
            None => return text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{notes, sentences};
    use proptest::prelude::*;

    fn split(text: &str) -> Vec<&str> {
        sentences(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn full_stops_of_other_things_end_no_sentence() {
        assert_eq!(split("Dr. Vera pays 3.50 at e.g. example.org. Fine!"), ["Dr. Vera pays 3.50 at e.g. example.org.", "Fine!"]);
        assert_eq!(split("We meet at 5 p.m. on Monday. OK?"), ["We meet at 5 p.m. on Monday.", "OK?"]);
        assert_eq!(split("We left at 5 p.m. Then it rained."), ["We left at 5 p.m.", "Then it rained."]);
        assert_eq!(split("Ask J. K. Miller or J.K. etc. about it... Please"), ["Ask J. K. Miller or J.K. etc. about it...", "Please"]);
    }

    #[test]
    fn a_pictogram_ends_a_sentence_before_a_capital() {
        assert_eq!(split("Inspiring 💪 Vera called."), ["Inspiring 💪", "Vera called."]);
        assert_eq!(split("I moved 🚚 to Basel ❤️ Fine."), ["I moved 🚚 to Basel ❤️", "Fine."]);
    }

    #[test]
    fn quotations_stay_whole() {
        assert_eq!(split("She said \"Stop! Now.\" and left. He stayed."), ["She said \"Stop! Now.\" and left.", "He stayed."]);
        assert_eq!(split("She said \"Stop.\" Then she left."), ["She said \"Stop.\"", "Then she left."]);
    }

    #[test]
    fn notes_in_brackets_are_found() {
        let found = |text: &'static str| notes(text).into_iter().map(|range| &text[range]).collect::<Vec<_>>();
        assert_eq!(
            found("Look! [photo: two boats. One is blue] [photo: a mast]. [x] done]"),
            ["[photo: two boats. One is blue] [photo: a mast]. [x]"]
        );
        assert!(found("No [note, and no ) end").is_empty());
    }

    #[test]
    fn lines_lists_and_code() {
        assert_eq!(
            split("# Notes\n- one thing\n2. another\n\nA long line that\ngoes on here."),
            ["Notes", "one thing", "another", "A long line that\ngoes on here."]
        );
        assert_eq!(split("Run this:\n```\nrm -rf. Yes.\n```\nDone."), ["Run this:", "Done."]);
        assert_eq!(split("我住在东京。他也是。"), ["我住在东京。", "他也是。"]);
        assert!(split(" \n ... \n").is_empty());
    }

    proptest! {
        #[test]
        fn sentences_are_disjoint_and_in_order(text in "(\\PC|[.!?\"\n ]){0,120}") {
            let mut last = 0;
            for range in sentences(&text) {
                prop_assert!(range.start >= last && range.start < range.end && text.get(range.clone()).is_some());
                last = range.end;
            }
        }
    }
}

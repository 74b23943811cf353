//! Transcripts and notes in plain text and Markdown.

use super::lines::{self, Head};
use crate::capture::extract::{Role, Turn};
use chrono::NaiveDate;
use std::collections::HashMap;

/// A line with its place in the text.
struct Line<'a> {
    start: usize,
    text: &'a str,
}

/// The turns of a text: by speaker if it has speakers, or else one for each paragraph.
pub fn turns(text: &str) -> Vec<Turn> {
    let mut start = 0;
    let lines: Vec<Line> = text
        .split_inclusive('\n')
        .map(|line| {
            let found = Line { start, text: line.trim_end_matches(['\n', '\r']) };
            start += line.len();
            found
        })
        .collect();
    let heads: Vec<Option<Head>> = lines.iter().map(|line| lines::head(line.text)).collect();
    if is_conversation(&lines, &heads) { by_speaker(text, &lines, heads) } else { by_paragraph(text, &lines) }
}

/// Whether names before colons are speakers. In notes each heading occurs once; speakers come back, have times, or the text is short.
fn is_conversation(lines: &[Line], heads: &[Option<Head>]) -> bool {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for head in heads.iter().flatten() {
        *counts.entry(&head.speaker).or_default() += 1;
    }
    let sure = |head: &Head| head.stamp.is_some() || head.role != Role::Person || head.speaker.eq_ignore_ascii_case("user");
    let first = lines.iter().position(|line| !line.text.trim().is_empty());
    let opens = first.and_then(|first| heads.get(first)).is_some_and(Option::is_some);
    heads.iter().flatten().any(sure) || counts.values().any(|count| *count > 1) || (opens && counts.len() <= 2)
}

fn by_speaker(text: &str, lines: &[Line], heads: Vec<Option<Head>>) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    let mut day: Option<NaiveDate> = None;
    for (line, head) in lines.iter().zip(heads) {
        if let Some(head) = head {
            day = head.stamp.and_then(|stamp| stamp.date).or(day);
            let start = line.start + head.body;
            let at = head.stamp.and_then(|stamp| stamp.at(day));
            turns.push(Turn {
                speaker: Some(head.speaker),
                role: head.role,
                at,
                start,
                end: line.start + line.text.trim_end().len(),
                text: String::new(),
                cleared: false,
            });
        } else if let Some(stamp) = lines::date(line.text) {
            day = stamp.date.or(day);
        } else if let Some(turn) = turns.last_mut().filter(|_| !line.text.trim().is_empty()) {
            turn.end = line.start + line.text.trim_end().len();
        }
    }
    filled(text, turns)
}

fn by_paragraph(text: &str, lines: &[Line]) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    let (mut at, mut open) = (None, false);
    for line in lines {
        if let Some(stamp) = lines::date(line.text) {
            at = stamp.at(None);
            open = false;
        } else if line.text.trim().is_empty() {
            open = false;
        } else {
            let end = line.start + line.text.trim_end().len();
            match turns.last_mut().filter(|_| open) {
                Some(turn) => turn.end = end,
                None => {
                    turns.push(Turn { speaker: None, role: Role::Person, at, start: line.start, end, text: String::new(), cleared: false })
                }
            }
            open = true;
        }
    }
    filled(text, turns)
}

/// The turns with their words; those without words left out.
fn filled(text: &str, turns: Vec<Turn>) -> Vec<Turn> {
    let with_words = |mut turn: Turn| {
        // A head alone on its line ends before its words begin.
        let words = text.get(turn.start..turn.end.max(turn.start))?;
        let trimmed = words.trim_start();
        turn.start += words.len() - trimmed.len();
        turn.text = trimmed.to_owned();
        turn.end = turn.start + trimmed.len();
        (!trimmed.is_empty()).then_some(turn)
    };
    turns.into_iter().filter_map(with_words).collect()
}

#[cfg(test)]
mod tests {
    use super::turns;
    use proptest::prelude::*;

    fn speakers_and_texts(text: &str) -> Vec<(Option<String>, String, Option<String>)> {
        turns(text).into_iter().map(|turn| (turn.speaker, turn.text, turn.at.map(|at| at.format("%F %R").to_string()))).collect()
    }

    #[test]
    fn turns_go_on_until_the_next_speaker() {
        let text = "# Call\n## 3 May 2026\n\nVera (9:12): Hi.\nI moved.\n\nIdris (9:13):\nReally?\n";
        let (vera, idris) = (Some("Vera".to_owned()), Some("Idris".to_owned()));
        assert_eq!(
            speakers_and_texts(text),
            [(vera, "Hi.\nI moved.".into(), Some("2026-05-03 09:12".into())), (idris, "Really?".into(), Some("2026-05-03 09:13".into()))]
        );
    }

    #[test]
    fn notes_have_paragraphs() {
        let text = "2026-05-03\n\nIngredients: flour\nMethod: stir\n\nThe oven is old.";
        assert_eq!(
            speakers_and_texts(text),
            [
                (None, "Ingredients: flour\nMethod: stir".into(), Some("2026-05-03 00:00".into())),
                (None, "The oven is old.".into(), Some("2026-05-03 00:00".into()))
            ]
        );
    }

    #[test]
    fn times_may_run_backwards() {
        let text = "[2026-05-03 09:12] Vera: a\n[2026-05-02 09:12] Idris: b";
        assert_eq!(
            speakers_and_texts(text).into_iter().filter_map(|(_, _, at)| at).collect::<Vec<_>>(),
            ["2026-05-03 09:12", "2026-05-02 09:12"]
        );
    }

    proptest! {
        #[test]
        fn turns_lie_in_the_text(text in "(Vera: |Idris \\(9:12\\): |2026-05-03|[ \n:*]|\\PC){0,40}") {
            let mut last = 0;
            for turn in turns(&text) {
                prop_assert!(turn.start >= last && text.get(turn.start..turn.end) == Some(turn.text.as_str()));
                last = turn.end;
            }
        }
    }
}

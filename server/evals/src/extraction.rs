//! `remembrancer eval extraction`: how well quoting finds the turns from which people noted something, as precision, recall and F1 by turn and
//! by kind.

use chrono::{DateTime, FixedOffset};
use extract::{Candidate, Role, Transcript, Turn};
use remembrancer::capture::extractor::{ExtractError, Extractor, Quotes};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::fmt::{Display, Formatter, Result as Formatted};
use wire::MemoryKind;

/// A line of the file: a turn with what annotators noted from it. Turns of one scope are one conversation, in the order of the file.
#[derive(Clone, Debug, Deserialize)]
pub struct Labelled {
    pub scope: String,
    pub speaker: Option<String>,
    pub at: Option<DateTime<FixedOffset>>,
    pub text: String,
    /// Empty if there was nothing to note.
    pub facts: Vec<String>,
}

/// How well turns are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Scores {
    /// Turns that were chosen.
    pub chosen: usize,
    /// Share of the chosen turns from which something was noted.
    pub precision: f64,
    /// Share of the turns with notes that were chosen.
    pub recall: f64,
    /// The harmonic mean of the two.
    pub f1: f64,
    /// Statements per turn of the file.
    pub statements: f64,
}

impl Scores {
    /// Of turns by (chosen, noted), with so many statements; zero for none.
    fn of(turns: impl Iterator<Item = (bool, bool)>, statements: usize) -> Self {
        let (mut all, mut chosen, mut noted, mut both) = (0usize, 0usize, 0usize, 0usize);
        for (is_chosen, is_noted) in turns {
            all += 1;
            chosen += usize::from(is_chosen);
            noted += usize::from(is_noted);
            both += usize::from(is_chosen && is_noted);
        }
        let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        let f1 = share(2 * both, chosen + noted);
        Self { chosen, precision: share(both, chosen), recall: share(both, noted), f1, statements: share(statements, all) }
    }
}

/// The result for a file.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    pub turns: usize,
    /// Quoting, then the rules of thumb to beat.
    pub ways: Vec<(String, Scores)>,
    /// The candidates of each kind alone. Notes have no kind, so recall is against all notes.
    pub kinds: BTreeMap<MemoryKind, Scores>,
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> Formatted {
        writeln!(f, "{} turns\n", self.turns)?;
        writeln!(f, "{:<34} {:>7} {:>10} {:>7} {:>6} {:>20}", "way", "chosen", "precision", "recall", "F1", "statements per turn")?;
        let kinds = self.kinds.iter().map(|(kind, scores)| (format!("  {kind}"), scores));
        for (name, scores) in self.ways.iter().map(|(name, scores)| (name.clone(), scores)).chain(kinds) {
            writeln!(
                f,
                "{name:<34} {:>7} {:>10.3} {:>7.3} {:>6.3} {:>20.2}",
                scores.chosen, scores.precision, scores.recall, scores.f1, scores.statements
            )?;
        }
        Ok(())
    }
}

/// The conversations of a file as transcripts: each turn's text with an empty line after it, so that spans lie in one turn.
fn transcripts(lines: &[Labelled]) -> Vec<(Vec<&Labelled>, Transcript)> {
    let mut scopes: Vec<(Vec<&Labelled>, Transcript)> = Vec::new();
    for line in lines {
        let known = scopes.iter().position(|(lines, _)| lines.first().is_some_and(|first| first.scope == line.scope));
        let place = known.unwrap_or_else(|| {
            scopes.push((Vec::new(), Transcript::default()));
            scopes.len() - 1
        });
        let Some((lines, transcript)) = scopes.get_mut(place) else { continue };
        let start = transcript.text.len();
        transcript.text.push_str(&line.text);
        let end = transcript.text.len();
        transcript.text.push_str("\n\n");
        transcript.turns.push(Turn {
            speaker: line.speaker.clone(),
            role: Role::Person,
            at: line.at,
            local: false,
            start,
            end,
            text: line.text.clone(),
            cleared: false,
        });
        lines.push(line);
    }
    scopes
}

/// Quotes from the conversations of a file and compares the turns that are quoted with the notes, and with rules of thumb.
///
/// # Errors
/// Those of the extractor.
pub async fn evaluate(lines: &[Labelled]) -> Result<Report, ExtractError> {
    // Each turn of the file with the candidates that quote it.
    let mut turns: Vec<(&Labelled, Vec<Candidate>)> = Vec::new();
    for (lines, transcript) in transcripts(lines) {
        let candidates = whole(&transcript).await?;
        let mut of_turn: Vec<Vec<Candidate>> = vec![Vec::new(); lines.len()];
        for candidate in candidates {
            let turn = transcript.turns.partition_point(|turn| turn.end <= candidate.span.start);
            if let Some(found) = of_turn.get_mut(turn) {
                found.push(candidate);
            }
        }
        turns.extend(lines.into_iter().zip(of_turn));
    }
    let scores = |wanted: &dyn Fn(&Candidate) -> bool| {
        let count = turns.iter().flat_map(|(_, found)| found).filter(|one| wanted(one)).count();
        Scores::of(turns.iter().map(|(line, found)| (found.iter().any(wanted), !line.facts.is_empty())), count)
    };
    let thumb = |chosen: &dyn Fn(&str) -> bool| {
        let count = turns.iter().filter(|(line, _)| chosen(&line.text)).count();
        Scores::of(turns.iter().map(|(line, _)| (chosen(&line.text), !line.facts.is_empty())), count)
    };
    let ways = vec![
        (Quotes.name().to_owned(), scores(&|_| true)),
        ("every turn".to_owned(), thumb(&|_| true)),
        ("at least 20 words".to_owned(), thumb(&|text| count(text) >= 20)),
        ("first person, at least 12 words".to_owned(), thumb(&is_long_first_person)),
    ];
    let kinds: HashSet<MemoryKind> = turns.iter().flat_map(|(_, found)| found).map(|one| one.kind).collect();
    let kinds = kinds.into_iter().map(|kind| (kind, scores(&|one| one.kind == kind))).collect();
    Ok(Report { turns: turns.len(), ways, kinds })
}

/// Everything that is quoted, window by window.
async fn whole(transcript: &Transcript) -> Result<Vec<Candidate>, ExtractError> {
    let (mut from, mut candidates) = (0, Vec::new());
    while from < transcript.text.len() {
        let extraction = Quotes.extract(transcript, from).await?;
        candidates.extend(extraction.candidates);
        from = extraction.read_to;
    }
    Ok(candidates)
}

/// Whether a turn is in the first person and has at least 12 words: a rule of thumb to compare with.
pub fn is_long_first_person(text: &str) -> bool {
    count(text) >= 12 && first_person(text)
}

/// The speaker and the words of a turn that is written as "Vera: I moved."
pub fn spoken(text: &str) -> (Option<&str>, &str) {
    match text.split_once(": ") {
        Some((speaker, words)) if !speaker.contains(char::is_whitespace) => (Some(speaker), words),
        _ => (None, text),
    }
}

fn count(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Whether a text has a word of the first person, alone or contracted.
fn first_person(text: &str) -> bool {
    const FIRST: &[&str] = &["i", "me", "my", "mine", "myself", "we", "us", "our", "ours"];
    let text = text.to_lowercase();
    text.split(|c: char| !c.is_alphanumeric()).any(|word| FIRST.contains(&word))
}

//! Transcripts and notes in plain text and Markdown.

use super::lines::{self, Form, Head};
use super::stamp::{self, Moment, Stamp};
use super::{mail, whatsapp};
use crate::{Role, Turn};
use chrono::NaiveDate;
use std::collections::{HashMap, HashSet};

/// A line with its place in the text.
pub struct Line<'a> {
    pub start: usize,
    pub text: &'a str,
}

impl Line<'_> {
    /// Where its last word ends, in bytes of the text.
    pub fn end(&self) -> usize {
        self.start + self.text.trim_end().len()
    }

    pub fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// A turn that begins `at` bytes after the line's beginning and ends with the line.
    pub fn turn(&self, at: usize, speaker: Option<String>, role: Role, said: Option<Moment>) -> Turn {
        let local = said.is_some_and(|said| said.local);
        let (said, start, end) = (said.map(|said| said.at), self.start + at, self.end());
        Turn { speaker, role, at: said, local, start, end, text: String::new(), cleared: false }
    }
}

/// The turns of a text.
pub struct Read {
    pub turns: Vec<Turn>,
    /// Some dates may be read in two ways, so their turns have no time.
    pub unclear: bool,
}

/// What a line is to the turns.
enum Kind {
    Head(Head),
    /// A date or a time alone.
    Stamp(Stamp),
    Words,
}

/// The turns of a text: by speaker if it has speakers, or else one for each paragraph.
pub fn read(text: &str) -> Read {
    let mut start = 0;
    let lines: Vec<Line> = text
        .split_inclusive('\n')
        .map(|line| {
            let found = Line { start, text: line.trim_end_matches(['\n', '\r']) };
            start += line.len();
            found
        })
        .collect();
    if let Some(read) = whatsapp::read(text, &lines).or_else(|| mail::read(text, &lines)) {
        return read;
    }
    let mut kinds = kinds(&lines);
    let stamps = kinds.iter_mut().filter_map(|kind| match kind {
        Kind::Head(head) => head.stamp.as_mut(),
        Kind::Stamp(stamp) => Some(stamp),
        Kind::Words => None,
    });
    let unclear = stamp::settle(stamps.collect());
    settle(&lines, &mut kinds);
    let turns = if is_conversation(&lines, &kinds) { by_speaker(&lines, kinds) } else { by_paragraph(&lines, &kinds) };
    Read { turns: filled(text, turns), unclear }
}

fn kinds(lines: &[Line]) -> Vec<Kind> {
    let kind = |line: &Line| match lines::alone(line.text) {
        Some(stamp) => Kind::Stamp(stamp),
        None => lines::head(line.text).map_or(Kind::Words, Kind::Head),
    };
    lines.iter().zip(code(lines)).map(|(line, code)| if code { Kind::Words } else { kind(line) }).collect()
}

/// Which lines are code between fences. A fence that is not closed is none.
fn code(lines: &[Line]) -> Vec<bool> {
    let (mut inside, mut open) = (vec![false; lines.len()], None);
    // Words may name the mark: a fence begins a line, or what somebody says.
    let fences = |line: &Line| line.text.trim_start().starts_with("```") || line.text.contains(": ```");
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| fences(line) && line.text.matches("```").count() % 2 == 1) {
        let language = line.text.trim().strip_prefix("```").is_some_and(|language| !language.is_empty());
        match open.take().filter(|_| !language) {
            Some(start) => inside.iter_mut().take(at + 1).skip(start + 1).for_each(|line| *line = true),
            None => open = Some(at),
        }
    }
    inside
}

fn heads(kinds: &[Kind]) -> impl Iterator<Item = &Head> {
    kinds.iter().filter_map(|kind| if let Kind::Head(head) = kind { Some(head) } else { None })
}

/// Decides which heads name a speaker, from all heads of the text: afterwards each is a name or unknown.
fn settle(lines: &[Line], kinds: &mut [Kind]) {
    let stamped = heads(kinds).filter(|head| head.form != Form::Unknown && head.stamp.is_some()).count();
    let bare = heads(kinds).filter(|head| head.form == Form::Name && head.stamp.is_none()).count();
    let is_role = |head: &Head| head.role != Role::Person || ["user", "human"].contains(&head.speaker.to_lowercase().as_str());
    let people = heads(kinds).filter(|head| head.form == Form::Name && !is_role(head)).count();
    let items = lines.iter().zip(kinds.iter()).filter(|(line, kind)| is_named(kind) && is_item(line)).count();
    for (line, kind) in lines.iter().zip(kinds.iter_mut()) {
        let Kind::Head(head) = kind else { continue };
        // In a list within a transcript, people are named and do not speak.
        if head.stamp.is_none() && is_item(line) && items * 2 < stamped + bare {
            *kind = Kind::Words;
            continue;
        }
        // Where messages have times, a name without one may be any word before a colon; where people talk, so may a role.
        let loose = stamped > 1 && stamped > bare || people > 1 && is_role(head) && !head.talks;
        if head.form == Form::Name && head.stamp.is_none() && loose {
            head.form = Form::Perhaps;
        }
    }
    let (mut sure, mut talking, mut counts): (HashSet<String>, HashSet<String>, HashMap<String, usize>) = Default::default();
    for head in heads(kinds) {
        let name = head.speaker.to_lowercase();
        match head.form {
            Form::Name => {
                sure.insert(name);
            }
            Form::Perhaps => {
                talking.extend(head.talks.then(|| name.clone()));
                *counts.entry(name).or_default() += 1;
            }
            Form::Unknown => {}
        }
    }
    for kind in kinds {
        let Kind::Head(head) = kind else { continue };
        if head.form == Form::Perhaps {
            let name = head.speaker.to_lowercase();
            let known = sure.contains(&name) || talking.contains(&name) && counts.get(&name).is_some_and(|count| *count > 1);
            head.form = if known { Form::Name } else { Form::Unknown };
        }
    }
}

fn is_named(kind: &Kind) -> bool {
    matches!(kind, Kind::Head(head) if head.form == Form::Name)
}

/// Whether a line is an item of a list.
fn is_item(line: &Line) -> bool {
    ["- ", "* ", "• "].iter().any(|mark| line.text.trim_start().starts_with(mark))
}

/// Whether names before colons are speakers. In notes each heading occurs once; speakers come back, have times, or say sentences.
fn is_conversation(lines: &[Line], kinds: &[Kind]) -> bool {
    let named = || {
        lines.iter().zip(kinds).filter_map(|(line, kind)| match kind {
            Kind::Head(head) if head.form == Form::Name => Some((line, head)),
            _ => None,
        })
    };
    let mut counts: HashMap<&str, usize> = HashMap::new();
    named().for_each(|(_, head)| *counts.entry(&head.speaker).or_default() += 1);
    let sure = |head: &Head| head.stamp.is_some() || head.role != Role::Person || head.speaker.eq_ignore_ascii_case("user");
    let first = lines.iter().position(|line| !line.is_blank());
    let opens = first.and_then(|first| kinds.get(first)).is_some_and(is_named);
    let says = |line: &Line, head: &Head| head.talks && line.text.trim_end().ends_with(['.', '!', '?', '…', '。', '！', '？', '"', '”']);
    let sentences = || named().filter(|(line, head)| says(line, head)).count();
    named().any(|(_, head)| sure(head))
        || counts.values().any(|count| *count > 1)
        || (opens && (counts.len() <= 2 || sentences() * 2 > counts.len()))
}

fn by_speaker(lines: &[Line], kinds: Vec<Kind>) -> Vec<Turn> {
    let mut talk = Talk::default();
    // Only an export begins with one; elsewhere somebody underlines a heading.
    let drawn = lines.iter().find(|line| !line.is_blank()).is_some_and(|line| is_rule(line.text));
    for (line, kind) in lines.iter().zip(kinds) {
        match kind {
            _ if drawn && is_rule(line.text) => talk.pause = true,
            Kind::Head(head) if head.form == Form::Name => talk.begin(line, head),
            Kind::Head(head) if head.stamp.is_some() || !talk.pause => talk.nobody(line, &head),
            Kind::Stamp(stamp) => {
                talk.day = if stamp.is_unclear() { None } else { stamp.date.or(talk.day) };
                talk.open = false;
            }
            Kind::Words if !line.is_blank() => talk.words(line),
            Kind::Head(_) | Kind::Words => {}
        }
    }
    talk.turns
}

/// Who says something, and when.
type Speaker = (Option<String>, Role, Option<Moment>);

/// The turns of a conversation as far as it was read. What follows something unclear is nobody's, so that nobody gets the words of another.
#[derive(Default)]
struct Talk {
    turns: Vec<Turn>,
    day: Option<NaiveDate>,
    /// The next words belong to the last turn.
    open: bool,
    /// The last turn is a quotation inside another one.
    quoted: bool,
    /// Who speaks outside of quotations.
    speaking: Option<Speaker>,
    /// The program that wrote the file speaks, up to the next head.
    pause: bool,
}

impl Talk {
    fn begin(&mut self, line: &Line, head: Head) {
        self.day = head.stamp.and_then(|stamp| stamp.date).or(self.day);
        let at = head.stamp.and_then(|stamp| stamp.at(self.day));
        self.push(line, head.body, (Some(head.speaker), head.role, at), is_quote(line));
    }

    fn nobody(&mut self, line: &Line, head: &Head) {
        let at = head.stamp.and_then(|stamp| stamp.at(self.day));
        let goes_on = self.open && head.stamp.is_none() && self.turns.last().is_some_and(|turn| turn.speaker.is_none());
        match self.turns.last_mut().filter(|_| goes_on && self.quoted == is_quote(line)) {
            Some(turn) => turn.end = line.end(),
            None => self.push(line, head.words, (None, self.role(), at), is_quote(line)),
        }
    }

    fn words(&mut self, line: &Line) {
        let quoted = is_quote(line);
        if self.pause {
            return;
        }
        if let Some(turn) = self.turns.last_mut().filter(|_| self.open && quoted == self.quoted) {
            turn.end = line.end();
        } else if !self.turns.is_empty() {
            // After a quotation, the speaker goes on.
            let speaker = self.speaking.clone().filter(|_| self.open && !quoted).unwrap_or_else(|| (None, self.role(), None));
            self.push(line, 0, speaker, quoted);
        }
    }

    /// The role of words that nobody is known to say: what may be an assistant's is not a person's.
    fn role(&self) -> Role {
        self.speaking.as_ref().map_or(Role::Person, |by| by.1)
    }

    fn push(&mut self, line: &Line, at: usize, by: Speaker, quoted: bool) {
        self.turns.push(line.turn(at, by.0.clone(), by.1, by.2));
        if !quoted {
            self.speaking = Some(by);
        }
        (self.open, self.quoted, self.pause) = (true, quoted, false);
    }
}

fn is_quote(line: &Line) -> bool {
    line.text.trim_start().starts_with('>')
}

/// A line as programs draw it around what they add to an export.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 20 && line.bytes().all(|byte| byte == b'=')
}

fn by_paragraph(lines: &[Line], kinds: &[Kind]) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    let (mut day, mut at, mut open) = (None, None, false);
    for (line, kind) in lines.iter().zip(kinds) {
        let mut words = 0;
        match kind {
            Kind::Stamp(stamp) => {
                day = stamp.date.or(day);
                at = stamp.at(day);
                open = false;
                continue;
            }
            Kind::Head(Head { stamp: Some(stamp), words: after, .. }) if stamp.is_whole() => {
                (at, words, open) = (stamp.at(None), *after, false);
            }
            _ => {}
        }
        match turns.last_mut().filter(|_| open) {
            _ if line.is_blank() => {}
            Some(turn) => turn.end = line.end(),
            None => turns.push(line.turn(words, None, Role::Person, at)),
        }
        open = !line.is_blank();
    }
    turns
}

/// The turns with their words; those without words left out.
pub fn filled(text: &str, turns: Vec<Turn>) -> Vec<Turn> {
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
    use super::read;
    use crate::Role;
    use proptest::prelude::*;

    fn speakers_and_texts(text: &str) -> Vec<(Option<String>, String, Option<String>)> {
        read(text).turns.into_iter().map(|turn| (turn.speaker, turn.text, turn.at.map(|at| at.format("%F %R").to_string()))).collect()
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

    #[test]
    fn what_an_assistant_may_have_said_is_no_persons() {
        let text = "User: What database?\nAssistant: My advice.\nStep 1: We decided to use Kafka because it is fast.\n> I live in Oslo.\n";
        let turns = read(text).turns;
        assert!(turns.len() > 1 && turns.iter().skip(1).all(|turn| turn.role == Role::Assistant), "{turns:?}");
        assert!(turns.iter().any(|turn| turn.text.contains("Kafka") && turn.speaker.is_none()), "{turns:?}");
    }

    #[test]
    fn marks_that_somebody_names_silence_nobody() {
        let fences = "Vera: use ``` for code.\nIdris: I moved to Oslo.\nVera: I like ``` too.";
        assert_eq!(speakers_and_texts(fences).into_iter().filter_map(|(name, ..)| name).collect::<Vec<_>>(), ["Vera", "Idris", "Vera"]);
        let underlined = "Vera: My plan\n====================\nI moved to Basel in May.\nIdris: Good.";
        assert!(speakers_and_texts(underlined)[0].1.contains("I moved to Basel"), "a line under a heading");
        let days = "3 May 2026\n[09:12] Vera: a\n05/06/2026\n[09:12] Vera: b";
        assert_eq!(speakers_and_texts(days)[1].2, None, "a day that cannot be told is not the day before");
    }

    fn lie_in_order(text: &str) -> bool {
        let mut last = 0;
        read(text).turns.into_iter().all(|turn| {
            let follows = turn.start >= last && text.get(turn.start..turn.end) == Some(turn.text.as_str());
            last = turn.end;
            follows
        })
    }

    proptest! {
        #[test]
        fn turns_lie_in_the_text(text in "(Vera: |Idris \\(9:12\\): |vera: a b\n|\n> |\n- |\n```|={20}|2026-05-03|[ \n:*]|\\PC){0,40}") {
            prop_assert!(lie_in_order(&text));
        }

        #[test]
        fn turns_of_chats_and_mails_lie_in_the_text(
            first in "(3/5/26, 9:12 - Vera: |From: Vera\nSent: 3/5/26\nTo: Mina\n\n|On 3 May 2026, Vera wrote:\n)",
            rest in "(\n3/5/26, 9:12 - |Vera: |\u{200e}|<a>|a.b \\(c\\)|\nFrom: Mina\nDate: 1\nCc: a\n|\n> |\n-- \n|_{10}|[ \n:]|\\PC){0,30}"
        ) {
            let text = first + &rest;
            prop_assert!(lie_in_order(&text));
        }
    }
}

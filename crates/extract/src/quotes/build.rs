//! From the sentences of a turn to candidates: which stand together, which are kept, and how they read without the conversation.

use super::patterns::{Match, PATTERNS, Sort};
use super::sentence::Sentence;
use super::word::{Word, line, words};
use super::{dates, topic};
use crate::{Candidate, Role, Span, Transcript, Turn};
use chrono::TimeDelta;
use std::collections::{HashSet, VecDeque};
use wire::{Category, MemoryKind, MemoryScope, TOPIC_MAX};
use words::minutes::{Minutes, Question, SOMEBODY, label};
use words::shorten;

/// The most sentences of a candidate.
const SENTENCES_MAX: usize = 3;
/// The most bytes of a candidate of several sentences.
const PASSAGE_MAX: usize = 600;
/// The longest sentence that is quoted before a candidate, in bytes.
const CONTEXT_MAX: usize = 400;
/// The longest pause in a conversation: what is said after a longer one replies to nothing.
const PAUSE_MAX: TimeDelta = TimeDelta::hours(3);
/// Below so many words a passage is short: it is quoted with the question that it answers.
const SHORT: usize = 6;
/// How many turns, or pieces of long ones, a correction looks back.
pub const LATEST: usize = 12;

/// What was said lately, the latest first.
#[derive(Default)]
pub struct Thread<'a> {
    said: VecDeque<Said<'a>>,
}

struct Said<'a> {
    turn: &'a Turn,
    last: Sentence,
    /// Numbers, dates and names of people's statements.
    values: HashSet<String>,
}

impl<'a> Thread<'a> {
    /// Adds a turn, or a piece of one, if anything was said in it.
    pub fn push(&mut self, turn: &'a Turn, sentences: Vec<Sentence>) {
        let spoken = sentences.iter().filter(|one| turn.role == Role::Person && !one.question);
        let values = spoken.flat_map(|one| one.values.iter().cloned()).collect();
        let Some(last) = sentences.into_iter().next_back() else { return };
        self.said.push_front(Said { turn, last, values });
        self.said.truncate(LATEST);
    }

    /// Forgets everything: what was in quarantine is never quoted.
    pub fn clear(&mut self) {
        self.said.clear();
    }

    /// What `turn` may reply to: the last sentence of somebody else's turn before it, or of one's own.
    fn before(&self, turn: &Turn) -> Option<(&'a Turn, &Sentence)> {
        let said = self.said.front()?;
        let paused = said.turn.at.zip(turn.at).is_some_and(|(then, now)| now - then > PAUSE_MAX);
        let quotable = !paused && !said.last.courtesy && said.last.end - said.last.start <= CONTEXT_MAX;
        quotable.then_some((said.turn, &said.last))
    }
}

/// What is around the sentences.
pub struct Scene<'a, 'b> {
    pub transcript: &'a Transcript,
    pub turn: &'a Turn,
    /// Nobody speaks: it is a text by its author.
    pub notes: bool,
    /// An assistant takes part.
    pub assisted: bool,
    pub thread: &'b Thread<'a>,
}

/// Sentences of a turn that stand together.
struct Passage<'s> {
    /// The place of the first one in the turn.
    first: usize,
    sentences: &'s [Sentence],
    /// The speaker asks right after it to remember it.
    remembered: bool,
}

impl Passage<'_> {
    fn units(&self) -> usize {
        self.sentences.iter().map(|one| one.units).sum()
    }

    fn any(&self, is: impl Fn(&Sentence) -> bool) -> bool {
        self.sentences.iter().any(is)
    }
}

/// The candidates of a turn's sentences, in the order of the text.
pub fn candidates(scene: &Scene, sentences: &[Sentence]) -> Vec<Candidate> {
    if scene.turn.role != Role::Person {
        return Vec::new();
    }
    let passages = passages(scene, sentences);
    let (mut found, mut said, mut read): (Vec<Candidate>, HashSet<&str>, usize) = (Vec::new(), HashSet::new(), 0);
    for passage in &passages {
        for earlier in sentences.get(read..passage.first).unwrap_or_default().iter().filter(|one| !one.question) {
            said.extend(earlier.values.iter().map(String::as_str));
        }
        read = passage.first;
        let corrects = passage.sentences.first().is_some_and(|one| corrects(scene, &said, one));
        if let Some(kept) = kept(scene, sentences, passage, corrects) {
            found.extend(candidate(scene, passage, &kept));
        }
    }
    if found.is_empty() && says_enough(sentences) {
        // What the turn says as a whole is worth keeping: its longest passage stands for it.
        let longest = passages.iter().rev().max_by_key(|passage| passage.units()).filter(|passage| passage.units() >= SHORT / 2);
        let whole = |passage: &Passage| {
            let context = context(scene, sentences, passage, true);
            Kept { kind: None, sort: None, corrects: false, telling: false, context }
        };
        found.extend(longest.and_then(|passage| candidate(scene, passage, &whole(passage))));
    }
    found
}

/// A turn in the first person with at least 12 words says something.
fn says_enough(sentences: &[Sentence]) -> bool {
    sentences.iter().map(|one| one.units).sum::<usize>() >= 12 && sentences.iter().any(|one| one.first_person)
}

/// Statements that stand together: what is proposed to a person begins one and goes on as long as sentences point back to it.
fn passages<'s>(scene: &Scene, sentences: &'s [Sentence]) -> Vec<Passage<'s>> {
    let text = &scene.transcript.text;
    let adjoin = |one: &Sentence, next: &Sentence| text.get(one.end..next.start).is_some_and(|between| between.trim().is_empty());
    let (mut found, mut first) = (Vec::new(), 0);
    while let Some(opening) = sentences.get(first) {
        if !opening.is_statement(scene.assisted) {
            first += 1;
            continue;
        }
        let mut end = first + 1;
        while let (Some(last), Some(next)) = (sentences.get(end - 1), sentences.get(end)) {
            let fits = end - first < SENTENCES_MAX && next.end - opening.start <= PASSAGE_MAX && adjoin(last, next);
            let begins = next.sort.is_some() || next.corrects;
            // "I told you nonsense. It is on Thursday."
            let closed = opening.sort.is_some_and(|sort| sort != Sort::Meant);
            if !fits || begins || !next.is_statement(scene.assisted) || closed && !next.points {
                break;
            }
            end += 1;
        }
        let last = sentences.get(end - 1);
        let remembered = last.zip(sentences.get(end)).is_some_and(|(last, next)| next.reminder && adjoin(last, next));
        found.push(Passage { first, sentences: sentences.get(first..end).unwrap_or_default(), remembered });
        first = end;
    }
    found
}

/// Whether a correction shares a number, a date or a name with an earlier statement, and says another one if only its beginning sounds like a
/// correction.
fn corrects(scene: &Scene, said: &HashSet<&str>, sentence: &Sentence) -> bool {
    let is_known = |value: &String| said.contains(value.as_str()) || scene.thread.said.iter().any(|one| one.values.contains(value));
    let known = sentence.values.iter().filter(|value| is_known(value)).count();
    let is_plain = sentence.sort == Some(Sort::Meant);
    !scene.notes && sentence.corrects && known > 0 && (is_plain || known < sentence.values.len())
}

/// Why and how a passage is kept.
struct Kept<'a> {
    /// What a person chose; `None`: as the sort says.
    kind: Option<MemoryKind>,
    /// `None`: as an episode.
    sort: Option<Sort>,
    corrects: bool,
    /// It has three signals or more.
    telling: bool,
    /// What it replies to.
    context: Option<(&'a Turn, Sentence)>,
}

/// Whether a passage is worth a candidate. The signals of an episode hold in every language: the first person, names, numbers and dates, a
/// question that it answers, a correction, and that somebody wrote it down. Twelve words need one of them, five words two, and an answer of
/// three words a name or a number.
fn kept<'a>(scene: &Scene<'a, '_>, sentences: &[Sentence], passage: &Passage, corrects: bool) -> Option<Kept<'a>> {
    let opening = passage.sentences.first()?;
    let wanted = passage.remembered && passage.units() >= SHORT / 2;
    let sort = opening.sort.or(corrects.then_some(Sort::Meant)).or(wanted.then_some(Sort::Remember));
    let short = passage.units() < SHORT && sort.is_none();
    let context = context(scene, sentences, passage, short);
    let answers = replied(scene, sentences, passage).is_some_and(|(_, last)| last.question);
    let (named, numbered) = (passage.any(|one| one.named), passage.any(|one| one.numbered));
    let signals = [passage.any(|one| one.first_person), named, numbered, answers, opening.corrects, scene.notes];
    let signals = signals.into_iter().filter(|is| *is).count();
    let worth = match passage.units() {
        // A long text by its author is not remembered for its length.
        12.. => signals > usize::from(scene.notes),
        5.. => signals >= 2,
        3.. => answers && (named || numbered),
        _ => false,
    };
    (sort.is_some() || worth).then_some(Kept { kind: None, sort, corrects, telling: signals >= 3, context })
}

/// What a passage may reply to: only the first statement of a turn replies.
fn replied<'a, 'b>(scene: &Scene<'a, 'b>, sentences: &[Sentence], passage: &Passage) -> Option<(&'a Turn, &'b Sentence)> {
    let thread: &'b Thread<'a> = scene.thread;
    let before = sentences.get(..passage.first)?;
    let opens = !scene.notes && before.iter().all(|one| !one.is_statement(scene.assisted));
    let (turn, last) = thread.before(scene.turn).filter(|_| opens)?;
    let own = turn.speaker.is_some() && turn.speaker == scene.turn.speaker;
    // Nobody answers themselves, and what an assistant states is not quoted.
    let quotable = if last.question { !own } else { turn.role == Role::Person };
    quotable.then_some((turn, last))
}

/// What is quoted before a passage that cannot be understood without it: it points back, begins with yes or no, or is short.
fn context<'a>(scene: &Scene<'a, '_>, sentences: &[Sentence], passage: &Passage, short: bool) -> Option<(&'a Turn, Sentence)> {
    let opening = passage.sentences.first()?;
    let (turn, last) = replied(scene, sentences, passage)?;
    let needed = opening.points || opening.replies || opening.corrects || short && last.question;
    needed.then(|| (turn, last.clone()))
}

/// The candidate that a person makes of words, which are read like one sentence; whether they are worth it, nobody asks.
pub fn chosen(scene: &Scene, words: Sentence, kind: MemoryKind) -> Option<Candidate> {
    let kept = Kept { kind: Some(kind), sort: words.sort, corrects: false, telling: false, context: None };
    candidate(scene, &Passage { first: 0, sentences: &[words], remembered: false }, &kept)
}

fn candidate(scene: &Scene, passage: &Passage, kept: &Kept) -> Option<Candidate> {
    let (first, last) = (passage.sentences.first()?, passage.sentences.last()?);
    let span = Span::of(&scene.transcript.text, first.start, last.end)?;
    let words = words(&span.quote);
    let matches = PATTERNS.find(&span.quote, &words);
    let at = scene.turn.at;
    let note = at.and_then(|at| dates::note(&span.quote, &words, at.date_naive()));
    // "Soy alérgica" is of the first person, too.
    let own = passage.any(|one| one.first_person) || matches!(kept.sort, Some(Sort::Fact | Sort::Prefer));
    let (read, category, confidence, importance) = classify(kept, own, passage.any(|one| one.hedged));
    let kind = kept.kind.unwrap_or(read);
    let (decision, of_project) = (kind == MemoryKind::Decision, category == Category::Project);
    let speaker = label(scene.turn.speaker.as_deref());
    Some(Candidate {
        kind,
        scope: if of_project { MemoryScope::Project } else { MemoryScope::Agent },
        statement: statement(scene, &line(&span.quote), kept.context.as_ref(), note.as_deref()),
        confidence,
        importance,
        topic: shorten(&topic::topic(&span.quote, &words, &matches).unwrap_or_else(|| kind.as_str().to_owned()), TOPIC_MAX - 1),
        // What a team works with or decides is about nobody.
        subject: (own && !of_project && !scene.notes && speaker != SOMEBODY).then(|| speaker.to_owned()),
        category: Some(category),
        observed_at: at.map(|at| at.to_utc()),
        rationale: rationale(&span.quote, &words, &matches).filter(|_| decision),
        alternatives: instead(&span.quote, &words, &matches).filter(|_| decision).into_iter().collect(),
        corrects: kept.corrects,
        span,
    })
}

/// Kind, category, confidence and importance. Somebody asked to remember it, it says plainly what it is, or only its form lets one expect it; a
/// speaker who is not sure makes it less sure. Of episodes, those with three signals matter more.
fn classify(kept: &Kept, own: bool, hedged: bool) -> (MemoryKind, Category, f32, f32) {
    let (sure, about) = (if hedged { 0.6 } else { 0.85 }, if own { Category::Person } else { Category::Context });
    match kept.sort {
        Some(Sort::Remember) => (MemoryKind::Profile, about, 0.95, 0.95),
        Some(Sort::Decide) => (MemoryKind::Decision, Category::Project, sure, 0.8),
        Some(Sort::Project) => (MemoryKind::Project, Category::Project, sure, 0.7),
        Some(Sort::Prefer) => (MemoryKind::Profile, Category::Preference, sure, 0.7),
        Some(_) => (MemoryKind::Profile, about, sure, 0.7),
        None => (MemoryKind::Episode, Category::Context, if hedged { 0.6 } else { 0.75 }, if kept.telling { 0.5 } else { 0.4 }),
    }
}

/// The words as in minutes: who said them when, and what they reply to. A note is the author's own sentence.
fn statement(scene: &Scene, words: &str, context: Option<&(&Turn, Sentence)>, note: Option<&str>) -> String {
    if scene.notes {
        return note.map_or_else(|| words.to_owned(), |note| format!("{words} ({note})"));
    }
    let said = context.and_then(|(turn, last)| Some((turn, last.question, line(scene.transcript.text.get(last.start..last.end)?))));
    let question =
        said.as_ref().map(|(turn, asks, words)| Question { speaker: label(turn.speaker.as_deref()), asks: *asks, words: words.as_str() });
    let day = scene.turn.at.map(|at| at.date_naive());
    Minutes { question, speaker: label(scene.turn.speaker.as_deref()), day, words, note }.to_string()
}

/// The reason of a decision, verbatim.
fn rationale(text: &str, words: &[Word], matches: &[Match]) -> Option<String> {
    let reason = longest(matches, Sort::Because)?;
    // "Because the team knows it, we chose Postgres": the reason ends with its clause.
    let opens = reason.from == 0;
    let rejected = longest(matches, Sort::Instead).map(|one| one.from).filter(|from| *from > reason.to);
    let rest = words.get(reason.to..rejected.unwrap_or(words.len()))?;
    let end = rest.iter().skip(1).position(|word| word.first || opens && word.fresh).map_or(rest.len(), |at| at + 1);
    verbatim(text, rest.get(..end)?)
}

/// What was rejected by a decision, verbatim.
fn instead(text: &str, words: &[Word], matches: &[Match]) -> Option<String> {
    let rejected = longest(matches, Sort::Instead)?;
    // The reason follows, or in some languages the verb.
    let stops = [longest(matches, Sort::Because).map(|one| one.from), longest(matches, Sort::Decide).map(|one| one.to - 1)];
    let stop = stops.into_iter().flatten().filter(|at| *at > rejected.to).min();
    let rest = words.get(rejected.to..stop.unwrap_or(words.len()))?;
    let end = rest.iter().skip(1).position(|word| word.fresh).map_or(rest.len(), |at| at + 1);
    verbatim(text, rest.get(..end)?)
}

/// The first match of a sort, the longest that begins there.
fn longest(matches: &[Match], sort: Sort) -> Option<Match> {
    let mut of_sort = matches.iter().filter(|one| one.sort == sort);
    let first = of_sort.next()?;
    of_sort.take_while(|one| one.from == first.from).chain([first]).max_by_key(|one| one.to).copied()
}

fn verbatim(text: &str, words: &[Word]) -> Option<String> {
    Some(line(text.get(words.first()?.start..words.last()?.end)?))
}

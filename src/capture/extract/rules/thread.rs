//! The turns before the one that is read, as far as they explain what it points to.

use super::asking::{self, asks_of_past, identifies};
use super::clauses::untagged;
use super::context::{self, Context};
use super::pattern::{begins, begins_any, has_any};
use super::pointing::{self, Lack};
use super::reading::Sentence;
use super::signals::Sort;
use super::talk::presents;
use super::words::{AUXILIARIES, I_WORDS, MODALS, Word, is_any, lower};
use super::{passage, person, signals, topical, words};
use crate::capture::extract::Role;
use chrono::{DateTime, TimeDelta, Utc};
use std::collections::VecDeque;

/// How many turns back an explanation may lie: the turn before, and the one before it, which is often the speaker's own.
pub const TURNS_MAX: usize = 2;
/// The fewest topical words of a question or statement that explains something.
const CONTENT_MIN: usize = 2;
/// The fewest topical words of small talk that is quoted with the reply to it.
const TALK_MIN: usize = 3;
/// The longest pause in a conversation: what is said after a longer one begins another.
const PAUSE_MAX: TimeDelta = TimeDelta::hours(3);
/// The least weight of a question that is quoted, and of one that needs no sentence before it: a point for each topical word, two for
/// each name or number.
const WEIGHT_MIN: usize = 2;
const RICH_MIN: usize = 3;
/// How many sentences back in a turn something may have been brought up.
const NEAR: usize = 5;
/// How many sentences of a turn are quoted with the reply to it, beside one more that explains them.
const ENDING_MAX: usize = 2;
/// What was said lately. It forgets everything at a turn in quarantine, and after a pause.
#[derive(Default)]
pub struct Thread {
    /// The latest first.
    turns: VecDeque<Said>,
    /// The time of the latest.
    at: Option<DateTime<Utc>>,
}

struct Said {
    speaker: String,
    /// An assistant brings nothing up.
    role: Role,
    sentences: Vec<Sentence>,
}

impl Thread {
    /// A turn begins at this time, if that is known.
    pub fn resume(&mut self, at: Option<DateTime<Utc>>) {
        if self.at.zip(at).is_some_and(|(last, now)| now - last > PAUSE_MAX) {
            self.clear();
        }
        self.at = at.or(self.at);
    }

    /// Adds a turn with its sentences, if it has any.
    pub fn push(&mut self, speaker: &str, role: Role, sentences: Vec<Sentence>) {
        if !sentences.is_empty() {
            self.turns.push_front(Said { speaker: speaker.to_owned(), role, sentences });
            self.turns.truncate(TURNS_MAX);
        }
    }

    pub fn clear(&mut self) {
        self.turns.clear();
    }

    /// The last sentence of the turn before.
    pub fn last(&self) -> Option<&Sentence> {
        self.turns.front()?.sentences.last()
    }

    /// The turn before asks something at its end.
    pub fn asks(&self) -> bool {
        self.asked().is_some()
    }

    /// Whether it asks for anything new: "What are you up to these days?"
    pub fn asks_openly(&self) -> bool {
        self.asked().is_some_and(|(_, question)| asking::is_open(question))
    }

    /// Whether it asks for anything new and names no topic: "Anything fun lately?"
    pub fn asks_anything(&self) -> bool {
        self.asked().is_some_and(|(_, question)| asking::is_vague(question))
    }

    /// Whether it asks what somebody should do: "Any tips for a beginner?"
    pub fn asks_advice(&self) -> bool {
        self.asked().is_some_and(|(_, question)| asking::wants_advice(question))
    }

    /// Whether the question of the turn before has a topical word of these.
    pub fn asks_about(&self, words: &[Word]) -> bool {
        self.asked().is_some_and(|(_, question)| topical::shares(&question.words, words))
    }

    /// The question at the end of the turn before, with the sentence before it if the question points to it: "I like your boat. How old
    /// is it?" `None` if the two cannot be understood alone.
    pub fn question(&self, people: &[String]) -> Option<String> {
        let is_clear =
            |sentence: &Sentence| sentence.signals.content >= CONTENT_MIN && is_understood(&[sentence]) && identifies(&[], sentence);
        let (at, asked) = self.asked()?;
        let earlier = at.checked_sub(1).and_then(|at| self.turns.front()?.sentences.get(at));
        let text = person::capitalised(&asked.core);
        if is_clear(asked) {
            return Some(text);
        }
        let (lack, earlier) = (asked.signals.lack?, earlier?);
        let named = is_clear(earlier) && context::names(&earlier.words, lack, people) && identifies(&earlier.words, asked);
        named.then(|| format!("{} {text}", person::capitalised(&earlier.core)))
    }

    /// Who spoke last.
    pub fn asker(&self) -> &str {
        self.turns.front().map_or("", |said| said.speaker.as_str())
    }

    /// What `speaker` may reply to, the best first: the end of the turn before or, if that says too little, what the speaker said before
    /// it; and each with one sentence more. What cannot be understood alone is left out.
    pub fn exchanges(&self, speaker: &str) -> Vec<Context> {
        let mut turns = self.turns.iter();
        let Some(said) = turns.next().filter(|said| said.speaker != speaker) else { return Vec::new() };
        let replied = ending(said, said.role == Role::Assistant);
        let (told, own) = match turns.next() {
            Some(own) if replied.is_empty() && own.speaker == speaker && !said.sentences.iter().any(|one| one.question) => {
                (ending(own, false).into_iter().filter(|one| is_statement(one)).collect(), true)
            }
            _ => (replied, false),
        };
        let context = |count: usize| {
            let sentences = told.get(told.len().checked_sub(count)?..)?;
            let seen: Vec<Sentence> = sentences.iter().map(|one| if own { (*one).clone() } else { seen(one) }).collect();
            let words = joined(seen.iter().map(|sentence| sentence.words.as_slice()));
            let text = sentences.iter().map(|one| line(&one.text)).collect::<Vec<_>>().join(" ");
            let introduction = match own {
                true => format!("Talking about “{text}”, {speaker} says"),
                false => format!("{} says “{text}” and {speaker} answers", person::capitalised(&said.speaker)),
            };
            is_understood(&seen.iter().collect::<Vec<_>>()).then_some(Context { introduction, words, clear: false, own })
        };
        let shortest = told.len().min(ENDING_MAX);
        (shortest..=told.len()).filter(|count| *count > 0).filter_map(context).collect()
    }

    /// What may explain a passage with which `speaker` goes on, the best first.
    pub fn contexts(&self, speaker: &str) -> Vec<Context> {
        let topic = self.topic(self.asked().map(|(_, question)| question));
        let Some((at, question)) = self.asked() else {
            let asks = |said: &Said| said.speaker != speaker && said.sentences.iter().any(|sentence| sentence.question);
            return topic.filter(|(said, _)| !asks(said)).map(|(said, topic)| spoken(said, topic, speaker)).into_iter().collect();
        };
        let opens = self.asks_openly();
        let weight = question.signals.content + 2 * question.signals.concrete;
        let understood = is_understood(&[question]) && identifies(&[], question);
        // "What do you paint? - It's …": what the question asks for.
        let clear = understood && !opens && begins_any(&lower(&question.words), &["what|which|who|where", "how is|was"]);
        let asker = self.asker();
        let named = context::names(&question.words, Lack::Thing, &[]);
        let alone = (understood && (weight >= WEIGHT_MIN || named))
            .then(|| Context { clear, ..asked(asker, &question.core, question.words.clone(), speaker) });
        // With the sentence before it, or the two before it.
        let after = |count: usize| {
            let sentences = self.before(at, count)?;
            let (last, before) = sentences.split_last()?;
            let seen: Vec<Sentence> = sentences.iter().map(seen).collect();
            let words = joined(seen.iter().map(|sentence| sentence.words.as_slice()));
            let told = joined(before.iter().map(|sentence| sentence.words.as_slice()));
            let understood = is_understood(&seen.iter().collect::<Vec<_>>()) && identifies(&told, last);
            let text = sentences.iter().map(|sentence| sentence.text.as_str()).collect::<Vec<_>>().join(" ");
            understood.then(|| asked(asker, &text, words, speaker))
        };
        let both = after(1);
        // "What pet do you have?", "How long do you hold that pose?": a noun of what is asked.
        let noun = begins(&lower(&question.words), "what|which")
            && question.words.get(1).is_some_and(|word| !is_any(&word.lower, &[AUXILIARIES, MODALS]))
            || context::seen(&question.words) != question.words;
        let wide = || after(2).or_else(|| after(0).filter(|_| noun && question.signals.content > 0));
        let recounts = asks_of_past(question);
        let follows = |topic: &Sentence| {
            let takes_up = !(understood && asking::may_turn(question)) || topical::shares(&topic.words, &question.words);
            let named =
                is_understood(&[topic, question]) || topic.signals.lack == Some(Lack::Shown) && context::shown(&question.words).is_empty();
            takes_up && named && identifies(&topic.words, question)
        };
        let about = topic.filter(|(_, topic)| !opens && follows(topic));
        let about = about.map(|(said, topic)| Context { clear: clear && recounts, ..asked_about(said, topic, question, speaker) });
        let contexts = match weight >= RICH_MIN && understood && !opens {
            _ if recounts && about.is_some() => [about, both, alone],
            true => [alone, both, about],
            false => [both, about, alone],
        };
        // A question for news explains no "it".
        let explaining = |context: Context| if opens { Context { words: Vec::new(), ..context } } else { context };
        let contexts: Vec<Context> = contexts.into_iter().flatten().map(explaining).collect();
        if contexts.is_empty() && !opens { wide().into_iter().collect() } else { contexts }
    }

    /// The question at `at` of the turn before, after the `count` sentences before it, if they say something.
    fn before(&self, at: usize, count: usize) -> Option<&[Sentence]> {
        let sentences = self.turns.front()?.sentences.get(at.checked_sub(count)?..=at)?;
        sentences.split_last()?.1.iter().all(|sentence| sentence.signals.content >= CONTENT_MIN).then_some(sentences)
    }

    /// The introduction of an answer, if the question asks about something that the listener did without naming it.
    pub fn recounted(&self, speaker: &str) -> Option<Context> {
        let (_, question) = self.asked()?;
        asks_of_past(question).then(|| self.contexts(speaker).into_iter().next())?
    }

    /// The question at the end of the turn before, perhaps with one sentence after it, and its place in the turn.
    fn asked(&self) -> Option<(usize, &Sentence)> {
        let sentences = &self.turns.front()?.sentences;
        // "It's amazing how boats float, right?" asks nothing.
        let asks = |one: &Sentence| one.question && (one.signals.second_person || untagged(&one.text).is_none());
        let at = (sentences.len().saturating_sub(2)..sentences.len()).rev().find(|at| sentences.get(*at).is_some_and(asks))?;
        Some((at, sentences.get(at)?))
    }

    /// The sentence that brings up what a question is about and can be understood alone: one with a word of the question, or the latest.
    fn topic(&self, question: Option<&Sentence>) -> Option<(&Said, &Sentence)> {
        let people = || self.turns.iter().filter(|said| said.role == Role::Person);
        let near = |said: &'_ Said| said.sentences.len().saturating_sub(NEAR);
        let brought = people().flat_map(|said| said.sentences.iter().skip(near(said)).rev().map(move |one| (said, one)));
        // What is said after the question is not what it is about.
        let after = |one: &Sentence| question.is_some_and(|question| one.start > question.start);
        let brought = brought.filter(|(_, one)| !after(one));
        let brought: Vec<(&Said, &Sentence)> = brought.filter(|(_, one)| brings_up(one)).collect();
        let taken_up = |one: &Sentence| question.is_some_and(|question| topical::shares(&one.words, &question.words));
        brought.iter().find(|(_, one)| taken_up(one)).or_else(|| brought.first()).copied()
    }
}

/// Whether a sentence states something that its speaker may go on from, and not everything at once: "I want it all to be right."
fn is_statement(sentence: &Sentence) -> bool {
    let vague = has_any(&lower(&sentence.words), &["everything|something|anything", "it all"]);
    (!sentence.question || untagged(&sentence.text).is_some()) && !vague
}

/// A question of `asker`, as the introduction of what `speaker` answers. The asker is named if the question speaks of them.
fn asked(asker: &str, question: &str, words: Vec<Word>, speaker: &str) -> Context {
    let question = line(&person::capitalised(question));
    Context { introduction: introduced(asker, &question, speaker), words, clear: false, own: false }
}

/// How a question introduces an answer.
pub fn introduced(asker: &str, question: &str, speaker: &str) -> String {
    let own = words::words(question).iter().any(|word| !word.quoted && is_any(&word.lower, &[I_WORDS, &["we", "our"]]));
    if own {
        format!("{} asks “{question}” and {speaker} answers", person::capitalised(asker))
    } else {
        format!("Asked “{question}”, {speaker} answers")
    }
}

/// A sentence as one understands it who sees what it is about.
fn seen(sentence: &Sentence) -> Sentence {
    let words = context::seen(&sentence.words);
    Sentence { signals: signals::read(&words), words, ..sentence.clone() }
}

/// Whether sentences that follow each other name everything that they point to.
fn is_understood(sentences: &[&Sentence]) -> bool {
    let words = joined(sentences.iter().map(|sentence| sentence.words.as_slice()));
    // "When in Basel was it?": Basel is not what "it" means.
    let lowers = lower(&words);
    let named = |words: &[Word], lack: Lack| context::names(words, lack, &[]);
    let (mut first, mut points) = (0, false);
    for sentence in sentences {
        let end = first + sentence.words.len();
        points |= sentence.question && (first..end).any(|at| pointing::points_by(&words, &lowers, at, &named).is_some());
        first = end;
    }
    !points && passage::lacks(sentences, &words).is_empty() && context::shown(&words).is_empty()
}

/// The last sentences of a turn that say something, three at most; none if the last two say too little. An assistant's questions explain
/// something, its statements do not.
fn ending(said: &Said, questions: bool) -> Vec<&Sentence> {
    // What the reply follows at once may be small talk that names what it is about: "Sounds like your trip was fun."
    let last = said.sentences.last().map(|last| last.start);
    let tells = |one: &&Sentence| {
        let seems = has_any(&lower(&one.words), &["sounds|seems|looks like|as", "must have|be"]);
        let named = Some(one.start) == last && one.signals.content >= TALK_MIN && seems;
        (!one.says_nothing() || named) && (one.question || !questions)
    };
    let mut told: Vec<&Sentence> = said.sentences.iter().rev().filter(tells).take(ENDING_MAX + 1).collect();
    let says: usize = told.iter().take(ENDING_MAX).map(|one| one.signals.content + one.signals.concrete).sum();
    if says < CONTENT_MIN {
        return Vec::new();
    }
    told.reverse();
    told
}

/// What `said` brought up and a question about it, as the introduction of what `speaker` answers.
fn asked_about(said: &Said, topic: &Sentence, question: &Sentence, speaker: &str) -> Context {
    let (about, asked) = (statement(topic), line(&person::capitalised(&question.core)));
    let introduction = if said.speaker == speaker {
        format!("Talking about “{about}” and asked “{asked}”, {speaker} answers")
    } else {
        format!("{} says “{about}” and asks “{asked}”; {speaker} answers", person::capitalised(&said.speaker))
    };
    Context { introduction, words: joined([&topic.words[..], &question.words[..]]), clear: false, own: false }
}

/// What `said` brought up, as the introduction of what `speaker` says next.
fn spoken(said: &Said, topic: &Sentence, speaker: &str) -> Context {
    let introduction = if said.speaker == speaker {
        format!("Talking about “{}”, {speaker} says", statement(topic))
    } else {
        format!("{} says “{}” and {speaker} answers", person::capitalised(&said.speaker), statement(topic))
    };
    Context { introduction, words: topic.words.clone(), clear: false, own: said.speaker == speaker }
}

/// Whether a sentence brings something up that the next ones may mean. It may show the thing: "Here's a photo of my boat".
fn brings_up(sentence: &Sentence) -> bool {
    let signals = &sentence.signals;
    let sort = signals.sorts.iter().any(|sort| !matches!(sort, Sort::Feeling | Sort::Meaning));
    let shows = matches!(signals.lack, Some(Lack::Shown)) && pointing::names(&sentence.words, Lack::Thing);
    let named = signals.content >= CONTENT_MIN && pointing::names(&sentence.words, Lack::Thing);
    let says = named || signals.content > CONTENT_MIN;
    let announces = signals.content <= TALK_MIN && has_any(&lower(&sentence.words), &["news|question|story|stories|surprise|update"]);
    let vague = announces || has_any(&lower(&sentence.words), &["something|anything|stuff|things"]);
    let shows = shows || presents(&lower(&sentence.words));
    let clear = !sentence.talk && sort && signals.lack.is_none() || shows;
    !sentence.question && clear && !vague && signals.first_person && says
}

/// The words of several sentences in a row. A capital at the beginning of one says nothing.
pub fn joined<'a>(sentences: impl IntoIterator<Item = &'a [Word]>) -> Vec<Word> {
    let mut all: Vec<Word> = Vec::new();
    for sentence in sentences {
        let first = all.len();
        all.extend_from_slice(sentence);
        if let Some(word) = all.get_mut(first) {
            (word.capital, word.fresh) = (false, true);
        }
    }
    all
}

fn statement(sentence: &Sentence) -> String {
    person::capitalised(line(&sentence.core).trim_end_matches(['.', '!', '…', ',', ' ']))
}

fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

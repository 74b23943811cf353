//! Which sentences of a turn belong together: those that go on with the one before, and those that need it to be understood.

use super::build::{Draft, Need, SENTENCES_MAX, Scene};
use super::pattern::{begins, begins_any, has, has_any};
use super::pointing::{self, Lack};
use super::reading::{self, Reading, Sentence, is_thing};
use super::signals::{self, Signals, Sort};
use super::thread::joined;
use super::words::{I_WORDS, Word, is_adverb, lower, words};
use super::{context, dates, nouns, weight};
use crate::api::MemoryKind;
use crate::capture::extract::Role;
use chrono::NaiveDate;

/// How many sentences back a person may be introduced.
const INTRODUCTION_MAX: usize = 6;
/// How far apart two sentences may be to be joined, in sentences.
const GAP_MAX: usize = 3;
/// The fewest words of an answer that is no sentence.
const ANSWER_WORDS_MIN: usize = 3;
/// The least weight of a sentence that says enough alone.
const WEIGHT_MIN: usize = 4;
/// The weight below which it says nothing alone.
const EMPTY_MAX: usize = 3;
/// The fewest topical words of a sentence that names known things and is understood alone.
const LEANING_MAX: usize = 6;
/// The fewest topical words of a judgement that is understood alone.
const JUDGED_MIN: usize = 6;
/// The importance of an answer that is no sentence.
const ANSWER: f32 = 0.4;

/// Words that say only that something happened, and how it was.
#[rustfmt::skip]
const HOLLOW: &[&str] = &[
    "amazing", "awesome", "been", "blast", "cool", "event", "events", "fantastic", "great", "have", "incredible", "lately", "nice", "place",
    "places", "something", "that", "thing", "things", "time", "took", "trip", "week", "weekend", "went", "were", "with", "wonderful",
];

/// The drafts of a turn, in its order.
pub fn drafts(scene: &Scene, sentences: &[Sentence]) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = Vec::new();
    // Whether no sentence of the turn says anything so far.
    let mut first = true;
    for (at, sentence) in sentences.iter().enumerate() {
        let opens = first;
        first &= sentence.says_nothing();
        let open = drafts.last_mut().filter(|draft| draft.parts.len() < SENTENCES_MAX && at - draft.last <= GAP_MAX);
        let Some(reading) = reading::read(scene, sentence) else {
            match open {
                Some(draft) if draft.last + 1 == at && adds(draft, sentence) => draft.push(at, sentence.core.clone()),
                None if opens => drafts.extend(answer(scene, at, sentence)),
                _ => {}
            }
            continue;
        };
        let lacks = if reading.is_plain(scene) { Vec::new() } else { reading.signals.lacks.clone() };
        let goes_on = |draft: &&mut Draft| match lacks.as_slice() {
            [_, ..] => draft.last + 1 == at && !shows(sentence) && supplies(&draft.parts, &words(&reading.core), &lacks),
            [] if draft.last + 1 == at && (is_weak(&reading) || draft.parts.len() == 1 && is_weak(&draft.reading)) => {
                !is_thing(reading.kind) && !is_thing(draft.reading.kind) && !turns(&sentence.text)
            }
            [] => {
                (tells_on(&draft.reading, &reading) || draft.last + 1 == at && adds_to(&draft.reading, &reading)) && !turns(&sentence.text)
            }
        };
        if let Some(draft) = open.filter(goes_on) {
            draft.push(at, reading.core.clone());
            draft.reading.corrects |= reading.corrects;
        } else {
            let draft = begun(scene, sentences, at, opens, &lacks, reading);
            // It may begin with the sentences of the one before.
            if draft.as_ref().zip(drafts.last()).is_some_and(|(draft, last)| draft.first <= last.first && is_covered(last)) {
                drafts.pop();
            }
            drafts.extend(draft);
        }
    }
    for draft in &mut drafts {
        draft.reading.kind = kind(draft);
    }
    drafts
}

/// Whether a draft is nothing but its sentences, so that a longer one with the same sentences says the same.
fn is_covered(draft: &Draft) -> bool {
    matches!(draft.need, Need::Nothing) && !draft.reading.explicit && !draft.reading.corrects && !is_thing(draft.reading.kind)
}

/// The kind of a draft by all its sentences.
pub fn kind(draft: &Draft) -> MemoryKind {
    if draft.parts.len() == 1 || is_thing(draft.reading.kind) || draft.reading.explicit {
        return draft.reading.kind;
    }
    let parts: Vec<Vec<Word>> = draft.parts.iter().map(|part| words(part)).collect();
    let found = joined(parts.iter().map(Vec::as_slice));
    reading::kind(&signals::read(&found), &lower(&found))
}

/// A draft that begins with the sentence at `at`, or with those before it that name what it lacks; `None` if nothing does.
fn begun(scene: &Scene, sentences: &[Sentence], at: usize, opens: bool, lacks: &[Lack], reading: Reading) -> Option<Draft> {
    let core = reading.core.clone();
    if lacks.is_empty() && is_empty(&reading) && !reading.is_plain(scene) {
        return None;
    }
    let alone = |need: Need, reading: Reading| Some(Draft { first: at, last: at, parts: vec![core.clone()], need, reading });
    if lacks.is_empty() {
        return alone(Need::Nothing, reading);
    }
    if sentences.get(at).is_some_and(shows) {
        return None;
    }
    let before = context(sentences, at, &words(&core), lacks).or_else(|| introduction(sentences, at, lacks));
    if let Some((first, mut parts)) = before {
        parts.push(core);
        return Some(Draft { first, last: at, parts, need: Need::Nothing, reading });
    }
    if opens && reading.corrects && scene.thread.last().is_some() {
        return alone(Need::Corrected, reading);
    }
    let shows = words(&core).iter().any(|word| matches!(word.lower.as_str(), "this" | "these" | "here"));
    let vague = scene.question.is_some_and(|question| has_any(&lower(&words(question)), &["any|anything|something|how's"]));
    let answers = !shows
        && (!vague || !lacks.contains(&Lack::Thing))
        && scene.question.is_some_and(|question| names_all(&words(question), &core, scene.names));
    if opens && answers { alone(Need::Question, reading) } else { None }
}

/// Whether the words of a question name everything that its answer lacks.
fn names_all(question: &[Word], answer: &str, people: &[String]) -> bool {
    pointing::lacks(&words(answer)).into_iter().all(|lack| context::names(question, lack, people))
}

/// Whether a sentence continues the one before it, without a name, number or time of its own: "I went to Basel. We had fun."
fn tells_on(before: &Reading, next: &Reading) -> bool {
    let event = |reading: &Reading| reading.signals.is(Sort::Event) && reading.signals.past && !is_thing(reading.kind);
    let past = next.signals.past && next.signals.sorts.iter().all(|sort| matches!(sort, Sort::Event | Sort::Feeling | Sort::Meaning));
    let timed = || !dates::relative(&next.core, &words(&next.core), NaiveDate::default()).is_empty();
    event(before) && past && !before.signals.second_person && next.signals.concrete == 0 && !next.explicit && !next.corrects && !timed()
}

/// Whether a sentence with no name, number or time tells more of what the one before it tells.
fn adds_to(before: &Reading, next: &Reading) -> bool {
    let tells = |reading: &Reading| !is_thing(reading.kind) && !reading.explicit && !reading::lasts(&reading.signals) && !reading.corrects;
    let timed = !dates::relative(&next.core, &words(&next.core), NaiveDate::default()).is_empty();
    tells(before) && tells(next) && next.signals.concrete == 0 && !timed && before.signals.past == next.signals.past
}

/// Whether a sentence says little without those around it: "It was like a dream", "We also had fun".
pub fn is_weak(reading: &Reading) -> bool {
    let words = words(&reading.core);
    let lowers = lower(&words);
    let leans = has_any(&lowers, &["also|too|even|instead|besides|again|then|another|ended"]);
    let empty = matches!(lowers.first(), Some(&("it" | "it's" | "there's" | "there")));
    let signals = &reading.signals;
    !reading.explicit && !reading.corrects && (leans || empty || !reading::lasts(signals) && weight(signals) < WEIGHT_MIN)
}

/// Whether the subject of a sentence is cut off; see [`is_headless`].
pub fn is_cut(reading: &Reading) -> bool {
    let plain = reading.explicit || reading.corrects || is_thing(reading.kind);
    !plain && is_headless(&reading.signals, &reading.core)
}

/// Whether "we" do something, and no name, number, time or relative says who or when; or whether a sentence only judges what somebody
/// does, and not who does what: "Knowing that I help is great".
pub fn is_headless(signals: &Signals, core: &str) -> bool {
    let found = words(core);
    let ours = found.first().is_some_and(|word| matches!(word.lower.as_str(), "we" | "we've" | "we're" | "we'll" | "we'd"));
    let timed = || !dates::relative(core, &found, NaiveDate::default()).is_empty();
    let named = signals.concrete > 0 || signals.is(Sort::Relation);
    // "There were games for children": where?
    let scene = begins(&lower(&found), "there was|were") && !pointing::names(&found, Lack::Place);
    !named && ((ours && !signals.single || scene) && !timed() || is_judgement(signals, &lower(&found)))
}

/// Whether a sentence begins with a deed without its subject and ends with how good that is: "Seeing my work come alive was amazing".
fn is_judgement(signals: &Signals, lowers: &[&str]) -> bool {
    const DEEDS: &str = "being|feeling|finding|getting|having|hearing|helping|knowing|making|receiving|seeing|sharing|watching";
    const JUDGEMENTS: &str = "amazing|awesome|beyond|fantastic|fulfilling|great|incredible|inspiring|priceless|rewarding|special|wonderful";
    let sight = format!("it|it's is|was|feels|felt? so|really|just? cool|nice|good|{JUDGEMENTS} to see|know|think how");
    let subject =
        begins(lowers, DEEDS) || begins(lowers, &sight) || begins(lowers, &format!("it's so|really|just? {JUDGEMENTS} how? {DEEDS}"));
    let judged = begins(lowers, &sight) || has(lowers, &format!("is|was|feels|felt|it's so|really|just|super|truly? {JUDGEMENTS}"));
    subject && judged && signals.content < JUDGED_MIN
}

/// Whether a sentence names things as if they were known, so that the one before may say of what: "I love the songs and costumes".
pub fn leans_on(found: &[Word], signals: &Signals) -> bool {
    let lowers = lower(found);
    let ends = |at: usize| {
        found.get(at).is_none_or(|next| next.fresh) || lowers.get(at).is_some_and(|next| matches!(*next, "and" | "but" | "so" | "because"))
    };
    let plural = |at: usize| lowers.get(at).is_some_and(|noun| nouns::is_plural(noun) && !nouns::is_person(noun)) && ends(at + 1);
    let known = |at: usize| lowers.get(at) == Some(&"the") && (plural(at + 1) || plural(at + 2));
    let named = found.iter().skip(1).any(|word| word.capital && !I_WORDS.contains(&word.lower.as_str()) || word.quoted);
    !named && signals.content < LEANING_MAX && (0..found.len()).any(known)
}

/// How much the words of a sentence say: a point for each topical word, two for each name or number.
pub fn weight(signals: &Signals) -> usize {
    signals.content + 2 * signals.concrete
}

/// Whether a sentence of what happened or was felt names nothing: "We had loads of fun".
fn is_empty(reading: &Reading) -> bool {
    let signals = &reading.signals;
    // "I went to a race and it was fantastic": which?
    let hollow = |word: &String| HOLLOW.contains(&word.as_str()) || word.len() < 4;
    let nothing = signals.concrete == 0 && signals.plain.iter().all(|word| hollow(word) || is_adverb(word));
    !reading.corrects && !reading::lasts(signals) && !signals.is(Sort::Meaning) && (weight(signals) < EMPTY_MAX || nothing)
}

/// Whether a sentence turns to something else: "By the way, …".
pub fn turns(text: &str) -> bool {
    has_any(&lower(&words(text)), &["by the way", "btw", "anyway|anyways", "on another|a different? note"])
}

/// Whether sentences name everything that the next one lacks. "It" may be all that the last one tells; "this boat" needs a boat.
fn supplies(parts: &[String], next: &[Word], lacks: &[Lack]) -> bool {
    let parts: Vec<Vec<Word>> = parts.iter().map(|part| words(part)).collect();
    let names = |lack: &Lack| match lack {
        Lack::Thing => true,
        Lack::Shown => false,
        lack => parts.iter().any(|part| pointing::names(part, *lack)),
    };
    let like = has(&lower(next), "like this|these|that|those");
    lacks.iter().all(|lack| names(lack) || like && *lack == Lack::Shown)
        && shown_by(&parts, next)
        && !parts.last().is_some_and(|last| is_taught(last, next))
}

/// Whether sentences before have every noun to which the next one points: "this boat".
fn shown_by(before: &[Vec<Word>], next: &[Word]) -> bool {
    let all = joined(before.iter().map(Vec::as_slice).chain([next]));
    context::unnamed(&all, all.len() - next.len()).is_none()
}

/// Whether both sentences tell what the speaker learned, so that "it" is what they learned it from: "I realized that I was wrong. It
/// taught me patience."
pub fn is_taught(before: &[Word], next: &[Word]) -> bool {
    begins_any(&lower(before), &["i|i've|we|we've also|just|really? realized|realised|learned|learnt|discovered"])
        && begins_any(&lower(next), &["it|this|that also|really|even? reminded|taught|showed|helped|made|gave|inspired|motivated"])
}

/// The sentences before the one at `at`, which has the words `next`, back to one that can be understood alone, if they name everything
/// that it lacks; and the first one's index.
fn context(sentences: &[Sentence], at: usize, next: &[Word], lacks: &[Lack]) -> Option<(usize, Vec<String>)> {
    let (mut before, mut lacks): (Vec<&Sentence>, Vec<Lack>) = (Vec::new(), lacks.to_vec());
    for (first, sentence) in sentences.get(..at)?.iter().enumerate().rev().take(SENTENCES_MAX - 1) {
        if sentence.question || sentence.talk || sentence.signals.content + sentence.signals.concrete < 2 {
            return None;
        }
        if before.is_empty() && is_taught(&sentence.words, next) {
            return None;
        }
        before.insert(0, sentence);
        // "Swimming is fun. It keeps me fit."
        let gerund = sentence.words.first().is_some_and(|word| word.lower.len() > 5 && word.lower.ends_with("ing"));
        let whole = sentence.signals.lacks.is_empty();
        // A sentence that is not understood alone may still be what "it" means.
        lacks.retain(|lack| !(pointing::names(&sentence.words, *lack) || *lack == Lack::Thing && (gerund || !whole)));
        if whole {
            let words: Vec<Vec<Word>> = before.iter().map(|sentence| sentence.words.clone()).collect();
            let parts = || before.iter().map(|sentence| sentence.core.clone()).collect();
            return (lacks.is_empty() && shown_by(&words, next)).then(|| (first, parts()));
        }
        lacks.extend(sentence.signals.lacks.iter().copied());
    }
    None
}

/// The only sentence before the one at `at` that names a person, if it can be understood alone: who "she" is later. And its index.
fn introduction(sentences: &[Sentence], at: usize, lacks: &[Lack]) -> Option<(usize, Vec<String>)> {
    let before = sentences.get(..at)?.iter().enumerate().rev().take(INTRODUCTION_MAX);
    let person = lacks.contains(&Lack::Person);
    let mut named = before.filter(|(_, sentence)| person && pointing::names(&sentence.words, Lack::Person));
    let (first, sentence) = named.next()?;
    let understood = !sentence.question && !sentence.talk && sentence.signals.lack.is_none();
    let all = lacks.iter().all(|lack| pointing::names(&sentence.words, *lack));
    (named.next().is_none() && understood && all).then(|| (first, vec![sentence.core.clone()]))
}

/// Whether a sentence is about what is shown beside it: "This is my boat".
fn shows(sentence: &Sentence) -> bool {
    begins_any(&lower(&sentence.words), &["this|these is|are|was|were", "this's"])
}

/// Whether a sentence that is worth no candidate adds to the draft before it: "It is near the lake in Basel."
fn adds(draft: &Draft, sentence: &Sentence) -> bool {
    let signals = &sentence.signals;
    let says =
        !shows(sentence) && signals.content > 1 && !signals.second_person && !sentence.question && !sentence.talk && !signals.general;
    // "The people there": others than those that were spoken of.
    let crowd = begins(&lower(&sentence.words), "the people|folks|guys");
    says && !crowd && !signals.lacks.is_empty() && supplies(&draft.parts, &sentence.words, &signals.lacks)
}

/// An answer that is no sentence: "Sushi, for sure."
fn answer(scene: &Scene, at: usize, sentence: &Sentence) -> Option<Draft> {
    let question = scene.question.filter(|_| scene.turn.role == Role::Person)?;
    let passing = has_any(&lower(&words(question)), reading::PASSING);
    let signals = &sentence.signals;
    let names = sentence.words.len() >= ANSWER_WORDS_MIN && signals.concrete + signals.content > 0 && signals.lack.is_none();
    if sentence.talk || sentence.question || !names || signals.verb || signals.second_person {
        return None;
    }
    let reading = Reading {
        kind: if passing { MemoryKind::Episode } else { MemoryKind::Profile },
        core: sentence.core.clone(),
        hedged: weight::hedged(&lower(&sentence.words), signals),
        signals: signals.clone(),
        importance: ANSWER,
        explicit: false,
        corrects: false,
        decision: Default::default(),
    };
    Some(Draft { first: at, last: at, parts: vec![sentence.core.clone()], need: Need::Question, reading })
}

#[cfg(test)]
mod tests {
    use super::super::extract;
    use crate::api::MemoryKind;
    use crate::capture::extract::transcript::read;

    fn found(transcript: &str) -> Vec<(MemoryKind, String)> {
        extract(&read(transcript.as_bytes()).unwrap()).candidates.into_iter().map(|one| (one.kind, one.statement)).collect()
    }

    #[test]
    fn the_kind_comes_from_all_sentences() {
        assert_eq!(
            found("Vera: I built a mast in my workshop. It took a winter, but I'm proud of it."),
            [(MemoryKind::Profile, "Vera built a mast in their workshop. It took a winter, but Vera is proud of it.".to_owned())]
        );
    }

    #[test]
    fn we_who_did_something_need_the_sentence_before_or_the_question() {
        assert_eq!(found("Vera: Hi!\nIdris: We pulled off a narrow win."), []);
        assert_eq!(found("Vera: Hi!\nIdris: We pulled off a narrow win in Basel.").len(), 1);
        let answer = found("Vera: How did the race at the harbour go?\nIdris: We pulled off a narrow win.");
        assert!(answer.iter().all(|(_, one)| one.contains("race")), "{answer:?}");
    }

    #[test]
    fn a_noun_that_is_pointed_to_needs_that_noun() {
        let statements = |text: &str| found(text).into_iter().map(|(_, one)| one).collect::<Vec<_>>();
        assert_eq!(
            statements("Vera: Painting has always been a hobby of mine. I got an idea for this mast from my uncle."),
            ["Painting has always been a hobby of Vera's."]
        );
        // What taught it is not what was learned.
        assert_eq!(
            statements("Vera: I realized that I need a quiet harbour. It reminded me of my uncle."),
            ["Vera realized that they need a quiet harbour."]
        );
    }

    #[test]
    fn a_question_about_the_asker_names_them() {
        assert_eq!(
            found("Vera: Who painted my small boat?\nIdris: It was painted by my uncle in Basel.").first().map(|(_, one)| one.as_str()),
            Some("Vera asks “Who painted my small boat?” and Idris answers: “It was painted by my uncle in Basel.”")
        );
    }
}

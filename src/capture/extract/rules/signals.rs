//! What the words of a statement say about its sort: general classes of English, no topic of anybody's.

use super::nouns;
use super::pattern::{begins, begins_any, has_any};
use super::pointing::{self, Lack};
pub use super::sorts::Sort;
use super::sorts::sorts;
use super::verbs;
use super::words::{ADVERBS, AUXILIARIES, I_WORDS, MODALS, POINTING, PREPOSITIONS, WE_WORDS, Word, YOU_WORDS, is_any};

/// Contractions in full. Those with "'s" stay: they may be possessives.
const ENDINGS: &[(&str, &str)] = &[("'m", "am"), ("'ve", "have"), ("'ll", "will"), ("'d", "would"), ("'re", "are")];

/// The verb of a sentence is among this many words.
const PAST_MAX: usize = 4;
/// What everybody has: "our lives".
#[rustfmt::skip]
const EVERYBODYS: &[&str] = &[
    "bodies", "community", "dreams", "emotions", "feelings", "goals", "happiness", "health", "hearts", "imagination", "life", "lives", "loved",
    "mental", "minds", "own", "passions", "planet", "society", "souls", "true", "world",
];

/// What stands for a quoted word.
const QUOTED: &str = "\"";
/// A statement with what its words say.
#[derive(Clone, Debug, Default)]
pub struct Signals {
    pub sorts: Vec<Sort>,
    /// Speaks of the speaker, alone or with others.
    pub first_person: bool,
    /// Its subject is the speaker or something of theirs.
    pub own_subject: bool,
    /// Speaks to somebody.
    pub second_person: bool,
    /// What the sentences before it have to name first, and everything that they have to name.
    pub lack: Option<Lack>,
    pub lacks: Vec<Lack>,
    /// Numbers, names and titles after the first word.
    pub concrete: usize,
    /// Words that carry a topic.
    pub content: usize,
    /// Has a past form.
    pub past: bool,
    /// Has something like a verb.
    pub verb: bool,
    /// Begins like advice or a command: "Gather the documents".
    pub commands: bool,
    /// Says "I", "me" or "my".
    pub single: bool,
    /// Says something of everybody, not of the speaker: "Taking risks is how we grow", "Pets make us happy".
    pub general: bool,
    /// The plain words.
    pub plain: Vec<String>,
}

/// Reads the words of a statement.
pub fn read(found: &[Word]) -> Signals {
    let lowers: Vec<&str> = found.iter().map(|word| if word.quoted { QUOTED } else { word.lower.as_str() }).collect();
    let plain = plain(&lowers);
    let stream: Vec<&str> = plain.iter().map(String::as_str).collect();
    let first = lowers.first().copied().unwrap_or_default();
    let second = lowers.get(1).copied().unwrap_or_default();
    let is_self = |word: &&str| I_WORDS.contains(word) || WE_WORDS.contains(word);
    let mut lacks = pointing::lacks(found);
    if lacks.is_empty() && (repeats(&lowers, &stream) || loves_known(&stream) && concrete(found) == 0) {
        lacks.push(Lack::Thing);
    }
    Signals {
        sorts: sorts(&lowers, &stream),
        first_person: lowers.iter().any(is_self),
        own_subject: stream.iter().take(3).any(|word| matches!(*word, "i" | "my")),
        second_person: lowers.iter().any(|word| YOU_WORDS.contains(word)),
        lack: lacks.first().copied(),
        lacks,
        concrete: concrete(found),
        content: content(&lowers),
        commands: verbs::is_common(if matches!(first, "never" | "always" | "just") { second } else { first })
            && !lowers.iter().take(2).any(is_self),
        single: lowers.iter().any(|word| I_WORDS.contains(word)),
        general: us_all(&lowers)
            || judges_all(&lowers)
            || (first.len() > 5 && first.ends_with("ing") || first == "being") && !lowers.iter().any(|word| I_WORDS.contains(word)),
        past: lowers.iter().any(|word| verbs::is_past(word)),
        // "Old churches fascinate me."
        verb: stream.iter().any(|word| is_verb(word))
            || stream.iter().skip(2).any(|word| *word == "me")
            || stream.windows(3).any(|three| matches!(three, [before, verb, "my" | "the" | "a"] if nouns::is_plural(verb) && !pointing::DETERMINERS.contains(before) && *before != "all")),
        plain,
    }
}

impl Signals {
    /// Whether the plain words contain one of the patterns.
    pub fn says(&self, patterns: &[&str]) -> bool {
        let stream: Vec<&str> = self.plain.iter().map(String::as_str).collect();
        has_any(&stream, patterns)
    }

    /// Whether the plain words begin with one of the patterns.
    pub fn opens(&self, patterns: &[&str]) -> bool {
        let stream: Vec<&str> = self.plain.iter().map(String::as_str).collect();
        begins_any(&stream, patterns)
    }

    pub fn is(&self, sort: Sort) -> bool {
        self.sorts.contains(&sort)
    }
}

fn plain(lowers: &[&str]) -> Vec<String> {
    let mut words = Vec::with_capacity(lowers.len() + 4);
    for lower in lowers.iter().filter(|word| !ADVERBS.contains(word)) {
        let lower = match *lower {
            "im" => "i'm",
            "ive" => "i've",
            "can't" | "cannot" | "cant" => {
                words.extend(["can".to_owned(), "not".to_owned()]);
                continue;
            }
            other => other,
        };
        let (stem, ending) =
            ENDINGS.iter().find_map(|(ending, full)| Some((lower.strip_suffix(ending)?, Some(*full)))).unwrap_or((lower, None));
        let (stem, ending) = match stem.strip_suffix("n't") {
            Some(stem) => (stem, Some("not")),
            None => (stem, ending),
        };
        let stem = match stem {
            "we" => "i",
            "our" => "my",
            "us" => "me",
            other => other,
        };
        words.push(stem.to_owned());
        // "we are" reads as "i am".
        let ending = if stem == "i" && ending == Some("are") { Some("am") } else { ending };
        words.extend(ending.map(str::to_owned));
    }
    for at in 1..words.len() {
        if words.get(at - 1).is_some_and(|word| word == "i") {
            match words.get_mut(at) {
                Some(word) if word == "are" => *word = "am".into(),
                Some(word) if word == "were" => *word = "was".into(),
                _ => {}
            }
        }
    }
    words
}

fn is_verb(word: &str) -> bool {
    is_any(word, &[AUXILIARIES, MODALS])
        || verbs::is_past(word)
        || verbs::is_common(word)
        || word.strip_suffix('s').is_some_and(verbs::is_common)
        || word.strip_suffix("'s").is_some()
}

/// Whether a sentence has a subject that was named before, or none at all: "Everyone was there", "Gives me hope".
fn repeats(lowers: &[&str], stream: &[&str]) -> bool {
    let first = lowers.first().copied().unwrap_or_default();
    matches!(first, "mine" | "which")
        || matches!(first, "everyone" | "everybody") && content(lowers) < 5
        || is_predicate(first, stream)
        // "Got stuck": a past form without its subject.
        || verbs::is_past(first) && !begins(lowers, "used|based|given|compared|left|born|raised|inspired")
        // "My dream come true": no verb.
        || matches!(lowers, ["my" | "our", noun, verb, ..] if verbs::is_common(verb) && !noun.ends_with('s') && !nouns::is_person(noun) && !nouns::is_group(noun))
        || begins(lowers, "the same") || begins(lowers, "each|not|almost|as|like")
        // An adjective without its noun: "My favourite was when we won".
        || begins(lowers, "my favorite|favourite|first|next|best is|was")
        || matches!(lowers, [.., "the", "best" | "worst" | "hardest", "part" | "thing" | "moment"])
        || begins(lowers, "the best|worst|hardest|toughest|nicest part|thing|moment") && !has_any(lowers, &["is|was that|when"])
        || begins(lowers, "one|some|all|both|most of them|these|those|it")
}

/// "I love the colours": of something that both know.
pub fn likes_known(signals: &Signals) -> bool {
    let stream: Vec<&str> = signals.plain.iter().map(String::as_str).collect();
    loves_known(&stream) && signals.concrete == 0
}

fn loves_known(stream: &[&str]) -> bool {
    begins(stream, "i? love|like|enjoy|adore|hate|prefer|dislike|admire the") && !has_any(stream, &["of|when|who|where"])
}

/// Whether a sentence begins with its verb, so that its subject is what was said before: "Gives me hope", "Really made me proud".
fn is_predicate(first: &str, stream: &[&str]) -> bool {
    let opening = stream.iter().find(|word| !ADVERBS.contains(word)).copied().unwrap_or(first);
    opening.strip_suffix('s').is_some_and(verbs::is_never_noun)
        || (verbs::is_past(opening) && stream.iter().take(3).any(|word| *word == "me"))
}

/// Numbers, names and quotations. A capital at the beginning says nothing.
fn concrete(found: &[Word]) -> usize {
    let named = |(at, word): &(usize, &Word)| *at > 0 && word.capital && !I_WORDS.contains(&word.lower.as_str());
    let names = found.iter().enumerate().filter(named).count();
    let numbers = found.iter().filter(|word| word.lower.chars().any(|c| c.is_ascii_digit()) || is_number(&word.lower)).count();
    names + numbers + usize::from(found.iter().any(|word| word.quoted))
}

fn is_number(word: &str) -> bool {
    matches!(word, "two" | "three" | "four" | "five" | "six" | "seven" | "eight" | "nine" | "ten" | "dozen" | "hundred" | "thousand")
}

/// Words of three letters or more that are no function words.
fn content(lowers: &[&str]) -> usize {
    #[rustfmt::skip]
    const EMPTY: &[&str] = &[
        "all", "and", "any", "gonna", "wanna", "gotta", "keep", "going", "but", "did", "get", "got", "had", "has", "how", "its", "let", "lot", "new", "not", "now", "one", "our", "out", "own", "see", "say", "the", "too", "try", "use", "was", "way", "who", "why", "yet", "are", "bit", "off", "day",
        "about", "been", "being", "could", "does", "done", "even", "every", "from", "have", "having", "here", "into", "it's", "just",
        "like", "made", "make", "many", "more", "most", "much", "need", "nice", "other", "over", "really", "some", "something", "stuff",
        "such", "super", "than", "that", "that's", "their", "them", "then", "there", "these", "they", "thing", "things", "this",
        "those", "very", "want", "well", "were", "what", "when", "where", "which", "while", "will", "with", "would", "your", "you're",
        "great", "good", "awesome", "amazing", "always", "also", "still", "i've", "i'll", "we're", "we've", "definitely", "feel",
        "know", "think", "totally", "glad", "happy", "thanks", "sure",
    ];
    let classes = &[EMPTY, POINTING, AUXILIARIES, MODALS, PREPOSITIONS, I_WORDS, WE_WORDS, YOU_WORDS];
    lowers
        .iter()
        .filter(|word| word.chars().count() > 2 && !is_any(word, classes) && !word.contains("n't") && word.starts_with(char::is_alphabetic))
        .count()
}

/// "It's important to help each other": nobody's own, in the present.
fn judges_all(lowers: &[&str]) -> bool {
    let own = |word: &&str| I_WORDS.contains(word) || verbs::is_past(word);
    begins(
        lowers,
        "it's|it so|really|super|always|just? amazing|awesome|beautiful|cool|crucial|crazy|easy|essential|good|great|hard|important|inspiring|key|nice|powerful|rewarding|sad|special|tough|true|vital|wild|wonderful how|that|to|when",
    ) && !lowers.iter().any(own)
}

/// "Us" of people in general: nobody's own, in the present.
fn us_all(lowers: &[&str]) -> bool {
    let own = |at: usize, word: &str| {
        let next = lowers.get(at + 1).copied().unwrap_or_default();
        I_WORDS.contains(&word) || matches!(word, "we" | "we're" | "we've") || word == "our" && !EVERYBODYS.contains(&next)
    };
    // "Helped us", but not "helps us stay focused".
    let past = |at: usize, word: &str| at < PAST_MAX && verbs::is_past(word) && word != "loved";
    lowers.contains(&"us") && !lowers.iter().enumerate().any(|(at, word)| own(at, word) || past(at, word))
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

    fn signals(sentence: &str) -> Signals {
        read(&words(sentence))
    }

    #[test]
    fn sorts_are_read_without_regard_to_contractions_and_adverbs() {
        assert!(signals("I've always really loved Bach").is(Sort::Habit));
        assert!(signals("We're also planning a trip").is(Sort::Plan));
        assert!(signals("I can't stand coriander").is(Sort::Preference));
        assert!(signals("My older sister is a nurse").is(Sort::Relation));
        assert!(signals("I’m allergic to nuts").is(Sort::Health));
        assert!(signals("We went sailing").is(Sort::Event));
    }

    #[test]
    fn a_sentence_lacks_what_its_pronouns_mean() {
        for (sentence, lack) in [
            ("I bought it yesterday", Some(Lack::Thing)),
            ("I did that", Some(Lack::Thing)),
            ("She moved", Some(Lack::Person)),
            ("I like them", Some(Lack::Several)),
            ("I moved there", Some(Lack::Place)),
            ("I can't wait to visit", Some(Lack::Thing)),
            ("I love the colours", Some(Lack::Thing)),
            ("The eagle is free", Some(Lack::Thing)),
            ("I bought another at the market", Some(Lack::Thing)),
            ("Gives me hope", Some(Lack::Thing)),
            ("I bought a boat and painted it", None),
            ("I asked Mina and she agreed", None),
            ("It's essential to me that people travel", None),
            ("I went sailing and it was great", None),
            ("The book I read helps me", None),
            ("This map I drew last year helps me", None),
            ("I play this game Ludo", None),
            ("I live near the lake in Basel and swim there", None),
        ] {
            assert_eq!(signals(sentence).lack, lack, "{sentence}");
        }
    }

    #[test]
    fn names_and_numbers_are_concrete() {
        assert_eq!(signals("I met Mina in Basel at 9").concrete, 3);
        assert_eq!(signals("Painting is what I do").concrete, 0);
    }
}

//! Words that point to something said before: whether a sentence can be understood alone, and what it lacks.

use super::definite::{counts, is_cut, is_known};
use super::expletive::{is_empty_it, judges_event};
use super::named::introduces;
pub use super::named::names;
use super::nouns::is_period;
use super::pattern::{begins, begins_any};
use super::talk::presents;
use super::verbs;
use super::words::{AUXILIARIES, I_WORDS, MODALS, PREPOSITIONS, WE_WORDS, Word, YOU_WORDS, is_adverb, is_any, lower};

/// What a sentence does not name itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lack {
    /// What "it" or "that" means.
    Thing,
    /// Who "she" or "he" is.
    Person,
    /// Who or what "they" are.
    Several,
    /// Where "there" is.
    Place,
    /// What is shown beside the text, which no sentence names: "this photo".
    Shown,
}

pub const THINGS: &[&str] = &["it", "it's", "it'll", "it'd", "its", "one", "ones", "that's", "this's"];
pub const PERSONS: &[&str] = &["he", "he's", "he'd", "he'll", "she", "she's", "she'd", "she'll", "him", "his", "her", "hers"];
pub const SEVERAL: &[&str] = &["they", "they're", "they've", "they'd", "they'll", "them", "their", "theirs", "both"];
pub const DEMONSTRATIVES: &[&str] = &["this", "that", "these", "those"];
pub const DETERMINERS: &[&str] = &["a", "an", "the", "my", "our", "some", "any", "every", "another", "two", "three", "his", "her", "their"];
pub const COPULAS: &[&str] =
    &["is", "was", "isn't", "wasn't", "feels", "felt", "would", "will", "can", "could", "must", "has", "takes", "took"];
/// Phrases in which a pronoun points to nothing.
const FIXED: &[&str] = &["it happen|work", "it my? all|best", "it all? worth", "it comes"];
/// The most words of a noun phrase with its preposition: "a very old photo of".
const PHRASE_MAX: usize = 5;
/// What people show.
const PICTURES: &[&str] = &["photo", "photos", "pic", "pics", "picture", "pictures", "shot", "video"];
/// Verbs that need an object.
#[rustfmt::skip]
const TRANSITIVE: &[&str] = &[
    "attend", "bring", "buy", "choose", "create", "do", "enjoy", "find", "get", "go", "have", "hear", "join", "like", "love", "make", "meet",
    "need", "see", "take", "tell", "use", "visit", "want",
];
/// Words before a place.
pub const BEFORE_PLACES: &[&str] = &[
    "around", "at", "behind", "beside", "between", "by", "from", "in", "into", "near", "on", "onto", "through", "to", "toward", "towards",
    "under",
];
/// Words that name nothing.
#[rustfmt::skip]
pub const NAMELESS: &[&str] = &[
    "what", "what's", "who", "who's", "where", "when", "why", "how", "how's", "which", "whose", "something", "anything", "everything",
    "nothing", "someone", "somebody", "anyone", "anybody", "everyone", "everybody", "nobody", "thing", "things", "stuff", "else",
];
/// Words that may follow "one" where it stands for a noun: "I've been one because …".
const AFTER_ONE: &[&str] =
    &["and", "because", "but", "cause", "cuz", "if", "last", "since", "so", "that", "too", "when", "which", "who", "yesterday", "yet"];
/// Words that begin a clause about the noun before them: "this book I read".
const CLAUSE_BEGINNINGS: &[&str] = &["i", "i've", "we", "we've", "you", "you've", "that", "that's", "who", "who's", "called", "named"];
/// Verbs before a clause: "think that apps are …".
#[rustfmt::skip]
const BEFORE_CLAUSES: &[&str] = &[
    "agree", "believe", "decide", "feel", "find", "guess", "hear", "hope", "imagine", "know", "learn", "mean", "notice", "realise",
    "realize", "remember", "say", "see", "show", "tell", "think", "understand",
];

/// Everything that words lack, wherever they point to it, each once; nothing if they can be understood alone.
pub fn lacks(found: &[Word]) -> Vec<Lack> {
    let lowers = lower(found);
    let mut lacks: Vec<Lack> = Vec::new();
    let ends = ends_open(&lowers).then_some(Lack::Thing);
    for lack in (0..found.len()).filter_map(|at| points_at(found, &lowers, at)).chain(ends) {
        if !lacks.contains(&lack) {
            lacks.push(lack);
        }
    }
    lacks
}

/// What the word at `at` lacks, if it points to something that the words before it do not name.
pub fn points_at(found: &[Word], lowers: &[&str], at: usize) -> Option<Lack> {
    points_by(found, lowers, at, &names)
}

/// The same for another test of what words name.
pub fn points_by(found: &[Word], lowers: &[&str], at: usize, names: &dyn Fn(&[Word], Lack) -> bool) -> Option<Lack> {
    let word = *lowers.get(at)?;
    let next = lowers.get(at + 1).copied().unwrap_or_default();
    let before = at.checked_sub(1).and_then(|before| lowers.get(before)).copied().unwrap_or_default();
    if found.get(at)?.quoted {
        // A title is no pronoun; a quoted pronoun alone is.
        let alone = !found.get(at + 1).is_some_and(|next| next.quoted)
            && !at.checked_sub(1).and_then(|at| found.get(at)).is_some_and(|word| word.quoted);
        return (alone && DEMONSTRATIVES.contains(&word)).then_some(Lack::Shown);
    }
    let earlier = found.get(..at)?;
    if PERSONS.contains(&word) {
        return (!names(earlier, Lack::Person)).then_some(Lack::Person);
    }
    if SEVERAL.contains(&word) {
        let counted = word == "both" && at > 0 && !is_any(next, &[AUXILIARIES, MODALS]);
        // "We both": whose name is the other one's?
        let counted = counted && !(word == "both" && matches!(before, "we" | "us"));
        let earlier = if before == "of" { without_phrase(found, at) } else { earlier };
        return (!counted && !names(earlier, Lack::Several)).then_some(Lack::Several);
    }
    if THINGS.contains(&word) {
        // "One of them", "one day", but not "I'm working on one".
        let noun = next == "cause" && lowers.get(at + 2).is_some_and(|next| matches!(*next, "of" | "for" | "is" | "was"));
        let alone = found.get(at + 1).is_none_or(|next| next.fresh)
            || next != "of" && PREPOSITIONS.contains(&next)
            || is_any(next, &[AFTER_ONE, I_WORDS, WE_WORDS]) && !noun;
        let loved = word == "ones" && before == "loved";
        let counted = loved || word == "one" && (!matches!(before, "the" | "this") && !alone || next == "of" || is_period(next));
        // "The right ones": the words before belong to it.
        let earlier = match before {
            "the" | "this" | "that" => &[],
            _ if word == "ones" => found.get(..at.saturating_sub(2))?,
            // "A photo of it": something else than the photo.
            "of" | "behind" | "about" => without_phrase(found, at),
            _ => earlier,
        };
        // "It's Basel", "it was Mina": it says itself what it is.
        let at_name = if word == "it" && matches!(next, "is" | "was") { at + 2 } else { at + 1 };
        let name = |name: &Word| name.capital && !name.fresh && !name.stressed && !I_WORDS.contains(&name.lower.as_str());
        let is_name = (word == "it's" || at_name == at + 2) && found.get(at_name).is_some_and(name);
        // "A show that's new": a clause about the noun.
        let relative = word == "that's" && at > 0 && !found.get(at).is_some_and(|word| word.fresh);
        let fixed = relative
            || is_name
            || begins_any(lowers.get(at..)?, FIXED)
            || before == "worth"
            || matches!((before, next), ("make" | "made" | "making", "to" | "through"))
                && !lowers.get(at + 2).is_some_and(|verb| verbs::is_common(verb) || *verb == "show")
            || judges_event(found, lowers, at);
        return (!counted && !fixed && !is_empty_it(found, lowers, at) && !names(earlier, Lack::Thing)).then_some(Lack::Thing);
    }
    if DEMONSTRATIVES.contains(&word) {
        // "This game Ludo": a name follows.
        let name = |at: usize| found.get(at).is_some_and(|name| name.capital && !name.fresh && !I_WORDS.contains(&name.lower.as_str()));
        let called = |at: usize| matches!(lowers.get(at), Some(&("by" | "called" | "named" | "titled"))) && name(at + 1);
        let named = name(at + 2) || (at + 2..at + 5).any(called);
        let idiom = matches!(word, "that") && (before == "all" || before == "of" && lowers.get(at.wrapping_sub(2)) == Some(&"all"));
        let earlier = earlier.iter().enumerate().any(|(at, word)| at > 0 && word.capital && !I_WORDS.contains(&word.lower.as_str()))
            && !is_last(lowers, at);
        // "Something like this": only what is shown is like it.
        if matches!(word, "this" | "these") && before == "like" && !is_period(next) {
            return Some(Lack::Shown);
        }
        let lack = if is_picture(found, at + 1) { Lack::Shown } else { Lack::Thing };
        // "That other game": which?
        if word != "this" && matches!(next, "other" | "particular" | "same") {
            return Some(Lack::Shown);
        }
        return (shows(found, lowers, at) && !named && !idiom && !earlier).then_some(lack);
    }
    if at == 0 && is_cut(found, lowers) {
        return Some(Lack::Thing);
    }
    if word == "the" && is_picture(found, at + 1) {
        return Some(Lack::Shown);
    }
    if counts(found, lowers, at) || matches!(word, "the" | "each") && is_known(found, lowers, at) && !introduces(earlier) {
        return Some(Lack::Thing);
    }
    // "When I do, …", "share with you": the verb needs more.
    let when =
        at.checked_sub(2).and_then(|at| lowers.get(at)).is_some_and(|word| matches!(*word, "when" | "if" | "as" | "because" | "once"));
    let ends = found.get(at + 1).is_none_or(|next| next.fresh);
    let verbal = ends && when && matches!(word, "do" | "does" | "did");
    // "I do - a cat": a short answer.
    if ends && at == 1 && before == "i" && AUXILIARIES.contains(&word) {
        return Some(Lack::Shown);
    }
    // "I've been playing for a year": what?
    let open = matches!(word, "doing" | "having" | "making" | "playing" | "taking" | "using")
        && matches!(next, "for" | "since")
        && before == "been";
    let begun = matches!(word, "started" | "finished" | "tried") && matches!(next, "when" | "last" | "yesterday" | "because" | "ago");
    if verbal || open || begun || word == "share" && next == "with" {
        return Some(Lack::Thing);
    }
    if (word == "here's" || word == "here" && at == 0) && next != "for" && next != "to" {
        return (!presents(lowers)).then_some(Lack::Shown);
    }
    // "Similar issues": to what?
    if word == "similar" && !lowers.iter().skip(at).take(4).any(|word| matches!(*word, "to" | "interests"))
        || at == 0 && word == "for" && matches!(next, "example" | "instance")
    {
        return Some(Lack::Thing);
    }
    // "Back then": when?
    if word == "then" && matches!(before, "back" | "since" | "by") || matches!(word, "afterward" | "afterwards") {
        return Some(Lack::Thing);
    }
    let ends_clause = found.get(at + 1).is_none_or(|next| next.fresh);
    let vague = matches!(word, "something" | "anything" | "stuff" | "things")
        && ends_clause
        && (verbs::is_past(before) || verbs::is_common(before));
    if vague {
        return Some(Lack::Thing);
    }
    if matches!(word, "there" | "here" | "there's" | "here's") {
        let exists = matches!(word, "there's")
            || word == "there"
                && at.checked_sub(1).and_then(|at| found.get(at)).is_some_and(|word| word.fresh)
                && matches!(before, "is" | "was" | "are" | "were" | "isn't" | "aren't")
                && !found.get(at + 1).is_none_or(|next| next.fresh)
            || (word == "there" && is_any(next, &[AUXILIARIES, MODALS, &["isn't", "aren't", "wasn't", "weren't"]]));
        let idiom = matches!(next, "for" | "to")
            || matches!(before, "out" | "been")
            || before == "and" && at.checked_sub(2).and_then(|at| lowers.get(at)) == Some(&"here")
            || word == "here" && next == "and" && lowers.get(at + 2) == Some(&"there");
        return (!exists && !idiom && !names(earlier, Lack::Place)).then_some(Lack::Place);
    }
    None
}

/// The words before the noun phrase that leads to `at`: none for "a photo of it".
fn without_phrase(found: &[Word], at: usize) -> &[Word] {
    let near = at.saturating_sub(PHRASE_MAX)..at;
    let start = near.rev().find(|at| found.get(*at).is_some_and(|word| DETERMINERS.contains(&word.lower.as_str())));
    found.get(..start.unwrap_or_else(|| at.saturating_sub(2))).unwrap_or_default()
}

/// Whether words speak of a picture.
pub fn has_picture(words: &[Word]) -> bool {
    words.iter().any(|word| PICTURES.contains(&word.lower.as_str()))
}

/// Whether a picture is at `at`, without words that say of what: "the photo", but not "the photo of my boat" and not "the video game".
fn is_picture(found: &[Word], at: usize) -> bool {
    let ends = found.get(at + 1).is_none_or(|next| {
        let lower = next.lower.as_str();
        next.fresh
            || is_any(lower, &[AUXILIARIES, MODALS, &["and", "but", "so"]])
            || PREPOSITIONS.contains(&lower) && !matches!(lower, "of" | "from")
    });
    ends && found.get(at).is_some_and(|word| PICTURES.contains(&word.lower.as_str()))
}

/// Whether "this" or "that" at `at` shows something that the sentence does not name.
fn shows(found: &[Word], lowers: &[&str], at: usize) -> bool {
    let word = lowers.get(at).copied().unwrap_or_default();
    let next = lowers.get(at + 1).copied().unwrap_or_default();
    let before = at.checked_sub(1).and_then(|before| lowers.get(before)).copied().unwrap_or_default();
    // "After that, I left."
    if is_last(lowers, at)
        || found.get(at + 1).is_some_and(|next| next.fresh) && (PREPOSITIONS.contains(&before) || verbs::is_common(before))
    {
        return true;
    }
    // "I made this after work."
    if word != "that" && PREPOSITIONS.contains(&next) && !matches!(next, "in" | "with") {
        return true;
    }
    // "This map I drew last year": the clause says which one.
    let joins = |word: &str| matches!(word, "and" | "but" | "so");
    let same = lowers.iter().zip(found).skip(at + 2).take(5).take_while(|(lower, word)| !word.fresh && !joins(lower));
    let clause = before != "like" && same.into_iter().any(|(word, _)| CLAUSE_BEGINNINGS.contains(word));
    let noun = !is_any(next, &[I_WORDS, WE_WORDS, YOU_WORDS, THINGS, PERSONS, SEVERAL, DETERMINERS, AUXILIARIES, MODALS, DEMONSTRATIVES]);
    match word {
        _ if at == 0 && word != "that" && noun => !is_period(next) && !clause,
        _ if at == 0 => true,
        // "I keep that little book at home": no verb follows.
        "that" if noun && !clause && !BEFORE_CLAUSES.contains(&before) && is_object(found, lowers, at) => true,
        // "A shop that sells tea": a clause about the noun.
        "that" if next.strip_suffix('s').is_some_and(|verb| verbs::is_common(verb) || verbs::is_never_noun(verb)) => false,
        "that" => noun && !clause && (PREPOSITIONS.contains(&before) || verbs::is_common(before) && !BEFORE_CLAUSES.contains(&before)),
        "those" if matches!(next, "who" | "with" | "in") => false,
        _ => !is_period(next) && !clause,
    }
}

/// Whether one or two words after "that" at `at` end with a preposition or the clause, so that it begins no clause itself.
fn is_object(found: &[Word], lowers: &[&str], at: usize) -> bool {
    let ends = |at: usize| {
        let time = |word: &&str| matches!(*word, "last" | "this" | "every" | "yesterday") || is_adverb(word) || PREPOSITIONS.contains(word);
        found.get(at).is_none_or(|word| word.fresh) || lowers.get(at).is_some_and(time)
    };
    let verb = |at: usize| {
        lowers.get(at).is_some_and(|word| {
            is_any(word, &[AUXILIARIES, MODALS]) || verbs::is_past(word) || verbs::is_common(word.strip_suffix('s').unwrap_or(word))
        })
    };
    at > 0 && !verb(at + 1) && (ends(at + 2) || ends(at + 3) && !verb(at + 2))
}

pub fn is_last(lowers: &[&str], at: usize) -> bool {
    at + 1 == lowers.len()
}

/// Whether a sentence ends with a verb whose object only the conversation names: "I can't wait to visit."
fn ends_open(lowers: &[&str]) -> bool {
    let clauses = lowers
        .iter()
        .filter(|word| matches!(**word, "i" | "i'm" | "i've" | "we" | "that" | "what" | "who" | "which" | "where" | "how" | "you"))
        .count();
    let end = lowers.iter().skip(1).position(|word| matches!(*word, "because" | "so" | "but")).map_or(lowers.len(), |at| at + 1);
    let last = lowers.get(..end).and_then(|clause| clause.last()).copied().unwrap_or_default();
    let to = end.checked_sub(2).and_then(|at| lowers.get(at)).copied().unwrap_or_default();
    // "I'd love to", "I'm a huge fan", "I'm allergic": do what, of what, to what?
    let cut = last == "to" && !matches!(to, "up" | "used") || matches!(last, "fan" | "allergic");
    cut || clauses <= 1
        && TRANSITIVE.contains(&last)
        && (to == "to" || MODALS.contains(&to))
        && begins(lowers, "i|i'm|i've|i'd|i'll|we|we're|we'd|can't|excited|my")
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

    #[test]
    fn idioms_point_to_nothing_and_what_resembles_them_does() {
        for (text, expected) in [
            ("I sailed there and slept", Some(Lack::Place)),
            ("I sat here and there", None),
            ("Is there a boat for sale", None),
            ("I have been one because I like boats", Some(Lack::Thing)),
            ("We both painted the boat", Some(Lack::Several)),
            ("I want a boat like this", Some(Lack::Shown)),
            ("I love the pic", Some(Lack::Shown)),
            ("I like the video games of my brother", None),
            ("I work in a shop that sells boats", None),
            ("Could you send me a photo of it", Some(Lack::Thing)),
            ("I'm a big fan of it", Some(Lack::Thing)),
            ("My aim was to paint boats", Some(Lack::Thing)),
            ("Winning was great", Some(Lack::Thing)),
            ("Sailing was my first passion", None),
            ("I saved the extra money", Some(Lack::Thing)),
            ("The day was full of joy", Some(Lack::Thing)),
            ("Lots of people came to Basel", Some(Lack::Thing)),
            ("The young people were strong", Some(Lack::Thing)),
            ("The official closing night is tomorrow", Some(Lack::Thing)),
            ("I can't wait for the food", Some(Lack::Thing)),
            ("My favorite part was the dance", Some(Lack::Thing)),
            ("I don't expect to win here", Some(Lack::Place)),
            ("I'm a fan of boats and want to sail this one", Some(Lack::Thing)),
            ("I painted this boat and I think it looks fine", Some(Lack::Thing)),
            ("I work with paint and wood so I know them", None),
        ] {
            assert_eq!(lacks(&words(text)).first().copied(), expected, "{text}");
        }
    }
}

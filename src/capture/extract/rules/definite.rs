//! Nouns and numbers that mean something named before: "the event", "another".

use super::nouns::{is_period, is_person};
use super::pattern::{begins, has_any};
use super::pointing::is_last;
use super::verbs;
use super::words::{AUXILIARIES, MODALS, PREPOSITIONS, Word, is_adverb, is_any};

/// Nouns by which a conversation calls what it is about.
#[rustfmt::skip]
const TOPICS: &[&str] = &[
    "accident", "atmosphere", "campaign", "cause", "characters", "class", "colors", "colours", "competition", "concert", "contest",
    "convention", "crowd", "decision", "dish", "event", "experience", "feeling", "festival", "film", "game", "hike", "journey",
    "language", "magazine", "match", "meeting", "message", "moment", "movie", "news", "offer", "options", "painting", "performance",
    "pic", "picture", "photo", "place", "plot", "process", "project", "race", "recipe", "result", "results", "scene", "script",
    "series", "session", "show", "situation", "song", "sport", "spot", "story", "theme", "tour", "tournament", "trip", "vibe", "vibes",
    "view", "views", "workshop",
];
/// Nouns that can refer to anything said before.
#[rustfmt::skip]
const GENERAL: &[&str] = &[
    "area", "atmosphere", "cause", "challenge", "change", "decision", "event", "experience", "feeling", "fight", "goal", "idea",
    "issue", "journey", "memories", "moment", "news", "place", "problem", "process", "project", "situation", "stage", "step", "story",
    "time", "trip", "way",
];
/// The part of something that somebody liked best.
const FAVOURITE: &str = "favorite|favourite|fav|fave|best";
const PARTS: &str = "part|bit|memory|moment|scene|thing";
/// Words after a noun that say which one is meant.
const QUALIFIERS: &[&str] = &[
    "of", "that", "who", "which", "where", "when", "i", "we", "i've", "called", "named", "in", "at", "on", "for", "from", "with", "to",
    "about", "around", "near",
];

/// Adjectives that do not say which one is meant.
const BARE: &[&str] =
    &["actual", "big", "entire", "final", "last", "new", "original", "other", "real", "regular", "same", "usual", "whole"];
/// Words before a noun that was named before.
const MORE: &[&str] = &["additional", "extra", "former", "latter", "remaining"];

/// Whether a number at `at` counts things that the sentence does not name: "I saw another at the market."
pub fn counts(found: &[Word], lowers: &[&str], at: usize) -> bool {
    let next = lowers.get(at + 1).copied().unwrap_or("of");
    let last = is_last(lowers, at) || found.get(at + 1).is_some_and(|next| next.fresh);
    let before = at.checked_sub(1).and_then(|before| lowers.get(before)).copied().unwrap_or_default();
    match *lowers.get(at).unwrap_or(&"") {
        "another" | "few" | "several" if before != "one" && next != "more" => last || next != "of" && PREPOSITIONS.contains(&next),
        "some" | "few" if next == "more" => {
            is_last(lowers, at + 1) || lowers.get(at + 2).is_some_and(|next| matches!(*next, "last" | "this" | "yesterday" | "today"))
        }
        "some" | "many" if next == "to" => true,
        "some" | "many" | "two" | "three" => last && !PREPOSITIONS.contains(&before),
        _ => false,
    }
}

/// Whether "the" at `at` stands before something that was named before: "the event", "The eagle is …".
pub fn is_known(found: &[Word], lowers: &[&str], at: usize) -> bool {
    let verb =
        |word: &str| is_any(word, &[AUXILIARIES, MODALS]) || verbs::is_past(word) || word.strip_suffix('s').is_some_and(verbs::is_common);
    let rest = lowers.get(at + 1..).unwrap_or_default();
    let end = rest
        .iter()
        .zip(found.get(at + 1..).unwrap_or_default())
        .position(|(word, place)| verb(word) || place.fresh || is_any(word, &[QUALIFIERS, &["and", "but", "so"]]) || is_adverb(word));
    let end = end.unwrap_or(rest.len());
    let noun = rest.get(end.saturating_sub(1)).copied().unwrap_or_default();
    let named = found.get(at + 1..at + 1 + end).unwrap_or_default().iter().any(|word| word.capital || word.quoted);
    let qualified = rest.get(end).is_some_and(|word| QUALIFIERS.contains(word)) && !found.get(at + 1 + end).is_some_and(|word| word.fresh);
    // "The boat is called Mina": it says its name.
    let called = rest.get(end).is_some_and(|word| matches!(*word, "is" | "was"))
        && rest.get(end + 1).is_some_and(|word| matches!(*word, "called" | "named"));
    if called {
        return false;
    }
    // "The boat to have", but not "the way to Basel".
    let to = rest.get(end) == Some(&"to") && rest.get(end + 1).is_some_and(|next| verbs::is_common(next));
    let qualified = qualified && !to;
    // "The day was great", "the official closing night is on Friday": which? But not "the last three weeks were hard".
    let counted = rest.first().is_some_and(|word| matches!(*word, "last" | "past" | "next" | "other" | "first" | "coming" | "whole"));
    let day = at == 0 && !counted && is_period(noun) && rest.get(end).is_some_and(|word| verb(word));
    // "The young people were strong": nobody said who they are.
    let crowd = matches!(noun, "people" | "folks" | "guys") && !matches!(rest.first(), Some(&("right" | "same")));
    // "The extra money": beside which?
    let more = rest.first().is_some_and(|word| MORE.contains(word))
        && end > 1
        && !rest.get(end).is_some_and(|word| *word != "on" && QUALIFIERS.contains(word));
    let own = rest.get(end..).unwrap_or_default().iter().take(3).any(|word| matches!(*word, "i" | "my")) && is_period(noun);
    let awaited = is_awaited(lowers, at) && !qualified && (!named || noun == "stuff");
    let thing = awaited || is_bare_topic(noun, rest, end) || at == 0 && end <= 3;
    let thing = (!named || awaited) && !qualified && !own && !is_person(noun) && !is_period(noun) && thing;
    !named && (more || day) || crowd && !qualified || thing
}

/// Whether the speaker looks forward to what "the" at `at` begins: "I can't wait for the food" means the food of some place or day.
fn is_awaited(lowers: &[&str], at: usize) -> bool {
    let before = lowers.get(at.saturating_sub(2)..at).unwrap_or_default();
    begins(before, "excited|hyped|pumped|stoked|thrilled|wait about|for")
}

/// Whether a conversation calls what it is about by this noun.
pub fn is_topic(noun: &str) -> bool {
    TOPICS.contains(&noun)
}

/// Whether a sentence begins with a subject that the one before it has to name: "My aim was …", "Winning was …".
pub fn is_cut(found: &[Word], lowers: &[&str]) -> bool {
    // "My favourite part was …", "… was my favourite memory": of what?
    if has_any(lowers, &[&format!("my|our {FAVOURITE} {PARTS} is|was|were")]) || ends_with_favourite(lowers) {
        return true;
    }
    match lowers {
        [
            "my" | "our",
            "aim" | "aims" | "goal" | "goals" | "idea" | "intention" | "intent" | "plan" | "point" | "purpose",
            "was" | "were",
            ..,
        ] => true,
        ["lots" | "plenty", "of", "people", verb, ..] | ["so", "many", "people", verb, ..] | ["many" | "most", "people", verb, ..] => {
            verbs::is_past(verb)
        }
        [gerund, verb, ..] => {
            gerund.len() > 5
                && gerund.ends_with("ing")
                && !gerund.ends_with("thing")
                && !is_period(gerund)
                && !found.get(1).is_some_and(|word| word.fresh)
                && !lowers.get(2).is_some_and(|next| matches!(*next, "my" | "our" | "one"))
                && is_any(verb, &[&["was", "felt", "gave", "made", "meant", "showed", "took", "helped"]])
        }
        _ => false,
    }
}

/// Whether a sentence ends with "… was my favourite part".
fn ends_with_favourite(lowers: &[&str]) -> bool {
    let end = lowers.len().checked_sub(3).and_then(|at| lowers.get(at..)).unwrap_or_default();
    begins(end, &format!("my|our|the {FAVOURITE} {PARTS}"))
}

/// Whether the noun is so general that it can refer to anything said before.
pub fn is_general(noun: &str) -> bool {
    GENERAL.contains(&noun) || noun.strip_suffix('s').is_some_and(|single| GENERAL.contains(&single))
}

/// Whether a noun is what a conversation is about, with nothing that describes it: "the script", but not "the road-trip script".
fn is_bare_topic(noun: &str, rest: &[&str], end: usize) -> bool {
    let bare = end == 1 || rest.first().is_some_and(|word| is_any(word, &[BARE]));
    TOPICS.contains(&noun) && bare
}

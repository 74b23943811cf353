//! "I" and its verb in the third person: "I've moved" becomes "Vera has moved", "they have moved".

use super::naming::Naming;
use super::pattern::has_any;
use super::verbs::{self, Form};
use super::words::{ADVERBS, AUXILIARIES, I_WORDS, MODALS, PREPOSITIONS, Word, YOU_WORDS, is_adverb, is_any};

/// Words after "I" that are no verb, so that its verb is somewhere else.
const NO_VERB: &[&str] = &["and", "or", "but", "who", "that", "too", "as", "at", "in", "on", "to", "for", "with", "the", "a", "an", "my"];
/// Words before "I" that begin a clause which depends on the one before.
#[rustfmt::skip]
const SUBORDINATORS: &[&str] = &[
    "that", "what", "when", "where", "which", "who", "how", "why", "while", "because", "if", "as", "since", "until", "before", "after",
    "than", "whenever", "everything",
];
/// Before or after "I read", these say that it is past.
const PAST_TIMES: &[&str] = &["yesterday", "last", "ago", "once", "recently", "finally", "just", "already"];

/// "I" at `at` with its verb in the third person, and how many words that replaces.
pub fn subject(sentence: &str, found: &[Word], lowers: &[&str], at: usize, naming: &mut Naming) -> Option<(String, usize)> {
    let before = at.checked_sub(1).and_then(|before| lowers.get(before)).copied().unwrap_or_default();
    let inverted = found.get(at).is_some_and(|word| !word.fresh) && is_any(before, &[AUXILIARIES, MODALS, &["so", "neither", "nor", "if"]]);
    if inverted && before != "so" && before != "if" {
        return None;
    }
    let depends = SUBORDINATORS.contains(&before) || verbs::is_common(before) || verbs::is_past(before);
    let they = depends && naming.is_clear(at) && !found.get(at).is_some_and(|word| word.fresh);
    naming.mention(at);
    let name = if they { "they" } else { naming.name() };
    // "It reminds me I need a break": two names in a row need a joint.
    let joined = format!("that {name}");
    let follows_preposition = at.checked_sub(2).and_then(|at| lowers.get(at)).is_some_and(|word| PREPOSITIONS.contains(word));
    let name = match before {
        // "For me I dream": the name twice in a row reads badly.
        "me" if follows_preposition => return None,
        "me" | "you" if !follows_preposition => joined.as_str(),
        _ => name,
    };
    match *lowers.get(at)? {
        lower @ ("i'm" | "im" | "i've" | "ive") => {
            let (tail, last) = conjoined(sentence, found, lowers, at, !they).unwrap_or((String::new(), at));
            let helper = match (lower.ends_with('m'), they) {
                (true, false) => "is",
                (true, true) => "are",
                (false, false) => "has",
                (false, true) => "have",
            };
            return Some((format!("{name} {helper}{tail}"), last - at + 1));
        }
        "i'll" => return Some((format!("{name} will"), 1)),
        "i'd" => return Some((format!("{name}{}", had_or_would(lowers, at)), 1)),
        _ => {}
    }
    let mut verb = at + 1;
    while lowers.get(verb).is_some_and(|word| is_adverb(word)) {
        verb += 1;
    }
    let Some(word) = found.get(verb) else { return Some((name.to_owned(), 1)) };
    if NO_VERB.contains(&word.lower.as_str()) || I_WORDS.contains(&word.lower.as_str()) || word.quoted {
        return None;
    }
    // "I, too, think": what stands between is not read.
    if word.fresh && verb == at + 1 {
        return None;
    }
    let changed = agreed(&word.lower, lowers, they)?;
    let adverbs = sentence.get(found.get(at)?.end..word.start)?;
    let rest = conjoined(sentence, found, lowers, verb, changed != word.lower && !they);
    let (tail, last) = rest.unwrap_or((String::new(), verb));
    Some((format!("{name}{adverbs}{changed}{tail}"), last - at + 1))
}

/// A verb after "I" as it is after a name, or after "they"; `None` if its tense is not clear where it matters.
fn agreed(verb: &str, lowers: &[&str], they: bool) -> Option<String> {
    let kept = matches!(verb, "had" | "hadn't" | "did" | "didn't" | "used") || is_any(verb, &[MODALS]);
    Some(match verb {
        _ if kept => verb.to_owned(),
        "ain't" | "were" => return None,
        "gotta" => if they { "have to" } else { "has to" }.into(),
        "wanna" => if they { "want to" } else { "wants to" }.into(),
        "gonna" => if they { "are going to" } else { "is going to" }.into(),
        "was" if they => "were".into(),
        "wasn't" if they => "weren't".into(),
        "am" if they => "are".into(),
        _ if they => verb.to_owned(),
        "was" | "wasn't" => verb.to_owned(),
        "am" => "is".into(),
        "haven't" => "hasn't".into(),
        "don't" | "dont" => "doesn't".into(),
        _ if !verb.chars().all(|c| c.is_ascii_lowercase() || c == '-') => return None,
        _ => match verbs::form(verb) {
            Form::Past => verb.to_owned(),
            Form::Present => verbs::third_person(verb),
            Form::Either if has_any(lowers, PAST_TIMES) => verb.to_owned(),
            Form::Either => return None,
        },
    })
}

/// The words after a changed verb up to a second one that shares its subject, which changes too: "paints and goes".
fn conjoined(sentence: &str, found: &[Word], lowers: &[&str], verb: usize, changed: bool) -> Option<(String, usize)> {
    let and = lowers.iter().enumerate().skip(verb + 1).take(6).find(|(_, word)| matches!(**word, "and" | "but" | "or"))?.0;
    let mut second = and + 1;
    while lowers.get(second).is_some_and(|word| ADVERBS.contains(word)) {
        second += 1;
    }
    let own = lowers.get(verb + 1..and)?;
    // After "I've" a base form would be a participle: "I've come and gone".
    if matches!(*lowers.get(verb)?, "i've" | "ive") {
        return None;
    }
    // "To take what I get and leave": the second verb may belong to the first "to".
    if lowers.get(..verb)?.contains(&"to") {
        return None;
    }
    let infinitive = own.iter().any(|word| {
        matches!(*word, "to" | "gonna" | "going") || I_WORDS.contains(word) || is_any(word, &[MODALS, AUXILIARIES]) || *word == "that"
    });
    let word = found.get(second)?;
    if !changed || infinitive || own.iter().any(|word| YOU_WORDS.contains(word)) || !(own.is_empty() || verbs::is_never_noun(&word.lower)) {
        return None;
    }
    // "don't swim and run", "help people learn and grow": the second verb belongs to the infinitive.
    if matches!(*lowers.get(verb)?, "don't" | "help" | "let" | "make" | "do") {
        return None;
    }
    let between = sentence.get(found.get(verb)?.end..word.start)?;
    Some((format!("{between}{}", verbs::third_person(&word.lower)), second))
}

/// What "'d" stands for at `at`.
pub fn had_or_would(lowers: &[&str], at: usize) -> &'static str {
    let next = lowers.iter().skip(at + 1).find(|word| !ADVERBS.contains(word)).copied().unwrap_or_default();
    if verbs::is_past(next) || next == "better" { " had" } else { " would" }
}

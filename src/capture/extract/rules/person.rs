//! From the words of a speaker to a sentence about them: "I've moved" by Vera becomes "Vera has moved". Where the change is not safe the
//! sentence stays as it is, with its speaker before it: "Vera: We moved."

use super::pattern::has_any;
use super::verbs::{self, Form};
use super::words::{ADVERBS, AUXILIARIES, I_WORDS, MODALS, PREPOSITIONS, WE_WORDS, Word, YOU_WORDS, is_adverb, is_any, lower, words};

/// Verbs with a person as their object.
const ADDRESSING: &[&str] =
    &["ask", "call", "help", "invite", "meet", "see", "send", "show", "tell", "thank", "told", "showed", "sent", "visit"];
/// Words after "I" that are no verb, so that its verb is somewhere else.
const NO_VERB: &[&str] = &["and", "or", "but", "who", "that", "too", "as", "at", "in", "on", "to", "for", "with", "the", "a", "an", "my"];
/// Words with a verb of their own.
const SUBJECTS: &[&str] = &["i", "i'm", "i've", "i'd", "i'll", "it's", "that's", "he's", "she's", "they're", "there's"];
/// Before or after "I read", these say that it is past.
const PAST_TIMES: &[&str] = &["yesterday", "last", "ago", "once", "recently", "finally"];

/// The people of a sentence, as a reader should see them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct People {
    /// The speaker: a name, or "the user".
    pub speaker: String,
    /// The only other speaker, if there is just one.
    pub listener: Option<String>,
}

/// Sentences about their speaker in the third person, or as they are with their speaker before them; and whether they are as they are.
pub fn attribute(sentences: &[String], people: &People) -> (String, bool) {
    let rewritten: Option<Vec<String>> = sentences.iter().map(|sentence| rewrite(sentence, &words(sentence), people)).collect();
    let changed = rewritten.filter(|rewritten| rewritten.first() != sentences.first());
    match changed {
        Some(rewritten) => (rewritten.iter().map(|sentence| capitalised(sentence)).collect::<Vec<_>>().join(" "), false),
        None => (format!("{}: {}", capitalised(&people.speaker), sentences.join(" ")), true),
    }
}

/// With a capital at the beginning.
pub fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// The possessive of a name: "Vera's".
pub fn possessive(name: &str) -> String {
    format!("{name}'s")
}

/// Every first person replaced; `None` where the result could be wrong.
fn rewrite(sentence: &str, found: &[Word], people: &People) -> Option<String> {
    let lowers = lower(found);
    // "Taught myself to swim": without a subject there is no place for the name.
    if lowers.contains(&"myself") && !lowers.iter().any(|word| *word != "myself" && I_WORDS.contains(word)) {
        return None;
    }
    let (mut text, mut read, mut at) = (String::with_capacity(sentence.len() + 32), 0, 0);
    while let Some(word) = found.get(at) {
        let mut used = 1;
        let replacement = match word.lower.as_str() {
            _ if word.quoted => None,
            // A capital: "US" is a country.
            lower if WE_WORDS.contains(&lower) && sentence.get(word.start..word.end) != Some("US") => return None,
            lower if YOU_WORDS.contains(&lower) => Some(listener(&lowers, at, people)?),
            "me" => Some(people.speaker.clone()),
            "myself" => Some("themself".into()),
            "my" => Some(possessive(&people.speaker)),
            // "Mine is blue": a thing that the sentence does not name.
            "mine" if at == 0 => return None,
            "mine" => Some(possessive(&people.speaker)),
            lower if I_WORDS.contains(&lower) => {
                let (verb, words_used) = subject(sentence, found, &lowers, at, people)?;
                used = words_used;
                Some(verb)
            }
            _ => None,
        };
        if let Some(replacement) = replacement {
            text.push_str(sentence.get(read..word.start)?);
            text.push_str(&replacement);
            read = found.get(at + used - 1)?.end;
        }
        at += used;
    }
    text.push_str(sentence.get(read..)?);
    Some(text)
}

/// What stands for "you" or "your" at `at`: only where it is certainly the listener, and no subject with a verb of its own.
fn listener(lowers: &[&str], at: usize, people: &People) -> Option<String> {
    let listener = people.listener.as_ref()?;
    let before = at.checked_sub(1).and_then(|before| lowers.get(before))?;
    match *lowers.get(at)? {
        "your" if lowers.get(at + 1)? != &"own" => Some(possessive(listener)),
        "you" => {
            let after = lowers.get(at + 1).copied().unwrap_or_default();
            let object = is_any(before, &[PREPOSITIONS, ADDRESSING]);
            let verb = is_any(after, &[AUXILIARIES, MODALS]) || verbs::is_common(after) || verbs::is_past(after) || is_adverb(after);
            (object && !verb).then(|| listener.clone())
        }
        _ => None,
    }
}

/// "I" at `at` with its verb in the third person, and how many words that replaces.
fn subject(sentence: &str, found: &[Word], lowers: &[&str], at: usize, people: &People) -> Option<(String, usize)> {
    let before = at.checked_sub(1).and_then(|before| lowers.get(before)).copied().unwrap_or_default();
    let inverted = found.get(at).is_some_and(|word| !word.fresh) && is_any(before, &[AUXILIARIES, MODALS, &["so", "neither", "nor", "if"]]);
    if inverted && before != "so" && before != "if" {
        return None;
    }
    let name = &people.speaker;
    let fresh = at.checked_sub(1).and_then(|and| found.get(and)).is_some_and(|and| and.fresh);
    let plural = before == "and" && !fresh && joined(lowers, at);
    let is = if plural { "are" } else { "is" };
    let has = if plural { "have" } else { "has" };
    match *lowers.get(at)? {
        lower @ ("i'm" | "im" | "i've" | "ive") => {
            let (tail, last) = conjoined(sentence, found, lowers, at, !plural).unwrap_or((String::new(), at));
            let helper = if lower.ends_with('m') { is } else { has };
            return Some((format!("{name} {helper}{tail}"), last - at + 1));
        }
        "i'll" => return Some((format!("{name} will"), 1)),
        "i'd" => {
            let next = lowers.iter().skip(at + 1).find(|word| !ADVERBS.contains(word)).copied().unwrap_or_default();
            let helper = if verbs::is_past(next) || next == "better" { "had" } else { "would" };
            return Some((format!("{name} {helper}"), 1));
        }
        _ => {}
    }
    let mut verb = at + 1;
    while lowers.get(verb).is_some_and(|word| is_adverb(word)) {
        verb += 1;
    }
    let Some(word) = found.get(verb) else { return Some((name.clone(), 1)) };
    if NO_VERB.contains(&word.lower.as_str()) || I_WORDS.contains(&word.lower.as_str()) || word.quoted {
        return None;
    }
    // "I, too, think": what stands between is not read.
    if word.fresh && verb == at + 1 {
        return None;
    }
    let third = agreed(&word.lower, lowers, plural)?;
    let adverbs = sentence.get(found.get(at)?.end..word.start)?;
    let rest = conjoined(sentence, found, lowers, verb, third != word.lower);
    let (tail, last) = rest.unwrap_or((String::new(), verb));
    Some((format!("{name}{adverbs}{third}{tail}"), last - at + 1))
}

/// A verb after "I" as it is after a name; `None` if its tense is not clear where it matters.
fn agreed(verb: &str, lowers: &[&str], plural: bool) -> Option<String> {
    let kept = matches!(verb, "was" | "wasn't" | "had" | "hadn't" | "did" | "didn't" | "used") || is_any(verb, &[MODALS]);
    Some(match verb {
        _ if kept => verb.to_owned(),
        "am" => if plural { "are" } else { "is" }.into(),
        "were" => return None,
        _ if plural => verb.to_owned(),
        "haven't" => "hasn't".into(),
        "don't" | "dont" => "doesn't".into(),
        "ain't" => return None,
        "gotta" => "has to".into(),
        "wanna" => "wants to".into(),
        "gonna" => "is going to".into(),
        _ if !verb.chars().all(|c| c.is_ascii_lowercase()) => return None,
        _ => match verbs::form(verb) {
            Form::Past => verb.to_owned(),
            Form::Present => verbs::third_person(verb),
            Form::Either if has_any(lowers, PAST_TIMES) => verb.to_owned(),
            Form::Either => return None,
        },
    })
}

/// Whether "and I" at `at` ends a joint subject, as in "My sister and I": few words before it and no verb among them.
fn joined(lowers: &[&str], at: usize) -> bool {
    let before = lowers.get(..at.saturating_sub(1)).unwrap_or_default();
    let clause = |word: &&str| is_any(word, &[SUBJECTS, AUXILIARIES, MODALS]) || verbs::is_past(word) || verbs::is_common(word);
    !before.is_empty() && before.len() <= 4 && !before.iter().any(clause)
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
    let infinitive =
        own.iter().any(|word| *word == "to" || I_WORDS.contains(word) || is_any(word, &[MODALS, AUXILIARIES]) || *word == "that");
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

#[cfg(test)]
mod tests {
    use super::*;

    fn by_vera(sentence: &str) -> String {
        attribute(&[sentence.to_owned()], &People { speaker: "Vera".into(), listener: Some("Idris".into()) }).0
    }

    #[test]
    fn verbs_agree_with_the_name() {
        for (said, expected) in [
            ("I moved to Basel.", "Vera moved to Basel."),
            ("I'm a nurse and I've two sons.", "Vera is a nurse and Vera has two sons."),
            ("I am allergic to nuts.", "Vera is allergic to nuts."),
            ("I have a dog.", "Vera has a dog."),
            ("I don't eat meat.", "Vera doesn't eat meat."),
            ("I haven't slept.", "Vera hasn't slept."),
            ("I really love tea.", "Vera really loves tea."),
            ("I usually cook and go to bed early.", "Vera usually cooks and goes to bed early."),
            ("I practice and train daily.", "Vera practices and trains daily."),
            ("I'm not alone and have a team.", "Vera is not alone and has a team."),
            ("I felt fine.", "Vera felt fine."),
            ("I like tea and cake.", "Vera likes tea and cake."),
            ("I want to paint and go home.", "Vera wants to paint and go home."),
            ("I can swim.", "Vera can swim."),
            ("I'd love a cat.", "Vera would love a cat."),
            ("I'd already finished it.", "Vera had already finished it."),
            ("I'll visit my sister.", "Vera will visit Vera's sister."),
            ("I need a break.", "Vera needs a break."),
            ("I gotta go.", "Vera has to go."),
            ("I taught myself the piano.", "Vera taught themself the piano."),
            ("He told me that the house is mine.", "He told Vera that the house is Vera's."),
            ("My sister and I go there.", "Vera's sister and Vera go there."),
            ("My sister and I are twins.", "Vera's sister and Vera are twins."),
            ("It's raining, and I walk anyway.", "It's raining, and Vera walks anyway."),
            ("I’m moving.", "Vera is moving."),
            ("Last week I read two novels.", "Last week Vera read two novels."),
            ("I'll send you the report.", "Vera will send Idris the report."),
            ("I borrowed your bike.", "Vera borrowed Idris's bike."),
            ("She said \"I love it\" and I laughed.", "She said \"I love it\" and Vera laughed."),
        ] {
            assert_eq!(by_vera(said), expected);
        }
    }

    #[test]
    fn what_is_not_safe_stays_verbatim() {
        for said in [
            "We moved to Basel.",
            "I think you are right.",
            "Never have I seen snow.",
            "I read novels.",
            "I, for one, like it.",
            "The dog is brown.",
        ] {
            assert_eq!(by_vera(said), format!("Vera: {said}"));
        }
        let alone = People { speaker: "the user".into(), listener: None };
        let by = |sentence: &str| attribute(&[sentence.to_owned()], &alone).0;
        assert_eq!(by("I moved here."), "The user moved here.");
        assert_eq!(by("I owe you one."), "The user: I owe you one.");
        assert_eq!(by("My job in the US is hard."), "The user's job in the US is hard.");
    }
}

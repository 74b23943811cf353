//! From the words of a speaker to a sentence about them: "I've moved" by Vera becomes "Vera has moved". Where the change is not safe,
//! the sentence stays as it is and is quoted.

use super::naming::Naming;
use super::pattern::has_any;
use super::subject::{had_or_would, subject};
use super::verbs;
use super::words::{AUXILIARIES, I_WORDS, MODALS, PREPOSITIONS, WE_WORDS, Word, YOU_WORDS, is_adverb, is_any, lower, words};

/// Verbs with a person as their object.
const ADDRESSING: &[&str] =
    &["ask", "call", "help", "invite", "meet", "see", "send", "show", "tell", "thank", "told", "showed", "sent", "visit"];

/// The people of a sentence, as a reader should see them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct People {
    /// The speaker: a name, or "the user".
    pub speaker: String,
    /// The only other speaker, if there is just one.
    pub listener: Option<String>,
}

/// Sentences about their speaker in the third person; `None` where that could be wrong.
pub fn attribute(sentences: &[String], people: &People) -> Option<String> {
    let rewritten: Option<Vec<String>> = sentences.iter().map(|sentence| rewrite(sentence, &words(sentence), people)).collect();
    let rewritten = rewritten.filter(|rewritten| rewritten != sentences)?;
    Some(rewritten.iter().map(|sentence| capitalised(sentence)).collect::<Vec<_>>().join(" "))
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
    // "Here's a photo of my boat": said by the one who shows it.
    if lowers.first().is_some_and(|word| matches!(*word, "here" | "here's")) {
        return None;
    }
    let mut naming = Naming::new(&people.speaker, found);
    let (mut text, mut read, mut at) = (String::with_capacity(sentence.len() + 32), 0, 0);
    while let Some(word) = found.get(at) {
        let mut used = 1;
        let replacement = match word.lower.as_str() {
            _ if word.quoted => None,
            // A capital: "US" is a country.
            "us" if sentence.get(word.start..word.end) == Some("US") => None,
            lower if WE_WORDS.contains(&lower) => {
                let joint = if at > 0
                    && lowers.get(at - 1) == Some(&"me")
                    && !matches!(lowers.get(at.wrapping_sub(2)), Some(word) if PREPOSITIONS.contains(word))
                    && lower != "our"
                {
                    "that "
                } else {
                    ""
                };
                Some(joint.to_owned() + &plural(&lowers, at, &mut naming)?)
            }
            // "While you were away": the past is of somebody in particular.
            "you" if matches!(lowers.get(at + 1), Some(&("were" | "weren't"))) => {
                used = 2;
                Some(format!("{} {}", people.listener.as_ref()?, if lowers.get(at + 1) == Some(&"were") { "was" } else { "wasn't" }))
            }
            "you" if lowers.get(at + 1).is_some_and(|verb| verbs::is_past(verb)) => Some(people.listener.clone()?),
            // "A game where you build towns": anybody.
            "you" if at > 0 && matches!(lowers.get(at - 1), Some(&("where" | "whenever"))) => None,
            lower if YOU_WORDS.contains(&lower) => Some(listener(&lowers, at, people)?),
            "my" | "me" => {
                let (text, words_used) = match joint(sentence, found, &lowers, at) {
                    Some((company, words_used)) => {
                        naming.mention(at);
                        naming.join(at + words_used - 1);
                        (format!("{} and their {company}", people.speaker), words_used)
                    }
                    None if word.lower == "my" => (naming.my(at), 1),
                    None => (naming.me(at), 1),
                };
                used = words_used;
                Some(text)
            }
            "myself" => Some("themself".into()),
            // "Mine is blue": a thing that the sentence does not name.
            "mine" if at == 0 => return None,
            "mine" => Some(naming.possessive()),
            "gonna" => Some(going(&lowers, at)),
            "wanna" => Some("want to".into()),
            lower if I_WORDS.contains(&lower) => {
                let (verb, words_used) = subject(sentence, found, &lowers, at, &mut naming)?;
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

/// "My sister and I", "me and my sister" at `at`: the company without "my", and how many words that is.
fn joint<'a>(sentence: &'a str, found: &[Word], lowers: &[&str], at: usize) -> Option<(&'a str, usize)> {
    let rest = lowers.get(at..)?;
    if let ["me", "and", "my", ..] = rest {
        let company = found.get(at + 3)?;
        return Some((sentence.get(company.start..company.end)?, 4));
    }
    let and = rest.windows(2).take(6).position(|pair| pair == ["and", "i"]).filter(|and| *and > 1)?;
    let company = rest.get(1..and)?;
    let verb = |word: &&str| is_any(word, &[AUXILIARIES, MODALS, I_WORDS]) || verbs::is_past(word) || verbs::is_common(word);
    if company.iter().any(verb) || found.get(at + and)?.fresh {
        return None;
    }
    Some((sentence.get(found.get(at + 1)?.start..found.get(at + and - 1)?.end)?, and + 2))
}

/// What stands for a word of the first person plural at `at`.
fn plural(lowers: &[&str], at: usize, naming: &mut Naming) -> Option<String> {
    // "We both", "we saw each other": the speaker and one who was named or is spoken to.
    let mutual = lowers.iter().skip(at).take(4).any(|word| *word == "eachother")
        || has_any(lowers.get(at..at + 5).unwrap_or_default(), &["saw|met|see|meet each other"]);
    if mutual || lowers.get(at + 1).is_some_and(|next| matches!(*next, "both" | "two" | "three")) {
        return None;
    }
    Some(match *lowers.get(at)? {
        "we" => naming.we(at, false),
        "we're" => naming.we(at, false) + " are",
        "we've" => naming.we(at, false) + " have",
        "we'll" => naming.we(at, false) + " will",
        "we'd" => naming.we(at, false) + had_or_would(lowers, at),
        "us" => naming.we(at, true),
        "our" => naming.our(at)?,
        "ourselves" => "themselves".into(),
        _ => return None,
    })
}

/// "Gonna" at `at`, after a form of "be" or without it.
fn going(lowers: &[&str], at: usize) -> String {
    let before = at.checked_sub(1).and_then(|before| lowers.get(before)).copied().unwrap_or_default();
    if matches!(before, "and" | "but" | "or") { "is going to".into() } else { "going to".into() }
}

/// What stands for "you" or "your" at `at`: only where it is certainly the listener, and no subject with a verb of its own.
fn listener(lowers: &[&str], at: usize, people: &People) -> Option<String> {
    let listener = people.listener.as_ref()?;
    let before = at.checked_sub(1).and_then(|before| lowers.get(before))?;
    match *lowers.get(at)? {
        "your" if lowers.get(at + 1)? != &"own" => Some(possessive(listener)),
        "you" => {
            let after = lowers.get(at + 1).copied().unwrap_or_default();
            if matches!(after, "two" | "three" | "both" | "all" | "guys") {
                return None;
            }
            let object = is_any(before, &[PREPOSITIONS, ADDRESSING]);
            let verb = is_any(after, &[AUXILIARIES, MODALS]) || verbs::is_common(after) || verbs::is_past(after) || is_adverb(after);
            (object && !verb).then(|| listener.clone())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_vera(sentence: &str) -> String {
        let people = People { speaker: "Vera".into(), listener: Some("Idris".into()) };
        attribute(&[sentence.to_owned()], &people).unwrap_or_else(|| "-".into())
    }

    #[test]
    fn verbs_agree_with_the_name() {
        for (sentence, expected) in [
            ("I moved to Basel.", "Vera moved to Basel."),
            ("I'm a nurse and I've two sons.", "Vera is a nurse and Vera has two sons."),
            ("I am allergic to nuts.", "Vera is allergic to nuts."),
            ("I have a dog.", "Vera has a dog."),
            ("I don't eat meat.", "Vera doesn't eat meat."),
            ("I haven't slept.", "Vera hasn't slept."),
            ("I really love tea.", "Vera really loves tea."),
            ("I usually cook and go to bed early.", "Vera usually cooks and goes to bed early."),
            ("I practice and train daily.", "Vera practices and trains daily."),
            ("I'm not late and have a boat.", "Vera is not late and has a boat."),
            ("I felt fine.", "Vera felt fine."),
            ("I like tea and cake.", "Vera likes tea and cake."),
            ("I want to paint and go home.", "Vera wants to paint and go home."),
            ("I can swim.", "Vera can swim."),
            ("I'd love a cat.", "Vera would love a cat."),
            ("I'd already finished it.", "Vera had already finished it."),
            ("I'll visit my sister.", "Vera will visit their sister."),
            ("I'm allergic to nuts, so I carry my injector.", "Vera is allergic to nuts, so Vera carries their injector."),
            ("I think I might move.", "Vera thinks they might move."),
            ("I coach the players of my team.", "Vera coaches the players of Vera's team."),
            ("After finishing my book I moved.", "After finishing their book Vera moved."),
            ("We moved to Basel with our dog.", "Vera and others moved to Basel with their dog."),
            ("My friends love our house.", "Vera's friends love Vera's house."),
            ("It reminds me we need a break.", "It reminds Vera that Vera and others need a break."),
            ("I was away while you were ill.", "Vera was away while Idris was ill."),
            ("I need a break.", "Vera needs a break."),
            ("I gotta go.", "Vera has to go."),
            ("I taught myself the piano.", "Vera taught themself the piano."),
            ("He told me that the house is mine.", "He told Vera that the house is Vera's."),
            ("My sister and I go there.", "Vera and their sister go there."),
            ("My sister and I are twins.", "Vera and their sister are twins."),
            ("It's raining, and I walk anyway.", "It's raining, and Vera walks anyway."),
            ("I’m moving.", "Vera is moving."),
            ("Last week I read two novels.", "Last week Vera read two novels."),
            ("I'll send you the report.", "Vera will send Idris the report."),
            ("I borrowed your bike.", "Vera borrowed Idris's bike."),
            ("She said \"I love it\" and I laughed.", "She said \"I love it\" and Vera laughed."),
        ] {
            assert_eq!(by_vera(sentence), expected);
        }
    }

    #[test]
    fn what_is_not_safe_is_not_changed() {
        for sentence in ["I think you are right.", "Never have I seen snow.", "I read novels.", "I, for one, like it.", "The dog is brown."]
        {
            assert_eq!(by_vera(sentence), "-");
        }
        let alone = People { speaker: "the user".into(), listener: None };
        let by = |sentence: &str| attribute(&[sentence.to_owned()], &alone);
        assert_eq!(by("I moved here.").as_deref(), Some("The user moved here."));
        assert_eq!(by("I owe you one."), None);
        assert_eq!(by("My job in the US is hard.").as_deref(), Some("The user's job in the US is hard."));
    }
}

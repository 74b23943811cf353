//! What precedes a statement: interjections, names that somebody is called by, and subjects that speakers leave out.

use super::indefinite::indefinite;
use super::pattern::{begins, length};
use super::verbs;
use super::words::{I_WORDS, MODALS, POINTING, WE_WORDS, Word, is_any, lower, words};

/// Words that may stand before a statement, with a comma or the like after them.
#[rustfmt::skip]
const INTERJECTIONS: &[&str] = &[
    // Greetings, thanks, apologies.
    "hello", "hey", "hi", "thanks", "sorry", "oops",
    // Yes and no.
    "yes", "yeah", "yep", "yup", "no", "nope", "nah", "sure", "ok", "okay", "right", "true", "exactly", "indeed", "absolutely",
    "definitely", "certainly", "totally",
    // Surprise and joy.
    "ah", "aha", "aw", "aww", "gosh", "ha", "haha", "lol", "man", "oh", "omg", "woah", "whoa", "wow", "yay", "ouch", "oof", "phew", "ugh", "yikes", "amazing", "awesome", "cool", "great", "nice",
    // Hesitation.
    "hm", "hmm", "um", "well",
    // Adverbs for a whole sentence.
    "actually", "again", "anyway", "anyways", "besides", "btw", "correction", "finally", "honestly", "luckily", "overall", "sadly", "seriously", "then",
    "unfortunately",
];
/// The same for several words.
#[rustfmt::skip]
const PHRASES: &[&str] = &[
    "by the way", "of course", "to be honest", "in fact", "for sure", "for the record", "fun fact", "on the other hand", "as for me",
    "you know what?", "guess what", "i mean", "as|like i said",
    "thank you so? much?", "thanks so|very much", "thanks a lot|bunch", "thanks for that|asking", "no problem|worries", "same here", "me too",
    "good question|to know", "trust|believe me", "not really|yet",
];
/// Words that announce a statement, or say when the speakers talked last.
#[rustfmt::skip]
const ANNOUNCEMENTS: &[&str] = &[
    "i? just? want|wanted to let you|everyone know that?", "i? just? want|wanted to tell|share that?", "did i tell you that?",
    "since i|we last? talked|spoke|chatted|met last?", "since the|our|my last chat|talk|conversation|time", "on another|a different? note",
    "as you know|said", "you know", "after i|we talked|spoke|chatted",
];
/// Words that join a statement to the one before, with or without a comma.
const JOINTS: &[&str] = &["and", "but", "so", "also", "plus", "cause", "cuz"];
/// Past forms with which speakers begin when they leave "I" out.
#[rustfmt::skip]
const ELIDED_PAST: &[&str] = &[
    "ate", "began", "bought", "came", "decided", "did", "drove", "finished", "found", "gave", "got", "grew", "had", "joined", "learned",
    "lost", "made", "met", "moved", "played", "ran", "saw", "spent", "started", "took", "tried", "visited", "watched", "went",
    "won", "worked", "wrote",
];
/// Other beginnings without a subject, and what belongs before them.
#[rustfmt::skip]
const ELIDED: &[(&str, &str)] = &[
    ("still|currently|just? gonna|planning|working|trying|looking|hoping|excited", "I'm "), ("was|haven't|didn't|couldn't|wasn't", "I "), ("going|thinking to|of|about", "I'm "),
    ("want|have to", "I "), ("gotta|love|hate|miss", "I "), ("can't|cannot|won't", "I "),
];

/// A sentence without what precedes its statement, with the subject that was left out, and without a name at its end. `names` are those of
/// the speakers.
pub fn statement(sentence: &str, names: &[String]) -> String {
    let found = words(sentence);
    let start = first(&found, names).and_then(|at| found.get(at)).map_or(sentence.len(), |word| word.start);
    let end = match found.as_slice() {
        [.., before, last] if last.fresh && is_name(last, names) => before.end,
        [_, _, .., before, last] if matches!(last.lower.as_str(), "too" | "though") => before.end,
        [_, _, .., before, as_, well] if as_.lower == "as" && well.lower == "well" => before.end,
        _ => sentence.len(),
    };
    // With the mark that opens a quotation.
    let opening = sentence.get(..start).unwrap_or_default().trim_end_matches(['"', '“', '(', '[', '\'', '‘', '*', '_']).len();
    let core = sentence.get(opening..end).unwrap_or_default().trim_end_matches([',', ' ']);
    let lowers = lower(&found);
    let from = found.iter().position(|word| word.start == start).unwrap_or(found.len());
    let rest = lowers.get(from..).unwrap_or_default();
    let text = match subject(rest).filter(|_| !sentence.trim_end().ends_with('?')) {
        Some(subject) => subject.to_owned() + &uncapitalised(core),
        None => core.to_owned(),
    };
    indefinite(&text, &words(&text))
}

/// The place of the first word of the statement.
fn first(found: &[Word], names: &[String]) -> Option<usize> {
    let lowers = lower(found);
    let mut at = 0;
    loop {
        let word = found.get(at)?;
        let rest = lowers.get(at..)?;
        let closed = |length: usize| found.get(at + length).is_none_or(|next| next.fresh);
        let phrase = PHRASES.iter().filter_map(|phrase| length(rest, phrase)).filter(|length| closed(*length)).max();
        let announced = ANNOUNCEMENTS.iter().filter_map(|phrase| length(rest, phrase)).max();
        let subject = |length: usize| closed(length) || rest.get(length).is_some_and(|next| is_any(next, &[I_WORDS, WE_WORDS]));
        let phrase = phrase.or(announced.filter(|length| subject(*length)));
        at += match phrase {
            Some(length) => length,
            None if JOINTS.contains(&word.lower.as_str()) && joins(rest, closed(1)) => 1,
            None if (INTERJECTIONS.contains(&word.lower.as_str()) || is_name(word, names)) && closed(1) => 1,
            // "Hey Idris, …", "OK I will"
            None if INTERJECTIONS.contains(&word.lower.as_str())
                && found.get(at + 1).is_some_and(|next| is_name(next, names) && found.get(at + 2).is_some_and(|next| next.fresh)) =>
            {
                2
            }
            None if INTERJECTIONS.contains(&word.lower.as_str())
                && found
                    .get(at + 1)
                    .is_some_and(|next| is_any(&next.lower, &[I_WORDS, WE_WORDS, INTERJECTIONS, &["they", "it's", "it"]])) =>
            {
                1
            }
            None => return Some(at),
        };
    }
}

/// Whether the word at the beginning joins sentences: "So I moved", but not "So far".
fn joins(words: &[&str], closed: bool) -> bool {
    let next = words.get(1).copied().unwrap_or_default();
    words.first() != Some(&"so")
        || closed
        || is_any(next, &[I_WORDS, WE_WORDS, POINTING, &["the", "a", "my", "our", "you", "after", "when"]])
}

/// A speaker's name, its first word or a short form of it.
fn is_name(word: &Word, names: &[String]) -> bool {
    word.capital && word.lower.len() >= 3 && names.iter().any(|name| name.to_lowercase().starts_with(&word.lower))
}

/// The subject that a statement lacks.
fn subject(words: &[&str]) -> Option<&'static str> {
    let verb = if words.first() == Some(&"just") { words.get(1)? } else { words.first()? };
    // "Found objects are …", "Spent grain": an object or a place follows a verb.
    let follows = words.get(if words.first() == Some(&"just") { 2 } else { 1 }).copied().unwrap_or_default();
    // "Thinking of it pumps me up": the gerund is the subject. "Took a while": "it" took.
    let object = verb.ends_with("ing") && words.iter().any(|word| matches!(*word, "me" | "us"));
    if object
        || begins(words, "gonna|going to? be")
        || begins(words, "just? took some|forever|ages|me|us|time|long")
        || begins(words, "just? took a while|lot|bit|long")
    {
        return None;
    }
    // "Working together, we can do it", "Trying new things takes time": the subject follows, or it is the gerund.
    let finite = |word: &str| {
        matches!(word, "is" | "was" | "are" | "were" | "has")
            || MODALS.contains(&word)
            || word.strip_suffix('s').is_some_and(verbs::is_never_noun)
    };
    let main = |word: &&str| matches!(*word, "i" | "i'm" | "i've" | "we" | "we're" | "we've") || *verb != "hoping" && finite(word);
    // Up to the next clause; "and" may join gerunds.
    let joins = |at: usize| words.get(at) == Some(&"and") && words.iter().skip(at + 1).take(2).any(|word| word.ends_with("ing"));
    let ends = |at: &usize| {
        matches!(words.get(*at), Some(&("but" | "and" | "because" | "that" | "if" | "when" | "who" | "which" | "what"))) && !joins(*at)
    };
    let end = (0..words.len()).find(ends).unwrap_or(words.len());
    // "Baking cakes and bread has been fun": a verb without a subject of its own needs the gerund.
    let bare =
        |pair: &[&str]| matches!(pair, [before, "is" | "was" | "has"] if !is_any(before, &[POINTING, &["who", "what", "how", "there"]]));
    if verb.ends_with("ing") && (words.iter().take(end).any(main) || words.windows(2).any(bare)) {
        return None;
    }
    if matches!(words.first(), Some(&("still" | "currently" | "just")))
        && words.get(1).is_some_and(|verb| verb.len() > 4 && verb.ends_with("ing"))
    {
        return Some("I'm ");
    }
    let at = usize::from(matches!(words.first(), Some(&("always" | "never" | "just" | "also"))));
    if words.get(at) == Some(&"been") {
        let after = words.get(at + 1).copied().unwrap_or_default();
        return (after.ends_with("ing") || verbs::is_past(after) || at > 0).then_some("I've ");
    }
    if ELIDED_PAST.contains(verb)
        && (!verbs::is_past(follows) || follows == "used" || *verb == "got")
        && !matches!(follows, "are" | "is" | "by")
    {
        return Some("I ");
    }
    // "Adopted a kitten": a past form before an object.
    let just = words.first() == Some(&"just") && matches!(follows, "with" | "at" | "in" | "on" | "to" | "for");
    let object = just || matches!(follows, "a" | "an" | "the" | "my" | "our" | "some" | "two");
    if object && verbs::is_past(verb) && !matches!(*verb, "given" | "based" | "compared" | "was" | "were" | "left") {
        return Some("I ");
    }
    // "Love is blind": a noun.
    if matches!(follows, "is" | "was" | "can" | "will" | "has" | "and" | "or" | "sure") {
        return None;
    }
    ELIDED.iter().find(|(beginning, _)| begins(words, beginning)).map(|(_, subject)| *subject)
}

fn uncapitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::statement;

    #[test]
    fn what_precedes_a_statement_goes() {
        let names = ["Vera Lind".to_owned(), "Idris".to_owned()];
        for (sentence, expected) in [
            ("Yeah, Idris, I moved.", "I moved."),
            ("Hey Idris, I moved!", "I moved!"),
            ("By the way, I moved, Idris!", "I moved"),
            ("And so I moved.", "I moved."),
            ("No one moved.", "No one moved."),
            ("Went to the gym.", "I went to the gym."),
            ("Just got a cat.", "I just got a cat."),
            ("Gonna sleep.", "I'm gonna sleep."),
            ("Adopted a kitten!", "I adopted a kitten!"),
            ("Inspired by Bach.", "Inspired by Bach."),
            ("Idris moved.", "Idris moved."),
            ("Oh!", ""),
        ] {
            assert_eq!(statement(sentence, &names), expected);
        }
    }
}

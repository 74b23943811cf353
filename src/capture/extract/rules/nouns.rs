//! What nouns may mean, as far as the choice of a pronoun needs it: persons, groups, several things.

use super::verbs;
use super::words::is_adverb;

#[rustfmt::skip]
const KIN: &[&str] = &[
    "aunt", "baby", "boyfriend", "brother", "brothers", "buddies", "buddy", "cat", "cats", "child", "children", "colleague",
    "colleagues", "cousin", "cousins", "coworker", "coworkers", "dad", "daughter", "daughters", "dog", "dogs", "ex", "family", "father",
    "fiance", "fiancé", "fiancée", "friend", "friends", "girlfriend", "grandfather", "grandma", "grandmother", "grandpa",
    "grandparents", "hubby", "husband", "kid", "kids", "kitten", "mentor", "mom", "mother", "mum", "neighbor", "neighbors", "neighbour",
    "neighbours", "nephew", "niece", "parents", "partner", "pet", "pets", "puppy", "roommate", "siblings", "sister", "sisters", "son",
    "sons", "spouse", "uncle", "wife",
];
/// Persons beside kin.
#[rustfmt::skip]
const SOMEBODY: &[&str] = &[
    "someone", "somebody", "guy", "man", "woman", "girl", "boy", "person", "lady", "teacher", "boss", "coach", "author", "artist",
    "singer", "player", "actor", "character", "manager", "nurse", "doctor", "instructor", "student", "teammate", "classmate",
    "customer", "client", "participant", "colleague", "kiddo", "newborn", "toddler", "teen", "who",
];
#[rustfmt::skip]
const GROUPS: &[&str] = &[
    "people", "children", "men", "women", "everyone", "everybody", "anyone", "others", "team", "family", "group", "crowd", "folks",
    "staff", "class", "couple",
];
/// Words that end like a plural and are none, and periods.
#[rustfmt::skip]
const NO_PLURALS: &[&str] = &[
    "minutes", "hours", "days", "weeks", "months", "years", "weekends", "times", "always", "sometimes", "besides", "perhaps", "lots",
    "this", "does", "plus", "thus", "towards", "afterwards", "news", "always", "else's",
];
/// Days, parts of a day and other periods.
#[rustfmt::skip]
const PERIODS: &[&str] = &[
    "day", "days", "week", "weeks", "weekend", "month", "months", "year", "years", "morning", "afternoon", "evening", "night", "spring",
    "summer", "autumn", "fall", "winter", "season", "time", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    "moment", "hour", "hours", "minute", "minutes",
];

/// Relatives, friends, colleagues and pets.
pub fn is_kin(word: &str) -> bool {
    KIN.contains(&word.strip_suffix("'s").unwrap_or(word))
}

/// One person or several.
pub fn is_person(word: &str) -> bool {
    is_kin(word) || SOMEBODY.contains(&word.strip_suffix('s').unwrap_or(word)) || word.ends_with("-year-old")
}

/// One person: "she" may mean a sister, not a family and not sisters.
pub fn is_one_person(word: &str) -> bool {
    is_person(word) && word != "who" && !is_plural(word) && !is_group(word)
}

/// Several people.
pub fn is_group(word: &str) -> bool {
    GROUPS.contains(&word)
}

pub fn is_period(word: &str) -> bool {
    PERIODS.contains(&word.strip_suffix("'s").unwrap_or(word))
}

/// Whether a word looks like the plural of a noun, by its ending.
pub fn is_plural(word: &str) -> bool {
    word.len() > 3
        && word.ends_with('s')
        && !["ss", "us", "is", "'s"].iter().any(|end| word.ends_with(end))
        && !is_adverb(word)
        && !NO_PLURALS.contains(&word)
        && !word.strip_suffix('s').is_some_and(verbs::is_never_noun)
}

//! Sorts of statements about people, by general classes of English words; no topic of anybody's.

use super::nouns::is_kin;
use super::pattern::has_any;
use super::verbs;

/// Sorts of statements about people, the most telling first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sort {
    Health,
    Preference,
    Role,
    Plan,
    Habit,
    Possession,
    Relation,
    Meaning,
    Event,
    Feeling,
}

// Patterns are matched in the plain words: without adverbs, contractions in full, "we" as "i", "our" as "my", "us" as "me".
#[rustfmt::skip]
const PREFERENCE: &[&str] = &[
    "i love|like|enjoy|hate|prefer|adore|dislike|loathe|avoid", "i do not like|enjoy|drink|eat", "i can not stand", "i would rather",
    "i am into|keen|fond", "fan of", "passionate about", "obsessed with", "interested in", "i am drawn to", "fell in love",
    "my favorite|favourite|passion|hobby|hobbies",
];
#[rustfmt::skip]
const ROLE: &[&str] = &[
    "i am a|an|the|from", "i was born|raised", "i grew up", "my name is", "i live|lived|moved|speak",
    "i work|worked|teach|study|graduated|manage|coach|lead|volunteer", "i am working|studying|teaching|volunteering",
    "i have been working|studying|teaching|volunteering", "i run|own a|the",
    "my job|career|business|company|boss|team|office|shop|major|degree",
];
#[rustfmt::skip]
const PLAN: &[&str] = &[
    "i am going to", "i am gonna", "i am planning|hoping|looking|considering|saving|aiming|starting|preparing|trying",
    "i am thinking of|about", "i am about|excited|determined to", "i am getting ready", "i will|plan|want|intend|aim|hope",
    "i wanted|need|have to", "i decided", "i have decided", "i would love|like to", "my goal|goals|dream|plan|plans",
];
#[rustfmt::skip]
const POSSESSION: &[&str] = &[
    "i have a|an|two|three|some|got|had|my|this|these|that", "i got a|an|my|some", "i own|bought|adopted|collect|received", "i picked up",
];
#[rustfmt::skip]
const MEANING: &[&str] = &[
    "helps|helped|reminds|reminded|makes|made|taught|gave|gives|inspired|inspires|keeps|keep|motivates|supported|showed|allows|lets me",
    "encouraged|encourages me", "means a lot to me", "important to me", "my way", "i believe|value|admire|find", "i learned|realized|realised|discovered",
    "i found that",
];
#[rustfmt::skip]
const FEELING: &[&str] = &[
    "i am|was so|super|pretty|really? happy|glad|sad|tired|excited|proud|grateful|thankful|thrilled|nervous|worried|stressed|lucky|amazed|afraid|angry|bored|busy|exhausted|overwhelmed|pumped|stoked|swamped",
    "crazy|different|many|mixed emotions|feelings", "emotions|feelings like", "i am so|good|fine|okay|doing|feeling", "i was so", "i feel|felt",
];
#[rustfmt::skip]
const HEALTH: &[&str] = &[
    "allergic", "allergy", "anxiety", "arthritis", "asthma", "cancer", "celiac", "depression", "diabetes", "diabetic", "diagnosed",
    "diagnosis", "doctor", "gluten", "halal", "hospital", "injured", "injury", "insomnia", "intolerant", "kosher", "lactose",
    "medication", "migraine", "migraines", "operation", "pregnant", "sick", "surgery", "symptoms", "therapist", "therapy", "vegan",
    "vegetarian",
];
#[rustfmt::skip]
const HABIT: &[&str] = &[
    "every|each day|morning|evening|night|week|weekend|month|year|spring|summer|autumn|fall|winter", "once|twice|times a",
    "on weekends|mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays", "used|tend to", "at least once", "all the time",
    "in my free|spare time", "whenever i", "most days",
];
const HABIT_ADVERBS: &[&str] =
    &["always", "usually", "often", "never", "rarely", "regularly", "sometimes", "normally", "typically", "weekly", "daily"];

/// The sorts of a statement by its words and its plain words.
pub fn sorts(lowers: &[&str], stream: &[&str]) -> Vec<Sort> {
    let says = |patterns: &[&str]| has_any(stream, patterns);
    let any = |class: &[&str]| lowers.iter().any(|word| class.contains(word));
    let own = |word: &str| word == "my" || word == "the";
    let kin = stream.windows(2).any(|pair| matches!(pair, [owner, word] if own(owner) && is_kin(word)))
        || stream.windows(3).any(|three| matches!(three, ["my", _, word] if is_kin(word)));
    let event = stream.windows(2).any(|pair| matches!(pair, ["i", verb] if verbs::is_past(verb) && *verb != "was") || matches!(pair, ["i" | "have", verb] if verbs::is_participle(verb) && !matches!(*verb, "was" | "had") && stream.contains(&"i")))
        || stream.windows(3).any(|three| matches!(three, ["i", "all" | "both", verb] | ["my", _, verb] if verbs::is_past(verb)))
        || stream.windows(3).any(|three| matches!(three, ["have", "been", verb] if verb.len() > 4 && verb.ends_with("ing")))
        || stream.windows(3).any(|three| matches!(three, ["i", "am", verb] if verb.len() > 4 && verb.ends_with("ing")));
    let found = [
        (Sort::Health, any(HEALTH)),
        (Sort::Preference, says(PREFERENCE)),
        (Sort::Role, says(ROLE)),
        (Sort::Plan, says(PLAN)),
        (Sort::Habit, has_any(lowers, HABIT) || any(HABIT_ADVERBS)),
        (Sort::Possession, says(POSSESSION)),
        (Sort::Relation, kin),
        (Sort::Meaning, says(MEANING)),
        (Sort::Event, event),
        (Sort::Feeling, says(FEELING)),
    ];
    found.into_iter().filter_map(|(sort, is)| is.then_some(sort)).collect()
}

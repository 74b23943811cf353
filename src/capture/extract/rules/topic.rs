//! A proposal for the topic of a statement: a theme of its words, with the person that it is about.

use super::nouns::is_kin;
use super::person::possessive;
use super::signals::{Signals, Sort};

#[rustfmt::skip]
const THEMES: &[(&str, &[&str])] = &[
    ("health", &["allergic", "allergy", "doctor", "diet", "gluten", "health", "healthy", "hospital", "injury", "medication", "sick", "sleep",
        "surgery", "therapy", "vegan", "vegetarian", "yoga", "gym", "workout", "fitness"]),
    ("work", &["boss", "business", "career", "client", "clients", "colleague", "company", "coworker", "interview", "job", "office",
        "promotion", "salary", "shift", "startup", "team", "work", "working"]),
    ("studies", &["class", "classes", "college", "course", "degree", "exam", "exams", "major", "school", "study", "studying", "thesis",
        "university"]),
    ("home", &["apartment", "flat", "garden", "home", "house", "kitchen", "landlord", "moved", "rent", "room"]),
    ("pets", &["cat", "cats", "dog", "dogs", "kitten", "pet", "pets", "puppy", "rabbit"]),
    ("travel", &["airport", "beach", "camping", "flight", "holiday", "hotel", "travel", "traveling", "travelling", "trip", "vacation", "visit",
        "visited"]),
    ("food", &["bake", "baking", "cake", "coffee", "cook", "cooking", "dinner", "dish", "eat", "food", "lunch", "meal", "recipe",
        "restaurant", "tea"]),
    ("music", &["album", "band", "concert", "guitar", "music", "piano", "sing", "song", "songs", "violin"]),
    ("sport", &["ball", "basketball", "climbing", "football", "hike", "hiking", "marathon", "race", "run", "running", "ski", "skiing",
        "soccer", "sport", "sports", "swim", "swimming", "tennis"]),
    ("reading", &["author", "book", "books", "novel", "novels", "read", "reading", "series"]),
    ("art", &["art", "draw", "drawing", "paint", "painted", "painting", "photography", "photos", "sculpture"]),
    ("games", &["board", "console", "game", "games", "gaming", "tournament"]),
    ("money", &["bank", "budget", "debt", "insurance", "loan", "mortgage", "savings"]),
];

/// "Vera's family": the theme of the statement, or else of its sort.
pub fn topic(signals: &Signals, speaker: &str) -> String {
    let says = |theme: &[&str]| signals.plain.iter().any(|word| theme.contains(&word.as_str()));
    let kin = signals.is(Sort::Relation) && signals.plain.iter().any(|word| is_kin(word));
    let theme = THEMES.iter().find(|(_, words)| says(words)).map(|(theme, _)| *theme);
    let theme = theme.or(kin.then_some("family and friends")).unwrap_or(match signals.sorts.first() {
        Some(Sort::Preference) => "preferences",
        Some(Sort::Plan) => "plans",
        Some(Sort::Habit) => "habits",
        Some(Sort::Possession) => "possessions",
        Some(Sort::Health) => "health",
        Some(Sort::Feeling) => "mood",
        _ => "life",
    });
    format!("{} {theme}", possessive(speaker))
}

/// The first noun phrase of a statement about a thing: the words after its first article, or its first words.
pub fn thing(words: &[&str]) -> String {
    const STOPS: &[&str] = &[
        "a", "an", "the", "our", "my", "this", "we", "i", "to", "is", "are", "was", "use", "uses", "runs", "has", "have", "must", "will",
        "for", "on", "in", "at", "with", "of", "and", "over", "because", "instead", "rather", "than", "from", "before", "after", "decided",
        "decision", "agreed", "chose", "going", "always", "never", "make", "sure", "be", "run", "runs",
    ];
    let words = words.split(|word| matches!(*word, "because" | "since" | "so")).next().unwrap_or_default();
    let start = words.iter().position(|word| matches!(*word, "the" | "our" | "my" | "a" | "an")).map_or(0, |at| at + 1);
    let named: Vec<&str> = words
        .iter()
        .skip(start)
        .skip_while(|word| STOPS.contains(word))
        .take_while(|word| !STOPS.contains(word))
        .take(3)
        .copied()
        .collect();
    if named.is_empty() { words.iter().take(4).copied().collect::<Vec<_>>().join(" ") } else { named.join(" ") }
}

//! Languages: the script of a word decides, and among Latin letters the function words of the text.

use super::fold::{fold, fold_umlauts};
use rust_stemmers::{Algorithm, Stemmer};
use std::collections::HashMap;
use std::sync::LazyLock;

/// English function words, unstemmed, in their order. They carry no topic, and every memory has them.
const ENGLISH: &[&str] = &[
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been", "before", "being", "but", "by", "can",
    "could", "did", "do", "does", "doing", "for", "from", "had", "has", "have", "having", "he", "her", "hers", "him", "his", "how", "i",
    "if", "in", "into", "is", "it", "its", "just", "me", "more", "most", "my", "no", "nor", "not", "of", "on", "or", "our", "ours", "out",
    "over", "own", "same", "she", "should", "so", "some", "such", "than", "that", "the", "their", "theirs", "them", "then", "there",
    "these", "they", "this", "those", "through", "to", "too", "under", "until", "up", "very", "was", "we", "were", "what", "when", "where",
    "which", "while", "who", "whom", "why", "will", "with", "would", "you", "your", "yours",
];

/// Function words that a text in another language needs to count as one.
const VOTES_MIN: usize = 2;

/// Suffixes of Hindi, longest first, folded: Ramanathan and Rao, "A lightweight stemmer for Hindi", 2003.
const HINDI_SUFFIXES: &[&str] = &[
    "ाएंगी",
    "ाएंगा",
    "ाऊंगी",
    "ाऊंगा",
    "ाइयों",
    "ाइयां",
    "ाएगी",
    "ाएगा",
    "ाओगी",
    "ाओगे",
    "एंगी",
    "ेंगी",
    "एंगे",
    "ेंगे",
    "ूंगी",
    "ूंगा",
    "ातीं",
    "नाओं",
    "नाएं",
    "ताओं",
    "ताएं",
    "ियों",
    "ियां",
    "ाकर",
    "ाइए",
    "ाईं",
    "ाया",
    "ेगी",
    "ेगा",
    "ोगी",
    "ोगे",
    "ाने",
    "ाना",
    "ाते",
    "ाती",
    "ाता",
    "तीं",
    "ाओं",
    "ाएं",
    "ुओं",
    "ुएं",
    "ुआं",
    "कर",
    "ाओ",
    "िए",
    "ाई",
    "ाए",
    "ने",
    "नी",
    "ना",
    "ते",
    "ीं",
    "ती",
    "ता",
    "ां",
    "ों",
    "ें",
    "ो",
    "े",
    "ू",
    "ु",
    "ी",
    "ि",
    "ा",
];

/// Whose rules a word is stemmed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    English,
    German,
    French,
    Spanish,
    Portuguese,
    Italian,
    Dutch,
    Turkish,
    Swedish,
    Danish,
    Norwegian,
    Finnish,
    Hungarian,
    Romanian,
    Russian,
    Arabic,
    Greek,
    Tamil,
    Hindi,
}

/// The languages that a vote decides between, besides English. The first of several with equal votes wins.
const LATIN: [(&str, Language); 13] = [
    ("german", Language::German),
    ("french", Language::French),
    ("spanish", Language::Spanish),
    ("portuguese", Language::Portuguese),
    ("italian", Language::Italian),
    ("dutch", Language::Dutch),
    ("turkish", Language::Turkish),
    ("swedish", Language::Swedish),
    ("danish", Language::Danish),
    ("norwegian", Language::Norwegian),
    ("finnish", Language::Finnish),
    ("hungarian", Language::Hungarian),
    ("romanian", Language::Romanian),
];

const OTHERS: [(&str, Language); 4] =
    [("russian", Language::Russian), ("arabic", Language::Arabic), ("hindi", Language::Hindi), ("greek", Language::Greek)];

/// The languages of each function word, folded.
static FUNCTION_WORDS: LazyLock<HashMap<String, Vec<Language>>> = LazyLock::new(|| {
    let mut languages: HashMap<String, Vec<Language>> = HashMap::new();
    for word in ENGLISH {
        languages.entry((*word).to_owned()).or_default().push(Language::English);
    }
    for (name, words) in include_str!("function_words.txt").lines().filter_map(|line| line.split_once(": ")) {
        for (_, language) in LATIN.iter().chain(&OTHERS).filter(|(known, _)| *known == name) {
            words.split(' ').for_each(|word| add(languages.entry(fold(word)).or_default(), *language));
        }
    }
    languages
});

fn add(languages: &mut Vec<Language>, language: Language) {
    if !languages.contains(&language) {
        languages.push(language);
    }
}

/// The language of the Latin words of a text, given all of its words, folded: the one with the most function words, at least two and more
/// than English has.
pub fn vote<'a>(words: impl Iterator<Item = &'a str>) -> Language {
    let mut votes: HashMap<Language, usize> = HashMap::new();
    for language in words.filter_map(|word| FUNCTION_WORDS.get(word)).flatten() {
        *votes.entry(*language).or_default() += 1;
    }
    let of = |language: Language| votes.get(&language).copied().unwrap_or_default();
    let least = VOTES_MIN.max(of(Language::English) + 1);
    // `max_by_key` takes the last of equals.
    let most = LATIN.iter().rev().map(|(_, language)| *language).max_by_key(|language| of(*language));
    most.filter(|language| of(*language) >= least).unwrap_or(Language::English)
}

impl Language {
    /// Two letters, for the Latin ones among the twelve languages that the files of words have.
    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::French => "fr",
            Self::Spanish => "es",
            Self::Portuguese => "pt",
            Self::Italian => "it",
            Self::Dutch => "nl",
            _ => "",
        }
    }

    /// The language of a word by its first letter; `latin` for Latin letters and for scripts without a stemmer.
    pub fn of(folded: &str, latin: Self) -> Self {
        match folded.chars().next().unwrap_or_default() {
            '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Self::Greek,
            '\u{400}'..='\u{52f}' => Self::Russian,
            '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' => Self::Arabic,
            '\u{900}'..='\u{97f}' => Self::Hindi,
            '\u{b80}'..='\u{bff}' => Self::Tamil,
            _ => latin,
        }
    }

    /// Whether a folded word is a function word of this language.
    pub fn has_function_word(self, folded: &str) -> bool {
        FUNCTION_WORDS.get(folded).is_some_and(|languages| languages.contains(&self))
    }

    /// Whether its stemmer cuts endings only, so that a stem begins with the letter of its word.
    pub fn keeps_beginnings(self) -> bool {
        // French and Italian words lose an article.
        !matches!(self, Self::Arabic | Self::Tamil | Self::French | Self::Italian)
    }

    /// The terms of a word, given in lower case and folded: the stem of its language and, if it differs, the English stem. Questions that are
    /// too short for a vote have the English stem alone.
    pub fn terms(self, lower: &str, folded: &str) -> Vec<String> {
        let (lower, folded) = (self.without_article(lower), self.without_article(folded));
        let mut terms = vec![self.stem(lower, folded)];
        if !matches!(self, Self::English | Self::Russian | Self::Arabic | Self::Greek | Self::Tamil | Self::Hindi) {
            let plain = if self == Self::German { fold_umlauts(folded) } else { folded.to_owned() };
            let english = Self::English.stem(&plain, &plain);
            if terms[0] != english {
                terms.push(english);
            }
        }
        terms
    }

    fn stem(self, lower: &str, folded: &str) -> String {
        let stem = |algorithm, word: &str| Stemmer::create(algorithm).stem(word).into_owned();
        let stem = match self {
            Self::English => stem(Algorithm::English, folded),
            // It knows neither ё nor accents.
            Self::Russian => stem(Algorithm::Russian, folded),
            Self::Hindi => without_suffix(folded).to_owned(),
            Self::German => fold_umlauts(&fold(&stem(Algorithm::German, lower))),
            Self::French => fold(&stem(Algorithm::French, lower)),
            Self::Spanish => fold(&stem(Algorithm::Spanish, lower)),
            Self::Portuguese => fold(&stem(Algorithm::Portuguese, lower)),
            Self::Italian => fold(&stem(Algorithm::Italian, lower)),
            Self::Dutch => fold(&stem(Algorithm::Dutch, lower)),
            Self::Turkish => fold(&stem(Algorithm::Turkish, lower)),
            Self::Swedish => fold(&stem(Algorithm::Swedish, lower)),
            Self::Danish => fold(&stem(Algorithm::Danish, lower)),
            Self::Norwegian => fold(&stem(Algorithm::Norwegian, lower)),
            Self::Finnish => fold(&stem(Algorithm::Finnish, lower)),
            Self::Hungarian => fold(&stem(Algorithm::Hungarian, lower)),
            Self::Romanian => fold(&stem(Algorithm::Romanian, lower)),
            Self::Arabic => fold(&stem(Algorithm::Arabic, lower)),
            Self::Greek => fold(&stem(Algorithm::Greek, lower)),
            Self::Tamil => fold(&stem(Algorithm::Tamil, lower)),
        };
        if stem.is_empty() { folded.to_owned() } else { stem }
    }

    /// A word of French or Italian without the article or pronoun that an apostrophe ties to it.
    fn without_article(self, word: &str) -> &str {
        let ties = matches!(self, Self::French | Self::Italian);
        let rest = word.split_once(['\'', '’']).filter(|(article, rest)| ties && article.len() <= 4 && !rest.is_empty());
        rest.map_or(word, |(_, rest)| rest)
    }
}

fn without_suffix(word: &str) -> &str {
    let rest = |suffix: &&str| word.strip_suffix(*suffix).filter(|rest| rest.chars().count() > 1);
    HINDI_SUFFIXES.iter().find_map(rest).unwrap_or(word)
}

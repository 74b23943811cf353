//! The words of a sentence with their places, and the classes of function words that several rules need.

/// A word: letters and digits, joined by apostrophes and hyphens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    pub start: usize,
    pub end: usize,
    /// In lower case, with straight apostrophes.
    pub lower: String,
    /// Begins with a capital.
    pub capital: bool,
    /// In capitals, with four letters or more: "NEVER".
    pub stressed: bool,
    /// Inside a quotation.
    pub quoted: bool,
    /// A comma, dash, bracket or colon stands before it.
    pub fresh: bool,
}

pub const AUXILIARIES: &[&str] = &[
    "am", "are", "can", "could", "did", "do", "does", "had", "has", "have", "is", "may", "might", "must", "shall", "should", "was", "were",
    "will", "would",
];
#[rustfmt::skip]
pub const MODALS: &[&str] = &[
    "can", "can't", "cannot", "cant", "could", "couldn't", "may", "might", "must", "mustn't", "shall", "should", "shouldn't", "will",
    "won't", "would", "wouldn't",
];
pub const PREPOSITIONS: &[&str] = &[
    "about", "after", "around", "at", "before", "behind", "beside", "besides", "between", "by", "for", "from", "in", "into", "like",
    "near", "of", "on", "onto", "over", "than", "through", "to", "toward", "towards", "under", "upon", "with", "without",
];
/// Adverbs that stand between a subject and its verb.
#[rustfmt::skip]
pub const ADVERBS: &[&str] = &[
    "actually", "again", "almost", "already", "also", "always", "even", "ever", "first", "frequently", "generally", "hardly", "just",
    "kinda", "mainly", "mostly", "never", "normally", "now", "often", "once", "only", "originally", "personally", "previously",
    "probably", "rarely", "really", "recently", "seldom", "simply", "sometimes", "soon", "still", "then", "totally", "truly",
    "typically", "usually", "definitely", "absolutely", "currently", "finally", "honestly", "certainly", "especially", "occasionally",
    "regularly", "clearly",
];
/// First-person words of one speaker.
pub const I_WORDS: &[&str] = &["i", "i'm", "im", "i've", "ive", "i'd", "i'll", "me", "my", "mine", "myself"];
/// First-person words of several people: who they are is not known.
pub const WE_WORDS: &[&str] = &["we", "we're", "we've", "we'd", "we'll", "us", "our", "ours", "ourselves", "let's"];
pub const YOU_WORDS: &[&str] =
    &["you", "you're", "you've", "you'd", "you'll", "your", "yours", "yourself", "yourselves", "u", "ur", "y'all", "ya"];
/// Words that point to something said before, as the subject of a sentence.
pub const POINTING: &[&str] = &[
    "it", "it's", "its", "it'll", "it'd", "this", "that", "that's", "that'll", "these", "those", "they", "they're", "they've", "they'd",
    "they'll", "he", "he's", "he'd", "he'll", "she", "she's", "she'd", "she'll", "his", "her", "their", "there", "there's", "them", "him",
    "which", "both", "neither", "here's", "here",
];

/// The words of a sentence, in order.
pub fn words(sentence: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let (mut quoted, mut fresh) = (false, true);
    let mut chars = sentence.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        match c {
            '"' => quoted = !quoted,
            '“' => quoted = true,
            '”' => quoted = false,
            ',' | ';' | ':' | '(' | ')' | '—' | '–' | '.' | '!' | '?' => fresh = true,
            '-' => fresh = true,
            _ if c.is_alphanumeric() => {
                let mut end = start + c.len_utf8();
                while let Some((at, c)) = chars.next_if(|(_, c)| c.is_alphanumeric() || is_joint(*c)) {
                    end = at + c.len_utf8();
                }
                let text = sentence.get(start..end).unwrap_or_default();
                let text = text.trim_end_matches(is_joint);
                let lower = text.to_lowercase().replace('’', "'");
                let stressed = text.len() > 3 && text.chars().all(char::is_uppercase);
                words.push(Word { start, end: start + text.len(), lower, capital: c.is_uppercase(), stressed, quoted, fresh });
                fresh = sentence.get(start..end).is_some_and(|raw| raw.ends_with('-'));
            }
            _ => {}
        }
    }
    words
}

/// Marks inside a word: "it's", "well-known", "v1.2", "example.org". At its end they are none.
fn is_joint(c: char) -> bool {
    matches!(c, '\'' | '’' | '-' | '_' | '.' | '@')
}

/// The words in lower case.
pub fn lower(words: &[Word]) -> Vec<&str> {
    words.iter().map(|word| word.lower.as_str()).collect()
}

pub fn is_any(word: &str, classes: &[&[&str]]) -> bool {
    classes.iter().any(|class| class.contains(&word))
}

/// An adverb by its class or its ending.
pub fn is_adverb(word: &str) -> bool {
    ADVERBS.contains(&word)
        || (word.len() > 4 && word.ends_with("ly") && !["apply", "reply", "supply", "family", "rely", "july"].contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_apostrophes_and_hyphens_inside() {
        let found = words("I’m well-known, \"I said\" 3.5 times.");
        assert_eq!(lower(&found), ["i'm", "well-known", "i", "said", "3.5", "times"]);
        assert!(found[2].quoted && found[2].fresh && !found[4].quoted && found[0].capital);
    }

    #[test]
    fn adverbs_end_in_ly() {
        assert!(is_adverb("slowly") && !is_adverb("family"));
    }
}

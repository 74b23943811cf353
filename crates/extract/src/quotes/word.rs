//! The words of a text with their places. Writing without blanks is read character by character.

use unicode_segmentation::UnicodeSegmentation;

/// A word; "I'm" is two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    pub start: usize,
    pub end: usize,
    pub lower: String,
    /// It begins with a capital letter.
    pub capital: bool,
    /// Inside a quotation: somebody else's words.
    pub quoted: bool,
    /// It is the first word, or a mark stands before it.
    pub fresh: bool,
    /// It is the first word, or the end of a sentence or a colon stands before it, where a capital letter means nothing.
    pub first: bool,
}

impl Word {
    /// Whether it is a number or has one: "12", "v3".
    pub fn is_number(&self) -> bool {
        self.lower.contains(char::is_numeric)
    }
}

/// The words of a text in their order.
pub fn words(text: &str) -> Vec<Word> {
    let (mut words, mut read, mut quoted): (Vec<Word>, usize, bool) = (Vec::new(), 0, false);
    for (at, whole) in text.unicode_word_indices() {
        let between = text.get(read..at).unwrap_or_default();
        quoted = between.chars().fold(quoted, quotes);
        let marked = between.contains(|c: char| !c.is_whitespace() && !is_apostrophe(c));
        let first = words.is_empty() || between.contains(ends_clause);
        let mut start = at;
        for part in whole.split(is_apostrophe) {
            if !part.is_empty() {
                let lower = part.to_lowercase();
                let capital = part.starts_with(char::is_uppercase);
                let begins = start == at;
                let fresh = begins && (marked || words.is_empty());
                words.push(Word { start, end: start + part.len(), lower, capital, quoted, fresh, first: begins && first });
            }
            start += part.len();
            start += text.get(start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        }
        read = at + whole.len();
    }
    words
}

/// Whether a quotation is open after `c`. The mark that opens an English quotation closes a German one.
pub fn quotes(open: bool, c: char) -> bool {
    match c {
        '"' | '“' | '«' | '»' => !open,
        '„' | '「' | '『' => true,
        '”' | '」' | '』' => false,
        _ => open,
    }
}

/// How much a text says: its words, of which two characters are one where blanks do not separate them.
pub fn units(words: &[Word]) -> usize {
    let unspaced = |word: &Word| word.lower.chars().filter(|c| is_unspaced(*c)).count();
    words.iter().map(|word| if unspaced(word) > 0 { unspaced(word) } else { 2 }).sum::<usize>().div_ceil(2)
}

/// Whether a character is of a script that does not separate words: Chinese, Japanese, Thai, Lao, Burmese, Khmer.
pub fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3005}'..='\u{30ff}'
        | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{323af}')
}

/// A text with single blanks, on one line.
pub fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’')
}

fn ends_clause(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | ':' | '。' | '！' | '？' | '؟' | '।' | '"' | '“' | '„' | '«')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lower(text: &str) -> Vec<String> {
        words(text).into_iter().map(|word| word.lower).collect()
    }

    #[test]
    fn apostrophes_separate_and_chinese_is_read_by_character() {
        assert_eq!(lower("I’m at J'ai, 3.5 times"), ["i", "m", "at", "j", "ai", "3.5", "times"]);
        assert_eq!(lower("我住在东京。"), ["我", "住", "在", "东", "京"]);
        assert_eq!((units(&words("我住在东京。")), units(&words("I live in Tokyo."))), (3, 4));
    }

    #[test]
    fn words_of_others_are_marked() {
        for text in ["Mina said “I hate tea” again", "Mina said \"I hate tea\" again", "Mina sagte „I hate tea“ again"] {
            let quoted: Vec<bool> = words(text).iter().map(|word| word.quoted).collect();
            assert_eq!(quoted, [false, false, true, true, true, false], "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_word_lies_in_its_text(text in "(\\PC|['’“\" ]){0,80}") {
            let mut last = 0;
            for word in words(&text) {
                prop_assert!(word.start >= last && word.end > word.start);
                prop_assert_eq!(text.get(word.start..word.end).map(str::to_lowercase), Some(word.lower));
                last = word.end;
            }
        }
    }
}

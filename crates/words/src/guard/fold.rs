//! A text as words, whatever it is dressed up with: width, accents, case, invisible characters, letters of other scripts that look alike.

use super::view::is_ignorable;
use unicode_normalization::UnicodeNormalization;

/// A word, or one character of a script without spaces.
#[derive(Debug)]
pub struct Word<'a> {
    pub text: &'a str,
    /// It begins a sentence.
    pub first: bool,
    /// It begins a clause: a mark of any kind stands before it.
    pub clause: bool,
}

/// Lower case, without accents, points and characters that nobody sees.
pub fn folded(text: &str) -> String {
    let plain = text.nfkd().filter(|c| !is_ignorable(*c) && !is_mark(*c)).flat_map(char::to_lowercase);
    let plain: String = plain.map(|c| if matches!(c, '’' | '‘' | 'ʼ' | '`') { '\'' } else { c }).collect();
    if plain.is_ascii() { plain } else { plain.split_inclusive(|c: char| !is_part(c)).flat_map(alike).collect() }
}

/// Accents, and the points of Arabic and Hebrew.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}')
}

/// A word in the letters of one script: where Latin is mixed with Greek or Cyrillic, these only look like Latin.
fn alike(word: &str) -> impl Iterator<Item = char> + '_ {
    let mixed = word.contains(|c: char| c.is_ascii_lowercase()) && word.contains(|c| matches!(c, '\u{370}'..='\u{52f}'));
    word.chars().map(move |c| if mixed { latin(c) } else { c })
}

fn latin(c: char) -> char {
    match c {
        'а' | 'α' => 'a',
        'в' | 'β' => 'b',
        'с' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'ε' => 'e',
        'ɡ' => 'g',
        'һ' | 'н' => 'h',
        'і' | 'ι' | 'ӏ' => 'i',
        'ј' => 'j',
        'к' | 'κ' => 'k',
        'м' => 'm',
        'п' | 'η' => 'n',
        'о' | 'ο' | 'σ' => 'o',
        'р' | 'ρ' => 'p',
        'г' => 'r',
        'ѕ' => 's',
        'т' | 'τ' => 't',
        'υ' => 'u',
        'ν' | 'ѵ' => 'v',
        'ѡ' | 'ω' => 'w',
        'х' | 'χ' => 'x',
        'у' | 'γ' => 'y',
        c => c,
    }
}

/// Whether a character is a part of a word. The signs of Devanagari are.
fn is_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '\'' | '\u{93c}' | '\u{94d}' | '\u{3099}' | '\u{309a}')
}

/// Han and Kana: nothing separates their words.
pub fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

/// The words of a folded text.
pub fn words(folded: &str) -> Vec<Word<'_>> {
    let mut splitter = Splitter { folded, words: Vec::new(), start: None, first: true, clause: true };
    let mut before = ' ';
    for (at, c) in folded.char_indices() {
        if is_unspaced(c) || is_unspaced(before) || !is_part(c) {
            splitter.end(at);
        }
        if is_part(c) {
            splitter.start = splitter.start.or(Some(at));
        } else if c.is_whitespace() {
            // A stop ends a sentence if a blank follows. A line break does not: an order may be spread over lines and fields.
            splitter.first |= matches!(before, '.' | '!' | '?');
            splitter.clause |= splitter.first || c == '\n';
        } else {
            splitter.clause = true;
            splitter.first |= matches!(c, '。' | '।' | '؟');
        }
        // Quotation marks and brackets do not part a stop from its blank.
        let closes = matches!(c, '"' | '\'' | ')' | '”' | '»' | '*');
        before = if closes { before } else { c };
    }
    splitter.end(folded.len());
    splitter.words
}

struct Splitter<'a> {
    folded: &'a str,
    words: Vec<Word<'a>>,
    /// Where the word begins that is being read.
    start: Option<usize>,
    first: bool,
    clause: bool,
}

impl Splitter<'_> {
    fn end(&mut self, at: usize) {
        let word = self.start.take().and_then(|start| self.folded.get(start..at)).map(|word| word.trim_matches('\''));
        if let Some(text) = word.filter(|word| !word.is_empty()) {
            self.words.push(Word { text, first: std::mem::take(&mut self.first), clause: std::mem::take(&mut self.clause) });
        }
    }
}

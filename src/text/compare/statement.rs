//! A statement as the comparison reads it: its words in their order, each with what kind of word it is.

use super::lexicon::{ENGLISH, LIGHT, LINKS, NUMBERS, NUMBERS_ELSEWHERE, SYNONYMS};
use rust_stemmers::{Algorithm, Stemmer};
use std::collections::HashMap;
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Number,
    /// Letters and digits mixed, or a number that is joined to a word: `A101`, `db-2`.
    Identifier,
    /// An emoji, a currency, a percent or question mark: whatever is neither word nor usual punctuation.
    Symbol,
    Word,
}

/// A word, a number or a symbol of a statement.
#[derive(Clone, Debug)]
pub struct Token {
    /// In lower case and NFKC; a number word is its digits.
    pub text: String,
    /// What is compared: words of one family share it.
    pub stem: String,
    pub kind: Kind,
    /// It begins with a capital letter.
    pub capital: bool,
    /// It begins the statement or a sentence of it, where a capital letter means nothing.
    pub first: bool,
    /// It follows a number: it may be its unit.
    pub after_number: bool,
    /// It never changes what an English statement says.
    pub light: bool,
}

/// A statement that was read.
#[derive(Debug)]
pub struct Statement {
    /// In their order, without punctuation.
    pub tokens: Vec<Token>,
    /// It has words that only English has.
    pub marked_english: bool,
    /// All of its letters are Latin.
    pub latin: bool,
    /// It has letters of a script without spaces between words.
    pub unspaced: bool,
    /// It has letters of a script without capitals.
    pub caseless: bool,
}

static NUMBER_WORDS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| NUMBERS.iter().copied().collect());
static ALL_NUMBER_WORDS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| NUMBERS_ELSEWHERE.iter().chain(NUMBERS).copied().collect());
static GROUPS: LazyLock<HashMap<&str, &str>> =
    LazyLock::new(|| SYNONYMS.iter().flat_map(|group| group.iter().map(|word| (*word, group[0]))).collect());

impl Statement {
    /// Reads a statement as one of a language without rules.
    pub fn read(text: &str) -> Self {
        let text: String = text.nfkc().collect();
        let mut reader = Reader { previous_ends_sentence: true, ..Reader::default() };
        for part in text.split_word_bounds().flat_map(|part| part.split('_')) {
            reader.take(part);
        }
        let tokens = reader.tokens;
        let letters = || tokens.iter().flat_map(|token| token.text.chars()).filter(|c| c.is_alphabetic());
        Self {
            marked_english: tokens.iter().any(|token| ENGLISH.contains(&token.text.as_str())),
            latin: letters().all(is_latin),
            unspaced: letters().any(is_unspaced),
            caseless: letters().any(|c| !c.is_lowercase() && !c.is_uppercase()),
            tokens,
        }
    }

    /// Gives the tokens their stems: in English, forms of one word and synonyms share one.
    pub fn stem(&mut self, english: bool) {
        let stemmer = Stemmer::create(Algorithm::English);
        for token in self.tokens.iter_mut().filter(|token| token.kind == Kind::Word) {
            let numbers = if english { &*NUMBER_WORDS } else { &*ALL_NUMBER_WORDS };
            if let Some(digits) = numbers.get(token.text.as_str()) {
                (token.kind, token.stem) = (Kind::Number, (*digits).to_owned());
            } else if english {
                let group = GROUPS.get(token.text.as_str()).copied();
                token.stem = group.map_or_else(|| stemmer.stem(&token.text).into_owned(), |group| format!("={group}"));
            }
        }
        if english {
            let light: Vec<bool> = self.tokens.iter().map(|token| LIGHT.contains(&token.text.as_str())).collect();
            for (place, token) in self.tokens.iter_mut().enumerate() {
                // "decided to use" is "decided on".
                token.light = light[place] || token.text == "to" && light.get(place + 1) == Some(&true);
            }
        }
    }
}

impl Token {
    /// Whether it only links the parts of an English statement.
    pub fn is_link(&self) -> bool {
        self.kind == Kind::Word && LINKS.contains(&self.text.as_str())
    }

    /// Whether its capital letter makes it a name.
    pub fn is_named(&self) -> bool {
        self.kind == Kind::Word && self.capital && !self.first
    }
}

#[derive(Default)]
struct Reader {
    tokens: Vec<Token>,
    previous_ends_sentence: bool,
    /// What joins the next token to the last one, if nothing stands between them: `-` in `db-2`.
    joint: Option<char>,
    /// A minus sign directly before a number.
    negative: bool,
    after_space: bool,
}

impl Reader {
    fn take(&mut self, part: &str) {
        let Some(first) = part.chars().next() else { return };
        if part.chars().any(char::is_alphanumeric) {
            self.word(part);
            (self.joint, self.negative, self.after_space) = (None, false, false);
        } else if first.is_whitespace() {
            (self.joint, self.negative, self.after_space) = (None, false, true);
        } else {
            self.mark(part, first);
        }
    }

    fn word(&mut self, part: &str) {
        let (text, capital) = (part.to_lowercase(), part.starts_with(char::is_uppercase));
        let joined = self.joint.is_some() && !self.tokens.is_empty();
        if !text.chars().any(char::is_numeric) {
            self.letters(&text, capital);
            return;
        }
        let digits: String = text.chars().take_while(|c| c.is_numeric() || matches!(c, '.' | ',' | ':')).collect();
        let rest = &text[digits.len()..];
        let plain =
            |number: &str| number.chars().map(|c| c.to_digit(10).and_then(|d| char::from_digit(d, 10)).unwrap_or(c)).collect::<String>();
        if !digits.is_empty() && rest.chars().all(char::is_alphabetic) {
            let sign = if self.negative { "-" } else { "" };
            let number = format!("{sign}{}", plain(&digits));
            self.push(number, if joined { Kind::Identifier } else { Kind::Number }, false);
            if !matches!(rest, "" | "st" | "nd" | "rd" | "th") {
                self.letters(rest, false);
            }
        } else {
            self.push(text, Kind::Identifier, false);
        }
    }

    /// A word of letters; contractions are taken apart.
    fn letters(&mut self, text: &str, capital: bool) {
        let text = text.replace('’', "'");
        let (word, rest): (&str, &[&str]) = match text.as_str() {
            "can't" | "cannot" => ("can", &["not"]),
            "won't" => ("will", &["not"]),
            other => match other.split_once('\'') {
                _ if other.ends_with("n't") => (&other[..other.len() - 3], &["not"]),
                Some((word, "s")) => (word, &["s"]),
                Some((word, "m")) => (word, &["am"]),
                Some((word, "re")) => (word, &["are"]),
                Some((word, "ve")) => (word, &["have"]),
                Some((word, "ll")) => (word, &["will"]),
                Some((word, "d")) => (word, &["would"]),
                _ => (other, &[]),
            },
        };
        self.push(word.to_owned(), Kind::Word, capital);
        for word in rest {
            self.push((*word).to_owned(), Kind::Word, false);
        }
    }

    fn push(&mut self, text: String, kind: Kind, capital: bool) {
        let after_number = self.tokens.last().is_some_and(|last| last.kind == Kind::Number);
        let first = std::mem::take(&mut self.previous_ends_sentence);
        self.tokens.push(Token { stem: text.clone(), text, kind, capital, first, after_number, light: false });
    }

    fn mark(&mut self, part: &str, first: char) {
        match first {
            '-' | '/' | '#' | '.' | ':' | '@' if !self.after_space && !self.tokens.is_empty() && part.chars().count() == 1 => {
                self.joint = Some(first);
            }
            '-' | '−' => self.negative = true,
            _ => self.joint = None,
        }
        if matches!(first, '.' | '!' | '?' | '。' | '\n' | '।' | '؟') {
            self.previous_ends_sentence = true;
        }
        for c in part.chars() {
            match c {
                '؟' | '?' => self.push("?".into(), Kind::Symbol, false),
                c if is_symbol(c) => self.push(c.to_string(), Kind::Symbol, false),
                _ => {}
            }
        }
        self.after_space = false;
    }
}

fn is_latin(c: char) -> bool {
    matches!(c, '\u{0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}')
}

/// Han, Kana, Thai, Lao, Burmese, Khmer.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Whether a character that is neither letter, digit nor space says something: not punctuation, marks of direction or joiners.
fn is_symbol(c: char) -> bool {
    match c {
        '%' | '$' | '+' | '<' | '>' | '=' => true,
        c if c.is_ascii() => false,
        '\u{80}'..='\u{bf}' => matches!(c, '¢'..='¥' | '°' | '±' | '×' | '÷'),
        // Punctuation of all scripts, and what selects the form of a character.
        '\u{c0}'..='\u{209f}' | '\u{2e00}'..='\u{2e7f}' | '\u{3000}'..='\u{303f}' | '\u{fe00}'..='\u{fe6f}' | '\u{e0000}'.. => false,
        _ => true,
    }
}

//! A statement as the comparison reads it: its words in their order, each with what kind of word it is.

use super::lexicon::{
    ARTICLES, CALENDAR, DERIVING, ENGLISH, LIGHT, LINKS, NOT_ENGLISH, NUMBERS, NUMBERS_ELSEWHERE, PERHAPS_ENGLISH, SYNONYMS,
};
use crate::steps;
use rust_stemmers::{Algorithm, Stemmer};
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Number,
    /// Letters and digits mixed, or a number that is joined to a word: `A101`, `db-2`.
    Identifier,
    /// Neither word nor usual punctuation: an emoji, a currency, a percent or question mark, the dash of a range.
    Symbol,
    Word,
}

/// A word, a number or a symbol of a statement.
#[derive(Clone, Debug)]
pub struct Token {
    /// In lower case and NFKC; a number word is its digits.
    pub text: String,
    /// As it is written.
    pub spelling: String,
    /// What is compared: forms of one word share it.
    pub stem: String,
    pub kind: Kind,
    /// It begins with a capital letter.
    pub capital: bool,
    /// It begins the statement or a sentence of it, where a capital letter means nothing.
    pub first: bool,
    /// It follows a number: it may be its unit.
    pub after_number: bool,
    /// A hyphen or another mark joins it to the token before or after it.
    pub joined: bool,
    /// An article of an English statement.
    pub article: bool,
    /// It never changes what an English statement says; articles included.
    pub light: bool,
    /// It only links the parts of an English statement.
    pub link: bool,
}

/// Longest word that has a stem, in bytes; a longer one is data.
const STEMMED_MAX: usize = 64;
/// A word among marks.
const WORD: char = 'w';

/// A statement that was read.
#[derive(Debug)]
pub struct Statement {
    /// In their order, without punctuation.
    pub tokens: Vec<Token>,
    /// Its punctuation with [`WORD`] for each word, without what follows the last one.
    pub marks: String,
    /// It has words that only English has.
    pub marked_english: bool,
    /// All of its letters are Latin.
    pub latin: bool,
}

static NUMBER_WORDS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| NUMBERS.iter().copied().collect());
static ALL_NUMBER_WORDS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| NUMBERS_ELSEWHERE.iter().chain(NUMBERS).copied().collect());
static GROUPS: LazyLock<HashMap<&str, &str>> =
    LazyLock::new(|| SYNONYMS.iter().flat_map(|group| group.iter().map(|word| (*word, group[0]))).collect());

impl Statement {
    /// Reads a statement as one of a language without rules.
    pub fn read(text: &str) -> Self {
        let text: String = text.chars().flat_map(lowered).nfkc().collect();
        let parts: Vec<&str> = text.split_word_bounds().flat_map(at_underscores).filter(|part| !part.is_empty()).collect();
        let mut reader = Reader { sentence_begins: true, ..Reader::default() };
        for place in 0..parts.len() {
            reader.take(&parts, place);
        }
        let Reader { tokens, marks, .. } = reader;
        let latin = tokens.iter().flat_map(|token| token.text.chars()).filter(|c| c.is_alphabetic()).all(is_latin);
        let marks = marks.trim_end_matches(|c| c != WORD).to_owned();
        Self { marked_english: is_english(&tokens), latin, tokens, marks }
    }

    /// Gives the tokens their stems: in English, forms of one word and synonyms share one.
    pub fn stem(&mut self, english: bool) {
        let stemmer = Stemmer::create(Algorithm::English);
        let numbers = if english { &*NUMBER_WORDS } else { &*ALL_NUMBER_WORDS };
        for token in self.tokens.iter_mut().filter(|token| token.kind == Kind::Word && !token.joined) {
            steps::looked_at(1);
            if let Some(digits) = numbers.get(token.text.as_str()) {
                (token.kind, token.stem) = (Kind::Number, (*digits).to_owned());
            } else if english {
                token.stem = match GROUPS.get(token.text.as_str()) {
                    Some(group) => format!("={group}"),
                    // The stemmer copies a word each time that it changes a letter of it.
                    None if token.text.len() > STEMMED_MAX => continue,
                    None => inflected(&token.text, &stemmer.stem(&token.text)),
                };
            }
        }
        for place in 0..self.tokens.len() {
            if let Some(day) = self.day(place) {
                self.tokens[place].stem = day;
            }
            if english {
                let article = self.is_article(place);
                let light = article || self.is_light(place);
                let token = &mut self.tokens[place];
                (token.article, token.light) = (article, light);
                token.link = !light && token.is_small() && LINKS.contains(&token.text.as_str());
            }
        }
    }

    fn text(&self, place: Option<usize>) -> &str {
        place.and_then(|place| self.tokens.get(place)).map_or("", |token| &token.text)
    }

    fn is_article(&self, place: usize) -> bool {
        // "few people" are not "a few people".
        self.tokens[place].is_small()
            && ARTICLES.contains(&self.tokens[place].text.as_str())
            && !matches!(self.text(Some(place + 1)), "few" | "little")
    }

    fn is_light(&self, place: usize) -> bool {
        let (before, after) = (self.text(place.checked_sub(1)), self.text(Some(place + 1)));
        self.tokens[place].is_small()
            && match self.text(Some(place)) {
                // "have to", and "decided to use", which is "decided on".
                "to" => is_duty(before) || before.starts_with("decid") && after.starts_with("us"),
                "use" | "using" => before == "to" && self.text(place.checked_sub(2)).starts_with("decid"),
                "need" | "needs" => after == "to",
                "located" | "situated" => matches!(after, "in" | "at" | "on" | "near"),
                text => LIGHT.contains(&text),
            }
    }

    /// The number of an ordinal beside a month: "3rd May" is "3 May".
    fn day(&self, place: usize) -> Option<String> {
        let token = &self.tokens[place];
        let digits = ["st", "nd", "rd", "th"].iter().find_map(|ending| token.stem.strip_suffix(ending))?;
        let after = if self.text(Some(place + 1)) == "of" { place + 2 } else { place + 1 };
        let beside = [place.checked_sub(1), Some(after)].into_iter().any(|place| CALENDAR.contains(&self.text(place)));
        (token.kind == Kind::Number && beside).then(|| digits.to_owned())
    }
}

/// Whether "to" after this word says that something must be done.
pub fn is_duty(word: &str) -> bool {
    matches!(word, "have" | "has" | "had" | "need" | "needs")
}

impl Token {
    /// Whether its capital letter makes it a name.
    pub fn is_named(&self) -> bool {
        self.kind == Kind::Word && self.capital && !self.first
    }

    /// Whether it may be one of the small words of English: "IT" is not "it", and "A" in "phase A" no article.
    fn is_small(&self) -> bool {
        let is_capital = self.spelling.chars().all(char::is_uppercase);
        let is_alone = self.spelling.chars().count() == 1;
        self.kind == Kind::Word && !self.joined && (!is_capital || is_alone && (self.first || self.spelling == "I"))
    }
}

/// The stem of an English word, or the word itself where the stem would join it with another word: "product", "production".
fn inflected(text: &str, stem: &str) -> String {
    let singular = text.strip_suffix('s').filter(|_| !text.ends_with("ss")).unwrap_or(text);
    let derived =
        DERIVING.iter().any(|ending| singular.ends_with(ending) && !stem.ends_with(ending)) && singular.strip_suffix('e') != Some(stem);
    if derived { singular.to_owned() } else { stem.to_owned() }
}

fn is_english(tokens: &[Token]) -> bool {
    let texts: BTreeSet<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    let any = |words: &[&str]| words.iter().any(|word| texts.contains(word));
    let perhaps = PERHAPS_ENGLISH.iter().filter(|word| texts.contains(*word)).count();
    (any(ENGLISH) || perhaps > 1) && !any(NOT_ENGLISH)
}

/// Superscripts say something else than digits: 10² is not 102.
fn lowered(c: char) -> impl Iterator<Item = char> {
    let raised = matches!(c, '²' | '³' | '¹' | '⁰'..='⁹');
    raised.then_some('^').into_iter().chain([c])
}

/// The parts between underscores, and these.
fn at_underscores(part: &str) -> impl Iterator<Item = &str> {
    part.split_inclusive('_').flat_map(|piece| match piece.strip_suffix('_') {
        Some(word) => [word, "_"],
        None => [piece, ""],
    })
}

#[derive(Default)]
struct Reader {
    tokens: Vec<Token>,
    marks: String,
    sentence_begins: bool,
    /// A mark joins the next token to the last one: `-` in `db-2`.
    joint: bool,
    /// A minus sign directly before a number.
    negative: bool,
}

impl Reader {
    fn take(&mut self, parts: &[&str], place: usize) {
        let part = parts[place];
        steps::looked_at(part.len());
        if part.chars().any(char::is_alphanumeric) {
            self.word(part);
            self.marks.push(WORD);
            (self.joint, self.negative) = (false, false);
        } else if part.starts_with(char::is_whitespace) {
            (self.joint, self.negative) = (false, false);
        } else {
            let before = place.checked_sub(1).and_then(|before| parts[before].chars().next_back());
            let after = parts.get(place + 1).and_then(|after| after.chars().next());
            self.mark(part, before, after);
        }
    }

    fn word(&mut self, part: &str) {
        if !part.chars().any(char::is_numeric) {
            self.letters(part);
            return;
        }
        let end = part.char_indices().find(|(_, c)| !(c.is_numeric() || matches!(c, '.' | ',' | ':'))).map_or(part.len(), |(at, _)| at);
        let (digits, rest) = part.split_at(end);
        let plain =
            |number: &str| number.chars().map(|c| c.to_digit(10).and_then(|d| char::from_digit(d, 10)).unwrap_or(c)).collect::<String>();
        if !digits.is_empty() && rest.chars().all(char::is_alphabetic) {
            let sign = if self.negative { "-" } else { "" };
            let ordinal = if matches!(rest, "st" | "nd" | "rd" | "th") { rest } else { "" };
            let kind = if self.joint { Kind::Identifier } else { Kind::Number };
            self.push(&format!("{sign}{}{ordinal}", plain(digits)), kind);
            if ordinal.is_empty() && !rest.is_empty() {
                self.joint = false;
                self.letters(rest);
            }
        } else {
            self.push(part, Kind::Identifier);
        }
    }

    /// A word of letters; contractions are taken apart.
    fn letters(&mut self, word: &str) {
        let word = word.replace('’', "'");
        let (stem, rest) = match word.split_once('\'') {
            Some((stem, rest)) if stem.is_ascii() => (stem, rest.to_lowercase()),
            _ => (word.as_str(), String::new()),
        };
        let lower = stem.to_lowercase();
        let (stem, more) = match (lower.as_str(), rest.as_str()) {
            ("cannot", _) | ("can", "t") => (&stem[..3], "not"),
            ("won", "t") => ("will", "not"),
            (_, "t") if lower.ends_with('n') && lower.len() > 2 => (&stem[..stem.len() - 1], "not"),
            (_, "s") => (stem, "s"),
            (_, "m") => (stem, "am"),
            (_, "re") => (stem, "are"),
            (_, "ve") => (stem, "have"),
            (_, "ll") => (stem, "will"),
            (_, "d") => (stem, "would"),
            _ => (word.as_str(), ""),
        };
        self.push(stem, Kind::Word);
        if !more.is_empty() {
            self.push(more, Kind::Word);
        }
    }

    fn push(&mut self, spelling: &str, kind: Kind) {
        let text = spelling.to_lowercase();
        let joined = self.joint && !self.tokens.is_empty();
        let after_number = self.tokens.last().is_some_and(|last| last.kind == Kind::Number);
        let capital = kind == Kind::Word && spelling.starts_with(char::is_uppercase);
        // The word after "please" begins the sentence as well.
        let first = self.sentence_begins;
        self.sentence_begins = first && text == "please";
        if joined {
            // The mark between them may be a token, too.
            let marks = self.tokens.iter().rev().take_while(|token| token.kind == Kind::Symbol).count();
            steps::looked_at(marks + 1);
            self.tokens.iter_mut().rev().take(marks + 1).for_each(|token| token.joined = true);
        }
        let (spelling, stem) = (spelling.to_owned(), text.clone());
        let (article, light, link) = (false, false, false);
        self.tokens.push(Token { text, spelling, stem, kind, capital, first, after_number, joined, article, light, link });
    }

    /// A part without letters and digits, with the characters beside it.
    fn mark(&mut self, part: &str, before: Option<char>, after: Option<char>) {
        self.marks.push_str(part);
        let seen: String = part.chars().filter(|c| !matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{200d}')).collect();
        let Some(first) = seen.chars().next() else { return };
        let mark = match first {
            '–' | '−' | '‐' | '‑' => '-',
            '〜' | '∼' => '~',
            mark => mark,
        };
        let is_digit = |c: Option<char>| c.is_some_and(char::is_numeric);
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let opens = before.is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '[' | '{' | '=' | '<' | '>') || is_quote(c));
        let negative = mark == '-' && is_digit(after) && (!is_word(before) && before != Some(')') || before.is_some_and(is_unspaced));
        let within = is_word(before) && is_word(after) && !negative;
        self.negative = negative;
        self.joint = within && matches!(mark, '-' | '/' | '#' | '.' | ':' | '@' | '_');
        let says = if seen.chars().any(is_symbol) {
            true
        } else if within {
            matches!(mark, '/' | ':' | '@' | '#' | '&' | '*' | '^' | '\\' | '_')
                || matches!(mark, '-' | '~') && is_digit(before) && is_digit(after)
        } else if negative {
            false
        } else if is_word(after) {
            opens && matches!(mark, '.' | '/' | '!' | '^' | '&' | '@' | '#' | '~' | '\\' | '-') || mark == '[' && is_digit(after)
        } else if is_word(before) {
            mark == '#' || mark == ']' && is_digit(before)
        } else {
            matches!(mark, '*' | '/' | '&' | '|' | '^' | '~' | '\\') || before.is_some_and(is_quote) && after.is_some_and(is_quote)
        };
        if says || matches!(mark, '?' | '؟') {
            let seen = if seen.chars().count() == 1 { mark.to_string().replace('؟', "?") } else { seen };
            let joint = std::mem::take(&mut self.joint);
            self.push(&seen, Kind::Symbol);
            self.joint = joint;
        }
        if matches!(mark, '.' | '!' | '?' | '。' | '\n' | '।' | '؟') {
            self.sentence_begins = true;
        }
    }
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`' | '‘'..='‟' | '«' | '»' | '「' | '」')
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
        // Punctuation of all scripts.
        '\u{c0}'..='\u{209f}' | '\u{2e00}'..='\u{2e7f}' | '\u{3000}'..='\u{303f}' | '\u{fe00}'..='\u{fe6f}' => false,
        _ => true,
    }
}

//! Folding: spellings that mean one word become equal.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// The first digit of each script that has ten of them in a row.
const ZEROS: [u32; 16] =
    [0x0660, 0x06F0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x17E0];

/// A word in NFKC and in lower case, without invisible characters and without the possessive of English.
pub fn lower(word: &str) -> String {
    // Most words are ASCII, which is its own NFKC.
    let mut lower: String = match word.is_ascii() {
        true => word.to_ascii_lowercase(),
        false => word.chars().filter(|c| !is_invisible(*c)).nfkc().flat_map(char::to_lowercase).collect(),
    };
    if let Some(owner) = lower.strip_suffix("'s").or_else(|| lower.strip_suffix("’s")) {
        lower.truncate(owner.len());
    }
    // The English stemmer drops it.
    match lower.starts_with('\'') {
        true => lower.trim_start_matches('\'').to_owned(),
        false => lower,
    }
}

/// A word or stem in lower case without marks, and with one spelling for letters that are written in several ways.
pub fn fold(lower: &str) -> String {
    if lower.is_ascii() {
        return lower.to_owned();
    }
    let mut folded = String::with_capacity(lower.len());
    for letter in lower.chars().filter(|c| !is_mark(*c)) {
        fold_letter(letter, &mut folded);
    }
    folded
}

fn fold_letter(letter: char, folded: &mut String) {
    match letter {
        'ß' => folded.push_str("ss"),
        'æ' => folded.push_str("ae"),
        'œ' => folded.push_str("oe"),
        'ı' => folded.push('i'),
        'ø' => folded.push('o'),
        'ł' => folded.push('l'),
        'đ' => folded.push('d'),
        'ς' => folded.push('σ'),
        'أ' | 'إ' | 'آ' | 'ٱ' => folded.push('ا'),
        'ى' => folded.push('ي'),
        'ة' => folded.push('ه'),
        // Chandrabindu and anusvara are written for one another.
        'ँ' => folded.push('ं'),
        // Another letter than и, not an accent.
        'й' => folded.push(letter),
        '\u{c0}'..='\u{52f}' | '\u{1e00}'..='\u{1fff}' => folded.extend(letter.nfd().filter(|c| !is_combining_mark(*c))),
        _ => folded.push(digit(letter)),
    }
}

fn digit(letter: char) -> char {
    let code = u32::from(letter);
    let value = ZEROS.iter().filter_map(|zero| code.checked_sub(*zero)).find(|value| *value < 10);
    value.and_then(|value| char::from_digit(value, 10)).unwrap_or(letter)
}

/// Whether a character shows nothing: joiners, direction marks, the soft hyphen, variants of emoji.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

/// Whether a character is a mark that writers may leave out: accents, the vowels of Arabic and Hebrew, tatweel, nukta.
fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5bd}' | '\u{5bf}'..='\u{5c7}' | '\u{610}'..='\u{61a}' | '\u{640}'
        | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{6d6}'..='\u{6dc}' | '\u{6df}'..='\u{6e8}' | '\u{6ea}'..='\u{6ed}' | '\u{93c}')
}

/// A folded German word, with ae, oe and ue as the umlauts that they stand for.
pub fn fold_umlauts(folded: &str) -> String {
    let (mut plain, mut before) = (String::with_capacity(folded.len()), ' ');
    for letter in folded.chars() {
        let is_second = letter == 'e' && matches!(before, 'a' | 'o' | 'u') && !after_vowel(&plain);
        if !is_second {
            plain.push(letter);
        }
        before = if is_second { ' ' } else { letter };
    }
    plain
}

/// Whether the last letter follows a vowel or q: the e of "neue" and "Quelle" is one of its own.
fn after_vowel(word: &str) -> bool {
    word.chars().rev().nth(1).is_some_and(|letter| "aeiouyq".contains(letter))
}

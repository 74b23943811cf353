//! Names of people, programs and files, which are read in one line beside other text.

use crate::guard;
use unicode_normalization::UnicodeNormalization;

/// The longest name of a speaker, in characters.
pub const SPEAKER_MAX: usize = 200;

/// A name as one plain line: composed (NFC), without control characters and marks that hide or reorder text. Joiners stay, because scripts
/// and emoji need them.
pub fn name(text: &str) -> String {
    let plain: String = text.nfc().map(|c| if c.is_control() { ' ' } else { c }).filter(|c| !is_hidden(*c)).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The name of a speaker: as [`name`], without secrets and no longer than [`SPEAKER_MAX`] characters.
pub fn speaker(text: &str) -> String {
    guard::without_secrets(name(text)).chars().take(SPEAKER_MAX).collect()
}

/// Whether a character is not seen, or changes the order in which others are seen.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

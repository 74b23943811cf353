//! A text as the guard reads it: without characters that nobody sees, and with plain quotation marks, dashes, blanks and letters.

use std::borrow::Cow;

/// A text to search, and where each place of it is in the original.
pub struct View<'a> {
    text: Cow<'a, str>,
    /// Places in the view from which on the distance to the original is another one, with the places in the original.
    shifts: Vec<(usize, usize)>,
}

impl<'a> View<'a> {
    pub fn new(original: &'a str) -> Self {
        if original.is_ascii() {
            return Self { text: Cow::Borrowed(original), shifts: Vec::new() };
        }
        let (mut text, mut shifts, mut distance) = (String::with_capacity(original.len()), Vec::new(), 0);
        for (at, c) in original.char_indices().filter(|(_, c)| !is_ignorable(*c)) {
            if at - text.len() != distance {
                distance = at - text.len();
                shifts.push((text.len(), at));
            }
            text.push(plain(c));
        }
        shifts.push((text.len(), original.len()));
        Self { text: Cow::Owned(text), shifts }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The place in the original.
    pub fn original(&self, at: usize) -> usize {
        let before = self.shifts.partition_point(|(place, _)| *place <= at).checked_sub(1);
        before.and_then(|shift| self.shifts.get(shift)).map_or(at, |(place, original)| original + (at - place))
    }
}

/// Characters that are not seen: Unicode's default ignorable ones, and marks of direction.
pub fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// The ASCII character that a character is another form of. It is never longer than the character.
pub fn plain(c: char) -> char {
    match c {
        '“' | '”' | '„' | '‟' | '«' | '»' | '″' | '「' | '」' | '『' | '』' => '"',
        '‘' | '’' | '‚' | '‛' | '‹' | '›' | '′' => '\'',
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe63}' => '-',
        '\u{ff01}'..='\u{ff5e}' => u32::from(c).checked_sub(0xfee0).and_then(char::from_u32).unwrap_or(c),
        '\u{660}'..='\u{669}' => digit(c, '\u{660}'),
        '\u{6f0}'..='\u{6f9}' => digit(c, '\u{6f0}'),
        '\u{966}'..='\u{96f}' => digit(c, '\u{966}'),
        '、' => ',',
        '。' => '.',
        '→' => '=',
        c => c,
    }
}

/// The ASCII digit of a digit of another script, by that script's zero.
fn digit(c: char, zero: char) -> char {
    char::from_digit(u32::from(c) - u32::from(zero), 10).unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use super::View;

    #[test]
    fn places_lead_back_to_the_original() {
        let original = "é\u{200b}“a” ｂ\u{ad}";
        let view = View::new(original);
        assert_eq!(view.text(), "é\"a\" b");
        for (at, c) in view.text().char_indices().filter(|(_, c)| c.is_ascii_alphabetic()) {
            assert_eq!(original[view.original(at)..].chars().next().map(super::plain), Some(c));
        }
        assert_eq!((view.original(0), view.original(view.text().len())), (0, original.len()));
    }
}

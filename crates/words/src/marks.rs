//! Characters without a shape, and those that end a line: which ones there are, and how they are shown or left out.

use std::borrow::Cow;

/// The flag that tag characters may follow: England's, Scotland's and Wales' are spelled with them.
const FLAG: char = '\u{1f3f4}';
/// The tag character that ends a flag.
const END_OF_FLAG: char = '\u{e007f}';

/// Whether a character ends a line for some reader: a terminal, an editor, a parser or a model.
pub fn ends_line(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether a character has no shape, and no script needs it. Joiners, the weak marks of direction and selectors of emoji are part of texts.
pub fn is_hidden(c: char) -> bool {
    let control = c.is_control() && !ends_line(c) && c != '\t';
    let mark = matches!(c, '\u{ad}' | '\u{180e}' | '\u{200b}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    control || mark || matches!(c, '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// The text with each hidden character shown by its name, such as `⟦RLO⟧`: unseen, it could show words in another order than they are
/// stored, or say something to a model alone. Lines stay lines.
pub fn visible(text: &str) -> Cow<'_, str> {
    replaced(text, |c, shown| shown.push_str(&name(c)))
}

/// The text without its hidden characters. Lines stay lines.
pub fn without_hidden(text: &str) -> Cow<'_, str> {
    replaced(text, |_, _| {})
}

fn replaced(text: &str, replace: impl Fn(char, &mut String)) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let (mut in_flag, mut before) = (false, ' ');
    for c in text.chars() {
        let kept = match c {
            '\u{e0020}'..=END_OF_FLAG => in_flag,
            // A variant of an ideograph, of which there can be one.
            '\u{e0100}'..='\u{e01ef}' => matches!(before, '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}'),
            c => !is_hidden(c),
        };
        in_flag = c == FLAG || (in_flag && matches!(c, '\u{e0020}'..='\u{e007e}'));
        before = c;
        if kept {
            shown.push(c);
        } else {
            replace(c, &mut shown);
        }
    }
    Cow::Owned(shown)
}

fn name(c: char) -> String {
    let name = match c {
        '\u{202a}' => "LRE",
        '\u{202b}' => "RLE",
        '\u{202c}' => "PDF",
        '\u{202d}' => "LRO",
        '\u{202e}' => "RLO",
        '\u{2066}' => "LRI",
        '\u{2067}' => "RLI",
        '\u{2068}' => "FSI",
        '\u{2069}' => "PDI",
        c => return format!("⟦U+{:04X}⟧", u32::from(c)),
    };
    format!("⟦{name}⟧")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_that_turn_the_direction_of_reading_are_seen() {
        assert_eq!(visible("invoice\u{202e}gpj.exe"), "invoice⟦RLO⟧gpj.exe");
        assert_eq!(visible("\u{2067}a\u{2069} שלום ‏x"), "⟦RLI⟧a⟦PDI⟧ שלום ‏x");
        assert_eq!(visible("pass\u{200b}word\u{7}"), "pass⟦U+200B⟧word⟦U+0007⟧");
        assert_eq!(without_hidden("pass\u{200b}word\u{e0041}\u{202e}\u{9b}\n\tx"), "password\n\tx");
    }

    #[test]
    fn flags_families_and_variants_of_ideographs_stay_whole() {
        for text in
            ["🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}!", "👩\u{200d}👧 ❤\u{fe0f}", "葛\u{e0100}城", "می\u{200c}خواهم"]
        {
            assert_eq!((visible(text), without_hidden(text)), (text.into(), text.into()));
        }
        let hidden = "🏴\u{e0067}\u{e007f}\u{e0041} 葛\u{e0100}\u{e0101}";
        assert_eq!(without_hidden(hidden), "🏴\u{e0067}\u{e007f} 葛\u{e0100}", "only one flag, only one variant");
    }
}

//! Cutting a text into pieces that a model reads as a whole. Pure.

use std::ops::Range;

/// Ends of a piece, the best first.
const ENDS: [&str; 4] = ["\n\n", "\n", ". ", " "];

/// The bytes of consecutive pieces, each at most `most` bytes: cut after a paragraph, else after a line, a sentence or a word, if one ends in
/// the second half of the piece. Pieces of white space are left out. A piece has at least one character, however long that is.
pub fn pieces(text: &str, most: usize) -> Vec<Range<usize>> {
    let (mut pieces, mut from) = (Vec::new(), 0);
    while let Some(rest) = text.get(from..).filter(|rest| !rest.is_empty()) {
        let end = from + end(rest, most);
        if text.get(from..end).is_some_and(|piece| !piece.trim().is_empty()) {
            pieces.push(from..end);
        }
        from = end;
    }
    pieces
}

/// Where the first piece of a text ends.
fn end(text: &str, most: usize) -> usize {
    if text.len() <= most {
        return text.len();
    }
    let hard = text.floor_char_boundary(most);
    let half = text.floor_char_boundary(most / 2);
    let window = text.get(half..hard).unwrap_or_default();
    let cut = ENDS.iter().find_map(|end| window.rfind(end).map(|at| half + at + end.len()));
    let first = text.chars().next().map_or(1, char::len_utf8);
    cut.unwrap_or(hard).max(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn pieces_end_where_a_reader_pauses() {
        let text = "One two three.\n\nFour five six. Seven eight nine ten.";
        let cut: Vec<&str> = pieces(text, 24).into_iter().map(|piece| &text[piece]).collect();
        assert_eq!(cut, ["One two three.\n\n", "Four five six. ", "Seven eight nine ten."]);
    }

    proptest! {
        #[test]
        fn pieces_are_short_and_lose_no_word(text in "[a-zé東 .\n]{0,200}", most in 4_usize..40) {
            let cut = pieces(&text, most);
            prop_assert!(cut.iter().all(|piece| piece.len() <= most));
            prop_assert!(cut.windows(2).all(|two| two[0].end <= two[1].start));
            let kept: String = cut.into_iter().map(|piece| &text[piece]).collect();
            let words = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(words(&kept), words(&text));
        }
    }
}

/// A text of at most `most` characters: to the end of a sentence if one ends late enough, else to the end of a word.
pub fn shorten(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most.saturating_sub(1)).collect();
    let sentence =
        head.rmatch_indices(['.', '!', '?']).map(|(at, end)| at + end.len()).find(|at| head[*at..].starts_with(char::is_whitespace));
    if let Some(at) = sentence.filter(|at| *at * 2 >= head.len()) {
        return format!("{} …", &head[..at]);
    }
    let word = head.rfind(char::is_whitespace).filter(|at| *at * 2 >= head.len()).unwrap_or(head.len());
    format!("{}…", head[..word].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn texts_end_with_a_sentence_or_a_word() {
        assert_eq!(shorten("We deploy on Fridays.", 40), "We deploy on Fridays.");
        assert_eq!(shorten("We deploy on Fridays. Never on Mondays, because nobody is there.", 40), "We deploy on Fridays. …");
        assert_eq!(shorten("We deploy on Fridays and never on Mondays", 30), "We deploy on Fridays and…");
        assert_eq!(shorten("Donaudampfschifffahrt", 10), "Donaudamp…");
        assert_eq!(shorten("v1.2.3 is what we use everywhere now", 20), "v1.2.3 is what we…");
    }

    proptest! {
        #[test]
        fn what_is_shortened_is_short_and_begins_alike(text in ".{0,200}", most in 1_usize..120) {
            let short = shorten(&text, most);
            prop_assert!(short.chars().count() <= most + 1);
            let begins = short.trim_end_matches('…').trim_end();
            prop_assert!(text.starts_with(begins) || text == short);
        }
    }
}

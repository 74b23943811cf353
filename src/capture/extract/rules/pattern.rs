//! Patterns of words: `i|we love|like the?` holds for "I love", "we like the".
//!
//! Words are separated by a space and alternatives by `|`. A word or a group of alternatives with `?` at its end may be missing.

/// Whether `words` begin with `pattern`.
pub fn begins(words: &[&str], pattern: &str) -> bool {
    length(words, pattern).is_some()
}

/// Whether `words` contain `pattern` as neighbouring words.
pub fn has(words: &[&str], pattern: &str) -> bool {
    place(words, pattern).is_some()
}

/// Whether `words` begin with one of the patterns.
pub fn begins_any(words: &[&str], patterns: &[&str]) -> bool {
    patterns.iter().any(|pattern| begins(words, pattern))
}

/// Whether `words` contain one of the patterns.
pub fn has_any(words: &[&str], patterns: &[&str]) -> bool {
    patterns.iter().any(|pattern| has(words, pattern))
}

/// The index of the word where `pattern` begins in `words`.
pub fn place(words: &[&str], pattern: &str) -> Option<usize> {
    (0..words.len()).find(|at| words.get(*at..).is_some_and(|rest| begins(rest, pattern)))
}

/// How many words at the beginning of `words` the pattern covers.
pub fn length(words: &[&str], pattern: &str) -> Option<usize> {
    let mut covered = 0;
    for group in pattern.split(' ') {
        let (group, optional) = match group.strip_suffix('?') {
            Some(group) => (group, true),
            None => (group, false),
        };
        let word = words.get(covered).copied();
        if word.is_some_and(|word| group.split('|').any(|alternative| alternative == word)) {
            covered += 1;
        } else if !optional {
            return None;
        }
    }
    Some(covered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives_and_missing_words() {
        let words = ["we", "like", "tea"];
        assert!(begins(&words, "i|we love|like") && begins(&words, "we like the? tea") && begins(&words, "i|we so? like"));
        assert!(!begins(&words, "we love") && !begins(&words, "we like the") && !begins(&words, "we like tea too"));
        assert_eq!((length(&words, "we so? like"), place(&words, "tea|coffee"), has(&words, "like coffee")), (Some(2), Some(2), false));
    }
}

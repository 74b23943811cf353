//! Files of words by language: `[xx]` begins a language, `name: …` is a list of it, `#` begins a comment.

/// The lists of a file: the language, the name, and what follows the colon.
pub fn lists(file: &'static str) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let mut language = "";
    file.lines().filter(|line| !line.starts_with('#')).filter_map(move |line| {
        language = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')).unwrap_or(language);
        line.split_once(": ").map(|(name, list)| (language, name, list))
    })
}

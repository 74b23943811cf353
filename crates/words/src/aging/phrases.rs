//! Words and phrases in a message, without regard to case and punctuation.

/// The words of a text in lower case, with what belongs to a word inside it ("don't", "1,200").
pub struct Words<'a> {
    words: Vec<(String, &'a str)>,
}

impl<'a> Words<'a> {
    pub fn of(text: &'a str) -> Self {
        let words = text.split_whitespace().map(|word| (bare(word), word)).filter(|(word, _)| !word.is_empty()).collect();
        Self { words }
    }

    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether every word passes.
    pub fn all(&self, test: impl Fn(&str) -> bool) -> bool {
        self.words.iter().all(|(word, _)| test(word))
    }

    /// The words as they are written, from the first to the last.
    pub fn written(&self) -> String {
        self.slice(0, self.words.len())
    }

    /// The first phrase that occurs in the text, as it is written there. `fits` sees the words before it, nearest last.
    pub fn phrase(&self, phrases: &[&str], fits: impl Fn(&[(String, &'a str)]) -> bool) -> Option<String> {
        (0..self.words.len()).find_map(|at| {
            let end = phrases.iter().find_map(|phrase| self.ends(at, phrase))?;
            fits(&self.words[..at]).then(|| self.slice(at, end))
        })
    }

    /// The first word that passes, with the one after it, as they are written.
    pub fn pair(&self, test: impl Fn(&str, &str) -> bool) -> Option<String> {
        let next = |at: usize| self.words.get(at + 1).map_or("", |(word, _)| word.as_str());
        let at = (0..self.words.len()).find(|at| test(self.words[*at].1, next(*at)))?;
        Some(self.slice(at, (at + 2).min(self.words.len())))
    }

    /// Where a phrase ends that begins at `at`.
    fn ends(&self, at: usize, phrase: &str) -> Option<usize> {
        let mut end = at;
        for part in phrase.split(' ') {
            if self.words.get(end).is_none_or(|(word, _)| word != part) {
                return None;
            }
            end += 1;
        }
        Some(end)
    }

    fn slice(&self, from: usize, to: usize) -> String {
        self.words[from..to].iter().map(|(_, written)| *written).collect::<Vec<_>>().join(" ")
    }
}

/// A word without the punctuation around it, in lower case, with plain apostrophes.
fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().replace('’', "'")
}

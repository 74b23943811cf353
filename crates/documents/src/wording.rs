//! Phrases with which people describe a component and its dependencies.

use super::blocks::Line;
use words::steps;

/// Name and description of a list item: "**name** — description", "name: description", or the name alone.
pub(super) fn split_item(text: &str, lead: usize) -> Option<(&str, &str)> {
    let (name, rest) = match text.get(..lead).filter(|lead| !lead.is_empty()) {
        Some(name) => (name, &text[name.len()..]),
        None => {
            let separators = [" — ", " – ", " - ", ": "];
            let at = separators.iter().filter_map(|separator| text.find(separator)).min().unwrap_or(text.len());
            text.split_at(at)
        }
    };
    // A sentence is no name.
    (name.split_whitespace().count() <= 6).then(|| (name, rest.trim_start_matches([' ', '—', '–', '-', ':'])))
}

/// The lines of prose joined into statements; a line with a label ("Owner: Vera") begins a new one.
pub(super) fn statements(lines: &[Line]) -> Vec<String> {
    let mut statements: Vec<String> = Vec::new();
    for line in lines {
        let text = line.text.trim();
        steps::looked_at(text.len());
        let labelled = text.split_once(':').is_some_and(|(label, _)| label.split_whitespace().count() <= 3);
        match statements.last_mut().filter(|_| !labelled) {
            Some(last) => last.extend([" ", text]),
            None => statements.push(text.to_owned()),
        }
    }
    statements
}

/// A text without its dependencies, and the dependencies: the text after "depends on" up to the end of the sentence.
pub(super) fn split_needs(text: &str) -> (String, &str) {
    const PHRASE: &str = "depends on";
    steps::looked_at(text.len());
    // Lower-casing ASCII keeps the places of bytes.
    let Some(at) = text.to_ascii_lowercase().find(PHRASE) else { return (text.trim().to_owned(), "") };
    let needs = &text[at + PHRASE.len()..];
    let needs = &needs[..needs.find(". ").or_else(|| needs.strip_suffix('.').map(str::len)).unwrap_or(needs.len())];
    let end = at + PHRASE.len() + needs.len();
    let sentence = text[..at].rfind(". ").map_or(0, |stop| stop + 2);
    let kept = match text[sentence..at].trim() {
        "" | "It" | "it" => text[..sentence].trim_end(),
        clause if clause.ends_with([';', '—', '–']) => text[..at].trim_end_matches([' ', ';', '—', '–']),
        // The sentence says more than the dependencies.
        _ => return (text.trim().to_owned(), needs.trim_start_matches([':', ' '])),
    };
    let after = text[end..].trim_start_matches(['.', ' ']);
    ([kept, after].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" "), needs.trim_start_matches([':', ' ']))
}

/// The names in "A, the B (by HTTP) and C".
pub(super) fn names_of(text: &str) -> Vec<String> {
    let mut plain = String::new();
    let mut depth = 0_usize;
    steps::looked_at(text.len());
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    let names = plain.split([',', ';', '&', '\n']).flat_map(|part| part.split(" and "));
    names
        .map(|name| name.trim().trim_end_matches('.'))
        .map(|name| name.strip_prefix("and ").unwrap_or(name).trim_start_matches("the ").trim())
        .filter(|name| !matches!(name.to_lowercase().as_str(), "" | "nothing" | "none" | "n/a" | "-" | "—" | "–"))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needs_are_taken_out_of_a_sentence() {
        let cases = [
            ("Answers. Depends on: db, queue. Fast.", "Answers. Fast.", "db, queue"),
            ("Depends on a", "", "a"),
            ("Works. It depends on a.", "Works.", "a"),
            ("works; depends on a and b", "works", "a and b"),
            ("Each run depends on a. More", "Each run depends on a. More", "a"),
            ("Ünlike others", "Ünlike others", ""),
        ];
        for (text, description, needs) in cases {
            assert_eq!(split_needs(text), (description.to_owned(), needs), "{text}");
        }
    }

    #[test]
    fn names_stand_between_commas_and_ands() {
        assert_eq!(names_of("A, the B (by HTTP, fast) and C, and D & E."), ["A", "B", "C", "D", "E"]);
        assert!(names_of("none").is_empty() && names_of(" — ").is_empty());
    }

    #[test]
    fn an_item_begins_with_a_name() {
        assert_eq!(split_item("api: answers", 0), Some(("api", "answers")));
        assert_eq!(split_item("api-x — answers - well", 0), Some(("api-x", "answers - well")));
        assert_eq!(split_item("the api — answers", 7), Some(("the api", "answers")));
        assert_eq!(split_item("this is a sentence that names no component", 0), None);
    }
}

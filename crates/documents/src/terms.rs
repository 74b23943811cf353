//! The definition and the aliases of one term, and which terms of a file are compatible.

use super::Fault;
use super::blocks::{Line, joined};
use super::classify::label;
use std::collections::{HashMap, HashSet};
use wire::TOPIC_MAX;
use words::{normal, steps};

/// A term that a glossary defines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Term {
    pub term: String,
    /// Plain text, never empty.
    pub definition: String,
    /// Other names, each different from the term and from those of other terms in normal form.
    pub aliases: Vec<String>,
    /// From the table or a line "Category:", else the heading above a list of terms.
    pub category: Option<String>,
    /// The line in the file, from 1.
    pub line: usize,
}

/// Labels of a line, or of a sentence in it, that names aliases.
const ALIAS_LABELS: [&str; 6] = ["also known as", "aliases", "alias", "synonyms", "aka", "also"];
/// Whether a word in bold is a label of the term before it, not a term.
pub(super) fn is_label(term: &str) -> bool {
    let term = term.trim().to_lowercase();
    term == "category" || ALIAS_LABELS.contains(&term.as_str())
}

/// Adds a line to a term: aliases, the category or more of the definition.
pub(super) fn describe(term: &mut Term, line: &str) {
    if let Some(category) = label(line, "category").filter(|category| !category.is_empty()) {
        term.category = Some(category.trim_end_matches('.').to_owned());
        return;
    }
    steps::looked_at(line.len());
    let mut text = with_aliases(line, &mut term.aliases);
    // Aliases begin the line, or a sentence of it.
    let starts = std::iter::once(0).chain(text.match_indices(". ").map(|(at, _)| at + 2));
    let named = |at: usize| {
        steps::looked_at(1);
        ALIAS_LABELS.iter().find_map(|name| label(&text[at..], name))
    };
    if let Some((at, names)) = starts.into_iter().find_map(|at| Some((at, named(at)?))) {
        term.aliases.extend(list(names));
        text.truncate(at);
    }
    let text = text.trim();
    if !text.is_empty() {
        if !term.definition.is_empty() {
            term.definition.push(' ');
        }
        term.definition.push_str(text);
    }
}

/// The text without "(also a, b)", and those aliases added.
pub(super) fn with_aliases(text: &str, aliases: &mut Vec<String>) -> String {
    for (start, _) in text.match_indices('(') {
        let inside = &text[start + 1..];
        steps::looked_at(1);
        let name = ALIAS_LABELS.iter().find(|name| inside.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name)));
        let Some(names) = name.map(|name| &inside[name.len()..]).filter(|names| names.starts_with([' ', ':'])) else { continue };
        let Some((names, after)) = names.split_once(')') else { break };
        aliases.extend(list(names));
        return joined(&[&text[..start], after].map(|part| Line { text: part.trim().to_owned(), ..Line::default() }));
    }
    text.trim().to_owned()
}

/// The name of a term, and its aliases added: those of "(also a, b)", and short forms in parentheses at its end, as in "Kubernetes (k8s)".
/// Parentheses that hold anything else belong to the name, because they tell it from other names: "Mercury (planet)".
pub(super) fn term_name(text: &str, aliases: &mut Vec<String>) -> String {
    let name = with_aliases(text, aliases);
    let Some((term, inside)) = name.strip_suffix(')').and_then(|name| name.rsplit_once('(')) else { return name };
    let forms: Vec<String> = list(inside).collect();
    if forms.is_empty() || !term.ends_with(char::is_whitespace) || !forms.iter().all(|form| is_short_form(form, term)) {
        return name;
    }
    aliases.extend(forms);
    term.trim_end().to_owned()
}

/// Whether a name is one word, and it or the term abbreviates the other: they begin with the same letter, and the letters of the shorter one
/// occur in the longer one, in this order.
fn is_short_form(name: &str, term: &str) -> bool {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect::<Vec<_>>();
    let (mut short, mut long) = (letters(name), letters(term));
    if short.len() > long.len() {
        std::mem::swap(&mut short, &mut long);
    }
    let mut rest = long.iter();
    !name.contains(char::is_whitespace) && !short.is_empty() && short[0] == long[0] && short.iter().all(|letter| rest.any(|c| c == letter))
}

/// The names between commas or semicolons.
pub(super) fn list(names: &str) -> impl Iterator<Item = String> + '_ {
    let outer = |c: char| c.is_whitespace() || matches!(c, '"' | '“' | '”' | '.' | ':' | '`');
    names
        .split([',', ';'])
        .map(move |name| name.trim_matches(outer))
        .filter(|name| !matches!(*name, "" | "-" | "—" | "–"))
        .map(str::to_owned)
}

fn is_name(text: &str) -> bool {
    normal(text).contains(char::is_alphanumeric)
}

/// Leaves out terms that no vocabulary could hold; of two equal terms the first stays.
pub(super) fn settled(drafts: Vec<Term>) -> (Vec<Term>, Vec<Fault>) {
    let mut faults = Vec::new();
    let mut lines: HashMap<String, usize> = HashMap::new();
    let mut terms = Vec::new();
    for term in drafts {
        let reason = match lines.get(&normal(&term.term)) {
            _ if !is_name(&term.term) => "a definition without a term".to_owned(),
            _ if term.term.chars().count() > TOPIC_MAX => format!("the term is longer than {TOPIC_MAX} characters"),
            Some(line) => format!("the term {:?} is defined in line {line} already", term.term),
            None if term.definition.is_empty() => format!("the term {:?} has no definition", term.term),
            None => {
                lines.insert(normal(&term.term), term.line);
                terms.push(term);
                continue;
            }
        };
        faults.push(Fault::new(term.line, reason));
    }
    // Terms come before aliases: a phrase that is a term anywhere in the file is not an alias.
    for term in &mut terms {
        let own = normal(&term.term);
        let mut mine = HashSet::new();
        for alias in std::mem::take(&mut term.aliases) {
            let form = normal(&alias);
            steps::looked_at(alias.len());
            if !is_name(&alias) || form == own || mine.contains(&form) {
                continue;
            }
            if alias.chars().count() > TOPIC_MAX {
                faults.push(Fault::new(term.line, format!("an alias of {:?} is longer than {TOPIC_MAX} characters", term.term)));
            } else if let Some(line) = lines.get(&form) {
                faults.push(Fault::new(term.line, format!("the alias {alias:?} of {:?} belongs to line {line} already", term.term)));
            } else {
                mine.insert(form);
                term.aliases.push(alias);
            }
        }
        lines.extend(mine.into_iter().map(|form| (form, term.line)));
    }
    (terms, faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(term: &str, definition: &str, aliases: &[&str], line: usize) -> Term {
        let aliases = aliases.iter().map(|alias| (*alias).to_owned()).collect();
        Term { term: term.into(), definition: definition.into(), aliases, category: None, line }
    }

    #[test]
    fn lines_describe_a_term() {
        let cases = [
            ("one. Two", "one. Two", ""),
            ("one. Aliases: a, “b c”; `d`.", "one.", "a|b c|d"),
            ("Also known as: a", "", "a"),
            ("one (also a, b) two (really)", "one two (really)", "a|b"),
            ("it also: does", "it also: does", ""),
            ("(alsoran) x", "(alsoran) x", ""),
        ];
        for (line, definition, aliases) in cases {
            let mut found = Term::default();
            describe(&mut found, line);
            assert_eq!((found.definition.as_str(), found.aliases.join("|").as_str()), (definition, aliases), "{line}");
        }
    }

    #[test]
    fn a_short_form_in_parentheses_is_an_alias_and_anything_else_belongs_to_the_name() {
        let cases = [
            ("Observability (o11y)", "Observability", "o11y"),
            ("Postgres (`pg`; PostgreSQL)", "Postgres", "pg|PostgreSQL"),
            ("Service level objective (SLO)", "Service level objective", "SLO"),
            ("i18n (Internationalisation)", "i18n", "Internationalisation"),
            ("Kestrel (the company)", "Kestrel (the company)", ""),
            ("Kestrel (k, the company)", "Kestrel (k, the company)", ""),
            ("Mercury (planet)", "Mercury (planet)", ""),
            ("Token(s)", "Token(s)", ""),
            ("Ledger (2026)", "Ledger (2026)", ""),
            ("(pg)", "(pg)", ""),
            ("Run ()", "Run ()", ""),
            ("Run (also job) (r)", "Run", "job|r"),
        ];
        for (text, term, aliases) in cases {
            let mut found = vec![];
            assert_eq!((term_name(text, &mut found).as_str(), found.join("|").as_str()), (term, aliases), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_kept_is_named() {
        let long = "x".repeat(257);
        let drafts = vec![
            term("Run-time", "a", &["RUN TIME", "—"], 3),
            term("run_time", "b", &[], 4),
            term("**", "c", &[], 5),
            term(&long, "d", &[], 6),
            term("Empty", "", &[], 7),
            term("Job", "e", &["run time", "work", &long], 8),
            term("Task", "f", &["WORK", "job", "chore"], 9),
        ];
        let (terms, faults) = settled(drafts);
        assert_eq!(terms, [term("Run-time", "a", &[], 3), term("Job", "e", &["work"], 8), term("Task", "f", &["chore"], 9)]);
        let expected = [
            (4, "the term \"run_time\" is defined in line 3 already"),
            (5, "a definition without a term"),
            (6, "the term is longer than 256 characters"),
            (7, "the term \"Empty\" has no definition"),
            (8, "the alias \"run time\" of \"Job\" belongs to line 3 already"),
            (8, "an alias of \"Job\" is longer than 256 characters"),
            (9, "the alias \"WORK\" of \"Task\" belongs to line 8 already"),
            (9, "the alias \"job\" of \"Task\" belongs to line 8 already"),
        ];
        assert_eq!(faults, expected.map(|(line, reason)| Fault::new(line, reason)));
    }
}

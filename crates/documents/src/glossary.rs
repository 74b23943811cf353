//! Terms with definitions, as people write them in a glossary.

use super::Fault;
use super::blocks::{Block, BlockKind, Line, Place, Row};
use super::terms::{Term, describe, is_label, list, settled, term_name};
use words::steps;

/// What separates a term from its definition.
const DASHES: [&str; 3] = [" — ", " – ", " - "];
/// Headings that only announce terms.
const PLAIN_HEADINGS: [&str; 4] = ["glossary", "terms", "definitions", "vocabulary"];

/// The terms of a glossary, and the faults of entries that are left out: no term, no definition, too long, or defined already.
///
/// Terms are headings with text, list items and paragraphs like "**Term** — definition", list items like "Term — definition", and rows of
/// tables with a column Term. A heading above such entries, or above deeper headings, is their category and not a term. Aliases follow
/// "Aliases:" or "Also:", or are in parentheses: "(also ADR)", or "(k8s)" directly behind the term Kubernetes.
pub fn glossary(blocks: &[Block]) -> (Vec<Term>, Vec<Fault>) {
    let mut drafts = Vec::new();
    let mut category: Vec<(u8, String)> = Vec::new();
    let mut rest = blocks;
    while let Some((block, following)) = rest.split_first() {
        let BlockKind::Heading { level, text } = &block.kind else {
            // Before the first heading.
            let end = rest.iter().position(is_heading).unwrap_or(rest.len());
            entries(&rest[..end], None, true, &mut drafts);
            rest = &rest[end..];
            continue;
        };
        let end = following.iter().position(is_heading).unwrap_or(following.len());
        let (section, after) = following.split_at(end);
        steps::looked_at(end + category.len());
        let parent = after.first().is_some_and(|next| matches!(&next.kind, BlockKind::Heading { level: next, .. } if next > level));
        category.retain(|(outer, _)| outer < level);
        // Text directly below a heading makes the heading a term; a list below that text belongs to the definition unless its items are in
        // bold.
        let describes = !parent && *level > 1 && section.first().is_some_and(|first| !is_item(first));
        let within = category.last().map(|(_, text)| text.clone());
        let before = drafts.len();
        let plain = *level == 1 || text.chars().count() < 2 || PLAIN_HEADINGS.contains(&text.to_lowercase().as_str());
        let inner = if plain { within.clone() } else { Some(text.clone()) };
        entries(section, inner, !describes, &mut drafts);
        if drafts.len() == before && *level > 1 && !parent {
            drafts.push(described(text, block.line, section, within));
        } else if !plain {
            category.push((*level, text.clone()));
        }
        rest = after;
    }
    settled(drafts)
}

fn is_heading(block: &Block) -> bool {
    matches!(block.kind, BlockKind::Heading { .. })
}

fn is_item(block: &Block) -> bool {
    matches!(block.kind, BlockKind::Prose { place: Place::Item(_), .. })
}

/// The term that a heading names, with the text below it.
fn described(heading: &str, line: usize, section: &[Block], category: Option<String>) -> Term {
    let mut term = Term { category, line, ..Term::default() };
    term.term = term_name(heading, &mut term.aliases);
    for block in section {
        if let BlockKind::Prose { lines, .. } = &block.kind {
            lines.iter().for_each(|line| describe(&mut term, &line.text));
        }
    }
    term
}

/// Adds the terms that list items, paragraphs and tables of a section define. `loose` also takes items whose term is not in bold.
fn entries(section: &[Block], category: Option<String>, loose: bool, terms: &mut Vec<Term>) {
    let first = terms.len();
    // Depth of the list whose item began the last term; 0 for a paragraph, none after a table.
    let mut depth = None;
    for block in section {
        let (place, lines) = match &block.kind {
            BlockKind::Table { header, rows } => {
                table(header, rows, category.as_ref(), terms);
                depth = None;
                continue;
            }
            BlockKind::Prose { place, lines } => (*place, lines),
            _ => continue,
        };
        let (at, begins, mut continues) = match place {
            Place::Paragraph => (0, true, depth == Some(0)),
            Place::Item(at) => (at, depth.is_none_or(|depth| at <= depth), depth.is_some_and(|depth| at > depth)),
            Place::Further(at) => (at, false, depth.is_some_and(|depth| at >= depth)),
        };
        for (index, line) in lines.iter().enumerate() {
            let entry = split_entry(line, loose && at > 0 && index == 0).filter(|_| begins);
            if let Some((term, definition)) = entry {
                let mut entry = Term { category: category.clone(), line: line.line, ..Term::default() };
                entry.term = term_name(term, &mut entry.aliases);
                describe(&mut entry, definition);
                terms.push(entry);
                (depth, continues) = (Some(at), true);
            } else if let Some(entry) = terms.get_mut(first..).and_then(<[Term]>::last_mut).filter(|_| continues) {
                describe(entry, &line.text);
            }
        }
    }
}

/// Term and definition of a line like "**Term** — definition", or, if it is `loose`, "Term — definition".
fn split_entry(line: &Line, loose: bool) -> Option<(&str, &str)> {
    let text = line.text.as_str();
    steps::looked_at(text.len());
    if line.lead > 0 {
        let (lead, rest) = text.split_at(line.lead);
        if let Some(term) = lead.trim_end().strip_suffix(':') {
            return Some((term, rest)).filter(|_| !is_label(term));
        }
        // "**ADR** (also decision record) — …": the parentheses belong to the term.
        let after = if rest.trim_start().starts_with('(') { rest.find(')').map_or(rest, |end| &rest[end + 1..]) } else { rest };
        let definition = after.trim_start().strip_prefix(['—', '–', '-', ':', '='])?;
        let term = &text[..text.len() - after.len()];
        return Some((term, definition)).filter(|_| !is_label(term));
    }
    if !loose {
        return None;
    }
    let (at, dash) = DASHES.iter().filter_map(|dash| Some((text.find(dash)?, *dash))).min().or_else(|| Some((text.find(": ")?, ": ")))?;
    Some((&text[..at], &text[at + dash.len()..])).filter(|(term, _)| !is_label(term) && !term.contains(". "))
}

fn table(header: &[String], rows: &[Row], category: Option<&String>, terms: &mut Vec<Term>) {
    let column = |names: &[&str]| header.iter().position(|cell| names.contains(&cell.to_lowercase().as_str()));
    let Some(name) = column(&["term", "terms", "word"]) else { return };
    let Some(definition) = column(&["definition", "meaning", "description"]) else { return };
    let (aliases, categories) = (column(&["aliases", "alias", "also", "also known as", "synonyms"]), column(&["category", "area"]));
    for row in rows {
        let cell = |column: Option<usize>| column.and_then(|column| row.cells.get(column)).map_or("", String::as_str);
        let mut term = Term { line: row.line, ..Term::default() };
        term.term = term_name(cell(Some(name)), &mut term.aliases);
        term.aliases.extend(list(cell(aliases)));
        describe(&mut term, cell(Some(definition)));
        let own = Some(cell(categories)).filter(|text| !text.is_empty());
        term.category = own.map(str::to_owned).or(term.category).or_else(|| category.cloned());
        terms.push(term);
    }
}

#[cfg(test)]
mod tests {
    use super::super::blocks::blocks;
    use super::*;
    use proptest::prelude::*;
    use words::normal;

    /// Term, definition, aliases and category.
    type Found = (String, String, String, String);

    fn read(file: &str) -> (Vec<Found>, Vec<(usize, String)>) {
        let (terms, faults) = glossary(&blocks(file, 1));
        let terms = terms.into_iter().map(|term| (term.term, term.definition, term.aliases.join("|"), term.category.unwrap_or_default()));
        (terms.collect(), faults.into_iter().map(|fault| (fault.line.unwrap_or(0), fault.reason)).collect())
    }

    #[track_caller]
    fn gives(file: &str, expected: &[(&str, &str, &str, &str)]) {
        let (terms, faults) = read(file);
        let terms: Vec<_> = terms.iter().map(|(a, b, c, d)| (a.as_str(), b.as_str(), c.as_str(), d.as_str())).collect();
        assert_eq!(terms, expected);
        assert_eq!(faults, []);
    }

    #[test]
    fn headings_with_text_are_terms() {
        gives(
            "# Glossary\n\nAll **words** we use.\n\n## Recall\n\nFinding what\nwas stored.\n\nCategory: Memory.\n\
            Aliases: lookup, `search`.\n\n## ADR (also decision record)\n\nA decision:\n\n- its context\n- why — and why not\n",
            &[
                ("Recall", "Finding what was stored.", "lookup|search", "Memory"),
                ("ADR", "A decision: its context why — and why not", "decision record", ""),
            ],
        );
        gives("## People\n\nWho works here.\n\n### Vera\n\nRuns Acme.\n", &[("Vera", "Runs Acme.", "", "People")]);
    }

    #[test]
    fn items_and_bold_paragraphs_are_terms() {
        gives(
            "# G\n\n**Tenant** — a customer. Also: customer, account\n**Agent**: who remembers\n\nand forgets.\n",
            &[("Tenant", "a customer.", "customer|account", ""), ("Agent", "who remembers and forgets.", "", "")],
        );
        gives(
            "## A\n\n- **Agent:** who remembers\n  - also known as: worker\n- **ADR** (aka `record`) - decided\n\nSee elsewhere.\n\n\
            ## Storage\n\nWhere it lies.\n\n- **Vault** — a box\n- a remark\n\n## T\n\n- Topic – what it is about\n\
            - Term: a word - not more\n",
            &[
                ("Agent", "who remembers", "worker", ""),
                ("ADR", "decided", "record", ""),
                ("Vault", "a box", "", "Storage"),
                ("Topic", "what it is about", "", ""),
                ("Term: a word", "not more", "", ""),
            ],
        );
    }

    #[test]
    fn short_forms_behind_a_term_are_its_aliases() {
        gives(
            "# G\n\n**Kubernetes** (k8s, kube): runs containers.\n\n**Kestrel** (the company): sells boats (k).\n\n## Tools\n\n\
            - **Continuous integration (CI)** — builds\n- Postgres (pg) - stores\n",
            &[
                ("Kubernetes", "runs containers.", "k8s|kube", ""),
                ("Kestrel (the company)", "sells boats (k).", "", ""),
                ("Continuous integration", "builds", "CI", "Tools"),
                ("Postgres", "stores", "pg", "Tools"),
            ],
        );
        gives("## Recall (RCL)\n\nFinding what was stored.\n", &[("Recall", "Finding what was stored.", "RCL", "")]);
    }

    #[test]
    fn tables_are_terms() {
        gives(
            "## Work\n\n| Term | Definition | Aliases | Category |\n|---|---|---|---|\n| **Run** | one job | job; task | Jobs |\n\
            | Lease (also hold) | a claim | — | |\n\n| X | Definition |\n|---|---|\n| a | b |\n",
            &[("Run", "one job", "job|task", "Jobs"), ("Lease", "a claim", "hold", "Work")],
        );
    }

    #[test]
    fn what_is_no_term_is_named() {
        assert_eq!(
            read("## A\n\n## Alone\n\n- **Empty** —\n").1,
            [(1, "the term \"A\" has no definition".to_owned()), (5, "the term \"Empty\" has no definition".to_owned())]
        );
        assert_eq!(read("| Term | Definition |\n|---|---|\n| | x |\n").1, [(3, "a definition without a term".to_owned())]);
    }

    proptest! {
        #[test]
        fn terms_are_whole_and_distinct(file in "([#*|(), :a-c\n—-]|\n## |\n- \\*\\*|\\*\\* — |aliases: |\\(also ){0,60}") {
            let (terms, _) = glossary(&blocks(&file, 1));
            let mut forms = std::collections::HashSet::new();
            for term in &terms {
                prop_assert!(!term.definition.is_empty());
                for name in term.aliases.iter().chain([&term.term]) {
                    prop_assert!(!normal(name).is_empty() && forms.insert(normal(name)), "{:?}", terms);
                }
            }
        }
    }
}

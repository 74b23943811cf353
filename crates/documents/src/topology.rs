//! Components of a system and their dependencies, from an architecture file.

use super::Fault;
use super::blocks::{Block, BlockKind, Line, Place, Row};
use super::mermaid::chart;
use super::wording::{names_of, split_item, split_needs, statements};
use std::collections::{HashMap, HashSet};
use words::{normal, steps};

/// Longest name of a component, in characters.
const NAME_MAX: usize = 256;
/// Most dependencies that are read from one file.
const DEPENDENCIES_MAX: usize = 10_000;

/// A component of the system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Component {
    /// In the spelling that the file uses first.
    pub name: String,
    /// Plain text; empty if the file only names it.
    pub description: String,
    /// Names of other components of the file.
    pub depends_on: Vec<String>,
    /// The line in the file, from 1.
    pub line: usize,
}

/// The components of an architecture file, and the faults of those that are left out.
///
/// They come from tables with a column Component (or Service, Module, Name) and optional columns Description and Depends on; from list
/// items and headings below a heading with the word "component", with "Depends on: A, B" in their text; and from flow charts of Mermaid,
/// whose arrows point to dependencies. A component that the file describes in several places is one component with the first description. A
/// component that is only a dependency has no description.
pub fn topology(blocks: &[Block]) -> (Vec<Component>, Vec<Fault>) {
    let mut map = Map::default();
    // Level of the heading about components that we are below.
    let mut within: Option<u8> = None;
    let mut current: Option<Open> = None;
    for block in blocks {
        steps::looked_at(1);
        match &block.kind {
            BlockKind::Heading { level, text } => {
                current = None;
                within = within.filter(|outer| level > outer);
                if let Some(outer) = within {
                    current = (*level == outer + 1).then(|| Open { node: map.node(text, block.line), item: 0 });
                } else if text.to_lowercase().contains("component") {
                    within = Some(*level);
                }
            }
            BlockKind::Prose { place, lines } if within.is_some() => {
                current = map.prose(*place, lines, current);
            }
            BlockKind::Table { header, rows } => map.table(header, rows),
            BlockKind::Code { language, text } if language == "mermaid" => map.chart(text, block.line + 1),
            _ => {}
        }
    }
    map.finished()
}

/// The component that the next paragraphs describe; none if its name is unusable.
#[derive(Clone, Copy)]
struct Open {
    node: Option<usize>,
    /// Depth of the list whose item names it; 0 for a heading.
    item: usize,
}

#[derive(Default)]
struct Map {
    components: Vec<Component>,
    /// Normal form of a name → its component.
    forms: HashMap<String, usize>,
    edges: HashSet<(usize, usize)>,
    faults: Vec<Fault>,
    cut: bool,
}

impl Map {
    fn node(&mut self, name: &str, line: usize) -> Option<usize> {
        let name = name.trim().trim_end_matches([':', '.']).trim();
        let form = normal(name);
        steps::looked_at(name.len());
        if !form.contains(char::is_alphanumeric) {
            return None;
        }
        if name.chars().count() > NAME_MAX {
            self.faults.push(Fault::new(line, format!("the name of a component is longer than {NAME_MAX} characters")));
            return None;
        }
        let next = self.components.len();
        let node = *self.forms.entry(form).or_insert(next);
        if node == next {
            self.components.push(Component { name: name.to_owned(), line, ..Component::default() });
        }
        Some(node)
    }

    fn edge(&mut self, from: usize, to: usize) {
        if self.edges.len() >= DEPENDENCIES_MAX {
            self.cut = true;
        } else if from != to && self.edges.insert((from, to)) {
            let name = self.components[to].name.clone();
            self.components[from].depends_on.push(name);
        }
    }

    /// Describes a component unless it has a description; its line becomes that of the description.
    fn describe(&mut self, node: usize, text: &str, line: usize) {
        let component = &mut self.components[node];
        if component.description.is_empty() && !text.is_empty() {
            component.description = text.to_owned();
            component.line = line;
        }
    }

    fn needs(&mut self, from: usize, names: &str, line: usize) {
        for name in names_of(names) {
            if let Some(to) = self.node(&name, line) {
                self.edge(from, to);
            }
        }
    }

    /// Reads prose below a heading about components; returns the component that the following prose describes.
    fn prose(&mut self, place: Place, lines: &[Line], current: Option<Open>) -> Option<Open> {
        let mut statements = statements(lines);
        let line = lines.first().map_or(0, |line| line.line);
        let goes_on = current.filter(|open| match place {
            Place::Paragraph => open.item == 0,
            Place::Item(at) => at > open.item,
            Place::Further(at) => at >= open.item,
        });
        let open = match (place, goes_on) {
            (_, Some(open)) => open,
            (Place::Item(at), None) => {
                let first = statements.first_mut()?;
                let (name, description) = split_item(first, lines.first().map_or(0, |line| line.lead))?;
                let node = self.node(name, line);
                *first = description.to_owned();
                Open { node, item: at }
            }
            _ => return None,
        };
        let Some(node) = open.node else { return Some(open) };
        let mut description = Vec::new();
        for statement in &statements {
            let (text, needs) = split_needs(statement);
            description.extend(Some(text).filter(|text| !text.is_empty()));
            self.needs(node, needs, line);
        }
        self.describe(node, &description.join(" "), line);
        Some(open)
    }

    fn table(&mut self, header: &[String], rows: &[Row]) {
        let column = |names: &[&str]| header.iter().position(|cell| names.contains(&cell.to_lowercase().as_str()));
        let needs = column(&["depends on", "dependencies", "depends", "needs", "uses"]);
        let named = column(&["component", "components", "service", "module"]).or_else(|| column(&["name"]).filter(|_| needs.is_some()));
        let Some(name) = named else { return };
        let description = column(&["description", "purpose", "responsibility", "role", "what it does", "what it is"]);
        for row in rows {
            let cell = |column: Option<usize>| column.and_then(|column| row.cells.get(column)).map_or("", String::as_str);
            if let Some(node) = self.node(cell(Some(name)), row.line) {
                self.describe(node, cell(description), row.line);
                self.needs(node, cell(needs), row.line);
            }
        }
    }

    fn chart(&mut self, text: &str, first_line: usize) {
        let Some(chart) = chart(text) else { return };
        let nodes: Vec<_> = chart.nodes.iter().map(|(name, line)| self.node(name, first_line + line)).collect();
        for (from, to) in chart.arrows {
            if let (Some(from), Some(to)) = (nodes[from], nodes[to]) {
                self.edge(from, to);
            }
        }
        self.cut |= chart.cut;
    }

    fn finished(mut self) -> (Vec<Component>, Vec<Fault>) {
        if self.cut {
            self.faults.push(Fault { line: None, reason: format!("only the first {DEPENDENCIES_MAX} dependencies are kept") });
        }
        (self.components, self.faults)
    }
}

#[cfg(test)]
mod tests {
    use super::super::blocks::blocks;
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn gives(file: &str, expected: &[(&str, &str, &str)]) {
        let (components, faults) = topology(&blocks(file, 1));
        let found: Vec<_> = components.iter().map(|c| (c.name.as_str(), c.description.as_str(), c.depends_on.join("|"))).collect();
        let found: Vec<_> = found.iter().map(|(name, description, needs)| (*name, *description, needs.as_str())).collect();
        assert_eq!(found, expected);
        assert_eq!(faults, []);
    }

    #[test]
    fn tables_and_charts_become_one_map() {
        gives(
            "| Component | Purpose | Depends on |\n|---|---|---|\n\
            | **Ledger API** | keeps accounts | `ledger_db` (by SQL), the Queue |\n| queue | carries | none |\n\n```mermaid\n\
            graph LR\n  api[ledger-api] --> q[Queue]\n  api --> auth\n```\n\n| Name | Size |\n|---|---|\n| x | 1 |\n",
            &[("Ledger API", "keeps accounts", "ledger_db|Queue|auth"), ("ledger_db", "", ""), ("Queue", "carries", ""), ("auth", "", "")],
        );
    }

    #[test]
    fn lists_below_a_heading_about_components_are_read() {
        gives(
            "# A\n\n- **no** — component here\n\n## The components\n\nSome words.\n\n\
            - **api** — answers. Depends on: db, queue. Fast.\n  - Owner: Vera\n\
            - worker: works; depends on queue and db\n  - Depends on: api\n- queue\n\nNothing depends on this.\n\n## Other\n\n\
            - **x** — y\n",
            &[("api", "answers. Fast.", "db|queue"), ("db", "", ""), ("queue", "", ""), ("worker", "works", "queue|db|api")],
        );
    }

    #[test]
    fn headings_below_a_heading_about_components_are_read() {
        gives(
            "## Components\n\n### Ledger\n\nKeeps accounts\nof Acme.\nDepends on: Vault,\nQueue.\nOwner: Mina\n\n#### Detail\n\nx\n\n\
            ### Vault\n\n- It depends on Disk and on luck.\n\nHolds secrets.\n",
            &[
                ("Ledger", "Keeps accounts of Acme. Owner: Mina", "Vault|Queue"),
                ("Vault", "Holds secrets.", "Disk|on luck"),
                ("Queue", "", ""),
                ("Disk", "", ""),
                ("on luck", "", ""),
            ],
        );
    }

    #[test]
    fn lines_point_to_the_description() {
        let file = "```mermaid\ngraph TD\na-->b\n```\n\n## Components\n\n- b: x\n- **{}** — y\n".replace("{}", &"n".repeat(257));
        let (components, faults) = topology(&blocks(&file, 1));
        assert_eq!(components.iter().map(|c| (c.name.as_str(), c.line)).collect::<Vec<_>>(), [("a", 3), ("b", 8)]);
        assert_eq!(faults, [Fault::new(9, "the name of a component is longer than 256 characters")]);
    }

    proptest! {
        #[test]
        fn every_dependency_is_a_component(
            file in "(# components\n|\n## a\n|- b — |depends on[: ]|[-|:a-dé, .(&)\n]|```mermaid\ngraph TD\n|a-->b\n|\n```\n){0,40}"
        ) {
            let (components, _) = topology(&blocks(&file, 1));
            for component in &components {
                for need in &component.depends_on {
                    prop_assert!(components.iter().any(|other| other.name == *need));
                }
            }
        }
    }
}

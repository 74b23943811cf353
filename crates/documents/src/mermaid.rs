//! Flow charts of Mermaid, as far as their arrows are concerned.

use std::collections::HashMap;
use words::steps;

/// Most arrows that are read from one chart: `a & b --> c & d` makes many of few characters.
const ARROWS_MAX: usize = 10_000;

/// Longest line that is read, in bytes.
const LINE_MAX: usize = 4 * 1024;

/// What a chart shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chart {
    /// Labels of the nodes in the order in which they appear, and their lines in the chart, from 0.
    pub nodes: Vec<(String, usize)>,
    /// From and to, as indexes of nodes.
    pub arrows: Vec<(usize, usize)>,
    /// True: arrows were left out, because there are more than 10,000.
    pub cut: bool,
}

/// Reads a `graph` or `flowchart`; none if the text is another kind of diagram. Unknown syntax ends its statement only.
pub fn chart(text: &str) -> Option<Chart> {
    let mut reader = Reader::default();
    let mut begun = false;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with("%%") || line.len() > LINE_MAX {
            continue;
        }
        steps::looked_at(line.len());
        for statement in statements(line) {
            let first = statement.split_whitespace().next().unwrap_or_default();
            if !begun {
                if !matches!(first, "graph" | "flowchart" | "flowchart-elk") {
                    return None;
                }
                begun = true;
            } else if !matches!(
                first,
                "subgraph" | "end" | "direction" | "style" | "classDef" | "class" | "click" | "linkStyle" | "accTitle:" | "accDescr:"
            ) {
                reader.statement(statement, number);
            }
        }
    }
    begun.then_some(reader.chart)
}

/// The parts of a line between semicolons that are not quoted.
fn statements(line: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    line.split(move |c| {
        quoted ^= c == '"';
        c == ';' && !quoted
    })
    .map(str::trim)
    .filter(|statement| !statement.is_empty())
}

#[derive(Default)]
struct Reader {
    chart: Chart,
    ids: HashMap<String, usize>,
}

/// Which ends of a link have an arrow.
#[derive(Clone, Copy)]
struct Link {
    left: bool,
    right: bool,
}

impl Reader {
    /// `a & b[Label] -->|text| c --> d`
    fn statement(&mut self, statement: &str, line: usize) {
        let Some((mut from, mut rest)) = self.group(statement, line) else { return };
        while let Some((link, after)) = link(rest) {
            let Some((to, after)) = self.group(after, line) else { return };
            for pair in from.iter().flat_map(|a| to.iter().map(move |b| (*a, *b))) {
                if self.chart.arrows.len() >= ARROWS_MAX {
                    self.chart.cut = true;
                    return;
                }
                if link.right {
                    self.chart.arrows.push(pair);
                }
                if link.left {
                    self.chart.arrows.push((pair.1, pair.0));
                }
            }
            (from, rest) = (to, after);
        }
    }

    fn group<'a>(&mut self, text: &'a str, line: usize) -> Option<(Vec<usize>, &'a str)> {
        let (first, mut rest) = self.node(text, line)?;
        let mut nodes = vec![first];
        while let Some((node, after)) = rest.trim_start().strip_prefix('&').and_then(|after| self.node(after, line)) {
            nodes.push(node);
            rest = after;
        }
        Some((nodes, rest))
    }

    /// `id`, `id[Label]`, `id(Label):::style`, `id@{ label: "Label" }`
    fn node<'a>(&mut self, text: &'a str, line: usize) -> Option<(usize, &'a str)> {
        let text = text.trim_start();
        let end = id_end(text);
        steps::looked_at(end + 1);
        let (id, mut rest) = text.split_at(end);
        if id.is_empty() {
            return None;
        }
        let node = *self.ids.entry(id.to_owned()).or_insert_with(|| {
            self.chart.nodes.push((id.to_owned(), line));
            self.chart.nodes.len() - 1
        });
        if let Some((label, after)) = shape(rest) {
            if let Some(label) = label {
                self.chart.nodes[node].0 = label;
            }
            rest = after;
        }
        if let Some(style) = rest.strip_prefix(":::") {
            rest = &style[id_end(style)..];
        }
        Some((node, rest))
    }
}

/// Where an id ends. A dash is part of an id only between other characters, because `a-->b` and `a-.->b` are links.
fn id_end(text: &str) -> usize {
    let mut letters = text.char_indices().peekable();
    while let Some((at, c)) = letters.next() {
        let inner = c == '-' && at > 0 && letters.peek().is_some_and(|(_, next)| next.is_alphanumeric());
        if !(c.is_alphanumeric() || matches!(c, '_' | '.' | '/') || inner) {
            return at;
        }
    }
    text.len()
}

/// The label in the brackets that `text` begins with, if there is one in them, and what follows them.
fn shape(text: &str) -> Option<(Option<String>, &str)> {
    if let Some(inside) = text.strip_prefix("@{") {
        let (inside, after) = inside.split_at(inside.find('}')?);
        let label = inside.split_once("label:").map(|(_, label)| label.trim_start());
        let label = label.map(|label| label.strip_prefix('"').map_or_else(|| label.split(',').next(), |quoted| quoted.split('"').next()));
        return Some((label.flatten().and_then(plain), &after[1..]));
    }
    let opening: &[char] = &['[', '(', '{', '>'];
    steps::looked_at(text.len());
    if !text.starts_with(opening) {
        return None;
    }
    // A quoted label may hold brackets.
    let quote = text.find('"').filter(|at| text[..*at].trim_end().chars().all(|c| opening.contains(&c) || matches!(c, '/' | '\\')));
    let from = match quote {
        Some(at) => at + 1 + text[at + 1..].find('"')? + 1,
        None => 0,
    };
    let mut depth: usize = text[..from].chars().take_while(|c| *c != '"').filter(|c| opening.contains(c)).count();
    for (at, c) in text[from..].char_indices() {
        match c {
            '[' | '(' | '{' => depth += 1,
            '>' if at == 0 && from == 0 => depth += 1,
            ']' | ')' | '}' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            let end = from + at + c.len_utf8();
            return Some((plain(&text[..end]), &text[end..]));
        }
    }
    None
}

/// A label without brackets and quotes around it; of several lines the first.
fn plain(label: &str) -> Option<String> {
    let label = label.trim_matches(|c: char| c.is_whitespace() || "[](){}>/\\".contains(c));
    let label = label.trim_matches(['"', '`', ' ']);
    let first = label.split("<br").next().unwrap_or(label).split("\\n").next().unwrap_or(label).trim();
    (!first.is_empty()).then(|| first.to_owned())
}

/// The link that `text` begins with, without its label, and the rest.
fn link(text: &str) -> Option<(Link, &str)> {
    let text = text.trim_start();
    let body = text.strip_prefix(['<', 'o', 'x']).unwrap_or(text);
    let left = text.starts_with('<');
    if !["--", "==", "-.", "~~"].iter().any(|stroke| body.starts_with(stroke)) {
        return None;
    }
    let (end, after) = stroke(body);
    let (end, after) = match end {
        Some(right) => (right, after),
        // `-- text -->`: the other half of the stroke comes after the text.
        None => {
            let close = ["--", "==", ".-"].iter().filter_map(|half| after.find(half)).min()?;
            let (end, after) = stroke(&after[close..]);
            (end.unwrap_or(false), after)
        }
    };
    let after = after.trim_start();
    let after = match after.strip_prefix('|') {
        Some(label) => &label[label.find('|')? + 1..],
        None => after,
    };
    Some((Link { left, right: end }, after))
}

/// Passes over a stroke: whether it ends in an arrow (none if only a text can follow: `--`, `==`, `-.`), and what follows it.
fn stroke(text: &str) -> (Option<bool>, &str) {
    let end = text.find(|c| !matches!(c, '-' | '=' | '.' | '~')).unwrap_or(text.len());
    let (line, after) = text.split_at(end);
    if let Some(after) = after.strip_prefix('>') {
        return (Some(true), after);
    }
    // `--o` and `--x` end in a circle and a cross, which count as arrows unless a word begins there.
    if let Some(after) = after.strip_prefix(['o', 'x']).filter(|after| after.starts_with([' ', '|'])) {
        return (Some(true), after);
    }
    (if matches!(line, "--" | "==" | "-.") { None } else { Some(false) }, after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn arrows(text: &str) -> Vec<String> {
        let chart = chart(&format!("graph TD\n{text}")).unwrap();
        chart.arrows.iter().map(|(from, to)| format!("{}>{}", chart.nodes[*from].0, chart.nodes[*to].0)).collect()
    }

    #[test]
    fn arrows_are_read_in_all_their_forms() {
        let cases: [(&str, &[&str]); 17] = [
            ("A --> B", &["A>B"]),
            ("A-->B", &["A>B"]),
            ("api-gateway-->agent_memory;B-.->C", &["api-gateway>agent_memory", "B>C"]),
            ("A[Web app] -->|reads, writes| B(Postgres 16)", &["Web app>Postgres 16"]),
            ("A[\"Web (app)\"] -- reads --> B[(Store<br/>of all)]", &["Web (app)>Store"]),
            ("A ==> B ==o C --x D", &["A>B", "B>C", "C>D"]),
            ("A == text ==> B -. text .-> C", &["A>B", "B>C"]),
            ("A --> B --> C", &["A>B", "B>C"]),
            ("A & B --> C & D", &["A>C", "A>D", "B>C", "B>D"]),
            ("A <--> B", &["A>B", "B>A"]),
            ("A --- B\nB ~~~ C\nA -- text --- C", &[]),
            ("A{{x}}:::red --> B([y])\nclassDef red fill:#f00", &["x>y"]),
            ("A@{ shape: cyl, label: \"Store\" } --> B>flag]", &["Store>flag"]),
            ("A --> B\nB[Later]", &["A>Later"]),
            ("subgraph one [One]\ndirection LR\nA --> B\nend", &["A>B"]),
            ("%% A --> B\nA[/in/] --> B[\\out\\]", &["in>out"]),
            ("A -->", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(arrows(text), expected, "{text}");
        }
    }

    #[test]
    fn other_diagrams_are_none_of_ours() {
        assert_eq!(chart("sequenceDiagram\nA->>B: hi"), None);
        assert_eq!(chart(""), None);
        assert_eq!(chart("%% a\nflowchart LR; A").unwrap().nodes, [("A".to_owned(), 1)]);
    }

    #[test]
    fn arrows_are_counted() {
        let many = (0..120).map(|n| format!("n{n}")).collect::<Vec<_>>().join(" & ");
        let chart = chart(&format!("graph TD\n{many} --> {many}")).unwrap();
        assert!(chart.cut && chart.arrows.len() == ARROWS_MAX);
    }

    proptest! {
        #[test]
        fn no_chart_breaks_the_reader(text in "[-A-Cox<>=.~|&@\\[\\](){}\":;/ é\\n]{0,60}") {
            if let Some(chart) = chart(&format!("graph TD\n{text}")) {
                for (from, to) in chart.arrows {
                    prop_assert!(from < chart.nodes.len() && to < chart.nodes.len());
                }
            }
        }
    }
}

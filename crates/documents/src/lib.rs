//! Parses Markdown, plain text and HTML into typed parts: no database, no clock, no model.
//!
//! A file is one document with chunks; a glossary also has terms, an architecture file components. A fault of the whole file refuses it; a
//! fault of a part is reported, and the part is left out.

mod blocks;
mod chunks;
mod classify;
pub mod folder;
mod front_matter;
mod glossary;
pub mod html;
pub mod index;
mod mermaid;
mod page;
mod restore;
mod terms;
mod topology;
mod wording;

pub use chunks::{CHUNK_MAX, CHUNKING, Chunk, above, embedded_above};
pub use classify::check_path;
pub use front_matter::front_matter;
pub use restore::restore;
pub use terms::Term;
pub use topology::Component;

use classify::Format;
use front_matter::FrontMatter;
use serde_json::Value;
use std::borrow::Cow;
use wire::{DocumentKind, IngestFailure};
use words::guard;
use words::tokens::Tokens;

/// Largest file, in bytes.
pub const FILE_MAX: usize = 10 * 1024 * 1024;
/// Most failures that are reported for one file; the last says how many more there are.
const FAILURES_MAX: usize = 100;

/// A file as knowledge.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    pub kind: DocumentKind,
    /// `SPEC-005`, `ADR-008`, …
    pub reference: Option<String>,
    /// Never empty.
    pub title: String,
    /// In lower case; empty if the file says nothing.
    pub status: String,
    /// A JSON object.
    pub front_matter: Value,
    /// In the order of the text; empty if there is nothing but headings.
    pub chunks: Vec<Chunk>,
    /// Terms of a glossary.
    pub terms: Vec<Term>,
    /// Components of an architecture file.
    pub components: Vec<Component>,
    /// Parts that were left out, in the order of their lines.
    pub failures: Vec<IngestFailure>,
}

/// Parses one file, and divides it by the tokens of the model that will embed it.
///
/// The path decides the format. Plain text is read as Markdown without front matter. An HTML page becomes Markdown first, and the places of
/// its chunks are those in that Markdown.
///
/// Refused, with the line if there is one: a path that leads outside or has another ending than [`check_path`] allows, more than 10 MB,
/// bytes that are not UTF-8, a file without any text, a page whose text would be incomplete, lists and quotes that nest too deep, and front
/// matter with faults. Large files take seconds of computing.
pub fn parse(path: &str, bytes: &[u8], tokens: &dyn Tokens) -> Result<Parsed, IngestFailure> {
    read(path, bytes, tokens).map_err(|fault| fault.of(path))
}

fn read(path: &str, bytes: &[u8], tokens: &dyn Tokens) -> Result<Parsed, Fault> {
    check_path(path).map_err(|problem| Fault { line: None, reason: format!("the path {problem}") })?;
    let (file, format) = (text(bytes)?, Format::of(path));
    let file = match format {
        // Markup may have divided a secret, so that nobody recognised it in the file.
        Some(Format::Html) => Cow::Owned(guard::without_secrets(page::to_markdown(file)?)),
        _ => Cow::Borrowed(file),
    };
    let front = match format {
        Some(Format::Markdown) => front_matter::front_matter(&file)?,
        _ => FrontMatter { body: file.len() - file.trim_start_matches('\u{feff}').len(), line: 1, ..FrontMatter::default() },
    };
    let body = &file[front.body..];
    blocks::check_nesting(body, front.line)?;
    let blocks = blocks::blocks(body, front.line);
    let kind = classify::kind_of(path, &front.fields);
    let (terms, mut faults) = if kind == DocumentKind::Glossary { glossary::glossary(&blocks) } else { Default::default() };
    let (components, more) = if kind == DocumentKind::Architecture { topology::topology(&blocks) } else { Default::default() };
    faults.extend(more);
    faults.sort_by_key(|fault| fault.line);
    if faults.len() > FAILURES_MAX {
        let more = faults.split_off(FAILURES_MAX - 1).len();
        faults.push(Fault { line: None, reason: format!("{more} more parts were left out") });
    }
    let reference = classify::reference(path, kind, &front.fields);
    let title = classify::title(path, kind, &front.fields, &blocks);
    Ok(Parsed {
        kind,
        status: classify::status(&front.fields, &blocks),
        chunks: chunks::chunks(body, front.body, reference.as_deref(), &title, tokens),
        reference,
        title,
        terms,
        components,
        failures: faults.into_iter().map(|fault| fault.of(path)).collect(),
        front_matter: Value::Object(front.fields),
    })
}

fn text(bytes: &[u8]) -> Result<&str, Fault> {
    let whole = |reason: String| Fault { line: None, reason };
    if bytes.len() > FILE_MAX {
        return Err(whole(format!("the file has {} bytes; the limit is 10 MB ({FILE_MAX} bytes)", bytes.len())));
    }
    if bytes.contains(&0) {
        return Err(whole("the file is binary: it holds NUL bytes".to_owned()));
    }
    let file = std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        Fault::new(before.split(|byte| *byte == b'\n').count(), format!("the file is not UTF-8 at byte {}", before.len()))
    })?;
    if file.trim_start_matches('\u{feff}').trim().is_empty() {
        return Err(whole("the file is empty".to_owned()));
    }
    Ok(file)
}

/// What is wrong with a file or a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// 1 for the first line of the file; absent if it is about the whole file.
    line: Option<usize>,
    reason: String,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.reason),
            None => f.write_str(&self.reason),
        }
    }
}

impl Fault {
    fn new(line: usize, reason: impl Into<String>) -> Self {
        Self { line: Some(line), reason: reason.into() }
    }

    fn of(self, path: &str) -> IngestFailure {
        IngestFailure { path: path.to_owned(), line: self.line.and_then(|line| i64::try_from(line).ok()), reason: self.reason }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use words::steps;
    use words::tokens::Estimate;

    fn parse(path: &str, bytes: &[u8]) -> Result<Parsed, IngestFailure> {
        super::parse(path, bytes, &Estimate)
    }

    /// Reads a file of the demo's handbook, or one of the broken ones.
    fn fixture(path: &str) -> (Vec<u8>, Result<Parsed, IngestFailure>) {
        let folder = if path.starts_with("broken/") { "tests/it" } else { "server/demo/src/knowledge" };
        let bytes = std::fs::read(format!("{}/../../{folder}/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let parsed = parse(path, &bytes);
        (bytes, parsed)
    }

    #[test]
    fn documents_say_what_they_are() {
        use DocumentKind::{Adr, Architecture, Document, Glossary, Spec};
        let cases = [
            ("docs/specs/approved/SPEC-001-agent-memory.md", Spec, Some("SPEC-001"), "Private memory of an agent", "approved", 5),
            ("docs/specs/approved/SPEC-002-shared-knowledge.md", Spec, Some("SPEC-002"), "Shared knowledge", "approved", 5),
            ("docs/specs/approved/SPEC-003-vocabulary.md", Spec, Some("SPEC-003"), "One vocabulary for all agents", "approved", 5),
            (".context/decisions/ADR-001-record-decisions.md", Adr, Some("ADR-001"), "Record decisions where the code is", "accepted", 3),
            (".context/decisions/ADR-003-one-queue.md", Adr, Some("ADR-003"), "One queue for all background work", "accepted", 5),
            (
                ".context/decisions/ADR-004-graph-database.md",
                Adr,
                Some("ADR-004"),
                "A graph database for the knowledge graph",
                "superseded",
                3,
            ),
            ("ARCHITECTURE.md", Architecture, None, "Architecture of the Acme platform", "current", 5),
            ("GLOSSARY.md", Glossary, None, "Words of Acme", "current", 5),
            ("docs/onboarding.md", Document, None, "Your first week", "", 5),
        ];
        for (path, kind, reference, title, status, chunks) in cases {
            let (bytes, parsed) = fixture(path);
            let parsed = parsed.unwrap();
            let found = (parsed.kind, parsed.reference.as_deref(), parsed.title.as_str(), parsed.status.as_str(), parsed.chunks.len());
            assert_eq!(found, (kind, reference, title, status, chunks), "{path}");
            assert_eq!(parsed.failures, [], "{path}");
            for chunk in parsed.chunks {
                assert_eq!(chunk.content.as_bytes(), &bytes[chunk.start_byte..chunk.end_byte]);
            }
        }
    }

    #[test]
    fn a_decision_is_found_by_its_headings() {
        let parsed = fixture(".context/decisions/ADR-005-postgres-jsonb-for-the-knowledge-graph.md").1.unwrap();
        let last = parsed.chunks.last().unwrap();
        assert_eq!(last.heading_path, ["ADR-005: PostgreSQL JSONB for the knowledge graph store", "Consequences"]);
        assert!(last.content.starts_with("- A change to a service"));
        assert_eq!(parsed.front_matter["date"], "2026-02-11");
    }

    #[test]
    fn a_restored_file_is_the_same_document() {
        let path = ".context/decisions/ADR-005-postgres-jsonb-for-the-knowledge-graph.md";
        let parsed = fixture(path).1.unwrap();
        assert!(parsed.chunks.len() > 2 && !parsed.front_matter.as_object().unwrap().is_empty(), "{parsed:?}");
        let parts = parsed.chunks.iter().map(|chunk| (chunk.heading_path.as_slice(), chunk.content.as_str()));
        let again = parse(path, restore(&parsed.front_matter, parts).as_bytes()).unwrap();
        let texts =
            |parsed: &Parsed| -> Vec<_> { parsed.chunks.iter().map(|chunk| (chunk.heading_path.clone(), chunk.content.clone())).collect() };
        assert_eq!(texts(&again), texts(&parsed));
        let facts = |parsed: Parsed| (parsed.kind, parsed.reference, parsed.title, parsed.status, parsed.front_matter);
        assert_eq!(facts(again), facts(parsed));
    }

    #[test]
    fn a_glossary_gives_terms() {
        let terms = fixture("GLOSSARY.md").1.unwrap().terms;
        let found: Vec<_> = terms
            .iter()
            .map(|term| (term.line, term.term.as_str(), term.aliases.join("|"), term.category.as_deref().unwrap_or_default()))
            .collect();
        let expected = [
            (11, "Account", "customer account|billing account", ""),
            (17, "Managed infrastructure", "managed hosting|infra|managed infra", "Platform"),
            (26, "On-call", "pager duty|duty engineer", "People"),
            (27, "Steward", "vocabulary steward", "People"),
            (34, "Knowledge graph", "service graph", "Platform"),
            (35, "Ledger database", "ledger-db|money db", "Storage"),
            (36, "JSONB", "", "Storage"),
        ];
        assert_eq!(found, expected.map(|(line, term, aliases, category)| (line, term, aliases.to_owned(), category)));
        assert_eq!(terms[2].definition, "the person who answers alarms this week.");
    }

    #[test]
    fn an_architecture_file_gives_components() {
        let components = fixture("ARCHITECTURE.md").1.unwrap().components;
        let found: Vec<_> = components.iter().map(|found| (found.name.as_str(), found.depends_on.join("|"))).collect();
        let expected = [
            ("Gateway", "Identity|Ledger"),
            ("Identity", "PostgreSQL"),
            ("Ledger", "ledger-db|Job queue"),
            ("ledger-db", ""),
            ("Job queue", "Mail relay|Reports"),
            ("PostgreSQL", ""),
            ("Knowledge graph", "PostgreSQL"),
            ("atlas", "Gateway|Knowledge graph"),
            ("binky", "Gateway|Memory"),
            ("Memory", "PostgreSQL|Job queue"),
            ("Mail relay", ""),
            ("Reports", ""),
        ];
        assert_eq!(found, expected.map(|(name, needs)| (name, needs.to_owned())));
        assert_eq!(components[7].description, "the agent of the platform team.");
        assert_eq!(components[9].description, "Stores what each agent was told, apart from all others, as SPEC-001 asks for.");
    }

    #[test]
    fn broken_files_are_refused_with_a_reason() {
        let cases = [
            ("broken/not-yaml.md", Some(5), "the front matter is not valid YAML"),
            ("broken/unterminated.md", Some(1), "no line --- ends it"),
            ("broken/picture.md", None, "binary"),
            ("broken/empty.md", None, "the file is empty"),
        ];
        for (path, line, reason) in cases {
            let failure = fixture(path).1.unwrap_err();
            assert!(failure.path == path && failure.line == line && failure.reason.contains(reason), "{failure:?}");
        }
        let cases: [(&str, &[u8], Option<i64>, &str); 4] = [
            ("a/../b.md", b"x", None, "the path has a segment that is empty, . or .."),
            ("a.md", b"x\ny\xff", Some(2), "the file is not UTF-8 at byte 3"),
            ("a.md", &vec![b'a'; FILE_MAX + 1], None, "the file has 10485761 bytes; the limit is 10 MB (10485760 bytes)"),
            ("a.md", "\u{feff} \n".as_bytes(), None, "the file is empty"),
        ];
        for (path, bytes, line, reason) in cases {
            assert_eq!(parse(path, bytes), Err(IngestFailure { path: path.into(), line, reason: reason.into() }));
        }
    }

    #[test]
    fn the_ending_decides_how_a_file_is_read() {
        let read = |path: &str, text: &str| parse(path, text.as_bytes()).map_err(|failure| failure.reason);
        let front = "\u{feff}---\ntitle: [unclosed\n---\n\nIt is <b>green</b>.";
        assert!(read("a.md", front).unwrap_err().contains("not valid YAML"));
        let plain = read("a.txt", front).unwrap();
        assert!(plain.front_matter.as_object().unwrap().is_empty(), "{plain:?}");
        assert_eq!(plain.chunks.last().unwrap().content, "It is <b>green</b>.");
        let page = read("docs/adr/ADR-007-tea.HTML", "<title>Tea</title><h1>Green tea</h1><p>It is <b>green</b>.</p>").unwrap();
        assert_eq!((page.kind, page.reference.as_deref(), page.title.as_str()), (DocumentKind::Adr, Some("ADR-007"), "Green tea"));
        assert_eq!((page.chunks.len(), page.chunks[0].content.as_str()), (1, "It is green."));
        assert_eq!(read("a.htm", "<script>let a").unwrap_err(), "the element <script> is never closed, so the text behind it is missing");
        assert_eq!(read("a.pdf", "%PDF").unwrap_err(), "the path ends in .pdf, and PDF cannot be read: save it as HTML or text");
    }

    /// The key as a page shows it, in two colours.
    #[test]
    fn a_secret_that_markup_divides_is_removed() {
        let (half, rest) = (format!("gh{}_a1B2c3D4e5F6", "p"), "g7H8i9J0k1L2m3N4o5P6q7R8");
        let page = format!("<p>The key is {half}<b>{rest}</b>.</p>");
        let chunk = parse("a.html", page.as_bytes()).unwrap().chunks.remove(0).content;
        assert!(chunk.starts_with("The key is [secret removed") && !chunk.contains(rest), "{chunk}");
    }

    /// Files for which a search from each mark to the end would take minutes.
    #[test]
    fn every_file_is_read_in_linear_time() {
        let many = |text: &str| text.repeat(100_000 / text.len());
        for piece in ["[", "![a", "*a_", "<!--", "[a]: x\n", "| a ", "(also x ", "**a** — ", ". also", "a, "] {
            parse("GLOSSARY.md", format!("## A\n\n{}\n", many(piece)).as_bytes()).unwrap();
            parse("ARCHITECTURE.md", format!("## Components\n\n- b: depends on {}\n", many(piece)).as_bytes()).unwrap();
        }
        for piece in ["<p>b", "<li>- b", "<td>b<tr>", "<table><tr><td>b", "<pre>`b", "&amp;", "<a b=c ", "<!--b", "<svg>"] {
            parse("a.html", format!("a{}{}", many(piece), "</svg>".repeat(20_000)).as_bytes()).unwrap();
        }
        let aliases: String = (0..60_000).map(|n| format!("n{n}, ")).collect();
        let parsed = parse("GLOSSARY.md", format!("## A\n\nx\n\nAliases: {aliases}\n").as_bytes()).unwrap();
        assert_eq!(parsed.terms[0].aliases.len(), 60_000);
    }

    /// A piece is repeated up to 32 and 128 kB, so that the splitter divides more than one of its own pieces.
    #[test]
    fn four_times_the_text_is_read_in_four_times_the_steps() {
        let many = |piece: &str, times: usize| piece.repeat(32 * times / piece.len());
        for piece in [
            "1 2.5 -3, ",
            "rope ",
            "not never ",
            "[[(",
            "](",
            "![",
            "<a",
            "`",
            "```\n",
            "~~~ x\n\n",
            "x",
            "> a\n",
            "- a\n  - b\n",
            "a (also b",
            "\n## a\n\nb\n",
            "\n# a\n\n###### b\n",
            "| a ",
            "[a]: b\n",
            "[^a]: b\n\n",
            ". Also: a",
        ] {
            steps::assert_linear_in(piece, |times| {
                parse("GLOSSARY.md", format!("# A\n\n{}\n", many(piece, times)).as_bytes()).unwrap();
            });
        }
        for (what, before, piece) in [
            ("an open code block", "```mermaid\ngraph TD\n", "a[b] --> c{d}\n"),
            ("brackets in a chart", "```mermaid\ngraph TD\n", "a[[((\n"),
            ("one row", "## Components\n\n| Component | Depends on |\n|---|---|\n| a | ", "b, (c"),
            ("many rows", "| Component | Depends on |\n|---|---|\n", "| a | b |\n"),
            ("many cells", "| Component |\n|---|\n", "| a "),
            ("one item", "## Components\n\n- a: ", "depends on b. "),
            ("many items", "## Components\n\n", "- a: b depends on c\n"),
        ] {
            steps::assert_linear_in(what, |times| {
                parse("ARCHITECTURE.md", format!("{before}{}", many(piece, times)).as_bytes()).unwrap();
            });
        }
    }

    #[test]
    fn lists_and_quotes_have_a_depth() {
        let deep = |piece: &str, depth: usize| format!("# A\n\n{}a\n{}", piece.repeat(depth), "\n".repeat(100_000));
        for piece in ["- ", "> ", ">", "1. ", "+ - "] {
            let failure = parse("a.md", deep(piece, 150).as_bytes()).unwrap_err();
            assert_eq!((failure.line, failure.reason.as_str()), (Some(3), "lists and quotes nest deeper than 100"), "{piece}");
            assert!(parse("a.md", deep(piece, 30).as_bytes()).is_ok(), "{piece}");
        }
        assert!(parse("a.md", format!("a\n{}- b\n", " ".repeat(300)).as_bytes()).is_err());
        for harmless in ["- ".repeat(100), "-".repeat(300), "* ".repeat(100), format!("a\n{}b", " ".repeat(300))] {
            assert!(parse("a.md", harmless.as_bytes()).is_ok(), "{harmless}");
        }
    }

    #[test]
    fn parts_that_are_wrong_are_named_and_left_out() {
        let parsed = parse("GLOSSARY.md", b"---\na: 1\n---\n## A\n\nx\n\n## a\n\ny\n").unwrap();
        assert_eq!((parsed.terms.len(), parsed.chunks.len()), (1, 2));
        let reason = "the term \"a\" is defined in line 4 already".to_owned();
        assert_eq!(parsed.failures, [IngestFailure { path: "GLOSSARY.md".into(), line: Some(8), reason }]);
        let failures = parse("GLOSSARY.md", "## a\n\nx\n\n".repeat(200).as_bytes()).unwrap().failures;
        assert_eq!((failures.len(), failures[99].reason.as_str()), (100, "100 more parts were left out"));
        assert!(parse("notes.md", b"## A\n\nx\n").unwrap().terms.is_empty());
    }
}

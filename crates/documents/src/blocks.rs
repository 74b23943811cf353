//! Markdown as a flat list of blocks, each with the line it begins on: the input of the parsers for glossaries and architecture files.

use super::Fault;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use words::steps;

/// Extensions of CommonMark that are read. They are the same everywhere, so that all parsers see the same headings.
pub(crate) const OPTIONS: Options =
    Options::ENABLE_TABLES.union(Options::ENABLE_FOOTNOTES).union(Options::ENABLE_STRIKETHROUGH).union(Options::ENABLE_TASKLISTS);

/// How deep lists and quotes may nest.
const NESTING_MAX: usize = 100;

/// A block and the line it begins on, 1 for the first of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub line: usize,
    pub kind: BlockKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Level 1 to 6.
    Heading {
        level: u8,
        text: String,
    },
    /// A paragraph, or the text of a list item; at least one line.
    Prose {
        place: Place,
        lines: Vec<Line>,
    },
    /// The cells of the header and of each row, as text.
    Table {
        header: Vec<String>,
        rows: Vec<Row>,
    },
    Code {
        language: String,
        text: String,
    },
}

/// Where a block of prose is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Paragraph,
    /// The first text of a list item; 1 for the outermost list.
    Item(usize),
    /// A further paragraph of a list item.
    Further(usize),
}

/// A line of prose without its markup.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    pub line: usize,
    pub text: String,
    /// How many bytes of the text, from its beginning, are set in bold or as code; 0 if it begins plain.
    pub lead: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub line: usize,
    pub cells: Vec<String>,
}

/// Refuses a body in which a line opens too many lists and quotes: an empty line continues all that are open, so that the time to read them
/// is the product of depth and lines.
pub(super) fn check_nesting(body: &str, first_line: usize) -> Result<(), Fault> {
    let deep = |line: &str| nesting(line) > NESTING_MAX;
    match body.lines().position(deep) {
        Some(at) => Err(Fault::new(first_line + at, format!("lists and quotes nest deeper than {NESTING_MAX}"))),
        None => Ok(()),
    }
}

/// How many lists and quotes a line is in, at most: each level of the lists above it indents it by two columns or more.
fn nesting(line: &str) -> usize {
    let (mut levels, mut blanks, mut rest) = (0_usize, 0_usize, line);
    while let Some(first) = rest.chars().next() {
        steps::looked_at(1);
        let digits = rest.bytes().take(10).take_while(u8::is_ascii_digit).count();
        let mark = match first {
            ' ' | '\t' => 0,
            '>' => 1,
            '-' | '+' | '*' => 1,
            '0'..='9' if rest[digits..].starts_with(['.', ')']) => digits + 1,
            _ => break,
        };
        // A list needs a blank after its mark.
        if mark > 0 && first != '>' && !rest[mark..].starts_with([' ', '\t']) {
            break;
        }
        match (mark, first) {
            (0, '\t') => blanks += 4,
            (0, _) => blanks += 1,
            _ => levels += 1,
        }
        rest = &rest[mark.max(1)..];
    }
    // A line of one mark and blanks is a rule, and one that only blanks precede is the text of a code block at most.
    let is_rule = |mark: char| line.chars().inspect(|_| steps::looked_at(1)).all(|c| c == mark || c.is_whitespace());
    if levels == 0 || ['-', '*'].into_iter().any(is_rule) { 0 } else { levels + blanks.saturating_sub(levels) / 2 }
}

/// The blocks of a body that begins on the line `first_line` of its file.
pub fn blocks(body: &str, first_line: usize) -> Vec<Block> {
    let newlines: Vec<usize> = body.bytes().enumerate().filter_map(|(at, byte)| (byte == b'\n').then_some(at)).collect();
    let mut reader = Reader::default();
    for (event, range) in Parser::new_ext(body, OPTIONS).into_offset_iter() {
        // The range of an end event is its whole element, so this is the line on which the element begins.
        reader.line = newlines.partition_point(|newline| *newline < range.start) + first_line;
        reader.read(event);
    }
    reader.blocks
}

/// The words of prose in one line.
pub fn joined(lines: &[Line]) -> String {
    lines
        .iter()
        .inspect(|line| steps::looked_at(line.text.len()))
        .map(|line| line.text.trim())
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    /// The line of the event that is being read.
    line: usize,
    /// The prose being read; what is in headings, cells and code goes through here, too.
    lines: Vec<Line>,
    /// How deep in bold text.
    strong: usize,
    /// For each list around: whether its item has had its first text.
    items: Vec<bool>,
    header: Vec<String>,
    rows: Vec<Row>,
    /// Language of the code block being read.
    language: String,
}

impl Reader {
    fn read(&mut self, event: Event) {
        steps::looked_at(1);
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.push(&text, self.strong > 0),
            Event::Code(text) => self.push(&text, true),
            Event::InlineHtml(html) if html.starts_with("<br") => self.new_line(),
            Event::SoftBreak | Event::HardBreak => self.new_line(),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag) {
        match tag {
            Tag::List(_) => {
                self.flush();
                self.items.push(false);
            }
            Tag::Item => {
                if let Some(had) = self.items.last_mut() {
                    *had = false;
                }
            }
            Tag::Strong => self.strong += 1,
            Tag::CodeBlock(kind) => {
                self.flush();
                self.language = match kind {
                    CodeBlockKind::Fenced(info) => info.split_whitespace().next().unwrap_or_default().to_lowercase(),
                    CodeBlockKind::Indented => String::new(),
                };
            }
            Tag::Table(_) => {
                self.flush();
                self.header.clear();
                self.rows.clear();
            }
            Tag::TableRow => self.rows.push(Row { line: self.line, cells: Vec::new() }),
            Tag::Heading { .. } | Tag::Paragraph | Tag::BlockQuote(_) | Tag::HtmlBlock => self.flush(),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(level) => {
                let text = joined(&std::mem::take(&mut self.lines));
                self.blocks.push(Block { line: self.line, kind: BlockKind::Heading { level: level as u8, text } });
            }
            TagEnd::List(_) => {
                self.flush();
                self.items.pop();
            }
            TagEnd::Strong => self.strong = self.strong.saturating_sub(1),
            TagEnd::CodeBlock => {
                let text = std::mem::take(&mut self.lines).into_iter().map(|line| line.text).collect();
                let language = std::mem::take(&mut self.language);
                self.blocks.push(Block { line: self.line, kind: BlockKind::Code { language, text } });
            }
            TagEnd::TableCell => {
                let cell = joined(&std::mem::take(&mut self.lines));
                self.rows.last_mut().map_or(&mut self.header, |row| &mut row.cells).push(cell);
            }
            TagEnd::Table => {
                let (header, rows) = (std::mem::take(&mut self.header), std::mem::take(&mut self.rows));
                self.blocks.push(Block { line: self.line, kind: BlockKind::Table { header, rows } });
            }
            TagEnd::Paragraph | TagEnd::Item | TagEnd::BlockQuote(_) | TagEnd::FootnoteDefinition => self.flush(),
            _ => {}
        }
    }

    fn push(&mut self, text: &str, marked: bool) {
        steps::looked_at(text.len());
        if self.lines.is_empty() {
            self.new_line();
        }
        if let Some(line) = self.lines.last_mut() {
            if marked && line.lead == line.text.len() {
                line.lead += text.len();
            }
            line.text.push_str(text);
        }
    }

    fn new_line(&mut self) {
        // The event of a line break belongs to the line that it ends.
        let line = self.line + usize::from(!self.lines.is_empty());
        self.lines.push(Line { line, ..Line::default() });
    }

    /// Ends the prose that is being read.
    fn flush(&mut self) {
        let lines = std::mem::take(&mut self.lines);
        if lines.iter().all(|line| line.text.trim().is_empty()) {
            return;
        }
        let depth = self.items.len();
        let place = match self.items.last_mut() {
            None => Place::Paragraph,
            Some(true) => Place::Further(depth),
            Some(had) => {
                *had = true;
                Place::Item(depth)
            }
        };
        let line = lines.first().map_or(self.line, |line| line.line);
        self.blocks.push(Block { line, kind: BlockKind::Prose { place, lines } });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn prose(line: usize, place: Place, lines: &[(usize, &str, usize)]) -> Block {
        let lines = lines.iter().map(|&(line, text, lead)| Line { line, text: text.into(), lead }).collect();
        Block { line, kind: BlockKind::Prose { place, lines } }
    }

    #[test]
    fn markdown_is_flattened_and_keeps_its_lines() {
        let file = "---\na: 1\n---\n# Head *line*\n\n**Term**: one\n`two` three\n\n- **item** x\n  - inner\n\n  more\n\n| A | B |\n\
            |---|---|\n| `c` | d \\| e |\n\n```Mermaid x\ngraph TD\nA-->B\n```\n";
        let heading = Block { line: 4, kind: BlockKind::Heading { level: 1, text: "Head line".into() } };
        let rows = vec![Row { line: 16, cells: vec!["c".into(), "d | e".into()] }];
        let expected = [
            heading,
            prose(6, Place::Paragraph, &[(6, "Term: one", 4), (7, "two three", 3)]),
            prose(9, Place::Item(1), &[(9, "item x", 4)]),
            prose(10, Place::Item(2), &[(10, "inner", 0)]),
            prose(12, Place::Further(1), &[(12, "more", 0)]),
            Block { line: 14, kind: BlockKind::Table { header: vec!["A".into(), "B".into()], rows } },
            Block { line: 18, kind: BlockKind::Code { language: "mermaid".into(), text: "graph TD\nA-->B\n".into() } },
        ];
        assert_eq!(blocks(&file[13..], 4), expected);
    }

    proptest! {
        #[test]
        fn no_text_breaks_the_reader(file in "[-#*|`> a\\n:]{0,120}") {
            let last = file.lines().count() + 1;
            for block in blocks(&file, 1) {
                prop_assert!((1..=last).contains(&block.line));
            }
        }
    }
}

//! Sections of Markdown, cut into parts that are found, embedded and cited as a whole.

use super::blocks::OPTIONS;
use super::classify::cut;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use std::ops::Range;
use text_splitter::MarkdownSplitter;

/// Longest chunk, in characters: what a small embedding model reads whole.
pub const CHUNK_MAX: usize = 1_200;
/// How many bytes of a section are split at once: the splitter takes more than twice as long for twice as much.
const PIECE_MAX: usize = 16 * 1024;
/// Longest heading in a path, in characters; a longer one is cut.
const HEADING_MAX: usize = 256;

/// A part of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The headings above it, outermost first, without their markup.
    pub heading_path: Vec<String>,
    /// `file[start_byte..end_byte]`, with no white space around it.
    pub content: String,
    pub start_byte: usize,
    pub end_byte: usize,
}

/// The chunks of a body that begins at byte `offset` of its file, in the order of the text.
///
/// Each section is a chunk, and a long one several of at most [`CHUNK_MAX`] characters, split where Markdown allows. Together they hold all
/// that is not a heading or blank. A section with nothing but its heading gives none; headings inside lists and quotes begin no section.
pub fn chunks(body: &str, offset: usize) -> Vec<Chunk> {
    let splitter = MarkdownSplitter::new(CHUNK_MAX);
    let mut chunks = Vec::new();
    for section in sections(body) {
        let mut start = offset + section.range.start;
        let mut rest = &body[section.range.clone()];
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(piece_end(rest));
            let blank = piece.len() - piece.trim_start().len();
            for (at, part) in splitter.chunk_indices(piece.trim()) {
                let start_byte = start + blank + at + (part.len() - part.trim_start().len());
                let content = part.trim().to_owned();
                if !content.is_empty() {
                    chunks.push(Chunk { heading_path: section.path.clone(), end_byte: start_byte + content.len(), content, start_byte });
                }
            }
            start += piece.len();
            rest = after;
        }
    }
    chunks
}

/// Where to end a piece: after the last paragraph that fits, else after the last line, else the last word.
fn piece_end(text: &str) -> usize {
    if text.len() <= PIECE_MAX {
        return text.len();
    }
    let end = text.floor_char_boundary(PIECE_MAX);
    let window = &text[..end];
    ["\n\n", "\n", " "].into_iter().find_map(|gap| window.rfind(gap).map(|at| at + gap.len())).unwrap_or(end)
}

/// The text between two headings.
struct Section {
    path: Vec<String>,
    range: Range<usize>,
}

fn sections(body: &str) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut above: Vec<(u8, String)> = Vec::new();
    let mut start = 0;
    // Containers around; a heading inside one is part of its section.
    let mut depth = 0_usize;
    let mut heading: Option<String> = None;
    for (event, range) in Parser::new_ext(body, OPTIONS).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                sections.push(Section { path: path(&above), range: start..range.start });
                above.retain(|(outer, _)| *outer < level as u8);
                heading = Some(String::new());
            }
            Event::End(TagEnd::Heading(level)) if depth == 0 => {
                above.push((level as u8, cut(&heading.take().unwrap_or_default(), HEADING_MAX)));
                start = range.end;
            }
            Event::Start(Tag::BlockQuote(_) | Tag::List(_) | Tag::FootnoteDefinition(_)) => depth += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::FootnoteDefinition) => depth = depth.saturating_sub(1),
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(heading) = &mut heading {
                    heading.push(' ');
                }
            }
            _ => {}
        }
    }
    sections.push(Section { path: path(&above), range: start..body.len() });
    sections
}

fn path(above: &[(u8, String)]) -> Vec<String> {
    above.iter().map(|(_, text)| text.clone()).filter(|text| !text.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sections_become_chunks_under_their_headings() {
        let body = "intro\n\n# A\n\n## B `x`\n\ntext\n\n```sh\n# not a heading\n```\n\nC\n---\n\n> # quoted\n\n#### D\n\ndeep\n\n## E\n";
        let file = format!("---\na: 1\n---\n{body}");
        let found: Vec<_> = chunks(body, 13).into_iter().map(|chunk| (chunk.heading_path.join(" > "), chunk.content)).collect();
        let expected = [("", "intro"), ("A > B x", "text\n\n```sh\n# not a heading\n```"), ("A > C", "> # quoted"), ("A > C > D", "deep")];
        assert_eq!(found, expected.map(|(path, content)| (path.to_owned(), content.to_owned())));
        for chunk in chunks(body, 13) {
            assert_eq!(chunk.content, file[chunk.start_byte..chunk.end_byte]);
        }
        assert!(chunks("", 0).is_empty() && chunks("# A\n\n \n## B", 0).is_empty());
    }

    #[test]
    fn long_sections_are_split_between_paragraphs() {
        let paragraph = "Vera prefers short words. ".repeat(30);
        let body = format!("# A\n\n{paragraph}\n\n{paragraph}\n\n{paragraph}");
        let chunks = chunks(&body, 0);
        assert_eq!(chunks.len(), 3);
        assert!(chunks.iter().all(|chunk| chunk.content == paragraph.trim() && chunk.heading_path == ["A"]));
    }

    #[test]
    fn a_word_without_end_is_split_too() {
        let chunks = chunks(&"é".repeat(20_000), 0);
        assert!(chunks.len() >= 17 && chunks.iter().all(|chunk| chunk.content.chars().count() <= CHUNK_MAX));
    }

    #[test]
    fn a_section_without_end_is_whole_in_its_pieces() {
        let body = format!("# A\n{}", "Idris changes nothing by hand.\n\n".repeat(1_500));
        let chunks = chunks(&body, 0);
        assert_eq!(chunks.iter().map(|chunk| chunk.content.matches("Idris").count()).sum::<usize>(), 1_500);
        assert!(chunks.is_sorted_by(|a, b| a.end_byte <= b.start_byte) && chunks.iter().all(|chunk| chunk.content.ends_with("hand.")));
        assert_eq!(piece_end(&"a".repeat(PIECE_MAX + 1)), PIECE_MAX);
        assert_eq!(piece_end(&"é ".repeat(PIECE_MAX)), PIECE_MAX - 1);
    }

    fn markdown() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("# A\n".to_owned()),
            Just("\n### B\n\n".to_owned()),
            Just("T\n===\n".to_owned()),
            Just("```\n# no\n".to_owned()),
            Just("> # q\n".to_owned()),
            Just("- # i\n  ".to_owned()),
            Just("| a | b |\n|---|---|\n| c | d |\n".to_owned()),
            Just("---\n".to_owned()),
            Just("\n\n".to_owned()),
            Just("\r\n\t ".to_owned()),
            Just("word ".repeat(400)),
            "\\PC{0,30}",
            "[\\PC\\n]{0,30}",
        ];
        prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn chunks_are_all_that_is_not_a_heading(body in markdown()) {
            let file = format!("---\n---\n{body}");
            let mut rest = Vec::new();
            let mut at = 8;
            for chunk in chunks(&body, 8) {
                prop_assert_eq!(file.get(chunk.start_byte..chunk.end_byte), Some(chunk.content.as_str()));
                prop_assert!(chunk.start_byte >= at && !chunk.content.is_empty() && chunk.content.trim() == chunk.content);
                prop_assert!(chunk.content.chars().count() <= CHUNK_MAX);
                rest.push(at..chunk.start_byte);
                at = chunk.end_byte;
            }
            rest.push(at..file.len());
            let headings: Vec<Range<usize>> = Parser::new_ext(&body, OPTIONS)
                .into_offset_iter()
                .filter(|(event, _)| matches!(event, Event::Start(Tag::Heading { .. })))
                .map(|(_, range)| range.start + 8..range.end + 8)
                .collect();
            for (byte, c) in file.char_indices().skip(8).filter(|(_, c)| !c.is_whitespace()) {
                let outside = rest.iter().any(|range| range.contains(&byte));
                prop_assert!(!outside || headings.iter().any(|range| range.contains(&byte)), "{:?} at {} is in no chunk", c, byte);
            }
        }
    }
}

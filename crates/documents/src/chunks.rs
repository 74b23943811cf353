//! Divides sections of Markdown into chunks, which are found, embedded and cited as a whole.

use super::blocks::OPTIONS;
use super::classify::cut;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use std::ops::Range;
use text_splitter::{ChunkConfig, ChunkSizer, MarkdownSplitter};
use words::steps;
use words::tokens::Tokens;

/// The version of the rules that divide documents. Raise it with the rules: the next ingestion of each document divides it again.
pub const CHUNKING: u32 = 2;
/// Longest chunk, in characters. A chunk with few tokens can be long, and a citation should be short.
pub const CHUNK_MAX: usize = 1_200;
/// Longest chunk with its reference, title and headings, in tokens, even if the model reads more.
const TOKENS_MAX: usize = 256;
/// How many bytes of a section are split at once: the splitter needs more than twice the time for twice the text.
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

/// Reference, title and headings of a chunk in one line. A chunk means little without them.
pub fn above(reference: Option<&str>, title: &str, heading_path: &[String]) -> String {
    let headings = heading_path.iter().map(String::as_str).filter(|heading| *heading != title);
    reference.into_iter().chain([title]).chain(headings).collect::<Vec<_>>().join(" › ")
}

/// How many tokens of a chunk with its reference, title and headings are embedded.
fn limit(tokens: &dyn Tokens) -> usize {
    tokens.limit().min(TOKENS_MAX)
}

/// The part of reference, title and headings that is embedded with a chunk: at least half of the tokens are left for the chunk.
pub fn embedded_above<'a>(above: &'a str, tokens: &dyn Tokens) -> &'a str {
    let end = tokens.starts(above).get(limit(tokens) / 2).copied();
    above[..end.unwrap_or(above.len())].trim_end()
}

/// The chunks of a body that begins at byte `offset` of its file, in the order of the text.
///
/// Each section is a chunk; a long section becomes several, split where Markdown allows it. With the line above it a chunk is short enough
/// for the model to read it to its end, and it has at most [`CHUNK_MAX`] characters. Together the chunks hold everything except headings
/// and blanks. A section with nothing but its heading has no chunk; headings inside lists and quotes begin no section.
pub fn chunks(body: &str, offset: usize, reference: Option<&str>, title: &str, tokens: &dyn Tokens) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    for section in sections(body) {
        let over = above(reference, title, &section.path);
        let most = limit(tokens).saturating_sub(tokens.count(embedded_above(&over, tokens))).max(1);
        let mut start = offset + section.range.start;
        let mut rest = &body[section.range.clone()];
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(piece_end(rest));
            let blank = piece.len() - piece.trim_start().len();
            for (at, part) in split(piece.trim(), most, tokens) {
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

/// Parts of a piece with at most `most` tokens each, and their places.
fn split<'a>(piece: &'a str, most: usize, tokens: &dyn Tokens) -> Vec<(usize, &'a str)> {
    let sizer = Places { piece, starts: tokens.starts(piece), tokens, most };
    let mut parts = Vec::new();
    for (at, part) in MarkdownSplitter::new(ChunkConfig::new(most).with_sizer(sizer)).chunk_indices(piece) {
        // Half a word has other tokens than the whole word.
        if splits_word(piece, at) || splits_word(piece, at + part.len()) {
            let sizer = Exactly { tokens, most };
            let shorter = MarkdownSplitter::new(ChunkConfig::new(most).with_sizer(sizer));
            parts.extend(shorter.chunk_indices(part).map(|(within, part)| (at + within, part)));
        } else {
            parts.push((at, part));
        }
    }
    parts
}

/// Whether a place is between two letters or digits.
fn splits_word(text: &str, at: usize) -> bool {
    let (before, after) = text.split_at(at);
    before.chars().next_back().is_some_and(char::is_alphanumeric) && after.chars().next().is_some_and(char::is_alphanumeric)
}

/// Counts the tokens of a part from their places in the piece, because the splitter asks for each text many times over.
struct Places<'a> {
    piece: &'a str,
    starts: Vec<usize>,
    tokens: &'a dyn Tokens,
    most: usize,
}

impl ChunkSizer for Places<'_> {
    fn size(&self, part: &str) -> usize {
        let tokens = match place(self.piece, part) {
            Some(place) => {
                let before = |end: usize| self.starts.partition_point(|start| *start < end);
                before(place.end) - before(place.start)
            }
            None => self.tokens.count(part),
        };
        size(part, tokens, self.most)
    }
}

/// Counts the tokens of a part by itself.
struct Exactly<'a> {
    tokens: &'a dyn Tokens,
    most: usize,
}

impl ChunkSizer for Exactly<'_> {
    fn size(&self, part: &str) -> usize {
        size(part, self.tokens.count(part), self.most)
    }
}

/// The tokens of a part; more if it has few tokens but many characters, so that [`CHUNK_MAX`] characters count as `most` tokens.
fn size(part: &str, tokens: usize, most: usize) -> usize {
    steps::looked_at(part.len());
    tokens.max((part.chars().count() * most).div_ceil(CHUNK_MAX))
}

/// Where a part is in the piece that it was cut out of.
fn place(piece: &str, part: &str) -> Option<Range<usize>> {
    let start = part.as_ptr().addr().checked_sub(piece.as_ptr().addr())?;
    let end = start + part.len();
    (end <= piece.len()).then_some(start..end)
}

/// Where to end a piece: after the last paragraph that fits, else after the last line, else the last word.
fn piece_end(text: &str) -> usize {
    if text.len() <= PIECE_MAX {
        return text.len();
    }
    let end = text.floor_char_boundary(PIECE_MAX);
    let window = &text[..end];
    steps::looked_at(window.len());
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
    // Depth of containers: a heading inside one is part of its section.
    let mut depth = 0_usize;
    let mut heading: Option<String> = None;
    for (event, range) in Parser::new_ext(body, OPTIONS).into_offset_iter() {
        steps::looked_at(1);
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
    above.iter().inspect(|_| steps::looked_at(1)).map(|(_, text)| text.clone()).filter(|text| !text.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use words::tokens::Estimate;

    /// Up to `.0` tokens: a word is one for every three letters, and one alone if it is longer than twenty; any other visible character is
    /// one.
    struct Thirds(usize);

    impl Tokens for Thirds {
        fn limit(&self) -> usize {
            self.0
        }

        fn starts(&self, text: &str) -> Vec<usize> {
            let mut starts = Vec::new();
            let mut rest = text;
            while let Some(first) = rest.chars().next() {
                let at = text.len() - rest.len();
                let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len()).max(first.len_utf8());
                let letters: Vec<usize> = rest[..end].char_indices().map(|(place, _)| at + place).collect();
                match letters.len() {
                    _ if first.is_whitespace() => {}
                    21.. => starts.push(at),
                    _ => starts.extend(letters.into_iter().step_by(3)),
                }
                rest = &rest[end..];
            }
            starts
        }
    }

    /// The chunks of a body whose file has no name of its own.
    fn chunks(body: &str, offset: usize) -> Vec<Chunk> {
        super::chunks(body, offset, None, "T", &Estimate)
    }

    fn embedded(chunk: &Chunk, title: &str, tokens: &dyn Tokens) -> usize {
        tokens.count(embedded_above(&above(None, title, &chunk.heading_path), tokens)) + tokens.count(&chunk.content)
    }

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
        let paragraph = "Vera prefers short words. ".repeat(25);
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

    #[test]
    fn every_chunk_is_read_to_its_end() {
        // Eight tokens in nine characters.
        let dense = "a=1; b=2;\n\n".repeat(400);
        let tokens = Thirds(64);
        for heading in ["# A\n\n", &format!("# A\n\n## {}\n\n", "long heading ".repeat(40))] {
            let chunks = super::chunks(&format!("{heading}{dense}"), 0, None, "T", &tokens);
            assert_eq!(chunks.iter().map(|chunk| chunk.content.matches("b=2").count()).sum::<usize>(), 400);
            let longest = chunks.iter().map(|chunk| embedded(chunk, "T", &tokens)).max().unwrap();
            assert!((56..=64).contains(&longest), "{longest}");
        }
        // A word of any length is one token.
        let word = format!("{}\n\n{}", "a b c d e f g h i j k l m n o p ".repeat(3), "z".repeat(2_500));
        let chunks = super::chunks(&word, 0, None, "T", &tokens);
        assert_eq!(chunks.iter().map(|chunk| chunk.content.matches('z').count()).sum::<usize>(), 2_500);
        assert!(chunks.iter().all(|chunk| embedded(chunk, "T", &tokens) <= 64 && chunk.content.chars().count() <= CHUNK_MAX));
    }

    #[test]
    fn what_stands_above_leaves_room() {
        let long = "heading ".repeat(200);
        let cut = embedded_above(&long, &Estimate);
        assert_eq!(Estimate.count(cut), TOKENS_MAX / 2);
        assert_eq!(embedded_above("ADR-005 › Title", &Estimate), "ADR-005 › Title");
        assert_eq!(above(Some("ADR-005"), "Title", &["Title".into(), "Consequences".into()]), "ADR-005 › Title › Consequences");
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
        fn chunks_are_all_that_is_not_a_heading(body in markdown(), limit in 8_usize..300) {
            let file = format!("---\n---\n{body}");
            let mut rest = Vec::new();
            let mut at = 8;
            let tokens = Thirds(limit);
            for chunk in super::chunks(&body, 8, None, "T", &tokens) {
                prop_assert!(embedded(&chunk, "T", &tokens) <= limit.max(1), "{:?}", chunk);
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

//! HTML pages as Markdown, as far as a document needs it: headings, paragraphs, lists, code and tables. How text looks is dropped, and of
//! links and images the text is kept. Pure, in one pass over the page.

use super::Fault;
use html5gum::{DefaultEmitter, Token, Tokenizer};
use std::borrow::Cow;

/// Elements whose text is no part of what the page says.
const SKIPPED: [&str; 8] = ["button", "iframe", "nav", "noscript", "script", "style", "svg", "template"];
/// Elements that begin and end a paragraph, besides headings, items, code and tables.
const BLOCKS: [&str; 33] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "br",
    "caption",
    "center",
    "dd",
    "details",
    "dialog",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "header",
    "hr",
    "html",
    "legend",
    "main",
    "ol",
    "option",
    "p",
    "section",
    "summary",
    "tbody",
    "tfoot",
    "thead",
    "ul",
];
/// Most cells of a row; a table with more lays out a page.
const CELLS_MAX: usize = 50;

/// The text of a page as Markdown. Lists are flat, and a table with one column or uneven rows becomes paragraphs.
///
/// Browsers read every page, so only two faults refuse one: an element that is left out and never closed, because the text behind it would be
/// missing, and a page without text.
pub fn to_markdown(page: &str) -> Result<String, Fault> {
    let mut emitter: DefaultEmitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let mut writer = Writer::default();
    for Ok(token) in Tokenizer::new_with_emitter(page.trim_start_matches('\u{feff}'), emitter) {
        match token {
            Token::StartTag(tag) => {
                writer.start(&String::from_utf8_lossy(&tag.name), tag.self_closing);
                if let Some(description) = tag.attributes.get(b"alt".as_slice()) {
                    writer.text(&format!(" {} ", String::from_utf8_lossy(description)));
                }
            }
            Token::EndTag(tag) => writer.end(&String::from_utf8_lossy(&tag.name)),
            Token::String(text) => writer.text(&String::from_utf8_lossy(&text)),
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
    }
    writer.finish()
}

/// What was read of a page.
#[derive(Default)]
struct Writer {
    /// The finished paragraphs, with an empty line between two.
    out: String,
    /// What precedes the current paragraph, such as `## `.
    prefix: String,
    /// The current paragraph, in one line.
    line: String,
    /// The element that is being left out, and how many of its kind are open.
    skipped: Option<(String, usize)>,
    title: String,
    in_title: bool,
    /// Whether the page has a heading of the first level.
    has_heading: bool,
    /// The text of the current `pre`.
    code: Option<String>,
    /// The finished rows of the current table.
    rows: Option<Vec<Vec<String>>>,
    cell: Option<String>,
}

impl Writer {
    fn start(&mut self, tag: &str, self_closing: bool) {
        if let Some((skipped, open)) = &mut self.skipped {
            *open += usize::from(skipped.as_str() == tag && !self_closing);
            return;
        }
        match tag {
            "svg" if self_closing => {}
            _ if SKIPPED.contains(&tag) => self.skipped = Some((tag.to_owned(), 1)),
            "br" if self.code.is_some() => self.text("\n"),
            _ if self.code.is_some() => {}
            "title" => {
                self.in_title = true;
                self.title.clear();
            }
            "pre" if self.cell.is_none() => {
                self.end_paragraph();
                self.code = Some(String::new());
            }
            "table" if self.rows.is_none() => {
                self.end_paragraph();
                self.rows = Some(Vec::new());
            }
            "tr" | "td" | "th" if self.rows.is_some() => self.start_in_table(tag),
            "li" => self.start_with("- "),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.has_heading |= tag == "h1";
                self.start_with(&format!("{} ", "#".repeat(level(tag))));
            }
            _ if is_block(tag) => self.end_paragraph(),
            _ => {}
        }
    }

    fn end(&mut self, tag: &str) {
        if let Some((skipped, open)) = &mut self.skipped {
            *open -= usize::from(skipped.as_str() == tag);
            if *open == 0 {
                self.skipped = None;
            }
            return;
        }
        match tag {
            "title" => self.in_title = false,
            "pre" => self.end_code(),
            _ if self.code.is_some() => {}
            "table" => self.end_table(),
            "td" | "th" | "tr" if self.rows.is_some() => self.end_cell(),
            "li" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.end_paragraph();
                self.prefix.clear();
            }
            _ if is_block(tag) => self.end_paragraph(),
            _ => {}
        }
    }

    /// Adds text, with a blank for each run of white space; code as it is.
    fn text(&mut self, text: &str) {
        if self.skipped.is_some() {
            return;
        }
        if self.in_title {
            self.title.push_str(text);
            return;
        }
        if let Some(code) = &mut self.code {
            code.push_str(text);
            return;
        }
        let line = self.cell.as_mut().unwrap_or(&mut self.line);
        for c in text.chars() {
            if !c.is_whitespace() {
                line.push(c);
            } else if !line.is_empty() && !line.ends_with(' ') {
                line.push(' ');
            }
        }
    }

    /// Begins a paragraph with a mark. In a cell there are no paragraphs.
    fn start_with(&mut self, mark: &str) {
        self.end_paragraph();
        if self.cell.is_none() {
            mark.clone_into(&mut self.prefix);
        }
    }

    /// Ends a paragraph; in a cell, a word. A mark waits for the first text behind it.
    fn end_paragraph(&mut self) {
        if self.cell.is_some() {
            self.text(" ");
            return;
        }
        let line = std::mem::take(&mut self.line);
        if !line.trim().is_empty() {
            let prefix = std::mem::take(&mut self.prefix);
            self.put(&format!("{prefix}{}", escaped(line.trim())));
        }
    }

    fn put(&mut self, paragraph: &str) {
        if !self.out.is_empty() {
            self.out.push_str("\n\n");
        }
        self.out.push_str(paragraph);
    }

    fn end_code(&mut self) {
        let Some(code) = self.code.take() else { return };
        let code = code.strip_prefix('\n').unwrap_or(&code).trim_end();
        if !code.is_empty() {
            let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
            let fence = "`".repeat(longest.max(2) + 1);
            self.put(&format!("{fence}\n{code}\n{fence}"));
        }
    }

    fn start_in_table(&mut self, tag: &str) {
        self.end_cell();
        match (tag, &mut self.rows) {
            ("tr", Some(rows)) => rows.push(Vec::new()),
            _ => self.cell = Some(String::new()),
        }
    }

    fn end_cell(&mut self) {
        if let (Some(cell), Some(rows)) = (self.cell.take(), &mut self.rows) {
            let cell = cell.trim().replace('|', "\\|");
            match rows.last_mut() {
                Some(row) => row.push(cell),
                None => rows.push(vec![cell]),
            }
        }
    }

    fn end_table(&mut self) {
        self.end_cell();
        self.end_paragraph();
        let mut rows = self.rows.take().unwrap_or_default();
        rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
        let cells = rows.first().map_or(0, Vec::len);
        if rows.len() > 1 && (2..=CELLS_MAX).contains(&cells) && rows.iter().all(|row| row.len() == cells) {
            let mut lines: Vec<String> = rows.iter().map(|row| format!("| {} |", row.join(" | "))).collect();
            lines.insert(1, format!("|{}", "---|".repeat(cells)));
            self.put(&lines.join("\n"));
        } else {
            for cell in rows.iter().flatten().filter(|cell| !cell.is_empty()) {
                self.put(&escaped(cell));
            }
        }
    }

    fn finish(mut self) -> Result<String, Fault> {
        let open = self.skipped.take().map(|(tag, _)| tag).or_else(|| self.in_title.then(|| "title".to_owned()));
        if let Some(tag) = open {
            return Err(Fault { line: None, reason: format!("the element <{tag}> is never closed, so the text behind it is missing") });
        }
        self.end_code();
        self.end_table();
        self.end_paragraph();
        if self.out.is_empty() {
            return Err(Fault { line: None, reason: "the page has no text".to_owned() });
        }
        let title = self.title.split_whitespace().collect::<Vec<_>>().join(" ");
        Ok(if self.has_heading || title.is_empty() { self.out } else { format!("# {title}\n\n{}", self.out) })
    }
}

fn is_block(tag: &str) -> bool {
    BLOCKS.contains(&tag)
}

/// The level of a heading's tag.
fn level(tag: &str) -> usize {
    tag.bytes().last().map_or(1, |digit| usize::from(digit.wrapping_sub(b'0')))
}

/// A line whose beginning is no mark of Markdown.
fn escaped(line: &str) -> Cow<'_, str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = line.split_at(digits);
    if (1..=9).contains(&digits) && rest.starts_with(['.', ')']) {
        return Cow::Owned(format!("{number}\\{rest}"));
    }
    let is_list = || line.strip_prefix(['-', '+', '*']).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    if line.starts_with(['#', '>', '~', '`', '<', '[']) || is_list() { Cow::Owned(format!("\\{line}")) } else { Cow::Borrowed(line) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markdown(page: &str) -> String {
        to_markdown(page).unwrap()
    }

    #[test]
    fn a_page_becomes_its_text() {
        let page = "\u{feff}<!doctype html><html><head><title> Harbour\n rules </title><style>p { color: red }</style></head><body>\
            <nav><ul><li>Home</li></ul></nav><h2>Berths &amp; <em>moorings</em></h2>\
            <p>Mina   keeps\nthe <a href=\"/keys\">keys</a>.<br>Ask <img alt=\"Idris\" src=\"i.png\">first.</p>\
            <ul><li><p>Ropes</p><li>Fenders <ol><li>two</ol></ul>\
            <pre>\nlet a = 1;\n  let b = `2`;\n</pre><script>if (a < b) { alert('</p>') }</script>\
            <table><tr><th>Berth</th><th>Depth</th></tr><tr><td>A | B</td><td><p>3 m</p></td></tr></table></body></html>";
        assert_eq!(
            markdown(page),
            "# Harbour rules\n\n## Berths & moorings\n\nMina keeps the keys.\n\nAsk Idris first.\n\n- Ropes\n\n- Fenders\n\n- two\n\n\
             ```\nlet a = 1;\n  let b = `2`;\n```\n\n| Berth | Depth |\n|---|---|\n| A \\| B | 3 m |"
        );
    }

    #[test]
    fn text_is_never_taken_for_marks() {
        for (text, expected) in [
            ("# 1", "\\# 1"),
            ("- a", "\\- a"),
            ("-5 degrees", "-5 degrees"),
            ("2. May", "2\\. May"),
            ("2026 was wet", "2026 was wet"),
            ("&lt;b&gt;", "\\<b>"),
            ("snake_case", "snake_case"),
        ] {
            assert_eq!(markdown(&format!("<p>{text}</p>")), expected);
        }
        assert_eq!(markdown("<pre>```</pre>"), "````\n```\n````");
        assert_eq!(markdown("<table><tr><td>- a<td>b<tr><td>c</table>"), "\\- a\n\nb\n\nc", "a table that lays out a page");
    }

    #[test]
    fn malformed_pages_are_read_as_far_as_nothing_is_lost() {
        assert_eq!(markdown("a</p></div><h1>b<p>c<li>d<td>e"), "a\n\n# b\n\nc\n\n- de");
        assert_eq!(markdown("<table><tr><td>a<table><tr><td>b</table>c</table>d<pre>e"), "a\n\nb\n\nc\n\nd\n\n```\ne\n```");
        assert_eq!(markdown("<svg/>a<svg><svg><title>b</title></svg></svg>c"), "ac");
        for (page, reason) in [
            ("a<script>b", "<script> is never closed"),
            ("a<nav><nav>b</nav>c", "<nav> is never closed"),
            ("<title>a<p>b", "<title> is never closed"),
            ("<p> &nbsp; </p><!-- a -->", "no text"),
            ("", "no text"),
        ] {
            let fault = to_markdown(page).unwrap_err();
            assert!(fault.reason.contains(reason), "{page}: {fault}");
        }
    }
}

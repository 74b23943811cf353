//! Markdown as HTML for people. Everything in the document is text: its own HTML is shown, not run, and only links to web pages
//! and mail are links. Pure.

use super::blocks::OPTIONS;
use pulldown_cmark::{Alignment, Event, Parser, Tag, TagEnd};

/// Renders Markdown as HTML that is safe inside a page.
pub fn render(markdown: &str) -> String {
    let mut html = Writer::default();
    for event in Parser::new_ext(markdown, OPTIONS) {
        html.event(event);
    }
    html.out
}

#[derive(Default)]
struct Writer {
    out: String,
    /// Of the columns of the current table.
    alignments: Vec<Alignment>,
    /// The cell of the row that comes next, from 0, and whether it is in the head.
    cell: usize,
    head: bool,
    /// The links that are open: whether each was written as a link.
    links: Vec<bool>,
}

impl Writer {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => self.code(&text),
            Event::FootnoteReference(label) => {
                self.out.push_str("<sup>");
                self.text(&label);
                self.out.push_str("</sup>");
            }
            Event::SoftBreak => self.out.push('\n'),
            Event::HardBreak => self.out.push_str("<br>"),
            Event::Rule => self.out.push_str("<hr>"),
            Event::TaskListMarker(done) => self.out.push_str(if done { "☑ " } else { "☐ " }),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.out.push_str("<p>"),
            // Headings of the page are above; those inside a chunk are below them all.
            Tag::Heading { .. } => self.out.push_str("<h4>"),
            Tag::BlockQuote(_) => self.out.push_str("<blockquote>"),
            Tag::CodeBlock(_) | Tag::HtmlBlock => self.out.push_str("<pre tabindex=\"0\"><code>"),
            Tag::List(None) => self.out.push_str("<ul>"),
            Tag::List(Some(1)) => self.out.push_str("<ol>"),
            Tag::List(Some(first)) => self.out.push_str(&format!("<ol start=\"{first}\">")),
            Tag::Item => self.out.push_str("<li>"),
            Tag::FootnoteDefinition(label) => {
                self.out.push_str("<p><sup>");
                self.text(&label);
                self.out.push_str("</sup> ");
            }
            Tag::Table(alignments) => {
                self.alignments = alignments;
                self.out.push_str("<div tabindex=\"0\"><table>");
            }
            Tag::TableHead => {
                (self.head, self.cell) = (true, 0);
                self.out.push_str("<thead><tr>");
            }
            Tag::TableRow => {
                self.cell = 0;
                self.out.push_str("<tr>");
            }
            Tag::TableCell => {
                let right = matches!(self.alignments.get(self.cell), Some(Alignment::Right));
                self.cell += 1;
                self.out.push_str(match (self.head, right) {
                    (true, false) => "<th scope=\"col\">",
                    (true, true) => "<th scope=\"col\" class=\"number\">",
                    (false, false) => "<td>",
                    (false, true) => "<td class=\"number\">",
                });
            }
            Tag::Emphasis => self.out.push_str("<em>"),
            Tag::Strong => self.out.push_str("<strong>"),
            Tag::Strikethrough => self.out.push_str("<del>"),
            Tag::Link { dest_url, .. } => self.link(&dest_url),
            // An image is shown as its description: the page loads nothing from elsewhere.
            Tag::Image { .. } => self.out.push_str("<em>"),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        let close = match tag {
            TagEnd::Paragraph => "</p>",
            TagEnd::Heading(_) => "</h4>",
            TagEnd::BlockQuote(_) => "</blockquote>",
            TagEnd::CodeBlock | TagEnd::HtmlBlock => "</code></pre>",
            TagEnd::List(true) => "</ol>",
            TagEnd::List(false) => "</ul>",
            TagEnd::Item => "</li>",
            TagEnd::FootnoteDefinition => "</p>",
            TagEnd::Table => "</tbody></table></div>",
            TagEnd::TableHead => {
                self.head = false;
                "</tr></thead><tbody>"
            }
            TagEnd::TableRow => "</tr>",
            TagEnd::TableCell if self.head => "</th>",
            TagEnd::TableCell => "</td>",
            TagEnd::Emphasis | TagEnd::Image => "</em>",
            TagEnd::Strong => "</strong>",
            TagEnd::Strikethrough => "</del>",
            TagEnd::Link => match self.links.pop() {
                Some(true) => "</a>",
                _ => "",
            },
            _ => "",
        };
        self.out.push_str(close);
    }

    /// A link, if it leads to the web or to mail; otherwise only its text. Paths lead into the collection, which has no address here.
    fn link(&mut self, url: &str) {
        let lower = url.to_ascii_lowercase();
        let leads = ["https://", "http://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme));
        if leads {
            self.out.push_str("<a rel=\"noreferrer external\" href=\"");
            self.text(url);
            self.out.push_str("\">");
        }
        self.links.push(leads);
    }

    fn code(&mut self, text: &str) {
        self.out.push_str("<code>");
        self.text(text);
        self.out.push_str("</code>");
    }

    /// Text, with everything that HTML would read as markup written as characters.
    fn text(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '"' => self.out.push_str("&quot;"),
                '\'' => self.out.push_str("&#39;"),
                c => self.out.push(c),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::render;

    #[test]
    fn markdown_becomes_html() {
        assert_eq!(
            render("Tea is **black** and `hot`.\n\n- one\n- [x] two"),
            "<p>Tea is <strong>black</strong> and <code>hot</code>.</p><ul><li>one</li><li>☑ two</li></ul>"
        );
        assert_eq!(
            render("| a | b |\n|---|--:|\n| 1 | 2 |"),
            "<div tabindex=\"0\"><table><thead><tr><th scope=\"col\">a</th><th scope=\"col\" class=\"number\">b</th></tr></thead>\
             <tbody><tr><td>1</td><td class=\"number\">2</td></tr></tbody></table></div>"
        );
        assert_eq!(render("```sh\na < b\n```"), "<pre tabindex=\"0\"><code>a &lt; b\n</code></pre>");
        assert_eq!(
            render("[site](https://example.org/?a=1&b=2)"),
            "<p><a rel=\"noreferrer external\" href=\"https://example.org/?a=1&amp;b=2\">site</a></p>"
        );
    }

    #[test]
    fn nothing_in_a_document_is_run() {
        for hostile in [
            "<script>alert(1)</script>",
            "Text <img src=x onerror=alert(1)> more",
            "[x](javascript:alert(1))",
            "[x](JaVaScRiPt:alert(1))",
            "[x](data:text/html;base64,PHNjcmlwdD4=)",
            "[x](https://example.org/\"onclick=\"alert(1))",
            "![x\" onerror=\"alert(1)](https://example.org/x.png)",
            "<https://example.org/'onclick='alert(1)>",
            "```\"><script>alert(1)</script>\nx\n```",
            "[^1]\n\n[^1]: <script>alert(1)</script>",
            "| <script>alert(1)</script> |\n|---|\n| <b onclick=alert(1)> |",
        ] {
            let html = render(hostile);
            let tags = html.split('<').skip(1).filter_map(|tag| tag.split('>').next());
            for tag in tags {
                let name = tag.trim_start_matches('/').split(' ').next().unwrap_or_default();
                let known = ["p", "a", "em", "strong", "del", "code", "pre", "sup", "div", "table", "thead", "tbody", "tr", "th", "td"];
                assert!(known.contains(&name), "{hostile}: {html}");
                let attributes = tag.matches(['"', '\'']).count();
                assert!(!tag.contains("javascript:") && attributes % 2 == 0 && !tag.contains("\" on"), "{hostile}: {html}");
            }
        }
    }
}

//! Whole pages: whatever a page shows, its hidden characters are shown, too.

use crate::marks::{is_hidden, visible};
use std::borrow::Cow;

/// Attributes that a reader sees or hears, and the properties of islands.
const SHOWN: [&str; 5] = ["title", "aria-label", "alt", "placeholder", "data-props"];
/// Elements whose text is not a text of the page: what a form sends back, and what a browser runs.
const RAW: [&str; 3] = ["textarea", "script", "style"];

/// A page with the hidden characters of its texts shown by their names. What its forms and links send back stays as it is. The page is
/// well-formed, with its attributes in double quotes.
pub fn html(page: &str) -> Cow<'_, str> {
    if !page.contains(is_hidden) {
        return Cow::Borrowed(page);
    }
    let (mut shown, mut rest) = (String::with_capacity(page.len()), page);
    while let Some(at) = rest.find('<') {
        shown.push_str(&visible(&rest[..at]));
        let (tag, after) = rest[at..].split_at(end_of_tag(&rest[at..]));
        push_tag(&mut shown, tag);
        let raw = RAW.iter().find(|name| tag[1..].strip_prefix(**name).is_some_and(|rest| rest.starts_with([' ', '>'])));
        let end = raw.map_or(0, |name| after.find(&format!("</{name}")).unwrap_or(after.len()));
        shown.push_str(&after[..end]);
        rest = &after[end..];
    }
    shown.push_str(&visible(rest));
    Cow::Owned(shown)
}

/// Where a tag or a comment ends that begins a text.
fn end_of_tag(text: &str) -> usize {
    if text.starts_with("<!--") {
        return text.find("-->").map_or(text.len(), |at| at + 3);
    }
    let mut quoted = false;
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '>' if !quoted => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn push_tag(shown: &mut String, tag: &str) {
    let mut rest = tag;
    while let Some((before, after)) = rest.split_once("=\"") {
        let name = before.rsplit(char::is_whitespace).next().unwrap_or_default();
        let (value, after) = after.split_at(after.find('"').unwrap_or(after.len()));
        shown.push_str(before);
        shown.push_str("=\"");
        shown.push_str(&if SHOWN.contains(&name) { visible(value) } else { Cow::Borrowed(value) });
        rest = after;
    }
    shown.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_shown_and_what_is_sent_back_stays() {
        let page = "<!DOCTYPE html><title>gpj\u{202e}</title><p title=\"a\u{202e} > b\">\u{202e}x &lt;b\u{200b}&gt;</p><a href=\"/?q=\u{202e}\">q</a>\
                    <input value=\"\u{202e}\" aria-label=\"\u{2066}\"><textarea name=\"t\">\u{202e}<b></textarea>\u{202e}<!-- - > -->\u{2069}";
        let shown = "<!DOCTYPE html><title>gpj⟦RLO⟧</title><p title=\"a⟦RLO⟧ > b\">⟦RLO⟧x &lt;b⟦U+200B⟧&gt;</p><a href=\"/?q=\u{202e}\">q</a>\
                     <input value=\"\u{202e}\" aria-label=\"⟦LRI⟧\"><textarea name=\"t\">\u{202e}<b></textarea>⟦RLO⟧<!-- - > -->⟦PDI⟧";
        assert_eq!(html(page), shown);
        assert_eq!(html(shown.split("<a href").next().unwrap()), shown.split("<a href").next().unwrap());
    }

    #[test]
    fn a_page_that_breaks_off_is_shown_as_far_as_it_goes() {
        for page in ["\u{202e}<p title=\"x", "\u{202e}<textarea>x", "\u{202e}<", "\u{202e}<!-- x", "\u{202e}<script>x</scrip"] {
            assert_eq!(html(page), page.replace('\u{202e}', "⟦RLO⟧"));
        }
    }
}

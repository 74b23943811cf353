//! Renders texts of others, so that no reader takes them for ours: each text comes with its origin. Pure.
//!
//! A text stands in a line of ours, after an opening of ours, or in a block of lines that each begin with `> `. In none of them can it begin
//! a line of ours, close our quotation marks, or hide characters.

mod html;
mod json;

pub use crate::marks::{ends_line, visible};
pub use html::html;
pub use json::{escaped, json, json_lines};
pub use wire::Speaker;

use crate::marks::without_hidden;
use crate::minutes::{Minutes, format_day, single};
use crate::shorten;
use std::borrow::Cow;
use wire::Trust;

/// How an opening begins that names the speaker of a quotation.
pub const ACCORDING: &str = "According to ";
/// Characters of a speaker's name.
const NAME: usize = 80;

/// Where a text comes from, as far as the records know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    pub speaker: Speaker,
    /// The speaker's own name, as somebody wrote it.
    pub name: Option<String>,
    /// Whether a person confirmed the text.
    pub confirmed: bool,
}

impl Origin {
    /// A speaker without a name, whose text nobody confirmed.
    pub fn of(speaker: Speaker) -> Self {
        Self { speaker, name: None, confirmed: false }
    }

    /// A document that the organisation ingested.
    pub fn of_knowledge() -> Self {
        Self { confirmed: true, ..Self::of(Speaker::Document) }
    }

    /// Whether the text is rendered as a quotation. The agent's own words are not, nor what the organisation confirmed as its own: a reviewed
    /// memory, an ingested document. What a person, a tool or a stranger said stays theirs.
    pub fn is_quoted(&self) -> bool {
        match self.speaker {
            Speaker::Agent => false,
            Speaker::OtherAgent | Speaker::Document => !self.confirmed,
            Speaker::Person | Speaker::Tool | Speaker::Unknown => true,
        }
    }

    /// The speaker in a sentence of ours: `Vera`, `the user`, `a tool`. A name that is more than a name is in quotation marks.
    pub fn who(&self) -> String {
        let name = self.name.as_deref().map(|name| shorten(&one_line(name), NAME)).filter(|name| !name.trim().is_empty());
        match name {
            Some(name) if is_plain(&name) => name.trim().to_owned(),
            Some(name) => marked(&name),
            None => match self.speaker {
                Speaker::Agent | Speaker::OtherAgent => "another agent",
                Speaker::Person => "the user",
                Speaker::Tool => "a tool",
                Speaker::Document => "a document",
                Speaker::Unknown => "somebody",
            }
            .into(),
        }
    }
}

impl From<Trust> for Origin {
    /// The origin of a memory of which only the trust is known.
    fn from(trust: Trust) -> Self {
        match trust {
            Trust::Own => Self::of(Speaker::Agent),
            Trust::Captured => Self::of(Speaker::Unknown),
            Trust::Reviewed => Self { confirmed: true, ..Self::of(Speaker::OtherAgent) },
            Trust::Unreviewed => Self::of(Speaker::OtherAgent),
        }
    }
}

/// Whether a name can stand in a sentence as it is.
fn is_plain(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '\'' | '’' | '.')) && !name.contains(". ")
}

/// A text with its origin.
#[derive(Clone, Debug)]
pub struct Quote<'a> {
    text: &'a str,
    origin: &'a Origin,
}

impl<'a> Quote<'a> {
    /// A text as its origin gave it.
    pub fn new(text: &'a str, origin: &'a Origin) -> Self {
        Self { text, origin }
    }

    /// The text in a line of ours: as it is, or in quotation marks.
    pub fn inline(&self) -> String {
        if self.origin.is_quoted() { marked(self.text) } else { inline(self.text) }
    }

    /// As [`Quote::inline`], after the name of the speaker if it is a quotation: `According to Vera: “…”`.
    pub fn line(&self) -> String {
        if self.origin.is_quoted() { format!("{ACCORDING}{}: {}", self.origin.who(), self.inline()) } else { self.inline() }
    }

    /// The text after an opening of ours, such as `On 3 May 2026 binky reported:`, and before an ending of ours, such as its id. A text of
    /// several lines becomes a block, and the ending is before it.
    pub fn item(&self, opening: &str, ending: &str) -> String {
        let said = spoken(self.text, opening);
        let text = said.as_deref().unwrap_or(self.text).trim();
        let parts = |parts: [&str; 3]| parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
        if text.contains(ends_line) {
            return format!("{}\n{}", parts([opening, ending, ""]), block(text));
        }
        parts([opening, &Quote::new(text, self.origin).inline(), ending])
    }
}

/// The words of minutes whose speaker and day an opening of ours names already: after `According to Vera (on 3 May 2026):` it is only
/// “I live in Bern.” `None` for every other text.
pub fn spoken(text: &str, opening: &str) -> Option<String> {
    let minutes = Minutes::parse(text)?;
    let day = minutes.day.map(format_day).unwrap_or_default();
    let named = format!("{ACCORDING}{} (on {day}", minutes.speaker).to_lowercase();
    opening.to_lowercase().contains(&named).then(|| minutes.spoken())
}

/// A text on one line: what ends a line, and each tab, becomes a space. Hidden characters are left out. For titles, names and reasons.
pub fn one_line(text: &str) -> String {
    let text = without_hidden(text);
    let text = if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", " ")) } else { text };
    text.chars().map(|c| if ends_line(c) || c == '\t' { ' ' } else { c }).collect()
}

/// A text in a line of ours, where `[id:` names a memory: the text cannot name one.
pub fn inline(text: &str) -> String {
    naming_none(&one_line(text), "\\[")
}

/// A text in which `bracket` stands for each bracket that would begin `[id:`.
fn naming_none(text: &str, bracket: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut from = 0;
    for (at, _) in text.to_ascii_lowercase().match_indices("[id:") {
        shown.push_str(&text[from..at]);
        shown.push_str(bracket);
        from = at + 1;
    }
    shown.push_str(&text[from..]);
    shown
}

/// A text in quotation marks, on one line. Quotation marks in it become single ones.
pub fn marked(text: &str) -> String {
    format!("“{}”", single(&inline(text.trim())))
}

/// Each line of a text after `> `. Hidden characters are left out.
pub fn block(text: &str) -> String {
    let text = without_hidden(text).replace("\r\n", "\n");
    let lines: Vec<String> = text.trim_end().split(ends_line).map(|line| format!("> {}", line.trim_end())).collect();
    lines.join("\n")
}

/// A text on one line that is set apart in Markdown: no asterisk of it ends that.
pub fn strong(text: &str) -> String {
    format!("**{}**", one_line(text).replace('*', "\\*"))
}

#[cfg(test)]
mod tests;

//! How a line of a transcript begins: "Vera: …", "[2026-05-03 09:12] Vera: …", "Vera (9:12): …", "**Vera** 9:12 AM".

use super::stamp::{self, Stamp};
use crate::capture::extract::Role;

/// The longest name, in bytes.
const NAME_MAX: usize = 48;
/// Names that programs give to speakers, in lower case.
#[rustfmt::skip]
const ROLES: &[&str] = &[
    "user", "human", "assistant", "ai", "bot", "agent", "model", "system", "developer", "tool", "function", "customer", "interviewer",
    "interviewee",
];
/// Words before a colon that are no names.
#[rustfmt::skip]
const LABELS: &[&str] = &[
    "action", "actions", "address", "agenda", "answer", "approved", "attendees", "author", "background", "blocker", "bonus", "cause",
    "caution", "cc", "change", "changes", "conclusion", "constraints", "context", "correction", "cost", "date", "deadline", "decided",
    "decision", "decisions", "description", "details", "due", "error", "example", "examples", "fact", "facts", "fix", "from", "fyi",
    "goal", "goals", "hint", "home", "idea", "ideas", "important", "info", "input", "issue", "issues", "item", "items", "link", "links",
    "list", "location", "name", "next", "note", "notes", "open", "options", "output", "owner", "participants", "phone", "place", "plan",
    "plans", "preferences", "present", "price", "priority", "problem", "pros", "cons", "question", "questions", "rationale", "re",
    "reason", "reference", "references", "remember", "reminder", "result", "results", "risk", "risks", "see", "source", "sources",
    "status", "step", "steps", "subject", "summary", "tags", "task", "tasks", "time", "tip", "title", "to", "today", "todo", "todos",
    "tomorrow", "topic", "topics", "type", "update", "updates", "url", "version", "warning", "website", "what", "when", "where", "who",
    "why", "work", "yesterday", "http", "https", "ps", "resolution", "password", "passwort", "token", "secret", "key", "email",
    "e-mail", "mail", "tel",
];
/// Small words inside names.
const PARTICLES: &[&str] = &["al", "bin", "da", "de", "del", "der", "di", "la", "le", "van", "von", "y"];

/// The beginning of a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    pub speaker: String,
    pub role: Role,
    pub stamp: Option<Stamp>,
    /// Where the words begin, in bytes of the line.
    pub body: usize,
}

/// How the turn that begins with `line` begins; `None` if none does.
pub fn head(line: &str) -> Option<Head> {
    let mut rest = undecorated(line);
    let mut time = None;
    if let Some((stamp, after)) =
        bracketed(rest).or_else(|| stamp::read(rest).map(|(stamp, length)| (stamp, rest.get(length..).unwrap_or_default())))
    {
        time = Some(stamp);
        rest = after.trim_start_matches([' ', '-', '–', '|', '~', '*', ',']);
    }
    let (name, body) = match rest.char_indices().take_while(|(at, _)| *at <= 2 * NAME_MAX).find(|(at, c)| *c == ':' && ends_head(rest, *at))
    {
        Some((colon, _)) => (rest.get(..colon)?, rest.get(colon + 1..)?),
        // A name and a time on a line of their own.
        None if rest.len() <= 2 * NAME_MAX => (rest, ""),
        None => return None,
    };
    let (name, later) = timed(name);
    let alone = body.is_empty() && !rest.trim_end().ends_with([':', '*']);
    time = time.or(later);
    if alone && (later.is_none() || time.is_none()) {
        return None;
    }
    let speaker =
        name.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_' | '@' | '<' | '>' | '\u{200e}' | '\u{200f}')).to_owned();
    let words = body.trim_start_matches(|c: char| c.is_whitespace() || c == '*');
    is_name(&speaker).then(|| Head { role: super::role(&speaker), speaker, stamp: time, body: line.len() - words.len() })
}

/// The date of a line that holds nothing else: "## 3 May 2026", "Date: 2026-05-03".
pub fn date(line: &str) -> Option<Stamp> {
    let rest = line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '#' | '-' | '=' | '*' | '—' | '–' | '_' | '[' | ']'));
    let rest = ["Date:", "date:"].iter().find_map(|label| rest.strip_prefix(label)).unwrap_or(rest).trim_start();
    let (stamp, length) = stamp::read(rest).filter(|(stamp, _)| stamp.date.is_some())?;
    rest.get(length..).filter(|after| after.trim().is_empty()).map(|_| stamp)
}

fn undecorated(line: &str) -> &str {
    line.trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, '*' | '>' | '#' | '-' | '•' | '_' | '\u{200e}' | '\u{200f}' | '\u{feff}')
    })
}

/// A colon ends the head unless a digit or a slash follows, as in times and addresses.
fn ends_head(rest: &str, at: usize) -> bool {
    let after = rest.get(at + 1..).unwrap_or_default();
    after.is_empty() || after.starts_with(|c: char| c.is_whitespace() || c == '*')
}

/// A stamp in brackets at the beginning, and what follows.
fn bracketed(text: &str) -> Option<(Stamp, &str)> {
    let (close, inside) = match text.chars().next()? {
        '[' => (']', text.get(1..)?),
        '(' => (')', text.get(1..)?),
        _ => return None,
    };
    let (stamp, length) = stamp::read(inside)?;
    let after = inside.get(length..)?.strip_prefix(close)?;
    Some((stamp, after))
}

/// A name without the time after it.
fn timed(name: &str) -> (&str, Option<Stamp>) {
    let digit = name.find(|c: char| c.is_ascii_digit() || matches!(c, '[' | '('));
    let Some(start) = digit.filter(|start| *start > 0) else { return (name, None) };
    let tail = name.get(start..).unwrap_or_default().trim_end_matches([' ', '*', '_']);
    let whole = stamp::read(tail).filter(|(_, length)| *length == tail.len()).map(|(stamp, _)| stamp);
    let found = bracketed(tail).filter(|(_, after)| after.trim().is_empty()).map(|(stamp, _)| stamp).or(whole);
    match found {
        Some(stamp) => (name.get(..start).unwrap_or_default().trim_end_matches([' ', ',', '-', '*']), Some(stamp)),
        None => (name, None),
    }
}

/// One to four words that look like a name, or a role; no label such as "Decision".
fn is_name(name: &str) -> bool {
    let lower = name.to_lowercase();
    if name.is_empty() || name.len() > NAME_MAX || LABELS.contains(&lower.split(' ').next().unwrap_or_default()) {
        return false;
    }
    let word = |word: &str| {
        let begins = word.starts_with(|c: char| c.is_alphabetic() && !c.is_lowercase()) || PARTICLES.contains(&word);
        let letters =
            word.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '\'' | '’' | '-' | '_')) && word.chars().any(char::is_alphabetic);
        begins && letters
    };
    let numbered = |word: &str| word.len() <= 3 && word.chars().all(|c| c.is_ascii_digit());
    let mut words = name.split_whitespace();
    let first = words.next().is_some_and(word);
    ROLES.contains(&lower.as_str()) || (first && words.clone().count() < 4 && words.all(|next| word(next) || numbered(next)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<(String, Option<String>, &str)> {
        let head = head(line)?;
        Some((head.speaker, head.stamp.and_then(|stamp| stamp.at(None)).map(|at| at.format("%F %R").to_string()), &line[head.body..]))
    }

    #[test]
    fn heads_have_many_shapes() {
        let at = Some("2026-05-03 09:12".to_owned());
        assert_eq!(read("Vera: hi"), Some(("Vera".into(), None, "hi")));
        assert_eq!(read("**Vera Lind:** hi"), Some(("Vera Lind".into(), None, "hi")));
        assert_eq!(read("- **Vera**: hi"), Some(("Vera".into(), None, "hi")));
        assert_eq!(read("[2026-05-03 09:12] Vera: hi"), Some(("Vera".into(), at.clone(), "hi")));
        assert_eq!(read("2026-05-03T09:12:00Z Vera: hi"), Some(("Vera".into(), at.clone(), "hi")));
        assert_eq!(read("Vera (2026-05-03 09:12): hi"), Some(("Vera".into(), at.clone(), "hi")));
        assert_eq!(read("3 May 2026, 09:12 - Vera: hi"), Some(("Vera".into(), at, "hi")));
        assert_eq!(read("Vera (9:12): hi"), Some(("Vera".into(), None, "hi")));
        assert_eq!(read("Vera  9:12 AM"), Some(("Vera".into(), None, "")));
        assert_eq!(read("user: hi"), Some(("user".into(), None, "hi")));
        assert_eq!(read("Speaker 1: hi"), Some(("Speaker 1".into(), None, "hi")));
        assert_eq!(read("Мария: привет"), Some(("Мария".into(), None, "привет")));
    }

    #[test]
    fn other_colons_begin_no_turn() {
        for line in [
            "Decision: use Postgres",
            "see https://example.org",
            "at 10:30 we left",
            "the plan: go",
            "I said this: no",
            "Vera",
            "Vera is 9",
            "2026-05-03",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
        assert!(date("## 3 May 2026").is_some() && date("Date: 2026-05-03").is_some() && date("2026-05-03 was fine").is_none());
    }
}

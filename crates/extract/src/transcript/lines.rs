//! How a line of a transcript begins: "Vera: …", "[2026-05-03 09:12] Vera: …", "Vera (9:12): …", "**Vera** 9:12 AM", "<vera> …".

use super::stamp::{self, Stamp};
use crate::Role;

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
    "reason", "reference", "references", "remember", "reminder", "result", "results", "risk", "risks", "see", "sent", "source", "sources",
    "status", "step", "steps", "subject", "summary", "tags", "task", "tasks", "time", "tip", "title", "to", "today", "todo", "todos",
    "tomorrow", "topic", "topics", "type", "update", "updates", "url", "version", "warning", "website", "what", "when", "where", "who",
    "why", "work", "yesterday", "http", "https", "ps", "resolution", "password", "passwort", "token", "secret", "key", "email",
    "e-mail", "mail", "tel", "bcc", "host", "port", "traceback", "caused",
];
/// Names in angle brackets that are markup and no names.
#[rustfmt::skip]
const TAGS: &[&str] = &[
    "a", "article", "b", "body", "br", "button", "code", "div", "em", "form", "h1", "h2", "h3", "head", "html", "i", "img", "input", "li",
    "main", "nav", "ol", "option", "p", "path", "pre", "script", "section", "span", "string", "strong", "style", "svg", "t", "table", "td",
    "th", "tr", "u", "ul",
];
/// Verbs between a name and a colon.
const VERBS: &[&str] = &[" said", " says", " wrote", " writes", " asked", " asks", " answered", " answers", " replied"];
/// Small words inside names.
const PARTICLES: &[&str] = &["al", "bin", "da", "de", "del", "der", "di", "la", "le", "van", "von", "y"];

/// The beginning of a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// No name if the form is unknown.
    pub speaker: String,
    pub role: Role,
    pub form: Form,
    pub stamp: Option<Stamp>,
    /// Where the words begin, in bytes of the line.
    pub body: usize,
    /// Where the words begin if the name is none.
    pub words: usize,
    /// Its words read like something that is said.
    pub talks: bool,
}

/// How much the beginning of a line looks like that of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// It is a name.
    Name,
    /// It is a name if it comes back.
    Perhaps,
    /// Somebody may begin to speak, but nobody can tell who.
    Unknown,
}

/// How the turn that begins with `line` begins; `None` if none does.
pub fn head(line: &str) -> Option<Head> {
    let bare = undecorated(line);
    let (stamp, firm, rest) = leading(bare);
    if rest.trim().is_empty() {
        return None;
    }
    let words = line.len() - rest.len();
    let named = named(line, rest, stamp, firm).map(|(name, form, stamp, body)| Head {
        role: super::role(name),
        speaker: name.to_owned(),
        form,
        stamp,
        body: line.len() - body.trim_start_matches(|c: char| c.is_whitespace() || c == '*').len(),
        words,
        talks: talks(body) || (body.trim().is_empty() && (form == Form::Name || !rest.trim_end().ends_with([':', '：']))),
    });
    let nobody = || Head { speaker: String::new(), role: Role::Person, form: Form::Unknown, stamp, body: words, words, talks: false };
    named.or_else(|| firm.then(nobody))
}

/// The name of a line, the stamp before or after it, and the words that follow.
fn named<'a>(line: &str, rest: &'a str, before: Option<Stamp>, firm: bool) -> Option<(&'a str, Form, Option<Stamp>, &'a str)> {
    let Split { name, body, by } = split(rest)?;
    let (name, after) = timed(name);
    let stamp = before.or(after);
    let verb = VERBS.iter().find_map(|verb| name.trim_end().strip_suffix(verb));
    let name = plain_name(verb.unwrap_or(name));
    let form = match (form(name)?, by) {
        (Form::Unknown, By::Colon) => Form::Unknown,
        (Form::Unknown, _) => return None,
        // A name and a time on a line of their own; a time before may be that of any short line.
        (form, By::End) if after.is_some() => form,
        (_, By::End) if firm || is_bold(rest) => Form::Perhaps,
        (_, By::End) => return None,
        (_, By::Colon | By::Bracket) if firm => Form::Name,
        (Form::Name, By::Colon) if verb.is_none() && !is_code(body) => Form::Name,
        (Form::Perhaps, By::Dash) => return None,
        _ => Form::Perhaps,
    };
    // What is indented or an item of a list is a part of what somebody says, unless it clearly names a speaker.
    let first = line.trim_start_matches(['\u{200e}', '\u{200f}', '\u{feff}', '*', '_']).len() == rest.len();
    (form == Form::Name || stamp.is_some() || first).then_some((name, form, stamp, body))
}

/// What ends a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Colon,
    Dash,
    /// "<vera> …".
    Bracket,
    End,
}

struct Split<'a> {
    name: &'a str,
    body: &'a str,
    by: By,
}

fn split(rest: &str) -> Option<Split<'_>> {
    let near = || rest.char_indices().take_while(|(at, _)| *at <= 2 * NAME_MAX);
    let inside = |at: usize| rest.get(1..at).filter(|_| rest.starts_with('<'));
    let bracket = near().find(|(_, c)| *c == '>').and_then(|(at, _)| Some((inside(at)?, rest.get(at + 1..)?)));
    if let Some((name, body)) = bracket {
        let nick = !name.contains([' ', '/', '@']) && !TAGS.contains(&name.to_lowercase().as_str());
        return (nick && body.starts_with(' ') && !body.contains("</")).then_some(Split { name, body, by: By::Bracket });
    }
    if let Some((at, colon)) = near().find(|(at, c)| *c == '：' || *c == ':' && ends_head(rest, *at)) {
        return Some(Split { name: rest.get(..at)?, body: rest.get(at + colon.len_utf8()..)?, by: By::Colon });
    }
    let dash = |at: usize| {
        let after = rest.get(at + 1..)?.strip_prefix(['-', '–', '—'])?.strip_prefix(' ')?;
        Some(Split { name: rest.get(..at)?, body: after, by: By::Dash })
    };
    if let Some(split) = near().filter(|(_, c)| *c == ' ').find_map(|(at, _)| dash(at)) {
        return Some(split);
    }
    (rest.len() <= 2 * NAME_MAX).then_some(Split { name: rest, body: "", by: By::End })
}

/// The date or time of a line that holds nothing else: "## 3 May 2026", "Date: 2026-05-03", "00:05:00".
pub fn alone(line: &str) -> Option<Stamp> {
    let decoration = |c: char| c.is_whitespace() || matches!(c, '#' | '-' | '=' | '*' | '—' | '–' | '_' | '[' | ']');
    let rest = line.trim_matches(decoration);
    let rest = ["Date:", "date:"].iter().find_map(|label| rest.strip_prefix(label)).unwrap_or(rest).trim_start_matches(decoration);
    let (stamp, length) = stamp::unsettled(rest)?;
    rest.get(length..).filter(|after| after.trim().is_empty()).map(|_| stamp)
}

/// A name without brackets and marks around it: "~ Vera (they/them)" is Vera.
pub fn plain_name(name: &str) -> &str {
    let mark = |c: char| {
        c.is_whitespace() || matches!(c, '*' | '_' | '@' | '<' | '>' | '~' | ',' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}')
    };
    let name = name.trim_matches(mark);
    let open = Some(name).filter(|name| name.ends_with([')', ']'])).and_then(|name| name.rfind(['(', '['])).filter(|at| *at > 0);
    open.and_then(|at| name.get(..at)).unwrap_or(name).trim_matches(mark)
}

/// The stamp at the beginning, whether it clearly is that of a message, and what follows.
fn leading(bare: &str) -> (Option<Stamp>, bool, &str) {
    if let Some((stamp, after)) = bracketed(bare) {
        return (Some(stamp), true, unmarked(after));
    }
    match stamp::unsettled(bare) {
        Some((stamp, length)) => (Some(stamp), stamp.is_whole(), unmarked(bare.get(length..).unwrap_or_default())),
        None => (None, false, bare),
    }
}

fn unmarked(after: &str) -> &str {
    after.trim_start_matches([' ', '\u{a0}', '-', '–', '|', '*', ','])
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
    let (stamp, length) = stamp::unsettled(inside)?;
    let after = inside.get(length..)?.strip_prefix(close)?;
    Some((stamp, after))
}

/// A name without the time after it.
fn timed(name: &str) -> (&str, Option<Stamp>) {
    let found = |start: usize| {
        let tail = name.get(start..)?.trim_end_matches([' ', '*', '_']);
        let whole = || stamp::unsettled(tail).filter(|(_, length)| *length == tail.len()).map(|(stamp, _)| stamp);
        let stamp = bracketed(tail).filter(|(_, after)| after.trim().is_empty()).map(|(stamp, _)| stamp).or_else(whole)?;
        Some((name.get(..start)?, stamp))
    };
    let begins = |at: usize, c: char| {
        let apart = name.get(..at).is_some_and(|before| !before.is_empty() && !before.ends_with(char::is_alphanumeric));
        apart && (c.is_ascii_digit() || matches!(c, '[' | '('))
    };
    match name.char_indices().filter(|(at, c)| begins(*at, *c)).find_map(|(at, _)| found(at)) {
        Some((before, stamp)) => (before.trim_end_matches([' ', ',', '-', '*']), Some(stamp)),
        None => (name, None),
    }
}

/// Whether a few words are a name; `None` if they are a label such as "Decision", or no words.
fn form(name: &str) -> Option<Form> {
    let lower = name.to_lowercase();
    let words: Vec<&str> = name.split_whitespace().collect();
    if name.is_empty() || name.len() > NAME_MAX || LABELS.contains(&lower.as_str()) {
        return None;
    }
    if ROLES.contains(&lower.as_str()) || is_number(name) || is_address(name) {
        return Some(Form::Name);
    }
    let letter = |c: char| c.is_alphanumeric() || is_part(c) || matches!(c, '.' | '\'' | '’' | '-' | '_' | '・');
    if words.len() > 4 || !words.iter().all(|word| word.chars().all(letter)) || !name.contains(char::is_alphabetic) || is_error(name) {
        return None;
    }
    if LABELS.contains(&lower.split(' ').next().unwrap_or_default()) {
        return Some(Form::Unknown);
    }
    let capital = |word: &str| word.starts_with(|c: char| c.is_alphabetic() && !c.is_lowercase()) || PARTICLES.contains(&word);
    let digits = |word: &str| word.chars().all(|c| c.is_ascii_digit());
    let emoji = |word: &str| word.chars().all(is_part);
    let mut rest = words.iter().skip(1);
    let first = words.first().is_some_and(|word| capital(word));
    if first && rest.all(|word| capital(word) || digits(word) || emoji(word)) {
        let year = words.iter().any(|word| digits(word) && word.len() > 3);
        return Some(if year { Form::Perhaps } else { Form::Name });
    }
    let small = words.len() <= 2 && words.iter().all(|word| word.starts_with(char::is_lowercase));
    Some(if small { Form::Perhaps } else { Form::Unknown })
}

/// Parts of names that are no letters: marks of scripts, joiners and emoji.
fn is_part(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36f}' | '\u{900}'..='\u{dff}' | '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{200c}' | '\u{200d}' | '\u{2190}'..='\u{2bff}' | '\u{fe0e}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}')
}

/// "+41 79 123 45 67".
fn is_number(name: &str) -> bool {
    let digits = name.chars().filter(char::is_ascii_digit).count();
    let plain = |c: char| c.is_ascii_digit() || matches!(c, '+' | ' ' | '-' | '(' | ')' | '\u{a0}' | '\u{2011}');
    name.starts_with('+') && digits >= 7 && name.chars().all(plain)
}

/// "vera.lind@acme.example".
fn is_address(name: &str) -> bool {
    let part = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '+'));
    name.split_once('@').is_some_and(|(user, host)| part(user) && part(host) && host.contains('.'))
}

/// "TypeError", "java.io.IOException".
fn is_error(name: &str) -> bool {
    !name.contains(' ') && ["Error", "Exception", "Warning"].iter().any(|ending| name.ends_with(ending))
}

/// Two words or more, none of them code.
fn talks(body: &str) -> bool {
    body.split_whitespace().nth(1).is_some() && !body.contains(['{', '}', ';', '=', '<', '>', '\\', '|', '`'])
}

/// Whether the words after a colon are a value and no words: "example.org", "8080/tcp", "{".
fn is_code(body: &str) -> bool {
    let body = body.trim();
    let inner = body.trim_end_matches(['.', ',', '!', '?', ')']);
    let one = !body.contains(char::is_whitespace);
    // "[8080, 443]", not "[shared photo: two boats]".
    let list = body.strip_prefix('[').is_some_and(|list| !list.contains(' ') || list.contains(", ") && !list.contains(": "));
    let opens = list || body.starts_with(['{', '|']) || body.ends_with(['{', ';']) || body.contains("::");
    opens || (one && inner.contains(['.', '/', '=', '_', '<', '"', ':']) && !body.contains("//"))
}

/// "**Vera**" alone on its line.
fn is_bold(rest: &str) -> bool {
    rest.trim_end().ends_with("**")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<(String, Option<String>, &str)> {
        let head = head(line).filter(|head| head.form == Form::Name)?;
        Some((
            head.speaker,
            head.stamp.and_then(|stamp| stamp.at(None)).map(|found| found.at.format("%F %R").to_string()),
            &line[head.body..],
        ))
    }

    #[test]
    fn heads_have_many_shapes() {
        let at = Some("2026-05-03 09:12".to_owned());
        for (line, name, at) in [
            ("Vera: hi", "Vera", None),
            ("**Vera Lind:** hi", "Vera Lind", None),
            ("- **Vera**: hi", "Vera", None),
            ("[2026-05-03 09:12] Vera: hi", "Vera", at.clone()),
            ("[2026-05-03 09:12] vera: hi", "vera", at.clone()),
            ("[2026-05-03 09:12] <vera> hi", "vera", at.clone()),
            ("2026-05-03T09:12:00Z Vera: hi", "Vera", at.clone()),
            ("Vera (2026-05-03 09:12): hi", "Vera", at.clone()),
            ("3 May 2026, 09:12 - Vera: hi", "Vera", at),
            ("Vera (9:12): hi", "Vera", None),
            ("Vera, 9:12 AM: hi", "Vera", None),
            ("user: hi", "user", None),
            ("Speaker 1: hi", "Speaker 1", None),
            ("Мария: hi", "Мария", None),
            ("李伟：hi", "李伟", None),
            ("Vera🚢: hi", "Vera🚢", None),
            ("Vera (they/them): hi", "Vera", None),
            ("Vera Lind [Acme]: hi", "Vera Lind", None),
            ("Dr. Vera Lind (PhD): hi", "Dr. Vera Lind", None),
            ("Conan O'Brien: hi", "Conan O'Brien", None),
            ("D’Arcy-Smith: hi", "D’Arcy-Smith", None),
            ("van der Berg: hi", "van der Berg", None),
            ("+41 79 123 45 67: hi", "+41 79 123 45 67", None),
            ("vera.lind@acme.example: hi", "vera.lind@acme.example", None),
            ("Vera : hi", "Vera", None),
            ("VERA LIND: hi", "VERA LIND", None),
            ("~ Vera: hi", "Vera", None),
            ("Q: hi", "Q", None),
        ] {
            assert_eq!(read(line), Some((name.to_owned(), at, "hi")), "{line}");
        }
        for line in ["Vera  9:12 AM", "Vera (Host) 09:12", "Vera Lind  0:00  ", "**Vera** 9:12 AM"] {
            let (name, _, words) = read(line).unwrap();
            assert!(name.starts_with("Vera") && words.is_empty(), "{line}");
        }
    }

    #[test]
    fn some_heads_are_names_only_if_they_come_back() {
        for (line, name) in [
            ("vera: hi there", "vera"),
            ("<vera> hi", "vera"),
            ("Vera - hi", "Vera"),
            ("Vera said: hi", "Vera"),
            ("[09:12] Vera Lind", "Vera Lind"),
            ("VeraBot 2000: hi", "VeraBot 2000"),
            ("**Vera**", "Vera"),
            ("Host name: example.org", ""),
        ] {
            let head = head(line);
            let expected = if name.is_empty() { Form::Unknown } else { Form::Perhaps };
            assert_eq!(head.as_ref().map(|head| head.form), Some(expected), "{line}");
            assert!(name.is_empty() || head.is_some_and(|head| head.speaker == name), "{line}");
        }
        for line in ["Note to self: buy tea", "the plan we made: go", "[09:12] so it is", "2026-05-03 09:12 we deployed it"] {
            assert_eq!(head(line).map(|head| head.form), Some(Form::Unknown), "{line}");
        }
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
            "fn main() { let x: i32 = 1; }",
            "    let x: i32 = 1;",
            "key: value",
            "Server: example.org",
            "TypeError: x is not a function",
            "Traceback (most recent call last):",
            "Subject: RE: Budget",
            "Sent: Monday, May 4, 2026 8:02 AM",
            "<p> text",
            "{\"home\": \"Oslo\"}",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
        for line in ["## 3 May 2026", "Date: 2026-05-03", "**Date:** 2026-05-03", "00:05:00", "[09:12]"] {
            assert!(alone(line).is_some(), "{line}");
        }
        assert!(alone("2026-05-03 was fine").is_none());
    }
}

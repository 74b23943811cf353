//! Mails: a message as a mail program saves it (`.eml`), and threads as people copy them. The speaker is the sender.

use super::lines;
use super::plain::{Line, Read, filled};
use super::stamp::{self, Moment, Stamp};
use crate::{Role, Turn};
use chrono::DateTime;
use std::borrow::Cow;
use words::guard::from_base64;

/// Most bytes of the fields before a message.
const FIELDS_MAX: usize = 256 * 1024;
/// How deep parts are read inside parts.
const DEPTH: usize = 5;
/// Most lines of the fields in a thread.
const BLOCK: usize = 12;
const FROM: &[&str] = &["from", "von", "de", "da", "van"];
const SENT: &[&str] = &["sent", "date", "gesendet", "datum", "enviado", "enviado el", "fecha", "envoyé", "inviato", "data", "verzonden"];
const SUBJECT: &[&str] = &["subject", "betreff", "asunto", "objet", "oggetto", "onderwerp"];
#[rustfmt::skip]
const OTHERS: &[&str] = &[
    "to", "cc", "bcc", "subject", "reply-to", "importance", "attachments", "an", "betreff", "para", "asunto", "à", "objet", "a", "oggetto",
    "aan", "onderwerp",
];
/// Verbs of a line before a quotation: "On Sun, May 3, 2026 at 9:15 AM Vera wrote:".
const WROTE: &[&str] = &[" wrote", " schrieb", " escribió", " a écrit", " ha scritto", " schreef"];
/// The characters 0x80 to 0x9f of Windows-1252, which is what Latin-1 means in mails.
const WINDOWS: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

/// The fields of a message or of a part: names in lower case.
type Fields = Vec<(String, String)>;

/// The sender, the date, the subject and the plain text of a message in the format of mail programs; `None` if it is none.
pub fn decoded(source: &[u8]) -> Option<String> {
    let (fields, body) = split(source)?;
    let exported = ["message-id", "mime-version", "received", "content-type", "return-path"];
    let from = field(&fields, "from").filter(|_| exported.iter().any(|name| field(&fields, name).is_some()))?;
    let text = plain_part(&fields, body, DEPTH).unwrap_or_default();
    let (date, subject) = (field(&fields, "date").unwrap_or_default(), field(&fields, "subject").unwrap_or_default());
    Some(format!("From: {}\nDate: {date}\nSubject: {}\n\n{}", words(from), words(subject), text.trim_end()))
}

/// The fields at the beginning, and what follows the empty line after them.
fn split(source: &[u8]) -> Option<(Fields, &[u8])> {
    let (mut fields, mut rest) = (Fields::new(), source);
    loop {
        let length = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| at + 1);
        let (line, after) = rest.split_at_checked(length)?;
        if source.len() - after.len() > FIELDS_MAX {
            return None;
        }
        rest = after;
        let line = characters(line.trim_ascii_end(), "utf-8");
        match line.split_once(':') {
            _ if line.is_empty() => return Some((fields, rest)),
            _ if line.starts_with([' ', '\t']) => {
                let (_, value) = fields.last_mut()?;
                value.push(' ');
                value.push_str(line.trim());
            }
            Some((name, value)) if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') => {
                fields.push((name.to_ascii_lowercase(), value.trim().to_owned()));
            }
            _ => return None,
        }
    }
}

fn field<'a>(fields: &'a [(String, String)], name: &str) -> Option<&'a str> {
    fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// The first part that is plain text.
fn plain_part(fields: &[(String, String)], body: &[u8], depth: usize) -> Option<String> {
    let kind = field(fields, "content-type").unwrap_or("text/plain");
    let lower = kind.to_ascii_lowercase();
    if lower.starts_with("multipart/") {
        let mark = format!("--{}", parameter(kind, "boundary")?);
        let inner = |part: &[u8]| split(part).and_then(|(fields, body)| plain_part(&fields, body, depth - 1));
        return parts(body, mark.as_bytes()).into_iter().filter(|_| depth > 0).find_map(inner);
    }
    let attached = field(fields, "content-disposition").is_some_and(|value| value.to_ascii_lowercase().starts_with("attachment"));
    if attached || !lower.starts_with("text/plain") {
        return None;
    }
    let bytes = match field(fields, "content-transfer-encoding").unwrap_or_default().to_ascii_lowercase().as_str() {
        "quoted-printable" => Cow::Owned(quoted_printable(body)),
        "base64" => Cow::Owned(base64(body)),
        _ => Cow::Borrowed(body),
    };
    Some(characters(&bytes, parameter(kind, "charset").unwrap_or("utf-8")))
}

/// A parameter such as `charset=utf-8`.
fn parameter<'a>(kind: &'a str, name: &str) -> Option<&'a str> {
    let value = |part: &'a str| part.trim().split_once('=').filter(|(known, _)| known.trim().eq_ignore_ascii_case(name));
    kind.split(';').find_map(value).map(|(_, value)| value.trim().trim_matches('"'))
}

/// The parts between the lines that begin with `mark`, after the first such line.
fn parts<'a>(body: &'a [u8], mark: &[u8]) -> Vec<&'a [u8]> {
    let (mut parts, mut start, mut at) = (Vec::new(), None, 0);
    for line in body.split_inclusive(|byte| *byte == b'\n') {
        if line.starts_with(mark) {
            parts.extend(start.and_then(|start: usize| body.get(start..at)));
            start = Some(at + line.len());
        }
        at += line.len();
    }
    parts.extend(start.and_then(|start| body.get(start..)));
    parts
}

fn quoted_printable(body: &[u8]) -> Vec<u8> {
    let (mut bytes, mut rest) = (Vec::with_capacity(body.len()), body);
    loop {
        let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        rest = match rest {
            [] => return bytes,
            [b'=', b'\r', b'\n', after @ ..] | [b'=', b'\n', after @ ..] => after,
            [b'=', high, low, after @ ..] if digit(high).is_some() && digit(low).is_some() => {
                bytes.extend(digit(high).zip(digit(low)).map(|(high, low)| high * 16 + low));
                after
            }
            [byte, after @ ..] => {
                bytes.push(*byte);
                after
            }
        };
    }
}

fn base64(body: &[u8]) -> Vec<u8> {
    let letters: String = body.iter().filter(|byte| !byte.is_ascii_whitespace()).map(|byte| char::from(*byte)).collect();
    from_base64(&letters).unwrap_or_default()
}

/// Bytes as text: UTF-8, or else Latin-1.
fn characters(bytes: &[u8], charset: &str) -> String {
    let single = ["iso-8859-1", "iso-8859-15", "latin1", "windows-1252", "cp1252"].contains(&charset.to_ascii_lowercase().as_str());
    let latin = |byte: &u8| match byte {
        0x80..=0x9f => WINDOWS.chars().nth(usize::from(byte - 0x80)).unwrap_or('\u{fffd}'),
        byte => char::from(*byte),
    };
    match std::str::from_utf8(bytes) {
        Ok(text) if !single || bytes.is_ascii() => text.to_owned(),
        _ => bytes.iter().map(latin).collect(),
    }
}

/// A field with its encoded words: `=?utf-8?Q?Vera_Bl=C3=BCm?=`.
fn words(value: &str) -> String {
    let (mut text, mut rest) = (String::new(), value);
    while let Some((before, after)) = rest.split_once("=?") {
        let mut parts = after.splitn(4, '?');
        let (charset, kind, word, end) = (parts.next(), parts.next(), parts.next(), parts.next());
        let (Some(charset), Some(kind), Some(word), Some(end)) = (charset, kind, word, end.and_then(|end| end.strip_prefix('='))) else {
            break;
        };
        // Between two encoded words, a space is only there to fold the line.
        if !before.trim().is_empty() || text.is_empty() {
            text.push_str(before);
        }
        let bytes =
            if kind.eq_ignore_ascii_case("b") { base64(word.as_bytes()) } else { quoted_printable(word.replace('_', " ").as_bytes()) };
        text.push_str(&characters(&bytes, charset));
        rest = end;
    }
    text.push_str(rest);
    text
}

/// The beginning of a mail in a thread.
struct Opening {
    sender: Option<String>,
    stamp: Option<Stamp>,
    exact: Option<Moment>,
    /// The lines that it has.
    lines: usize,
}

/// The turns of a thread; `None` if the text is none.
pub fn read(text: &str, lines: &[Line]) -> Option<Read> {
    let mut openings: Vec<Option<Opening>> = (0..lines.len()).map(|at| opening(lines, at)).collect();
    let first = openings.iter().position(Option::is_some)?;
    // Who writes in a chat may quote a mail.
    let chat = |line: &Line| lines::head(line.text).is_some_and(|head| head.form == lines::Form::Name);
    if lines.iter().take(first).any(chat) {
        return None;
    }
    // The newest mail of a thread comes first.
    let mut stamps: Vec<&mut Stamp> = openings.iter_mut().flatten().filter_map(|opening| opening.stamp.as_mut()).collect();
    stamps.reverse();
    let unclear = stamp::settle(stamps);
    let mut turns: Vec<Turn> = Vec::new();
    let mut by: (Option<String>, Option<Moment>) = (None, None);
    let (mut open, mut skip, mut signed) = (false, 0_usize, false);
    for (line, opening) in lines.iter().zip(openings) {
        if skip > 0 {
            skip -= 1;
        } else if let Some(opening) = opening {
            by = (opening.sender, opening.exact.or_else(|| opening.stamp.and_then(|stamp| stamp.at(None))));
            (open, signed, skip) = (false, false, opening.lines - 1);
        } else if is_quote(line) || is_attribution(line.text) || is_divider(line.text) {
            // What is quoted was said before.
            open = false;
        } else if line.text == "-- " || line.text == "--" {
            signed = true;
        } else if !signed && !line.is_blank() {
            match turns.last_mut().filter(|_| open) {
                Some(turn) => turn.end = line.end(),
                None => turns.push(line.turn(0, by.0.clone(), Role::Person, by.1)),
            }
            open = true;
        }
    }
    Some(Read { turns: filled(text, turns), unclear })
}

/// The label of a line and what follows: "From: Vera", "**Von:** Vera", "De : Vera".
fn labelled(line: &str) -> Option<(String, &str)> {
    let bare = line.trim_start_matches(['*', ' ', '_']);
    let colon = bare.bytes().take(24).position(|byte| byte == b':')?;
    let name = bare.get(..colon)?.trim_matches(['*', '_', ' ', '\u{a0}']).to_lowercase();
    Some((name, bare.get(colon + 1..)?.trim_matches(['*', '_', ' ', '\u{a0}', '\r'])))
}

/// A mail that begins at a line: with "From: …", "Sent: …" and others, or after "On …, Vera wrote:" if what follows is not marked as quoted.
fn opening(lines: &[Line], at: usize) -> Option<Opening> {
    let line = lines.get(at)?.text;
    if let Some((label, from)) = labelled(line).filter(|(label, _)| FROM.contains(&label.as_str())) {
        let block: Vec<(String, &str)> = lines.iter().skip(at + 1).take(BLOCK).map_while(|line| labelled(line.text)).collect();
        let is_field = |name: &String| [SENT, OTHERS, FROM].iter().any(|names| names.contains(&name.as_str()));
        let fields: Vec<&(String, &str)> = block.iter().take_while(|(name, _)| is_field(name)).collect();
        let sent = fields.iter().find(|(name, _)| SENT.contains(&name.as_str()))?.1;
        let others = fields.iter().any(|(name, _)| OTHERS.contains(&name.as_str()));
        let sender = Some(sender(from)).filter(|name| !name.is_empty() && !label.is_empty());
        let exact = DateTime::parse_from_rfc2822(sent).ok().filter(|at| stamp::plausible(at.to_utc()));
        let exact = exact.map(|at| Moment { at, local: false });
        let stamp = stamp::unsettled(sent).map(|(stamp, _)| stamp);
        // Notes of a journey have "From", "To" and a day, too; a mail has a subject, an address or a time of day.
        let subject = fields.iter().any(|(name, value)| SUBJECT.contains(&name.as_str()) || value.contains('@'));
        let others = others && (subject || from.contains('@') || exact.is_some() || stamp.is_some_and(|stamp| stamp.is_whole()));
        return others.then_some(Opening { sender, stamp, exact, lines: fields.len() + 1 });
    }
    let (name, stamp) = wrote(line)?;
    let next = lines.iter().skip(at + 1).find(|line| !line.is_blank())?;
    (!is_quote(next)).then_some(Opening { sender: Some(name), stamp, exact: None, lines: 1 })
}

/// `Vera Lind <vera@acme.example>` without the address, or the address alone.
fn sender(value: &str) -> String {
    let (name, rest) = value.split_once(['<', '[']).unwrap_or((value, ""));
    let name = name.trim().trim_matches(['"', '\'']).trim();
    let address = rest.split(['>', ']', '|']).next().unwrap_or_default().trim_start_matches("mailto:").trim();
    if name.is_empty() { address.to_owned() } else { name.to_owned() }
}

fn is_attribution(line: &str) -> bool {
    wrote(line).is_some()
}

/// Who wrote what follows, and when: "On Sun, May 3, 2026 at 9:15 AM Vera Lind <vera@acme.example> wrote:".
fn wrote(line: &str) -> Option<(String, Option<Stamp>)> {
    let line = line.trim();
    let said = line.strip_suffix(':').filter(|line| line.len() < 300)?.trim_end();
    let begins = ["On ", "Am ", "El ", "Le ", "Il ", "Op "].iter().find_map(|word| said.strip_prefix(word))?;
    let verb = WROTE.iter().find(|verb| said.contains(**verb))?;
    let day = stamp::unsettled(begins).map(|(stamp, _)| stamp);
    // "Vera wrote", or "schrieb Vera": whoever comes after "to" is somebody else.
    let named = |after: &&str| after.trim_start().starts_with(|c: char| !c.is_lowercase());
    let name = said.strip_suffix(*verb).or_else(|| said.split_once(*verb).map(|(_, after)| after).filter(named))?;
    let (name, address) = name.split_once(['<', '(']).unwrap_or((name, ""));
    let is_name =
        |word: &&str| word.starts_with(|c: char| c.is_alphabetic() && !c.is_lowercase()) && !matches!(*word, "AM" | "PM" | "UTC" | "GMT");
    let mut words: Vec<&str> =
        name.trim().trim_end_matches(',').rsplit(' ').take_while(is_name).filter(|word| !word.ends_with(',')).collect();
    words.reverse();
    let address = address.trim_matches(['<', '>', '(', ')', ' ', ',']);
    let name = if words.is_empty() { address.to_owned() } else { words.join(" ") };
    // In a sentence, nobody writes an address or begins with a date.
    (!name.is_empty() && (day.is_some() || address.contains('@'))).then_some((name, day))
}

fn is_quote(line: &Line) -> bool {
    line.text.trim_start().starts_with('>')
}

/// "-----Original Message-----", "________________".
fn is_divider(line: &str) -> bool {
    let line = line.trim();
    (line.starts_with("-----") && line.ends_with("-----")) || (line.len() > 9 && line.bytes().all(|byte| byte == b'_'))
}

#[cfg(test)]
mod tests {
    use crate::transcript::read;

    /// Speaker, time and words of each turn.
    fn turns(source: &[u8]) -> Vec<(String, String, String)> {
        let read = read(source).unwrap();
        assert!(read.turns.iter().all(|turn| read.text.get(turn.start..turn.end) == Some(&turn.text)));
        let time = |at: Option<chrono::DateTime<chrono::FixedOffset>>| at.map_or_else(String::new, |at| at.format("%F %R").to_string());
        read.turns.into_iter().map(|turn| (turn.speaker.unwrap_or_default(), time(turn.at), turn.text)).collect()
    }

    fn said(name: &str, at: &str, text: &str) -> (String, String, String) {
        (name.to_owned(), at.to_owned(), text.to_owned())
    }

    #[test]
    fn the_sender_of_a_message_speaks() {
        let fields = "Received: from a\r\n by b\r\nFrom: =?utf-8?Q?Vera_Bl=C3=BCm?= <vera@acme.example>\r\nTo: Idris\r\n\
                      Date: Mon, 4 May 2026 10:02:00 +0200 (CEST)\r\nSubject: =?iso-8859-1?B?QvxybyA=?= =?utf-8?q?move?=\r\nMIME-Version: 1.0\r\n";
        let expected = [said("Vera Blüm", "2026-05-04 10:02", "I moved to Zürich.")];
        let plain = |kind: &str, encoding: &str, body: &[u8]| {
            let head = format!("Content-Type: {kind}\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n");
            [head.as_bytes(), body, b"\r\n\r\n> I live in Oslo\r\n-- \r\nVera, Harbour 1\r\n"].concat()
        };
        let utf8 = plain("text/plain; charset=utf-8", "8bit", "I moved to Zürich.".as_bytes());
        let latin = plain("text/plain; charset=\"ISO-8859-1\"", "8bit", b"I moved to Z\xfcrich.");
        let quoted = plain("text/plain; charset=utf-8", "quoted-printable", b"I moved to =\r\nZ=C3=BCrich.");
        for part in [&utf8, &latin, &quoted] {
            assert_eq!(turns(&[fields.as_bytes(), part].concat()), expected);
            let parts = "Content-Type: multipart/alternative;\r\n boundary=\"x1\"\r\n\r\nignored\r\n--x1\r\nContent-Type: text/html\r\n\r\n<p>no</p>\r\n--x1\r\n";
            assert_eq!(turns(&[fields.as_bytes(), parts.as_bytes(), part, b"--x1--\r\n"].concat()), expected);
        }
        let base64 =
            "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\nSSBtb3ZlZCB0\r\nbyBaw7xyaWNoLg==\r\n";
        assert_eq!(turns(&[fields, base64].concat().into_bytes()), expected);
        assert!(read(&[fields.as_bytes(), &utf8].concat()).unwrap().text.contains("Subject: Büro move\n"));
    }

    #[test]
    fn a_thread_has_the_senders_of_its_mails() {
        let outlook = "From: Vera Lind <vera@acme.example>\nSent: Monday, May 4, 2026 8:02 AM\nTo: Idris Amin\nSubject: RE: Budget\n\n\
                       Hi Idris,\n\nI moved.\nNote: soon.\n\n-----Original Message-----\n\
                       **Von:** Idris Amin\n**Gesendet:** 03.05.2026 09:15\n**An:** Vera\n**Betreff:** Budget\n\nI live in Oslo.\n";
        let (vera, idris) = ("Hi Idris,\n\nI moved.\nNote: soon.", "I live in Oslo.");
        assert_eq!(turns(outlook.as_bytes()), [said("Vera Lind", "2026-05-04 08:02", vera), said("Idris Amin", "2026-05-03 09:15", idris)]);
        let gmail = "Thanks!\n\nOn Sun, May 3, 2026 at 9:15 AM Vera Lind <vera@acme.example> wrote:\n\nI moved.\n\n\
                     Am 02.05.2026 um 09:15 schrieb Idris Amin <idris@acme.example>:\n\nI live in Oslo.\n";
        assert_eq!(
            turns(gmail.as_bytes()),
            [said("", "", "Thanks!"), said("Vera Lind", "2026-05-03 09:15", "I moved."), said("Idris Amin", "2026-05-02 09:15", idris)]
        );
        let quoted =
            "From: Vera\nDate: 2026-05-04 08:02\nTo: Idris\n\nSee below.\n\nOn 3 May 2026, Idris wrote:\n> I live in Oslo.\nGood.\n";
        assert_eq!(turns(quoted.as_bytes()), [said("Vera", "2026-05-04 08:02", "See below."), said("Vera", "2026-05-04 08:02", "Good.")]);
    }

    #[test]
    fn notes_that_look_like_a_mail_have_no_sender() {
        for note in [
            "From: Basel\nTo: Oslo\nDate: 3 May 2026\n\nI decided to take the train.",
            "On 3 May 2026 Vera wrote to Idris Amin:\nI moved to Oslo.",
        ] {
            let turns = turns(note.as_bytes());
            assert!(!turns.is_empty() && turns.iter().all(|(name, ..)| !["Basel", "Idris Amin"].contains(&name.as_str())), "{turns:?}");
        }
    }

    #[test]
    fn the_newest_mail_of_a_thread_comes_first() {
        let mail = |name: &str, day: &str| format!("From: {name} Lind\nSent: {day}\nTo: Mina\nSubject: Boat\n\nHello from {name}.\n\n");
        let thread = format!("{}{}", mail("Vera", "09/06/2026 09:12"), mail("Idris", "10/05/2026 09:12"));
        let at: Vec<String> = turns(thread.as_bytes()).into_iter().map(|(_, at, _)| at).collect();
        assert_eq!(at, ["2026-06-09 09:12", "2026-05-10 09:12"]);
    }

    #[test]
    fn a_chat_may_quote_a_mail() {
        let chat = "Vera: see this\nFrom: Idris\nSent: 2026-05-03\nTo: Vera\nI moved.\nVera: nice";
        let turns = turns(chat.as_bytes());
        assert!(!turns.is_empty() && turns.iter().all(|(name, ..)| name == "Vera"), "{turns:?}");
    }
}

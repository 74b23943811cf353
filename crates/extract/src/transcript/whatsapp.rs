//! Chats that WhatsApp exports: "03.05.26, 09:12 - Vera: …" on Android and "[03/05/2026, 09:12:33] Vera: …" on iPhones, in all languages.

use super::plain::{Line, Read, filled};
use super::stamp::{self, Stamp};
use crate::{Role, Turn};

/// The longest name, in bytes.
const NAME_MAX: usize = 128;
/// The texts that the program writes instead of a message, in lower case.
#[rustfmt::skip]
const NOTICES: &[&str] = &[
    "this message was deleted", "you deleted this message", "diese nachricht wurde gelöscht", "du hast diese nachricht gelöscht",
    "se eliminó este mensaje", "eliminaste este mensaje", "ce message a été supprimé", "vous avez supprimé ce message",
    "questo messaggio è stato eliminato", "hai eliminato questo messaggio", "null", "missed voice call", "missed video call",
];

/// How the names of attachments end.
#[rustfmt::skip]
const MEDIA: &[&str] = &[
    "jpg", "jpeg", "png", "webp", "gif", "mp4", "mov", "3gp", "opus", "ogg", "mp3", "m4a", "aac", "amr", "pdf", "doc", "docx", "xls",
    "xlsx", "ppt", "pptx", "vcf", "zip", "txt", "csv",
];

/// The line that begins a message.
struct Entry<'a> {
    stamp: Stamp,
    /// Absent where the program speaks.
    speaker: Option<&'a str>,
    /// Where the words begin, in bytes of the line.
    body: usize,
}

/// The turns of an exported chat; `None` if the text is none.
pub fn read(text: &str, lines: &[Line]) -> Option<Read> {
    let first = lines.iter().find(|line| !line.is_blank())?;
    entry(first.text)?;
    let mut entries: Vec<Option<Entry>> = lines.iter().map(|line| entry(line.text)).collect();
    let all = entries.iter().flatten().count();
    let named = entries.iter().flatten().filter(|entry| entry.speaker.is_some()).count();
    if named == 0 || named * 2 < all {
        return None;
    }
    let unclear = stamp::settle(entries.iter_mut().flatten().map(|entry| &mut entry.stamp).collect());
    let (mut turns, mut open): (Vec<Turn>, bool) = (Vec::new(), false);
    for (line, entry) in lines.iter().zip(entries) {
        if let Some(Entry { stamp, speaker, body }) = entry {
            open = speaker.is_some();
            // The name of an attachment is no word of its sender; the lines after it are.
            let body = if is_file(line.text.get(body..).unwrap_or_default()) { line.text.len() } else { body };
            turns.extend(speaker.map(|name| line.turn(body, Some(name.to_owned()), Role::Person, stamp.at(None))));
        } else if let Some(turn) = turns.last_mut().filter(|_| open && !line.is_blank()) {
            turn.end = line.end();
        }
    }
    let mut turns = filled(text, turns);
    turns.retain(|turn| !is_notice(&turn.text));
    Some(Read { turns, unclear })
}

fn entry(line: &str) -> Option<Entry<'_>> {
    let bare = line.trim_start_matches(is_mark);
    let (stamp, rest) = match bare.strip_prefix('[') {
        // "[2026-05-03 09:12] Vera: …" is what other programs write.
        Some(inside) if inside.get(4..5) == Some("-") => return None,
        Some(inside) => {
            let (stamp, length) = stamp::unsettled(inside)?;
            (stamp, inside.get(length..)?.strip_prefix("] ")?)
        }
        None => {
            let (stamp, length) = stamp::unsettled(bare)?;
            let after = bare.get(length..)?;
            (stamp, after.strip_prefix(" - ").or_else(|| after.strip_prefix(" – "))?)
        }
    };
    let colon = rest.find(": ").or_else(|| rest.strip_suffix(':').map(str::len));
    let name = colon.and_then(|colon| rest.get(..colon)).map(|name| name.trim_matches(|c| is_mark(c) || c.is_whitespace() || c == '~'));
    let speaker = name.filter(|name| !name.is_empty() && name.len() <= NAME_MAX && !name.contains(['"', '“', '”', '„', '«']));
    let body = line.len() - rest.len() + colon.map_or(0, |colon| colon + 1);
    stamp.is_whole().then_some(Entry { stamp, speaker, body })
}

/// Marks of direction that the program adds.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{feff}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// "IMG-20260503-WA0001.jpg (file attached)".
fn is_file(body: &str) -> bool {
    let body = body.trim_matches(|c: char| is_mark(c) || c.is_whitespace());
    let is_media = |file: &str| file.rsplit_once('.').is_some_and(|(_, kind)| MEDIA.contains(&kind.to_ascii_lowercase().as_str()));
    body.split_once(" (").is_some_and(|(file, note)| !file.contains(' ') && is_media(file) && note.ends_with(')') && note.len() < 40)
}

/// Whether the program speaks instead of the sender: "<Media omitted>", "\u{200e}image omitted".
fn is_notice(text: &str) -> bool {
    let one = !text.contains('\n');
    one && (text.starts_with('\u{200e}')
        || (text.starts_with('<') && text.ends_with('>'))
        || (text.len() < 60 && NOTICES.contains(&text.trim_end_matches('.').to_lowercase().as_str())))
}

#[cfg(test)]
mod tests {
    use crate::transcript::plain;

    /// Speaker, time and words of each turn.
    fn turns(text: &str) -> Vec<(String, String, String)> {
        let turn = |turn: crate::Turn| {
            (turn.speaker.unwrap_or_default(), turn.at.map_or_else(String::new, |at| at.format("%F %T").to_string()), turn.text)
        };
        plain::read(text).turns.into_iter().map(turn).collect()
    }

    #[test]
    fn chats_are_read_in_their_languages() {
        for (text, name, at) in [
            ("03.05.26, 09:11 - Nachrichten sind verschlüsselt.\n03.05.26, 09:12 - Vera: Hi\nthere", "Vera", "2026-05-03 09:12:00"),
            ("[13/05/2026, 09:12:33] Vera: Hi\nthere", "Vera", "2026-05-13 09:12:33"),
            ("\u{200e}[03.05.26, 09:12:10] +41 79 123 45 67: Hi\nthere", "+41 79 123 45 67", "2026-05-03 09:12:10"),
            ("[03.05.26, 09:12:10] ~\u{202f}Vera: Hi\nthere", "Vera", "2026-05-03 09:12:10"),
            ("[5/13/26, 9:12:10\u{202f}PM] Vera 🚢: Hi\nthere", "Vera 🚢", "2026-05-13 21:12:10"),
            ("13/5/2026, 9:12\u{a0}a.\u{a0}m. - Mamá: Hi\nthere", "Mamá", "2026-05-13 09:12:00"),
            ("13/05/2026 à 09:12 - Vera Lind: Hi\nthere", "Vera Lind", "2026-05-13 09:12:00"),
            ("13/05/26 09.12 - Vera: Hi\nthere", "Vera", "2026-05-13 09:12:00"),
            ("3.5.2026 klo 9.12 - Vera: Hi\nthere", "Vera", "2026-05-03 09:12:00"),
            ("2026. 5. 3. 오후 9:12 - 베라: Hi\nthere", "베라", "2026-05-03 21:12:00"),
            ("[2026/5/3 下午9:12:33] 薇拉: Hi\nthere", "薇拉", "2026-05-03 21:12:33"),
            ("2026-05-03, 09:12 - vera: Hi\nthere", "vera", "2026-05-03 09:12:00"),
        ] {
            assert_eq!(turns(text), [(name.to_owned(), at.to_owned(), "Hi\nthere".to_owned())], "{text}");
        }
    }

    #[test]
    fn what_the_program_says_is_no_turn() {
        let text = "13/05/26, 09:11 - Messages and calls are end-to-end encrypted.\n\
                    13/05/26, 09:12 - Vera: <Media omitted>\n\
                    13/05/26, 09:12 - Vera: IMG-20260513-WA0001.jpg (file attached)\nMy boat: it is blue.\n\
                    13/05/26, 09:13 - Idris changed the subject to “Budget: 2026”\nand more\n\
                    13/05/26, 09:14 - Idris: You deleted this message\n\
                    13/05/26, 09:15 - Idris: Nice:\nfn main() { let x: i32 = 1; }\nName: value\n";
        assert_eq!(
            turns(text),
            [
                ("Vera".to_owned(), "2026-05-13 09:12:00".to_owned(), "My boat: it is blue.".to_owned()),
                ("Idris".into(), "2026-05-13 09:15:00".into(), "Nice:\nfn main() { let x: i32 = 1; }\nName: value".into()),
            ]
        );
        let phone = "[13/05/26, 09:11:00] Harbour: \u{200e}Messages are encrypted.\n[13/05/26, 09:12:00] Vera: \u{200e}image omitted\n\
                     [13/05/26, 09:13:00] Vera: Hi";
        assert_eq!(turns(phone).len(), 1);
    }

    #[test]
    fn a_person_may_be_called_claude() {
        let turns = plain::read("03.05.26, 09:12 - Claude: I moved to Basel.").turns;
        assert_eq!((turns[0].speaker.as_deref(), turns[0].role), (Some("Claude"), crate::Role::Person));
    }

    #[test]
    fn a_message_with_a_remark_is_no_attachment() {
        for words in ["Ok. (I moved to Basel)", "acme.example (my new site)"] {
            let text = format!("03.05.26, 09:12 - Vera: {words}\n03.05.26, 09:13 - Vera: IMG-1.jpg (file attached)");
            assert_eq!(turns(&text).into_iter().map(|(_, _, said)| said).collect::<Vec<_>>(), [words]);
        }
    }

    #[test]
    fn times_that_cannot_be_told_are_left_out() {
        let read = plain::read("5/3/26, 9:12 AM - Vera: Hi\n5/4/26, 9:12 AM - Idris: Ho");
        assert!(read.unclear && read.turns.len() == 2 && read.turns.iter().all(|turn| turn.at.is_none()));
        let read = plain::read("5/3/26, 9:12 AM - Vera: Hi\n5/13/26, 9:12 AM - Idris: Ho");
        assert!(!read.unclear && read.turns.len() == 2 && read.turns.iter().all(|turn| turn.at.is_some()));
    }
}

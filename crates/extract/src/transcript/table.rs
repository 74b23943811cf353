//! Tables of messages (CSV). Their columns are named as each program likes, so a person writes them as turns.

use super::ReadError;

/// Columns that hold what was said.
const WORDS: &[&str] = &["body", "comment", "content", "message", "text"];
/// Columns that say who said it, or when.
#[rustfmt::skip]
const HEADS: &[&str] = &[
    "author", "createdat", "date", "datetime", "from", "name", "role", "sender", "sentat", "speaker", "time", "timestamp", "ts", "user",
    "username",
];

/// The refusal of a table of messages.
pub fn refusal(text: &str) -> Option<ReadError> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let (head, row) = (lines.next()?, lines.next()?);
    let is_table = [',', ';', '\t'].into_iter().any(|mark| {
        let plain = |cell: &str| cell.to_lowercase().replace(['"', ' ', '_', '-'], "");
        let cells: Vec<String> = head.split(mark).map(plain).collect();
        let has = |names: &[&str]| cells.iter().any(|cell| names.contains(&cell.as_str()));
        row.contains(mark) && has(WORDS) && has(HEADS)
    });
    is_table.then_some(ReadError::Foreign {
        what: "a table (CSV)",
        recipe: "write each row as `[2026-05-03 09:12] Vera: I moved.`, or send JSON: a list of objects with `role`, `name`, `timestamp` \
                 and `content`",
    })
}

#[cfg(test)]
mod tests {
    use super::refusal;

    #[test]
    fn tables_of_messages_are_refused_and_notes_are_not() {
        for table in [
            "timestamp,speaker,text\n2026-05-03T09:12:10,Vera,\"I moved.\"",
            "AuthorID,Author,Date,Content,Attachments,Reactions\n\"1\",\"vera\",\"2026-05-03\",\"I moved.\",\"\",\"\"",
            "Date;From;Message\r\n\r\n2026-05-03;Vera;I moved.",
            "user\ttext\nVera\tI moved.",
        ] {
            assert!(refusal(table).is_some_and(|error| error.to_string().contains("a table (CSV)")), "{table}");
        }
        for text in ["", "text, name", "name,city\nVera,Basel", "Vera, Idris, date\nMina, text", "Text from Vera, time unknown\nhi, all"] {
            assert_eq!(refusal(text), None, "{text}");
        }
    }
}

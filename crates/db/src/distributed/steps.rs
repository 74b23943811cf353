//! Texts of several statements, one statement at a time. Citus sends the whole text to every node for some statements that change the schema,
//! and a node refuses a text of several.

use sqlx::migrate::{Migration, Migrator};
use sqlx::{AssertSqlSafe, SqlSafeStr};

/// What encloses a statement as a string. No statement has it.
const MARK: &str = "$statement$";

/// The same migrations, with the same checksums, for a distributed database.
pub fn migrator(of: &Migrator) -> Migrator {
    let alone = |migration: &Migration| {
        let each: String = split(migration.sql.as_str()).iter().map(|statement| format!("execute {MARK}{statement}{MARK}; ")).collect();
        let text = format!("do $migration$ begin {each}end $migration$");
        Migration { sql: AssertSqlSafe(text).into_sql_str(), ..migration.clone() }
    };
    Migrator::with_migrations(of.iter().map(alone).collect())
}

/// The statements of a text, without what separates them.
pub fn split(text: &str) -> Vec<&str> {
    let (mut statements, mut start, mut at) = (Vec::new(), 0, 0);
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with(';') {
            statements.push(&text[start..at]);
            start = at + 1;
        }
        at += whole(rest);
    }
    statements.push(&text[start..]);
    statements.into_iter().map(str::trim).filter(|statement| !is_comment(statement)).collect()
}

/// How many bytes at the beginning of a text belong together: a string, a name in quotes, a comment, or one character.
fn whole(text: &str) -> usize {
    let until = |end: &str, from: usize| text[from..].find(end).map_or(text.len(), |place| from + place + end.len());
    match text.as_bytes() {
        [b'\'', ..] => until("'", 1),
        [b'"', ..] => until("\"", 1),
        [b'-', b'-', ..] => until("\n", 2),
        [b'/', b'*', ..] => until("*/", 2),
        [b'$', ..] => tag(text).map_or(1, |tag| until(tag, tag.len())),
        _ => text.chars().next().map_or(1, char::len_utf8),
    }
}

/// The mark that begins a string between dollars; a parameter is none.
fn tag(text: &str) -> Option<&str> {
    let name = text[1..].find('$')?;
    let tag = &text[..name + 2];
    tag[1..=name].chars().all(|c| c.is_ascii_alphabetic() || c == '_').then_some(tag)
}

fn is_comment(statement: &str) -> bool {
    statement.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with("--"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::migrate::MIGRATORS;

    #[test]
    fn a_statement_ends_outside_of_strings_names_and_comments() {
        let text = "-- one; two\nselect ';', 'it''s;', \";\" /* ; */; do $a$ begin; $$;$$; end $a$;\n select $1 ;-- the end;\n";
        let expected = ["-- one; two\nselect ';', 'it''s;', \";\" /* ; */", "do $a$ begin; $$;$$; end $a$", "select $1"];
        assert_eq!(split(text), expected);
        assert!(split(" -- nothing\n\n;").is_empty());
        assert_eq!(split("select 'ü;'; select $$ü;"), ["select 'ü;'", "select $$ü;"]);
    }

    #[test]
    fn migrations_are_whole_statements_and_keep_their_checksums() {
        let mut statements = 0;
        for (name, migrations) in MIGRATORS {
            for (one, alone) in migrations.iter().zip(migrator(migrations).iter()) {
                assert_eq!((one.version, &one.checksum), (alone.version, &alone.checksum), "{name}");
                assert!(!one.no_tx, "{name} {}: what enclosed statements do is one transaction", one.version);
                assert!(!one.sql.as_str().contains(MARK) && !one.sql.as_str().contains("$migration$"), "{name} {}", one.version);
                for statement in split(one.sql.as_str()) {
                    let begins = statement.lines().find(|line| !line.trim().is_empty() && !line.trim_start().starts_with("--"));
                    assert!(begins.unwrap().starts_with(|c: char| c.is_ascii_lowercase()), "{name} {}: {statement}", one.version);
                    statements += 1;
                }
            }
        }
        assert!(statements > 100, "{statements}");
    }
}

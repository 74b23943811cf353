//! Edits of a TOML file that keep every other byte of it: a table is appended to the text and cut out of it.

use crate::Failure;
use std::fmt::Write;
use toml::{Table, Value};

/// A table that a TOML file gets.
pub struct Section {
    /// The table that holds it, and its name there.
    pub path: [&'static str; 2],
    /// Its keys, each with a value as TOML writes it, in one line.
    pub keys: Vec<(&'static str, String)>,
}

impl Section {
    /// The text with the table; unchanged if it has a table of that name already that is to stay.
    ///
    /// # Errors
    /// A sentence with the line, if the text is not TOML, or if the table has no place in it.
    pub fn with(&self, text: &str, goes: &impl Fn(&Value) -> bool) -> Result<String, Failure> {
        let wanted: Table = self.lines().parse()?;
        let present = self.present(&read(text)?).cloned();
        if present.is_some() && (present.as_ref() == self.present(&wanted) || !present.as_ref().is_some_and(goes)) {
            return Ok(text.to_owned());
        }
        let base = self.without(text, goes)?.unwrap_or_else(|| text.to_owned());
        let gap = if base.is_empty() { "" } else { "\n" };
        let end = if base.is_empty() || base.ends_with('\n') { "" } else { "\n" };
        let with = format!("{base}{end}{gap}{}", self.lines());
        let has_place = read(&with).is_ok_and(|table| self.present(&table) == self.present(&wanted));
        has_place.then_some(with).ok_or_else(|| format!("“{}” is not a table with a header of its own", self.path[0]).into())
    }

    /// The text without the table; none if it has none that is to go.
    ///
    /// # Errors
    /// A sentence, if the text is not TOML, or if a person changed the table so that it cannot be told from the rest.
    pub fn without(&self, text: &str, goes: &impl Fn(&Value) -> bool) -> Result<Option<String>, Failure> {
        let before = read(text)?;
        if !self.present(&before).is_some_and(goes) {
            return Ok(None);
        }
        let without = self.cut(text);
        let is_exact = without.as_deref().and_then(|text| read(text).ok()).is_some_and(|after| after == self.removed(before));
        let changed = || format!("[{}] was changed since; remove it by hand", self.path.join("."));
        if is_exact { Ok(without) } else { Err(changed().into()) }
    }

    fn present<'t>(&self, table: &'t Table) -> Option<&'t Value> {
        table.get(self.path[0])?.get(self.path[1])
    }

    /// The tables without this one, and without the one around it if that holds nothing else.
    fn removed(&self, mut table: Table) -> Table {
        let is_empty = table.get_mut(self.path[0]).and_then(Value::as_table_mut).is_some_and(|holder| {
            holder.remove(self.path[1]);
            holder.is_empty()
        });
        if is_empty {
            table.remove(self.path[0]);
        }
        table
    }

    /// The text without the header, the lines of its keys and the empty line before it.
    fn cut(&self, text: &str) -> Option<String> {
        let header = self.header();
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        let first = lines.iter().position(|line| line.trim() == header)?;
        let is_ours = |line: &&&str| line.split_once('=').is_some_and(|(key, _)| self.keys.iter().any(|(name, _)| *name == key.trim()));
        let count = lines[first + 1..].iter().take_while(is_ours).count();
        let blank = usize::from(first > 0 && lines[first - 1].trim().is_empty());
        lines.drain(first - blank..=first + count);
        Some(lines.concat())
    }

    fn header(&self) -> String {
        format!("[{}]", self.path.join("."))
    }

    fn lines(&self) -> String {
        let mut lines = format!("{}\n", self.header());
        for (key, value) in &self.keys {
            // Writing to a string cannot fail.
            let _ = writeln!(lines, "{key} = {value}");
        }
        lines
    }
}

/// Reads a text.
fn read(text: &str) -> Result<Table, Failure> {
    text.parse().map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| text.get(..span.start).unwrap_or_default().matches('\n').count() + 1);
        format!("it is not TOML: {} (line {line})", error.message()).into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOREIGN: &str = "# mine\nmodel = \"o4\"  # stays\n\n[mcp_servers.other]\ncommand = 'x'\n";

    fn section(program: &str) -> Section {
        let keys = vec![("command", format!("\"{program}\"")), ("args", "[\"mcp\"]".to_owned())];
        Section { path: ["mcp_servers", "remembrancer"], keys }
    }

    fn is_ours(value: &Value) -> bool {
        value.get("args").is_some()
    }

    #[test]
    fn a_table_is_appended_and_cut_and_comments_stay() {
        for text in ["", FOREIGN] {
            let with = section("a").with(text, &is_ours).unwrap();
            assert!(with.starts_with(text) && with.ends_with("[mcp_servers.remembrancer]\ncommand = \"a\"\nargs = [\"mcp\"]\n"), "{with}");
            assert_eq!(section("a").with(&with, &is_ours).unwrap(), with, "twice is once");
            let later = format!("{with}\n# later\n[tui]\ntheme = \"x\"\n");
            let expected = format!("{text}\n# later\n[tui]\ntheme = \"x\"\n");
            assert_eq!(section("a").without(&later, &is_ours).unwrap().unwrap(), expected);
            assert_eq!(section("b").with(&with, &is_ours).unwrap(), with.replace("\"a\"", "\"b\""), "another program takes its place");
        }
    }

    #[test]
    fn a_table_of_a_person_stays() {
        let text = "[mcp_servers.remembrancer]\nurl = \"https://memory.example.org/mcp\"\n";
        assert_eq!(section("a").with(text, &is_ours).unwrap(), text);
        assert_eq!(section("a").without(text, &is_ours).unwrap(), None);
    }

    #[test]
    fn what_cannot_be_edited_is_refused() {
        let error = section("a").with("model = \"o4\"\n\nx = = 1\n", &is_ours).unwrap_err().to_string();
        assert!(error.contains("line 3"), "{error}");
        let error = section("a").with("mcp_servers = { other = { command = \"x\" } }\n", &is_ours).unwrap_err();
        assert_eq!(error.to_string(), "“mcp_servers” is not a table with a header of its own");
        let changed = "[mcp_servers.remembrancer]\ncommand = \"a\"\nargs = [\"mcp\"]\nenabled = false\n";
        let error = section("a").without(changed, &is_ours).unwrap_err();
        assert_eq!(error.to_string(), "[mcp_servers.remembrancer] was changed since; remove it by hand");
    }
}

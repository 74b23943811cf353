//! A document as a Markdown file again, from what is stored of it. Pure.

use serde_json::Value;

/// Writes a document as a Markdown file: its front matter, and each part below the headings that lead to it. Headings without a text and the
/// blanks between parts are not stored, so the file may differ from the one that was ingested.
pub fn restore<'a>(front_matter: &Value, parts: impl Iterator<Item = (&'a [String], &'a str)>) -> String {
    let fields = front_matter.as_object().into_iter().flatten();
    // A value of JSON is one of YAML, too.
    let fields: String = fields.map(|(name, value)| format!("{}: {value}\n", Value::from(name.as_str()))).collect();
    let mut blocks = if fields.is_empty() { Vec::new() } else { vec![format!("---\n{fields}---")] };
    let mut path: &[String] = &[];
    for (headings, text) in parts {
        let shared = path.iter().zip(headings).take_while(|(left, right)| left == right).count();
        let levels = headings.iter().enumerate().skip(shared);
        blocks.extend(levels.map(|(above, heading)| format!("{} {heading}", "#".repeat((above + 1).min(6)))));
        blocks.push(text.to_owned());
        path = headings;
    }
    blocks.join("\n\n") + "\n"
}

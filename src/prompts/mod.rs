//! The disciplines that make the tools useful: what an agent is told about recalling, writing and wording. Versioned, one file each.

use crate::api::Prompt;
use crate::tools;

/// Name, title, version, text. A changed text gets a new version.
const PROMPTS: [(&str, &str, u32, &str); 3] = [
    ("recall", "Recall before you reason", 1, include_str!("recall.md")),
    ("write", "Remember what lasts", 1, include_str!("write.md")),
    ("vocabulary", "Speak one vocabulary", 1, include_str!("vocabulary.md")),
];

/// Every prompt, with `{{tool}}` replaced by the tool's name as the registry has it.
pub fn all() -> Vec<Prompt> {
    let fill =
        |text: &str| tools::all().iter().fold(text.to_owned(), |text, tool| text.replace(&format!("{{{{{}}}}}", tool.name), tool.name));
    PROMPTS
        .iter()
        .map(|(name, title, version, text)| Prompt { name: (*name).into(), title: (*title).into(), version: *version, text: fill(text) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::all;

    #[test]
    fn every_tool_that_a_prompt_names_exists() {
        for prompt in all() {
            assert!(!prompt.text.contains("{{"), "{} names a tool that is not there", prompt.name);
            assert!(prompt.text.contains('`'), "{} names no tool", prompt.name);
        }
    }
}

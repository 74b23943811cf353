//! What is known of the user as a whole: the working memory and the profile, as blocks.

use super::assembly::block::{Block, Piece};
use crate::profile::{self, Doubtful, Part, ProfileContext};
use foundation::{Engine, Error, OpContext};
use serde_json::{Value, json};
use uuid::Uuid;
use wire::{BlockItem, BlockName, ItemOrigin};
use words::quote;

/// The profile of the user of an operation, with what was learned about the connections in use: those that are named, or all that are active.
pub(super) async fn profile_blocks(engine: &Engine, ctx: &OpContext, connections: Option<&[Uuid]>) -> Result<Vec<Block>, Error> {
    Ok(profile::for_context(engine, ctx, connections).await?.map(blocks).unwrap_or_default())
}

/// The blocks of a profile; what is empty has none.
fn blocks(profile: ProfileContext) -> Vec<Block> {
    let ProfileContext { working_memory, scaffold, learned, doubtful, version } = profile;
    let item = BlockItem { version: i32::try_from(version).ok(), ..BlockItem::of(ItemOrigin::Profile) };
    let parts = [
        (BlockName::WorkingMemory, quoted(&working_memory)),
        (BlockName::StructuredData, marked(&scaffold, Part::Scaffold, &doubtful)),
        (BlockName::LearnedInfo, marked(&learned, Part::Learned, &doubtful)),
    ];
    let block = |(name, text): (BlockName, String)| Block::new(name, vec![Piece::paragraph(&text, vec![item.clone()])]);
    parts.into_iter().filter(|(_, text)| !text.is_empty()).map(block).collect()
}

/// The working memory as a quotation: it consists of what people said.
fn quoted(text: &str) -> String {
    if text.trim().is_empty() { String::new() } else { quote::block(text.trim()) }
}

/// A part of the profile, and after it which of its values are doubtful: otherwise a guess of last year, or what an agent noted about a person,
/// would look like what is known.
fn marked(known: &Value, part: Part, doubtful: &[Doubtful]) -> String {
    let doubtful: Vec<&Doubtful> = doubtful.iter().filter(|one| one.part == part).collect();
    match json(known) {
        known if known.is_empty() || doubtful.is_empty() => known,
        known => {
            let agents = doubtful.iter().any(|one| one.unconfirmed);
            let meaning = if agents { "; unconfirmed: an agent noted it, and no person has said or confirmed it" } else { "" };
            format!("{known}\n\nOf these, doubtful (confidence from 0 to 1{meaning}):\n\n{}", json(&json!(doubtful)))
        }
    }
}

/// An object as JSON with its names in order; nothing if it is empty.
fn json(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Object(fields) if fields.is_empty() => String::new(),
        Value::Array(values) if values.is_empty() => String::new(),
        value => format!("```json\n{}\n```", quote::json_lines(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_part_of_a_profile_has_no_block() {
        let profile = ProfileContext {
            working_memory: "Vera plans the release.".into(),
            scaffold: json!({ "role": "lead" }),
            learned: json!({}),
            doubtful: vec![],
            version: 3,
        };
        let blocks = blocks(profile);
        assert_eq!(blocks.iter().map(|block| block.name).collect::<Vec<_>>(), [BlockName::WorkingMemory, BlockName::StructuredData]);
        assert!(blocks[1].text().contains("\"role\": \"lead\""), "{}", blocks[1].text());
        assert!(!blocks[1].text().contains("doubtful"));
        assert_eq!(blocks[0].text(), "# Your Context\n\n> Vera plans the release.\n\n");
    }

    #[test]
    fn a_doubtful_value_stands_with_its_confidence_and_cannot_leave_its_block() {
        let doubtful = |value: &str| {
            let path = vec!["Role".into()];
            Doubtful { part: Part::Scaffold, path, value: json!(value), confidence: 0.35, unconfirmed: false }
        };
        let text = marked(&json!({ "Role": ["lead", "pilot"] }), Part::Scaffold, &[doubtful("pilot"), doubtful("```\n# System")]);
        assert!(text.contains("\n\nOf these, doubtful (confidence from 0 to 1):\n\n```json\n"), "{text}");
        assert!(text.contains("\"confidence\": 0.35"), "{text}");
        assert_eq!(text.lines().filter(|line| line.starts_with("```")).count(), 4, "{text}");
        assert!(!text.contains("\n# System"), "{text}");
    }
}

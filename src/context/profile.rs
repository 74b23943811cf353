//! What is known of the user as a whole: the narrative and the profile, as blocks.

use super::assembly::block::{Block, Piece};
use crate::api::{BlockItem, BlockName, ItemOrigin};
use crate::engine::Engine;
use crate::error::Error;
use crate::op::OpContext;
use crate::profile::{self, ProfileContext};
use crate::quote;
use serde_json::Value;
use uuid::Uuid;

/// The profile of the user of an operation, with what was learned about the connections in use: those that are named, or all that are active.
///
/// # Errors
/// When the database is out of reach.
pub(super) async fn profile_blocks(engine: &Engine, ctx: &OpContext, connections: Option<&[Uuid]>) -> Result<Vec<Block>, Error> {
    Ok(profile::for_context(engine, ctx, connections).await?.map(blocks).unwrap_or_default())
}

/// The blocks of a profile; what is empty has none.
fn blocks(profile: ProfileContext) -> Vec<Block> {
    let ProfileContext { working_memory, scaffold, learned, version } = profile;
    let item = BlockItem { version: i32::try_from(version).ok(), ..BlockItem::of(ItemOrigin::Profile) };
    let parts = [
        (BlockName::WorkingMemory, narrative(&working_memory)),
        (BlockName::StructuredData, json(&scaffold)),
        (BlockName::LearnedInfo, json(&learned)),
    ];
    let block = |(name, text): (BlockName, String)| Block::new(name, vec![Piece::paragraph(&text, vec![item.clone()])]);
    parts.into_iter().filter(|(_, text)| !text.is_empty()).map(block).collect()
}

/// The narrative as a quotation: it consists of what people said.
fn narrative(text: &str) -> String {
    if text.trim().is_empty() { String::new() } else { quote::block(text.trim()) }
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
    use serde_json::json;

    #[test]
    fn an_empty_part_of_a_profile_has_no_block() {
        let profile = ProfileContext {
            working_memory: "Vera plans the release.".into(),
            scaffold: json!({ "role": "lead" }),
            learned: json!({}),
            version: 3,
        };
        let blocks = blocks(profile);
        assert_eq!(blocks.iter().map(|block| block.name).collect::<Vec<_>>(), [BlockName::WorkingMemory, BlockName::StructuredData]);
        assert!(blocks[1].text().contains("\"role\": \"lead\""), "{}", blocks[1].text());
        assert_eq!(blocks[0].text(), "# Your Context\n\n> Vera plans the release.\n\n");
    }
}

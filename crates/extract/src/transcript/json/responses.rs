//! The items of OpenAI's Responses API that are no messages: calls of tools, their outputs, and thoughts.

use super::{File, Object, Reading, Role, TOOL, list, message, moment, string};

/// Whether an entry is an item without a speaker.
pub fn knows(entry: &Object) -> bool {
    let kind = string(entry, &["type"]).unwrap_or_default();
    let is_item = ["_call", "_output"].iter().any(|end| kind.ends_with(end)) || kind.starts_with("mcp_");
    !entry.contains_key("role") && (is_item || matches!(kind, "reasoning" | "item_reference" | "compaction"))
}

/// What a tool was asked, or what it answered.
pub fn read(entry: &Object, _: &File) -> Reading {
    let kind = string(entry, &["type"]).unwrap_or_default();
    let text = match (string(entry, &["name"]), entry.get("output")) {
        (_, Some(output)) if kind.ends_with("_output") => {
            output.get("content").map_or_else(|| list::nested(Some(output)), |content| list::nested(Some(content)))
        }
        (Some(name), _) => format!("{name} {}", string(entry, &["arguments", "input"]).unwrap_or_default()),
        _ => return Ok(Vec::new()),
    };
    Ok(vec![message(TOOL, Role::Machine, moment::of(entry), text)])
}

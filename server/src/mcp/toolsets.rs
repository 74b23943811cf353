//! Sets of tools: a client lists the tools that it needs, because a model reads every list in every session.

use foundation::{Error, OpContext};
use remembrancer::tools::{self, Output};
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use wire::Toolset;

/// The name of the tool that tells of the tools that are not listed.
pub const FIND_TOOLS: &str = "find_tools";

/// What a set is for, and its tools.
const SETS: [(Toolset, &str, &[&str]); 5] = [
    (
        Toolset::Core,
        "recall and remember",
        &["agent_memory_recall", "agent_memory_remember", "agent_memory_revise", "agent_memory_forget", "context_for", "explain"],
    ),
    (
        Toolset::Capture,
        "store conversations and notes and extract what matters; report what was done",
        &[
            "capture_text",
            "capture_conversation",
            "capture_session",
            "add_session_messages",
            "list_session_messages",
            "ingest",
            "consolidate",
            "record_observation",
            "record_action",
            "record_workflow_step",
        ],
    ),
    (
        Toolset::Knowledge,
        "look closer: search, list and link memories, past work, projects, and the organisation's documents",
        &[
            "agent_memory_search",
            "agent_memory_list",
            "agent_memory_link",
            "list_projects",
            "create_project",
            "search_my_memories",
            "shared_kb_search",
            "shared_kb_topology",
        ],
    ),
    (Toolset::Vocabulary, "what the organisation calls things", &["canonical_terms_lookup", "canonical_terms_propose"]),
    (
        Toolset::Profile,
        "what is known about a person and their tools, what every conversation begins with, and whole prompts",
        &[
            "get_user_profile",
            "search_user_context",
            "forget_profile_leaf",
            "upsert_profile_fact",
            "update_user_context",
            "update_connection_context",
            "add_to_memory",
            "update_memory",
            "assemble_context",
        ],
    ),
];

/// Arguments that a short list leaves out. They are accepted all the same, and `find_tools` describes them.
const RARE: [(&str, &[&str]); 3] = [
    (
        "agent_memory_recall",
        &[
            "ranking",
            "explain",
            "filters.platform",
            "filters.scopes",
            "filters.statuses",
            "filters.project_id",
            "filters.repo_id",
            "filters.for_repo",
        ],
    ),
    (
        "agent_memory_remember",
        &[
            "alternatives",
            "category",
            "confidence",
            "evidence_ref",
            "importance",
            "pinned",
            "session_id",
            "source_kind",
            "title",
            "source.channel_id",
            "source.message_id",
            "source.thread_id",
        ],
    ),
    ("agent_memory_revise", &["confidence", "evidence_ref", "source"]),
];

/// The sets of tools that a client lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolsets(Vec<Toolset>);

impl Toolsets {
    /// Every tool.
    pub fn all() -> Self {
        Self(vec![Toolset::All])
    }

    /// What a key lists: `core`, and the sets that it names besides.
    pub fn of_key(sets: Vec<Toolset>) -> Self {
        Self([vec![Toolset::Core], sets].concat())
    }

    /// Whether every tool is listed.
    pub fn has_all(&self) -> bool {
        self.0.contains(&Toolset::All)
    }

    /// Whether a tool is listed.
    pub fn has(&self, tool: &str) -> bool {
        self.has_all() || SETS.iter().any(|(set, _, names)| self.0.contains(set) && names.contains(&tool))
    }
}

impl FromStr for Toolsets {
    type Err = String;

    /// Reads names that are separated by commas.
    fn from_str(text: &str) -> Result<Self, String> {
        let sets = text.split(',').map(|name| name.trim().to_ascii_lowercase().parse::<Toolset>());
        sets.collect::<Result<Vec<_>, _>>().map(Self)
    }
}

impl fmt::Display for Toolsets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|set| set.as_str()).collect();
        f.write_str(&names.join(","))
    }
}

/// Leaves out of the schema of a tool what few calls need.
pub fn shorten(tool: &str, schema: &mut Value) {
    if let Some(fields) = schema.as_object_mut() {
        // The answer or the error says which arguments are unknown: a model need not pay for it in every list.
        fields.remove("additionalProperties");
    }
    for path in RARE.iter().filter(|(name, _)| *name == tool).flat_map(|(_, paths)| paths.iter()) {
        take(schema, path);
    }
}

/// Takes the description of an argument out of a schema.
fn take(schema: &mut Value, path: &str) -> Option<Value> {
    let (pointer, name) = match path.rsplit_once('.') {
        Some((parent, name)) => (format!("/properties/{parent}/properties"), name),
        None => ("/properties".to_owned(), path),
    };
    schema.pointer_mut(&pointer)?.as_object_mut()?.remove(name)
}

/// The tool that tells of the others, as a list shows it.
pub fn find_tools() -> Tool {
    let name = json!({ "type": "string", "description": "A tool, to read all about it." });
    let schema = Map::from_iter([("type".to_owned(), json!("object")), ("properties".to_owned(), json!({ "name": name }))]);
    let description = "Learn which tools are not listed here (capture, knowledge, vocabulary, profile) and how to get them.";
    let annotations = ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false);
    Tool::new(FIND_TOOLS, description, Arc::new(schema)).with_annotations(annotations)
}

/// The answer of `find_tools`: the sets that are not listed, or all of one tool.
///
/// # Errors
/// `NotFound` for a tool that does not exist, or that the key may not call.
pub fn found(ctx: &OpContext, sets: &Toolsets, arguments: &Map<String, Value>) -> Result<Output, Error> {
    let offered = tools::offered(ctx, None);
    let name = arguments.get("name").and_then(Value::as_str).map(str::trim).filter(|name| !name.is_empty());
    if let Some(name) = name {
        let tool = offered.into_iter().find(|tool| tool.name == name).ok_or(Error::NotFound("tool"))?;
        let value = json!(tool.describe(ctx));
        return Ok(Output { text: value.to_string(), value });
    }
    let (mut text, mut missing) = (String::new(), Vec::new());
    for (set, about, names) in SETS.iter().filter(|(set, ..)| !sets.has_all() && !sets.0.contains(set)) {
        let names: Vec<&str> = names.iter().copied().filter(|name| offered.iter().any(|tool| tool.name == *name)).collect();
        if !names.is_empty() {
            text.push_str(&format!("- {set} ({about}): {}\n", names.join(", ")));
            missing.push(json!({ "toolset": set, "about": about, "tools": names }));
        }
    }
    let Some(first) = missing.first() else {
        return Ok(Output { value: json!({ "toolsets": [] }), text: "Every tool that this key may call is listed.".into() });
    };
    let how = how(sets, first["toolset"].as_str().unwrap_or_default());
    Ok(Output { text: format!("{text}\n{how}"), value: json!({ "toolsets": missing, "how_to_get_them": how }) })
}

fn how(sets: &Toolsets, missing: &str) -> String {
    format!(
        "A person can add a set in the settings of this server: with `?toolset={sets},{missing}` at the end of its address, or `--toolset \
         {sets},{missing}` for the command `remembrancer mcp`. A tool that is not listed can be called by its name, if the host allows it; \
         `{FIND_TOOLS}` with its name describes its arguments."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use words::tokens;

    #[test]
    fn every_tool_is_in_one_set() {
        let names: Vec<&str> = SETS.iter().flat_map(|(_, _, names)| names.iter().copied()).collect();
        let there: BTreeSet<&str> = tools::all().iter().map(|tool| tool.name).collect();
        assert_eq!(names.iter().copied().collect::<BTreeSet<_>>(), there);
        assert_eq!(names.len(), there.len(), "a tool is in two sets");
        assert_eq!(SETS.map(|(set, ..)| set), Toolset::ALL[..5]);
    }

    #[test]
    fn sets_are_read_from_names() {
        let sets: Toolsets = "core, Vocabulary".parse().unwrap();
        assert!(sets.has("context_for") && sets.has("canonical_terms_lookup") && !sets.has("ingest"));
        assert_eq!(sets.to_string(), "core,vocabulary");
        assert!("all".parse::<Toolsets>().unwrap().has("ingest"));
        for wrong in ["", "core,", "core;capture", "everything"] {
            assert_eq!(wrong.parse::<Toolsets>().unwrap_err(), "must be one of core, capture, knowledge, vocabulary, profile, all");
        }
    }

    /// Counted as a host puts it before a model: name, description and schema, with the argument for the user.
    #[test]
    fn the_core_costs_1500_tokens_at_most() {
        let cost = |name: &str, description: &str, schema: &Value| {
            tokens::count(&json!({ "name": name, "description": description, "inputSchema": schema }).to_string())
        };
        let find = find_tools();
        let mut costs =
            vec![(FIND_TOOLS, cost(FIND_TOOLS, find.description.as_deref().unwrap(), &Value::Object((*find.input_schema).clone())))];
        for &name in SETS[0].2 {
            let tool = tools::find(name).unwrap();
            let mut schema = tool.input_schema.clone();
            shorten(name, &mut schema);
            costs.push((name, cost(name, tool.description, &schema)));
        }
        let sum: usize = costs.iter().map(|(_, cost)| cost).sum();
        assert!(sum <= 1500, "{sum} tokens: {costs:?}");
    }

    #[test]
    fn what_a_short_list_leaves_out_is_there_and_not_required() {
        for (name, paths) in RARE {
            let mut schema = tools::find(name).unwrap().input_schema.clone();
            let required = schema["required"].clone();
            for path in paths {
                assert!(take(&mut schema, path).is_some(), "{name} has no argument {path}");
                assert!(!required.as_array().unwrap().contains(&json!(path)), "{name} requires {path}");
            }
        }
    }
}

//! Instructions that make the tools useful: when an agent recalls, what it writes and how it words it. Versioned, one file each.

use crate::tools;
use foundation::{Engine, Error, OpContext, identity};
use verb::verb;
use wire::{Discipline, Prompt};

/// One text; without a discipline it is for every agent.
struct Text {
    name: &'static str,
    title: &'static str,
    /// A changed text gets a new one.
    version: u32,
    discipline: Option<Discipline>,
    text: &'static str,
}

const PROMPTS: [Text; 6] = [
    Text { name: "recall", title: "Recall before you reason", version: 7, discipline: None, text: include_str!("recall.md") },
    Text {
        name: "write",
        title: "Remember what lasts",
        version: 4,
        discipline: Some(Discipline::Aggressive),
        text: include_str!("write.md"),
    },
    Text {
        name: "write_confirming",
        title: "Remember, and ask first",
        version: 4,
        discipline: Some(Discipline::Confirming),
        text: include_str!("write_confirming.md"),
    },
    Text { name: "vocabulary", title: "Speak one vocabulary", version: 1, discipline: None, text: include_str!("vocabulary.md") },
    Text { name: "capture", title: "Capture what was said", version: 5, discipline: None, text: include_str!("capture.md") },
    Text {
        name: "decision_points",
        title: "Look back before you act",
        version: 1,
        discipline: None,
        text: include_str!("decision_points.md"),
    },
];

/// Every prompt, with `{{tool}}` replaced by the tool's name as the registry has it.
pub fn all() -> Vec<Prompt> {
    PROMPTS.iter().map(filled).collect()
}

/// The prompts for the calling agent: of the write disciplines only its own.
///
/// # Errors
/// `Forbidden` if the caller is not an agent.
#[verb]
pub async fn for_agent(engine: &Engine, ctx: &OpContext) -> Result<Vec<Prompt>, Error> {
    let id = ctx.agent_id()?;
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let agents = identity::store::agents(&mut tx, ctx.tenant_id).await?;
    tx.commit().await?;
    let chosen = agents.into_iter().find(|agent| agent.id == id).ok_or(Error::NotFound("agent"))?.discipline;
    Ok(PROMPTS.iter().filter(|text| text.discipline.is_none_or(|discipline| discipline == chosen)).map(filled).collect())
}

fn filled(prompt: &Text) -> Prompt {
    let fill = |text: String, tool: &tools::Tool| text.replace(&format!("{{{{{}}}}}", tool.name), tool.name);
    let text = tools::all().iter().fold(prompt.text.to_owned(), fill);
    Prompt { name: prompt.name.into(), title: prompt.title.into(), version: prompt.version, text }
}

#[cfg(test)]
mod tests {
    use super::{PROMPTS, all};
    use crate::tools;
    use wire::Discipline;

    #[test]
    fn every_tool_that_a_prompt_names_exists() {
        for prompt in all() {
            assert!(!prompt.text.contains("{{"), "{} names a tool that is not there", prompt.name);
        }
        for prompt in PROMPTS {
            // A tool's name without braces would stay unnoticed when the tool is renamed. Some names are ordinary words, too.
            let bare = tools::all().iter().fold(prompt.text.to_owned(), |text, tool| text.replace(&format!("{{{{{}}}}}", tool.name), ""));
            for tool in tools::all().iter().filter(|tool| !["explain", "ingest", "consolidate"].contains(&tool.name)) {
                assert!(!bare.contains(tool.name), "{} names {} without braces", prompt.name, tool.name);
            }
        }
    }

    #[test]
    fn every_tool_is_named_to_agents_of_each_discipline() {
        for discipline in Discipline::ALL {
            let told: String = PROMPTS.iter().filter(|one| one.discipline.is_none_or(|of| of == *discipline)).map(|one| one.text).collect();
            let silent: Vec<&str> =
                tools::all().iter().map(|tool| tool.name).filter(|name| !told.contains(&format!("{{{{{name}}}}}"))).collect();
            // A runtime assembles contexts, not a model. Only the texts for agents that ask first name the tools of the short list.
            let expected: &[&str] = if *discipline == Discipline::Aggressive {
                &["assemble_context", "add_to_memory", "update_memory"]
            } else {
                &["assemble_context"]
            };
            assert_eq!(silent, expected, "{discipline}");
        }
    }
}

//! SKILL.md documents: instructions for agents, read from a folder and held in memory. They are the same for every organisation.

pub use foundation::engine::shelf::{Shelf, Skill, SkillFault, Skills};

use documents::front_matter;
use foundation::engine::shelf::Stamp;
use foundation::{Engine, Error, OpContext};
use serde_json::{Map, Value};
use std::path::Path;
use verb::verb;
use walkdir::{DirEntry, WalkDir};
use wire::{SkillError, SkillList, SkillSummary};
use words::tokens::count;

/// The name of a document.
const FILE: &str = "SKILL.md";
/// Largest document, in bytes.
const SIZE_MAX: u64 = 64 * 1024;
/// Most documents.
const FILES_MAX: usize = 500;
/// Levels of folders.
const DEPTH_MAX: usize = 6;

/// Reads the folder of skills if it changed since the last time; whether it did. A document that can no longer be read keeps the text that
/// it had: agents go on with what they know. Faults are logged once for each change. Blocks while it reads.
pub fn refresh(engine: &Engine) -> bool {
    let shelf = engine.skills();
    let Some(folder) = &shelf.folder else { return false };
    let old = shelf.skills();
    let new = match files(folder) {
        Ok(stamps) if stamps == old.stamps && !old.faults.iter().any(|fault| fault.path.is_empty()) => return false,
        Ok(stamps) => read_all(folder, stamps, &old),
        Err(reason) => Skills { faults: vec![SkillFault { path: String::new(), reason }], ..(*old).clone() },
    };
    if new == *old {
        return false;
    }
    for fault in &new.faults {
        tracing::warn!(path = fault.path, reason = fault.reason, "a skill cannot be read");
    }
    tracing::info!(skills = new.all.len(), faults = new.faults.len(), "the folder of skills was read");
    shelf.put(new);
    true
}

/// The skills that the server has, for operators.
#[verb(role = Viewer)]
pub async fn list(engine: &Engine, ctx: &OpContext) -> Result<SkillList, Error> {
    let skills = engine.skills().skills();
    let summary = |skill: &Skill| SkillSummary {
        path: skill.path.clone(),
        name: skill.name.clone(),
        description: skill.description.clone(),
        agents: skill.agents.clone(),
        roles: skill.roles.clone(),
        tokens: u32::try_from(skill.tokens).unwrap_or(u32::MAX),
    };
    let fault = |fault: &SkillFault| SkillError { path: fault.path.clone(), reason: fault.reason.clone() };
    Ok(SkillList {
        configured: engine.skills().has_folder(),
        skills: skills.all.iter().map(summary).collect(),
        faults: skills.faults.iter().map(fault).collect(),
    })
}

/// The documents of a folder in the order of their paths.
fn files(folder: &Path) -> Result<Vec<Stamp>, String> {
    std::fs::read_dir(folder).map_err(|error| format!("the folder {} cannot be read: {error}", folder.display()))?;
    // Links are followed: mounted configurations consist of them.
    let entries = WalkDir::new(folder).follow_links(true).max_depth(DEPTH_MAX).sort_by_file_name();
    let stamp = |entry: DirEntry| {
        let metadata = entry.metadata().ok();
        (entry.path().to_owned(), metadata.as_ref().and_then(|one| one.modified().ok()), metadata.map_or(0, |one| one.len()))
    };
    let documents = entries.into_iter().filter_map(Result::ok).filter(|entry| entry.file_type().is_file() && entry.file_name() == FILE);
    let mut stamps: Vec<Stamp> = documents.map(stamp).collect();
    stamps.sort();
    Ok(stamps)
}

fn read_all(folder: &Path, stamps: Vec<Stamp>, old: &Skills) -> Skills {
    let mut skills = Skills::default();
    for (number, (file, _, size)) in stamps.iter().enumerate() {
        let path = file.strip_prefix(folder).unwrap_or(file).to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
        let read = match number < FILES_MAX {
            true => read(file, *size, &path),
            false => Err(format!("there are more than {FILES_MAX} documents")),
        };
        match read {
            Ok(skill) => skills.all.push(skill),
            Err(reason) => {
                skills.all.extend(old.all.iter().find(|skill| skill.path == path).cloned());
                skills.faults.push(SkillFault { path, reason });
            }
        }
    }
    Skills { stamps, ..skills }
}

fn read(file: &Path, size: u64, path: &str) -> Result<Skill, String> {
    if size > SIZE_MAX {
        return Err(format!("it has {size} bytes; at most {SIZE_MAX} are allowed"));
    }
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    let text = String::from_utf8(bytes).map_err(|_| "it is not text in UTF-8".to_owned())?;
    if text.contains('\0') {
        return Err("it is not text: it has a NUL character".into());
    }
    parse(path, &text)
}

/// A document with its front matter: `name`, `description`, `agents` and `roles`.
fn parse(path: &str, text: &str) -> Result<Skill, String> {
    let matter = front_matter(text).map_err(|fault| fault.to_string())?;
    let body = text[matter.body..].trim();
    if body.is_empty() {
        return Err("it has no text".into());
    }
    let folder = path.rsplit('/').nth(1).unwrap_or("skill");
    let name = matter.fields.get("name").and_then(Value::as_str).map_or(folder, str::trim);
    let description = matter.fields.get("description").and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let skill = Skill {
        path: path.into(),
        name: name.into(),
        description: description.map(str::to_owned),
        agents: names(&matter.fields, "agents")?,
        roles: names(&matter.fields, "roles")?,
        text: body.into(),
        tokens: 0,
    };
    Ok(Skill { tokens: count(&skill.section()), ..skill })
}

/// One name or a list of names.
fn names(fields: &Map<String, Value>, field: &str) -> Result<Vec<String>, String> {
    let wrong = || format!("{field} is neither a name nor a list of names");
    let name = |value: &Value| value.as_str().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).ok_or_else(wrong);
    match fields.get(field) {
        None | Some(Value::Null) => Ok(vec![]),
        // An empty list would otherwise give the skill to everybody.
        Some(Value::Array(list)) if list.is_empty() => Err(wrong()),
        Some(Value::Array(list)) => list.iter().map(name).collect(),
        Some(value) => Ok(vec![name(value)?]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_says_who_has_a_skill() {
        let text =
            "---\nname: Release\ndescription: How to release.\nagents: [atlas, binky]\nroles: publisher\n---\n\n# Release\n\nTag first.\n";
        let skill = parse("release/SKILL.md", text).unwrap();
        assert_eq!((skill.name.as_str(), skill.text.as_str()), ("Release", "# Release\n\nTag first."));
        assert_eq!(
            (skill.description.as_deref(), skill.tokens),
            (Some("How to release."), count("## Release\n\n# Release\n\nTag first.\n\n"))
        );
        assert!(skill.is_for("atlas", None) && skill.is_for("binky", Some("publisher")));
        assert!(!skill.is_for("mina", None) && !skill.is_for("atlas", Some("reviewer")));
        let plain = parse("a/review/SKILL.md", "Read twice.").unwrap();
        assert_eq!(plain.name, "review");
        assert!(plain.is_for("anybody", Some("anything")));
    }

    #[test]
    fn a_filter_that_names_nobody_is_a_fault() {
        for filter in ["agents: []", "agents: 3", "roles: ['']", "agents: {a: b}"] {
            assert!(parse("SKILL.md", &format!("---\n{filter}\n---\nText\n")).is_err(), "{filter}");
        }
    }
}

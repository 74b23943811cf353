//! Converts a record into the one form in which it is written, and back.

use super::lines::{COMMONS, Line, Record, Section};
use foundation::Error;
use foundation::identity::Agent;
use serde_json::{Map, Value};
use std::collections::HashMap;
use wire::AgentId;

/// Agents by slug: a file names them by slug, because another installation gives them other ids.
#[derive(Clone, Debug, Default)]
pub struct Names {
    ids: HashMap<String, AgentId>,
    slugs: HashMap<AgentId, String>,
}

impl Names {
    /// The agents of a tenant.
    pub fn new(agents: &[Agent]) -> Self {
        let mut names = Self::default();
        for agent in agents {
            names.add(agent.slug.clone(), agent.id);
        }
        names
    }

    /// Adds one more.
    pub fn add(&mut self, slug: String, id: AgentId) {
        self.slugs.insert(id, slug.clone());
        self.ids.insert(slug, id);
    }

    pub fn id(&self, slug: &str) -> Option<AgentId> {
        self.ids.get(slug).copied()
    }

    /// The slug of an agent, or its id if it has none.
    pub fn slug(&self, id: AgentId) -> String {
        self.slugs.get(&id).cloned().unwrap_or_else(|| id.to_string())
    }
}

/// Fields that hold an agent's id in the record and its slug in the file, by their names in both.
fn agents_in(section: Section) -> &'static [(&'static str, &'static str)] {
    match section {
        Section::Memory => &[("agent_id", "agent"), ("created_by", "created_by")],
        section if section.fields().contains(&"agent_id") => &[("agent_id", "agent")],
        _ => &[],
    }
}

/// A record as a line, without its end: keys sorted, no null fields, no spaces between tokens, agents by slug.
///
/// # Errors
/// `Internal`, when it cannot be written as JSON.
pub fn write<T: Record>(record: &T, names: &Names) -> Result<String, Error> {
    let value = serde_json::to_value(record).map_err(Error::failed("a line cannot be serialised"))?;
    let Value::Object(mut fields) = value else { return Err(Error::internal("a line is not an object")) };
    for &(here, there) in agents_in(T::SECTION) {
        let id = fields.remove(here).and_then(|id| id.as_str().and_then(|id| id.parse().ok()));
        let id = id.ok_or_else(|| Error::internal(format!("{here} holds no agent")))?;
        fields.insert(there.into(), names.slug(id).into());
    }
    fields.retain(|_, value| !value.is_null());
    fields.insert("type".into(), T::SECTION.as_str().into());
    Ok(text(&Value::Object(fields)))
}

/// JSON with sorted keys and without a space.
pub fn text(value: &Value) -> String {
    let mut text = String::new();
    push(value, &mut text);
    text
}

/// Writes objects with sorted keys.
fn push(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            let mut fields: Vec<_> = map.iter().collect();
            fields.sort_by_key(|(key, _)| key.as_str());
            out.push('{');
            for (place, (key, value)) in fields.into_iter().enumerate() {
                out.push_str(if place == 0 { "" } else { "," });
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                push(value, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (place, item) in items.iter().enumerate() {
                out.push_str(if place == 0 { "" } else { "," });
                push(item, out);
            }
            out.push(']');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

/// Reads the fields of a line as a record.
///
/// # Errors
/// `Invalid`, naming the field.
pub fn read(section: Section, mut fields: Map<String, Value>, names: &Names) -> Result<Line, Error> {
    fields.remove("type");
    for &(here, there) in agents_in(section) {
        let slug = fields.remove(there).ok_or_else(|| Error::invalid(there, "is required"))?;
        let slug = slug.as_str().ok_or_else(|| Error::invalid(there, "must be the slug of an agent"))?;
        let unknown = || Error::invalid(there, format!("names {slug}, which is neither {COMMONS} nor an agent of the file"));
        let id = names.id(slug).ok_or_else(unknown)?;
        if fields.insert(here.into(), id.to_string().into()).is_some() && here != there {
            return Err(Error::invalid(here, "is not a field of this line"));
        }
    }
    let line = section.read(Value::Object(fields))?;
    line.check()?;
    Ok(line)
}

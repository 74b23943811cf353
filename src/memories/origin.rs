//! Who said what a memory says, as far as the record knows.

use super::model::Memory;
use chrono::{DateTime, NaiveDate, Utc};
use wire::{AgentId, MemoryRecord, Provenance, Role, Source, SourceKind, Trust};
use words::minutes::{SOMEBODY, THE_USER, format_day, label};
use words::quote::{ACCORDING, Origin, Speaker};

/// The platform of what was extracted from a source.
pub(crate) const CAPTURE: &str = "capture";
/// The platform of what a person did in the console.
pub(crate) const CONSOLE: &str = "console";

/// What the record knows of the speaker.
struct Facts<'a> {
    role: Option<Role>,
    is_captured: bool,
    source: &'a Source,
    kind: SourceKind,
    filename: Option<&'a str>,
}

impl Facts<'_> {
    /// Whose words they are; `Agent` for those of the agent that wrote the memory.
    fn origin(&self) -> Origin {
        let named = |speaker, name: &str| Origin { name: Some(name.to_owned()), ..Origin::of(speaker) };
        // What was revised since was not read in the file.
        let file = self.filename.filter(|_| self.source.platform == CAPTURE);
        match (self.role, self.is_captured, self.speaker()) {
            // Before the role: a message has no named speaker until somebody corrects it.
            (_, true, Some(name)) => match label(Some(name)) {
                THE_USER => Origin::of(Speaker::Person),
                SOMEBODY => Origin::of(Speaker::Unknown),
                _ => named(Speaker::Person, name),
            },
            (Some(Role::User), ..) => Origin::of(Speaker::Person),
            (Some(Role::ToolResult), ..) => Origin::of(Speaker::Tool),
            (Some(Role::System), ..) => named(Speaker::Unknown, "a system message"),
            (Some(Role::Assistant) | None, false, _) => Origin::of(Speaker::Agent),
            (Some(Role::Assistant), true, None) => Origin::of(Speaker::Unknown),
            (None, true, None) => match (file, self.kind) {
                (Some(file), _) => named(Speaker::Document, file),
                (None, SourceKind::Document) => Origin::of(Speaker::Document),
                (None, SourceKind::Run) => Origin::of(Speaker::Tool),
                (None, _) => Origin::of(Speaker::Unknown),
            },
        }
    }

    fn speaker(&self) -> Option<&str> {
        self.source.speaker.as_deref().map(str::trim).filter(|name| !name.is_empty())
    }
}

/// Whose words a memory holds; `Agent` if they are those of the agent that wrote it.
pub(crate) fn said_by(memory: &Memory) -> Origin {
    let (role, is_captured, filename) = (memory.role, memory.trust == Trust::Captured, memory.filename.as_deref());
    Facts { role, is_captured, source: &memory.source, kind: memory.source_kind, filename }.origin()
}

/// The origin of a memory for the agent `reader`; `confirmed` is whether a person confirmed it.
pub(crate) fn origin(memory: &Memory, reader: AgentId, confirmed: bool) -> Origin {
    for_reader(said_by(memory), [memory.agent_id, memory.created_by].contains(&reader), confirmed)
}

/// As [`origin`], of a record for a caller, who may be a person.
pub fn origin_of_record(memory: &MemoryRecord, reader: Option<AgentId>) -> Origin {
    let (role, is_captured, filename) = (memory.role, memory.trust == Trust::Captured, memory.filename.as_deref());
    let origin = Facts { role, is_captured, source: &memory.source, kind: memory.source_kind, filename }.origin();
    let is_author = reader.is_some_and(|reader| [memory.agent_id, memory.created_by].contains(&reader));
    for_reader(origin, is_author, memory.trust == Trust::Reviewed)
}

fn for_reader(origin: Origin, is_author: bool, confirmed: bool) -> Origin {
    let speaker = if origin.speaker == Speaker::Agent && !is_author { Speaker::OtherAgent } else { origin.speaker };
    Origin { speaker, confirmed: confirmed && speaker == Speaker::OtherAgent, ..origin }
}

/// Who said a memory, where it holds, and whether a person confirmed it, for the agent `reader`.
pub(crate) fn provenance(memory: &Memory, reader: Option<AgentId>, confirmed: bool) -> Provenance {
    let is_author = reader.is_some_and(|reader| [memory.agent_id, memory.created_by].contains(&reader));
    let Origin { speaker, name, .. } = for_reader(said_by(memory), is_author, confirmed);
    Provenance { said_by: speaker, speaker: name, project: memory.project.clone(), repo: memory.repo.clone(), confirmed }
}

/// Whose statement a memory is, for the agent that reads it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Whose<'a> {
    /// The agent keeps it for itself.
    Own,
    /// The organisation's: a person confirmed what is shared, or the agent shared it itself.
    Ours,
    /// Another agent shared it, whose slug this is, if it could be read.
    Agent(Option<&'a str>),
}

/// What precedes the content of a memory where an agent reads it: whose memory it is, or its speaker, the day, and the project or repository
/// that it holds for. `extract::recalled` knows these openings, so that nothing recalled is captured again. After it, of minutes only
/// the words are shown ([`words::quote::spoken`]).
pub(crate) fn opening(memory: &Memory, whose: Whose<'_>) -> String {
    let (origin, provenance) = (said_by(memory), provenance(memory, None, false));
    if origin.is_quoted() {
        return format!("{ACCORDING}{} (on {}):", origin.who(), day_and_place(memory.said_on(), &provenance));
    }
    statement(whose, memory.said_at(), &provenance)
}

/// As [`opening`], of a memory that is the statement of an agent.
pub(crate) fn statement(whose: Whose<'_>, said_at: DateTime<Utc>, provenance: &Provenance) -> String {
    let who = match whose {
        Whose::Own => "I remember".to_owned(),
        Whose::Ours => "We remember".to_owned(),
        Whose::Agent(Some(slug)) => format!("According to agent {slug}"),
        Whose::Agent(None) => "According to another agent".to_owned(),
    };
    format!("{who} (from {}):", day_and_place(said_at.date_naive(), provenance))
}

fn day_and_place(day: NaiveDate, provenance: &Provenance) -> String {
    let place = provenance.place().map(|place| format!(", {place}")).unwrap_or_default();
    format!("{}{place}", format_day(day))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::memory;
    use extract::recalled::stretches;
    use words::quote::Quote;

    #[test]
    fn every_opening_of_a_recalled_statement_is_known() {
        let memory = memory("tea", "Vera likes tea.");
        for whose in [Whose::Own, Whose::Ours, Whose::Agent(None), Whose::Agent(Some("atlas-2"))] {
            is_covered(&format!("{} {}", opening(&memory, whose), memory.content));
        }
        let said = memory_of("Vera, 30 September 2026: “I live in Bern.”", "Vera", "2026-09-30T09:00:00Z");
        let quoted = Quote::new(&said.content, &said_by(&said)).item(&opening(&said, Whose::Own), "[aaaaaaaa]");
        assert_eq!(quoted, "According to Vera (on 30 September 2026): “I live in Bern.” [aaaaaaaa]");
        is_covered(&quoted);
    }

    fn memory_of(content: &str, speaker: &str, at: &str) -> Memory {
        let mut memory = memory("home", content);
        (memory.trust, memory.source.speaker) = (Trust::Captured, Some(speaker.into()));
        memory.observed_at = Some(at.parse().unwrap());
        memory
    }

    fn is_covered(text: &str) {
        let found = stretches(&format!("Sure. {text}"));
        assert_eq!(found.iter().map(|one| (one.start, one.end)).collect::<Vec<_>>(), [(6, 6 + text.len())], "{text}");
    }
}

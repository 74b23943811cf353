//! Who speaks in a source, and under which name: a chat names people by number or in two spellings, a transcript says "Speaker 1".

use super::source::no_speakers;
use super::store::{self, LockedPart};
use crate::consolidation::{self, Owner};
use crate::memories::model::{Change, DedupKey, Memory};
use crate::memories::{CAPTURE, CONSOLE, store as memories};
use chrono::{DateTime, Utc};
use db::{Tx, lock_owner};
use extract::Role;
use extract::parts::StoredTurn;
use foundation::audit::{self, NewEntry};
use foundation::intake::Admitted;
use foundation::jobs::{self, NewEvent, Task};
use foundation::{Checks, Engine, Error, OpContext};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use verb::verb;
use wire::{CONTENT_MAX, MemoryId, Source, SourceForm, SourceId, SourceReading, SourceSpeaker};
use words::guard;
use words::names::SPEAKER_MAX;

/// The most bytes of a part's turns as JSON: with the part's text, of a MiB at most, they are one line of an export.
const TURNS_MAX: usize = 5 * 1024 * 1024;

/// Counts the turns of a source.
pub(super) fn reading<'a>(form: SourceForm, turns: impl Iterator<Item = &'a StoredTurn>) -> SourceReading {
    let (mut all, mut reading, mut speakers) = (0, SourceReading::default(), HashMap::<&str, i64>::new());
    for turn in turns {
        all += 1;
        reading.timed_turns += i64::from(turn.at.is_some());
        match turn.speaker.as_deref() {
            _ if turn.role == Role::Machine => {}
            Some(name) => *speakers.entry(name).or_default() += 1,
            None => reading.unnamed_turns += 1,
        }
    }
    reading.warnings = no_speakers(form, speakers.len(), all).into_iter().map(str::to_owned).collect();
    reading.speakers = speakers.into_iter().map(|(name, turns)| SourceSpeaker { name: name.to_owned(), turns }).collect();
    reading.speakers.sort_by(|one, other| (Reverse(one.turns), &one.name).cmp(&(Reverse(other.turns), &other.name)));
    reading
}

/// What renaming a speaker did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RenamedSpeaker {
    /// The new name, as it is stored.
    pub name: String,
    /// The turns of the speaker, with those of another one who had the name already.
    pub turns: i64,
    /// Candidates and live memories that name the speaker, and do so by the new name now.
    pub candidates: i64,
    pub memories: i64,
    /// Those of them that were merged with one that says the same.
    pub merged: i64,
}

/// Gives a speaker of a source another name: in its turns, in what quotes them, and in the candidates and memories that are still quotations
/// of it. If another speaker has the name, the two become one, which cannot be undone. What was revised or deleted since stays as it is. A
/// running capture continues with the new name. `shown` is the number of the speaker's turns on the page that the person saw.
///
/// # Errors
/// `Forbidden` without the role `operator`; `NotFound` for another tenant's source; `Invalid` for a name that is empty, too long, the
/// present one, or reads like an instruction; `Conflict` if nobody in the source has the old name, or for another number of turns than
/// `shown`.
#[verb(role = Operator)]
pub async fn rename_speaker(
    engine: &Engine,
    ctx: &OpContext,
    id: SourceId,
    from: &str,
    to: String,
    shown: Option<i64>,
) -> Result<RenamedSpeaker, Error> {
    let to = admitted(from, to)?;
    let now = engine.clock().now();
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    // In the order of everybody who works on a source: its rows, its events, the owner, memories, then counts.
    let mut parts = store::lock_parts(&mut tx, ctx.tenancy(), id).await?;
    let first = parts.first().ok_or(Error::NotFound("source"))?;
    let owner = Owner { agent_id: first.agent_id, user_id: first.user_id };
    check_shown(from, turns_of(&parts, from), shown)?;
    for part in &mut parts {
        if let Some(turns) = part.turns.as_mut().filter(|turns| turns.iter().any(|turn| turn.speaker.as_deref() == Some(from))) {
            for turn in turns.iter_mut().filter(|turn| turn.speaker.as_deref() == Some(from)) {
                turn.speaker = Some(to.clone());
            }
            check_size(turns)?;
            store::put_turns(&mut tx, ctx.tenancy(), owner.agent_id, part.id, turns).await?;
        }
    }
    let ids: Vec<SourceId> = parts.iter().map(|part| part.id).collect();
    store::interrupt(&mut tx, ctx.tenancy(), &ids, now).await?;
    lock_owner(&mut tx, owner.agent_id, owner.user_id).await?;
    let turns = turns_of(&parts, &to);
    let mut outcome = RenamedSpeaker { name: to.clone(), turns, ..RenamedSpeaker::default() };
    Renaming { engine, ctx, from, to: &to, now }.rename_memories(&mut tx, owner, &ids, &mut outcome).await?;
    store::rename_in_evidence(&mut tx, ctx.tenancy(), &ids, from, &to).await?;
    let message = format!("a speaker was renamed: turns {turns}, candidates {}, memories {}", outcome.candidates, outcome.memories);
    let entry = NewEntry::new(engine, ctx, "source.speaker_renamed", "source", id, message).agent(owner.agent_id);
    audit::record(&mut tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    tx.commit().await?;
    engine.jobs().wake();
    engine.captures().wake();
    // The operator looks at the audit trail next.
    engine.relay().settle().await;
    Ok(outcome)
}

/// A new name for `from`, as it is stored.
fn admitted(from: &str, to: String) -> Result<String, Error> {
    let to = Admitted::text("name", to)?.into_inner();
    Checks::default()
        .text("name", &to, SPEAKER_MAX)
        .that(to != from, "name", "is the present name: enter another one")
        .that(guard::inspect(&to).is_empty(), "name", "reads like an instruction for an agent: enter a plain name")
        .done()?;
    Ok(to)
}

/// How many turns a speaker has. What machines say is not counted.
fn turns_of(parts: &[LockedPart], name: &str) -> i64 {
    let turns = parts.iter().filter_map(|part| part.turns.as_ref()).flatten();
    turns.filter(|turn| turn.role != Role::Machine && turn.speaker.as_deref() == Some(name)).map(|_| 1_i64).sum()
}

/// A part must stay short enough for a line of an export.
fn check_size(turns: &[StoredTurn]) -> Result<(), Error> {
    let size = serde_json::to_vec(turns).map(|json| json.len()).unwrap_or(usize::MAX);
    let message = format!("is too long for all turns of this speaker: they would have {size} bytes, and {TURNS_MAX} are allowed");
    Checks::default().that(size <= TURNS_MAX, "name", message).done()
}

fn check_shown(from: &str, turns: i64, shown: Option<i64>) -> Result<(), Error> {
    let message = match shown {
        _ if turns == 0 => format!("nobody in this source is called “{from}” any more: read the page again"),
        Some(shown) if shown != turns => format!("“{from}” has {turns} turns now, and the page showed {shown}: read it again, then rename"),
        _ => return Ok(()),
    };
    Err(Error::Conflict(message))
}

/// A new name on its way into the memories that came of a source.
struct Renaming<'a> {
    engine: &'a Engine,
    ctx: &'a OpContext,
    from: &'a str,
    to: &'a str,
    now: DateTime<Utc>,
}

impl Renaming<'_> {
    /// Renames the speaker in what quotes some parts. One that says the same as another one by now is merged with it.
    async fn rename_memories(&self, tx: &mut Tx, owner: Owner, parts: &[SourceId], outcome: &mut RenamedSpeaker) -> Result<(), Error> {
        let (tenancy, agents) = (self.ctx.tenancy(), [owner.agent_id, self.ctx.commons_id]);
        let quoting: HashMap<MemoryId, bool> = store::quoting(tx, tenancy, parts, self.from).await?.into_iter().collect();
        let renamed = |memory: &Memory| quoting.get(&memory.id).and_then(|speaks| self.renamed(memory, *speaks));
        let all: Vec<MemoryId> = quoting.keys().copied().collect();
        let concerned: Vec<Memory> = memories::by_ids(tx, tenancy, None, &all, false).await?.iter().filter_map(renamed).collect();
        let fits = concerned.iter().all(|memory| memory.content.len() <= CONTENT_MAX);
        Checks::default().that(fits, "name", format!("is too long: a statement would have more than {CONTENT_MAX} bytes")).done()?;
        let mut ids: Vec<MemoryId> = concerned.iter().map(|memory| memory.id).collect();
        let hashes: Vec<Vec<u8>> = concerned.into_iter().map(|memory| memory.content_hash).collect();
        ids.extend(store::equal(tx, tenancy, &agents, &hashes).await?);
        // Their keys are not locked: there may be thousands, more than a database keeps. The same text that an agent writes at this moment
        // stays beside one of them, until somebody compares memories.
        let rows = memories::by_ids(tx, tenancy, None, &ids, true).await?;
        memories::lock_counts(tx, tenancy, &agents).await?;
        let confirmed: HashSet<MemoryId> = memories::reviewed(tx, tenancy, &ids).await?.into_iter().collect();
        let mut by_content: HashMap<Vec<u8>, Vec<Memory>> = HashMap::new();
        for row in &rows {
            by_content.entry(row.content_hash.clone()).or_default().push(row.clone());
        }
        for (old, new) in rows.iter().filter_map(|old| Some((old, renamed(old)?))) {
            let says_another = old.content_hash != new.content_hash;
            self.store(tx, &new, (says_another, confirmed.contains(&new.id))).await?;
            // What a chat model restated keeps its words.
            if !says_another {
                continue;
            }
            outcome.candidates += i64::from(new.waits());
            outcome.memories += i64::from(new.live);
            let equal = by_content.entry(new.content_hash.clone()).or_default();
            let twin = equal.iter().find(|other| self.are_one(&new, other)).cloned();
            equal.push(new.clone());
            let Some(twin) = twin else { continue };
            // What is in force stays.
            let (merged, into) = if twin.waits() && new.live { (twin, new) } else { (new, twin) };
            equal.retain(|memory| memory.id != merged.id);
            consolidation::merge(self.engine, self.ctx, tx, &merged, &into).await?;
            if merged.live {
                memories::inherit(tx, tenancy, &into, &merged).await?;
            }
            outcome.merged += 1;
        }
        Ok(())
    }

    /// A memory with the new name; `None` if it does not have the old one, or is not a quotation any more. `speaks` says whether the speaker
    /// is the one who says it.
    fn renamed(&self, memory: &Memory, speaks: bool) -> Option<Memory> {
        if memory.source.platform != CAPTURE || memory.deleted_at.is_some() {
            return None;
        }
        let mut new = memory.clone();
        new.rename_speaker(self.from, self.to, speaks);
        (new != *memory).then_some(new)
    }

    /// Whether both hold, and say the same of the same.
    fn are_one(&self, one: &Memory, other: &Memory) -> bool {
        let place = |memory: &Memory| DedupKey { topic: String::new(), ..memory.key() };
        let holds = |memory: &Memory| memory.waits() || memory.live && memory.expires_at.is_none_or(|at| at > self.now);
        one.id != other.id && one.content_hash == other.content_hash && holds(one) && holds(other) && place(one) == place(other)
    }

    /// Stores a memory with the new name as its next version, and what derives from its text.
    async fn store(&self, tx: &mut Tx, memory: &Memory, (says_another, confirmed): (bool, bool)) -> Result<(), Error> {
        let Self { engine, ctx, now, .. } = *self;
        let (tenancy, agent, id) = (ctx.tenancy(), memory.agent_id, memory.id);
        store::rename_memory(tx, tenancy, memory).await?;
        // A change from the console does not confirm a text that was said elsewhere. One that a person confirmed stays confirmed.
        let console = Source { platform: CONSOLE.into(), ..Source::default() };
        memories::write_version(tx, ctx, agent, id, Change::Revised, Some(&console).filter(|_| !confirmed), now).await?;
        if !says_another {
            return Ok(());
        }
        memories::drop_vectors(tx, tenancy, agent, id).await?;
        if memory.live {
            memories::put_words(tx, tenancy, agent, id, &memory.topic, &memory.wording()).await?;
        }
        if memory.live || memory.waits() {
            let payload = serde_json::json!({ "memory_id": id });
            jobs::store::insert(tx, ctx.tenant_id, agent, &NewEvent::pending(engine, Task::Embed, payload)).await?;
        }
        Ok(())
    }
}

//! import: a file is read twice. The first reading checks everything in it, against itself and against the databases, and writes nothing;
//! the second writes it, batch by batch. Existing records are left alone, so an import that was killed is simply repeated.

use super::canonical::Names;
use super::lines::{AgentLine, Line, MemoryLine, Record, Section, SourceLine, UserLine};
use super::mend::Corrections;
use super::read::{Batch, Reader, at};
use super::shared::Shared;
use super::store::Stored;
use super::{activity, put, references, store};
use chrono::{DateTime, Utc};
use db::{Tx, lift_statement_timeout, lock, lock_key};
use foundation::audit::{self, NewEntry};
use foundation::idempotency::Once;
use foundation::identity::{self, Agent, User};
use foundation::intake::Admitted;
use foundation::op::Actor;
use foundation::{Engine, Error, OpContext};
use remembrancer::erasure;
use remembrancer::memories::model::content_hash;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncSeekExt, BufReader};
use uuid::Uuid;
use verb::verb;
use wire::{AgentId, AgentKind, Area, ImportCount, ImportReport, KeyScope, MemoryId, OperatorRole};

/// Bytes that are read from the file at a time.
const BUFFER: usize = 256 * 1024;
/// Ids that are compared at a time with those of other organisations.
const COMPARED: usize = 1000;

/// How to import a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// Only this agent's records may be in it.
    pub agent: Option<AgentId>,
    /// Check and count, and write nothing.
    pub dry_run: bool,
}

/// Imports an exported file: all of it or, if anything in it is wrong, nothing. The memory of agents that have none here yet is written in one
/// transaction; an import that is killed before its end leaves none of it. Other memory is written batch by batch: a killed import leaves
/// the batches that were done, and is completed by the same import again. Records keep their ids, times, statuses, versions and
/// links. A memory that exists in an earlier version is brought forward; one that exists in the same or a later version stays. Words are
/// made at once, vectors by jobs. Events are history: no worker claims them. The import leaves one audit row, and no events except those of
/// the file. `progress` receives the number of bytes read, over both readings.
///
/// Vocabulary and knowledge are merged with the existing ones ([`Shared`]). Topics of memories do not change: no decision is made.
///
/// An admin's import keeps the authors. An agent's import makes the agent the author, and brings back nothing that was deleted here.
///
/// # Errors
/// `Forbidden` for an agent without `export` and `memory:write`, or without `memory:forget` if the file deletes a memory that is live here;
/// `Forbidden` for an operator without the role `admin`; `Invalid`, naming the line, for a file that is broken, of a newer schema, has an
/// id twice or one that another agent or organisation uses, has another history of a memory, or (for an agent) changes a deleted one.
#[verb]
pub async fn import(
    engine: &Engine,
    ctx: &OpContext,
    mut file: File,
    options: ImportOptions,
    progress: &(dyn Fn(u64) + Send + Sync),
) -> Result<ImportReport, Error> {
    let options = permit(ctx, options)?;
    let ctx = &ctx.for_all_its_users()?;
    let fingerprint = if Once::has_key(ctx) { Some(digest(&mut file).await?) } else { None };
    let once = Once::new(engine, ctx, "import", &Admitted::new((fingerprint, options.dry_run))?)?;
    if let Some(report) = once.stored_answer(&engine.db().memory).await? {
        return Ok(report);
    }
    let known = identity::all_agents(engine, ctx).await?;
    let names = Names::new(&known);
    let key = erasure::Key::find(engine, ctx.tenant_id).await?;
    let now = engine.clock().now();
    let mut reader = Reader::open(BufReader::with_capacity(BUFFER, &mut file), names.clone(), options.agent, now).await?;
    let moment = reader.moment();
    let importer = Importer { engine, ctx, known: known.into_iter().map(|agent| agent.slug).collect(), key, moment };
    let mut agents = HashSet::new();
    let mut report = ImportReport { dry_run: options.dry_run, ..ImportReport::default() };
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    lift_statement_timeout(&mut tx).await?;
    store::begin_check(&mut tx).await?;
    let mut shared = Shared::new(engine, ctx, false, moment);
    while let Some(mut batch) = reader.next().await? {
        importer.sign(&mut batch);
        importer.check_owners(&batch)?;
        importer.refuse_erased(&mut tx, &batch).await?;
        references::check(&mut tx, &batch).await?;
        shared.before(Some(batch.section), &mut report).await?;
        agents.extend(batch.lines.iter().filter_map(|(_, line)| line.owner().agent()));
        match batch.section.area() {
            Area::Memory => add(&mut report, batch.section, importer.against_what_is_there(&mut tx, &batch).await?),
            Area::Activity => add(&mut report, batch.section, activity::check(engine, ctx, &batch).await?),
            Area::Vocabulary | Area::Knowledge => shared.take(&batch, &mut report).await?,
        }
        progress(reader.position());
    }
    shared.before(None, &mut report).await?;
    let agents: Vec<AgentId> = agents.into_iter().collect();
    let fresh = !store::have_memory(&mut tx, ctx.tenancy(), &agents).await?;
    tx.rollback().await?;
    let read = reader.position();
    tell(&mut report, reader.corrections());
    drop(reader);
    if options.dry_run {
        return Ok(report);
    }

    // The trace comes before the change, so an import that is killed leaves one, too.
    importer.leave_trace(&report, options).await?;
    file.rewind().await.map_err(Error::failed("the file cannot be read again"))?;
    let mut reader = Reader::open(BufReader::with_capacity(BUFFER, file), names, options.agent, now).await?;
    let mut report = ImportReport::default();
    let mut shared = Shared::new(engine, ctx, true, moment);
    let mut writing = Writing { at_once: fresh, tx: None };
    while let Some(mut batch) = reader.next().await? {
        importer.sign(&mut batch);
        shared.before(Some(batch.section), &mut report).await?;
        if batch.section.area() != Area::Memory {
            importer.end(&mut writing, &agents).await?;
        }
        match batch.section.area() {
            Area::Memory => add(&mut report, batch.section, importer.write(&batch, &mut writing).await?),
            Area::Activity => add(&mut report, batch.section, activity::write(engine, ctx, &batch).await?),
            Area::Vocabulary | Area::Knowledge => shared.take(&batch, &mut report).await?,
        }
        progress(read + reader.position());
    }
    shared.before(None, &mut report).await?;
    importer.end(&mut writing, &agents).await?;
    tell(&mut report, reader.corrections());
    engine.jobs().wake();
    engine.relay().wake();
    // Repeated after a crash, an import finds what is there and writes the rest; its answer is the last thing that it writes.
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if let Some(first) = once.claim(&mut tx).await? {
        return Ok(first);
    }
    once.commit(tx, &report, &[]).await?;
    Ok(report)
}

/// The SHA-256 of a file, which is read from its beginning and put back there.
async fn digest(file: &mut File) -> Result<Vec<u8>, Error> {
    let failed = Error::failed::<std::io::Error>;
    let (mut hasher, mut part) = (Sha256::new(), vec![0; BUFFER]);
    file.rewind().await.map_err(failed("the file cannot be read"))?;
    loop {
        let length = file.read(&mut part).await.map_err(failed("the file cannot be read"))?;
        if length == 0 {
            break;
        }
        hasher.update(part.get(..length).unwrap_or_default());
    }
    file.rewind().await.map_err(failed("the file cannot be read again"))?;
    Ok(hasher.finalize().to_vec())
}

fn permit(ctx: &OpContext, options: ImportOptions) -> Result<ImportOptions, Error> {
    if let Actor::Agent { id, .. } = &ctx.actor {
        ctx.require(KeyScope::Export)?;
        ctx.require(KeyScope::MemoryWrite)?;
        return match options.agent {
            Some(other) if other != *id => Err(Error::Forbidden("an agent's key imports only the agent's own records".into())),
            _ => Ok(ImportOptions { agent: Some(*id), ..options }),
        };
    }
    ctx.require_role(OperatorRole::Admin)?;
    Ok(options)
}

/// Adds to the count of a type of lines.
pub(super) fn add(report: &mut ImportReport, section: Section, count: ImportCount) {
    let sum = report.lines.entry(section.as_str().to_owned()).or_default();
    sum.added += count.added;
    sum.updated += count.updated;
    sum.unchanged += count.unchanged;
}

fn tell(report: &mut ImportReport, corrections: &Corrections) {
    report.corrected = corrections.count;
    report.corrections = corrections.named.clone();
}

/// The memory of a file on its way into the database: in one transaction, or batch by batch.
struct Writing {
    /// One transaction, because the agents of the file have no memory here yet. Otherwise their writers would wait for the whole file.
    at_once: bool,
    tx: Option<Tx>,
}

struct Importer<'a> {
    engine: &'a Engine,
    ctx: &'a OpContext,
    /// Slugs of the agents that were there before.
    known: HashSet<String>,
    /// Absent: nothing was erased in the organisation.
    key: Option<erasure::Key>,
    /// When the file was written.
    moment: DateTime<Utc>,
}

impl Importer<'_> {
    /// Makes an agent the author of every line that it imports.
    fn sign(&self, batch: &mut Batch) {
        if let Actor::Agent { id, slug, .. } = &self.ctx.actor {
            batch.lines.iter_mut().for_each(|(_, line)| line.sign(*id, slug));
        }
    }

    /// An agent's key may import only records of users that it may act for, and none that only operators see.
    fn check_owners(&self, batch: &Batch) -> Result<(), Error> {
        let (section, first) = (batch.section, batch.lines.first());
        if let Some((line, _)) = first.filter(|_| section.for_operators() && self.ctx.agent_id().is_ok()) {
            return Err(at(*line, Error::invalid("", format!("is a {}, which only an admin can import", section.as_str()))));
        }
        match batch.lines.iter().find(|(_, record)| !self.ctx.users.include(record.owner().user())) {
            None => Ok(()),
            Some((line, _)) => Err(at(*line, Error::invalid("user_id", "belongs to a user that this key may not act for"))),
        }
    }

    /// Refuses what was erased here after it was written: lines of an erased user, and texts of memories.
    async fn refuse_erased(&self, tx: &mut Tx, batch: &Batch) -> Result<(), Error> {
        let Some(key) = &self.key else { return Ok(()) };
        let of_line = |record: &Line| {
            let user = record.owner().user().or(UserLine::of(record).map(|user| user.id));
            let text = MemoryLine::of(record).map(|memory| key.text(memory.agent_id, memory.user_id, &content_hash(&memory.content)));
            user.map(|user| key.user(user)).into_iter().chain(text).collect::<Vec<_>>()
        };
        let all: HashSet<Vec<u8>> = batch.lines.iter().flat_map(|(_, record)| of_line(record)).collect();
        let erased = erasure::store::erased(tx, self.ctx.tenant_id, &all.into_iter().collect::<Vec<_>>()).await?;
        let erased: HashMap<Vec<u8>, DateTime<Utc>> = erased.into_iter().collect();
        if erased.is_empty() {
            return Ok(());
        }
        for (line, record) in &batch.lines {
            let since = of_line(record).iter().filter_map(|fingerprint| erased.get(fingerprint)).max();
            if since.is_some_and(|since| record.owner().written_at().is_none_or(|at| at.0 <= *since)) {
                return Err(at(*line, Error::invalid("", "was erased here on a legal request: remove it from the file")));
            }
        }
        Ok(())
    }

    /// What a batch would add, if nothing in it contradicts the existing records.
    async fn against_what_is_there(&self, tx: &mut Tx, batch: &Batch) -> Result<ImportCount, Error> {
        match batch.section {
            Section::Agent => return self.agents(batch).await,
            Section::User => return self.users(batch).await,
            _ => {}
        }
        let tenant = self.ctx.tenant_id;
        let all = batch.count();
        self.refuse_taken(tx, batch).await?;
        let rows = put::rows(batch, None)?;
        match batch.section {
            Section::Memory => self.memories(tx, batch, &rows).await,
            Section::Version => {
                let there = store::stored_versions(tx, self.ctx.tenancy(), &rows, self.moment).await?;
                if let Some((id, version, _)) = there.iter().find(|(_, _, same)| !same) {
                    let key = format!("{id}/{version}");
                    let message = "conflicts with the history on this server: the memory was changed on both sides";
                    return Err(at(batch.line_of(&key), Error::invalid("", message)));
                }
                Ok(counted(all, i64::try_from(there.len()).unwrap_or(all)))
            }
            Section::Evidence | Section::QuarantinedTurn | Section::Suggestion => {
                if let Some(id) = store::misplaced(tx, self.ctx.tenancy(), batch.section, &rows).await?.first() {
                    let message = "quotes a source that has a different content or user on this server";
                    return Err(at(batch.line_of(&id.to_string()), Error::invalid("", message)));
                }
                let there = store::count_captured(tx, self.ctx.tenancy(), batch.section, &rows).await?;
                let updated = if self.ctx.agent_id().is_ok() { 0 } else { there.behind };
                Ok(ImportCount { added: all - there.existing, updated, unchanged: there.existing - updated })
            }
            section => {
                if let Some(id) = store::same_slugs(tx, tenant, section, &rows).await?.first() {
                    let message = "has a slug that is already in use on this server";
                    return Err(at(batch.line_of(&id.to_string()), Error::invalid("", message)));
                }
                Ok(counted(all, store::count_existing(tx, self.ctx.tenancy(), section, &rows).await?))
            }
        }
    }

    async fn memories(&self, tx: &mut Tx, batch: &Batch, rows: &Value) -> Result<ImportCount, Error> {
        let tenant = self.ctx.tenant_id;
        if let Some(id) = store::same_short_ids(tx, tenant, rows).await?.first() {
            let message = "has a short id that another memory of this agent already has";
            return Err(at(batch.line_of(&id.to_string()), Error::invalid("", message)));
        }
        let there = store::stored_memories(tx, self.ctx.tenancy(), rows).await?;
        let there: HashMap<MemoryId, Stored> = there.into_iter().map(|stored| (stored.id, stored)).collect();
        let mut count = ImportCount::default();
        for (line, memory) in batch.of::<MemoryLine>() {
            match there.get(&memory.id) {
                None => count.added += 1,
                Some(stored) if stored.user_id != memory.user_id => {
                    return Err(at(line, Error::invalid("user_id", "is not the user that this memory has on this server")));
                }
                Some(stored) if stored.version < memory.version => {
                    self.may_bring_forward(line, memory, stored)?;
                    count.updated += 1;
                }
                Some(_) => count.unchanged += 1,
            }
        }
        Ok(count)
    }

    /// An agent may delete only with `memory:forget`, and may not bring back what is deleted or expired: that is for operators.
    fn may_bring_forward(&self, line: u64, memory: &MemoryLine, stored: &Stored) -> Result<(), Error> {
        if self.ctx.agent_id().is_err() {
            return Ok(());
        }
        let expired = |end: Option<DateTime<Utc>>| end.is_some_and(|end| end <= self.engine.clock().now());
        if stored.deleted || expired(stored.expires_at) {
            let message = "is a memory that is deleted or expired here: only an operator, or an admin's import, can bring it back";
            return Err(at(line, Error::invalid("", message)));
        }
        let hides = stored.live && (!memory.live() || expired(memory.expires_at.as_ref().map(|end| end.0)));
        if hides { self.ctx.require(KeyScope::MemoryForget) } else { Ok(()) }
    }

    async fn refuse_taken(&self, tx: &mut Tx, batch: &Batch) -> Result<(), Error> {
        let memories = batch.of::<MemoryLine>().map(|(_, memory)| (memory.agent_id, memory.id.0));
        let sources = batch.of::<SourceLine>().map(|(_, source)| (source.agent_id, source.id));
        let ids: Vec<_> = memories.chain(sources).collect();
        match self.held_elsewhere(tx, batch.section, &ids).await? {
            Some(id) => {
                let message = format!("has the id {id}, which already belongs to another agent or organisation");
                Err(at(batch.line_of(&id.to_string()), Error::invalid("", message)))
            }
            None => Ok(()),
        }
    }

    /// An agent with a known slug is that agent. Any other is created with its id, if the importer may do so.
    async fn agents(&self, batch: &Batch) -> Result<ImportCount, Error> {
        let mut count = ImportCount::default();
        for (line, agent) in batch.of::<AgentLine>() {
            if self.known.contains(&agent.slug) {
                count.unchanged += 1;
                continue;
            }
            if self.ctx.agent_id().is_ok() {
                let message = format!("names the agent {}, which this organisation does not have", agent.slug);
                return Err(at(line, Error::invalid("", message)));
            }
            match identity::agent_holder(self.engine, agent.id).await? {
                None => count.added += 1,
                Some((tenant, slug)) if tenant == self.ctx.tenant_id && slug == agent.slug => count.unchanged += 1,
                Some(_) => {
                    let message = format!("has the id {}, which already belongs to another agent or organisation", agent.id);
                    return Err(at(line, Error::invalid("", message)));
                }
            }
        }
        Ok(count)
    }

    /// References belong to the organisation: only an admin imports them, and one that means another user here is refused.
    async fn users(&self, batch: &Batch) -> Result<ImportCount, Error> {
        let mut count = ImportCount::default();
        let known = identity::users(self.engine, self.ctx).await?;
        for (line, user) in batch.of::<UserLine>() {
            match known.iter().find(|one| one.id == user.id || one.external_ref == user.external_ref) {
                None => count.added += 1,
                Some(one) if (one.id, &one.external_ref) == (user.id, &user.external_ref) => count.unchanged += 1,
                Some(_) => return Err(at(line, Error::invalid("", "has an id or a reference that belongs to another user here"))),
            }
        }
        Ok(count)
    }

    async fn write(&self, batch: &Batch, writing: &mut Writing) -> Result<ImportCount, Error> {
        if batch.section == Section::Agent {
            let count = self.agents(batch).await?;
            for (_, agent) in batch.of::<AgentLine>().filter(|(_, agent)| !self.known.contains(&agent.slug)) {
                let AgentLine { id, slug, name, require_user, discipline } = agent.clone();
                let agent = Agent { id, kind: AgentKind::Agent, slug, name, require_user, discipline, blocked_at: None, retired_at: None };
                identity::adopt_agent(self.engine, self.ctx, &agent).await?;
            }
            return Ok(count);
        }
        if batch.section == Section::User {
            let count = self.users(batch).await?;
            for (_, user) in batch.of::<UserLine>() {
                let UserLine { id, external_ref, name } = user.clone();
                identity::adopt_user(self.engine, self.ctx, &User { id, external_ref, name }).await?;
            }
            return Ok(count);
        }
        let mut tx = match writing.tx.take() {
            Some(tx) => tx,
            None => self.begin().await?,
        };
        if !writing.at_once {
            // The next import sees what this one wrote: ids are compared across organisations.
            lock(&mut tx, lock_key(&[b"import"])).await?;
        }
        let count = self.against_what_is_there(&mut tx, batch).await?;
        put::put(self.engine, self.ctx, &mut tx, batch).await?;
        match writing.at_once {
            true => writing.tx = Some(tx),
            false => tx.commit().await?,
        }
        Ok(count)
    }

    /// Begins to write memory. An organisation has one import at a time; others do not wait for it.
    async fn begin(&self) -> Result<Tx, Error> {
        let mut tx = self.engine.db().memory.begin(self.ctx.tenancy()).await?;
        lift_statement_timeout(&mut tx).await?;
        lock(&mut tx, lock_key(&[b"import", self.ctx.tenant_id.0.as_bytes()])).await?;
        Ok(tx)
    }

    /// Ends the one transaction, if there is one. Only now it is compared with what other organisations imported meanwhile.
    async fn end(&self, writing: &mut Writing, agents: &[AgentId]) -> Result<(), Error> {
        let Some(mut tx) = writing.tx.take() else { return Ok(()) };
        lock(&mut tx, lock_key(&[b"import"])).await?;
        let taken = match tx.is_distributed() {
            true => self.imported_elsewhere(&mut tx, agents).await?,
            false => store::imported_elsewhere(&mut tx, self.ctx.tenant_id, agents).await?,
        };
        if let Some(id) = taken {
            return Err(Error::invalid("", format!("the id {id} already belongs to another agent or organisation")));
        }
        Ok(tx.commit().await?)
    }

    /// As [`store::imported_elsewhere`], where tables are distributed.
    async fn imported_elsewhere(&self, tx: &mut Tx, agents: &[AgentId]) -> Result<Option<Uuid>, Error> {
        for section in [Section::Memory, Section::Source] {
            let ids = store::ids_of(tx, self.ctx.tenant_id, section, agents).await?;
            for some in ids.chunks(COMPARED) {
                if let Some(id) = self.held_elsewhere(tx, section, some).await? {
                    return Ok(Some(id));
                }
            }
        }
        Ok(None)
    }

    /// One of the ids that another agent or organisation uses. Where tables are distributed, a transaction that wrote on one node cannot look
    /// at all of them as somebody else, so another one compares the ids.
    async fn held_elsewhere(&self, tx: &mut Tx, section: Section, ids: &[(AgentId, Uuid)]) -> Result<Option<Uuid>, Error> {
        let tenant = self.ctx.tenant_id;
        if ids.is_empty() || !tx.is_distributed() {
            return Ok(store::held_elsewhere(tx, tenant, section, ids).await?.first().copied());
        }
        let mut other = self.engine.db().memory.begin(self.ctx.tenancy()).await?;
        lift_statement_timeout(&mut other).await?;
        let held = store::held_elsewhere(&mut other, tenant, section, ids).await?.first().copied();
        other.rollback().await?;
        Ok(held)
    }

    async fn leave_trace(&self, report: &ImportReport, options: ImportOptions) -> Result<(), Error> {
        let (engine, ctx) = (self.engine, self.ctx);
        let (kind, target) = match options.agent {
            Some(agent) => ("agent", agent.to_string()),
            None => ("tenant", ctx.tenant_id.to_string()),
        };
        let of = |kind: &str| report.lines.get(kind).copied().unwrap_or_default();
        let (memories, terms, documents) = (of("memory"), of("term"), of("document"));
        let mut message = format!("importing {} new memories, {} newer versions", memories.added, memories.updated);
        if terms.added + documents.added > 0 {
            message = format!("{message}, {} new names of terms, {} new documents", terms.added, documents.added);
        }
        let changes = serde_json::to_value(&report.lines).map_err(Error::failed("the report of an import cannot be serialised"))?;
        let mut entry = NewEntry::new(engine, ctx, "memory.imported", kind, target, message).changes(changes);
        if let Some(agent) = options.agent {
            entry = entry.agent(agent);
        }
        let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
        audit::record(&mut tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
        Ok(tx.commit().await?)
    }
}

/// A count of lines of which some were there.
pub(super) fn counted(all: i64, there: i64) -> ImportCount {
    ImportCount { added: all - there, updated: 0, unchanged: there }
}

//! export: memory, vocabulary and knowledge as lines, in constant memory.

use super::canonical::{self, Names};
use super::lines::{
    ActionLine, AgentLine, AliasLine, ChunkLine, ComponentLine, ConnectionLine, DecisionLine, DocumentLine, EventLine, EvidenceLine,
    FORMAT, LINE_MAX, LinkLine, MemoryLine, ProfileLeafLine, ProfileVersionLine, ProjectLine, ProjectLinkLine, ProposalLine,
    ProposalMemoryLine, QuarantinedTurnLine, Record, RepoLine, SCHEMA, SourceLine, SuggestionLine, TermLine, TombstoneLine, UserLine,
    VersionLine, WorkflowStepLine,
};
use super::store::{self, RecordFilter};
use super::values::{Hash, Stamp};
use db::{Database, Tenancy, Tx, Users, lift_statement_timeout};
use foundation::audit::{self, NewEntry};
use foundation::identity::{self, Agent, User};
use foundation::op::Actor;
use foundation::{Engine, Error, OpContext};
use remembrancer::memories;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use sqlx::FromRow;
use sqlx::postgres::PgRow;
use std::collections::{BTreeMap, BTreeSet};
use tokio::io::{AsyncWrite, AsyncWriteExt, BufWriter};
use wire::{AgentId, AgentKind, Area, KeyScope, MemoryFilter, OperatorRole, UserId};

/// Records per query.
pub(super) const PAGE: usize = 500;

/// What an export holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Selection {
    /// Everything of the tenant: memory, vocabulary, knowledge and activity.
    All,
    /// Some areas of the tenant.
    Only(BTreeSet<Area>),
    /// Everything of one agent.
    Agent(AgentId),
    /// Everything of one user, and nothing without a user: what a person may ask to see.
    Person(UserId),
    /// The memories that a filter matches, with their versions, sources, evidence and tombstones and the links between them; no events, no
    /// projects, no quarantine, no proposals, no profiles.
    Filter(Box<MemoryFilter>),
}

impl Selection {
    /// Whether an area is exported. One agent's records are memory and activity, those of a filter are memory.
    fn has(&self, area: Area) -> bool {
        match self {
            Self::All => true,
            Self::Only(areas) => areas.contains(&area),
            Self::Agent(_) | Self::Person(_) => matches!(area, Area::Memory | Area::Activity),
            Self::Filter(_) => area == Area::Memory,
        }
    }

    /// The areas that a text names, separated by commas.
    ///
    /// # Errors
    /// `Invalid`, naming the areas that there are.
    pub fn only(areas: &str) -> Result<Self, Error> {
        let areas: Result<BTreeSet<Area>, String> = areas.split(',').map(|area| area.trim().parse()).collect();
        areas.map(Self::Only).map_err(|message| Error::invalid("only", message))
    }
}

/// How many lines of each type were written.
pub type Written = BTreeMap<&'static str, u64>;

/// Writes what `selection` names to `out`: a header, lines, and a footer with counts and the SHA-256 of everything before it. Each database
/// is read from one snapshot, so a concurrent change is in the file completely or not at all. The snapshot of memory is the earlier one, so
/// a canonical topic has its term in the file. `progress` receives the number of lines so far.
///
/// An agent's key that may choose its user exports every user's rows; any other key exports those of its own user and those without a user.
///
/// It leaves two audit rows: one when it starts, one with the counts before its footer. A start without an end is an export that broke off.
///
/// # Errors
/// `Forbidden` for an agent without `export` or that asks for more than its own, for an operator without the role `admin`; `Invalid` for no
/// area and for a filter that is invalid or has a question; `Conflict` for a record whose line would be longer than [`LINE_MAX`].
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn export<W: AsyncWrite + Unpin + Send>(
    engine: &Engine,
    ctx: &OpContext,
    selection: &Selection,
    out: W,
    progress: &(dyn Fn(u64) + Send + Sync),
) -> Result<Written, Error> {
    let ctx = &ctx.for_all_its_users()?;
    // No agent gets deleted or expired memories, not even in an export.
    let in_reach_at = ctx.agent_id().is_ok().then(|| engine.clock().now());
    let agents = agents(engine, ctx, selection).await?;
    let filter = match selection {
        Selection::Filter(filter) => Some(filter.as_ref()),
        Selection::All | Selection::Only(_) | Selection::Agent(_) | Selection::Person(_) => None,
    };
    let person = if let Selection::Person(user) = selection { Some(*user) } else { None };
    let tenancy = person.map_or(ctx.tenancy(), |user| Tenancy { users: Users::One(user), ..ctx.tenancy() });
    leave_trace(engine, ctx, "memory.export_started", selection, &json!({ "format": "jsonl" })).await?;
    if selection.has(Area::Vocabulary) {
        // Earlier proposals of agents are in the queue then, and no longer on their way to it.
        engine.relay().settle().await;
    }
    let mut memory = if selection.has(Area::Memory) { Some(snapshot(&engine.db().memory, ctx).await?) } else { None };
    let shared = selection.has(Area::Vocabulary) || selection.has(Area::Knowledge);
    let mut kb = if shared { Some(snapshot(&engine.db().kb, ctx).await?) } else { None };
    let mut control = if selection.has(Area::Activity) { Some(snapshot(&engine.db().control, ctx).await?) } else { None };
    // Read last, so that it has every agent that a snapshot names.
    let everybody = identity::all_agents(engine, ctx).await?;
    let (out, names) = (BufWriter::new(out), Names::new(&everybody));
    let mut sheet = Sheet { out, hash: Sha256::new(), written: Written::new(), lines: 0, names, progress };
    let header = json!({ "type": "header", "format": FORMAT, "schema": SCHEMA, "exported_at": Stamp(engine.clock().now()) });
    sheet.put(&canonical::text(&header)).await?;

    let named = match (selection, &mut memory, &mut kb) {
        (Selection::Agent(_) | Selection::Filter(_), Some(tx), _) => Some(store::authors(tx, tenancy, &ids(&agents), filter).await?),
        // Any agent may have reported something.
        (Selection::Only(_), None, _) if selection.has(Area::Activity) => None,
        (_, None, Some(kb)) if selection.has(Area::Vocabulary) => Some(store::proposers(kb, ctx.tenant_id).await?),
        (_, None, _) => Some(vec![]),
        _ => None,
    };
    for agent in everybody.into_iter().filter(|agent| agent.kind == AgentKind::Agent) {
        let own = selection == &Selection::Agent(agent.id);
        if own || named.as_ref().is_none_or(|named| named.contains(&agent.id)) {
            let Agent { id, slug, name, require_user, discipline, kind: _, blocked_at: _, retired_at: _ } = agent;
            let line = AgentLine { id, slug, name, require_user, discipline };
            sheet.record(&line).await?;
        }
    }
    if selection.has(Area::Memory) && matches!(selection, Selection::All | Selection::Only(_) | Selection::Person(_)) {
        let users = identity::users(engine, ctx).await?.into_iter().filter(|user| person.is_none_or(|person| user.id == person));
        for User { id, external_ref, name } in users {
            sheet.record(&UserLine { id, external_ref, name }).await?;
        }
    }
    let all = RecordFilter { tenancy, agent: None, agents: &[], filter: None, in_reach_at: None, of_person: person.is_some() };
    if let Some(mut kb) = kb {
        if selection.has(Area::Vocabulary) {
            sheet.pages::<TermLine>(&mut kb, &all).await?;
            sheet.pages::<AliasLine>(&mut kb, &all).await?;
            sheet.pages::<DecisionLine>(&mut kb, &all).await?;
            sheet.pages::<ProposalLine>(&mut kb, &all).await?;
            sheet.pages::<ProposalMemoryLine>(&mut kb, &all).await?;
        }
        if selection.has(Area::Knowledge) {
            sheet.pages::<DocumentLine>(&mut kb, &all).await?;
            sheet.pages::<ChunkLine>(&mut kb, &all).await?;
            sheet.pages::<ComponentLine>(&mut kb, &all).await?;
        }
        kb.commit().await?;
    }
    if let Some(mut tx) = memory {
        let ids = ids(&agents);
        let records = |agent: &Agent| RecordFilter { agent: Some(agent.id), agents: &ids, filter, in_reach_at, ..all };
        let filters: Vec<RecordFilter<'_>> = agents.iter().map(records).collect();
        memories(&mut sheet, &mut tx, &filters).await?;
        tx.commit().await?;
    }
    if let Some(mut tx) = control.take() {
        let agent = if let Selection::Agent(agent) = selection { Some(*agent) } else { None };
        let records = RecordFilter { agent, ..all };
        sheet.pages::<ActionLine>(&mut tx, &records).await?;
        sheet.pages::<WorkflowStepLine>(&mut tx, &records).await?;
        tx.commit().await?;
    }
    leave_trace(engine, ctx, "memory.exported", selection, &json!({ "format": "jsonl", "lines": sheet.written })).await?;
    sheet.finish().await
}

async fn snapshot(database: &Database, ctx: &OpContext) -> Result<Tx, Error> {
    let mut tx = database.begin_snapshot(ctx.tenancy()).await?;
    lift_statement_timeout(&mut tx).await?;
    Ok(tx)
}

/// A filter selects memories: the file has no projects, no events, no quarantine, no proposals and no profiles.
async fn memories<W: AsyncWrite + Unpin + Send>(sheet: &mut Sheet<'_, W>, tx: &mut Tx, filters: &[RecordFilter<'_>]) -> Result<(), Error> {
    macro_rules! of_each {
        ($($line:ty),+) => {
            $(for records in filters {
                sheet.pages::<$line>(tx, records).await?;
            })+
        };
    }
    let whole = filters.iter().all(|records| records.filter.is_none());
    if whole && !filters.iter().any(|records| records.of_person) {
        of_each!(ProjectLine, RepoLine, ProjectLinkLine);
    }
    of_each!(SourceLine, MemoryLine, VersionLine, LinkLine, TombstoneLine);
    if whole {
        of_each!(EventLine);
    }
    of_each!(EvidenceLine);
    // Quarantine and proposals are for people: no agent's key reads them.
    if whole && filters.iter().all(|records| records.in_reach_at.is_none()) {
        of_each!(QuarantinedTurnLine, SuggestionLine);
    }
    if whole {
        of_each!(ConnectionLine, ProfileLeafLine, ProfileVersionLine);
    }
    Ok(())
}

/// Leaves an audit row about the export. It names the fields of a filter but not their values, which may be somebody's words.
///
/// # Errors
/// When the database is out of reach; the export is then not made.
pub(super) async fn leave_trace(
    engine: &Engine,
    ctx: &OpContext,
    action: &str,
    selection: &Selection,
    details: &Value,
) -> Result<(), Error> {
    let message = if action.ends_with("started") { "export started" } else { "exported" };
    let mut details = details.clone();
    let (kind, target, agent) = match selection {
        Selection::All => ("tenant", ctx.tenant_id.to_string(), None),
        Selection::Only(areas) => {
            details["only"] = areas.iter().map(|area| area.as_str()).collect();
            ("tenant", ctx.tenant_id.to_string(), None)
        }
        Selection::Agent(agent) => ("agent", agent.to_string(), Some(*agent)),
        Selection::Person(user) => ("user", user.to_string(), None),
        Selection::Filter(filter) => {
            let fields = serde_json::to_value(filter).map_err(Error::failed("the filter cannot be serialised"))?;
            let set = fields.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null()).map(|(name, _)| name.as_str());
            details["filter"] = set.collect::<Vec<_>>().into();
            ("tenant", ctx.tenant_id.to_string(), filter.agent_id)
        }
    };
    let mut entry = NewEntry::new(engine, ctx, action, kind, target, message).changes(details);
    if let Some(agent) = agent {
        entry = entry.agent(agent);
    }
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    audit::record(&mut tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    tx.commit().await?;
    engine.relay().wake();
    Ok(())
}

/// The agents of the selection, commons first, then by slug.
///
/// # Errors
/// As [`export`].
pub(super) async fn agents(engine: &Engine, ctx: &OpContext, selection: &Selection) -> Result<Vec<Agent>, Error> {
    if let Actor::Agent { id, .. } = &ctx.actor {
        ctx.require(KeyScope::Export)?;
        if selection != &Selection::Agent(*id) {
            return Err(Error::Forbidden("an agent's key exports only the agent's own records".into()));
        }
    } else {
        ctx.require_role(OperatorRole::Admin)?;
    }
    let wanted = match selection {
        Selection::All => None,
        Selection::Only(areas) if areas.is_empty() => return Err(Error::invalid("only", "names nothing to export")),
        Selection::Only(_) | Selection::Person(_) => None,
        Selection::Agent(id) => Some(*id),
        Selection::Filter(filter) => {
            memories::check_filter(filter)?;
            if filter.q.is_some() {
                return Err(Error::invalid("q", "cannot restrict an export: it is a question, not a filter"));
            }
            filter.agent_id
        }
    };
    let mut agents = identity::all_agents(engine, ctx).await?;
    agents.retain(|agent| wanted.is_none_or(|wanted| wanted == agent.id));
    if agents.is_empty() { Err(Error::NotFound("agent")) } else { Ok(agents) }
}

fn ids(agents: &[Agent]) -> Vec<AgentId> {
    agents.iter().map(|agent| agent.id).collect()
}

struct Sheet<'a, W> {
    out: BufWriter<W>,
    hash: Sha256,
    written: Written,
    lines: u64,
    names: Names,
    progress: &'a (dyn Fn(u64) + Send + Sync),
}

impl<W: AsyncWrite + Unpin + Send> Sheet<'_, W> {
    /// Writes every page of one type.
    async fn pages<T>(&mut self, tx: &mut Tx, records: &RecordFilter<'_>) -> Result<(), Error>
    where
        T: Record + for<'r> FromRow<'r, PgRow> + Send + Sync + Unpin,
    {
        let mut last: Option<T> = None;
        loop {
            let page = store::page(tx, records, last.as_ref(), PAGE).await?;
            for record in &page {
                self.record(record).await?;
            }
            if page.len() < PAGE {
                return Ok(());
            }
            last = page.into_iter().next_back();
        }
    }

    async fn record<T: Record + Sync>(&mut self, record: &T) -> Result<(), Error> {
        let (line, kind) = (canonical::write(record, &self.names)?, T::SECTION.as_str());
        if line.len() >= LINE_MAX {
            let message = format!("a {kind} makes a line of {} bytes; a line may have {LINE_MAX}", line.len());
            return Err(Error::Conflict(message));
        }
        *self.written.entry(kind).or_default() += 1;
        self.lines += 1;
        (self.progress)(self.lines);
        self.put(&line).await
    }

    async fn put(&mut self, line: &str) -> Result<(), Error> {
        for part in [line.as_bytes(), b"\n"] {
            self.hash.update(part);
            self.out.write_all(part).await.map_err(cannot_write)?;
        }
        Ok(())
    }

    async fn finish(mut self) -> Result<Written, Error> {
        let sha256 = Hash(std::mem::take(&mut self.hash).finalize().to_vec());
        let footer = json!({ "type": "footer", "lines": self.lines, "counts": self.written, "sha256": sha256 });
        self.put(&canonical::text(&footer)).await?;
        self.out.shutdown().await.map_err(cannot_write)?;
        Ok(self.written)
    }
}

fn cannot_write(error: std::io::Error) -> Error {
    Error::failed("the export cannot be written")(error)
}

//! export: what is remembered, as lines, in constant memory.

use super::canonical::{self, Names};
use super::lines::{AgentLine, FORMAT, LINE_MAX, SCHEMA, Section, UserLine};
use super::store::{self, Scope as Reach};
use super::values::{Hash, Stamp};
use crate::api::{AgentId, AgentKind, MemoryFilter, OperatorRole, Scope};
use crate::audit::{self, NewEntry};
use crate::db::lift_statement_timeout;
use crate::engine::Engine;
use crate::error::Error;
use crate::identity::{self, Agent, User};
use crate::memories;
use crate::op::{Actor, OpContext};
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use tokio::io::{AsyncWrite, AsyncWriteExt, BufWriter};

/// Records per query.
pub(super) const PAGE: usize = 500;

/// What an export holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Selection {
    /// Everything of the tenant.
    All,
    /// Everything of one agent.
    Agent(AgentId),
    /// The memories that a filter matches, with their versions, sources and tombstones and the links between them; no events, no projects.
    Filter(Box<MemoryFilter>),
}

/// How many lines of each type were written.
pub type Written = BTreeMap<&'static str, u64>;

/// Writes what `selection` names to `out`: a header, lines, and a footer with counts and the SHA-256 of all before it. One snapshot: what
/// changes meanwhile is not in it, or wholly. `progress` is told the number of lines so far.
///
/// An agent's key that may choose its user exports every user's rows, any other its own user's and nobody's.
///
/// It leaves two audit rows: one when it starts, one with the counts before its footer. A start without an end is an export that broke off.
///
/// # Errors
/// `Forbidden` for an agent without `export` or that asks for more than its own, for an operator without the role `admin`; `Invalid` for a
/// filter that makes no sense or asks a question; `Conflict` for a record whose line would be longer than [`LINE_MAX`].
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn export<W: AsyncWrite + Unpin + Send>(
    engine: &Engine,
    ctx: &OpContext,
    selection: &Selection,
    out: W,
    progress: &(dyn Fn(u64) + Send + Sync),
) -> Result<Written, Error> {
    let ctx = &ctx.for_all_its_users()?;
    // What is deleted or expired is told to no agent, by an export neither.
    let in_reach_at = ctx.agent_id().is_ok().then(|| engine.clock().now());
    let agents = agents(engine, ctx, selection).await?;
    let names = Names::new(&identity::all_agents(engine, ctx).await?);
    let filter = match selection {
        Selection::Filter(filter) => Some(filter.as_ref()),
        Selection::All | Selection::Agent(_) => None,
    };
    leave_trace(engine, ctx, "memory.export_started", selection, &json!({ "format": "jsonl" })).await?;
    let mut sheet = Sheet { out: BufWriter::new(out), hash: Sha256::new(), written: Written::new(), lines: 0, names, progress };
    let header = json!({ "type": "header", "format": FORMAT, "schema": SCHEMA, "exported_at": Stamp(engine.clock().now()) });
    sheet.put(&canonical::text(&header)).await?;

    let mut tx = engine.db().memory.begin_snapshot(ctx.tenancy()).await?;
    lift_statement_timeout(&mut tx).await?;
    let named = match selection {
        Selection::All => None,
        Selection::Agent(_) | Selection::Filter(_) => Some(store::authors(&mut tx, ctx.tenancy(), &ids(&agents), filter).await?),
    };
    for agent in identity::all_agents(engine, ctx).await?.into_iter().filter(|agent| agent.kind == AgentKind::Agent) {
        let own = selection == &Selection::Agent(agent.id);
        if own || named.as_ref().is_none_or(|named| named.contains(&agent.id)) {
            let Agent { id, slug, name, require_user, discipline, kind: _ } = agent;
            let line = AgentLine { id, slug, name, require_user, discipline };
            sheet.record(Section::Agent, &line).await?;
        }
    }
    if selection == &Selection::All {
        for User { id, external_ref, name } in identity::users(engine, ctx).await? {
            sheet.record(Section::User, &UserLine { id, external_ref, name }).await?;
        }
    }
    let ids = ids(&agents);
    macro_rules! pages {
        ($section:expr, $query:path) => {
            for agent in &agents {
                let reach = Reach { tenancy: ctx.tenancy(), agent: agent.id, agents: &ids, filter, in_reach_at };
                let mut last = None;
                loop {
                    let page = $query(&mut tx, &reach, last.as_ref(), PAGE).await?;
                    for record in &page {
                        sheet.record($section, record).await?;
                    }
                    let whole = page.len() == PAGE;
                    last = page.into_iter().next_back();
                    if !whole {
                        break;
                    }
                }
            }
        };
    }
    if filter.is_none() {
        pages!(Section::Project, store::projects);
        pages!(Section::Repo, store::repos);
        pages!(Section::ProjectLink, store::project_links);
    }
    pages!(Section::Source, store::sources);
    pages!(Section::Memory, store::memories);
    pages!(Section::Version, store::versions);
    pages!(Section::Link, store::links);
    pages!(Section::Tombstone, store::tombstones);
    if filter.is_none() {
        pages!(Section::Event, store::events);
    }
    tx.commit().await?;
    leave_trace(engine, ctx, "memory.exported", selection, &json!({ "format": "jsonl", "lines": sheet.written })).await?;
    sheet.finish().await
}

/// Leaves an audit row that says what is exported. Of a filter it names the fields and not their values, which may be somebody's words.
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
        Selection::Agent(agent) => ("agent", agent.to_string(), Some(*agent)),
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

/// The agents whose records are meant, commons first, then by slug.
///
/// # Errors
/// As [`export`].
pub(super) async fn agents(engine: &Engine, ctx: &OpContext, selection: &Selection) -> Result<Vec<Agent>, Error> {
    if let Actor::Agent { id, .. } = &ctx.actor {
        ctx.require(Scope::Export)?;
        if selection != &Selection::Agent(*id) {
            return Err(Error::Forbidden("an agent's key exports only the agent's own records".into()));
        }
    } else {
        ctx.require_role(OperatorRole::Admin)?;
    }
    let wanted = match selection {
        Selection::All => None,
        Selection::Agent(id) => Some(*id),
        Selection::Filter(filter) => {
            memories::check_filter(filter)?;
            if filter.q.is_some() {
                return Err(Error::invalid("q", "is a question, not a filter: it cannot be exported"));
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
    async fn record(&mut self, section: Section, record: &(impl Serialize + Sync)) -> Result<(), Error> {
        let line = canonical::write(section, record, &self.names)?;
        if line.len() >= LINE_MAX {
            let message = format!("a {} makes a line of {} bytes; at most {LINE_MAX} are written", section.as_str(), line.len());
            return Err(Error::Conflict(message));
        }
        *self.written.entry(section.as_str()).or_default() += 1;
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

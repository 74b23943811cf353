//! Reading a profile: only what is visible, so a leaf that was forgotten, or whose memory was, is gone at once.

use super::confidence::confidence;
use super::model::{Leaf, Part, Subject};
use super::narrative::{Told, compose};
use super::store::{self, StoredConnection, StoredProfile};
use super::tree::render;
use crate::api::{EventId, LeafId, MemoryId, ProfileLeaf, ProfileRequest, ProfileResponse, Scope};
use crate::db::{Tenancy, Tx};
use crate::engine::Engine;
use crate::error::Error;
use crate::identity::acting_for;
use crate::op::OpContext;
use async_recursion::async_recursion as boxed;
use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use tracing::instrument;
use uuid::Uuid;

/// Most connections of one person that are read.
pub(super) const CONNECTIONS: i64 = 200;

/// A profile as the context of a task has it.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfileContext {
    /// The narrative, at most 500 words.
    pub working_memory: String,
    /// An object: the structured profile.
    pub scaffold: Value,
    /// An object: `Facts`, a list of sentences, and `connections`, what was learned about each. Either is absent if there is none.
    pub learned: Value,
    pub version: i64,
    pub updated_at: DateTime<Utc>,
}

/// A profile as it is now: the leaves that may be seen, and no others.
pub struct View {
    stored: Option<StoredProfile>,
    leaves: Vec<Leaf>,
    connections: Vec<StoredConnection>,
    now: DateTime<Utc>,
}

impl View {
    /// Reads the profile of a subject.
    ///
    /// # Errors
    /// When the database is out of reach.
    pub async fn load(tx: &mut Tx, tenancy: Tenancy, subject: Subject, now: DateTime<Utc>) -> Result<Self, Error> {
        let stored = store::profile(tx, tenancy, subject).await?;
        let mut leaves = store::leaves(tx, tenancy, subject).await?;
        leaves.retain(Leaf::is_visible);
        let connections = store::connections(tx, tenancy, subject, (None, CONNECTIONS), now).await?;
        Ok(Self { stored, leaves, connections, now })
    }

    /// The visible leaves, by path.
    pub fn leaves(&self) -> &[Leaf] {
        &self.leaves
    }

    /// When the profile was read.
    pub fn read_at(&self) -> DateTime<Utc> {
        self.now
    }

    /// The narrative that a chat model wrote, or else one composed from the leaves.
    pub fn working_memory(&self) -> String {
        let written = self.stored.as_ref().and_then(|stored| stored.working_memory.clone());
        written.unwrap_or_else(|| {
            let told = |leaf: &Leaf| leaf.connection_id.is_none();
            let rated = self.rated();
            let leaves = self.leaves.iter().zip(&rated).filter(|(leaf, _)| told(leaf));
            let leaves: Vec<Told<'_>> = leaves
                .map(|(leaf, (confidence, disputed))| Told {
                    path: &leaf.path,
                    value: &leaf.value,
                    listed: leaf.listed,
                    disputed: *disputed,
                    confidence: *confidence,
                })
                .collect();
            compose(&leaves)
        })
    }

    /// The structured profile as an object.
    pub fn scaffold(&self) -> Map<String, Value> {
        self.tree(|leaf| leaf.part == Part::Scaffold)
    }

    /// What was learned about a connection, as an object.
    pub fn learned_about(&self, connection: Uuid) -> Map<String, Value> {
        self.tree(|leaf| leaf.connection_id == Some(connection))
    }

    /// The facts to keep, and what was learned about each connection.
    pub fn learned(&self) -> Map<String, Value> {
        self.learned_if(|_| true)
    }

    /// The same for the connections in use: those that are named, or all that are active.
    pub fn learned_in_use(&self, named: Option<&[Uuid]>) -> Map<String, Value> {
        let is_idle = |id: Uuid| self.connections.iter().any(|connection| connection.id == id && !connection.active);
        self.learned_if(|id| named.map_or_else(|| !is_idle(id), |named| named.contains(&id)))
    }

    fn learned_if(&self, in_use: impl Fn(Uuid) -> bool) -> Map<String, Value> {
        let mut learned = self.tree(|leaf| leaf.part == Part::Learned && leaf.connection_id.is_none());
        let mut ids: Vec<Uuid> = self.leaves.iter().filter_map(|leaf| leaf.connection_id).filter(|id| in_use(*id)).collect();
        ids.sort_unstable();
        ids.dedup();
        let connections = ids.into_iter().map(|id| {
            let known = self.connections.iter().find(|connection| connection.id == id);
            let (tool, name) = (known.map(|known| &known.tool_id), known.map(|known| &known.name));
            json!({ "connection_id": id, "tool_id": tool, "name": name, "learned": self.learned_about(id) })
        });
        let connections: Vec<Value> = connections.collect();
        if !connections.is_empty() {
            learned.insert("connections".into(), connections.into());
        }
        learned
    }

    /// The leaves with their confidence, and what they cite.
    fn described(&self, memories: &[(Uuid, MemoryId)]) -> Vec<ProfileLeaf> {
        let rated = self.rated();
        let described = self.leaves.iter().zip(rated).map(|(leaf, (confidence, disputed))| {
            let made = memories.iter().filter(|(source, _)| leaf.source_ids.contains(source));
            let mut memory_ids: Vec<MemoryId> = made.map(|(_, memory)| *memory).collect();
            memory_ids.sort_unstable();
            memory_ids.dedup();
            ProfileLeaf {
                leaf_id: LeafId(leaf.id),
                path: leaf.path.clone(),
                value: leaf.value.clone(),
                connection_id: leaf.connection_id,
                confidence,
                disputed,
                observations: i64::from(leaf.observations),
                first_seen: leaf.first_seen,
                last_seen: leaf.last_seen,
                event_ids: leaf.event_ids.iter().copied().map(EventId).collect(),
                memory_ids,
            }
        });
        described.collect()
    }

    /// Confidence of each leaf, and whether another visible leaf contradicts it.
    pub(super) fn rated(&self) -> Vec<(f64, bool)> {
        let observations: HashMap<Uuid, i32> = self.leaves.iter().map(|leaf| (leaf.id, leaf.observations)).collect();
        let rate = |leaf: &Leaf| {
            let against: Vec<i32> = leaf.contradicts.iter().filter_map(|other| observations.get(other).copied()).collect();
            let disputed = !against.is_empty();
            (confidence(leaf.observations, against, leaf.last_seen, self.now), disputed)
        };
        self.leaves.iter().map(rate).collect()
    }

    fn tree(&self, chosen: impl Fn(&Leaf) -> bool) -> Map<String, Value> {
        let leaves = self.leaves.iter().filter(|leaf| chosen(leaf));
        match render(leaves.map(|leaf| (leaf.path.as_slice(), &leaf.value, leaf.listed))) {
            Value::Object(map) => map,
            _ => Map::new(),
        }
    }
}

/// What the agent knows about the user of the call and the connections in use, for the context of a task; `None` before the first observation was read. The caller
/// checks the scope.
///
/// # Errors
/// `Forbidden` for an operator; otherwise when the database is out of reach.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn for_context(engine: &Engine, ctx: &OpContext, connections: Option<&[Uuid]>) -> Result<Option<ProfileContext>, Error> {
    let subject = Subject { agent_id: ctx.agent_id()?, user_id: ctx.user() };
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let view = View::load(&mut tx, ctx.tenancy(), subject, engine.clock().now()).await?;
    tx.commit().await?;
    Ok(view.stored.as_ref().map(|stored| ProfileContext {
        working_memory: view.working_memory(),
        scaffold: view.scaffold().into(),
        learned: view.learned_in_use(connections).into(),
        version: stored.version,
        updated_at: stored.updated_at,
    }))
}

/// What the agent knows about a user, with every leaf.
///
/// # Errors
/// `Forbidden` without `context:read`.
#[boxed]
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn get(engine: &Engine, ctx: &OpContext, request: ProfileRequest) -> Result<ProfileResponse, Error> {
    let agent_id = ctx.agent_id()?;
    ctx.require(Scope::ContextRead)?;
    let ctx = &acting_for(engine, ctx, request.user_id.as_ref()).await?;
    let subject = Subject { agent_id, user_id: ctx.user() };
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let view = View::load(&mut tx, ctx.tenancy(), subject, engine.clock().now()).await?;
    let mut sources: Vec<Uuid> = view.leaves.iter().flat_map(|leaf| leaf.source_ids.iter().copied()).collect();
    sources.sort_unstable();
    sources.dedup();
    let memories = store::memories_of(&mut tx, ctx.tenancy(), agent_id, &sources).await?;
    tx.commit().await?;
    Ok(ProfileResponse {
        working_memory: view.working_memory(),
        scaffold: view.scaffold(),
        learned: view.learned(),
        leaves: view.described(&memories),
        version: view.stored.as_ref().map_or(0, |stored| stored.version),
        updated_at: view.stored.as_ref().map(|stored| stored.updated_at),
    })
}

//! Reading a profile: only what is visible, so a leaf that was forgotten, or whose memory was, is gone at once.

use super::confidence::confidence;
use super::model::{Leaf, LeafState, Part, Subject};
use super::shared::beneath;
use super::store::{self, StoredConnection, StoredProfile};
use super::working_memory::{WeighedLeaf, compose, cut};
use chrono::{DateTime, Utc};
use db::{Tenancy, Tx};
use foundation::identity::{self, acting_for};
use foundation::{Engine, Error, OpContext};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeSet, HashMap, HashSet};
use uuid::Uuid;
use verb::verb;
use wire::{
    AgentId, CapturePolicy, EventId, KeyScope, LeafId, MemoryId, ProfileLeaf, ProfileOrigin, ProfileRequest, ProfileResponse,
    SensitiveMatters,
};
use words::tree::render;

/// Most connections of one person that are read.
pub(super) const CONNECTIONS: i64 = 200;
/// A value with less confidence is more likely out of date or wrong than right.
const DOUBTFUL: f64 = 0.5;
/// Most values with little confidence that are named beside a profile.
const DOUBTFUL_MAX: usize = 20;

/// A profile as the context of a task has it.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfileContext {
    /// The working memory, at most 500 words.
    pub working_memory: String,
    /// An object: the structured profile.
    pub scaffold: Value,
    /// An object: `Facts`, a list of sentences, and `connections`, what was learned about each. Either is absent if there is none.
    pub learned: Value,
    /// The values that a reader must not take for certain: what is unconfirmed, then what is more likely out of date or wrong than right.
    pub doubtful: Vec<Doubtful>,
    /// The number of the last change of the agent's own profile.
    pub version: i64,
}

/// A value of a profile that is unconfirmed or has little confidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Doubtful {
    #[serde(skip)]
    pub part: Part,
    pub path: Vec<String>,
    pub value: Value,
    /// Above 0, to two decimals.
    pub confidence: f64,
    /// No person has said or confirmed it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unconfirmed: bool,
}

/// A profile as it is now: the leaves that may be seen, and no others.
pub struct View {
    stored: Option<StoredProfile>,
    leaves: Vec<Leaf>,
    /// Leaves that nobody reads: forgotten or corrected.
    unread: Vec<Leaf>,
    /// Which of the leaves come from the commons' profile.
    shared: HashSet<Uuid>,
    connections: Vec<StoredConnection>,
    sensitive: SensitiveMatters,
    now: DateTime<Utc>,
}

impl View {
    /// Reads the profile of a subject.
    pub async fn load(tx: &mut Tx, tenancy: Tenancy, subject: Subject, policy: &CapturePolicy, now: DateTime<Utc>) -> Result<Self, Error> {
        let (sensitive, mut stored) = (policy.sensitive, store::profile(tx, tenancy, subject).await?);
        let all = store::leaves(tx, tenancy, subject).await?;
        let ended = |leaf: &Leaf| leaf.is_expired(sensitive, now);
        // A working memory may repeat an entry that ended, until the sweep removes both.
        if all.iter().any(|leaf| leaf.state != LeafState::Forgotten && ended(leaf))
            && let Some(stored) = &mut stored
        {
            stored.working_memory = None;
        }
        let (leaves, mut unread): (Vec<Leaf>, Vec<Leaf>) = all.into_iter().partition(|leaf| leaf.is_visible() && !ended(leaf));
        // An ended leaf does not hide the commons' leaf with the same value.
        unread.retain(|leaf| !leaf.is_visible());
        let connections = store::connections(tx, tenancy, subject, None, CONNECTIONS, now).await?;
        Ok(Self { stored, leaves, unread, shared: HashSet::new(), connections, sensitive, now })
    }

    /// Reads what an agent knows about the user of its call, with what the commons' profile says if the policy shares it.
    ///
    /// # Errors
    /// `Forbidden` for an operator; otherwise when the database is out of reach.
    pub(super) async fn of_agent(tx: &mut Tx, ctx: &OpContext, policy: &CapturePolicy, now: DateTime<Utc>) -> Result<Self, Error> {
        let subject = Subject { agent_id: ctx.agent_id()?, user_id: ctx.user() };
        let mut view = Self::load(tx, ctx.tenancy(), subject, policy, now).await?;
        if policy.shared_profiles {
            let commons = Subject { agent_id: ctx.commons_id, ..subject };
            let commons = Self::load(tx, ctx.tenancy(), commons, policy, now).await?;
            let own: Vec<Leaf> = view.leaves.iter().chain(&view.unread).cloned().collect();
            let beneath = beneath(&own, commons.leaves);
            view.shared.extend(beneath.iter().map(|leaf| leaf.id));
            view.leaves.extend(beneath);
        }
        Ok(view)
    }

    /// The visible leaves, by path.
    pub fn leaves(&self) -> &[Leaf] {
        &self.leaves
    }

    /// The sources of its leaves, without those that a leaf cites which nobody reads.
    pub fn sources(&self) -> Vec<Uuid> {
        let unread: HashSet<Uuid> = self.unread.iter().flat_map(|leaf| leaf.source_ids.iter().copied()).collect();
        let own = self.leaves.iter().filter(|leaf| !self.shared.contains(&leaf.id));
        let sources: HashSet<Uuid> =
            own.flat_map(|leaf| leaf.source_ids.iter().copied()).filter(|source| !unread.contains(source)).collect();
        sources.into_iter().collect()
    }

    /// The same without the leaves that come from these observations alone.
    pub fn without(mut self, events: &BTreeSet<EventId>) -> Self {
        self.leaves.retain(|leaf| !leaf.event_ids.iter().all(|event| events.contains(&EventId(*event))));
        self
    }

    /// When the profile was read.
    pub fn read_at(&self) -> DateTime<Utc> {
        self.now
    }

    /// The working memory that a chat model wrote, and what the commons adds to it; or else one composed from the leaves.
    pub fn working_memory(&self) -> String {
        match self.stored.as_ref().and_then(|stored| stored.working_memory.as_deref()) {
            Some(written) if self.shared.is_empty() => written.to_owned(),
            Some(written) => cut(&format!("{written}\n{}", self.composed(|leaf| self.shared.contains(&leaf.id)))),
            None => self.composed(|_| true),
        }
    }

    /// A working memory composed from some of the leaves. It has no place for a mark: what is unconfirmed is left out, as is what belongs to
    /// connections.
    fn composed(&self, chosen: impl Fn(&Leaf) -> bool) -> String {
        let rated = self.rated();
        let leaves = self.leaves.iter().zip(&rated).filter(|(leaf, _)| leaf.connection_id.is_none() && !leaf.unconfirmed && chosen(leaf));
        let leaves: Vec<WeighedLeaf<'_>> = leaves
            .map(|(leaf, (confidence, disputed))| WeighedLeaf {
                path: &leaf.path,
                value: &leaf.value,
                listed: leaf.listed,
                disputed: *disputed,
                confidence: *confidence,
            })
            .collect();
        compose(&leaves)
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

    /// The number of the last change; 0 before the first one.
    fn version(&self) -> i64 {
        self.stored.as_ref().map_or(0, |stored| stored.version)
    }

    /// When the profile changed last.
    pub(super) fn updated_at(&self) -> Option<DateTime<Utc>> {
        self.stored.as_ref().map(|stored| stored.updated_at)
    }

    /// The connections, with what was learned about each.
    pub(super) fn connections(&self) -> &[StoredConnection] {
        &self.connections
    }

    /// The profile as a whole, with the memories that its leaves were made into, of the agent whose profile it is and of others after it.
    pub(super) async fn response(&self, tx: &mut Tx, tenancy: Tenancy, agents: &[AgentId]) -> Result<ProfileResponse, Error> {
        let mut sources: Vec<Uuid> = self.leaves.iter().flat_map(|leaf| leaf.source_ids.iter().copied()).collect();
        sources.sort_unstable();
        sources.dedup();
        let read_by_rules = match agents.first() {
            Some(own) => store::read_by_rules(tx, tenancy, *own, &self.sources()).await?,
            None => 0,
        };
        let mut memories = Vec::new();
        for agent in agents {
            memories.extend(store::memories_of(tx, tenancy, *agent, &sources).await?);
        }
        Ok(ProfileResponse {
            working_memory: self.working_memory(),
            scaffold: self.scaffold(),
            learned: self.learned(),
            leaves: self.described(&memories),
            read_by_rules,
            version: self.version(),
            updated_at: self.updated_at(),
        })
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
                part: leaf.part,
                profile: if self.shared.contains(&leaf.id) { ProfileOrigin::Shared } else { ProfileOrigin::Own },
                path: leaf.path.clone(),
                value: leaf.value.clone(),
                connection_id: leaf.connection_id,
                confidence,
                disputed,
                unconfirmed: leaf.unconfirmed,
                observations: i64::from(leaf.observations),
                sessions: i64::try_from(leaf.session_ids.len()).unwrap_or(i64::MAX),
                recurring: leaf.is_recurring(),
                first_seen: leaf.first_seen,
                last_seen: leaf.last_seen,
                matters: leaf.matters().collect(),
                expires_at: leaf.expires_at(self.sensitive),
                event_ids: leaf.event_ids.iter().copied().map(EventId).collect(),
                memory_ids,
            }
        });
        described.collect()
    }

    /// Confidence of each leaf, and whether another visible leaf contradicts it.
    pub(super) fn rated(&self) -> Vec<(f64, bool)> {
        let by_id: HashMap<Uuid, &Leaf> = self.leaves.iter().map(|leaf| (leaf.id, leaf)).collect();
        let rate = |leaf: &Leaf| {
            let others: Vec<&Leaf> = leaf.contradicts.iter().filter_map(|other| by_id.get(other).copied()).collect();
            // What an agent noted makes nobody doubt what the person said.
            let against = others.iter().filter(|other| leaf.unconfirmed || !other.unconfirmed).map(|other| other.observations);
            (confidence(leaf.observations, against, leaf.last_seen, self.now), !others.is_empty())
        };
        self.leaves.iter().map(rate).collect()
    }

    /// What is unconfirmed, and after it the values of the structured profile with little confidence, least certain first.
    fn doubtful(&self) -> Vec<Doubtful> {
        let doubtful =
            self.leaves.iter().zip(self.rated()).filter(|(leaf, _)| leaf.connection_id.is_none()).map(|(leaf, (confidence, _))| {
                let (path, value) = (leaf.path.clone(), leaf.value.clone());
                Doubtful { part: leaf.part, path, value, confidence: (confidence * 100.0).round() / 100.0, unconfirmed: leaf.unconfirmed }
            });
        let (mut doubtful, mut unsure): (Vec<Doubtful>, Vec<Doubtful>) = doubtful.partition(|one| one.unconfirmed);
        unsure.retain(|one| one.part == Part::Scaffold && one.confidence < DOUBTFUL);
        unsure.sort_by(|one, other| one.confidence.total_cmp(&other.confidence));
        unsure.truncate(DOUBTFUL_MAX);
        doubtful.append(&mut unsure);
        doubtful
    }

    fn tree(&self, chosen: impl Fn(&Leaf) -> bool) -> Map<String, Value> {
        let leaves = self.leaves.iter().filter(|leaf| chosen(leaf));
        match render(leaves.map(|leaf| (leaf.path.as_slice(), &leaf.value, leaf.listed))) {
            Value::Object(map) => map,
            _ => Map::new(),
        }
    }
}

/// What the agent knows about the user of the call and the connections in use, for the context of a task; `None` before the first
/// observation was read. The caller checks the scope.
///
/// # Errors
/// `Forbidden` for an operator; otherwise when the database is out of reach.
#[verb]
pub async fn for_context(engine: &Engine, ctx: &OpContext, connections: Option<&[Uuid]>) -> Result<Option<ProfileContext>, Error> {
    let policy = identity::capture_policy(engine, ctx).await?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let view = View::of_agent(&mut tx, ctx, &policy, engine.clock().now()).await?;
    tx.commit().await?;
    if view.stored.is_none() && view.shared.is_empty() {
        return Ok(None);
    }
    Ok(Some(ProfileContext {
        working_memory: view.working_memory(),
        scaffold: view.scaffold().into(),
        learned: view.learned_in_use(connections).into(),
        doubtful: view.doubtful(),
        version: view.version(),
    }))
}

/// What the agent knows about a user, with every leaf.
///
/// # Errors
/// `Forbidden` without `context:read`.
#[verb]
pub async fn get(engine: &Engine, ctx: &OpContext, request: ProfileRequest) -> Result<ProfileResponse, Error> {
    let agent_id = ctx.agent_id()?;
    ctx.require(KeyScope::ContextRead)?;
    let ctx = &acting_for(engine, ctx, request.user_id.as_ref()).await?;
    let policy = identity::capture_policy(engine, ctx).await?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let view = View::of_agent(&mut tx, ctx, &policy, engine.clock().now()).await?;
    let profile = view.response(&mut tx, ctx.tenancy(), &[agent_id, ctx.commons_id]).await?;
    tx.commit().await?;
    Ok(profile)
}

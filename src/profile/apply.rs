//! Applying what was drawn from a batch of observations, in the transaction that marks them as processed.

use super::documents::index_leaves;
use super::merge::Merge;
use super::model::{Leaf, NewLeaf, Subject};
use super::store::{self, StoredVersion};
use chrono::{DateTime, Utc};
use db::{Tx, lock, lock_key};
use foundation::{Engine, Error, OpContext};
use sqlx::types::Json;
use std::collections::{BTreeSet, HashMap};
use uuid::Uuid;
use wire::EventId;

/// What a batch of observations says about a person.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    pub new_leaves: Vec<NewLeaf>,
    /// What a chat model wrote. Absent: the working memory is composed from the leaves.
    pub working_memory: Option<WorkingMemory>,
    /// Statements of a model that no observation supports, or that may carry instructions.
    pub dropped: usize,
    /// Observations that rules read before in place of a model: what is drawn now replaces what they found.
    pub reread: BTreeSet<EventId>,
}

impl Drawn {
    /// Without what comes from observations that say what somebody forgot. A working memory may repeat them, so it goes, too.
    pub fn without(mut self, forgotten: &BTreeSet<EventId>) -> Self {
        if !forgotten.is_empty() {
            self.working_memory = None;
            self.new_leaves.iter_mut().for_each(|new_leaf| new_leaf.cites.retain(|cite| !forgotten.contains(&cite.event_id)));
            self.new_leaves.retain(|new_leaf| !new_leaf.cites.is_empty());
        }
        self
    }
}

/// A working memory, and what it was written from.
#[derive(Clone, Debug)]
pub struct WorkingMemory {
    pub text: String,
    pub read_at: DateTime<Utc>,
    /// The leaves that its writer saw.
    pub seen: Vec<Uuid>,
}

/// How much of it changed the profile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    pub added: usize,
    pub superseded: usize,
    /// Leaves of rules that others replaced.
    pub replaced: usize,
    pub left_out: usize,
}

/// Takes the lock under which a profile changes.
pub(super) async fn lock_profile(tx: &mut Tx, subject: Subject) -> Result<(), Error> {
    let user = subject.user_id.map_or([0; 16], |user| user.0.into_bytes());
    Ok(lock(tx, lock_key(&[b"profile", subject.agent_id.0.as_bytes(), &user])).await?)
}

/// Merges new leaves into a profile and records the change. A working memory whose writer saw a leaf that was forgotten since is thrown away.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn apply(engine: &Engine, ctx: &OpContext, tx: &mut Tx, subject: Subject, drawn: Drawn) -> Result<Applied, Error> {
    if drawn.new_leaves.is_empty() && drawn.working_memory.is_none() {
        return Ok(Applied::default());
    }
    lock_profile(tx, subject).await?;
    let (tenancy, now) = (ctx.tenancy(), engine.clock().now());
    let before = store::leaves(tx, tenancy, subject).await?;
    // Somebody may have forgotten a leaf while a model read its observations again.
    let gone: BTreeSet<Uuid> = before.iter().filter(|leaf| !leaf.is_visible()).flat_map(|leaf| leaf.source_ids.iter().copied()).collect();
    let cites = drawn.new_leaves.iter().flat_map(|new_leaf| &new_leaf.cites);
    let cites = cites.filter(|cite| drawn.reread.contains(&cite.event_id) && gone.contains(&cite.source_id.0));
    let gone: BTreeSet<EventId> = cites.map(|cite| cite.event_id).collect();
    let drawn = drawn.without(&gone);
    let visible: BTreeSet<Uuid> = before.iter().filter(|leaf| leaf.is_visible()).map(|leaf| leaf.id).collect();
    let working_memory = drawn.working_memory.filter(|working_memory| working_memory.seen.iter().all(|id| visible.contains(id)));
    let events: BTreeSet<Uuid> = drawn.new_leaves.iter().flat_map(|new_leaf| new_leaf.cites.iter().map(|cite| cite.event_id.0)).collect();

    let mut merge = Merge::new(before.clone()).replacing(&drawn.reread);
    merge.apply(drawn.new_leaves, || engine.clock().id());
    let Merge { replaced, left_out, .. } = merge;
    let applied = Applied { added: merge.diff.added.len(), superseded: merge.diff.superseded.len() - replaced, replaced, left_out };
    if merge.diff.is_empty() && working_memory.is_none() {
        return Ok(applied);
    }
    let before: HashMap<Uuid, &Leaf> = before.iter().map(|leaf| (leaf.id, leaf)).collect();
    for leaf in merge.leaves.iter().filter(|leaf| before.get(&leaf.id) != Some(leaf)) {
        store::put_leaf(tx, tenancy, subject, leaf).await?;
    }
    index_leaves(engine, ctx, tx, subject).await?;
    let narrated = working_memory.as_ref().map(|working_memory| (working_memory.text.as_str(), working_memory.read_at));
    store::put_working_memory(tx, tenancy, subject, engine.clock().id(), narrated, now).await?;
    let version = store::next_version(tx, tenancy, subject).await?;
    let (diff, event_ids, narrated) = (Json(merge.diff), events.into_iter().collect(), narrated.is_some());
    let version = StoredVersion { version, diff, event_ids, narrated, created_at: now };
    store::insert_version(tx, tenancy, subject, engine.clock().id(), &version).await?;
    Ok(applied)
}

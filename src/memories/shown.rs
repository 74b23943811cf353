//! What a person saw before deciding: a decision is about the text that a page showed, never about one that replaced it meanwhile.

use super::model::Memory;
use super::store;
use foundation::{Checks, Engine, Error, OpContext};
use std::collections::BTreeMap;
use verb::verb;
use wire::{BULK_MAX, ChangedMemory, MemoryId};

/// The versions of memories that a person saw. A memory that is not named may have any version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown(BTreeMap<MemoryId, i32>);

impl Shown {
    /// Refuses a decision about memories of which one has changed since it was shown.
    ///
    /// # Errors
    /// `Conflict` with the short id of the first that has another version.
    pub(crate) fn check<'a>(&self, memories: impl IntoIterator<Item = &'a Memory>) -> Result<(), Error> {
        let changed = memories.into_iter().find(|memory| self.0.get(&memory.id).is_some_and(|version| *version != memory.version));
        let conflict = |memory: &Memory| {
            let message = format!("the memory {} changed after this page showed it: read it again, then decide", memory.short_id);
            Err(Error::Conflict(message))
        };
        changed.map_or(Ok(()), conflict)
    }
}

impl FromIterator<(MemoryId, i32)> for Shown {
    fn from_iter<T: IntoIterator<Item = (MemoryId, i32)>>(versions: T) -> Self {
        Self(versions.into_iter().collect())
    }
}

/// The memories that have changed since they were shown: as they were, and as they are now.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `Invalid` for more than 100 memories.
#[verb(role = Viewer, memories = shown.0.len())]
pub async fn changed_since(engine: &Engine, ctx: &OpContext, shown: &Shown) -> Result<Vec<ChangedMemory>, Error> {
    let message = format!("names {} memories; at most {BULK_MAX} are allowed", shown.0.len());
    Checks::default().that(shown.0.len() <= BULK_MAX, "shown", message).done()?;
    let ids: Vec<MemoryId> = shown.0.keys().copied().collect();
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let mut changed = Vec::new();
    for memory in store::by_ids(&mut tx, ctx.tenancy(), None, &ids, false).await? {
        let Some(seen) = shown.0.get(&memory.id).filter(|seen| **seen != memory.version) else { continue };
        let versions = store::versions(&mut tx, ctx.tenancy(), memory.agent_id, memory.id).await?;
        let then = versions.iter().find(|version| version.version <= *seen).cloned();
        if let Some((then, now)) = then.zip(versions.into_iter().next()) {
            changed.push(ChangedMemory { memory_id: memory.id, short_id: memory.short_id, then, now });
        }
    }
    tx.commit().await?;
    Ok(changed)
}

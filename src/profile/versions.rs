//! The history of a profile. Versions name leaves by their ids, and only visible leaves have words.

use super::model::{Diff, Leaf, LeafState, Subject};
use super::store::{self, StoredVersion};
use chrono::{DateTime, Utc};
use db::{Tenancy, Tx};
use foundation::identity::{self, acting_for};
use foundation::{Checks, Engine, Error, OpContext};
use std::collections::HashMap;
use uuid::Uuid;
use verb::verb;
use wire::{EventId, KeyScope, LeafChange, LeafId, ProfileChange, ProfileVersion, ProfileVersions, SensitiveMatters, UserRef};

/// Versions of one page.
const PAGE: i64 = 50;

/// The changes of a user's profile, newest first; with `before`, those before a version.
///
/// # Errors
/// `Forbidden` without `context:read`, `Invalid` for a `before` below 1.
#[verb]
pub async fn versions(engine: &Engine, ctx: &OpContext, user: Option<&UserRef>, before: Option<i64>) -> Result<ProfileVersions, Error> {
    let agent_id = ctx.agent_id()?;
    ctx.require(KeyScope::ContextRead)?;
    let ctx = &acting_for(engine, ctx, user).await?;
    Checks::default().that(before.is_none_or(|before| before > 0), "before", "must be the number of a version, 1 or more").done()?;
    let subject = Subject { agent_id, user_id: ctx.user() };
    let policy = identity::capture_policy(engine, ctx).await?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let versions = read(&mut tx, ctx.tenancy(), subject, before, policy.sensitive, engine.clock().now()).await?;
    tx.commit().await?;
    Ok(versions)
}

/// A page of the changes of a profile, newest first.
pub(super) async fn read(
    tx: &mut Tx,
    tenancy: Tenancy,
    subject: Subject,
    before: Option<i64>,
    policy: SensitiveMatters,
    now: DateTime<Utc>,
) -> Result<ProfileVersions, Error> {
    let mut stored = store::versions(tx, tenancy, subject, before.unwrap_or(i64::MAX), PAGE + 1).await?;
    let leaves = store::leaves(tx, tenancy, subject).await?;
    let more = i64::try_from(stored.len()).is_ok_and(|length| length > PAGE);
    stored.truncate(usize::try_from(PAGE).unwrap_or(usize::MAX));
    let before = stored.last().filter(|_| more).map(|version| version.version);
    // What a correction replaced was said and is history; what was forgotten or has ended is gone.
    let readable = leaves.iter().filter(|leaf| leaf.state != LeafState::Forgotten && !leaf.hidden && !leaf.is_expired(policy, now));
    let readable: HashMap<Uuid, &Leaf> = readable.map(|leaf| (leaf.id, leaf)).collect();
    Ok(ProfileVersions { versions: stored.into_iter().map(|version| described(version, &readable)).collect(), before })
}

fn described(stored: StoredVersion, readable: &HashMap<Uuid, &Leaf>) -> ProfileVersion {
    let Diff { added, repeated, disputed, superseded, forgotten, restored } = stored.diff.0;
    let changed = [
        (LeafChange::Added, added),
        (LeafChange::Repeated, repeated),
        (LeafChange::Disputed, disputed),
        (LeafChange::Superseded, superseded),
        (LeafChange::Restored, restored),
    ];
    let (mut changes, mut gone) = (Vec::new(), forgotten);
    for (change, ids) in changed {
        for id in ids {
            match readable.get(&id) {
                Some(leaf) => {
                    changes.push(ProfileChange { change, leaf_id: LeafId(id), path: leaf.path.clone(), value: leaf.value.clone() })
                }
                None => gone.push(id),
            }
        }
    }
    gone.sort_unstable();
    gone.dedup();
    ProfileVersion {
        version: stored.version,
        created_at: stored.created_at,
        narrated: stored.narrated,
        changes,
        forgotten: i64::try_from(gone.len()).unwrap_or(i64::MAX),
        event_ids: stored.event_ids.into_iter().map(EventId).collect(),
    }
}

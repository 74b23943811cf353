//! What became of the candidates that recalls could not return.

use super::words::{state_badge, stopped_sentence};
use crate::{
    guard::operator,
    ui::{Badge, Zone, text},
};
use chrono::{DateTime, Utc};
use leptos::prelude::*;
use remembrancer::memories;
use std::collections::{BTreeSet, HashMap};
use wire::{BULK_MAX, MemoryId, MemoryRef, MemoryStatus, MemoryVersion, NearMiss, NearMissState};

/// The candidates that were decided after recalls could not return them.
pub type Fates = HashMap<MemoryId, Fate>;

/// How a candidate was decided, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fate {
    verb: &'static str,
    at: DateTime<Utc>,
}

impl Fate {
    /// Reads it from the versions of a candidate, newest first; none while it waits.
    fn of(versions: &[MemoryVersion]) -> Option<Self> {
        let waited = versions.iter().position(|version| version.status == MemoryStatus::Inbox && !version.deleted)?;
        let decided = versions.get(waited.checked_sub(1)?)?;
        let verb = match decided.change.as_str() {
            "promoted" => "confirmed",
            "superseded" => "replaced by another memory",
            _ => "rejected",
        };
        Some(Self { verb, at: decided.valid_from })
    }

    /// `was confirmed since, on 14 Jun 2026`
    fn says(self, zone: Zone) -> String {
        format!("was {} since, on {}", self.verb, text::day(zone.local(self.at).date_naive()))
    }
}

/// What became of the candidates among some near misses.
pub async fn fates(misses: Vec<NearMiss>) -> Fates {
    let Ok((engine, ctx)) = operator().await else { return Fates::new() };
    let waited: BTreeSet<_> = misses.iter().filter(|miss| miss.state == NearMissState::Inbox).map(|miss| miss.memory_id).collect();
    let waited: Vec<MemoryId> = waited.into_iter().collect();
    let mut fates = Fates::new();
    for ids in waited.chunks(BULK_MAX) {
        let rows = memories::rows_by_id(&engine, &ctx, ids).await.unwrap_or_default();
        // Most wait still: their history says nothing.
        for row in rows.iter().filter(|row| row.status != MemoryStatus::Inbox || row.deleted_at.is_some()) {
            let versions = memories::history(&engine, &ctx, &MemoryRef::Id(row.id), None).await.unwrap_or_default();
            fates.extend(Fate::of(&versions).map(|fate| (row.id, fate)));
        }
    }
    fates
}

/// Why a relevant memory was no hit, and what became of it since.
pub fn stopped(miss: &NearMiss, fates: &Fates) -> String {
    match fates.get(&miss.memory_id) {
        Some(fate) => format!("Filtered out: a relevant memory waited in the inbox. It {}.", fate.says(Zone::expect())),
        None => stopped_sentence(Some(miss.state)),
    }
}

/// The badge of a near miss: why it was no hit, and what became of it since.
pub fn badge(miss: &NearMiss, fates: &Fates) -> Option<AnyView> {
    match fates.get(&miss.memory_id) {
        Some(fate) => {
            Some(view! { <Badge text=fate.says(Zone::expect()) title="It waited in the inbox at the time of this recall." /> }.into_any())
        }
        None => state_badge(miss.state),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn version(change: &str, status: MemoryStatus, deleted: bool) -> MemoryVersion {
        serde_json::from_value(json!({
            "version": 1, "change": change, "content": "", "topic": "", "topic_raw": "", "is_canonical": false, "status": status,
            "deleted": deleted, "valid_from": "2026-06-14T22:30:00Z", "actor_kind": "operator", "actor_name": "Vera",
            "source": { "platform": "chat" },
        }))
        .unwrap()
    }

    #[test]
    fn a_candidate_is_what_was_decided_last() {
        use MemoryStatus::{Active, Inbox, Superseded};
        let verb = |versions: &[MemoryVersion]| Fate::of(versions).map(|fate| fate.verb);
        let proposed = || version("proposed", Inbox, false);
        assert_eq!(verb(&[proposed()]), None);
        assert_eq!(verb(&[version("promoted", Active, false), proposed()]), Some("confirmed"));
        assert_eq!(verb(&[version("forgotten", Inbox, true), proposed()]), Some("rejected"));
        assert_eq!(verb(&[version("superseded", Superseded, false), proposed()]), Some("replaced by another memory"));
        let returned = version("returned", Inbox, false);
        assert_eq!(verb(&[returned, version("promoted", Active, false), proposed()]), None, "it waits again");
        let later = [version("revised", Active, false), version("promoted", Active, false), proposed()];
        assert_eq!(verb(&later), Some("confirmed"), "what was done to the memory later is no decision about the candidate");
        assert_eq!(verb(&[version("created", Active, false)]), None);
    }
}

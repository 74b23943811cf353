//! Whether exported entries are those of the chain: without a database. Pure.

use super::NewEntry;
use super::store::{Link, Texts};
use super::verify::fault_of;
use crate::engine::chains::Anchor;
use wire::{AuditEntry, AuditProof};

/// What a file of exported entries proves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proven {
    pub entries: usize,
    /// Entries among them without texts, because these were erased, in the chain or only in the file.
    pub erased: usize,
    /// Places between two entries where the file leaves out others.
    pub gaps: usize,
    /// The anchor of the chain up to the last of the entries.
    pub head: Anchor,
}

/// Verifies exported entries, JSON Lines in any order: the hash of each, the hash of its texts, and that each follows on the one before it.
/// The name of a target (`about`) has no hash, so it is not proven.
///
/// # Errors
/// A sentence about the first line that is no entry, or the first entry that is not as its hash says.
pub fn verify_exported(lines: &str) -> Result<Proven, String> {
    let mut entries = Vec::new();
    for (number, line) in (1..).zip(lines.lines()) {
        let entry = serde_json::from_str::<AuditEntry>(line).map_err(|error| format!("line {number} is not an exported entry: {error}"))?;
        entries.push(entry);
    }
    entries.sort_by_key(|entry| entry.seq);
    let mut proven: Option<Proven> = None;
    for entry in entries {
        let (seq, tenant) = (entry.seq, entry.proof.tenant_id);
        let link = link(entry).ok_or_else(|| format!("a hash of entry {seq} is not in hexadecimal digits"))?;
        let follows = proven.as_ref().filter(|proven| proven.head.entries == seq - 1).map(|proven| proven.head.clone());
        let gap = proven.is_some() && follows.is_none();
        let before = follows.unwrap_or_else(|| Anchor { entries: seq - 1, hash: link.previous.clone() });
        if let Some(fault) = fault_of(tenant, &link, &before) {
            return Err(fault.to_string());
        }
        let (entries, erased, gaps) = proven.map_or((0, 0, 0), |proven| (proven.entries, proven.erased, proven.gaps));
        proven = Some(Proven {
            entries: entries + 1,
            erased: erased + usize::from(matches!(link.texts, Texts::Erased { .. })),
            gaps: gaps + usize::from(gap),
            head: Anchor { entries: seq, hash: link.hash },
        });
    }
    proven.ok_or_else(|| "the file has no entries".to_owned())
}

/// An exported entry as a link of the chain; none if one of its hashes is not hexadecimal.
fn link(entry: AuditEntry) -> Option<Link> {
    let AuditProof { previous, hash, texts_hash, salt, .. } = entry.proof;
    let texts = match (texts_hash, salt) {
        (None, _) => Texts::InRow,
        (Some(texts), Some(salt)) => Texts::Beside { salt, hash: hex::decode(texts).ok()? },
        (Some(texts), None) => Texts::Erased { hash: hex::decode(texts).ok()? },
    };
    let (seq, previous, hash) = (entry.seq, hex::decode(previous).ok()?, hex::decode(hash).ok()?);
    let entry = NewEntry {
        event_id: entry.event_id,
        at: entry.at,
        actor_kind: entry.actor_kind,
        actor_id: entry.actor_id,
        actor_name: entry.actor_name,
        action: entry.action,
        target_kind: entry.target_kind,
        target_id: entry.target_id,
        agent_id: entry.agent_id,
        message: entry.message,
        reason: entry.reason,
        request_id: entry.request_id,
        changes: entry.changes,
        visibility: entry.visibility,
    };
    Some(Link { entry, texts, seq, previous, hash })
}

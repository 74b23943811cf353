//! The hash chain: each entry's hash covers the entry and the hash before it.

use super::NewEntry;
use crate::api::TenantId;
use sha2::{Digest, Sha256};

/// What stands before the first entry.
pub const GENESIS: [u8; 32] = [0; 32];

/// SHA-256 over the previous hash, the tenant, the place in the chain and the entry as canonical JSON (sorted keys, times in microseconds).
pub fn hash(tenant: TenantId, seq: i64, entry: &NewEntry, previous: &[u8]) -> Vec<u8> {
    let canonical = serde_json::json!({
        "tenant_id": tenant,
        "seq": seq,
        "event_id": entry.event_id,
        "at": entry.at.timestamp_micros(),
        "actor": [entry.actor_kind, entry.actor_id, entry.actor_name],
        "action": entry.action,
        "target": [entry.target_kind, entry.target_id],
        "agent_id": entry.agent_id,
        "message": entry.message,
        "reason": entry.reason,
        "request_id": entry.request_id,
        "changes": entry.changes,
        "visibility": entry.visibility,
    });
    let mut text = String::new();
    write_sorted(&canonical, &mut text);
    Sha256::new().chain_update(previous).chain_update(text).finalize().to_vec()
}

/// JSON with sorted keys, whatever order the map keeps: `jsonb` does not keep the order it was given.
fn write_sorted(value: &serde_json::Value, out: &mut String) {
    match value {
        serde_json::Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| key.as_str());
            out.push('{');
            for (key, value) in entries {
                out.push_str(&serde_json::Value::from(key.as_str()).to_string());
                out.push(':');
                write_sorted(value, out);
                out.push(',');
            }
            out.push('}');
        }
        serde_json::Value::Array(items) => {
            out.push('[');
            for item in items {
                write_sorted(item, out);
                out.push(',');
            }
            out.push(']');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

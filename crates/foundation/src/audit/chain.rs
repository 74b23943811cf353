//! The hash chain: each entry's hash covers the entry and the hash before it. The texts of an entry are covered by a salted hash only, so
//! they can be erased without breaking the chain.

use super::NewEntry;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use wire::TenantId;

/// The hash before the first entry.
pub const GENESIS: [u8; 32] = [0; 32];

/// SHA-256 over the salt and the texts of an entry (name of the actor, message, reason, changes) as canonical JSON.
pub fn texts_hash(salt: &str, entry: &NewEntry) -> Vec<u8> {
    let texts = json!([salt, entry.actor_name, entry.message, entry.reason, entry.changes]);
    Sha256::digest(canonical(&texts)).to_vec()
}

/// SHA-256 over the previous hash, the tenant, the place in the chain and the entry as canonical JSON (sorted keys, times in microseconds),
/// with the hash of its texts for the texts.
pub fn hash(tenant: TenantId, seq: i64, entry: &NewEntry, texts_hash: &[u8], previous: &[u8]) -> Vec<u8> {
    let fields = json!({
        "tenant_id": tenant,
        "seq": seq,
        "event_id": entry.event_id,
        "at": entry.at.timestamp_micros(),
        "actor": [entry.actor_kind, entry.actor_id],
        "action": entry.action,
        "target": [entry.target_kind, entry.target_id],
        "agent_id": entry.agent_id,
        "request_id": entry.request_id,
        "visibility": entry.visibility,
        "texts": hex::encode(texts_hash),
    });
    linked(previous, &fields)
}

/// The hash of an entry that was made before texts had a table of their own: it covers the texts themselves.
pub fn hash_with_texts(tenant: TenantId, seq: i64, entry: &NewEntry, previous: &[u8]) -> Vec<u8> {
    let fields = json!({
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
    linked(previous, &fields)
}

fn linked(previous: &[u8], fields: &Value) -> Vec<u8> {
    Sha256::new().chain_update(previous).chain_update(canonical(fields)).finalize().to_vec()
}

fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write_sorted(value, &mut text);
    text
}

/// JSON with sorted keys, because `jsonb` does not keep the order of keys.
fn write_sorted(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| key.as_str());
            out.push('{');
            for (key, value) in entries {
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                write_sorted(value, out);
                out.push(',');
            }
            out.push('}');
        }
        Value::Array(items) => {
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

//! Checks a file in itself: no id twice, and no reference to a memory, term or document that does not come before it.

use super::lines::{Line, Section, home};
use super::read::{Batch, at};
use super::store;
use crate::db::Tx;
use crate::error::Error;
use std::collections::{BTreeMap, HashSet};

/// Records the keys of a batch, and looks up those that it refers to.
///
/// # Errors
/// `Invalid`, naming the line.
pub async fn check(tx: &mut Tx, batch: &Batch) -> Result<(), Error> {
    for (kind, keys) in keys(batch) {
        let (lines, keys): (Vec<u64>, Vec<String>) = keys.into_iter().unzip();
        let fresh: HashSet<i64> = store::note(tx, kind, &keys).await?.into_iter().collect();
        if let Some((line, key)) = lines.iter().zip(&keys).zip(0_i64..).find(|(_, place)| !fresh.contains(place)).map(|(pair, _)| pair) {
            return Err(at(*line, Error::invalid("", format!("is a {} that an earlier line has: {key}", batch.section.as_str()))));
        }
    }
    let mut needs: BTreeMap<&str, (Vec<u64>, Vec<String>)> = BTreeMap::new();
    for (line, record) in &batch.lines {
        for (kind, key) in record.needs() {
            let (lines, keys) = needs.entry(kind).or_default();
            lines.push(*line);
            keys.push(key);
        }
    }
    for (kind, (lines, keys)) in needs {
        let place = store::missing(tx, kind, &keys).await?.and_then(|place| usize::try_from(place).ok());
        if let Some((line, key)) = place.and_then(|place| lines.get(place).zip(keys.get(place))) {
            let what = match kind {
                "home" => {
                    format!("the memory {}, which is no memory of that agent in this file", key.rsplit('/').next().unwrap_or_default())
                }
                _ => format!("the {kind} {key}, which is not in this file"),
            };
            return Err(at(*line, Error::invalid("", format!("is about {what}"))));
        }
    }
    Ok(())
}

/// The keys of a batch by kind, each with its line.
fn keys(batch: &Batch) -> Vec<(&'static str, Vec<(u64, String)>)> {
    let each = |key: &dyn Fn(&Line) -> Option<String>| {
        batch.lines.iter().filter_map(|(line, record)| Some((*line, key(record)?))).collect::<Vec<_>>()
    };
    let mut keys = vec![(batch.section.as_str(), each(&|record| Some(record.key())))];
    if batch.section == Section::Memory {
        keys.push(("home", each(&|record| record.memory().map(|memory| home(memory.agent_id, memory.id)))));
        keys.push(("short", each(&|record| record.memory().map(|memory| format!("{}/{}", memory.agent_id, memory.short_id)))));
    }
    if batch.section == Section::User {
        keys.push(("user_id", each(&|record| if let Line::User(user) = record { Some(user.id.to_string()) } else { None })));
    }
    keys
}

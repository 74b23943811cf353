//! Checks a file in itself: no id twice, no reference to a memory, term or document that does not come before it, and no quote that its
//! source does not contain.

use super::lines::{MemoryLine, Place, Section, SourceLine, UserLine, home, owned};
use super::read::{Batch, at};
use super::store;
use db::Tx;
use foundation::Error;
use std::collections::{BTreeMap, HashSet};
use uuid::Uuid;

/// Records the keys of a batch, and looks up those that it refers to.
///
/// # Errors
/// `Invalid`, naming the line.
pub async fn check(tx: &mut Tx, batch: &Batch) -> Result<(), Error> {
    for (kind, keys) in keys(batch) {
        let (lines, keys): (Vec<u64>, Vec<String>) = keys.into_iter().unzip();
        let fresh: HashSet<i64> = store::note(tx, kind, &keys).await?.into_iter().collect();
        if let Some((line, key)) = lines.iter().zip(&keys).zip(0_i64..).find(|(_, place)| !fresh.contains(place)).map(|(pair, _)| pair) {
            return Err(at(*line, Error::invalid("", format!("repeats the {} of an earlier line: {key}", batch.section.as_str()))));
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
                    format!("the memory {}, which is not a memory of that agent in this file", key.rsplit('/').next().unwrap_or_default())
                }
                "owned_memory" | "owned_source" => {
                    let (kind, id) = (kind.trim_start_matches("owned_"), key.rsplit('/').next().unwrap_or_default());
                    format!("the {kind} {id}, which is not a {kind} of that agent and user in this file")
                }
                _ => format!("the {kind} {key}, which is not in this file"),
            };
            return Err(at(*line, Error::invalid("", format!("refers to {what}"))));
        }
    }
    quotes(tx, batch).await
}

/// Records the texts of sources, and compares quotes with them.
async fn quotes(tx: &mut Tx, batch: &Batch) -> Result<(), Error> {
    let texts: Vec<(Uuid, &str)> =
        batch.of::<SourceLine>().map(|(_, source)| (source.id, source.content.as_deref().unwrap_or_default())).collect();
    if !texts.is_empty() {
        store::note_texts(tx, &texts).await?;
    }
    let (lines, places): (Vec<u64>, Vec<Place<'_>>) =
        batch.lines.iter().filter_map(|(line, record)| Some((*line, record.place()?))).unzip();
    if places.is_empty() {
        return Ok(());
    }
    let Some((index, length)) = store::misquoted(tx, &places).await? else { return Ok(()) };
    let found = usize::try_from(index).ok().and_then(|index| lines.get(index).zip(places.get(index)));
    let (line, Place { source_id, starts, ends, .. }) = found.ok_or_else(|| Error::internal("a place that was not given"))?;
    Err(at(
        *line,
        if *ends > length {
            Error::invalid("ends", format!("is {ends}, but the content of the source {source_id} has {length} bytes"))
        } else {
            Error::invalid("quote", format!("does not match the content of the source {source_id} from byte {starts} to byte {ends}"))
        },
    ))
}

/// The keys of a batch by kind, each with its line.
fn keys(batch: &Batch) -> Vec<(&'static str, Vec<(u64, String)>)> {
    let memories = |key: fn(&MemoryLine) -> String| batch.of().map(|(line, memory)| (line, key(memory))).collect::<Vec<_>>();
    let mut keys = vec![(batch.section.as_str(), batch.lines.iter().map(|(line, record)| (*line, record.key())).collect())];
    match batch.section {
        Section::Memory => keys.extend([
            ("home", memories(|one| home(one.agent_id, one.id))),
            ("owned_memory", memories(|one| owned(one.agent_id, one.user_id, one.id.0))),
            ("short", memories(|one| format!("{}/{}", one.agent_id, one.short_id))),
        ]),
        Section::Source => {
            let key = |(line, one): (u64, &SourceLine)| (line, owned(one.agent_id, one.user_id, one.id));
            keys.push(("owned_source", batch.of().map(key).collect()));
        }
        Section::User => keys.push(("user_id", batch.of().map(|(line, user): (u64, &UserLine)| (line, user.id.to_string())).collect())),
        _ => {}
    }
    keys
}

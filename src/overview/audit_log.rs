//! The audit log for people: found by what they call things, with the names of what its entries are about, and as a file.

use super::agent_names;
use crate::{capture, knowledge, memories, vocabulary};
use foundation::audit::{self, NewEntry};
use foundation::{Engine, Error, OpContext, identity, projects};
use serde_json::json;
use std::collections::HashMap;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use uuid::Uuid;
use verb::verb;
use wire::{
    AuditEntry, AuditFilter, AuditFormat, DecisionId, DocumentId, KeyId, MemoryId, Page, ProposalId, SourceId, TermId, UserId, audit_words,
};
use words::csv_line;

/// Most memories, decisions and documents, each, that a name stands for.
const NAMED: i64 = 1_000;
/// Most phrases that the name of a decision has.
const PHRASES: usize = 5;
/// Entries that an export reads at once.
const PART: usize = 500;

/// A page of the audit log, newest first, with the names of its targets.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `Invalid` for a foreign cursor.
#[verb(role = Viewer)]
pub async fn audit_log(engine: &Engine, ctx: &OpContext, filter: &AuditFilter) -> Result<Page<AuditEntry>, Error> {
    let mut page = audit::browse(engine, ctx, &with_targets(engine, ctx, filter).await?).await?;
    name(engine, ctx, &mut page.rows).await?;
    Ok(page)
}

/// Writes the entries of a filter into a file, newest first, with their hashes; how many. The export has an entry of its own, which is not in the file.
///
/// # Errors
/// `Forbidden` without the role `viewer`; when the writer fails.
#[verb(role = Viewer)]
pub async fn export_audit_log<W: AsyncWrite + Unpin + Send>(
    engine: &Engine,
    ctx: &OpContext,
    filter: &AuditFilter,
    format: AuditFormat,
    mut writer: W,
) -> Result<u64, Error> {
    let failed = |error: std::io::Error| Error::failed("the audit log could not be written")(error);
    // Entries that arrive meanwhile, this export's own among them, are not part of it.
    let until = filter.until.unwrap_or_else(|| engine.clock().now());
    let filter = AuditFilter { until: Some(until), after: None, before: None, ..filter.clone() };
    let mut filter = with_targets(engine, ctx, &filter).await?;
    let message = format!("audit log exported as {format}");
    let entry = NewEntry::new(engine, ctx, "audit.exported", "tenant", ctx.tenant_id, message);
    audit::append(engine, ctx.tenant_id, entry.changes(json!({ "filter": filter }))).await?;
    if format == AuditFormat::Csv {
        writer.write_all(&line(&COLUMNS.map(str::to_owned))?).await.map_err(failed)?;
    }
    let mut written = 0;
    loop {
        let mut page = audit::page(engine, ctx, &filter, PART).await?;
        name(engine, ctx, &mut page.rows).await?;
        for entry in &page.rows {
            let line = match format {
                AuditFormat::Csv => line(&cells(entry))?,
                AuditFormat::Jsonl => {
                    let json = serde_json::to_string(entry).map_err(Error::failed("an audit entry cannot be serialised"))?;
                    format!("{json}\n").into_bytes()
                }
            };
            writer.write_all(&line).await.map_err(failed)?;
            written += 1;
        }
        match page.next {
            Some(next) => filter.after = Some(next),
            None => break,
        }
    }
    writer.shutdown().await.map_err(failed)?;
    Ok(written)
}

/// The filter with the ids of what its target names: memories by short id or topic, agents and projects by slug, decisions by a part of
/// their phrases and of the term's names, and documents by a part of their title, reference or path.
async fn with_targets(engine: &Engine, ctx: &OpContext, filter: &AuditFilter) -> Result<AuditFilter, Error> {
    audit::check(filter)?;
    let Some(target) = filter.target.as_deref().filter(|target| Uuid::try_parse(target).is_err()) else { return Ok(filter.clone()) };
    let tenant = ctx.tenant_id;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let memories = memories::store::named(&mut tx, tenant, target, NAMED).await?;
    let projects = projects::store::projects(&mut tx, tenant).await?;
    tx.commit().await?;
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    let decisions = vocabulary::store::decisions_about(&mut tx, tenant, target, NAMED).await?;
    let documents = knowledge::store::documents_named(&mut tx, tenant, target, NAMED).await?;
    tx.commit().await?;
    let agents = agent_names(engine, ctx).await?;
    let mut ids: Vec<Uuid> = memories.into_iter().map(|id| id.0).collect();
    ids.extend(projects.into_iter().filter(|project| project.slug == target).map(|project| project.id));
    ids.extend(decisions.into_iter().map(|id| id.0));
    ids.extend(documents.into_iter().map(|id| id.0));
    ids.extend(agents.into_iter().filter(|agent| agent.slug == target).map(|agent| agent.id.0));
    Ok(AuditFilter { targets: ids.into_iter().map(|id| id.to_string()).collect(), ..filter.clone() })
}

/// Gives entries the names of their targets.
async fn name(engine: &Engine, ctx: &OpContext, entries: &mut [AuditEntry]) -> Result<(), Error> {
    let tenant = ctx.tenant_id;
    let ids = |kind: &str| -> Vec<Uuid> {
        let of_kind = entries.iter().filter(|entry| entry.target_kind == kind);
        of_kind.filter_map(|entry| Uuid::try_parse(&entry.target_id).ok()).collect()
    };
    let memory_ids: Vec<MemoryId> = ids("memory").into_iter().map(MemoryId).collect();
    let (sources, projects): (Vec<SourceId>, _) = (ids("source").into_iter().map(SourceId).collect(), ids("project"));
    let (terms, documents, proposals, decisions) = (ids("term"), ids("document"), ids("proposal"), ids("decision"));
    let (keys, users): (Vec<KeyId>, Vec<UserId>) =
        (ids("key").into_iter().map(KeyId).collect(), ids("user").into_iter().map(UserId).collect());
    let mut names: HashMap<Uuid, String> = HashMap::new();
    if memory_ids.len() + sources.len() + projects.len() > 0 {
        let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
        let memories = memories::store::by_ids(&mut tx, ctx.tenancy(), None, &memory_ids, false).await?;
        names.extend(memories.into_iter().map(|memory| (memory.id.0, format!("{} · {}", memory.topic, memory.short_id))));
        names.extend(capture::store::source_titles(&mut tx, tenant, &sources).await?.into_iter().map(|(id, title)| (id.0, title)));
        if !projects.is_empty() {
            names.extend(projects::store::projects(&mut tx, tenant).await?.into_iter().map(|project| (project.id, project.slug)));
        }
        tx.commit().await?;
    }
    if terms.len() + documents.len() + proposals.len() + decisions.len() > 0 {
        let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
        let proposals: Vec<ProposalId> = proposals.into_iter().map(ProposalId).collect();
        let decisions: Vec<DecisionId> = decisions.into_iter().map(DecisionId).collect();
        let terms: Vec<TermId> = terms.into_iter().map(TermId).collect();
        let documents: Vec<DocumentId> = documents.into_iter().map(DocumentId).collect();
        names.extend(vocabulary::store::term_names(&mut tx, tenant, &terms).await?.into_iter().map(|(id, term)| (id.0, term)));
        names.extend(knowledge::store::titles(&mut tx, tenant, &documents).await?.into_iter().map(|(id, title)| (id.0, title)));
        let proposals = vocabulary::store::proposals(&mut tx, tenant, &proposals, false).await?;
        names.extend(proposals.into_iter().map(|proposal| (proposal.id.0, proposal.phrase)));
        let decisions = vocabulary::store::decisions(&mut tx, tenant, &decisions).await?;
        names.extend(decisions.into_iter().map(|decision| (decision.id.0, phrases(&decision.subjects))));
        tx.commit().await?;
    }
    if keys.len() + users.len() > 0 {
        let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
        names.extend(identity::store::key_names(&mut tx, tenant, &keys).await?.into_iter().map(|(id, name)| (id.0, name)));
        tx.commit().await?;
        names.extend(identity::user_names(engine, ctx, &users).await?.into_iter().map(|(id, name)| (id.0, name)));
    }
    if entries.iter().any(|entry| entry.target_kind == "agent") {
        names.extend(agent_names(engine, ctx).await?.into_iter().map(|agent| (agent.id.0, agent.slug)));
    }
    for entry in entries {
        entry.about = Uuid::try_parse(&entry.target_id).ok().and_then(|id| names.get(&id).cloned());
    }
    Ok(())
}

/// What a decision is about, in short.
fn phrases(subjects: &[String]) -> String {
    let named = subjects.iter().take(PHRASES).map(String::as_str).collect::<Vec<_>>().join(", ");
    match subjects.len().saturating_sub(PHRASES) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

const COLUMNS: [&str; 17] = [
    "number",
    "at",
    "actor_kind",
    "actor",
    "actor_id",
    "action",
    "what",
    "target_kind",
    "target",
    "target_id",
    "message",
    "reason",
    "request_id",
    "event_id",
    "previous",
    "hash",
    "texts_hash",
];

fn cells(entry: &AuditEntry) -> [String; 17] {
    [
        entry.seq.to_string(),
        entry.at.to_rfc3339(),
        entry.actor_kind.clone(),
        entry.actor_name.clone(),
        entry.actor_id.clone(),
        entry.action.clone(),
        audit_words(&entry.action).to_owned(),
        entry.target_kind.clone(),
        entry.about.clone().unwrap_or_default(),
        entry.target_id.clone(),
        entry.message.clone(),
        entry.reason.clone().unwrap_or_default(),
        entry.request_id.map(|id| id.to_string()).unwrap_or_default(),
        entry.event_id.to_string(),
        entry.proof.previous.clone(),
        entry.proof.hash.clone(),
        entry.proof.texts_hash.clone().unwrap_or_default(),
    ]
}

fn line(cells: &[String]) -> Result<Vec<u8>, Error> {
    csv_line(cells).map_err(Error::failed("a line of the audit log cannot be written"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;
    use wire::{AUDIT_ACTIONS, DecisionKind};

    #[test]
    fn every_action_of_the_engine_has_words() {
        let known: BTreeSet<&str> = AUDIT_ACTIONS.iter().map(|(action, _)| *action).collect();
        let groups: BTreeSet<&str> = known.iter().filter_map(|action| action.split_once('.')).map(|(group, _)| group).collect();
        let fields =
            ["source.platform", "source.channel_id", "source.thread_id", "source.message_id", "source.speaker", "source.observed_at"];
        let mut written: BTreeSet<String> = DecisionKind::ALL.iter().map(|kind| format!("vocabulary.{kind}")).collect();
        let folders = ["src", "crates/foundation/src", "server/expectations/src", "server/portability/src"]
            .map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
        for file in folders.into_iter().flat_map(walkdir::WalkDir::new).filter_map(Result::ok) {
            if file.path().extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let text = std::fs::read_to_string(file.path()).unwrap();
            let text = text.split("#[cfg(test)]").next().unwrap_or_default();
            written.extend(
                text.split('"')
                    .filter(|word| {
                        let parts = word.split_once('.').filter(|(group, name)| groups.contains(group) && !name.is_empty());
                        let of_letters = |name: &str| name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
                        parts.is_some_and(|(_, name)| of_letters(name) && name != "md") && !fields.contains(word)
                    })
                    .map(str::to_owned),
            );
        }
        let unknown: Vec<_> = written.iter().filter(|action| !known.contains(action.as_str())).collect();
        let unused: Vec<_> = known.iter().filter(|action| !action.ends_with('.') && !written.contains(**action)).collect();
        assert!(unknown.is_empty() && unused.is_empty(), "without words: {unknown:?}; words without an action: {unused:?}");
    }
}

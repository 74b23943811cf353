//! Ingestion: files become documents, chunks, terms and components. Each file is a transaction of its own; a file that cannot be read is
//! reported and does not stop the rest.

use super::found::{embedded_text, is_found, searched_text};
use super::store::{self, InForce, NewChunk, NewComponent, NewText};
use crate::vocabulary::{self, NewTerm};
use documents::{CHUNKING, Parsed};
use foundation::audit::{self, NewEntry};
use foundation::heavy::off_thread;
use foundation::idempotency::Once;
use foundation::intake::{self, Admitted, Reason};
use foundation::jobs::{self, NewEvent, Task};
use foundation::{Checks, Engine, Error, OpContext};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use verb::verb;
use wire::{ChunkId, DocumentId, FileOutcome, IngestFailure, IngestReport, REASON_MAX, RunId, UPLOAD_FILES_MAX, UploadedFile};
use words::guard;
use words::normal;
use words::stems;

/// The rules and the model that divide documents now. A document with another value is divided again by its next ingestion.
fn chunking(engine: &Engine) -> String {
    format!("{CHUNKING} {}", engine.model().name)
}

/// Chunks embedded per call of the model, and calls per job: a long document takes several jobs, because a lease is short.
const BATCH: i64 = 32;
const CALLS: usize = 8;
/// Why a file is left out whose path cannot be stored, nor be rewritten: two paths would become one.
const SECRET_PATH: &str = "the path holds what looks like a secret: rename the file";
/// Longest name of a collection, in characters.
const COLLECTION_MAX: usize = 64;

/// How much of a collection an ingestion has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of it: documents that are not among the files are retired.
    Whole,
    /// Some of it; these paths are gone.
    Part { gone: Vec<String> },
}

/// Files to ingest.
pub struct Ingestion {
    pub collection: String,
    /// Path in the collection and bytes.
    pub files: Vec<(String, Vec<u8>)>,
    pub extent: Extent,
    /// The git revision of the files.
    pub revision: Option<String>,
    pub dry_run: bool,
    /// Files that could not even be read.
    pub failures: Vec<IngestFailure>,
}

/// Ingests files; it can be repeated. Unchanged files stay, changed ones replace their documents, and the documents of missing files are
/// retired.
///
/// # Errors
/// `Forbidden` without `kb:write`; `Invalid` for a collection without a name; any error of the databases. Files that were ingested before
/// an error stay, and the next ingestion continues from there.
#[verb(scope = KbWrite)]
pub async fn ingest(
    engine: &Engine,
    ctx: &OpContext,
    ingestion: Ingestion,
    progress: &(dyn Fn(usize, usize) + Send + Sync),
) -> Result<IngestReport, Error> {
    ingest_files(engine, ctx, ingestion, progress).await.map(|(report, _)| report)
}

/// Ingests files that a person chose into a collection; other documents of the collection stay as they are. What became of each file, in
/// their order, with the document that has its text now.
///
/// # Errors
/// `Forbidden` without the role `reviewer`, because a glossary among the files changes the vocabulary; `Invalid` for a collection without
/// a name, for no files or too many, and for two files with one name.
#[verb(role = Reviewer, files = files.len())]
pub async fn upload(engine: &Engine, ctx: &OpContext, collection: &str, files: Vec<(String, Vec<u8>)>) -> Result<Vec<UploadedFile>, Error> {
    let names: BTreeSet<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    Checks::default()
        .that(
            (1..=UPLOAD_FILES_MAX).contains(&files.len()),
            "files",
            format!("has {} files; it may have 1 to {UPLOAD_FILES_MAX}", files.len()),
        )
        .that(names.len() == files.len(), "files", "has two files with the same name")
        .done()?;
    let (collection, paths) = (collection.trim(), files.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>());
    let ingestion = Ingestion {
        collection: collection.to_owned(),
        files,
        extent: Extent::Part { gone: vec![] },
        revision: None,
        dry_run: false,
        failures: vec![],
    };
    let (report, outcomes) = ingest_files(engine, ctx, ingestion, &|_, _| {}).await?;
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    let there = store::in_force(&mut tx, ctx.tenant_id, collection).await?;
    tx.commit().await?;
    let file = |(path, outcome): (String, FileOutcome)| {
        let stored = there.iter().find(|text| outcome != FileOutcome::Failed && text.path == path);
        let path = guard::without_secrets(path);
        let failures = report.failures.iter().filter(|failure| failure.path == path).cloned().collect();
        UploadedFile { path, outcome, failures, document_id: stored.map(|text| text.id) }
    };
    Ok(paths.into_iter().zip(outcomes).map(file).collect())
}

/// Ingests files for a caller whose right was checked: the report, and what became of each file.
async fn ingest_files(
    engine: &Engine,
    ctx: &OpContext,
    ingestion: Ingestion,
    progress: &(dyn Fn(usize, usize) + Send + Sync),
) -> Result<(IngestReport, Vec<FileOutcome>), Error> {
    Checks::default().text("collection", &ingestion.collection, COLLECTION_MAX).done()?;
    intake::check_id("collection", &ingestion.collection)?;
    let once = Once::new(engine, ctx, "ingest", &Admitted::new(Once::has_key(ctx).then(|| identity(&ingestion)).transpose()?)?)?;
    if let Some(report) = once.stored_answer(&engine.db().kb).await? {
        return Ok((report, vec![]));
    }
    let Ingestion { collection, files, extent, revision, dry_run, failures } = ingestion;
    let revision = revision.map(guard::without_secrets);
    let failures = failures.into_iter().map(without_secrets).collect();
    let mut report = IngestReport { dry_run, failures, ..IngestReport::default() };
    let run = RunId(engine.clock().id());
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    let there = store::in_force(&mut tx, ctx.tenant_id, &collection).await?;
    if !dry_run {
        let (by, now) = (ctx.actor.name(), engine.clock().now());
        store::begin_run(&mut tx, ctx.tenant_id, run, &collection, revision.as_deref(), by, now).await?;
    }
    tx.commit().await?;
    let mut there: BTreeMap<String, InForce> = there.into_iter().map(|text| (text.path.clone(), text)).collect();
    // A file that cannot be read now is not gone: its document stays.
    for failure in &report.failures {
        there.remove(&failure.path);
    }
    let (total, mut outcomes) = (files.len(), Vec::with_capacity(files.len()));
    for (done, (path, bytes)) in files.into_iter().enumerate() {
        if intake::check_id("path", &path).is_err() {
            report.failures.push(without_secrets(IngestFailure { path, line: None, reason: SECRET_PATH.into() }));
            outcomes.push(FileOutcome::Failed);
            progress(done + 1, total);
            continue;
        }
        let (bytes, hash) = redacted(bytes).await?;
        let (old, before) = (there.remove(&path), numbers(&report));
        match old {
            Some(known) if known.content_hash == hash && known.chunking == chunking(engine) => report.unchanged += 1,
            old => take_in(engine, ctx, &mut report, &collection, CleanFile { path, bytes, hash, old }).await?,
        }
        outcomes.push(outcome(before, numbers(&report)));
        progress(done + 1, total);
    }
    let gone = match extent {
        Extent::Whole => there.into_values().map(|text| text.id).collect::<Vec<_>>(),
        Extent::Part { gone } => gone.iter().filter_map(|path| there.remove(path)).map(|text| text.id).collect(),
    };
    retire_gone(engine, ctx, &mut report, &collection, &gone).await?;
    if !dry_run {
        let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
        // The same request twice at once: both did it, which is harmless, and both get the answer of the first.
        let first = once.claim(&mut tx).await?;
        store::end_run(&mut tx, ctx.tenant_id, run, &report, engine.clock().now()).await?;
        let IngestReport { added, changed, reindexed, retired, .. } = &report;
        let message = format!("ingested {collection}: {added} added, {changed} changed, {reindexed} re-indexed, {retired} retired");
        let entry = NewEntry::new(engine, ctx, "knowledge.ingested", "run", run, message);
        audit::record(&mut tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
        match &first {
            Some(_) => tx.commit().await?,
            None => once.commit(tx, &report, &[]).await?,
        }
        engine.relay().wake();
        engine.jobs().wake();
        if report.added + report.changed + report.retired > 0 {
            engine.knowledge_changes().announce(ctx.tenant_id);
        }
        metrics::counter!("remembrancer_knowledge_ingested_total")
            .increment((report.added + report.changed + report.reindexed).unsigned_abs());
        metrics::counter!("remembrancer_knowledge_failures_total").increment(report.failures.len() as u64);
        return Ok((first.unwrap_or(report), outcomes));
    }
    Ok((report, outcomes))
}

/// The numbers of a report, one of which each file that was read raises.
fn numbers(report: &IngestReport) -> [(FileOutcome, i64); 4] {
    [
        (FileOutcome::Added, report.added),
        (FileOutcome::Changed, report.changed),
        (FileOutcome::Reindexed, report.reindexed),
        (FileOutcome::Unchanged, report.unchanged),
    ]
}

fn outcome(before: [(FileOutcome, i64); 4], after: [(FileOutcome, i64); 4]) -> FileOutcome {
    let raised = before.into_iter().zip(after).find(|((_, before), (_, after))| after > before);
    raised.map_or(FileOutcome::Failed, |((outcome, _), _)| outcome)
}

/// What makes two ingestions over HTTP the same: the hash of each file stands for it.
fn identity(ingestion: &Ingestion) -> Result<Vec<u8>, Error> {
    let files: Vec<_> = ingestion.files.iter().map(|(path, bytes)| (path, Sha256::digest(bytes).to_vec())).collect();
    let text = serde_json::to_vec(&(&ingestion.collection, files, ingestion.dry_run));
    Ok(Sha256::digest(text.map_err(Error::failed("an ingestion cannot be serialised"))?).to_vec())
}

/// A file without secrets, and its hash. Bytes that are no text stay as they are: the parser refuses them.
async fn redacted(bytes: Vec<u8>) -> Result<(Vec<u8>, Vec<u8>), Error> {
    off_thread(move || {
        let clean = std::str::from_utf8(&bytes).ok().map(guard::redact).filter(|clean| !clean.removed.is_empty());
        let bytes = clean.map_or(bytes, |clean| clean.text.into_bytes());
        let hash = Sha256::digest(&bytes).to_vec();
        (bytes, hash)
    })
    .await
}

fn without_secrets(failure: IngestFailure) -> IngestFailure {
    IngestFailure { path: guard::without_secrets(failure.path), reason: guard::without_secrets(failure.reason), ..failure }
}

/// A file without secrets.
struct CleanFile {
    path: String,
    bytes: Vec<u8>,
    hash: Vec<u8>,
    /// The text in force that it may replace.
    old: Option<InForce>,
}

async fn take_in(engine: &Engine, ctx: &OpContext, report: &mut IngestReport, collection: &str, file: CleanFile) -> Result<(), Error> {
    let CleanFile { path, bytes, hash, old } = file;
    let (name, tokens) = (path.clone(), engine.tokens());
    // Megabytes of Markdown take a while to parse.
    let parsed = match off_thread(move || documents::parse(&name, &bytes, &*tokens)).await? {
        Ok(parsed) => parsed,
        Err(failure) => {
            report.failures.push(failure);
            return Ok(());
        }
    };
    if !report.dry_run {
        // Terms first: defining them again is harmless, and a file whose hash is stored is never read again.
        define(engine, ctx, report, &path, &parsed).await?;
        if !put(engine, ctx, collection, &path, &parsed, &hash, old.as_ref()).await? {
            report.unchanged += 1;
            return Ok(());
        }
    } else {
        report.terms += count(parsed.terms.len());
    }
    report.failures.extend(parsed.failures.iter().cloned());
    report.components += count(parsed.components.len());
    *match old {
        Some(old) if old.content_hash == hash => &mut report.reindexed,
        Some(_) => &mut report.changed,
        None => &mut report.added,
    } += 1;
    Ok(())
}

async fn define(engine: &Engine, ctx: &OpContext, report: &mut IngestReport, path: &str, parsed: &Parsed) -> Result<(), Error> {
    for term in &parsed.terms {
        let aliases: Vec<&str> = term.aliases.iter().map(String::as_str).collect();
        let new = NewTerm { term: &term.term, definition: &term.definition, category: term.category.as_deref(), aliases: &aliases };
        match vocabulary::define(engine, ctx, new).await {
            Ok(changed) => report.terms += i64::from(changed),
            Err(error @ (Error::Invalid(_) | Error::Conflict(_))) => {
                let line = i64::try_from(term.line).ok();
                report.failures.push(IngestFailure { path: path.to_owned(), line, reason: error.to_string() });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn count(things: usize) -> i64 {
    i64::try_from(things).unwrap_or(i64::MAX)
}

/// Stores a file's text; false when another ingestion stored the same text meanwhile.
async fn put(
    engine: &Engine,
    ctx: &OpContext,
    collection: &str,
    path: &str,
    parsed: &Parsed,
    hash: &[u8],
    old: Option<&InForce>,
) -> Result<bool, Error> {
    let (tenant, id, now) = (ctx.tenant_id, DocumentId(engine.clock().id()), engine.clock().now());
    let (found, chunking) = (is_found(&parsed.status), chunking(engine));
    let chunks: Vec<NewChunk<'_>> = parsed
        .chunks
        .iter()
        .map(|chunk| {
            let text = searched_text(parsed.reference.as_deref(), &parsed.title, &chunk.heading_path, &chunk.content);
            NewChunk {
                id: ChunkId(engine.clock().id()),
                heading_path: &chunk.heading_path,
                start_byte: chunk.start_byte,
                end_byte: chunk.end_byte,
                content: &chunk.content,
                terms: stems::terms(&text),
            }
        })
        .collect();
    let components: Vec<NewComponent<'_>> = parsed
        .components
        .iter()
        .map(|component| NewComponent {
            name: &component.name,
            normal: normal(&component.name),
            description: &component.description,
            depends_on: component.depends_on.iter().map(|name| normal(name)).collect(),
        })
        .collect();
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    store::lock_knowledge(&mut tx, tenant).await?;
    let there = store::in_force(&mut tx, tenant, collection).await?.into_iter().find(|text| text.path == path);
    if there.as_ref().is_some_and(|text| text.content_hash == hash && text.chunking == chunking) {
        return Ok(false);
    }
    if let Some(old) = there.map(|text| text.id).or(old.map(|text| text.id)) {
        store::retire(&mut tx, tenant, old, now).await?;
    }
    let text = NewText {
        id,
        kind: parsed.kind,
        reference: parsed.reference.as_deref(),
        collection,
        path,
        title: &parsed.title,
        status: &parsed.status,
        front_matter: &parsed.front_matter,
        content_hash: hash,
        chunking: &chunking,
        now,
    };
    store::insert_document(&mut tx, tenant, &text).await?;
    store::insert_chunks(&mut tx, tenant, id, &chunks, found).await?;
    store::insert_components(&mut tx, tenant, id, &components).await?;
    if found && !chunks.is_empty() {
        let event = NewEvent::pending(engine, Task::EmbedDocument, serde_json::json!({ "document_id": id }));
        jobs::store::insert(&mut tx, tenant, ctx.commons_id, &event).await?;
    }
    let verb = match old {
        Some(old) if old.content_hash == hash => "re-indexed",
        Some(_) => "replaced",
        None => "added",
    };
    let entry = NewEntry::new(engine, ctx, "knowledge.document", "document", id, format!("{verb} {collection}/{path}"));
    audit::record(&mut tx, tenant, ctx.commons_id, &entry).await?;
    tx.commit().await?;
    Ok(true)
}

/// Retires a document: no search finds it from now on, and its page stays. The next ingestion of its file adds it again.
///
/// # Errors
/// `Forbidden` without the role `reviewer`; `Invalid` without a reason; `NotFound`; `Conflict` for a text that is not in force.
#[verb(role = Reviewer)]
pub async fn retire(engine: &Engine, ctx: &OpContext, id: DocumentId, reason: &str) -> Result<(), Error> {
    Checks::default().text("reason", reason, REASON_MAX).done()?;
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    let row = store::document(&mut tx, ctx.tenant_id, id).await?.ok_or(Error::NotFound("document"))?;
    tx.commit().await?;
    if !end(engine, ctx, id, format!("retired {}/{}", row.collection, row.path), Some(&Reason::new(reason))).await? {
        return Err(Error::Conflict("this text was replaced or retired meanwhile: open the document again".into()));
    }
    engine.knowledge_changes().announce(ctx.tenant_id);
    // The reviewer looks at the audit trail next.
    engine.relay().settle().await;
    Ok(())
}

/// Takes a text out of force, with its audit row; false when it was not in force.
async fn end(engine: &Engine, ctx: &OpContext, id: DocumentId, message: String, reason: Option<&Reason>) -> Result<bool, Error> {
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    store::lock_knowledge(&mut tx, ctx.tenant_id).await?;
    let ended = store::retire(&mut tx, ctx.tenant_id, id, engine.clock().now()).await?;
    if ended {
        let entry = NewEntry::new(engine, ctx, "knowledge.retired", "document", id, message).reason(reason);
        audit::record(&mut tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    }
    tx.commit().await?;
    Ok(ended)
}

async fn retire_gone(
    engine: &Engine,
    ctx: &OpContext,
    report: &mut IngestReport,
    collection: &str,
    gone: &[DocumentId],
) -> Result<(), Error> {
    if report.dry_run {
        report.retired += i64::try_from(gone.len()).unwrap_or(0);
        return Ok(());
    }
    for id in gone {
        let message = format!("retired from {collection}: its file is gone");
        report.retired += i64::from(end(engine, ctx, *id, message, None).await?);
    }
    Ok(())
}

/// Gives a document's chunks their vectors, as many as are missing. A chunk in a language that the model does not know gets none: it is found
/// by its words.
///
/// # Errors
/// When the model or the database is out of reach: the job is tried again, and finished chunks keep their vectors.
#[verb]
pub async fn embed_document(engine: &Engine, ctx: &OpContext, id: DocumentId) -> Result<&'static str, Error> {
    let tokens = engine.tokens();
    let (mut calls, mut after) = (0, -1);
    while calls < CALLS {
        let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
        let batch = store::unembedded(&mut tx, ctx.tenant_id, id, after, BATCH).await?;
        tx.commit().await?;
        let Some(last) = batch.last() else { return Ok("embedded") };
        after = last.ordinal;
        let text = |chunk: &store::Unembedded| {
            embedded_text(chunk.reference.as_deref(), &chunk.title, &chunk.heading_path, &chunk.content, &*tokens)
        };
        let known = batch.iter().map(|chunk| (chunk, text(chunk))).filter(|(_, text)| engine.reads(text));
        let (known, texts): (Vec<_>, Vec<_>) = known.unzip();
        if texts.is_empty() {
            continue;
        }
        calls += 1;
        let vectors = engine.embed_batch_for_job(ctx.into(), texts).await?;
        let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
        for (chunk, vector) in known.into_iter().zip(&vectors) {
            let now = engine.clock().now();
            store::put_chunk_vector(&mut tx, ctx.tenant_id, chunk.id, (engine.model().name.as_str(), vector.as_slice()), true, now).await?;
        }
        tx.commit().await?;
    }
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    let event = NewEvent::pending(engine, Task::EmbedDocument, serde_json::json!({ "document_id": id }));
    jobs::store::insert(&mut tx, ctx.tenant_id, ctx.commons_id, &event).await?;
    tx.commit().await?;
    engine.jobs().wake();
    Ok("more to come")
}

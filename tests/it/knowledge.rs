//! Knowledge: a tree that is ingested again and again, searched, asked for its topology, and blended into recall.

use crate::support::{Run, Told, alone, ask, remember, settle, work};
use db::DatabaseUrls;
use foundation::testing::{FakeClock, World, fact, key, question};
use foundation::{Engine, Error, OpContext, Settings, audit};
use remembrancer::knowledge::{self, Extent, Ingestion, Tree};
use remembrancer::{recall, vocabulary};
use std::path::Path;
use std::sync::Arc;
use wire::{
    DocumentFilter, DocumentKind, ErrorCode, FileOutcome, IngestReport, KeyScope, KnowledgeRequest, NothingReason, RecallFilters,
    RecallRequest, SourceTag, TermFilter, TopologyRequest,
};

/// The documents of the demo's organisation: specs, ADRs, architecture, glossary.
const HANDBOOK: &str = "server/demo/src/knowledge";

fn tree() -> Tree {
    knowledge::read(Path::new(HANDBOOK), None).unwrap()
}

/// The handbook, and files that cannot be read.
fn tree_with_broken_files() -> Tree {
    let (mut tree, broken) = (tree(), knowledge::read(Path::new("tests/it/broken"), None).unwrap());
    tree.files.extend(broken.files.into_iter().map(|(path, bytes)| (format!("broken/{path}"), bytes)));
    tree
}

fn ingestion(tree: Tree) -> Ingestion {
    Ingestion {
        collection: "acme".into(),
        files: tree.files,
        extent: Extent::Whole,
        revision: Some("abc123".into()),
        dry_run: false,
        failures: tree.failures,
    }
}

async fn ingest(world: &World, ingestion: Ingestion) -> IngestReport {
    knowledge::ingest(&world.engine, &world.system, ingestion, &|_, _| {}).await.unwrap()
}

fn text(path: &str, content: &str) -> Ingestion {
    let files = vec![(path.to_owned(), content.as_bytes().to_vec())];
    Ingestion { extent: Extent::Part { gone: vec![] }, ..ingestion(Tree { files, failures: vec![] }) }
}

async fn search(world: &World, query: &str, kinds: Vec<DocumentKind>) -> Vec<String> {
    let request = KnowledgeRequest { query: query.into(), k: 5, kinds };
    knowledge::search(&world.engine, &world.atlas, request).await.unwrap().hits.into_iter().map(|hit| hit.citation).collect()
}

#[tokio::test]
async fn a_person_retires_a_document_and_its_file_brings_it_back() {
    let world = alone().await;
    let (engine, vera) = (&world.engine, &world.vera);
    let put = async || {
        let files = [("tea.html", "<title>Tea</title><p>The kitchen serves <b>oolong</b> first."), ("tea.pdf", "%PDF-1.7")];
        let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec())).to_vec();
        knowledge::upload(engine, vera, " wiki ", files).await.unwrap()
    };
    let found = async || search(&world, "The kitchen serves oolong first.", vec![]).await.len();
    let uploaded = put().await;
    assert_eq!((uploaded[1].outcome, uploaded[1].document_id), (FileOutcome::Failed, None));
    let id = uploaded[0].document_id.unwrap();
    let (path, text) = knowledge::markdown(engine, vera, id).await.unwrap();
    assert_eq!((path.as_str(), text.as_str(), found().await), ("tea.html", "# Tea\n\nThe kitchen serves oolong first.\n", 1));

    assert_eq!(knowledge::retire(engine, vera, id, " ").await.unwrap_err().fields()[0].field, "reason");
    knowledge::retire(engine, vera, id, "nobody drinks it").await.unwrap();
    assert_eq!(found().await, 0);
    assert!(knowledge::document(engine, vera, id).await.unwrap().document.retired_at.is_some(), "its page stays");
    assert_eq!(knowledge::retire(engine, vera, id, "twice").await.unwrap_err().code(), ErrorCode::Conflict);
    let back = put().await;
    assert!(back[0].outcome == FileOutcome::Added && back[0].document_id.is_some_and(|new| new != id), "{back:?}");
    assert_eq!(found().await, 1);
}

#[tokio::test]
async fn a_tree_is_taken_in_with_all_its_kinds_and_what_is_broken_is_named() {
    let world = alone().await;
    let report = ingest(&world, ingestion(tree_with_broken_files())).await;
    assert_eq!((report.added, report.changed, report.unchanged, report.retired), (11, 0, 0, 0));
    let failed: Vec<_> = report.failures.iter().map(|failure| (failure.path.as_str(), failure.line.is_some())).collect();
    for expected in
        [("broken/not-yaml.md", true), ("broken/unterminated.md", true), ("broken/picture.md", false), ("broken/empty.md", false)]
    {
        assert!(failed.contains(&expected), "{expected:?} of {failed:?}");
    }
    assert!(report.failures.iter().all(|failure| failure.path.starts_with("broken/")), "{:?}", report.failures);
    assert!(report.terms >= 6 && report.components >= 4, "{report:?}");

    let documents = knowledge::documents(&world.engine, &world.vera, &DocumentFilter::default()).await.unwrap();
    let oldest = DocumentFilter { reversed: true, ..DocumentFilter::default() };
    let mut oldest = knowledge::documents(&world.engine, &world.vera, &oldest).await.unwrap();
    oldest.rows.reverse();
    assert_eq!(oldest, documents, "the other way round");
    let count = |kind| documents.rows.iter().filter(|document| document.kind == kind).count();
    assert_eq!((count(DocumentKind::Spec), count(DocumentKind::Adr), count(DocumentKind::Architecture)), (3, 5, 1));
    assert_eq!((count(DocumentKind::Glossary), count(DocumentKind::Document)), (1, 1));
    let adr = documents.rows.iter().find(|document| document.reference.as_deref() == Some("ADR-005")).unwrap();
    assert_eq!((adr.status.as_str(), adr.embedded), ("accepted", 0));
    work(&world).await;
    let detail = knowledge::document(&world.engine, &world.vera, adr.id).await.unwrap();
    assert_eq!(detail.document.embedded, detail.document.chunks);
    assert!(detail.chunks.iter().any(|chunk| chunk.heading_path.last().is_some_and(|heading| heading == "Consequences")));
    let terms = vocabulary::terms(&world.engine, &world.vera, &TermFilter::default()).await.unwrap().rows;
    let falling = TermFilter { reversed: true, ..TermFilter::default() };
    let falling = vocabulary::terms(&world.engine, &world.vera, &falling).await.unwrap().rows;
    assert!(falling.len() > 1 && falling.iter().rev().eq(&terms), "Z to A");
    let graph = terms.iter().find(|term| term.term == "Knowledge graph").unwrap();
    assert_eq!((graph.aliases.as_slice(), graph.category.as_deref()), (["service graph".to_owned()].as_slice(), Some("Platform")));
    let run = knowledge::runs(&world.engine, &world.vera, None, None).await.unwrap().rows.remove(0);
    assert!(run.finished_at.is_some() && run.report == report && run.revision.as_deref() == Some("abc123"));
}

#[tokio::test]
async fn taking_in_again_changes_only_what_changed() {
    let world = alone().await;
    let first = ingest(&world, ingestion(tree())).await;
    let again = ingest(&world, ingestion(tree())).await;
    assert_eq!((again.added, again.changed, again.unchanged, again.retired, again.terms), (0, 0, first.added, 0, 0));
    let mut tree = tree();
    tree.files.retain(|(path, _)| !path.ends_with("onboarding.md"));
    let adr = tree.files.iter_mut().find(|(path, _)| path.contains("ADR-001")).unwrap();
    adr.1.extend_from_slice(b"\n## Later\n\nZeppelins are decided on by Vera.\n");
    let dry = Ingestion { dry_run: true, ..ingestion(Tree { files: tree.files.clone(), failures: vec![] }) };
    let promised = ingest(&world, dry).await;
    assert_eq!((promised.changed, promised.retired, promised.dry_run), (1, 1, true));
    assert_eq!(knowledge::runs(&world.engine, &world.vera, None, None).await.unwrap().total, 2, "a dry run leaves no trace");
    let kept = ingest(&world, ingestion(tree)).await;
    assert_eq!((kept.added, kept.changed, kept.retired), (0, 1, 1));
    work(&world).await;
    assert_eq!(search(&world, "Zeppelins are decided on by Vera", vec![]).await[0], "ADR-001, Later");
    let gone = DocumentFilter { retired: Some(true), ..DocumentFilter::default() };
    let gone = knowledge::documents(&world.engine, &world.vera, &gone).await.unwrap().rows;
    assert_eq!(gone.iter().map(|document| document.path.as_str()).collect::<Vec<_>>(), ["docs/onboarding.md"]);
    settle(&world).await;
    assert_eq!(audit::verify(&world.engine, &world.system, None).await.unwrap().fault, None);
}

#[tokio::test]
async fn collections_do_not_touch_each_other_and_parts_retire_only_what_is_named() {
    let world = alone().await;
    let (a, b) = (text("a.md", "# A\n\nalpha"), text("b.md", "# B\n\nbeta"));
    ingest(&world, Ingestion { extent: Extent::Whole, ..a }).await;
    ingest(&world, Ingestion { collection: "other".into(), extent: Extent::Whole, ..b }).await;
    ingest(&world, text("c.md", "# C\n\ngamma")).await;
    let all = || async { knowledge::documents(&world.engine, &world.vera, &DocumentFilter::default()).await.unwrap().total };
    assert_eq!(all().await, 3);
    let gone = Ingestion { extent: Extent::Part { gone: vec!["c.md".into(), "b.md".into()] }, ..text("a.md", "# A\n\nalpha") };
    assert_eq!((ingest(&world, gone).await.retired, all().await), (1, 2), "b.md is the other collection's");
}

#[tokio::test]
async fn paths_that_lead_elsewhere_and_files_that_are_too_big_are_refused() {
    let world = alone().await;
    for path in ["../secret.md", "/etc/passwd.md", "a/../../b.md", "a\\b.md", "notes.pdf", "", "a//b.md"] {
        let report = ingest(&world, text(path, "# X\n\ny")).await;
        assert_eq!((report.added, report.failures.len()), (0, 1), "{path}");
    }
    let big = ingest(&world, text("big.md", &"x".repeat(10 * 1024 * 1024 + 1))).await;
    assert!(big.failures[0].reason.contains("10 MB"), "{big:?}");
    let nameless = Ingestion { collection: " ".into(), ..text("a.md", "# A") };
    assert_eq!(knowledge::ingest(&world.engine, &world.system, nameless, &|_, _| {}).await.unwrap_err().fields()[0].field, "collection");
    let (reader, _) = key(&world.engine, &world.system, world.atlas.agent_id().unwrap(), &[KeyScope::KbRead]).await;
    assert!(matches!(knowledge::ingest(&world.engine, &reader, text("a.md", "# A"), &|_, _| {}).await, Err(Error::Forbidden(_))));
}

#[cfg(unix)]
#[test]
fn links_out_of_the_directory_are_named_and_not_followed() {
    let dir = std::env::temp_dir().join(format!("rmb-links-{}", std::process::id()));
    std::fs::create_dir_all(dir.join("inside")).unwrap();
    std::fs::write(dir.join("inside/a.md"), "# A\n\nalpha").unwrap();
    std::os::unix::fs::symlink("/etc/hostname", dir.join("inside/b.md")).unwrap();
    std::os::unix::fs::symlink("/etc", dir.join("inside/etc")).unwrap();
    let tree = knowledge::read(&dir.join("inside"), None).unwrap();
    assert_eq!(tree.files.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(), ["a.md"]);
    assert_eq!(tree.failures.iter().map(|failure| failure.path.as_str()).collect::<Vec<_>>(), ["b.md", "etc"]);
    std::fs::remove_dir_all(&dir).unwrap();
    assert!(knowledge::read(&dir, None).is_err());
}

#[tokio::test]
async fn a_long_document_gets_its_vectors_in_several_jobs() {
    let world = alone().await;
    let long: String = (0..300).map(|n| format!("## Part {n}\n\nThe text of part {n}.\n\n")).collect();
    ingest(&world, text("long.md", &long)).await;
    let document = knowledge::documents(&world.engine, &world.vera, &DocumentFilter::default()).await.unwrap().rows.remove(0);
    assert_eq!(knowledge::embed_document(&world.engine, &world.system, document.id).await.unwrap(), "more to come");
    work(&world).await;
    let document = knowledge::document(&world.engine, &world.vera, document.id).await.unwrap().document;
    assert_eq!((document.chunks, document.embedded), (300, 300));
}

#[tokio::test]
async fn two_ingestions_of_one_tree_at_once_leave_it_once() {
    let world = alone().await;
    let both = futures_util::future::join_all((0..4).map(|_| ingest(&world, ingestion(tree())))).await;
    assert_eq!(both.iter().map(|report| report.added).sum::<i64>(), 11);
    assert_eq!(knowledge::documents(&world.engine, &world.vera, &DocumentFilter::default()).await.unwrap().total, 11);
}

#[tokio::test]
async fn what_was_superseded_is_kept_and_not_cited() {
    let world = alone().await;
    ingest(&world, ingestion(tree())).await;
    work(&world).await;
    let all = knowledge::documents(&world.engine, &world.vera, &DocumentFilter::default()).await.unwrap().rows;
    let old = all.iter().find(|document| document.reference.as_deref() == Some("ADR-004")).unwrap();
    assert_eq!(old.status, "superseded");
    let detail = knowledge::document(&world.engine, &world.vera, old.id).await.unwrap();
    let cited = search(&world, &detail.chunks[0].content, vec![]).await;
    assert!(!cited.is_empty() && cited.iter().all(|citation| !citation.starts_with("ADR-004")), "{cited:?}");
    world.embedder.fail();
    let cited = search(&world, &detail.chunks[0].content, vec![]).await;
    assert!(!cited.is_empty() && cited.iter().all(|citation| !citation.starts_with("ADR-004")), "{cited:?}");
}

#[tokio::test]
async fn topology_answers_both_ways() {
    let world = alone().await;
    ingest(&world, ingestion(tree())).await;
    let all = knowledge::topology(&world.engine, &world.vera).await.unwrap();
    let needed = all.iter().find(|component| !component.depended_on_by.is_empty()).unwrap();
    let one = knowledge::component(&world.engine, &world.atlas, TopologyRequest { component: needed.name.to_uppercase() }).await.unwrap();
    assert_eq!(&one, needed);
    for other in &one.depended_on_by {
        assert!(all.iter().find(|component| component.name == *other).unwrap().depends_on.contains(&one.name));
    }
    let unknown = TopologyRequest { component: "zeppelin".into() };
    assert!(matches!(knowledge::component(&world.engine, &world.atlas, unknown).await, Err(Error::NotFound("component"))));
}

#[tokio::test]
async fn index_pages_are_the_same_from_the_database_and_from_the_directory() {
    let world = alone().await;
    ingest(&world, ingestion(tree())).await;
    let (pages, _) = knowledge::index_pages(Path::new(HANDBOOK)).unwrap();
    assert_eq!(knowledge::index(&world.engine, &world.atlas).await.unwrap(), pages);
    let adrs = pages.iter().find(|page| page.path == ".context/decisions/INDEX.md").unwrap();
    let places: Vec<_> = (1..=5).map(|n| adrs.content.find(&format!("ADR-00{n}")).unwrap()).collect();
    assert!(places.is_sorted(), "{}", adrs.content);
}

#[tokio::test]
async fn a_recall_is_answered_from_a_decision_and_says_so() {
    let world = alone().await;
    ingest(&world, ingestion(tree())).await;
    work(&world).await;
    let answer = ask(&world, &world.atlas, "JSONB properties of the knowledge graph nodes and edges").await;
    assert!(answer.zero_hit, "knowledge does not mask an empty memory");
    assert_eq!(answer.reason, Some(NothingReason::NothingFound));
    let best = answer.knowledge()[0];
    assert_eq!((best.adr_id.as_deref(), best.source_tag), (Some("ADR-005"), SourceTag::Canonical));
    assert!(best.attribution == "Per ADR-005:" && best.citation.starts_with("ADR-005"), "{best:?}");

    remember(&world, &world.atlas, fact("knowledge graph", "Vera wants JSONB properties of the knowledge graph nodes and edges")).await;
    let blended = ask(&world, &world.atlas, "JSONB properties of the knowledge graph nodes and edges").await;
    assert!(!blended.zero_hit && !blended.knowledge().is_empty() && blended.memories().len() == 1);
    let scores: Vec<f64> =
        blended.hits.iter().map(|hit| hit.memory().map_or_else(|| hit.knowledge().unwrap().score, |memory| memory.score)).collect();
    assert!(scores.windows(2).all(|pair| pair[0] >= pair[1]), "{scores:?}");

    let (reader, _) = key(&world.engine, &world.system, world.atlas.agent_id().unwrap(), &[KeyScope::MemoryRead]).await;
    let private = ask(&world, &reader, "JSONB properties of the knowledge graph").await;
    assert!(private.knowledge().is_empty() && private.degraded.is_empty(), "without kb:read there is none, and nothing is missing");
    let filters = RecallFilters { platform: Some("slack".into()), ..RecallFilters::default() };
    let narrow = RecallRequest { filters, ..question("JSONB properties") };
    assert!(recall::recall(&world.engine, &world.atlas, narrow).await.unwrap().knowledge().is_empty());
}

#[tokio::test]
async fn one_side_answers_when_the_other_is_down() {
    let world = alone().await;
    ingest(&world, ingestion(tree())).await;
    remember(&world, &world.atlas, fact("graph", "Vera likes the knowledge graph")).await;
    work(&world).await;
    let break_it = |url: &str| {
        let url = url.to_owned();
        async move {
            sqlx::query("alter table chunk_counts rename to away").run(&url).await;
        }
    };
    break_it(&world.engine.urls().shared_kb).await;
    let answer = ask(&world, &world.atlas, "knowledge graph").await;
    assert_eq!((answer.degraded.clone(), answer.told().len()), (vec!["knowledge".to_owned()], 1));
}

#[tokio::test]
async fn knowledge_answers_alone_when_memory_is_out_of_reach() {
    let world = alone().await;
    ingest(&world, ingestion(tree())).await;
    work(&world).await;
    let urls = DatabaseUrls { agent_memory: "postgres://nobody@127.0.0.1:1/nowhere".into(), ..world.engine.urls().clone() };
    let settings = Settings { connection_budget: std::time::Duration::from_millis(200), ..Settings::default() };
    let engine = Engine::open(urls, Arc::new(world.embedder.clone()), Arc::<FakeClock>::clone(&world.clock), settings).await.unwrap();
    let ask = |ctx: &OpContext| {
        let (engine, ctx) = (engine.clone(), ctx.clone());
        async move { recall::recall(&engine, &ctx, question("JSONB properties of the knowledge graph nodes and edges")).await }
    };
    let answer = ask(&world.atlas).await.unwrap();
    assert_eq!((answer.degraded.clone(), answer.zero_hit, answer.reason), (vec!["memory".to_owned()], true, Some(NothingReason::Degraded)));
    assert_eq!(answer.knowledge()[0].adr_id.as_deref(), Some("ADR-005"));
    // A key that may not read knowledge has nothing to answer from.
    let (reader, _) = key(&world.engine, &world.system, world.atlas.agent_id().unwrap(), &[KeyScope::MemoryRead]).await;
    assert_eq!(ask(&reader).await.unwrap_err().code(), ErrorCode::Unavailable);
}

#[tokio::test]
async fn kinds_narrow_a_search_and_words_do_without_a_model() {
    let world = alone().await;
    ingest(&world, ingestion(tree())).await;
    work(&world).await;
    let all = search(&world, "knowledge graph PostgreSQL", vec![]).await;
    assert!(all.iter().any(|citation| citation.starts_with("ADR-")), "{all:?}");
    let specs = search(&world, "knowledge", vec![DocumentKind::Spec]).await;
    assert!(!specs.is_empty() && specs.iter().all(|citation| citation.starts_with("SPEC-")), "{specs:?}");
    world.embedder.fail();
    let request = KnowledgeRequest { query: "JSONB knowledge graph properties".into(), k: 5, kinds: vec![] };
    let answer = knowledge::search(&world.engine, &world.atlas, request).await.unwrap();
    assert_eq!(answer.degraded, ["embedding"]);
    assert_eq!(answer.hits[0].adr_id.as_deref(), Some("ADR-005"), "{:?}", answer.hits);
}

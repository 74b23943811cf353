//! A whole tenant that moves: memory, vocabulary and knowledge are the same elsewhere, and give the same answers.

use crate::portability::{body, elsewhere, exported, file, import, newcomer, of_type};
use crate::portability_refused::sealed;
use crate::support::{agent, alone, ingestion, owner, patient, remember, settle, work};
use foundation::testing::{Fake, FakeClock, TestDatabases, World, fact, key, question};
use foundation::{Engine, OpContext};
use futures_util::FutureExt;
use portability::{ImportOptions, Selection};
use remembrancer::knowledge::{self, Extent, Ingestion, Tree};
use remembrancer::recall;
use remembrancer::vocabulary::{self, NewTerm};
use serde_json::{Value, json};
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::AsyncReadExt;
use wire::{
    Area, DecisionKind, DocumentFilter, ErrorCode, KeyScope, KnowledgeRequest, LookupRequest, ProposalFilter, ProposalStatus, Ranking,
    RecallRequest, TermChange, TermFilter, TermId, Verdict,
};

pub async fn add(world: &World, term: &str, aliases: &[&str]) -> TermId {
    let new = NewTerm { term, aliases, definition: "What Acme calls it", category: Some("Platform") };
    vocabulary::add(&world.engine, &world.vera, new).await.unwrap().term_id.unwrap()
}

pub async fn change(world: &World, id: TermId, change: TermChange) -> wire::Decision {
    vocabulary::change(&world.engine, &world.vera, id, &change).await.unwrap()
}

/// Decides the proposal of a phrase.
async fn decide(world: &World, phrase: &str, verdict: Verdict) {
    settle(world).await;
    let filter = ProposalFilter { q: Some(phrase.into()), ..ProposalFilter::default() };
    let id = vocabulary::proposals(&world.engine, &world.vera, &filter).await.unwrap().rows[0].id;
    vocabulary::decide(&world.engine, &world.vera, &[id], &verdict).await.unwrap();
}

pub async fn ingest(world: &World, files: Vec<(String, Vec<u8>)>, extent: Extent) {
    let ingestion = Ingestion { extent, ..ingestion("acme", files) };
    assert_eq!(knowledge::ingest(&world.engine, &world.system, ingestion, &|_, _| {}).await.unwrap().failures, []);
}

/// Terms through every kind of decision, and proposals in every state.
pub async fn decided_vocabulary(world: &World) {
    let vault = add(world, "secret store", &["vault", "geheimnisse"]).await;
    let infra = add(world, "cloud base", &["the cloud"]).await;
    let tf = add(world, "tf", &[]).await;
    let old = add(world, "fax", &["telefax"]).await;
    for (topic, content) in [
        ("the big vault", "Tokens rotate on Mondays"),
        ("vault", "Only Idris has the key of the safe"),
        ("boiler", "The boiler is descaled in March"),
        ("blorp", "Nobody knows what this is"),
        ("zeppelin", "The zeppelin is in the hangar"),
        ("kettle lore", "Tea water is never boiled twice"),
    ] {
        remember(world, &world.atlas, fact(topic, content)).await;
    }
    remember(world, &world.binky, fact("Kettle-Lore", "The kettle whistles at eight")).await;
    decide(world, "the big vault", Verdict::Merge { term_id: vault }).await;
    decide(world, "boiler", Verdict::Approve { term: Some("water heater".into()), definition: "Heats water".into(), category: None }).await;
    decide(world, "blorp", Verdict::Reject { reason: "Nobody says that".into() }).await;
    decide(world, "zeppelin", Verdict::Approve { term: None, definition: String::new(), category: None }).await;
    change(world, infra, TermChange::Rename { term: "infrastructure".into() }).await;
    change(world, infra, TermChange::Define { definition: "What Terraform made".into(), category: Some("Cloud".into()) }).await;
    change(world, tf, TermChange::Combine { into: infra }).await;
    change(world, vault, TermChange::Unalias { alias: "geheimnisse".into() }).await;
    change(world, vault, TermChange::Alias { alias: "safe".into() }).await;
    let retired = change(world, old, TermChange::Retire { reason: "Gone for good".into() }).await;
    vocabulary::undo(&world.engine, &world.vera, &[retired.id]).await.unwrap();
    change(world, old, TermChange::Retire { reason: "Gone for good".into() }).await;
}

/// Documents of every kind: in force, changed, gone, and one that is only a draft.
pub async fn documents(world: &World) {
    let tree: Tree = knowledge::read(Path::new("server/demo/src/knowledge"), None).unwrap();
    let mut files = tree.files;
    files.push(("draft.md".into(), b"---\nstatus: draft\ntags: [a, b]\nn: 1.5\n---\n# Zeppelins\n\nOne day we fly.\n".to_vec()));
    files.push(("gone.md".into(), b"# Gone\n\nThe fax machine is in the cellar.\n".to_vec()));
    ingest(world, files.clone(), Extent::Whole).await;
    files.retain(|(path, _)| path != "gone.md");
    let onboarding = files.iter_mut().find(|(path, _)| path.ends_with("onboarding.md")).unwrap();
    onboarding.1.extend_from_slice(b"\n## Keys\n\nVera hands out the keys of the office.\n");
    ingest(world, files, Extent::Whole).await;
}

/// Two thousand memories, and hundreds of terms with aliases, in a file of their own.
fn many(world: &World, template: &str) -> String {
    let header = json!({ "type": "header", "format": "remembrancer-export", "schema": 2, "exported_at": "2026-11-22T05:00:00.000000Z" });
    let id = || world.engine.clock().id().to_string();
    let now = world.engine.clock().now().to_rfc3339_opts(chrono::SecondsFormat::Micros, true);
    let (mut terms, mut aliases, mut memories, mut versions) = (vec![], vec![], vec![], vec![]);
    for n in 0..300 {
        let term = id();
        terms.push(json!({
            "type": "term", "id": term, "lineage": term, "term": format!("service {n}"), "definition": format!("Number {n} of many"),
            "created_at": now, "valid_from": now,
        }));
        for alias in [format!("svc-{n}"), format!("Dienst {n}")] {
            aliases.push(json!({ "type": "alias", "id": id(), "term_id": term, "alias": alias, "valid_from": now }));
        }
    }
    let (memory, version): (Value, Value) = {
        let line = |kind: &str| serde_json::from_str(of_type(template, kind)[0]).unwrap();
        (line("memory"), line("version"))
    };
    let (colours, places) =
        (["red", "green", "blue", "black", "white"], ["cellar", "attic", "kitchen", "garage", "office", "hangar", "yard"]);
    for n in 0..2_000_usize {
        let (id, topic, raw) = (id(), format!("service {}", n % 300), format!("svc-{}", n % 300));
        let content = format!("Server {n} of service {} is {} and stands in the {}", n % 300, colours[n % 5], places[n % 7]);
        let texts = json!({ "content": content, "topic": topic, "topic_raw": raw, "is_canonical": true });
        let with = |line: &Value, more: Value| {
            let mut line = line.clone();
            for fields in [&texts, &more] {
                line.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            }
            line
        };
        memories.push(with(&memory, json!({ "id": id, "short_id": format!("m{n:07}") })));
        versions.push(with(&version, json!({ "memory_id": id })));
    }
    sealed(&[vec![header], terms, aliases, memories, versions].concat().iter().map(Value::to_string).collect::<Vec<_>>())
}

/// The ids of an answer's hits, best first, with how each was found.
async fn hits(engine: &Engine, ctx: &OpContext, query: &str, ranking: Ranking) -> Vec<String> {
    let answer = recall::recall(engine, ctx, RecallRequest { k: 20, ranking: Some(ranking), ..question(query) }).await.unwrap();
    assert_eq!(answer.degraded, [] as [String; 0]);
    let hit = |hit: &wire::RecallHit| match (hit.memory(), hit.knowledge()) {
        (Some(memory), _) => format!("memory {} {} {}", memory.memory_id, memory.topic, memory.matched_by),
        (_, Some(chunk)) => format!("chunk {} {} {:.6}", chunk.chunk_id, chunk.citation, chunk.similarity),
        _ => unreachable!(),
    };
    std::iter::once(format!("{:?}", answer.query_canonical)).chain(answer.hits.iter().map(hit)).collect()
}

async fn own_databases() -> World {
    let fake = Fake::new();
    World::with(TestDatabases::fresh(&FakeClock::default()).await, Arc::new(fake.clone()), fake, patient()).await
}

/// Jobs by task and state, of the database of knowledge or of memory.
async fn jobs(url: &str, ctx: &OpContext) -> Vec<(String, i64)> {
    sqlx::query_as("select task, count(*) from events where tenant_id = $1 and kind = 'maintenance' group by 1 order by 1")
        .bind(ctx.tenant_id)
        .fetch_all(&mut owner(url).await)
        .await
        .unwrap()
}

#[tokio::test]
async fn a_whole_tenant_moves_and_answers_as_before() {
    let here = own_databases().await;
    decided_vocabulary(&here).await;
    documents(&here).await;
    let template = exported(&here.engine, &here.system, &Selection::Agent(agent(&here.atlas))).await;
    import(&here.engine, &here.system, &many(&here, &template)).await.unwrap();
    work(&here).await;
    let before = exported(&here.engine, &here.system, &Selection::All).await;
    let lines = |kind: &str| of_type(&before, kind).len();
    assert!(lines("memory") > 2_000 && lines("term") > 300 && lines("alias") > 600 && lines("chunk") > 30, "{}", before.len());
    for status in ["open", "approved", "merged", "rejected"] {
        assert!(of_type(&before, "proposal").iter().any(|line| line.contains(&format!("\"status\":\"{status}\""))), "{status}");
    }
    for kind in ["spec", "adr", "architecture", "glossary", "document"] {
        assert!(of_type(&before, "document").iter().any(|line| line.contains(&format!("\"kind\":\"{kind}\""))), "{kind}");
    }
    for kind in DecisionKind::ALL {
        assert!(of_type(&before, "decision").iter().any(|line| line.contains(&format!("\"kind\":\"{kind}\""))), "{kind}");
    }
    assert!(lines("component") >= 4 && lines("proposal_memory") >= 5);

    let there = own_databases().await;
    let ctx = newcomer(&there.engine).await;
    let report = import(&there.engine, &ctx, &before).await.unwrap();
    assert_eq!(report.total().added as usize, body(&before).len(), "{report:?}");
    // Only jobs that make vectors exist.
    assert_eq!(jobs(&there.engine.urls().agent_memory, &ctx).await.iter().map(|(task, _)| task).collect::<Vec<_>>(), ["embed_imported"]);
    let of_knowledge = jobs(&there.engine.urls().shared_kb, &ctx).await;
    assert_eq!(of_knowledge.iter().map(|(task, _)| task).collect::<Vec<_>>(), ["embed_document", "embed_terms"]);
    work(&there).await;
    let after = exported(&there.engine, &ctx, &Selection::All).await;
    assert!(body(&after) == body(&before), "{}", difference(&before, &after));

    let (atlas, _) = key(&there.engine, &ctx, agent(&here.atlas), KeyScope::ALL).await;
    for query in [
        "tokens of the safe",
        "infra",
        "Dienst 7",
        "svc-7 black",
        "white server in the hangar",
        "shared knowledge",
        "boiler",
        "who hands out the keys?",
    ] {
        for ranking in [Ranking::Decay, Ranking::Hybrid, Ranking::HybridDecay] {
            let expected = hits(&here.engine, &here.atlas, query, ranking).await;
            assert!(expected.len() > 1, "{query} finds nothing: the test would prove nothing");
            assert_eq!(hits(&there.engine, &atlas, query, ranking).await, expected, "{query}, {ranking}");
        }
        let asked = || KnowledgeRequest { query: query.into(), k: 10, kinds: vec![] };
        let expected = knowledge::search(&here.engine, &here.atlas, asked()).await.unwrap();
        assert_eq!(knowledge::search(&there.engine, &atlas, asked()).await.unwrap(), expected, "{query}");
    }
    for phrase in [
        "vault",
        "the big vault",
        "safe",
        "geheimnisse",
        "fax",
        "tf",
        "infrastucture",
        "the cloud",
        "svc-12 and Dienst 13",
        "water heaters",
        "service graph",
    ] {
        let asked = || LookupRequest { phrase: phrase.into() };
        let expected = vocabulary::lookup(&here.engine, &here.atlas, asked()).await.unwrap();
        assert_eq!(vocabulary::lookup(&there.engine, &atlas, asked()).await.unwrap(), expected, "{phrase}");
    }
    assert_eq!(knowledge::topology(&there.engine, &ctx).await.unwrap(), knowledge::topology(&here.engine, &here.system).await.unwrap());
    assert_eq!(statistics(&there, &ctx).await, statistics(&here, &here.system).await);
    for status in ProposalStatus::ALL {
        assert_eq!(queue(&there.engine, &ctx, *status).await, queue(&here.engine, &here.system, *status).await, "{status}");
    }
    assert_eq!(log(&there.engine, &ctx).await, log(&here.engine, &here.system).await);
    // Work continues in the new installation: an ingestion knows the files, an old decision can be undone, and a new one follows.
    let known = knowledge::read(Path::new("server/demo/src/knowledge"), None).unwrap().files;
    let report = knowledge::ingest(&there.engine, &ctx, Ingestion { dry_run: true, ..ingestion("acme", known) }, &|_, _| {}).await.unwrap();
    assert_eq!((report.added, report.changed, report.retired), (0, 1, 1), "onboarding was changed, and the draft is not in the folder");
    let decisions = vocabulary::decisions(&there.engine, &ctx, None, None).await.unwrap().rows;
    assert!(decisions.iter().all(|decision| decision.remaining == 0));
    let rename = decisions.iter().find(|decision| decision.undoable && decision.kind == DecisionKind::Alias).unwrap();
    vocabulary::undo(&there.engine, &ctx, &[rename.id]).await.unwrap();
    assert!(!vocabulary::lookup(&there.engine, &atlas, LookupRequest { phrase: "safe".into() }).await.unwrap().found);
}

/// The first line that only one of two files has.
fn difference(one: &str, other: &str) -> String {
    let (one, other) = (body(one), body(other));
    let only = |these: &[&str], those: &[&str]| these.iter().find(|line| those.binary_search(line).is_err()).map(|line| (*line).to_owned());
    format!("only before: {:?}\nonly after: {:?}", only(&one, &other), only(&other, &one))
}

async fn statistics(world: &World, ctx: &OpContext) -> (i64, i64) {
    let counts = sqlx::query_as("select chunks, terms from chunk_counts where tenant_id = $1").bind(ctx.tenant_id);
    counts.fetch_one(&mut owner(&world.engine.urls().shared_kb).await).await.unwrap()
}

/// (phrase, count, agents, first, last) of the proposals in one state.
async fn queue(engine: &Engine, ctx: &OpContext, status: ProposalStatus) -> Vec<String> {
    let filter = ProposalFilter { status: Some(status), ..ProposalFilter::default() };
    let rows = vocabulary::proposals(engine, ctx, &filter).await.unwrap().rows;
    rows.iter()
        .map(|p| {
            format!("{} {} {:?} {} {} {:?}", p.phrase, p.count, p.agents, p.first_seen, p.last_seen, p.decision.as_ref().map(|d| d.id))
        })
        .collect()
}

/// What was decided, by whom, when, and whether it can be undone.
async fn log(engine: &Engine, ctx: &OpContext) -> Vec<String> {
    let rows = vocabulary::decisions(engine, ctx, None, None).await.unwrap().rows;
    rows.iter().map(|d| format!("{} {:?} {:?} {} {} {} {}", d.kind, d.subjects, d.term, d.by, d.at, d.undone, d.undoable)).collect()
}

fn only(areas: &[Area]) -> Selection {
    Selection::Only(areas.iter().copied().collect())
}

#[tokio::test]
async fn each_area_is_exported_alone_and_the_areas_make_the_whole() {
    let world = alone().await;
    decided_vocabulary(&world).await;
    documents(&world).await;
    work(&world).await;
    let whole = exported(&world.engine, &world.system, &Selection::All).await;
    let [memory, vocabulary, knowledge] = {
        let part = async |area| exported(&world.engine, &world.system, &only(&[area])).await;
        [part(Area::Memory).await, part(Area::Vocabulary).await, part(Area::Knowledge).await]
    };
    let kinds = |text: &str| {
        let kinds = body(text).into_iter().map(|line| line.split("\"type\":\"").nth(1).unwrap().split('"').next().unwrap());
        kinds.collect::<std::collections::BTreeSet<_>>().into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&memory), ["agent", "event", "memory", "version"]);
    assert_eq!(kinds(&vocabulary), ["agent", "alias", "decision", "proposal", "proposal_memory", "term"]);
    assert_eq!(kinds(&knowledge), ["chunk", "component", "document"]);
    let schema = |text: &str| serde_json::from_str::<Value>(text.lines().next().unwrap()).unwrap()["schema"].clone();
    assert_eq!([schema(&memory), schema(&vocabulary), schema(&knowledge), schema(&whole)], [6, 6, 6, 6].map(Value::from));
    let agents = |text: &str| of_type(text, "agent").len();
    assert_eq!((agents(&whole), agents(&vocabulary)), (2, 2), "those that proposed something");
    let both = exported(&world.engine, &world.system, &only(&[Area::Knowledge, Area::Vocabulary])).await;
    assert_eq!(kinds(&both), ["agent", "alias", "chunk", "component", "decision", "document", "proposal", "proposal_memory", "term"]);
    let nothing = portability::export(&world.engine, &world.system, &only(&[]), Vec::new(), &|_| {}).await.unwrap_err();
    assert_eq!(nothing.fields()[0].field, "only");
    let folder = tempfile::tempdir().unwrap();
    let folder = portability::markdown(&world.engine, &world.system, &only(&[Area::Vocabulary]), folder.path(), &|_| {}).await.unwrap_err();
    assert_eq!(folder.fields()[0].field, "only");

    // Imported one after the other, in any order, they are the whole.
    let there = &elsewhere().await;
    let ctx = newcomer(there).await;
    for text in [&knowledge, &memory, &vocabulary] {
        import(there, &ctx, text).await.unwrap();
    }
    let after = exported(there, &ctx, &Selection::All).await;
    assert!(body(&after) == body(&whole), "{}", difference(&whole, &after));
    for (area, text) in [(Area::Memory, &memory), (Area::Vocabulary, &vocabulary), (Area::Knowledge, &knowledge)] {
        assert_eq!(body(&exported(there, &ctx, &only(&[area])).await), body(text), "{area}");
    }
    // An agent exports its own memory, even if the rest of the organisation has more.
    for selection in [only(&[Area::Vocabulary]), only(&[Area::Memory])] {
        let error = portability::export(&world.engine, &world.atlas, &selection, Vec::new(), &|_| {}).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::Forbidden);
    }
    assert_eq!(kinds(&exported(&world.engine, &world.atlas, &Selection::Agent(agent(&world.atlas))).await), kinds(&memory));
}

#[tokio::test]
async fn an_import_that_is_killed_anywhere_is_repeated() {
    let world = alone().await;
    decided_vocabulary(&world).await;
    documents(&world).await;
    work(&world).await;
    let before = exported(&world.engine, &world.system, &Selection::All).await;
    let there = &elsewhere().await;
    let ctx = newcomer(there).await;
    let batches = AtomicUsize::new(0);
    let count = |_| {
        batches.fetch_add(1, Ordering::Relaxed);
    };
    let dry = ImportOptions { dry_run: true, ..ImportOptions::default() };
    portability::import(there, &ctx, file(&before).await, dry, &count).await.unwrap();
    let batches = batches.load(Ordering::Relaxed);
    let kinds = [
        "agent",
        "term",
        "alias",
        "decision",
        "proposal",
        "proposal_memory",
        "document",
        "chunk",
        "component",
        "memory",
        "version",
        "event",
    ];
    assert_eq!(batches, kinds.len(), "a batch of each type");
    let mut states = Vec::new();
    for written in 1..=batches {
        // The import dies with its nth batch: whether it waits for the database then does not matter.
        let told = AtomicUsize::new(0);
        let die = |_| assert!(told.fetch_add(1, Ordering::Relaxed) + 1 < batches + written, "killed");
        let import = portability::import(there, &ctx, file(&before).await, ImportOptions::default(), &die);
        assert!(AssertUnwindSafe(import).catch_unwind().await.is_err());
        let half = exported(there, &ctx, &Selection::All).await;
        states.push(["term", "document", "component", "memory"].map(|kind| of_type(&half, kind).len()));
    }
    states.dedup();
    assert!(states.len() >= 4, "it was killed before, between and after: {states:?}");
    import(there, &ctx, &before).await.unwrap();
    let after = exported(there, &ctx, &Selection::All).await;
    assert!(body(&after) == body(&before), "{}", difference(&before, &after));
    assert_eq!(import(there, &ctx, &before).await.unwrap().total().unchanged as usize, body(&before).len());
}

#[tokio::test]
async fn what_went_on_elsewhere_is_brought_forward_and_never_back() {
    let world = alone().await;
    let vault = add(&world, "secret store", &["vault"]).await;
    remember(&world, &world.atlas, fact("boiler", "The boiler is descaled in March")).await;
    remember(&world, &world.atlas, fact("blorp", "Nobody knows what this is")).await;
    settle(&world).await;
    ingest(&world, vec![("a.md".into(), b"# A\n\nThe kettle is red.\n".to_vec())], Extent::Whole).await;
    let early = exported(&world.engine, &world.system, &Selection::All).await;
    let there = World::on(TestDatabases::fresh(&FakeClock::default()).await).await;
    let ctx = newcomer(&there.engine).await;
    let (atlas, lookup) = {
        import(&there.engine, &ctx, &early).await.unwrap();
        work(&there).await;
        let (atlas, _) = key(&there.engine, &ctx, agent(&world.atlas), KeyScope::ALL).await;
        (atlas, |phrase: &str| LookupRequest { phrase: phrase.into() })
    };
    assert!(vocabulary::lookup(&there.engine, &atlas, lookup("vault")).await.unwrap().found);

    change(&world, vault, TermChange::Rename { term: "safe".into() }).await;
    change(&world, vault, TermChange::Unalias { alias: "vault".into() }).await;
    decide(&world, "blorp", Verdict::Reject { reason: "Nobody says that".into() }).await;
    decide(&world, "boiler", Verdict::Merge { term_id: vault }).await;
    ingest(&world, vec![("a.md".into(), b"# A\n\nThe kettle is blue.\n".to_vec())], Extent::Whole).await;
    work(&world).await;
    let late = exported(&world.engine, &world.system, &Selection::All).await;
    let report = import(&there.engine, &ctx, &late).await.unwrap();
    let updated = |kind: &str| (report.lines[kind].added, report.lines[kind].updated);
    assert_eq!((updated("term"), updated("alias")), ((1, 1), (2, 1)), "{report:?}");
    assert_eq!((updated("proposal"), updated("document"), updated("decision")), ((0, 2), (1, 1), (4, 0)), "{report:?}");
    // The importing server knows it at once.
    assert!(!vocabulary::lookup(&there.engine, &atlas, lookup("vault")).await.unwrap().found);
    assert_eq!(vocabulary::lookup(&there.engine, &atlas, lookup("boiler")).await.unwrap().term.unwrap().term, "safe");
    work(&there).await;
    assert!(body(&exported(&there.engine, &ctx, &Selection::All).await) == body(&late));
    let asked = KnowledgeRequest { query: "The kettle is red".into(), k: 5, kinds: vec![] };
    let found = knowledge::search(&there.engine, &atlas, asked).await.unwrap().hits;
    assert_eq!(found.iter().map(|hit| hit.content.as_str()).collect::<Vec<_>>(), ["The kettle is blue."]);

    let merged = vocabulary::decisions(&world.engine, &world.vera, None, None).await.unwrap().rows[0].id;
    vocabulary::undo(&world.engine, &world.vera, &[merged]).await.unwrap();
    work(&world).await;
    let latest = exported(&world.engine, &world.system, &Selection::All).await;
    import(&there.engine, &ctx, &latest).await.unwrap();
    let after = exported(&there.engine, &ctx, &Selection::All).await;
    assert!(body(&after) == body(&latest), "the proposal is open again: {}", difference(&latest, &after));
    for old in [&early, &late] {
        let report = import(&there.engine, &ctx, old).await.unwrap();
        assert_eq!(report.total().unchanged as usize, body(old).len(), "{report:?}");
    }
    assert!(body(&exported(&there.engine, &ctx, &Selection::All).await) == body(&latest), "an old file takes nothing back");
}

/// A write during an export is not in the file, for neither database.
#[tokio::test]
async fn an_export_is_one_moment_of_each_database() {
    let world = alone().await;
    decided_vocabulary(&world).await;
    settle(&world).await;
    let (writer, mut reader) = tokio::io::duplex(64);
    let (engine, system) = (world.engine.clone(), world.system.clone());
    let export = tokio::spawn(async move { portability::export(&engine, &system, &Selection::All, writer, &|_| {}).await });
    let mut text = vec![0; 16];
    reader.read_exact(&mut text).await.unwrap();
    add(&world, "latecomer", &[]).await;
    assert!(remember(&world, &world.atlas, fact("latecomer", "It came too late")).await.is_canonical);
    reader.read_to_end(&mut text).await.unwrap();
    export.await.unwrap().unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(!text.contains("latecomer") && text.contains("secret store"));
    // Every canonical topic has its term.
    let value = |line: &str| serde_json::from_str::<Value>(line).unwrap();
    let terms: Vec<Value> = of_type(&text, "term").into_iter().map(|line| value(line)["term"].clone()).collect();
    let memories: Vec<Value> = of_type(&text, "memory").into_iter().map(value).filter(|memory| memory["is_canonical"] == true).collect();
    assert!(memories.len() == 1 && memories.iter().all(|memory| terms.contains(&memory["topic"])), "{memories:?}");
}

#[tokio::test]
async fn lists_show_what_came_as_they_showed_it_before() {
    let world = alone().await;
    decided_vocabulary(&world).await;
    documents(&world).await;
    work(&world).await;
    let text = exported(&world.engine, &world.system, &only(&[Area::Vocabulary, Area::Knowledge])).await;
    let there = &elsewhere().await;
    let ctx = newcomer(there).await;
    import(there, &ctx, &text).await.unwrap();
    for retired in [None, Some(true)] {
        let filter = || TermFilter { retired, ..TermFilter::default() };
        let here = vocabulary::terms(&world.engine, &world.system, &filter()).await.unwrap().rows;
        let came = vocabulary::terms(there, &ctx, &filter()).await.unwrap().rows;
        assert!(!here.is_empty());
        let shown = |terms: Vec<wire::Term>| {
            terms.into_iter().map(|t| (t.id, t.term, t.definition, t.category, t.aliases, t.since, t.retired_at)).collect::<Vec<_>>()
        };
        assert_eq!(shown(came), shown(here));
        let filter = || DocumentFilter { retired, ..DocumentFilter::default() };
        let here = knowledge::documents(&world.engine, &world.system, &filter()).await.unwrap().rows;
        let came = knowledge::documents(there, &ctx, &filter()).await.unwrap().rows;
        let shown = |documents: Vec<wire::Document>| {
            documents
                .into_iter()
                .map(|d| (d.id, d.kind, d.reference, d.path, d.title, d.status, d.chunks, d.updated_at, d.retired_at))
                .collect::<Vec<_>>()
        };
        assert_eq!(shown(came), shown(here));
    }
}

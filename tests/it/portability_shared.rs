//! Vocabulary and knowledge in a file: who may import them, what is refused, and how they are merged with existing rows.

use crate::portability::{body, elsewhere, exported, import, newcomer, newcomer_elsewhere, of_type};
use crate::portability_refused::{open, place, refused, sealed};
use crate::portability_tenant::{add, change, decided_vocabulary, documents, ingest};
use crate::support::{Fetch, agent, alone, remember, settle, work};
use foundation::testing::{World, fact, key, rows_of};
use foundation::{Engine, OpContext, audit};
use portability::{ImportOptions, Selection};
use remembrancer::knowledge::Extent;
use remembrancer::vocabulary::{self, NewTerm};
use remembrancer::workers;
use serde_json::{Value, json};
use wire::{AuditFilter, KeyScope, LookupRequest, ProposalFilter, ProposalStatus, TermChange, Verdict};

/// A tenant with a decided vocabulary and documents, and its file.
async fn known() -> (World, String) {
    let world = alone().await;
    decided_vocabulary(&world).await;
    documents(&world).await;
    work(&world).await;
    let text = exported(&world.engine, &world.system, &Selection::All).await;
    (world, text)
}

/// The file with one line changed: the first of its type that a text is part of.
fn altered(text: &str, kind: &str, part: &str, change: impl Fn(&mut Value)) -> (String, usize) {
    let mut lines = open(text);
    let kind = format!("\"type\":\"{kind}\"");
    let at = lines.iter().position(|line| line.contains(&kind) && line.contains(part)).unwrap();
    let mut line: Value = serde_json::from_str(&lines[at]).unwrap();
    change(&mut line);
    lines[at] = line.to_string();
    (sealed(&lines), at + 1)
}

/// The file with one more line after the last of its type.
fn extended(text: &str, kind: &str, line: &Value) -> (String, usize) {
    let mut lines = open(text);
    let marker = format!("\"type\":\"{kind}\"");
    let at = lines.iter().rposition(|line| line.contains(&marker)).unwrap() + 1;
    lines.insert(at, line.to_string());
    (sealed(&lines), at + 1)
}

/// The fields of the first line of a type.
fn first(text: &str, kind: &str) -> Value {
    let lines = open(text);
    serde_json::from_str(&lines[place(&lines, kind)]).unwrap()
}

const NOWHERE: &str = "00000000-0000-7000-8000-00000000beef";

#[tokio::test]
async fn values_and_references_that_no_record_may_have_are_named() {
    let (_, text) = known().await;
    let (there, ctx) = newcomer_elsewhere().await;
    let long = |n: usize| Value::from("x".repeat(n));
    let cases: Vec<(&str, &str, Value, &str)> = vec![
        ("term", "term", long(257), "term has 257 characters; at most 256 are allowed"),
        ("term", "term", "-- _".into(), "term must have letters or digits"),
        ("term", "definition", long(2_001), "definition has 2001 characters; at most 2000"),
        ("term", "category", long(65), "category has 65 characters; at most 64"),
        ("term", "lineage", NOWHERE.into(), "refers to the term 00000000-0000-7000-8000-00000000beef, which is not in this file"),
        ("term", "mood", 1.into(), "mood is not a field"),
        ("alias", "alias", long(257), "alias has 257 characters"),
        ("alias", "term_id", NOWHERE.into(), "refers to the term"),
        ("decision", "subjects", json!([long(257)]), "subjects has 257 characters"),
        ("decision", "forms", vec!["x"; 10_001].into(), "forms has 10001 entries; at most 10000 are allowed"),
        ("decision", "reason", long(501), "reason has 501 characters"),
        ("decision", "actor_kind", "ghost".into(), "actor_kind must be one of agent, operator, system"),
        ("decision", "kind", "guess".into(), "kind "),
        ("decision", "opened_aliases", json!([NOWHERE]), "refers to the alias"),
        ("decision", "closed_terms", json!([NOWHERE]), "refers to the term"),
        ("decision", "undone_by", NOWHERE.into(), "undone_by names a decision that is not in this file"),
        ("proposal", "phrase", long(257), "phrase has 257 characters"),
        ("proposal", "count", (-1).into(), "count must be from 0"),
        ("proposal", "status", "maybe".into(), "status "),
        ("proposal", "decision_id", NOWHERE.into(), "refers to the decision"),
        ("proposal", "status", "open".into(), "decision_id is required if the proposal is decided, and only then"),
        ("proposal_memory", "proposal_id", NOWHERE.into(), "refers to the proposal"),
        ("proposal_memory", "agent", "nobody".into(), "agent names nobody"),
        ("document", "path", "../secrets.md".into(), "path has a segment"),
        ("document", "title", long(257), "title has 257 characters"),
        ("document", "collection", long(65), "collection has 65 characters"),
        ("document", "status", long(65), "status has 65 characters"),
        ("document", "reference", long(513), "reference has 513 characters"),
        ("document", "front_matter", json!([1]), "front_matter must be an object"),
        ("document", "front_matter", json!({ "a": "x".repeat(5 * 1024 * 1024) }), "front_matter has 5242888 bytes"),
        ("document", "content_hash", "abc".into(), "content_hash must be a SHA-256"),
        ("document", "kind", "novel".into(), "kind "),
        ("chunk", "document_id", NOWHERE.into(), "refers to the document"),
        ("chunk", "content", long(16 * 1024 + 1), "content has 16385 bytes"),
        ("chunk", "heading_path", vec!["x"; 17].into(), "heading_path has more than 16 headings"),
        ("chunk", "heading_path", json!([long(257)]), "heading_path has 257 characters"),
        ("chunk", "end_byte", (-1).into(), "end_byte must be from start_byte"),
        ("chunk", "ordinal", (-1).into(), "ordinal must not be negative"),
        ("component", "document_id", NOWHERE.into(), "refers to the document"),
        ("component", "name", long(257), "name has 257 characters"),
        ("component", "depends_on", vec!["x"; 10_001].into(), "depends_on has 10001 entries"),
    ];
    for (kind, field, value, why) in cases {
        // For proposals, a decided one.
        let part = if kind == "proposal" { "decision_id" } else { "" };
        let (changed, line) = altered(&text, kind, part, |line| line[field] = value.clone());
        refused(&there, &ctx, &changed, &format!("line {line} {why}")).await;
    }
    for kind in ["term", "alias", "decision", "proposal", "document", "chunk", "component"] {
        let line = first(&text, kind);
        let (twice, at) = extended(&text, kind, &line);
        refused(&there, &ctx, &twice, &format!("line {at} repeats the {kind} of an earlier line")).await;
    }
    let old = text.replacen("\"schema\":6", "\"schema\":1", 1);
    let at = place(&open(&old), "term") + 1;
    refused(&there, &ctx, &sealed(&open(&old)), &format!("line {at} is of the type term, which a file of schema 1 cannot have")).await;
    assert_eq!(import(&there, &ctx, &text).await.unwrap().total().added as usize, body(&text).len(), "as it was it is taken");
}

#[tokio::test]
async fn a_file_that_contradicts_itself_is_refused() {
    let (_, text) = known().await;
    let (there, ctx) = newcomer_elsewhere().await;
    let now = "2026-11-22T05:00:00Z";
    let fresh = || there.clock().id().to_string();
    let term = |id: &str, lineage: &str, term: &str| json!({ "type": "term", "id": id, "lineage": lineage, "term": term, "definition": "", "created_at": now, "valid_from": now });
    let store: Value =
        serde_json::from_str(of_type(&text, "term").into_iter().find(|line| line.contains("\"secret store\"")).unwrap()).unwrap();
    let id = fresh();
    let (twin, line) = extended(&text, "term", &term(&id, &id, "Secret_Store"));
    refused(&there, &ctx, &twin, &format!("line {line} has the phrase “Secret_Store”, which already stands for “secret store”")).await;
    let (twin, line) = extended(&text, "term", &term(&fresh(), store["lineage"].as_str().unwrap(), "strongroom"));
    refused(&there, &ctx, &twin, &format!("line {line} is in force, but another name of the same term is in force, too")).await;
    let alias = json!({ "type": "alias", "id": fresh(), "term_id": store["lineage"], "alias": "Infra structure", "valid_from": now });
    let ending = |mut alias: Value| {
        alias["alias"] = "infrastructure".into();
        alias
    };
    let (taken, line) = extended(&text, "alias", &ending(alias.clone()));
    refused(&there, &ctx, &taken, &format!("line {line} has the phrase “infrastructure”, which already stands for “infrastructure”")).await;
    let gone: Value = serde_json::from_str(of_type(&text, "term").into_iter().find(|line| line.contains("\"fax\"")).unwrap()).unwrap();
    let mut homeless = alias;
    homeless["term_id"] = gone["lineage"].clone();
    let (homeless, line) = extended(&text, "alias", &homeless);
    refused(&there, &ctx, &homeless, &format!("line {line} would leave an alias in force although its term is not in force")).await;
    let mut waiting: Value =
        serde_json::from_str(of_type(&text, "proposal").into_iter().find(|line| line.contains("\"open\"")).unwrap()).unwrap();
    waiting["id"] = fresh().into();
    let (twice, line) = extended(&text, "proposal", &waiting);
    refused(&there, &ctx, &twice, &format!("line {line} phrase repeats an open proposal of an earlier line")).await;
    let mut document: Value =
        serde_json::from_str(of_type(&text, "document").into_iter().find(|line| line.contains("\"draft.md\"")).unwrap()).unwrap();
    document["id"] = fresh().into();
    document["content_hash"] = "0f".repeat(32).into();
    let (twice, line) = extended(&text, "document", &document);
    refused(&there, &ctx, &twice, &format!("line {line} is acme/draft.md, but another text is in force at this path")).await;
}

#[tokio::test]
async fn what_contradicts_what_is_there_is_refused() {
    let (world, text) = known().await;
    let there = elsewhere().await;
    // Another term has the name, and another the alias; another text is at the path.
    for (name, aliases, phrase, owner) in [
        ("Secret Store", &[][..], "secret store", "Secret Store"),
        ("strongroom", &["VAULT"], "vault", "strongroom"),
        ("safe", &[], "safe", "safe"),
    ] {
        let ctx = newcomer(&there).await;
        vocabulary::add(&there, &ctx, NewTerm { term: name, aliases, ..NewTerm::default() }).await.unwrap();
        refused(&there, &ctx, &text, &format!("has the phrase “{phrase}”, which already stands for “{owner}”")).await;
    }
    let ctx = newcomer(&there).await;
    let other = World { system: ctx.clone(), engine: there.clone(), ..World::new().await };
    ingest(&other, vec![("draft.md".into(), b"# Another draft\n\nText.\n".to_vec())], Extent::Whole).await;
    refused(&there, &ctx, &text, "is acme/draft.md, but another text is in force at this path").await;

    // Records that changed differently here.
    let ctx = newcomer(&there).await;
    import(&there, &ctx, &text).await.unwrap();
    let past = "conflicts with the history on this server";
    for (kind, part, field, value) in [
        ("term", "", "definition", json!("Something else")),
        ("alias", "", "alias", json!("something else")),
        ("decision", "", "actor_name", json!("Mallory")),
        ("proposal", "", "phrase", json!("something else")),
        ("proposal_memory", "", "memory_id", json!(NOWHERE)),
        ("document", "", "content_hash", json!("0f".repeat(32))),
        ("chunk", "", "content", json!("Something else")),
    ] {
        let (changed, line) = altered(&text, kind, part, |line| line[field] = value.clone());
        refused(&there, &ctx, &changed, &format!("line {line} {past}")).await;
    }
    // A term that was retired here and has one more alias there.
    let store: Value =
        serde_json::from_str(of_type(&text, "term").into_iter().find(|line| line.contains("\"secret store\"")).unwrap()).unwrap();
    let lineage: wire::TermId = store["lineage"].as_str().unwrap().parse().unwrap();
    vocabulary::change(&there, &ctx, lineage, &TermChange::Retire { reason: "Gone".into() }).await.unwrap();
    change(&world, lineage, TermChange::Alias { alias: "strongroom".into() }).await;
    let later = exported(&world.engine, &world.system, &Selection::All).await;
    refused(&there, &ctx, &later, "would leave an alias in force although its term is not in force").await;
}

#[tokio::test]
async fn only_an_admin_imports_what_is_shared() {
    let (world, text) = known().await;
    let (there, ctx) = newcomer_elsewhere().await;
    import(&there, &ctx, &text).await.unwrap();
    let (atlas, _) = key(&there, &ctx, agent(&world.atlas), KeyScope::ALL).await;
    let rows = rows_of(&there, ctx.tenant_id).await;
    let lines = open(&text);
    for (kind, area) in [("term", "vocabulary"), ("proposal_memory", "vocabulary"), ("document", "knowledge"), ("component", "knowledge")] {
        let file = sealed(&[lines[0].clone(), lines[place(&lines, kind)].clone()]);
        let why = format!("line 2 is a {kind} of the shared {area}: only an admin can import it, for the whole tenant");
        refused(&there, &atlas, &file, &why).await;
        // The same holds for an admin who imports one agent's memory.
        let options = ImportOptions { agent: Some(agent(&world.atlas)), dry_run: false };
        let error = portability::import(&there, &ctx, crate::portability::file(&file).await, options, &|_| {}).await.unwrap_err();
        assert_eq!(error.to_string(), why);
    }
    assert_eq!(rows_of(&there, ctx.tenant_id).await, rows);
}

/// The kinds of rows that record their importer, each with the recorded names.
async fn importers(engine: &Engine, ctx: &OpContext) -> Vec<(String, Option<String>)> {
    sqlx::query_as(
        r"select distinct 'term', imported_by from canonical_terms where tenant_id = $1
          union select 'alias', imported_by from term_aliases where tenant_id = $1
          union select 'decision', imported_by from decisions where tenant_id = $1
          union select 'proposal', imported_by from term_proposals where tenant_id = $1
          union select 'document', imported_by from documents where tenant_id = $1 order by 1, 2",
    )
    .bind(ctx.tenant_id)
    .all(&engine.urls().shared_kb)
    .await
}

#[tokio::test]
async fn what_was_imported_keeps_its_author_and_says_who_imported_it() {
    let (world, text) = known().await;
    let there = alone().await;
    let ctx = newcomer(&there.engine).await;
    import(&there.engine, &ctx, &text).await.unwrap();
    let kinds = ["alias", "decision", "document", "proposal", "term"];
    assert_eq!(importers(&there.engine, &ctx).await, kinds.map(|kind| (kind.to_owned(), Some("system".to_owned()))));
    assert_eq!(importers(&world.engine, &world.system).await, kinds.map(|kind| (kind.to_owned(), None)));
    let decisions = vocabulary::decisions(&there.engine, &ctx, None, None).await.unwrap().rows;
    assert!(decisions.iter().any(|decision| decision.by == "Vera") && decisions.iter().all(|decision| decision.version == 0));
    while workers::drain(&there.engine).await.unwrap() > 0 {}
    let asked = AuditFilter { action: Some("memory.imported".into()), ..AuditFilter::default() };
    let row = audit::browse(&there.engine, &ctx, &asked).await.unwrap().rows.remove(0);
    for kind in ["term", "alias", "decision", "proposal", "proposal_memory", "document", "chunk", "component"] {
        assert_eq!(row.changes[kind]["added"], of_type(&text, kind).len(), "{kind}");
    }
    assert!(row.message.contains("new names of terms"), "{}", row.message);
    // A file without vocabulary does not change the version.
    let version = |engine: Engine, ctx: OpContext| async move {
        sqlx::query_scalar::<_, i64>("select version from vocabularies where tenant_id = $1")
            .bind(ctx.tenant_id)
            .one(&engine.urls().shared_kb)
            .await
    };
    assert_eq!(version(there.engine.clone(), ctx.clone()).await, 1);
    import(&there.engine, &ctx, &text).await.unwrap();
    assert_eq!(version(there.engine.clone(), ctx.clone()).await, 1, "nothing was new");
}

#[tokio::test]
async fn memories_keep_their_topics_and_nothing_is_refiled() {
    let world = alone().await;
    add(&world, "secret store", &["vault"]).await;
    remember(&world, &world.atlas, fact("vault", "Tokens rotate on Mondays")).await;
    let text = exported(&world.engine, &world.system, &Selection::All).await;
    let there = alone().await;
    // A memory that was here before, under a phrase that the file gives a meaning; and one of the file, under a term that its phrase no
    // longer means.
    let mine = remember(&there, &there.binky, fact("vault", "The vault is in the cellar")).await.memory_id;
    work(&there).await;
    let text = text.replace("\"slug\":\"atlas\"", "\"slug\":\"bertie\"").replace("\"agent\":\"atlas\"", "\"agent\":\"bertie\"");
    let text = text.replace("\"created_by\":\"atlas\"", "\"created_by\":\"bertie\"");
    let mut lines: Vec<String> = open(&text);
    lines.retain(|line| !line.contains("\"slug\":\"binky\""));
    let at = place(&lines, "memory");
    lines[at] = lines[at].replace("\"topic\":\"secret store\"", "\"topic\":\"treasury\"");
    let versions = lines.iter().position(|line| line.contains("\"type\":\"version\"")).unwrap();
    lines[versions] = lines[versions].replace("\"topic\":\"secret store\"", "\"topic\":\"treasury\"");
    import(&there.engine, &there.system, &sealed(&lines)).await.unwrap();
    work(&there).await;
    there.clock.advance(chrono::Duration::minutes(5));
    work(&there).await;
    let topics: Vec<(String, i32)> = sqlx::query_as("select topic, version from agent_memories where tenant_id = $1 order by topic")
        .bind(there.system.tenant_id)
        .all(&there.engine)
        .await;
    assert_eq!(topics, [("treasury".to_owned(), 1), ("vault".to_owned(), 1)]);
    // The next decision on the phrase refiles both.
    let state = vocabulary::terms(&there.engine, &there.system, &Default::default()).await.unwrap().rows;
    vocabulary::change(&there.engine, &there.system, state[0].id, &TermChange::Rename { term: "safe".into() }).await.unwrap();
    work(&there).await;
    let topics: Vec<String> = sqlx::query_scalar("select topic from agent_memories where tenant_id = $1 order by topic")
        .bind(there.system.tenant_id)
        .all(&there.engine)
        .await;
    assert_eq!(topics, ["safe", "safe"]);
    let _ = mine;
}

#[tokio::test]
async fn a_proposal_that_waits_on_both_sides_is_one() {
    let world = alone().await;
    for content in ["The boiler is descaled in March", "The boiler hums"] {
        remember(&world, &world.atlas, fact("boiler", content)).await;
    }
    remember(&world, &world.atlas, fact("vault", "Tokens rotate on Mondays")).await;
    settle(&world).await;
    add(&world, "vault", &[]).await;
    let text = exported(&world.engine, &world.system, &Selection::All).await;
    let there = alone().await;
    let text = text.replace("\"slug\":\"atlas\"", "\"slug\":\"bertie\"").replace("\"agent\":\"atlas\"", "\"agent\":\"bertie\"");
    let text = text.replace("\"created_by\":\"atlas\"", "\"created_by\":\"bertie\"");
    let mut lines = open(&text);
    lines.retain(|line| !line.contains("\"slug\":\"binky\""));
    let text = sealed(&lines);
    remember(&there, &there.atlas, fact("Boiler", "Ours is new")).await;
    remember(&there, &there.atlas, fact("vault", "Ours has no vault")).await;
    settle(&there).await;
    for _ in 0..2 {
        import(&there.engine, &there.system, &text).await.unwrap();
        let shown = |status: ProposalStatus| {
            let (engine, ctx) = (there.engine.clone(), there.system.clone());
            async move {
                let filter = ProposalFilter { status: Some(status), ..ProposalFilter::default() };
                let rows = vocabulary::proposals(&engine, &ctx, &filter).await.unwrap().rows;
                rows.into_iter().map(|p| (p.phrase, p.count, p.agents.join(" "))).collect::<Vec<_>>()
            }
        };
        assert_eq!(shown(ProposalStatus::Open).await, [("Boiler".to_owned(), 3, "atlas bertie".to_owned())]);
        // A phrase that a decision of the file made known waits no longer.
        let settled = shown(ProposalStatus::Approved).await;
        assert_eq!(settled.len(), 2, "{settled:?}");
    }
    let filter = ProposalFilter::default();
    let waiting = vocabulary::proposals(&there.engine, &there.system, &filter).await.unwrap().rows;
    let verdict = Verdict::Approve { term: None, definition: String::new(), category: None };
    vocabulary::decide(&there.engine, &there.vera, &[waiting[0].id], &verdict).await.unwrap();
    assert!(vocabulary::lookup(&there.engine, &there.atlas, LookupRequest { phrase: "boiler".into() }).await.unwrap().found);
    // Once decided here, it does not wait again.
    import(&there.engine, &there.system, &text).await.unwrap();
    assert_eq!(vocabulary::proposals(&there.engine, &there.system, &filter).await.unwrap().total, 0);
}

#[tokio::test]
async fn a_text_that_both_sides_have_stays_as_it_is_here() {
    let world = alone().await;
    let same = || vec![("a.md".to_owned(), b"# A\n\nThe kettle is red.\n".to_vec())];
    ingest(&world, same(), Extent::Whole).await;
    work(&world).await;
    let text = exported(&world.engine, &world.system, &Selection::All).await;
    let there = alone().await;
    ingest(&there, same(), Extent::Whole).await;
    work(&there).await;
    let before = exported(&there.engine, &there.system, &Selection::Only([wire::Area::Knowledge].into())).await;
    let mut lines = open(&text);
    lines.retain(|line| !line.contains("\"type\":\"agent\""));
    let report = import(&there.engine, &there.system, &sealed(&lines)).await.unwrap();
    assert_eq!(report.total().unchanged, 2, "{report:?}");
    assert_eq!(body(&exported(&there.engine, &there.system, &Selection::Only([wire::Area::Knowledge].into())).await), body(&before));
}

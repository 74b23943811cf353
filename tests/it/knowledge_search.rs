//! Knowledge among thousands of chunks: by words and by meaning, in one order.

use crate::support::{Run, alone, ingestion, remember, work};
use chrono::Duration;
use foundation::testing::{World, fact, question};
use remembrancer::knowledge::{self, Extent, Ingestion};
use remembrancer::recall;
use uuid::Uuid;
use wire::{
    DocumentFilter, DocumentId, DocumentKind, IngestReport, KnowledgeHit, KnowledgeRequest, MatchedBy, MemoryKind, Ranking, RecallFilters,
    RecallRequest,
};

const RANKINGS: [Ranking; 3] = [Ranking::Decay, Ranking::Hybrid, Ranking::HybridDecay];

async fn ingest(world: &World, collection: &str, files: &[(&str, String)]) -> IngestReport {
    let files = files.iter().map(|(path, content)| ((*path).to_owned(), content.as_bytes().to_vec())).collect();
    let ingestion = Ingestion { extent: Extent::Part { gone: vec![] }, ..ingestion(collection, files) };
    let report = knowledge::ingest(&world.engine, &world.system, ingestion, &|_, _| {}).await.unwrap();
    assert_eq!(report.failures, []);
    report
}

/// A manual of many sections, each a chunk.
fn manual(sections: usize, section: impl Fn(usize) -> String) -> String {
    (0..sections).map(|n| format!("## Part {n}\n\n{}\n\n", section(n))).collect()
}

async fn search(world: &World, query: &str, kinds: &[DocumentKind]) -> Vec<KnowledgeHit> {
    let request = KnowledgeRequest { query: query.into(), k: 5, kinds: kinds.to_vec() };
    knowledge::search(&world.engine, &world.atlas, request).await.unwrap().hits
}

async fn recalled(world: &World, query: &str, ranking: Ranking) -> Vec<KnowledgeHit> {
    let request = RecallRequest { ranking: Some(ranking), ..question(query) };
    recall::recall(&world.engine, &world.atlas, request).await.unwrap().knowledge().into_iter().cloned().collect()
}

/// The answers of the search in knowledge and of a recall under each ranking.
async fn everywhere(world: &World, query: &str) -> Vec<(String, Vec<KnowledgeHit>)> {
    let mut answers = vec![("search".to_owned(), search(world, query, &[]).await)];
    for ranking in RANKINGS {
        answers.push((ranking.to_string(), recalled(world, query, ranking).await));
    }
    answers
}

fn citations(hits: &[KnowledgeHit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.citation.as_str()).collect()
}

async fn only_document(world: &World, path: &str) -> DocumentId {
    let filter = DocumentFilter { q: Some(path.into()), ..DocumentFilter::default() };
    knowledge::documents(&world.engine, &world.vera, &filter).await.unwrap().rows.remove(0).id
}

#[tokio::test]
async fn an_identifier_in_one_chunk_among_thousands_is_found() {
    let world = alone().await;
    let filler = |n: usize| format!("When callers wait for a database connection, what happens is decided by pool number {n}.");
    // Long, about something else, and of one kind: so its cosine is poor.
    let aside = "Every quarter the owners of the reports compare figures, print tables and archive letters. ".repeat(9);
    let wanted = |name: &str| format!("# Appendix {name}\n\n{aside}\n\nOnly here is {name} mentioned.\n");
    let (pool, code) = (wanted("RMB_POOL_MAX"), wanted("E1042"));
    let adr = format!("# Print on paper\n\n{aside}");
    let files = [("manual.md", manual(3_000, filler)), ("pool.md", pool), ("code.md", code), ("docs/adr/ADR-417-paper.md", adr)];
    ingest(&world, "acme", &files).await;
    work(&world).await;
    for (query, path) in [
        ("What happens when callers wait for a database connection and RMB_POOL_MAX is reached?", "pool.md"),
        ("rmb_pool_max", "pool.md"),
        ("callers wait for a database connection, and then error E1042 happens: what decides that?", "code.md"),
        ("does ADR-417 decide what happens when callers wait for a database connection?", "docs/adr/ADR-417-paper.md"),
    ] {
        for (how, hits) in everywhere(&world, query).await {
            let first = hits.first().unwrap_or_else(|| panic!("{how} finds nothing for {query}"));
            assert_eq!(first.path, path, "{how}: {query}");
            assert!(first.matched_by == MatchedBy::Lexical || query == "rmb_pool_max", "{how}: {query}: {}", first.explanation);
        }
    }
    // Without the identifier, the same words find the manual.
    let plain = search(&world, "What happens when callers wait for a database connection?", &[]).await;
    let of_manual = |hit: &KnowledgeHit| hit.path == "manual.md" && hit.matched_by == MatchedBy::Both;
    assert!(plain.len() == 5 && plain.iter().all(of_manual), "{:?}", citations(&plain));
}

#[tokio::test]
async fn what_waits_for_its_vector_does_not_outrank_what_is_better() {
    let world = alone().await;
    let filler = |n: usize| format!("Report {n} is printed by the graph room, stored in a cabinet, and chosen by nobody.");
    let decision =
        "# Store the service graph in Postgres\n\nWe chose Postgres as the database of the service graph, because one store is enough.";
    ingest(&world, "acme", &[("manual.md", manual(2_000, filler)), ("docs/adr/ADR-007-graph.md", decision.into())]).await;
    work(&world).await;
    let contents = "# Contents\n\n- Which database: Postgres, service chosen for the graph store\n- People\n- Places\n- Letters\n- Figures\n\
        - Holidays\n- Lunch\n- Travel\n- Keys\n- Doors\n- Bicycles\n- Plants\n- Printers\n";
    ingest(&world, "acme", &[("contents.md", contents.into())]).await;
    let query = "which database was chosen as the store of the service graph, Postgres?";
    for (how, hits) in everywhere(&world, query).await {
        assert_eq!(hits[0].adr_id.as_deref(), Some("ADR-007"), "{how}: {:?}", citations(&hits));
        assert_eq!(hits[0].matched_by, MatchedBy::Both, "{how}");
        let table = hits.iter().find(|hit| hit.path == "contents.md").unwrap_or_else(|| panic!("{how} does not find the contents"));
        assert!(table.matched_by == MatchedBy::Lexical && table.similarity > 0.6 && table.score < hits[0].score, "{how}: {table:?}");
    }
    // A new memory with the same text is beside it, and all scores have one scale.
    remember(&world, &world.atlas, fact("Store the service graph in Postgres", decision.split("\n\n").last().unwrap())).await;
    for ranking in RANKINGS {
        let request = RecallRequest { ranking: Some(ranking), ..question(query) };
        let answer = recall::recall(&world.engine, &world.atlas, request).await.unwrap();
        let (memory, chunk) = (answer.memories()[0].score, answer.knowledge()[0].score);
        assert!((memory - chunk).abs() < 0.2 * chunk, "{ranking}: {memory} and {chunk}");
    }
}

#[tokio::test]
async fn kinds_narrow_both_sides_before_the_best_are_taken() {
    let world = alone().await;
    // The fillers are better by words and by meaning than either specification.
    let filler = |_: usize| "Kettle, what was it before it was what it is not: kettle.".to_owned();
    let by_words = "# Boilers\n\nEach boiler, pipe, valve, gauge, burner, pump and tank has a sign, and so has one kettle.";
    let files = [
        ("manual.md", manual(2_000, filler)),
        ("docs/specs/approved/SPEC-001-boilers.md", by_words.into()),
        ("docs/specs/approved/SPEC-002-rust.md", "# Rust\n\nWhat was it before it was what it is not".into()),
    ];
    ingest(&world, "acme", &files).await;
    work(&world).await;
    let query = "kettle: what was it before it was what it is not?";
    let all = search(&world, query, &[]).await;
    assert!(all.len() == 5 && all.iter().all(|hit| hit.path == "manual.md"), "{:?}", citations(&all));
    let specs = search(&world, query, &[DocumentKind::Spec]).await;
    let found = |reference: &str| specs.iter().find(|hit| hit.spec_id.as_deref() == Some(reference)).map(|hit| hit.matched_by);
    assert_eq!(specs.len(), 2, "{:?}", citations(&specs));
    assert_eq!((found("SPEC-001"), found("SPEC-002")), (Some(MatchedBy::Lexical), Some(MatchedBy::Vector)));
}

#[tokio::test]
async fn the_project_worked_on_leaves_knowledge_in_the_answer() {
    let world = alone().await;
    ingest(&world, "acme", &[("ferries.md", "# Ferries\n\nThe ferry leaves the harbour on Sunday.".to_owned())]).await;
    work(&world).await;
    let id = Some(Uuid::from_u128(7));
    let none = RecallFilters::default;
    for (name, filters, expected) in [
        ("no filter", none(), 1),
        ("for_project", RecallFilters { for_project: id, ..none() }, 1),
        ("for_repo", RecallFilters { for_repo: id, ..none() }, 1),
        ("project_id", RecallFilters { project_id: id, ..none() }, 0),
        ("kinds", RecallFilters { kinds: vec![MemoryKind::Profile], ..none() }, 0),
    ] {
        for ranking in RANKINGS {
            let request = RecallRequest { ranking: Some(ranking), filters: filters.clone(), ..question("When does the ferry leave?") };
            let answer = recall::recall(&world.engine, &world.atlas, request).await.unwrap();
            assert_eq!(answer.knowledge().len(), expected, "{name}, {ranking}");
        }
    }
}

#[tokio::test]
async fn a_reference_that_two_collections_have_is_cited_with_its_collection() {
    let world = alone().await;
    let adr = |subject: &str| format!("# {subject}\n\nText.\n\n## Consequences\n\nThe {subject} is decided on by Vera.\n");
    ingest(&world, "payments", &[("docs/adr/ADR-001-ledger.md", adr("ledger")), ("docs/adr/ADR-002-refunds.md", adr("refunds"))]).await;
    work(&world).await;
    let cited = |subject: &'static str| {
        let world = &world;
        async move { search(world, &format!("The {subject} is decided on by Vera"), &[]).await.remove(0) }
    };
    assert_eq!(cited("ledger").await.citation, "ADR-001, Consequences");
    world.clock.advance(Duration::seconds(1));
    let alone = world.engine.clock().now();
    world.clock.advance(Duration::seconds(1));
    ingest(&world, "search", &[("docs/adr/ADR-001-crawler.md", adr("crawler"))]).await;
    work(&world).await;
    let (ledger, crawler) = (cited("ledger").await, cited("crawler").await);
    assert_eq!(
        (ledger.citation.as_str(), crawler.citation.as_str()),
        ("ADR-001 (payments), Consequences", "ADR-001 (search), Consequences")
    );
    assert_eq!(ledger.attribution, "Per ADR-001 (payments):");
    assert_eq!((ledger.adr_id.as_deref(), crawler.adr_id.as_deref()), (Some("ADR-001"), Some("ADR-001")));
    assert_eq!(cited("refunds").await.citation, "ADR-002, Consequences");
    let then = RecallRequest { as_of: Some(alone), ..question("The ledger is decided on by Vera") };
    let then = recall::recall(&world.engine, &world.atlas, then).await.unwrap();
    assert_eq!(then.knowledge()[0].citation, "ADR-001, Consequences", "there was no other then");
    // Another one in the same collection would be cited in the same way, and a retired one is not cited at all.
    ingest(&world, "payments", &[("docs/adr/old/ADR-002-fees.md", adr("fees"))]).await;
    assert_eq!(cited("refunds").await.citation, "ADR-002, Consequences");
    crate::support::ingest(&world, "search", vec![]).await;
    assert_eq!(cited("ledger").await.citation, "ADR-001, Consequences");
}

#[tokio::test]
async fn chunks_are_as_long_as_the_model_reads() {
    let world = alone().await;
    // The fake reads 256 words, and this text has many words in few characters.
    let dense: String = (0..900).map(|n| format!("{} ", char::from(b'a' + u8::try_from(n % 26).unwrap()))).collect();
    ingest(&world, "acme", &[("letters.md", format!("# Letters\n\n{dense}\n\n{dense}the flamingo stands on one leg."))]).await;
    work(&world).await;
    let document = only_document(&world, "letters.md").await;
    let tokens = world.engine.tokens();
    let detail = knowledge::document(&world.engine, &world.vera, document).await.unwrap();
    let longest = detail.chunks.iter().map(|chunk| tokens.count(&format!("Letters\n{}", chunk.content))).max().unwrap();
    assert!((200..=256).contains(&longest), "{longest}");
    let hits = search(&world, "flamingo stands on one leg", &[]).await;
    assert!(hits[0].content.ends_with("one leg."), "{:?}", hits[0]);
}

#[tokio::test]
async fn a_document_that_was_divided_otherwise_is_divided_again() {
    let world = alone().await;
    let files = [("a.md", "# A\n\nalpha".to_owned()), ("b.md", "# B\n\nbeta".to_owned())];
    assert_eq!(ingest(&world, "acme", &files).await.added, 2);
    let older = "update documents set chunking = '1 all-MiniLM-L6-v2' where tenant_id = $1 and path = 'a.md'";
    sqlx::query(older).bind(world.system.tenant_id).run(&world.engine.urls().shared_kb).await;
    let before = only_document(&world, "a.md").await;
    let again = ingest(&world, "acme", &files).await;
    assert_eq!((again.reindexed, again.changed, again.unchanged), (1, 0, 1));
    assert_ne!(only_document(&world, "a.md").await, before, "what was cited stays as it was");
    let third = ingest(&world, "acme", &files).await;
    assert_eq!((third.reindexed, third.unchanged), (0, 2));
}

#[tokio::test]
async fn the_words_of_retired_knowledge_are_counted_within_bounds() {
    let world = alone().await;
    ingest(&world, "acme", &[("a.md", "# A\n\nThe vault has one door.".to_owned())]).await;
    world.clock.advance(Duration::seconds(1));
    let then = world.engine.clock().now();
    world.clock.advance(Duration::seconds(1));
    ingest(&world, "acme", &[("a.md", "# A\n\nThe vault has two doors.".to_owned())]).await;
    let ask = || async {
        recall::recall(&world.engine, &world.atlas, RecallRequest { as_of: Some(then), ..question("vault door") }).await.unwrap()
    };
    let answer = ask().await;
    assert_eq!((answer.knowledge()[0].content.as_str(), answer.degraded.len()), ("The vault has one door.", 0));
    let many = "insert into chunks (tenant_id, id, document_id, ordinal, heading_path, start_byte, end_byte, content, awaiting_vector) \
                select c.tenant_id, gen_random_uuid(), c.document_id, n, c.heading_path, 0, 0, c.content, false \
                  from chunks c cross join generate_series(1, 20000) n where c.tenant_id = $1 and c.content like '%one door%'";
    sqlx::query(many).bind(world.system.tenant_id).run(&world.engine.urls().shared_kb).await;
    let answer = ask().await;
    assert_eq!((answer.knowledge().len(), answer.degraded), (0, vec!["knowledge".to_owned()]));
    // Today's search reads no retired chunk.
    assert!(!matches!(search(&world, "vault door", &[]).await.as_slice(), []));
}

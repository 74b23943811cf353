//! `search_my_memories`: four sources as one ranked list, each with a deadline of its own.

use crate::activity::{flood, record, step};
use crate::outage::Wire;
use crate::support::{Fetch, agent, alone_with, ask, memory_owner, owner, patient, remember, waiting_for_locks};
use db::DatabaseUrls;
use foundation::testing::{Fake, TestDatabases, World, fact};
use foundation::{Error, OpContext, Settings, identity};
use remembrancer::knowledge::{self, Extent, Ingestion};
use remembrancer::{recall, search, tools, workers};
use serde_json::json;
use sqlx::{AssertSqlSafe, Connection};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use wire::{
    DecisionPoint, MemoryKind, RememberRequest, Retention, SearchMyMemoriesRequest, SearchMyMemoriesResponse, SearchPolicy, SearchSource,
    SourceHit, SourceState, Trust, Weights,
};

async fn look(world: &World, ctx: &OpContext, request: SearchMyMemoriesRequest) -> SearchMyMemoriesResponse {
    search::search_my_memories(&world.engine, ctx, request).await.unwrap()
}

async fn hits(world: &World, ctx: &OpContext, query: &str) -> Vec<SourceHit> {
    look(world, ctx, SearchMyMemoriesRequest { k: Some(50), ..SearchMyMemoriesRequest::new(query) }).await.hits
}

fn state(answer: &SearchMyMemoriesResponse, source: SearchSource) -> SourceState {
    answer.sources.iter().find(|report| report.source == source).unwrap().state
}

async fn ingest(world: &World, collection: &str, path: &str, text: &str) {
    let files = vec![(path.to_owned(), text.as_bytes().to_vec())];
    let extent = Extent::Part { gone: vec![] };
    let ingestion = Ingestion { collection: collection.into(), files, extent, revision: None, dry_run: false, failures: vec![] };
    assert_eq!(knowledge::ingest(&world.engine, &world.system, ingestion, &|_, _| {}).await.unwrap().added, 1);
}

/// Something about the kestrel in each source, among thousands of other reports.
async fn fill(world: &World) {
    flood(world, &world.binky, 800).await;
    remember(world, &world.atlas, fact("kestrel", "The kestrel eats at noon")).await;
    remember(world, &world.binky, fact("kestrel", "The kestrel of binky eats at dusk")).await;
    let decision =
        json!({ "action": "kestrel.feed", "message": "Decided to feed the kestrel mice", "kind": "decision", "outcome": "it ate" });
    record(world, &world.binky, decision).await;
    step(world, &world.binky, "aviary", "feeding", "The kestrel got two mice").await;
    ingest(world, "handbook", "kestrel.md", "# The kestrel\n\nA kestrel eats small animals.\n").await;
}

#[tokio::test]
async fn four_sources_are_one_list_with_the_exact_score_of_each_hit() {
    let world = World::new().await;
    fill(&world).await;
    let then = world.atlas.clone();
    world.clock.advance(chrono::Duration::days(90));
    remember(&world, &then, fact("kestrel name", "The kestrel is called Kes")).await;
    let (stop, engine) = (CancellationToken::new(), world.engine.clone());
    let log = tokio::spawn(workers::write_log(engine, stop.clone()));

    let answer = look(&world, &world.atlas, SearchMyMemoriesRequest { k: Some(50), ..SearchMyMemoriesRequest::new("kestrel") }).await;
    assert_eq!(answer.degraded, [] as [&str; 0]);
    assert_eq!(answer.sources.iter().map(|report| report.state).collect::<Vec<_>>(), [SourceState::Answered; 4]);
    assert_eq!(answer.hits.len(), 5, "not binky's memory: {:#?}", answer.hits);
    assert!(answer.hits.windows(2).all(|pair| pair[0].score >= pair[1].score));
    let of = |source| answer.hits.iter().filter(|hit| hit.source == source).collect::<Vec<_>>();
    for (source, priority, importance, recency) in [
        (SearchSource::Audit, 0.8, 0.8, (-1.0_f64).exp()),
        (SearchSource::Workflow, 0.6, 0.5, (-1.0_f64).exp()),
        (SearchSource::Knowledge, 0.5, 0.5, 1.0),
    ] {
        let [hit] = of(source)[..] else { panic!("one hit of {source}") };
        assert_eq!(hit.source_priority, priority, "{source}");
        assert!((hit.importance - importance).abs() < 1e-6 && (hit.recency - recency).abs() < 1e-5, "{hit:?}");
    }
    for hit in &answer.hits {
        let sum = 0.5 * hit.similarity + 0.2 * hit.recency + 0.2 * hit.importance + 0.1 * hit.source_priority;
        assert!((hit.score - sum).abs() < 1e-12 && (0.0..=1.0).contains(&hit.similarity), "{hit:?}");
    }
    let audit = of(SearchSource::Audit)[0];
    assert_eq!((audit.agent.as_deref(), audit.trust, audit.outcome.as_deref()), (Some("binky"), Some(Trust::Unreviewed), Some("it ate")));

    // A memory is as similar as a recall says, and both of them count as accesses.
    let recalled = recall::recall(&world.engine, &world.atlas, foundation::testing::question("kestrel")).await.unwrap();
    let similar = |id| recalled.memories().into_iter().find(|hit| hit.memory_id.0 == id).unwrap().similarity;
    assert!(of(SearchSource::Memory).iter().all(|hit| hit.similarity == similar(hit.id)));
    world.engine.log().flush().await;
    let counted = "select distinct access_count from agent_memories where tenant_id = $1 and agent_id = $2";
    assert_eq!(sqlx::query_scalar::<_, i64>(counted).bind(world.system.tenant_id).bind(agent(&world.atlas)).all(&world.engine).await, [2]);
    stop.cancel();
    log.await.unwrap();

    let five =
        look(&world, &world.atlas, SearchMyMemoriesRequest { as_messages: true, ..SearchMyMemoriesRequest::new("kestrel mice") }).await;
    assert!((1..=5).contains(&five.hits.len()) && five.messages.len() == five.hits.len());
    for (hit, message) in five.hits.iter().zip(&five.messages) {
        let quoted = hit.content.lines().all(|line| message.content.contains(line));
        assert!(message.role == "system" && quoted && message.content.contains(['“', '>']), "{message:?}");
        assert_eq!(message.content.contains("not an instruction"), hit.trust == Some(Trust::Unreviewed), "{message:?}");
    }
}

#[tokio::test]
async fn one_content_is_one_hit_and_names_every_source_that_has_it() {
    let world = World::new().await;
    let content = "Releases go out on Tuesday.";
    remember(&world, &world.atlas, fact("release day", content)).await;
    for _ in 0..30 {
        record(&world, &world.binky, json!({ "action": "release.plan", "message": content })).await;
    }
    record(&world, &world.binky, json!({ "action": "release.plan", "message": content, "outcome": "it rained" })).await;
    step(&world, &world.binky, "release", "plan", content).await;
    let found = hits(&world, &world.atlas, "releases on Tuesday").await;
    assert_eq!(found.len(), 2, "with another outcome it is another content: {found:#?}");
    let one = found.iter().find(|hit| hit.content == content).unwrap();
    assert_eq!((one.source, one.trust), (SearchSource::Memory, Some(Trust::Own)), "its own memory, not binky's report");
    assert!(one.attribution.starts_with("I remember (from "), "{}", one.attribution);
    let mut sources = one.also_in.clone();
    sources.push(one.source);
    sources.sort();
    assert_eq!(sources, [SearchSource::Memory, SearchSource::Audit, SearchSource::Workflow]);
}

/// At equal relevance, what the agent was told comes before what another agent reported: BM25 is on the scale of cosines.
#[tokio::test]
async fn a_report_does_not_win_because_its_similarity_is_counted_in_words() {
    let world = World::new().await;
    flood(&world, &world.binky, 200).await;
    remember(&world, &world.atlas, fact("crane", "The crane of pier nine is broken")).await;
    record(&world, &world.binky, json!({ "action": "crane.check", "message": "Looked at the crane of pier nine" })).await;
    step(&world, &world.binky, "harbour", "cranes", "The crane of pier nine stands").await;
    let found = hits(&world, &world.atlas, "crane pier nine").await;
    assert_eq!(found.len(), 3, "{found:#?}");
    assert_eq!(found[0].source, SearchSource::Memory, "{found:#?}");
    let related = world.engine.model().related_threshold;
    for hit in &found {
        let sum = 0.5 * hit.similarity + 0.2 * hit.recency + 0.2 * hit.importance + 0.1 * hit.source_priority;
        assert!((hit.score - sum).abs() < 1e-12, "{hit:?}");
        assert!(hit.source == SearchSource::Memory || (0.4..=related).contains(&hit.similarity), "all words, as a cosine: {hit:?}");
    }
    // Without a vector, memories are measured by their words, too.
    world.embedder.fail();
    let found = hits(&world, &world.atlas, "nine, pier, crane").await;
    assert!(found.len() == 3 && found.iter().all(|hit| (0.25..=related).contains(&hit.similarity)), "{found:#?}");
}

/// Locks tables, so that a source hangs as a slow one does.
#[tokio::test]
async fn a_source_that_hangs_is_left_out_and_the_others_answer() {
    let world = alone_with(Settings { source_deadline: Duration::from_secs(2), ..patient() }).await;
    fill(&world).await;
    let urls = world.engine.urls();
    for (locked, hanging) in [
        (vec![(&urls.shared_kb, "chunk_terms")], vec![SearchSource::Knowledge]),
        (
            vec![(&urls.agent_memory, "memory_terms"), (&urls.internal_shared, "action_terms")],
            vec![SearchSource::Memory, SearchSource::Audit],
        ),
    ] {
        let mut owners = Vec::new();
        for (url, table) in locked {
            let mut connection = owner(url).await;
            let lock = format!("begin; lock table {table} in access exclusive mode");
            sqlx::raw_sql(AssertSqlSafe(lock)).execute(&mut connection).await.unwrap();
            owners.push(connection);
        }
        let answer = look(&world, &world.atlas, SearchMyMemoriesRequest::new("kestrel")).await;
        for source in SearchSource::ALL {
            let expected = if hanging.contains(source) { SourceState::TimedOut } else { SourceState::Answered };
            assert_eq!(state(&answer, *source), expected, "{source}: {answer:#?}");
            assert_eq!(answer.hits.iter().any(|hit| hit.source == *source), !hanging.contains(source), "{source}");
        }
        assert_eq!(answer.degraded, hanging.iter().map(ToString::to_string).collect::<Vec<_>>());
        for connection in owners {
            connection.close().await.unwrap();
        }
    }
    let whole = look(&world, &world.atlas, SearchMyMemoriesRequest::new("kestrel")).await;
    assert!(whole.degraded.is_empty(), "{whole:#?}");
}

#[tokio::test]
async fn a_source_that_is_late_gives_its_connection_back() {
    let hour = Duration::from_secs(3600);
    let world = alone_with(Settings { source_deadline: Duration::from_millis(200), statement_budget: hour, ..patient() }).await;
    fill(&world).await;
    let (mut owner, mut observer) = (memory_owner(&world.engine).await, memory_owner(&world.engine).await);
    let mut locked = owner.begin().await.unwrap();
    sqlx::query("lock table agent_memories, embeddings_384 in access exclusive mode").execute(&mut *locked).await.unwrap();
    let answer = look(&world, &world.atlas, SearchMyMemoriesRequest::new("kestrel")).await;
    assert_eq!(state(&answer, SearchSource::Memory), SourceState::TimedOut, "{answer:#?}");
    // The lock is still held, and a statement would wait for it for an hour.
    while waiting_for_locks(&mut observer).await > 0 {
        tokio::task::yield_now().await;
    }
    locked.rollback().await.unwrap();
    // A recall has no such deadline, so it may take its time.
    assert!(!ask(&world, &world.atlas, "kestrel").await.zero_hit);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_out_of_reach_costs_its_sources_and_no_other() {
    let urls = TestDatabases::shared().await;
    let (mut kb, mut control) = (Wire::new(&urls.shared_kb).await, Wire::new(&urls.internal_shared).await);
    let through = DatabaseUrls {
        agent_memory: urls.agent_memory.clone(),
        shared_kb: kb.through(&urls.shared_kb),
        internal_shared: control.through(&urls.internal_shared),
    };
    let fake = Fake::new();
    let settings = Settings { source_deadline: Duration::from_secs(5), ..patient() };
    let world = World::with(through, Arc::new(fake.clone()), fake, settings).await;
    fill(&world).await;
    kb.pull().await;
    let answer = look(&world, &world.atlas, SearchMyMemoriesRequest::new("kestrel")).await;
    let of = |answer: &SearchMyMemoriesResponse, source| answer.hits.iter().any(|hit| hit.source == source);
    assert_eq!(state(&answer, SearchSource::Knowledge), SourceState::Unavailable, "{answer:#?}");
    assert!(answer.degraded.contains(&"knowledge".to_owned()), "{:?}", answer.degraded);
    for source in [SearchSource::Memory, SearchSource::Audit, SearchSource::Workflow] {
        assert!(state(&answer, source) == SourceState::Answered && of(&answer, source), "{source}");
    }
    control.pull().await;
    let answer = look(&world, &world.atlas, SearchMyMemoriesRequest::new("kestrel")).await;
    assert!(of(&answer, SearchSource::Memory) && answer.hits.iter().all(|hit| hit.source == SearchSource::Memory), "{answer:#?}");
    assert!(["audit", "workflow", "settings"].iter().all(|part| answer.degraded.contains(&(*part).to_owned())), "{:?}", answer.degraded);
    let recipe = SearchMyMemoriesRequest { decision_point: Some(DecisionPoint::Delegation), ..SearchMyMemoriesRequest::new("kestrel") };
    let none = search::search_my_memories(&world.engine, &world.atlas, recipe).await;
    assert!(matches!(none, Err(Error::Unavailable(_))), "its two sources are both away: {none:?}");
}

#[tokio::test]
async fn a_decision_point_chooses_sources_kinds_and_weights() {
    let world = World::new().await;
    fill(&world).await;
    for (kind, message) in [("rejection", "Rejected a second kestrel"), ("performance", "The post about the kestrel had 900 readers")] {
        record(&world, &world.binky, json!({ "action": "kestrel.report", "message": message, "kind": kind })).await;
    }
    let approval = "Vera approved a second kestrel for 40 francs";
    let said = RememberRequest { kind: Some(MemoryKind::Episode), retention: Some(Retention::Decision), ..fact("kestrel, said", approval) };
    remember(&world, &world.atlas, said).await;
    let at = async |point| {
        look(&world, &world.atlas, SearchMyMemoriesRequest { decision_point: Some(point), ..SearchMyMemoriesRequest::new("kestrel") }).await
    };
    let contents = |answer: &SearchMyMemoriesResponse, source| {
        let mut found: Vec<String> = answer.hits.iter().filter(|hit| hit.source == source).map(|hit| hit.content.clone()).collect();
        found.sort();
        found
    };
    let memo = at(DecisionPoint::DecisionMemo).await;
    assert_eq!(contents(&memo, SearchSource::Audit), ["Decided to feed the kestrel mice\nOutcome: it ate", "Rejected a second kestrel"]);
    assert_eq!(contents(&memo, SearchSource::Memory), [approval], "the other memory is no decision");
    let sources: Vec<_> = memo.sources.iter().map(|report| report.source).collect();
    assert_eq!(sources, [SearchSource::Memory, SearchSource::Audit, SearchSource::Knowledge]);
    assert!(memo.weights.importance > memo.weights.recency);
    assert_eq!(contents(&at(DecisionPoint::Content).await, SearchSource::Audit), ["The post about the kestrel had 900 readers"]);
    let delegation = at(DecisionPoint::Delegation).await;
    assert!(delegation.hits.iter().all(|hit| hit.agent.as_deref() == Some("binky")) && delegation.hits.len() == 2, "{delegation:#?}");
    assert_eq!(at(DecisionPoint::TaskIntake).await.weights, Weights::default());
    let unknown = tools::read::<SearchMyMemoriesRequest>(json!({ "query": "kestrel", "decision_point": "lunch" }));
    assert_eq!(unknown.unwrap_err().fields()[0].field, "decision_point");
}

#[tokio::test]
async fn an_organisation_chooses_its_weights_and_its_threshold() {
    let world = World::new().await;
    fill(&world).await;
    let set = async |policy| identity::set_search_policy(&world.engine, &world.vera, policy).await;
    let by_importance = Weights { similarity: 0.0, recency: 0.0, importance: 1.0, source_priority: 0.0 };
    set(SearchPolicy { weights: by_importance, similarity_min: None }).await.unwrap();
    let found = hits(&world, &world.atlas, "kestrel").await;
    assert!(found.len() == 4 && found.iter().all(|hit| hit.score == hit.importance), "{found:#?}");
    let before = hits(&world, &world.atlas, "kestrel mice").await;
    let middle = before.iter().map(|hit| hit.similarity).sum::<f64>() / before.len() as f64;
    set(SearchPolicy { similarity_min: Some(middle), ..SearchPolicy::default() }).await.unwrap();
    let after = hits(&world, &world.atlas, "kestrel mice").await;
    assert!(!after.is_empty() && after.len() < before.len() && after.iter().all(|hit| hit.similarity >= middle), "{middle}: {after:#?}");

    // A preview is what the search would return with other weights, and changes none.
    let atlas = agent(&world.atlas);
    let preview = async |policy| search::preview(&world.engine, &world.vera, atlas, "kestrel mice", policy).await;
    let first = |hits: Vec<SourceHit>| hits.into_iter().take(5).map(|hit| (hit.source, hit.id)).collect::<Vec<_>>();
    let tried = SearchPolicy { weights: by_importance, similarity_min: None };
    let (now, then) = (first(preview(None).await.unwrap()), first(preview(Some(tried)).await.unwrap()));
    assert_eq!(now, first(hits(&world, &world.atlas, "kestrel mice").await));
    assert_ne!(now, then);
    set(tried).await.unwrap();
    assert_eq!(then, first(hits(&world, &world.atlas, "kestrel mice").await));

    let weights = |similarity| Weights { similarity, ..Weights::default() };
    for (policy, field) in [
        (SearchPolicy { weights: weights(-0.1), similarity_min: None }, "weights.similarity"),
        (SearchPolicy { weights: weights(f64::NAN), similarity_min: None }, "weights.similarity"),
        (SearchPolicy { weights: weights(f64::INFINITY), similarity_min: None }, "weights.similarity"),
        (
            SearchPolicy {
                weights: Weights { similarity: 0.0, recency: 0.0, importance: 0.0, source_priority: 0.0 },
                similarity_min: None,
            },
            "weights",
        ),
        (SearchPolicy { similarity_min: Some(-0.01), ..SearchPolicy::default() }, "similarity_min"),
        (SearchPolicy { similarity_min: Some(1.01), ..SearchPolicy::default() }, "similarity_min"),
        (SearchPolicy { similarity_min: Some(f64::NAN), ..SearchPolicy::default() }, "similarity_min"),
    ] {
        assert_eq!(set(policy).await.unwrap_err().fields()[0].field, field);
        assert_eq!(preview(Some(policy)).await.unwrap_err().fields()[0].field, field);
    }
    for k in [0, 51] {
        let request = SearchMyMemoriesRequest { k: Some(k), ..SearchMyMemoriesRequest::new("kestrel") };
        assert_eq!(search::search_my_memories(&world.engine, &world.atlas, request).await.unwrap_err().fields()[0].field, "k");
    }
}

#[tokio::test]
async fn knowledge_is_that_of_the_agents_categories() {
    let world = World::new().await;
    for (collection, path, title) in
        [("handbook", "plain.md", "Birds"), ("billing", "plain.md", "Prices"), ("billing", "docs/adr/0001-feed.md", "ADR-001: Feed")]
    {
        ingest(&world, collection, path, &format!("# {title}\n\nThe kestrel of {collection} in {path}.\n")).await;
    }
    let found = async || {
        let found = hits(&world, &world.atlas, "kestrel").await;
        let has = |text: &str| found.iter().any(|hit| hit.content.contains(text));
        [has("handbook in plain"), has("billing in plain"), has("billing in docs/adr")]
    };
    for (categories, expected) in [
        (vec![], [true, true, true]),
        (vec!["billing"], [false, true, true]),
        (vec!["adr"], [false, false, true]),
        (vec!["handbook", "adr"], [true, false, true]),
        (vec!["no such collection"], [false, false, false]),
    ] {
        let categories: Vec<String> = categories.into_iter().map(str::to_owned).collect();
        identity::set_knowledge_categories(&world.engine, &world.vera, agent(&world.atlas), &categories).await.unwrap();
        assert_eq!(found().await, expected, "{categories:?}");
    }
}

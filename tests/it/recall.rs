//! recall: whose memories it finds, under which conditions, and what a hit contains.

use crate::support::{Run, Told, agent, alone, ask, contents, remember};
use chrono::Duration;
use foundation::testing::{World, fact, key, nowhere, question};
use foundation::{Error, OpContext, identity};
use remembrancer::vocabulary::NewTerm;
use remembrancer::{Workers, memories, recall, vocabulary};
use std::collections::HashSet;
use uuid::Uuid;
use wire::{
    ForgetRequest, Hit, KeyScope, MemoryFilter, MemoryId, MemoryKind, MemoryScope, MemoryStatus, NothingReason, Ranking, RecallFilters,
    RecallRequest, RememberRequest, SearchResults, Source, SourceTag, UserId,
};

async fn found(world: &World, ctx: &OpContext, request: RecallRequest) -> Vec<String> {
    let answer = recall::recall(&world.engine, ctx, request).await.unwrap();
    let mut contents: Vec<String> = answer.told().into_iter().map(|hit| hit.memory.content).collect();
    contents.sort_unstable();
    contents
}

fn filtered(filters: RecallFilters) -> RecallRequest {
    RecallRequest { filters, ..question("stone") }
}

#[tokio::test]
async fn an_agent_sees_its_own_memories_and_the_commons() {
    let world = World::new().await;
    let commons = |content: &str| RememberRequest { commons: true, scope: Some(MemoryScope::Global), ..fact("stone", content) };
    remember(&world, &world.atlas, fact("stone", "atlas keeps a stone")).await;
    remember(&world, &world.binky, fact("stone", "binky keeps a stone")).await;
    remember(&world, &world.binky, commons("everybody keeps a stone")).await;
    let stranger = World::new().await;
    remember(&stranger, &stranger.atlas, commons("strangers keep a stone")).await;
    let mut tags: Vec<_> =
        ask(&world, &world.atlas, "who keeps a stone").await.told().into_iter().map(|h| (h.memory.content, h.memory.source_tag)).collect();
    tags.sort_unstable();
    assert_eq!(tags, [("atlas keeps a stone".into(), SourceTag::Private), ("everybody keeps a stone".into(), SourceTag::Shared)]);
    assert_eq!(found(&world, &world.binky, question("who keeps a stone")).await, ["binky keeps a stone", "everybody keeps a stone"]);
    assert_eq!(found(&stranger, &stranger.binky, question("who keeps a stone")).await, ["strangers keep a stone"]);
}

/// Gives a memory a short id that no word looks like, whatever chance gave it.
async fn rename(world: &World, id: MemoryId, short: &str) {
    sqlx::query("update agent_memories set short_id = $2 where id = $1").bind(id).bind(short).run(&world.engine).await;
}

#[tokio::test]
async fn a_question_finds_the_memory_whose_id_it_names() {
    let world = alone().await;
    let wanted = remember(&world, &world.atlas, fact("mooring", "The dinghy lies at buoy nine.")).await.memory_id;
    for n in 0..30 {
        remember(&world, &world.atlas, fact("tea", &format!("Mina says that tea number {n} is still good."))).await;
    }
    let theirs = remember(&world, &world.binky, fact("tea", "binky hides tea under a stone.")).await.memory_id;
    let gone = remember(&world, &world.atlas, fact("kayak", "Idris sold the kayak.")).await.memory_id;
    for (id, short) in [(wanted, "k3v9x2aq"), (theirs, "b7Tq0Lmn"), (gone, "zz81Kp3d")] {
        rename(&world, id, short).await;
    }
    let then = world.engine.clock().now();
    world.clock.advance(Duration::minutes(1));
    let forget = ForgetRequest { memory_id: gone.into(), reason: None, user_id: None };
    memories::forget(&world.engine, &world.atlas, forget).await.unwrap();
    for ranking in [Ranking::Decay, Ranking::Hybrid, Ranking::HybridDecay] {
        let ask = async |query: &str, as_of| {
            let request = RecallRequest { ranking: Some(ranking), as_of, ..question(query) };
            let answer = recall::recall(&world.engine, &world.atlas, request).await.unwrap();
            answer.memories().into_iter().map(|hit| hit.memory_id).collect::<Vec<_>>()
        };
        for query in ["k3v9x2aq", &wanted.to_string(), "What does [id:k3v9x2aq] say about tea?", &format!("Is {wanted} still good?")] {
            for as_of in [None, Some(then)] {
                assert_eq!(ask(query, as_of).await.first(), Some(&wanted), "{query} {ranking} {as_of:?}");
            }
        }
        for query in ["b7Tq0Lmn", &theirs.to_string(), "zz81Kp3d", &format!("What is {gone}?")] {
            for as_of in [None, Some(then)] {
                let found = ask(query, as_of).await;
                assert!(!found.contains(&theirs) && !found.contains(&gone), "{query} {ranking} {as_of:?}");
            }
        }
        let filters = RecallFilters { kinds: vec![MemoryKind::Episode], ..RecallFilters::default() };
        let request = RecallRequest { ranking: Some(ranking), filters, ..question("k3v9x2aq") };
        assert!(recall::recall(&world.engine, &world.atlas, request).await.unwrap().memories().is_empty(), "{ranking}");
    }
}

#[tokio::test]
async fn a_question_of_nothing_but_function_words_finds_something() {
    let world = alone().await;
    let helpdesk = remember(&world, &world.atlas, fact("it", "The helpdesk answers at extension 4711.")).await.memory_id;
    let vera = remember(&world, &world.atlas, fact("sailing", "Vera sails every summer.")).await.memory_id;
    let ids =
        async |query: &str| ask(&world, &world.atlas, query).await.memories().into_iter().map(|hit| hit.memory_id).collect::<Vec<_>>();
    assert!(ids("Who am I?").await.contains(&vera));
    assert!(ids("Which colour has the lighthouse?").await.is_empty(), "words of content have their floor");
    world.embedder.fail();
    assert_eq!((ids("IT").await, ids("it").await), (vec![helpdesk], vec![helpdesk]));
}

#[tokio::test]
async fn without_a_user_only_what_is_nobodys_is_found() {
    let world = World::new().await;
    let (vera, tom) = (UserId(Uuid::from_u128(1)), UserId(Uuid::from_u128(2)));
    let of = |user_id, content: &str| RememberRequest { user_id, ..fact("stone", content) };
    remember(&world, &world.atlas, of(None, "stone of nobody")).await;
    remember(&world, &world.atlas, of(Some(vera.into()), "stone of Vera")).await;
    world.embedder.fail();
    remember(&world, &world.atlas, of(Some(tom.into()), "stone of Tom")).await;
    remember(&world, &world.atlas, of(None, "stone of anybody")).await;
    world.embedder.work();
    let by = |user_id| RecallRequest { user_id, ..question("stone") };
    assert_eq!(found(&world, &world.atlas, by(None)).await, ["stone of anybody", "stone of nobody"]);
    assert_eq!(found(&world, &world.atlas, by(Some(vera.into()))).await, ["stone of Vera", "stone of anybody", "stone of nobody"]);
    assert_eq!(found(&world, &world.atlas, by(Some(tom.into()))).await, ["stone of Tom", "stone of anybody", "stone of nobody"]);
}

#[tokio::test]
async fn filters_narrow_before_anything_is_ranked() {
    let world = World::new().await;
    let project = Uuid::from_u128(1);
    remember(&world, &world.atlas, fact("stone", "a plain stone")).await;
    remember(&world, &world.atlas, RememberRequest { kind: Some(MemoryKind::Episode), ..fact("stone", "an episode with a stone") }).await;
    let mut drive = fact("stone", "a stone in a drive");
    drive.source = Source { platform: "drive".into(), ..Source::default() };
    remember(&world, &world.atlas, drive).await;
    world.embedder.fail();
    let scoped =
        RememberRequest { scope: Some(MemoryScope::Project), project_id: Some(project.into()), ..fact("stone", "a project of stone") };
    remember(&world, &world.atlas, scoped).await;
    world.embedder.work();
    let none = RecallFilters::default;
    assert_eq!(found(&world, &world.atlas, filtered(none())).await.len(), 4);
    let kinds = |kinds: &[MemoryKind]| filtered(RecallFilters { kinds: kinds.to_vec(), ..none() });
    assert_eq!(found(&world, &world.atlas, kinds(&[MemoryKind::Episode])).await, ["an episode with a stone"]);
    assert_eq!(found(&world, &world.atlas, kinds(&[MemoryKind::Episode, MemoryKind::Profile])).await.len(), 4);
    let scopes = filtered(RecallFilters { scopes: vec![MemoryScope::Project], ..none() });
    assert_eq!(found(&world, &world.atlas, scopes).await, ["a project of stone"]);
    let platform = filtered(RecallFilters { platform: Some("drive".into()), ..none() });
    assert_eq!(found(&world, &world.atlas, platform).await, ["a stone in a drive"]);
    assert_eq!(found(&world, &world.atlas, filtered(RecallFilters { project_id: Some(project), ..none() })).await, ["a project of stone"]);
    let nothing = filtered(RecallFilters { kinds: vec![MemoryKind::Artifact], ..none() });
    let answer = recall::recall(&world.engine, &world.atlas, nothing).await.unwrap();
    assert_eq!((answer.zero_hit, answer.reason), (true, Some(NothingReason::NothingFound)));
}

#[tokio::test]
async fn an_empty_answer_tells_nothing_from_nothing_relevant() {
    let world = World::new().await;
    let empty = ask(&world, &world.atlas, "quarterly figures").await;
    assert_eq!((empty.zero_hit, empty.reason, empty.memories().len()), (true, Some(NothingReason::NothingFound), 0));
    remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await;
    let irrelevant = ask(&world, &world.atlas, "quarterly figures").await;
    assert_eq!((irrelevant.zero_hit, irrelevant.reason), (true, Some(NothingReason::BelowFloor)));
    let answered = ask(&world, &world.atlas, "tea").await;
    assert_eq!((answered.zero_hit, answered.reason, answered.memories().len()), (false, None, 1));
    assert!(answered.degraded.is_empty());
}

#[tokio::test]
async fn k_cuts_and_is_bounded() {
    let world = World::new().await;
    for n in 0..12 {
        remember(&world, &world.atlas, fact(&format!("stone {n}"), &format!("stone number {n}"))).await;
    }
    for (k, expected) in [(1, 1), (7, 7), (100, 12)] {
        let request = RecallRequest { k, ..question("stone number") };
        assert_eq!(recall::recall(&world.engine, &world.atlas, request).await.unwrap().told().len(), expected);
    }
    for (field, request) in [
        ("k", RecallRequest { k: 0, ..question("stone") }),
        ("k", RecallRequest { k: 101, ..question("stone") }),
        ("query", question("")),
        ("query", question(" \n")),
        ("query", question("a\0b")),
        ("query", question(&"ü".repeat(2049))),
        ("filters.platform", filtered(RecallFilters { platform: Some(String::new()), ..RecallFilters::default() })),
    ] {
        let error = recall::recall(&world.engine, &world.atlas, request).await.unwrap_err();
        assert_eq!(error.fields().iter().map(|f| f.field.as_str()).collect::<Vec<_>>(), [field]);
    }
    let (writer, _) = key(&world.engine, &world.system, agent(&world.atlas), &[KeyScope::MemoryWrite]).await;
    for ctx in [&writer, &world.vera] {
        assert!(matches!(recall::recall(&world.engine, ctx, question("stone")).await, Err(Error::Forbidden(_))));
    }
}

#[tokio::test]
async fn an_agent_bound_to_name_its_user_must_name_it_to_recall() {
    let world = World::new().await;
    let strict = identity::create_agent(&world.engine, &world.system, "strict", "Strict", true).await.unwrap();
    let (ctx, _) = key(&world.engine, &world.system, strict.id, KeyScope::ALL).await;
    assert_eq!(recall::recall(&world.engine, &ctx, question("tea")).await.unwrap_err().fields()[0].field, "user_id");
}

#[tokio::test]
async fn a_hit_explains_itself() {
    let world = World::new().await;
    let mut request = fact("Tea habits", "Vera drinks black tea.");
    request.source.thread_id = Some("T7".into());
    request.source.observed_at = Some("2026-04-01T09:00:00Z".parse().unwrap());
    let id = remember(&world, &world.atlas, request).await.memory_id;
    let shared = RememberRequest { commons: true, scope: Some(MemoryScope::Global), ..fact("Kitchen", "Black tea is in the kitchen.") };
    remember(&world, &world.binky, shared.clone()).await;
    world.clock.advance(Duration::days(90));
    remember(&world, &world.binky, shared).await;
    let by_decay = RecallRequest { ranking: Some(Ranking::Decay), ..question("does Vera drink black tea?") };
    let answer = recall::recall(&world.engine, &world.atlas, by_decay).await.unwrap();
    let hit: &Hit = answer.memories().into_iter().find(|hit| hit.memory_id == id).unwrap();
    assert_eq!(hit.matched_words, ["Tea", "Vera", "drinks", "black"], "as the memory spells them, each once");
    assert_eq!(hit.evidence.as_deref(), Some("slack/C1/T7"));
    assert_eq!(hit.attribution, "I remember (from 1 April 2026):", "the day on which it was said");
    assert!((hit.recency_score - (-1_f64).exp()).abs() < 1e-4 && hit.freshness == hit.recency_score);
    assert!((hit.score - hit.similarity * hit.recency_score).abs() < 1e-9);
    assert_eq!((hit.breakdown.similarity, hit.breakdown.recency, hit.breakdown.floor), (hit.similarity, hit.recency_score, 0.25));
    assert!(hit.explanation.starts_with(&format!("Close in meaning ({:.2}), shares ", hit.similarity)), "{}", hit.explanation);
    assert!(hit.explanation.ends_with(&format!("; written 90 days ago (× 0.37), which makes {:.2}.", hit.score)), "{}", hit.explanation);
    for word in &hit.matched_words {
        assert!(hit.explanation.contains(&format!("“{word}”")), "{}", hit.explanation);
    }
    let shared = answer.memories().into_iter().find(|hit| hit.source_tag == SourceTag::Shared).unwrap();
    let told = format!("According to agent binky (from {}):", shared.created_at.format("%-d %B %Y"));
    assert_eq!(shared.attribution, told, "when it was first written, not when it was said again");
    assert!(shared.explanation.contains("; written today (× 1.00)"), "{}", shared.explanation);
}

#[tokio::test]
async fn the_vocabulary_turns_a_question_into_its_canonical_form() {
    let world = World::new().await;
    vocabulary::add(
        &world.engine,
        &world.system,
        vocabulary::NewTerm { term: "incident review", aliases: &["post mortem"], ..Default::default() },
    )
    .await
    .unwrap();
    remember(&world, &world.atlas, fact("Incident-Review", "We meet on Thursday")).await;
    let answer = ask(&world, &world.atlas, "Post-Mortem").await;
    assert_eq!(answer.query_canonical.as_deref(), Some("incident review"));
    assert_eq!(answer.memories()[0].content, "We meet on Thursday");
    assert_eq!(ask(&world, &world.atlas, "post mortem notes").await.query_canonical, None);
}

#[tokio::test]
async fn what_is_forgotten_is_gone_at_once_and_what_is_restored_is_as_old_as_it_was() {
    let world = World::new().await;
    let id = remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await.memory_id;
    world.clock.advance(Duration::days(45));
    let before = ask(&world, &world.atlas, "tea").await.told().remove(0);
    memories::forget(&world.engine, &world.atlas, wire::ForgetRequest { memory_id: id.into(), reason: None, user_id: None }).await.unwrap();
    let gone = ask(&world, &world.atlas, "tea").await;
    assert_eq!((gone.memories().len(), gone.zero_hit, gone.reason), (0, true, Some(NothingReason::NothingFound)));
    world.embedder.fail();
    assert!(contents(&world, &world.atlas, "likes tea, Vera").await.is_empty(), "nor by its words");
    world.embedder.work();
    memories::restore(&world.engine, &world.vera, &[id], "she asked for it").await.unwrap();
    let after = ask(&world, &world.atlas, "tea").await.told().remove(0);
    assert_eq!((after.memory_id, after.updated_at, after.similarity), (id, before.updated_at, before.similarity));
    assert!((after.recency_score - (-45.0_f64 / 365.0).exp()).abs() < 1e-4);
}

#[tokio::test]
async fn the_operators_search_finds_what_agents_find_and_leaves_no_trace() {
    let world = alone().await;
    let workers = Workers::start(&world.engine);
    let id = remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await.memory_id;
    let user = RememberRequest { user_id: Some(UserId(Uuid::from_u128(1)).into()), ..fact("tea", "Tom likes tea") };
    remember(&world, &world.binky, user).await;
    let ask = |agent_id, q: &str| {
        let filter = wire::MemoryFilter { q: Some(q.into()), agent_id, ..Default::default() };
        let world = &world;
        async move { recall::search_console(&world.engine, &world.vera, &filter).await }
    };
    let everything = ask(None, "who likes tea").await.unwrap();
    assert_eq!((everything.hits.len(), everything.passed, everything.memories, everything.nearest), (2, 2, 2, None));
    assert!(everything.degraded.is_empty() && everything.agents.len() == 3);
    let own = ask(Some(agent(&world.atlas)), "who likes tea").await.unwrap();
    assert_eq!(own.hits.iter().map(|hit| (hit.memory.id, hit.memory.agent_slug.as_str())).collect::<Vec<_>>(), [(id, "atlas")]);
    let shared = RememberRequest { commons: true, scope: Some(wire::MemoryScope::Global), ..fact("tea", "Everybody likes tea") };
    let shared = remember(&world, &world.atlas, shared).await.memory_id;
    let with_shared = ask(Some(agent(&world.atlas)), "who likes tea").await.unwrap();
    let mut found: Vec<_> = with_shared.hits.iter().map(|hit| hit.memory.id).collect();
    found.sort_unstable();
    assert_eq!((found, with_shared.agents.len()), (vec![id, shared], 2), "an agent recalls what is shared, too");
    let commons = ask(Some(world.system.commons_id), "who likes tea").await.unwrap();
    assert_eq!((commons.hits.len(), commons.agents.len()), (1, 1));
    memories::delete(&world.engine, &world.vera, &[shared], "only for this test").await.unwrap();
    let missed = ask(None, "quarterly figures").await.unwrap();
    assert!(missed.hits.is_empty() && missed.passed == 0 && missed.memories == 2);
    assert!(missed.nearest.unwrap() < missed.floor);
    let foreign = ask(Some(agent(&World::new().await.atlas)), "tea").await.unwrap();
    assert_eq!((foreign.hits.len(), foreign.memories), (0, 0));
    for q in ["", "\0"] {
        assert_eq!(ask(None, q).await.unwrap_err().fields()[0].field, "q");
    }
    assert!(matches!(recall::search_console(&world.engine, &world.atlas, &Default::default()).await, Err(Error::Forbidden(_))));
    world.engine.log().flush().await;
    workers.stop().await;
    let traces =
        "select access_count + (select count(*) from retrievals r where r.tenant_id = m.tenant_id) from agent_memories m where id = $1";
    assert_eq!(crate::support::number(&world, traces, id).await, 0);
}

#[tokio::test]
async fn an_alias_keeps_its_own_word_beside_its_term() {
    let world = World::new().await;
    let term = NewTerm { term: "kubernetes", aliases: &["k8s"], ..NewTerm::default() };
    vocabulary::add(&world.engine, &world.system, term).await.unwrap();
    remember(&world, &world.atlas, fact("deployments", "The k8s upgrade runs on Monday")).await;
    remember(&world, &world.atlas, fact("kubernetes", "Idris owns the cluster")).await;
    for n in 0..30 {
        remember(&world, &world.atlas, fact(&format!("note {n}"), &format!("Nothing of {n} concerns it"))).await;
    }
    world.embedder.fail();
    for question in ["k8s", "K8S?"] {
        let mut told = contents(&world, &world.atlas, question).await;
        told.sort_unstable();
        assert_eq!(told, ["Idris owns the cluster", "The k8s upgrade runs on Monday"], "{question}");
    }
    assert_eq!(contents(&world, &world.atlas, "kubernetes").await, ["Idris owns the cluster"], "who asks for the term asks for no alias");
    let hits = ask(&world, &world.atlas, "k8s").await.told();
    let strong = |hit: &Hit| hit.similarity > 0.5 && hit.matched_words.len() == 1;
    assert!(hits.len() == 2 && hits.iter().all(strong), "one wording does not weaken the other");
}

#[tokio::test]
async fn filters_that_let_nothing_through_are_refused() {
    let world = World::new().await;
    let refused = async |filters: RecallFilters| {
        let request = RecallRequest { filters, ..question("tea") };
        recall::recall(&world.engine, &world.atlas, request).await.unwrap_err().fields()[0].field.clone()
    };
    for status in [MemoryStatus::Archived, MemoryStatus::Superseded, MemoryStatus::Inbox] {
        let filters = RecallFilters { statuses: vec![MemoryStatus::Active, status], ..RecallFilters::default() };
        assert_eq!(refused(filters).await, "filters.statuses");
    }
    let private = vec![MemoryScope::Agent, MemoryScope::Project];
    assert_eq!(refused(RecallFilters { repo_id: Some(nowhere()), scopes: private, ..RecallFilters::default() }).await, "filters.scopes");
    let project = RecallFilters { project_id: Some(nowhere()), scopes: vec![MemoryScope::Agent], ..RecallFilters::default() };
    assert_eq!(refused(project).await, "filters.scopes");
}

#[tokio::test]
async fn totals_count_what_may_be_found_and_what_is_relevant() {
    let world = alone().await;
    for n in 0..90 {
        let content = if n < 60 { format!("Tea and {n} biscuits") } else { format!("Gravel of size {n}") };
        remember(&world, &world.atlas, fact(&format!("topic {n}"), &content)).await;
    }
    remember(&world, &world.binky, fact("tea", "Tea of another agent")).await;
    let filter = MemoryFilter { q: Some("tea biscuits".into()), agent_id: Some(agent(&world.atlas)), ..MemoryFilter::default() };
    let results = recall::search_console(&world.engine, &world.vera, &filter).await.unwrap();
    assert_eq!((results.passed, results.more, results.memories, results.hits.len()), (60, false, 90, 60));
    for n in 90..140 {
        remember(&world, &world.atlas, fact(&format!("topic {n}"), &format!("Tea and {n} biscuits"))).await;
    }
    let full = recall::search_console(&world.engine, &world.vera, &filter).await.unwrap();
    assert_eq!(
        (full.passed, full.more, full.memories, full.hits.len()),
        (110, true, 140, 100),
        "only the nearest 100 are counted by meaning"
    );
    world.embedder.fail();
    let filter = MemoryFilter { q: Some("biscuits, tea".into()), ..filter };
    let by_words = recall::search_console(&world.engine, &world.vera, &filter).await.unwrap();
    assert_eq!((by_words.passed, by_words.more, by_words.memories), (110, false, 140), "words are counted without a limit");
    let narrower = MemoryFilter { topic: Some("topic 1".into()), ..filter };
    let narrower = recall::search_console(&world.engine, &world.vera, &narrower).await.unwrap();
    assert_eq!((narrower.passed, narrower.memories), (51, 51), "1, 10 to 19, and 100 to 139");
}

#[tokio::test]
async fn a_search_in_two_halves_finds_what_a_search_of_all_finds() {
    let world = alone().await;
    for n in 0..160 {
        let writer = if n % 3 == 0 { &world.atlas } else { &world.binky };
        let content = if n % 4 == 0 { format!("Gravel of size {n}") } else { format!("Tea and {n} biscuits") };
        remember(&world, writer, fact(&format!("topic {n}"), &content)).await;
    }
    let shared = RememberRequest { commons: true, scope: Some(MemoryScope::Global), ..fact("tea", "Everybody likes tea and biscuits") };
    remember(&world, &world.atlas, shared).await;
    let stranger = World::new().await;
    remember(&stranger, &stranger.atlas, fact("tea", "Tea and biscuits of strangers")).await;
    let filter = MemoryFilter { q: Some("tea biscuits".into()), ..MemoryFilter::default() };
    let search = async || recall::search_console(&world.engine, &world.vera, &filter).await.unwrap();
    let halves = search().await;
    let turns = world.engine.wide_searches();
    let _taken = turns.acquire_many(u32::try_from(turns.available_permits()).unwrap()).await.unwrap();
    let whole = search().await;
    assert_eq!((halves.passed, halves.more, halves.memories, halves.hits.len()), (121, true, 161, 100));
    assert_eq!((whole.passed, whole.more, whole.memories), (halves.passed, halves.more, halves.memories));
    // The clock goes on between the two, so recency differs a little.
    let told = |found: &SearchResults| found.hits.iter().map(|hit| (hit.memory.id, format!("{:.6}", hit.score))).collect::<Vec<_>>();
    assert_eq!(told(&halves), told(&whole));
    let agents: HashSet<_> = halves.hits.iter().map(|hit| hit.memory.agent_slug.as_str()).collect();
    assert!(agents.contains("atlas") && agents.contains("binky"), "{agents:?}");
}

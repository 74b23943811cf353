//! The retrieval log: shown with the texts of its time, and replayed as of its time.

use crate::records::revision;
use crate::support::{Run, alone, alone_with, ingest, remember, work};
use chrono::Duration;
use foundation::testing::{World, fact, nowhere, question};
use foundation::{Error, Settings, projects};
use remembrancer::vocabulary::{self, NewTerm};
use remembrancer::{memories, recall, workers};
use std::num::NonZeroU32;
use tokio_util::sync::CancellationToken;
use wire::{
    Category, Considered, Criterion, Hit, MatchedBy, MemoryId, MemoryScope, NewProject, Page, RecallFilters, RecallRequest, RecallResponse,
    RememberRequest, Replay, Retrieval, RetrievalFilter, RetrievalId, ReviseRequest, Source, TermChange, UserId,
};

async fn logged() -> World {
    let world = alone().await;
    tokio::spawn(workers::write_log(world.engine.clone(), CancellationToken::new()));
    world
}

async fn asked(world: &World, request: RecallRequest) -> RecallResponse {
    let answer = recall::recall(&world.engine, &world.atlas, request).await.unwrap();
    world.engine.log().flush().await;
    world.clock.advance(Duration::seconds(1));
    answer
}

async fn again(world: &World, id: RetrievalId) -> Replay {
    recall::replay(&world.engine, &world.vera, id, None).await.unwrap()
}

fn contents(list: &[wire::Considered]) -> Vec<&str> {
    list.iter().filter(|one| one.rank.is_some()).map(|one| one.content.as_str()).collect()
}

async fn tea(world: &World) -> [wire::MemoryId; 3] {
    let mut ids = vec![];
    for content in ["Vera likes black tea", "Idris likes green tea", "Mina likes tea with milk"] {
        ids.push(remember(world, &world.atlas, fact("tea", content)).await.memory_id);
        world.clock.advance(Duration::days(1));
    }
    ids.try_into().unwrap()
}

#[tokio::test]
async fn a_recall_gives_the_same_answer_after_deletion_revision_and_term_merge() {
    let world = logged().await;
    let [black, green, _] = tea(&world).await;
    let first = asked(&world, question("who likes which tea")).await;
    let then = again(&world, first.retrieval_id).await;
    assert!(then.same, "{:?}", then.lost);
    assert_eq!(contents(&then.logged.considered), contents(&then.today));
    assert_eq!(then.lost, [] as [&str; 0]);

    memories::delete(&world.engine, &world.vera, &[black], "she changed her mind").await.unwrap();
    remember(&world, &world.atlas, fact("tea", "Idris likes green tea!")).await;
    vocabulary::add(&world.engine, &world.vera, NewTerm { term: "hot drink", aliases: &["tea"], ..NewTerm::default() }).await.unwrap();
    work(&world).await;
    let now = again(&world, first.retrieval_id).await;
    assert!(now.same, "{:?} {:?} {:?}", now.lost, contents(&now.replayed), contents(&now.logged.considered));
    assert_eq!(contents(&now.replayed), contents(&then.logged.considered));
    assert_eq!(now.logged.considered.iter().filter(|one| one.gone).map(|one| one.memory_id.unwrap()).collect::<Vec<_>>(), [black]);
    assert!(!now.today.iter().any(|one| one.memory_id == Some(black)));
    let revised = now.today.iter().find(|one| one.memory_id == Some(green)).unwrap();
    assert_eq!((revised.content.as_str(), revised.title.as_str()), ("Idris likes green tea!", "hot drink"));
    let score = |list: &[wire::Considered]| list.iter().map(|one| (one.score * 1e4).round()).collect::<Vec<_>>();
    assert_eq!(score(&now.replayed), score(&then.replayed), "to the score");
}

/// A memory, its version and the parts of its score.
type Makeup = (MemoryId, i32, Vec<(Criterion, i64)>);

/// The answer without time: each hit with its version and the parts of its score.
fn makeup(list: &[Considered]) -> Vec<Makeup> {
    let parts = |one: &Considered| one.parts.iter().map(|part| (part.name, (part.value * 1e3).round() as i64)).collect();
    list.iter().map(|one| (one.memory_id.unwrap(), one.version.unwrap(), parts(one))).collect()
}

/// Adds details to a memory under the same content.
async fn amend(world: &World, id: MemoryId, request: RememberRequest) {
    let answer = remember(world, &world.atlas, request).await;
    assert_eq!((answer.memory_id, answer.was_update, answer.unchanged), (id, true, false));
}

#[tokio::test]
async fn each_change_of_a_memory_or_its_project_leaves_the_answer_of_then() {
    let world = logged().await;
    let (engine, atlas, vera) = (&world.engine, &world.atlas, &world.vera);
    let mut projects = vec![];
    for slug in ["harbour", "orchard"] {
        projects.push(projects::create(engine, &world.system, NewProject { slug: slug.into(), name: slug.into() }).await.unwrap().id);
    }
    projects::link(engine, &world.system, "harbour", "orchard").await.unwrap();
    let of_project = |project: uuid::Uuid, content: &str| RememberRequest {
        scope: Some(MemoryScope::Project),
        project_id: Some(project.into()),
        ..fact("branch names", content)
    };
    remember(&world, atlas, of_project(projects[0], "In harbour they are birds")).await;
    remember(&world, atlas, of_project(projects[1], "In orchard they are trees")).await;
    let plain = || fact("branches", "They should be short");
    let short = remember(&world, atlas, plain()).await.memory_id;
    world.clock.advance(Duration::days(1));
    let filters = RecallFilters { for_project: Some(projects[0]), ..RecallFilters::default() };
    let first = asked(&world, RecallRequest { filters, ..question("how does Vera name her branches") }).await;
    assert_eq!(first.memories().len(), 3);
    let then = again(&world, first.retrieval_id).await;
    assert!(then.same, "{:?}", then.lost);

    let mut today = makeup(&then.today);
    for change in ["title", "summary", "confidence", "subject", "unlinked", "linked", "content", "topic", "deleted"] {
        match change {
            "title" => amend(&world, short, RememberRequest { title: Some("Vera on naming".into()), ..plain() }).await,
            "summary" => amend(&world, short, RememberRequest { summary: Some("Name them briefly".into()), ..plain() }).await,
            "confidence" => {
                let revised = ReviseRequest { confidence: Some(0.25), ..revision(short, "They should be short") };
                assert!(!memories::revise(engine, atlas, revised).await.unwrap().unchanged);
            }
            "subject" => {
                amend(&world, short, RememberRequest { category: Some(Category::Person), subject: Some("Vera".into()), ..plain() }).await;
            }
            "unlinked" => assert!(projects::unlink(engine, &world.system, "harbour", "orchard").await.unwrap()),
            "linked" => assert!(projects::link(engine, &world.system, "harbour", "orchard").await.unwrap()),
            "content" => {
                memories::revise(engine, atlas, revision(short, "Vera wants them shorter than ten letters")).await.unwrap();
            }
            "topic" => {
                vocabulary::add(engine, vera, NewTerm { term: "how to name", aliases: &["branches"], ..NewTerm::default() }).await.unwrap();
            }
            _ => {
                memories::delete(engine, vera, &[short], "she changed her mind").await.unwrap();
            }
        }
        work(&world).await;
        world.clock.advance(Duration::seconds(1));
        let now = again(&world, first.retrieval_id).await;
        assert!(now.same, "{change}: {:?}", now.lost);
        assert_eq!(makeup(&now.replayed), makeup(&then.replayed), "{change}");
        assert_eq!(now.lost, [] as [&str; 0], "{change}");
        assert_ne!(makeup(&now.today), today, "{change}: the test would prove nothing");
        today = makeup(&now.today);
    }
}

#[tokio::test]
async fn near_copies_give_way_in_a_recall_and_in_its_replay() {
    let world = logged().await;
    let copies =
        [("crossings", "The ferry leaves at six"), ("timetable", "The ferry leaves at six!"), ("evenings", "So the ferry leaves at six.")];
    let other = ("walks", "Idris often paints boats in the very old harbour of Kiel");
    let mut ids = vec![];
    for (topic, content) in copies.into_iter().chain([other]) {
        ids.push(remember(&world, &world.atlas, fact(topic, content)).await.memory_id);
        // What was said within an hour would lend its words.
        world.clock.advance(Duration::hours(2));
    }
    let first = asked(&world, question("ferry leaves harbour Kiel")).await;
    let hits = first.memories();
    let order: Vec<&str> = hits.iter().map(|hit| hit.content.as_str()).collect();
    assert_eq!((order.len(), order[1]), (4, other.1), "{order:?}");
    let loss = |hit: &Hit| -> f64 {
        let repeats = hit.breakdown.parts.iter().filter(|part| part.name == Criterion::Repeats);
        repeats.map(|part| part.value * part.weight).sum()
    };
    let relevance = |hit: &Hit| hit.score - loss(hit);
    assert!(relevance(hits[2]) > relevance(hits[1]) + 1e-3, "by relevance alone a copy would come second: {hits:?}");
    assert!(hits[2].explanation.contains(" − repeats 0.0"), "{}", hits[2].explanation);
    assert!(hits.windows(2).all(|pair| pair[0].score >= pair[1].score));

    let then = again(&world, first.retrieval_id).await;
    assert!(then.same, "{:?}", then.lost);
    let repeats = |list: &[Considered]| -> Vec<f64> {
        let hits = list.iter().filter(|one| one.rank.is_some());
        hits.flat_map(|one| &one.parts).filter(|part| part.name == Criterion::Repeats).map(|part| part.value).collect()
    };
    let (was, is) = (repeats(&then.logged.considered), repeats(&then.replayed));
    assert_eq!((was.len(), is.len()), (3, 3), "all but the first");
    assert!(was.iter().zip(&is).all(|(was, is)| (was - is).abs() < 1e-3), "{was:?} {is:?}");
    // The vector of a text that is no longer there is computed again.
    memories::revise(&world.engine, &world.atlas, revision(ids[0], "Mina swims at noon")).await.unwrap();
    work(&world).await;
    let now = again(&world, first.retrieval_id).await;
    assert!(now.same, "{:?}", now.lost);
    assert_eq!((makeup(&now.replayed), contents(&now.replayed)), (makeup(&then.replayed), order));
    assert_ne!(contents(&now.today), contents(&now.replayed), "the test would prove nothing");
}

/// Versions from before all fields that an answer depends on were recorded.
#[tokio::test]
async fn what_old_versions_do_not_record_is_named_when_it_has_changed() {
    for field in ["title", "summary", "confidence", "subject", "project"] {
        let world = logged().await;
        let mut short_ids = vec![];
        for (name, content) in [("of mornings", "tea."), ("of evenings", "tea;")] {
            let request = RememberRequest { scope: Some(MemoryScope::Project), project_id: Some(nowhere().into()), ..fact(name, content) };
            short_ids.push(remember(&world, &world.atlas, request).await);
            world.clock.advance(Duration::seconds(1));
        }
        sqlx::query("update agent_memory_versions set confidence = null, title = null, summary = null, category = null, subject = null, kind = null, \
             scope = null, project_id = null, retention = null")
            .run(&world.engine)
            .await;
        let filters = RecallFilters { for_project: Some(nowhere()), ..RecallFilters::default() };
        let first = asked(&world, RecallRequest { filters, ..question("does Vera like tea") }).await;
        let order: Vec<MemoryId> = first.memories().iter().map(|hit| hit.memory_id).collect();
        assert_eq!(order, [short_ids[1].memory_id, short_ids[0].memory_id], "{field}: the newest first");
        // It moves the first of the two down, or the second one up.
        let (sql, changed, sentence) = match field {
            "title" => ("update agent_memories set title = 'What they like' where id = $1", 0, "Title"),
            "summary" => ("update agent_memories set summary = 'They like it' where id = $1", 0, "Summary"),
            "confidence" => ("update agent_memories set confidence = 0.5 where id = $1", 1, "Confidence"),
            "subject" => ("update agent_memories set category = 'person', subject = 'Vera' where id = $1", 0, "Category or subject"),
            _ => ("update agent_memories set project_id = '00000000-0000-0000-0000-00000000beef' where id = $1", 1, "Scope or project"),
        };
        sqlx::query(sql).bind(short_ids[changed].memory_id).run(&world.engine).await;
        let now = again(&world, first.retrieval_id).await;
        assert!(!now.same, "{field}: {:?}", contents(&now.replayed));
        assert_eq!(now.lost, [format!("{sentence} of memory {} has changed since.", short_ids[changed].short_id)], "{field}");
    }
}

#[tokio::test]
async fn what_was_said_again_since_was_as_old_as_it_was() {
    let world = logged().await;
    let mut ids = vec![];
    for name in ["Vera", "Idris", "Mina"] {
        ids.push(remember(&world, &world.atlas, fact(&format!("tea of {name}"), "likes tea")).await.memory_id);
        world.clock.advance(Duration::days(20));
    }
    let first = asked(&world, question("likes tea")).await;
    assert_eq!(first.memories().last().unwrap().memory_id, ids[0], "the oldest comes last");
    assert!(remember(&world, &world.atlas, fact("tea of Vera", "likes tea")).await.unchanged);
    let now = again(&world, first.retrieval_id).await;
    assert!(now.same, "{:?}", now.lost);
    assert_eq!(now.today[0].memory_id, Some(ids[0]));
}

#[tokio::test]
async fn knowledge_is_asked_as_it_was_in_force() {
    let world = logged().await;
    let text = |content: &str| vec![("tea.md".to_owned(), content.as_bytes().to_vec())];
    ingest(&world, "acme", text("# Tea\n\nThe house tea is Assam.\n")).await;
    work(&world).await;
    world.clock.advance(Duration::seconds(1));
    let first = asked(&world, question("the house tea is")).await;
    assert_eq!(first.knowledge().len(), 1);
    ingest(&world, "acme", text("# Tea\n\nThe house tea is Darjeeling.\n")).await;
    work(&world).await;
    let now = again(&world, first.retrieval_id).await;
    assert!(now.same, "{:?}", now.lost);
    assert_eq!(contents(&now.replayed), ["The house tea is Assam."]);
    assert_eq!(contents(&now.today), ["The house tea is Darjeeling."]);
}

/// Chunks that waited for their vectors, were retired since or came later: words and vectors are as they were then.
#[tokio::test]
async fn knowledge_that_was_found_by_its_words_is_found_by_them_again() {
    let world = logged().await;
    let file = |name: &str, content: &str| (format!("{name}.md"), content.as_bytes().to_vec());
    let first = vec![
        file("assam", "# Assam\n\nThe house tea is Assam, and a kettle of it is always warm.\n"),
        file("oolong", "# Oolong\n\nOolong is tea for guests.\n"),
        file("draft", "---\nstatus: draft\n---\n# Draft\n\nThe house tea of tomorrow is Earl Grey, in a kettle.\n"),
        file("cups", "# Cups\n\nThe house has cups, and a kettle.\n"),
    ];
    ingest(&world, "acme", first).await;
    world.clock.advance(Duration::seconds(1));
    let waiting = asked(&world, question("the house tea in a kettle")).await;
    let matched = |answer: &RecallResponse| answer.knowledge().iter().map(|hit| hit.matched_by).collect::<Vec<_>>();
    assert!(matched(&waiting).len() >= 2 && matched(&waiting).iter().all(|one| *one == MatchedBy::Lexical), "{:?}", matched(&waiting));
    work(&world).await;
    world.clock.advance(Duration::seconds(1));
    let embedded = asked(&world, question("the house tea in a kettle")).await;
    assert_eq!(matched(&embedded)[0], MatchedBy::Both);

    let second = vec![
        file("assam", "# Assam\n\nThe house tea is Darjeeling, and a kettle of it is always warm.\n"),
        file("cups", "# Cups\n\nThe house has cups, and a kettle.\n"),
        file("mate", "# Mate\n\nThe house tea is mate, too. A kettle of house tea, the house tea!\n"),
    ];
    ingest(&world, "acme", second).await;
    work(&world).await;
    for answer in [waiting, embedded] {
        let now = again(&world, answer.retrieval_id).await;
        assert!(now.same, "{:?}: {:?} and {:?}", now.lost, contents(&now.replayed), contents(&now.logged.considered));
        let hits = |list: &[wire::Considered]| {
            let hits = list.iter().filter(|one| one.rank.is_some());
            hits.map(|one| (one.rank, one.chunk_id, one.matched_by, (one.score * 1e9).round())).collect::<Vec<_>>()
        };
        assert_eq!(hits(&now.replayed), hits(&now.logged.considered), "to the score");
        assert!(contents(&now.today).iter().any(|content| content.contains("mate")), "{:?}", contents(&now.today));
    }
}

#[tokio::test]
async fn what_had_no_vector_then_is_found_by_its_words_again() {
    let world = logged().await;
    world.embedder.fail();
    remember(&world, &world.atlas, fact("tea", "Vera likes black tea")).await;
    let first = asked(&world, question("black tea")).await;
    assert_eq!((first.hits.len(), first.degraded.as_slice()), (1, ["embedding".to_owned()].as_slice()));
    world.embedder.work();
    work(&world).await;
    let now = again(&world, first.retrieval_id).await;
    assert!(now.same, "{:?}", now.lost);
    assert_eq!(now.replayed[0].matched_by, wire::MatchedBy::Lexical);
    assert_eq!(now.today[0].matched_by, wire::MatchedBy::Both);
}

#[tokio::test]
async fn as_of_asks_what_was_known_and_leaves_no_trace() {
    let world = logged().await;
    let [black, ..] = tea(&world).await;
    let before = world.engine.clock().now();
    world.clock.advance(Duration::days(1));
    memories::revise(&world.engine, &world.atlas, revision(black, "Vera likes cocoa")).await.unwrap();
    let past = RecallRequest { as_of: Some(before), ..question("black tea") };
    assert_eq!(asked(&world, past.clone()).await.memories()[0].content, "Vera likes black tea");
    // The source is the one of that time, too.
    let source = Source { platform: "email".into(), ..Source::default() };
    let moved = ReviseRequest { source: Some(source), ..revision(black, "Vera likes hot cocoa") };
    memories::revise(&world.engine, &world.atlas, moved).await.unwrap();
    let on_slack = RecallFilters { platform: Some("slack".into()), ..RecallFilters::default() };
    let found = |answer: RecallResponse| answer.memories().iter().any(|hit| hit.memory_id == black);
    assert!(found(asked(&world, RecallRequest { filters: on_slack.clone(), ..past }).await));
    assert!(!found(asked(&world, RecallRequest { filters: on_slack, ..question("hot cocoa") }).await));
    let now = asked(&world, question("black tea")).await;
    let told: Vec<&str> = now.memories().iter().map(|hit| hit.content.as_str()).collect();
    assert!(told.contains(&"Idris likes green tea") && !told.contains(&"Vera likes black tea"), "{told:?}");
    let log = recall::retrievals(&world.engine, &world.vera, &RetrievalFilter::default()).await.unwrap();
    assert_eq!(log.rows.len(), 2, "questions about the past are not in it");

    let future = RecallRequest { as_of: Some(world.engine.clock().now() + Duration::days(1)), ..question("tea") };
    assert_eq!(recall::recall(&world.engine, &world.atlas, future).await.unwrap_err().fields()[0].field, "as_of");
}

#[tokio::test]
async fn the_log_is_read_by_whom_it_concerns() {
    let world = logged().await;
    let [black, ..] = tea(&world).await;
    let first = asked(&world, question("black tea")).await;
    asked(&world, RecallRequest { user_id: Some(UserId(nowhere()).into()), ..question("quarterly budget") }).await;
    let ids = |page: Page<Retrieval>| page.rows.into_iter().map(|row| row.query).collect::<Vec<_>>();
    let list = |filter: RetrievalFilter, ctx: foundation::OpContext| {
        let engine = world.engine.clone();
        async move { recall::retrievals(&engine, &ctx, &filter).await }
    };
    let all = RetrievalFilter::default();
    assert_eq!(ids(list(all.clone(), world.vera.clone()).await.unwrap()), ["quarterly budget", "black tea"]);
    let oldest = RetrievalFilter { reversed: true, ..all.clone() };
    assert_eq!(ids(list(oldest, world.vera.clone()).await.unwrap()), ["black tea", "quarterly budget"]);
    assert_eq!(ids(list(all.clone(), world.atlas.clone()).await.unwrap()), ["black tea"], "what another user asked is not told");
    assert_eq!(ids(list(all.clone(), world.binky.clone()).await.unwrap()).len(), 0);
    assert_eq!(ids(list(RetrievalFilter { memory_id: Some(black), ..all.clone() }, world.vera.clone()).await.unwrap()), ["black tea"]);
    let silent = RetrievalFilter { zero_hit: Some(true), q: Some("BUDGET".into()), ..all.clone() };
    assert_eq!(ids(list(silent, world.vera.clone()).await.unwrap()), ["quarterly budget"]);
    let foreign = RetrievalFilter { agent_id: Some(world.binky.agent_id().unwrap()), ..all };
    assert_eq!(list(foreign, world.atlas.clone()).await.unwrap_err().fields()[0].field, "agent_id");
    assert!(matches!(recall::retrieval(&world.engine, &world.binky, first.retrieval_id, None).await.unwrap_err(), Error::NotFound(_)));
    assert!(matches!(recall::replay(&world.engine, &world.vera, RetrievalId(nowhere()), None).await.unwrap_err(), Error::NotFound(_)));
}

#[tokio::test]
async fn the_log_is_kept_for_as_long_as_it_is_told() {
    let world = alone_with(Settings { retrieval_log_days: NonZeroU32::new(30), ..Settings::default() }).await;
    tokio::spawn(workers::write_log(world.engine.clone(), CancellationToken::new()));
    tea(&world).await;
    asked(&world, question("black tea")).await;
    world.clock.advance(Duration::days(20));
    let kept = asked(&world, question("green tea")).await;
    world.clock.advance(Duration::days(20));
    assert_eq!(recall::sweep(&world.engine, world.engine.clock().now()).await.unwrap(), 1);
    let left = recall::retrievals(&world.engine, &world.vera, &RetrievalFilter::default()).await.unwrap();
    assert_eq!(left.rows.iter().map(|row| row.id).collect::<Vec<_>>(), [kept.retrieval_id]);
}

#[tokio::test]
async fn a_retired_term_is_what_it_was() {
    let world = logged().await;
    let term =
        vocabulary::add(&world.engine, &world.vera, NewTerm { term: "chai", aliases: &["masala"], ..NewTerm::default() }).await.unwrap();
    remember(&world, &world.atlas, fact("masala", "Mina adds cardamom")).await;
    world.clock.advance(Duration::seconds(2));
    let first = asked(&world, question("masala")).await;
    assert_eq!(first.query_canonical.as_deref(), Some("chai"));
    let retire = TermChange::Retire { reason: "nobody says so".into() };
    vocabulary::change(&world.engine, &world.vera, term.term_id.unwrap(), &retire).await.unwrap();
    work(&world).await;
    let now = again(&world, first.retrieval_id).await;
    assert!(now.same, "{:?}", now.lost);
    assert_eq!(now.replayed[0].title, "chai");
}

//! search: words and meaning together, the turns around, who speaks, when, and for which project.

use crate::support::{alone, patient, remember};
use chrono::{DateTime, Utc};
use foundation::projects;
use foundation::testing::{World, fact, nowhere, question};
use remembrancer::{memories, recall, workers};
use tokio_util::sync::CancellationToken;
use wire::{
    Criterion, MatchedBy, MemoryId, MemoryScope, NewProject, Ranking, RecallFilters, RecallRequest, RecallResponse, RememberRequest,
    SearchRequest, Source,
};

fn asking(query: &str) -> SearchRequest {
    SearchRequest { query: query.into(), k: 10, user_id: None, filters: RecallFilters::default(), fewer: false, as_of: None }
}

async fn search(world: &World, request: SearchRequest) -> RecallResponse {
    recall::search(&world.engine, &world.atlas, request).await.unwrap()
}

fn contents(answer: &RecallResponse) -> Vec<&str> {
    answer.memories().iter().map(|hit| hit.content.as_str()).collect()
}

/// A turn of a conversation.
fn turn(channel: &str, at: &str, content: &str) -> RememberRequest {
    let at: DateTime<Utc> = at.parse().unwrap();
    let source = Source { platform: "slack".into(), channel_id: Some(channel.into()), observed_at: Some(at), ..Source::default() };
    RememberRequest { source, ..fact("talk", content) }
}

#[tokio::test]
async fn an_answer_is_found_through_the_question_before_it() {
    let world = World::new().await;
    for content in ["Idris: Which harbour does the ferry leave from?", "Vera: Leith, at six.", "Idris: Good."] {
        remember(&world, &world.atlas, turn("C1", "2026-05-03T10:00:00Z", content)).await;
    }
    remember(&world, &world.atlas, turn("C2", "2026-05-03T10:00:00Z", "Mina: Bread, at six.")).await;
    let answer = search(&world, asking("Where does the ferry leave from")).await;
    let told = contents(&answer);
    let place = |content: &str| told.iter().position(|told| *told == content).unwrap();
    assert!(place("Vera: Leith, at six.") < place("Mina: Bread, at six."), "{told:?}");
    let hit = answer.memories().into_iter().find(|hit| hit.content.starts_with("Vera")).unwrap();
    let words = hit.breakdown.parts.iter().find(|part| part.name == Criterion::Words).unwrap();
    assert!(words.value > 0.0 && hit.matched_words.is_empty(), "its own words say nothing of a ferry");
    let sum: f64 = hit.breakdown.parts.iter().map(|part| part.value * part.weight).sum();
    assert!((sum - hit.score).abs() < 1e-9, "the parts add up to the score");
}

#[tokio::test]
async fn the_person_and_the_month_that_a_question_names_count() {
    let world = World::new().await;
    for (at, content) in [
        ("2026-03-05T10:00:00Z", "Vera: We planted the hazel."),
        ("2026-06-05T10:00:00Z", "Vera: We planted the maple."),
        ("2026-06-06T10:00:00Z", "Idris: We planted the birch."),
    ] {
        remember(&world, &world.atlas, turn(at, at, content)).await;
    }
    let answer = search(&world, asking("What was planted by Vera in June 2026?")).await;
    assert_eq!(contents(&answer)[0], "Vera: We planted the maple.");
    let parts = &answer.memories()[0].breakdown.parts;
    let value = |name| parts.iter().find(|part| part.name == name).unwrap().value;
    assert_eq!((value(Criterion::Speaker), value(Criterion::Date)), (1.0, 1.0));
}

#[tokio::test]
async fn nothing_is_too_weak_unless_few_are_wanted() {
    let world = World::new().await;
    for n in 0..12 {
        remember(&world, &world.atlas, fact(&format!("drawer {n}"), &format!("In drawer {n} lie {n} spoons."))).await;
    }
    remember(&world, &world.atlas, fact("boat", "The boat is called Curlew and painted blue.")).await;
    let all = search(&world, asking("what colour is the boat called Curlew painted")).await;
    assert_eq!((all.hits.len(), all.memories()[0].topic.as_str()), (10, "boat"), "ten were asked for, and there are more");
    let few = search(&world, SearchRequest { fewer: true, ..asking("what colour is the boat called Curlew painted") }).await;
    assert_eq!(few.memories().iter().map(|hit| hit.topic.as_str()).collect::<Vec<_>>(), ["boat"]);
}

#[tokio::test]
async fn retrieval_combines_words_and_meaning_and_explains_itself() {
    let world = World::new().await;
    remember(&world, &world.atlas, fact("deployment", "Deploys run on Tuesdays.")).await;
    let answer = search(&world, asking("deploys on Tuesdays")).await;
    let hit = answer.memories()[0];
    assert_eq!((hit.matched_by, hit.matched_words.join(" ").as_str()), (MatchedBy::Both, "deployment Tuesdays"));
    let named: Vec<Criterion> = hit.breakdown.parts.iter().filter(|part| part.value > 0.0).map(|part| part.name).collect();
    assert!(named.contains(&Criterion::Words) && named.contains(&Criterion::Meaning));
    assert!(hit.explanation.contains("words") && hit.explanation.contains("meaning") && hit.explanation.contains("which makes"));
    // And by words alone when there is no model.
    world.embedder.fail();
    let answer = search(&world, asking("Tuesdays deploys")).await;
    assert_eq!((answer.memories()[0].matched_by, answer.degraded.as_slice()), (MatchedBy::Lexical, ["embedding".to_owned()].as_slice()));
}

pub async fn project(world: &World, slug: &str) -> uuid::Uuid {
    projects::create(&world.engine, &world.system, NewProject { slug: slug.into(), name: slug.into() }).await.unwrap().id
}

async fn of_project(world: &World, project: uuid::Uuid, topic: &str, content: &str) -> MemoryId {
    let request = RememberRequest { scope: Some(MemoryScope::Project), project_id: Some(project.into()), ..fact(topic, content) };
    remember(world, &world.atlas, request).await.memory_id
}

#[tokio::test]
async fn projects_keep_to_themselves_unless_linked_or_strongly_relevant() {
    let world = World::with(
        foundation::testing::TestDatabases::fresh(&foundation::testing::FakeClock::default()).await,
        std::sync::Arc::new(foundation::testing::Fake::new()),
        foundation::testing::Fake::new(),
        patient(),
    )
    .await;
    let (here, there) = (project(&world, "harbour").await, project(&world, "orchard").await);
    let global = RememberRequest { scope: Some(MemoryScope::Global), ..fact("style", "Vera wants short answers about naming") };
    remember(&world, &world.atlas, global).await;
    of_project(&world, here, "naming", "Branches are named after birds").await;
    of_project(&world, there, "trees", "The orchard numbers its naming posts from north to south along the old wall").await;
    let for_project = |project| RecallFilters { for_project: Some(project), ..RecallFilters::default() };
    let answer = search(&world, SearchRequest { filters: for_project(here), ..asking("naming of branches") }).await;
    let told = contents(&answer);
    assert!(told.contains(&"Branches are named after birds") && told.contains(&"Vera wants short answers about naming"), "{told:?}");
    assert_eq!(told.len(), 2, "the other project's is noise: {told:?}");

    let strong = asking("The orchard numbers its naming posts from north to south along the old wall");
    let answer = search(&world, SearchRequest { filters: for_project(here), ..strong }).await;
    assert!(contents(&answer).last().unwrap().starts_with("The orchard numbers"), "strongly relevant, and after what fits");

    projects::link(&world.engine, &world.system, "harbour", "orchard").await.unwrap();
    let answer = search(&world, SearchRequest { filters: for_project(here), ..asking("naming of branches") }).await;
    assert_eq!(contents(&answer).len(), 3, "linked");
}

#[tokio::test]
async fn a_search_is_replayed_like_a_recall() {
    let world = alone().await;
    tokio::spawn(workers::write_log(world.engine.clone(), CancellationToken::new()));
    for content in ["Idris: Which harbour does the ferry leave from?", "Vera: Leith, at six.", "Idris: And in March 2026?", "Vera: Oban."] {
        remember(&world, &world.atlas, turn("C1", "2026-03-03T10:00:00Z", content)).await;
    }
    for n in 0..60 {
        remember(&world, &world.atlas, turn("C2", "2026-04-03T10:00:00Z", &format!("Mina: Parcel {n} left with the ferry."))).await;
    }
    world.clock.advance(chrono::Duration::seconds(1));
    let first = search(&world, asking("When did the ferry leave Leith with Vera in March 2026?")).await;
    world.engine.log().flush().await;
    world.clock.advance(chrono::Duration::seconds(1));
    memories::delete(&world.engine, &world.vera, &[first.memories()[0].memory_id], "wrong").await.unwrap();
    let replay = recall::replay(&world.engine, &world.vera, first.retrieval_id, None).await.unwrap();
    let ids = |list: &[wire::Considered]| list.iter().filter(|one| one.rank.is_some()).map(|one| one.memory_id).collect::<Vec<_>>();
    assert_eq!(ids(&replay.replayed), ids(&replay.logged.considered));
    assert!(replay.same, "{:?}", replay.lost);
    assert_ne!(ids(&replay.today), ids(&replay.replayed));
}

#[tokio::test]
async fn hybrid_recall_keeps_the_floor() {
    let world = World::new().await;
    remember(&world, &world.atlas, fact("kettle", "The kettle is in the green cupboard")).await;
    let hybrid = |query: &str| RecallRequest { ranking: Some(Ranking::Hybrid), ..question(query) };
    let found = recall::recall(&world.engine, &world.atlas, hybrid("green kettle")).await.unwrap();
    assert_eq!((found.hits.len(), found.zero_hit), (1, false));
    assert!(recall::recall(&world.engine, &world.atlas, hybrid("quarterly budget")).await.unwrap().zero_hit);
}

#[tokio::test]
async fn filters_narrow_and_contradictions_are_named() {
    let world = World::new().await;
    for (at, content) in [("2026-03-05T10:00:00Z", "Vera: tea in March"), ("2026-06-05T10:00:00Z", "Vera: tea in June")] {
        remember(&world, &world.atlas, turn("C1", at, content)).await;
    }
    let from = RecallFilters { from: Some("2026-05-01T00:00:00Z".parse().unwrap()), ..RecallFilters::default() };
    assert_eq!(contents(&search(&world, SearchRequest { filters: from.clone(), ..asking("tea") }).await), ["Vera: tea in June"]);
    let refused = |filters: RecallFilters| {
        let engine = world.engine.clone();
        let ctx = world.atlas.clone();
        async move { recall::search(&engine, &ctx, SearchRequest { filters, ..asking("tea") }).await.unwrap_err().fields()[0].field.clone() }
    };
    assert_eq!(refused(RecallFilters { until: from.from, ..from }).await, "filters.until");
    let nobody = RecallFilters { project_id: Some(nowhere()), scopes: vec![MemoryScope::Agent], ..RecallFilters::default() };
    assert_eq!(refused(nobody).await, "filters.scopes");
}

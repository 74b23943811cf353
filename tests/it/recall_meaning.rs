//! Tests that need a real model: questions in other words than the memory's.

use crate::support::{Fetch, Told, ingest, patient, remember};
use foundation::OpContext;
use foundation::testing::{Fake, TestDatabases, World, fact, question};
use models::local::{KNOWN, Known, Local, LocalOptions};
use remembrancer::{knowledge, recall};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::OnceCell;
use wire::{DocumentFilter, KnowledgeRequest, MatchedBy, RecallResponse, RememberRequest, Source, SourceTag};

async fn load(model: &'static Known, loaded: &OnceCell<Local>) -> World {
    let place = |name: &str| PathBuf::from(std::env::var_os(name).unwrap_or_else(|| panic!("{name} is set by scripts/env.sh")));
    let options = || LocalOptions::new(model, place("REMEMBRANCER_MODEL_DIR").join(model.folder), place("REMEMBRANCER_ONNXRUNTIME"));
    let model = loaded.get_or_init(|| async { Local::load(&options()).unwrap() }).await.clone();
    World::with(TestDatabases::shared().await, Arc::new(model), Fake::new(), patient()).await
}

/// A world with the model of a new installation.
pub async fn with_model() -> World {
    static MODEL: OnceCell<Local> = OnceCell::const_new();
    load(&KNOWN[0], &MODEL).await
}

/// A world with the model that knows English only.
pub async fn with_english_model() -> World {
    static MODEL: OnceCell<Local> = OnceCell::const_new();
    load(&KNOWN[1], &MODEL).await
}

async fn ask(world: &World, ctx: &OpContext, query: &str) -> RecallResponse {
    recall::recall(&world.engine, ctx, question(query)).await.unwrap()
}

fn said_in(platform: &str, channel: &str, thread: &str, topic: &str, content: &str) -> RememberRequest {
    let source = Source {
        platform: platform.into(),
        channel_id: Some(channel.into()),
        thread_id: Some(thread.into()),
        message_id: Some("m-1".into()),
        speaker: None,
        observed_at: "2026-05-03T10:15:30Z".parse().ok(),
    };
    RememberRequest { source, ..fact(topic, content) }
}

#[tokio::test]
async fn what_was_said_in_a_drive_comment_is_known_in_a_slack_thread() {
    in_other_words(with_model().await, "When is the release?").await;
    in_other_words(with_english_model().await, "When do we ship, now that the date slipped?").await;
}

async fn in_other_words(world: World, question: &str) {
    let drive =
        said_in("drive", "doc-42", "comment-7", "quarterly roadmap", "The launch was moved from June to the second week of September.");
    let kept = remember(&world, &world.atlas, drive.clone()).await;
    for (topic, content) in [
        ("lunch", "The cafeteria serves noodles on Wednesdays."),
        ("travel", "Vera flies to Lisbon in October and prefers a window seat."),
        ("build", "Continuous integration runs on two cores."),
    ] {
        remember(&world, &world.atlas, said_in("slack", "C1", "T1", topic, content)).await;
    }
    // The same agent, asked elsewhere and in other words.
    let answer = ask(&world, &world.atlas, question).await;
    let hit = answer.memories()[0];
    assert_eq!((hit.memory_id, hit.matched_by, hit.source_tag), (kept.memory_id, MatchedBy::Vector, SourceTag::Private));
    assert_eq!((&hit.source, hit.content.as_str()), (&drive.source, drive.content.as_str()));
    assert_eq!(hit.evidence.as_deref(), Some("drive/doc-42/comment-7/m-1"));
    assert!(hit.matched_words.is_empty(), "not one word in common: {:?}", hit.matched_words);
    // Another agent does not know it.
    assert!(ask(&world, &world.binky, question).await.told().is_empty());
}

#[tokio::test]
async fn a_question_about_nothing_that_is_known_is_a_zero_hit() {
    let world = with_model().await;
    remember(&world, &world.atlas, fact("travel", "Vera flies to Lisbon in October and prefers a window seat.")).await;
    remember(&world, &world.atlas, fact("build", "Continuous integration runs on two cores.")).await;
    let answer = ask(&world, &world.atlas, "How is sourdough bread baked?").await;
    assert!(answer.zero_hit, "{:?}", answer.memories().iter().map(|hit| (hit.similarity, &hit.content)).collect::<Vec<_>>());
}

/// Names have many tokens in few characters: the model would read only half of the longest chunk.
#[tokio::test]
async fn the_end_of_a_dense_document_is_found_by_its_meaning() {
    let world = with_english_model().await;
    let genera = ["Phalaenopsis", "Paphiopedilum", "Dendrobium", "Bulbophyllum", "Cymbidium", "Masdevallia", "Epidendrum"];
    let species = ["rothschildianum", "cuthbertsonii", "hieroglyphica", "schilleriana", "sanderianum", "lowii", "kolopakingii"];
    let shelf = |n: usize| format!("{} {}, ", genera[n % genera.len()], species[n / genera.len() % species.len()]);
    let tokens = world.engine.tokens();
    let shelves = |from: usize| {
        let mut text = "On the shelves: ".to_owned();
        for n in from.. {
            if tokens.count(&text) > tokens.limit() {
                return format!("{text}and room for more.");
            }
            text.push_str(&shelf(n));
        }
        text
    };
    let end = "Should a pane break at night, Idris is called: he is a glazier and brings new glass within the hour. \
               Broken panes are swept up and replaced before the cold comes in.";
    let last = format!("{} {end}", shelves(31));
    assert!(last.len() < 1_200, "{} characters", last.len());
    let greenhouse = format!("# Greenhouse\n\n{}\n\n{}\n\n{last}\n", shelves(0), shelves(17));
    let handbook = knowledge::read(&PathBuf::from("server/demo/src/knowledge"), None).unwrap();
    let files = handbook.files.into_iter().chain([("greenhouse.md".to_owned(), greenhouse.into_bytes())]).collect();
    assert_eq!(ingest(&world, "acme", files).await.failures, []);
    for document in knowledge::documents(&world.engine, &world.vera, &DocumentFilter::default()).await.unwrap().rows {
        while knowledge::embed_document(&world.engine, &world.system, document.id).await.unwrap() == "more to come" {}
    }
    // Not one word in common: only the meaning of the last sentence answers.
    let request = KnowledgeRequest { query: "Who repairs a shattered window?".into(), k: 5, kinds: vec![] };
    let hits = knowledge::search(&world.engine, &world.atlas, request).await.unwrap().hits;
    let all: Vec<_> = hits.iter().map(|hit| (hit.similarity, &hit.content)).collect();
    let hit = hits.first().unwrap_or_else(|| panic!("nothing is found"));
    assert!(hit.content.ends_with(end) && hit.matched_by == MatchedBy::Vector && hit.matched_words.is_empty(), "{all:?}");
}

#[tokio::test]
async fn a_rewording_is_a_version_and_another_fact_is_not() {
    let world = with_model().await;
    let first = remember(&world, &world.atlas, fact("vera's diet", "Vera is allergic to peanuts.")).await;
    let reworded = remember(&world, &world.atlas, fact("vera's diet", "Vera is allergic to peanuts!")).await;
    assert_eq!((reworded.memory_id, reworded.was_update), (first.memory_id, true));
    let other = remember(&world, &world.atlas, fact("vera's diet", "On Fridays Vera eats fish with her team.")).await;
    assert_ne!(other.memory_id, first.memory_id);
    let (rows,): (i64,) = sqlx::query_as("select count(*) from agent_memories where tenant_id = $1 and live")
        .bind(world.atlas.tenant_id)
        .one(&world.engine)
        .await;
    assert_eq!(rows, 2);
}

#[tokio::test]
async fn a_question_is_answered_by_a_memory_in_another_language() {
    let world = with_model().await;
    let kept =
        remember(&world, &world.atlas, fact("Lieferung", "Die Lieferung kommt erst am Donnerstag, weil die Brücke gesperrt ist.")).await;
    for (topic, content) in
        [("昼食", "食堂では水曜日に麺が出る。"), ("voyage", "Vera préfère une place côté fenêtre."), ("build", "CI runs on two cores.")]
    {
        remember(&world, &world.atlas, fact(topic, content)).await;
    }
    for question in ["配達はいつ来ますか。", "في أي يوم يصل التوصيل؟", "When will the delivery arrive?"] {
        let answer = ask(&world, &world.atlas, question).await;
        assert_eq!(answer.memories().first().map(|hit| hit.memory_id), Some(kept.memory_id), "{question}: {:?}", answer.told());
    }
}

//! The memory block, below HTTP: what is stored, what is suggested instead, and that concurrent additions leave one entry.

use crate::support::{alone, alone_with, patient, remember};
use foundation::testing::{World, fact, question};
use futures_util::future::join_all;
use remembrancer::{memories, memory_block, recall, vocabulary, workers};
use uuid::Uuid;
use wire::{AddMemoryRequest, AddMemoryResponse, Category, MemoryRef, MemoryScope, RememberRequest, Source, UpdateMemoryRequest, UserId};

fn entry(category: Category, subject: Option<&str>, content: &str) -> AddMemoryRequest {
    AddMemoryRequest { content: content.into(), category, subject: subject.map(str::to_owned), force: false, source: None, user_id: None }
}

async fn add(world: &World, request: AddMemoryRequest) -> AddMemoryResponse {
    memory_block::add(&world.engine, &world.atlas, request, "rest").await.unwrap()
}

async fn listed(world: &World) -> Vec<String> {
    let list = memory_block::list(&world.engine, &world.atlas, None).await.unwrap();
    assert_eq!(list.total, i64::try_from(list.memories.len()).unwrap());
    list.memories.into_iter().map(|memory| memory.content).collect()
}

#[tokio::test]
async fn what_else_is_known_of_a_person_is_named_before_more_is_stored() {
    let world = World::new().await;
    let person = |content: &str| entry(Category::Person, Some("Mina"), content);
    let first = add(&world, person("Mina works on the Platform team")).await;
    assert!(first.stored && first.suggestion.is_none());
    let known = first.memory.unwrap().id;
    for content in ["Her birthday is in early spring", "Mina works on the Design team"] {
        let answer = add(&world, person(content)).await;
        assert!(!answer.stored && answer.memory.is_none() && answer.suggestion.is_none(), "{content}");
        assert_eq!(answer.same_subject.iter().map(|entry| entry.id.as_str()).collect::<Vec<_>>(), [known.as_str()], "{content}");
    }
    let forced = add(&world, AddMemoryRequest { force: true, ..person("Her birthday is in early spring") }).await;
    assert!(forced.stored && forced.same_subject.len() == 1, "another fact about the same person");
    let elsewhere = add(&world, entry(Category::Person, Some("Idris"), "Mina works on the Design team")).await;
    assert!(elsewhere.stored, "of another subject it must be more alike");
    let twin = add(&world, entry(Category::Context, Some("Mina"), "Mina works on the Platform team!")).await;
    assert!(!twin.stored && twin.suggestion.unwrap().similarity > 0.92, "under any other name");
    assert_eq!(listed(&world).await.len(), 3);
}

#[tokio::test]
async fn equal_content_is_recognised_without_a_model() {
    let world = World::new().await;
    world.embedder.fail();
    assert!(add(&world, entry(Category::Preference, None, "Due dates on Fridays, please")).await.stored);
    let again = add(&world, entry(Category::Context, Some("dates"), "Due dates on Fridays, please")).await;
    assert_eq!((again.stored, again.suggestion.unwrap().similarity), (false, 1.0));
}

#[tokio::test]
async fn a_subject_is_proposed_to_the_vocabulary_and_a_category_is_not() {
    let world = alone().await;
    add(&world, entry(Category::Preference, None, "Due dates on Fridays, please")).await;
    add(&world, entry(Category::Preference, Some("  "), "Short answers, if possible")).await;
    add(&world, entry(Category::Project, Some("Zephyr"), "Zephyr is written in Rust")).await;
    workers::drain(&world.engine).await.unwrap();
    let proposals = vocabulary::proposals(&world.engine, &world.vera, &Default::default()).await.unwrap();
    assert_eq!(proposals.rows.iter().map(|proposal| proposal.phrase.as_str()).collect::<Vec<_>>(), ["Zephyr"]);
    let first = memory_block::list(&world.engine, &world.atlas, None).await.unwrap().memories.remove(0);
    assert_eq!(memories::record(&world.engine, &world.atlas, &first.id.parse().unwrap(), None).await.unwrap().topic_raw, "preference");
}

#[tokio::test]
async fn the_list_holds_what_lives_has_a_category_and_is_the_callers() {
    let world = World::new().await;
    let categorised = |topic: &str, content: &str| RememberRequest { category: Some(Category::Context), ..fact(topic, content) };
    remember(&world, &world.atlas, categorised("office", "The office is in Bern")).await;
    remember(&world, &world.atlas, fact("lunch", "Lunch is at noon")).await;
    remember(&world, &world.binky, categorised("door", "The door code is on the wall")).await;
    let shared = RememberRequest { scope: Some(MemoryScope::Global), commons: true, ..categorised("floor", "We are on the third floor") };
    remember(&world, &world.binky, shared).await;
    let user = UserId(Uuid::from_u128(4));
    remember(&world, &world.atlas, RememberRequest { user_id: Some(user.into()), ..categorised("desk", "Idris sits at the window") }).await;
    assert_eq!(listed(&world).await, ["The office is in Bern", "We are on the third floor"]);
    assert_eq!(memory_block::list(&world.engine, &world.atlas, Some(&user.into())).await.unwrap().total, 3);
    let block = memory_block::prompt(&world.engine, &world.atlas, None).await.unwrap().text;
    assert!(block.contains("The office is in Bern") && !block.contains("Lunch") && !block.contains("Idris"), "{block}");
}

#[tokio::test]
async fn the_block_keeps_its_bytes_until_what_it_says_changes() {
    let world = World::new().await;
    add(&world, entry(Category::Person, Some("Mina"), "Mina is Vera's boss")).await;
    let id = add(&world, entry(Category::Context, None, "Vera works from\nBern\r\n## Your Memory")).await.memory.unwrap().id;
    let block = || async { memory_block::prompt(&world.engine, &world.atlas, None).await.unwrap() };
    let first = block().await;
    assert!(first.text.contains(&format!("- [id:{id}] Vera works from Bern ## Your Memory\n")), "{}", first.text);
    remember(&world, &world.atlas, fact("lunch", "Lunch is at noon")).await;
    world.clock.advance(chrono::Duration::days(9));
    assert_eq!(block().await, first, "neither time nor other memories show");
    let request =
        UpdateMemoryRequest { memory_id: id.parse().unwrap(), content: "Vera works from Basel".into(), source: None, user_id: None };
    let (memory, told) = memory_block::update(&world.engine, &world.atlas, request, "rest").await.unwrap();
    assert_eq!((memory.version, memory.content.as_str()), (2, "Vera works from Basel"));
    assert_eq!(
        (told.old_content.as_str(), told.new_content.as_str()),
        ("Vera works from\nBern\r\n## Your Memory", "Vera works from Basel")
    );
    let second = block().await;
    assert!(second.etag != first.etag && second.text != first.text);
}

#[tokio::test]
async fn an_update_says_where_its_words_come_from_and_the_earlier_version_keeps_its_source() {
    let world = World::new().await;
    let said = Source {
        platform: "slack".into(),
        channel_id: Some("C1".into()),
        thread_id: Some("T7".into()),
        message_id: Some("M3".into()),
        speaker: None,
        observed_at: Some("2026-04-01T09:00:00Z".parse().unwrap()),
    };
    let request =
        AddMemoryRequest { source: Some(said.clone()), ..entry(Category::Person, Some("Mina"), "Mina works on the Platform team") };
    let id: MemoryRef = add(&world, request).await.memory.unwrap().id.parse().unwrap();
    let corrected =
        Source { platform: "telegram".into(), channel_id: Some("4711".into()), message_id: Some("12".into()), ..Source::default() };
    for (content, source) in [("Mina works on the Design team", Some(corrected.clone())), ("Mina is Design team lead", None)] {
        let request = UpdateMemoryRequest { memory_id: id.clone(), content: content.into(), source, user_id: None };
        memory_block::update(&world.engine, &world.atlas, request, "rest").await.unwrap();
    }
    let record = memories::record(&world.engine, &world.atlas, &id, None).await.unwrap();
    let today = world.engine.clock().now().date_naive();
    assert_eq!((record.source.platform.as_str(), record.observed_at.map(|at| at.date_naive())), ("rest", Some(today)));
    let history = memory_block::get(&world.engine, &world.atlas, &id, None).await.unwrap().versions;
    let corrected = Source { observed_at: history[1].source.observed_at, ..corrected };
    assert_eq!(history.into_iter().map(|version| version.source).collect::<Vec<_>>(), [said, corrected, record.source.clone()]);
    let hit = recall::recall(&world.engine, &world.atlas, question("Mina")).await.unwrap().memories()[0].clone();
    assert_eq!((&hit.source, &hit.attribution), (&record.source, &format!("I remember (from {}):", today.format("%-d %B %Y"))));
    assert_eq!(hit.content, "Mina is Design team lead");

    let long = Source { platform: "x".repeat(65), ..Source::default() };
    let request = AddMemoryRequest { source: Some(long.clone()), ..entry(Category::Context, None, "Vera works from Bern") };
    assert_eq!(memory_block::add(&world.engine, &world.atlas, request, "rest").await.unwrap_err().fields()[0].field, "source.platform");
    let request = UpdateMemoryRequest { memory_id: id, content: "Mina leads Design".into(), source: Some(long), user_id: None };
    assert_eq!(memory_block::update(&world.engine, &world.atlas, request, "rest").await.unwrap_err().fields()[0].field, "source.platform");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_who_add_the_same_under_different_subjects_leave_one() {
    let world = alone_with(patient()).await;
    let running: Vec<_> = (0..32)
        .map(|n| {
            let (engine, ctx) = (world.engine.clone(), world.atlas.clone());
            let request = entry(Category::Context, Some(&format!("subject {n}")), "The deploy freeze begins on 20 December");
            tokio::spawn(async move { memory_block::add(&engine, &ctx, request, "rest").await.unwrap() })
        })
        .collect();
    let answers: Vec<_> = join_all(running).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(answers.iter().filter(|answer| answer.stored).count(), 1);
    assert!(answers.iter().all(|answer| answer.stored != answer.suggestion.is_some()));
    assert_eq!(listed(&world).await.len(), 1);
}

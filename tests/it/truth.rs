//! A write never hides another fact, one fact is one memory, and of two statements of one matter the later comes first.

use crate::recall_meaning::{with_english_model, with_model};
use crate::support::{Fetch, alone, alone_with, ask, contents, ingest, owner, patient, remember, work};
use chrono::{DateTime, Duration, Utc};
use db::clock::Clock;
use foundation::OpContext;
use foundation::testing::{World, fact, question};
use futures_util::future::join_all;
use remembrancer::{knowledge, memories, recall};
use wire::{
    ForgetRequest, KnowledgeRequest, MemoryId, MemoryKind, MemoryScope, MemoryStatus, RecallRequest, RememberRequest, RememberResponse,
    ReviseRequest, Trust, UserRef,
};

/// A fact that was said some days ago.
fn said(world: &World, days_ago: i64, topic: &str, content: &str) -> RememberRequest {
    let mut request = fact(topic, content);
    request.source.observed_at = Some(world.clock.now() - Duration::days(days_ago));
    request
}

async fn live(world: &World, agent: &OpContext) -> i64 {
    sqlx::query_scalar("select count(*) from agent_memories where agent_id = $1 and live")
        .bind(agent.agent_id().unwrap().0)
        .one(&world.engine)
        .await
}

async fn suggestions(world: &World) -> Vec<(String, String)> {
    sqlx::query_as("select relation, reason from memory_proposals where tenant_id = $1 and state = 'open' order by created_at, id")
        .bind(world.system.tenant_id)
        .all(&world.engine)
        .await
}

#[tokio::test]
async fn a_near_fact_that_differs_stands_beside_the_other_and_is_named() {
    let world = with_model().await;
    for (topic, one, other, differs) in [
        ("quay", "The ferry leaves from quay 3.", "The ferry leaves from quay 8.", "number"),
        ("cabins", "Cabin C7 sleeps four people.", "Cabin C8 sleeps four people.", "identifier"),
        ("languages", "Idris speaks Danish and Swedish.", "Idris speaks Danish and Finnish.", "name"),
        ("allergies", "Vera is allergic to wool.", "Vera is not allergic to wool.", "negation"),
        ("gym", "Mina has her gym class on Monday.", "Mina has her gym class on Thursday.", "date"),
        ("token", "The access token lives for 15 minutes.", "The access token lives for 15 hours.", "unit"),
        ("restart", "Run the check before the restart.", "Run the check after the restart.", "opposite"),
    ] {
        let first = remember(&world, &world.atlas, fact(topic, one)).await;
        let second = remember(&world, &world.atlas, fact(topic, other)).await;
        assert!(!second.was_update && !second.unchanged && first.memory_id != second.memory_id, "{one} / {other}");
        let [near] = second.similar.as_slice() else { panic!("{one} / {other}: {:?}", second.similar) };
        assert_eq!((near.memory_id, near.content.as_str(), near.differs.as_str()), (first.memory_id, one, differs), "{other}");
        let found = contents(&world, &world.atlas, one).await;
        assert!(found.contains(&one.to_owned()) && found.contains(&other.to_owned()), "{found:?}");
    }
    let suggestions = suggestions(&world).await;
    assert_eq!(suggestions.len(), 7);
    assert!(suggestions.iter().all(|(relation, reason)| relation == "supersedes" && reason.contains("differ")), "{suggestions:?}");
}

#[tokio::test]
async fn what_a_person_writes_for_an_agent_is_quoted_as_theirs_and_names_what_is_near() {
    let world = with_model().await;
    let (engine, vera, atlas) = (&world.engine, &world.vera, world.atlas.agent_id().unwrap());
    let write = async |request: RememberRequest| memories::remember_by_hand(engine, vera, atlas, request).await;
    let known = remember(&world, &world.atlas, fact("quay", "The ferry leaves from quay 3.")).await.memory_id;
    // Neither the place nor the readers are what the request claims.
    let asked = RememberRequest { commons: true, scope: Some(MemoryScope::Agent), ..fact("quay", "The ferry leaves from quay 8.") };
    let written = write(asked.clone()).await.unwrap();
    let [near] = written.similar.as_slice() else { panic!("{written:?}") };
    assert_eq!((near.memory_id, near.differs.as_str()), (known, "number"));
    let detail = memories::detail(engine, vera, written.memory_id).await.unwrap();
    let source = &detail.memory.source;
    assert_eq!((source.platform.as_str(), source.channel_id.as_deref(), source.speaker.as_deref()), ("console", None, Some("Vera")));
    assert_eq!((detail.memory.agent_id, detail.record.trust), (atlas, Trust::Captured));
    assert_eq!(detail.record.versions[0].actor_name, "Vera");
    assert!(write(asked.clone()).await.unwrap().unchanged);

    let of_a_stranger = RememberRequest { user_id: Some(UserRef::External("nobody".into())), ..asked.clone() };
    assert_eq!(write(of_a_stranger).await.unwrap_err().fields()[0].field, "user_id", "a person is not made up");
    let of_all = memories::remember_by_hand(engine, vera, world.system.commons_id, asked.clone()).await.unwrap_err();
    assert_eq!(of_all.fields()[0].field, "agent");
    let wrong = write(RememberRequest { content: " ".into(), confidence: Some(2.0), ..asked }).await.unwrap_err();
    assert_eq!(wrong.fields().iter().map(|wrong| wrong.field.as_str()).collect::<Vec<_>>(), ["content", "confidence"]);
}

#[tokio::test]
async fn the_same_fact_in_other_words_is_one_memory() {
    let world = with_model().await;
    for (topic, one, other) in [
        ("editor", "Mina prefers Kakoune as her editor.", "Kakoune is the editor that Mina prefers."),
        ("allergies", "Idris is allergic to pollen.", "Idris has a pollen allergy."),
        ("backup", "Snapshots are taken every night at three.", "Every night at three the snapshots are taken."),
        ("queue", "The team decided to use Kafka.", "The team has decided on Kafka."),
        ("travel", "Vera will be on a train in July.", "In July Vera will be on a train."),
    ] {
        let first = remember(&world, &world.atlas, fact(topic, one)).await;
        let second = remember(&world, &world.atlas, fact(topic, other)).await;
        assert!(second.was_update && second.memory_id == first.memory_id && second.similar.is_empty(), "{one} / {other}");
    }
    assert_eq!((live(&world, &world.atlas).await, suggestions(&world).await.len()), (5, 0));
}

/// In no script are two facts one, even if the model finds them near.
#[tokio::test]
async fn unrelated_facts_in_any_script_stay_apart() {
    let world = with_model().await;
    let facts = [
        "钥匙在抽屉里。",
        "狗在花园里。",
        "会议改到三点。",
        "会议改到四点。",
        "鍵は机の上にある。",
        "猫は庭にいる。",
        "열쇠는 서랍에 있다.",
        "개는 정원에 있다.",
        "กุญแจอยู่ในลิ้นชัก",
        "สุนัขอยู่ในสวน",
        "المفتاح في الدرج.",
        "الكلب في الحديقة.",
        "चाबी दराज में है।",
        "कुत्ता बगीचे में है।",
        "Ключ лежит в ящике.",
        "Собака спит в саду.",
        "Anahtar çekmecede.",
        "Köpek bahçede.",
        "🙂🙂",
        "🙁🙁",
        "⛵ → 🏠",
        "🏠 → ⛵",
    ];
    for one in facts {
        remember(&world, &world.atlas, fact("notes", one)).await;
    }
    assert_eq!(live(&world, &world.atlas).await, facts.len() as i64);
    for one in facts {
        remember(&world, &world.atlas, fact("notes", one)).await;
    }
    assert_eq!(live(&world, &world.atlas).await, facts.len() as i64, "the same again is recognised");
}

#[tokio::test]
async fn a_language_that_the_model_does_not_know_is_found_by_its_words() {
    let world = with_english_model().await;
    let stored = remember(&world, &world.atlas, fact("狗", "狗在花园里睡觉。")).await;
    assert_eq!(stored.degraded, ["language"]);
    assert!(remember(&world, &world.atlas, fact("dog", "The dog sleeps in the garden.")).await.degraded.is_empty());
    work(&world).await;
    let vectors: i64 =
        sqlx::query_scalar("select count(*) from embeddings_384 where memory_id = $1").bind(stored.memory_id).one(&world.engine).await;
    assert_eq!(vectors, 0, "no job makes one either");
    let answer = ask(&world, &world.atlas, "狗在花园里睡觉").await;
    assert_eq!((answer.degraded.as_slice(), answer.memories()[0].memory_id), (["language".to_owned()].as_slice(), stored.memory_id));
}

#[tokio::test]
async fn documents_in_a_language_that_the_model_does_not_know_are_found_by_their_words() {
    let world = with_english_model().await;
    let files = vec![
        ("zh.md".into(), "# 花园\n\n狗在花园里睡觉。猫在屋顶上。\n".as_bytes().to_vec()),
        ("en.md".into(), b"# Garden\n\nThe dog sleeps in the garden.\n".to_vec()),
    ];
    ingest(&world, "wiki", files).await;
    work(&world).await;
    let sql = r"select d.path from chunk_embeddings_384 e
                  join chunks c on c.tenant_id = e.tenant_id and c.id = e.chunk_id
                  join documents d on d.tenant_id = c.tenant_id and d.id = c.document_id
                 where e.tenant_id = $1";
    let mut kb = owner(&world.engine.urls().shared_kb).await;
    assert_eq!(sqlx::query_scalar::<_, String>(sql).bind(world.system.tenant_id).fetch_all(&mut kb).await.unwrap(), ["en.md"]);
    let request = KnowledgeRequest { query: "狗在花园里睡觉".into(), k: 5, kinds: vec![] };
    let found = knowledge::search(&world.engine, &world.atlas, request).await.unwrap();
    assert_eq!(found.hits.iter().map(|hit| hit.path.as_str()).collect::<Vec<_>>(), ["zh.md"]);
}

async fn topics(world: &World, id: MemoryId) -> Vec<String> {
    sqlx::query_scalar("select topic from memory_topics where memory_id = $1 order by topic").bind(id).all(&world.engine).await
}

#[tokio::test]
async fn one_content_is_one_memory_under_all_of_its_topics() {
    let world = alone_with(patient()).await;
    let first = remember(&world, &world.atlas, fact("wifi", "The password is on the board.")).await;
    for topic in ["WiFi", "ＷＩＦＩ", " wifi ", "guest network", "Guest_Network"] {
        let again = remember(&world, &world.atlas, fact(topic, "The password is on the board.")).await;
        assert_eq!((again.memory_id, again.unchanged), (first.memory_id, true), "{topic}");
    }
    assert_eq!((live(&world, &world.atlas).await, topics(&world, first.memory_id).await), (1, vec!["guest network".to_owned()]));
    for query in ["wifi", "guest network"] {
        assert_eq!(contents(&world, &world.atlas, query).await, ["The password is on the board."], "{query}");
    }
    // Another agent and another person have a memory of their own.
    assert_ne!(remember(&world, &world.binky, fact("wifi", "The password is on the board.")).await.memory_id, first.memory_id);
}

/// Private and shared, as a profile and as an episode: equal contents may be several memories, and an answer has one of them.
#[tokio::test]
async fn a_recall_never_holds_a_content_twice_and_forgetting_names_the_copies() {
    let world = alone_with(patient()).await;
    let content = "The harbour office opens at eight.";
    let private = remember(&world, &world.atlas, fact("office", content)).await;
    let shared = RememberRequest { commons: true, scope: Some(MemoryScope::Global), ..fact("office", content) };
    let shared = remember(&world, &world.atlas, shared).await;
    let episode = RememberRequest { kind: Some(MemoryKind::Episode), ..fact("office", content) };
    let episode = remember(&world, &world.atlas, episode).await;
    assert!(private.memory_id != shared.memory_id && private.memory_id != episode.memory_id);
    assert_eq!(contents(&world, &world.atlas, "When does the harbour office open?").await, [content]);
    let forget = ForgetRequest { memory_id: private.memory_id.into(), reason: None, user_id: None };
    let mut copies = memories::forget(&world.engine, &world.atlas, forget).await.unwrap().copies;
    copies.sort_unstable();
    let mut expected = vec![shared.memory_id, episode.memory_id];
    expected.sort_unstable();
    assert_eq!(copies, expected);
}

#[tokio::test]
async fn what_was_said_earlier_never_replaces_what_was_said_later() {
    let world = with_model().await;
    let newer = remember(&world, &world.atlas, said(&world, 10, "editor", "Mina prefers Kakoune as her editor.")).await;
    let older = remember(&world, &world.atlas, said(&world, 800, "editor", "Kakoune is the editor that Mina prefers.")).await;
    assert_eq!((older.memory_id, older.unchanged, older.was_update), (newer.memory_id, true, false));
    assert_eq!(contents(&world, &world.atlas, "Which editor does Mina prefer?").await, ["Mina prefers Kakoune as her editor."]);
    let kept: Vec<(String, String)> = sqlx::query_as("select content, status from agent_memories where tenant_id = $1 order by stated_at")
        .bind(world.system.tenant_id)
        .all(&world.engine)
        .await;
    assert_eq!(kept[0], ("Kakoune is the editor that Mina prefers.".to_owned(), "superseded".to_owned()), "and it is in the history");
    let latest = remember(&world, &world.atlas, said(&world, 0, "editor", "Kakoune is the editor that Mina prefers.")).await;
    assert_eq!((latest.memory_id, latest.was_update), (newer.memory_id, true));
}

/// Times that no one can have meant: the future, the first year, a million days.
#[tokio::test]
async fn odd_times_hide_nothing_and_forget_nothing() {
    let world = alone_with(patient()).await;
    let at = |text: &str| -> DateTime<Utc> { text.parse().unwrap() };
    for (n, observed_at) in
        [(1, Some(at("0001-01-01T00:00:00Z"))), (2, Some(at("1990-01-01T00:00:00Z"))), (3, Some(at("2999-01-01T00:00:00Z"))), (4, None)]
    {
        let mut request = fact(&format!("gauge {n}"), &format!("Gauge {n} is on the north pier."));
        request.source.observed_at = observed_at;
        remember(&world, &world.atlas, request).await;
    }
    let answer = recall::recall(&world.engine, &world.atlas, RecallRequest { k: 10, ..question("Where are the gauges?") }).await.unwrap();
    let hits = answer.memories();
    assert_eq!(hits.len(), 4, "{hits:?}");
    assert!(hits.iter().all(|hit| hit.score.is_finite() && (0.0..=1.0).contains(&hit.recency_score)));
    world.clock.advance(Duration::days(4_000));
    assert_eq!(ask(&world, &world.atlas, "Where are the gauges?").await.memories().len(), 4, "age forgets nothing");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixteen_who_remember_near_duplicates_at_once_leave_a_memory_for_each_fact() {
    let world = alone_with(patient()).await;
    let writers = (0..16).map(|n| {
        let (engine, ctx) = (world.engine.clone(), world.atlas.clone());
        // Four facts, each by four writers and in two wordings, under two topics.
        let (berth, topic) = (n % 4, if n % 3 == 0 { "berths" } else { "Berths" });
        let content = if n < 8 { format!("Berth {berth} is free until noon") } else { format!("Berth {berth} is free until noon.") };
        let request = fact(topic, &content);
        tokio::spawn(async move { memories::remember(&engine, &ctx, request).await.unwrap() })
    });
    let answers: Vec<RememberResponse> = join_all(writers).await.into_iter().map(Result::unwrap).collect();
    assert_eq!((answers.iter().filter(|answer| !answer.was_update && !answer.unchanged).count(), live(&world, &world.atlas).await), (4, 4));
}

#[tokio::test]
async fn late_vectors_merge_the_same_fact_and_keep_what_differs() {
    let world = alone().await;
    world.embedder.fail();
    for content in
        ["Berth 1 is free until noon", "Berth 2 is free until noon", "berth 1 is free until noon!", "Until noon berth 2 is free."]
    {
        remember(&world, &world.atlas, fact("berths", content)).await;
        world.clock.advance(Duration::seconds(1));
    }
    assert_eq!(live(&world, &world.atlas).await, 4);
    world.embedder.work();
    work(&world).await;
    let mut left = contents(&world, &world.atlas, "Which berth is free until noon?").await;
    left.sort();
    assert_eq!(left, ["Until noon berth 2 is free.", "berth 1 is free until noon!"]);
}

#[tokio::test]
async fn a_revision_to_the_content_of_another_memory_leaves_one() {
    let world = alone_with(patient()).await;
    let one = remember(&world, &world.atlas, fact("lighthouse", "The lamp is green.")).await;
    let other = remember(&world, &world.atlas, fact("lamp", "The lamp is red.")).await;
    let revise = ReviseRequest {
        memory: other.memory_id.into(),
        content: "The lamp is green.".into(),
        source: None,
        confidence: None,
        summary: None,
        rationale: None,
        evidence_ref: None,
        user_id: None,
    };
    memories::revise(&world.engine, &world.atlas, revise).await.unwrap();
    assert_eq!(live(&world, &world.atlas).await, 1);
    let status: MemoryStatus =
        sqlx::query_scalar("select status from agent_memories where id = $1").bind(one.memory_id).one(&world.engine).await;
    assert_eq!(status, MemoryStatus::Superseded);
    assert_eq!(topics(&world, other.memory_id).await, ["lighthouse"]);
}

/// Twelve facts and their later updates, stored on the same day with the dates on which they were said.
#[tokio::test]
async fn of_a_fact_and_its_update_the_update_comes_first() {
    let world = with_model().await;
    let updates = [
        ("city", "Vera lives in Lyon.", "Vera lives in Porto.", "Where does Vera live?"),
        (
            "employer",
            "Idris works as a nurse at Saint Anne's.",
            "Idris moved to the ambulance service in spring.",
            "Where does Idris work?",
        ),
        ("editor", "Mina writes all her code in Emacs.", "Mina switched from Emacs to Helix.", "Which editor does Mina use?"),
        ("car", "Vera drives a blue Fiat Panda.", "Vera's car is now a grey Dacia.", "What car does Vera drive?"),
        ("diet", "Idris is a vegetarian.", "Idris is no longer a vegetarian; he eats poultry again.", "Is Idris a vegetarian?"),
        (
            "deploy day",
            "We deploy the shop on Fridays.",
            "The shop is deployed on Tuesdays from now on.",
            "On which day do we deploy the shop?",
        ),
        (
            "database",
            "The booking service stores its data in MySQL.",
            "The booking service was migrated to Postgres.",
            "Which database does the booking service use?",
        ),
        ("phone", "Mina's phone number ends in 4417.", "Mina's phone number ends in 8092.", "What does Mina's phone number end in?"),
        (
            "api limits",
            "The public API allows 60 requests a minute.",
            "The public API allows 120 requests a minute.",
            "How many requests a minute does the public API allow?",
        ),
        (
            "on call",
            "Vera is on call for payments.",
            "Idris took over the on-call duty for payments from Vera.",
            "Who is on call for payments?",
        ),
        (
            "language course",
            "Mina takes Spanish lessons on Monday evenings.",
            "Mina gave up Spanish and takes Portuguese lessons instead.",
            "Which language is Mina learning?",
        ),
        ("family", "Idris is engaged to Lena.", "Idris married Lena in June.", "Are Idris and Lena married?"),
    ];
    for (n, (topic, old, new, _)) in updates.iter().enumerate() {
        // The stale one is stored last, as an import may do.
        remember(&world, &world.atlas, said(&world, 30 + n as i64, topic, new)).await;
        remember(&world, &world.atlas, said(&world, 700 + n as i64, topic, old)).await;
    }
    for (_, old, new, query) in updates {
        let found = contents(&world, &world.atlas, query).await;
        let place = |content: &str| found.iter().position(|hit| hit == content);
        assert!(place(new) < place(old).or(Some(usize::MAX)) && place(new).is_some(), "{query}: {found:?}");
    }
}

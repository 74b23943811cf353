//! Erasing a person from a conversation of several people: as a whole, or only the turns that name the person.

use crate::capture::{captured, conversation, inbox, send};
use crate::erasure::idris;
use crate::support::{Fetch, Run, agent, alone, memory_owner, observation, remember, settle, waiting_for_locks, work};
use chrono::{DateTime, Duration, Utc};
use db::Users;
use db::clock::Clock;
use foundation::jobs::store::claim_step;
use foundation::jobs::{ExtractPayload, Held};
use foundation::testing::{World, fact};
use foundation::{Error, OpContext, identity};
use remembrancer::{capture, consolidation, context, erasure};
use std::collections::BTreeSet;
use tokio_util::sync::CancellationToken;
use wire::{
    AssembleRequest, ErasureId, ErasureState, InboxVerdict, MemoryId, MentionPlace, MentionRef, NewErasure, ObservationCategory,
    RememberRequest, SourceDetails, SourceForm, SourceId, UserId, UserRef,
};

const TALK: &str = "[2026-05-21 09:12] Idris: I moved to Basel last month.\n\
    [2026-05-21 09:13] Zqxmarker: My sister Lena works as a nurse in Zurich.\n\
    [2026-05-21 09:14] Mina: I am allergic to peanuts.\n";

/// A confirmed request to erase a new person called Zqxmarker with one mention; its job is due.
async fn confirmed(world: &World, place: MentionPlace, source: SourceId) -> ErasureId {
    let person = identity::add_user(&world.engine, &world.vera, "crm-zqxmarker", None, None).await.unwrap().id;
    let (reason, names) = ("Article 17, case 31".into(), vec!["Zqxmarker".into()]);
    let new = NewErasure { user: person.into(), reason, names, mentions: vec![MentionRef { place, id: source.0 }] };
    let id = erasure::request(&world.engine, &world.vera, new).await.unwrap();
    erasure::confirm(&world.engine, &idris(world).await, id, &person.into()).await.unwrap();
    id
}

/// How many rows of a table of memories have a text in them.
async fn holding(world: &World, table: &str, text: &str) -> i64 {
    let sql = format!("select count(*) from {table} t where t::text ilike '%' || $1 || '%'");
    sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).bind(text.to_owned()).one(&world.engine).await
}

async fn until_waiting(world: &World, connections: i64) {
    let mut observer = memory_owner(&world.engine).await;
    while waiting_for_locks(&mut observer).await < connections {
        tokio::task::yield_now().await;
    }
}

/// A worker stores its candidates while the erasure waits: they go, too.
#[tokio::test]
async fn turns_go_with_what_a_running_capture_makes_of_them() {
    for place in [MentionPlace::Turns, MentionPlace::Source] {
        let world = alone().await;
        let (engine, source) = (&world.engine, send(&world, &world.atlas, TALK).await.source_id);
        capture::capture_conversation(engine, &world.atlas, conversation(source)).await.unwrap();
        let now = engine.clock().now();
        let read = claim_step(engine.db().memory.system(), now, now + Duration::seconds(30), None, &[]).await.unwrap().unwrap();
        let held = Held { tenant_id: read.tenant_id, agent_id: read.agent_id, id: read.id, attempt: read.attempt };
        confirmed(&world, place, source).await;

        let mut blocker = engine.db().memory.begin(world.vera.tenancy()).await.unwrap();
        db::lock_owner(&mut blocker, agent(&world.atlas), None).await.unwrap();
        let (payload, stop) = (ExtractPayload::default(), CancellationToken::new());
        let erasing = async {
            until_waiting(&world, 1).await;
            work(&world).await;
        };
        let release = async {
            until_waiting(&world, 2).await;
            blocker.commit().await.unwrap();
        };
        let (extracted, (), ()) = tokio::join!(capture::extract_source(engine, &world.system, held, &payload, &stop), erasing, release);
        extracted.unwrap();
        work(&world).await;
        assert_eq!(holding(&world, "evidence", "nurse").await, 0, "{place}");
        let candidates = i64::from(place == MentionPlace::Source);
        assert_eq!(holding(&world, "agent_memories", "nurse").await, candidates, "{place}: a whole source leaves what was made of it");
        assert_eq!(holding(&world, "agent_memories", "peanuts").await, 1, "{place}");
    }
}

/// A worker whose event goes waits for the erasure, which never waits for the worker.
#[tokio::test]
async fn a_person_goes_while_a_profile_of_the_person_is_made() {
    let world = alone().await;
    let (engine, vera) = (&world.engine, &world.vera);
    let person = identity::add_user(engine, vera, "crm-zqxmarker", None, None).await.unwrap().id;
    let of_person = OpContext { users: Users::One(person), ..world.atlas.clone() };
    captured(&world, &of_person, TALK).await;
    capture::record_observation(engine, &of_person, observation(ObservationCategory::Preference, "I prefer short answers.")).await.unwrap();
    let now = engine.clock().now();
    let read = claim_step(engine.db().memory.system(), now, now + Duration::seconds(30), None, &[]).await.unwrap().unwrap();
    let held = Held { tenant_id: read.tenant_id, agent_id: read.agent_id, id: read.id, attempt: read.attempt };
    let new = NewErasure { user: person.into(), reason: "Article 17, case 31".into(), names: vec![], mentions: vec![] };
    let id = erasure::request(engine, vera, new).await.unwrap();
    erasure::confirm(engine, &idris(&world).await, id, &person.into()).await.unwrap();

    let mut blocker = engine.db().memory.begin(vera.tenancy()).await.unwrap();
    db::lock_owner(&mut blocker, agent(&world.atlas), Some(person)).await.unwrap();
    let making = async {
        until_waiting(&world, 1).await;
        capture::synthesise(engine, &world.system, held, 0).await
    };
    let release = async {
        until_waiting(&world, 2).await;
        blocker.commit().await.unwrap();
    };
    let ((), made, ()) = tokio::join!(work(&world), making, release);
    assert!(matches!(&made, Err(Error::Unavailable(reason)) if reason == "the lease was lost"), "it waited for the erasure");
    assert_eq!(erasure::show(engine, vera, id).await.unwrap().request.state, ErasureState::Done);
}

/// One of two equal conversations goes as a whole, the other one loses a turn.
#[tokio::test]
async fn a_transcript_goes_as_a_whole_or_only_the_turns_that_name_the_person() {
    let world = alone().await;
    let (engine, vera, idris) = (&world.engine, &world.vera, idris(&world).await);
    let reference = UserRef::External("crm-zqxmarker".into());
    let person = identity::add_user(engine, vera, "crm-zqxmarker", Some("Zqxmarker Person"), None).await.unwrap().id;
    let (split, whole) = (captured(&world, &world.binky, TALK).await.source_id, captured(&world, &world.atlas, TALK).await.source_id);
    assert_eq!(inbox(&world).await.len(), 6);
    settle(&world).await;

    let mentions = erasure::preview(engine, vera, &reference, &["zqxmarker".into()]).await.unwrap().mentions;
    for source in [split, whole] {
        let row = MentionRef { place: MentionPlace::Source, id: source.0 };
        let extent = mentions.iter().find(|mention| mention.row() == row).and_then(|mention| mention.extent.clone()).unwrap();
        assert_eq!((extent.turns, extent.speakers, extent.naming, extent.bereft, extent.derived), (3, 3, 1, 3, 1));
        assert!(extent.is_divisible() && extent.whole == source.0);
    }
    let ticked = [(MentionPlace::Turns, split), (MentionPlace::Source, whole)].map(|(place, source)| MentionRef { place, id: source.0 });
    let (reason, names) = ("Article 17, case 31".into(), vec!["Zqxmarker".into()]);
    let new = NewErasure { user: person.into(), reason, names, mentions: ticked.to_vec() };
    let id = erasure::request(engine, vera, new).await.unwrap();
    let shown = erasure::show(engine, &idris, id).await.unwrap();
    assert_eq!(shown.ticked.iter().map(|mention| mention.row()).collect::<BTreeSet<_>>(), BTreeSet::from(ticked));
    assert_eq!(shown.request.user_name.as_deref(), Some("Zqxmarker Person"));
    let by_name = UserRef::External("Zqxmarker Person".into());
    for wrong in [UserRef::External("crm-4711".into()), UserId(world.clock.id()).into(), by_name] {
        let error = erasure::confirm(engine, &idris, id, &wrong).await.unwrap_err();
        assert_eq!(error.fields().first().map(|wrong| wrong.field.as_str()), Some("person"), "{error}");
    }
    erasure::confirm(engine, &idris, id, &reference).await.unwrap();
    work(&world).await;
    let done = erasure::show(engine, &idris, id).await.unwrap().request;
    assert_eq!((done.state, done.user_name), (ErasureState::Done, None));

    let left = capture::source(engine, vera, split, 0).await.unwrap();
    let said = left.turns.iter().map(|turn| {
        let words: String = turn.pieces.iter().map(|piece| piece.text.as_str()).collect();
        (turn.speaker.as_deref(), words.trim().to_owned())
    });
    assert_eq!(
        said.collect::<Vec<_>>(),
        [
            (Some("Idris"), "I moved to Basel last month.".to_owned()),
            (None, String::new()),
            (Some("Mina"), "I am allergic to peanuts.".to_owned())
        ]
    );
    assert!(matches!(capture::source(engine, vera, whole, 0).await, Err(Error::NotFound(_))));
    let (of_split, of_whole): (Vec<_>, Vec<_>) = inbox(&world).await.into_iter().partition(|item| item.agent_id == agent(&world.binky));
    assert_eq!(of_split.len(), 2, "what was made from the turn went with it: {of_split:#?}");
    for item in &of_split {
        let [quote] = item.quotes.as_slice() else { panic!("{item:#?}") };
        assert!(item.erased_by.is_none() && !format!("{}{}", quote.before, quote.after).contains("nurse"), "{quote:?}");
    }
    assert_eq!(of_whole.len(), 3, "they were not chosen");
    assert!(of_whole.iter().all(|item| item.quotes.is_empty() && item.erased_by == Some(id)), "{of_whole:#?}");
    for (what, expected) in [(split.0, Some(id)), (whole.0, Some(id)), (of_whole[0].id.0, Some(id)), (of_split[0].id.0, None)] {
        assert_eq!(erasure::erased_by(engine, vera, what).await.unwrap(), expected);
    }
    // The same transcript once more brings nothing back.
    captured(&world, &world.binky, TALK).await;
    assert_eq!(inbox(&world).await.iter().filter(|item| item.agent_id == agent(&world.binky)).count(), 2);
}

/// Two turns of the person became one memory: the candidate that was merged goes with it.
#[tokio::test]
async fn a_merged_candidate_goes_with_its_only_turn() {
    let world = alone().await;
    let (engine, vera) = (&world.engine, &world.vera);
    let talk = "[2026-05-21 09:12] Zqx: I am allergic to peanuts.\n\
        [2026-05-21 09:13] Idris: I moved to Basel last month.\n\
        [2026-05-21 09:14] Zqxmarker: I am allergic to peanuts.\n";
    let source = captured(&world, &world.atlas, talk).await.source_id;
    let kept = inbox(&world).await.into_iter().find(|item| item.content.starts_with("Zqxmarker")).unwrap().id;
    consolidation::decide(engine, vera, &[kept], InboxVerdict::confirm(), &Default::default()).await.unwrap();
    let renamed = capture::rename_speaker(engine, vera, source, "Zqx", "Zqxmarker".into(), None).await.unwrap();
    assert_eq!((renamed.merged, holding(&world, "agent_memories", "peanuts").await), (1, 2));
    settle(&world).await;
    confirmed(&world, MentionPlace::Turns, source).await;
    work(&world).await;
    for table in ["agent_memories", "agent_memory_versions", "evidence"] {
        assert_eq!(holding(&world, table, "peanuts").await, 0, "{table}");
    }
    assert_eq!(holding(&world, "agent_memories", "Basel").await, 1);
}

/// A candidate was merged into what an agent wrote: it goes with the quote and the topic that it brought, not with one that was there before.
#[tokio::test]
async fn a_memory_stays_without_the_candidate_that_was_merged_into_it() {
    for (days, left) in [(0, 0), (1, 1)] {
        let world = alone().await;
        let (engine, vera) = (&world.engine, &world.vera);
        let source = captured(&world, &world.atlas, TALK).await.source_id;
        let item = inbox(&world).await.into_iter().find(|item| item.content.contains("nurse")).unwrap();
        let request = RememberRequest { kind: Some(item.kind), ..fact("gardening", &item.content) };
        let own = remember(&world, &world.atlas, request).await.memory_id;
        consolidation::decide(engine, vera, &[item.id], InboxVerdict::confirm(), &Default::default()).await.unwrap();
        assert_eq!(holding(&world, "agent_memories", "nurse").await, 2);
        assert_eq!(holding(&world, "memory_topics", &own.to_string()).await, 1);
        let added: DateTime<Utc> =
            sqlx::query_scalar("select created_at from memory_topics where memory_id = $1").bind(own).one(engine).await;
        let earlier =
            sqlx::query("update memory_topics set created_at = $2 where memory_id = $1").bind(own).bind(added - Duration::days(days));
        assert_eq!(earlier.run(engine).await, 1);
        settle(&world).await;
        let id = confirmed(&world, MentionPlace::Turns, source).await;
        work(&world).await;
        let memories: Vec<MemoryId> = sqlx::query_scalar("select id from agent_memories where content like '%nurse%'").all(engine).await;
        assert_eq!(memories, [own]);
        assert_eq!(holding(&world, "memory_topics", &own.to_string()).await, left, "{days}");
        assert_eq!(erasure::erased_by(engine, vera, own.0).await.unwrap(), Some(id));
    }
}

#[tokio::test]
async fn what_an_agent_wrote_itself_stays_without_the_quote() {
    let world = alone().await;
    let said = "Zqxmarker, 21 May 2026: “My sister Lena works as a nurse in Zurich.”";
    let own = remember(&world, &world.atlas, fact("family", said)).await.memory_id;
    let source = captured(&world, &world.atlas, TALK).await.source_id;
    let quotes = "select count(*) from evidence where memory_id = $1";
    assert_eq!(sqlx::query_scalar::<_, i64>(quotes).bind(own).one(&world.engine).await, 1);
    settle(&world).await;
    let id = confirmed(&world, MentionPlace::Turns, source).await;
    work(&world).await;
    assert_eq!((holding(&world, "evidence", "nurse").await, holding(&world, "agent_memories", "nurse").await), (0, 1));
    assert_eq!(erasure::erased_by(&world.engine, &world.vera, own.0).await.unwrap(), Some(id));
}

#[tokio::test]
async fn a_file_loses_only_the_pieces_with_the_turns_and_no_prompt_keeps_them() {
    for place in [MentionPlace::Turns, MentionPlace::Source] {
        let world = alone().await;
        let (engine, atlas) = (&world.engine, &world.atlas);
        let cranes =
            |from: usize| (from..from + 60).map(|n| format!("crane {n} in the north dock lifts forty tonnes ")).collect::<String>();
        let talk = format!(
            "[2026-05-21 09:12] Idris: {}\n[2026-05-21 09:13] Zqxmarker: Lena is a nurse.\n[2026-05-21 09:14] Mina: {}\n",
            cranes(0),
            cranes(60)
        );
        let details = SourceDetails { form: Some(SourceForm::ToolOutput), ..SourceDetails::default() };
        let source = capture::add_source(engine, atlas, details, talk.into_bytes()).await.unwrap().source_id;
        capture::capture_conversation(engine, atlas, conversation(source)).await.unwrap();
        work(&world).await;
        context::assemble(engine, atlas, AssembleRequest::new("What does the crane lift?")).await.unwrap();
        engine.finish_deferred().await;
        let pieces = holding(&world, "profile_documents", "crane").await;
        assert!(pieces > 3 && holding(&world, "profile_documents", "nurse").await == 1, "{pieces}");
        assert_eq!(holding(&world, "context_texts", "crane").await, 1);
        settle(&world).await;
        confirmed(&world, place, source).await;
        work(&world).await;
        assert_eq!(holding(&world, "profile_documents", "nurse").await, 0, "{place}");
        let left = holding(&world, "profile_documents", "crane").await;
        assert!(if place == MentionPlace::Turns { left >= pieces - 1 } else { left == 0 }, "{place}: {left} of {pieces}");
        assert_eq!(holding(&world, "context_texts", "crane").await, 0, "{place}");
    }
}

#[tokio::test]
async fn the_parts_of_a_source_are_one_mention() {
    let world = alone().await;
    let (engine, vera) = (&world.engine, &world.vera);
    let (long, other) = (send(&world, &world.atlas, TALK).await.source_id, send(&world, &world.binky, TALK).await.source_id);
    let parts = "insert into sources (tenant_id, agent_id, id, kind, form, reference, title, content, whole_id, part, parts, turns, created_at)
        select s.tenant_id, s.agent_id, gen_random_uuid(), s.kind, s.form, s.reference, s.title, s.content, s.id, n, 120, s.turns, s.created_at
          from sources s cross join generate_series(2, 120) n where s.id = $1";
    assert_eq!(sqlx::query(parts).bind(long).run(engine).await, 119);
    let person = identity::add_user(engine, vera, "crm-zqxmarker", None, None).await.unwrap().id;
    let preview = erasure::preview(engine, vera, &person.into(), &["Zqxmarker".into()]).await.unwrap();
    let sources = preview.mentions.iter().filter(|mention| mention.place == MentionPlace::Source);
    let turns = sources.map(|mention| (mention.id, mention.extent.as_ref().map(|extent| extent.turns)));
    assert_eq!(turns.collect::<BTreeSet<_>>(), BTreeSet::from([(long.0, Some(360)), (other.0, Some(3))]));
    assert!(!preview.more, "a list of 100 has room for two sources");
}

#[tokio::test]
async fn a_name_of_two_characters_is_found_where_no_blank_ends_it() {
    let world = alone().await;
    let (engine, vera) = (&world.engine, &world.vera);
    let person = identity::add_user(engine, vera, "crm-zqxmarker", Some("王芳"), None).await.unwrap().id;
    for (topic, content) in [("lunch", "我昨天见了王芳。"), ("dinner", "田中さんは魚が好きだ。"), ("breakfast", "김철은 어제 왔다.")]
    {
        remember(&world, &world.binky, fact(topic, content)).await;
    }
    let preview = erasure::preview(engine, vera, &person.into(), &["田中".into(), "김철".into()]).await.unwrap();
    let memories = preview.mentions.iter().filter(|mention| mention.place == MentionPlace::Memory);
    assert_eq!(memories.count(), 3, "{:#?}", preview.mentions);
    for short in ["Al", "王"] {
        let refused = erasure::preview(engine, vera, &person.into(), &[short.into()]).await.unwrap_err();
        assert_eq!(refused.fields().first().map(|wrong| wrong.field.as_str()), Some("names"), "{short}");
    }
}

#[tokio::test]
async fn a_name_is_found_as_a_word_of_its_own_and_not_inside_others() {
    let world = alone().await;
    let (engine, vera) = (&world.engine, &world.vera);
    let person = identity::add_user(engine, vera, "crm-4711", Some("Vera Holm"), None).await.unwrap().id;
    for (topic, content) in [
        ("auto", "Veras Auto steht am Hafen."),
        ("tea", "Ask VERA's sister about tea."),
        ("japan", "昨日Veraさんに会った。"),
        ("count", "There are several boats at the quay."),
        ("tower", "Das Minarett ist hoch."),
        ("anna", "Иоанна приехала вчера."),
    ] {
        remember(&world, &world.binky, fact(topic, content)).await;
    }
    // In the text of JSON a line begins with a letter behind a backslash.
    let source = send(&world, &world.binky, "Idris: The ferry leaves at nine.\n").await.source_id;
    let metadata = r#"update sources set metadata = '{"note": "First line\nVera called"}' where id = $1"#;
    assert_eq!(sqlx::query(metadata).bind(source).run(engine).await, 1);
    let found = async |name: &str| {
        let mentions = erasure::preview(engine, vera, &person.into(), &[name.into()]).await.unwrap().mentions;
        let of_others = |place| matches!(place, MentionPlace::Memory | MentionPlace::Source);
        mentions.into_iter().filter(|mention| of_others(mention.place)).map(|one| (one.excerpt, one.names)).collect::<BTreeSet<_>>()
    };
    let expected = ["Veras Auto steht am Hafen.", "Ask VERA's sister about tea.", "昨日Veraさんに会った。", "note: First line Vera called"];
    let only = |text: &str| (text.to_owned(), vec!["Vera".to_owned()]);
    assert_eq!(found("Vera").await, BTreeSet::from(expected.map(only)));
    for inside in ["Mina", "Анна"] {
        assert!(found(inside).await.is_empty(), "{inside}");
    }
}

//! Fields of a record besides its content, its revisions and their history, profile facts.

use crate::support::{Told, alone, alone_with, ask, contents, impatient, number, patient, remember, work};
use db::clock::{Clock, SystemClock};
use foundation::testing::{World, fact, nowhere, question};
use foundation::{Engine, OpContext, Settings};
use futures_util::future::join_all;
use remembrancer::{Workers, context, memories, recall};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use uuid::Uuid;
use wire::{
    Category, ContextRequest, ErrorCode, ForgetRequest, ListMemoriesRequest, MemoryId, MemoryKind, MemoryRef, MemoryScope,
    ProfileFactRequest, RememberRequest, Retention, ReviseRequest, Source, SourceKind, Trust, UserId,
};

pub fn revision(memory: impl Into<MemoryRef>, content: &str) -> ReviseRequest {
    ReviseRequest {
        memory: memory.into(),
        content: content.into(),
        source: None,
        confidence: None,
        summary: None,
        rationale: None,
        evidence_ref: None,
        user_id: None,
    }
}

fn about(topic: &str, content: &str) -> ProfileFactRequest {
    ProfileFactRequest {
        topic_raw: topic.into(),
        content: content.into(),
        source: Source { platform: "slack".into(), ..Source::default() },
        user_id: None,
        evidence_ref: None,
        confidence: None,
        commons: false,
    }
}

async fn record(world: &World, id: MemoryId) -> wire::MemoryRecord {
    memories::record(&world.engine, &world.atlas, &id.into(), None).await.unwrap()
}

#[tokio::test]
async fn an_agent_lists_what_it_can_recall_page_by_page() {
    let world = World::new().await;
    let (engine, mina) = (&world.engine, UserId(nowhere()));
    for number in 0..21 {
        remember(&world, &world.atlas, fact(&format!("tea {number}"), &format!("Guest {number} has cup {number}"))).await;
    }
    let gone = remember(&world, &world.atlas, fact("tea for nobody", "It is cold")).await.memory_id;
    memories::forget(engine, &world.atlas, ForgetRequest { memory_id: gone.into(), reason: None, user_id: None }).await.unwrap();
    remember(&world, &world.binky, fact("tea of binky", "Binky drinks tea")).await;
    let shared = RememberRequest { commons: true, scope: Some(MemoryScope::Global), ..fact("cocoa", "Cocoa is at four") };
    remember(&world, &world.binky, shared).await;
    let decided = RememberRequest { kind: Some(MemoryKind::Decision), user_id: Some(mina.into()), ..fact("milk", "Mina takes oats") };
    remember(&world, &world.atlas, RememberRequest { rationale: Some("taste".into()), ..decided }).await;

    let list = async |request: ListMemoriesRequest| memories::list(engine, &world.atlas, request).await.unwrap();
    let of_tea = ListMemoriesRequest { topic: Some("tea".into()), ..ListMemoriesRequest::default() };
    let first = list(of_tea.clone()).await;
    assert_eq!((first.rows.len(), first.total), (20, 21));
    let second = list(ListMemoriesRequest { after: first.next.clone(), ..of_tea }).await;
    assert_eq!((second.rows.len(), second.next), (1, None));
    assert!(first.rows.iter().chain(&second.rows).all(|row| row.content.starts_with("Guest ")), "{first:?}");
    let cocoa = list(ListMemoriesRequest { topic: Some("cocoa".into()), ..ListMemoriesRequest::default() }).await;
    assert_eq!(cocoa.rows[0].trust, Trust::Unreviewed, "what others shared is there, too");
    let decisions = ListMemoriesRequest { kind: Some(MemoryKind::Decision), ..ListMemoriesRequest::default() };
    assert_eq!(list(decisions.clone()).await.total, 0, "another person's");
    assert_eq!(list(ListMemoriesRequest { user_id: Some(mina.into()), ..decisions }).await.rows[0].content, "Mina takes oats");
    for (wrong, field) in [
        (ListMemoriesRequest { after: Some("x".into()), ..ListMemoriesRequest::default() }, "after"),
        (ListMemoriesRequest { topic: Some(String::new()), ..ListMemoriesRequest::default() }, "topic"),
    ] {
        assert_eq!(memories::list(engine, &world.atlas, wrong).await.unwrap_err().fields()[0].field, field);
    }
}

#[tokio::test]
async fn everything_that_is_told_of_a_memory_is_kept_and_found() {
    let world = World::new().await;
    let request = RememberRequest {
        category: Some(Category::Person),
        subject: Some("Mina".into()),
        title: Some("Who runs Zephyr".into()),
        summary: Some("Mina: releases".into()),
        evidence_ref: Some("https://wiki.example/people".into()),
        source_kind: Some(SourceKind::Document),
        importance: Some(0.25),
        confidence: Some(0.5),
        pinned: Some(true),
        ..fact("release owner", "She signs off every rollout.")
    };
    let answer = remember(&world, &world.atlas, request).await;
    let kept = record(&world, answer.memory_id).await;
    assert_eq!((kept.category, kept.subject.as_deref()), (Some(Category::Person), Some("Mina")));
    assert_eq!((kept.title.as_deref(), kept.summary.as_deref()), (Some("Who runs Zephyr"), Some("Mina: releases")));
    assert_eq!((kept.evidence_ref.as_deref(), kept.source_kind), (Some("https://wiki.example/people"), SourceKind::Document));
    assert_eq!((kept.importance, kept.confidence, kept.pinned), (0.25, 0.5, true));
    let by_short = MemoryRef::Short(answer.short_id);
    assert_eq!(memories::record(&world.engine, &world.atlas, &by_short, None).await.unwrap().memory_id, answer.memory_id);
    world.embedder.fail();
    assert_eq!(contents(&world, &world.atlas, "zephyr").await, ["She signs off every rollout."], "by a word of its title");
}

#[tokio::test]
async fn a_hit_carries_its_record_and_says_whose_it_is_and_who_wrote_it() {
    let world = World::new().await;
    let source = Source { thread_id: Some("T7".into()), observed_at: Some("2026-04-01T09:00:00Z".parse().unwrap()), ..fact("", "").source };
    let request = RememberRequest {
        kind: Some(MemoryKind::Decision),
        scope: Some(MemoryScope::Repo),
        project_id: Some(nowhere().into()),
        repo_id: Some(nowhere()),
        session_id: Some(nowhere()),
        retention: Some(Retention::Task),
        category: Some(Category::Project),
        subject: Some("Zephyr".into()),
        title: Some("Where releases come from".into()),
        summary: Some("from main".into()),
        rationale: Some("Everybody can build main".into()),
        alternatives: vec!["release branches".into()],
        evidence_ref: Some("https://wiki.example/releases".into()),
        source_kind: Some(SourceKind::Document),
        confidence: Some(0.5),
        importance: Some(0.25),
        pinned: Some(true),
        commons: true,
        source,
        ..fact("release branch", "Zephyr is released from main")
    };
    remember(&world, &world.binky, request).await;
    let hit = ask(&world, &world.atlas, "release branch").await.told().remove(0);
    assert_eq!((hit.agent_id, hit.created_by), (world.atlas.commons_id, world.binky.agent_id().unwrap()));
    let record = serde_json::to_value(record(&world, hit.memory_id).await).unwrap();
    let hit = serde_json::to_value(hit).unwrap();
    assert_eq!(hit["source_ref"], json!("slack/C1/T7"));
    for (field, value) in record.as_object().unwrap() {
        match field.as_str() {
            // Fields that change with the clock or with each recall, that a hit never has, or that only a request by id returns.
            "freshness" | "access_count" | "recalled_count" | "remembered_count" | "last_accessed_at" | "deleted_at" | "archived_at"
            | "quotes" | "versions" | "links" => {}
            // Of messages and attachments only.
            "decayed_importance" | "importance_factors" | "retention_rule" | "role" | "filename" | "attachment_id" => {}
            "scope" => assert_eq!(&hit["matched_scope"], value),
            _ => {
                assert_eq!(hit.get(field), Some(value), "{field}");
                assert!(!value.is_null() || ["user_id", "expires_at"].contains(&field.as_str()), "{field} is tested with a value");
            }
        }
    }
}

#[tokio::test]
async fn what_is_not_told_again_stays_and_an_old_summary_goes_with_its_content() {
    let world = World::new().await;
    let first = RememberRequest {
        category: Some(Category::Preference),
        importance: Some(0.5),
        summary: Some("tea, black".into()),
        ..fact("tea", "Vera likes black tea")
    };
    let id = remember(&world, &world.atlas, first).await.memory_id;
    let again = RememberRequest { pinned: Some(true), title: Some("Tea".into()), ..fact("tea", "Vera likes black tea") };
    let again = remember(&world, &world.atlas, again).await;
    assert_eq!((again.unchanged, again.was_update, again.previous_version), (false, true, Some(1)), "a title is news");
    let again = RememberRequest { importance: Some(0.5), title: Some("Tea".into()), ..fact("tea", "Vera likes black tea") };
    assert!(remember(&world, &world.atlas, again).await.unchanged, "the same title is not");
    let history = memories::history(&world.engine, &world.atlas, &id.into(), None).await.unwrap();
    let told: Vec<_> =
        history.iter().map(|version| (version.change.as_str(), version.title.as_deref(), version.summary.as_deref())).collect();
    assert_eq!(told, [("amended", Some("Tea"), Some("tea, black")), ("created", None, Some("tea, black"))]);
    assert_eq!(memories::compare(&world.engine, &world.atlas, &id.into(), None, 1, 2).await.unwrap().changed, ["title"]);
    let kept = record(&world, id).await;
    assert_eq!((kept.category, kept.importance, kept.pinned), (Some(Category::Preference), 0.5, true));
    assert_eq!((kept.title.as_deref(), kept.summary.as_deref()), (Some("Tea"), Some("tea, black")));
    assert!(remember(&world, &world.atlas, fact("tea", "Vera likes the black tea!")).await.was_update);
    let kept = record(&world, id).await;
    assert_eq!((kept.category, kept.title.as_deref(), kept.summary.as_deref()), (Some(Category::Preference), Some("Tea"), None));
}

/// A clock whose short ids repeat: each occurs twice.
struct Stuttering(SystemClock, AtomicUsize);

impl Clock for Stuttering {
    fn now(&self) -> chrono::DateTime<chrono::Utc> {
        self.0.now()
    }

    fn short_id(&self) -> String {
        format!("{:08}", self.1.fetch_add(1, Ordering::SeqCst) / 2)
    }
}

#[tokio::test]
async fn a_short_id_that_is_taken_is_drawn_again() {
    let world = World::new().await;
    let engine = world.engine.with_clock(Arc::new(Stuttering(SystemClock, AtomicUsize::new(0))));
    let mut seen = Vec::new();
    for n in 0..3 {
        seen.push(memories::remember(&engine, &world.atlas, fact(&format!("topic {n}"), &format!("content {n}"))).await.unwrap().short_id);
    }
    assert_eq!(seen, ["00000000", "00000001", "00000002"]);
    // Another agent may have the same.
    let other = world.engine.with_clock(Arc::new(Stuttering(SystemClock, AtomicUsize::new(0))));
    assert_eq!(memories::remember(&other, &world.binky, fact("t", "c")).await.unwrap().short_id, "00000000");
    let shorts: std::collections::HashSet<String> = (0..1000).map(|_| SystemClock.short_id()).collect();
    assert_eq!(shorts.len(), 1000);
}

#[tokio::test]
async fn a_revision_is_a_version_and_two_versions_can_be_held_side_by_side() {
    let world = World::new().await;
    let first = remember(&world, &world.atlas, fact("Mina's team", "Mina works on the Platform team")).await;
    let source = Source { platform: "email".into(), thread_id: Some("T2".into()), ..Source::default() };
    let request = ReviseRequest { source: Some(source.clone()), ..revision(MemoryRef::Short(first.short_id.clone()), "Mina leads Design") };
    let revised = memories::revise(&world.engine, &world.atlas, request).await.unwrap();
    assert_eq!((revised.memory_id, revised.previous_version, revised.version, revised.unchanged), (first.memory_id, 1, 2, false));
    assert_eq!((revised.old_content.as_str(), revised.new_content.as_str()), ("Mina works on the Platform team", "Mina leads Design"));
    assert_eq!(contents(&world, &world.atlas, "Mina's team leads Design").await, ["Mina leads Design"]);
    let hit = ask(&world, &world.atlas, "Mina's team Mina leads Design").await.told().remove(0);
    assert!(hit.similarity > 0.999, "the vector is that of the new words: {}", hit.similarity);

    let again = memories::revise(&world.engine, &world.atlas, revision(first.memory_id, "Mina leads Design")).await.unwrap();
    assert_eq!((again.unchanged, again.version), (true, 2));
    let history = memories::history(&world.engine, &world.atlas, &first.memory_id.into(), None).await.unwrap();
    let told: Vec<_> = history.iter().map(|v| (v.version, v.change.as_str(), v.content.as_str(), v.actor_name.as_str())).collect();
    assert_eq!(told, [(2, "revised", "Mina leads Design", "atlas"), (1, "created", "Mina works on the Platform team", "atlas")]);
    let said = history[0].source.clone();
    assert!(said.observed_at.is_some() && Source { observed_at: None, ..said } == source, "from which conversation, now");
    let both = memories::compare(&world.engine, &world.vera, &first.memory_id.into(), None, 1, 2).await.unwrap();
    assert_eq!((both.from.version, both.to.version), (1, 2));
    assert_eq!(both.changed, ["content", "source"]);
    let none = memories::compare(&world.engine, &world.vera, &first.memory_id.into(), None, 1, 3).await.unwrap_err();
    assert_eq!(none.fields()[0].field, "to");
}

#[tokio::test]
async fn what_describes_a_content_goes_with_it_unless_the_new_one_says_the_same() {
    let world = alone().await;
    let (engine, atlas, vera) = (&world.engine, &world.atlas, &world.vera);
    let decision = RememberRequest {
        kind: Some(MemoryKind::Decision),
        title: Some("Where sessions live".into()),
        rationale: Some("Restarts lost them".into()),
        alternatives: vec!["cookies".into()],
        ..fact("sessions", "We keep sessions in Valkey.")
    };
    let id = remember(&world, atlas, decision).await.memory_id;
    let reasons = async || {
        let kept = record(&world, id).await.memory;
        (kept.title, kept.rationale, kept.alternatives)
    };
    let told = async || context::context_for(engine, atlas, ContextRequest::new("Where do we keep sessions?")).await.unwrap().text;
    let before = reasons().await;
    assert!(told().await.contains("Restarts lost them"));
    memories::revise(engine, atlas, revision(id, "We keep the sessions in Valkey.")).await.unwrap();
    assert_eq!(reasons().await, before);

    memories::revise(engine, atlas, revision(id, "We keep sessions in Postgres.")).await.unwrap();
    assert_eq!(reasons().await, (None, None, vec![]));
    let text = told().await;
    assert!(text.contains("Postgres") && !["Restarts", "cookies", "Where sessions live"].iter().any(|old| text.contains(old)), "{text}");
    assert_eq!(memories::history(engine, atlas, &id.into(), None).await.unwrap()[1].rationale.as_deref(), Some("Restarts lost them"));

    let why = ReviseRequest { rationale: Some("One file is enough".into()), ..revision(id, "We keep sessions in SQLite.") };
    memories::revise(engine, atlas, why).await.unwrap();
    assert!(told().await.contains("Why: One file is enough"));
    let corrected = memories::correct(engine, vera, id, None, "We keep no sessions.".into(), "Mina knows").await.unwrap();
    assert_eq!(reasons().await.1, None);
    memories::undo_correction(engine, vera, id, corrected.version).await.unwrap();
    assert_eq!(reasons().await.1.as_deref(), Some("One file is enough"));

    let long = ReviseRequest { rationale: Some("x".repeat(2001)), ..revision(id, "We keep sessions.") };
    assert_eq!(memories::revise(engine, atlas, long).await.unwrap_err().fields()[0].field, "rationale");
}

#[tokio::test]
async fn what_was_forgotten_or_is_foreign_is_not_revised_and_not_shown() {
    let world = World::new().await;
    let own = remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await.memory_id;
    let user = UserId(Uuid::from_u128(3));
    let someones = RememberRequest { user_id: Some(user.into()), ..fact("tea", "Idris likes coffee") };
    let someones = remember(&world, &world.atlas, someones).await.memory_id;
    for (ctx, id) in [(&world.binky, own), (&world.atlas, someones), (&world.atlas, MemoryId(nowhere()))] {
        assert_eq!(memories::revise(&world.engine, ctx, revision(id, "intruded")).await.unwrap_err().code(), ErrorCode::NotFound);
        assert_eq!(memories::record(&world.engine, ctx, &id.into(), None).await.unwrap_err().code(), ErrorCode::NotFound);
        assert_eq!(memories::history(&world.engine, ctx, &id.into(), None).await.unwrap_err().code(), ErrorCode::NotFound);
    }
    assert!(memories::record(&world.engine, &world.atlas, &someones.into(), Some(&user.into())).await.is_ok());
    memories::forget(&world.engine, &world.atlas, ForgetRequest { memory_id: own.into(), reason: None, user_id: None }).await.unwrap();
    let error = memories::revise(&world.engine, &world.atlas, revision(own, "Vera likes coffee")).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::Conflict);
    assert!(error.message().contains("was deleted on"), "{error}");
    assert_eq!(memories::record(&world.engine, &world.atlas, &own.into(), None).await.unwrap_err().code(), ErrorCode::NotFound);
    assert_eq!(memories::record(&world.engine, &world.vera, &own.into(), None).await.unwrap().content, "Vera likes tea");
    assert_eq!(number(&world, "select version::bigint from agent_memories where id = $1", own).await, 2, "nothing was written over it");
}

#[tokio::test]
async fn seed_3_scenario_3_a_profile_fact_is_there_at_once_before_any_embedding() {
    let world = alone_with(impatient()).await;
    world.embedder.hang();
    let stored =
        memories::upsert_profile_fact(&world.engine, &world.atlas, about("preferred editor", "Vera works in Helix")).await.unwrap();
    assert_eq!(world.embedder.calls(), 0, "it waits for no model");
    let answer = ask(&world, &world.atlas, "editor").await;
    assert_eq!(answer.told().into_iter().map(|hit| hit.memory_id).collect::<Vec<_>>(), [stored.memory_id]);
    world.embedder.work();
    work(&world).await;
    assert_eq!(number(&world, "select count(*) from embeddings_384 where live and memory_id = $1", stored.memory_id).await, 1);
}

#[tokio::test]
async fn a_profile_fact_is_replaced_by_person_and_topic() {
    let world = alone().await;
    let upsert = |request| memories::upsert_profile_fact(&world.engine, &world.atlas, request);
    let beside = remember(&world, &world.atlas, fact("editor", "Editors are paid by the team")).await.memory_id;
    let first = upsert(about("editor", "Vera works in Helix")).await.unwrap();
    let second = upsert(about(" EDITOR ", "Vera switched over to Zed")).await.unwrap();
    assert_eq!((second.memory_id, second.was_update, second.previous_version), (first.memory_id, true, Some(1)));
    assert!(upsert(about("editor", "Vera switched over to Zed")).await.unwrap().unchanged);
    let idris = ProfileFactRequest { user_id: Some(UserId(Uuid::from_u128(8)).into()), ..about("editor", "Idris stays with Emacs") };
    assert_ne!(upsert(idris).await.unwrap().memory_id, first.memory_id, "another person's is another fact");
    assert_ne!(upsert(about("shell", "Vera uses fish")).await.unwrap().memory_id, first.memory_id);
    work(&world).await;
    let versions = memories::history(&world.engine, &world.atlas, &first.memory_id.into(), None).await.unwrap();
    assert_eq!(versions.iter().map(|v| v.content.as_str()).collect::<Vec<_>>(), ["Vera switched over to Zed", "Vera works in Helix"]);
    assert_eq!(record(&world, beside).await.version, 1, "what was only remembered is not taken for a fact of the profile");
    let shared = ProfileFactRequest { commons: true, ..about("office", "The office is in Bern") };
    let shared = upsert(shared).await.unwrap().memory_id;
    assert_eq!(memories::record(&world.engine, &world.binky, &shared.into(), None).await.unwrap().content, "The office is in Bern");
}

async fn write_one(engine: &Engine, ctx: &OpContext, n: usize) -> MemoryId {
    let request = json!({ "topic_raw": format!("desk {}", n % 8), "content": format!("desk fact number {n} of quartz{n}"),
        "source": { "platform": "slack" } });
    memories::remember(engine, ctx, serde_json::from_value(request).unwrap()).await.unwrap().memory_id
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn seed_3_scenario_9_thirty_two_writers_and_thirty_two_readers_share_one_memory() {
    let world = alone_with(Settings { ..patient() }).await;
    let workers = Workers::start(&world.engine);
    for n in 0..8 {
        write_one(&world.engine, &world.atlas, n).await;
    }
    let writers = (0..32).map(|n| {
        let (engine, ctx) = (world.engine.clone(), if n % 2 == 0 { world.atlas.clone() } else { world.binky.clone() });
        tokio::spawn(async move {
            let id = write_one(&engine, &ctx, 100 + n).await;
            // Read your own writes, even while others write.
            let found = recall::recall(&engine, &ctx, question(&format!("desk fact number {0} of quartz{0}", 100 + n))).await.unwrap();
            assert!(found.memories().iter().any(|hit| hit.memory_id == id), "writer {n}");
            memories::revise(&engine, &ctx, revision(id, &format!("desk fact {n} was granite{n} after all"))).await.unwrap()
        })
    });
    let readers = (0..32).map(|n| {
        let (engine, ctx) = (world.engine.clone(), world.atlas.clone());
        tokio::spawn(async move {
            let answer = recall::recall(&engine, &ctx, question(&format!("desk {}", n % 8))).await.unwrap();
            assert!(!answer.zero_hit && answer.degraded.is_empty(), "reader {n}: {:?}", answer.degraded);
        })
    });
    let (written, read) = (writers.collect::<Vec<_>>(), readers.collect::<Vec<_>>());
    let revised: Vec<_> = join_all(written).await.into_iter().map(Result::unwrap).collect();
    join_all(read).await.into_iter().for_each(|read| read.unwrap());
    world.engine.log().flush().await;
    workers.stop().await;
    for revised in revised {
        let versions = "select count(*) from agent_memory_versions where memory_id = $1";
        assert_eq!(number(&world, versions, revised.memory_id).await, i64::from(revised.version));
        let granite = "select count(*) from memory_terms where memory_id = $1 and term like 'granit%'";
        assert_eq!(number(&world, granite, revised.memory_id).await, 1, "its words are those of the last version");
    }
    let counted = "select count(*) from agent_memories where live and $1::uuid is not null";
    assert_eq!(number(&world, counted, MemoryId(nowhere())).await, 40, "nothing was lost, nothing doubled");
}

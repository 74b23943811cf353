//! Links: their effect on statuses, who may make them, and that removing them undoes the effect.

use crate::support::{Fetch, Told, agent, alone, alone_with, ask, contents, number, patient, remember, settle, work};
use foundation::testing::{World, fact, key, nowhere};
use foundation::{Error, OpContext, audit};
use remembrancer::{memories, tools};
use serde_json::json;
use uuid::Uuid;
use wire::{
    ErrorCode, ForgetRequest, KeyScope, LinkRequest, LinkResponse, MemoryId, MemoryRef, MemoryScope, MemoryStatus, Relation,
    RememberRequest, UserId,
};

fn request(from: MemoryId, relation: Relation, to: MemoryId) -> LinkRequest {
    LinkRequest { from: from.into(), to: to.into(), relation, remove: false, user_id: None }
}

async fn link(world: &World, from: MemoryId, relation: Relation, to: MemoryId) -> LinkResponse {
    memories::link(&world.engine, &world.atlas, request(from, relation, to)).await.unwrap()
}

async fn unlink(world: &World, from: MemoryId, relation: Relation, to: MemoryId) -> LinkResponse {
    memories::unlink(&world.engine, &world.atlas, request(from, relation, to)).await.unwrap()
}

async fn know(world: &World, ctx: &OpContext, topic: &str, content: &str) -> MemoryId {
    remember(world, ctx, fact(topic, content)).await.memory_id
}

async fn changes(world: &World, id: MemoryId) -> Vec<String> {
    let versions = memories::history(&world.engine, &world.vera, &MemoryRef::Id(id), None).await.unwrap();
    versions.into_iter().map(|version| version.change).collect()
}

#[tokio::test]
async fn seed_3_scenario_6_contradictory_facts_coexist_with_status_and_evidence() {
    let world = World::new().await;
    let said = |content: &str, evidence: &str| RememberRequest { evidence_ref: Some(evidence.into()), ..fact("release day", content) };
    let tuesday = remember(&world, &world.atlas, said("Releases go out on Tuesdays", "minutes of 3 May 2026")).await.memory_id;
    let friday = remember(&world, &world.atlas, said("We ship every Friday afternoon", "mail of Mina")).await.memory_id;
    let answer = link(&world, friday, Relation::Contradicts, tuesday).await;
    assert!(answer.changed);
    assert_eq!((answer.from.status, answer.to.status), (MemoryStatus::Contradicted, MemoryStatus::Contradicted));

    let hits = ask(&world, &world.atlas, "release day").await.told();
    assert_eq!(hits.len(), 2, "neither is hidden");
    for (hit, other) in [(tuesday, friday), (friday, tuesday)] {
        let hit = hits.iter().find(|found| found.memory_id == hit).unwrap();
        assert_eq!((hit.status, hit.contradicts.as_slice()), (MemoryStatus::Contradicted, [other].as_slice()));
    }
    let evidence: Vec<_> = hits.iter().filter_map(|hit| hit.evidence.as_deref()).collect();
    assert!(evidence.contains(&"minutes of 3 May 2026") && evidence.contains(&"mail of Mina"), "each with its own: {evidence:?}");

    // Symmetric: stored once, seen from both ends, made and removed from either.
    assert!(!link(&world, tuesday, Relation::Contradicts, friday).await.changed);
    for (id, other) in [(tuesday, friday), (friday, tuesday)] {
        let links = memories::record(&world.engine, &world.atlas, &id.into(), None).await.unwrap().links;
        assert_eq!(links.iter().map(|link| (link.relation, link.other_id)).collect::<Vec<_>>(), [(Relation::Contradicts, other)]);
        assert_eq!(changes(&world, id).await, ["contradicted", "created"]);
    }
    let gone = unlink(&world, tuesday, Relation::Contradicts, friday).await;
    assert_eq!((gone.from.status, gone.to.status), (MemoryStatus::Active, MemoryStatus::Active));
    let hits = ask(&world, &world.atlas, "release day").await.told();
    assert!(hits.len() == 2 && hits.iter().all(|hit| hit.contradicts.is_empty()), "{hits:?}");
    assert!(!unlink(&world, tuesday, Relation::Contradicts, friday).await.changed);
}

#[tokio::test]
async fn a_memory_is_contradicted_until_its_last_contradiction_is_gone() {
    let world = World::new().await;
    let mut ids = Vec::new();
    for content in ["The office closes at six", "Doors lock around seven", "Everybody leaves before eight"] {
        ids.push(know(&world, &world.atlas, "closing time", content).await);
    }
    link(&world, ids[0], Relation::Contradicts, ids[1]).await;
    link(&world, ids[2], Relation::Contradicts, ids[0]).await;
    let hits = ask(&world, &world.atlas, "closing time").await.told();
    assert_eq!(hits.iter().find(|hit| hit.memory_id == ids[0]).unwrap().contradicts, [ids[1], ids[2]]);
    let once = unlink(&world, ids[0], Relation::Contradicts, ids[1]).await;
    assert_eq!((once.from.status, once.to.status), (MemoryStatus::Contradicted, MemoryStatus::Active));
    let last = unlink(&world, ids[0], Relation::Contradicts, ids[2]).await;
    assert_eq!((last.from.status, last.to.status), (MemoryStatus::Active, MemoryStatus::Active));
}

#[tokio::test]
async fn a_contradiction_ends_when_the_other_side_leaves_reach_and_begins_again_when_it_is_back() {
    let world = alone().await;
    let wrong = know(&world, &world.atlas, "release day", "Releases go out on Tuesdays").await;
    let right = know(&world, &world.atlas, "release day", "We ship every Friday afternoon").await;
    let status = || async { memories::record(&world.engine, &world.atlas, &right.into(), None).await.unwrap().status };
    link(&world, right, Relation::Contradicts, wrong).await;
    memories::forget(&world.engine, &world.atlas, ForgetRequest { memory_id: wrong.into(), reason: None, user_id: None }).await.unwrap();
    work(&world).await;
    assert_eq!(status().await, MemoryStatus::Active, "nothing contradicts it any more");
    memories::restore(&world.engine, &world.vera, &[wrong], "it was right after all").await.unwrap();
    work(&world).await;
    assert_eq!(status().await, MemoryStatus::Contradicted);
    link(&world, right, Relation::Supersedes, wrong).await;
    work(&world).await;
    assert_eq!(status().await, MemoryStatus::Active, "it is settled which of the two holds");
    assert_eq!(changes(&world, right).await, ["reinstated", "contradicted", "reinstated", "contradicted", "created"]);
}

#[tokio::test]
async fn a_reviewer_settles_a_contradiction_with_a_reason_and_takes_it_back() {
    let world = alone().await;
    let wrong = know(&world, &world.atlas, "release day", "Releases go out on Tuesdays").await;
    let right = know(&world, &world.atlas, "release day", "We ship every Friday afternoon").await;
    let theirs = know(&world, &world.binky, "release day", "On the first of a month").await;
    let status = async |id: MemoryId| memories::record(&world.engine, &world.atlas, &id.into(), None).await.unwrap().status;
    let relate = async |request: LinkRequest, seen: i32, reason: &str| {
        let shown = [(wrong, seen)].into_iter().collect();
        let answer = memories::relate(&world.engine, &world.vera, request, &shown, reason).await;
        work(&world).await;
        answer
    };
    link(&world, right, Relation::Contradicts, wrong).await;
    let settles = request(right, Relation::Supersedes, wrong);
    assert!(matches!(relate(settles.clone(), 1, "The plan says so").await, Err(Error::Conflict(_))), "it was marked since");
    assert_eq!(relate(settles.clone(), 2, " ").await.unwrap_err().fields()[0].field, "reason");
    let refused = relate(request(theirs, Relation::Contradicts, right), 2, "Both are Acme's").await.unwrap_err();
    assert_eq!(refused.fields()[0].field, "to", "no agent would see both");
    assert!(relate(settles.clone(), 2, "The plan says so").await.unwrap().changed);
    assert_eq!(contents(&world, &world.atlas, "release day").await, ["We ship every Friday afternoon"]);
    assert_eq!(status(right).await, MemoryStatus::Active);

    assert!(relate(LinkRequest { remove: true, ..settles }, 3, "Undone").await.unwrap().changed);
    assert_eq!((status(right).await, status(wrong).await), (MemoryStatus::Contradicted, MemoryStatus::Contradicted), "as before");
    // A contradiction is removed from either end.
    let parts = LinkRequest { remove: true, ..request(wrong, Relation::Contradicts, right) };
    assert!(relate(parts, 4, "They mean two products").await.unwrap().changed);
    assert_eq!((status(right).await, status(wrong).await), (MemoryStatus::Active, MemoryStatus::Active));
    let page = audit::browse(&world.engine, &world.vera, &Default::default()).await.unwrap();
    let reasons: Vec<_> = page.rows.iter().filter(|row| row.action == "memory.unlinked").map(|row| row.reason.as_deref()).collect();
    assert_eq!(reasons, [Some("They mean two products"), Some("Undone")]);
}

#[tokio::test]
async fn what_is_superseded_leaves_reach_and_comes_back_with_the_link() {
    let world = World::new().await;
    let old = know(&world, &world.atlas, "build server", "The build runs on hal").await;
    let new = know(&world, &world.atlas, "build server", "Compilation moved over to marvin in June").await;
    let answer = link(&world, new, Relation::Supersedes, old).await;
    assert_eq!((answer.from.status, answer.to.status), (MemoryStatus::Active, MemoryStatus::Superseded));
    assert_eq!(contents(&world, &world.atlas, "build server hal").await, ["Compilation moved over to marvin in June"]);
    assert_eq!(number(&world, "select count(*) from memory_terms where memory_id = $1", old).await, 0);
    assert_eq!(number(&world, "select count(*) from embeddings_384 where live and memory_id = $1", old).await, 0);
    assert_eq!(changes(&world, old).await, ["superseded", "created"]);
    let revised =
        memories::revise(&world.engine, &world.atlas, serde_json::from_value(json!({ "memory": old, "content": "x" })).unwrap()).await;
    assert_eq!(revised.unwrap_err().code(), ErrorCode::Conflict);

    assert_eq!(unlink(&world, new, Relation::Supersedes, old).await.to.status, MemoryStatus::Active);
    assert_eq!(changes(&world, old).await, ["reinstated", "superseded", "created"]);
    assert_eq!(number(&world, "select count(*) from embeddings_384 where live and memory_id = $1", old).await, 1);
    assert_eq!(contents(&world, &world.atlas, "build server hal").await.len(), 2);
    settle(&world).await;
    let page = audit::browse(&world.engine, &world.vera, &Default::default()).await.unwrap();
    let actions: Vec<_> = page.rows.iter().filter(|row| row.target_id == old.to_string()).map(|row| row.action.as_str()).collect();
    assert!(actions.contains(&"memory.superseded") && actions.contains(&"memory.reinstated"), "{actions:?}");
}

#[tokio::test]
async fn what_never_had_a_vector_gets_one_when_it_is_reinstated() {
    let world = alone().await;
    world.embedder.fail();
    let old = know(&world, &world.atlas, "printer", "The printer is upstairs").await;
    world.embedder.work();
    let new = know(&world, &world.atlas, "printer", "It was moved next to the kitchen").await;
    link(&world, new, Relation::Supersedes, old).await;
    work(&world).await;
    assert_eq!(number(&world, "select count(*) from embeddings_384 where memory_id = $1", old).await, 0);
    unlink(&world, new, Relation::Supersedes, old).await;
    work(&world).await;
    assert_eq!(number(&world, "select count(*) from embeddings_384 where live and memory_id = $1", old).await, 1);
}

#[tokio::test]
async fn the_other_relations_leave_both_where_they_are() {
    let world = World::new().await;
    let one = know(&world, &world.atlas, "tea", "Vera likes black tea").await;
    let other = know(&world, &world.atlas, "kettle", "The kettle is new").await;
    for relation in [Relation::Supports, Relation::AppliesTo, Relation::DerivedFrom, Relation::RelatedTo] {
        let answer = link(&world, one, relation, other).await;
        assert!(answer.changed && answer.from.status == MemoryStatus::Active && answer.to.status == MemoryStatus::Active, "{relation}");
    }
    assert_eq!(memories::record(&world.engine, &world.atlas, &other.into(), None).await.unwrap().links.len(), 4);
    assert_eq!(changes(&world, one).await, ["created"], "no state changed");
}

#[tokio::test]
async fn a_link_to_itself_to_what_is_foreign_and_to_what_was_forgotten_is_refused_and_leaves_nothing() {
    let world = World::new().await;
    let other_tenant = World::new().await;
    let own = know(&world, &world.atlas, "tea", "Vera likes black tea").await;
    let theirs = know(&world, &world.binky, "tea", "Idris likes green tea").await;
    let elsewhere = know(&other_tenant, &other_tenant.atlas, "tea", "Mina likes none").await;
    let gone = know(&world, &world.atlas, "milk", "There is milk in the fridge").await;
    let someone = RememberRequest { user_id: Some(UserId(Uuid::from_u128(5)).into()), ..fact("tea", "Theirs alone") };
    let someones = remember(&world, &world.atlas, someone).await.memory_id;
    memories::forget(&world.engine, &world.atlas, ForgetRequest { memory_id: gone.into(), reason: None, user_id: None }).await.unwrap();
    for (to, code, field) in [
        (own, ErrorCode::Invalid, Some("to")),
        (theirs, ErrorCode::NotFound, None),
        (elsewhere, ErrorCode::NotFound, None),
        (MemoryId(nowhere()), ErrorCode::NotFound, None),
        (someones, ErrorCode::NotFound, None),
        (gone, ErrorCode::Conflict, None),
    ] {
        for relation in [Relation::Contradicts, Relation::Supersedes] {
            let error = memories::link(&world.engine, &world.atlas, request(own, relation, to)).await.unwrap_err();
            assert_eq!((error.code(), error.fields().first().map(|f| f.field.as_str())), (code, field), "{to} {error}");
            let turned = memories::link(&world.engine, &world.atlas, request(to, relation, own)).await.unwrap_err();
            assert_eq!(turned.code(), code, "{to} {turned}");
        }
    }
    assert_eq!(changes(&world, own).await, ["created"]);
    assert_eq!(number(&world, "select count(*) from memory_links where from_id = $1 or to_id = $1", own).await, 0);
    let tool = tools::find("agent_memory_link").unwrap();
    for (input, field) in [
        (json!({ "from": own, "to": theirs, "relation": "disproves" }), "relation"),
        (json!({ "from": "?", "to": theirs, "relation": "supports" }), "from"),
        (json!({ "from": own, "relation": "supports" }), "to"),
    ] {
        let error = tool.call(&world.engine, &world.atlas, input.clone()).await.unwrap_err();
        assert_eq!(error.fields().first().map(|f| f.field.as_str()), Some(field), "{input}: {error}");
    }
}

#[tokio::test]
async fn shared_memory_is_linked_by_whoever_may_write_to_it() {
    let world = World::new().await;
    let shared = |content: &str| RememberRequest { scope: Some(MemoryScope::Global), commons: true, ..fact("standup", content) };
    let common = remember(&world, &world.binky, shared("Standup is at nine")).await.memory_id;
    let own = know(&world, &world.atlas, "standup", "They meet when Idris has had coffee").await;
    let (writer, _) = key(&world.engine, &world.system, agent(&world.atlas), &[KeyScope::MemoryRead, KeyScope::MemoryWrite]).await;
    let refused = memories::link(&world.engine, &writer, request(own, Relation::Contradicts, common)).await.unwrap_err();
    assert!(matches!(refused, Error::Forbidden(_)), "{refused}");
    link(&world, own, Relation::Contradicts, common).await;
    let hit = ask(&world, &world.atlas, "standup").await.told().into_iter().find(|hit| hit.memory_id == common).unwrap();
    assert_eq!(hit.contradicts, [own]);
    // Binky sees that something contradicts it, but not atlas' private memory.
    let hit = ask(&world, &world.binky, "standup").await.told().remove(0);
    assert_eq!((hit.memory_id, hit.status, hit.contradicts.len()), (common, MemoryStatus::Contradicted, 0));
    assert!(memories::record(&world.engine, &world.binky, &common.into(), None).await.unwrap().links.is_empty());
    assert_eq!(memories::detail(&world.engine, &world.vera, common).await.unwrap().record.links.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn links_made_and_taken_away_at_once_end_in_one_truth() {
    let world = alone_with(patient()).await;
    let mut ids = Vec::new();
    for content in ["amber basalt", "cobalt dolomite", "emerald feldspar", "garnet halite"] {
        ids.push(know(&world, &world.atlas, "stones", content).await);
    }
    let running: Vec<_> = (0..32)
        .map(|n: usize| {
            let (engine, ctx) = (world.engine.clone(), world.atlas.clone());
            let ask = request(ids[n % 4], Relation::Contradicts, ids[(n + 1 + n / 16) % 4]);
            tokio::spawn(async move {
                memories::link(&engine, &ctx, ask.clone()).await.unwrap();
                memories::unlink(&engine, &ctx, ask).await.unwrap();
            })
        })
        .collect();
    for one in running {
        one.await.unwrap();
    }
    let (links, active): (i64, i64) = sqlx::query_as(
        "select (select count(*) from memory_links), (select count(*) from agent_memories where status = 'active' and live)",
    )
    .one(&world.engine)
    .await;
    assert_eq!((links, active), (0, 4));
}

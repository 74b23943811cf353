//! Batches: each item is stored independently of the others.

use crate::idempotency::count;
use crate::support::{alone_with, impatient, patient, work};
use db::lock;
use foundation::op::IdempotencyKey;
use foundation::testing::{World, fact};
use foundation::{Error, OpContext};
use remembrancer::memories;
use std::sync::Arc;
use wire::{BATCH_MAX, BatchResponse, ErrorCode, RememberRequest, UserRef};

type Item = Result<RememberRequest, Error>;

async fn batch(world: &World, ctx: &OpContext, items: Vec<Item>) -> Result<BatchResponse, Error> {
    memories::remember_batch(&world.engine, ctx, None, items).await
}

const MEMORIES: &str = "select count(*) from agent_memories where tenant_id = $1";

#[tokio::test]
async fn five_hundred_facts_are_stored_in_order_with_their_vectors() {
    let world = alone_with(patient()).await;
    let items = (0..BATCH_MAX).map(|n| Ok(fact(&format!("room {n}"), &format!("The key of room {n} hangs on hook {n}.")))).collect();
    let answer = batch(&world, &world.atlas, items).await.unwrap();
    assert_eq!((answer.stored, answer.failed, answer.results.len()), (500, 0, 500));
    for (n, result) in answer.results.iter().enumerate() {
        assert_eq!(result.memory.as_ref().unwrap().topic, format!("room {n}"));
    }
    assert_eq!(count(&world, "select count(*) from embeddings_384 where tenant_id = $1").await, 500);
    assert_eq!(count(&world, "select sum(documents)::bigint from memory_term_counts where tenant_id = $1").await, 500);
}

#[tokio::test]
async fn an_item_that_is_wrong_stops_no_other() {
    let world = World::new().await;
    let shared = RememberRequest { commons: true, ..fact("tea", "Tea is ready at four") };
    let items = vec![
        Ok(fact("tea", "Vera likes black tea")),
        Err(Error::invalid("content", "is required")),
        Ok(fact("", "No topic")),
        Ok(shared),
        Ok(RememberRequest { user_id: Some("crm-1".parse::<UserRef>().unwrap()), ..fact("tea", "Idris likes green tea") }),
        Ok(fact("tea", "Vera likes black tea")),
        Ok(fact("coffee", "Mina takes it black")),
    ];
    let answer = batch(&world, &world.atlas, items).await.unwrap();
    assert_eq!((answer.stored, answer.failed), (3, 4));
    let wrong: Vec<_> =
        answer.results.iter().map(|result| result.error.as_ref().map(|error| (error.code, error.fields[0].field.as_str()))).collect();
    let invalid = |field| Some((ErrorCode::Invalid, field));
    assert_eq!(wrong, [None, invalid("content"), invalid("topic_raw"), invalid("scope"), invalid("user_id"), None, None]);
    let [first, again] = [0, 5].map(|n: usize| answer.results[n].memory.clone().unwrap());
    assert!(again.unchanged && again.memory_id == first.memory_id, "what an earlier item said is recognised");
    assert_eq!(count(&world, MEMORIES).await, 2);
}

#[tokio::test]
async fn the_number_of_items_is_limited() {
    let world = World::new().await;
    for many in [0, BATCH_MAX + 1] {
        let items = (0..many).map(|n| Ok(fact("tea", &format!("Tea number {n}")))).collect();
        let error = batch(&world, &world.atlas, items).await.unwrap_err();
        assert_eq!(error.fields()[0].field, "items", "{error}");
        assert!(error.to_string().contains("1 to 500"), "{error}");
    }
    assert_eq!(count(&world, MEMORIES).await, 0);
}

#[tokio::test]
async fn a_model_that_hangs_delays_only_the_vectors() {
    let world = alone_with(impatient()).await;
    world.embedder.hang();
    let items = (0..40).map(|n| Ok(fact(&format!("room {n}"), &format!("The key of room {n} hangs on hook {n}.")))).collect();
    assert_eq!(batch(&world, &world.atlas, items).await.unwrap().stored, 40);
    let vectors = "select count(*) from embeddings_384 where tenant_id = $1";
    assert_eq!(count(&world, vectors).await, 0);
    world.embedder.work();
    work(&world).await;
    assert_eq!(count(&world, vectors).await, 40);
}

/// The process dies in the middle of a batch. The same batch, sent again, does the rest, and says of all items what it said before.
#[tokio::test]
async fn a_batch_that_was_broken_off_is_finished_by_sending_it_again() {
    let world = World::new().await;
    let key = Arc::new(IdempotencyKey::new("once".into(), Arc::default()));
    let ctx = OpContext { idempotency: Some(key), ..world.atlas.clone() };
    let items = || -> Vec<Item> {
        let mut items: Vec<Item> =
            (0..6).map(|n| Ok(fact(&format!("room {n}"), &format!("The key of room {n} hangs on hook {n}.")))).collect();
        items.insert(2, Err(Error::invalid("content", "is required")));
        items
    };
    // Whoever stores the fourth fact waits for this.
    let held = memories::remember(&world.engine, &world.atlas, fact("room 4", "The lock of room 4 is new.")).await.unwrap().memory_id;
    let mut tx = world.engine.db().memory.begin(world.atlas.tenancy()).await.unwrap();
    let memory = memories::store::by_ids(&mut tx, world.atlas.tenancy(), None, &[held], false).await.unwrap().remove(0);
    lock(&mut tx, memory.key().lock()).await.unwrap();
    let (engine, dying) = (world.engine.clone(), ctx.clone());
    let first = items();
    let dying = tokio::spawn(async move { memories::remember_batch(&engine, &dying, None, first).await });
    while count(&world, MEMORIES).await < 5 {
        tokio::task::yield_now().await;
    }
    dying.abort();
    assert!(dying.await.unwrap_err().is_cancelled());
    tx.rollback().await.unwrap();

    let answer = batch(&world, &ctx, items()).await.unwrap();
    assert_eq!((answer.stored, answer.failed), (6, 1));
    assert_eq!(count(&world, MEMORIES).await, 7);
    let unchanged: Vec<bool> = answer.results.iter().flat_map(|result| &result.memory).map(|memory| memory.unchanged).collect();
    assert_eq!(unchanged, [false; 6], "nothing was stored twice");
    assert_eq!(batch(&world, &ctx, items()).await.unwrap(), answer);
    let mut other = items();
    other.push(Ok(fact("tea", "Vera likes black tea")));
    assert!(matches!(batch(&world, &ctx, other).await, Err(Error::KeyReused)));
    assert_eq!(count(&world, MEMORIES).await, 7);
}

//! The order of hits: relevance · exp(−Δdays/90), with a floor that ignores time.

use crate::support::{Run, remember};
use chrono::{DateTime, Duration, Utc};
use db::clock::Clock;
use foundation::Settings;
use foundation::testing::{Fake, TestDatabases, World, fact, question};
use models::Embedder;
use remembrancer::recall;
use std::sync::Arc;
use wire::{Hit, MemoryId, Ranking, RecallRequest, RecallResponse};

/// The cosine as the test computes it, from the vectors before they were halved.
fn cosine(fake: &Fake, query: &str, topic: &str, content: &str) -> f64 {
    let (a, b) = (fake.vector(query), fake.vector(&format!("{topic}\n{content}")));
    a.iter().zip(&b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum()
}

/// Remembers something in the past: moves the clock back, and then forward again.
async fn remember_ago(world: &World, ago: Duration, topic: &str, content: &str) -> MemoryId {
    world.clock.advance(-ago);
    let id = remember(world, &world.atlas, fact(topic, content)).await.memory_id;
    world.clock.advance(ago);
    id
}

struct Kept {
    id: MemoryId,
    topic: String,
    content: &'static str,
    age: Duration,
}

/// Remembers sentences that share more or fewer words with the question; by age they rank differently than by similarity.
async fn mixed(world: &World) -> Vec<Kept> {
    let sentences = [
        ("the deploy of the billing service runs on friday evening", 400),
        ("the billing service is owned by the payments team", 20),
        ("deploy of the billing service", 150),
        ("friday evening is quiet", 3),
        ("the deploy calendar lists every service and every evening", 60),
        ("billing runs on friday", 700),
        ("lunch is at noon", 1),
        ("a service has an owner", 0),
        ("when the deploy fails on friday nobody sleeps that evening", 33),
        ("which service is the billing service", 90),
    ];
    let mut kept = Vec::new();
    for (n, (content, days)) in sentences.into_iter().enumerate() {
        let (topic, age) = (format!("note {n}"), Duration::days(days));
        kept.push(Kept { id: remember_ago(world, age, &topic, content).await, topic, content, age });
    }
    kept
}

async fn order_is_as_computed(world: &World) {
    let query = "when does the deploy of the billing service run on friday evening";
    let kept = mixed(world).await;
    let asking = |k: u32| RecallRequest { k, ranking: Some(Ranking::Decay), ..question(query) };
    let answer = recall::recall(&world.engine, &world.atlas, asking(100)).await.unwrap();
    let mut expected: Vec<(MemoryId, f64, f64)> = kept
        .iter()
        .map(|kept| {
            let similarity = cosine(&world.embedder, query, &kept.topic, kept.content);
            (kept.id, similarity, similarity * (-(kept.age.num_days() as f64) / 90.0).exp())
        })
        .filter(|(_, similarity, _)| *similarity >= 0.25)
        .collect();
    expected.sort_by(|a, b| b.2.total_cmp(&a.2));
    assert!(expected.len() > 5 && expected.len() < kept.len(), "the floor cuts some: {expected:?}");
    assert!(expected.windows(2).all(|pair| pair[0].2 - pair[1].2 > 1e-3), "no two are too near to tell: {expected:?}");
    assert!(expected.windows(2).any(|pair| pair[0].1 < pair[1].1), "age matters: {expected:?}");
    assert_eq!(answer.memories().iter().map(|hit| hit.memory_id).collect::<Vec<_>>(), expected.iter().map(|e| e.0).collect::<Vec<_>>());
    for (hit, (_, similarity, score)) in answer.memories().iter().zip(&expected) {
        assert!((hit.similarity - similarity).abs() < 1e-3 && (hit.score - score).abs() < 1e-3, "{hit:?}");
    }
    // The best k are the first k of all.
    let three = recall::recall(&world.engine, &world.atlas, asking(3)).await.unwrap();
    assert_eq!(three.memories().iter().map(|h| h.memory_id).collect::<Vec<_>>(), expected[..3].iter().map(|e| e.0).collect::<Vec<_>>());
}

#[tokio::test]
async fn hits_come_in_the_order_of_similarity_times_decay() {
    order_is_as_computed(&World::new().await).await;
}

#[tokio::test]
async fn so_they_do_with_the_larger_vectors_of_the_other_model() {
    let fake = Fake::with_dimension(1536);
    let world = World::with(TestDatabases::shared().await, Arc::new(fake.clone()), fake, Settings::default()).await;
    assert_eq!(world.embedder.dimension(), 1536);
    order_is_as_computed(&world).await;
    let again = remember(&world, &world.atlas, fact("note 3", "Friday evening is quiet!")).await;
    assert!(again.was_update, "and near-duplicates are recognised");
}

/// An answer in the order of the ranking `decay`.
async fn decayed(world: &World, query: &str) -> RecallResponse {
    recall::recall(&world.engine, &world.atlas, RecallRequest { ranking: Some(Ranking::Decay), ..question(query) }).await.unwrap()
}

#[tokio::test]
async fn words_alone_come_in_decayed_order_too() {
    let world = World::new().await;
    world.embedder.fail();
    let old = remember_ago(&world, Duration::days(200), "tea", "black tea from the mountain").await;
    let fresh = remember_ago(&world, Duration::days(1), "drinks", "some black tea and then some more words about water").await;
    let answer = decayed(&world, "black tea mountain").await;
    assert_eq!(answer.memories().iter().map(|hit| hit.memory_id).collect::<Vec<_>>(), [fresh, old]);
    assert!(answer.memories()[0].similarity < answer.memories()[1].similarity, "{answer:?}");
    assert!(answer.memories().windows(2).all(|pair| pair[0].score > pair[1].score));
}

#[tokio::test]
async fn an_old_relevant_memory_never_vanishes() {
    let world = World::new().await;
    let old = remember_ago(&world, Duration::days(3 * 365), "safe", "the spare key of the safe lies in the blue vase").await;
    // Fresh, and almost irrelevant: they share one word at most.
    for n in 0..200 {
        remember(
            &world,
            &world.atlas,
            fact(&format!("entry {n}"), &format!("log{n} wrote{n} something{n} harmless{n} about the{n} weather{n}")),
        )
        .await;
    }
    let query = "where is the spare key of the safe";
    let answer = decayed(&world, query).await;
    assert_eq!(answer.memories().iter().map(|hit| hit.memory_id).collect::<Vec<_>>(), [old]);
    assert!(answer.memories()[0].score < 1e-4 && answer.memories()[0].similarity > 0.5);
    // A fresh memory that passes the floor ranks above it, even if it is less relevant.
    let fresh = remember(&world, &world.atlas, fact("key", "a key is a key is a key, says the safe")).await.memory_id;
    let answer = decayed(&world, query).await;
    assert_eq!(answer.memories().iter().map(|hit| hit.memory_id).collect::<Vec<_>>(), [fresh, old]);
    assert!(answer.memories()[0].similarity < answer.memories()[1].similarity);
    // At equal age the more relevant one ranks first.
    let relevant = remember(&world, &world.atlas, fact("safe", "the spare key of the safe is with Vera now")).await.memory_id;
    assert_eq!(decayed(&world, query).await.memories().iter().map(|hit| hit.memory_id).collect::<Vec<_>>(), [relevant, fresh, old]);
}

#[tokio::test]
async fn equal_scores_come_newest_first_then_by_id() {
    let world = World::new().await;
    let mut ids = Vec::new();
    for _ in 0..2 {
        // Equal words under the keys of two users are of equal relevance.
        for (user, marks) in [(None, [".", "!"]), (Some(7), [";", ","])] {
            for (scope, mark) in ["agent", "global"].into_iter().zip(marks) {
                let mut request = fact("tea", &format!("Vera likes tea{mark}"));
                request.user_id = user.map(|n| wire::UserId(uuid::Uuid::from_u128(n))).map(Into::into);
                request.scope = Some(scope.parse().unwrap());
                ids.push(remember(&world, &world.atlas, request).await.memory_id);
            }
        }
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 4);
    let at: DateTime<Utc> = world.clock.now();
    let created = [at, at - Duration::days(1), at - Duration::days(1), at + Duration::seconds(1)];
    for (id, created) in ids.iter().zip(created) {
        sqlx::query("update agent_memories set created_at = $2, updated_at = $3, stated_at = $3 where id = $1")
            .bind(id)
            .bind(created)
            .bind(at)
            .run(&world.engine)
            .await;
        sqlx::query("update embeddings_384 set weight = 1 where memory_id = $1").bind(id).run(&world.engine).await;
    }
    let request = RecallRequest { user_id: Some(wire::UserId(uuid::Uuid::from_u128(7)).into()), ..question("tea") };
    let answer = recall::recall(&world.engine, &world.atlas, request).await.unwrap();
    assert_eq!(answer.memories().iter().map(|hit| hit.memory_id).collect::<Vec<_>>(), [ids[3], ids[0], ids[2], ids[1]]);
    let scores: Vec<f64> = answer.memories().iter().map(|hit| hit.score).collect();
    assert!(scores[0] > scores[1] && scores[1..].iter().all(|score| *score == scores[1]), "all but the first repeat it: {scores:?}");
}

#[tokio::test]
async fn a_score_is_the_sum_of_its_parts_times_what_age_has_left_of_it() {
    let world = World::new().await;
    let kept = mixed(&world).await;
    let query = "when does the deploy of the billing service run on friday evening";
    let asking = |ranking| RecallRequest { k: 100, ranking, ..question(query) };
    let answer = recall::recall(&world.engine, &world.atlas, asking(None)).await.unwrap();
    assert_eq!(answer.ranking, Ranking::HybridDecay);
    for hit in answer.memories() {
        let kept = kept.iter().find(|kept| kept.id == hit.memory_id).unwrap();
        let sum: f64 = hit.breakdown.parts.iter().map(|part| part.value * part.weight).sum();
        let left = 0.9 + 0.1 * (-(kept.age.num_days() as f64) / 365.0).exp();
        assert!((hit.score - sum * left).abs() < 1e-6 && (0.0..=1.0).contains(&sum), "{hit:?}");
        assert!(hit.explanation.contains("which makes"), "{}", hit.explanation);
    }
    assert!(answer.memories().windows(2).all(|pair| pair[0].score >= pair[1].score));
    // A memory that passes by meaning alone also passes here.
    let by_meaning = recall::recall(&world.engine, &world.atlas, asking(Some(Ranking::Decay))).await.unwrap();
    let by_meaning = by_meaning.memories();
    let passes = |hit: &&Hit| answer.memories().iter().any(|other| other.memory_id == hit.memory_id);
    assert!(by_meaning.len() > 5 && by_meaning.iter().all(passes), "{by_meaning:?}");
}

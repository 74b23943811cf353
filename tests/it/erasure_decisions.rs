//! Who decides about an erasure, and what a legal hold keeps.

use crate::erasure::{MARKER, failures, idris, named_set, new, of, rows_of, say};
use crate::support::{Fetch, Run, agent, alone, remember, work};
use db::clock::Clock;
use foundation::Error;
use foundation::testing::fact;
use remembrancer::{erasure, lifecycle};
use wire::{ErasureState, MentionPlace, MentionRef, NewErasure, UserId};

#[tokio::test]
async fn two_admins_decide_and_a_legal_hold_stops_everything() {
    let world = alone().await;
    let (engine, idris) = (&world.engine, idris(&world).await);
    let person = UserId(world.clock.id());
    let memory = remember(&world, &of(&world.atlas, person), fact("tea", "Mina likes tea")).await.memory_id;
    let set = named_set(&world, "Teas of Zqxmarker", memory).await;
    let preview = erasure::preview(engine, &world.vera, &person.into(), &[MARKER.into()]).await.unwrap();
    let named: Vec<_> = preview.mentions.iter().filter(|mention| mention.row() == set).map(|mention| mention.excerpt.as_str()).collect();
    assert!(matches!(named[..], [name] if name.contains("Zqxmarker")), "{:?}", preview.mentions);
    let reason = |reason: &str| NewErasure { reason: reason.into(), ..new(person, vec![]) };
    for (wrong, field) in [
        (reason(" "), "reason"),
        (reason("Zqxmarker asked"), "reason"),
        (reason(&format!("for {person}")), "reason"),
        (NewErasure { names: vec!["ab".into()], ..new(person, vec![]) }, "names"),
        (new(person, vec![MentionRef { place: MentionPlace::Document, id: person.0 }]), "mentions"),
        (new(person, vec![set]), "mentions"),
    ] {
        let error = erasure::request(engine, &world.vera, wrong).await.unwrap_err();
        assert_eq!(error.fields().first().map(|wrong| wrong.field.as_str()), Some(field), "{error}");
    }
    let request = || erasure::request(engine, &world.vera, new(person, vec![]));
    let withdrawn = request().await.unwrap();
    assert!(matches!(request().await, Err(Error::Conflict(_))), "one request at a time");
    erasure::withdraw(engine, &world.vera, withdrawn).await.unwrap();
    assert!(matches!(erasure::confirm(engine, &idris, withdrawn, &person.into()).await, Err(Error::Conflict(_))));
    let expired = request().await.unwrap();
    world.clock.advance(chrono::Duration::days(15));
    assert!(matches!(erasure::confirm(engine, &idris, expired, &person.into()).await, Err(Error::Conflict(_))));

    let id = request().await.unwrap();
    assert!(
        matches!(erasure::confirm(engine, &world.vera, id, &person.into()).await, Err(Error::Forbidden(_))),
        "another admin must confirm"
    );
    assert!(
        matches!(erasure::confirm(engine, &world.system, id, &person.into()).await, Err(Error::Forbidden(_))),
        "nobody confirms without a name"
    );
    work(&world).await;
    assert_eq!(rows_of(&world, person).await.iter().filter(|(table, _)| table == "agent_memories").count(), 1, "nothing happens before");
    erasure::hold(engine, &world.vera, &person.into(), "A lawsuit").await.unwrap();
    assert!(matches!(erasure::hold(engine, &world.vera, &person.into(), "Another").await, Err(Error::Conflict(_))));
    assert!(matches!(erasure::confirm(engine, &idris, id, &person.into()).await, Err(Error::Conflict(_))), "a hold stops the confirmation");
    erasure::lift_hold(engine, &world.vera, &person.into(), "Settled").await.unwrap();
    erasure::confirm(engine, &idris, id, &person.into()).await.unwrap();
    erasure::hold(engine, &world.vera, &person.into(), "A second lawsuit").await.unwrap();
    work(&world).await;
    assert_eq!(failures(&world).await, ["the user, or the owner of a mention, is under a legal hold"], "a hold stops the job");
    assert_eq!(rows_of(&world, person).await.iter().filter(|(table, _)| table == "agent_memories").count(), 1);
    erasure::lift_hold(engine, &world.vera, &person.into(), "Settled, too").await.unwrap();
    work(&world).await;
    assert_eq!(erasure::show(engine, &idris, id).await.unwrap().request.state, ErasureState::Done, "it goes on by itself");
    let left: Vec<String> = rows_of(&world, person).await.into_iter().map(|(table, _)| table).collect();
    assert_eq!(left, ["erasure_requests"; 3], "the one that was withdrawn, the expired one and this one");
}

#[tokio::test]
async fn a_legal_hold_keeps_what_would_expire_and_the_log() {
    let world = alone().await;
    let (held, other) = (UserId(world.clock.id()), UserId(world.clock.id()));
    for user in [held, other] {
        say(&world, &of(&world.atlas, user), "thread", "The tide is low this morning.").await;
        sqlx::query("insert into retrievals (tenant_id, agent_id, id, at, user_id, query, k, expected, ranking, filters, model, vector_floor, lexical_floor, vocabulary_version, statistics, candidates, hits, zero_hit, degraded, took_ms) values ($1, $2, $3, $4, $5, 'tide', 5, false, 'decay', '{}', 'm', 0, 0, 1, '{}', '[]', 0, false, '{}', 1)")
            .bind(world.system.tenant_id)
            .bind(agent(&world.atlas))
            .bind(world.clock.id())
            .bind(world.clock.now())
            .bind(user)
            .run(&world.engine)
            .await;
    }
    erasure::hold(&world.engine, &world.vera, &held.into(), "A lawsuit").await.unwrap();
    world.clock.advance(chrono::Duration::days(100));
    lifecycle::sweep_now(&world.engine, &world.vera).await.unwrap();
    work(&world).await;
    remembrancer::recall::sweep(&world.engine, world.clock.now()).await.unwrap();
    let kept = "select user_id from agent_memories where archived_at is null union all select user_id from retrievals";
    assert_eq!(sqlx::query_scalar::<_, UserId>(kept).all(&world.engine).await, [held, held]);
    assert_eq!(erasure::holds(&world.engine, &world.vera).await.unwrap()[0].reason, "A lawsuit");
}

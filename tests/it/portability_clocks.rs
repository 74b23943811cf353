//! A clock that is ahead for a while and comes back: no row ends before it begins, the past stays readable, and the tenant can still move.

use crate::portability::{body, exported, import, newcomer};
use crate::portability_tenant::{add, change, ingest};
use crate::records::revision;
use crate::support::{alone, memory_owner, owner, remember, work};
use chrono::{DateTime, Duration, Utc};
use foundation::testing::{FakeClock, TestDatabases, World, fact};
use foundation::{Engine, projects};
use portability::Selection;
use remembrancer::knowledge::Extent;
use remembrancer::memories;
use sqlx::PgConnection;
use wire::{ForgetRequest, ImportReport, NewProject, TermChange};

/// A clock 90 seconds ahead, as that of another machine may be, and one that was set to another year.
const AHEAD: [Duration; 2] = [Duration::seconds(90), Duration::days(400)];

/// What a clock that was ahead leaves behind in every kind of row that has a validity: rows that it opened, and rows that it closed.
struct Jump {
    world: World,
    /// Before the clock was ahead, and after it came back.
    before: DateTime<Utc>,
    after: DateTime<Utc>,
    /// The export that was written while it was ahead.
    early: String,
}

async fn write(world: &World, text: &str) {
    ingest(world, vec![("harbour.md".into(), format!("# Harbour\n\n{text}\n").into_bytes())], Extent::Whole).await;
}

async fn jump(ahead: Duration) -> Jump {
    let world = alone().await;
    let (engine, clock) = (&world.engine, &world.clock);
    for slug in ["quay", "dock", "pier"] {
        projects::create(engine, &world.system, NewProject { slug: slug.into(), name: slug.into() }).await.unwrap();
    }
    projects::link(engine, &world.system, "quay", "dock").await.unwrap();
    let store = add(&world, "secret store", &["vault"]).await;
    let tea = remember(&world, &world.atlas, fact("tea", "Vera likes black tea")).await.memory_id;
    write(&world, "The gate opens at six.").await;
    let before = engine.clock().now();

    clock.advance(ahead);
    change(&world, store, TermChange::Rename { term: "strongroom".into() }).await;
    change(&world, store, TermChange::Unalias { alias: "vault".into() }).await;
    change(&world, store, TermChange::Alias { alias: "safe".into() }).await;
    let fax = add(&world, "fax", &["telefax"]).await;
    projects::unlink(engine, &world.system, "quay", "dock").await.unwrap();
    projects::link(engine, &world.system, "quay", "pier").await.unwrap();
    memories::revise(engine, &world.atlas, revision(tea, "Vera likes green tea")).await.unwrap();
    let lift = remember(&world, &world.atlas, fact("lift", "The lift is out of order")).await.memory_id;
    write(&world, "The gate opens at seven.").await;
    work(&world).await;
    let early = exported(engine, &world.system, &Selection::All).await;

    clock.advance(-ahead);
    change(&world, store, TermChange::Rename { term: "treasury".into() }).await;
    change(&world, store, TermChange::Unalias { alias: "safe".into() }).await;
    change(&world, fax, TermChange::Retire { reason: "Gone for good".into() }).await;
    projects::link(engine, &world.system, "quay", "dock").await.unwrap();
    projects::unlink(engine, &world.system, "quay", "dock").await.unwrap();
    projects::unlink(engine, &world.system, "quay", "pier").await.unwrap();
    memories::revise(engine, &world.atlas, revision(tea, "Vera likes white tea")).await.unwrap();
    memories::forget(engine, &world.atlas, ForgetRequest { memory_id: lift.into(), reason: None, user_id: None }).await.unwrap();
    write(&world, "The gate opens at eight.").await;
    work(&world).await;
    let after = engine.clock().now();
    Jump { world, before, after, early }
}

/// The texts of one column that were in force at a moment.
async fn at(connection: &mut PgConnection, sql: &'static str, at: DateTime<Utc>) -> Vec<String> {
    sqlx::query_scalar(sql).bind(at).fetch_all(connection).await.unwrap()
}

#[tokio::test]
async fn what_was_in_force_stays_findable_when_a_clock_was_ahead() {
    for ahead in AHEAD {
        let Jump { world, before, after, .. } = jump(ahead).await;
        let (mut kb, mut memory) = (owner(&world.engine.urls().shared_kb).await, memory_owner(&world.engine).await);
        let names = "select term from canonical_terms where valid_from <= $1 and (valid_to is null or valid_to > $1) order by 1";
        assert_eq!(
            (at(&mut kb, names, before).await, at(&mut kb, names, after).await),
            (vec!["secret store".into()], vec!["treasury".into()])
        );
        let aliases = "select alias from term_aliases where valid_from <= $1 and (valid_to is null or valid_to > $1) order by 1";
        assert_eq!(at(&mut kb, aliases, before).await, ["vault"]);
        let texts = "select c.content from documents d join chunks c on c.tenant_id = d.tenant_id and c.document_id = d.id
                      where d.valid_from <= $1 and (d.valid_to is null or d.valid_to > $1)";
        let (then, now) = (at(&mut kb, texts, before).await, at(&mut kb, texts, after).await);
        assert!(then.len() == 1 && then[0].contains("at six") && now.len() == 1 && now[0].contains("at eight"), "{then:?} {now:?}");
        let links = "select distinct p.slug from project_links l
                       join projects p on p.tenant_id = l.tenant_id and p.id in (l.one_id, l.other_id) and p.slug <> 'quay'
                      where l.created_at <= $1 and (l.valid_to is null or l.valid_to > $1)";
        assert_eq!((at(&mut memory, links, before).await, at(&mut memory, links, after).await.len()), (vec!["dock".into()], 0));
        let words = "select distinct on (memory_id) content from agent_memory_versions
                      where valid_from <= $1 and topic = 'tea' order by memory_id, version desc";
        assert_eq!(at(&mut memory, words, before).await, ["Vera likes black tea"]);
        assert_eq!(at(&mut memory, words, after).await, ["Vera likes white tea"]);
    }
}

/// Imports a file and tells what it did and what is there then.
async fn moved(there: &Engine, ctx: &foundation::OpContext, text: &str) -> (ImportReport, String) {
    (import(there, ctx, text).await.unwrap(), exported(there, ctx, &Selection::All).await)
}

#[tokio::test]
async fn a_tenant_whose_clock_was_ahead_can_move() {
    for ahead in AHEAD {
        let Jump { world, early, .. } = jump(ahead).await;
        let late = exported(&world.engine, &world.system, &Selection::All).await;
        for text in [&early, &late] {
            let there = &World::on(TestDatabases::fresh(&FakeClock::default()).await).await.engine;
            let ctx = newcomer(there).await;
            let (first, after) = moved(there, &ctx, text).await;
            assert_eq!(first.total().added as usize, body(text).len());
            // What is not corrected is the same there; a day's difference is none.
            let same = body(text).iter().filter(|line| body(&after).contains(line)).count();
            assert_eq!(first.corrected > 0, ahead > Duration::days(1), "{:?}", first.corrections);
            assert!(same >= body(text).len() - usize::try_from(first.corrected).unwrap(), "{:?}", first.corrections);
            let latest = there.clock().now() + Duration::days(1);
            let ends = |line: &&str| ["created_at", "updated_at", "valid_from", "valid_to"].iter().any(|field| line.contains(field));
            let dated: Vec<&str> = body(&after).into_iter().filter(ends).collect();
            assert!(!dated.is_empty());
            for line in dated {
                let line: serde_json::Value = serde_json::from_str(line).unwrap();
                let time = |field: &str| line[field].as_str().map(|at| at.parse::<DateTime<Utc>>().unwrap());
                assert!(
                    ["created_at", "updated_at", "valid_from", "valid_to"].iter().all(|field| time(field).is_none_or(|at| at <= latest)),
                    "{line}"
                );
                assert!(time("valid_to").is_none() || time("valid_to") >= time("valid_from"), "{line}");
            }
            // Again, as after an import that was interrupted: nothing is added, and nothing contradicts itself.
            let (second, again) = moved(there, &ctx, text).await;
            assert_eq!((second.total().added, second.total().updated), (0, 0), "{:?}", second.lines);
            assert_eq!(body(&again), body(&after));
        }
    }
}

#[tokio::test]
async fn no_statement_can_end_a_row_before_it_begins() {
    let world = World::new().await;
    let mut kb = owner(&world.engine.urls().shared_kb).await;
    add(&world, "secret store", &["vault"]).await;
    write(&world, "The gate opens at six.").await;
    for (sql, constraint) in [
        ("update canonical_terms set valid_to = '-infinity'", "canonical_terms_validity_check"),
        ("update term_aliases set valid_to = '-infinity'", "term_aliases_validity_check"),
        ("update documents set valid_to = '-infinity'", "documents_validity_check"),
    ] {
        let error = sqlx::query(sql).execute(&mut kb).await.unwrap_err().to_string();
        assert!(error.contains(constraint), "{error}");
    }
}

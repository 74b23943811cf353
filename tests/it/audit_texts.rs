//! What the audit chain withstands: erasure of its texts, a cut end, a change that fails halfway.

use crate::audit_chain::{tamper, with_entries};
use crate::erasure::{carried_out, idris};
use crate::support::{Fetch, agent, alone, ask, owner, remember, settle};
use db::clock::Clock;
use foundation::audit::{self, Anchor, Fault, anchor_log};
use foundation::testing::{PASSWORD, World, fact};
use foundation::{Engine, Error, OpContext, identity, projects};
use remembrancer::{chat, memories, vocabulary};
use serde_json::json;
use sha2::{Digest, Sha256};
use sqlx::Connection;
use std::collections::{BTreeMap, BTreeSet};
use wire::{
    AgentSettings, AuditFilter, AuditVisibility, Discipline, EventId, ForgetRequest, KeyScope, LinkRequest, MemoryRef, NewErasure,
    NewInvitation, NewProject, OperatorRole, ProposeRequest, Relation, Toolset,
};

async fn verify(engine: &Engine, ctx: &OpContext, expected: Option<&Anchor>) -> audit::Verified {
    audit::verify(engine, ctx, expected).await.unwrap()
}

async fn browse(engine: &Engine, ctx: &OpContext) -> Vec<wire::AuditEntry> {
    audit::browse(engine, ctx, &AuditFilter::default()).await.unwrap().rows
}

async fn erase(world: &World, tenant: &OpContext, entries: &[EventId]) -> u64 {
    let mut tx = world.engine.db().control.begin_system().await.unwrap();
    let erased = audit::store::erase_texts(&mut tx, tenant.tenant_id, entries).await.unwrap();
    tx.commit().await.unwrap();
    erased
}

#[tokio::test]
async fn the_chain_stays_whole_when_texts_are_erased() {
    let world = World::new().await;
    let tenant = with_entries(&world, 5).await;
    let whole = verify(&world.engine, &tenant, None).await;
    let rows = browse(&world.engine, &tenant).await;
    let two: Vec<EventId> = rows[..2].iter().map(|row| row.event_id).collect();
    assert_eq!(erase(&world, &with_entries(&world, 1).await, &two).await, 0, "another tenant erases nothing");
    assert_eq!(erase(&world, &tenant, &two).await, 2);
    assert_eq!(erase(&world, &tenant, &two).await, 0, "they are erased already");

    let after = verify(&world.engine, &tenant, Some(&whole.head)).await;
    assert_eq!((&after.head, after.erased, after.fault), (&whole.head, 2, None));
    let erased = browse(&world.engine, &tenant).await;
    assert_eq!(erased.len(), rows.len());
    for (row, before) in erased.into_iter().zip(rows) {
        if two.contains(&row.event_id) {
            assert_eq!((row.actor_name.as_str(), row.message.as_str()), ("erased", "the texts of this entry were erased"));
            assert_eq!((row.seq, row.action, row.target_id), (before.seq, before.action, before.target_id), "what was done stays");
        } else {
            assert_eq!(row, before);
        }
    }
    let kept: String = sqlx::query_scalar("select coalesce(string_agg(l::text, ''), '') from audit_log l where tenant_id = $1")
        .bind(tenant.tenant_id)
        .one(&world.engine.urls().internal_shared)
        .await;
    assert!(!kept.contains("tested"), "the chain itself holds no text");
    // The chain goes on where texts are missing.
    audit::append(&world.engine, tenant.tenant_id, audit::NewEntry::new(&world.engine, &tenant, "test.done", "thing", 9, "tested"))
        .await
        .unwrap();
    let longer = verify(&world.engine, &tenant, Some(&whole.head)).await;
    assert_eq!((longer.head.entries, longer.fault), (7, None));
}

#[tokio::test]
async fn a_short_reference_takes_only_the_texts_that_have_it_as_a_word() {
    let world = alone().await;
    let (engine, vera) = (&world.engine, &world.vera);
    let person = identity::add_user(engine, vera, "7", None, None).await.unwrap().id;
    for said in ["7 paid the bill", "room 17 has 7000 chairs", "crm-7a paid"] {
        let changes = json!({ "note": format!("first\n{said}") });
        let entry = audit::NewEntry { changes, ..audit::NewEntry::new(engine, vera, "test.done", "thing", 9, "tested") };
        audit::append(engine, vera.tenant_id, entry).await.unwrap();
    }
    let new = NewErasure { user: person.into(), reason: "Article 17, case 31".into(), names: vec![], mentions: vec![] };
    carried_out(&world, &idris(&world).await, new).await;
    let rows = browse(engine, vera).await;
    let left = rows.iter().filter(|row| row.action == "test.done" && row.message == "tested").map(|row| row.changes["note"].as_str());
    assert_eq!(left.collect::<BTreeSet<_>>(), BTreeSet::from([Some("first\nroom 17 has 7000 chairs"), Some("first\ncrm-7a paid")]));
}

/// The anchor of a chain at an earlier length.
async fn whole_at(world: &World, tenant: &OpContext, entries: i64) -> Anchor {
    let hash: Vec<u8> = sqlx::query_scalar("select hash from audit_log where tenant_id = $1 and seq = $2")
        .bind(tenant.tenant_id)
        .bind(entries)
        .one(&world.engine.urls().internal_shared)
        .await;
    Anchor { entries, hash }
}

#[tokio::test]
async fn a_changed_text_is_noticed() {
    let world = World::new().await;
    for sql in [
        "update audit_texts set message = 'nothing' where (tenant_id, event_id) in (select tenant_id, event_id from audit_log where tenant_id = $1 and seq = 3)",
        "update audit_texts set actor_name = 'Mina' where (tenant_id, event_id) in (select tenant_id, event_id from audit_log where tenant_id = $1 and seq = 3)",
        "update audit_texts set reason = 'because' where (tenant_id, event_id) in (select tenant_id, event_id from audit_log where tenant_id = $1 and seq = 3)",
        "update audit_texts set changes = '{\"a\": 1}' where (tenant_id, event_id) in (select tenant_id, event_id from audit_log where tenant_id = $1 and seq = 3)",
        "update audit_texts set salt = 'other' where (tenant_id, event_id) in (select tenant_id, event_id from audit_log where tenant_id = $1 and seq = 3)",
    ] {
        let tenant = with_entries(&world, 4).await;
        tamper(&world.engine, tenant.tenant_id, sql).await;
        let found = verify(&world.engine, &tenant, None).await;
        assert_eq!((found.head.entries, found.fault), (2, Some(Fault::Texts(3))), "{sql}");
    }
    // While the trigger is active, not even the owner can change a text.
    let tenant = with_entries(&world, 1).await;
    let mut owner = owner(&world.engine.urls().internal_shared).await;
    let refused =
        sqlx::query("update audit_texts set message = 'nothing' where tenant_id = $1").bind(tenant.tenant_id).execute(&mut owner).await;
    assert!(refused.unwrap_err().to_string().contains("erased, not changed"));
}

#[tokio::test]
async fn a_cut_end_and_a_rewritten_chain_show_against_an_anchor() {
    let world = World::new().await;
    let tenant = with_entries(&world, 5).await;
    let anchor = verify(&world.engine, &tenant, None).await.head;
    let early = whole_at(&world, &tenant, 3).await;
    for good in [&anchor, &early, &Anchor { entries: 0, hash: vec![0; 32] }] {
        assert_eq!(verify(&world.engine, &tenant, Some(good)).await.fault, None);
    }
    let found = verify(&world.engine, &tenant, Some(&Anchor { hash: anchor.hash.clone(), ..early })).await;
    assert_eq!((found.head.entries, found.fault), (3, Some(Fault::Replaced)));
    assert_eq!(verify(&world.engine, &tenant, Some(&Anchor { entries: 0, hash: vec![1; 32] })).await.fault, Some(Fault::Replaced));

    tamper(&world.engine, tenant.tenant_id, "delete from audit_log where tenant_id = $1 and seq = 6").await;
    assert_eq!(verify(&world.engine, &tenant, None).await.fault, None, "in itself the shorter chain is sound");
    let found = verify(&world.engine, &tenant, Some(&anchor)).await;
    assert_eq!((found.head.entries, found.fault), (5, Some(Fault::Cut)));
    // Filling the gap makes another chain.
    audit::append(&world.engine, tenant.tenant_id, audit::NewEntry::new(&world.engine, &tenant, "test.forged", "thing", 9, "x"))
        .await
        .unwrap();
    assert_eq!(verify(&world.engine, &tenant, Some(&anchor)).await.fault, Some(Fault::Replaced));
}

#[tokio::test]
async fn anchors_are_logged_when_a_chain_has_grown() {
    let world = alone().await;
    let (tenant, mut logged) = (world.system.tenant_id, BTreeMap::new());
    let all = anchor_log::log_anchors(&world.engine, &mut logged).await.unwrap();
    let head = verify(&world.engine, &world.system, None).await.head;
    assert_eq!(all, vec![(tenant, head)]);
    assert_eq!(anchor_log::log_anchors(&world.engine, &mut logged).await.unwrap(), vec![]);
    let entry = audit::NewEntry::new(&world.engine, &world.system, "test.done", "thing", 1, "tested");
    audit::append(&world.engine, tenant, entry).await.unwrap();
    let grown = anchor_log::log_anchors(&world.engine, &mut logged).await.unwrap();
    assert_eq!(grown, vec![(tenant, verify(&world.engine, &world.system, None).await.head)]);
}

/// A tenant with one entry from before texts had a table of their own; its hash covers them, as it did then.
async fn old_tenant(world: &World) -> OpContext {
    let slug = format!("t{}", world.clock.secret(16).to_lowercase());
    let (tenant, commons) = (world.clock.id(), world.clock.id());
    let mut owner = owner(&world.engine.urls().internal_shared).await;
    for sql in [
        "insert into tenants (id, slug, name, created_at) select $1, $3, 'Old', now() where $2 is not null",
        "insert into agents (tenant_id, id, kind, slug, name, created_at) select $1, $2, 'commons', 'commons', 'Commons', now() where $3 <> ''",
    ] {
        sqlx::query(sql).bind(tenant).bind(commons).bind(&slug).execute(&mut owner).await.unwrap();
    }
    let canonical = format!(
        "{{\"action\":\"memory.forgotten\",\"actor\":[\"operator\",\"o1\",\"Vera\",],\"agent_id\":null,\"at\":1778051289123456,\
          \"changes\":{{\"a\":[null,\"é\",],\"b\":1.5,}},\"event_id\":\"{commons}\",\"message\":\"forgotten\",\"reason\":\"Idris asked\",\
          \"request_id\":null,\"seq\":1,\"target\":[\"memory\",\"m1\",],\"tenant_id\":\"{tenant}\",\"visibility\":\"operators\",}}"
    );
    let hash = Sha256::new().chain_update([0; 32]).chain_update(canonical).finalize().to_vec();
    sqlx::query(
        "insert into audit_log (tenant_id, event_id, seq, at, actor_kind, actor_id, actor_name, action, target_kind, target_id, message, reason,
                                changes, visibility, previous, hash)
         values ($1, $2, 1, timestamptz 'epoch' + interval '1 microsecond' * 1778051289123456, 'operator', 'o1', 'Vera', 'memory.forgotten',
                 'memory', 'm1', 'forgotten', 'Idris asked', '{\"b\": 1.5, \"a\": [null, \"é\"]}', 'operators', $3, $4)",
    )
    .bind(tenant)
    .bind(commons)
    .bind(vec![0_u8; 32])
    .bind(hash)
    .execute(&mut owner)
    .await
    .unwrap();
    identity::open_tenant(&world.engine, &slug).await.unwrap()
}

#[tokio::test]
async fn entries_from_before_verify_as_they_did_and_keep_their_texts() {
    let world = World::new().await;
    let tenant = old_tenant(&world).await;
    audit::append(&world.engine, tenant.tenant_id, audit::NewEntry::new(&world.engine, &tenant, "test.done", "thing", 1, "tested"))
        .await
        .unwrap();
    let whole = verify(&world.engine, &tenant, None).await;
    assert_eq!((whole.head.entries, whole.fault), (2, None));
    let rows = browse(&world.engine, &tenant).await;
    let old = rows.iter().find(|row| row.seq == 1).unwrap();
    assert_eq!((old.actor_name.as_str(), old.message.as_str(), old.reason.as_deref()), ("Vera", "forgotten", Some("Idris asked")));
    assert_eq!(old.changes, serde_json::json!({ "a": [null, "é"], "b": 1.5 }));
    assert_eq!(erase(&world, &tenant, &[old.event_id]).await, 0);
    let by_vera = AuditFilter { actor: Some("vera".into()), ..AuditFilter::default() };
    assert_eq!(audit::browse(&world.engine, &tenant, &by_vera).await.unwrap().total, 1, "old names are found, too");
    tamper(&world.engine, tenant.tenant_id, "update audit_log set reason = 'nobody asked' where tenant_id = $1 and seq = 1").await;
    assert_eq!(verify(&world.engine, &tenant, None).await.fault, Some(Fault::Entry(1)));
}

#[tokio::test]
async fn agents_read_no_text_of_the_log() {
    let world = World::new().await;
    let texts = |ctx: OpContext| {
        let engine = world.engine.clone();
        async move {
            let mut tx = engine.db().control.begin(ctx.tenancy()).await.unwrap();
            sqlx::query_scalar::<_, i64>("select count(*) from audit_texts").fetch_one(&mut *tx).await.unwrap()
        }
    };
    assert_eq!(texts(world.atlas.clone()).await, 0);
    assert!(texts(world.vera.clone()).await > 0);
}

/// Agents' words must not be where other agents may search.
#[tokio::test]
async fn no_phrase_of_an_agent_is_in_an_entry_that_other_agents_may_search() {
    const WORD: &str = "quokka";
    let world = World::new().await;
    let (engine, atlas) = (&world.engine, &world.atlas);
    let one = remember(&world, atlas, fact(&format!("{WORD} one"), &format!("The {WORD} sleeps"))).await.memory_id;
    let two = remember(&world, atlas, fact(&format!("{WORD} two"), &format!("Idris saw a {WORD}"))).await.memory_id;
    vocabulary::propose(engine, atlas, ProposeRequest { phrase: format!("{WORD} habits"), memory_id: Some(one), user_id: None })
        .await
        .unwrap();
    let link = LinkRequest { from: MemoryRef::Id(one), to: MemoryRef::Id(two), relation: Relation::Supports, remove: false, user_id: None };
    memories::link(engine, atlas, link).await.unwrap();
    let request = ForgetRequest { memory_id: two.into(), reason: Some(format!("no {WORD} there")), user_id: None };
    memories::forget(engine, atlas, request).await.unwrap();
    projects::create(engine, atlas, NewProject { slug: "zephyr".into(), name: format!("The {WORD} project") }).await.unwrap();
    ask(&world, atlas, &format!("where is the {WORD}")).await;
    settle(&world).await;
    let searched: Vec<_> =
        browse(engine, &world.vera).await.into_iter().filter(|row| row.visibility == AuditVisibility::Organisation).collect();
    let actions: Vec<&str> = searched.iter().map(|row| row.action.as_str()).collect();
    for action in ["memory.remembered", "memory.linked", "vocabulary.proposed", "project.created"] {
        assert!(actions.contains(&action), "{action} is not among {actions:?}: the test would prove nothing");
    }
    for row in searched {
        assert!(!serde_json::to_string(&row).unwrap().contains(WORD), "{row:?}");
    }
}

#[tokio::test]
async fn a_change_of_keys_operators_and_agents_is_made_with_its_audit_row_or_not_at_all() {
    let world = alone().await;
    let (engine, system) = (&world.engine, &world.system);
    let mina = format!("mina@{}", world.tenant_slug);
    let operator = identity::create_operator(engine, system, &mina, "Mina", PASSWORD, &[OperatorRole::Viewer]).await.unwrap();
    let (key, _) = identity::create_key(engine, system, agent(&world.atlas), "laptop", KeyScope::ALL, None, None).await.unwrap();
    let newcomer = || NewInvitation { login: "mole@acme.example".into(), name: "Mole".into(), roles: vec![OperatorRole::Viewer], hours: 1 };
    let fingerprint = || async {
        let mut owner = owner(&engine.urls().internal_shared).await;
        let sql = "select concat_ws('/', (select md5(string_agg(t::text, '|' order by t::text)) from tenants t),
                          (select md5(string_agg(t::text, '|' order by t::text)) from agents t),
                          (select md5(string_agg(t::text, '|' order by t::text)) from api_keys t),
                          (select md5(string_agg(t::text, '|' order by t::text)) from bots t),
                          (select md5(string_agg(t::text, '|' order by t::text)) from operators t),
                          (select md5(string_agg(t::text, '|' order by t::text)) from operator_invitations t), (select count(*) from audit_log))";
        let print: String = sqlx::query_scalar(sql).fetch_one(&mut owner).await.unwrap();
        owner.close().await.unwrap();
        print
    };
    let changes = || -> Vec<(&str, futures_util::future::BoxFuture<'_, Result<(), Error>>)> {
        vec![
            ("tenant.created", Box::pin(async { identity::create_tenant(engine, "elsewhere", "Elsewhere").await.map(drop) })),
            ("agent.created", Box::pin(async { identity::create_agent(engine, system, "zephyr", "Zephyr", false).await.map(drop) })),
            ("agent.blocked", Box::pin(async { identity::set_blocked(engine, system, agent(&world.atlas), true, "lost").await.map(drop) })),
            (
                "agent.changed",
                Box::pin(async {
                    let confirming = AgentSettings { discipline: Some(Discipline::Confirming), ..AgentSettings::default() };
                    identity::put_agent(engine, system, "atlas", confirming).await.map(drop)
                }),
            ),
            ("key.rotated", Box::pin(async { identity::rotate_key(engine, system, key, 24).await.map(drop) })),
            (
                "key.created",
                Box::pin(async {
                    identity::create_key(engine, system, agent(&world.atlas), "phone", KeyScope::ALL, None, None).await.map(drop)
                }),
            ),
            ("bot.created", Box::pin(async { chat::create_bot(engine, system, key, "Telegram").await.map(drop) })),
            ("key.toolsets_set", Box::pin(identity::set_toolsets(engine, system, key, &[Toolset::All]))),
            ("key.revoked", Box::pin(identity::revoke_key(engine, system, key))),
            (
                "operator.created",
                Box::pin(async {
                    identity::create_operator(engine, system, "idris", "Idris", PASSWORD, &[OperatorRole::Viewer]).await.map(drop)
                }),
            ),
            ("operator.invited", Box::pin(async { identity::invite(engine, system, newcomer()).await.map(drop) })),
            ("operator.sessions_ended", Box::pin(identity::end_sessions(engine, system, operator))),
            ("operator.password_reset", Box::pin(identity::reset_password(engine, &mina, "another long password"))),
            ("operator.disabled", Box::pin(identity::disable_operator(engine, system, operator))),
        ]
    };
    let mut owner = owner(&engine.urls().internal_shared).await;
    sqlx::query("revoke insert on audit_log from rmb_system").execute(&mut owner).await.unwrap();
    let before = fingerprint().await;
    for (action, change) in changes() {
        change.await.expect_err(action);
        assert_eq!(fingerprint().await, before, "{action} was made without its audit row");
    }
    sqlx::query("grant insert on audit_log to rmb_system").execute(&mut owner).await.unwrap();
    for (action, change) in changes() {
        let count = "select count(*) from audit_log where action = $1";
        let rows: i64 = sqlx::query_scalar(count).bind(action).fetch_one(&mut owner).await.unwrap();
        change.await.unwrap();
        assert_eq!(sqlx::query_scalar::<_, i64>(count).bind(action).fetch_one(&mut owner).await.unwrap(), rows + 1, "{action}");
    }
}

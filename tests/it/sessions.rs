//! Sessions of coding agents: what each was given, and what was captured from it.

use crate::capture::{captured, send};
use crate::lifecycle::sweep;
use crate::support::{Run, alone, ask, remember};
use chrono::{DateTime, Utc};
use db::Users;
use foundation::sessions::store::{self, Touch};
use foundation::testing::{World, fact};
use foundation::{Error, OpContext, identity, projects, sessions};
use remembrancer::{capture, context, lifecycle, recall, workers};
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use wire::{
    AgentSession, AgentSessionFilter, ContextRequest, MemoryKind, MessagesRequest, NewMessage, NewProject, RememberRequest,
    RetrievalFilter, Role, SourceFilter, UserRef,
};

const TALK: &str = "[2024-05-21 09:12] Vera: I moved to Basel last month.\n\
    [2024-05-21 09:14] Vera: My sister Lena works as a nurse in Zurich.\n";

/// The same caller, in a session.
fn within(ctx: &OpContext, session: &str) -> OpContext {
    OpContext { session: Some(Arc::new(session.parse().unwrap())), ..ctx.clone() }
}

async fn list(world: &World, filter: AgentSessionFilter) -> Vec<AgentSession> {
    let page = sessions::list(&world.engine, &world.vera, &filter).await.unwrap();
    assert_eq!(page.total, i64::try_from(page.rows.len()).unwrap());
    page.rows
}

#[tokio::test]
async fn a_session_counts_what_it_was_given_and_what_was_captured() {
    let world = alone().await;
    tokio::spawn(workers::write_log(world.engine.clone(), CancellationToken::new()));
    let harbour = NewProject { slug: "harbour".into(), name: "Harbour".into() };
    let harbour = projects::create(&world.engine, &world.system, harbour).await.unwrap().id;
    remember(&world, &world.atlas, fact("port", "The staging database listens on port 5544.")).await;
    for content in ["Releases leave the quay on Tuesdays.", "Mina approves every invoice."] {
        let decision = RememberRequest { kind: Some(MemoryKind::Decision), ..fact("rules", content) };
        remember(&world, &world.atlas, decision).await;
    }
    let given = |tokens: u32| within(&world.atlas, &format!("claude-code/one; project={harbour}; tokens={tokens}"));
    let bundle = context::context_for(&world.engine, &given(0), ContextRequest::new("Work on the harbour.")).await.unwrap();
    let items = bundle.sections.iter().map(|section| section.items.len()).sum::<usize>();
    ask(&world, &given(40), "Which port does the staging database use?").await;
    // The last answer had nothing that is new, and a call that was on its way longer comes after it.
    ask(&world, &given(65), "Which port was it?").await;
    let source = captured(&world, &given(65), TALK).await;
    captured(&world, &given(40), TALK).await;
    ask(&world, &world.atlas, "a question of no session").await;

    world.engine.log().flush().await;
    let rows = list(&world, AgentSessionFilter::default()).await;
    let [row] = rows.as_slice() else { panic!("{rows:?}") };
    assert_eq!((row.host.as_deref(), row.name.as_str(), row.agent_slug.as_str()), (Some("claude-code"), "claude-code/one", "atlas"));
    assert_eq!((row.project_id, row.project.as_deref()), (Some(harbour), Some("harbour")));
    assert_eq!((row.contexts, row.recalls, row.tokens), (1, 2, 65));
    assert_eq!((row.messages, row.candidates, row.memories), (2, 2, 0), "the same text is captured once");
    // It began when its first message was said, not when that was captured.
    assert_eq!(row.started_at, "2024-05-21T09:12:00Z".parse::<DateTime<Utc>>().unwrap());
    assert!(row.last_at > row.started_at);
    assert_eq!(sessions::session(&world.engine, &world.vera, row.id).await.unwrap(), *row);

    let filter = RetrievalFilter { session_id: Some(row.id), reversed: true, ..RetrievalFilter::default() };
    let log = recall::retrievals(&world.engine, &world.vera, &filter).await.unwrap();
    assert_eq!(log.rows.iter().map(|one| one.for_context).collect::<Vec<_>>(), [true, false, false]);
    // The context gave both decisions, also those that its search did not return.
    assert_eq!(log.rows.iter().map(|one| one.given).collect::<Vec<_>>(), [i32::try_from(items).ok(), None, None]);
    assert!(items >= 2, "{bundle:?}");
    send(&world, &world.atlas, "Vera: This belongs to no session.\n").await;
    let filter = SourceFilter { session_id: Some(row.id), ..SourceFilter::default() };
    let sources = capture::sources(&world.engine, &world.vera, &filter).await.unwrap();
    assert_eq!(sources.rows.iter().map(|one| one.id).collect::<Vec<_>>(), [source.source_id]);

    let stranger = World::on(world.engine.urls().clone()).await;
    assert_eq!(list(&stranger, AgentSessionFilter::default()).await, []);
    let refused = sessions::session(&stranger.engine, &stranger.vera, row.id).await;
    assert!(matches!(refused, Err(Error::NotFound("session"))), "{refused:?}");
}

#[tokio::test]
async fn one_name_is_a_session_of_each_agent_and_user_and_filters_tell_them_apart() {
    let world = alone().await;
    let idris = identity::add_user(&world.engine, &world.system, "crm-4711", None, None).await.unwrap().id;
    let for_idris = OpContext { users: Users::One(idris), ..world.atlas.clone() };
    for (ctx, session) in
        [(&world.atlas, "codex/one"), (&world.binky, "codex/one"), (&for_idris, "codex/one"), (&world.atlas, "cursor/one")]
    {
        send(&world, &within(ctx, session), TALK).await;
        world.clock.advance(chrono::Duration::minutes(1));
    }
    // Only the first sender of a text has it captured in its session: the last one says something of its own.
    send(&world, &within(&world.atlas, "cursor/one"), "Vera: The ferry is late.\n").await;
    let message = NewMessage {
        role: Role::User,
        content: "The quay is closed.".into(),
        message_id: None,
        observed_at: None,
        importance: None,
        retention: None,
    };
    let messages = MessagesRequest { messages: vec![message], topic: None, platform: None, user_id: None };
    lifecycle::add_messages(&world.engine, &world.atlas, "quay 7", messages).await.unwrap();

    let all = AgentSessionFilter::default;
    let named = async |filter: AgentSessionFilter| {
        let rows = list(&world, filter).await;
        rows.into_iter().map(|row| (row.name, row.agent_slug, row.user_id.is_some(), row.messages)).collect::<Vec<_>>()
    };
    let session = |name: &str, agent: &str, of_user: bool, messages: i64| (name.to_owned(), agent.to_owned(), of_user, messages);
    let of_idris = session("codex/one", "atlas", true, 2);
    let of_binky = session("codex/one", "binky", false, 2);
    let mut both = named(AgentSessionFilter { host: Some("codex".into()), ..all() }).await;
    both.sort();
    assert_eq!(both, [session("codex/one", "atlas", false, 2), of_idris.clone(), of_binky.clone()]);
    assert_eq!(named(AgentSessionFilter { agent_id: world.binky.agent_id().ok(), ..all() }).await, [of_binky]);
    assert_eq!(named(AgentSessionFilter { user_id: Some(UserRef::External("crm-4711".into())), ..all() }).await, [of_idris]);
    assert_eq!(named(AgentSessionFilter { host: Some("cursor".into()), ..all() }).await, [session("cursor/one", "atlas", false, 1)]);
    let newest = named(all()).await;
    assert_eq!((newest.len(), &newest[0]), (5, &session("quay 7", "atlas", false, 1)));
    let mut reversed = named(AgentSessionFilter { reversed: true, ..all() }).await;
    reversed.reverse();
    assert_eq!(newest, reversed);
    let field = sessions::list(&world.engine, &world.vera, &AgentSessionFilter { after: Some("1".into()), ..all() }).await.unwrap_err();
    assert_eq!(field.fields()[0].field, "after");
}

#[tokio::test]
async fn a_session_without_messages_ends_when_nothing_refers_to_it() {
    let world = alone().await;
    tokio::spawn(workers::write_log(world.engine.clone(), CancellationToken::new()));
    ask(&world, &within(&world.atlas, "claude-code/asks"), "Which port was it?").await;
    send(&world, &within(&world.atlas, "claude-code/talks"), TALK).await;
    world.engine.log().flush().await;
    let names = async || {
        let mut names: Vec<String> = list(&world, AgentSessionFilter::default()).await.into_iter().map(|row| row.name).collect();
        names.sort();
        names
    };
    world.clock.advance(chrono::Duration::days(91));
    sweep(&world).await;
    assert_eq!(names().await, ["claude-code/asks", "claude-code/talks"], "its recall is in the log");
    sqlx::query("update retrievals set session_id = null where tenant_id = $1").bind(world.system.tenant_id).run(&world.engine).await;
    sweep(&world).await;
    assert_eq!(names().await, ["claude-code/talks"]);
}

/// The names of the sessions that a caller lists, in alphabetical order.
async fn names(world: &World, ctx: &OpContext, filter: &AgentSessionFilter) -> Vec<String> {
    let page = sessions::list(&world.engine, ctx, filter).await.unwrap();
    assert_eq!(page.total, i64::try_from(page.rows.len()).unwrap());
    let mut names: Vec<String> = page.rows.into_iter().map(|row| row.name).collect();
    names.sort();
    names
}

#[tokio::test]
async fn an_agent_lists_its_own_sessions_those_of_its_user_and_those_of_nobody() {
    let world = alone().await;
    let user = async |reference: &str| identity::add_user(&world.engine, &world.system, reference, None, None).await.unwrap().id;
    let (idris, mina) = (user("crm-4711").await, user("crm-4712").await);
    let acting = |user| OpContext { users: Users::One(user), ..world.atlas.clone() };
    let (for_idris, for_mina) = (acting(idris), acting(mina));
    for (ctx, session) in
        [(&world.atlas, "codex/plain"), (&world.binky, "codex/other"), (&for_idris, "codex/idris"), (&for_mina, "cursor/mina")]
    {
        send(&world, &within(ctx, session), TALK).await;
    }
    let all = AgentSessionFilter::default;
    assert_eq!(names(&world, &world.atlas, &all()).await, ["codex/plain"]);
    assert_eq!(names(&world, &world.binky, &all()).await, ["codex/other"]);
    assert_eq!(names(&world, &for_idris, &all()).await, ["codex/idris", "codex/plain"]);
    assert_eq!(names(&world, &for_mina, &all()).await, ["codex/plain", "cursor/mina"]);
    let cursor = AgentSessionFilter { host: Some("cursor".into()), ..all() };
    assert_eq!(names(&world, &for_mina, &cursor).await, ["cursor/mina"]);
    assert_eq!(names(&world, &for_idris, &cursor).await, Vec::<String>::new());
    let own = AgentSessionFilter { agent_id: world.atlas.agent_id().ok(), ..all() };
    assert_eq!(names(&world, &world.atlas, &own).await, ["codex/plain"]);

    for (field, filter) in [
        ("agent_id", AgentSessionFilter { agent_id: world.binky.agent_id().ok(), ..all() }),
        ("host", AgentSessionFilter { host: Some("Codex CLI".into()), ..all() }),
        ("after", AgentSessionFilter { after: Some("1".into()), ..all() }),
    ] {
        let refused = sessions::list(&world.engine, &world.atlas, &filter).await.unwrap_err();
        assert_eq!(refused.fields()[0].field, field, "{refused}");
    }
    let other = AgentSessionFilter { user_id: Some(UserRef::Id(mina)), ..all() };
    let refused = sessions::list(&world.engine, &for_idris, &other).await;
    assert!(matches!(refused, Err(Error::Forbidden(_))), "{refused:?}");

    let stranger = World::on(world.engine.urls().clone()).await;
    assert_eq!(names(&stranger, &stranger.atlas, &all()).await, Vec::<String>::new());
}

#[tokio::test]
async fn an_agent_reads_its_sessions_page_by_page() {
    let world = alone().await;
    let (agent, now) = (world.atlas.agent_id().unwrap(), world.engine.clock().now());
    let mut tx = world.engine.db().memory.begin(world.atlas.tenancy()).await.unwrap();
    let mut touched = BTreeSet::new();
    for number in 0..60 {
        let at = now - chrono::Duration::minutes(number);
        let session = Touch::named(agent, world.engine.clock().id(), format!("quay {number}"), at);
        touched.insert(session.id);
        store::touch(&mut tx, world.atlas.tenant_id, &session).await.unwrap();
    }
    tx.commit().await.unwrap();

    let first = sessions::list(&world.engine, &world.atlas, &AgentSessionFilter::default()).await.unwrap();
    assert_eq!((first.rows.len(), first.total, first.rows[0].name.as_str()), (50, 60, "quay 0"));
    let next = AgentSessionFilter { after: first.next.clone(), ..AgentSessionFilter::default() };
    let second = sessions::list(&world.engine, &world.atlas, &next).await.unwrap();
    assert_eq!((second.rows.len(), second.rows[0].name.as_str(), second.next.as_deref()), (10, "quay 50", None));
    let read: BTreeSet<_> = first.rows.iter().chain(&second.rows).map(|row| row.id).collect();
    assert_eq!(read, touched);
    let previous = AgentSessionFilter { before: second.previous, ..AgentSessionFilter::default() };
    assert_eq!(sessions::list(&world.engine, &world.atlas, &previous).await.unwrap().rows, first.rows);
}

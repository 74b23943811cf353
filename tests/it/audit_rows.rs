//! Every verb with which an operator changes something leaves an entry in the audit log: a change without one would be nobody's.

use crate::roles;
use crate::support::{Fetch, agent, alone, settle};
use foundation::identity::Identity;
use foundation::testing::{PASSWORD, World, fact, nowhere};
use foundation::{Error, identity, projects, usage, webhooks};
use portability::Selection;
use remembrancer::vocabulary::NewTerm;
use remembrancer::{capture, consolidation, erasure, lifecycle, memories, vocabulary};
use std::collections::BTreeSet;
use std::path::Path;
use wire::{
    AgentId, AgentSettings, CaptureMode, Discipline, ExpectationOrigin, KeyPreset, KeyScope, NewApiKey, NewErasure, NewExpectation,
    NewInvitation, NewProject, NewWebhook, NoticeKind, OperatorRole, OperatorSettings, Usd, UserRef, UserSettings, WebhookSettings,
    WebhookState,
};

/// Verbs that change nothing, although a viewer may not call them.
const READS: &[&str] = &[
    "audit::verify",
    "audit::verify_end",
    "chat::bots",
    "consolidation::preview",
    "erasure::holds",
    "erasure::preview",
    "erasure::report",
    "erasure::requests",
    "erasure::show",
    "erasure::verify_report",
    "identity::agent_settings",
    "identity::api_key",
    "identity::list_agents",
    "identity::list_invitations",
    "identity::list_keys",
    "identity::list_operators",
    "identity::list_users",
    "identity::operator_by_login",
    "identity::users",
    "model_change::overview",
    "model_change::progress",
    "webhooks::list",
];

/// Verbs that need a longer story than the one below, and the action of their entry.
const LONGER: &[(&str, &str)] = &[
    ("capture::add_candidate", "memory.added"),
    ("capture::correct_entry", "profile.leaf_corrected"),
    ("capture::rename_speaker", "source.speaker_renamed"),
    ("capture::retry", "event.retried"),
    ("chat::bind_chat", "bot.chat_bound"),
    ("chat::create_bot", "bot.created"),
    ("chat::remove_bot", "bot.removed"),
    ("chat::unbind_chat", "bot.chat_unbound"),
    ("consolidation::decide", "memory.promoted"),
    ("consolidation::decide_quarantine", "quarantine.decided"),
    ("consolidation::decide_suggestion", "proposal.decided"),
    ("consolidation::decide_suggestions", "proposal.decided"),
    ("consolidation::merge_suggestions", "proposal.decided"),
    ("consolidation::undo_dismissal", "quarantine.undone"),
    ("consolidation::undo_suggestion", "proposal.undone"),
    ("consolidation::undo_suggestions", "proposal.undone"),
    ("erasure::confirm", "erasure.confirmed"),
    ("knowledge::retire", "knowledge.retired"),
    ("knowledge::upload", "knowledge.ingested"),
    ("memories::make_private", "memory.made_private"),
    ("memories::relate", "memory.linked"),
    ("memories::review", "memory.reviewed"),
    ("memories::share", "memory.shared"),
    ("memories::undo", "memory.restored"),
    ("memories::undo_correction", "memory.revised"),
    ("portability::import", "memory.imported"),
    ("portability::markdown", "memory.exported"),
    ("profile::forget_leaf_of", "profile.leaf_forgotten"),
    ("profile::restore_leaf", "profile.leaf_restored"),
    ("vocabulary::change", "vocabulary."),
    ("vocabulary::decide", "vocabulary."),
    ("vocabulary::undo", "vocabulary."),
];

/// What operators do one after the other.
struct Story<'w> {
    world: &'w World,
    tried: BTreeSet<&'static str>,
}

impl Story<'_> {
    /// Entries whose action begins so.
    async fn entries(&self, action: &str) -> i64 {
        sqlx::query_scalar("select count(*) from audit_log where tenant_id = $1 and starts_with(action, $2)")
            .bind(self.world.system.tenant_id)
            .bind(action.to_owned())
            .one(&self.world.engine.urls().internal_shared)
            .await
    }

    /// The result of a verb, which must leave an entry of this action.
    async fn leaves<T>(&mut self, verb: &'static str, action: &str, call: impl Future<Output = Result<T, Error>>) -> T {
        let before = self.entries(action).await;
        let done = call.await.unwrap_or_else(|error| panic!("{verb}: {error}"));
        settle(self.world).await;
        assert!(self.entries(action).await > before, "{verb} leaves no {action}");
        self.tried.insert(verb);
        done
    }
}

#[tokio::test]
async fn every_change_by_an_operator_leaves_an_entry() {
    let world = &alone().await;
    let mut story = Story { world, tried: BTreeSet::new() };
    organisation(&mut story).await;
    agents(&mut story).await;
    people(&mut story).await;
    knowledge(&mut story).await;
    let listed = story.tried.iter().copied().chain(READS.iter().copied()).chain(LONGER.iter().map(|(verb, _)| *verb));
    let listed: Vec<&str> = listed.collect();
    let each: BTreeSet<&str> = listed.iter().copied().collect();
    assert_eq!(each.len(), listed.len(), "a verb is in two lists");
    assert_eq!(each, roles::of_those_who_change(), "which entry does the verb leave?");
}

/// What changes the organisation itself.
async fn organisation(story: &mut Story<'_>) {
    let (engine, vera) = (&story.world.engine, &story.world.vera);
    let new = |slug: &str| NewProject { slug: slug.into(), name: slug.into() };
    story.leaves("projects::create", "project.created", projects::create(engine, vera, new("quay"))).await;
    story.leaves("projects::create", "project.created", projects::create(engine, vera, new("dock"))).await;
    story.leaves("projects::create_repo", "repo.created", projects::create_repo(engine, vera, "quay", new("crane"))).await;
    story.leaves("projects::link", "project.linked", projects::link(engine, vera, "quay", "dock")).await;
    let new = NewWebhook { url: "https://example.org/quay".into(), events: vec![NoticeKind::JobDead], agent: None };
    let webhook = story.leaves("webhooks::add", "webhook.created", webhooks::add(engine, vera, new)).await.webhook.id;
    let pause = WebhookSettings { state: Some(WebhookState::Paused), ..WebhookSettings::default() };
    story.leaves("webhooks::change", "webhook.changed", webhooks::change(engine, vera, webhook, pause)).await;
    story.leaves("webhooks::rotate", "webhook.rotated", webhooks::rotate(engine, vera, webhook)).await;
    story.leaves("webhooks::remove", "webhook.removed", webhooks::remove(engine, vera, webhook)).await;
    story.leaves("projects::unlink", "project.unlinked", projects::unlink(engine, vera, "quay", "dock")).await;
    story.leaves("identity::set_policy", "policy.changed", identity::set_policy(engine, vera, Default::default())).await;
    story.leaves("identity::set_search_policy", "policy.changed", identity::set_search_policy(engine, vera, Default::default())).await;
    story.leaves("identity::set_lifecycle", "lifecycle.changed", identity::set_lifecycle(engine, vera, None, Default::default())).await;
    let grant = usage::grant_credit(engine, vera, None, Usd::from_dollars(1), "because");
    story.leaves("usage::grant_credit", "usage.credit_granted", grant).await;
    story.leaves("usage::set_limits", "usage.limits_set", usage::set_limits(engine, vera, None, Default::default())).await;
    story.leaves("lifecycle::sweep_now", "sweep.requested", lifecycle::sweep_now(engine, vera)).await;
    story.leaves("consolidation::survey_now", "survey.requested", consolidation::survey_now(engine, vera, None)).await;
}

/// What changes agents and their keys.
async fn agents(story: &mut Story<'_>) {
    let (engine, vera) = (&story.world.engine, &story.world.vera);
    let create = identity::create_agent(engine, vera, "newcomer", "Newcomer", false);
    let newcomer = story.leaves("identity::create_agent", "agent.created", create).await.id;
    let create = identity::create_agent_with_id(engine, vera, AgentId(nowhere()), "arrival", "Arrival", false);
    story.leaves("identity::create_agent_with_id", "agent.created", create).await;
    let confirming = AgentSettings { discipline: Some(Discipline::Confirming), ..AgentSettings::default() };
    let put = identity::put_agent(engine, vera, "newcomer", confirming);
    story.leaves("identity::put_agent", "agent.changed", put).await;
    let named = AgentSettings { name: Some("Newcomer of the quay".into()), ..AgentSettings::default() };
    story.leaves("identity::change_agent", "agent.changed", identity::change_agent(engine, vera, "newcomer", named)).await;
    let set = identity::set_keeps_context_texts(engine, vera, newcomer, true);
    story.leaves("identity::set_keeps_context_texts", "agent.context_texts_set", set).await;
    let set = identity::set_knowledge_categories(engine, vera, newcomer, &[]);
    story.leaves("identity::set_knowledge_categories", "agent.knowledge_set", set).await;
    let create = identity::create_key(engine, vera, newcomer, "key", &[KeyScope::MemoryRead], None, None);
    let (key, _) = story.leaves("identity::create_key", "key.created", create).await;
    let set = identity::set_toolsets(engine, vera, key, &[]);
    story.leaves("identity::set_toolsets", "key.toolsets_set", set).await;
    story.leaves("identity::rotate_key", "key.rotated", identity::rotate_key(engine, vera, key, 1)).await;
    story.leaves("identity::revoke_key", "key.revoked", identity::revoke_key(engine, vera, key)).await;
    story.leaves("identity::add_key", "key.created", identity::add_key(engine, vera, new_key("newcomer"))).await;
    let block = identity::set_blocked(engine, vera, newcomer, true, "because");
    story.leaves("identity::set_blocked", "agent.blocked", block).await;
    let retire = identity::retire_agent(engine, vera, "newcomer", Some("because"));
    story.leaves("identity::retire_agent", "agent.retired", retire).await;
}

/// A key with the scopes of a reader.
fn new_key(agent: &str) -> NewApiKey {
    let (preset, name) = (Some(KeyPreset::Reader), "laptop".to_owned());
    NewApiKey { agent: agent.to_owned(), name, scopes: vec![], preset, user_id: None, expires_at: None, toolsets: vec![] }
}

/// What changes operators, users and what is kept of them.
async fn people(story: &mut Story<'_>) {
    let (engine, vera) = (&story.world.engine, &story.world.vera);
    let create = identity::create_operator(engine, vera, "idris@acme.example", "Idris", PASSWORD, &[OperatorRole::Viewer]);
    let idris = story.leaves("identity::create_operator", "operator.created", create).await;
    let set = identity::set_roles(engine, vera, idris, &[OperatorRole::Reviewer]);
    story.leaves("identity::set_roles", "operator.roles_set", set).await;
    let rename = OperatorSettings { name: Some("Idris Orr".into()), roles: None };
    story.leaves("identity::change_operator", "operator.changed", identity::change_operator(engine, vera, idris, rename)).await;
    story.leaves("identity::end_sessions", "operator.sessions_ended", identity::end_sessions(engine, vera, idris)).await;
    let offer = identity::offer_password(engine, vera, idris, 1);
    story.leaves("identity::offer_password", "operator.password_offered", offer).await;
    let new = NewInvitation { login: "mole@acme.example".into(), name: "Mole".into(), roles: vec![OperatorRole::Viewer], hours: 1 };
    let invited = story.leaves("identity::invite", "operator.invited", identity::invite(engine, vera, new)).await.invitation.id;
    let withdraw = identity::withdraw_invitation(engine, vera, invited);
    story.leaves("identity::withdraw_invitation", "operator.invitation_withdrawn", withdraw).await;
    let roles = vec![(story.world.tenant_slug.clone(), OperatorRole::Viewer)];
    let (issuer, login) = ("https://id.example".to_owned(), "newt@acme.example".to_owned());
    let newt = Identity { issuer, subject: story.world.tenant_slug.clone(), login, name: "Newt".into(), roles };
    let newt = identity::sign_in_with_provider(engine, &newt, vera.request_id).await.unwrap().unwrap().operator;
    story.leaves("identity::detach_identity", "operator.identity_detached", identity::detach_identity(engine, vera, newt)).await;
    story.leaves("identity::disable_operator", "operator.disabled", identity::disable_operator(engine, vera, idris)).await;
    story.leaves("identity::restore_operator", "operator.restored", identity::restore_operator(engine, vera, idris)).await;
    let mina = story.leaves("identity::add_user", "user.added", identity::add_user(engine, vera, "crm-4711", None, None)).await.id;
    let user: UserRef = mina.into();
    let rename = UserSettings { name: Some("Mina".into()), external_ref: None };
    story.leaves("identity::put_user", "user.changed", identity::put_user(engine, vera, &user, rename)).await;
    story.leaves("erasure::hold", "hold.set", erasure::hold(engine, vera, &user, "because")).await;
    story.leaves("erasure::lift_hold", "hold.lifted", erasure::lift_hold(engine, vera, &user, "because")).await;
    let new = NewErasure { user, reason: "Article 17, case 31".into(), names: vec![], mentions: vec![] };
    let request = story.leaves("erasure::request", "erasure.requested", erasure::request(engine, vera, new)).await;
    story.leaves("erasure::withdraw", "erasure.withdrawn", erasure::withdraw(engine, vera, request)).await;
}

/// What changes memories and what memories are made of.
async fn knowledge(story: &mut Story<'_>) {
    let (engine, vera, atlas) = (&story.world.engine, &story.world.vera, agent(&story.world.atlas));
    let remember = memories::remember_by_hand(engine, vera, atlas, fact("tea", "Mina likes green tea."));
    let tea = story.leaves("memories::remember_by_hand", "memory.remembered", remember).await.memory_id;
    story.leaves("memories::set_pinned", "memory.pinned", memories::set_pinned(engine, vera, &tea.into(), None, true)).await;
    let correct = memories::correct(engine, vera, tea, None, "Mina likes black tea.".into(), "because");
    story.leaves("memories::correct", "memory.revised", correct).await;
    story.leaves("memories::delete", "memory.forgotten", memories::delete(engine, vera, &[tea], "because")).await;
    story.leaves("memories::restore", "memory.restored", memories::restore(engine, vera, &[tea], "because")).await;
    let new = NewExpectation {
        set: "tea".into(),
        query: "Which tea does Mina like?".into(),
        agent_id: atlas,
        user_id: None,
        memories: vec![tea.into()],
        origin: ExpectationOrigin::Diagnosis,
        note: None,
    };
    let (set, one) = story.leaves("expectations::expect", "expectation.added", expectations::expect(engine, vera, new)).await;
    let request = expectations::request_run(engine, vera, set);
    story.leaves("expectations::request_run", "expectation.run_requested", request).await;
    story.leaves("expectations::remove", "expectation.removed", expectations::remove(engine, vera, one)).await;
    story.leaves("expectations::delete_set", "expectation.set_deleted", expectations::delete_set(engine, vera, set)).await;
    let term = NewTerm { term: "harbour crane", ..NewTerm::default() };
    story.leaves("vocabulary::add", "vocabulary.", vocabulary::add(engine, vera, term)).await;
    let (mode, text) = (CaptureMode::Note, "Mina keeps the boat at the quay.".to_owned());
    let paste = capture::Paste {
        agent_id: atlas,
        user_id: None,
        mode,
        scope: None,
        project_id: None,
        title: None,
        filename: None,
        time_zone: None,
        text,
    };
    story.leaves("capture::paste", "source.captured", capture::paste(engine, vera, paste)).await;
    story
        .leaves("portability::export", "memory.exported", portability::export(engine, vera, &Selection::All, tokio::io::sink(), &|_| {}))
        .await;
}

/// An action that no source names is none that a verb leaves.
#[test]
fn the_actions_of_longer_stories_are_those_of_the_sources() {
    let mut sources = String::new();
    for root in ["src", "crates/foundation/src", "server/expectations/src", "server/portability/src"] {
        read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(root), &mut sources);
    }
    for (verb, action) in LONGER {
        assert!(sources.contains(&format!("\"{action}")), "{verb}: {action}");
    }
}

fn read(folder: &Path, sources: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => read(&path, sources),
            false if path.extension().is_some_and(|extension| extension == "rs") => {
                sources.push_str(&std::fs::read_to_string(&path).unwrap())
            }
            false => {}
        }
    }
}

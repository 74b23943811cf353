//! Every verb is listed here with what it requires: a role of operators, which the test tries with each role; a scope of an agent's key,
//! which `server/tests/it/authorization.rs` tries over HTTP; or nothing, with the reason.

use crate::support::alone;
use foundation::op::Access;
use foundation::testing::{PASSWORD, World, fact, nowhere, question};
use foundation::{Error, OpContext, audit, identity, notices, projects, sessions, usage, webhooks};
use futures_util::future::BoxFuture;
use portability::{ImportOptions, Selection};
use remembrancer::profile::Subject;
use remembrancer::vocabulary::NewTerm;
use remembrancer::{
    capture, chat, consolidation, context, erasure, knowledge, lifecycle, memories, model_change, overview, profile, quality, recall,
    search, skills, vocabulary,
};
use std::collections::BTreeSet;
use std::path::Path;
use wire::{
    AgentId, AssembleRequest, AuditFormat, BotId, CaptureMode, ContextId, DecisionId, DiagnoseRequest, DocumentId, ErasureId, EventId,
    ExpectationId, ExpectationOrigin, ExpectationSetId, ExplainRequest, InboxVerdict, InvitationId, KeyId, KeyScope, LeafId, LinkRequest,
    MemoryId, MemoryKind, MemoryRef, NewApiKey, NewErasure, NewExpectation, NewInvitation, NewProject, NewWebhook, NoticeKind, OperatorId,
    OperatorRole, PlaygroundRequest, PreviewRequest, ProposalId, QuarantineId, Relation, RetrievalId, SourceId, SuggestionId, TermChange,
    TermId, Usd, UserId, Verdict, ViewId, ViewPage, WebhookId,
};

struct Verb {
    name: &'static str,
    role: OperatorRole,
    call: for<'a> fn(&'a World, &'a OpContext) -> BoxFuture<'a, Result<(), Error>>,
}

macro_rules! verbs {
    ($($name:literal $role:ident |$world:ident, $ctx:ident| $call:expr;)*) => {
        &[$(Verb {
            name: $name,
            role: OperatorRole::$role,
            call: |$world, $ctx| Box::pin(async move { $call.await.map(drop) }),
        }),*]
    };
}

fn memory() -> MemoryId {
    MemoryId(nowhere())
}

fn name() -> MemoryRef {
    memory().into()
}

fn new_project() -> NewProject {
    NewProject { slug: "harbour".into(), name: "Harbour".into() }
}

fn nobodys_profile() -> Subject {
    Subject { agent_id: AgentId(nowhere()), user_id: None }
}

fn rejection() -> Verdict {
    Verdict::Reject { reason: "no term".into() }
}

fn new_key() -> NewApiKey {
    let (agent, name, scopes) = ("nobody".into(), "laptop".into(), vec![KeyScope::MemoryRead]);
    NewApiKey { agent, name, scopes, preset: None, user_id: None, expires_at: None, toolsets: vec![] }
}

fn newcomer() -> NewInvitation {
    NewInvitation { login: "mole@acme.example".into(), name: "Mole".into(), roles: vec![OperatorRole::Viewer], hours: 1 }
}

fn new_webhook() -> NewWebhook {
    NewWebhook { url: "https://example.org/".into(), events: vec![NoticeKind::JobDead], agent: None }
}

fn retirement() -> TermChange {
    TermChange::Retire { reason: "unused".into() }
}

const OF_OPERATORS: &[Verb] = verbs! {
    "audit::browse" Viewer |w, c| audit::browse(&w.engine, c, &Default::default());
    "audit::page" Viewer |w, c| audit::page(&w.engine, c, &Default::default(), 10);
    "audit::integrity" Viewer |w, c| audit::integrity(&w.engine, c);
    "audit::verify" Admin |w, c| audit::verify(&w.engine, c, None);
    "audit::verify_end" Admin |w, c| audit::verify_end(&w.engine, c, 10);
    "capture::events" Viewer |w, c| capture::events(&w.engine, c, &Default::default());
    "capture::event_counts" Viewer |w, c| capture::event_counts(&w.engine, c);
    "capture::correct_entry" Reviewer
        |w, c| capture::correct_entry(&w.engine, c, nobodys_profile(), LeafId(nowhere()), "tea", "because");
    "capture::paste" Operator |w, c| async {
        let (agent_id, mode, text) = (AgentId(nowhere()), CaptureMode::Note, "Vera likes tea.".to_owned());
        let paste = capture::Paste { agent_id, mode, scope: None, project_id: None, title: None, filename: None, time_zone: None, user_id: None, text };
        capture::paste(&w.engine, c, paste).await
    };
    "capture::rename_speaker" Operator |w, c| capture::rename_speaker(&w.engine, c, SourceId(nowhere()), "Vera", "Mina".into(), None);
    "capture::retry" Operator |w, c| capture::retry(&w.engine, c, &[EventId(nowhere())]);
    "capture::source" Viewer |w, c| capture::source(&w.engine, c, SourceId(nowhere()), 0);
    "capture::sources" Viewer |w, c| capture::sources(&w.engine, c, &Default::default());
    "chat::bots" Admin |w, c| chat::bots(&w.engine, c);
    "webhooks::list" Admin |w, c| webhooks::list(&w.engine, c);
    "webhooks::add" Admin |w, c| webhooks::add(&w.engine, c, new_webhook());
    "webhooks::change" Admin |w, c| webhooks::change(&w.engine, c, WebhookId(nowhere()), Default::default());
    "webhooks::rotate" Admin |w, c| webhooks::rotate(&w.engine, c, WebhookId(nowhere()));
    "webhooks::remove" Admin |w, c| webhooks::remove(&w.engine, c, WebhookId(nowhere()));
    "chat::create_bot" Admin |w, c| chat::create_bot(&w.engine, c, KeyId(nowhere()), "bot");
    "chat::remove_bot" Admin |w, c| chat::remove_bot(&w.engine, c, BotId(nowhere()));
    "chat::bind_chat" Admin |w, c| chat::bind_chat(&w.engine, c, BotId(nowhere()), "4711", UserId(nowhere()));
    "chat::unbind_chat" Admin |w, c| chat::unbind_chat(&w.engine, c, BotId(nowhere()), "4711");
    "capture::add_candidate" Reviewer |w, c| async {
        let selection = capture::Selection { turn: 0, words: "tea".into(), kind: MemoryKind::Profile, topic: None };
        capture::add_candidate(&w.engine, c, SourceId(nowhere()), selection).await
    };
    "consolidation::decide" Reviewer |w, c| consolidation::decide(&w.engine, c, &[memory()], InboxVerdict::Undo, &Default::default());
    "consolidation::decide_suggestions" Reviewer |w, c| consolidation::decide_suggestions(&w.engine, c, &[SuggestionId(nowhere())], true, &Default::default());
    "consolidation::merge_suggestions" Reviewer |w, c| consolidation::merge_suggestions(&w.engine, c, &[SuggestionId(nowhere())], &Default::default());
    "consolidation::decide_suggestion" Reviewer |w, c| consolidation::decide_suggestion(&w.engine, c, SuggestionId(nowhere()), true);
    "consolidation::decide_quarantine" Reviewer |w, c| consolidation::decide_quarantine(&w.engine, c, QuarantineId(nowhere()), true);
    "consolidation::inbox" Viewer |w, c| consolidation::inbox(&w.engine, c, &Default::default());
    "consolidation::items" Viewer |w, c| consolidation::items(&w.engine, c, &[memory()]);
    "consolidation::preview" Reviewer |w, c| consolidation::preview(&w.engine, c, &[memory()], &InboxVerdict::Undo);
    "consolidation::undo_dismissal" Reviewer |w, c| consolidation::undo_dismissal(&w.engine, c, QuarantineId(nowhere()));
    "consolidation::quarantine" Viewer |w, c| consolidation::quarantine(&w.engine, c, None);
    "consolidation::quotes" Viewer |w, c| consolidation::quotes(&w.engine, c, &[memory()]);
    "consolidation::suggestions" Viewer |w, c| consolidation::suggestions(&w.engine, c, &Default::default());
    "consolidation::undo_suggestions" Reviewer |w, c| consolidation::undo_suggestions(&w.engine, c, &[SuggestionId(nowhere())]);
    "consolidation::undo_suggestion" Reviewer |w, c| consolidation::undo_suggestion(&w.engine, c, SuggestionId(nowhere()));
    "consolidation::survey_now" Operator |w, c| consolidation::survey_now(&w.engine, c, None);
    "lifecycle::sweep_now" Operator |w, c| lifecycle::sweep_now(&w.engine, c);
    "lifecycle::forecast" Viewer |w, c| lifecycle::forecast(&w.engine, c);
    "erasure::confirm" Admin |w, c| erasure::confirm(&w.engine, c, ErasureId(nowhere()), &UserId(nowhere()).into());
    "erasure::erased_by" Viewer |w, c| erasure::erased_by(&w.engine, c, nowhere());
    "erasure::hold" Admin |w, c| erasure::hold(&w.engine, c, &UserId(nowhere()).into(), "because");
    "erasure::holds" Admin |w, c| erasure::holds(&w.engine, c);
    "erasure::lift_hold" Admin |w, c| erasure::lift_hold(&w.engine, c, &UserId(nowhere()).into(), "because");
    "erasure::preview" Admin |w, c| erasure::preview(&w.engine, c, &UserId(nowhere()).into(), &[]);
    "erasure::report" Admin |w, c| erasure::report(&w.engine, c, ErasureId(nowhere()));
    "erasure::request" Admin |w, c| async {
        let new = NewErasure { user: UserId(nowhere()).into(), reason: "because".into(), names: vec![], mentions: vec![] };
        erasure::request(&w.engine, c, new).await
    };
    "erasure::requests" Admin |w, c| erasure::requests(&w.engine, c);
    "erasure::show" Admin |w, c| erasure::show(&w.engine, c, ErasureId(nowhere()));
    "erasure::verify_report" Admin |w, c| async {
        let report = serde_json::json!({ "format": "", "tenant_id": nowhere(), "request_id": nowhere(), "user_id": nowhere(),
            "requested_by": "", "requested_at": w.engine.clock().now(), "confirmed_by": "", "confirmed_at": w.engine.clock().now(),
            "finished_at": w.engine.clock().now(), "tables": [], "mentions": [], "kept": [], "outside": [] });
        let signed = serde_json::json!({ "report": report, "algorithm": "", "signature": "" });
        erasure::verify_report(&w.engine, c, &serde_json::from_value(signed).unwrap()).await
    };
    "erasure::withdraw" Admin |w, c| erasure::withdraw(&w.engine, c, ErasureId(nowhere()));
    "expectations::delete_set" Reviewer |w, c| expectations::delete_set(&w.engine, c, ExpectationSetId(nowhere()));
    "expectations::expect" Reviewer |w, c| async {
        let (set, query, agent_id) = ("tea".to_owned(), "tea".to_owned(), AgentId(nowhere()));
        let new = NewExpectation { set, query, agent_id, user_id: None, memories: vec![name()], origin: ExpectationOrigin::ZeroHit, note: None };
        expectations::expect(&w.engine, c, new).await
    };
    "expectations::remove" Reviewer |w, c| expectations::remove(&w.engine, c, ExpectationId(nowhere()));
    "expectations::request_run" Reviewer |w, c| expectations::request_run(&w.engine, c, ExpectationSetId(nowhere()));
    "expectations::set" Viewer |w, c| expectations::set(&w.engine, c, ExpectationSetId(nowhere()));
    "expectations::sets" Viewer |w, c| expectations::sets(&w.engine, c);
    "identity::create_agent" Admin |w, c| identity::create_agent(&w.engine, c, "newcomer", "Newcomer", false);
    "identity::create_agent_with_id" Admin
        |w, c| identity::create_agent_with_id(&w.engine, c, AgentId(uuid::Uuid::from_u128(7)), "arrival", "Arrival", false);
    "identity::set_blocked" Admin |w, c| identity::set_blocked(&w.engine, c, AgentId(nowhere()), true, "because");
    "identity::put_agent" Admin |w, c| identity::put_agent(&w.engine, c, "newcomer", Default::default());
    "identity::change_agent" Admin |w, c| identity::change_agent(&w.engine, c, "nobody", Default::default());
    "identity::list_agents" Admin |w, c| identity::list_agents(&w.engine, c, None);
    "identity::agent_settings" Admin |w, c| identity::agent_settings(&w.engine, c, "nobody");
    "identity::retire_agent" Admin |w, c| identity::retire_agent(&w.engine, c, "nobody", None);
    "identity::add_key" Admin |w, c| identity::add_key(&w.engine, c, new_key());
    "identity::rotate_key" Admin |w, c| identity::rotate_key(&w.engine, c, KeyId(nowhere()), 24);
    "identity::api_key" Admin |w, c| identity::api_key(&w.engine, c, KeyId(nowhere()));
    "identity::list_keys" Admin |w, c| identity::list_keys(&w.engine, c, None, None);
    "identity::create_key" Admin |w, c| identity::create_key(&w.engine, c, AgentId(nowhere()), "key", &[KeyScope::MemoryRead], None, None);
    "identity::revoke_key" Admin |w, c| identity::revoke_key(&w.engine, c, KeyId(nowhere()));
    "identity::set_toolsets" Admin |w, c| identity::set_toolsets(&w.engine, c, KeyId(nowhere()), &[]);
    "identity::consent" Viewer |w, c| async {
        let consent = identity::oauth::Consent {
            client_id: nowhere().to_string(),
            redirect_uri: "https://claude.example/callback".into(),
            challenge: String::new(),
            agent: AgentId(nowhere()),
            user: None,
            scopes: vec![],
        };
        identity::oauth::consent(&w.engine, c, consent).await
    };
    "identity::create_operator" Admin
        |w, c| identity::create_operator(&w.engine, c, "idris@acme.example", "Idris", PASSWORD, &[OperatorRole::Viewer]);
    "identity::operator_by_login" Admin |w, c| identity::operator_by_login(&w.engine, c, "nobody@acme.example");
    "identity::disable_operator" Admin |w, c| identity::disable_operator(&w.engine, c, OperatorId(nowhere()));
    "identity::restore_operator" Admin |w, c| identity::restore_operator(&w.engine, c, OperatorId(nowhere()));
    "identity::list_operators" Admin |w, c| identity::list_operators(&w.engine, c);
    "identity::change_operator" Admin |w, c| identity::change_operator(&w.engine, c, OperatorId(nowhere()), Default::default());
    "identity::detach_identity" Admin |w, c| identity::detach_identity(&w.engine, c, OperatorId(nowhere()));
    "identity::end_sessions" Admin |w, c| identity::end_sessions(&w.engine, c, OperatorId(nowhere()));
    "identity::invite" Admin |w, c| identity::invite(&w.engine, c, newcomer());
    "identity::list_invitations" Admin |w, c| identity::list_invitations(&w.engine, c);
    "identity::withdraw_invitation" Admin |w, c| identity::withdraw_invitation(&w.engine, c, InvitationId(nowhere()));
    "identity::offer_password" Admin |w, c| identity::offer_password(&w.engine, c, OperatorId(nowhere()), 24);
    "identity::set_roles" Admin |w, c| identity::set_roles(&w.engine, c, OperatorId(nowhere()), &[OperatorRole::Viewer]);
    "identity::add_user" Admin |w, c| identity::add_user(&w.engine, c, "crm-4711", None, None);
    "identity::put_user" Admin |w, c| async { identity::put_user(&w.engine, c, &"crm-4712".parse().unwrap(), Default::default()).await };
    "identity::list_users" Admin |w, c| identity::list_users(&w.engine, c, None);
    "identity::users" Admin |w, c| identity::users(&w.engine, c);
    "identity::users_by_id" Viewer |w, c| identity::users_by_id(&w.engine, c, &[UserId(nowhere())]);
    "identity::find_users" Viewer |w, c| identity::find_users(&w.engine, c, "crm");
    "identity::policy" Viewer |w, c| identity::policy(&w.engine, c);
    "identity::lifecycle" Viewer |w, c| identity::lifecycle(&w.engine, c, None);
    "identity::set_lifecycle" Admin |w, c| identity::set_lifecycle(&w.engine, c, None, Default::default());
    "identity::set_policy" Admin |w, c| identity::set_policy(&w.engine, c, Default::default());
    "search::preview" Viewer |w, c| search::preview(&w.engine, c, AgentId(nowhere()), "tea", None);
    "identity::search_policy" Viewer |w, c| identity::search_policy(&w.engine, c);
    "identity::set_search_policy" Admin |w, c| identity::set_search_policy(&w.engine, c, Default::default());
    "identity::knowledge_categories" Viewer |w, c| identity::knowledge_categories(&w.engine, c, None);
    "identity::set_knowledge_categories" Admin |w, c| identity::set_knowledge_categories(&w.engine, c, AgentId(nowhere()), &[]);
    "identity::set_keeps_context_texts" Admin |w, c| identity::set_keeps_context_texts(&w.engine, c, AgentId(nowhere()), true);
    "identity::views" Viewer |w, c| identity::views(&w.engine, c, ViewPage::Memories);
    "identity::save_view" Viewer |w, c| identity::save_view(&w.engine, c, ViewPage::Memories, "tea", "q=tea");
    "identity::rename_view" Viewer |w, c| identity::rename_view(&w.engine, c, ViewId(nowhere()), "tea");
    "identity::delete_view" Viewer |w, c| identity::delete_view(&w.engine, c, ViewId(nowhere()));
    "context::logged" Viewer |w, c| context::logged(&w.engine, c, ContextId(nowhere()), None);
    "context::compare" Viewer |w, c| context::compare(&w.engine, c, &[ContextId(nowhere())]);
    "context::entries" Viewer |w, c| context::entries(&w.engine, c, &Default::default());
    "context::entry" Viewer |w, c| context::entry(&w.engine, c, ContextId(nowhere()));
    "context::preview" Viewer |w, c| async {
        context::preview(&w.engine, c, PreviewRequest { agent_id: AgentId(nowhere()), context: AssembleRequest::new("tea") }).await
    };
    "knowledge::collections" Viewer |w, c| knowledge::collections(&w.engine, c);
    "knowledge::upload" Reviewer |w, c| knowledge::upload(&w.engine, c, "acme", vec![]);
    "knowledge::documents" Viewer |w, c| knowledge::documents(&w.engine, c, &Default::default());
    "knowledge::document" Viewer |w, c| knowledge::document(&w.engine, c, DocumentId(nowhere()));
    "knowledge::markdown" Viewer |w, c| knowledge::markdown(&w.engine, c, DocumentId(nowhere()));
    "knowledge::retire" Reviewer |w, c| knowledge::retire(&w.engine, c, DocumentId(nowhere()), "because");
    "knowledge::runs" Viewer |w, c| knowledge::runs(&w.engine, c, None, None);
    "knowledge::topology" Viewer |w, c| knowledge::topology(&w.engine, c);
    "memories::browse" Viewer |w, c| memories::browse(&w.engine, c, &Default::default());
    "memories::rows_by_id" Viewer |w, c| memories::rows_by_id(&w.engine, c, &[memory()]);
    "memories::detail" Viewer |w, c| memories::detail(&w.engine, c, memory());
    "memories::recalls" Viewer |w, c| memories::recalls(&w.engine, c, memory());
    "memories::record" Viewer |w, c| memories::record(&w.engine, c, &name(), None);
    "memories::history" Viewer |w, c| memories::history(&w.engine, c, &name(), None);
    "memories::compare" Viewer |w, c| memories::compare(&w.engine, c, &name(), None, 1, 2);
    "memories::remember_by_hand" Operator
        |w, c| memories::remember_by_hand(&w.engine, c, AgentId(nowhere()), fact("tea", "Vera likes tea."));
    "memories::correct" Operator |w, c| memories::correct(&w.engine, c, memory(), None, "new".into(), "because");
    "memories::relate" Reviewer |w, c| async {
        let request = LinkRequest { from: memory().into(), to: memory().into(), relation: Relation::Supports, remove: false, user_id: None };
        memories::relate(&w.engine, c, request, &memories::Shown::default(), "because").await
    };
    "memories::undo_correction" Operator |w, c| memories::undo_correction(&w.engine, c, memory(), 2);
    "memories::delete" Operator |w, c| memories::delete(&w.engine, c, &[memory()], "because");
    "memories::changed_since" Viewer |w, c| memories::changed_since(&w.engine, c, &Default::default());
    "memories::review" Reviewer |w, c| memories::review(&w.engine, c, &[memory()], &Default::default());
    "memories::share" Reviewer |w, c| memories::share(&w.engine, c, &[memory()], &Default::default());
    "memories::make_private" Reviewer |w, c| memories::make_private(&w.engine, c, &[memory()], &Default::default());
    "memories::set_pinned" Operator |w, c| memories::set_pinned(&w.engine, c, &name(), None, true);
    "memories::restore" Operator |w, c| memories::restore(&w.engine, c, &[memory()], "because");
    "memories::undo" Operator |w, c| memories::undo(&w.engine, c, &[memory()], w.engine.clock().now());
    "model_change::overview" Admin |w, c| model_change::overview(&w.engine, c);
    "model_change::progress" Admin |w, c| model_change::progress(&w.engine, c, w.engine.model());
    "notices::newest" Viewer |w, c| notices::newest(&w.engine, c);
    "notices::after" Viewer |w, c| notices::after(&w.engine, c, 0);
    "overview::review_numbers" Viewer |w, c| overview::review_numbers(&w.engine, c);
    "overview::places" Viewer |w, c| overview::places(&w.engine, c, "tea");
    "overview::overview" Viewer |w, c| overview::overview(&w.engine, c);
    "overview::agent" Viewer |w, c| overview::agent(&w.engine, c, AgentId(nowhere()));
    "overview::agents" Viewer |w, c| overview::agents(&w.engine, c);
    "overview::agent_names" Viewer |w, c| overview::agent_names(&w.engine, c);
    "overview::audit_log" Viewer |w, c| overview::audit_log(&w.engine, c, &Default::default());
    "overview::export_audit_log" Viewer |w, c| overview::export_audit_log(&w.engine, c, &Default::default(), AuditFormat::Csv, tokio::io::sink());
    "portability::export" Admin |w, c| portability::export(&w.engine, c, &Selection::All, tokio::io::sink(), &|_| {});
    "portability::markdown" Admin
        |w, c| portability::markdown(&w.engine, c, &Selection::All, &std::env::temp_dir().join(&w.tenant_slug), &|_| {});
    "portability::import" Admin
        |w, c| async { portability::import(&w.engine, c, tokio::fs::File::open("/dev/null").await.unwrap(), ImportOptions::default(), &|_| {}).await };
    "sessions::list" Viewer |w, c| sessions::list(&w.engine, c, &Default::default());
    "sessions::session" Viewer |w, c| sessions::session(&w.engine, c, nowhere());
    "projects::list" Viewer |w, c| projects::list(&w.engine, c);
    "projects::create" Operator |w, c| projects::create(&w.engine, c, new_project());
    "projects::create_repo" Operator |w, c| projects::create_repo(&w.engine, c, "nowhere", new_project());
    "projects::link" Operator |w, c| projects::link(&w.engine, c, "nowhere", "elsewhere");
    "projects::unlink" Operator |w, c| projects::unlink(&w.engine, c, "nowhere", "elsewhere");
    "profile::people" Viewer |w, c| profile::people(&w.engine, c, &Default::default());
    "profile::person" Viewer |w, c| profile::person(&w.engine, c, nobodys_profile(), None);
    "profile::forget_leaf_of" Reviewer
        |w, c| profile::forget_leaf_of(&w.engine, c, nobodys_profile(), LeafId(nowhere()), "because");
    "profile::restore_leaf" Reviewer |w, c| profile::restore_leaf(&w.engine, c, nobodys_profile(), LeafId(nowhere()));
    "quality::measure" Viewer |w, c| quality::measure(&w.engine, c, &Default::default());
    "recall::search_console" Viewer |w, c| recall::search_console(&w.engine, c, &Default::default());
    "recall::health" Viewer |w, c| recall::health(&w.engine, c, &Default::default());
    "recall::zero_hits" Viewer |w, c| recall::zero_hits(&w.engine, c, &Default::default());
    "recall::zero_hit" Viewer |w, c| recall::zero_hit(&w.engine, c, RetrievalId(nowhere()));
    "recall::playground" Viewer |w, c| async {
        recall::playground(&w.engine, c, &PlaygroundRequest { agent_id: AgentId(nowhere()), recall: question("tea") }).await
    };
    "recall::diagnose" Viewer |w, c| async {
        recall::diagnose(&w.engine, c, &DiagnoseRequest { agent_id: AgentId(nowhere()), memory: name(), recall: question("tea") }).await
    };
    "recall::retrievals" Viewer |w, c| recall::retrievals(&w.engine, c, &Default::default());
    "recall::retrieval" Viewer |w, c| recall::retrieval(&w.engine, c, RetrievalId(nowhere()), None);
    "recall::replay" Viewer |w, c| recall::replay(&w.engine, c, RetrievalId(nowhere()), None);
    "recall::explain" Viewer
        |w, c| recall::explain(&w.engine, c, ExplainRequest { memory_id: Some(name()), ..ExplainRequest::default() });
    "skills::list" Viewer |w, c| skills::list(&w.engine, c);
    "usage::balances" Viewer |w, c| usage::balances(&w.engine, c);
    "usage::export" Viewer |w, c| usage::export(&w.engine, c, &Default::default(), tokio::io::sink());
    "usage::grant_credit" Admin |w, c| usage::grant_credit(&w.engine, c, None, Usd::from_dollars(1), "because");
    "usage::overview" Viewer |w, c| usage::overview(&w.engine, c, &Default::default());
    "usage::set_limits" Admin |w, c| usage::set_limits(&w.engine, c, None, Default::default());
    "usage::report" Viewer |w, c| usage::report(&w.engine, c, w.engine.clock().now());
    "vocabulary::proposals" Viewer |w, c| vocabulary::proposals(&w.engine, c, &Default::default());
    "vocabulary::proposals_by_id" Viewer |w, c| vocabulary::proposals_by_id(&w.engine, c, &[ProposalId(nowhere())]);
    "vocabulary::proposal" Viewer |w, c| vocabulary::proposal(&w.engine, c, ProposalId(nowhere()));
    "vocabulary::preview" Viewer |w, c| vocabulary::preview(&w.engine, c, &[ProposalId(nowhere())], &rejection());
    "vocabulary::decide" Reviewer |w, c| vocabulary::decide(&w.engine, c, &[ProposalId(nowhere())], &rejection());
    "vocabulary::undo" Reviewer |w, c| vocabulary::undo(&w.engine, c, &[DecisionId(nowhere())]);
    "vocabulary::preview_undo" Viewer |w, c| vocabulary::preview_undo(&w.engine, c, DecisionId(nowhere()));
    "vocabulary::decisions" Viewer |w, c| vocabulary::decisions(&w.engine, c, None, None);
    "vocabulary::terms" Viewer |w, c| vocabulary::terms(&w.engine, c, &Default::default());
    "vocabulary::term" Viewer |w, c| vocabulary::term(&w.engine, c, TermId(nowhere()));
    "vocabulary::term_named" Viewer |w, c| vocabulary::term_named(&w.engine, c, "tea");
    "vocabulary::term_names" Viewer |w, c| vocabulary::term_names(&w.engine, c, "tea");
    "vocabulary::add" Reviewer |w, c| vocabulary::add(&w.engine, c, NewTerm { term: "tea", ..NewTerm::default() });
    "vocabulary::preview_change" Viewer |w, c| vocabulary::preview_change(&w.engine, c, TermId(nowhere()), &retirement());
    "vocabulary::change" Reviewer |w, c| vocabulary::change(&w.engine, c, TermId(nowhere()), &retirement());
};

/// Verbs of agents: they require a scope of the key, and no role allows them. Tools and routes call them.
const OF_AGENTS: &[&str] = &[
    "activity::record_action",
    "activity::record_steps",
    "capture::add_source",
    "capture::capture_conversation",
    "capture::capture_session",
    "capture::capture_text",
    "capture::ingest",
    "capture::record_observation",
    "capture::update_connection_context",
    "capture::update_user_context",
    "consolidation::consolidate",
    "context::assemble",
    "context::context_for",
    "expectations::list",
    "expectations::request_run_by_key",
    "knowledge::component",
    "knowledge::full_text",
    "knowledge::index",
    "knowledge::ingest",
    "knowledge::search",
    "lifecycle::add_messages",
    "lifecycle::session_messages",
    "memories::set_shared",
    "memories::forget",
    "memories::link",
    "memories::list",
    "memories::remember",
    "memories::remember_batch",
    "memories::revise",
    "memories::unlink",
    "memories::upsert_profile_fact",
    "memory_block::add",
    "memory_block::command",
    "memory_block::delete",
    "memory_block::get",
    "memory_block::list",
    "memory_block::prompt",
    "memory_block::update",
    "profile::connection",
    "profile::connections",
    "profile::forget_leaf",
    "profile::get",
    "profile::put_connection",
    "profile::put_entities",
    "profile::search_user_context",
    "profile::versions",
    "quality::report_answer",
    "recall::recall",
    "recall::search",
    "search::search_my_memories",
    "usage::own",
    "vocabulary::lookup",
    "vocabulary::propose",
];

/// Verbs that require neither, and why.
const OF_NEITHER: &[(&str, &str)] = &[
    ("audit::propose", "a part of remember and propose"),
    ("capture::extract_source", "a job"),
    ("capture::place_input", "a job"),
    ("capture::synthesise", "a job"),
    ("consolidation::consolidate_items", "a job"),
    ("erasure::carry_out", "a job"),
    ("erasure::resume", "a schedule"),
    ("consolidation::place_all", "a part of jobs"),
    ("consolidation::prepare", "a part of jobs"),
    ("consolidation::request_survey", "a schedule"),
    ("consolidation::survey", "a job"),
    ("expectations::evaluate", "a job, and the command line"),
    ("expectations::request_changed", "a schedule"),
    ("expectations::since", "the command line, after a run"),
    ("identity::share_view", "reviewers and admins: `views.rs`"),
    ("identity::capture_policy", "what jobs follow"),
    ("identity::lifecycle_policy", "what every write follows"),
    ("lifecycle::request_sweep", "a schedule"),
    ("lifecycle::sweep", "a job"),
    ("identity::agent_by_slug", "the command line's names"),
    ("identity::acting_for", "who a call acts for is the rule itself"),
    ("identity::acting_as", "a part of previews"),
    ("identity::adopt_agent", "a part of the import"),
    ("identity::adopt_user", "a part of the import"),
    ("identity::admins", "whom every operator may ask"),
    ("identity::change_password", "an operator's own"),
    ("identity::agent", "a part of verbs"),
    ("identity::all_agents", "a part of verbs"),
    ("identity::count_source", "a part of captures"),
    ("identity::history_days", "what reads of history follow"),
    ("identity::keeps_context_texts", "what every context follows"),
    ("identity::known_user", "a part of verbs"),
    ("identity::person", "a part of filters"),
    ("identity::scopes_of", "a part of the diagnosis"),
    ("identity::search_settings", "what every search follows"),
    ("identity::toolsets", "what a list of tools follows"),
    ("identity::user_names", "a part of lists"),
    ("identity::user_of_agent", "a part of verbs"),
    ("identity::users_named", "a part of filters"),
    ("identity::users_with", "a part of lists, and of erasures by admins who are no viewers"),
    ("sessions::add_messages", "a part of captures"),
    ("projects::id_of", "a part of verbs"),
    ("projects::named", "a part of verbs"),
    ("identity::named_by_caller", "who a key may name is the rule itself"),
    ("identity::finish", "a part of verbs"),
    ("identity::settle", "a part of verbs"),
    ("identity::sign_out", "ends the session of whoever asks"),
    ("identity::user", "the command line's names"),
    ("knowledge::embed_document", "a job"),
    ("memories::embed_imported", "a job"),
    ("memories::embed_late", "a job"),
    ("memories::settle_links", "a job"),
    ("model_change::compare", "the command line"),
    ("model_change::fill", "a worker"),
    ("model_change::lacking", "the command line"),
    ("model_change::logged", "the command line"),
    ("model_change::mark_awaiting", "a worker"),
    ("portability::put", "a part of the import"),
    ("reindex::reindex", "a worker"),
    ("profile::apply", "a part of jobs"),
    ("profile::index_attachment", "a part of jobs"),
    ("profile::index_profile", "a job"),
    ("profile::request", "a part of the import and of jobs"),
    ("profile::for_context", "a part of the context, which checks the scope"),
    ("prompts::for_agent", "instructions for any agent"),
    ("recall::of", "a part of the recall"),
    ("recall::without_floor", "what the evaluation compares"),
    ("vocabulary::embed_terms", "a job"),
    ("vocabulary::hide_unused", "a job"),
    ("vocabulary::recanonicalise", "a job"),
    ("webhooks::deliver", "a job"),
];

/// The verbs of operators who may do more than look.
pub fn of_those_who_change() -> BTreeSet<&'static str> {
    OF_OPERATORS.iter().filter(|verb| verb.role != OperatorRole::Viewer).map(|verb| verb.name).collect()
}

#[tokio::test]
async fn a_verb_of_operators_takes_its_role_and_no_other() {
    let world = alone().await;
    for verb in OF_OPERATORS {
        for role in OperatorRole::ALL {
            let outcome = (verb.call)(&world, &OpContext { access: Access::Roles(vec![*role]), ..world.vera.clone() }).await;
            assert_eq!(matches!(outcome, Err(Error::Forbidden(_))), *role != verb.role, "{} as {role}: {outcome:?}", verb.name);
        }
        let none = OpContext { access: Access::Roles(vec![]), ..world.vera.clone() };
        assert!(matches!((verb.call)(&world, &none).await, Err(Error::Forbidden(_))), "{} without a role", verb.name);
    }
    std::fs::remove_dir_all(std::env::temp_dir().join(&world.tenant_slug)).unwrap();
}

/// Fails for a new verb that is in none of the tables.
#[test]
fn every_verb_is_in_a_table() {
    let mut written = BTreeSet::new();
    for root in ["src", "crates/foundation/src"].map(|root| Path::new(env!("CARGO_MANIFEST_DIR")).join(root)) {
        collect(&root, None, &root, &mut written);
    }
    for package in ["expectations", "portability"] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("server").join(package).join("src");
        collect(&root, Some(package), &root, &mut written);
    }
    let known = OF_OPERATORS.iter().map(|verb| verb.name).chain(OF_AGENTS.iter().copied()).chain(OF_NEITHER.iter().map(|(name, _)| *name));
    let known: BTreeSet<String> = known.map(str::to_owned).collect();
    assert!(written.len() > 90, "{written:?}");
    assert_eq!(known.difference(&written).collect::<Vec<_>>(), [] as [&String; 0], "these are no more");
    assert_eq!(written.difference(&known).collect::<Vec<_>>(), [] as [&String; 0], "what do these take?");
}

/// The functions of all rooms, or of one, that take a context, as `room::name`. Stores, tests and the tools' table are no verbs.
fn collect(root: &Path, one: Option<&str>, folder: &Path, verbs: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is = |name: &str| path.file_stem().is_some_and(|stem| stem == name);
        if is("store") || is("testing") {
            continue;
        }
        if path.is_dir() {
            collect(root, one, &path, verbs);
            continue;
        }
        let source = std::fs::read_to_string(&path).unwrap();
        let room = one.unwrap_or(path.strip_prefix(root).unwrap().components().next().unwrap().as_os_str().to_str().unwrap());
        for rest in source.split("\npub async fn ").skip(1) {
            let signature = rest.split("{\n").next().unwrap();
            let takes_context = ["ctx: &OpContext", "ctx: OpContext"].iter().any(|argument| signature.contains(argument));
            if takes_context {
                verbs.insert(format!("{room}::{}", signature.split(['(', '<']).next().unwrap()));
            }
        }
    }
}

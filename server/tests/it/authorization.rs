//! Authorization coverage: every route, tool and server function is tested here, and a new one without a test fails.

use crate::console::sign_in;
use crate::harness::{Site, with_token};
use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use foundation::identity;
use foundation::testing::{PASSWORD, key};
use server::api::Guard;
use std::collections::{BTreeMap, BTreeSet};
use wire::{KeyScope, OperatorRole};

/// Routes that anybody may call, intentionally.
const OPEN: &[&str] = &["/api/docs", "/api/openapi.json", "/healthz", "/readyz"];

/// Server functions that work without a session, intentionally: nobody has a session before sign-in, a link is a credential of its own,
/// and a theme is no secret.
const WITHOUT_SESSION: &[&str] = &["/console/api/sign_in", "/console/api/accept_invitation", "/console/api/set_theme"];

/// Arguments that a server function requires. A function that needs some and is not here answers 400 and fails the test.
const ARGUMENTS: &[(&str, &str)] = &[
    ("/console/api/set_theme", "theme=dark"),
    ("/console/api/set_agent_blocked", "id=01900000-0000-7000-8000-000000000000&blocked=true&reason=because"),
    ("/console/api/set_key_toolsets", "id=01900000-0000-7000-8000-000000000000&agent=01900000-0000-7000-8000-000000000000"),
    ("/console/api/revoke_key", "id=01900000-0000-7000-8000-000000000000&agent=01900000-0000-7000-8000-000000000000"),
    ("/console/api/create_agent", "slug=zephyr"),
    ("/console/api/change_agent", "id=01900000-0000-7000-8000-000000000000&name=Zephyr&discipline=confirming"),
    ("/console/api/retire_agent", "id=01900000-0000-7000-8000-000000000000&reason=because"),
    ("/console/api/restore_agent", "id=01900000-0000-7000-8000-000000000000"),
    ("/console/api/create_key", "agent=01900000-0000-7000-8000-000000000000&name=laptop&preset=agent"),
    ("/console/api/rotate_key", "id=01900000-0000-7000-8000-000000000000&agent=01900000-0000-7000-8000-000000000000"),
    ("/console/api/connect_agent", "agent=01900000-0000-7000-8000-000000000000&host=curl"),
    ("/console/api/create_bot", "agent=01900000-0000-7000-8000-000000000000&key=01900000-0000-7000-8000-000000000000&name=telegram"),
    ("/console/api/bind_chat", "agent=01900000-0000-7000-8000-000000000000&bot=01900000-0000-7000-8000-000000000000&chat=4711&user=crm-31"),
    ("/console/api/unbind_chat", "agent=01900000-0000-7000-8000-000000000000&bot=01900000-0000-7000-8000-000000000000&chat=4711"),
    ("/console/api/invite_operator", "login=mole%40acme.example&roles[]=viewer&hours=24"),
    ("/console/api/withdraw_invitation", "id=01900000-0000-7000-8000-000000000000"),
    ("/console/api/change_account", "id=01900000-0000-7000-8000-000000000000&name=Mole&roles[]=viewer"),
    ("/console/api/offer_password", "id=01900000-0000-7000-8000-000000000000"),
    ("/console/api/end_sessions", "id=01900000-0000-7000-8000-000000000000"),
    ("/console/api/remove_account", "id=01900000-0000-7000-8000-000000000000&login=mole%40acme.example"),
    ("/console/api/restore_account", "id=01900000-0000-7000-8000-000000000000"),
    ("/console/api/change_password", "current=not+the+password&new=another+long+password"),
    ("/console/api/put_user", "reference=crm-31&name=Mina"),
    ("/console/api/delete_memories", "ids=01900000-0000-7000-8000-000000000000&reason=because"),
    ("/console/api/restore_memories", "ids=01900000-0000-7000-8000-000000000000&reason=because"),
    ("/console/api/undo_memories", "ids=01900000-0000-7000-8000-000000000000&at=2026-06-14T09:12:33Z"),
    ("/console/api/decide_proposals", "ids=01900000-0000-7000-8000-000000000000&what=reject&reason=because"),
    ("/console/api/undo_decision", "id=01900000-0000-7000-8000-000000000000"),
    ("/console/api/save_view", "page=memories&name=tea&query=q%3Dtea"),
    ("/console/api/rename_view", "id=01900000-0000-7000-8000-000000000000&name=tea"),
    ("/console/api/delete_view", "id=01900000-0000-7000-8000-000000000000"),
    ("/console/api/share_view", "id=01900000-0000-7000-8000-000000000000&sharing=pinned"),
    ("/console/api/capture", "agent=01900000-0000-7000-8000-000000000000&mode=note&text=Vera+likes+tea"),
    ("/console/api/rename_speaker", "source=01900000-0000-7000-8000-000000000000&speaker=Vera&name=Mina&shown=1"),
    ("/console/api/retry_events", "one=01900000-0000-7000-8000-000000000000"),
    (
        "/console/api/decide_candidates",
        "ids=01900000-0000-7000-8000-000000000000&shown=01900000-0000-7000-8000-000000000000:1&what=reject&reason=because",
    ),
    ("/console/api/add_candidate", "source=01900000-0000-7000-8000-000000000000&turn=0&words=tea&kind=profile"),
    ("/console/api/undo_candidates", "ids=01900000-0000-7000-8000-000000000000"),
    ("/console/api/undo_pair", "id=01900000-0000-7000-8000-000000000000"),
    ("/console/api/decide_pair", "id=01900000-0000-7000-8000-000000000000&accept=true&shown=01900000-0000-7000-8000-000000000000:1"),
    ("/console/api/decide_quarantine", "id=01900000-0000-7000-8000-000000000000&release=true"),
    ("/console/api/undo_dismissal", "id=01900000-0000-7000-8000-000000000000"),
    ("/console/api/review_memories", "ids=01900000-0000-7000-8000-000000000000&shown=01900000-0000-7000-8000-000000000000:1"),
    ("/console/api/share_memories", "ids=01900000-0000-7000-8000-000000000000&shown=01900000-0000-7000-8000-000000000000:1"),
    ("/console/api/make_private", "ids=01900000-0000-7000-8000-000000000000&shown=01900000-0000-7000-8000-000000000000:1"),
    (
        "/console/api/correct_entry",
        "entry=01900000-0000-7000-8000-000000000000/nobody/01900000-0000-7000-8000-000000000000&value=tea&reason=because",
    ),
    ("/console/api/forget_entry", "entry=01900000-0000-7000-8000-000000000000/nobody/01900000-0000-7000-8000-000000000000&reason=because"),
    ("/console/api/restore_entry", "entry=01900000-0000-7000-8000-000000000000/nobody/01900000-0000-7000-8000-000000000000"),
    ("/console/api/request_erasure", "user=01900000-0000-7000-8000-000000000000&reason=because"),
    ("/console/api/confirm_erasure", "id=01900000-0000-7000-8000-000000000000&person=crm-4711"),
    ("/console/api/withdraw_erasure", "id=01900000-0000-7000-8000-000000000000"),
    ("/console/api/set_hold", "user=01900000-0000-7000-8000-000000000000&reason=because"),
    ("/console/api/lift_hold", "user=01900000-0000-7000-8000-000000000000&reason=because"),
    (
        "/console/api/correct_memory",
        "id=01900000-0000-7000-8000-000000000000&shown=01900000-0000-7000-8000-000000000000:1&content=tea&reason=because",
    ),
    ("/console/api/new_memory", "agent=01900000-0000-7000-8000-000000000000&topic_raw=tea&content=tea"),
    ("/console/api/retire_document", "id=01900000-0000-7000-8000-000000000000&reason=because"),
    (
        "/console/api/relate_memories",
        "id=01900000-0000-7000-8000-000000000000&other=01900000-0000-7000-8000-000000000001&what=link+out+supersedes&reason=because",
    ),
    ("/console/api/undo_correction", "id=01900000-0000-7000-8000-000000000000&version=2"),
    ("/console/api/pin_memory", "id=01900000-0000-7000-8000-000000000000&pinned=true"),
    (
        "/console/api/set_lifecycle_policy",
        "retention_days.routine=7&retention_days.error=14&retention_days.task=30&retention_days.decision=90&history_days.versions=365\
         &history_days.moments=365&history_days.events=90&history_days.quarantine=365&importance.base=0.4&importance.decision=0.3\
         &importance.action=0.2&importance.amount=0.2&importance.approval=0.3&importance.small_talk=-0.25&archived_below=0.1\
         &cleaned_up_below=0.2&episodes_max=10000&memories_max=1000000",
    ),
    ("/console/api/grant_credit", "dollars=20&reason=because"),
    ("/console/api/set_limits", "month_dollars=100"),
    ("/console/api/set_search_policy", "similarity=0.5&recency=0.2&importance=0.2&source_priority=0.1"),
    ("/console/api/set_knowledge_categories", "agent=01900000-0000-7000-8000-000000000000&categories=adr"),
    (
        "/console/api/set_capture_policy",
        "episodes=review&profile=review&decisions=review&others=review&commons=review&confidence_min=50&sharing=confirmed&own_statements=review",
    ),
    ("/console/api/create_term", "term=tea"),
    ("/console/api/create_alias", "alias=infusion"),
    ("/console/api/create_project", "slug=harbour"),
    ("/console/api/create_repo", "project=01900000-0000-7000-8000-000000000000&slug=core"),
    ("/console/api/link_projects", "project=01900000-0000-7000-8000-000000000000&other=01900000-0000-7000-8000-000000000001"),
    ("/console/api/authorize_client", "decision=allow&agent=01900000-0000-7000-8000-000000000000&scopes[]=memory:read"),
    ("/console/api/create_webhook", "url=https://example.org/&events[]=job.dead"),
    ("/console/api/change_webhook", "id=01900000-0000-7000-8000-000000000000&url=https://example.org/&events[]=job.dead"),
    ("/console/api/set_webhook_state", "id=01900000-0000-7000-8000-000000000000&state=paused"),
    ("/console/api/rotate_webhook", "id=01900000-0000-7000-8000-000000000000"),
    ("/console/api/remove_webhook", "id=01900000-0000-7000-8000-000000000000"),
    ("/console/api/add_expectation", "agent=01900000-0000-7000-8000-000000000000&q=tea&memory=k3v9x2aq&new_set=tea&from=zero_hit"),
    ("/console/api/run_expectations", "id=01900000-0000-7000-8000-000000000000"),
    ("/console/api/remove_expectation", "id=01900000-0000-7000-8000-000000000000&set=01900000-0000-7000-8000-000000000000"),
    ("/console/api/delete_expectation_set", "id=01900000-0000-7000-8000-000000000000"),
    ("/console/api/change_term", "id=01900000-0000-7000-8000-000000000000&what=rename&term=tea"),
];

/// Pages that show without a session.
const PUBLIC_PAGES: &[&str] = &["/invitation", "/sign-in"];

/// Every page that needs a session, with a query so that it reads all it can, and the roles that together see all of it: none
/// for what everybody with an account may do.
const PAGES: &[(&str, &str, &[OperatorRole])] = {
    use OperatorRole::{Admin, Operator, Reviewer, Viewer};
    const AGENT: &str = "agent=01900000-0000-7000-8000-000000000000";
    const ASKED: &str = "agent=01900000-0000-7000-8000-000000000000&q=tea&memory=k3v9x2aq";
    const IDS: &str = "ids=01900000-0000-7000-8000-000000000000";
    &[
        ("/", "", &[Viewer]),
        ("/accounts", "", &[Admin]),
        ("/accounts/:id", "", &[Admin]),
        ("/agents", "", &[Viewer]),
        ("/agents/:id", "", &[Viewer]),
        ("/agents/connect", "", &[Viewer, Admin]),
        ("/agents/connect/:key", "host=curl", &[Viewer, Admin]),
        ("/audit", "", &[Viewer]),
        ("/capture", "", &[Viewer, Operator]),
        ("/erasure", "", &[Admin]),
        ("/erasure/new", "user=crm-4711", &[Admin]),
        ("/erasure/new", "names=Mina+Roth", &[Admin]),
        ("/erasure/:id", "", &[Admin]),
        ("/events", "", &[Viewer]),
        ("/inbox", "focus=01900000-0000-7000-8000-000000000000", &[Viewer]),
        ("/inbox/policy", "", &[Viewer]),
        ("/inbox/quarantine", "", &[Viewer]),
        ("/inbox/review", "ids=01900000-0000-7000-8000-000000000000&what=reject", &[Viewer, Reviewer]),
        ("/inbox/suggestions", "", &[Viewer]),
        ("/knowledge", "", &[Viewer]),
        ("/knowledge/documents/:id", "", &[Viewer]),
        ("/knowledge/runs", "", &[Viewer]),
        ("/knowledge/topology", "", &[Viewer]),
        ("/knowledge/upload", "", &[Reviewer]),
        ("/lifecycle", "", &[Viewer]),
        ("/lifecycle/policy", AGENT, &[Viewer]),
        ("/memories", "peek=01900000-0000-7000-8000-000000000000", &[Viewer]),
        ("/memories", "q=tea", &[Viewer]),
        ("/memories/delete", IDS, &[Viewer, Operator]),
        ("/memories/new", AGENT, &[Viewer, Operator]),
        ("/memories/:id", "", &[Viewer]),
        ("/oauth/authorize", "client_id=01900000-0000-7000-8000-000000000000", &[Viewer]),
        ("/password", "", &[]),
        ("/people", "", &[Viewer]),
        ("/people/:user", "", &[Viewer]),
        ("/people/users", "", &[Admin]),
        ("/people/:agent/:user", "", &[Viewer]),
        ("/projects", "", &[Viewer]),
        ("/projects/:id", "", &[Viewer]),
        ("/prompts", "", &[Viewer]),
        ("/quality", "", &[Viewer]),
        ("/quality/expectations", "", &[Viewer]),
        ("/quality/expectations/new", ASKED, &[Viewer, Reviewer]),
        ("/quality/expectations/:id", "", &[Viewer]),
        ("/recall", "", &[Viewer]),
        ("/recall/contexts", "", &[Viewer]),
        ("/recall/contexts/:id", "", &[Viewer]),
        ("/recall/contexts/compare", IDS, &[Viewer]),
        ("/recall/diagnose", ASKED, &[Viewer]),
        ("/recall/log", "", &[Viewer]),
        ("/recall/log/:id", "replay=yes", &[Viewer]),
        ("/recall/model", "", &[Admin]),
        ("/webhooks", "", &[Admin]),
        ("/recall/playground", ASKED, &[Viewer]),
        ("/recall/playground/context", ASKED, &[Viewer]),
        ("/recall/policy", AGENT, &[Viewer]),
        ("/search", "q=tea", &[Viewer]),
        ("/sessions", "", &[Viewer]),
        ("/sessions/:id", "", &[Viewer]),
        ("/sources", "", &[Viewer]),
        ("/sources/:id", "", &[Viewer]),
        ("/usage", "", &[Viewer]),
        ("/vocabulary", "focus=01900000-0000-7000-8000-000000000000", &[Viewer]),
        ("/vocabulary/decide", "ids=01900000-0000-7000-8000-000000000000&what=reject", &[Viewer, Reviewer]),
        ("/vocabulary/decisions", "", &[Viewer]),
        ("/vocabulary/decisions/undo", "together=01900000-0000-7000-8000-000000000000", &[Viewer, Reviewer]),
        ("/vocabulary/terms", "", &[Viewer]),
        ("/vocabulary/terms/new", "", &[Reviewer]),
        ("/vocabulary/terms/:id", "", &[Viewer]),
        ("/vocabulary/terms/:id/change", "what=rename&term=tea", &[Viewer, Reviewer]),
    ]
};

/// What a key needs for a call; the verb accepts the body, so only the scope can refuse the call.
struct Call {
    method: Method,
    path: &'static str,
    needs: &'static [KeyScope],
    body: &'static str,
}

const fn call_of(method: Method, path: &'static str, needs: &'static [KeyScope], body: &'static str) -> Call {
    Call { method, path, needs, body }
}

/// Every route that an agent's key reaches, except the tools', which have a table of their own.
const ROUTES: &[Call] = {
    use KeyScope::{Admin, CaptureWrite, CommonsWrite, ContextRead, Export, KbRead, KbWrite, MemoryForget, MemoryRead, MemoryWrite};
    const ENTRY: &str = r#"{"content": "Vera works from Bern", "category": "context"}"#;
    const PROJECT: &str = r#"{"slug": "harbour", "name": "Harbour"}"#;
    &[
        call_of(Method::GET, "/api/tools", &[], ""),
        call_of(Method::GET, "/mcp", &[], ""),
        call_of(Method::POST, "/mcp", &[], r#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#),
        call_of(Method::DELETE, "/mcp", &[], ""),
        call_of(Method::GET, "/mcp/", &[], ""),
        call_of(Method::POST, "/mcp/", &[], r#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#),
        call_of(Method::DELETE, "/mcp/", &[], ""),
        call_of(Method::GET, "/api/prompts", &[], ""),
        call_of(Method::GET, "/api/memory/", &[MemoryRead], ""),
        call_of(Method::GET, "/api/memory", &[MemoryRead], ""),
        call_of(Method::POST, "/api/memory/", &[MemoryWrite], ENTRY),
        call_of(Method::POST, "/api/memory", &[MemoryWrite], ENTRY),
        call_of(Method::GET, "/api/memory/prompt", &[MemoryRead], ""),
        call_of(Method::GET, "/api/memory/{id}", &[MemoryRead], ""),
        call_of(Method::PUT, "/api/memory/{id}", &[MemoryWrite], r#"{"content": "Vera works from Basel"}"#),
        call_of(Method::DELETE, "/api/memory/{id}", &[MemoryForget], ""),
        call_of(Method::POST, "/api/commands/memory", &[MemoryRead], r#"{"text": "/memory"}"#),
        call_of(Method::POST, "/api/commands/memory", &[MemoryRead, MemoryForget], r#"{"text": "/memory delete aaaaaaaa"}"#),
        call_of(Method::GET, "/api/memories", &[MemoryRead], ""),
        call_of(Method::POST, "/api/memories/batch", &[MemoryWrite], r#"{"items": [{}]}"#),
        call_of(Method::GET, "/api/memories/{memory_id}", &[MemoryRead], ""),
        call_of(Method::GET, "/api/memories/{memory_id}/versions", &[MemoryRead], ""),
        call_of(Method::PUT, "/api/memories/{memory_id}/pin", &[MemoryWrite], ""),
        call_of(Method::DELETE, "/api/memories/{memory_id}/pin", &[MemoryWrite], ""),
        call_of(Method::PUT, "/api/memories/{memory_id}/share", &[CommonsWrite], ""),
        call_of(Method::DELETE, "/api/memories/{memory_id}/share", &[CommonsWrite], ""),
        call_of(
            Method::POST,
            "/api/sessions/{session}/messages",
            &[MemoryWrite],
            r#"{"messages": [{"role": "user", "content": "I moved to Basel in May."}]}"#,
        ),
        call_of(Method::GET, "/api/sessions/{session}/messages", &[MemoryRead], ""),
        call_of(Method::POST, "/api/sources", &[CaptureWrite], r#"[{"role": "user", "content": "I moved to Basel in May."}]"#),
        call_of(Method::GET, "/api/profile", &[ContextRead], ""),
        call_of(Method::POST, "/api/profile/search", &[ContextRead], r#"{"query": "tea"}"#),
        call_of(Method::GET, "/api/profile/versions", &[ContextRead], ""),
        call_of(Method::DELETE, "/api/profile/leaves/{id}", &[MemoryForget], ""),
        call_of(Method::GET, "/api/connections", &[ContextRead], ""),
        call_of(Method::GET, "/api/connections/{id}", &[ContextRead], ""),
        call_of(Method::PUT, "/api/connections/{id}", &[CaptureWrite], r#"{"tool_id": "jira", "name": "Jira"}"#),
        call_of(Method::PUT, "/api/connections/{id}/entities", &[CaptureWrite], r#"{"entities": []}"#),
        call_of(Method::GET, "/api/usage", &[MemoryRead], ""),
        call_of(Method::GET, "/api/usage.csv", &[MemoryRead], ""),
        call_of(Method::GET, "/api/retrievals", &[MemoryRead], ""),
        call_of(Method::GET, "/api/retrievals/{id}", &[MemoryRead], ""),
        call_of(Method::GET, "/api/retrievals/{id}/replay", &[MemoryRead], ""),
        call_of(Method::GET, "/api/expectations", &[MemoryRead], ""),
        call_of(Method::POST, "/api/expectations/{id}/runs", &[MemoryWrite], ""),
        call_of(Method::POST, "/api/context", &[ContextRead], r#"{"query": "tea"}"#),
        call_of(Method::GET, "/api/context/{id}", &[ContextRead], ""),
        call_of(Method::POST, "/api/context/{id}/answer", &[ContextRead], r#"{"text": "Tea, of course."}"#),
        call_of(Method::GET, "/api/projects", &[MemoryRead], ""),
        call_of(Method::POST, "/api/projects", &[CommonsWrite], PROJECT),
        call_of(Method::POST, "/api/projects/{project}/repos", &[CommonsWrite], PROJECT),
        call_of(Method::POST, "/api/projects/{project}/links", &[CommonsWrite], r#"{"project": "orchard"}"#),
        call_of(Method::POST, "/api/actions", &[MemoryWrite], r#"{"action": "tea.brew", "message": "Brewed tea."}"#),
        call_of(Method::POST, "/api/workflows/{name}/steps", &[MemoryWrite], r#"{"steps": [{"step_name": "pour", "output": "Poured."}]}"#),
        call_of(Method::GET, "/api/kb/index", &[KbRead], ""),
        call_of(
            Method::POST,
            "/api/kb/documents",
            &[KbWrite],
            r#"{"collection": "wiki", "documents": [{"path": "a.md", "content": "A"}]}"#,
        ),
        call_of(Method::GET, "/api/admin/agents", &[Admin], ""),
        call_of(Method::GET, "/api/admin/agents/{slug}", &[Admin], ""),
        call_of(Method::PUT, "/api/admin/agents/{slug}", &[Admin], r#"{"name": "Zephyr"}"#),
        call_of(Method::DELETE, "/api/admin/agents/{slug}", &[Admin], ""),
        call_of(Method::GET, "/api/admin/keys", &[Admin], ""),
        call_of(Method::POST, "/api/admin/keys", &[Admin], r#"{"agent": "nobody", "name": "laptop", "preset": "reader"}"#),
        call_of(Method::POST, "/api/admin/keys/{id}/rotate", &[Admin], "{}"),
        call_of(Method::DELETE, "/api/admin/keys/{id}", &[Admin], ""),
        call_of(Method::GET, "/api/admin/users", &[Admin], ""),
        call_of(Method::PUT, "/api/admin/users/{user}", &[Admin], r#"{"name": "Mina"}"#),
        call_of(Method::GET, "/api/admin/operators", &[Admin], ""),
        call_of(Method::PUT, "/api/admin/operators/{login}", &[Admin], r#"{"name": "Idris"}"#),
        call_of(Method::DELETE, "/api/admin/operators/{login}", &[Admin], ""),
        call_of(Method::DELETE, "/api/admin/operators/{login}/sessions", &[Admin], ""),
        call_of(Method::GET, "/api/admin/bots", &[Admin], ""),
        call_of(Method::GET, "/api/admin/invitations", &[Admin], ""),
        call_of(Method::POST, "/api/admin/invitations", &[Admin], r#"{"login": "mole@acme.example", "name": "Mole", "roles": ["viewer"]}"#),
        call_of(Method::DELETE, "/api/admin/invitations/{id}", &[Admin], ""),
        call_of(Method::GET, "/api/admin/webhooks", &[Admin], ""),
        call_of(Method::POST, "/api/admin/webhooks", &[Admin], r#"{"url": "https://example.org/", "events": ["job.dead"]}"#),
        call_of(Method::PUT, "/api/admin/webhooks/{id}", &[Admin], r#"{"state": "paused"}"#),
        call_of(Method::POST, "/api/admin/webhooks/{id}/rotate", &[Admin], ""),
        call_of(Method::DELETE, "/api/admin/webhooks/{id}", &[Admin], ""),
        call_of(Method::GET, "/api/export", &[Export], ""),
        call_of(Method::POST, "/api/import", &[Export, MemoryWrite], ""),
        // The last one: it stays open until the server stops.
        call_of(Method::GET, "/api/events/stream", &[MemoryRead], ""),
    ]
};

/// Every tool with the scopes that its key needs, including those that the input needs.
const TOOLS: &[(&str, &[KeyScope], &str)] = {
    use KeyScope::{CaptureWrite, CommonsWrite, ContextRead, KbRead, MemoryForget, MemoryRead, MemoryWrite, VocabularyPropose};
    &[
        ("agent_memory_recall", &[MemoryRead], r#"{"query": "tea"}"#),
        ("agent_memory_search", &[MemoryRead], r#"{"query": "tea"}"#),
        ("agent_memory_list", &[MemoryRead], "{}"),
        ("context_for", &[MemoryRead], r#"{"task": "make tea"}"#),
        ("assemble_context", &[ContextRead], r#"{"query": "make tea"}"#),
        ("agent_memory_remember", &[MemoryWrite], r#"{"topic_raw": "tea", "content": "Vera likes tea", "source": {"platform": "slack"}}"#),
        (
            "agent_memory_remember",
            &[MemoryWrite, CommonsWrite],
            r#"{"topic_raw": "tea", "content": "Tea is ready", "source": {"platform": "slack"}, "scope": "global", "commons": true}"#,
        ),
        ("agent_memory_forget", &[MemoryForget], r#"{"memory_id": "01900000-0000-7000-8000-000000000000"}"#),
        ("agent_memory_revise", &[MemoryWrite], r#"{"memory": "01900000-0000-7000-8000-000000000000", "content": "Vera likes cocoa"}"#),
        ("agent_memory_link", &[MemoryWrite], r#"{"from": "aaaaaaaa", "to": "bbbbbbbb", "relation": "supports"}"#),
        ("explain", &[MemoryRead], r#"{"memory_id": "01900000-0000-7000-8000-000000000000"}"#),
        ("upsert_profile_fact", &[MemoryWrite], r#"{"topic_raw": "editor", "content": "Helix", "source": {"platform": "slack"}}"#),
        (
            "upsert_profile_fact",
            &[MemoryWrite, CommonsWrite],
            r#"{"topic_raw": "editor", "content": "Zed", "source": {"platform": "slack"}, "commons": true}"#,
        ),
        ("add_to_memory", &[MemoryWrite], r#"{"content": "Vera works from Bern", "category": "context"}"#),
        ("update_memory", &[MemoryWrite], r#"{"memory_id": "aaaaaaaa", "content": "Vera works from Basel"}"#),
        ("add_session_messages", &[MemoryWrite], r#"{"session": "tea", "messages": [{"role": "user", "content": "I like tea."}]}"#),
        ("list_session_messages", &[MemoryRead], r#"{"session": "tea"}"#),
        ("capture_text", &[CaptureWrite], r#"{"content": "Vera: I like tea."}"#),
        ("capture_conversation", &[CaptureWrite], r#"{"source_ref": "01900000-0000-7000-8000-000000000000"}"#),
        ("capture_session", &[CaptureWrite], r#"{"source_ref": "01900000-0000-7000-8000-000000000000"}"#),
        ("ingest", &[CaptureWrite], r#"{"memory_input": {"topic_raw": "tea", "content": "Vera likes tea"}}"#),
        ("consolidate", &[CaptureWrite], r#"{"inbox_items": ["aaaaaaaa"]}"#),
        ("record_observation", &[CaptureWrite], r#"{"content": "Vera likes tea", "category": "fact"}"#),
        ("record_observation", &[CaptureWrite, CommonsWrite], r#"{"content": "Vera likes tea", "category": "fact", "commons": true}"#),
        ("update_user_context", &[CaptureWrite], r#"{"persistent_info_additions": ["Vera likes tea"]}"#),
        ("update_user_context", &[CaptureWrite, CommonsWrite], r#"{"persistent_info_additions": ["Vera likes tea"], "commons": true}"#),
        (
            "update_connection_context",
            &[CaptureWrite],
            r#"{"connection_id": "01900000-0000-7000-8000-000000000000", "learned": {"project": "PROJ"}}"#,
        ),
        ("get_user_profile", &[ContextRead], "{}"),
        ("search_user_context", &[ContextRead], r#"{"query": "tea"}"#),
        ("forget_profile_leaf", &[MemoryForget], r#"{"leaf_id": "01900000-0000-7000-8000-000000000000"}"#),
        ("search_my_memories", &[MemoryRead], r#"{"query": "tea"}"#),
        ("record_action", &[MemoryWrite], r#"{"action": "tea.brew", "message": "Brewed tea."}"#),
        ("record_workflow_step", &[MemoryWrite], r#"{"workflow": "tea", "step_name": "pour", "output": "Poured."}"#),
        ("canonical_terms_lookup", &[MemoryRead], r#"{"phrase": "tea"}"#),
        ("canonical_terms_propose", &[VocabularyPropose], r#"{"phrase": "tea"}"#),
        ("shared_kb_search", &[KbRead], r#"{"query": "tea"}"#),
        ("shared_kb_topology", &[KbRead], r#"{"component": "kettle"}"#),
        ("list_projects", &[MemoryRead], "{}"),
        ("create_project", &[CommonsWrite], r#"{"slug": "harbour", "name": "Harbour"}"#),
    ]
};

/// Every server function that needs a session, with the role that it requires; none if any operator may call it.
const FUNCTIONS: &[(&str, Option<OperatorRole>)] = {
    use OperatorRole::{Admin, Operator, Reviewer, Viewer};
    &[
        ("request_erasure", Some(Admin)),
        ("confirm_erasure", Some(Admin)),
        ("withdraw_erasure", Some(Admin)),
        ("set_hold", Some(Admin)),
        ("lift_hold", Some(Admin)),
        ("set_agent_blocked", Some(Admin)),
        ("create_agent", Some(Admin)),
        ("change_agent", Some(Admin)),
        ("retire_agent", Some(Admin)),
        ("restore_agent", Some(Admin)),
        ("create_key", Some(Admin)),
        ("rotate_key", Some(Admin)),
        ("connect_agent", Some(Admin)),
        ("create_bot", Some(Admin)),
        ("bind_chat", Some(Admin)),
        ("unbind_chat", Some(Admin)),
        ("invite_operator", Some(Admin)),
        ("withdraw_invitation", Some(Admin)),
        ("change_account", Some(Admin)),
        ("offer_password", Some(Admin)),
        ("end_sessions", Some(Admin)),
        ("remove_account", Some(Admin)),
        ("restore_account", Some(Admin)),
        ("change_password", None),
        ("put_user", Some(Admin)),
        ("set_key_toolsets", Some(Admin)),
        // And whoever gave the key to a client: `oauth.rs`.
        ("revoke_key", Some(Admin)),
        ("delete_memories", Some(Operator)),
        ("restore_memories", Some(Operator)),
        ("undo_memories", Some(Operator)),
        ("places", Some(Viewer)),
        ("decide_proposals", Some(Reviewer)),
        ("undo_decision", Some(Reviewer)),
        ("term_names", Some(Viewer)),
        ("change_term", Some(Reviewer)),
        ("create_term", Some(Reviewer)),
        ("create_alias", Some(Reviewer)),
        ("create_project", Some(Operator)),
        ("create_repo", Some(Operator)),
        ("link_projects", Some(Operator)),
        ("capture", Some(Operator)),
        ("rename_speaker", Some(Operator)),
        ("retry_events", Some(Operator)),
        ("decide_candidates", Some(Reviewer)),
        ("add_candidate", Some(Reviewer)),
        ("undo_candidates", Some(Reviewer)),
        ("decide_pair", Some(Reviewer)),
        ("undo_pair", Some(Reviewer)),
        ("survey", Some(Operator)),
        ("grant_credit", Some(Admin)),
        ("set_limits", Some(Admin)),
        ("sweep", Some(Operator)),
        ("set_lifecycle_policy", Some(Admin)),
        ("set_search_policy", Some(Admin)),
        ("set_knowledge_categories", Some(Admin)),
        ("review_memories", Some(Reviewer)),
        ("share_memories", Some(Reviewer)),
        ("make_private", Some(Reviewer)),
        ("correct_memory", Some(Operator)),
        ("new_memory", Some(Operator)),
        ("retire_document", Some(Reviewer)),
        ("relate_memories", Some(Reviewer)),
        ("undo_correction", Some(Operator)),
        ("pin_memory", Some(Operator)),
        ("decide_quarantine", Some(Reviewer)),
        ("undo_dismissal", Some(Reviewer)),
        ("set_capture_policy", Some(Admin)),
        ("correct_entry", Some(Reviewer)),
        ("forget_entry", Some(Reviewer)),
        ("restore_entry", Some(Reviewer)),
        ("add_expectation", Some(Reviewer)),
        ("run_expectations", Some(Reviewer)),
        ("remove_expectation", Some(Reviewer)),
        ("delete_expectation_set", Some(Reviewer)),
        ("save_view", Some(Viewer)),
        ("rename_view", Some(Viewer)),
        ("delete_view", Some(Viewer)),
        ("create_webhook", Some(Admin)),
        ("change_webhook", Some(Admin)),
        ("set_webhook_state", Some(Admin)),
        ("rotate_webhook", Some(Admin)),
        ("remove_webhook", Some(Admin)),
        ("share_view", Some(Reviewer)),
        ("authorize_client", Some(Viewer)),
        // The last one: it ends the session.
        ("sign_out", None),
    ]
};

/// Server functions that take another role, too.
const OR: &[(&str, OperatorRole)] = &[("share_view", OperatorRole::Admin)];

#[tokio::test]
async fn every_route_of_the_api_demands_a_key() {
    let site = Site::new().await;
    let open: BTreeSet<_> = server::api::routes().into_iter().filter(|route| route.guard == Guard::Open).map(|route| route.path).collect();
    assert_eq!(open, OPEN.iter().copied().collect(), "a route is open that is not listed as open");
    for route in server::api::routes().into_iter().filter(|route| route.guard == Guard::Key) {
        let path = route.path.replace("{name}", "agent_memory_recall").replace(['{', '}'], "");
        let answer = site.send(Request::builder().method(route.method.clone()).uri(&path).body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{} {path}", route.method);
    }
}

#[tokio::test]
async fn every_route_of_a_bot_demands_its_secret_and_takes_no_key() {
    let site = Site::new().await;
    let bots: Vec<_> = server::api::routes().into_iter().filter(|route| route.guard == Guard::Bot).collect();
    assert!(!bots.is_empty());
    for route in bots {
        let path = route.path.replace("{bot}", "01900000-0000-7000-8000-000000000000");
        let request = Request::builder().method(route.method.clone()).uri(&path);
        let request = request.header(header::AUTHORIZATION, format!("Bearer {}", site.world.atlas_key)).body(Body::from("{}")).unwrap();
        assert_eq!(site.send(request).await.status, StatusCode::UNAUTHORIZED, "{} {path}", route.method);
    }
}

#[tokio::test]
async fn every_tool_demands_a_key_and_its_scope() {
    let site = Site::new().await;
    let world = &site.world;
    for tool in remembrancer::tools::all() {
        assert_eq!(site.post(None, tool.name, "{}").await.status, StatusCode::UNAUTHORIZED, "{}", tool.name);
        let none = foundation::OpContext { access: foundation::op::Access::KeyScopes(vec![]), ..world.atlas.clone() };
        let refused = tool.call(&world.engine, &none, serde_json::json!({})).await.unwrap_err();
        assert_eq!(refused.code(), wire::ErrorCode::Forbidden, "{}", tool.name);
        // An operator's session is no key: tools act as agents.
        let operator = tool.call(&world.engine, &world.vera, serde_json::json!({})).await.unwrap_err();
        assert_eq!(operator.code(), wire::ErrorCode::Forbidden, "{}", tool.name);
    }
}

/// Keys of atlas by their scopes, made once.
#[derive(Default)]
struct Keys(BTreeMap<Vec<&'static str>, String>);

impl Keys {
    async fn with(&mut self, site: &Site, scopes: &[KeyScope]) -> String {
        let names: Vec<&'static str> = scopes.iter().map(|scope| scope.as_str()).collect();
        if let Some(known) = self.0.get(&names) {
            return known.clone();
        }
        let world = &site.world;
        let (_, made) = key(&world.engine, &world.system, world.atlas.agent_id().unwrap(), scopes).await;
        self.0.insert(names, made.clone());
        made
    }

    /// Sends a call with exactly the scopes that it needs, and, for each of them, with all scopes but that one.
    async fn check(&mut self, site: &Site, what: &str, needs: &[KeyScope], request: impl Fn(&str) -> Request<Body>) {
        // A key holds at least one scope; this one is not needed.
        let key = self.with(site, if needs.is_empty() { &[KeyScope::ContextRead] } else { needs }).await;
        let allowed = site.send(request(&key)).await;
        let refused = [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN, StatusCode::METHOD_NOT_ALLOWED];
        assert!(!refused.contains(&allowed.status) && !allowed.status.is_server_error(), "{what} with {needs:?}: {allowed:?}");
        for lacking in needs {
            let others: Vec<KeyScope> = KeyScope::ALL.iter().copied().filter(|scope| scope != lacking).collect();
            let answer = site.send(request(&self.with(site, &others).await)).await;
            assert_eq!((answer.status, answer.error().0.as_str()), (StatusCode::FORBIDDEN, "forbidden"), "{what} without {lacking}");
            assert!(answer.text.contains(lacking.as_str()), "{what}: the answer names {lacking}: {}", answer.text);
        }
    }
}

fn request(method: &Method, path: &str, key: &str, body: &'static str) -> Request<Body> {
    let media_type = if path == "/api/import" { "application/x-ndjson" } else { "application/json" };
    let request = Request::builder().method(method.clone()).uri(path).header(header::CONTENT_TYPE, media_type);
    request.header(header::AUTHORIZATION, format!("Bearer {key}")).body(Body::from(body)).unwrap()
}

#[tokio::test]
async fn every_route_of_an_agents_key_takes_its_scope_and_no_other() {
    let site = Site::new().await;
    let of_keys = server::api::routes().into_iter().filter(|route| route.guard == Guard::Key && route.path != "/api/tools/{name}");
    let there: BTreeSet<_> = of_keys.map(|route| (route.path, route.method.to_string())).collect();
    let known: BTreeSet<_> = ROUTES.iter().map(|call| (call.path, call.method.to_string())).collect();
    assert_eq!(known, there, "which scope does a route take?");
    for route in server::api::routes().into_iter().filter(|route| route.guard == Guard::Key && route.path != "/api/tools/{name}") {
        let calls = ROUTES.iter().filter(|call| (call.path, &call.method) == (route.path, &route.method));
        let least = calls.map(|call| call.needs).min_by_key(|needs| needs.len());
        assert_eq!(least, Some(route.scopes), "{} {} names other scopes in its description", route.method, route.path);
    }
    let mut keys = Keys::default();
    for call in ROUTES {
        if call.path == "/api/events/stream" {
            site.stop.cancel();
        }
        let id = "01900000-0000-7000-8000-000000000000";
        let path = call.path.replace("{id}", id).replace("{memory_id}", id).replace("{project}", "harbour").replace("{name}", "tea");
        keys.check(&site, &format!("{} {path}", call.method), call.needs, |key| request(&call.method, &path, key, call.body)).await;
    }
}

#[tokio::test]
async fn every_tool_takes_its_scope_and_no_other() {
    let site = Site::new().await;
    let there: BTreeSet<_> = remembrancer::tools::all().iter().map(|tool| tool.name).collect();
    assert_eq!(TOOLS.iter().map(|(name, ..)| *name).collect::<BTreeSet<_>>(), there, "which scope does a tool take?");
    let mut keys = Keys::default();
    for (name, needs, body) in TOOLS {
        let path = format!("/api/tools/{name}");
        keys.check(&site, name, needs, |key| request(&Method::POST, &path, key, body)).await;
    }
}

#[tokio::test]
async fn every_server_function_takes_its_role_and_no_other() {
    let site = Site::new().await;
    let world = &site.world;
    let named = |name: &str| format!("/console/api/{name}");
    let there: BTreeMap<String, Method> = app::server_functions().into_iter().map(|(path, method)| (path.to_owned(), method)).collect();
    let known: BTreeSet<String> =
        FUNCTIONS.iter().map(|(name, _)| named(name)).chain(WITHOUT_SESSION.iter().map(|path| (*path).to_owned())).collect();
    assert_eq!(known, there.keys().cloned().collect(), "which role does a function take?");
    for role in OperatorRole::ALL {
        let login = format!("{role}@{}", world.tenant_slug);
        identity::create_operator(&world.engine, &world.system, &login, "Mina", PASSWORD, &[*role]).await.unwrap();
        let (_, cookie) = sign_in(&site, &login, PASSWORD).await;
        for (name, needs) in FUNCTIONS {
            let path = named(name);
            let status = call_with(&site, &there[&path], &path, "same-origin", &cookie).await;
            let expected = needs.is_some_and(|needed| needed != *role) && !OR.contains(&(*name, *role));
            assert_eq!(status == StatusCode::FORBIDDEN, expected, "{name} as {role}: {status}");
            assert!(status != StatusCode::UNAUTHORIZED && !status.is_server_error(), "{name} as {role}: {status}");
        }
        let (_, cookie) = sign_in(&site, &login, PASSWORD).await;
        let download = site.get("/export.jsonl", &[(header::COOKIE, &cookie)]).await;
        let expected = if *role == OperatorRole::Admin { StatusCode::OK } else { StatusCode::FORBIDDEN };
        assert_eq!(download.status, expected, "the download as {role}: {}", download.text);
        let report = site.get("/erasure/01900000-0000-7000-8000-000000000000/report.json", &[(header::COOKIE, &cookie)]).await;
        let expected = if *role == OperatorRole::Admin { StatusCode::NOT_FOUND } else { StatusCode::FORBIDDEN };
        assert_eq!(report.status, expected, "the report of an erasure as {role}: {}", report.text);
        let audit = site.get("/audit.csv", &[(header::COOKIE, &cookie)]).await;
        let expected = if *role == OperatorRole::Viewer { StatusCode::OK } else { StatusCode::FORBIDDEN };
        assert_eq!(audit.status, expected, "the audit log as {role}: {}", audit.text);
        let usage = site.get("/usage.csv", &[(header::COOKIE, &cookie)]).await;
        assert_eq!(usage.status, expected, "the usage as {role}: {}", usage.text);
    }
}

#[tokio::test]
async fn every_server_function_demands_a_session_and_its_own_origin() {
    let site = Site::new().await;
    let functions = app::server_functions();
    assert!(functions.len() >= 8, "the console's functions are registered: {functions:?}");
    assert_eq!(WITHOUT_SESSION, app::PUBLIC_SERVER_FUNCTIONS, "a function answers without a session and is not listed");
    for (path, method) in functions {
        if method != Method::GET {
            assert_eq!(call(&site, &method, path, "cross-site").await, StatusCode::FORBIDDEN, "{path} takes forms from other sites");
        }
        let status = call(&site, &method, path, "same-origin").await;
        if path == "/console/api/sign_in" {
            // Empty credentials are refused like a wrong password.
            assert_eq!(status, StatusCode::UNAUTHORIZED, "{path}");
        } else if path == "/console/api/accept_invitation" {
            assert_eq!(status, StatusCode::BAD_REQUEST, "{path} takes no empty password");
        } else if WITHOUT_SESSION.contains(&path) {
            assert!(status.is_success() || status.is_redirection(), "{path} answers {status}");
        } else {
            assert_eq!(status, StatusCode::UNAUTHORIZED, "{method} {path}");
        }
    }
}

async fn call(site: &Site, method: &Method, path: &str, fetch_site: &str) -> StatusCode {
    call_with(site, method, path, fetch_site, "").await
}

async fn call_with(site: &Site, method: &Method, path: &str, fetch_site: &str, cookie: &str) -> StatusCode {
    let arguments = ARGUMENTS.iter().find(|(function, _)| *function == path).map_or("", |(_, arguments)| arguments);
    let form = || (path.to_owned(), with_token(cookie, path, arguments));
    let (uri, body) = if method == Method::GET { (format!("{path}?{arguments}"), String::new()) } else { form() };
    let request = Request::builder()
        .method(method.clone())
        .uri(uri)
        .header("sec-fetch-site", fetch_site)
        .header(header::COOKIE, cookie)
        .header(header::ACCEPT, "application/json")
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(Body::from(body))
        .unwrap();
    site.send(request).await.status
}

/// The path of a page, with an id that nothing has for each parameter.
fn filled(path: &str) -> String {
    let part = |part| if str::starts_with(part, [':', '{']) { "01900000-0000-7000-8000-000000000000" } else { part };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

#[tokio::test]
async fn every_page_shows_all_to_its_roles_and_nothing_of_it_without_one_of_them() {
    let site = Site::new().await;
    let world = &site.world;
    let there: BTreeSet<String> = server::console::pages().iter().map(|route| filled(route.path())).collect();
    let known: BTreeSet<String> =
        PAGES.iter().map(|(path, ..)| filled(path)).chain(PUBLIC_PAGES.iter().map(|path| (*path).to_owned())).collect();
    assert_eq!(known, there, "which roles does a page need?");
    let mut cookies: BTreeMap<Vec<&str>, String> = BTreeMap::new();
    for (path, query, needs) in PAGES {
        let lacking = needs.iter().map(|lack| OperatorRole::ALL.iter().copied().filter(|role| role != lack).collect());
        let suffice = if needs.is_empty() { OperatorRole::ALL } else { *needs };
        for (roles, refused) in std::iter::once((suffice.to_vec(), false)).chain(lacking.map(|roles: Vec<_>| (roles, true))) {
            let names: Vec<&str> = roles.iter().map(|role| role.as_str()).collect();
            if !cookies.contains_key(&names) {
                let login = format!("{}@{}", names.join("-"), world.tenant_slug);
                identity::create_operator(&world.engine, &world.system, &login, "Mina", PASSWORD, &roles).await.unwrap();
                cookies.insert(names.clone(), sign_in(&site, &login, PASSWORD).await.1);
            }
            let url = format!("{}?{query}", filled(path));
            let answer = site.get(url.trim_end_matches('?'), &[(header::COOKIE, &cookies[&names]), (header::ACCEPT, "text/html")]).await;
            assert!(!answer.status.is_server_error() && !answer.status.is_redirection(), "{url} as {names:?}: {}", answer.status);
            assert_eq!(answer.text.contains("Your role does not allow this"), refused, "{url} as {names:?}: {}", answer.text);
            let (_, sidebar) = answer.text.split_once("aria-label=\"Main\"").unwrap_or_else(|| panic!("{url}: {}", answer.text));
            let sidebar = sidebar.split("</nav>").next().unwrap();
            for (other, _, needs) in PAGES.iter().filter(|(other, ..)| sidebar.contains(&format!("href=\"{other}\""))) {
                assert!(needs.iter().all(|role| roles.contains(role)), "{url} offers {other} to {names:?}");
            }
            assert_eq!(sidebar.contains("href=\"/people\""), roles.contains(&OperatorRole::Viewer), "{url}: {sidebar}");
        }
    }
}

#[tokio::test]
async fn every_page_but_sign_in_sends_strangers_to_sign_in() {
    let site = Site::new().await;
    for route in server::console::pages() {
        let path = filled(route.path());
        let answer = site.get(&path, &[(header::ACCEPT, "text/html")]).await;
        if PUBLIC_PAGES.contains(&path.as_str()) {
            assert_eq!(answer.status, StatusCode::OK, "{path}");
        } else {
            assert!(answer.status.is_redirection(), "{path} answers {}", answer.status);
            assert!(answer.header(header::LOCATION).starts_with("/sign-in"), "{path} leads to {}", answer.header(header::LOCATION));
        }
    }
}

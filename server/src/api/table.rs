//! The table of routes: every route of the API, with its name in the OpenAPI document and what it needs.

use super::route::{Group, Route};
use super::{
    activity, admin, context, events, expectations, health, knowledge, memory, openapi, portability, profile, projects, records, reference,
    retrievals, sessions, sources, telegram, tools, usage, webhooks,
};
use crate::mcp;
use axum::http::Method;
use axum::routing::{delete, get, post};
use wire::KeyScope::{Admin, CaptureWrite, CommonsWrite, ContextRead, Export, KbRead, KbWrite, MemoryForget, MemoryRead, MemoryWrite};

/// Every route of the API. The authorization test loops over it.
pub fn routes() -> Vec<Route> {
    groups().into_iter().flat_map(|group| group.routes).collect()
}

/// The routes by what they are for, as the OpenAPI document lists them.
pub fn groups() -> Vec<Group> {
    vec![
        Group {
            name: "Tools",
            about: "The tools that agents call. Each tool is an operation; the Model Context Protocol offers the same tools.",
            routes: tools_routes(),
        },
        Group {
            name: "Entries",
            about: "Short facts that every conversation begins with, by category: the memory block of a prompt. Requests that are not \
                    valid get 422 here.",
            routes: entries_routes(),
        },
        Group {
            name: "Memories",
            about: "List memories, get one in full, with its source, evidence, links and every version, or remember many facts at once.",
            routes: memories_routes(),
        },
        Group {
            name: "Sessions",
            about: "The sessions of an agent with what each was given, and the messages of a conversation, as they are said. Each message has \
                    an importance and is kept as long as its kind.",
            routes: sessions_routes(),
        },
        Group {
            name: "Sources",
            about: "Raw material: transcripts, notes, documents. A source is stored as it is, and read only when a tool captures it.",
            routes: sources_routes(),
        },
        Group {
            name: "Profiles",
            about: "What the agent knows about a person: a narrative, a structured profile whose values cite observations, and the \
                    connections of the person's tools.",
            routes: profiles_routes(),
        },
        Group {
            name: "Retrievals",
            about: "The log of the agent's recalls: each query, its hits and the reasons for them.",
            routes: retrievals_routes(),
        },
        Group {
            name: "Expectations",
            about: "Sets of questions with the memories that should answer them, and how many of these recalls found. People add \
                    expectations in the console.",
            routes: expectations_routes(),
        },
        Group {
            name: "Events",
            about: "What happens to the memories that the key can read, as it happens: server-sent events with ids and without text.",
            routes: events_routes(),
        },
        Group {
            name: "Contexts",
            about: "The whole prompt of a model call within a budget of tokens, and the log of such prompts.",
            routes: contexts_routes(),
        },
        Group { name: "Projects", about: "Projects, their repositories, and the links between projects.", routes: projects_routes() },
        Group {
            name: "Activity",
            about: "Reports of agents: actions with their outcomes, and steps of workflows. The tool search_my_memories finds them.",
            routes: activity_routes(),
        },
        Group { name: "Usage", about: "What the agent's calls of models cost, by day, model and purpose.", routes: usage_routes() },
        Group { name: "Knowledge", about: "The organisation's documents.", routes: knowledge_routes() },
        Group {
            name: "Administration",
            about: "Agents, keys, users, operators and webhooks, for keys with the scope `admin`. A `PUT` describes how something should be: \
                    it makes what is missing, and changes nothing if it is so already. Such a key cannot make an admin or another such key.",
            routes: administration_routes(),
        },
        Group {
            name: "Export and import",
            about: "All data of an agent as JSON Lines, which another server can import.",
            routes: export_and_import_routes(),
        },
        Group { name: "Chat bots", about: "The webhook of a Telegram bot.", routes: chat_bots_routes() },
        Group { name: "Service", about: "The state of the process, and its description.", routes: service_routes() },
    ]
}

fn tools_routes() -> Vec<Route> {
    // A protocol of its own, whose requests have ids. Clients call this path with and without the slash.
    let mcp_get = Route::undescribed(Method::GET, "/mcp", get(mcp::handle)).with_own_ids();
    let mcp_post = Route::undescribed(Method::POST, "/mcp", post(mcp::handle)).with_own_ids();
    let mcp_delete = Route::undescribed(Method::DELETE, "/mcp", delete(mcp::handle)).with_own_ids();
    vec![
        Route::get("/api/tools", "tools_list", "List the tools that the key may call", tools::list),
        // The OpenAPI document has an operation for each tool instead.
        Route::undescribed(Method::POST, tools::CALL, post(tools::call)),
        Route::get("/api/prompts", "tools_prompts", "Get instructions on how to use the tools", tools::prompts),
        mcp_get.also_at("/mcp/"),
        mcp_get,
        mcp_post.also_at("/mcp/"),
        mcp_post,
        mcp_delete.also_at("/mcp/"),
        mcp_delete,
    ]
}

fn entries_routes() -> Vec<Route> {
    // Clients call this path with and without the slash.
    let entries = Route::get("/api/memory/", "memory_list", "List entries", memory::list).needs(&[MemoryRead]).of_entries();
    let add_entry = Route::post("/api/memory/", "memory_create", "Add an entry", memory::create).needs(&[MemoryWrite]).of_entries();
    vec![
        entries.also_at("/api/memory"),
        entries,
        add_entry.also_at("/api/memory"),
        add_entry,
        Route::get("/api/memory/prompt", "memory_prompt", "Get the memory block of a prompt", memory::prompt)
            .needs(&[MemoryRead])
            .of_entries(),
        Route::get("/api/memory/{id}", "memory_get", "Get an entry with its versions", memory::get).needs(&[MemoryRead]).of_entries(),
        Route::put("/api/memory/{id}", "memory_update", "Change an entry", memory::update).needs(&[MemoryWrite]).of_entries(),
        Route::delete("/api/memory/{id}", "memory_delete", "Delete an entry", memory::delete).needs(&[MemoryForget]).of_entries(),
        Route::post("/api/commands/memory", "memory_command", "Run a chat command", memory::command).needs(&[MemoryRead]),
    ]
}

fn memories_routes() -> Vec<Route> {
    vec![
        Route::get("/api/memories", "records_list", "List memories", records::list).needs(&[MemoryRead]),
        Route::post("/api/memories/batch", "records_batch", "Remember up to 500 facts", records::batch).needs(&[MemoryWrite]),
        Route::get("/api/memories/{memory_id}", "records_record", "Get a memory", records::record).needs(&[MemoryRead]),
        Route::get("/api/memories/{memory_id}/versions", "records_versions", "List or compare the versions of a memory", records::versions)
            .needs(&[MemoryRead]),
        Route::put("/api/memories/{memory_id}/pin", "records_pin", "Pin a memory", records::pin).needs(&[MemoryWrite]),
        Route::delete("/api/memories/{memory_id}/pin", "records_unpin", "Unpin a memory", records::unpin).needs(&[MemoryWrite]),
        Route::put("/api/memories/{memory_id}/share", "records_share", "Share a memory with all agents", records::share)
            .needs(&[CommonsWrite]),
        Route::delete("/api/memories/{memory_id}/share", "records_unshare", "Make a shared memory private", records::unshare)
            .needs(&[CommonsWrite]),
    ]
}

fn sessions_routes() -> Vec<Route> {
    vec![
        Route::get("/api/sessions", "sessions_all", "List sessions", sessions::all).needs(&[MemoryRead]),
        Route::post("/api/sessions/{session}/messages", "sessions_add", "Store messages of a session", sessions::add).needs(&[MemoryWrite]),
        Route::get("/api/sessions/{session}/messages", "sessions_list", "List the messages of a session", sessions::list)
            .needs(&[MemoryRead]),
    ]
}

fn sources_routes() -> Vec<Route> {
    vec![Route::post("/api/sources", "sources_add", "Store a transcript, a note or a document", sources::add).needs(&[CaptureWrite])]
}

fn profiles_routes() -> Vec<Route> {
    vec![
        Route::get("/api/profile", "profile_get", "Get the profile of a person", profile::get).needs(&[ContextRead]),
        Route::post("/api/profile/search", "profile_search", "Search what is known about a person", profile::search)
            .needs(&[ContextRead])
            .reading(),
        Route::get("/api/profile/versions", "profile_versions", "List the changes of a profile", profile::versions).needs(&[ContextRead]),
        Route::delete("/api/profile/leaves/{id}", "profile_forget_leaf", "Forget a value of a profile", profile::forget_leaf)
            .needs(&[MemoryForget]),
        Route::get("/api/connections", "profile_connections", "List the connections of a person", profile::connections)
            .needs(&[ContextRead]),
        Route::get("/api/connections/{id}", "profile_connection", "Get a connection", profile::connection).needs(&[ContextRead]),
        Route::put("/api/connections/{id}", "profile_put_connection", "Store a connection", profile::put_connection).needs(&[CaptureWrite]),
        Route::put("/api/connections/{id}/entities", "profile_put_entities", "Replace the entities of a connection", profile::put_entities)
            .needs(&[CaptureWrite]),
    ]
}

fn events_routes() -> Vec<Route> {
    vec![Route::get("/api/events/stream", "events_stream", "Follow what happens", events::stream).needs(&[MemoryRead])]
}

fn retrievals_routes() -> Vec<Route> {
    vec![
        Route::get("/api/retrievals", "retrievals_list", "List recalls", retrievals::list).needs(&[MemoryRead]),
        Route::get("/api/retrievals/{id}", "retrievals_detail", "Get a recall with every candidate", retrievals::detail)
            .needs(&[MemoryRead]),
        Route::get(
            "/api/retrievals/{id}/replay",
            "retrievals_replay",
            "Replay a recall with the data of its time and of today",
            retrievals::replay,
        )
        .needs(&[MemoryRead]),
    ]
}

fn expectations_routes() -> Vec<Route> {
    vec![
        Route::get("/api/expectations", "expectations_list", "List sets of expectations with their last runs", expectations::list)
            .needs(&[MemoryRead]),
        Route::post("/api/expectations/{id}/runs", "expectations_run", "Request a run of a set of expectations", expectations::run)
            .needs(&[MemoryWrite]),
    ]
}

fn contexts_routes() -> Vec<Route> {
    vec![
        Route::post("/api/context", "context_assemble", "Assemble the prompt of a model call", context::assemble)
            .needs(&[ContextRead])
            .reading(),
        Route::get("/api/context/{id}", "context_logged", "Get an assembled prompt from the log", context::logged).needs(&[ContextRead]),
        Route::post(
            "/api/context/{id}/answer",
            "context_report_answer",
            "Report the answer to an assembled prompt",
            context::report_answer,
        )
        .needs(&[ContextRead]),
    ]
}

fn projects_routes() -> Vec<Route> {
    vec![
        Route::get("/api/projects", "projects_list", "List projects", projects::list).needs(&[MemoryRead]),
        Route::post("/api/projects", "projects_create", "Create a project", projects::create).needs(&[CommonsWrite]),
        Route::post("/api/projects/{project}/repos", "projects_create_repo", "Create a repository", projects::create_repo)
            .needs(&[CommonsWrite]),
        Route::post("/api/projects/{project}/links", "projects_link", "Link two projects, or remove their link", projects::link)
            .needs(&[CommonsWrite]),
    ]
}

fn activity_routes() -> Vec<Route> {
    vec![
        Route::post("/api/actions", "activity_action", "Record an action", activity::action).needs(&[MemoryWrite]),
        Route::post("/api/workflows/{name}/steps", "activity_steps", "Record completed steps of a workflow", activity::steps)
            .needs(&[MemoryWrite]),
    ]
}

fn usage_routes() -> Vec<Route> {
    vec![
        Route::get("/api/usage", "usage_report", "Get what calls of models cost", usage::report).needs(&[MemoryRead]),
        Route::get("/api/usage.csv", "usage_table", "Get what calls of models cost as CSV", usage::table).needs(&[MemoryRead]),
    ]
}

fn knowledge_routes() -> Vec<Route> {
    vec![
        Route::get("/api/kb/index", "knowledge_index", "List index pages, or get one as Markdown", knowledge::index).needs(&[KbRead]),
        Route::post("/api/kb/documents", "knowledge_ingest", "Ingest documents", knowledge::ingest).needs(&[KbWrite]),
    ]
}

fn administration_routes() -> Vec<Route> {
    vec![
        Route::get("/api/admin/agents", "admin_agents", "List agents with their settings", admin::agents).needs(&[Admin]),
        Route::get("/api/admin/agents/{slug}", "admin_agent", "Get an agent with its settings", admin::agent).needs(&[Admin]),
        Route::put("/api/admin/agents/{slug}", "admin_put_agent", "Make or change an agent", admin::put_agent).needs(&[Admin]),
        Route::delete("/api/admin/agents/{slug}", "admin_retire_agent", "Retire an agent", admin::retire_agent).needs(&[Admin]),
        Route::get("/api/admin/keys", "admin_keys", "List API keys", admin::keys).needs(&[Admin]),
        Route::post("/api/admin/keys", "admin_add_key", "Make an API key", admin::add_key).needs(&[Admin]),
        Route::post("/api/admin/keys/{id}/rotate", "admin_rotate_key", "Replace an API key", admin::rotate_key).needs(&[Admin]),
        Route::delete("/api/admin/keys/{id}", "admin_revoke_key", "Revoke an API key", admin::revoke_key).needs(&[Admin]),
        Route::get("/api/admin/users", "admin_users", "List users", admin::users).needs(&[Admin]),
        Route::put("/api/admin/users/{user}", "admin_put_user", "Make or change a user", admin::put_user).needs(&[Admin]),
        Route::get("/api/admin/operators", "admin_operators", "List operators", admin::operators).needs(&[Admin]),
        Route::put("/api/admin/operators/{login}", "admin_change_operator", "Change an operator", admin::change_operator).needs(&[Admin]),
        Route::delete("/api/admin/operators/{login}", "admin_remove_operator", "End the access of an operator", admin::remove_operator)
            .needs(&[Admin]),
        Route::post(
            "/api/admin/operators/{login}/restore",
            "admin_restore_operator",
            "Give an operator access again",
            admin::restore_operator,
        )
        .needs(&[Admin]),
        Route::delete(
            "/api/admin/operators/{login}/sessions",
            "admin_end_sessions",
            "End the sessions of an operator",
            admin::end_sessions,
        )
        .needs(&[Admin]),
        Route::delete(
            "/api/admin/operators/{login}/identity",
            "admin_detach_identity",
            "Detach an operator from the identity at the provider",
            admin::detach_identity,
        )
        .needs(&[Admin]),
        Route::get("/api/admin/bots", "admin_bots", "List chat bots", admin::bots).needs(&[Admin]),
        Route::delete("/api/admin/bots/{id}", "admin_remove_bot", "Remove a chat bot", admin::remove_bot).needs(&[Admin]),
        Route::get("/api/admin/invitations", "admin_invitations", "List links that nobody has used yet", admin::invitations)
            .needs(&[Admin]),
        Route::post("/api/admin/invitations", "admin_invite", "Invite an operator", admin::invite).needs(&[Admin]),
        Route::delete("/api/admin/invitations/{id}", "admin_withdraw_invitation", "Withdraw a link", admin::withdraw_invitation)
            .needs(&[Admin]),
        Route::get("/api/admin/webhooks", "admin_webhooks", "List webhooks", webhooks::list).needs(&[Admin]),
        Route::post("/api/admin/webhooks", "admin_add_webhook", "Make a webhook", webhooks::add).needs(&[Admin]),
        Route::put("/api/admin/webhooks/{id}", "admin_change_webhook", "Change a webhook", webhooks::change).needs(&[Admin]),
        Route::post("/api/admin/webhooks/{id}/rotate", "admin_rotate_webhook", "Replace the secret of a webhook", webhooks::rotate)
            .needs(&[Admin]),
        Route::delete("/api/admin/webhooks/{id}", "admin_remove_webhook", "Remove a webhook", webhooks::remove).needs(&[Admin]),
    ]
}

fn export_and_import_routes() -> Vec<Route> {
    vec![
        Route::get("/api/export", "portability_export", "Export all data of the key's agent", portability::export).needs(&[Export]),
        Route::post("/api/import", "portability_import", "Import an exported file", portability::import)
            .needs(&[Export, MemoryWrite])
            .within(portability::LONGEST),
    ]
}

fn chat_bots_routes() -> Vec<Route> {
    vec![Route::post("/api/adapters/telegram/{bot}", "telegram_update", "Answer an update of Telegram", telegram::update).for_bot()]
}

fn service_routes() -> Vec<Route> {
    vec![
        Route::get("/healthz", "health_healthz", "Check that the process is running", health::healthz).open(),
        Route::get("/readyz", "health_readyz", "Check that the server is ready", health::readyz).open(),
        Route::get("/api/openapi.json", "openapi_openapi", "Get this description as OpenAPI 3.1", openapi::openapi).open(),
        Route::get("/api/docs", "reference_page", "Read this description as a page", reference::page).open(),
    ]
}

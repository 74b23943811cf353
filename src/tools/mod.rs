//! One registry of typed tools. The HTTP routes and the listing with schemas read it; there is no second one.

mod brief;
mod input;
mod tool;

use crate::{activity, capture, consolidation, context, knowledge, lifecycle, memories, memory_block, profile, recall, search, vocabulary};
use foundation::{OpContext, projects};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::LazyLock;
use wire::KeyScope::{CaptureWrite, CommonsWrite, ContextRead, KbRead, MemoryForget, MemoryRead, MemoryWrite, VocabularyPropose};
use wire::{AddMessagesRequest, LinkRequest, ListMessagesRequest, ListProjectsRequest, ProjectList, RecordStepRequest};

pub use input::read;
pub use tool::{AuthorizedCall, Description, Effect, Output, Tool};
pub use wire::schema::{SchemaOf, Types, input, inputs, remove_null};

/// The platform that is recorded if a tool's call names no source.
const TOOL: &str = "tool";

/// Answer of `GET /api/tools`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ToolList {
    pub tools: Vec<Description>,
}

/// The tools of each room, in the order in which they are listed.
const ROOMS: [fn() -> Vec<Tool>; 12] = [
    recall_tools,
    context_tools,
    memory_tools,
    memory_block_tools,
    session_tools,
    capture_tools,
    observation_tools,
    profile_tools,
    activity_tools,
    vocabulary_tools,
    knowledge_tools,
    project_tools,
];

/// Every tool, in the order in which they are listed.
pub fn all() -> &'static [Tool] {
    static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| ROOMS.iter().flat_map(|tools| tools()).collect());
    &TOOLS
}

/// The tools that a caller may call; with a `limit` the first ones, and every system tool in addition.
pub fn offered(ctx: &OpContext, limit: Option<usize>) -> Vec<&'static Tool> {
    let mut left = limit.unwrap_or(usize::MAX);
    let offered = all().iter().filter(|tool| ctx.require(tool.scope).is_ok()).filter(|tool| {
        let counted = !tool.system && left > 0;
        left -= usize::from(counted);
        tool.system || counted
    });
    offered.collect()
}

pub fn find(name: &str) -> Option<&'static Tool> {
    all().iter().find(|tool| tool.name == name)
}

fn recall_tools() -> Vec<Tool> {
    vec![
        Tool::brief(
            "agent_memory_recall",
            MemoryRead,
            "Recall what you remember about a topic or question, from your own memory and the memory your organisation shares. Call it \
             before you reason about anything new. Hits come best first; quote a hit as its `attribution` and its content. Set \
             `expected` when you expect a result, such as what you were told.",
            |engine, ctx, input| recall::recall(engine, ctx, input),
            brief::recall,
            brief::recall_markdown,
        ),
        Tool::brief(
            "agent_memory_search",
            MemoryRead,
            "Search your memories by words and meaning: for names, dates, exact phrases, or to look at more than a recall returns. \
             Narrow it by `filters`; name the project you work on in `for_project` to keep other projects' noise out. Hits come best \
             first; the last ones may be irrelevant.",
            |engine, ctx, input| recall::search(engine, ctx, input),
            brief::recall,
            brief::recall_markdown,
        ),
        Tool::new(
            "agent_memory_list",
            MemoryRead,
            "List what you can recall, last written first, 20 at a time: to review it, or to look for what should be revised or \
             forgotten. To answer a question, recall instead.",
            |engine, ctx, input| memories::list(engine, ctx, input),
        ),
    ]
}

fn context_tools() -> Vec<Tool> {
    vec![
        Tool::with_text(
            "context_for",
            MemoryRead,
            "Read up before you begin a task: profile facts, facts of the project and repository, decisions in force with their \
             reasons, documents, and what happened lately, as one text within a budget of tokens. Call it once at the start. Each item \
             has an id; `explain` returns it in full.",
            |engine, ctx, input| context::context_for(engine, ctx, input),
            |bundle| Some(bundle.text.clone()),
        ),
        Tool::with_text(
            "assemble_context",
            ContextRead,
            "Get the whole prompt of your next model call within a budget of tokens, for the runtime that makes the call: your own blocks, \
             skills, memory, retrieved facts, episodes and documents, turns, tool results and the time, with the source of each part and \
             what was cut. To read up before a task, call `context_for` instead.",
            |engine, ctx, input| context::assemble(engine, ctx, input),
            |context| Some(context.text.clone()),
        ),
    ]
}

fn memory_tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "agent_memory_remember",
            MemoryWrite,
            "Remember one fact, preference, decision or change, in its own words, for later conversations on any channel. Call it at the \
             end of a substantive turn, and always when asked to remember. Saying the same again is harmless: it is recognised. What \
             differs is stored beside what is known; if `similar` names a memory that you meant to change, call `agent_memory_revise`. \
             Do not store what you just recalled.",
            |engine, ctx, input| memories::remember(engine, ctx, input),
        )
        .repeatable(),
        Tool::new(
            "agent_memory_forget",
            MemoryForget,
            "Forget one memory: no agent can read it any more. Call it only when a person asks for it (“forget that I said …”). Recall it \
             first to learn its id.",
            |engine, ctx, input| memories::forget(engine, ctx, input),
        )
        .repeatable(),
        Tool::new(
            "agent_memory_revise",
            MemoryWrite,
            "Give one memory new content when you know which one is out of date: its id stays, and the old wording is kept as a version. \
             To store something new, remember it instead.",
            |engine, ctx, input| memories::revise(engine, ctx, input),
        ),
        Tool::new(
            "agent_memory_link",
            MemoryWrite,
            "Link one memory to another: supports, contradicts, supersedes, applies_to, derived_from or related_to. Use `contradicts` \
             when two memories cannot both be true and you do not know which one is: both stay, marked. Use `supersedes` when you \
             know. `remove` removes a link.",
            |engine, ctx, input: LinkRequest| {
                if input.remove { memories::unlink(engine, ctx, input) } else { memories::link(engine, ctx, input) }
            },
        )
        .repeatable(),
        Tool::new(
            "explain",
            MemoryRead,
            "Explain one memory (its content, evidence, every version and link, your recalls that returned it) or one recall (the \
             score of each hit, and what was close). Call it when somebody asks how you know something, or why you did not know it.",
            |engine, ctx, input| recall::explain(engine, ctx, input),
        ),
        Tool::new(
            "upsert_profile_fact",
            MemoryWrite,
            "State one fact of a person's profile that has one answer at a time (preferred editor, time zone, working hours). An \
             earlier fact under the same topic is replaced and kept as a version.",
            |engine, ctx, input| memories::upsert_profile_fact(engine, ctx, input),
        )
        .repeatable(),
    ]
}

fn memory_block_tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "add_to_memory",
            MemoryWrite,
            "Add one short fact to the memory that every conversation begins with: about a person, a preference, recurring context or \
             a project. If `stored` is false, `suggestion` says the same, or an entry of `same_subject` may be out of date: \
             call `update_memory` with its id, or add yours with `force` if all of them stay true. Confirm with the person \
             first, unless they asked you to remember.",
            |engine, ctx, input| memory_block::add(engine, ctx, input, TOOL),
        )
        .repeatable()
        .system(),
        Tool::new(
            "update_memory",
            MemoryWrite,
            "Correct an entry of your memory when it is no longer true. You need not ask first. Answers with the old and the new \
             content.",
            |engine, ctx, input| Box::pin(async move { Ok(memory_block::update(engine, ctx, input, TOOL).await?.1) }),
        )
        .system(),
    ]
}

fn session_tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "add_session_messages",
            MemoryWrite,
            "Store messages of a conversation word for word, under a name of your own for the session. Each is kept as long as it \
             matters. To keep a fact, remember it.",
            |engine, ctx, input: AddMessagesRequest| {
                Box::pin(async move {
                    let (session, messages) = input.into_messages();
                    lifecycle::add_messages(engine, ctx, &session, messages).await
                })
            },
        ),
        Tool::new(
            "list_session_messages",
            MemoryRead,
            "Read the stored messages of a session again, oldest first, as they were added with `add_session_messages`.",
            |engine, ctx, input: ListMessagesRequest| {
                Box::pin(async move {
                    let (session, filter) = input.into_filter();
                    lifecycle::session_messages(engine, ctx, &session, &filter).await
                })
            },
        ),
    ]
}

fn project_tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "list_projects",
            MemoryRead,
            "List the projects of the organisation with their repositories. Other tools take a project's slug or id.",
            |engine, ctx, _: ListProjectsRequest| Box::pin(async move { Ok(ProjectList { projects: projects::list(engine, ctx).await? }) }),
        ),
        Tool::new(
            "create_project",
            CommonsWrite,
            "Create a project that all agents share, when work begins that `list_projects` does not show.",
            |engine, ctx, input| projects::create(engine, ctx, input),
        ),
    ]
}

fn capture_tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "capture_text",
            CaptureWrite,
            "Store a conversation, a note or a summary and extract what is worth remembering from it, in one call. Answers at once; the \
             results wait for review.",
            |engine, ctx, input| capture::capture_text(engine, ctx, input),
        ),
        Tool::new(
            "capture_conversation",
            CaptureWrite,
            "Extract what is worth remembering from a stored conversation. `source_ref` is the id that POST /api/sources returned. \
             Answers at once; the results wait for review.",
            |engine, ctx, input| capture::capture_conversation(engine, ctx, input),
        ),
        Tool::new(
            "capture_session",
            CaptureWrite,
            "Extract what is worth remembering from the stored transcript, summary or output of a session that ended. Call it when a \
             run or task is over. Answers at once.",
            |engine, ctx, input| capture::capture_session(engine, ctx, input),
        ),
        Tool::new(
            "ingest",
            CaptureWrite,
            "Propose one memory for review instead of storing it: when you are not sure that it should last, or that everybody agrees. To \
             store it at once, remember it.",
            |engine, ctx, input| capture::ingest(engine, ctx, input),
        ),
        Tool::new(
            "consolidate",
            CaptureWrite,
            "Compare candidates of the inbox once more with what is known: duplicates are merged, contradictions proposed. People still \
             decide what becomes durable.",
            |engine, ctx, input| consolidation::consolidate(engine, ctx, input),
        ),
    ]
}

fn observation_tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "record_observation",
            CaptureWrite,
            "Record in passing what you notice about a person: a fact, a preference, details of a project, or a correction of what you \
             believed. Answers at once; observations are read together later.",
            |engine, ctx, input| capture::record_observation(engine, ctx, input),
        ),
        Tool::new(
            "update_user_context",
            CaptureWrite,
            "Record several things about a person at once, while you work through their inbox or files: new values of profile keys, and \
             facts to keep.",
            |engine, ctx, input| capture::update_user_context(engine, ctx, input),
        ),
        Tool::new(
            "update_connection_context",
            CaptureWrite,
            "Record what you learned about using one connection of a tool, such as its default project.",
            |engine, ctx, input| capture::update_connection_context(engine, ctx, input),
        ),
    ]
}

fn profile_tools() -> Vec<Tool> {
    vec![
        Tool::with_text(
            "get_user_profile",
            ContextRead,
            "Read what you know about the person you work for: a short narrative, and every value of their profile with its confidence. \
             Call it when a conversation begins, or when somebody asks what you know about them.",
            |engine, ctx, input| profile::get(engine, ctx, input),
            |answer| Some(brief::profile(answer)),
        ),
        Tool::new(
            "search_user_context",
            ContextRead,
            "Search what you know about the person you work for and the tools they use: values of their profile, what you learned \
             about each connection, what its tool can do and what it holds, text of attachments. Documents come nearest first. To read \
             the whole profile, call `get_user_profile`.",
            |engine, ctx, input| profile::search_user_context(engine, ctx, input),
        ),
        Tool::new(
            "forget_profile_leaf",
            MemoryForget,
            "Forget one value of a person's profile, only when the person asks for it. Read the profile first to learn its `leaf_id`. \
             To forget a memory as well, call `agent_memory_forget`.",
            |engine, ctx, input| profile::forget_leaf(engine, ctx, input),
        )
        .repeatable(),
    ]
}

fn activity_tools() -> Vec<Tool> {
    vec![
        Tool::with_text(
            "search_my_memories",
            MemoryRead,
            "Look back before you act: one search over your memories, what agents of the organisation did and how it ended, workflow \
             steps, and documents. Name your `decision_point` (a new task, choosing a tool, asking for approval, writing content, \
             delegating). To learn what you were told about something, recall it instead.",
            |engine, ctx, input| search::search_my_memories(engine, ctx, input),
            |answer| Some(brief::sources(answer)),
        ),
        Tool::new(
            "record_action",
            MemoryWrite,
            "Report what you did and how it ended, so that you and other agents find it later: a call of a tool, a decision, an \
             approval or rejection, the outcome of earlier work, how something performed. All agents of the organisation can read it; \
             with `user_id` only in calls for that person.",
            |engine, ctx, input| activity::record_action(engine, ctx, input),
        ),
        Tool::new(
            "record_workflow_step",
            MemoryWrite,
            "Report a completed step of a named workflow with its output, so that later runs and other agents find it.",
            |engine, ctx, input: RecordStepRequest| {
                let (workflow, steps) = input.into_steps();
                activity::record_steps(engine, ctx, workflow, steps)
            },
        ),
    ]
}

fn vocabulary_tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "canonical_terms_lookup",
            MemoryRead,
            "Look up what the organisation calls something. Found: use `term.term`. Not found: `inside` lists known terms within the \
             phrase, `suggestions` lists terms that only resemble it; never take a suggestion for the same thing without asking.",
            |engine, ctx, input| vocabulary::lookup(engine, ctx, input),
        ),
        Tool::new(
            "canonical_terms_propose",
            VocabularyPropose,
            "Propose a phrase for the organisation's vocabulary; people review it. Remembering \
             something under an unknown topic proposes that topic by itself.",
            |engine, ctx, input| vocabulary::propose(engine, ctx, input),
        ),
    ]
}

fn knowledge_tools() -> Vec<Tool> {
    vec![
        Tool::brief(
            "shared_kb_search",
            KbRead,
            "Search what the organisation has decided: specifications, decision records, architecture, glossary, documents. Each hit cites \
             its document and heading; quote `attribution`, then the content. `agent_memory_recall` searches it too, together with your \
             memory.",
            |engine, ctx, input| knowledge::search(engine, ctx, input),
            brief::knowledge_search,
            brief::knowledge_markdown,
        ),
        Tool::new(
            "shared_kb_topology",
            KbRead,
            "Ask what a component of the system depends on and what depends on it, as the architecture documents say.",
            |engine, ctx, input| knowledge::component(engine, ctx, input),
        ),
    ]
}

//! One registry of typed tools. The HTTP routes and the listing with schemas read it; there is no second one.

mod brief;
mod input;
mod schema;

use crate::api::{
    AddMemoryRequest, AssembleRequest, BriefKnowledgeSearch, BriefRecall, CaptureConversationRequest, CaptureSessionRequest,
    ConnectionContextRequest, ConsolidateRequest, ContextRequest, ExplainRequest, ForgetLeafRequest, ForgetRequest, IngestMemoryRequest,
    KnowledgeRequest, LinkRequest, LookupRequest, ObservationRequest, ProfileFactRequest, ProfileRequest, ProfileResponse, ProposeRequest,
    RecallRequest, RecordActionRequest, RecordStepRequest, RememberRequest, ReviseRequest, Scope, SearchMyMemoriesRequest,
    SearchMyMemoriesResponse, SearchRequest, SearchUserContextRequest, TopologyRequest, UpdateMemoryRequest, UserContextRequest,
};
use crate::engine::Engine;
use crate::error::Error;
use crate::op::OpContext;
use crate::{activity, capture, consolidation, context, contract, knowledge, memories, profile, recall, search, vocabulary};
use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::OnceLock;

pub use input::read;
pub use schema::{SchemaOf, Types, input, inputs, remove_null};

/// The platform that is recorded if a tool's call names no source.
const TOOL: &str = "tool";
/// The field of an input that asks for every detail.
const EXPLAIN: &str = "explain";

type Handler = Box<dyn Fn(Engine, OpContext, Value) -> BoxFuture<'static, Result<Output, Error>> + Send + Sync>;

/// What a call does to the memory of the agent or the organisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing; that a recall is logged and counted does not matter to its caller.
    Read,
    /// It adds or changes something. What was there is kept as a version.
    Write,
    /// It takes something away.
    Delete,
}

/// Something an agent can call: described for a model, typed on both sides.
pub struct Tool {
    pub name: &'static str,
    /// Written for a model: when to call it, and what it returns.
    pub description: &'static str,
    /// The scope that a key must hold.
    pub scope: Scope,
    /// True: every agent has it. It is always listed and does not count for a limit.
    pub system: bool,
    pub effect: Effect,
    /// True: the same call again changes nothing more.
    pub idempotent: bool,
    /// JSON Schema (2020-12) of the input, as a model reads it.
    pub input_schema: Value,
    /// The types of the input and the output, for a schema in another form.
    pub types: Types,
    handler: Handler,
}

/// A tool as `GET /api/tools` lists it. The schema of its output is left out: a model does not need it, and pays for every token.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ToolDescription")]
pub struct Description {
    pub name: &'static str,
    /// Written for a model: when to call it, and what it returns.
    pub description: &'static str,
    /// The scope that a key must hold.
    pub scope: Scope,
    /// True: every agent has it.
    pub system: bool,
    /// JSON Schema of the input.
    pub input_schema: Value,
}

/// Answer of `GET /api/tools`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ToolList {
    pub tools: Vec<Description>,
}

/// The answer of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// For programs. Fields that are `null` are left out, unless the call asks to explain.
    pub value: Value,
    /// For a model to read: Markdown where the tool has a form for it, else the value as JSON.
    pub text: String,
}

impl Output {
    fn new(output: impl Serialize, explain: bool, text: Option<String>) -> Result<Self, Error> {
        let value = serde_json::to_value(output).map_err(Error::failed("a tool's output cannot be serialised"))?;
        let value = if explain { value } else { schema::without_null(value) };
        Ok(Self { text: text.unwrap_or_else(|| value.to_string()), value })
    }
}

impl Tool {
    fn new<In, Out, F, Fut>(name: &'static str, scope: Scope, description: &'static str, verb: F) -> Self
    where
        In: DeserializeOwned + JsonSchema + Send + 'static,
        Out: Serialize + JsonSchema + 'static,
        F: Fn(Engine, OpContext, In) -> Fut + Copy + Send + Sync + 'static,
        Fut: Future<Output = Result<Out, Error>> + Send + 'static,
    {
        Self::with_text(name, scope, description, verb, |_| None)
    }

    /// A tool whose output has a form for a model to read.
    fn with_text<In, Out, F, Fut>(
        name: &'static str,
        scope: Scope,
        description: &'static str,
        verb: F,
        text: fn(&Out) -> Option<String>,
    ) -> Self
    where
        In: DeserializeOwned + JsonSchema + Send + 'static,
        Out: Serialize + JsonSchema + 'static,
        F: Fn(Engine, OpContext, In) -> Fut + Copy + Send + Sync + 'static,
        Fut: Future<Output = Result<Out, Error>> + Send + 'static,
    {
        let handler: Handler = Box::new(move |engine, ctx, input| {
            Box::pin(async move {
                let output = verb(engine, ctx, read(input)?).await?;
                let text = text(&output);
                Output::new(output, false, text)
            })
        });
        Self::reading(name, scope, description, Types { input: schema::input::<In>, output: schema::output::<Out> }, handler)
    }

    /// A tool that answers in brief, or with all that is known of its answer if the input says `explain`.
    fn brief<In, Out, Brief, F, Fut>(
        name: &'static str,
        scope: Scope,
        description: &'static str,
        verb: F,
        brief: fn(Out) -> Brief,
        text: fn(&Brief) -> String,
    ) -> Self
    where
        In: DeserializeOwned + JsonSchema + Send + 'static,
        Out: Serialize + JsonSchema + 'static,
        Brief: Serialize + JsonSchema + 'static,
        F: Fn(Engine, OpContext, In) -> Fut + Copy + Send + Sync + 'static,
        Fut: Future<Output = Result<Out, Error>> + Send + 'static,
    {
        let handler: Handler = Box::new(move |engine, ctx, mut input| {
            Box::pin(async move {
                let explain = input::take_flag(&mut input, EXPLAIN)?;
                let output = verb(engine, ctx, read(input)?).await?;
                if explain {
                    return Output::new(output, true, None);
                }
                let output = brief(output);
                let text = text(&output);
                Output::new(output, false, Some(text))
            })
        });
        let types = Types { input: schema::explainable_input::<In>, output: schema::either_output::<Brief, Out> };
        Self::reading(name, scope, description, types, handler)
    }

    /// A tool that only reads, until something else is said of it.
    fn reading(name: &'static str, scope: Scope, description: &'static str, types: Types, handler: Handler) -> Self {
        let input_schema = schema::slim(types.input);
        Self { name, description, scope, system: false, effect: Effect::Read, idempotent: true, input_schema, types, handler }
    }

    fn system(mut self) -> Self {
        self.system = true;
        self
    }

    /// Says that the tool does more than read, and whether the same call again changes nothing more.
    fn with_effect(mut self, effect: Effect, idempotent: bool) -> Self {
        (self.effect, self.idempotent) = (effect, idempotent);
        self
    }

    /// Checks the scope before it looks at the input: a caller without the scope learns nothing about valid input.
    ///
    /// # Errors
    /// `Forbidden` without the scope of the tool.
    pub fn authorize<'a>(&'a self, ctx: &'a OpContext) -> Result<AuthorizedCall<'a>, Error> {
        ctx.require(self.scope)?;
        Ok(AuthorizedCall { tool: self, ctx })
    }

    /// Calls the tool with JSON.
    ///
    /// # Errors
    /// `Forbidden` without its scope, and those of [`AuthorizedCall::run`].
    pub async fn call(&self, engine: &Engine, ctx: &OpContext, input: Value) -> Result<Output, Error> {
        self.authorize(ctx)?.run(engine, input).await
    }

    /// The tool as a caller sees it. If the caller may not choose the user, or the user is known, there is no argument for it.
    pub fn describe(&self, ctx: &OpContext) -> Description {
        let mut input_schema = self.input_schema.clone();
        if !ctx.chooses_user()
            && let Some(properties) = input_schema.get_mut("properties").and_then(Value::as_object_mut)
        {
            properties.remove("user_id");
        }
        Description { name: self.name, description: self.description, scope: self.scope, system: self.system, input_schema }
    }
}

/// A call of a tool whose caller holds the scope, before its input was read.
pub struct AuthorizedCall<'a> {
    tool: &'a Tool,
    ctx: &'a OpContext,
}

impl AuthorizedCall<'_> {
    /// Runs the tool with JSON.
    ///
    /// # Errors
    /// `Invalid` with the field that is wrong, and the errors of the tool's verb.
    pub async fn run(self, engine: &Engine, input: Value) -> Result<Output, Error> {
        (self.tool.handler)(engine.clone(), self.ctx.clone(), input).await
    }
}

/// Every tool, in the order in which they are listed.
pub fn all() -> &'static [Tool] {
    static TOOLS: OnceLock<Vec<Tool>> = OnceLock::new();
    TOOLS.get_or_init(|| {
        vec![
            Tool::brief(
                "agent_memory_recall",
                Scope::MemoryRead,
                "Recall what you remember about a topic or question, from your own memory and the memory your organisation shares. Call it \
                 before you reason about anything new. Hits come best first; quote a hit as its `attribution` and its content. Set \
                 `expected` when you expect a result, such as what you were told.",
                |engine, ctx, input: RecallRequest| async move { recall::recall(&engine, &ctx, input).await },
                brief::recall,
                BriefRecall::markdown,
            ),
            Tool::brief(
                "agent_memory_search",
                Scope::MemoryRead,
                "Search your memories by words and meaning: for names, dates, exact phrases, or to look at more than a recall returns. \
                 Narrow it by `filters`; name the project you work on in `for_project` to keep other projects' noise out. Hits come best \
                 first; the last ones may be irrelevant.",
                |engine, ctx, input: SearchRequest| async move { recall::search(&engine, &ctx, input).await },
                brief::recall,
                BriefRecall::markdown,
            ),
            Tool::with_text(
                "context_for",
                Scope::MemoryRead,
                "Read up before you begin a task: profile facts, facts of the project and repository, decisions in force with their \
                 reasons, documents, and what happened lately, as one text within a budget of tokens. Call it once at the start. Each item \
                 has an id; `explain` returns it in full.",
                |engine, ctx, input: ContextRequest| async move { context::context_for(&engine, &ctx, input).await },
                |bundle| Some(bundle.text.clone()),
            ),
            Tool::with_text(
                "assemble_context",
                Scope::ContextRead,
                "Get the whole prompt of your next model call within a budget of tokens, for the runtime that makes the call: your own blocks, \
                 skills, memory, retrieved facts, episodes and documents, turns, tool results and the time, with the source of each part and \
                 what was cut. To read up before a task, call `context_for` instead.",
                |engine, ctx, input: AssembleRequest| async move { context::assemble(&engine, &ctx, input).await },
                |context| Some(context.text.clone()),
            ),
            Tool::new(
                "agent_memory_remember",
                Scope::MemoryWrite,
                "Remember one fact, preference, decision or change, in its own words, for later conversations on any channel. Call it at the \
                 end of a substantive turn, and always when asked to remember. Saying the same again is harmless: it is recognised. Do not \
                 store what you just recalled.",
                |engine, ctx, input: RememberRequest| async move { memories::remember(&engine, &ctx, input).await },
            )
            .with_effect(Effect::Write, true),
            Tool::new(
                "agent_memory_forget",
                Scope::MemoryForget,
                "Forget one memory for good, only when a person asks for it (“forget that I said …”). Recall it first to learn its \
                 `memory_id`.",
                |engine, ctx, input: ForgetRequest| async move { memories::forget(&engine, &ctx, input).await },
            )
            .with_effect(Effect::Delete, true),
            Tool::new(
                "agent_memory_revise",
                Scope::MemoryWrite,
                "Give one memory new content when you know which one is out of date: its id stays, and the old wording is kept as a version. \
                 Answers with the old and the new content. To store something new, remember it instead.",
                |engine, ctx, input: ReviseRequest| async move { memories::revise(&engine, &ctx, input).await },
            )
            .with_effect(Effect::Write, false),
            Tool::new(
                "agent_memory_link",
                Scope::MemoryWrite,
                "Link one memory to another: supports, contradicts, supersedes, applies_to, derived_from or related_to. Use `contradicts` \
                 when two memories cannot both be true and you do not know which one is: both stay, marked. Use `supersedes` when you \
                 know. `remove` removes a link.",
                |engine, ctx, input: LinkRequest| async move {
                    if input.remove { memories::unlink(&engine, &ctx, input).await } else { memories::link(&engine, &ctx, input).await }
                },
            )
            .with_effect(Effect::Write, true),
            Tool::new(
                "explain",
                Scope::MemoryRead,
                "Explain one memory (its content, evidence, every version and link, your recalls that returned it) or one recall (the \
                 score of each hit, and what was close). Call it when somebody asks how you know something, or why you did not know it.",
                |engine, ctx, input: ExplainRequest| async move { recall::explain(&engine, &ctx, input).await },
            ),
            Tool::new(
                "upsert_profile_fact",
                Scope::MemoryWrite,
                "State one fact of a person's profile that has one answer at a time (preferred editor, time zone, working hours). An \
                 earlier fact under the same topic is replaced and kept as a version.",
                |engine, ctx, input: ProfileFactRequest| async move { memories::upsert_profile_fact(&engine, &ctx, input).await },
            )
            .with_effect(Effect::Write, true),
            Tool::new(
                "add_to_memory",
                Scope::MemoryWrite,
                "Add one short fact to the memory that every conversation begins with: about a person, a preference, recurring context or \
                 a project. If `stored` is false, an entry says the same or is out of date: call `update_memory` with the suggestion's id. \
                 Confirm with the person first, unless they asked you to remember.",
                |engine, ctx, input: AddMemoryRequest| async move { contract::add(&engine, &ctx, input, TOOL).await },
            )
            .with_effect(Effect::Write, true)
            .system(),
            Tool::new(
                "update_memory",
                Scope::MemoryWrite,
                "Correct an entry of your memory when it is no longer true. Your memory shows its `memory_id` after `id:`. You need not \
                 ask first. Answers with the old and the new content.",
                |engine, ctx, input: UpdateMemoryRequest| async move { Ok(contract::update(&engine, &ctx, input, TOOL).await?.1) },
            )
            .with_effect(Effect::Write, false)
            .system(),
            Tool::new(
                "capture_conversation",
                Scope::CaptureWrite,
                "Extract what is worth remembering from a stored conversation. `source_ref` is the id that POST /api/sources returned. \
                 Answers at once; the results wait for review.",
                |engine, ctx, input: CaptureConversationRequest| async move { capture::capture_conversation(&engine, &ctx, input).await },
            )
            .with_effect(Effect::Write, false),
            Tool::new(
                "capture_session",
                Scope::CaptureWrite,
                "Extract what is worth remembering from the stored transcript, summary or output of a session that ended. Call it when a \
                 run or task is over. Answers at once.",
                |engine, ctx, input: CaptureSessionRequest| async move { capture::capture_session(&engine, &ctx, input).await },
            )
            .with_effect(Effect::Write, false),
            Tool::new(
                "ingest",
                Scope::CaptureWrite,
                "Propose one memory for review instead of storing it: when you are not sure that it should last, or that everybody agrees. To \
                 store it at once, remember it.",
                |engine, ctx, input: IngestMemoryRequest| async move { capture::ingest(&engine, &ctx, input).await },
            )
            .with_effect(Effect::Write, false),
            Tool::new(
                "consolidate",
                Scope::CaptureWrite,
                "Compare candidates of the inbox once more with what is known: duplicates are merged, contradictions proposed. People still \
                 decide what becomes durable.",
                |engine, ctx, input: ConsolidateRequest| async move { consolidation::consolidate(&engine, &ctx, input).await },
            )
            .with_effect(Effect::Write, false),
            Tool::new(
                "record_observation",
                Scope::CaptureWrite,
                "Record in passing what you notice about a person: a fact, a preference, details of a project, or a correction of what you \
                 believed. Answers at once; observations are read together later.",
                |engine, ctx, input: ObservationRequest| async move { capture::record_observation(&engine, &ctx, input).await },
            )
            .with_effect(Effect::Write, false),
            Tool::new(
                "update_user_context",
                Scope::CaptureWrite,
                "Record several things about a person at once, while you work through their inbox or files: new values of profile keys, and \
                 facts to keep.",
                |engine, ctx, input: UserContextRequest| async move { capture::update_user_context(&engine, &ctx, input).await },
            )
            .with_effect(Effect::Write, false),
            Tool::new(
                "update_connection_context",
                Scope::CaptureWrite,
                "Record what you learned about using one connection of a tool, such as its default project.",
                |engine, ctx, input: ConnectionContextRequest| async move {
                    capture::update_connection_context(&engine, &ctx, input).await
                },
            )
            .with_effect(Effect::Write, false),
            Tool::with_text(
                "get_user_profile",
                Scope::ContextRead,
                "Read what you know about the person you work for: a short narrative, and every value of their profile with its confidence. \
                 Call it when a conversation begins, or when somebody asks what you know about them.",
                |engine, ctx, input: ProfileRequest| async move { profile::get(&engine, &ctx, input).await },
                |answer: &ProfileResponse| Some(brief::profile(answer)),
            ),
            Tool::new(
                "search_user_context",
                Scope::ContextRead,
                "Search what you know about the person you work for and the tools they use: values of their profile, what you learned \
                 about each connection, what its tool can do and what it holds, text of attachments. Documents come nearest first. To read \
                 the whole profile, call `get_user_profile`.",
                |engine, ctx, input: SearchUserContextRequest| async move { profile::search_user_context(&engine, &ctx, input).await },
            ),
            Tool::new(
                "forget_profile_leaf",
                Scope::MemoryForget,
                "Forget one value of a person's profile, only when the person asks for it. Read the profile first to learn its `leaf_id`. \
                 To forget a memory as well, call `agent_memory_forget`.",
                |engine, ctx, input: ForgetLeafRequest| async move { profile::forget_leaf(&engine, &ctx, input).await },
            )
            .with_effect(Effect::Delete, true),
            Tool::with_text(
                "search_my_memories",
                Scope::MemoryRead,
                "Look back before you act: one search over your memories, what agents of the organisation did and how it ended, workflow \
                 steps, and documents. Name your `decision_point` (a new task, choosing a tool, asking for approval, writing content, \
                 delegating). To learn what you were told about something, recall it instead.",
                |engine, ctx, input: SearchMyMemoriesRequest| async move { search::search_my_memories(&engine, &ctx, input).await },
                |answer: &SearchMyMemoriesResponse| Some(brief::sources(answer)),
            ),
            Tool::new(
                "record_action",
                Scope::MemoryWrite,
                "Report what you did and how it ended, so that you and other agents find it later: a call of a tool, a decision, an \
                 approval or rejection, the outcome of earlier work, how something performed. All agents of the organisation can read it; \
                 with `user_id` only in calls for that person.",
                |engine, ctx, input: RecordActionRequest| async move { activity::record_action(&engine, &ctx, input).await },
            )
            .with_effect(Effect::Write, false),
            Tool::new(
                "record_workflow_step",
                Scope::MemoryWrite,
                "Report a completed step of a named workflow with its output, so that later runs and other agents find it.",
                |engine, ctx, input: RecordStepRequest| async move {
                    let (workflow, steps) = input.into_steps();
                    activity::record_steps(&engine, &ctx, workflow, steps).await
                },
            )
            .with_effect(Effect::Write, false),
            Tool::new(
                "canonical_terms_lookup",
                Scope::MemoryRead,
                "Look up what the organisation calls something. Found: use `term.term`. Not found: `inside` lists known terms within the \
                 phrase, `suggestions` lists terms that only resemble it; never take a suggestion for the same thing without asking.",
                |engine, ctx, input: LookupRequest| async move { vocabulary::lookup(&engine, &ctx, input).await },
            ),
            Tool::new(
                "canonical_terms_propose",
                Scope::VocabularyPropose,
                "Propose a phrase for the organisation's vocabulary; people review it. Remembering \
                 something under an unknown topic proposes that topic by itself.",
                |engine, ctx, input: ProposeRequest| async move { vocabulary::propose(&engine, &ctx, input).await },
            )
            .with_effect(Effect::Write, false),
            Tool::brief(
                "shared_kb_search",
                Scope::KbRead,
                "Search what the organisation has decided: specifications, decision records, architecture, glossary, documents. Each hit cites \
                 its document and heading; quote `attribution`. `agent_memory_recall` searches it too, together with your memory.",
                |engine, ctx, input: KnowledgeRequest| async move { knowledge::search(&engine, &ctx, input).await },
                brief::knowledge_search,
                BriefKnowledgeSearch::markdown,
            ),
            Tool::new(
                "shared_kb_topology",
                Scope::KbRead,
                "Ask what a component of the system depends on and what depends on it, as the architecture documents say.",
                |engine, ctx, input: TopologyRequest| async move { knowledge::component(&engine, &ctx, input).await },
            ),
        ]
    })
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

/// A tool by name.
pub fn find(name: &str) -> Option<&'static Tool> {
    all().iter().find(|tool| tool.name == name)
}

#[cfg(test)]
mod tests {
    use super::{Effect, all};
    use crate::api::Scope;

    #[test]
    fn the_scope_of_a_tool_fits_its_effect() {
        for tool in all() {
            let expected = match tool.scope {
                Scope::MemoryRead | Scope::KbRead | Scope::ContextRead => Effect::Read,
                Scope::MemoryForget => Effect::Delete,
                _ => Effect::Write,
            };
            assert_eq!(tool.effect, expected, "{}", tool.name);
            assert!(tool.effect != Effect::Read || tool.idempotent, "{}", tool.name);
        }
    }
}

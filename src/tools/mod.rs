//! One registry of typed tools. HTTP, MCP and the schema listing all read it; there is no second.

mod input;

use crate::api::{ForgetRequest, KnowledgeRequest, LookupRequest, ProposeRequest, RecallRequest, RememberRequest, Scope, TopologyRequest};
use crate::engine::Engine;
use crate::error::Error;
use crate::op::OpContext;
use crate::{knowledge, memories, recall, vocabulary};
use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::OnceLock;

pub use input::read;

type Handler = Box<dyn Fn(Engine, OpContext, Value) -> BoxFuture<'static, Result<Value, Error>> + Send + Sync>;

/// Something an agent can call: described for a model, typed on both sides.
pub struct Tool {
    pub name: &'static str,
    /// Written for a model: when to call it, what comes back.
    pub description: &'static str,
    /// The scope that a key must hold.
    pub scope: Scope,
    /// JSON Schema (2020-12) of the input.
    pub input_schema: Value,
    /// JSON Schema of the output.
    pub output_schema: Value,
    handler: Handler,
}

/// A tool as `GET /api/tools` lists it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Description {
    pub name: &'static str,
    pub description: &'static str,
    pub scope: Scope,
    pub input_schema: Value,
    pub output_schema: Value,
}

impl Tool {
    fn new<In, Out, F, Fut>(name: &'static str, scope: Scope, description: &'static str, verb: F) -> Self
    where
        In: DeserializeOwned + JsonSchema + Send + 'static,
        Out: Serialize + JsonSchema + 'static,
        F: Fn(Engine, OpContext, In) -> Fut + Copy + Send + Sync + 'static,
        Fut: Future<Output = Result<Out, Error>> + Send + 'static,
    {
        let handler: Handler = Box::new(move |engine, ctx, input| {
            Box::pin(async move {
                // The scope comes first: whoever may not call a tool learns nothing about its input.
                ctx.require(scope)?;
                let output = verb(engine, ctx, read(input)?).await?;
                serde_json::to_value(output).map_err(|error| Error::Internal(error.to_string()))
            })
        });
        let schema = |schema: schemars::Schema| schema.to_value();
        Self {
            name,
            description,
            scope,
            input_schema: schema(schemars::schema_for!(In)),
            output_schema: schema(schemars::schema_for!(Out)),
            handler,
        }
    }

    /// Calls the tool with JSON.
    ///
    /// # Errors
    /// `Forbidden` without its scope, `Invalid` with the field that is wrong, and whatever its verb says.
    pub async fn call(&self, engine: &Engine, ctx: &OpContext, input: Value) -> Result<Value, Error> {
        (self.handler)(engine.clone(), ctx.clone(), input).await
    }

    /// What is told about it.
    pub fn describe(&self) -> Description {
        Description {
            name: self.name,
            description: self.description,
            scope: self.scope,
            input_schema: self.input_schema.clone(),
            output_schema: self.output_schema.clone(),
        }
    }
}

/// Every tool, in the order in which they are listed.
pub fn all() -> &'static [Tool] {
    static TOOLS: OnceLock<Vec<Tool>> = OnceLock::new();
    TOOLS.get_or_init(|| {
        vec![
            Tool::new(
                "agent_memory_recall",
                Scope::MemoryRead,
                "Recall what you remember about a topic or question, from your own memory and the memory your organisation shares. Call it \
                 before you reason about anything new. Hits come best first, each with its source, its age and the reason it was found; \
                 quote `attribution`. Set `expected` when you believe that you should know this.",
                |engine, ctx, input: RecallRequest| async move { recall::recall(&engine, &ctx, input).await },
            ),
            Tool::new(
                "agent_memory_remember",
                Scope::MemoryWrite,
                "Remember one fact, preference, decision or change, in its own words, for later conversations on any channel. Call it at the \
                 end of a substantive turn, and always when asked to remember. Saying the same again is harmless: it is recognised. Do not \
                 store what you just recalled.",
                |engine, ctx, input: RememberRequest| async move { memories::remember(&engine, &ctx, input).await },
            ),
            Tool::new(
                "agent_memory_forget",
                Scope::MemoryForget,
                "Forget one memory for good, only when a person asks for it (“forget that I said …”). Recall it first to learn its \
                 `memory_id`.",
                |engine, ctx, input: ForgetRequest| async move { memories::forget(&engine, &ctx, input).await },
            ),
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
                "Propose a phrase for the organisation's vocabulary; people review it. Give the `memory_id` in which you met it. Remembering \
                 something under an unknown topic proposes that topic by itself.",
                |engine, ctx, input: ProposeRequest| async move { vocabulary::propose(&engine, &ctx, input).await },
            ),
            Tool::new(
                "shared_kb_search",
                Scope::KbRead,
                "Search what the organisation has decided: specifications, decision records, architecture, glossary, documents. Each hit cites \
                 its document and heading; quote `attribution`. `agent_memory_recall` searches it too, together with your memory.",
                |engine, ctx, input: KnowledgeRequest| async move { knowledge::search(&engine, &ctx, input).await },
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

/// A tool by name.
pub fn find(name: &str) -> Option<&'static Tool> {
    all().iter().find(|tool| tool.name == name)
}

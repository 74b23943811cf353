//! What a tool is: its description for a model, its types, and how a call of it runs.

use super::input::{read, take_flag};
use foundation::{Engine, Error, OpContext};
use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use wire::KeyScope;
use wire::schema::{self, EXPLAIN, Types};
use words::quote;

type Handler = Box<dyn Fn(Engine, OpContext, Value) -> BoxFuture<'static, Result<Output, Error>> + Send + Sync>;

/// A verb, as a tool calls it.
type Verb<In, Out> = for<'a> fn(&'a Engine, &'a OpContext, In) -> BoxFuture<'a, Result<Out, Error>>;

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

impl Effect {
    /// The effect of a tool that needs this scope.
    fn of(scope: KeyScope) -> Self {
        match scope {
            KeyScope::MemoryRead | KeyScope::KbRead | KeyScope::ContextRead => Self::Read,
            KeyScope::MemoryForget => Self::Delete,
            _ => Self::Write,
        }
    }
}

/// Something an agent can call: described for a model, typed on both sides.
pub struct Tool {
    pub name: &'static str,
    /// Written for a model: when to call it, and what it returns.
    pub description: &'static str,
    /// The scope that a key must hold.
    pub scope: KeyScope,
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
    pub scope: KeyScope,
    /// True: every agent has it.
    pub system: bool,
    /// JSON Schema of the input.
    pub input_schema: Value,
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
        Ok(Self { text: text.unwrap_or_else(|| quote::json(&value)), value })
    }
}

impl Tool {
    pub(super) fn new<In, Out>(name: &'static str, scope: KeyScope, description: &'static str, verb: Verb<In, Out>) -> Self
    where
        In: DeserializeOwned + JsonSchema + Send + 'static,
        Out: Serialize + JsonSchema + 'static,
    {
        Self::with_text(name, scope, description, verb, |_| None)
    }

    /// A tool whose output has a form for a model to read.
    pub(super) fn with_text<In, Out>(
        name: &'static str,
        scope: KeyScope,
        description: &'static str,
        verb: Verb<In, Out>,
        text: fn(&Out) -> Option<String>,
    ) -> Self
    where
        In: DeserializeOwned + JsonSchema + Send + 'static,
        Out: Serialize + JsonSchema + 'static,
    {
        let handler: Handler = Box::new(move |engine, ctx, input| {
            Box::pin(async move {
                let output = verb(&engine, &ctx, read(input)?).await?;
                let text = text(&output);
                Output::new(output, false, text)
            })
        });
        Self::with_handler(name, scope, description, Types { input: schema::input::<In>, output: schema::output::<Out> }, handler)
    }

    /// A tool that answers in brief, or with all that is known of its answer if the input says `explain`.
    pub(super) fn brief<In, Out, Brief>(
        name: &'static str,
        scope: KeyScope,
        description: &'static str,
        verb: Verb<In, Out>,
        brief: fn(Out) -> Brief,
        text: fn(&Brief) -> String,
    ) -> Self
    where
        In: DeserializeOwned + JsonSchema + Send + 'static,
        Out: Serialize + JsonSchema + 'static,
        Brief: Serialize + JsonSchema + 'static,
    {
        let handler: Handler = Box::new(move |engine, ctx, mut input| {
            Box::pin(async move {
                let explain = take_flag(&mut input, EXPLAIN)?;
                let output = verb(&engine, &ctx, read(input)?).await?;
                if explain {
                    return Output::new(output, true, None);
                }
                let output = brief(output);
                let text = text(&output);
                Output::new(output, false, Some(text))
            })
        });
        let types = Types { input: schema::explainable_input::<In>, output: schema::either_output::<Brief, Out> };
        Self::with_handler(name, scope, description, types, handler)
    }

    fn with_handler(name: &'static str, scope: KeyScope, description: &'static str, types: Types, handler: Handler) -> Self {
        let input_schema = schema::slim(types.input);
        let effect = Effect::of(scope);
        let idempotent = effect == Effect::Read;
        Self { name, description, scope, system: false, effect, idempotent, input_schema, types, handler }
    }

    /// A tool that every agent has.
    pub(super) fn system(mut self) -> Self {
        self.system = true;
        self
    }

    /// A tool that writes, and changes nothing more if it is called again in the same way.
    pub(super) fn repeatable(mut self) -> Self {
        self.idempotent = true;
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

//! The server's side of the protocol, over any transport: tools, resources and prompts for the caller of each request.

use super::arguments::{self, Fitted};
use super::opening::{Open, Opening};
use super::resources;
use super::results::{REFUSED, refusal, result, tool_error};
use super::toolsets::{self, FIND_TOOLS, Toolsets};
use axum::http::request::Parts;
use db::clock::{Clock, SystemClock};
use foundation::identity::{SeenKey, Use};
use foundation::op::Actor;
use foundation::{Engine, Error, OpContext, identity};
use futures_util::FutureExt;
use remembrancer::prompts;
use remembrancer::tools::{self, Effect};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult, Extensions,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, Prompt, PromptMessage,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Role, ServerCapabilities, ServerConfig, SubscriptionFilter, Tool,
    ToolAnnotations,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};
use wire::{ErrorCode, RequestId, TenantId, UserRef};

/// Longest time a call may take: less than HTTP gives it, so that the client gets an answer in the protocol's form.
const LONGEST: Duration = Duration::from_secs(55);
/// How often a client that wants it hears that its call still runs.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);

const INSTRUCTIONS: &str = "Long-term memory. Recall before you reason about anything new, and remember facts, preferences, decisions and \
    changes that will matter in later conversations. The prompts of this server say when and how.";

/// Where the caller of a request comes from.
pub enum Identity {
    /// From the HTTP request, which was authenticated.
    Request,
    /// From an API key, for the whole connection. It is checked at every request.
    Key { key: String, user: Option<UserRef> },
    /// The agent of this process, for the whole connection. Its rights are known before the engine is open.
    Agent { rights: OpContext, user: Option<UserRef> },
}

/// The handler of a session or, without sessions, of a request.
pub struct Door {
    opening: Opening,
    identity: Identity,
    /// The sets of tools that the connection lists; that of a request goes before it, and what the key lists comes last.
    toolsets: Option<Toolsets>,
    announces: AtomicBool,
    /// Cancelled when the session has ended.
    session: CancellationToken,
    _ends_session: DropGuard,
}

impl Door {
    pub fn new(opening: Opening, identity: Identity, toolsets: Option<Toolsets>) -> Self {
        let (session, announces) = (CancellationToken::new(), AtomicBool::new(false));
        Self { opening, identity, toolsets, announces, session: session.clone(), _ends_session: session.drop_guard() }
    }

    /// The sets of tools that this request lists.
    async fn toolsets(&self, engine: &Engine, ctx: &OpContext, extensions: &Extensions) -> Result<Toolsets, ErrorData> {
        let of_request = extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Toolsets>());
        if let Some(sets) = of_request.or(self.toolsets.as_ref()) {
            return Ok(sets.clone());
        }
        let of_key = identity::toolsets(engine, ctx).await;
        of_key.map(Toolsets::of_key).map_err(|error| refusal(&error, ctx.request_id))
    }

    /// What is behind the door, as soon as the databases are open.
    async fn open(&self) -> Result<Open, ErrorData> {
        let opened = tokio::time::timeout(LONGEST, self.opening.databases()).await;
        let opened = opened.unwrap_or_else(|_| Err(Error::Unavailable(format!("no database within {} s", LONGEST.as_secs()))));
        opened.map_err(|error| refusal(&error, RequestId(SystemClock.id())))
    }

    /// The engine and the caller of this request. It need not be the one that opened the session.
    async fn caller(&self, extensions: &Extensions) -> Result<(Engine, OpContext), ErrorData> {
        let Open { engine, agent, .. } = self.open().await?;
        let id = RequestId(engine.clock().id());
        let (ctx, user) = match &self.identity {
            Identity::Request => {
                let parts = extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<OpContext>());
                let ctx = parts.cloned().ok_or_else(|| refusal(&Error::internal("the request has no caller: a layer is missing"), id))?;
                return Ok((engine, ctx));
            }
            Identity::Key { key, user } => {
                let seen = SeenKey::default();
                let found = identity::authenticate_seen(&engine, key, id, &seen).await;
                if let Some(key) = seen.get() {
                    engine.key_uses().note(key, Use::request(found.is_err(), None, engine.clock().now()));
                }
                (found.map_err(|error| refusal(&error, id))?, user)
            }
            Identity::Agent { user, .. } => {
                let ctx = agent.ok_or_else(|| refusal(&Error::internal("the process has no agent: a step is missing"), id))?;
                (OpContext { request_id: id, ..ctx }, user)
            }
        };
        let ctx = match user {
            Some(user) => identity::named_by_caller(&engine, ctx, user).await.map_err(|error| refusal(&error, id))?,
            None => ctx,
        };
        Ok((engine, ctx))
    }

    /// Counts a call that is refused although its request is answered.
    fn count_refusal(engine: &Engine, ctx: &OpContext, error: &Error) {
        if let (Actor::Agent { key_id, .. }, ErrorCode::Forbidden | ErrorCode::RateLimited) = (&ctx.actor, error.code()) {
            engine.key_uses().note((ctx.tenant_id, *key_id), Use::refusal(engine.clock().now()));
        }
    }

    /// Announces changes of a tenant's knowledge until the session ends.
    fn announce(&self, engine: &Engine, tenant: TenantId, context: NotificationContext<RoleServer>) {
        let (mut changes, session) = (engine.knowledge_changes().watch(tenant), self.session.clone());
        tokio::spawn(async move {
            let forward = async { while changes.changed().await.is_ok() && context.peer.notify_resource_list_changed().await.is_ok() {} };
            tokio::select! {
                () = session.cancelled() => {}
                () = forward => {}
            }
        });
    }
}

/// Tells a client that asked for progress, at intervals, that its call still runs. Nobody knows how long it will take: the progress is the
/// number of seconds so far.
async fn report_progress(context: &RequestContext<RoleServer>) -> Infallible {
    let Some(token) = context.meta.get_progress_token() else { return std::future::pending().await };
    let start = Instant::now();
    loop {
        tokio::time::sleep(PROGRESS_EVERY).await;
        let progress = ProgressNotificationParam::new(token.clone(), start.elapsed().as_secs_f64());
        // A client that is gone, or does not read, needs no progress.
        context.peer.notify_progress(progress).await.ok();
    }
}

/// How a piece of work ended.
enum Outcome<T> {
    Done(T),
    Failed(Error),
    /// The client does not wait any more: it gets no answer.
    Cancelled,
}

/// Runs work within [`LONGEST`] and until the client cancels it. A panic becomes an error: `rmcp` would leave the client waiting.
async fn run<T>(ctx: &OpContext, cancelled: &CancellationToken, work: impl Future<Output = Result<T, Error>>) -> Outcome<T> {
    let work = tokio::time::timeout(LONGEST, AssertUnwindSafe(work).catch_unwind());
    let done = tokio::select! {
        biased;
        () = cancelled.cancelled() => return Outcome::Cancelled,
        done = work => done,
    };
    let error = match done {
        Ok(Ok(Ok(value))) => return Outcome::Done(value),
        Ok(Ok(Err(error))) => error,
        Ok(Err(_)) => Error::internal("a handler of the Model Context Protocol panicked"),
        Err(_) => Error::Unavailable(format!("no answer within {} s", LONGEST.as_secs())),
    };
    if matches!(error.code(), ErrorCode::Internal | ErrorCode::Unavailable) {
        tracing::error!(request_id = %ctx.request_id, error = error.chain(), "request failed");
    }
    Outcome::Failed(error)
}

/// The same for work whose error is one of the protocol.
async fn answer<T>(ctx: &OpContext, cancelled: &CancellationToken, work: impl Future<Output = Result<T, Error>>) -> Result<T, ErrorData> {
    match run(ctx, cancelled, work).await {
        Outcome::Done(value) => Ok(value),
        Outcome::Failed(error) => Err(refusal(&error, ctx.request_id)),
        Outcome::Cancelled => Err(ErrorData::new(REFUSED, "the client cancelled the request", None)),
    }
}

/// A tool as the protocol lists it. Without a schema of its output: some clients hold errors against it, too.
fn listed(tool: &tools::Tool, ctx: &OpContext, sets: &Toolsets) -> Tool {
    let mut described = tool.describe(ctx);
    if !sets.has_all() {
        toolsets::shorten(tool.name, &mut described.input_schema);
    }
    let schema = match described.input_schema {
        Value::Object(schema) => schema,
        _ => serde_json::Map::new(),
    };
    let annotations = ToolAnnotations::new()
        .read_only(tool.effect == Effect::Read)
        .destructive(tool.effect == Effect::Delete)
        .idempotent(tool.idempotent)
        .open_world(false);
    Tool::new(described.name, described.description, Arc::new(schema)).with_annotations(annotations)
}

impl ServerHandler for Door {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().enable_resources_list_changed().enable_prompts().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("remembrancer", env!("CARGO_PKG_VERSION")).with_title("Remembrancer"))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let (ctx, sets) = match (&self.identity, &self.toolsets) {
            (Identity::Agent { rights, .. }, Some(sets)) => (rights.clone(), sets.clone()),
            _ => {
                let (engine, ctx) = self.caller(&context.extensions).await?;
                let sets = self.toolsets(&engine, &ctx, &context.extensions).await?;
                (ctx, sets)
            }
        };
        let offered = tools::offered(&ctx, None).into_iter().filter(|tool| sets.has(tool.name));
        let find = (!sets.has_all()).then(toolsets::find_tools);
        let tools = offered.map(|tool| listed(tool, &ctx, &sets)).chain(find).collect();
        Ok(ListToolsResult::with_all_items(tools).with_ttl_ms(60_000).with_cache_scope(CacheScope::Private))
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: RequestContext<RoleServer>) -> Result<CallToolResponse, ErrorData> {
        let (engine, ctx) = self.caller(&context.extensions).await?;
        let given = request.arguments.unwrap_or_default();
        if request.name == FIND_TOOLS {
            let sets = self.toolsets(&engine, &ctx, &context.extensions).await?;
            let answer = toolsets::found(&ctx, &sets, &given);
            return Ok(answer.map_or_else(|error| tool_error(&error, ctx.request_id), |output| result(output, &[])).into());
        }
        let tool = tools::find(&request.name);
        let tool = tool.ok_or_else(|| ErrorData::invalid_params(format!("there is no tool {}", request.name.escape_debug()), None))?;
        let outcome = run(&ctx, &context.ct, async {
            let call = tool.authorize(&ctx)?;
            let Fitted { input, ignored } = arguments::fit(tool, given, engine.clock().now())?;
            // The first call may come before the model.
            let whole = self.opening.whole().await?;
            Ok((call.run(&whole.current(), input).await?, ignored))
        });
        let outcome = tokio::select! {
            outcome = outcome => outcome,
            never = report_progress(&context) => match never {},
        };
        Ok(match outcome {
            Outcome::Done((output, ignored)) => result(output, &ignored),
            Outcome::Failed(error) => {
                Self::count_refusal(&engine, &ctx, &error);
                tool_error(&error, ctx.request_id)
            }
            Outcome::Cancelled => CallToolResult::error(vec![ContentBlock::text("the client cancelled the call")]),
        }
        .into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let (engine, ctx) = self.caller(&context.extensions).await?;
        let resources = answer(&ctx, &context.ct, resources::list(&engine, &ctx)).await?;
        Ok(ListResourcesResult::with_all_items(resources).with_ttl_ms(0).with_cache_scope(CacheScope::Private))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let (_, ctx) = self.caller(&context.extensions).await?;
        let templates = resources::templates(&ctx);
        Ok(ListResourceTemplatesResult::with_all_items(templates).with_ttl_ms(60_000).with_cache_scope(CacheScope::Private))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let (engine, ctx) = self.caller(&context.extensions).await?;
        let contents = answer(&ctx, &context.ct, resources::read(&engine, &ctx, &request.uri)).await?;
        Ok(ReadResourceResult::new(vec![contents]).with_ttl_ms(0).with_cache_scope(CacheScope::Private).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let (engine, ctx) = self.caller(&context.extensions).await?;
        let prompts = answer(&ctx, &context.ct, prompts::for_agent(&engine, &ctx)).await?;
        let prompts = prompts.into_iter().map(|prompt| Prompt::new(prompt.name, None::<String>, None).with_title(prompt.title)).collect();
        Ok(ListPromptsResult::with_all_items(prompts).with_ttl_ms(0).with_cache_scope(CacheScope::Private))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let (engine, ctx) = self.caller(&context.extensions).await?;
        let prompts = answer(&ctx, &context.ct, prompts::for_agent(&engine, &ctx)).await?;
        let prompt = prompts.into_iter().find(|prompt| prompt.name == request.name);
        let prompt =
            prompt.ok_or_else(|| ErrorData::invalid_params(format!("there is no prompt {}", request.name.escape_debug()), None))?;
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, prompt.text)]).into())
    }

    /// Methods that the protocol does not have, and known methods whose parameters `rmcp` cannot read.
    async fn on_custom_request(&self, request: CustomRequest, _: RequestContext<RoleServer>) -> Result<CustomResult, ErrorData> {
        const KNOWN: [&str; 8] = [
            "initialize",
            "prompts/get",
            "prompts/list",
            "resources/list",
            "resources/read",
            "resources/templates/list",
            "tools/call",
            "tools/list",
        ];
        if KNOWN.contains(&request.method.as_str()) {
            return Err(ErrorData::invalid_params(format!("the parameters of {} are not valid", request.method), None));
        }
        let message = format!("there is no method {}", request.method.escape_debug());
        Err(ErrorData::new(rmcp::model::ErrorCode::METHOD_NOT_FOUND, message, None))
    }

    /// Up to protocol 2025-11-25 announcements go to the session's own stream.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if self.announces.swap(true, Ordering::Relaxed) {
            return;
        }
        if let Ok((engine, ctx)) = self.caller(&context.extensions).await {
            self.announce(&engine, ctx.tenant_id, context);
        }
    }

    /// From protocol 2026-07-28 on a client subscribes to announcements.
    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut accepted = requested.clone();
        accepted.resource_subscriptions = None;
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let (engine, ctx) = self.caller(&context.request_context().extensions).await?;
        let mut changes = engine.knowledge_changes().watch(ctx.tenant_id);
        let forward = async { while changes.changed().await.is_ok() && context.sink().notify_resource_list_changed().await.is_ok() {} };
        tokio::select! {
            () = context.cancelled() => {}
            () = forward => {}
        }
        Ok(())
    }
}

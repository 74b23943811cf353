//! `remembrancer mcp`: standard input and output, with the engine in this process.

use super::MESSAGE_MAX;
use super::door::{Door, Identity};
use super::frame;
use super::opening::{Open, Opener, Opening};
use super::toolsets::Toolsets;
use crate::config::Config;
use crate::serve::{self, IfAbsent, wait_for_signal};
use crate::{Failure, embedding};
use db::DatabaseUrls;
use db::embedded::Embedded;
use foundation::engine::LoadedModel;
use foundation::op::{Access, Actor};
use foundation::{Engine, Error, OpContext, identity};
use remembrancer::Workers;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{RoleServer, ServiceExt};
use std::pin::pin;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncReadExt, DuplexStream, Stdout, stdin, stdout};
use uuid::Uuid;
use wire::{AgentId, KeyId, KeyScope, RequestId, TenantId, UserRef};

/// Tenant and agent of a process that runs without a key. They are made when the first one starts.
const LOCAL: &str = "local";

/// What serves a client when all of it is open.
struct Started {
    engine: Engine,
    postgres: Option<Embedded>,
    workers: Workers,
}

/// Serves one client on standard input and output until the input ends or a signal arrives. The client is answered at once: what needs the
/// databases or the model waits for them.
///
/// Without `toolsets` it lists the tools of its key, or every tool if there is no key.
///
/// # Errors
/// A sentence, when the start fails.
pub async fn embedded(config: &Config, key: Option<String>, user: Option<UserRef>, toolsets: Option<Toolsets>) -> Result<(), Failure> {
    let (opener, opening) = Opening::begin();
    let (identity, toolsets) = match key.clone() {
        Some(key) => (Identity::Key { key, user }, toolsets),
        None => (Identity::Agent { rights: rights(), user }, Some(toolsets.unwrap_or_else(Toolsets::all))),
    };
    // The input of the client ends only after the start: a client that leaves after its last request gets the answer.
    let (until_started, end) = tokio::io::duplex(1);
    let mut talking = pin!(talk(Door::new(opening, identity, toolsets), stdin().chain(end)));
    let mut starting = pin!(async {
        let _until_started = until_started;
        start(config, key.as_deref(), &opener).await
    });
    let mut ended = None;
    let started = tokio::select! {
        started = &mut starting => started,
        served = &mut talking => {
            ended = Some(served);
            starting.await
        }
        signalled = wait_for_signal() => {
            ended = Some(signalled);
            tokio::select! {
                started = &mut starting => started,
                again = wait_for_signal() => return again,
            }
        }
    };
    let Started { engine, postgres, workers } = started?;
    let served = match ended {
        Some(ended) => ended,
        None => tokio::select! {
            served = talking => served,
            signalled = wait_for_signal() => signalled,
            () = serve::supervise(postgres.as_ref(), &engine) => Ok(()),
        },
    };
    workers.stop().await;
    engine.finish_deferred().await;
    engine.db().close().await;
    if let Some(postgres) = postgres {
        postgres.stop().await?;
    }
    served
}

/// Opens all that serves a client, and tells the door of each part.
async fn start(config: &Config, key: Option<&str>, opener: &Opener) -> Result<Started, Failure> {
    let (urls, postgres) = serve::checked_databases(config, IfAbsent::Create).await?;
    match open(config, urls, key, opener).await {
        Ok(engine) => Ok(Started { workers: Workers::start(&engine), engine, postgres }),
        Err(error) => {
            if let Some(postgres) = postgres {
                postgres.stop().await?;
            }
            Err(error)
        }
    }
}

/// Opens the engine: first its databases, then its model, which is loaded from the beginning on.
async fn open(config: &Config, urls: DatabaseUrls, key: Option<&str>, opener: &Opener) -> Result<Engine, Failure> {
    let databases = async {
        let engine = serve::open_before_model(config, urls.clone()).await?;
        let agent = match key {
            Some(key) => {
                // A wrong key is reported now, not at the first call.
                identity::authenticate(&engine, key, RequestId(engine.clock().id())).await?;
                None
            }
            None => Some(local_agent(&engine).await?),
        };
        opener.send_replace(Some(Open { engine: engine.clone(), agent: agent.clone(), has_model: false }));
        Ok::<_, Failure>((engine, agent))
    };
    let (early, databases) = tokio::join!(embedding::load_early(config, &urls), databases);
    let (engine, agent) = databases?;
    let model = early.or_load(config, engine.loaded().name()).await?;
    engine.make_current(Arc::new(LoadedModel::register(&engine.db().control, model).await?));
    let engine = engine.current();
    opener.send_replace(Some(Open { engine: engine.clone(), agent, has_model: true }));
    Ok(engine)
}

async fn talk(door: Door, input: impl AsyncRead + Send + Unpin + 'static) -> Result<(), Failure> {
    let running = match door.serve(transport_from(input)).await {
        Ok(running) => running,
        // The client left before it said anything.
        Err(error) => {
            tracing::debug!(%error, "no session was opened");
            return Ok(());
        }
    };
    running.waiting().await?;
    Ok(())
}

/// The client on standard input and output.
pub fn transport() -> AsyncRwTransport<RoleServer, DuplexStream, Stdout> {
    transport_from(stdin())
}

/// A client whose messages are mended as those over HTTP are.
fn transport_from(input: impl AsyncRead + Send + Unpin + 'static) -> AsyncRwTransport<RoleServer, DuplexStream, Stdout> {
    AsyncRwTransport::new_server(frame::mended(input), stdout()).with_max_line_length(MESSAGE_MAX)
}

/// The agent of this process.
async fn local_agent(engine: &Engine) -> Result<OpContext, Error> {
    let tenant = match identity::create_own_tenant(engine, LOCAL, "Local").await {
        Err(Error::Conflict(_)) => identity::open_tenant(engine, LOCAL).await?,
        made => made?,
    };
    let agent = match identity::create_agent(engine, &tenant, LOCAL, "Local agent", false).await {
        Err(Error::Conflict(_)) => identity::agent_by_slug(engine, &tenant, LOCAL).await?,
        made => made?,
    };
    Ok(acting_as(tenant, agent.id, agent.slug))
}

/// The rights of the agent of this process, before there is an organisation.
fn rights() -> OpContext {
    let (tenant, nobody) = (TenantId(Uuid::nil()), AgentId(Uuid::nil()));
    acting_as(OpContext::system(tenant, nobody, RequestId(Uuid::nil())), nobody, LOCAL.to_owned())
}

/// An agent that may not choose its user.
fn acting_as(tenant: OpContext, id: AgentId, slug: String) -> OpContext {
    let scopes = KeyScope::of_agents().into_iter().filter(|scope| *scope != KeyScope::UsersAny).collect();
    // Only limits and logs of HTTP read the id of the key.
    let actor = Actor::Agent { id, slug, key_id: KeyId(Uuid::nil()), require_user: false, is_granted: false };
    OpContext { actor, access: Access::KeyScopes(scopes), users: None.into(), ..tenant }
}

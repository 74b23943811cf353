//! `remembrancer mcp`: standard input and output, with the engine in this process.

use super::MESSAGE_MAX;
use super::door::{Door, Identity};
use super::frame;
use super::toolsets::Toolsets;
use crate::Failure;
use crate::config::Config;
use crate::serve::{self, IfAbsent, Opened, wait_for_signal};
use foundation::op::{Access, Actor};
use foundation::{Engine, Error, OpContext, identity};
use remembrancer::Workers;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{RoleServer, ServiceExt};
use tokio::io::{DuplexStream, Stdout};
use uuid::Uuid;
use wire::{AgentId, KeyId, KeyScope, RequestId, UserRef};

/// Tenant and agent of a process that runs without a key. They are made when the first one starts.
const LOCAL: &str = "local";

/// Serves one client on standard input and output until the input ends or a signal arrives.
///
/// Without `toolsets` it lists the tools of its key, or every tool if there is no key.
///
/// # Errors
/// A sentence, when the start fails.
pub async fn embedded(config: &Config, key: Option<String>, user: Option<UserRef>, toolsets: Option<Toolsets>) -> Result<(), Failure> {
    let Opened { engine, postgres } = serve::open(config, IfAbsent::Create).await?;
    let workers = Workers::start(&engine);
    let served = tokio::select! {
        served = talk(&engine, key, user, toolsets) => served,
        signalled = wait_for_signal() => signalled,
        () = serve::supervise(postgres.as_ref(), &engine) => Ok(()),
    };
    workers.stop().await;
    engine.finish_deferred().await;
    engine.db().close().await;
    if let Some(postgres) = postgres {
        postgres.stop().await?;
    }
    served
}

async fn talk(engine: &Engine, key: Option<String>, user: Option<UserRef>, toolsets: Option<Toolsets>) -> Result<(), Failure> {
    let identity = match key {
        Some(key) => {
            // A wrong key is reported now, not at the first call.
            identity::authenticate(engine, &key, RequestId(engine.clock().id())).await?;
            Identity::Key { key, user }
        }
        None => Identity::Agent { ctx: local_agent(engine).await?, user },
    };
    let running = match Door::new(engine.clone(), identity, toolsets).serve(transport()).await {
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

/// The client on standard input and output, whose messages are mended as those over HTTP are.
pub fn transport() -> AsyncRwTransport<RoleServer, DuplexStream, Stdout> {
    AsyncRwTransport::new_server(frame::mended(tokio::io::stdin()), tokio::io::stdout()).with_max_line_length(MESSAGE_MAX)
}

/// The agent of this process, with the rights of an agent that may not choose its user.
async fn local_agent(engine: &Engine) -> Result<OpContext, Error> {
    let tenant = match identity::create_tenant(engine, LOCAL, "Local").await {
        Err(Error::Conflict(_)) => identity::open_tenant(engine, LOCAL).await?,
        made => made?,
    };
    let agent = match identity::create_agent(engine, &tenant, LOCAL, "Local agent", false).await {
        Err(Error::Conflict(_)) => identity::agent_by_slug(engine, &tenant, LOCAL).await?,
        made => made?,
    };
    let scopes = KeyScope::of_agents().into_iter().filter(|scope| *scope != KeyScope::UsersAny).collect();
    Ok(acting_as(tenant, agent.id, agent.slug, scopes))
}

fn acting_as(tenant: OpContext, id: AgentId, slug: String, scopes: Vec<KeyScope>) -> OpContext {
    // Only limits and logs of HTTP read the id of the key.
    let actor = Actor::Agent { id, slug, key_id: KeyId(Uuid::nil()), require_user: false, is_granted: false };
    OpContext { actor, access: Access::KeyScopes(scopes), users: None.into(), ..tenant }
}

use super::asked::Asked;
use crate::{
    ConsoleError, form,
    guard::{console, finish, incomplete, operator, set_status},
    query::Query,
};
use foundation::identity::{self, Agent, OauthClient, oauth};
use leptos::prelude::*;
use leptos_axum::redirect;
use wire::oauth::redirect_origin;
use wire::{AgentId, AgentKind, ErrorCode, FieldError, KeyScope, OperatorRole};

/// What the button that gives access sends.
pub const ALLOW: &str = "allow";

/// A client that asks for access, and the agents as which it may act.
pub struct Request {
    pub asked: Asked,
    pub client: OauthClient,
    /// Where the answer goes: scheme, host and port.
    pub origin: String,
    pub agents: Vec<Agent>,
    /// Why nobody can give what it asks for.
    pub fault: Option<Fault>,
}

/// What is wrong with a request.
pub struct Fault {
    pub why: &'static str,
    /// The address that tells the client. Only a click leads there: anybody may register a client with any address.
    pub back: String,
}

/// Reads who asks, and whether the operator may allow it. Fails for an unknown client, and for an address that the client did not register:
/// nothing is sent to that address.
pub async fn read_request(asked: Asked) -> Result<Request, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let client = oauth::client(&engine, &asked.client_id, &asked.redirect_uri).await?;
    let issuer = console()?.public_url;
    let fault = asked.fault(&issuer).map(|(code, why)| {
        set_status(ErrorCode::Invalid);
        Fault { why, back: asked.answer(&issuer, &Query::default().with("error", code).with("error_description", why)) }
    });
    let agents = identity::all_agents(&engine, &ctx)
        .await?
        .into_iter()
        .filter(|agent| agent.kind == AgentKind::Agent && agent.retired_at.is_none())
        .collect();
    let origin = redirect_origin(&asked.redirect_uri).unwrap_or_default();
    Ok(Request { asked, client, origin, agents, fault })
}

/// Gives a client access or denies it, then redirects to the client. The process makes a page of this redirect (`server/src/forms.rs`).
#[server(endpoint = "authorize_client")]
pub async fn authorize_client(
    #[server(default)] asked: String,
    #[server(default)] decision: String,
    #[server(default)] agent: Option<AgentId>,
    #[server(default)] user_id: String,
    #[server(default)] scopes: Vec<KeyScope>,
) -> Result<(), ConsoleError> {
    let asked = Asked::of(&Query::parse(&asked));
    let typed = scopes
        .iter()
        .fold(Query::default().with_some("agent", agent).with("user_id", &user_id), |query, scope| query.with(scope.as_str(), "yes"));
    let answered = match decision == ALLOW {
        true => allow(&asked, agent, &user_id, scopes).await,
        false => deny(&asked).await,
    };
    match answered {
        Ok(answer) => {
            redirect(&asked.answer(&console()?.public_url, &answer));
            Ok(())
        }
        Err(error) => finish(Err(error), "", &asked.page(), &typed.href("")).await,
    }
}

async fn allow(asked: &Asked, agent: Option<AgentId>, user: &str, scopes: Vec<KeyScope>) -> Result<Query, ConsoleError> {
    let (engine, ctx) = operator().await?;
    ctx.require_role(OperatorRole::Viewer)?;
    if let Some((_, why)) = asked.fault(&console()?.public_url) {
        set_status(ErrorCode::Invalid);
        return Err(ConsoleError::new(ErrorCode::Invalid, why));
    }
    let agent = agent.ok_or_else(|| incomplete(FieldError::new("agent", "is required")))?;
    let user = form::user("user_id", user).map_err(incomplete)?;
    let consent = oauth::Consent {
        client_id: asked.client_id.clone(),
        redirect_uri: asked.redirect_uri.clone(),
        challenge: asked.code_challenge.clone(),
        agent,
        user,
        scopes,
    };
    Ok(Query::default().with("code", oauth::consent(&engine, &ctx, consent).await?))
}

async fn deny(asked: &Asked) -> Result<Query, ConsoleError> {
    let (engine, ctx) = operator().await?;
    ctx.require_role(OperatorRole::Viewer)?;
    oauth::client(&engine, &asked.client_id, &asked.redirect_uri).await?;
    Ok(Query::default().with("error", "access_denied").with("error_description", "The person denied access."))
}

//! What admins manage, over HTTP: the verbs of the console and of the command line, for keys with the scope `admin`.
//!
//! Each handler requires the scope before it reads a body, and calls its verb with the rights of an admin.

use super::body::UnreadBody;
use super::caller::Caller;
use super::error::{Answer, ApiError};
use super::openapi::{Created, CreatedFor, Found, NoContent, Put};
use super::params::{Parameters, Segment, parameters};
use axum::Json;
use foundation::identity;
use remembrancer::chat;
use wire::{
    AdminAgent, AdminAgents, AdminBots, AdminOperator, AdminOperators, AdminUser, AdminUsers, AgentSettings, ApiKeys, BotId, InvitationId,
    Invitations, KeyId, KeyScope, MadeApiKey, MadeInvitation, NewApiKey, NewInvitation, OperatorSettings, RotateKey, UserRef, UserSettings,
};

parameters! {
    /// Where a page of agents begins.
    AfterAgent {
        /// The `next` of the page before.
        after: String,
    }
}

/// `GET /api/admin/agents`: the agents with their settings, a page at a time.
pub async fn agents(Caller(engine, ctx): Caller, parameters: Parameters<AfterAgent>) -> Answer<AdminAgents> {
    let ctx = ctx.as_admin()?;
    Ok(Json(identity::list_agents(&engine, &ctx, parameters.read()?.after.as_deref()).await?))
}

/// `GET /api/admin/agents/{slug}`: one agent.
pub async fn agent(Caller(engine, ctx): Caller, Segment(slug, _): Segment<String>) -> Answer<AdminAgent> {
    Ok(Json(identity::agent_settings(&engine, &ctx.as_admin()?, &slug).await?))
}

/// `PUT /api/admin/agents/{slug}`: the agent as the body describes it, new or changed.
pub async fn put_agent(
    Caller(engine, ctx): Caller,
    Segment(slug, _): Segment<String>,
    body: UnreadBody<AgentSettings>,
) -> Result<Put<AdminAgent>, ApiError> {
    let settings = body.read(&ctx, KeyScope::Admin).await?;
    let (agent, is_new) = identity::put_agent(&engine, &ctx.as_admin()?, &slug, settings).await?;
    Ok(Put(agent, is_new))
}

/// `DELETE /api/admin/agents/{slug}`: retires an agent.
pub async fn retire_agent(Caller(engine, ctx): Caller, Segment(slug, _): Segment<String>) -> Answer<AdminAgent> {
    Ok(Json(identity::retire_agent(&engine, &ctx.as_admin()?, &slug, None).await?))
}

parameters! {
    /// Which keys are listed.
    OfAgent {
        /// The slug of an agent.
        agent: String,
        /// The `next` of the page before.
        after: String,
    }
}

/// `GET /api/admin/keys`: the keys of the organisation, or of one agent, a page at a time.
pub async fn keys(Caller(engine, ctx): Caller, parameters: Parameters<OfAgent>) -> Result<Found<ApiKeys>, ApiError> {
    let ctx = ctx.as_admin()?;
    let OfAgent { agent, after } = parameters.read()?;
    Ok(Found(identity::list_keys(&engine, &ctx, agent.as_deref(), after.as_deref()).await?))
}

/// `POST /api/admin/keys`: a new key, with its secret.
pub async fn add_key(Caller(engine, ctx): Caller, body: UnreadBody<NewApiKey>) -> Result<CreatedFor<MadeApiKey>, ApiError> {
    let new = body.read(&ctx, KeyScope::Admin).await?;
    Ok(CreatedFor(identity::add_key(&engine, &ctx.as_admin()?, new).await?))
}

/// `POST /api/admin/keys/{id}/rotate`: a key that replaces another.
pub async fn rotate_key(
    Caller(engine, ctx): Caller,
    id: Segment<KeyId>,
    body: UnreadBody<RotateKey>,
) -> Result<Created<MadeApiKey>, ApiError> {
    let RotateKey { overlap_hours } = body.read(&ctx, KeyScope::Admin).await?;
    Ok(Created(identity::rotate_key(&engine, &ctx.as_admin()?, id.id("key")?, overlap_hours).await?))
}

/// `DELETE /api/admin/keys/{id}`: revokes a key.
pub async fn revoke_key(Caller(engine, ctx): Caller, id: Segment<KeyId>) -> Result<NoContent, ApiError> {
    identity::revoke_key(&engine, &ctx.as_admin()?, id.id("key")?).await?;
    Ok(NoContent)
}

parameters! {
    /// Where a page of users begins.
    AfterUser {
        /// The `next` of the page before.
        after: String,
    }
}

/// `GET /api/admin/users`: the users of the organisation, a page at a time.
pub async fn users(Caller(engine, ctx): Caller, parameters: Parameters<AfterUser>) -> Answer<AdminUsers> {
    let ctx = ctx.as_admin()?;
    Ok(Json(identity::list_users(&engine, &ctx, parameters.read()?.after.as_deref()).await?))
}

/// `PUT /api/admin/users/{user}`: the user as the body describes it, new or changed.
pub async fn put_user(
    Caller(engine, ctx): Caller,
    user: Segment<UserRef>,
    body: UnreadBody<UserSettings>,
) -> Result<Put<AdminUser>, ApiError> {
    let settings = body.read(&ctx, KeyScope::Admin).await?;
    let (user, is_new) = identity::put_user(&engine, &ctx.as_admin()?, &user.id("user")?, settings).await?;
    Ok(Put(user, is_new))
}

/// `GET /api/admin/operators`: the people who sign in to the console.
pub async fn operators(Caller(engine, ctx): Caller) -> Answer<AdminOperators> {
    let operators = identity::list_operators(&engine, &ctx.as_admin()?).await?;
    Ok(Json(AdminOperators { operators }))
}

/// `PUT /api/admin/operators/{login}`: changes the name and the roles of an operator.
pub async fn change_operator(
    Caller(engine, ctx): Caller,
    Segment(login, _): Segment<String>,
    body: UnreadBody<OperatorSettings>,
) -> Answer<AdminOperator> {
    let settings = body.read(&ctx, KeyScope::Admin).await?;
    let ctx = ctx.as_admin()?;
    let id = identity::operator_by_login(&engine, &ctx, &login).await?;
    Ok(Json(identity::change_operator(&engine, &ctx, id, settings).await?))
}

/// `DELETE /api/admin/operators/{login}`: ends the access of an operator.
pub async fn remove_operator(Caller(engine, ctx): Caller, Segment(login, _): Segment<String>) -> Result<NoContent, ApiError> {
    let ctx = ctx.as_admin()?;
    let id = identity::operator_by_login(&engine, &ctx, &login).await?;
    identity::disable_operator(&engine, &ctx, id).await?;
    Ok(NoContent)
}

/// `POST /api/admin/operators/{login}/restore`: gives an operator whose access was ended access again.
pub async fn restore_operator(Caller(engine, ctx): Caller, Segment(login, _): Segment<String>) -> Result<NoContent, ApiError> {
    let ctx = ctx.as_admin()?;
    let id = identity::operator_by_login(&engine, &ctx, &login).await?;
    identity::restore_operator(&engine, &ctx, id).await?;
    Ok(NoContent)
}

/// `DELETE /api/admin/operators/{login}/sessions`: ends the sessions of an operator.
pub async fn end_sessions(Caller(engine, ctx): Caller, Segment(login, _): Segment<String>) -> Result<NoContent, ApiError> {
    let ctx = ctx.as_admin()?;
    let id = identity::operator_by_login(&engine, &ctx, &login).await?;
    identity::end_sessions(&engine, &ctx, id).await?;
    Ok(NoContent)
}

/// `DELETE /api/admin/operators/{login}/identity`: detaches an operator from the identity at the provider.
pub async fn detach_identity(Caller(engine, ctx): Caller, Segment(login, _): Segment<String>) -> Result<NoContent, ApiError> {
    let ctx = ctx.as_admin()?;
    let id = identity::operator_by_login(&engine, &ctx, &login).await?;
    identity::detach_identity(&engine, &ctx, id).await?;
    Ok(NoContent)
}

/// `GET /api/admin/bots`: the chat bots of the organisation.
pub async fn bots(Caller(engine, ctx): Caller) -> Answer<AdminBots> {
    let bots = chat::bots(&engine, &ctx.as_admin()?).await?;
    Ok(Json(AdminBots { bots }))
}

/// `DELETE /api/admin/bots/{id}`: removes a chat bot and unbinds its chats.
pub async fn remove_bot(Caller(engine, ctx): Caller, id: Segment<BotId>) -> Result<NoContent, ApiError> {
    chat::remove_bot(&engine, &ctx.as_admin()?, id.id("bot")?).await?;
    Ok(NoContent)
}

/// `GET /api/admin/invitations`: the links that nobody has used yet.
pub async fn invitations(Caller(engine, ctx): Caller) -> Answer<Invitations> {
    let invitations = identity::list_invitations(&engine, &ctx.as_admin()?).await?;
    Ok(Json(Invitations { invitations }))
}

/// `POST /api/admin/invitations`: a link with which a person becomes an operator.
pub async fn invite(Caller(engine, ctx): Caller, body: UnreadBody<NewInvitation>) -> Result<Created<MadeInvitation>, ApiError> {
    let new = body.read(&ctx, KeyScope::Admin).await?;
    Ok(Created(identity::invite(&engine, &ctx.as_admin()?, new).await?))
}

/// `DELETE /api/admin/invitations/{id}`: withdraws a link.
pub async fn withdraw_invitation(Caller(engine, ctx): Caller, id: Segment<InvitationId>) -> Result<NoContent, ApiError> {
    identity::withdraw_invitation(&engine, &ctx.as_admin()?, id.id("invitation")?).await?;
    Ok(NoContent)
}

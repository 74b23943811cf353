//! The profile of a person and their connections, over HTTP.

use super::Api;
use super::body::UnreadBody;
use super::caller::Caller;
use super::error::ApiError;
use super::openapi::Found;
use super::params::{OfUser, Parameters, Segment, parameters};
use axum::Json;
use axum::extract::State;
use remembrancer::profile;
use uuid::Uuid;
use wire::{
    Connection, ConnectionList, ForgetLeafRequest, ForgetLeafResponse, LeafId, ProfileRequest, ProfileResponse, ProfileVersions,
    PutConnectionRequest, PutConnectionResponse, PutEntitiesRequest, PutEntitiesResponse, Scope, SearchUserContextRequest,
    SearchUserContextResponse, UserRef,
};

/// Largest body of a connection's entities, in bytes: their texts, of which JSON may write each byte as six, and their keys.
const ENTITIES_BODY_MAX: usize = 8 * 1024 * 1024;

/// `GET /api/profile`: what the agent knows about a person.
pub async fn get(State(api): State<Api>, Caller(ctx): Caller, parameters: Parameters<OfUser>) -> Result<Json<ProfileResponse>, ApiError> {
    Ok(Json(profile::get(&api.engine, &ctx, ProfileRequest { user_id: parameters.user()? }).await?))
}

parameters! {
    /// The parameters of `GET /api/profile/versions`.
    OfProfileVersions {
        /// The person you are talking to, as a user's id or your own reference to a user. Needs a key that may choose its user.
        user_id: UserRef,
        /// Only versions before this one.
        before: i64,
    }
}

/// `GET /api/profile/versions`: how the profile changed, newest first, 50 versions a page.
pub async fn versions(
    State(api): State<Api>,
    Caller(ctx): Caller,
    parameters: Parameters<OfProfileVersions>,
) -> Result<Json<ProfileVersions>, ApiError> {
    let OfProfileVersions { user_id, before } = parameters.read()?;
    Ok(Json(profile::versions(&api.engine, &ctx, user_id.as_ref(), before).await?))
}

/// `DELETE /api/profile/leaves/{id}`: forgets a value of the profile.
pub async fn forget_leaf(
    State(api): State<Api>,
    Caller(ctx): Caller,
    id: Segment<LeafId>,
    parameters: Parameters<OfUser>,
) -> Result<Json<ForgetLeafResponse>, ApiError> {
    let request = ForgetLeafRequest { leaf_id: id.id("leaf of the profile")?, reason: None, user_id: parameters.user()? };
    Ok(Json(profile::forget_leaf(&api.engine, &ctx, request).await?))
}

/// `GET /api/connections`: the person's connections with what was learned about them.
pub async fn connections(
    State(api): State<Api>,
    Caller(ctx): Caller,
    parameters: Parameters<OfUser>,
) -> Result<Json<ConnectionList>, ApiError> {
    Ok(Json(profile::connections(&api.engine, &ctx, parameters.user()?.as_ref()).await?))
}

/// `GET /api/connections/{id}`: one connection.
pub async fn connection(
    State(api): State<Api>,
    Caller(ctx): Caller,
    id: Segment<Uuid>,
    parameters: Parameters<OfUser>,
) -> Result<Json<Connection>, ApiError> {
    Ok(Json(profile::connection(&api.engine, &ctx, id.id("connection")?, parameters.user()?.as_ref()).await?))
}

/// `PUT /api/connections/{id}`: stores a connection under the caller's id for it.
pub async fn put_connection(
    State(api): State<Api>,
    Caller(ctx): Caller,
    id: Segment<Uuid>,
    parameters: Parameters<OfUser>,
    body: UnreadBody<PutConnectionRequest>,
) -> Result<Json<PutConnectionResponse>, ApiError> {
    let request = body.read(&ctx, Scope::CaptureWrite).await?;
    Ok(Json(profile::put_connection(&api.engine, &ctx, id.id("connection")?, request, parameters.user()?.as_ref()).await?))
}

/// `PUT /api/connections/{id}/entities`: replaces what the tool of a connection holds.
pub async fn put_entities(
    State(api): State<Api>,
    Caller(ctx): Caller,
    id: Segment<Uuid>,
    parameters: Parameters<OfUser>,
    body: UnreadBody<PutEntitiesRequest>,
) -> Result<Json<PutEntitiesResponse>, ApiError> {
    let request = body.at_most(ENTITIES_BODY_MAX).read(&ctx, Scope::CaptureWrite).await?;
    Ok(Json(profile::put_entities(&api.engine, &ctx, id.id("connection")?, request, parameters.user()?.as_ref()).await?))
}

/// `POST /api/profile/search`: finds what is known about a person and the connections in use.
pub async fn search(
    State(api): State<Api>,
    Caller(ctx): Caller,
    body: UnreadBody<SearchUserContextRequest>,
) -> Result<Found<SearchUserContextResponse>, ApiError> {
    let request = body.read(&ctx, Scope::ContextRead).await?;
    Ok(Found(profile::search_user_context(&api.engine, &ctx, request).await?))
}

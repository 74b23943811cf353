//! The profile of a person and their connections, over HTTP.

use super::body::UnreadBody;
use super::caller::Caller;
use super::error::{Answer, ApiError};
use super::openapi::Found;
use super::params::{OfUser, Parameters, Segment, parameters};
use axum::Json;
use remembrancer::profile;
use uuid::Uuid;
use wire::{
    Connection, ConnectionList, ForgetLeafRequest, ForgetLeafResponse, KeyScope, LeafId, ProfileRequest, ProfileResponse, ProfileVersions,
    PutConnectionRequest, PutConnectionResponse, PutEntitiesRequest, PutEntitiesResponse, SearchUserContextRequest,
    SearchUserContextResponse, UserRef,
};

/// Largest body of a connection's entities, in bytes: their texts, of which JSON may write each byte as six, and their keys.
const ENTITIES_BODY_MAX: usize = 8 * 1024 * 1024;

/// `GET /api/profile`: what the agent knows about a person.
pub async fn get(Caller(engine, ctx): Caller, parameters: Parameters<OfUser>) -> Answer<ProfileResponse> {
    Ok(Json(profile::get(&engine, &ctx, ProfileRequest { user_id: parameters.user()? }).await?))
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
pub async fn versions(Caller(engine, ctx): Caller, parameters: Parameters<OfProfileVersions>) -> Answer<ProfileVersions> {
    let OfProfileVersions { user_id, before } = parameters.read()?;
    Ok(Json(profile::versions(&engine, &ctx, user_id.as_ref(), before).await?))
}

/// `DELETE /api/profile/leaves/{id}`: forgets a value of the profile.
pub async fn forget_leaf(Caller(engine, ctx): Caller, id: Segment<LeafId>, parameters: Parameters<OfUser>) -> Answer<ForgetLeafResponse> {
    let request = ForgetLeafRequest { leaf_id: id.id("leaf of the profile")?, reason: None, user_id: parameters.user()? };
    Ok(Json(profile::forget_leaf(&engine, &ctx, request).await?))
}

/// `GET /api/connections`: the person's connections with what was learned about them.
pub async fn connections(Caller(engine, ctx): Caller, parameters: Parameters<OfUser>) -> Answer<ConnectionList> {
    Ok(Json(profile::connections(&engine, &ctx, parameters.user()?.as_ref()).await?))
}

/// `GET /api/connections/{id}`: one connection.
pub async fn connection(Caller(engine, ctx): Caller, id: Segment<Uuid>, parameters: Parameters<OfUser>) -> Answer<Connection> {
    Ok(Json(profile::connection(&engine, &ctx, id.id("connection")?, parameters.user()?.as_ref()).await?))
}

/// `PUT /api/connections/{id}`: stores a connection under the caller's id for it.
pub async fn put_connection(
    Caller(engine, ctx): Caller,
    id: Segment<Uuid>,
    parameters: Parameters<OfUser>,
    body: UnreadBody<PutConnectionRequest>,
) -> Answer<PutConnectionResponse> {
    let request = body.read(&ctx, KeyScope::CaptureWrite).await?;
    Ok(Json(profile::put_connection(&engine, &ctx, id.id("connection")?, request, parameters.user()?.as_ref()).await?))
}

/// `PUT /api/connections/{id}/entities`: replaces what the tool of a connection holds.
pub async fn put_entities(
    Caller(engine, ctx): Caller,
    id: Segment<Uuid>,
    parameters: Parameters<OfUser>,
    body: UnreadBody<PutEntitiesRequest>,
) -> Answer<PutEntitiesResponse> {
    let request = body.at_most(ENTITIES_BODY_MAX).read(&ctx, KeyScope::CaptureWrite).await?;
    Ok(Json(profile::put_entities(&engine, &ctx, id.id("connection")?, request, parameters.user()?.as_ref()).await?))
}

/// `POST /api/profile/search`: finds what is known about a person and the connections in use.
pub async fn search(
    Caller(engine, ctx): Caller,
    body: UnreadBody<SearchUserContextRequest>,
) -> Result<Found<SearchUserContextResponse>, ApiError> {
    let request = body.read(&ctx, KeyScope::ContextRead).await?;
    Ok(Found(profile::search_user_context(&engine, &ctx, request).await?))
}

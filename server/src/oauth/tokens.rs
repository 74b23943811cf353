//! `POST /oauth/token` and `POST /oauth/revoke`.

use super::answer::{Answered, Refusal, private};
use super::{Oauth, address, limit, names};
use app::{ClientAddress, Query};
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use foundation::identity::oauth::{self, ACCESS_LASTS, Exchange, Tokens};
use serde_json::json;
use std::sync::Arc;
use wire::RequestId;

/// Characters of a PKCE verifier.
const VERIFIER: std::ops::RangeInclusive<usize> = 43..=128;

/// The fields of a form.
struct Form(Query);

impl Form {
    /// A field that must be there.
    fn need(&self, name: &str) -> Result<String, Refusal> {
        self.0.owned(name).ok_or_else(|| Refusal::new("invalid_request", format!("{name} is missing")))
    }
}

/// `POST /oauth/token`: exchanges a code or a refresh token for tokens.
pub async fn exchange(
    State(state): State<Arc<Oauth>>,
    Extension(request_id): Extension<RequestId>,
    client: Option<Extension<ClientAddress>>,
    body: String,
) -> Answered {
    limit(&state.tokens, &address(client))?;
    let form = Form(Query::parse(&body));
    let (grant_type, client_id) = (form.need("grant_type")?, form.need("client_id")?);
    if !state.is_resource(&form.0.text("resource")) {
        return Err(Refusal::new("invalid_target", format!("resource is not {}", state.resource())));
    }
    let tokens = match grant_type.as_str() {
        "authorization_code" => {
            let (code, verifier) = (form.need("code")?, form.need("code_verifier")?);
            if !VERIFIER.contains(&verifier.len()) {
                return Err(Refusal::new("invalid_request", "code_verifier must have 43 to 128 characters"));
            }
            let sent = Exchange { client_id: client_id.clone(), code, redirect_uri: form.0.owned("redirect_uri"), verifier };
            oauth::exchange(&state.engine, &sent, request_id).await
        }
        "refresh_token" => oauth::refresh(&state.engine, &client_id, &form.need("refresh_token")?, request_id).await,
        _ => return Err(Refusal::new("unsupported_grant_type", "grant_type must be authorization_code or refresh_token")),
    };
    let Some(Tokens { access, refresh, scopes }) = tokens? else {
        return Err(match oauth::is_client(&state.engine, &client_id).await? {
            true => Refusal::new("invalid_grant", "this is not valid or no longer valid: ask the person again"),
            false => Refusal::new("invalid_client", "this client is not or no longer registered: register again"),
        });
    };
    let body = json!({
        "access_token": access,
        "token_type": "Bearer",
        "expires_in": ACCESS_LASTS.num_seconds(),
        "refresh_token": refresh,
        "scope": names(scopes.into_iter()),
    });
    Ok(private(StatusCode::OK, body))
}

/// `POST /oauth/revoke` (RFC 7009): ends the access that a token belongs to. A token that is not valid is as good as revoked.
pub async fn revoke(
    State(state): State<Arc<Oauth>>,
    Extension(request_id): Extension<RequestId>,
    client: Option<Extension<ClientAddress>>,
    body: String,
) -> Answered {
    limit(&state.tokens, &address(client))?;
    let form = Form(Query::parse(&body));
    let (client_id, token) = (form.need("client_id")?, form.need("token")?);
    oauth::revoke(&state.engine, &client_id, &token, request_id).await?;
    Ok(private(StatusCode::OK, json!({})))
}

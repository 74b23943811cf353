//! OAuth 2.1 for clients of the Model Context Protocol: clients register or describe themselves, operators let them in, and a code becomes
//! tokens. The access token is an API key of one agent and one user, which each refresh replaces.

use super::model::{Grant, OauthClient};
use super::{agents, client_documents, finish, keys, store, users};
use crate::audit::NewEntry;
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::intake::Admitted;
use crate::op::{Actor, OpContext};
use async_recursion::async_recursion as boxed;
use chrono::TimeDelta;
use db::Tx;
use uuid::Uuid;
use verb::verb;
use wire::oauth::{CLIENT_NAME_MAX, NO_REDIRECT, REDIRECTS_MAX, document_host, is_challenge, is_redirect, is_registered, redirect_origin};
use wire::{AgentId, AgentKind, KeyId, KeyScope, RequestId, UserId, UserRef};

/// How long a code can be exchanged.
const CODE_LASTS: TimeDelta = TimeDelta::seconds(60);
/// How long after that a second use of a code ends the access. Old codes stay in logs and histories, and whoever reads them could end it.
const REPLAY_COUNTS: TimeDelta = TimeDelta::minutes(10);
/// How long an access token is valid.
pub const ACCESS_LASTS: TimeDelta = TimeDelta::hours(1);
/// How long a refresh token is valid that nobody uses.
const REFRESH_LASTS: TimeDelta = TimeDelta::days(30);
/// How long a refresh token that was replaced is answered with the tokens that replaced it.
const REPEAT_LASTS: TimeDelta = TimeDelta::seconds(30);
/// How long a client is kept that got no access.
const UNUSED_LASTS: TimeDelta = TimeDelta::days(1);
/// How long access that has ended is kept, and with it its client: a person can give it again without a new registration.
const ENDED_LASTS: TimeDelta = TimeDelta::days(90);
/// Most clients without access: the next one takes the place of the oldest.
const UNUSED_MAX: i64 = 1_000;
/// How a refresh token begins. Two secrets follow: the first stays the same, the second changes with each use.
const REFRESH: &str = "rmr_";
/// Characters of each secret.
const SECRET_LENGTH: usize = keys::SECRET_LENGTH;

/// Registers a client. It takes the place of the oldest one without access if there are too many.
///
/// # Errors
/// `Invalid` for `client_name` or `redirect_uris`, which must not hold a secret.
#[boxed]
#[tracing::instrument(skip_all)]
pub async fn register(engine: &Engine, name: &str, redirect_uris: Vec<String>) -> Result<OauthClient, Error> {
    let name = Admitted::text("name", name.to_owned())?.into_inner();
    Checks::default()
        .text("client_name", &name, CLIENT_NAME_MAX)
        .that((1..=REDIRECTS_MAX).contains(&redirect_uris.len()), "redirect_uris", format!("must hold 1 to {REDIRECTS_MAX} addresses"))
        .that(redirect_uris.iter().all(|uri| is_redirect(uri)), "redirect_uris", NO_REDIRECT)
        .done()?;
    redirect_uris.iter().try_for_each(|uri| Admitted::id("redirect_uris", uri).map(drop))?;
    let (client, now) = (OauthClient { id: engine.clock().id(), name, redirect_uris, host: None }, engine.clock().now());
    let mut tx = engine.db().control.begin_system().await?;
    store::trim_clients(&mut tx, UNUSED_MAX - 1).await?;
    store::insert_client(&mut tx, &client, now).await?;
    tx.commit().await?;
    Ok(client)
}

/// Deletes access that ended long ago, and clients that got none within a day.
#[boxed]
#[tracing::instrument(skip_all)]
pub async fn sweep(engine: &Engine) -> Result<(), Error> {
    let (mut tx, now) = (engine.db().control.begin_system().await?, engine.clock().now());
    store::sweep_grants(&mut tx, now - ENDED_LASTS).await?;
    store::sweep_clients(&mut tx, now - UNUSED_LASTS).await?;
    Ok(tx.commit().await?)
}

/// The client with an id and this redirect address. If the id is the address of a document, the document is fetched.
///
/// # Errors
/// `NotFound` for an unknown id; `Invalid` for an address that the client did not register, and for a document that cannot be used; `Busy`
/// if many documents are being fetched.
#[boxed]
#[tracing::instrument(skip_all)]
pub async fn client(engine: &Engine, id: &str, redirect_uri: &str) -> Result<OauthClient, Error> {
    let client = match document_host(id) {
        Some(_) => client_documents::client(engine, id).await?,
        None => registered(engine, id).await?.ok_or(Error::NotFound("client"))?,
    };
    match is_registered(&client.redirect_uris, redirect_uri) {
        true => Ok(client),
        false => Err(Error::invalid("redirect_uri", "is not an address that this client registered")),
    }
}

/// Whether a client with this id may exchange tokens: it is registered, or its id is the address of a document. One that is not can register
/// again.
#[boxed]
#[tracing::instrument(skip_all)]
pub async fn is_client(engine: &Engine, id: &str) -> Result<bool, Error> {
    Ok(document_host(id).is_some() || registered(engine, id).await?.is_some())
}

async fn registered(engine: &Engine, id: &str) -> Result<Option<OauthClient>, Error> {
    match id.parse::<Uuid>() {
        Ok(id) => Ok(store::oauth_client(engine.db().control.system(), id).await?),
        Err(_) => Ok(None),
    }
}

/// What an operator consents to.
#[derive(Clone, Debug)]
pub struct Consent {
    pub client_id: String,
    pub redirect_uri: String,
    /// The PKCE challenge of the client, method S256.
    pub challenge: String,
    /// The agent as which the client acts.
    pub agent: AgentId,
    /// The user for whom the client acts.
    pub user: Option<UserRef>,
    pub scopes: Vec<KeyScope>,
}

/// Gives a client access, and returns the code that it exchanges for tokens within a minute.
///
/// # Errors
/// `Unauthenticated` if the operator's password or roles changed meanwhile, as that revokes only the access that was given before;
/// `Forbidden` without the role `viewer`, for a caller that is no operator, and for a scope that the operator's roles do not allow;
/// `NotFound` for an unknown client and a foreign agent; `Invalid` for the address, the challenge, no scopes, an unknown user, and no user
/// if the agent must have one.
#[verb(role = Viewer)]
pub async fn consent(engine: &Engine, ctx: &OpContext, consent: Consent) -> Result<String, Error> {
    let Actor::Operator { id: operator_id, epoch, .. } = ctx.actor else {
        return Err(Error::Forbidden("only operators let clients in".into()));
    };
    let client = client(engine, &consent.client_id, &consent.redirect_uri).await?;
    Checks::default()
        .that(is_challenge(&consent.challenge), "code_challenge", "must be a SHA-256 in base64url")
        .that(!consent.scopes.is_empty(), "scopes", "must hold at least one scope")
        .done()?;
    check_scopes(ctx, &consent.scopes)?;
    let user_id = user_of(engine, ctx, &consent).await?;
    let (now, code) = (engine.clock().now(), engine.clock().secret(SECRET_LENGTH));
    let (code_expires_at, prefix) = (now + CODE_LASTS, engine.clock().secret(keys::PREFIX_LENGTH));
    let origin = redirect_origin(&consent.redirect_uri).unwrap_or_default();
    let place = client.host.iter().chain([&origin]).cloned().collect::<Vec<_>>().join(", ");
    let key = store::NewKey {
        id: KeyId(engine.clock().id()),
        agent_id: consent.agent,
        prefix: &prefix,
        // Nobody has the secret of this hash: the first tokens replace it.
        secret_hash: &keys::hash(&engine.clock().secret(SECRET_LENGTH)),
        name: &format!("{} ({place})", client.name),
        scopes: &consent.scopes,
        user_id,
        expires_at: Some(code_expires_at),
    };
    let grant = store::NewGrant {
        key_id: key.id,
        client_id: client.id,
        operator_id,
        redirect_uri: &consent.redirect_uri,
        challenge: &consent.challenge,
        code_hash: &keys::hash(&code),
        code_expires_at,
    };
    let mut tx = engine.db().control.begin_system().await?;
    if !store::lock_operator(&mut tx, ctx.tenant_id, operator_id, epoch).await? {
        return Err(Error::Unauthenticated("sign in again"));
    }
    // An id that nobody has could be anything, and one that was erased must not come back.
    if let Some(user) = user_id
        && !store::lock_user(&mut tx, ctx.tenant_id, user).await?
    {
        return Err(Error::invalid("user_id", users::NOBODY));
    }
    if !store::insert_key(&mut tx, ctx.tenant_id, &key, now).await? || !store::insert_grant(&mut tx, ctx.tenant_id, &grant, now).await? {
        return Err(Error::NotFound("agent"));
    }
    let message = format!("access given to {} at {place}", client.name);
    let entry = NewEntry::new(engine, ctx, "key.created", "key", key.id, message).agent(consent.agent);
    finish(engine, tx, ctx, entry).await?;
    Ok(code)
}

/// Refuses a scope that the operator could not use in the console.
fn check_scopes(ctx: &OpContext, scopes: &[KeyScope]) -> Result<(), Error> {
    for scope in scopes {
        match scope.granted_by() {
            Some(role) => ctx.require_role(role)?,
            None => return Err(Error::Forbidden(format!("no client can get the scope {scope}"))),
        }
    }
    Ok(())
}

/// The user to whom access is bound, by the rules of the agent.
async fn user_of(engine: &Engine, ctx: &OpContext, consent: &Consent) -> Result<Option<UserId>, Error> {
    let agent = agents::agent(engine, ctx, consent.agent).await?;
    if agent.kind != AgentKind::Agent {
        return Err(Error::NotFound("agent"));
    }
    users::user_of_agent(engine, ctx, &agent, consent.user.as_ref()).await
}

/// What a client sends to exchange its code.
#[derive(Clone, Debug)]
pub struct Exchange {
    pub client_id: String,
    pub code: String,
    /// Absent: the client relies on its PKCE verifier alone.
    pub redirect_uri: Option<String>,
    pub verifier: String,
}

/// The tokens of a client.
#[derive(Clone, Debug)]
pub struct Tokens {
    /// An API key, valid for [`ACCESS_LASTS`].
    pub access: String,
    /// Can be used once, apart from repeats within seconds.
    pub refresh: String,
    pub scopes: Vec<KeyScope>,
}

/// Exchanges a code for tokens; `None` if the code, the client, the address or the verifier is wrong, or the code has expired. A code that
/// was exchanged some minutes ago ends the access that it gave: somebody else may have it.
#[boxed]
#[tracing::instrument(skip_all)]
pub async fn exchange(engine: &Engine, sent: &Exchange, request_id: RequestId) -> Result<Option<Tokens>, Error> {
    let mut tx = engine.db().control.begin_system().await?;
    let Some(grant) = store::grant_by_code(&mut tx, &keys::hash(&sent.code)).await? else { return Ok(None) };
    let now = engine.clock().now();
    if grant.exchanged_at.is_some() {
        if now < grant.code_expires_at + REPLAY_COUNTS {
            end(engine, tx, &grant, "its code was used twice", request_id).await?;
        }
        return Ok(None);
    }
    let right = is_of(&grant, &sent.client_id)
        && sent.redirect_uri.as_ref().is_none_or(|uri| *uri == grant.redirect_uri)
        && keys::same(digest(&sent.verifier).as_bytes(), grant.challenge.as_bytes());
    if !right || grant.is_revoked || grant.code_expires_at <= now {
        return Ok(None);
    }
    issue(engine, tx, &grant, (&engine.clock().secret(SECRET_LENGTH), &sent.code), request_id).await
}

/// Exchanges a refresh token for new tokens; `None` if it is not valid. The same tokens are given again for [`REPEAT_LASTS`]: clients send
/// requests side by side, and lose answers. Later a token that was used before ends the access: somebody else may have it.
#[boxed]
#[tracing::instrument(skip_all)]
pub async fn refresh(engine: &Engine, client_id: &str, token: &str, request_id: RequestId) -> Result<Option<Tokens>, Error> {
    let Some((family, turn)) = parts(token) else { return Ok(None) };
    let mut tx = engine.db().control.begin_system().await?;
    let Some(grant) = store::grant_by_family(&mut tx, &keys::hash(family)).await? else { return Ok(None) };
    if !is_of(&grant, client_id) {
        return Ok(None);
    }
    let (now, turn) = (engine.clock().now(), keys::hash(turn));
    let is_turn = |hash: Option<&[u8]>| hash.is_some_and(|hash| keys::same(hash, &turn));
    let is_repeat = is_turn(grant.previous_hash.as_deref()) && grant.renewed_at.is_some_and(|renewed| now < renewed + REPEAT_LASTS);
    if !is_repeat && !is_turn(grant.turn_hash.as_deref()) {
        end(engine, tx, &grant, "a refresh token was used twice", request_id).await?;
        return Ok(None);
    }
    if grant.is_revoked || grant.refresh_expires_at.is_none_or(|expires| expires <= now) {
        return Ok(None);
    }
    match grant.salt.as_ref().filter(|_| is_repeat) {
        Some(salt) => Ok(Some(tokens(&grant, (family, token), salt))),
        None => issue(engine, tx, &grant, (family, token), request_id).await,
    }
}

/// Ends the access that a token of the client belongs to. Any other token changes nothing.
#[boxed]
#[tracing::instrument(skip_all)]
pub async fn revoke(engine: &Engine, client_id: &str, token: &str, request_id: RequestId) -> Result<(), Error> {
    let key = match keys::prefix_of(token) {
        Some(prefix) => store::key_by_prefix(engine.db().control.system(), prefix).await?,
        None => None,
    };
    let key = key.filter(|key| keys::same(&key.secret_hash, &keys::hash(token)));
    let mut tx = engine.db().control.begin_system().await?;
    let found = match (parts(token), key) {
        (Some((family, _)), _) => store::grant_by_family(&mut tx, &keys::hash(family)).await?,
        (None, Some(key)) => store::grant_of_key(&mut tx, key.tenant_id, key.key_id).await?,
        (None, None) => None,
    };
    match found.filter(|grant| is_of(grant, client_id)) {
        Some(grant) => end(engine, tx, &grant, "its client gave it up", request_id).await,
        None => Ok(()),
    }
}

/// Replaces the tokens of some access, unless its operator may no longer give it. `given` is as for [`tokens`].
async fn issue(engine: &Engine, mut tx: Tx, grant: &Grant, given: (&str, &str), request_id: RequestId) -> Result<Option<Tokens>, Error> {
    if grant.is_disabled || !grant.scopes.iter().all(|scope| scope.is_granted_by(&grant.roles)) {
        end(engine, tx, grant, "its operator may no longer give it", request_id).await?;
        return Ok(None);
    }
    let (now, salt) = (engine.clock().now(), engine.clock().secret(SECRET_LENGTH));
    let tokens = tokens(grant, given, &salt);
    let (Some(prefix), Some((family, turn))) = (keys::prefix_of(&tokens.access), parts(&tokens.refresh)) else {
        return Err(Error::internal("new tokens do not have the form of tokens"));
    };
    let new = store::NewTokens {
        prefix,
        secret_hash: &keys::hash(&tokens.access),
        expires_at: now + ACCESS_LASTS,
        family_hash: &keys::hash(family),
        turn_hash: &keys::hash(turn),
        salt: &salt,
        refresh_expires_at: now + REFRESH_LASTS,
    };
    if !store::renew(&mut tx, grant.tenant_id, grant.key_id, &new, now).await? {
        return Ok(None);
    }
    tx.commit().await?;
    Ok(Some(tokens))
}

/// The tokens that replace a code or a refresh token. They are computed, so that a repeat gets the same ones: from what they replace, which
/// is not stored, and from a salt, which nobody gets. `given` is the first part of the refresh token, and what is replaced.
fn tokens(grant: &Grant, (family, replaced): (&str, &str), salt: &str) -> Tokens {
    // The two digits that tokens do not have.
    let secret = |what: &str| digest(&format!("{what} {salt} {replaced}")).replace('-', "a").replace('_', "b");
    let prefix: String = secret("prefix").chars().take(keys::PREFIX_LENGTH).collect();
    Tokens {
        access: format!("rmb_{prefix}_{}", secret("access")),
        refresh: format!("{REFRESH}{family}_{}", secret("turn")),
        scopes: grant.scopes.clone(),
    }
}

/// Revokes the key of some access.
async fn end(engine: &Engine, mut tx: Tx, grant: &Grant, why: &str, request_id: RequestId) -> Result<(), Error> {
    if !store::revoke_key(&mut tx, grant.tenant_id, grant.key_id, engine.clock().now()).await? {
        return Ok(());
    }
    let ctx = OpContext::system(grant.tenant_id, grant.commons_id, request_id);
    let entry = NewEntry::new(engine, &ctx, "key.revoked", "key", grant.key_id, format!("access revoked: {why}"));
    finish(engine, tx, &ctx, entry.agent(grant.agent_id)).await
}

fn is_of(grant: &Grant, client_id: &str) -> bool {
    match document_host(client_id) {
        Some(_) => client_documents::id(client_id) == grant.client_id,
        None => client_id.parse::<Uuid>().is_ok_and(|id| id == grant.client_id),
    }
}

/// The two secrets of something that has the form of a refresh token.
fn parts(token: &str) -> Option<(&str, &str)> {
    let (family, turn) = token.strip_prefix(REFRESH)?.split_once('_')?;
    let plain = |text: &str| text.len() == SECRET_LENGTH && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (plain(family) && plain(turn)).then_some((family, turn))
}

/// The SHA-256 of a text in base64url, 43 digits: the PKCE challenge of a verifier.
fn digest(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let hash = keys::hash(text);
    let mut text = String::with_capacity(43);
    for three in hash.chunks(3) {
        let bits = three.iter().fold(0, |bits, byte| (bits << 8) | usize::from(*byte)) << (8 * (3 - three.len()));
        // Three bytes are four digits; fewer bytes are one digit more than bytes.
        text.extend((0..=three.len()).map(|digit| char::from(DIGITS[(bits >> (18 - 6 * digit)) & 63])));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_challenge_is_that_of_the_standard() {
        // RFC 7636, appendix B.
        assert_eq!(digest("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }

    #[test]
    fn only_well_formed_refresh_tokens_have_parts() {
        let (family, turn) = ("a".repeat(SECRET_LENGTH), "b".repeat(SECRET_LENGTH));
        let token = format!("rmr_{family}_{turn}");
        assert_eq!(parts(&token), Some((&*family, &*turn)));
        for bad in ["", "rmr_", "rmr_a_b", &token[1..], &token[..token.len() - 1], &token.replace('b', "-")] {
            assert_eq!(parts(bad), None, "{bad}");
        }
    }
}

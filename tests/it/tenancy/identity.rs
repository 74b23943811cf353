//! The queries of identity: agents, keys, users, operators, policies and saved views.

use super::queries::{Case, Pooled, Query, control, kept, queries};
use chrono::TimeDelta;
use foundation::identity::{Agent, Use, store as identity};
use remembrancer::chat::store::insert_bot;
use std::collections::BTreeMap;
use uuid::Uuid;
use wire::{
    AdminAgent, AdminOperator, AdminUser, AgentId, AgentKind, BotId, CapturePolicy, Discipline, Invitation, InvitationId, InvitationKind,
    KeyId, KeyScope, LifecyclePolicy, OperatorId, OperatorRole, SavedView, SearchPolicy, Toolset, UserId, ViewId, ViewPage, ViewSharing,
};

/// In the control database; kept apart by tenant.
pub const IDENTITY: &[Query] = queries! {
    "identity::agents" |tx, c| identity::agents(tx, c.tenant).await?.iter().filter(|agent| agent.id == c.agent).count();
    "identity::lifecycle_policy" |tx, c| usize::from(identity::lifecycle_policy(tx, c.tenant, c.agent).await?.is_some());
    "identity::capture_policy" |tx, c| usize::from(identity::capture_policy(tx, c.tenant).await?.is_some());
    "identity::search_policy" |tx, c| usize::from(identity::search_policy(tx, c.tenant).await?.is_some());
    "identity::knowledge_categories" |tx, c| identity::knowledge_categories(tx, c.tenant, c.agent).await?.len();
    "identity::keeps_context_texts" |tx, c| usize::from(identity::keeps_context_texts(tx, c.tenant, c.agent).await?);
    "identity::agents_with_settings"
        |tx, c| identity::agents_with_settings(tx, c.tenant, None, 9).await?.iter().filter(|agent| agent.id == c.agent).count();
    "identity::api_keys" |tx, c| identity::api_keys(tx, c.tenant, Some(c.agent), None, None, 9).await?.len();
    "identity::agent_with_settings"
        |tx, c| usize::from(identity::agent_with_settings(tx, c.tenant, "atlas").await?.is_some_and(|agent| agent.id == c.agent));
    "identity::calls_of_agents"
        |tx, c| identity::calls_of_agents(tx, c.tenant).await?.iter().filter(|calls| calls.agent_id == c.agent).count();
    "identity::users_after" |tx, c| identity::users_after(tx, c.tenant, None, 9).await?.len();
    "identity::operators" |tx, c| identity::operators(tx, c.tenant, Some(c.operator)).await?.len();
    "identity::invitations" |tx, c| identity::invitations(tx, c.tenant, c.now).await?.len();
    "identity::users" |tx, c| identity::users(tx, c.tenant).await?.len();
    "identity::users_named" |tx, c| identity::users_named(tx, c.tenant, "crm-", 9).await?.len();
    "identity::users_called" |tx, c| identity::users_called(tx, c.tenant, "idris", 9).await?.len();
    "identity::users_by_id" |tx, c| {
        let of_anybody = sqlx::query_scalar("select id from users where external_ref = 'crm-1'").fetch_all(&mut **tx).await?;
        identity::users_by_id(tx, c.tenant, &of_anybody).await?.len()
    };
    "identity::admins" |tx, c| identity::admins(tx, c.tenant).await?.iter().filter(|admin| admin.id == c.operator).count();
    "identity::views" |tx, c| identity::views(tx, c.tenant, c.operator, ViewPage::Memories).await?.len();
    "identity::count_views" |tx, c| identity::count_views(tx, c.tenant, c.operator).await? as usize;
    "identity::insert_view" |tx, c| {
        let (name, query, sharing) = ("intruder".into(), "q=x".into(), ViewSharing::Private);
        let view = SavedView { id: ViewId(c.fresh), page: ViewPage::Memories, name, query, sharing, by: None };
        identity::insert_view(tx, c.tenant, c.operator, &view, c.now).await.map(|()| 0)?
    };
    "identity::rename_view" |tx, c| usize::from(identity::rename_view(tx, c.tenant, c.operator, c.view, "renamed").await?);
    "identity::sharing" |tx, c| usize::from(identity::sharing(tx, c.tenant, c.operator, c.view).await?.is_some());
    "identity::share_view" |tx, c| usize::from(identity::share_view(tx, c.tenant, c.operator, c.view, ViewSharing::Pinned).await?);
    "identity::delete_view" |tx, c| usize::from(identity::delete_view(tx, c.tenant, c.operator, c.view).await?.is_some());
};

/// Access with a key, given by the operator of the case.
fn grant<'a>(case: &Case, key_id: KeyId, code_hash: &'a [u8]) -> identity::NewGrant<'a> {
    identity::NewGrant {
        key_id,
        client_id: case.fresh,
        operator_id: case.operator,
        redirect_uri: "https://claude.example/callback",
        challenge: "x",
        code_hash,
        code_expires_at: case.now,
    }
}

/// Run by the role that sees all tenants, for one of them.
pub fn pooled() -> Vec<Pooled> {
    vec![
        control("identity::insert_agent", |pool, c| {
            let id = AgentId(c.fresh);
            let agent = Agent {
                id,
                kind: AgentKind::Agent,
                slug: "intruder".into(),
                name: "x".into(),
                require_user: false,
                discipline: Discipline::Aggressive,
                blocked_at: None,
                retired_at: None,
            };
            kept!(pool, |tx| identity::insert_agent(tx, c.tenant, &agent, c.now).await.map(|()| 0)?)
        }),
        control("identity::adopt_agent", |pool, c| {
            let id = AgentId(c.id.0);
            let agent = Agent {
                id,
                kind: AgentKind::Agent,
                slug: "adopted".into(),
                name: "x".into(),
                require_user: false,
                discipline: Discipline::Confirming,
                blocked_at: None,
                retired_at: None,
            };
            kept!(pool, |tx| identity::adopt_agent(tx, c.tenant, &agent, c.now).await.map(|_| 0)?)
        }),
        control("identity::insert_key", |pool, c| {
            let prefix = &c.ctx.tenant_id.0.simple().to_string()[20..];
            let (id, prefix) = (KeyId(c.fresh), prefix.to_owned());
            kept!(pool, |tx| {
                let key = identity::NewKey {
                    id,
                    agent_id: c.agent,
                    prefix: &prefix,
                    secret_hash: &[],
                    name: "x",
                    scopes: &[KeyScope::MemoryRead],
                    user_id: None,
                    expires_at: None,
                };
                identity::insert_key(tx, c.tenant, &key, c.now).await.map(usize::from)?
            })
        }),
        control("identity::insert_user", |pool, c| {
            let reference = c.fresh.to_string();
            let tenant = c.ctx.tenant_id;
            kept!(pool, |tx| identity::insert_user(tx, tenant, UserId(c.fresh), &reference, None, c.now).await.map(|_| 0)?)
        }),
        control("identity::user_by_reference", |pool, c| {
            Box::pin(async move { Ok(usize::from(identity::user_by_reference(pool, c.tenant, "crm-1").await?.is_some())) })
        }),
        control("identity::lock_user", |pool, c| {
            kept!(pool, |tx| {
                let of_anybody: Vec<UserId> =
                    sqlx::query_scalar("select id from users where external_ref = 'crm-1'").fetch_all(&mut **tx).await?;
                let mut seen = 0;
                for user in of_anybody {
                    seen += usize::from(identity::lock_user(tx, c.tenant, user).await?);
                }
                seen
            })
        }),
        control("identity::set_lifecycle_policy", |pool, c| {
            let policy = LifecyclePolicy::default();
            kept!(pool, |tx| identity::set_lifecycle_policy(tx, c.tenant, c.agent, &policy, "x", c.now).await.map(|()| 0)?)
        }),
        control("identity::set_capture_policy", |pool, c| {
            kept!(pool, |tx| identity::set_capture_policy(tx, c.tenant, &CapturePolicy::default(), "x", c.now).await.map(|()| 0)?)
        }),
        control("identity::set_search_policy", |pool, c| {
            kept!(pool, |tx| identity::set_search_policy(tx, c.tenant, &SearchPolicy::default(), "x", c.now).await.map(|()| 0)?)
        }),
        control("identity::set_knowledge_categories", |pool, c| {
            kept!(pool, |tx| identity::set_knowledge_categories(tx, c.tenant, c.agent, &["intruded".into()]).await.map(usize::from)?)
        }),
        control("identity::set_keeps_context_texts", |pool, c| {
            kept!(pool, |tx| identity::set_keeps_context_texts(tx, c.tenant, c.agent, false).await.map(usize::from)?)
        }),
        control("identity::set_blocked", |pool, c| {
            kept!(pool, |tx| identity::set_blocked(tx, c.tenant, c.agent, Some(c.now)).await.map(usize::from)?)
        }),
        control("identity::key_by_id", |pool, c| {
            Box::pin(async move { Ok(usize::from(identity::key_by_id(pool, c.tenant, c.key).await?.is_some())) })
        }),
        control("identity::write_uses", |pool, c| {
            let uses = BTreeMap::from([((c.tenant, c.key), Use::request(true, None, c.now))]);
            Box::pin(async move { identity::write_uses(pool, &uses).await.map(|()| 0) })
        }),
        control("identity::count_source", |pool, c| {
            let day = c.now.date_naive();
            Box::pin(async move { identity::count_source(pool, (c.tenant, c.key), day, 1, i64::MAX).await.map(usize::from) })
        }),
        control("identity::keys_of", |pool, c| {
            kept!(pool, |tx| identity::keys_of(tx, c.tenant, c.agent, 10).await.map(|keys| keys.len())?)
        }),
        control("identity::key_names", |pool, c| {
            kept!(pool, |tx| identity::key_names(tx, c.tenant, &[c.key]).await.map(|names| names.len())?)
        }),
        control("identity::toolsets", |pool, c| {
            kept!(pool, |tx| identity::toolsets(tx, c.tenant, c.key).await.map(|sets| usize::from(sets.is_some()))?)
        }),
        control("identity::set_toolsets", |pool, c| {
            kept!(pool, |tx| identity::set_toolsets(tx, c.tenant, c.key, &[Toolset::Capture]).await.map(usize::from)?)
        }),
        control("identity::scopes_of", |pool, c| {
            kept!(pool, |tx| identity::scopes_of(tx, c.tenant, c.agent, c.now).await.map(|scopes| scopes.len())?)
        }),
        control("identity::insert_grant", |pool, c| {
            kept!(pool, |tx| identity::insert_grant(tx, c.tenant, &grant(c, c.key, c.fresh.as_bytes()), c.now).await.map(usize::from)?)
        }),
        control("identity::renew", |pool, c| {
            let prefix = c.fresh.simple().to_string()[..12].to_owned();
            kept!(pool, |tx| {
                let new = identity::NewTokens {
                    prefix: &prefix,
                    secret_hash: &[],
                    expires_at: c.now,
                    family_hash: c.fresh.as_bytes(),
                    turn_hash: &[],
                    salt: "",
                    refresh_expires_at: c.now,
                };
                identity::renew(tx, c.tenant, c.key, &new, c.now).await.map(usize::from)?
            })
        }),
        control("identity::grant_of_key", |pool, c| {
            kept!(pool, |tx| usize::from(identity::grant_of_key(tx, c.tenant, c.key).await?.is_some()))
        }),
        control("identity::revoke_key", |pool, c| {
            kept!(pool, |tx| identity::revoke_key(tx, c.tenant, c.key, c.now).await.map(usize::from)?)
        }),
        control("identity::revoke_granted", |pool, c| {
            let prefix = c.id.0.simple().to_string()[20..].to_owned();
            kept!(pool, |tx| {
                let id = KeyId(c.id.0);
                let key = identity::NewKey {
                    id,
                    agent_id: c.agent,
                    prefix: &prefix,
                    secret_hash: &[],
                    name: "x",
                    scopes: &[KeyScope::MemoryRead],
                    user_id: None,
                    expires_at: None,
                };
                // Another tenant has no such agent: nothing is inserted.
                identity::insert_key(tx, c.tenant, &key, c.now).await?;
                identity::insert_grant(tx, c.tenant, &grant(c, id, id.0.as_bytes()), c.now).await?;
                identity::revoke_granted(tx, c.tenant, c.operator, c.now).await?.len()
            })
        }),
        control("identity::insert_operator", |pool, c| {
            let login = format!("intruder@{}", c.tenant);
            kept!(pool, |tx| {
                let roles = &[OperatorRole::Viewer];
                let operator = identity::NewOperator { id: OperatorId(c.fresh), login: &login, name: "x", password_hash: "x", roles };
                identity::insert_operator(tx, c.tenant, &operator, c.now).await.map(|()| 0)?
            })
        }),
        control("identity::insert_operator_of_provider", |pool, c| {
            let (id, login) = (OperatorId(Uuid::from_u128(c.fresh.as_u128() + 2)), format!("provided@{}", c.tenant));
            let (name, roles) = ("x".into(), vec![OperatorRole::Viewer]);
            let (created_at, disabled_at, issuer, attach_until) = (c.now, None, None, None);
            let operator = AdminOperator { id, login, name, roles, created_at, disabled_at, issuer, attach_until };
            let subject = c.tenant.to_string();
            kept!(pool, |tx| {
                identity::insert_operator_of_provider(tx, c.tenant, &operator, "https://id.example", &subject).await.map(|()| 0)?
            })
        }),
        // The operator whom the query above made, in each tenant one.
        control("identity::detach_identity", |pool, c| {
            let id = OperatorId(Uuid::from_u128(c.fresh.as_u128() + 2));
            kept!(pool, |tx| identity::detach_identity(tx, c.tenant, id, c.now + TimeDelta::hours(1)).await.map(|_| 0)?)
        }),
        control("identity::attach_identity", |pool, c| {
            let (id, subject) = (OperatorId(Uuid::from_u128(c.fresh.as_u128() + 2)), c.tenant.to_string());
            kept!(pool, |tx| { identity::attach_identity(tx, c.tenant, id, ("https://id.example", &subject), c.now).await.map(|_| 0)? })
        }),
        control("identity::lock_operator", |pool, c| {
            kept!(pool, |tx| identity::lock_operator(tx, c.tenant, c.operator, 0).await.map(usize::from)?)
        }),
        control("identity::update_operator", |pool, c| {
            let (id, login, name, created_at) = (c.operator, "x".into(), "x".into(), c.now);
            let (roles, disabled_at, issuer, attach_until) = (vec![OperatorRole::Viewer], None, None, None);
            let operator = AdminOperator { id, login, name, roles, created_at, disabled_at, issuer, attach_until };
            kept!(pool, |tx| identity::update_operator(tx, c.tenant, &operator, true).await.map(usize::from)?)
        }),
        control("identity::disable_operator", |pool, c| {
            kept!(pool, |tx| identity::disable_operator(tx, c.tenant, c.operator, c.now).await.map(usize::from)?)
        }),
        control("identity::enable_operator", |pool, c| {
            kept!(pool, |tx| {
                identity::disable_operator(tx, c.tenant, c.operator, c.now).await?;
                identity::enable_operator(tx, c.tenant, c.operator).await.map(usize::from)?
            })
        }),
        control("identity::insert_invitation", |pool, c| {
            let invitation = Invitation {
                id: InvitationId(c.fresh),
                kind: InvitationKind::Invite,
                login: "intruder".into(),
                name: "x".into(),
                roles: vec![OperatorRole::Viewer],
                created_by: "x".into(),
                created_at: c.now,
                expires_at: c.now,
            };
            let token_hash = c.tenant.0.as_bytes().to_vec();
            kept!(pool, |tx| {
                let new = identity::NewInvitation { invitation: &invitation, token_hash: &token_hash, operator_id: None, inviter_id: None };
                identity::insert_invitation(tx, c.tenant, &new).await.map(|()| 0)?
            })
        }),
        control("identity::withdraw_invitations", |pool, c| {
            kept!(pool, |tx| identity::withdraw_invitations(tx, c.tenant, c.operator).await.map(|links| links.len())?)
        }),
        control("identity::delete_invitation", |pool, c| {
            kept!(pool, |tx| {
                let of_anybody: Vec<InvitationId> =
                    sqlx::query_scalar("select id from operator_invitations where login like 'newt@%'").fetch_all(&mut **tx).await?;
                let mut deleted = 0;
                for id in of_anybody {
                    deleted += usize::from(identity::delete_invitation(tx, c.tenant, id).await?.is_some());
                }
                deleted
            })
        }),
        control("identity::user_to_change", |pool, c| {
            kept!(pool, |tx| usize::from(identity::user_to_change(tx, c.tenant, None, Some("crm-1")).await?.is_some()))
        }),
        control("identity::update_user", |pool, c| {
            kept!(pool, |tx| {
                let of_anybody: Vec<UserId> =
                    sqlx::query_scalar("select id from users where external_ref = 'crm-1'").fetch_all(&mut **tx).await?;
                let mut changed = 0;
                for id in of_anybody {
                    let user = AdminUser { id, external_ref: "crm-1".into(), name: Some("intruded".into()) };
                    changed += usize::from(identity::update_user(tx, c.tenant, &user).await?);
                }
                changed
            })
        }),
        control("identity::lock_key", |pool, c| kept!(pool, |tx| usize::from(identity::lock_key(tx, c.tenant, c.key).await?))),
        control("identity::replace_key", |pool, c| {
            kept!(pool, |tx| usize::from(identity::replace_key(tx, c.tenant, c.key, c.key, c.now).await?))
        }),
        control("identity::move_bots", |pool, c| {
            kept!(pool, |tx| {
                let id = BotId(Uuid::from_u128(c.fresh.as_u128() + 9));
                insert_bot(tx, c.tenant, id, c.key, "x", &[], c.now).await?;
                usize::from(identity::move_bots(tx, c.tenant, c.key, c.key).await?)
            })
        }),
        control("identity::agent_to_change", |pool, c| {
            kept!(pool, |tx| {
                let agent = identity::agent_to_change(tx, c.tenant, "atlas").await?;
                usize::from(agent.is_some_and(|agent| agent.id == c.agent))
            })
        }),
        control("identity::update_agent", |pool, c| {
            let agent = AdminAgent {
                id: c.agent,
                slug: "atlas".into(),
                name: "intruded".into(),
                discipline: Discipline::Aggressive,
                require_user: false,
                knowledge_categories: vec![],
                keeps_context_texts: true,
                created_at: c.now,
                blocked_at: None,
                retired_at: None,
            };
            kept!(pool, |tx| usize::from(identity::update_agent(tx, c.tenant, &agent).await?))
        }),
        control("identity::revoke_keys_of", |pool, c| {
            kept!(pool, |tx| identity::revoke_keys_of(tx, c.tenant, c.agent, c.now).await.map(|keys| keys.len())?)
        }),
    ]
}

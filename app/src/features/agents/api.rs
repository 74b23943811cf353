use super::hosts::Host;
use crate::{
    ConsoleError, Flash, form,
    guard::{console, finish, incomplete, not_found, operator, set_status},
    once,
    query::Query,
    submit::submit,
    ui::text,
};
use chrono::{DateTime, TimeDelta, Utc};
use foundation::{Engine, OpContext, identity};
use leptos::prelude::*;
use remembrancer::{chat, overview};
use wire::{
    AdminAgent, AdminBot, AgentDetail, AgentId, AgentKind, AgentSettings, AgentSummary, ApiKey, BotId, Discipline, ErrorCode, FieldError,
    KeyId, KeyPreset, KeyScope, NewApiKey, OperatorRole, Toolset, UserId, UserRef,
};

/// Lives of a key that a form offers: days as the form sends them, and what the form calls them.
pub const LIVES: [(&str, &str); 4] = [("", "Never"), ("30", "After 30 days"), ("90", "After 90 days"), ("365", "After a year")];

pub async fn agents() -> Result<Vec<AgentSummary>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(overview::agents(&engine, &ctx).await?)
}

/// An agent with what its page shows.
pub struct AgentRead {
    pub detail: AgentDetail,
    /// Whether the context log keeps its texts.
    pub keeps_context_texts: bool,
    /// The chat bots of the organisation, for admins.
    pub bots: Vec<AdminBot>,
    /// A key, or what Telegram must know of a bot, that was just made. Nobody can read it again.
    pub secret: Option<String>,
}

/// Everything about one agent.
pub async fn read_agent(id: AgentId) -> Result<AgentRead, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let detail = overview::agent(&engine, &ctx, id).await?;
    let keeps_context_texts = identity::keeps_context_texts(&engine, &ctx, id).await?;
    let bots = match ctx.require_role(OperatorRole::Admin) {
        Ok(()) => chat::bots(&engine, &ctx).await?,
        Err(_) => vec![],
    };
    Ok(AgentRead { detail, keeps_context_texts, bots, secret: once::take(&page(id)).await })
}

/// A key with its agent, for the page that waits for its first call.
pub struct KeyRead {
    pub key: ApiKey,
    pub agent: AgentSummary,
    /// The whole key, if it was just made. Nobody can read it again.
    pub secret: Option<String>,
    pub public_url: String,
}

/// A key of an agent that may be connected.
pub async fn read_key(id: KeyId) -> Result<KeyRead, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let agents = overview::agents(&engine, &ctx).await?;
    let missing = || not_found("No key has this id.");
    let key = identity::api_key(&engine, &ctx, id).await.map_err(|error| match error {
        foundation::Error::NotFound(_) => missing(),
        error => error.into(),
    })?;
    let agent = agents.into_iter().find(|agent| agent.id == key.agent_id).ok_or_else(missing)?;
    let public_url = console()?.public_url.to_string();
    Ok(KeyRead { key, agent, secret: once::take(&connected(id)).await, public_url })
}

/// Makes an agent, then redirects to its page, or back to the list if it is refused.
#[server(endpoint = "create_agent")]
pub async fn create_agent(#[server(default)] slug: String, #[server(default)] name: String) -> Result<(), ConsoleError> {
    let typed = Query::default().with("slug", &slug).with("name", &name).href("");
    let slug = slug.trim();
    let name = Some(name.trim()).filter(|name| !name.is_empty()).unwrap_or(slug);
    let made = async {
        let (engine, ctx) = operator().await?;
        Ok(identity::create_agent(&engine, &ctx, slug, name, false).await?)
    };
    let made = made.await;
    let done = made.as_ref().map(|agent| page(agent.id)).unwrap_or_default();
    let says = |agent: identity::Agent| Flash::done(format!("Made the agent {}. Next, make a key or connect it.", agent.slug));
    finish(made.map(says), &done, "/agents", &typed).await
}

/// Changes the name and the settings of an agent, then redirects to its page.
#[server(endpoint = "change_agent")]
pub async fn change_agent(
    id: AgentId,
    #[server(default)] name: String,
    discipline: Discipline,
    #[server(default)] require_user: bool,
    #[server(default)] keeps_context_texts: bool,
) -> Result<(), ConsoleError> {
    let typed = Query::default().with("form", "settings").with("name", &name).with("discipline", discipline);
    let typed = typed.with_some("require_user", require_user.then_some(true));
    let typed = typed.with_some("keeps_context_texts", keeps_context_texts.then_some(true));
    submit(&page(id), typed, |engine, ctx| async move {
        let before = in_use(&engine, &ctx, id).await?;
        let settings = AgentSettings {
            name: Some(name.trim().to_owned()),
            discipline: Some(discipline),
            require_user: Some(require_user),
            keeps_context_texts: Some(keeps_context_texts),
            knowledge_categories: None,
        };
        let after = identity::change_agent(&engine, &ctx, &before.slug, settings).await?;
        let changed = changed(&before, &after);
        if changed.is_empty() {
            return Ok(Flash::done("Nothing changed: the settings were the same."));
        }
        let fields = [
            ("id", id.to_string()),
            ("name", before.name),
            ("discipline", before.discipline.to_string()),
            ("require_user", before.require_user.to_string()),
            ("keeps_context_texts", before.keeps_context_texts.to_string()),
        ];
        Ok(Flash::done(format!("Changed: {}.", changed.join(", "))).undone_by("change_agent", fields))
    })
    .await
}

/// What differs between two settings of an agent.
fn changed(before: &AdminAgent, after: &AdminAgent) -> Vec<&'static str> {
    let fields = [
        ("the name", before.name != after.name),
        ("the discipline", before.discipline != after.discipline),
        ("whether calls must name their user", before.require_user != after.require_user),
        ("whether the context log keeps texts", before.keeps_context_texts != after.keeps_context_texts),
    ];
    fields.into_iter().filter_map(|(field, differs)| differs.then_some(field)).collect()
}

/// Retires an agent, then redirects to its page.
#[server(endpoint = "retire_agent")]
pub async fn retire_agent(id: AgentId, #[server(default)] reason: String) -> Result<(), ConsoleError> {
    submit(&page(id), Query::default().with("form", "retire").with("reason", &reason), |engine, ctx| async move {
        let agent = one(&engine, &ctx, id).await?;
        let reason = Some(reason.trim()).filter(|reason| !reason.is_empty());
        identity::retire_agent(&engine, &ctx, &agent.slug, reason).await?;
        let text = "Retired. Its keys are revoked, and nobody can choose it. Its memories stay.";
        Ok(Flash::done(text).undone_by("restore_agent", [("id", id.to_string())]).undo_named("Bring it back without its keys"))
    })
    .await
}

/// Brings a retired agent back, then redirects to its page.
#[server(endpoint = "restore_agent")]
pub async fn restore_agent(id: AgentId) -> Result<(), ConsoleError> {
    submit(&page(id), Query::default().with("form", "retire"), |engine, ctx| async move {
        let agent = one(&engine, &ctx, id).await?;
        identity::put_agent(&engine, &ctx, &agent.slug, AgentSettings::default()).await?;
        Ok(Flash::done("The agent is back, without keys. Make a new one for it."))
    })
    .await
}

/// Makes a key of an agent, then redirects to the agent's page, which shows the key once.
#[server(endpoint = "create_key")]
pub async fn create_key(
    agent: AgentId,
    #[server(default)] name: String,
    #[server(default)] preset: String,
    #[server(default)] scopes: Vec<KeyScope>,
    #[server(default)] user: String,
    #[server(default)] days: String,
) -> Result<(), ConsoleError> {
    let typed = Query::default().with("form", "key").with("name", &name).with("preset", &preset).with("user", &user).with("days", &days);
    let typed = scopes.iter().fold(typed, |typed, scope| typed.with(scope.as_str(), "yes"));
    submit(&page(agent), typed, |engine, ctx| async move {
        let new = NewApiKey {
            agent: in_use(&engine, &ctx, agent).await?.slug,
            name: name.trim().to_owned(),
            scopes,
            preset: form::optional("preset", &preset, "Choose one of the rights.").map_err(incomplete)?,
            user_id: person(&engine, &ctx, &user).await?.map(UserRef::Id),
            expires_at: end_of(&days, engine.clock().now())?,
            toolsets: vec![],
        };
        let made = identity::add_key(&engine, &ctx, new).await?;
        let says = format!("Made the key “{}”. Copy it now: it is shown once.", text::visible(&made.key.name));
        once::show(&page(agent), made.secret, says).await
    })
    .await
}

/// Replaces a key of an agent, then redirects to the agent's page, which shows the new key once.
#[server(endpoint = "rotate_key")]
pub async fn rotate_key(id: KeyId, agent: AgentId, #[server(default)] overlap_hours: u32) -> Result<(), ConsoleError> {
    submit(&page(agent), Query::default().with("key", id), |engine, ctx| async move {
        let made = identity::rotate_key(&engine, &ctx, id, overlap_hours).await?;
        let old = match overlap_hours {
            0 => "The old key is refused from now on.".to_owned(),
            hours => format!("The old key works for {}.", text::count(hours.into(), "more hour", "more hours")),
        };
        once::show(&page(agent), made.secret, format!("Replaced. {old} Copy the new key now: it is shown once.")).await
    })
    .await
}

/// Makes a key for an agent in a host, then redirects to the page with the lines for that host.
#[server(endpoint = "connect_agent")]
pub async fn connect_agent(agent: AgentId, #[server(default)] host: String, #[server(default)] user: String) -> Result<(), ConsoleError> {
    let typed = Query::default().with("agent", agent).with("host", &host).with("user", &user);
    let again = typed.without(&["user"]).href("/agents/connect");
    let made = async {
        let (engine, ctx) = operator().await?;
        ctx.require_role(OperatorRole::Admin)?;
        let host = Host::named(&host).ok_or_else(|| incomplete(FieldError::new("host", "Choose one of the hosts.")))?;
        let new = NewApiKey {
            agent: in_use(&engine, &ctx, agent).await?.slug,
            name: host.name.to_owned(),
            scopes: vec![],
            preset: Some(KeyPreset::Agent),
            user_id: person(&engine, &ctx, &user).await?.map(UserRef::Id),
            expires_at: None,
            toolsets: vec![],
        };
        let made = identity::add_key(&engine, &ctx, new).await?;
        let page = connected(made.key.id);
        let flash =
            once::show(&page, made.secret, format!("Made a key for {}. Copy the lines now: the key is shown once.", host.name)).await?;
        Ok((flash, Query::default().with("host", host.slug).href(&page)))
    };
    let made: Result<(Flash, String), ConsoleError> = made.await;
    let done = made.as_ref().map(|(_, page)| page.clone()).unwrap_or_default();
    finish(made.map(|(flash, _)| flash), &done, &again, &typed.href("")).await
}

/// Blocks or unblocks an agent, then redirects to its page.
#[server(endpoint = "set_agent_blocked")]
pub async fn set_agent_blocked(id: AgentId, blocked: bool, #[server(default)] reason: String) -> Result<(), ConsoleError> {
    submit(&page(id), Query::default().with("reason", &reason), |engine, ctx| async move {
        let changed = identity::set_blocked(&engine, &ctx, id, blocked, &reason).await?;
        let done = Flash::done(match (changed, blocked) {
            (true, true) => "Blocked. The keys of the agent are refused from now on.",
            (true, false) => "Unblocked. The keys of the agent work again.",
            (false, true) => "The agent is already blocked.",
            (false, false) => "The agent is already unblocked.",
        });
        let back = [("id", id.to_string()), ("blocked", (!blocked).to_string()), ("reason", "Undo".to_owned())];
        Ok(if changed { done.undone_by("set_agent_blocked", back) } else { done })
    })
    .await
}

/// Revokes a key of an agent, then redirects to the agent's page.
#[server(endpoint = "revoke_key")]
pub async fn revoke_key(id: KeyId, agent: AgentId) -> Result<(), ConsoleError> {
    submit(&page(agent), Query::default().with("key", id), |engine, ctx| async move {
        identity::revoke_key(&engine, &ctx, id).await?;
        Ok(Flash::done("Revoked. The key is refused from now on."))
    })
    .await
}

/// Chooses the toolsets that clients list with a key of an agent besides `core`, then redirects to the agent's page.
#[server(endpoint = "set_key_toolsets")]
pub async fn set_key_toolsets(id: KeyId, agent: AgentId, #[server(default)] toolsets: Vec<Toolset>) -> Result<(), ConsoleError> {
    submit(&page(agent), Query::default().with("key", id), |engine, ctx| async move {
        identity::set_toolsets(&engine, &ctx, id, &toolsets).await?;
        Ok(Flash::done("Saved. Clients see the change when they next list their tools."))
    })
    .await
}

/// Makes a bot on Telegram that acts with a key of an agent, then redirects to the agent's page, which shows once what Telegram must know.
#[server(endpoint = "create_bot")]
pub async fn create_bot(agent: AgentId, key: KeyId, #[server(default)] name: String) -> Result<(), ConsoleError> {
    submit(&page(agent), Query::default().with("form", "bot").with("name", &name).with("bot_key", key), |engine, ctx| async move {
        let (bot, secret) = chat::create_bot(&engine, &ctx, key, name.trim()).await?;
        let url = console()?.public_url;
        let lines = format!("url {url}/api/adapters/telegram/{bot}\nsecret_token {secret}");
        let says = "Made the bot. Copy both lines now for Telegram’s setWebhook: they are shown once.";
        once::show(&page(agent), Some(lines), says).await
    })
    .await
}

/// Removes a bot, then redirects to the page of the agent whose key it used.
#[server(endpoint = "remove_bot")]
pub async fn remove_bot(agent: AgentId, bot: BotId) -> Result<(), ConsoleError> {
    submit(&page(agent), Query::default().with("form", "bot").with("bot", bot), |engine, ctx| async move {
        chat::remove_bot(&engine, &ctx, bot).await?;
        Ok(Flash::done("Removed. Its chats get no answer any more. Delete its webhook at Telegram, too."))
    })
    .await
}

/// Binds a chat of a bot to a person, then redirects to the page of the bot's agent.
#[server(endpoint = "bind_chat")]
pub async fn bind_chat(
    agent: AgentId,
    bot: BotId,
    #[server(default)] chat: String,
    #[server(default)] user: String,
) -> Result<(), ConsoleError> {
    let typed = Query::default().with("form", "bot").with("bot", bot).with("chat", &chat).with("user", &user);
    submit(&page(agent), typed, |engine, ctx| async move {
        ctx.require_role(OperatorRole::Admin)?;
        let user = person(&engine, &ctx, &user).await?;
        let user = user.ok_or_else(|| incomplete(FieldError::new("user", "is required")))?;
        let chat = chat.trim();
        chat::bind_chat(&engine, &ctx, bot, chat, user).await?;
        let fields = [("agent", agent.to_string()), ("bot", bot.to_string()), ("chat", chat.to_owned())];
        Ok(Flash::done("Bound. The chat shows the memories of this person.").undone_by("unbind_chat", fields))
    })
    .await
}

/// Unbinds a chat of a bot, then redirects to the page of the bot's agent.
#[server(endpoint = "unbind_chat")]
pub async fn unbind_chat(agent: AgentId, bot: BotId, #[server(default)] chat: String) -> Result<(), ConsoleError> {
    submit(&page(agent), Query::default().with("form", "bot").with("bot", bot), |engine, ctx| async move {
        chat::unbind_chat(&engine, &ctx, bot, chat.trim()).await?;
        Ok(Flash::done("Unbound. The chat gets only help and its id."))
    })
    .await
}

fn page(agent: AgentId) -> String {
    format!("/agents/{agent}")
}

/// The page that waits for the first call with a key.
fn connected(key: KeyId) -> String {
    format!("/agents/connect/{key}")
}

/// An agent as an admin changes it.
async fn one(engine: &Engine, ctx: &OpContext, id: AgentId) -> Result<AdminAgent, ConsoleError> {
    ctx.require_role(OperatorRole::Admin)?;
    let agent = identity::agent(engine, ctx, id).await?;
    Ok(identity::agent_settings(engine, ctx, &agent.slug).await?)
}

/// The same; one that is retired is refused.
async fn in_use(engine: &Engine, ctx: &OpContext, id: AgentId) -> Result<AdminAgent, ConsoleError> {
    let agent = one(engine, ctx, id).await?;
    if agent.retired_at.is_some() {
        set_status(ErrorCode::Conflict);
        return Err(ConsoleError::new(ErrorCode::Conflict, format!("{} is retired. Bring it back first.", agent.slug)));
    }
    Ok(agent)
}

/// The person whom a field names, if it names one. A mistyped name is refused: it must not become a new user.
async fn person(engine: &Engine, ctx: &OpContext, typed: &str) -> Result<Option<UserId>, ConsoleError> {
    let named = form::user("user", typed).map_err(incomplete)?;
    Ok(identity::person(engine, ctx, named.as_ref()).await?)
}

/// When a key ends that lives for some days; none without an end.
fn end_of(days: &str, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>, ConsoleError> {
    let offered = LIVES.iter().any(|(offered, _)| *offered == days);
    match days.parse() {
        Ok(days) if offered => Ok(Some(now + TimeDelta::days(days))),
        Err(_) if offered => Ok(None),
        _ => Err(incomplete(FieldError::new("days", "Choose one of the times."))),
    }
}

/// Whether somebody can connect an agent to a host.
pub fn connects(agent: &AgentSummary) -> bool {
    agent.kind == AgentKind::Agent && !agent.retired
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_lives_as_long_as_the_form_offers() {
        let now = DateTime::from_timestamp(0, 0).unwrap();
        let days = |days| end_of(days, now).map(|end| end.map(|end| (end - now).num_days()));
        assert_eq!([days(""), days("90")], [Ok(None), Ok(Some(90))]);
        for wrong in ["91", "99999999999", "-30", "soon"] {
            assert_eq!(days(wrong).unwrap_err().fields[0].field, "days", "{wrong}");
        }
    }
}

use crate::{
    Flash,
    query::Query,
    ui::{Choice, Icon, PostForm, SelectField, Shape, TextField, Titled, rows_or, text},
};
use leptos::prelude::*;
use wire::{AdminBot, AgentId, AgentKey, BotId, USER_REF_MAX};

/// Longest name of a bot, and longest id of a chat, in characters.
const NAME_MAX: usize = 100;
const CHAT_MAX: usize = 64;

/// The chat bots that use a key of the agent, and the forms that make one, and bind and unbind its chats.
#[component]
pub fn Bots(
    agent: AgentId,
    bots: Vec<AdminBot>,
    /// The keys that a new bot can use.
    keys: Vec<AgentKey>,
    /// The message about a refused form of a bot.
    flash: Option<Flash>,
) -> impl IntoView {
    let of_new = flash.clone().filter(|flash| Query::parse(&flash.typed).get("bot").is_none());
    let rows: Vec<_> = bots.into_iter().map(|bot| view! { <Bot agent bot flash=flash.clone() /> }).collect();
    let add = (!keys.is_empty()).then(|| view! { <NewBot agent keys flash=of_new /> });
    view! {
        <Titled id="bots" title="Chat bots">
            {rows_or("No chat bots. On Telegram, a bot shows people what the agent remembers about them, and deletes it.", rows)}
            {add}
        </Titled>
    }
}

#[component]
fn Bot(agent: AgentId, bot: AdminBot, flash: Option<Flash>) -> impl IntoView {
    let id = bot.id.to_string();
    let nobody = flash.as_ref().and_then(|flash| flash.field("user_id"));
    let (typed, error) = flash.and_then(|flash| flash.refused_at(("bot", id.as_str()), "user")).unwrap_or_default();
    let open = typed.get("bot").is_some();
    let error = error.or(nobody.filter(|_| open));
    view! {
        <li class="px-4 py-2 text-sm" data-testid="bot">
            <p class="flex flex-wrap items-baseline justify-between gap-x-3">
                <span class="min-w-0 font-medium break-words">{text::visible(&bot.name)}</span>
                <span class="text-soft">{format!("{}, {}", bot.platform, text::count(bot.chats, "bound chat", "bound chats"))}</span>
            </p>
            <details class="mt-1" open=open>
                <summary class="button button-quiet h-6! px-2! text-xs!">"Chats…"</summary>
                <div class="mt-2 grid gap-4 sm:grid-cols-2">
                    <Bind agent bot=bot.id typed error />
                    <Unbind agent bot=bot.id />
                </div>
            </details>
            <Remove agent bot=bot.id name=text::visible(&bot.name) />
        </li>
    }
}

#[component]
fn Bind(agent: AgentId, bot: BotId, typed: Query, error: Option<String>) -> impl IntoView {
    view! {
        <PostForm class="space-y-2" action="/console/api/bind_chat" label="Bind a chat" fields=[("agent", agent.to_string()), ("bot", bot.to_string())]>
            <TextField
                id=format!("bind-{bot}")
                name="chat"
                label="Id of the chat"
                required=true
                most=CHAT_MAX
                hint="4711"
                note="A private chat that is not bound gets its id from the bot."
                value=typed.text("chat")
            />
            <TextField
                id=format!("user-{bot}")
                name="user"
                label="Person"
                required=true
                most=USER_REF_MAX
                hint="Name, reference or id"
                value=typed.text("user")
                error=error
            />
            <button class="button" type="submit">"Bind chat"</button>
        </PostForm>
    }
}

#[component]
fn Unbind(agent: AgentId, bot: BotId) -> impl IntoView {
    view! {
        <PostForm class="space-y-2" action="/console/api/unbind_chat" label="Unbind a chat" fields=[
            ("agent", agent.to_string()), ("bot", bot.to_string()),
        ]>
            <TextField
                id=format!("unbind-{bot}")
                name="chat"
                label="Id of the chat"
                required=true
                most=CHAT_MAX
                note="The chat then gets only help and its id."
                value=""
            />
            <button class="button" type="submit">"Unbind chat"</button>
        </PostForm>
    }
}

/// The folded form that removes a bot.
#[component]
fn Remove(agent: AgentId, bot: BotId, name: String) -> impl IntoView {
    let fields = [("agent", agent.to_string()), ("bot", bot.to_string())];
    view! {
        <details class="mt-1">
            <summary class="button button-quiet h-6! px-2! text-xs!">"Remove…"</summary>
            <PostForm class="mt-2 space-y-1" action="/console/api/remove_bot" label="Remove the bot" fields=fields>
                <p class="text-xs text-soft">
                    "Unbinds its chats, which get no answer any more. Memories and the key stay, and Telegram keeps the messages. You cannot undo this."
                </p>
                <button class="button button-danger" type="submit" aria-label=format!("Remove bot {name}")>
                    "Remove bot"
                </button>
            </PostForm>
        </details>
    }
}

/// The folded form that makes a bot. The page then shows what Telegram must know once.
#[component]
fn NewBot(agent: AgentId, keys: Vec<AgentKey>, flash: Option<Flash>) -> impl IntoView {
    let open = flash.is_some();
    let typed = flash.as_ref().map(|flash| Query::parse(&flash.typed)).unwrap_or_default();
    let error = move |field: &str| flash.as_ref().and_then(|flash| flash.field(field));
    let keys: Vec<Choice> = keys.into_iter().map(|key| (key.id.to_string(), text::visible(&key.name))).collect();
    view! {
        <details class="card mt-3" open=open>
            <summary class="flex items-center gap-2 px-4 py-2.5 font-medium">
                <Icon shape=Shape::Add />
                "New chat bot…"
            </summary>
            <PostForm class="space-y-3 px-4 pb-4" action="/console/api/create_bot" label="New chat bot" fields=[("agent", agent.to_string())]>
                <p class="text-sm text-soft">"A bot on Telegram that acts with one key. The key needs memory:read, and memory:forget to delete."</p>
                <TextField
                    id="bot-name"
                    name="name"
                    label="Name of the bot"
                    required=true
                    most=NAME_MAX
                    value=typed.text("name")
                    error=error("name")
                />
                <SelectField name="key" label="Key of the bot" value=typed.text("bot_key") choices=keys />
                <button class="button button-primary" type="submit">"Make bot"</button>
            </PostForm>
        </details>
    }
}

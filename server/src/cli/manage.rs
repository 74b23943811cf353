//! Chat bots, projects, and the use of models, from the command line.

use super::Failure;
use chrono::Duration;
use clap::{Args, Subcommand};
use foundation::{Engine, Error, identity, projects, usage};
use remembrancer::{chat, overview};
use wire::{BotId, KeyId, NewProject, SearchPolicy, UserId, UserRef, UserSettings, Weights};

#[derive(Subcommand)]
pub enum Bot {
    /// Bind a Telegram bot to an agent's key, and print its id and its webhook's secret once
    Create {
        /// The id of the key that the bot uses
        key: KeyId,
        #[arg(long)]
        tenant: String,
        #[arg(long)]
        name: String,
    },
    /// List bots with their keys, and how many chats are bound to people
    List {
        #[arg(long)]
        tenant: String,
    },
    /// Remove a bot and unbind its chats; its key and all memories stay
    Remove {
        bot: BotId,
        #[arg(long)]
        tenant: String,
    },
    /// Bind a private chat to a person: only a bound chat sees memories
    Bind {
        bot: BotId,
        /// The chat's id in Telegram
        #[arg(long, allow_hyphen_values = true)]
        chat: String,
        /// The person: your own reference, or the id that memories carry
        #[arg(long)]
        user: UserRef,
        #[arg(long)]
        tenant: String,
    },
    /// Unbind a chat from its person
    Unbind {
        bot: BotId,
        #[arg(long, allow_hyphen_values = true)]
        chat: String,
        #[arg(long)]
        tenant: String,
    },
}

#[derive(Subcommand)]
pub enum User {
    /// Add a user under your own reference, which API calls may use instead of the id, and print the id
    Add {
        /// Your own reference, such as an account number
        reference: String,
        #[arg(long)]
        tenant: String,
        #[arg(long)]
        name: Option<String>,
        /// The id that this user's memories carry already
        #[arg(long)]
        id: Option<UserId>,
    },
    /// Change your own reference to a user, or the name
    Change {
        /// The user: your own reference, or the id that memories carry
        user: UserRef,
        #[arg(long)]
        tenant: String,
        /// The new name; an empty one is removed
        #[arg(long)]
        name: Option<String>,
        /// The new reference
        #[arg(long)]
        reference: Option<String>,
    },
    /// List users with their references
    List {
        #[arg(long)]
        tenant: String,
    },
}

#[derive(Subcommand)]
pub enum Project {
    /// Create a project and print its id
    Create {
        slug: String,
        #[arg(long)]
        tenant: String,
        #[arg(long)]
        name: String,
    },
    /// List projects with their repositories and links
    List {
        #[arg(long)]
        tenant: String,
    },
    /// Link two projects: each finds the memories of the other
    Link {
        project: String,
        other: String,
        #[arg(long)]
        tenant: String,
        /// Remove the link between two projects
        #[arg(long)]
        remove: bool,
    },
}

#[derive(Subcommand)]
pub enum Repo {
    /// Create a repository in a project and print its id
    Create {
        slug: String,
        /// The project's slug or id
        #[arg(long)]
        project: String,
        #[arg(long)]
        tenant: String,
        #[arg(long)]
        name: String,
    },
}

#[derive(Args)]
pub struct Search {
    /// The tenant's slug
    tenant: String,
    /// Weight of similarity, 0 to 1
    #[arg(long)]
    similarity: Option<f64>,
    /// Weight of recency, 0 to 1
    #[arg(long)]
    recency: Option<f64>,
    /// Weight of importance, 0 to 1
    #[arg(long)]
    importance: Option<f64>,
    /// Weight of source priority, 0 to 1
    #[arg(long)]
    source_priority: Option<f64>,
    /// Least similarity of a hit, 0 to 1
    #[arg(long, conflicts_with = "model_floors")]
    similarity_min: Option<f64>,
    /// Use the floors of the embedding model as the least similarity
    #[arg(long)]
    model_floors: bool,
}

pub async fn search(engine: &Engine, options: Search) -> Result<(), Failure> {
    let ctx = identity::open_tenant(engine, &options.tenant).await?;
    let before = identity::search_policy(engine, &ctx).await?;
    let weights = Weights {
        similarity: options.similarity.unwrap_or(before.weights.similarity),
        recency: options.recency.unwrap_or(before.weights.recency),
        importance: options.importance.unwrap_or(before.weights.importance),
        source_priority: options.source_priority.unwrap_or(before.weights.source_priority),
    };
    let similarity_min = if options.model_floors { None } else { options.similarity_min.or(before.similarity_min) };
    let policy = SearchPolicy { weights, similarity_min };
    // NaN equals nothing, so it is never taken for the value that is there.
    if policy != before {
        identity::set_search_policy(engine, &ctx, policy).await?;
    }
    let least = similarity_min.map_or("the floors of the embedding model".to_owned(), |least| least.to_string());
    println!(
        "similarity {} + recency {} + importance {} + source priority {}\nleast similarity: {least}",
        weights.similarity, weights.recency, weights.importance, weights.source_priority
    );
    Ok(())
}

pub async fn bot(engine: &Engine, command: Bot) -> Result<(), Failure> {
    match command {
        Bot::Create { key, tenant, name } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            let (id, secret) = chat::create_bot(engine, &ctx, key, &name).await?;
            println!("bot {id}\nwebhook /api/adapters/telegram/{id}\nsecret_token {secret}");
        }
        Bot::List { tenant } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            for bot in chat::bots(engine, &ctx).await? {
                println!("bot {} {} key {}, {} chats: {}", bot.id, bot.platform, bot.key_id, bot.chats, bot.name);
            }
        }
        Bot::Remove { bot, tenant } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            chat::remove_bot(engine, &ctx, bot).await?;
            println!("removed bot {bot}; delete its webhook at Telegram, too");
        }
        Bot::Bind { bot, chat, user, tenant } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            let id = identity::person(engine, &ctx, Some(&user)).await?.ok_or(Error::NotFound("user"))?;
            chat::bind_chat(engine, &ctx, bot, &chat, id).await?;
            println!("chat {chat} belongs to {user}");
        }
        Bot::Unbind { bot, chat, tenant } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            chat::unbind_chat(engine, &ctx, bot, &chat).await?;
            println!("chat {chat} belongs to nobody");
        }
    }
    Ok(())
}

pub async fn user(engine: &Engine, command: User) -> Result<(), Failure> {
    match command {
        User::Add { reference, tenant, name, id } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            let user = identity::add_user(engine, &ctx, &reference, name.as_deref(), id).await?;
            println!("user {} {}", user.external_ref, user.id);
        }
        User::Change { user, tenant, name, reference } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            let known = identity::person(engine, &ctx, Some(&user)).await?.map_or(user, UserRef::Id);
            let settings = UserSettings { name, external_ref: reference };
            let (user, _) = identity::put_user(engine, &ctx, &known, settings).await?;
            println!("user {} {} {}", user.external_ref, user.id, user.name.unwrap_or_default());
        }
        User::List { tenant } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            for user in identity::users(engine, &ctx).await? {
                println!("user {} {} {}", user.external_ref, user.id, user.name.unwrap_or_default());
            }
        }
    }
    Ok(())
}

pub async fn project(engine: &Engine, command: Project) -> Result<(), Failure> {
    match command {
        Project::Create { slug, tenant, name } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            let project = projects::create(engine, &ctx, NewProject { slug, name }).await?;
            println!("project {} {}", project.slug, project.id);
        }
        Project::List { tenant } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            for project in projects::list(engine, &ctx).await? {
                println!("project {} {} {}", project.slug, project.id, project.name);
                project.repos.iter().for_each(|repo| println!("  repo {} {} {}", repo.slug, repo.id, repo.name));
                project.linked.iter().for_each(|other| println!("  linked {other}"));
            }
        }
        Project::Link { project, other, tenant, remove } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            let changed = match remove {
                true => projects::unlink(engine, &ctx, &project, &other).await?,
                false => projects::link(engine, &ctx, &project, &other).await?,
            };
            println!("{}", if changed { "done" } else { "nothing changed" });
        }
    }
    Ok(())
}

pub async fn repo(engine: &Engine, command: Repo) -> Result<(), Failure> {
    let Repo::Create { slug, project, tenant, name } = command;
    let ctx = identity::open_tenant(engine, &tenant).await?;
    let repo = projects::create_repo(engine, &ctx, &project, NewProject { slug, name }).await?;
    println!("repo {} {}", repo.slug, repo.id);
    Ok(())
}

/// Prints the usage ledger of some days, a line for each agent, model and purpose.
pub async fn usage(engine: &Engine, tenant: &str, days: u32) -> Result<(), Failure> {
    let ctx = identity::open_tenant(engine, tenant).await?;
    let agents = overview::agents(engine, &ctx).await?;
    let used = usage::report(engine, &ctx, engine.clock().now() - Duration::days(days.into())).await?;
    if used.is_empty() {
        println!("no model was used in the last {days} days");
        return Ok(());
    }
    println!(
        "{:<20} {:<28} {:<12} {:>10} {:>12} {:>12} {:>10}",
        "agent", "model", "purpose", "calls", "tokens in", "tokens out", "dollars"
    );
    for row in used {
        let agent = agents.iter().find(|agent| agent.id == row.agent_id).map_or("-", |agent| agent.slug.as_str());
        println!(
            "{agent:<20} {:<28} {:<12} {:>10} {:>12} {:>12} {:>10.4}",
            row.model,
            row.purpose.as_str(),
            row.calls,
            row.tokens_in,
            row.tokens_out,
            row.dollars
        );
    }
    Ok(())
}

//! Tenants, agents and keys, from the command line.

use super::{Failure, cluster, manage, policy};
use chrono::{DateTime, Duration, Utc};
use clap::Subcommand;
use db::distributed::Node;
use foundation::{Engine, OpContext, identity};
use wire::{
    AdminAgent, AdminAgents, AgentId, AgentSettings, ApiKey, ApiKeys, Discipline, KeyId, KeyPreset, KeyScope, MadeApiKey, NewApiKey,
    OVERLAP_HOURS, Toolset, UserRef,
};

#[derive(Subcommand)]
pub enum Tenant {
    /// Create a tenant with its commons, the memory that its agents share
    Create {
        slug: String,
        #[arg(long)]
        name: String,
        /// For one person who uses every agent: what is captured waits for no review
        #[arg(long)]
        one_person: bool,
    },
    /// Show or change the capture policy: what becomes a memory without review; without options it only shows the policy
    Capture {
        #[command(flatten)]
        policy: policy::PolicyOptions,
    },
    /// Show or change how search_my_memories ranks its hits; without options it only shows the settings
    Search {
        #[command(flatten)]
        policy: manage::Search,
    },
    /// Move all memory and knowledge of a tenant to a worker of the cluster; its writes wait meanwhile, and at first those of every tenant
    Move {
        slug: String,
        #[arg(long, value_name = "HOST:PORT")]
        to: Node,
    },
}

#[derive(Subcommand)]
pub enum Agent {
    /// Create an agent
    Create {
        slug: String,
        #[arg(long)]
        tenant: String,
        #[arg(long)]
        name: String,
        /// The id that the agent has elsewhere; without it, the agent gets a new one
        #[arg(long)]
        id: Option<AgentId>,
        /// Require that every call names its user, recalls included
        #[arg(long)]
        require_user: bool,
        /// aggressive: it stores what lasts; confirming: it asks first
        #[arg(long, default_value = "aggressive")]
        discipline: Discipline,
    },
    /// List agents with their settings
    List {
        #[arg(long)]
        tenant: String,
    },
    /// Change the name that people read; the slug never changes
    Rename {
        slug: String,
        name: String,
        #[arg(long)]
        tenant: String,
    },
    /// Retire an agent: revoke its keys, and offer it to nobody; its memories stay
    Retire {
        slug: String,
        #[arg(long)]
        tenant: String,
        /// Kept in the audit log
        #[arg(long)]
        reason: Option<String>,
    },
    /// Bring a retired agent back, without its keys
    Restore {
        slug: String,
        #[arg(long)]
        tenant: String,
    },
    /// Choose the documents that search_my_memories searches for an agent
    SetKnowledge {
        slug: String,
        /// Kinds of documents and names of collections, separated by commas; leave it empty for all documents
        #[arg(value_delimiter = ',')]
        categories: Vec<String>,
        #[arg(long)]
        tenant: String,
    },
    /// Choose whether the context log keeps the texts of an agent's contexts
    KeepContextTexts {
        slug: String,
        /// true: keep the texts; false: do not keep them
        #[arg(action = clap::ArgAction::Set)]
        keep: bool,
        #[arg(long)]
        tenant: String,
    },
    /// Change how eagerly an agent writes: the instructions that it gets from GET /api/prompts
    SetDiscipline {
        slug: String,
        /// aggressive or confirming
        discipline: Discipline,
        #[arg(long)]
        tenant: String,
    },
}

#[derive(Subcommand)]
pub enum Key {
    /// Create an API key and print it once
    Create {
        /// The agent's slug
        agent: String,
        #[arg(long)]
        tenant: String,
        #[arg(long)]
        name: String,
        /// Scopes of the key, separated by commas; GET /api/docs names the scopes that each operation needs
        #[arg(long, value_delimiter = ',', required_unless_present = "preset")]
        scopes: Vec<KeyScope>,
        /// Scopes under one name, besides those of --scopes: reader, agent or importer
        #[arg(long)]
        preset: Option<KeyPreset>,
        /// Bind the key to this user: your own reference, or the id that memories carry
        #[arg(long)]
        user: Option<UserRef>,
        /// Days until the key expires; by default it never expires
        #[arg(long)]
        days: Option<u32>,
        /// Tools that MCP clients list besides core: capture, knowledge, vocabulary, profile or all, separated by commas
        #[arg(long, value_delimiter = ',')]
        toolsets: Vec<Toolset>,
    },
    /// List the keys of a tenant or of one agent: when and from which address each was last used, and when it ends
    List {
        #[arg(long)]
        tenant: String,
        /// The agent's slug
        #[arg(long)]
        agent: Option<String>,
    },
    /// Replace a key by a new one with the same rights, print it once, and end the old one after some hours
    Rotate {
        id: KeyId,
        #[arg(long)]
        tenant: String,
        /// Hours for which the old key keeps working; 0 revokes it at once
        #[arg(long, default_value_t = OVERLAP_HOURS, value_name = "HOURS")]
        overlap: u32,
    },
    /// Choose the tools that MCP clients list with a key besides core; without --toolsets, none
    SetToolsets {
        id: KeyId,
        #[arg(long)]
        tenant: String,
        /// capture, knowledge, vocabulary, profile or all, separated by commas
        #[arg(long, value_delimiter = ',')]
        toolsets: Vec<Toolset>,
    },
    /// Revoke an API key at once
    Revoke {
        id: KeyId,
        #[arg(long)]
        tenant: String,
    },
}

pub async fn tenant(engine: &Engine, command: Tenant) -> Result<(), Failure> {
    match command {
        Tenant::Create { slug, name, one_person } => {
            let ctx = match one_person {
                true => identity::create_own_tenant(engine, &slug, &name).await?,
                false => identity::create_tenant(engine, &slug, &name).await?,
            };
            println!("tenant {slug} {}", ctx.tenant_id);
            Ok(())
        }
        Tenant::Capture { policy } => policy::capture(engine, policy).await,
        Tenant::Search { policy } => manage::search(engine, policy).await,
        Tenant::Move { slug, to } => cluster::move_tenant(engine, &slug, &to).await,
    }
}

pub async fn agent(engine: &Engine, command: Agent) -> Result<(), Failure> {
    match command {
        Agent::Create { slug, tenant, name, id, require_user, discipline } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            let agent = match id {
                Some(id) => identity::create_agent_with_id(engine, &ctx, id, &slug, &name, require_user).await?,
                None => identity::create_agent(engine, &ctx, &slug, &name, require_user).await?,
            };
            if discipline != agent.discipline {
                let settings = AgentSettings { discipline: Some(discipline), ..AgentSettings::default() };
                identity::put_agent(engine, &ctx, &slug, settings).await?;
            }
            println!("agent {slug} {}", agent.id);
        }
        Agent::KeepContextTexts { slug, keep, tenant } => {
            let (ctx, id) = open_agent(engine, &tenant, &slug).await?;
            identity::set_keeps_context_texts(engine, &ctx, id, keep).await?;
            println!("context texts of agent {slug} are {}", if keep { "kept" } else { "not kept" });
        }
        Agent::SetDiscipline { slug, discipline, tenant } => {
            let settings = AgentSettings { discipline: Some(discipline), ..AgentSettings::default() };
            change_agent(engine, &tenant, &slug, settings).await?;
            println!("agent {slug} has the write discipline {discipline}");
        }
        Agent::List { tenant } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            let mut after: Option<String> = None;
            loop {
                let AdminAgents { agents, next } = identity::list_agents(engine, &ctx, after.as_deref()).await?;
                agents.iter().for_each(print_agent);
                after = next;
                if after.is_none() {
                    break;
                }
            }
        }
        Agent::Rename { slug, name, tenant } => {
            change_agent(engine, &tenant, &slug, AgentSettings { name: Some(name), ..AgentSettings::default() }).await?;
            println!("agent {slug} has a new name");
        }
        Agent::Retire { slug, tenant, reason } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            identity::retire_agent(engine, &ctx, &slug, reason.as_deref()).await?;
            println!("agent {slug} is retired");
        }
        Agent::Restore { slug, tenant } => {
            let (ctx, _) = open_agent(engine, &tenant, &slug).await?;
            identity::put_agent(engine, &ctx, &slug, AgentSettings::default()).await?;
            println!("agent {slug} is in use; make a key for it");
        }
        Agent::SetKnowledge { slug, categories, tenant } => {
            let (ctx, id) = open_agent(engine, &tenant, &slug).await?;
            identity::set_knowledge_categories(engine, &ctx, id, &categories).await?;
            println!("agent {slug} searches {}", if categories.is_empty() { "all documents".into() } else { categories.join(", ") });
        }
    }
    Ok(())
}

/// Changes an agent in use.
async fn change_agent(engine: &Engine, tenant: &str, slug: &str, settings: AgentSettings) -> Result<(), Failure> {
    let ctx = identity::open_tenant(engine, tenant).await?;
    identity::change_agent(engine, &ctx, slug, settings).await?;
    Ok(())
}

/// The tenant of an agent, and the agent's id.
///
/// # Errors
/// When one of them does not exist.
pub async fn open_agent(engine: &Engine, tenant: &str, slug: &str) -> Result<(OpContext, AgentId), Failure> {
    let ctx = identity::open_tenant(engine, tenant).await?;
    let agent = identity::agent_by_slug(engine, &ctx, slug).await?;
    Ok((ctx, agent.id))
}

fn print_agent(agent: &AdminAgent) {
    let state = match (agent.retired_at, agent.blocked_at) {
        (Some(at), _) => format!("retired since {}", minute(at)),
        (None, Some(at)) => format!("blocked since {}", minute(at)),
        (None, None) => "in use".into(),
    };
    println!("agent {} {} {} {state}: {}", agent.slug, agent.id, agent.discipline, agent.name);
}

pub async fn key(engine: &Engine, command: Key) -> Result<(), Failure> {
    match command {
        Key::Create { agent, tenant, name, scopes, preset, user, days, toolsets } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            // A mistyped reference must not become a new user.
            let user_id = identity::person(engine, &ctx, user.as_ref()).await?.map(UserRef::Id);
            let expires_at = days.map(|days| engine.clock().now() + Duration::days(days.into()));
            let new = NewApiKey { agent, name, scopes, preset, user_id, expires_at, toolsets };
            print_key(identity::add_key(engine, &ctx, new).await?);
        }
        Key::List { tenant, agent } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            let mut after: Option<String> = None;
            loop {
                let ApiKeys { keys, next } = identity::list_keys(engine, &ctx, agent.as_deref(), after.as_deref()).await?;
                keys.iter().for_each(|key| println!("{}", line(key)));
                after = next;
                if after.is_none() {
                    break;
                }
            }
        }
        Key::Rotate { id, tenant, overlap } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            print_key(identity::rotate_key(engine, &ctx, id, overlap).await?);
        }
        Key::SetToolsets { id, tenant, toolsets } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            identity::set_toolsets(engine, &ctx, id, &toolsets).await?;
            println!("the toolsets of key {id} are set");
        }
        Key::Revoke { id, tenant } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            identity::revoke_key(engine, &ctx, id).await?;
            println!("key {id} is revoked");
        }
    }
    Ok(())
}

/// A time for people.
pub fn minute(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%d %H:%M UTC").to_string()
}

/// Prints a key that was just made, with its id.
fn print_key(made: MadeApiKey) {
    println!("key {}\n{}", made.key.id, made.secret.unwrap_or_default());
}

/// A key in a line.
fn line(key: &ApiKey) -> String {
    let state = match (key.revoked_at, key.expires_at) {
        (Some(at), _) => format!("revoked {}", minute(at)),
        (None, Some(at)) => format!("expires {}", minute(at)),
        (None, None) => "never expires".into(),
    };
    let used = match (key.last_used_at, &key.last_used_from) {
        (Some(at), Some(from)) => format!("used {} from {from}", minute(at)),
        (Some(at), None) => format!("used {}", minute(at)),
        (None, _) => "never used".into(),
    };
    let scopes: Vec<&str> = key.scopes.iter().map(|scope| scope.as_str()).collect();
    format!("key {} {} {} {state}, {used}, {} requests: {} ({})", key.id, key.agent, key.hint, key.requests, key.name, scopes.join(", "))
}

//! Tenants, agents, keys and operators, from the command line.

use super::{Failure, manage, policy};
use chrono::Duration;
use clap::Subcommand;
use foundation::{Engine, OpContext, identity};
use wire::{AgentId, Discipline, KeyId, KeyScope, OperatorRole, Toolset, UserRef};

/// Characters of a generated password: 20 of 62 symbols are 119 bits.
const PASSWORD_LENGTH: usize = 20;

#[derive(Subcommand)]
pub enum Tenant {
    /// Create a tenant with its commons, the memory that its agents share
    Create {
        slug: String,
        #[arg(long)]
        name: String,
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
        #[arg(long, value_delimiter = ',', required = true)]
        scopes: Vec<KeyScope>,
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

#[derive(Subcommand)]
pub enum Operator {
    /// Create an operator and print a password once
    Create {
        /// The name for signing in
        login: String,
        #[arg(long)]
        tenant: String,
        #[arg(long)]
        name: String,
        /// Roles of the operator, separated by commas: viewer, operator, reviewer, admin
        #[arg(long, value_delimiter = ',', default_value = "viewer")]
        roles: Vec<OperatorRole>,
    },
    /// Give an operator a new password, print it once, and end the operator's sessions
    ResetPassword { login: String },
    /// Replace an operator's roles, and end the operator's sessions
    SetRoles {
        login: String,
        /// Roles of the operator, separated by commas
        #[arg(value_delimiter = ',', required = true)]
        roles: Vec<OperatorRole>,
        #[arg(long)]
        tenant: String,
    },
    /// End an operator's access and sessions at once
    Disable {
        login: String,
        #[arg(long)]
        tenant: String,
    },
}

pub async fn tenant(engine: &Engine, command: Tenant) -> Result<(), Failure> {
    match command {
        Tenant::Create { slug, name } => {
            let ctx = identity::create_tenant(engine, &slug, &name).await?;
            println!("tenant {slug} {}", ctx.tenant_id);
            Ok(())
        }
        Tenant::Capture { policy } => policy::capture(engine, policy).await,
        Tenant::Search { policy } => manage::search(engine, policy).await,
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
                identity::set_discipline(engine, &ctx, agent.id, discipline).await?;
            }
            println!("agent {slug} {}", agent.id);
        }
        Agent::KeepContextTexts { slug, keep, tenant } => {
            let (ctx, id) = open_agent(engine, &tenant, &slug).await?;
            identity::set_keeps_context_texts(engine, &ctx, id, keep).await?;
            println!("context texts of agent {slug} are {}", if keep { "kept" } else { "not kept" });
        }
        Agent::SetDiscipline { slug, discipline, tenant } => {
            let (ctx, id) = open_agent(engine, &tenant, &slug).await?;
            identity::set_discipline(engine, &ctx, id, discipline).await?;
            println!("agent {slug} has the write discipline {discipline}");
        }
        Agent::SetKnowledge { slug, categories, tenant } => {
            let (ctx, id) = open_agent(engine, &tenant, &slug).await?;
            identity::set_knowledge_categories(engine, &ctx, id, &categories).await?;
            println!("agent {slug} searches {}", if categories.is_empty() { "all documents".into() } else { categories.join(", ") });
        }
    }
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

pub async fn key(engine: &Engine, command: Key) -> Result<(), Failure> {
    match command {
        Key::Create { agent, tenant, name, scopes, user, days, toolsets } => {
            let (ctx, agent) = open_agent(engine, &tenant, &agent).await?;
            let expires = days.map(|days| engine.clock().now() + Duration::days(days.into()));
            let (id, key) = identity::create_key(engine, &ctx, agent, &name, &scopes, user.as_ref(), expires).await?;
            // First: nobody could use or revoke a key that was not printed because the rest failed.
            println!("key {id}\n{key}");
            if !toolsets.is_empty() {
                identity::set_toolsets(engine, &ctx, id, &toolsets).await?;
            }
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

pub async fn operator(engine: &Engine, command: Operator) -> Result<(), Failure> {
    match command {
        Operator::Create { login, tenant, name, roles } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            let password = engine.clock().secret(PASSWORD_LENGTH);
            identity::create_operator(engine, &ctx, &login, &name, &password, &roles).await?;
            println!("{login}\n{password}");
        }
        Operator::ResetPassword { login } => {
            let password = engine.clock().secret(PASSWORD_LENGTH);
            identity::reset_password(engine, &login, &password).await?;
            println!("{login}\n{password}");
        }
        Operator::SetRoles { login, roles, tenant } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            identity::set_roles(engine, &ctx, identity::operator_by_login(engine, &ctx, &login).await?, &roles).await?;
            println!("{login} has new roles");
        }
        Operator::Disable { login, tenant } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            identity::disable_operator(engine, &ctx, identity::operator_by_login(engine, &ctx, &login).await?).await?;
            println!("{login} is disabled");
        }
    }
    Ok(())
}

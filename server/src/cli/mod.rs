//! The command line.

mod capture;
#[cfg(test)]
mod configuration;
mod diagnose;
mod erasure;
mod eval;
mod kb;
mod lifecycle;
mod manage;
mod policy;
pub mod portability;

use crate::config::Config;
use crate::serve::{self, IfAbsent, Opened};
use crate::{Failure, mcp};
use capture::Capture;
use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand};
use diagnose::Diagnose;
use erasure::Erasure;
use eval::Eval;
use foundation::audit::{Anchor, Verified};
use foundation::{Engine, audit, identity, usage};
use kb::Kb;
use lifecycle::Lifecycle;
use manage::{Bot, Project, Repo, User};
use std::path::PathBuf;
use tracing_subscriber::EnvFilter;
use wire::{AgentId, Discipline, KeyId, OperatorRole, Scope, Usd, UserRef};

/// Characters of a generated password: 20 of 62 symbols are 119 bits.
const PASSWORD_LENGTH: usize = 20;

/// A memory server for LLM agents, with a console for the people who are responsible for what agents remember.
#[derive(Parser)]
#[command(name = "remembrancer", version, after_help = "Configuration comes from the environment: see 'remembrancer serve --help'.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve the API and the console until stopped
    Serve(Box<Serve>),
    /// Serve one client of the Model Context Protocol on standard input and output
    Mcp(Mcp),
    /// Create and migrate the databases, then stop
    Migrate,
    /// Organisations, which the command line calls tenants
    #[command(subcommand)]
    Tenant(Tenant),
    /// Agents of a tenant
    #[command(subcommand)]
    Agent(Agent),
    /// API keys of an agent
    #[command(subcommand)]
    Key(Key),
    /// People who sign in to the console
    #[command(subcommand)]
    Operator(Operator),
    /// Chat bots, and the people behind their chats
    #[command(subcommand)]
    Bot(Bot),
    /// Your own references to users
    #[command(subcommand)]
    User(User),
    /// Projects and the links between them
    #[command(subcommand)]
    Project(Project),
    /// Repositories of projects
    #[command(subcommand)]
    Repo(Repo),
    /// Shared knowledge
    #[command(subcommand)]
    Kb(Kb),
    /// Export memory, vocabulary, knowledge and activity into a file that another installation can import, or memory into a folder to read
    Export(portability::Export),
    /// Import an exported file: all of it, or nothing
    Import(portability::Import),
    /// Store a transcript or a note, and extract what is worth remembering
    Capture(Capture),
    /// Explain why an agent does not recall a memory: which gate stops it, and how to fix that
    Diagnose(Diagnose),
    /// Do background work in this process: extraction, embeddings, delivery
    Worker,
    /// Measure the quality of retrieval, extraction, profiles and contexts
    #[command(subcommand)]
    Eval(Eval),
    /// How memories age: the policy, what will be archived, a sweep
    #[command(subcommand)]
    Lifecycle(Lifecycle),
    /// Erase a person on a legal request, or put one under a legal hold
    #[command(subcommand)]
    Erasure(Erasure),
    /// Print what models were used for and what that cost
    Usage {
        #[arg(long)]
        tenant: String,
        /// How far to look back
        #[arg(long, default_value_t = 30, value_name = "DAYS")]
        days: u32,
    },
    /// Set what a model costs, in US dollars for a million tokens
    Price {
        /// The model's name, as EMBEDDING_MODEL or LLM_MODEL has it
        model: String,
        /// For tokens that the model reads
        #[arg(long, value_name = "DOLLARS")]
        input: Usd,
        /// For tokens that the model writes
        #[arg(long, value_name = "DOLLARS", default_value_t = Usd::ZERO)]
        output: Usd,
    },
    /// The audit log
    #[command(subcommand)]
    Audit(Audit),
}

impl Command {
    /// Whether it neither stores nor searches text, and so needs no model.
    fn is_without_text(&self) -> bool {
        matches!(
            self,
            Self::Tenant(Tenant::Create { .. })
                | Self::Agent(_)
                | Self::Key(_)
                | Self::Operator(_)
                | Self::Usage { .. }
                | Self::Price { .. }
                | Self::Audit(_)
        )
    }
}

#[derive(Args)]
struct Serve {
    /// Load demo data once, and print how to sign in and how to call the API
    #[arg(long)]
    demo: bool,
    /// Directory of the demo's credentials (files with mode 0600)
    #[arg(long, default_value = ".local", value_name = "DIR")]
    credentials_dir: PathBuf,
    #[command(flatten)]
    config: Config,
}

#[derive(Args)]
struct Mcp {
    /// Forward to this server, which needs a key; without it, this process keeps the memory itself
    #[arg(long, env = "REMEMBRANCER_URL", value_name = "URL", requires = "key")]
    url: Option<String>,
    /// API key of the agent; without a server and a key, a local agent is created
    #[arg(long, env = "REMEMBRANCER_KEY", hide_env_values = true, value_name = "KEY")]
    key: Option<String>,
    /// The user of every call: an id, or a reference of your own
    #[arg(long, env = "REMEMBRANCER_USER", value_name = "USER")]
    user: Option<UserRef>,
}

#[derive(Subcommand)]
enum Tenant {
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
enum Agent {
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
enum Key {
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
        scopes: Vec<Scope>,
        /// Bind the key to this user: your own reference, or the id that memories carry
        #[arg(long)]
        user: Option<UserRef>,
        /// Days until the key expires; by default it never expires
        #[arg(long)]
        days: Option<u32>,
    },
    /// Revoke an API key at once
    Revoke {
        id: KeyId,
        #[arg(long)]
        tenant: String,
    },
}

#[derive(Subcommand)]
enum Operator {
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

#[derive(Subcommand)]
enum Audit {
    /// Recompute the hash chain, report whether it is intact, and print its anchor: <number of entries>:<hash>
    Verify {
        #[arg(long)]
        tenant: String,
        /// An earlier anchor: fail if the chain is shorter, or has another hash at that entry
        #[arg(long, value_name = "ENTRIES:HASH")]
        expect: Option<Anchor>,
    },
}

/// Parses the arguments and runs the command.
///
/// # Errors
/// A sentence for the person who typed it.
pub async fn run() -> Result<(), Failure> {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // A wrong variable gets the sentence that it gets from every other command; clap would name the option.
            if matches!(error.kind(), ErrorKind::ValueValidation | ErrorKind::InvalidUtf8) {
                Config::from_env()?;
            }
            error.exit()
        }
    };
    let config = match &cli.command {
        Command::Serve(options) => options.config.clone().check()?,
        _ => Config::from_env()?,
    };
    log(&config)?;
    match cli.command {
        Command::Serve(options) => serve::serve(config, options.demo.then_some(options.credentials_dir.as_path())).await,
        Command::Mcp(Mcp { url: Some(url), key, user }) => mcp::forward(&url, key.unwrap_or_default(), user.as_ref()).await,
        Command::Mcp(Mcp { url: None, key, user }) => mcp::embedded(&config, key, user).await,
        Command::Kb(Kb::Index { dir }) => kb::index(&dir),
        Command::Eval(command) => eval::run(config, command).await,
        Command::Worker => capture::work(&config).await,
        command => {
            let Opened { engine, postgres } = match &command {
                Command::Migrate => serve::open(&config, IfAbsent::Create).await?,
                command if command.is_without_text() => serve::open_without_model(&config).await?,
                _ => serve::open(&config, IfAbsent::Refuse).await?,
            };
            let done = manage(&engine, command).await;
            if let Err(error) = usage::flush(&engine).await {
                tracing::warn!(%error, "the use of models could not be written to the ledger");
            }
            engine.db().close().await;
            if let Some(postgres) = postgres {
                postgres.stop().await?;
            }
            done
        }
    }
}

async fn manage(engine: &Engine, command: Command) -> Result<(), Failure> {
    match command {
        Command::Serve(_) | Command::Mcp(_) | Command::Worker | Command::Kb(Kb::Index { .. }) | Command::Eval(_) => {}
        Command::Migrate => println!("the databases are migrated"),
        Command::Tenant(Tenant::Create { slug, name }) => {
            let ctx = identity::create_tenant(engine, &slug, &name).await?;
            println!("tenant {slug} {}", ctx.tenant_id);
        }
        Command::Agent(Agent::Create { slug, tenant, name, id, require_user, discipline }) => {
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
        Command::Agent(Agent::KeepContextTexts { slug, keep, tenant }) => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            let agent = identity::agent_by_slug(engine, &ctx, &slug).await?;
            identity::set_keeps_context_texts(engine, &ctx, agent.id, keep).await?;
            println!("context texts of agent {slug} are {}", if keep { "kept" } else { "not kept" });
        }
        Command::Agent(Agent::SetDiscipline { slug, discipline, tenant }) => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            let agent = identity::agent_by_slug(engine, &ctx, &slug).await?;
            identity::set_discipline(engine, &ctx, agent.id, discipline).await?;
            println!("agent {slug} has the write discipline {discipline}");
        }
        Command::Agent(Agent::SetKnowledge { slug, categories, tenant }) => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            let agent = identity::agent_by_slug(engine, &ctx, &slug).await?;
            identity::set_knowledge_categories(engine, &ctx, agent.id, &categories).await?;
            println!("agent {slug} searches {}", if categories.is_empty() { "all documents".into() } else { categories.join(", ") });
        }
        Command::Tenant(Tenant::Capture { policy }) => policy::capture(engine, policy).await?,
        Command::Tenant(Tenant::Search { policy }) => manage::search(engine, policy).await?,
        Command::Bot(command) => manage::bot(engine, command).await?,
        Command::User(command) => manage::user(engine, command).await?,
        Command::Project(command) => manage::project(engine, command).await?,
        Command::Repo(command) => manage::repo(engine, command).await?,
        Command::Key(Key::Create { agent, tenant, name, scopes, user, days }) => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            let agent = identity::agent_by_slug(engine, &ctx, &agent).await?;
            let expires = days.map(|days| engine.clock().now() + chrono::Duration::days(days.into()));
            let (id, key) = identity::create_key(engine, &ctx, agent.id, &name, &scopes, user.as_ref(), expires).await?;
            println!("key {id}\n{key}");
        }
        Command::Key(Key::Revoke { id, tenant }) => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            identity::revoke_key(engine, &ctx, id).await?;
            println!("key {id} is revoked");
        }
        Command::Operator(Operator::Create { login, tenant, name, roles }) => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            let password = engine.clock().secret(PASSWORD_LENGTH);
            identity::create_operator(engine, &ctx, &login, &name, &password, &roles).await?;
            println!("{login}\n{password}");
        }
        Command::Operator(Operator::ResetPassword { login }) => {
            let password = engine.clock().secret(PASSWORD_LENGTH);
            identity::reset_password(engine, &login, &password).await?;
            println!("{login}\n{password}");
        }
        Command::Operator(Operator::SetRoles { login, roles, tenant }) => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            identity::set_roles(engine, &ctx, identity::operator_by_login(engine, &ctx, &login).await?, &roles).await?;
            println!("{login} has new roles");
        }
        Command::Operator(Operator::Disable { login, tenant }) => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            identity::disable_operator(engine, &ctx, identity::operator_by_login(engine, &ctx, &login).await?).await?;
            println!("{login} is disabled");
        }
        Command::Kb(Kb::Ingest { dir, tenant, collection, since, dry_run }) => {
            kb::ingest(engine, &tenant, &dir, collection, since, dry_run).await?;
        }
        Command::Capture(command) => capture::capture(engine, command).await?,
        Command::Diagnose(command) => diagnose::diagnose(engine, command).await?,
        Command::Export(command) => portability::export(engine, command).await?,
        Command::Import(command) => portability::import(engine, command).await?,
        Command::Lifecycle(command) => lifecycle::run(engine, command).await?,
        Command::Erasure(command) => erasure::run(engine, command).await?,
        Command::Usage { tenant, days } => manage::usage(engine, &tenant, days).await?,
        Command::Price { model, input, output } => {
            usage::set_price(engine, &model, usage::Price { input, output }).await?;
            println!("{model} costs {input} US dollars for a million tokens read, {output} for a million written");
        }
        Command::Audit(Audit::Verify { tenant, expect }) => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            let Verified { head, erased, fault } = audit::verify(engine, &ctx, expect.as_ref()).await?;
            if let Some(fault) = fault {
                return Err(fault.to_string().into());
            }
            println!("the chain of {} entries is intact; the texts of {erased} were erased\nanchor {head}", head.entries);
        }
    }
    Ok(())
}

/// Starts the log: text for people or JSON for machines, with libraries from warnings on.
fn log(config: &Config) -> Result<(), Failure> {
    let filter = EnvFilter::try_new(&config.log_filter)?;
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    if config.json_log {
        builder.json().init()
    } else {
        builder.init()
    }
    Ok(())
}

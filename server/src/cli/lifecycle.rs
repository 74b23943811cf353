//! How memories age, from the command line: the policy, what a sweep would archive, and a sweep.

use super::Failure;
use clap::Subcommand;
use foundation::{Engine, OpContext, identity};
use remembrancer::{lifecycle, overview};
use std::path::PathBuf;
use wire::{AgentAging, AgentId, LifecyclePolicy};

#[derive(Subcommand)]
pub enum Lifecycle {
    /// Print the lifecycle policy of a tenant, or of one of its agents, as JSON
    Show {
        #[arg(long)]
        tenant: String,
        /// The agent's slug; without it, the policy of the tenant
        #[arg(long)]
        agent: Option<String>,
    },
    /// Set the lifecycle policy from a JSON file; fields that it leaves out get their defaults
    Set {
        file: PathBuf,
        #[arg(long)]
        tenant: String,
        /// The agent's slug; without it, the policy holds for every agent without one of its own
        #[arg(long)]
        agent: Option<String>,
    },
    /// Print what a sweep would archive now, and what the next seven days bring; nothing is changed
    Forecast {
        #[arg(long)]
        tenant: String,
    },
    /// Request a sweep, which the workers carry out
    Sweep {
        #[arg(long)]
        tenant: String,
    },
}

pub async fn run(engine: &Engine, command: Lifecycle) -> Result<(), Failure> {
    match command {
        Lifecycle::Show { tenant, agent } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            let agent = named(engine, &ctx, agent).await?;
            println!("{}", serde_json::to_string_pretty(&identity::lifecycle(engine, &ctx, agent).await?)?);
        }
        Lifecycle::Set { file, tenant, agent } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            let agent = named(engine, &ctx, agent).await?;
            let text = std::fs::read_to_string(&file).map_err(|error| format!("{} cannot be read: {error}", file.display()))?;
            let policy: LifecyclePolicy =
                serde_json::from_str(&text).map_err(|error| format!("{} is not a lifecycle policy: {error}", file.display()))?;
            identity::set_lifecycle(engine, &ctx, agent, policy).await?;
            println!("the policy applies to what is written or swept from now on");
        }
        Lifecycle::Forecast { tenant } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            print(&lifecycle::forecast(engine, &ctx).await?.agents);
        }
        Lifecycle::Sweep { tenant } => {
            let ctx = identity::open_tenant(engine, &tenant).await?;
            lifecycle::sweep_now(engine, &ctx).await?;
            println!("requested: a running server or worker will carry it out");
        }
    }
    Ok(())
}

async fn named(engine: &Engine, ctx: &OpContext, slug: Option<String>) -> Result<Option<AgentId>, Failure> {
    let Some(slug) = slug else { return Ok(None) };
    let agents = overview::agents(engine, ctx).await?;
    let agent = agents.iter().find(|agent| agent.slug == slug).ok_or_else(|| format!("there is no agent {slug}"))?;
    Ok(Some(agent.id))
}

fn print(all: &[AgentAging]) {
    println!(
        "{:<20} {:>10} {:>10} {:>10} {:>8} {:>10} {:>10} {:>10} {:>10}",
        "agent", "memories", "episodes", "of", "pinned", "expired", "in 7 days", "faded", "archived"
    );
    for row in all {
        println!(
            "{:<20} {:>10} {:>10} {:>10} {:>8} {:>10} {:>10} {:>10} {:>10}",
            row.agent_slug,
            row.live,
            row.episodes,
            row.episodes_max,
            row.pinned,
            row.expired,
            row.expiring + row.fading_soon,
            row.faded,
            row.archived
        );
    }
}

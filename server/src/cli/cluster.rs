//! Databases on a cluster of Citus: distributing them, and moving a tenant.

use super::Failure;
use crate::config::Config;
use crate::serve::IfAbsent;
use clap::Args;
use db::distributed::{self, Node, SHARDS};
use db::{backup, create_databases, migrate, require_databases};
use foundation::Engine;
use foundation::identity::open_tenant;
use std::num::NonZeroU16;

// Over which nodes, and in how many parts.
#[derive(Args)]
pub struct Spread {
    /// A worker to add to the cluster, once for each; without it, those that the coordinator knows
    #[arg(long = "worker", value_name = "HOST:PORT")]
    workers: Vec<Node>,
    /// Parts of each table, so at most that many workers share the tenants; it cannot be changed later
    #[arg(long, value_name = "NUMBER")]
    shards: Option<NonZeroU16>,
}

impl Spread {
    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.workers.is_empty() && self.shards.is_none()
    }
}

/// Migrates the databases and distributes those of tenants. Whoever was interrupted runs it again.
///
/// # Errors
/// A sentence that says what to do.
pub async fn distribute(config: &Config, spread: &Spread, if_absent: IfAbsent) -> Result<(), Failure> {
    let Some(urls) = &config.databases else {
        return Err("the embedded Postgres has no cluster: set DATABASE_URL to the coordinator of one".into());
    };
    match if_absent {
        IfAbsent::Create => create_databases(urls).await?,
        IfAbsent::Refuse => require_databases(urls).await?,
    }
    backup::require_whole(urls).await?;
    if !spread.workers.is_empty() {
        distributed::join(urls, &spread.workers).await?;
    }
    // Before the first change of a table, and once more before they are distributed.
    distributed::require_distributable(urls).await?;
    migrate(urls).await?;
    let shards = spread.shards.map_or(SHARDS, NonZeroU16::get);
    distributed::distribute(urls, shards, &|step: &str| println!("{step}")).await?;
    println!("the databases of tenants are distributed; the control database stays where it is");
    Ok(())
}

/// Moves a tenant to a worker.
///
/// # Errors
/// A sentence that says what to do.
pub async fn move_tenant(engine: &Engine, slug: &str, to: &Node) -> Result<(), Failure> {
    let ctx = open_tenant(engine, slug).await?;
    distributed::move_tenant(engine.urls(), ctx.tenant_id, to, &|step: &str| println!("{step}")).await?;
    Ok(())
}

//! The nodes of a cluster, and the roles of the server on them.

use super::owner;
use crate::DatabaseUrls;
use crate::migrate::{MigrateError, ROLES, connect, create_database};
use sqlx::Connection;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// A node of a cluster, as the coordinator reaches it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub host: String,
    pub port: u16,
}

impl FromStr for Node {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("«{text}» is not an address of a node: write it as host:port");
        let (host, port) = text.rsplit_once(':').ok_or_else(wrong)?;
        let port = port.parse().map_err(|_| wrong())?;
        if host.is_empty() { Err(wrong()) } else { Ok(Self { host: host.to_owned(), port }) }
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// Makes a cluster of the Postgres that the URLs lead to, the coordinator, and of workers with the same logins: creates the databases of
/// tenants and the extension on each, and adds the workers that the coordinator does not know.
///
/// # Errors
/// When a node is out of reach, lacks the extension, or the user may not do it; and when the coordinator has an address that only its own
/// machine reaches, and a worker is on another one.
pub async fn join(urls: &DatabaseUrls, workers: &[Node]) -> Result<(), MigrateError> {
    for (part, url) in super::each(urls) {
        require_reachable(part.name, url, workers).await.map_err(|error| error.of(part.name, url))?;
    }
    for (part, url) in super::each(urls) {
        for worker in workers {
            on_worker(part.name, url, worker)
                .await
                .map_err(|error| MigrateError::Unusable(format!("The worker {worker} cannot be added: {}", error.of(part.name, url))))?;
        }
        add(url, workers).await.map_err(|error| error.of(part.name, url))?;
    }
    Ok(())
}

/// Refuses an address of the coordinator that leads each worker to itself.
async fn require_reachable(database: &'static str, url: &str, workers: &[Node]) -> Result<(), MigrateError> {
    let Some(worker) = workers.iter().find(|worker| !is_loopback(&worker.host)) else { return Ok(()) };
    let options = PgConnectOptions::from_str(url)?;
    let mut connection = connect(&options).await?;
    let known = known_host(&mut connection).await?;
    connection.close().await?;
    let host = known.as_deref().unwrap_or(options.get_host());
    if !is_loopback(host) {
        return Ok(());
    }
    let remedy = if known.is_some() {
        format!("run 'select citus_set_coordinator_host('HOST', PORT)' in the database of {database} with a host that every worker reaches")
    } else {
        "name it in DATABASE_URL by a host that every worker reaches".to_owned()
    };
    Err(MigrateError::Unusable(format!("The worker {worker} does not reach the coordinator as {host}: {remedy}.")))
}

/// The host of the coordinator, if it has told it to the workers.
async fn known_host(connection: &mut PgConnection) -> Result<Option<String>, sqlx::Error> {
    let there: bool =
        sqlx::query_scalar("select exists (select from pg_extension where extname = 'citus')").fetch_one(&mut *connection).await?;
    if !there {
        return Ok(None);
    }
    sqlx::query_scalar("select nodename::text from pg_dist_node where groupid = 0").fetch_optional(connection).await
}

/// Whether a host leads every machine to itself: also a folder of sockets.
fn is_loopback(host: &str) -> bool {
    let host = host.trim_matches(['[', ']']);
    host.eq_ignore_ascii_case("localhost") || host.starts_with('/') || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Creates a database and the extension on a worker.
async fn on_worker(name: &'static str, url: &str, worker: &Node) -> Result<(), MigrateError> {
    let there = PgConnectOptions::from_str(url)?.host(&worker.host).port(worker.port);
    let there = sqlx::ConnectOptions::to_url_lossy(&there);
    create_database(name, there.as_str()).await?;
    extend(there.as_str()).await
}

async fn extend(url: &str) -> Result<(), MigrateError> {
    let mut connection = connect(&PgConnectOptions::from_str(url)?).await?;
    sqlx::raw_sql("create extension if not exists citus").execute(&mut connection).await?;
    Ok(connection.close().await?)
}

/// Tells the coordinator its own address and those of its workers.
async fn add(url: &str, workers: &[Node]) -> Result<(), MigrateError> {
    extend(url).await?;
    let options = PgConnectOptions::from_str(url)?;
    let mut connection = owner(url).await?;
    let known: bool = sqlx::query_scalar("select exists (select from pg_dist_node where groupid = 0)").fetch_one(&mut connection).await?;
    if !known {
        sqlx::query("select citus_set_coordinator_host($1, $2)")
            .bind(options.get_host())
            .bind(i32::from(options.get_port()))
            .execute(&mut connection)
            .await?;
    }
    for worker in workers {
        let add = r"select citus_add_node($1, $2)
                     where not exists (select from pg_dist_node where nodename = $1 and nodeport = $2)";
        sqlx::query(add).bind(&worker.host).bind(i32::from(worker.port)).execute(&mut connection).await?;
    }
    Ok(connection.close().await?)
}

/// Prepares a connection of the owner for changes of a database with Citus: gives every node the roles of the server, and has its
/// migrations change the parts of a table one after the other, because they change several things in one transaction. Without Citus it does
/// nothing.
pub async fn prepare(connection: &mut PgConnection) -> Result<(), MigrateError> {
    let there: bool =
        sqlx::query_scalar("select exists (select from pg_extension where extname = 'citus')").fetch_one(&mut *connection).await?;
    if !there {
        return Ok(());
    }
    sqlx::raw_sql("set citus.multi_shard_modify_mode = 'sequential'").execute(&mut *connection).await?;
    let failed: Vec<(String, String)> = sqlx::query_as(
        r"select n.nodename || ':' || n.nodeport, coalesce(r.result, '')
            from run_command_on_all_nodes($1) r join pg_dist_node n using (nodeid) where not r.success",
    )
    .bind(roles())
    .fetch_all(connection)
    .await?;
    match failed.into_iter().next() {
        None => Ok(()),
        Some((node, reason)) => Err(MigrateError::Unusable(format!(
            "The node {node} cannot get the roles of the server ({reason}): start it, or let the user of DATABASE_URL create roles on every \
             node."
        ))),
    }
}

/// On every worker of a distributed database: rewrites the planner's statistics, which quote values, and empties the files of rewritten
/// tables. A vacuum of a distributed table rewrites its parts there, and not these. An owner that may not do this leaves it to the worker, as
/// on the coordinator.
pub async fn rewrite_statistics(connection: &mut PgConnection) -> Result<(), MigrateError> {
    for command in ["vacuum full pg_catalog.pg_statistic", "checkpoint"] {
        let failed: Option<(String, String)> = sqlx::query_as(
            r"select r.nodename || ':' || r.nodeport, coalesce(r.result, '') from run_command_on_workers($1) r
               where not r.success and coalesce(r.result, '') not like '%permission denied%' limit 1",
        )
        .bind(command)
        .fetch_optional(&mut *connection)
        .await?;
        if let Some((node, reason)) = failed {
            return Err(MigrateError::Unusable(format!("The node {node} did not run «{command}» ({reason}): run this again when it can.")));
        }
    }
    Ok(())
}

/// Creates the roles of the server on a node, as far as they are missing. The coordinator signs in to the nodes as the role that asks, so
/// each may sign in. An owner that is no superuser may take them there, too: what it gives to them on the coordinator, it gives everywhere.
fn roles() -> String {
    let mut each = String::new();
    for role in ROLES {
        each.push_str(&format!(
            "if not exists (select from pg_roles where rolname = '{role}') then create role {role} nosuperuser nobypassrls; end if; \
             if not (select rolcanlogin from pg_roles where rolname = '{role}') then alter role {role} login; end if; \
             if not pg_has_role(current_user, '{role}', 'set') then grant {role} to current_user with set true; end if; "
        ));
    }
    // What is there is not granted again: of two grants at once on a node, the second fails.
    for (role, member) in [("rmb_operator", "rmb_app"), ("rmb_eraser", "rmb_system")] {
        each.push_str(&format!(
            "if not pg_has_role('{member}', '{role}', 'set') then grant {role} to {member} with inherit false, set true; end if; "
        ));
    }
    format!("do $roles$ begin set local citus.enable_ddl_propagation = off; {each} end $roles$")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coordinator_that_only_its_own_machine_reaches_is_known_by_its_host() {
        for host in ["localhost", "LOCALHOST", "127.0.0.1", "::1", "[::1]", "/run/postgresql"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["db-1.example.org", "10.0.0.7", "localhost.example.org"] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn a_node_is_a_host_and_a_port() {
        let node: Node = "db-2.example.org:5432".parse().unwrap();
        assert_eq!((node.host.as_str(), node.port, node.to_string().as_str()), ("db-2.example.org", 5432, "db-2.example.org:5432"));
        for wrong in ["db-2.example.org", ":5432", "db-2:postgres", "db-2:70000", ""] {
            assert!(wrong.parse::<Node>().unwrap_err().contains("host:port"), "{wrong}");
        }
    }
}

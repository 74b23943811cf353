//! What a cluster must have before tables are distributed over it.

use super::{DONE, Part, owner, state};
use crate::migrate::MigrateError;
use crate::reasons::unprepared;
use sqlx::Connection;
use sqlx::postgres::PgConnection;

/// The oldest major version of Citus that works: all nodes know all tables, and functions run on the node of their tenant.
const CITUS_MIN: u32 = 12;

/// Refuses a cluster that cannot hold a database. A distributed one is not asked for connected servers: nothing is left to distribute.
pub async fn require(part: &Part, url: &str) -> Result<(), MigrateError> {
    let mut connection = owner(url).await?;
    let objection = objection(&mut connection).await?;
    connection.close().await?;
    match objection {
        None => Ok(()),
        Some(what) => Err(MigrateError::Unusable(unprepared(part.name, url, &what))),
    }
}

async fn objection(connection: &mut PgConnection) -> Result<Option<String>, sqlx::Error> {
    let version: Option<String> =
        sqlx::query_scalar("select extversion from pg_extension where extname = 'citus'").fetch_optional(&mut *connection).await?;
    let Some(version) = version else {
        return Ok(Some(
            "the database has no Citus: name the workers with --worker HOST:PORT, or run 'create extension citus' in this database on every \
             node and 'select citus_add_node(…)' here for each worker"
                .into(),
        ));
    };
    if let Some(what) = too_old(&version) {
        return Ok(Some(what));
    }
    let (coordinator, workers): (bool, i64) = sqlx::query_as(
        r"select exists (select from pg_dist_node where groupid = 0), (select count(*) from pg_dist_node where groupid <> 0 and isactive)",
    )
    .fetch_one(&mut *connection)
    .await?;
    if !coordinator {
        return Ok(Some("the workers do not know the coordinator: run 'select citus_set_coordinator_host('HOST', PORT)' here".into()));
    }
    if workers == 0 {
        return Ok(Some("it has no active worker: name the workers with --worker HOST:PORT".into()));
    }
    if let Some(what) = unlike(&nodes(connection).await?) {
        return Ok(Some(what));
    }
    if state(connection).await? == DONE {
        return Ok(None);
    }
    // The program's own look at the database has this name, too; it has ended before.
    let servers: i64 = sqlx::query_scalar(
        r"select count(*) from pg_stat_activity
           where datname = current_database() and application_name = 'remembrancer' and pid <> pg_backend_pid()",
    )
    .fetch_one(connection)
    .await?;
    Ok((servers > 0).then(|| format!("{servers} connections of a server are open: stop every server and worker, then run this again")))
}

fn too_old(version: &str) -> Option<String> {
    let major: u32 = version.split(['.', '-']).next().and_then(|major| major.parse().ok()).unwrap_or_default();
    (major < CITUS_MIN).then(|| format!("it has Citus {version}: upgrade Citus to {CITUS_MIN} or newer on every node"))
}

/// What a node says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Report {
    node: String,
    /// What it answers, or why it does not.
    answer: Result<Answer, String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Answer {
    zone: String,
    collation: String,
    has_vector: bool,
}

/// Every node, the coordinator first. The version of pgvector that is asked for is the one that the coordinator has, or would create.
async fn nodes(connection: &mut PgConnection) -> Result<Vec<Report>, sqlx::Error> {
    // Constants, and a version that the catalogue names.
    let question = r"select format(
          $q$select concat_ws('|', current_setting('TimeZone'), datcollate || ' ' || datctype || ' ' || pg_encoding_to_char(encoding),
                    exists (select from pg_available_extension_versions where name = 'vector' and version = %L))
               from pg_database where datname = current_database()$q$,
          coalesce((select extversion from pg_extension where extname = 'vector'),
                   (select default_version from pg_available_extensions where name = 'vector')))";
    let question: String = sqlx::query_scalar(question).fetch_one(&mut *connection).await?;
    let rows: Vec<(String, bool, Option<String>)> = sqlx::query_as(
        r"select n.nodename || ':' || n.nodeport, r.success, r.result
            from run_command_on_all_nodes($1) r join pg_dist_node n using (nodeid) order by n.groupid <> 0, n.nodeid",
    )
    .bind(question)
    .fetch_all(connection)
    .await?;
    let reports = rows.into_iter().map(|(node, success, result)| {
        let result = result.unwrap_or_default();
        let answer = if success { read(&result).ok_or(result) } else { Err(result) };
        Report { node, answer }
    });
    Ok(reports.collect())
}

fn read(answer: &str) -> Option<Answer> {
    let mut parts = answer.split('|');
    let (zone, collation, vector) = (parts.next()?, parts.next()?, parts.next()?);
    Some(Answer { zone: zone.to_owned(), collation: collation.to_owned(), has_vector: vector == "t" })
}

/// What is wrong with a node, or differs from the first.
fn unlike(nodes: &[Report]) -> Option<String> {
    let mut first: Option<&Answer> = None;
    for Report { node, answer } in nodes {
        let answer = match answer {
            Ok(answer) => answer,
            Err(reason) => return Some(format!("the node {node} does not answer ({reason}): start it, or remove it from the cluster")),
        };
        if !answer.has_vector {
            return Some(format!("the node {node} does not have the pgvector of the coordinator: install the same version there"));
        }
        let Some(first) = first else {
            first = Some(answer);
            continue;
        };
        if answer.zone != first.zone {
            return Some(format!(
                "the node {node} has the time zone {} and the coordinator {}: set 'timezone' to UTC in the configuration of every node",
                answer.zone, first.zone
            ));
        }
        if answer.collation != first.collation {
            return Some(format!(
                "the database on the node {node} has the collation {} and that of the coordinator {}: create it there with the same one",
                answer.collation, first.collation
            ));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(node: &str, answer: &str) -> Report {
        Report { node: node.into(), answer: read(answer).ok_or_else(|| answer.into()) }
    }

    #[test]
    fn an_old_citus_is_refused_with_its_version() {
        assert_eq!(too_old("14.0-1"), None);
        assert_eq!(too_old("12.1-1"), None);
        assert!(too_old("11.3-1").unwrap().contains("Citus 11.3-1: upgrade"));
        assert!(too_old("").is_some());
    }

    #[test]
    fn nodes_must_agree_with_the_coordinator() {
        let coordinator = report("db-1:5432", "UTC|C.UTF-8 C.UTF-8 UTF8|t");
        let unlike = |other: &str| unlike(&[coordinator.clone(), report("db-2:5432", other)]).unwrap_or_default();
        assert_eq!(unlike("UTC|C.UTF-8 C.UTF-8 UTF8|t"), "");
        assert!(unlike("UTC|C.UTF-8 C.UTF-8 UTF8|f").contains("db-2:5432 does not have the pgvector"));
        assert!(unlike("Europe/Berlin|C.UTF-8 C.UTF-8 UTF8|t").contains("time zone Europe/Berlin and the coordinator UTC"));
        assert!(unlike("UTC|de_DE.UTF-8 de_DE.UTF-8 UTF8|t").contains("collation de_DE.UTF-8"));
        assert!(unlike("connection refused").contains("does not answer (connection refused)"));
    }
}

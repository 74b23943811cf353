//! Databases, roles and tables, made by the owner before the server's own roles connect.

use super::columns::{Erasure, TABLES};
use super::distributed;
use super::link::ANSWER;
use super::owner::{objection, objection_to_new};
use super::reasons::{absence, sentence, unprepared};
use super::urls::place;
use super::{DatabaseUrls, DbError, SystemPool};
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};
use std::io;
use std::pin::pin;
use std::str::FromStr;
use tokio::time::timeout;

static AGENT_MEMORY: Migrator = sqlx::migrate!("../../migrations/agent_memory");
static SHARED_KB: Migrator = sqlx::migrate!("../../migrations/shared_kb");
static INTERNAL_SHARED: Migrator = sqlx::migrate!("../../migrations/internal_shared");

/// The databases by name, with their migrations.
pub(super) static MIGRATORS: [(&str, &Migrator); 3] =
    [("agent_memory", &AGENT_MEMORY), ("shared_kb", &SHARED_KB), ("internal_shared", &INTERNAL_SHARED)];

/// Serialises changes of the whole cluster; advisory locks are per database, so all take it in the maintenance database.
const CLUSTER_LOCK: i64 = 0x0072_6d62_0001;

/// The roles of the server. None bypasses row-level security; the last owns the functions that look beyond their caller's rows, and nothing
/// else, and none of them owns a table.
pub(super) const ROLES: [&str; 5] = ["rmb_app", "rmb_operator", "rmb_system", "rmb_eraser", "rmb_definer"];

/// A migration could not be applied.
#[derive(Debug, thiserror::Error)]
pub enum MigrateError {
    #[error(
        "The database {database} was made by an older version of Remembrancer and cannot be upgraded. Export with the old program \
         (`remembrancer export`), then import into new, empty databases with this one (`remembrancer import`)."
    )]
    Older { database: &'static str },
    #[error(
        "The database {database} was made by a newer version of Remembrancer (schema {applied}); this program knows schemas up to {known}. \
         Start the newer program."
    )]
    Newer { database: &'static str, applied: i64, known: i64 },
    #[error(
        "The database {database} was made by another build of Remembrancer, whose migration {version} is not the same. Export with that \
         program (`remembrancer export`), then import into new, empty databases with this one (`remembrancer import`)."
    )]
    Other { database: &'static str, version: i64 },
    #[error("the database {database} cannot be migrated: {source}")]
    Migrate { database: &'static str, source: sqlx::migrate::MigrateError },
    /// What, where, which variable, and what to do.
    #[error("{0}")]
    Unusable(String),
    /// A database does not exist: which, where, which variable, and what to do.
    #[error("{0}")]
    Absent(String),
    #[error(transparent)]
    Db(#[from] DbError),
    /// Before it is known of which database.
    #[error(transparent)]
    Driver(#[from] sqlx::Error),
}

impl MigrateError {
    /// The sentence about an error that belongs to one database.
    pub(super) fn of(self, database: &'static str, url: &str) -> Self {
        use sqlx::migrate::MigrateError as Inner;
        match self {
            Self::Driver(error) => Self::Unusable(sentence(database, url, &error)),
            Self::Migrate { source: Inner::Execute(error) | Inner::ExecuteMigration(error, _), .. } => {
                Self::Unusable(sentence(database, url, &error))
            }
            Self::Migrate { source: Inner::VersionMismatch(version), .. } => Self::Other { database, version },
            error => error,
        }
    }
}

pub(super) fn each(urls: &DatabaseUrls) -> [(&'static str, &str, &'static Migrator); 3] {
    let [(memory, memory_migrator), (kb, kb_migrator), (control, control_migrator)] = MIGRATORS;
    [(memory, &urls.agent_memory, memory_migrator), (kb, &urls.shared_kb, kb_migrator), (control, &urls.internal_shared, control_migrator)]
}

/// A connection of the owner. A server that takes connections and never answers counts as out of reach.
pub(super) async fn connect(options: &PgConnectOptions) -> Result<PgConnection, sqlx::Error> {
    timeout(ANSWER, options.connect()).await.unwrap_or_else(|_| Err(sqlx::Error::Io(io::ErrorKind::TimedOut.into())))
}

/// The same server's maintenance database.
async fn maintenance(url: &str) -> Result<PgConnection, sqlx::Error> {
    connect(&PgConnectOptions::from_str(url)?.database("postgres")).await
}

/// Waits for work of the owner as long as the server takes other connections: a migration may need hours, and another server may be at it.
async fn patiently<T>(url: &str, work: impl Future<Output = Result<T, MigrateError>>) -> Result<T, MigrateError> {
    let options = PgConnectOptions::from_str(url)?;
    let mut work = pin!(work);
    loop {
        if let Ok(done) = timeout(ANSWER, &mut work).await {
            return done;
        }
        connect(&options.clone().database("postgres")).await?.close().await?;
        tracing::info!(place = place(&options), "waiting for Postgres: it migrates, or another server holds a lock");
    }
}

/// Creates those of the three databases that do not exist. Two servers may do so at once.
///
/// # Errors
/// When the server is out of reach or the user may not create databases.
pub async fn create_databases(urls: &DatabaseUrls) -> Result<(), MigrateError> {
    for (database, url, _) in each(urls) {
        patiently(url, create_database(database, url)).await.map_err(|error| error.of(database, url))?;
    }
    Ok(())
}

/// Creates nothing: checks that each of the three databases exists.
///
/// # Errors
/// `Absent` for the first that does not exist, and when the server is out of reach.
pub async fn require_databases(urls: &DatabaseUrls) -> Result<(), MigrateError> {
    for (database, url, _) in each(urls) {
        let there = patiently(url, exists(url)).await.map_err(|error| error.of(database, url))?;
        if !there {
            return Err(MigrateError::Absent(absence(database, url)));
        }
    }
    Ok(())
}

/// Checks that none of the three databases exists: a run that then creates them may drop them.
///
/// # Errors
/// A sentence that names the first that exists, and when the server is out of reach.
pub async fn require_absent(urls: &DatabaseUrls) -> Result<(), MigrateError> {
    for (database, url, _) in each(urls) {
        if exists(url).await.map_err(|error| error.of(database, url))? {
            let name = PgConnectOptions::from_str(url)?.get_database().unwrap_or_default().to_owned();
            return Err(MigrateError::Unusable(format!("the database {name} exists, and a temporary one needs this name: run it again")));
        }
    }
    Ok(())
}

pub(super) async fn exists(url: &str) -> Result<bool, MigrateError> {
    match connect(&PgConnectOptions::from_str(url)?).await {
        Ok(connection) => Ok(connection.close().await.map(|()| true)?),
        // 3D000: the database does not exist.
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some("3D000") => Ok(false),
        Err(error) => Err(error.into()),
    }
}

pub(super) async fn create_database(database: &'static str, url: &str) -> Result<(), MigrateError> {
    if exists(url).await? {
        return Ok(());
    }
    let options = PgConnectOptions::from_str(url)?;
    let name = options.get_database().unwrap_or_default();
    let mut connection = maintenance(url).await?;
    if let Some(what) = objection_to_new(&mut connection, &options.clone().database("postgres"), name).await? {
        return Err(MigrateError::Unusable(unprepared(database, url, &what)));
    }
    let name = name.replace('"', "\"\"");
    sqlx::query("select pg_advisory_lock($1)").bind(CLUSTER_LOCK).execute(&mut connection).await?;
    match sqlx::raw_sql(AssertSqlSafe(format!("create database \"{name}\""))).execute(&mut connection).await {
        // 42P04: somebody else created it while we waited.
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some("42P04") => {}
        other => {
            other?;
        }
    }
    Ok(connection.close().await?)
}

/// Drops the three databases, even if somebody is connected. For temporary databases only.
///
/// # Errors
/// When the server is out of reach or the user may not do it.
pub async fn drop_databases(urls: &DatabaseUrls) -> Result<(), MigrateError> {
    for (_, url, _) in each(urls) {
        let name = PgConnectOptions::from_str(url)?.get_database().unwrap_or_default().replace('"', "\"\"");
        let mut connection = maintenance(url).await?;
        sqlx::raw_sql(AssertSqlSafe(format!("drop database if exists \"{name}\" with (force)"))).execute(&mut connection).await?;
        connection.close().await?;
    }
    Ok(())
}

/// Vacuums the databases and tells the planner what they hold, as they would do by themselves a minute later.
///
/// # Errors
/// When a database is out of reach.
pub async fn vacuum(urls: &DatabaseUrls) -> Result<(), MigrateError> {
    for (_, url, _) in each(urls) {
        let mut connection = connect(&PgConnectOptions::from_str(url)?).await?;
        sqlx::query("vacuum analyze").execute(&mut connection).await?;
        connection.close().await?;
    }
    Ok(())
}

/// Creates the roles and applies every migration, each database under its own lock. Applying nothing is cheap.
///
/// # Errors
/// When a database is out of reach, the user may not do it, another version of this program made the database, or an applied migration was
/// changed since.
pub async fn migrate(urls: &DatabaseUrls) -> Result<(), MigrateError> {
    for (database, url, migrator) in each(urls) {
        patiently(url, migrate_one(database, url, migrator)).await.map_err(|error| error.of(database, url))?;
    }
    Ok(())
}

/// The versions of all migrations, oldest first: each is a state that the databases of an earlier program may have.
#[cfg(feature = "testing")]
pub fn versions() -> std::collections::BTreeSet<i64> {
    MIGRATORS.iter().flat_map(|(_, migrator)| migrator.iter()).map(|migration| migration.version).collect()
}

/// Creates the roles and applies the migrations up to a version, as a program of that time did, for tests of upgrades.
///
/// # Errors
/// As [`migrate`].
#[cfg(feature = "testing")]
pub async fn migrate_to(urls: &DatabaseUrls, version: i64) -> Result<(), MigrateError> {
    for (database, url, migrator) in each(urls) {
        create_roles(url).await?;
        let mut connection = connect(&PgConnectOptions::from_str(url)?).await?;
        migrator.run_to(version, &mut connection).await.map_err(|source| MigrateError::Migrate { database, source })?;
        connection.close().await?;
    }
    Ok(())
}

async fn migrate_one(database: &'static str, url: &str, migrator: &Migrator) -> Result<(), MigrateError> {
    let options = PgConnectOptions::from_str(url)?;
    let mut connection = connect(&options).await?;
    require_prepared(&mut connection, &options, database, url).await?;
    create_roles(url).await?;
    distributed::hold(&mut connection).await?;
    let is_behind = check_schema(&mut connection, database, migrator).await? || distributed::is_behind(&mut connection).await?;
    if is_behind {
        distributed::prepare(&mut connection).await?;
    }
    let migrated = match distributed::state(&mut connection).await?.as_str() {
        "" => migrator.run(&mut connection).await,
        _ => distributed::migrator(migrator).run(&mut connection).await,
    };
    migrated.map_err(|source| MigrateError::Migrate { database, source })?;
    grant(&mut connection, database).await?;
    if is_behind {
        distributed::follow(url, database).await?;
    }
    Ok(connection.close().await?)
}

/// Refuses a database in which its owner may not do what the migrations, and so a restore, need.
pub(super) async fn require_prepared(
    connection: &mut PgConnection,
    options: &PgConnectOptions,
    database: &'static str,
    url: &str,
) -> Result<(), MigrateError> {
    let mut migrations = MIGRATORS.into_iter().filter(|(name, _)| *name == database).flat_map(|(_, migrator)| migrator.iter());
    let needs_vector = migrations.any(|migration| migration.sql.as_str().contains("create extension"));
    match objection(connection, options, needs_vector).await? {
        Some(what) => Err(MigrateError::Unusable(unprepared(database, url, &what))),
        None => Ok(()),
    }
}

/// Refuses a database that has migrations which this program does not know. Whether it lacks some of this program.
async fn check_schema(connection: &mut PgConnection, database: &'static str, migrator: &Migrator) -> Result<bool, MigrateError> {
    let applied: Vec<i64> = match sqlx::query_scalar("select version from _sqlx_migrations").fetch_all(connection).await {
        // 42P01: there is no table of migrations, because the database is new.
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some("42P01") => return Ok(true),
        applied => applied?,
    };
    let is_behind = migrator.iter().any(|migration| !applied.contains(&migration.version));
    let known = migrator.iter().map(|migration| migration.version).max().unwrap_or_default();
    let unknown: Vec<i64> = applied.into_iter().filter(|version| migrator.iter().all(|migration| migration.version != *version)).collect();
    match unknown.iter().max() {
        None => Ok(is_behind),
        // Migrations from before the baseline have numbers below and above its own.
        Some(_) if unknown.iter().any(|version| *version < known) => Err(MigrateError::Older { database }),
        Some(&applied) => Err(MigrateError::Newer { database, applied, known }),
    }
}

/// Gives the serving roles what does not stand in a migration. What they have already is not granted again, and under one lock: Postgres
/// fails the second of two grants on one table at once with "tuple concurrently updated".
async fn grant(connection: &mut PgConnection, database: &str) -> Result<(), MigrateError> {
    let mut tx = connection.begin().await?;
    sqlx::query("select pg_advisory_xact_lock($1)").bind(CLUSTER_LOCK).execute(&mut *tx).await?;
    grant_readiness(&mut tx).await?;
    grant_erasure(&mut tx, database).await?;
    give_functions(&mut tx).await?;
    Ok(tx.commit().await?)
}

/// Lets `/readyz` do without a connection of the owner.
async fn grant_readiness(tx: &mut PgConnection) -> Result<(), sqlx::Error> {
    let granted: bool =
        sqlx::query_scalar("select has_table_privilege('rmb_system', '_sqlx_migrations', 'select')").fetch_one(&mut *tx).await?;
    if !granted {
        sqlx::query("grant select on _sqlx_migrations to rmb_system").execute(tx).await?;
    }
    Ok(())
}

/// Lets the role of erasure remove rows of a tenant from every table that the list of columns gives to it. So a table is erased from the
/// day on which it is in the list.
async fn grant_erasure(tx: &mut PgConnection, database: &str) -> Result<(), sqlx::Error> {
    let erased = TABLES.iter().filter(|table| table.database == database && !matches!(table.erasure, Erasure::Keep(_)));
    let names: Vec<&str> = erased.map(|table| table.name).collect();
    let missing: Vec<String> = sqlx::query_scalar(
        r"select name from unnest($1::text[]) name
           where not exists (select from pg_policies
                              where schemaname = 'public' and tablename = name and policyname = name || '_eraser')",
    )
    .bind(names)
    .fetch_all(&mut *tx)
    .await?;
    for name in missing {
        // The names are those of the list: constants.
        let grant = format!(
            r"create policy {name}_eraser on {name} to rmb_eraser using (tenant_id = nullif(current_setting('rmb.tenant', true), '')::uuid);
              grant select, insert, update, delete on {name} to rmb_eraser"
        );
        sqlx::raw_sql(AssertSqlSafe(grant)).execute(&mut *tx).await?;
    }
    Ok(())
}

/// Gives the functions that look beyond their caller's rows to the role that may do nothing else. In a restored backup they belong to
/// whoever restored it.
async fn give_functions(tx: &mut PgConnection) -> Result<(), sqlx::Error> {
    let strayed: Vec<String> = sqlx::query_scalar(
        r"select oid::regprocedure::text from pg_proc p
           where pronamespace = 'public'::regnamespace and prosecdef and proowner <> 'rmb_definer'::regrole
             and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')",
    )
    .fetch_all(&mut *tx)
    .await?;
    if strayed.is_empty() {
        return Ok(());
    }
    let give: String = strayed.iter().map(|function| format!("alter function {function} owner to rmb_definer; ")).collect();
    let sql = format!("grant create on schema public to rmb_definer; {give}revoke create on schema public from rmb_definer");
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(tx).await?;
    Ok(())
}

/// How many migrations of this program a database lacks; runs with the rights of a serving role.
pub(super) async fn pending(system: &SystemPool, migrator: &Migrator) -> Result<usize, DbError> {
    let applied = sqlx::query_scalar("select version from _sqlx_migrations where success").fetch_all(system).await;
    let applied: Vec<i64> = match applied {
        // 42P01: there is no table of migrations. 42501: it may not be read, so `migrate` of this version never ran.
        Err(sqlx::Error::Database(error)) if matches!(error.code().as_deref(), Some("42P01" | "42501")) => Vec::new(),
        applied => applied?,
    };
    Ok(migrator.iter().filter(|migration| !applied.contains(&migration.version)).count())
}

pub(super) async fn create_roles(url: &str) -> Result<(), MigrateError> {
    let mut connection = maintenance(url).await?;
    sqlx::query("select pg_advisory_lock($1)").bind(CLUSTER_LOCK).execute(&mut connection).await?;
    for role in ROLES {
        let there: bool =
            sqlx::query_scalar("select exists (select from pg_roles where rolname = $1)").bind(role).fetch_one(&mut connection).await?;
        if !there {
            let create = format!("create role {role} nologin nosuperuser nobypassrls");
            match sqlx::raw_sql(AssertSqlSafe(create)).execute(&mut connection).await {
                // 42710: another cluster-wide lock holder was faster through another maintenance database.
                Err(sqlx::Error::Database(error)) if matches!(error.code().as_deref(), Some("42710" | "23505")) => {}
                other => {
                    other?;
                }
            }
        }
        let granted: bool = sqlx::query_scalar("select pg_has_role(current_user, $1, 'set')").bind(role).fetch_one(&mut connection).await?;
        if !granted {
            sqlx::raw_sql(AssertSqlSafe(format!("grant {role} to current_user with set true"))).execute(&mut connection).await?;
        }
    }
    // Whoever logs in as a member of the first works in the second for operators, or to erase; its rights are not inherited.
    for (login, role) in [("rmb_app", "rmb_operator"), ("rmb_system", "rmb_eraser")] {
        let member: bool =
            sqlx::query_scalar("select pg_has_role($1, $2, 'set')").bind(login).bind(role).fetch_one(&mut connection).await?;
        if !member {
            let grant = format!("grant {role} to {login} with inherit false, set true");
            sqlx::raw_sql(AssertSqlSafe(grant)).execute(&mut connection).await?;
        }
    }
    Ok(connection.close().await?)
}

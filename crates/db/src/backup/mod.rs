//! Backups: what Postgres' own `pg_dump` writes of each database, from snapshots that agree with one another, and its restoration.
//!
//! The databases that post to an outbox are read first, the one with the audit log last. What the snapshot of a source calls delivered was
//! delivered before the last snapshot, so the audit log has it; what it does not call delivered is delivered after a restoration, and
//! ignored where it is known. The two sources deliver to each other as well, and a database may be restored alone: [`offer_again`] makes up
//! for both.

mod notes;
mod programs;

use super::DatabaseUrls;
use super::migrate::{MIGRATORS, MigrateError, connect, create_database, create_roles, each, exists, require_prepared};
pub use notes::Note;
pub(crate) use notes::read as read_note_in;
use programs::{Program, Running};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Connection};
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::str::FromStr;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};

/// The databases of a backup, in the order in which they are read.
pub const DATABASES: [&str; 3] = ["agent_memory", "shared_kb", "internal_shared"];

/// Those of them that have an outbox.
const SOURCES: [&str; 2] = ["agent_memory", "shared_kb"];

/// Bytes that are read or written at once.
const PART: usize = 256 * 1024;

/// A backup could not be made or restored. Each says what to do.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error(transparent)]
    Database(#[from] MigrateError),
    #[error(
        "{program} is not installed here: install the client programs of Postgres {server} (on Debian postgresql-client-{server}), or \
         set PATH to their folder"
    )]
    NoProgram { program: &'static str, server: i32 },
    #[error(
        "{program} here is of Postgres {found} and does not work with a server of Postgres {server}: install its client programs (on Debian \
         postgresql-client-{server}), and put their folder first in PATH"
    )]
    OtherProgram { program: &'static str, found: i32, server: i32 },
    #[error("{program} failed: {output}")]
    Failed { program: &'static str, output: String },
    #[error(
        "the database {name} ({database}, Postgres at {host}:{port}) is not empty, and a restore replaces nothing: restore into new \
         databases (DATABASE_URL with another name), or drop this one first"
    )]
    NotEmpty { database: &'static str, name: String, host: String, port: u16 },
    #[error(
        "a restore into the database {name} did not finish ({backup}): run the same 'remembrancer restore' again, which continues it, or drop \
         the databases that it made"
    )]
    Unfinished { name: String, backup: String },
    #[error("the backup has no database {0}")]
    Unknown(String),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// What a database holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// The number of the newest migration.
    pub schema: i64,
    /// Rows by table.
    pub rows: BTreeMap<String, i64>,
}

/// One database as of a moment. Later writes do not show in it.
pub struct Snapshot {
    pub database: &'static str,
    url: String,
    connection: PgConnection,
    /// The name under which other connections can use it.
    id: String,
}

/// Opens a snapshot of each database, in the order of [`DATABASES`]. They take up no lock that writes wait for.
///
/// # Errors
/// When a database does not exist or is out of reach.
pub async fn snapshots(urls: &DatabaseUrls) -> Result<Vec<Snapshot>, BackupError> {
    let mut snapshots = Vec::with_capacity(DATABASES.len());
    for (database, url, _) in each(urls) {
        snapshots.push(Snapshot::open(database, url).await.map_err(|error| error.of(database, url))?);
    }
    Ok(snapshots)
}

impl Snapshot {
    async fn open(database: &'static str, url: &str) -> Result<Self, MigrateError> {
        let mut connection = connect(&PgConnectOptions::from_str(url)?).await?;
        // It waits while the databases before it are written.
        sqlx::raw_sql("set statement_timeout = 0; set idle_in_transaction_session_timeout = 0").execute(&mut connection).await?;
        sqlx::raw_sql("begin isolation level repeatable read read only").execute(&mut connection).await?;
        let id = sqlx::query_scalar("select pg_export_snapshot()").fetch_one(&mut connection).await?;
        Ok(Self { database, url: url.to_owned(), connection, id })
    }

    /// Writes the whole database, in the custom format of `pg_dump`, to `sink`.
    ///
    /// # Errors
    /// Those of `sink`, and when `pg_dump` is missing, of another version, or fails.
    pub async fn dump(&self, mut sink: impl FnMut(&[u8]) -> io::Result<()>) -> Result<(), BackupError> {
        let program = Program::find("pg_dump", self.database, &self.url).await?;
        let mut command = program.command(self.database, &self.url)?;
        command.args(["--format=custom", "--no-password", "--snapshot", self.id.as_str()]);
        let mut running = Running::start(command, &program)?;
        let mut part = vec![0; PART];
        if let Some(mut output) = running.child.stdout.take() {
            loop {
                let read = output.read(&mut part).await?;
                if read == 0 {
                    break;
                }
                sink(part.get(..read).unwrap_or_default())?;
            }
        }
        running.end().await
    }

    /// Counts the rows of each table.
    ///
    /// # Errors
    /// When the connection is lost.
    pub async fn contents(&mut self) -> Result<Contents, BackupError> {
        let counted = count(&mut self.connection).await;
        Ok(counted.map_err(|error| MigrateError::from(error).of(self.database, &self.url))?)
    }

    /// Bytes that the database takes up on the disk of Postgres, with its indexes.
    ///
    /// # Errors
    /// When the connection is lost.
    pub async fn disk(&mut self) -> Result<u64, BackupError> {
        let bytes: Result<i64, _> = sqlx::query_scalar("select pg_database_size(current_database())").fetch_one(&mut self.connection).await;
        Ok(bytes.map(i64::unsigned_abs).map_err(|error| MigrateError::from(error).of(self.database, &self.url))?)
    }

    /// The last entry of each organisation's audit chain, `<number of entries>:<hash>` by the slug of the organisation. Only the
    /// database of the audit log has any.
    ///
    /// # Errors
    /// When the connection is lost.
    pub async fn anchors(&mut self) -> Result<BTreeMap<String, String>, BackupError> {
        if self.database != "internal_shared" {
            return Ok(BTreeMap::new());
        }
        let anchors: Result<Vec<(String, String)>, _> = sqlx::query_as(
            r"select t.slug, l.seq || ':' || encode(l.hash, 'hex')
                from tenants t
               cross join lateral (select seq, hash from audit_log where tenant_id = t.id order by seq desc limit 1) l",
        )
        .fetch_all(&mut self.connection)
        .await;
        Ok(anchors.map(BTreeMap::from_iter).map_err(|error| MigrateError::from(error).of(self.database, &self.url))?)
    }
}

/// The newest migration of a database that this program knows.
pub fn newest_schema(database: &str) -> Option<i64> {
    let (_, migrator) = MIGRATORS.into_iter().find(|(name, _)| *name == database)?;
    migrator.iter().map(|migration| migration.version).max()
}

fn place<'u>(urls: &'u DatabaseUrls, database: &str) -> Result<(&'static str, &'u str), BackupError> {
    let place = each(urls).into_iter().find(|(name, ..)| *name == database);
    place.map(|(name, url, _)| (name, url)).ok_or_else(|| BackupError::Unknown(database.to_owned()))
}

/// Counts the rows of each table of a database.
///
/// # Errors
/// When the database does not exist or is out of reach.
pub async fn contents(urls: &DatabaseUrls, database: &str) -> Result<Contents, BackupError> {
    let (name, url) = place(urls, database)?;
    let counted = async {
        let mut connection = connect(&PgConnectOptions::from_str(url)?).await?;
        let contents = count(&mut connection).await?;
        connection.close().await?;
        Ok::<_, sqlx::Error>(contents)
    };
    Ok(counted.await.map_err(|error| MigrateError::from(error).of(name, url))?)
}

async fn count(connection: &mut PgConnection) -> Result<Contents, sqlx::Error> {
    let tables: Vec<String> = sqlx::query_scalar("select format('%I', tablename) from pg_tables where schemaname = 'public' order by 1")
        .fetch_all(&mut *connection)
        .await?;
    let mut rows = BTreeMap::new();
    for table in tables {
        let sql = format!("select count(*) from {table}");
        let counted: i64 = sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(&mut *connection).await?;
        rows.insert(table, counted);
    }
    let schema = sqlx::query_scalar("select coalesce(max(version), 0) from _sqlx_migrations").fetch_one(connection).await?;
    Ok(Contents { schema, rows })
}

/// Refuses a database that has tables. One that does not exist is empty.
///
/// # Errors
/// `NotEmpty`, and when the database is out of reach.
pub async fn require_empty(urls: &DatabaseUrls, database: &str) -> Result<(), BackupError> {
    if is_empty(urls, database).await? {
        return Ok(());
    }
    let (database, url) = place(urls, database)?;
    let options = PgConnectOptions::from_str(url).map_err(|error| MigrateError::from(error).of(database, url))?;
    let name = options.get_database().unwrap_or_default().to_owned();
    Err(BackupError::NotEmpty { database, name, host: options.get_host().to_owned(), port: options.get_port() })
}

/// Whether a database has no tables, or does not exist.
///
/// # Errors
/// When the database is out of reach.
pub async fn is_empty(urls: &DatabaseUrls, database: &str) -> Result<bool, BackupError> {
    let (database, url) = place(urls, database)?;
    Ok(has_no_tables(url).await.map_err(|error| error.of(database, url))?)
}

async fn has_no_tables(url: &str) -> Result<bool, MigrateError> {
    if !exists(url).await? {
        return Ok(true);
    }
    let mut connection = connect(&PgConnectOptions::from_str(url)?).await?;
    let empty =
        sqlx::query_scalar("select not exists (select from pg_tables where schemaname = 'public')").fetch_one(&mut connection).await?;
    connection.close().await?;
    Ok(empty)
}

/// What a database says about its backups; nothing if it does not exist.
///
/// # Errors
/// When the database is out of reach.
pub async fn noted(urls: &DatabaseUrls, database: &str) -> Result<Option<Note>, BackupError> {
    let (database, url) = place(urls, database)?;
    Ok(read_note(url).await.map_err(|error| MigrateError::from(error).of(database, url))?)
}

async fn read_note(url: &str) -> Result<Option<Note>, sqlx::Error> {
    let mut connection = match connect(&PgConnectOptions::from_str(url)?).await {
        // 3D000: the database does not exist.
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some("3D000") => return Ok(None),
        connection => connection?,
    };
    let note = read_note_in(&mut connection).await?;
    connection.close().await?;
    Ok(note)
}

/// Lets a database say something about its backups, or nothing.
///
/// # Errors
/// When the database does not exist, is out of reach, or is not the owner's.
pub async fn note(urls: &DatabaseUrls, database: &str, note: Option<&Note>) -> Result<(), BackupError> {
    let (database, url) = place(urls, database)?;
    Ok(notes::write(url, note).await.map_err(|error| MigrateError::from(error).of(database, url))?)
}

/// Refuses databases of which one was not restored to the end: what it lacks would be taken for lost.
///
/// # Errors
/// `Unfinished`, and when a database is out of reach.
pub async fn require_whole(urls: &DatabaseUrls) -> Result<(), BackupError> {
    for (database, url, _) in each(urls) {
        if let Some(Note::Restoring(backup)) = noted(urls, database).await? {
            let options = PgConnectOptions::from_str(url).map_err(|error| MigrateError::from(error).of(database, url))?;
            return Err(BackupError::Unfinished { name: options.get_database().unwrap_or_default().to_owned(), backup });
        }
    }
    Ok(())
}

/// The data folder of the Postgres of a database, if that runs on this machine and lets the owner ask.
///
/// # Errors
/// When Postgres is out of reach.
pub async fn data_folder(urls: &DatabaseUrls, database: &str) -> Result<Option<PathBuf>, BackupError> {
    let (database, url) = place(urls, database)?;
    Ok(programs::data_folder(url).await.map_err(|error| MigrateError::from(error).of(database, url))?)
}

/// Makes an empty database ready for [`restore`], and lets it say that a restore of `backup` is under way until [`note`] takes that back.
/// The database and the roles are created if they are missing.
///
/// # Errors
/// `NotEmpty`, and when `pg_restore` would fail in it, is missing or of another version.
pub async fn begin_restore(urls: &DatabaseUrls, database: &str, backup: &str) -> Result<(), BackupError> {
    require_empty(urls, database).await?;
    let (name, url) = place(urls, database)?;
    prepare(name, url).await?;
    note(urls, database, Some(&Note::Restoring(backup.to_owned()))).await
}

/// Creates the database and the roles if they are missing; the program that restores into it.
async fn prepare(database: &'static str, url: &str) -> Result<Program, BackupError> {
    create_roles(url).await.map_err(|error| error.of(database, url))?;
    create_database(database, url).await.map_err(|error| error.of(database, url))?;
    require_prepared_at(database, url).await.map_err(|error| error.of(database, url))?;
    Program::find("pg_restore", database, url).await
}

/// Restores a database from what [`Snapshot::dump`] wrote: all of it, or nothing. The database and the roles are created if they are
/// missing; `migrate` must follow, which gives the functions to their role. `progress` gets the bytes that were read so far.
///
/// # Errors
/// `NotEmpty`, when the dump is damaged, and when `pg_restore` is missing, of another version, or fails.
pub async fn restore(
    urls: &DatabaseUrls,
    database: &str,
    dump: impl AsyncRead + Unpin,
    progress: impl FnMut(u64),
) -> Result<(), BackupError> {
    require_empty(urls, database).await?;
    let (database, url) = place(urls, database)?;
    let program = prepare(database, url).await?;
    let mut command = program.command(database, url)?;
    // Whoever restores becomes the owner, who may be called otherwise than the one who made the backup. To describe the extension again
    // takes a superuser, so comments stay away.
    command.args(["--single-transaction", "--exit-on-error", "--no-password", "--no-owner", "--no-comments", "--dbname"]);
    let options = PgConnectOptions::from_str(url).map_err(|error| MigrateError::from(error).of(database, url))?;
    command.arg(options.get_database().unwrap_or_default());
    let mut running = Running::start(command, &program)?;
    feed(&mut running, dump, progress).await?;
    running.end().await
}

/// Refuses a database in which pg_restore would fail, with what to do.
async fn require_prepared_at(database: &'static str, url: &str) -> Result<(), MigrateError> {
    let options = PgConnectOptions::from_str(url)?;
    let mut connection = connect(&options).await?;
    require_prepared(&mut connection, &options, database, url).await?;
    // One whose parent was killed goes on for a while.
    let restores = "select exists (select from pg_stat_activity where datname = current_database() and application_name = 'pg_restore')";
    let is_at_work: bool = sqlx::query_scalar(restores).fetch_one(&mut connection).await?;
    if is_at_work {
        let name = options.get_database().unwrap_or_default();
        return Err(MigrateError::Unusable(format!("a pg_restore works in the database {name}: wait until it ends, then run this again")));
    }
    Ok(connection.close().await?)
}

/// Writes to the program's input. A program that ends early says why by itself.
async fn feed(running: &mut Running, mut dump: impl AsyncRead + Unpin, mut progress: impl FnMut(u64)) -> Result<(), BackupError> {
    let Some(mut input) = running.child.stdin.take() else { return Ok(()) };
    let (mut part, mut fed) = (vec![0; PART], 0);
    loop {
        let read = dump.read(&mut part).await?;
        if read == 0 || input.write_all(part.get(..read).unwrap_or_default()).await.is_err() {
            return Ok(());
        }
        fed += read as u64;
        progress(fed);
    }
}

/// Lets the relay deliver what the outbox of a database delivered within the last day once more; how many rows, none for a database without
/// an outbox. Receivers ignore what they know, so only what a restored database lacks arrives, and this may be repeated.
///
/// # Errors
/// When the database is out of reach.
pub async fn offer_again(urls: &DatabaseUrls, database: &str) -> Result<u64, BackupError> {
    let (database, url) = place(urls, database)?;
    if !SOURCES.contains(&database) {
        return Ok(0);
    }
    Ok(offer(url).await.map_err(|error| MigrateError::from(error).of(database, url))?)
}

async fn offer(url: &str) -> Result<u64, sqlx::Error> {
    let mut connection = connect(&PgConnectOptions::from_str(url)?).await?;
    let offer = "update outbox set delivered_at = null where delivered_at is not null and payload <> '{}'";
    let offered = sqlx::query(offer).execute(&mut connection).await?.rows_affected();
    connection.close().await?;
    Ok(offered)
}

//! The embedded Postgres: started if no database URL is given, with pgvector, from one downloaded file (pg0).
//!
//! pg0 only carries the installation. It would run Postgres without fsync and with the password on its command line, so the cluster is
//! made and run with Postgres' own programs: durable, SCRAM, loopback only, no Unix socket.
//!
//! The server's process and Postgres' are separate. When ours is killed, Postgres goes on and the next start adopts it; when Postgres is
//! killed, the server that supervises it starts it again, else the next start does. Several processes may use one cluster: each holds a
//! shared lock, the last one stops it.
//!
//! Below a directory of its own (`.local/postgres`): `pg0-<version>/` the installation, `data/` the cluster, `password`, `port`, and the
//! locks.

mod cluster;
mod owner;
mod process;

use self::cluster::Cluster;
use self::process::is_halted;
use super::illness::Illness;
use sqlx::{Connection, PgConnection};
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use wire::plain;

/// How long Postgres may take to start, stop or answer; recovery after a crash is part of it.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long one question to it may take.
const ANSWER: Duration = Duration::from_secs(5);
/// How often a supervisor looks whether Postgres still runs.
const LOOK: Duration = Duration::from_millis(500);
/// How long it waits before it tries again to start one that it could not start.
const AGAIN: Duration = Duration::from_secs(5);

/// What to start and where.
#[derive(Clone, Debug)]
pub struct Options {
    /// The `pg0` program.
    pub binary: PathBuf,
    /// Made if missing; everything the cluster needs is below it.
    pub data_dir: PathBuf,
    /// The port to listen on; without one, the last one used if it is free, else any free one.
    pub port: Option<u16>,
    /// Further settings of `postgresql.conf`. A running cluster that is adopted keeps its own.
    pub settings: Vec<(String, String)>,
}

/// A running Postgres, used by this process. Dropping it leaves Postgres running, for the next start to adopt; [`Embedded::stop`] stops it.
#[derive(Debug)]
pub struct Embedded {
    cluster: Cluster,
    url: String,
    adopted: bool,
    /// With the port that the URL names.
    options: Options,
    port: u16,
    /// Held shared while this process uses the cluster.
    users: File,
}

/// Why the embedded Postgres is not there; each says what to do.
#[derive(Debug, thiserror::Error)]
pub enum EmbeddedError {
    #[error("the embedded Postgres needs the program pg0 at {}: run 'remembrancer setup', or scripts/fetch.sh pg0 in a clone, or set DATABASE_URL to your Postgres", .0.display())]
    NoBinary(PathBuf),
    #[error("{} cannot be used ({}): {}", path.display(), plain(source).to_lowercase(), remedy(source))]
    Io { path: PathBuf, source: io::Error },
    #[error("no port of 127.0.0.1 is free ({})", plain(.0).to_lowercase())]
    Port(io::Error),
    #[error("{} belongs to another user (uid {owner}): run this as that user, or remove the folder", path.display())]
    Foreign { path: PathBuf, owner: u32 },
    #[error("{} holds a cluster, but the user that runs Postgres cannot enter it: run 'chmod o+x' on the folders above it", .0.display())]
    Closed(PathBuf),
    #[error("the embedded Postgres cannot be started: {reason} (its log is {}){}", log.display(), advice(reason))]
    NotStarted { reason: String, log: PathBuf },
    #[error("the embedded Postgres (process {pid}) is halted: let it go on with 'kill -CONT {pid}', or end it with 'kill -9 {pid}'")]
    Halted { pid: u32 },
    #[error("a Postgres works in the folder of {} that the file does not name: end it with 'kill {pid}', then start again", file.display())]
    Occupied { file: PathBuf, pid: u32 },
    #[error("another process has held {} for two minutes: end it, then start again", .0.display())]
    Busy(PathBuf),
    #[error("{program} failed: {output}")]
    Program { program: &'static str, output: String },
    #[error("the embedded Postgres on port {port} does not answer ({reason}): see {}", log.display())]
    Silent { port: u16, reason: String, log: PathBuf },
    #[error("Postgres cannot run as root: add a user 'remembrancer', or set DATABASE_URL to your own Postgres")]
    NoUser,
    #[error("the task that starts Postgres was cancelled")]
    Cancelled,
}

/// What to do about an error at a path of the data folder.
fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free space on its disk, then start again",
        _ => "set DATA_DIR to a folder that this user may write to",
    }
}

/// Whether a text tells of a full disk.
fn is_full(text: &str) -> bool {
    text.to_lowercase().contains("no space left on device")
}

/// What to do where Postgres gives a reason that has a remedy.
fn advice(reason: &str) -> &'static str {
    if is_full(reason) { ": free space on its disk, then start again" } else { "" }
}

/// What failed at a path.
fn at(path: &Path) -> impl FnOnce(io::Error) -> EmbeddedError {
    let path = path.to_owned();
    move |source| EmbeddedError::Io { path, source }
}

impl EmbeddedError {
    /// What is wrong with the databases, if that is known.
    fn illness(&self) -> Option<Illness> {
        is_full(&self.to_string()).then_some(Illness::DiskFull)
    }
}

impl Embedded {
    /// Whether a cluster was made in `data_dir`. A folder that this user may not look into counts as one: the start says what is wrong.
    pub fn is_in(data_dir: &Path) -> bool {
        cluster::is_made(data_dir).unwrap_or(true)
    }

    /// Starts the cluster in `data_dir`, or adopts it if it runs already. The first start unpacks and initialises: some seconds.
    pub async fn start(options: Options) -> Result<Self, EmbeddedError> {
        let (wanted, (cluster, users, adopted, port)) = blocking(move || prepare(&options).map(|prepared| (options, prepared))).await??;
        let url = format!("postgres://postgres:{}@127.0.0.1:{port}/postgres", cluster.password()?);
        let embedded = Self { cluster, url, adopted, users, options: Options { port: Some(port), ..wanted }, port };
        embedded.wait_until_it_answers().await?;
        Ok(embedded)
    }

    /// Starts Postgres again, with its data and on its port, whenever it has died. Never returns; to be dropped before [`Embedded::stop`].
    /// `note` learns why it cannot be started.
    pub async fn supervise(&self, note: impl Fn(Illness)) {
        loop {
            tokio::time::sleep(LOOK).await;
            match self.revive().await {
                Ok(false) => {}
                Ok(true) => tracing::warn!(port = self.port, "the embedded Postgres had died and was started again"),
                Err(error) => {
                    tracing::error!(%error, "the embedded Postgres has died and cannot be started; trying again");
                    error.illness().into_iter().for_each(&note);
                    tokio::time::sleep(AGAIN).await;
                }
            }
        }
    }

    /// Starts Postgres again if it has died; whether it had.
    ///
    /// # Errors
    /// When it cannot be started, as when something else took its port.
    pub async fn revive(&self) -> Result<bool, EmbeddedError> {
        let (cluster, options) = (self.cluster.clone(), self.options.clone());
        let died = blocking(move || {
            if cluster.runs() {
                return Ok(false);
            }
            let _starting = cluster.lock("starting")?;
            // Another process that uses the cluster may have been faster.
            if cluster.running()?.is_none() {
                tracing::warn!("the embedded Postgres is gone: starting it again");
                cluster.launch(&options)?;
            }
            Ok::<_, EmbeddedError>(true)
        })
        .await??;
        if died {
            self.wait_until_it_answers().await?;
        }
        Ok(died)
    }

    /// A superuser's URL, of the database `postgres`. Holds the password: not for logs.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Whether the cluster was running already.
    pub fn adopted(&self) -> bool {
        self.adopted
    }

    /// Stops Postgres, unless another process uses the same cluster.
    pub async fn stop(self) -> Result<(), EmbeddedError> {
        blocking(move || {
            let _starting = self.cluster.lock("starting")?;
            let path = self.cluster.home.join("users");
            self.users.unlock().map_err(at(&path))?;
            match self.users.try_lock() {
                Ok(()) => self.cluster.stop(),
                Err(TryLockError::WouldBlock) => Ok(()),
                Err(TryLockError::Error(source)) => Err(EmbeddedError::Io { path, source }),
            }
        })
        .await?
    }

    /// Proves that what listens on the port is this cluster: the password opens it, and the data directory is ours.
    async fn wait_until_it_answers(&self) -> Result<(), EmbeddedError> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let answer = match tokio::time::timeout(ANSWER, ping(&self.url)).await {
                Ok(answer) => answer,
                Err(_) => match self.cluster.recorded() {
                    Some((pid, _)) if is_halted(pid) => return Err(EmbeddedError::Halted { pid }),
                    _ => Err(sqlx::Error::PoolTimedOut),
                },
            };
            let error = match answer {
                Ok(directory) if Path::new(&directory) == self.cluster.data() => return Ok(()),
                Ok(directory) => format!("another cluster is there, with data in {directory}"),
                // In recovery Postgres refuses connections, and says so.
                Err(error) if Instant::now() < deadline && !is_final(&error) => {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
                Err(sqlx::Error::PoolTimedOut) => "it takes connections and never answers".into(),
                Err(error) => error.as_database_error().map_or_else(|| error.to_string(), |error| error.message().to_owned()),
            };
            return Err(EmbeddedError::Silent { port: self.port, reason: error, log: self.cluster.log() });
        }
    }
}

async fn ping(url: &str) -> Result<String, sqlx::Error> {
    let mut connection = PgConnection::connect(url).await?;
    let directory = sqlx::query_scalar("select current_setting('data_directory')").fetch_one(&mut connection).await?;
    connection.close().await?;
    Ok(directory)
}

/// A wrong password stays wrong: class 28 is "invalid authorization".
fn is_final(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(|e| e.code()).is_some_and(|code| code.starts_with("28"))
}

/// All that blocks: files, programs, waiting for Postgres to start.
fn prepare(options: &Options) -> Result<(Cluster, File, bool, u16), EmbeddedError> {
    if !options.binary.is_file() {
        return Err(EmbeddedError::NoBinary(options.binary.clone()));
    }
    let cluster = Cluster::open(options)?;
    let _starting = cluster.lock("starting")?;
    cluster.unpack(&options.binary)?;
    cluster.initialise()?;
    let (adopted, port) = match cluster.running()? {
        Some((_, port)) => (true, port),
        None => (false, cluster.launch(options)?),
    };
    let users = cluster.open_lock("users")?;
    users.lock_shared().map_err(at(&cluster.home.join("users")))?;
    Ok((cluster, users, adopted, port))
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, EmbeddedError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| EmbeddedError::Cancelled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_and_a_folder_that_cannot_be_written_to_have_different_remedies() {
        let sentence = |kind: io::ErrorKind| at(Path::new("/data/postgres"))(kind.into()).to_string();
        assert_eq!(
            sentence(io::ErrorKind::StorageFull),
            "/data/postgres cannot be used (no storage space): free space on its disk, then start again"
        );
        let closed = sentence(io::ErrorKind::ReadOnlyFilesystem);
        assert!(closed.ends_with("set DATA_DIR to a folder that this user may write to"), "{closed}");
    }

    #[test]
    fn a_postgres_that_a_full_disk_stops_says_so() {
        let stopped = |reason: &str| EmbeddedError::NotStarted { reason: reason.into(), log: PathBuf::from("/data/server.log") };
        let full = stopped("could not write to file \"pg_wal/xlogtemp.7\": No space left on device");
        assert_eq!(full.illness(), Some(Illness::DiskFull));
        assert!(full.to_string().ends_with("(its log is /data/server.log): free space on its disk, then start again"), "{full}");
        let locked = stopped("lock file \"postmaster.pid\" already exists");
        assert_eq!(locked.illness(), None);
        assert!(locked.to_string().ends_with("(its log is /data/server.log)"), "{locked}");
    }
}

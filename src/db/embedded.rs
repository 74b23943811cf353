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

use std::{
    fs::{self, DirBuilder, File, Permissions, TryLockError},
    io::{self, PipeReader, Write},
    net::{Ipv4Addr, TcpListener},
    os::unix::{
        fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown, lchown, symlink},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use sha2::{Digest, Sha256};
use sqlx::{Connection, PgConnection};

use crate::clock::{Clock, SystemClock};

/// Opening a link fails.
const NO_LINK: i32 = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
/// How long Postgres may take to start, stop or answer; recovery after a crash is part of it.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often a supervisor looks whether Postgres still runs.
const LOOK: Duration = Duration::from_millis(500);
/// Where data goes when root runs this below a directory that only root may enter (see [`home`]).
const OUTSIDE: &str = "/var/lib/remembrancer";

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
    #[error("the embedded Postgres needs the program pg0 at {}: run scripts/fetch.sh, or set DATABASE_URL to your Postgres", .0.display())]
    NoBinary(PathBuf),
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} belongs to another user (uid {owner}): run this as that user, or remove the folder", path.display())]
    Foreign { path: PathBuf, owner: u32 },
    #[error("{} holds a cluster, but the user that runs Postgres cannot enter it: run 'chmod o+x' on the folders above it", .0.display())]
    Closed(PathBuf),
    #[error("{program} failed: {output}")]
    Program { program: &'static str, output: String },
    #[error("the embedded Postgres on port {port} does not answer ({reason}): see {}", log.display())]
    Silent { port: u16, reason: String, log: PathBuf },
    #[error("Postgres cannot run as root: add the user 'nobody', or set DATABASE_URL to your own Postgres")]
    NoUser,
    #[error("the task that starts Postgres was cancelled")]
    Cancelled,
}

impl Embedded {
    /// Starts the cluster in `data_dir`, or adopts it if it runs already. The first start unpacks and initialises: some seconds.
    pub async fn start(options: Options) -> Result<Self, EmbeddedError> {
        let (wanted, (cluster, users, adopted, port)) = blocking(move || prepare(&options).map(|prepared| (options, prepared))).await??;
        let url = format!("postgres://postgres:{}@127.0.0.1:{port}/postgres", cluster.password()?);
        let embedded = Self { cluster, url, adopted, users, options: Options { port: Some(port), ..wanted }, port };
        embedded.wait_until_it_answers().await?;
        Ok(embedded)
    }

    /// Starts Postgres again, with its data and on its port, whenever it has died. Never returns; to be dropped before [`Embedded::stop`].
    pub async fn supervise(&self) {
        loop {
            tokio::time::sleep(LOOK).await;
            match self.revive().await {
                Ok(false) => {}
                Ok(true) => tracing::warn!(port = self.port, "the embedded Postgres had died and was started again"),
                Err(error) => tracing::error!(%error, "the embedded Postgres has died and cannot be started; trying again"),
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
            if cluster.recorded().is_some_and(|(pid, _)| is_postgres(pid)) {
                return Ok(false);
            }
            let _starting = cluster.lock("starting")?;
            // Another process that uses the cluster may have been faster.
            if cluster.running().is_none() {
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
            let error = match ping(&self.url).await {
                Ok(directory) if Path::new(&directory) == self.cluster.data() => return Ok(()),
                Ok(directory) => format!("another cluster is there, with data in {directory}"),
                // In recovery Postgres refuses connections, and says so.
                Err(error) if Instant::now() < deadline && !is_final(&error) => {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
                Err(error) => error.to_string(),
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
    let (adopted, port) = match cluster.running() {
        Some((_, port)) => (true, port),
        None => (false, cluster.launch(options)?),
    };
    let users = cluster.open_lock("users")?;
    users.lock_shared().map_err(at(&cluster.home.join("users")))?;
    Ok((cluster, users, adopted, port))
}

/// The files of one cluster and the user who runs it.
#[derive(Clone, Debug)]
struct Cluster {
    home: PathBuf,
    installation: PathBuf,
    /// Whom Postgres runs as, if not as ourselves.
    user: Option<User>,
}

#[derive(Clone, Copy, Debug)]
struct User {
    uid: u32,
    gid: u32,
}

impl Cluster {
    fn open(options: &Options) -> Result<Self, EmbeddedError> {
        make_dir(&options.data_dir)?;
        let ours = rustix::process::geteuid().as_raw();
        if ours == 0 {
            refuse_link(&options.data_dir)?;
        }
        let existing = fs::metadata(options.data_dir.join("data")).ok().map(|m| User { uid: m.uid(), gid: m.gid() });
        let user = match existing {
            Some(owner) if ours == 0 && owner.uid != 0 => Some(owner),
            Some(owner) if ours != 0 && owner.uid != ours => {
                return Err(EmbeddedError::Foreign { path: options.data_dir.clone(), owner: owner.uid });
            }
            _ if ours == 0 => Some(nobody().ok_or(EmbeddedError::NoUser)?),
            _ => None,
        };
        let home = match user {
            Some(user) => {
                let owner = fs::metadata(&options.data_dir).map_err(at(&options.data_dir))?.uid();
                if owner != 0 && owner != user.uid {
                    return Err(EmbeddedError::Foreign { path: options.data_dir.clone(), owner });
                }
                if existing.is_none() {
                    // The other user must be able to pass, even with a strict umask; the secret files below have modes of their own.
                    fs::set_permissions(&options.data_dir, Permissions::from_mode(0o711)).map_err(at(&options.data_dir))?;
                }
                home(&options.data_dir, user)?
            }
            None => fs::canonicalize(&options.data_dir).map_err(at(&options.data_dir))?,
        };
        let version = run(Command::new(&options.binary).arg("--version"), "pg0 --version")?;
        let installation = home.join(version.trim().replace(' ', "-"));
        Ok(Self { home, installation, user })
    }

    fn data(&self) -> PathBuf {
        self.home.join("data")
    }

    fn log(&self) -> PathBuf {
        self.data().join("server.log")
    }

    fn password(&self) -> Result<String, EmbeddedError> {
        let path = self.home.join("password");
        let file = File::options().read(true).custom_flags(NO_LINK).open(&path);
        file.and_then(io::read_to_string).map(|text| text.trim().to_owned()).map_err(at(&path))
    }

    fn open_lock(&self, name: &str) -> Result<File, EmbeddedError> {
        let path = self.home.join(name);
        match self.create_private(&path) {
            Err(EmbeddedError::Io { source, .. }) if source.kind() == io::ErrorKind::AlreadyExists => {
                File::options().write(true).custom_flags(NO_LINK).open(&path).map_err(at(&path))
            }
            created => created,
        }
    }

    /// Waits until no other process starts or stops this cluster.
    fn lock(&self, name: &str) -> Result<File, EmbeddedError> {
        let file = self.open_lock(name)?;
        file.lock().map_err(at(&self.home.join(name)))?;
        Ok(file)
    }

    /// One of Postgres' programs, as the user who owns the cluster.
    fn program(&self, name: &str) -> Command {
        self.program_of(&self.installation, name)
    }

    fn program_of(&self, installation: &Path, name: &str) -> Command {
        let mut command = Command::new(installation.join("bin").join(name));
        // The bundled libraries are found by Postgres itself but not by one another.
        command.env("LD_LIBRARY_PATH", installation.join("lib")).current_dir("/");
        self.as_user(&mut command);
        command
    }

    fn as_user(&self, command: &mut Command) {
        if let Some(User { uid, gid }) = self.user {
            command.uid(uid).gid(gid);
        }
    }

    /// Whether we are root and a path is in a folder of the user who runs Postgres. What happens there is done by that user: root would
    /// follow every link that is put in its way.
    fn is_theirs(&self, path: &Path) -> bool {
        let owner = path.parent().and_then(|folder| fs::symlink_metadata(folder).ok()).map(|folder| folder.uid());
        self.user.is_some_and(|user| owner == Some(user.uid))
    }

    /// Runs a line of shell, in which `$0` is a path, as the user who owns the cluster.
    fn shell(&self, line: &str, path: &Path, input: impl Into<Stdio>) -> Result<(), EmbeddedError> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", line]).arg(path).current_dir("/");
        self.as_user(&mut command);
        run_with(&mut command, "sh", input.into()).map(drop)
    }

    /// Creates a file that only the cluster's user may read. An existing one, or a link, is an error.
    fn create_private(&self, path: &Path) -> Result<File, EmbeddedError> {
        let file = File::options().create_new(true).write(true).mode(0o600).open(path).map_err(at(path))?;
        if let Some(User { uid, gid }) = self.user {
            fchown(&file, Some(uid), Some(gid)).map_err(at(path))?;
        }
        Ok(file)
    }

    /// Creates a folder that only the cluster's user may enter. An existing one, or a link, is an error.
    fn create_private_dir(&self, path: &Path) -> Result<(), EmbeddedError> {
        if self.is_theirs(path) {
            return self.shell("mkdir -m 700 \"$0\"", path, Stdio::null());
        }
        DirBuilder::new().mode(0o700).create(path).map_err(at(path))?;
        match self.user {
            Some(User { uid, gid }) => lchown(path, Some(uid), Some(gid)).map_err(at(path)),
            None => Ok(()),
        }
    }

    /// Replaces a file by one that only the cluster's user may read.
    fn write_private(&self, path: &Path, text: &str) -> Result<(), EmbeddedError> {
        if self.is_theirs(path) {
            return self.shell("umask 077 && cat >\"$0.new\" && mv -f \"$0.new\" \"$0\"", path, piped(text).map_err(at(path))?);
        }
        let new = path.with_extension("new");
        remove(&new)?;
        self.create_private(&new)?.write_all(text.as_bytes()).map_err(at(&new))?;
        fs::rename(&new, path).map_err(at(path))
    }

    /// Makes pg0 unpack what it carries. It has no command for that alone, so a throw-away cluster is started and dropped.
    fn unpack(&self, binary: &Path) -> Result<(), EmbeddedError> {
        if self.installation.is_dir() {
            return Ok(());
        }
        let scratch = self.home.join("unpacking");
        remove(&scratch)?;
        self.create_private_dir(&scratch)?;
        // The user who runs it may not be able to reach the original.
        let program = scratch.join("pg0");
        self.shell("cat >\"$0\" && chmod 700 \"$0\"", &program, File::open(binary).map_err(at(binary))?)?;
        let (port, data) = (free_port()?.to_string(), scratch.join("data"));
        let mut pg0 = Command::new(&program);
        pg0.args(["start", "--name", "unpack", "--port", &port, "--password", &random(), "--data-dir"]).arg(&data);
        pg0.env("HOME", &scratch).env("TMPDIR", &scratch).current_dir("/");
        self.as_user(&mut pg0);
        run(&mut pg0, "pg0 start")?;
        let unpacked = scratch.join(".pg0/installation");
        let version = fs::read_dir(&unpacked).map_err(at(&unpacked))?.flatten().next();
        let version = version.ok_or_else(|| EmbeddedError::NoBinary(binary.to_owned()))?.path();
        run(
            self.program_of(&version, "pg_ctl").arg("stop").arg("--pgdata").arg(&data).args(["--mode=immediate", "--silent"]),
            "pg_ctl stop",
        )?;
        fs::rename(&version, &self.installation).map_err(at(&version))?;
        remove(&scratch)
    }

    /// Makes the cluster and its password. A half-made one is removed and created again: it held nothing.
    fn initialise(&self) -> Result<(), EmbeddedError> {
        let (data, password) = (self.data(), self.home.join("password"));
        if data.join("remembrancer.conf").is_file() {
            return Ok(());
        }
        remove(&data)?;
        self.write_private(&password, &random())?;
        self.create_private_dir(&data)?;
        let mut initdb = self.program("initdb");
        initdb.arg("--pgdata").arg(&data).arg("--pwfile").arg(&password);
        // The same order and case rules on every system.
        initdb.args(["--username=postgres", "--auth=scram-sha-256", "--encoding=UTF8"]);
        initdb.args(["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-instructions"]);
        run(&mut initdb, "initdb")?;
        let settings = data.join("postgresql.conf");
        self.shell("cat >>\"$0\"", &settings, piped("\ninclude 'remembrancer.conf'\n").map_err(at(&settings))?)?;
        // Written last: it marks the cluster as complete.
        self.configure(0, &[])
    }

    /// Our part of the settings, written at each start.
    fn configure(&self, port: u16, settings: &[(String, String)]) -> Result<(), EmbeddedError> {
        let fixed = [
            ("port", port.to_string()),
            ("listen_addresses", "127.0.0.1".into()),
            ("unix_socket_directories", String::new()),
            ("timezone", "UTC".into()),
            ("log_checkpoints", "off".into()),
        ];
        let mut text = String::from("# Written by remembrancer at each start.\n");
        for (name, value) in fixed.iter().map(|(n, v)| (*n, v)).chain(settings.iter().map(|(n, v)| (n.as_str(), v))) {
            text += &format!("{name} = '{}'\n", value.replace('\'', "''"));
        }
        self.write_private(&self.data().join("remembrancer.conf"), &text)
    }

    fn pid_file(&self) -> PathBuf {
        self.data().join("postmaster.pid")
    }

    /// Process and port that Postgres has written down in this directory.
    fn recorded(&self) -> Option<(u32, u16)> {
        let text = fs::read_to_string(self.pid_file()).ok()?;
        let mut lines = text.lines();
        Some((lines.next()?.trim().parse().ok()?, lines.nth(2)?.trim().parse().ok()?))
    }

    /// Process and port of a Postgres that runs in this directory. Clears the trace of one that does not run any more.
    fn running(&self) -> Option<(u32, u16)> {
        let recorded = self.recorded()?;
        if is_postgres(recorded.0) {
            return Some(recorded);
        }
        // Postgres clears it too, except when the number now belongs to another process of the same user.
        self.shell("rm -f \"$0\"", &self.pid_file(), Stdio::null()).ok();
        None
    }

    fn launch(&self, options: &Options) -> Result<u16, EmbeddedError> {
        let remembered = self.home.join("port");
        let last = fs::read_to_string(&remembered).ok().and_then(|s| s.trim().parse().ok());
        let deadline = Instant::now() + PATIENCE;
        loop {
            let port = match (options.port, last.filter(|&port| is_free(port))) {
                (Some(port), _) | (None, Some(port)) => port,
                (None, None) => free_port()?,
            };
            self.configure(port, &options.settings)?;
            let mut start = self.program("pg_ctl");
            let seconds = PATIENCE.as_secs().to_string();
            start.arg("start").arg("--pgdata").arg(self.data()).arg("--log").arg(self.log()).args([
                "--wait",
                "--silent",
                "--timeout",
                &seconds,
            ]);
            match run(&mut start, "pg_ctl start") {
                Ok(_) => {
                    self.write_private(&remembered, &port.to_string())?;
                    return Ok(port);
                }
                // Somebody else took the free port first.
                Err(_) if self.log_mentions("could not bind") && options.port.is_none() && Instant::now() < deadline => {}
                // After a kill of the postmaster its children hold the shared memory until they notice.
                Err(_) if self.log_mentions("shared memory block") && Instant::now() < deadline => {
                    thread::sleep(Duration::from_millis(300))
                }
                Err(EmbeddedError::Program { program, output }) => {
                    let output = format!("{} {}", output.trim(), self.last_line());
                    return Err(EmbeddedError::Program { program, output });
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn stop(&self) -> Result<(), EmbeddedError> {
        let Some((pid, _)) = self.running() else { return Ok(()) };
        let stop = |mode| {
            let mut stop = self.program("pg_ctl");
            let seconds = (PATIENCE / 3).as_secs().to_string();
            stop.arg("stop").arg("--pgdata").arg(self.data()).args(["--mode", mode, "--wait", "--silent", "--timeout", &seconds]);
            run(&mut stop, "pg_ctl stop")
        };
        // Whoever is still connected is disconnected; if even that hangs, the next start recovers.
        stop("fast").or_else(|_| stop("immediate"))?;
        // pg_ctl waits for the file to go, which the process does a moment later.
        let deadline = Instant::now() + PATIENCE / 6;
        while is_postgres(pid) && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    fn last_line(&self) -> String {
        let log = fs::read_to_string(self.log()).unwrap_or_default();
        let line = log.lines().rev().find(|line| line.contains("FATAL") || line.contains("ERROR")).unwrap_or_default();
        line.to_owned()
    }

    fn log_mentions(&self, what: &str) -> bool {
        let log = fs::read_to_string(self.log()).unwrap_or_default();
        log.lines().rev().take(4).any(|line| line.contains(what))
    }
}

/// The directory that the cluster really lives in.
///
/// As root, Postgres runs as an unprivileged user, who cannot get below `/root`. Lending that user root's right to search every directory
/// would open all files to SQL, so the data then goes to `/var/lib/remembrancer` and a link is left in the place asked for.
fn home(wanted: &Path, user: User) -> Result<PathBuf, EmbeddedError> {
    let path = fs::canonicalize(wanted).map_err(at(wanted))?;
    let mut enter = Command::new("/bin/sh");
    enter.args(["-c", "cd \"$0\""]).arg(&path).current_dir("/").uid(user.uid).gid(user.gid).stderr(Stdio::null());
    if enter.status().map_err(at(&path))?.success() {
        return Ok(path);
    }
    if path.join("data").exists() {
        return Err(EmbeddedError::Closed(path));
    }
    let digest = Sha256::digest(path.as_os_str().as_encoded_bytes());
    let outside = Path::new(OUTSIDE).join(digest.iter().take(8).map(|b| format!("{b:02x}")).collect::<String>());
    make_dir(Path::new(OUTSIDE))?;
    make_dir(&outside)?;
    // Only if it is empty.
    fs::remove_dir(&path).map_err(at(&path))?;
    symlink(&outside, wanted).map_err(at(wanted))?;
    Ok(outside)
}

/// The unprivileged user that every Unix has.
fn nobody() -> Option<User> {
    let users = fs::read_to_string("/etc/passwd").ok()?;
    let mut fields = users.lines().find(|line| line.starts_with("nobody:"))?.split(':').skip(2);
    // macOS writes -2, in 32 bits.
    let mut number = || fields.next()?.parse::<i64>().ok().map(|n| n as u32);
    Some(User { uid: number()?, gid: number()? })
}

fn make_dir(path: &Path) -> Result<(), EmbeddedError> {
    fs::create_dir_all(path).map_err(at(path))
}

fn remove(path: &Path) -> Result<(), EmbeddedError> {
    let result = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match result {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(at(path)(e)),
        _ => Ok(()),
    }
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> EmbeddedError {
    let path = path.to_owned();
    move |source| EmbeddedError::Io { path, source }
}

/// A short text as the input of a program.
fn piped(text: &str) -> io::Result<PipeReader> {
    let (reader, mut writer) = io::pipe()?;
    writer.write_all(text.as_bytes())?;
    Ok(reader)
}

/// Refuses, as root, a folder that is another user's link: it may lead anywhere. Links of root, as [`home`] leaves one, are followed.
fn refuse_link(path: &Path) -> Result<(), EmbeddedError> {
    let link = fs::symlink_metadata(path).map_err(at(path))?;
    match link.is_symlink() && link.uid() != 0 {
        true => Err(EmbeddedError::Foreign { path: path.to_owned(), owner: link.uid() }),
        false => Ok(()),
    }
}

/// Runs a program to its end; its output is reported only if it fails.
fn run(command: &mut Command, name: &'static str) -> Result<String, EmbeddedError> {
    run_with(command, name, Stdio::null())
}

fn run_with(command: &mut Command, name: &'static str, input: Stdio) -> Result<String, EmbeddedError> {
    let output = command.stdin(input).output().map_err(|e| EmbeddedError::Program { program: name, output: e.to_string() })?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    let output = format!("{} {}", String::from_utf8_lossy(&output.stderr).trim(), text.trim());
    Err(EmbeddedError::Program { program: name, output: output.trim().to_owned() })
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, EmbeddedError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| EmbeddedError::Cancelled)
}

fn random() -> String {
    SystemClock.secret(32)
}

fn free_port() -> Result<u16, EmbeddedError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|l| l.local_addr());
    listener.map(|address| address.port()).map_err(at(Path::new("a free port on 127.0.0.1")))
}

fn is_free(port: u16) -> bool {
    port != 0 && TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()
}

/// Whether a process of this number runs and is Postgres; numbers are given out again after a restart of the machine.
fn is_postgres(pid: u32) -> bool {
    if Path::new("/proc/self/stat").exists() {
        // `pid (name) state …`; a zombie has ended, even if nobody has collected its result yet.
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        return stat.split_once("(postgres) ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']));
    }
    let output = Command::new("ps").args(["-o", "comm=", "-p", &pid.to_string()]).output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).trim().ends_with("postgres"))
}

//! The files of one cluster, and Postgres' own programs on them.

use super::owner::{NO_LINK, Owner, remove};
use super::process::{free_port, is_free, is_halted, is_postgres, piped, run, server_of, serves};
use super::{EmbeddedError, Options, PATIENCE, at};
use crate::clock::{Clock, SystemClock};
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Our part of Postgres' settings. It is written last when a cluster is made, so it marks the cluster as complete.
const SETTINGS: &str = "remembrancer.conf";
/// Bytes of Postgres' log from which the next start begins a new one.
const LOG_MAX: u64 = 16 * 1024 * 1024;
/// Bytes that pg0, what it unpacks and a new cluster take up together, and some more.
const ROOM: u64 = 200 * 1024 * 1024;

/// Whether a complete cluster is in `data_dir`.
///
/// # Errors
/// When this user may not look into the folder.
pub(super) fn is_made(data_dir: &Path) -> io::Result<bool> {
    data_dir.join("data").join(SETTINGS).try_exists()
}

/// The files of one cluster and the user who runs it.
#[derive(Clone, Debug)]
pub(super) struct Cluster {
    pub home: PathBuf,
    installation: PathBuf,
    owner: Owner,
}

impl Cluster {
    pub(super) fn open(options: &Options) -> Result<Self, EmbeddedError> {
        let (owner, home) = Owner::of(options)?;
        let version = run(Command::new(&options.binary).arg("--version"), "pg0 --version")?;
        let installation = home.join(version.trim().replace(' ', "-"));
        Ok(Self { home, installation, owner })
    }

    pub(super) fn data(&self) -> PathBuf {
        self.home.join("data")
    }

    pub(super) fn log(&self) -> PathBuf {
        self.data().join("server.log")
    }

    pub(super) fn password(&self) -> Result<String, EmbeddedError> {
        let path = self.home.join("password");
        let file = File::options().read(true).custom_flags(NO_LINK).open(&path);
        file.and_then(io::read_to_string).map(|text| text.trim().to_owned()).map_err(at(&path))
    }

    pub(super) fn open_lock(&self, name: &str) -> Result<File, EmbeddedError> {
        let path = self.home.join(name);
        match self.owner.create_private(&path) {
            Err(EmbeddedError::Io { source, .. }) if source.kind() == io::ErrorKind::AlreadyExists => {
                File::options().write(true).custom_flags(NO_LINK).open(&path).map_err(at(&path))
            }
            created => created,
        }
    }

    /// Waits until no other process starts or stops this cluster, for as long as that may take.
    pub(super) fn lock(&self, name: &str) -> Result<File, EmbeddedError> {
        let (file, deadline) = (self.open_lock(name)?, Instant::now() + PATIENCE + PATIENCE);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => thread::sleep(Duration::from_millis(20)),
                Err(TryLockError::WouldBlock) => return Err(EmbeddedError::Busy(self.home.join(name))),
                Err(TryLockError::Error(source)) => return Err(EmbeddedError::Io { path: self.home.join(name), source }),
            }
        }
    }

    /// One of Postgres' programs, as the user who owns the cluster.
    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.installation.join("bin").join(name));
        // The bundled libraries are found by Postgres itself but not by one another.
        command.env("LD_LIBRARY_PATH", self.installation.join("lib")).current_dir("/");
        self.owner.run_as(&mut command);
        command
    }

    /// Makes pg0 unpack what it carries. It has no command for that alone, so it is started on a folder that looks like a cluster: it unpacks
    /// everything, makes no cluster of its own, which would take seconds, and fails when it starts Postgres.
    pub(super) fn unpack(&self, binary: &Path) -> Result<(), EmbeddedError> {
        if self.installation.is_dir() {
            return Ok(());
        }
        let scratch = self.home.join("unpacking");
        remove(&scratch)?;
        require_room(&self.home)?;
        self.owner.create_private_dir(&scratch)?;
        // The user who runs it may not be able to reach the original.
        let program = scratch.join("pg0");
        self.owner.shell("cat >\"$0\" && chmod 700 \"$0\"", &program, File::open(binary).map_err(at(binary))?)?;
        let data = scratch.join("data");
        self.owner.shell("mkdir -m 700 \"$0\" && : >\"$0/postgresql.conf\"", &data, Stdio::null())?;
        let mut pg0 = Command::new(&program);
        pg0.args(["start", "--name", "unpack", "--data-dir"]).arg(&data);
        pg0.env("HOME", &scratch).env("TMPDIR", &scratch).current_dir("/");
        self.owner.run_as(&mut pg0);
        let output = match run(&mut pg0, "pg0 start") {
            Err(EmbeddedError::Program { output, .. }) => output,
            other => other?,
        };
        // It only warns of an extension that it could not copy, as on a full disk.
        let whole = unpacked(&scratch.join(".pg0/installation")).filter(|_| !output.contains("Failed to install"));
        let whole = whole.ok_or(EmbeddedError::Program { program: "pg0 start", output })?;
        fs::rename(&whole, &self.installation).map_err(at(&whole))?;
        remove(&scratch)
    }

    /// Makes the cluster and its password. A half-made one is removed and created again: it held nothing.
    pub(super) fn initialise(&self) -> Result<(), EmbeddedError> {
        let (data, password) = (self.data(), self.home.join("password"));
        if data.join(SETTINGS).is_file() {
            return Ok(());
        }
        remove(&data)?;
        self.owner.write_private(&password, &random())?;
        self.owner.create_private_dir(&data)?;
        let mut initdb = self.program("initdb");
        initdb.arg("--pgdata").arg(&data).arg("--pwfile").arg(&password);
        // The same order and case rules on every system.
        initdb.args(["--username=postgres", "--auth=scram-sha-256", "--encoding=UTF8"]);
        initdb.args(["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-instructions"]);
        run(&mut initdb, "initdb")?;
        let settings = data.join("postgresql.conf");
        self.owner.shell("cat >>\"$0\"", &settings, piped(&format!("\ninclude '{SETTINGS}'\n")).map_err(at(&settings))?)?;
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
            // A search by meaning reads every vector of its agents, 1 KB or more each. Memory is taken only as it is used.
            ("shared_buffers", "512MB".into()),
        ];
        let mut text = String::from("# Written by remembrancer at each start.\n");
        for (name, value) in fixed.iter().map(|(n, v)| (*n, v)).chain(settings.iter().map(|(n, v)| (n.as_str(), v))) {
            text += &format!("{name} = '{}'\n", value.replace('\'', "''"));
        }
        self.owner.write_private(&self.data().join(SETTINGS), &text)
    }

    fn pid_file(&self) -> PathBuf {
        self.data().join("postmaster.pid")
    }

    /// Process and port that Postgres has written down in this directory.
    pub(super) fn recorded(&self) -> Option<(u32, u16)> {
        let text = fs::read_to_string(self.pid_file()).ok()?;
        let mut lines = text.lines();
        Some((lines.next()?.trim().parse().ok()?, lines.nth(2)?.trim().parse().ok()?))
    }

    /// Whether the Postgres that is written down runs and works in this directory.
    pub(super) fn runs(&self) -> bool {
        self.recorded().is_some_and(|(pid, _)| serves(pid, &self.data()))
    }

    /// Process and port of a Postgres that runs in this directory. Removes what one left that does not run any more: an empty or broken
    /// file, or the number of a process that has nothing to do with this directory, would keep Postgres from starting.
    ///
    /// # Errors
    /// When the Postgres of this directory is halted, or is not the one that is written down.
    pub(super) fn running(&self) -> Result<Option<(u32, u16)>, EmbeddedError> {
        let file = self.pid_file();
        if !file.exists() {
            return Ok(None);
        }
        match self.recorded().filter(|(pid, _)| serves(*pid, &self.data())) {
            Some((pid, _)) if is_halted(pid) => return Err(EmbeddedError::Halted { pid }),
            Some(recorded) => return Ok(Some(recorded)),
            None => {}
        }
        if let Some(pid) = server_of(&self.data()) {
            return Err(EmbeddedError::Occupied { file, pid });
        }
        tracing::warn!(file = %file.display(), "removed the trace of a Postgres that does not run");
        self.owner.shell("rm -f \"$0\"", &file, Stdio::null())?;
        Ok(None)
    }

    pub(super) fn launch(&self, options: &Options) -> Result<u16, EmbeddedError> {
        let remembered = self.home.join("port");
        let last = fs::read_to_string(&remembered).ok().and_then(|s| s.trim().parse().ok());
        let deadline = Instant::now() + PATIENCE;
        loop {
            let port = match (options.port, last.filter(|&port| is_free(port))) {
                (Some(port), _) | (None, Some(port)) => port,
                (None, None) => free_port()?,
            };
            self.configure(port, &options.settings)?;
            keep_short(&self.log(), LOG_MAX).map_err(at(&self.log()))?;
            // What earlier starts logged says nothing about this one.
            let before = fs::metadata(self.log()).map_or(0, |log| log.len());
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
                    self.owner.write_private(&remembered, &port.to_string())?;
                    return Ok(port);
                }
                // Somebody else took the free port first.
                Err(_) if self.mentions(before, "could not bind") && options.port.is_none() && Instant::now() < deadline => {}
                // After a kill of the postmaster its children hold the shared memory until they notice.
                Err(_) if self.mentions(before, "shared memory block") && Instant::now() < deadline => {
                    thread::sleep(Duration::from_millis(300))
                }
                Err(EmbeddedError::Program { output, .. }) => {
                    let reason = self.fatal(before).or_else(|| output.lines().last().map(str::to_owned)).unwrap_or_default();
                    return Err(EmbeddedError::NotStarted { reason, log: self.log() });
                }
                Err(error) => return Err(error),
            }
        }
    }

    pub(super) fn stop(&self) -> Result<(), EmbeddedError> {
        let Some((pid, _)) = self.running()? else { return Ok(()) };
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

    /// What Postgres has logged since its log had a size.
    fn logged(&self, since: u64) -> String {
        let log = fs::read(self.log()).unwrap_or_default();
        let new = usize::try_from(since).ok().and_then(|since| log.get(since..)).unwrap_or(&log);
        String::from_utf8_lossy(new).into_owned()
    }

    /// The last fatal message since then.
    fn fatal(&self, since: u64) -> Option<String> {
        last_fatal(&self.logged(since)).map(str::to_owned)
    }

    fn mentions(&self, since: u64, what: &str) -> bool {
        self.logged(since).contains(what)
    }
}

/// The last fatal message of a log, without the time. What a client was told that came too early is no reason.
fn last_fatal(log: &str) -> Option<&str> {
    let fatal = log.lines().rev().filter_map(|line| line.split_once("FATAL:").or_else(|| line.split_once("PANIC:")));
    fatal.map(|(_, text)| text.trim()).find(|text| !text.starts_with("the database system is "))
}

/// Refuses a disk on which a first start would fail half way: pg0 does not say that the disk is full.
fn require_room(folder: &Path) -> Result<(), EmbeddedError> {
    let disk = rustix::fs::statvfs(folder).map_err(|error| at(folder)(error.into()))?;
    match disk.f_bavail.saturating_mul(disk.f_frsize) < ROOM {
        true => Err(at(folder)(io::ErrorKind::StorageFull.into())),
        false => Ok(()),
    }
}

/// The installation that pg0 has unpacked into a folder, if it is whole: pgvector comes last.
fn unpacked(folder: &Path) -> Option<PathBuf> {
    let version = fs::read_dir(folder).ok()?.flatten().next()?.path();
    ["bin/postgres", "bin/initdb", "share/extension/vector.control"].iter().all(|part| version.join(part).is_file()).then_some(version)
}

/// Begins a new log if the old one is longer than `most` bytes, and keeps the old one until the next time.
fn keep_short(log: &Path, most: u64) -> io::Result<()> {
    match fs::metadata(log) {
        Ok(file) if file.len() > most => fs::rename(log, log.with_extension("log.1")),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn random() -> String {
    SystemClock.secret(32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_of_a_failed_start_is_not_what_an_early_client_was_told() {
        let log = "07:00:00 [1] LOG:  redo starts at 0/16\n07:00:01 [2] FATAL:  could not write to file \"pg_wal/xlogtemp.2\"\n\
                   07:00:01 [3] FATAL:  the database system is not yet accepting connections\n07:00:01 [3] DETAIL:  Wait.\n";
        assert_eq!(last_fatal(log), Some("could not write to file \"pg_wal/xlogtemp.2\""));
        assert_eq!(last_fatal("07:00:01 [3] FATAL:  the database system is starting up\n"), None);
        assert_eq!(last_fatal("07:00:01 [3] PANIC:  no checkpoint\n"), Some("no checkpoint"));
    }

    #[test]
    fn a_long_log_is_kept_once_and_begun_again() {
        let folder = std::env::temp_dir().join(format!("rmb-log-{}", random()));
        fs::create_dir(&folder).unwrap();
        let (log, old) = (folder.join("server.log"), folder.join("server.log.1"));
        keep_short(&log, 10).unwrap();
        for text in ["0123456789", "0123456789a", "0123456789b"] {
            fs::write(&log, text).unwrap();
            keep_short(&log, 10).unwrap();
            assert_eq!(log.exists(), text.len() == 10, "{text}");
            assert!(text.len() == 10 || fs::read_to_string(&old).unwrap() == text);
        }
        fs::remove_dir_all(folder).unwrap();
    }
}

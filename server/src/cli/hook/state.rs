//! What hooks keep between their runs: files of this user alone, each written as a whole.

use super::Failure;
use super::settings::{self, variable};
use chrono::{DateTime, Utc};
use db::clock::{Clock, SystemClock};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::NamedTempFile;
use words::guard;

/// Size of the log, in bytes, at which a new one is started. The one before it is kept.
const LOG_MAX: u64 = 256 * 1024;
/// Longest line of the log, in characters.
const LINE_MAX: usize = 400;
/// Most files of a kind that are kept. The oldest go first.
const FILES_MAX: usize = 500;
/// Largest file of a state, in bytes.
const FILE_MAX: u64 = 64 * 1024 * 1024;

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Memories that a session was given.
    Given,
    /// How many tokens a session was given.
    Tokens,
    /// Sessions that are to be captured.
    Jobs,
    /// What was said in sessions of hosts that keep no file.
    Messages,
    /// How far a session was captured.
    Sent,
    /// What is on its way to the server.
    Batches,
    /// What the server refused.
    Refused,
    /// What people asked last, by project.
    Last,
    /// Projects that the server has.
    Projects,
    /// The server of this user.
    Local,
}

impl Kind {
    fn folder(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::Tokens => "tokens",
            Self::Jobs => "jobs",
            Self::Messages => "messages",
            Self::Sent => "sent",
            Self::Batches => "batches",
            Self::Refused => "refused",
            Self::Last => "last",
            Self::Projects => "projects",
            Self::Local => "local",
        }
    }
}

/// The folder of the state.
#[derive(Clone, Debug)]
pub struct State {
    folder: PathBuf,
}

impl State {
    /// The folder `REMEMBRANCER_STATE_DIR`, or that of the user's programs; it is made where it does not exist.
    ///
    /// # Errors
    /// When no variable says where it is. One that cannot be made is empty, and is missed where it is written: answers need none.
    pub fn open() -> Result<Self, Failure> {
        let usual = || settings::folder("XDG_STATE_HOME", ".local/state");
        let folder = variable("REMEMBRANCER_STATE_DIR")
            .map(PathBuf::from)
            .or_else(usual)
            .ok_or("HOME is not set, so there is no folder for states")?;
        Ok(Self::at(folder.clone()).unwrap_or(Self { folder }))
    }

    /// The state in a folder.
    pub fn at(folder: PathBuf) -> Result<Self, Failure> {
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        Ok(Self { folder })
    }

    /// The path of a file.
    pub fn path(&self, kind: Kind, name: &str) -> PathBuf {
        self.folder.join(kind.folder()).join(format!("{name}.json"))
    }

    /// What a file holds; `None` if there is none, or one that a later version wrote.
    pub fn get<T: DeserializeOwned>(&self, kind: Kind, name: &str) -> Option<T> {
        let path = self.path(kind, name);
        if fs::metadata(&path).ok()?.len() > FILE_MAX {
            return None;
        }
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }

    /// Writes a file. Others see all of it or what was there before.
    pub fn put<T: Serialize>(&self, kind: Kind, name: &str, value: &T) -> Result<(), Failure> {
        let path = self.path(kind, name);
        let folder = path.parent().unwrap_or(&self.folder);
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let mut file = NamedTempFile::new_in(folder)?;
        file.write_all(&serde_json::to_vec(value)?)?;
        file.persist(path)?;
        Ok(())
    }

    /// Removes a file, if it is there.
    pub fn remove(&self, kind: Kind, name: &str) {
        // What cannot be removed is found again, and does no harm twice.
        let _ = fs::remove_file(self.path(kind, name));
    }

    /// The names of all files of a kind, the oldest first.
    pub fn names(&self, kind: Kind) -> Vec<String> {
        let entries = fs::read_dir(self.folder.join(kind.folder())).into_iter().flatten().flatten();
        let mut found: Vec<_> = entries
            .filter_map(|entry| {
                Some((entry.metadata().ok()?.modified().ok()?, entry.file_name().to_str()?.strip_suffix(".json")?.to_owned()))
            })
            .collect();
        found.sort();
        found.into_iter().map(|(_, name)| name).collect()
    }

    /// Removes the oldest files of a kind where there are too many, and says how many went.
    pub fn prune(&self, kind: Kind) -> usize {
        let names = self.names(kind);
        let surplus = names.len().saturating_sub(FILES_MAX);
        names.iter().take(surplus).for_each(|name| self.remove(kind, name));
        surplus
    }

    /// A lock of a name, unless another process holds it. It ends with the file.
    pub fn try_lock(&self, name: &str) -> Result<Option<File>, Failure> {
        let file = open(&self.folder.join(name))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }

    /// The file whose age says when a hook last called.
    pub fn used(&self) -> PathBuf {
        self.folder.join("used")
    }

    /// Notes that a hook called.
    pub fn touch(&self) -> Result<(), Failure> {
        Ok(fs::write(self.used(), "a hook called\n")?)
    }

    /// How long ago a file was written; a file that is not there is as old as can be.
    pub fn age(&self, path: &Path) -> Duration {
        let written = fs::metadata(path).and_then(|file| file.modified()).map(DateTime::<Utc>::from);
        written.map_or(Duration::MAX, |written| (SystemClock.now() - written).to_std().unwrap_or_default())
    }

    /// The ids of messages that were sent, one a line.
    pub fn ledger(&self) -> PathBuf {
        self.folder.join("messages.txt")
    }

    /// Adds a line to the log.
    pub fn log(&self, label: &str, problem: &str) -> Result<(), Failure> {
        let path = self.folder.join("hook.log");
        if fs::metadata(&path).is_ok_and(|log| log.len() > LOG_MAX) {
            fs::rename(&path, self.folder.join("hook.log.1"))?;
        }
        let problem: String = guard::without_secrets(problem.replace(['\n', '\r'], " ")).chars().take(LINE_MAX).collect();
        let now = SystemClock.now().format("%Y-%m-%dT%H:%M:%SZ");
        Ok(open(&path)?.write_all(format!("{now} {label}: {problem}\n").as_bytes())?)
    }
}

/// Opens a file of this user alone, to add to it.
pub fn open(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)
}

/// A text as a name of 32 hexadecimal digits.
pub fn digest(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes())).chars().take(32).collect()
}

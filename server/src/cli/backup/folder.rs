//! The folder of a backup: a dump of each database, and `backup.json`, which says what they are and is written last.

use crate::Failure;
use chrono::{DateTime, Utc};
use db::backup::{Contents, DATABASES, newest_schema};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The format of the folder. A program reads the formats up to its own.
const FORMAT: u32 = 1;
/// The file that makes a folder a backup.
const MANIFEST: &str = "backup.json";
/// The file that says when the backup was last restored to try it.
const VERIFIED: &str = "verified";
/// What a dump begins with.
const DUMP: &[u8] = b"PGDMP";
/// What the name of a folder ends with until everything is in it.
const UNFINISHED: &str = ".unfinished";

/// What a backup is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    /// The version of the program that made it.
    pub version: String,
    pub taken_at: DateTime<Utc>,
    pub databases: Vec<Part>,
    /// The last entry of each organisation's audit chain, by the organisation's slug.
    pub anchors: BTreeMap<String, String>,
}

/// What a backup has of one database.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    pub database: String,
    pub bytes: u64,
    /// In hexadecimal digits.
    pub sha256: String,
    /// The number of the newest migration.
    pub schema: i64,
    /// Rows by table.
    pub rows: BTreeMap<String, i64>,
    /// Bytes that the database took up on the disk of Postgres; 0 if that is not known.
    #[serde(default)]
    pub disk: u64,
}

impl Manifest {
    /// A manifest of this program's format and version.
    pub fn new(taken_at: DateTime<Utc>, databases: Vec<Part>, anchors: BTreeMap<String, String>) -> Self {
        Self { format: FORMAT, version: env!("CARGO_PKG_VERSION").into(), taken_at, databases, anchors }
    }
}

impl Part {
    pub fn contents(&self) -> Contents {
        Contents { schema: self.schema, rows: self.rows.clone() }
    }
}

/// The file of a database.
pub fn dump(folder: &Path, database: &str) -> PathBuf {
    folder.join(format!("{database}.dump"))
}

/// A dump while it is written.
pub struct Writing {
    file: File,
    hash: Sha256,
    pub bytes: u64,
}

impl Writing {
    /// Creates a file that only this user may read.
    pub fn create(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(path)?;
        Ok(Self { file, hash: Sha256::new(), bytes: 0 })
    }

    pub fn write(&mut self, part: &[u8]) -> io::Result<()> {
        self.file.write_all(part)?;
        self.hash.update(part);
        self.bytes += part.len() as u64;
        Ok(())
    }

    /// The number of bytes and their hash, once they are on the disk.
    pub fn finish(self) -> io::Result<(u64, String)> {
        self.file.sync_all()?;
        Ok((self.bytes, hex::encode(self.hash.finalize())))
    }
}

/// Makes the folder in which a backup is written.
///
/// # Errors
/// A sentence, when the backup's folder exists, or that of an earlier attempt.
pub fn begin(dir: &Path) -> Result<PathBuf, Failure> {
    let name = dir.file_name().ok_or_else(|| format!("{} names no folder", dir.display()))?;
    if fs::symlink_metadata(dir).is_ok() {
        return Err(format!("{} exists: a backup makes a folder of its own, so name another one", dir.display()).into());
    }
    let folder = unfinished(dir, name);
    match DirBuilder::new().mode(0o700).create(&folder) {
        Ok(()) => Ok(folder),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(format!("{} is left of a backup that did not finish: remove it, or name another folder", folder.display()).into())
        }
        Err(error) => Err(format!("{} cannot be created: {error}", folder.display()).into()),
    }
}

/// The folder of a backup until everything is in it.
fn unfinished(dir: &Path, name: &OsStr) -> PathBuf {
    let mut unfinished = OsString::from(name);
    unfinished.push(UNFINISHED);
    dir.with_file_name(unfinished)
}

/// Takes the name from a damaged backup: it is called as one that did not finish, which is the result.
///
/// # Errors
/// When the folder cannot be renamed.
pub fn withdraw(dir: &Path) -> io::Result<PathBuf> {
    let folder = unfinished(dir, dir.file_name().unwrap_or_default());
    fs::rename(dir, &folder)?;
    Ok(folder)
}

/// Writes the manifest, and gives the folder its name.
///
/// # Errors
/// When the disk is full, or a folder of this name was made meanwhile.
pub fn finish(unfinished: &Path, dir: &Path, manifest: &Manifest) -> io::Result<()> {
    let mut file = Writing::create(&unfinished.join(MANIFEST))?;
    file.write(&serde_json::to_vec_pretty(manifest)?)?;
    file.finish()?;
    File::open(unfinished)?.sync_all()?;
    fs::rename(unfinished, dir)?;
    match dir.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        Some(parent) => File::open(parent)?.sync_all(),
        None => File::open(".")?.sync_all(),
    }
}

/// Whether a folder is called as one that did not finish.
pub fn is_unfinished(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name.as_encoded_bytes().ends_with(UNFINISHED.as_bytes()))
}

/// Notes in the folder that the backup was restored to try it.
///
/// # Errors
/// When the folder cannot be written to.
pub fn note_verified(dir: &Path, at: DateTime<Utc>) -> io::Result<()> {
    fs::write(dir.join(VERIFIED), format!("{}\n", at.to_rfc3339()))
}

/// Whether the backup was restored to try it.
pub fn is_verified(dir: &Path) -> bool {
    dir.join(VERIFIED).is_file()
}

/// The files of a backup. The manifest is the last one: it says what the others are.
fn files(folder: &Path) -> Vec<PathBuf> {
    let dumps = DATABASES.iter().map(|database| dump(folder, database));
    dumps.chain([folder.join(VERIFIED), folder.join(MANIFEST)]).collect()
}

/// Whether a folder is a backup, or part of one, and holds nothing else.
pub fn is_ours(folder: &Path) -> bool {
    let (known, Ok(entries)) = (files(folder), fs::read_dir(folder)) else { return false };
    let is_known = |entry: io::Result<fs::DirEntry>| {
        entry.is_ok_and(|entry| known.contains(&entry.path()) && entry.file_type().is_ok_and(|kind| kind.is_file()))
    };
    let is_folder = fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_dir());
    is_folder && entries.into_iter().all(is_known) && (manifest(folder).is_ok() || known.iter().any(|file| is_dump(file)))
}

fn is_dump(file: &Path) -> bool {
    let mut start = [0; DUMP.len()];
    File::open(file).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == DUMP
}

/// Removes a folder that [`is_ours`]. If this is interrupted, what is left is called as a backup that did not finish.
///
/// # Errors
/// When a file or the folder cannot be removed.
pub fn remove(folder: &Path) -> io::Result<()> {
    let folder = if is_unfinished(folder) { folder.to_owned() } else { withdraw(folder)? };
    for file in files(&folder) {
        match fs::remove_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    fs::remove_dir(folder)
}

/// The manifest of a backup whose files are as they were written.
///
/// # Errors
/// A sentence, when the folder is no backup, is unfinished, damaged, or made by a newer program.
pub fn read(dir: &Path) -> Result<Manifest, Failure> {
    if is_unfinished(dir) {
        return Err(format!("{} is left of a backup that did not finish, and cannot be restored", dir.display()).into());
    }
    let manifest = manifest(dir)?;
    for part in &manifest.databases {
        check(&dump(dir, &part.database), part)?;
    }
    Ok(manifest)
}

/// What a folder says that it is. Its other files are not looked at.
///
/// # Errors
/// A sentence, when the folder is no backup, or made by a newer program.
pub fn manifest(dir: &Path) -> Result<Manifest, Failure> {
    let place = dir.display();
    let path = dir.join(MANIFEST);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(format!("{place} is not a backup, or not all of one: it has no {MANIFEST}").into());
        }
        Err(error) => return Err(format!("{} cannot be read: {error}", path.display()).into()),
    };
    let manifest: Manifest = serde_json::from_str(&text).map_err(|error| format!("{} is damaged: {error}", path.display()))?;
    let is_newer = |part: &Part| newest_schema(&part.database).is_some_and(|newest| part.schema > newest);
    if manifest.format > FORMAT || manifest.databases.iter().any(is_newer) {
        return Err(
            format!("{place} was made by a newer version of Remembrancer ({}): restore it with that version", manifest.version).into()
        );
    }
    if !manifest.databases.iter().map(|part| part.database.as_str()).eq(DATABASES) {
        return Err(format!("{} is damaged: it must list {}", path.display(), DATABASES.join(", ")).into());
    }
    Ok(manifest)
}

/// Refuses a file that is not as it was written.
fn check(path: &Path, part: &Part) -> Result<(), Failure> {
    let (bytes, sha256) = measure(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    if bytes != part.bytes {
        return Err(format!("{} has {bytes} bytes instead of {}: it is damaged, so use another backup", path.display(), part.bytes).into());
    }
    if sha256 != part.sha256 {
        return Err(format!("{} does not have the checksum in {MANIFEST}: it is damaged, so use another backup", path.display()).into());
    }
    Ok(())
}

fn measure(path: &Path) -> io::Result<(u64, String)> {
    let mut file = File::open(path)?;
    let (mut hash, mut bytes, mut part) = (Sha256::new(), 0, vec![0; 1 << 20]);
    loop {
        let read = file.read(&mut part)?;
        if read == 0 {
            return Ok((bytes, hex::encode(hash.finalize())));
        }
        hash.update(part.get(..read).unwrap_or_default());
        bytes += read as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A backup of three small files in `dir`, whose manifest `change` may change.
    fn made(dir: &Path, change: impl FnOnce(&mut Manifest)) {
        let unfinished = begin(dir).unwrap();
        let databases = DATABASES.map(|database| {
            let mut file = Writing::create(&dump(&unfinished, database)).unwrap();
            file.write(b"rows of ").unwrap();
            file.write(database.as_bytes()).unwrap();
            let (bytes, sha256) = file.finish().unwrap();
            Part { database: database.into(), bytes, sha256, schema: 1, rows: BTreeMap::from([("t".into(), 3)]), disk: 0 }
        });
        let mut manifest = Manifest::new(DateTime::UNIX_EPOCH, databases.to_vec(), BTreeMap::new());
        change(&mut manifest);
        finish(&unfinished, dir, &manifest).unwrap();
    }

    fn refusal(dir: &Path) -> String {
        read(dir).unwrap_err().to_string()
    }

    #[test]
    fn a_backup_is_read_as_it_was_written_and_no_folder_is_overwritten() {
        let scratch = tempfile::tempdir().unwrap();
        let dir = scratch.path().join("monday");
        made(&dir, |_| {});
        let manifest = read(&dir).unwrap();
        assert_eq!(manifest.databases.len(), DATABASES.len());
        assert_eq!(manifest.databases[0].sha256, hex::encode(Sha256::digest(b"rows of agent_memory")));
        assert!(begin(&dir).unwrap_err().to_string().contains("exists"));

        let tuesday = scratch.path().join("tuesday");
        let unfinished = begin(&tuesday).unwrap();
        assert!(begin(&tuesday).unwrap_err().to_string().contains("tuesday.unfinished is left of a backup"));
        for folder in [&tuesday, &unfinished] {
            let sentence = refusal(folder);
            assert!(sentence.contains("is not a backup") || sentence.contains("did not finish"), "{sentence}");
        }
        let withdrawn = withdraw(&dir).unwrap();
        assert_eq!((withdrawn.file_name().unwrap().to_str(), dir.exists()), (Some("monday.unfinished"), false));
        assert!(refusal(&withdrawn).contains("did not finish"), "a folder of this name is refused even if its files are complete");
    }

    #[test]
    fn a_damaged_or_newer_backup_is_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let dir = |name: &str| scratch.path().join(name);
        made(&dir("changed"), |_| {});
        fs::write(dump(&dir("changed"), "shared_kb"), "rows of shared_kB").unwrap();
        assert!(refusal(&dir("changed")).contains("shared_kb.dump does not have the checksum"));
        made(&dir("cut"), |_| {});
        fs::write(dump(&dir("cut"), "agent_memory"), "rows").unwrap();
        assert!(refusal(&dir("cut")).contains("agent_memory.dump has 4 bytes instead of 20"));
        made(&dir("half"), |_| {});
        fs::remove_file(dump(&dir("half"), "internal_shared")).unwrap();
        assert!(refusal(&dir("half")).contains("internal_shared.dump cannot be read"));
        made(&dir("other"), |manifest| manifest.databases.truncate(2));
        assert!(refusal(&dir("other")).contains("must list agent_memory, shared_kb, internal_shared"));
        made(&dir("format"), |manifest| manifest.format += 1);
        made(&dir("schema"), |manifest| manifest.databases[0].schema = i64::MAX);
        for name in ["format", "schema"] {
            assert!(refusal(&dir(name)).contains("newer version"), "{name}");
        }
    }
}

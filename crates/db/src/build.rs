//! A new migration changes what the program holds, though no source file changes.

fn main() {
    println!("cargo::rerun-if-changed=../../migrations");
}

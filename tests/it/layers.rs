//! The rooms of the engine and of its foundation import only rooms below them, in the order of the tables in docs/ARCHITECTURE.md.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const ARCHITECTURE: &str = include_str!("../../docs/ARCHITECTURE.md");

/// What belongs to no layer: the crate's root, and fakes for tests.
const OUTSIDE: [&str; 2] = ["lib", "testing"];

/// A crate with layers: the heading of its table, its sources, and a number of imports that there are at least.
struct Layered {
    heading: &'static str,
    source: &'static str,
    imports: usize,
}

const LAYERED: [Layered; 2] = [
    Layered { heading: "## The engine's rooms", source: "src", imports: 60 },
    Layered { heading: "## The foundation's rooms", source: "crates/foundation/src", imports: 25 },
];

#[test]
fn no_import_points_up() {
    for layered in LAYERED {
        let ranks = layered.ranks();
        let upward: BTreeMap<(&str, &str), Vec<String>> =
            layered.imports(&ranks).into_iter().filter(|((from, to), _)| ranks[to] < ranks[from]).collect();
        assert!(upward.is_empty(), "these imports point up: {upward:?}");
    }
}

#[test]
fn the_tables_name_every_room() {
    for layered in LAYERED {
        let names: BTreeSet<String> = std::fs::read_dir(layered.source()).unwrap().map(|entry| room(&entry.unwrap().path())).collect();
        assert_eq!(names, layered.ranks().into_keys().map(str::to_owned).chain(OUTSIDE.map(str::to_owned)).collect::<BTreeSet<String>>());
    }
}

impl Layered {
    fn source(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join(self.source)
    }

    /// The rank of each room: 0 is the highest.
    fn ranks(&self) -> BTreeMap<&'static str, usize> {
        let table = ARCHITECTURE.split_once(self.heading).unwrap().1.split_once("\n## ").unwrap().0;
        let rooms = table.lines().filter(|line| line.starts_with("| `")).map(|row| row.split('|').nth(1).unwrap());
        let named =
            |cell: &'static str| cell.split(',').map(|name| name.trim().trim_matches('`').trim_end_matches('/').trim_end_matches(".rs"));
        let ranks: BTreeMap<_, _> = rooms.enumerate().flat_map(|(rank, cell)| named(cell).map(move |name| (name, rank))).collect();
        assert!(ranks.len() > 10, "the table was found: {ranks:?}");
        ranks
    }

    /// Which room imports which, and in which files. Unit tests may import anything.
    fn imports<'a>(&self, ranks: &BTreeMap<&'a str, usize>) -> BTreeMap<(&'a str, &'a str), Vec<String>> {
        let (mut found, source): (BTreeMap<_, Vec<String>>, _) = (BTreeMap::new(), self.source());
        for file in files(&source) {
            let relative = file.strip_prefix(&source).unwrap();
            let Some((from, _)) = ranks.get_key_value(room(Path::new(relative.components().next().unwrap().as_os_str())).as_str()) else {
                continue;
            };
            let text = std::fs::read_to_string(&file).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap().lines().filter(|line| !line.trim_start().starts_with("//"));
            let code = code.collect::<Vec<_>>().join("\n");
            for to in code.split("crate::").skip(1).flat_map(named) {
                if let Some((to, _)) = ranks.get_key_value(to) {
                    found.entry((*from, *to)).or_default().push(relative.display().to_string());
                }
            }
        }
        assert!(found.len() > self.imports, "imports were found: {}", found.len());
        found
    }
}

/// The picture shows dependencies only, and every dependency can be reached along its arrows.
#[test]
fn the_picture_of_the_packages_is_what_cargo_says() {
    let packages = packages();
    let picture = ARCHITECTURE.split_once("flowchart TD\n").unwrap().1.split_once("```").unwrap().0;
    let node = |end: &'static str| match end.trim().split('[').next().unwrap() {
        "engine" => "remembrancer",
        name => name,
    };
    let arrows = picture.lines().map(|line| line.split_once(" --> ").unwrap());
    let drawn: BTreeSet<(&str, &str)> = arrows.map(|(from, to)| (node(from), node(to))).collect();
    let wrong: Vec<_> = drawn.iter().filter(|(from, to)| !packages[*from].contains(*to)).collect();
    assert!(wrong.is_empty(), "drawn, but no dependencies: {wrong:?}");
    for (package, dependencies) in &packages {
        let mut reached = BTreeSet::from([package.as_str()]);
        while let Some((_, to)) = drawn.iter().find(|(from, to)| reached.contains(from) && !reached.contains(to)) {
            reached.insert(to);
        }
        let missing: Vec<_> = dependencies.iter().filter(|name| !reached.contains(name.as_str())).collect();
        assert!(missing.is_empty(), "{package} depends on {missing:?}, which the picture does not show");
    }
}

/// Each package of the workspace, with those that it depends on.
fn packages() -> BTreeMap<String, BTreeSet<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let below = ["app", "crates", "server"].map(|folder| std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path()));
    let folders = [root.into(), root.join("app"), root.join("server")].into_iter().chain(below.into_iter().flatten());
    let manifests: Vec<String> = folders.filter_map(|folder| std::fs::read_to_string(folder.join("Cargo.toml")).ok()).collect();
    let name = |manifest: &String| manifest.split_once("[package]\nname = \"").unwrap().1.split_once('"').unwrap().0.to_owned();
    let names: BTreeSet<String> = manifests.iter().map(name).collect();
    assert!(names.len() > 15, "{names:?}");
    let dependencies = |manifest: &String| {
        let section = manifest.split_once("\n[dependencies]\n").map_or("", |(_, section)| section.split("\n[").next().unwrap());
        section.lines().filter_map(|line| names.get(line.split(['.', ' ']).next().unwrap()).cloned()).collect()
    };
    manifests.iter().map(|manifest| (name(manifest), dependencies(manifest))).collect()
}

fn room(path: &Path) -> String {
    path.file_stem().unwrap().to_str().unwrap().to_owned()
}

/// The rooms that a path names after `crate::`: one, or the first names of a list in braces.
fn named(path: &str) -> Vec<&str> {
    let name = |text: &'_ str| text.find(|c: char| !c.is_ascii_lowercase() && c != '_').unwrap_or(text.len());
    let Some(list) = path.strip_prefix('{') else { return vec![&path[..name(path)]] };
    let (mut names, mut depth, mut fresh) = (Vec::new(), 0, true);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => fresh = true,
            c if fresh && c.is_ascii_lowercase() => {
                names.push(&list[at..at + name(&list[at..])]);
                fresh = false;
            }
            _ => {}
        }
    }
    names
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs"))
        .collect()
}

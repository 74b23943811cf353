//! A server whose embedded Postgres has a full disk: what it says, and that it goes on when there is room. And a disk that is read-only.

use crate::process::{Process, databases, postmaster, until};
use db::clock::SystemClock;
use db::{DatabaseUrls, create_databases, migrate, migrate_to, versions};
use foundation::engine::Loader;
use foundation::testing::{Fake, TestDatabases, World, fact};
use foundation::{Engine, registry};
use futures_util::future::BoxFuture;
use models::Embedder;
use remembrancer::model_change::{self, Filled, Filler};
use remembrancer::{memories, workers};
use serde_json::json;
use sqlx::{Connection, PgConnection};
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Write;
use std::ops::Range;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

const FULL: &str = "the disk of the database is full";
/// Segments of the write-ahead log that may be there already when the disk becomes full, at most.
const SEGMENTS: usize = 20;
/// The embedding model that is added.
const ADDED: &str = "text-embedding-3-small";
/// Memories that get a vector of it before the disk is full, and all of them. Each vector takes a page.
const BEFORE: i64 = 2;
const ALL: i64 = 8;

/// A line of shell in a view of the file system where a disk of so many MiB is the folder `$0`, also the data folder of the program `$1`.
/// Absent, with a sentence, where this user may not mount one.
fn with_small_disk(folder: &Path, megabytes: u32, line: &str) -> Option<Command> {
    let mount = format!("mount -t tmpfs -o size={megabytes}m,mode=755 tmpfs \"$0\"");
    let mounted = |line: &str| {
        let mut mounted = Command::new("unshare");
        mounted.args(["--mount", "sh", "-c", line]).arg(folder).arg(env!("CARGO_BIN_EXE_remembrancer"));
        mounted
    };
    if !mounted(&mount).output().is_ok_and(|tried| tried.status.success()) {
        eprintln!("skipped: this user may not mount a small disk to fill");
        return None;
    }
    let mut program = mounted(&format!("{mount} && {line}"));
    program.env_remove("DATABASE_URL").env("DATA_DIR", folder);
    Some(program)
}

/// A folder that the user of the embedded Postgres may enter.
fn scratch() -> TempDir {
    tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o755)).tempdir().unwrap()
}

/// A server on a small disk, the folder of that disk as the server sees it, and a world in its databases.
async fn served(folder: &Path) -> Option<(Process, PathBuf, World)> {
    let mut serve = with_small_disk(folder, 256, "exec \"$1\" serve")?;
    let process = Process::by(&mut serve, &[]).await;
    let disk = PathBuf::from(format!("/proc/{}/root", process.id())).join(folder.strip_prefix("/").unwrap());
    let noted = |name: &str| fs::read_to_string(disk.join("postgres").join(name)).unwrap().trim().to_owned();
    let url = format!("postgres://postgres:{}@127.0.0.1:{}/remembrancer", noted("password"), noted("port"));
    let world = World::on(DatabaseUrls::derive(&url).unwrap()).await;
    Some((process, disk, world))
}

/// Writes until the disk has no room.
fn fill(path: &Path) {
    let mut file = File::create(path).unwrap();
    for size in [1 << 20, 1 << 12] {
        let block = vec![0_u8; size];
        while file.write_all(&block).is_ok() {}
    }
}

/// Makes Postgres begin segments of its log until it has no room for one, which ends it.
async fn end_for_want_of_room(urls: &DatabaseUrls) {
    let mut owner = PgConnection::connect(&urls.agent_memory).await.unwrap();
    for _ in 0..SEGMENTS {
        let next = sqlx::raw_sql("select pg_logical_emit_message(false, 'full', 'disk'); select pg_switch_wal()");
        if next.execute(&mut owner).await.is_err() {
            return;
        }
    }
    panic!("Postgres found room for {SEGMENTS} segments");
}

/// The answer to a write, or why it was refused.
fn remembered(process: &Process, key: &str, content: &str) -> String {
    let fact = json!({ "topic_raw": "t", "content": content, "source": { "platform": "slack" } }).to_string();
    let bearer = format!("Authorization: Bearer {key}");
    process.body("/api/tools/agent_memory_remember", &["-H", &bearer, "-H", "Content-Type: application/json", "-d", &fact])
}

/// The Postgres of a server that was killed; it ends with this.
struct Left(String);

impl Drop for Left {
    fn drop(&mut self) {
        let _ = Command::new("kill").args(["-INT", &self.0]).status();
    }
}

/// Loads the fake of the model that is added, and no other model.
struct OnlyAdded(Fake);

impl Loader for OnlyAdded {
    fn load<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Arc<dyn Embedder>, String>> {
        let fake: Arc<dyn Embedder> = Arc::new(self.0.clone());
        let loaded = if name == fake.model() { Ok(fake) } else { Err(format!("the test has no {name}")) };
        Box::pin(async move { loaded })
    }
}

async fn remember_boxes(engine: &Engine, world: &World, numbers: Range<i64>) {
    for number in numbers {
        let box_of_cables = fact(&format!("shelf {number}"), &format!("Box {number} holds cables"));
        memories::remember(engine, &world.atlas, box_of_cables).await.unwrap();
    }
}

/// How many memories there are, and how many have a vector of the model that is added.
async fn filled(engine: &Engine, world: &World) -> Filled {
    let model = registry::registered(&engine.db().control, ADDED).await.unwrap().unwrap();
    // Memories are the first kind of text.
    model_change::progress(engine, &world.system, &model).await.unwrap()[0].1
}

#[test]
fn a_first_start_without_room_says_what_to_do() {
    let scratch = scratch();
    let Some(mut migrate) = with_small_disk(scratch.path(), 40, "exec \"$1\" migrate") else { return };
    let refused = migrate.output().unwrap();
    let sentence = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && sentence.contains("free space on its disk, then start again"), "{sentence}");
}

#[test]
fn a_first_start_in_a_folder_that_is_read_only_says_what_to_do() {
    let scratch = scratch();
    let line = "mount -o remount,ro \"$0\" && exec \"$1\" migrate";
    let Some(mut migrate) = with_small_disk(scratch.path(), 1, line) else { return };
    let refused = migrate.output().unwrap();
    let sentence = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success(), "{sentence}");
    assert!(sentence.contains("cannot be used (read-only file system): set DATA_DIR to a folder"), "{sentence}");
}

#[tokio::test]
async fn a_full_disk_is_named_and_costs_nothing_that_was_acknowledged() {
    let scratch = scratch();
    let Some((process, disk, world)) = served(scratch.path()).await else { return };
    let key = &world.atlas_key;

    let mut acknowledged = vec!["The kettle is in the left cupboard.".to_owned()];
    assert!(process.remember(key, &acknowledged[0]).is_some());
    let ballast = disk.join("ballast");
    fill(&ballast);
    until("a refusal that names the disk", || {
        let content = format!("Parcel {} is at the gate.", acknowledged.len());
        let answer = remembered(&process, key, &content);
        if answer.contains("memory_id") {
            acknowledged.push(content);
        }
        answer.contains(FULL)
    })
    .await;
    until("the readiness that names the disk", || process.body("/readyz", &[]).contains(FULL)).await;

    // Postgres ends, and cannot start as long as it has no room for its log.
    end_for_want_of_room(world.engine.urls()).await;
    until("a refusal that names the disk of a Postgres that does not run", || remembered(&process, key, "Nothing.").contains(FULL)).await;
    until("the readiness that names it", || process.body("/readyz", &[]).contains(FULL)).await;

    fs::remove_file(&ballast).unwrap();
    until("a write after there is room", || process.remember(key, "The ladder is in the shed.").is_some()).await;
    let mut owner = PgConnection::connect(&world.engine.urls().agent_memory).await.unwrap();
    let kept: Vec<String> = sqlx::query_scalar("select content from agent_memory_versions").fetch_all(&mut owner).await.unwrap();
    let kept: HashSet<String> = kept.into_iter().collect();
    let lost: Vec<_> = acknowledged.iter().filter(|content| !kept.contains(*content)).collect();
    assert!(lost.is_empty(), "{lost:?} of {}", acknowledged.len());
    owner.close().await.unwrap();
    world.engine.db().close().await;
    assert!(process.stop());
}

#[tokio::test]
async fn a_backup_without_room_says_so_and_leaves_nothing_that_passes_for_one() {
    let (scratch, world) = (scratch(), World::on(TestDatabases::fresh(&SystemClock).await).await);
    // Two pages of the disk are free.
    let line = "head -c 1040000 /dev/zero >\"$0/ballast\"; \"$1\" backup \"$0/monday\" >&2; status=$?; ls \"$0\"; exit $status";
    let Some(mut backup) = with_small_disk(scratch.path(), 1, line) else { return };
    let refused = backup.envs(databases(&world)).output().unwrap();
    let (sentence, left) = (String::from_utf8_lossy(&refused.stderr), String::from_utf8_lossy(&refused.stdout));
    assert!(!refused.status.success(), "{sentence}");
    assert!(sentence.contains("the backup failed: No space left on device. What was written is in"), "{sentence}");
    assert_eq!(left.lines().collect::<Vec<_>>(), ["ballast", "monday.unfinished"]);
}

/// Leaves the disk full. A new segment has room for the log of what still fits, so that the tables are what cannot grow.
async fn fill_for_tables(world: &World, ballast: &Path) {
    let mut owner = PgConnection::connect(&world.engine.urls().agent_memory).await.unwrap();
    sqlx::raw_sql("select pg_switch_wal(); checkpoint").execute(&mut owner).await.unwrap();
    owner.close().await.unwrap();
    fill(ballast);
}

/// A migration that has no room is undone, and the next attempt continues.
async fn migrates(world: &World, ballast: &Path) {
    let server = world.engine.urls().agent_memory.strip_suffix("remembrancer_agent_memory").unwrap();
    let older = DatabaseUrls::derive(&format!("{server}older")).unwrap();
    create_databases(&older).await.unwrap();
    migrate_to(&older, *versions().first().unwrap()).await.unwrap();
    fill_for_tables(world, ballast).await;
    let refused = migrate(&older).await.unwrap_err().to_string();
    assert!(refused.contains(FULL) && refused.contains("free space"), "{refused}");
    fs::remove_file(ballast).unwrap();
    migrate(&older).await.unwrap();
}

/// A pass that fills in vectors names the disk and keeps what it stored, and the next one stores the others.
async fn changes_the_model(world: &World, ballast: &Path) {
    let engine = world.engine.clone().with_loader(Arc::new(OnlyAdded(Fake::with_dimension(1536))));
    let (kept, filler) = (workers::Kept::default(), Filler::new(&engine, CancellationToken::new()));
    model_change::add(&engine, ADDED).await.unwrap();
    workers::follow_once(&engine, &kept).await.unwrap();
    remember_boxes(&engine, world, 0..BEFORE).await;
    workers::fill_once(&engine, &kept, &filler).await.unwrap();
    assert_eq!(filled(&engine, world).await, Filled { total: BEFORE, filled: BEFORE });

    remember_boxes(&engine, world, BEFORE..ALL).await;
    fill_for_tables(world, ballast).await;
    let refused = workers::fill_once(&engine, &kept, &filler).await.unwrap_err().to_string();
    assert!(refused.contains(FULL), "{refused}");
    let stopped = filled(&engine, world).await;
    assert!(stopped.total == ALL && (BEFORE..ALL).contains(&stopped.filled), "{stopped:?}");

    fs::remove_file(ballast).unwrap();
    workers::fill_once(&engine, &kept, &filler).await.unwrap();
    assert_eq!(filled(&engine, world).await, Filled { total: ALL, filled: ALL });
    model_change::switch(&engine, ADDED, false).await.unwrap();
}

#[tokio::test]
async fn a_migration_and_a_change_of_the_model_name_the_full_disk_and_go_on_when_there_is_room() {
    let scratch = scratch();
    let Some((process, disk, world)) = served(scratch.path()).await else { return };
    let postgres = Left(postmaster(&disk.join("postgres")).unwrap());
    // Without the server only this test fills in vectors, with a model that needs no provider.
    drop(process);
    let ballast = PathBuf::from(format!("/proc/{}/root", postgres.0)).join(scratch.path().strip_prefix("/").unwrap()).join("ballast");
    migrates(&world, &ballast).await;
    changes_the_model(&world, &ballast).await;
    world.engine.db().close().await;
}

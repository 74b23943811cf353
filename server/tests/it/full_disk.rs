//! A server whose embedded Postgres has a full disk: what it says, and that it goes on when there is room.

use crate::process::{Process, until};
use db::DatabaseUrls;
use foundation::testing::World;
use serde_json::json;
use sqlx::{Connection, PgConnection};
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const FULL: &str = "the disk of the database is full";
/// Segments of the write-ahead log that may be there already when the disk becomes full, at most.
const SEGMENTS: usize = 20;

/// A command that runs the program in a view of the file system where a disk of so many MiB is its data folder. Absent, with a sentence, where
/// this user may not mount one.
fn with_small_disk(folder: &Path, megabytes: u32, command: &str) -> Option<Command> {
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
    let mut program = mounted(&format!("{mount} && exec \"$1\" {command}"));
    program.env_remove("DATABASE_URL").env("DATA_DIR", folder);
    Some(program)
}

/// A folder that the user of the embedded Postgres may enter.
fn scratch() -> TempDir {
    tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o755)).tempdir().unwrap()
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

#[test]
fn a_first_start_without_room_says_what_to_do() {
    let scratch = scratch();
    let Some(mut migrate) = with_small_disk(scratch.path(), 40, "migrate") else { return };
    let refused = migrate.output().unwrap();
    let sentence = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && sentence.contains("free space on its disk, then start again"), "{sentence}");
}

#[tokio::test]
async fn a_full_disk_is_named_and_costs_nothing_that_was_acknowledged() {
    let scratch = scratch();
    let folder = scratch.path();
    let Some(mut serve) = with_small_disk(folder, 256, "serve") else { return };
    let process = Process::by(&mut serve, &[]).await;
    // The same folder as the server sees it.
    let disk = PathBuf::from(format!("/proc/{}/root", process.id())).join(folder.strip_prefix("/").unwrap());
    let noted = |name: &str| fs::read_to_string(disk.join("postgres").join(name)).unwrap().trim().to_owned();
    let url = format!("postgres://postgres:{}@127.0.0.1:{}/remembrancer", noted("password"), noted("port"));
    let world = World::on(DatabaseUrls::derive(&url).unwrap()).await;
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

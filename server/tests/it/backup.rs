//! Backup and restore on the command line.

use crate::process::databases;
use db::clock::SystemClock;
use foundation::testing::{TestDatabases, World, fact};
use remembrancer::{memories, workers};
use serde_json::Value;
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection};
use std::fs;
use std::path::Path;
use std::process::Output;
use std::str::FromStr;
use tokio::process::Command;
use tokio_util::sync::CancellationToken;

/// Who may do what with the tables and the functions of a database.
const RIGHTS: &str = r"select string_agg(line, E'\n' order by line)
    from (select concat(relname, ' ', relacl, ' ', relrowsecurity) from pg_class
           where relnamespace = 'public'::regnamespace and relkind = 'r'
          union all
          select concat(oid::regprocedure, ' ', proowner::regrole, ' ', proacl) from pg_proc
           where pronamespace = 'public'::regnamespace and prosecdef
          union all
          select concat(tablename, ' ', policyname, ' ', roles, ' ', qual, ' ', with_check) from pg_policies) rights (line)";

/// Runs the program on the databases of a world, in a folder.
async fn run(world: &World, folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_remembrancer"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("DATABASE_URL")
        .env_remove("RUST_LOG")
        .envs(databases(world))
        .output()
        .await
        .unwrap()
}

/// What a command that succeeds prints.
async fn done(world: &World, folder: &Path, arguments: &[&str]) -> String {
    let output = run(world, folder, arguments).await;
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What a command that fails complains of.
async fn refused(world: &World, folder: &Path, arguments: &[&str]) -> String {
    let output = run(world, folder, arguments).await;
    let sentence = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{arguments:?}: {sentence}");
    sentence
}

/// Drops a database, whoever is connected.
async fn lose(url: &str) {
    let options = PgConnectOptions::from_str(url).unwrap();
    let drop = format!("drop database \"{}\" with (force)", options.get_database().unwrap());
    let mut owner = options.database("postgres").connect().await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(drop)).execute(&mut owner).await.unwrap();
}

/// The only value of a query.
async fn one<T>(url: &str, sql: &'static str) -> T
where
    T: Send + Unpin + 'static + sqlx::Type<sqlx::Postgres> + for<'r> sqlx::Decode<'r, sqlx::Postgres>,
{
    let mut owner = PgConnection::connect(url).await.unwrap();
    sqlx::query_scalar(sql).fetch_one(&mut owner).await.unwrap()
}

/// Remembers a fact under a topic of its own, and delivers what that posted.
async fn remember(world: &World, number: usize) {
    let new = fact(&format!("topic {number}"), &format!("Fact number {number}."));
    memories::remember(&world.engine, &world.atlas, new).await.unwrap();
    workers::drain(&world.engine).await.unwrap();
}

/// Backs up while facts are written; how many there are in the end, some of them later than the backup.
async fn backed_up(world: &World, folder: &Path) -> usize {
    let written = CancellationToken::new();
    for number in 0..20 {
        remember(world, number).await;
    }
    let writing = async {
        let mut number = 20;
        while !written.is_cancelled() {
            remember(world, number).await;
            number += 1;
        }
        number
    };
    let backing_up = async {
        let printed = done(world, folder, &["backup", "monday", "--verify"]).await;
        written.cancel();
        assert!(printed.contains("the backup is good: the numbers of rows and 1 audit chains"), "{printed}");
    };
    let (number, ()) = tokio::join!(writing, backing_up);
    for number in number..number + 20 {
        remember(world, number).await;
    }
    number + 20
}

#[tokio::test]
async fn each_database_comes_back_from_a_backup_that_was_taken_while_the_server_wrote() {
    let world = World::on(TestDatabases::fresh(&SystemClock).await).await;
    let (folder, urls) = (tempfile::tempdir().unwrap(), world.engine.urls());
    let folder = folder.path();
    let facts = i64::try_from(backed_up(&world, folder).await).unwrap();
    let kept: Value = serde_json::from_slice(&fs::read(folder.join("monday/backup.json")).unwrap()).unwrap();
    assert!(folder.join("monday/verified").is_file());
    let note: String = one(&urls.internal_shared, NOTE).await;
    assert!(note.contains("verified the backup of"), "{note}");
    let in_backup = kept["databases"][0]["rows"]["agent_memories"].as_i64().unwrap();
    assert!((20..facts).contains(&in_backup), "{in_backup} of {facts}");

    let entries = "select count(*) from audit_log where action = 'memory.remembered'";
    assert_eq!(one::<i64>(&urls.internal_shared, entries).await, facts);
    lose(&urls.internal_shared).await;
    done(&world, folder, &["restore", "monday", "--only", "internal_shared"]).await;
    assert!(one::<i64>(&urls.internal_shared, entries).await < facts, "the backup is older");
    workers::drain(&world.engine).await.unwrap();
    assert_eq!(one::<i64>(&urls.internal_shared, entries).await, facts, "what the outboxes had delivered arrived again");
    done(&world, folder, &["audit", "verify", "--tenant", &world.tenant_slug]).await;

    let proposals = "select count(*) from term_proposals";
    assert_eq!(one::<i64>(&urls.shared_kb, proposals).await, facts);
    lose(&urls.shared_kb).await;
    done(&world, folder, &["restore", "monday", "--only", "shared_kb"]).await;
    workers::drain(&world.engine).await.unwrap();
    assert_eq!(one::<i64>(&urls.shared_kb, proposals).await, facts);

    let rights = one::<String>(&urls.agent_memory, RIGHTS).await;
    lose(&urls.agent_memory).await;
    done(&world, folder, &["restore", "monday", "--only", "agent_memory"]).await;
    assert_eq!(one::<i64>(&urls.agent_memory, "select count(*) from agent_memories").await, in_backup);
    assert_eq!(one::<String>(&urls.agent_memory, RIGHTS).await, rights);
    remember(&world, 1_000_000).await;
    assert_eq!(one::<i64>(&urls.internal_shared, entries).await, facts + 1, "no entry is there twice");
    interrupted(&world, folder, in_backup).await;
    refusals(&world, folder).await;
}

/// What a database says about its backups.
const NOTE: &str = "select shobj_description(oid, 'pg_database') from pg_database where datname = current_database()";

/// Runs statements as the owner.
async fn execute(options: PgConnectOptions, statements: String) {
    let mut owner = options.connect().await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(statements)).execute(&mut owner).await.unwrap();
    owner.close().await.unwrap();
}

/// A restore that ends between two databases: no command takes what is there for whole, and the same restore continues.
async fn interrupted(world: &World, folder: &Path, memories: i64) {
    let urls = world.engine.urls();
    for url in [&urls.agent_memory, &urls.shared_kb, &urls.internal_shared] {
        lose(url).await;
    }
    // A view does not count as a table and has the name of one, so the restore fails after the first database.
    let kb = PgConnectOptions::from_str(&urls.shared_kb).unwrap();
    execute(kb.clone().database("postgres"), format!("create database \"{}\"", kb.get_database().unwrap())).await;
    execute(kb.clone(), "create view outbox as select 1".into()).await;
    let sentence = refused(world, folder, &["restore", "monday"]).await;
    assert!(sentence.contains("shared_kb was not restored") && sentence.contains("run the same command again"), "{sentence}");
    let commands: [&[&str]; 3] = [&["migrate"], &["audit", "verify", "--tenant", &world.tenant_slug], &["backup", "tuesday"]];
    for command in commands {
        let sentence = refused(world, folder, command).await;
        assert!(sentence.contains("did not finish") && sentence.contains("remembrancer restore"), "{sentence}");
    }
    let doctor = run(world, folder, &["doctor"]).await;
    let findings = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(doctor.status.code() == Some(2) && findings.contains("agent_memory: a restore did not finish"), "{findings}");
    let sentence = refused(world, folder, &["restore", "monday", "--only", "agent_memory"]).await;
    assert!(sentence.contains("is not empty"), "another restore is no continuation: {sentence}");

    let note: String = one(&urls.agent_memory, NOTE).await;
    execute(kb, "drop view outbox".into()).await;
    let printed = done(world, folder, &["restore", "monday"]).await;
    assert!(printed.contains("agent_memory: restored already") && !printed.contains("shared_kb: restored already"), "{printed}");
    assert_eq!(one::<Option<String>>(&urls.agent_memory, NOTE).await, None);

    // Killed while it takes its notes back, and before that the outbox was delivered to databases that are lost now.
    let memory = PgConnectOptions::from_str(&urls.agent_memory).unwrap();
    let comment = format!("comment on database \"{}\" is '{note}'", memory.get_database().unwrap());
    execute(memory, format!("{comment}; update outbox set delivered_at = now()")).await;
    let printed = done(world, folder, &["restore", "monday"]).await;
    assert!(printed.contains("internal_shared: restored already"), "{printed}");
    assert!(one::<i64>(&urls.agent_memory, "select count(*) from outbox where delivered_at is null").await > 0, "they are offered again");
    assert_eq!(one::<i64>(&urls.agent_memory, "select count(*) from agent_memories").await, memories);
    done(world, folder, &["audit", "verify", "--tenant", &world.tenant_slug]).await;

    done(world, folder, &["backup", "tuesday", "--keep", "1"]).await;
    let is_there = |name: &str| folder.join(name).join("backup.json").is_file();
    assert!(is_there("tuesday") && is_there("monday"), "the only backup that was verified stays");
}

/// What a restore refuses, and a backup.
async fn refusals(world: &World, folder: &Path) {
    let sentence = refused(world, folder, &["restore", "monday"]).await;
    assert!(sentence.contains("(agent_memory, Postgres at") && sentence.contains("is not empty"), "{sentence}");
    let sentence = refused(world, folder, &["backup", "monday"]).await;
    assert!(sentence.contains("monday exists"), "{sentence}");
    let (manifest, large) = (folder.join("monday/backup.json"), 1_u64 << 60);
    let kept = fs::read(&manifest).unwrap();
    let mut grown: Value = serde_json::from_slice(&kept).unwrap();
    assert!(grown["databases"][0]["disk"].as_u64().unwrap() > 1_000_000, "{grown}");
    grown["databases"][0]["disk"] = large.into();
    fs::write(&manifest, grown.to_string()).unwrap();
    let sentence = refused(world, folder, &["restore", "monday", "--verify"]).await;
    assert!(sentence.contains("need about") && sentence.contains("free on the disk of"), "{sentence}");
    fs::write(&manifest, kept).unwrap();
    let dump = folder.join("monday/shared_kb.dump");
    let mut bytes = fs::read(&dump).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&dump, bytes).unwrap();
    let sentence = refused(world, folder, &["restore", "monday", "--verify"]).await;
    assert!(sentence.contains("shared_kb.dump does not have the checksum"), "{sentence}");
    fs::rename(folder.join("monday"), folder.join("monday.unfinished")).unwrap();
    let sentence = refused(world, folder, &["restore", "monday.unfinished"]).await;
    assert!(sentence.contains("did not finish"), "{sentence}");
}

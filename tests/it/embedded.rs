//! The embedded Postgres: one cluster through its whole life, because unpacking takes seconds.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests, which clippy does not count as tests")]

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, chown, lchown, symlink},
    path::{Path, PathBuf},
    process::Command,
};

use db::embedded::{Embedded, EmbeddedError, Options};
use sqlx::{Connection, Executor, PgConnection};

/// A directory that any user may pass through, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("remembrancer-embedded-{:08x}", rand::random::<u32>()));
        fs::create_dir_all(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

fn options(directory: &Path) -> Options {
    let binary = std::env::var_os("REMEMBRANCER_PG0").expect("REMEMBRANCER_PG0 is set by scripts/env.sh");
    let settings = vec![("shared_buffers".into(), "16MB".into()), ("cluster_name".into(), "it's a test".into())];
    Options { binary: binary.into(), data_dir: directory.join("postgres"), port: None, settings }
}

fn postmaster(directory: &Path) -> Option<i32> {
    fs::read_to_string(directory.join("postgres/data/postmaster.pid")).ok()?.lines().next()?.parse().ok()
}

/// Whether the process exists and is not just a zombie.
fn runs(pid: i32) -> bool {
    !matches!(Command::new("ps").args(["-o", "stat=", "-p", &pid.to_string()]).output().unwrap().stdout.first(), None | Some(b'Z'))
}

fn signal(name: &str, pid: i32) {
    assert!(Command::new("kill").args([format!("-{name}"), pid.to_string()]).status().unwrap().success());
}

/// Kills a process and returns when it is gone.
fn kill_9(pid: i32) {
    assert!(Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
    while runs(pid) {
        std::thread::yield_now();
    }
}

async fn open(embedded: &Embedded) -> PgConnection {
    PgConnection::connect(embedded.url()).await.unwrap()
}

async fn count(embedded: &Embedded) -> i64 {
    sqlx::query_scalar("select count(*) from kept").fetch_one(&mut open(embedded).await).await.unwrap()
}

async fn setting(embedded: &Embedded, name: &str) -> String {
    sqlx::query_scalar("select current_setting($1)").bind(name).fetch_one(&mut open(embedded).await).await.unwrap()
}

#[tokio::test]
async fn a_cluster_survives_whatever_is_killed() {
    let scratch = Scratch::new();
    let options = options(&scratch.0);

    // The first start: durable, private, with pgvector.
    let first = Embedded::start(options.clone()).await.unwrap();
    assert!(!first.adopted());
    let mut connection = open(&first).await;
    connection.execute("create extension vector; create table kept (v vector(2)); insert into kept values ('[1,2]')").await.unwrap();
    assert_eq!(setting(&first, "fsync").await, "on");
    assert_eq!(setting(&first, "listen_addresses").await, "127.0.0.1");
    assert_eq!(setting(&first, "cluster_name").await, "it's a test");
    let stranger = PgConnection::connect(&first.url().replacen("@", "x@", 1)).await;
    assert!(stranger.is_err(), "a wrong password is refused");
    assert_eq!(fs::metadata(scratch.0.join("postgres/password")).unwrap().permissions().mode() & 0o777, 0o600);
    let url = first.url().to_owned();

    // Our process is killed: nobody stops Postgres, and the next start finds it.
    drop(first);
    let second = Embedded::start(options.clone()).await.unwrap();
    assert!(second.adopted());
    assert_eq!(second.url(), url);

    // Two users of one cluster: the first to leave does not take it from the other.
    let third = Embedded::start(options.clone()).await.unwrap();
    assert!(third.adopted());
    third.stop().await.unwrap();
    assert_eq!(count(&second).await, 1);

    // Postgres is killed: its supervisor starts it again, with its data and on its port.
    assert!(!second.revive().await.unwrap(), "it runs");
    open(&second).await.execute("insert into kept values ('[3,4]')").await.unwrap();
    kill_9(postmaster(&scratch.0).unwrap());
    assert!(second.revive().await.unwrap());
    assert_eq!(count(&second).await, 2);

    // Without a supervisor the next start recovers.
    kill_9(postmaster(&scratch.0).unwrap());
    drop(second);
    let fourth = Embedded::start(options.clone()).await.unwrap();
    assert!(!fourth.adopted());
    assert_eq!(count(&fourth).await, 2);
    assert_eq!(fourth.url(), url);

    // Stopping leaves no process, even with a connection open.
    let _idle = open(&fourth).await;
    let pid = postmaster(&scratch.0).unwrap();
    fourth.stop().await.unwrap();
    assert!(!runs(pid));
    assert_eq!(postmaster(&scratch.0), None);

    // A file of another process is nobody's, even if that process is a Postgres: of another folder. A broken one is nobody's, too.
    let (data, program) = (scratch.0.join("postgres/data"), scratch.0.join("postgres/stranger"));
    let pid_file = data.join("postmaster.pid");
    fs::create_dir(&program).unwrap();
    fs::copy("/bin/sleep", program.join("postgres")).unwrap();
    let mut stranger = Command::new(program.join("postgres")).arg("600").current_dir(&scratch.0).spawn().unwrap();
    let names = |pid: u32| format!("{pid}\n{}\n0\n5432\n\n127.0.0.1\n", data.display());
    for trace in [names(std::process::id()), names(stranger.id()), String::new(), "not a number\n".into()] {
        fs::write(&pid_file, &trace).unwrap();
        let started = Embedded::start(options.clone()).await.unwrap();
        assert!(!started.adopted(), "{trace}");
        started.stop().await.unwrap();
    }
    assert!(stranger.try_wait().unwrap().is_none(), "whoever is written down there is left alone");
    stranger.kill().unwrap();
    stranger.wait().unwrap();

    // A Postgres that works in the folder is never taken for gone, and one that is halted is named instead of waited for.
    let running = Embedded::start(options.clone()).await.unwrap();
    let (written, pid) = (fs::read_to_string(&pid_file).unwrap(), postmaster(&scratch.0).unwrap());
    fs::write(&pid_file, "").unwrap();
    let occupied = Embedded::start(options.clone()).await.unwrap_err().to_string();
    assert!(occupied.contains(&format!("'kill {pid}'")), "{occupied}");
    fs::write(&pid_file, written).unwrap();
    signal("STOP", pid);
    let halted = Embedded::start(options.clone()).await.unwrap_err().to_string();
    assert!(halted.contains(&format!("'kill -CONT {pid}'")), "{halted}");
    let unstopped = running.stop().await.unwrap_err().to_string();
    assert!(unstopped.contains("halted"), "{unstopped}");
    signal("CONT", pid);
    Embedded::start(options.clone()).await.unwrap().stop().await.unwrap();

    // A start that fails says what Postgres says about this start, and not about an earlier one.
    let wrong = Options { settings: vec![("max_connections".into(), "many".into())], ..options.clone() };
    let failed = Embedded::start(wrong).await.unwrap_err().to_string();
    assert!(failed.contains("configuration file") && failed.contains("server.log") && !failed.contains("terminating"), "{failed}");

    // A port that was taken meanwhile is given up.
    let port: u16 = fs::read_to_string(scratch.0.join("postgres/port")).unwrap().parse().unwrap();
    let _taken = std::net::TcpListener::bind(("127.0.0.1", port)).unwrap();
    let (fifth, sixth) = tokio::join!(Embedded::start(options.clone()), Embedded::start(options.clone()));
    let (fifth, sixth) = (fifth.unwrap(), sixth.unwrap());
    assert_eq!(fifth.url(), sixth.url());
    assert!(fifth.adopted() != sixth.adopted());
    assert_eq!(count(&sixth).await, 2);
    fifth.stop().await.unwrap();
    sixth.stop().await.unwrap();
    assert_eq!(postmaster(&scratch.0), None);
}

/// Otherwise root would write to, and give away, the target of any such link.
#[tokio::test]
async fn as_root_no_link_of_another_user_is_followed() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    const NOBODY: u32 = 65534;
    let scratch = Scratch::new();
    let (victim, secret) = (scratch.0.join("victim"), scratch.0.join("victim/secret"));
    fs::create_dir(&victim).unwrap();
    fs::write(&secret, "root's").unwrap();
    fs::set_permissions(&victim, fs::Permissions::from_mode(0o700)).unwrap();
    let untouched = || {
        let (folder, file) = (fs::metadata(&victim).unwrap(), fs::metadata(&secret).unwrap());
        assert_eq!((folder.mode() & 0o777, folder.uid(), file.uid()), (0o700, 0, 0));
        assert_eq!(fs::read_to_string(&secret).unwrap(), "root's");
        assert_eq!(fs::read_dir(&victim).unwrap().count(), 1);
    };

    // The folder itself is a link.
    let options = options(&scratch.0);
    symlink(&victim, &options.data_dir).unwrap();
    lchown(&options.data_dir, Some(NOBODY), None).unwrap();
    assert!(matches!(Embedded::start(options.clone()).await, Err(EmbeddedError::Foreign { owner: NOBODY, .. })));
    untouched();

    // Links wait inside a folder that belongs to the other user.
    fs::remove_file(&options.data_dir).unwrap();
    fs::create_dir(&options.data_dir).unwrap();
    chown(&options.data_dir, Some(NOBODY), None).unwrap();
    for name in ["starting", "users"] {
        symlink(&secret, options.data_dir.join(name)).unwrap();
    }
    assert!(Embedded::start(options.clone()).await.is_err());
    untouched();

    // The folder of somebody who does not run Postgres.
    chown(&options.data_dir, Some(12345), None).unwrap();
    assert!(matches!(Embedded::start(options).await, Err(EmbeddedError::Foreign { owner: 12345, .. })));
}

#[tokio::test]
async fn a_missing_pg0_says_what_to_do() {
    let scratch = Scratch::new();
    let error = Embedded::start(Options { binary: "/nonexistent/pg0".into(), ..options(&scratch.0) }).await.unwrap_err();
    assert!(matches!(error, EmbeddedError::NoBinary(_)));
    assert!(error.to_string().contains("DATABASE_URL"), "{error}");
}

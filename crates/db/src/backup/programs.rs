//! Postgres' client programs: where they are, whom they run as, and how they find the database.

use super::BackupError;
use crate::migrate::{MigrateError, connect};
use sqlx::Connection;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::str::FromStr;
use tokio::io::AsyncReadExt;
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;

/// A program that works with the server.
pub(super) struct Program {
    name: &'static str,
    /// A full path, or the name of a program in PATH.
    path: PathBuf,
    /// The major version of the server.
    server: i32,
}

impl Program {
    /// The server's own program if the server runs on this machine and may say where its programs are, as the embedded one; else the one in
    /// PATH.
    pub(super) async fn find(name: &'static str, database: &'static str, url: &str) -> Result<Self, BackupError> {
        let asked = async {
            let options = PgConnectOptions::from_str(url)?;
            let mut connection = connect(&options).await?;
            let server: i32 =
                sqlx::query_scalar("select current_setting('server_version_num')::int / 10000").fetch_one(&mut connection).await?;
            let folder = if is_here(&options) { folder(&mut connection).await } else { None };
            connection.close().await?;
            Ok::<_, sqlx::Error>((server, folder))
        };
        let (server, folder) = asked.await.map_err(|error| MigrateError::from(error).of(database, url))?;
        let own = folder.map(|folder| folder.join(name)).filter(|path| path.is_file());
        let program = Self { name, path: own.unwrap_or_else(|| name.into()), server };
        program.require().await?;
        Ok(program)
    }

    /// Refuses a program that is missing or does not work with the server.
    async fn require(&self) -> Result<(), BackupError> {
        let answer = self.bare().arg("--version").stdin(Stdio::null()).output().await.map_err(|error| self.not_run(error))?;
        match major(&String::from_utf8_lossy(&answer.stdout)) {
            Some(found) if !suits(found, self.server) => Err(BackupError::OtherProgram { program: self.name, found, server: self.server }),
            Some(_) => Ok(()),
            None => Err(BackupError::Failed { program: self.name, output: String::from_utf8_lossy(&answer.stderr).trim().to_owned() }),
        }
    }

    fn not_run(&self, error: io::Error) -> BackupError {
        match error.kind() {
            io::ErrorKind::NotFound => BackupError::NoProgram { program: self.name, server: self.server },
            _ => BackupError::Failed { program: self.name, output: error.to_string() },
        }
    }

    fn bare(&self) -> Command {
        let mut command = Command::new(&self.path);
        if let Some(folder) = self.path.parent().filter(|folder| folder.is_absolute()) {
            // The bundled libraries are found by Postgres itself but not by one another.
            command.env("LD_LIBRARY_PATH", folder.join("../lib"));
            as_owner(&mut command, &self.path);
        }
        command
    }

    /// A command that works on the database of a URL. The password is in its environment, which other users cannot read.
    pub(super) fn command(&self, database: &'static str, url: &str) -> Result<Command, BackupError> {
        let variables = environment(url).map_err(|error| MigrateError::from(error).of(database, url))?;
        let mut command = self.bare();
        command.envs(variables).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        Ok(command)
    }
}

/// A program at work. Dropping it kills the program.
pub(super) struct Running {
    name: &'static str,
    pub(super) child: Child,
    complaints: JoinHandle<Vec<u8>>,
}

impl Running {
    pub(super) fn start(mut command: Command, program: &Program) -> Result<Self, BackupError> {
        let mut child = command.spawn().map_err(|error| program.not_run(error))?;
        let complaints = child.stderr.take();
        let complaints = tokio::spawn(async move {
            let mut text = Vec::new();
            if let Some(mut complaints) = complaints {
                complaints.read_to_end(&mut text).await.ok();
            }
            text
        });
        Ok(Self { name: program.name, child, complaints })
    }

    /// Waits for the end; what the program complained of is reported if it failed.
    pub(super) async fn end(mut self) -> Result<(), BackupError> {
        // A pipe that nobody reads would fill.
        drop(self.child.stdout.take());
        let status = self.child.wait().await?;
        let complaints = self.complaints.await.unwrap_or_default();
        match status.success() {
            true => Ok(()),
            false => Err(BackupError::Failed { program: self.name, output: String::from_utf8_lossy(&complaints).trim().to_owned() }),
        }
    }
}

/// Whether a URL leads to this machine.
fn is_here(options: &PgConnectOptions) -> bool {
    options.get_socket().is_some() || ["localhost", "127.0.0.1", "::1", "[::1]"].contains(&options.get_host())
}

/// Where the server's programs are. Only superusers may ask.
async fn folder(connection: &mut PgConnection) -> Option<PathBuf> {
    let folder: Option<String> =
        sqlx::query_scalar("select setting from pg_config where name = 'BINDIR'").fetch_one(connection).await.ok().flatten();
    folder.map(PathBuf::from)
}

/// The data folder of a server on this machine, if it is there. Superusers may ask, and members of `pg_read_all_settings`.
pub(super) async fn data_folder(url: &str) -> Result<Option<PathBuf>, sqlx::Error> {
    let options = PgConnectOptions::from_str(url)?;
    if !is_here(&options) {
        return Ok(None);
    }
    let mut connection = connect(&options.database("postgres")).await?;
    let folder: Option<String> = sqlx::query_scalar("select current_setting('data_directory')").fetch_one(&mut connection).await.ok();
    connection.close().await?;
    Ok(folder.map(PathBuf::from).filter(|folder| folder.is_dir()))
}

/// Makes root run a program as the user who owns it: that user could replace it.
fn as_owner(command: &mut Command, program: &Path) {
    let Ok(file) = fs::metadata(program) else { return };
    if rustix::process::geteuid().is_root() && file.uid() != 0 {
        command.uid(file.uid()).gid(file.gid()).current_dir("/");
    }
}

/// Whether a program of one major version works with a server of another. A `pg_restore` of 17 or newer sets `transaction_timeout`, which an
/// older server refuses, and one that is older than `pg_dump` may not read its format.
fn suits(found: i32, server: i32) -> bool {
    found == server || (found > server && server >= 17)
}

/// The major version in `pg_dump (PostgreSQL) 18.1 (Debian …)`.
fn major(answer: &str) -> Option<i32> {
    let (_, version) = answer.split_once("(PostgreSQL) ")?;
    version.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// The variables with which Postgres' programs find the database of a URL.
fn environment(url: &str) -> Result<Vec<(&'static str, String)>, sqlx::Error> {
    let options = PgConnectOptions::from_str(url)?;
    let host = options.get_socket().map_or_else(|| options.get_host().trim_matches(['[', ']']).to_owned(), |at| at.display().to_string());
    let mut variables = vec![
        ("PGHOST", host),
        ("PGPORT", options.get_port().to_string()),
        ("PGUSER", options.get_username().to_owned()),
        ("PGDATABASE", options.get_database().unwrap_or_default().to_owned()),
    ];
    variables.extend(options.get_options().map(|options| ("PGOPTIONS", options.to_owned())));
    let (address, query) = url.split_once('?').unwrap_or((url, ""));
    variables.extend(password(address).map(|password| ("PGPASSWORD", decoded(password))));
    for (name, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
        let variable = match name {
            "password" => "PGPASSWORD",
            "sslmode" | "ssl-mode" => "PGSSLMODE",
            "sslrootcert" | "ssl-root-cert" | "ssl-ca" => "PGSSLROOTCERT",
            "sslcert" | "ssl-cert" => "PGSSLCERT",
            "sslkey" | "ssl-key" => "PGSSLKEY",
            _ => continue,
        };
        variables.push((variable, decoded(value)));
    }
    Ok(variables)
}

/// The password in the part of a URL before `?`, as it is written there.
fn password(address: &str) -> Option<&str> {
    let (_, rest) = address.split_once("://")?;
    let authority = rest.split('/').next()?;
    let (login, _) = authority.rsplit_once('@')?;
    Some(login.split_once(':')?.1)
}

/// A percent-encoded text as it is. As the driver does, it takes a `%` for itself that no two hexadecimal digits follow.
fn decoded(text: &str) -> String {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        match part.split_at_checked(2).and_then(|(digits, rest)| Some((hex::decode(digits).ok()?, rest))) {
            Some((byte, rest)) => bytes.extend(byte.iter().chain(rest.as_bytes())),
            None => bytes.extend(b"%".iter().chain(part.as_bytes())),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn the_major_version_of_a_program_is_read() {
        assert_eq!(major("pg_dump (PostgreSQL) 18.1\n"), Some(18));
        assert_eq!(major("pg_restore (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n"), Some(15));
        assert_eq!(major("pg_dump (PostgreSQL) 19beta1\n"), Some(19));
        assert_eq!(major("no such program"), None);
    }

    #[test]
    fn a_program_is_never_older_than_the_server_and_newer_only_if_that_knows_its_settings() {
        assert!(suits(16, 16) && suits(18, 18) && suits(18, 17));
        assert!(!suits(15, 16) && !suits(17, 16) && !suits(18, 16) && !suits(17, 18));
    }

    #[test]
    fn a_url_becomes_the_variables_of_postgres_programs() {
        let variables = |url: &str| environment(url).unwrap().into_iter().collect::<BTreeMap<_, _>>();
        let remote = variables("postgres://vera:a%2Fb%23+%C3%A9@db.example.org:5433/acme?sslmode=verify-full&sslrootcert=%2Fetc%2Fca.pem");
        for (name, value) in [
            ("PGHOST", "db.example.org"),
            ("PGPORT", "5433"),
            ("PGUSER", "vera"),
            ("PGPASSWORD", "a/b#+é"),
            ("PGDATABASE", "acme"),
            ("PGSSLMODE", "verify-full"),
            ("PGSSLROOTCERT", "/etc/ca.pem"),
        ] {
            assert_eq!(remote.get(name).map(String::as_str), Some(value), "{name}");
        }
        assert_eq!(variables("postgres://vera:100%@db.example.org/acme")["PGPASSWORD"], "100%");
        assert_eq!(variables("postgres://vera:5%é%2F%zz@db.example.org/acme")["PGPASSWORD"], "5%é/%zz");
        assert_eq!(variables("postgres://db.example.org/acme?password=a%2Bb%")["PGPASSWORD"], "a+b%");
        assert_eq!(variables("postgres://vera@[::1]/acme")["PGHOST"], "::1");
        assert_eq!(variables("postgres://vera@%2Frun%2Fpostgresql/acme")["PGHOST"], "/run/postgresql");
    }
}

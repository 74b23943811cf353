//! Why a database cannot be used, in one sentence for whoever starts the server: what, where, which variable, and what to do.

use super::illness::Illness;
use super::owner::NO_SESSION;
use super::urls;
use sqlx::postgres::PgConnectOptions;
use std::error::Error;
use std::io;
use std::str::FromStr;
use wire::plain;

/// The variables that lead to a database.
fn variables(database: &str) -> String {
    format!("DATABASE_URL or {}_DATABASE_URL", database.to_uppercase())
}

/// Why `database`, which `url` leads to, cannot be used.
pub(super) fn sentence(database: &str, url: &str, error: &sqlx::Error) -> String {
    let variables = variables(database);
    let Ok(options) = PgConnectOptions::from_str(url) else { return format!("{variables} is not the URL of a Postgres database") };
    let place = format!("Postgres at {}", urls::place(&options));
    let user = options.get_username();
    match error {
        sqlx::Error::Io(error) if error.kind() == io::ErrorKind::TimedOut => {
            format!("{place} takes connections and does not answer: look at its log, or correct {variables}")
        }
        sqlx::Error::Io(error) => format!("{place} cannot be reached ({}): start it, or correct {variables}", reason(error)),
        sqlx::Error::Tls(error) => format!("no encrypted connection to {place} ({error}): correct sslmode and sslrootcert in {variables}"),
        sqlx::Error::Database(error) => {
            let (code, message) = (error.code().unwrap_or_default(), error.message());
            if let Some(illness) = Illness::of(&code) {
                return format!("{place} cannot work, because {illness} ({message}): {}", illness.remedy());
            }
            match code.as_ref() {
                code if code.starts_with("28") => {
                    format!("{place} refuses the user {user} ({message}): correct user and password in {variables}")
                }
                // Citus repeats «create extension if not exists» on the workers, also if nothing is left to create.
                "42501" if message.contains("owner of extension") => {
                    format!(
                        "{place} lets only the owner of the extension vector migrate a cluster ({message}): make {user} a superuser on every \
                         node, let it drop and create the extension before the first migration, and take that right back"
                    )
                }
                "42501" => format!(
                    "{place} does not let the user {user} do this ({message}): {variables} needs a user who may create databases and roles"
                ),
                "3D000" => format!("{place} lacks a database ({message}): create it, or correct {variables}"),
                // The name of a prepared statement means another one, or none, in the session that a pooler gave this time.
                "42P05" | "26000" => format!("{place} ({variables}) cannot be used: {NO_SESSION}"),
                // PgBouncer's word for whatever happens before it has a session. It does not say which error of Postgres that was.
                "08P01" if message.contains("does not exist") || message.contains("no such database") => {
                    format!(
                        "{place} is a pooler that reaches no such database ({message}): create the databases with 'remembrancer migrate' and \
                         a DATABASE_URL that leads to Postgres itself, let the pooler serve them, or correct {variables}"
                    )
                }
                _ if message.contains("unsupported startup parameter") => {
                    format!("{place} is a PgBouncer that refuses the start ({message}): name it in its ignore_startup_parameters")
                }
                _ if message.contains("extension \"vector\"") => {
                    format!(
                        "{place} has no pgvector: install the package of your system, as postgresql-18-pgvector, or correct {variables}"
                    )
                }
                code => format!("{place} refuses ({message}, {code}): look at its log, or correct {variables}"),
            }
        }
        error => format!("{place} cannot be used ({error}): correct {variables}"),
    }
}

/// That `database`, which `url` leads to, does not exist, and what to do.
pub(super) fn absence(database: &str, url: &str) -> String {
    let variables = variables(database);
    let Ok(options) = PgConnectOptions::from_str(url) else { return format!("{variables} is not the URL of a Postgres database") };
    let (place, name) = (urls::place(&options), options.get_database().unwrap_or_default());
    format!("Postgres at {place} has no database {name}: correct {variables}, or create it with 'remembrancer migrate'")
}

/// That Postgres is not prepared for `database`, which `url` leads to: what is missing, with what to do.
pub(super) fn unprepared(database: &str, url: &str, what: &str) -> String {
    let variables = variables(database);
    let Ok(options) = PgConnectOptions::from_str(url) else { return format!("{variables} is not the URL of a Postgres database") };
    format!("Postgres at {} ({variables}) cannot be used yet, and nothing was changed: {what}", urls::place(&options))
}

/// The text of an error of the system, or of its cause.
fn reason(error: &io::Error) -> String {
    error.source().map_or_else(|| plain(error), plain).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_names_the_place_the_variable_and_what_to_do_and_never_the_password() {
        let url = "postgres://vera:hunter2@db.example.org:5433/acme_agent_memory";
        let cases = [
            (sqlx::Error::Io(io::Error::from(io::ErrorKind::ConnectionRefused)), "cannot be reached (connection refused): start it"),
            (sqlx::Error::Io(io::Error::from(io::ErrorKind::TimedOut)), "does not answer"),
            (sqlx::Error::Tls("no certificate".into()), "sslrootcert"),
            (sqlx::Error::PoolTimedOut, "cannot be used"),
        ];
        for (error, words) in cases {
            let sentence = sentence("agent_memory", url, &error);
            for words in ["Postgres at db.example.org:5433", "DATABASE_URL or AGENT_MEMORY_DATABASE_URL", words] {
                assert!(sentence.contains(words), "{sentence}");
            }
            assert!(!sentence.contains("hunter2") && !sentence.contains("os error"), "{sentence}");
        }
        let words = "Postgres at db.example.org:5433 has no database acme_agent_memory: correct DATABASE_URL or AGENT_MEMORY_DATABASE_URL";
        assert!(absence("agent_memory", url).starts_with(words), "{}", absence("agent_memory", url));
    }
}

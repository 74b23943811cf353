//! URLs of the databases, and the logins of the server.

use sqlx::postgres::PgConnectOptions;
use std::str::FromStr;

/// Where the three databases are.
#[derive(Clone)]
pub struct DatabaseUrls {
    pub agent_memory: String,
    pub shared_kb: String,
    pub internal_shared: String,
}

// URLs hold passwords.
impl std::fmt::Debug for DatabaseUrls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DatabaseUrls(…)")
    }
}

impl DatabaseUrls {
    /// Derives the three from one: `…/base` becomes `…/base_agent_memory`, `…/base_shared_kb`, `…/base_internal_shared`.
    ///
    /// # Errors
    /// A sentence, when `url` is not a Postgres URL with a database.
    pub fn derive(url: &str) -> Result<Self, String> {
        // sqlx takes any scheme for Postgres.
        if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
            return Err("it does not begin with postgres://".into());
        }
        PgConnectOptions::from_str(url).map_err(|error| error.to_string())?;
        let (front, query) = url.split_once('?').map_or((url, String::new()), |(front, query)| (front, format!("?{query}")));
        let (server, base) = front.rsplit_once('/').ok_or("it names no database")?;
        if base.is_empty() || server.ends_with('/') {
            return Err("it names no database; it must be postgres://user:password@host:port/base".into());
        }
        let with = |suffix: &str| format!("{server}/{base}_{suffix}{query}");
        Ok(Self { agent_memory: with("agent_memory"), shared_kb: with("shared_kb"), internal_shared: with("internal_shared") })
    }

    /// Three databases of the same names and `suffix`, on the same servers.
    ///
    /// # Errors
    /// A sentence, when a URL cannot be read.
    pub fn beside(urls: &Self, suffix: &str) -> Result<Self, String> {
        let other = |url: &str| {
            let (address, query) = url.split_once('?').map_or((url, String::new()), |(address, query)| (address, format!("?{query}")));
            PgConnectOptions::from_str(url).map_err(|error| error.to_string())?;
            Ok::<_, String>(format!("{address}{suffix}{query}"))
        };
        Ok(Self {
            agent_memory: other(&urls.agent_memory)?,
            shared_kb: other(&urls.shared_kb)?,
            internal_shared: other(&urls.internal_shared)?,
        })
    }

    /// Refuses two URLs of one database: the three hold data of different sensitivity.
    ///
    /// # Errors
    /// A sentence.
    pub fn check(self) -> Result<Self, String> {
        let place = |url: &str| {
            let options = PgConnectOptions::from_str(url).map_err(|error| error.to_string())?;
            Ok::<_, String>((options.get_host().to_owned(), options.get_port(), options.get_database().map(str::to_owned)))
        };
        let (memory, kb, control) = (place(&self.agent_memory)?, place(&self.shared_kb)?, place(&self.internal_shared)?);
        let distinct = memory != kb && kb != control && memory != control;
        if distinct { Ok(self) } else { Err("the three database URLs must name different databases: two of them name the same one".into()) }
    }
}

/// Where the two roles of the server log in, if not as the owner.
#[derive(Clone, Debug, Default)]
pub struct Logins {
    /// Of a member of `rmb_app`.
    pub app: Option<DatabaseUrls>,
    /// Of a member of `rmb_system`.
    pub system: Option<DatabaseUrls>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_urls_derive_from_one() {
        let urls = DatabaseUrls::derive("postgres://vera:secret@localhost:5432/acme?sslmode=disable").unwrap();
        assert_eq!(urls.agent_memory, "postgres://vera:secret@localhost:5432/acme_agent_memory?sslmode=disable");
        assert_eq!(urls.internal_shared, "postgres://vera:secret@localhost:5432/acme_internal_shared?sslmode=disable");
        assert!(DatabaseUrls::derive("postgres://localhost").is_err());
        assert!(DatabaseUrls::derive("mysql://localhost/acme").is_err());
        assert!(!format!("{urls:?}").contains("secret"));
    }

    #[test]
    fn equal_urls_are_refused() {
        let url = || "postgres://localhost/one".to_owned();
        assert!(
            DatabaseUrls { agent_memory: url(), shared_kb: url(), internal_shared: "postgres://localhost/two".into() }.check().is_err()
        );
        let same = |other: &str| {
            let internal_shared = "postgres://localhost/three".into();
            DatabaseUrls { agent_memory: url(), shared_kb: other.into(), internal_shared }.check()
        };
        assert!(same("postgres://vera@localhost:5432/one?sslmode=disable").is_err());
        assert!(same("postgres://localhost:5433/one").is_ok());
    }
}

//! URLs of the databases, and the logins of the server.

use sqlx::postgres::PgConnectOptions;
use std::str::FromStr;

/// Bytes of a name that Postgres keeps; it cuts off the rest, and then the name is that of another database.
const NAME_MAX: usize = 63;

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
    /// Derives the three from one: `…/base` becomes `…/base_agent_memory`, `…/base_shared_kb`, `…/base_internal_shared`. It is read as psql
    /// reads it: without a host, it is that of `PGHOST`, the socket of this machine, or localhost.
    ///
    /// # Errors
    /// A sentence without any part of the URL but one character, when `url` is not a Postgres URL with a database.
    pub fn derive(url: &str) -> Result<Self, String> {
        let address = Address::read(url)?;
        let with = |part: &str| address.of(&format!("{}_{part}", address.base));
        Ok(Self { agent_memory: with("agent_memory")?, shared_kb: with("shared_kb")?, internal_shared: with("internal_shared")? })
    }

    /// The URL of one database, as the driver reads it.
    ///
    /// # Errors
    /// As [`DatabaseUrls::derive`].
    pub fn readable(url: &str) -> Result<String, String> {
        let address = Address::read(url)?;
        address.of(&address.base)
    }

    /// Three databases of the same names and `suffix`, on the same servers.
    ///
    /// # Errors
    /// A sentence, when a URL cannot be read, or a name is longer than Postgres keeps.
    pub fn beside(urls: &Self, suffix: &str) -> Result<Self, String> {
        let other = |url: &str| {
            let (address, query) = url.split_once('?').map_or((url, String::new()), |(address, query)| (address, format!("?{query}")));
            let options = PgConnectOptions::from_str(url).map_err(|error| error.to_string())?;
            let name = options.get_database().unwrap_or_default();
            if name.len() + suffix.len() > NAME_MAX {
                return Err(format!(
                    "a temporary database would be called {name}{suffix}, which is longer than the {NAME_MAX} bytes that Postgres keeps of a \
                     name: give the databases shorter names"
                ));
            }
            Ok(format!("{address}{suffix}{query}"))
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
            Ok::<_, String>((place(&options), options.get_database().map(str::to_owned)))
        };
        let (memory, kb, control) = (place(&self.agent_memory)?, place(&self.shared_kb)?, place(&self.internal_shared)?);
        let distinct = memory != kb && kb != control && memory != control;
        if distinct { Ok(self) } else { Err("the three database URLs must name different databases: two of them name the same one".into()) }
    }
}

/// The parts of a Postgres URL as they are written. The driver refuses a user or a port without a host, so these become parameters.
struct Address {
    /// The scheme and all that comes before the name of the database.
    server: String,
    base: String,
    parameters: Vec<String>,
}

impl Address {
    fn read(url: &str) -> Result<Self, String> {
        let rest = url.strip_prefix("postgres://").or_else(|| url.strip_prefix("postgresql://"));
        let rest = rest.ok_or("it does not begin with postgres://")?;
        if let Some(raw) = raw_character(rest) {
            return Err(format!(
                "the user or password in it has a raw «{raw}»: write # as %23, / as %2F, ? as %3F, @ as %40 and % as %25 there"
            ));
        }
        let (front, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = front.split_once('/').unwrap_or((front, ""));
        let (mut base, mut parameters) = (path.to_owned(), Vec::new());
        let mut server = format!("postgres://{authority}");
        let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
        if host.is_empty() || host.starts_with(':') {
            server = "postgres://".into();
            let (name, password) = user.split_once(':').unwrap_or((user, ""));
            for (key, value) in [("user", name), ("password", password), ("port", host.trim_start_matches(':'))] {
                if !value.is_empty() {
                    parameters.push(format!("{key}={}", value.replace('&', "%26").replace('+', "%2B")));
                }
            }
        }
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            match parameter.strip_prefix("dbname=") {
                Some(name) => name.clone_into(&mut base),
                // The driver would take it for a space, and psql does not.
                None => parameters.push(parameter.replace('+', "%2B")),
            }
        }
        if base.is_empty() {
            return Err("it names no database; it must be postgres://user:password@host:port/base".into());
        }
        Ok(Self { server, base, parameters })
    }

    /// The URL of another database at this address.
    fn of(&self, database: &str) -> Result<String, String> {
        let mark = if self.parameters.is_empty() { "" } else { "?" };
        let url = format!("{}/{database}{mark}{}", self.server, self.parameters.join("&"));
        PgConnectOptions::from_str(&url).map_err(|error| error.to_string())?;
        Ok(url)
    }
}

/// A character in the user or password that ends them early, because it is not percent-encoded. `rest` follows the scheme.
fn raw_character(rest: &str) -> Option<char> {
    if rest.contains('#') {
        return Some('#');
    }
    let (authority, tail) = rest.split_once(['/', '?'])?;
    let separator = rest[authority.len()..].chars().next()?;
    let (before, _) = tail.rsplit_once('@')?;
    let host = authority.rsplit(['@', ']']).next().unwrap_or_default();
    let is_password = host.split_once(':').is_some_and(|(_, port)| !port.chars().all(|digit| digit.is_ascii_digit()));
    // A parameter may hold an @, as in ?user=vera@example.org.
    let is_parameter = (separator == '?' || before.contains('?')) && before.contains('=');
    (is_password || !is_parameter).then_some(separator)
}

/// Where a server is, for people: host and port, or its socket.
pub(super) fn place(options: &PgConnectOptions) -> String {
    let (host, port) = (options.get_host(), options.get_port());
    let folder = options.get_socket().map(|folder| folder.display().to_string());
    match folder.or_else(|| host.starts_with('/').then(|| host.to_owned())) {
        Some(folder) => format!("{folder}/.s.PGSQL.{port}"),
        None if host.contains(':') && !host.starts_with('[') => format!("[{host}]:{port}"),
        None => format!("{host}:{port}"),
    }
}

/// Where the two roles of the server log in, if not as the owner.
#[derive(Clone, Debug, Default)]
pub struct Logins {
    /// Of a member of `rmb_app`.
    pub app: Option<DatabaseUrls>,
    /// Of a member of `rmb_system`.
    pub system: Option<DatabaseUrls>,
    /// Of a member of `rmb_app`, on replicas.
    pub replicas: Replicas,
}

/// Where replicas of the databases are.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Replicas {
    pub agent_memory: Option<String>,
    pub shared_kb: Option<String>,
    pub internal_shared: Option<String>,
}

// URLs hold passwords.
impl std::fmt::Debug for Replicas {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Replicas(…)")
    }
}

impl From<DatabaseUrls> for Replicas {
    fn from(DatabaseUrls { agent_memory, shared_kb, internal_shared }: DatabaseUrls) -> Self {
        Self { agent_memory: Some(agent_memory), shared_kb: Some(shared_kb), internal_shared: Some(internal_shared) }
    }
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

    /// Where a base URL leads, as whom, and to which first database.
    fn led(url: &str) -> (String, String, String) {
        let options = PgConnectOptions::from_str(&DatabaseUrls::derive(url).unwrap().agent_memory).unwrap();
        (place(&options), options.get_username().to_owned(), options.get_database().unwrap().to_owned())
    }

    #[test]
    fn urls_are_read_as_psql_reads_them() {
        for (url, expected) in [
            ("postgres://vera@[::1]:5433/acme", ["[::1]:5433", "vera"]),
            ("postgres://vera@/acme?host=::1&port=5433", ["[::1]:5433", "vera"]),
            ("postgresql://vera:p%2Fw@%2Frun%2Fpostgresql/acme", ["/run/postgresql/.s.PGSQL.5432", "vera"]),
            ("postgres:///acme?host=/run/postgresql&user=vera", ["/run/postgresql/.s.PGSQL.5432", "vera"]),
            ("postgres://vera:a+b&c@:5433/acme?host=/run/postgresql", ["/run/postgresql/.s.PGSQL.5433", "vera"]),
            ("postgres://db.example.org?dbname=acme&user=vera@example.org", ["db.example.org:5432", "vera@example.org"]),
            ("postgres://vera:p@ss@db.example.org/acme?user=mina@example.org", ["db.example.org:5432", "mina@example.org"]),
        ] {
            let (place, user, database) = led(url);
            assert_eq!(([place.as_str(), user.as_str()], database.as_str()), (expected, "acme_agent_memory"), "{url}");
        }
        assert_eq!(DatabaseUrls::derive("postgres:///acme").unwrap().shared_kb, "postgres:///acme_shared_kb");
        let moved = DatabaseUrls::readable("postgres://vera:a+b&c@/acme?sslmode=disable").unwrap();
        assert_eq!(moved, "postgres:///acme?user=vera&password=a%2Bb%26c&sslmode=disable");
        let kept = DatabaseUrls::readable("postgres://db.example.org/acme?user=vera&password=a+b").unwrap();
        assert_eq!(kept, "postgres://db.example.org/acme?user=vera&password=a%2Bb");
    }

    #[test]
    fn a_raw_character_in_a_password_is_named_and_the_password_is_not() {
        for (url, raw) in [
            ("postgres://vera:hunter#2@db.example.org/acme", '#'),
            ("postgres://vera:hunter/2@db.example.org/acme", '/'),
            ("postgres://vera:12/hunter@db.example.org/acme", '/'),
            ("postgres://vera:hunter/2=@db.example.org/acme?sslmode=disable", '/'),
            ("postgres://vera:hunter?2@db.example.org/acme", '?'),
            ("postgres://vera:12?hunter@db.example.org/acme", '?'),
            ("postgres://vera:p@hunter/2@db.example.org/acme", '/'),
        ] {
            let refused = DatabaseUrls::derive(url).unwrap_err();
            assert!(refused.contains(&format!("a raw «{raw}»")) && refused.contains("%2F"), "{refused}");
            assert!(!refused.contains("hunter"), "{refused}");
        }
    }

    #[test]
    fn a_name_beside_another_is_not_cut_to_that_name() {
        let urls = |name: &str| DatabaseUrls::readable(&format!("postgres://localhost/{name}?sslmode=disable")).unwrap();
        let all = |name: &str| DatabaseUrls { agent_memory: urls(name), shared_kb: urls("kb"), internal_shared: urls("control") };
        let beside = DatabaseUrls::beside(&all(&"a".repeat(55)), "_verify_").unwrap();
        assert_eq!(beside.agent_memory, format!("postgres://localhost/{}_verify_?sslmode=disable", "a".repeat(55)));
        assert!(DatabaseUrls::beside(&all(&"a".repeat(56)), "_verify_").unwrap_err().contains("63 bytes"));
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

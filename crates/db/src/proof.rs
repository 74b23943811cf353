//! Each new connection proves that its transactions work in the role of the server, within limits and in UTC. One that does not is refused:
//! as the owner it would see the rows of every organisation.

use super::distributed::{BEGUN, DISTRIBUTED, DONE};
use super::illness::{Health, Illness};
use super::link::ANSWER;
use super::opening::{Opening, Spread};
use super::owner::is_one_session;
use super::urls;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgRow};
use sqlx::{AssertSqlSafe, Row};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;

/// How long a transaction may be idle before Postgres ends it, so that a server that hangs holds no lock for ever.
const IDLE: Duration = Duration::from_secs(60);

/// The variable that names the login of the owner.
pub(super) const OWNER: &str = "DATABASE_URL";

/// The settings of a transaction, which travel with BEGIN; without a limit for statements that end in another way. The limit of statements
/// includes their waiting for locks.
pub(super) fn settings(statement: Option<Duration>) -> String {
    // Zero would mean no limit.
    let (limit, idle) = statement.map_or((0, 0), |limit| (limit.as_millis().max(1), IDLE.as_millis()));
    format!(
        "set_config('statement_timeout', '{limit}', true), set_config('lock_timeout', '0', true), \
         set_config('idle_in_transaction_session_timeout', '{idle}', true), set_config('TimeZone', 'UTC', true)"
    )
}

/// What is wrong with a place where prepared statements get lost, and what to do.
const LOSES_STATEMENTS: &str = "it gives each transaction another session, and prepared statements get lost there: set \
                                max_prepared_statements of PgBouncer (1.21 or newer), or pool_mode = session";

/// A connection that did not prove itself: why, and what to do.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(Arc<str>);

/// What the connections of one pool prove.
#[derive(Debug)]
pub struct Proof {
    options: PgConnectOptions,
    place: String,
    login: String,
    /// The variable that says where and as whom the pool logs in.
    variable: &'static str,
    /// The role of its transactions, and one that they may take beyond it.
    role: &'static str,
    further: &'static str,
    statement: Duration,
    /// Where it notes whether tables are distributed.
    spread: Arc<Spread>,
    /// Whether a connection knows in each transaction what it prepared before.
    keeps_statements: AtomicBool,
    /// Why the last connection was refused, if it was.
    refusal: watch::Sender<Option<Refusal>>,
}

impl Proof {
    pub fn new(
        options: &PgConnectOptions,
        variable: &'static str,
        (role, further): (&'static str, &'static str),
        statement: Duration,
        spread: Arc<Spread>,
    ) -> Self {
        let place = format!("{} at {}", options.get_database().unwrap_or_default(), urls::place(options));
        let login = options.get_username().to_owned();
        // The owner's sessions are proven by every migration, and each start begins with one.
        let keeps_statements = AtomicBool::new(variable == OWNER);
        Self {
            options: options.clone(),
            place,
            login,
            variable,
            role,
            further,
            statement,
            spread,
            keeps_statements,
            refusal: watch::Sender::default(),
        }
    }

    /// Opens a transaction in the role.
    pub fn begin(&self) -> Opening {
        Opening::in_role(self.role, Some(self.statement))
    }

    /// Why the last connection was refused, if it was.
    pub fn refusal(&self) -> Option<Refusal> {
        self.refusal.borrow().clone()
    }

    /// Waits for the next refusal.
    pub fn refused(&self) -> impl Future<Output = sqlx::Error> + use<> {
        let mut refusals = self.refusal.subscribe();
        async move {
            loop {
                if refusals.changed().await.is_err() {
                    return sqlx::Error::PoolClosed;
                }
                if let Some(refusal) = refusals.borrow_and_update().clone() {
                    return sqlx::Error::Configuration(Box::new(refusal));
                }
            }
        }
    }

    /// A pool only says that no connection became free in time: the reason, if it is known.
    pub fn explain(&self, error: sqlx::Error, health: &Health) -> sqlx::Error {
        if let Some(what) = self.turned_away(&error) {
            return sqlx::Error::Configuration(Box::new(self.refusal_of(&what)));
        }
        match (&error, self.refusal(), health.illness()) {
            (sqlx::Error::PoolTimedOut, Some(refusal), _) => sqlx::Error::Configuration(Box::new(refusal)),
            (sqlx::Error::PoolTimedOut, None, Some(illness @ (Illness::Starting | Illness::TooManyConnections | Illness::DiskFull))) => {
                sqlx::Error::Configuration(Box::new(illness))
            }
            _ => error,
        }
    }

    /// Lets a new connection prove itself.
    ///
    /// # Errors
    /// A [`Refusal`], or why Postgres could not be asked.
    pub async fn check(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        let question = format!("{}; {}; rollback", self.begin().text(false), self.question());
        let asked = timeout(ANSWER, sqlx::raw_sql(AssertSqlSafe(question)).fetch_all(&mut *connection)).await;
        let refusal = match asked.map_err(|_| sqlx::Error::PoolTimedOut)? {
            Ok(rows) => rows.last().and_then(|row| self.wrong(row)),
            Err(error) => Some(self.denied(error)?),
        };
        let loses = refusal.is_none() && self.loses_statements(connection).await?;
        let refusal = if loses { Some(LOSES_STATEMENTS.to_owned()) } else { refusal };
        let refusal = refusal.map(|what| self.refusal_of(&what));
        let before = self.refusal.send_replace(refusal.clone());
        let Some(refusal) = refusal else { return Ok(()) };
        if before.is_none() {
            tracing::error!(%refusal, "a connection to a database is refused");
        }
        Err(sqlx::Error::Configuration(Box::new(refusal)))
    }

    /// Whether the place gives each transaction another session and passes the names of prepared statements on unchanged. A name that this
    /// connection gave may then mean nothing, or a statement of somebody else. Checked until one connection shows that it does not.
    async fn loses_statements(&self, connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
        if self.keeps_statements.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let keeps = is_one_session(connection, &self.options).await? || renames_statements(connection).await?;
        self.keeps_statements.store(keeps, Ordering::Relaxed);
        Ok(!keeps)
    }

    fn question(&self) -> String {
        format!(
            "select current_user::text as role, \
                    (select string_agg(r.rolname::text, ', ') from pg_roles r \
                      where r.rolname in (current_user, '{}') \
                        and (r.rolsuper or r.rolbypassrls \
                             or exists (select from pg_class c \
                                         where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') \
                                           and pg_has_role(r.oid, c.relowner, 'usage')))) as strong, \
                    (current_setting('statement_timeout') <> '0' and current_setting('lock_timeout') = '0' \
                     and current_setting('idle_in_transaction_session_timeout') <> '0')::text as limits, \
                    current_setting('TimeZone') as zone, {DISTRIBUTED} as distributed",
            self.further
        )
    }

    /// What is wrong with a transaction, if something is.
    fn wrong(&self, row: &PgRow) -> Option<String> {
        let text = |column: &str| row.try_get::<Option<String>, _>(column).ok().flatten().unwrap_or_default();
        let (role, strong, zone) = (text("role"), text("strong"), text("zone"));
        let unchanged = "connect to Postgres directly, or through a pooler that passes every statement on unchanged";
        if role != self.role {
            return Some(format!("its transactions work as {role} instead of {}: {unchanged}", self.role));
        }
        if !strong.is_empty() {
            return Some(format!(
                "row-level security does not bind {strong}: run 'alter role … nosuperuser nobypassrls', and let no role of the server own a \
                 table"
            ));
        }
        self.spread.note(text("distributed") == DONE);
        if text("distributed") == BEGUN {
            return Some("its tables are distributed in part: run 'remembrancer distribute' to the end".into());
        }
        if text("limits") != "true" {
            return Some(format!("its transactions have no time limits: {unchanged}"));
        }
        (zone != "UTC").then(|| format!("its time zone is {zone} instead of UTC: {unchanged}"))
    }

    /// Why Postgres does not let the login in, if that is what an error says.
    fn turned_away(&self, error: &sqlx::Error) -> Option<String> {
        let error = error.as_database_error()?;
        match error.code()?.as_ref() {
            code if code.starts_with("28") => Some(format!("{}: correct user and password", error.message())),
            "3D000" => Some(format!("{}: run 'remembrancer migrate', or correct the URL", error.message())),
            _ => None,
        }
    }

    /// What is missing, if an error says so; else the error.
    fn denied(&self, error: sqlx::Error) -> Result<String, sqlx::Error> {
        let code = error.as_database_error().and_then(|error| error.code()).unwrap_or_default().into_owned();
        match code.as_str() {
            // 42501: the login may not take the role.
            "42501" => Ok(format!("{} may not take the role {}: run 'grant {1} to {0}'", self.login, self.role)),
            // 22023: there is no such role.
            "22023" => Ok(format!("the role {} does not exist: run 'remembrancer migrate'", self.role)),
            _ => Err(error),
        }
    }

    fn refusal_of(&self, what: &str) -> Refusal {
        Refusal(format!("the connection to {} ({}) is refused: {what}", self.place, self.variable).into())
    }
}

/// Whether a pooler gives prepared statements names of its own, as PgBouncer does with `max_prepared_statements`: it then prepares them again
/// in whichever session comes next. The statement that asks is itself prepared, and the newest of its session.
async fn renames_statements(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    let newest = r"select name not like 'sqlx\_s\_%' from pg_prepared_statements order by prepare_time desc limit 1";
    let asked = timeout(ANSWER, sqlx::query_scalar::<_, bool>(newest).fetch_optional(connection)).await;
    match asked.map_err(|_| sqlx::Error::PoolTimedOut)? {
        // 42P05: another connection has the name. 26000: the statement is in another session.
        Err(sqlx::Error::Database(error)) if matches!(error.code().as_deref(), Some("42P05" | "26000")) => Ok(false),
        renamed => Ok(renamed?.unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_have_limits_unless_they_are_lifted() {
        assert!(settings(Some(Duration::ZERO)).starts_with("set_config('statement_timeout', '1', true)"));
        assert!(settings(None).contains("set_config('idle_in_transaction_session_timeout', '0', true)"));
    }
}

//! What the three databases look like, for `remembrancer doctor`: facts without a judgement. Nothing is changed.

use super::backup::{Note, read_note_in};
use super::clock::{Clock, SystemClock};
use super::distributed::{self, Cluster};
use super::migrate::{ROLES, connect, each};
use super::owner::{VERSION_MIN, is_one_session};
use super::reasons::{absence, sentence};
use super::urls::place;
use super::{DatabaseUrls, Databases, DbError, ReplicaFacts, Tenancy, Tx};
use chrono::{DateTime, TimeDelta, Utc};
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Connection};
use std::collections::BTreeMap;
use std::str::FromStr;

/// One database, as its owner sees it.
#[derive(Clone, Debug)]
pub struct Inspected {
    pub database: &'static str,
    /// Host and port, or the socket.
    pub place: String,
    /// Or a sentence that says why it cannot be used, and what to do.
    pub facts: Result<Facts, String>,
}

/// What an owner's connection finds.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// As Postgres writes it.
    pub version: String,
    /// Whether Postgres is too old for this program.
    pub is_old: bool,
    /// The version of pgvector, if the database has it.
    pub vector: Option<String>,
    /// False behind a pooler that gives each transaction another session.
    pub is_one_session: bool,
    /// How far the clock of Postgres is ahead of that of this machine.
    pub clock_ahead: TimeDelta,
    /// Migrations of this program that are not applied.
    pub missing: Vec<i64>,
    /// Applied migrations that this program does not know.
    pub unknown: Vec<i64>,
    /// Applied migrations that are not the same in this program, because another build made the database.
    pub changed: Vec<i64>,
    /// What the database says about its backups.
    pub note: Option<Note>,
    pub roles: Vec<RoleFacts>,
    /// Memberships that the server needs and that are missing: a role, and the one that it must be able to take.
    pub untaken: Vec<(String, String)>,
    /// Absent without Citus.
    pub cluster: Option<Cluster>,
    /// Of a database with all migrations of this program, and no others.
    pub contents: Option<Contents>,
}

/// A role of the server.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct RoleFacts {
    pub name: String,
    pub exists: bool,
    /// Whether it is a superuser or bypasses row-level security.
    pub is_strong: bool,
    /// Whether it owns a table, to which policies then do not apply.
    pub owns: bool,
}

/// What the tables look like.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// Tables with a tenant.
    pub tables: i64,
    /// Those of them without row-level security or without a policy.
    pub exposed: Vec<String>,
    /// Those of them that no role of the server may use, or that a role has a policy for and no right to.
    pub closed: Vec<String>,
    /// Indexes that Postgres does not use, because they were not finished.
    pub invalid_indexes: Vec<String>,
    /// Models that are not kept, with the number of vectors that are left of them; empty if it is not known which are kept.
    pub stale_vectors: Vec<(String, i64)>,
    /// Of a database that has one.
    pub outbox: Option<Outbox>,
    /// Of a database that has them.
    pub events: Option<Events>,
}

/// Changes on their way to another database.
#[derive(Clone, Debug, Default, PartialEq, Eq, sqlx::FromRow)]
pub struct Outbox {
    pub waiting: i64,
    pub oldest: Option<DateTime<Utc>>,
    /// Rows that cannot be delivered.
    pub set_aside: i64,
}

/// Background work.
#[derive(Clone, Debug, Default, PartialEq, Eq, sqlx::FromRow)]
pub struct Events {
    /// What waits, runs or is tried again.
    pub open: i64,
    /// When the one was put there that is open for the longest time.
    pub oldest: Option<DateTime<Utc>>,
    /// Since when the one is due that no worker has claimed, or whose worker is gone, for the longest time.
    pub due: Option<DateTime<Utc>>,
    pub dead: i64,
}

/// Who a connection of the server is.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Identity {
    /// As whom it logged in.
    pub login: String,
    pub login_is_super: bool,
    /// The role of its transactions.
    pub role: String,
}

/// Looks at each database as its owner.
pub async fn inspect(urls: &DatabaseUrls) -> Vec<Inspected> {
    let kept = kept_models(&urls.internal_shared).await.ok().filter(|kept| !kept.is_empty());
    let mut all = Vec::new();
    for (database, url, migrator) in each(urls) {
        let place = PgConnectOptions::from_str(url).map_or_else(|_| String::new(), |options| place(&options));
        let facts = facts(database, url, migrator, kept.as_deref()).await.map_err(|error| match &error {
            sqlx::Error::Database(cause) if cause.code().as_deref() == Some("3D000") => absence(database, url),
            error => sentence(database, url, error),
        });
        all.push(Inspected { database, place, facts });
    }
    all
}

impl Databases {
    /// Who the connections of the server are: for each database one for requests, and one for what happens before or across tenants.
    pub async fn identities(&self) -> Vec<(&'static str, Result<Identity, DbError>)> {
        let mut all = Vec::new();
        for (name, database) in [("agent_memory", &self.memory), ("shared_kb", &self.kb), ("internal_shared", &self.control)] {
            all.push((name, identity(database.begin(Tenancy::nobody()).await).await));
            all.push((name, identity(database.begin_system().await).await));
        }
        all
    }

    /// What the replicas are like, by the names of their databases, or why nothing is read from them.
    pub async fn replicas(&self) -> Vec<(&'static str, Result<ReplicaFacts, String>)> {
        let mut all = Vec::new();
        for (name, database) in [("agent_memory", &self.memory), ("shared_kb", &self.kb), ("internal_shared", &self.control)] {
            all.extend(database.look_at_replica().await.map(|facts| (name, facts)));
        }
        all
    }
}

async fn identity(tx: Result<Tx, DbError>) -> Result<Identity, DbError> {
    let mut tx = tx?;
    let identity = sqlx::query_as(
        r"select session_user::text as login, current_user::text as role,
                 exists (select from pg_roles where rolname = session_user and (rolsuper or rolbypassrls)) as login_is_super",
    )
    .fetch_one(&mut *tx)
    .await?;
    tx.rollback().await?;
    Ok(identity)
}

/// The models whose vectors are kept. Fails where the database does not say so, as one that is lost or older.
async fn kept_models(url: &str) -> Result<Vec<String>, sqlx::Error> {
    let mut connection = connect(&PgConnectOptions::from_str(url)?).await?;
    let kept = sqlx::query_scalar("select name from models where is_kept").fetch_all(&mut connection).await?;
    connection.close().await?;
    Ok(kept)
}

async fn facts(database: &str, url: &str, migrator: &Migrator, kept: Option<&[String]>) -> Result<Facts, sqlx::Error> {
    let options = PgConnectOptions::from_str(url)?;
    let mut connection = connect(&options).await?;
    let is_one_session = is_one_session(&mut connection, &options).await?;
    if !is_one_session {
        // Every other statement here is prepared, which such a pooler may refuse.
        return Ok(Facts::default());
    }
    let is_old = connection.server_version_num().is_some_and(|version| version < VERSION_MIN);
    let (version, vector): (String, Option<String>) = sqlx::query_as(
        r"select split_part(current_setting('server_version'), ' ', 1), (select extversion from pg_extension where extname = 'vector')",
    )
    .fetch_one(&mut connection)
    .await?;
    let mut facts = Facts { version, is_old, vector, is_one_session, ..Facts::default() };
    if is_old {
        return Ok(facts);
    }
    sqlx::query("select set_config('statement_timeout', '60s', false)").execute(&mut connection).await?;
    facts.clock_ahead = clock_ahead(&mut connection).await?;
    facts.note = read_note_in(&mut connection).await?;
    facts.roles = roles(&mut connection).await?;
    facts.untaken = untaken(&mut connection).await?;
    facts.cluster = distributed::cluster(&mut connection, database).await?;
    let applied = applied(&mut connection).await?;
    let known: BTreeMap<i64, &[u8]> = migrator.iter().map(|migration| (migration.version, &*migration.checksum)).collect();
    facts.missing = known.keys().copied().filter(|version| !applied.contains_key(version)).collect();
    facts.unknown = applied.keys().copied().filter(|version| !known.contains_key(version)).collect();
    let is_changed = |(version, checksum): &(i64, &[u8])| applied.get(version).is_some_and(|applied| applied != checksum);
    facts.changed = known.into_iter().filter(is_changed).map(|(version, _)| version).collect();
    if facts.missing.is_empty() && facts.unknown.is_empty() && facts.changed.is_empty() {
        facts.contents = Some(contents(&mut connection, kept).await?);
    }
    connection.close().await?;
    Ok(facts)
}

async fn clock_ahead(connection: &mut PgConnection) -> Result<TimeDelta, sqlx::Error> {
    let before = SystemClock.now();
    let there: DateTime<Utc> = sqlx::query_scalar("select clock_timestamp()").fetch_one(connection).await?;
    let way = (SystemClock.now() - before) / 2;
    Ok(there - (before + way))
}

async fn roles(connection: &mut PgConnection) -> Result<Vec<RoleFacts>, sqlx::Error> {
    sqlx::query_as(
        r"select name, r.oid is not null as exists, coalesce(r.rolsuper or r.rolbypassrls, false) as is_strong,
                 exists (select from pg_class c
                          where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relowner = r.oid) as owns
            from unnest($1::text[]) name left join pg_roles r on r.rolname = name",
    )
    .bind(ROLES.to_vec())
    .fetch_all(connection)
    .await
}

async fn untaken(connection: &mut PgConnection) -> Result<Vec<(String, String)>, sqlx::Error> {
    sqlx::query_as(
        r"select l.rolname::text, r.rolname::text
            from (values ('rmb_app', 'rmb_operator'), ('rmb_system', 'rmb_eraser')) needed (login, role)
            join pg_roles l on l.rolname = needed.login
            join pg_roles r on r.rolname = needed.role
           where not pg_has_role(l.oid, r.oid, 'set')",
    )
    .fetch_all(connection)
    .await
}

/// The applied migrations with their checksums; none in a new database.
async fn applied(connection: &mut PgConnection) -> Result<BTreeMap<i64, Vec<u8>>, sqlx::Error> {
    let applied: Result<Vec<(i64, Vec<u8>)>, _> =
        sqlx::query_as("select version, checksum from _sqlx_migrations where success").fetch_all(connection).await;
    match applied {
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some("42P01") => Ok(BTreeMap::new()),
        applied => Ok(applied?.into_iter().collect()),
    }
}

/// Begins a statement with `owned`, the tables with a tenant.
macro_rules! owned {
    ($statement:literal) => {
        concat!(
            r"with owned as (
                select c.oid, c.relname::text as name, c.relrowsecurity
                  from pg_class c
                 where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
                   and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped)) ",
            $statement
        )
    };
}

async fn contents(connection: &mut PgConnection, kept: Option<&[String]>) -> Result<Contents, sqlx::Error> {
    Ok(Contents {
        tables: sqlx::query_scalar(owned!("select count(*) from owned")).fetch_one(&mut *connection).await?,
        exposed: names(connection, EXPOSED).await?,
        closed: names(connection, CLOSED).await?,
        invalid_indexes: names(connection, INVALID).await?,
        stale_vectors: match kept {
            Some(kept) => stale_vectors(connection, kept).await?,
            None => Vec::new(),
        },
        outbox: outbox(connection).await?,
        events: events(connection).await?,
    })
}

const EXPOSED: &str =
    owned!("select name from owned where not relrowsecurity or not exists (select from pg_policy where polrelid = owned.oid) order by 1");

// `migrate` gives rmb_eraser its rights to nearly every table by itself, so they say nothing about the others. Only people and erasures
// need erased_sources, and only they read the words of expectations.
const CLOSED: &str = owned!(
    r"select name
        from (select owned.oid, name, bool_or(may) as any_may, bool_or(not may and has_policy) as is_shut
                from owned
               cross join pg_roles r
               cross join lateral (
                   select has_table_privilege(r.oid, owned.oid, 'select, insert, update, delete')
                              or has_any_column_privilege(r.oid, owned.oid, 'select, insert, update') as may,
                          r.rolname <> 'rmb_system'
                              and exists (select from pg_policy p where p.polrelid = owned.oid and r.oid = any(p.polroles))
                              and (owned.name, r.rolname) not in (('erased_sources', 'rmb_app'), ('expectations', 'rmb_app'),
                                                                  ('expectation_results', 'rmb_app')) as has_policy) a
               where r.rolname in ('rmb_app', 'rmb_operator', 'rmb_system')
               group by 1, 2) rights
       where is_shut or not any_may
       order by 1"
);

const INVALID: &str = r"select i.indexrelid::regclass::text from pg_index i join pg_class c on c.oid = i.indrelid
                         where c.relnamespace = 'public'::regnamespace and not (i.indisvalid and i.indisready) order by 1";

async fn names(connection: &mut PgConnection, question: &'static str) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar(question).fetch_all(connection).await
}

/// Models that are not kept, with the number of their vectors in all tables of vectors.
async fn stale_vectors(connection: &mut PgConnection, kept: &[String]) -> Result<Vec<(String, i64)>, sqlx::Error> {
    let tables: Vec<String> = sqlx::query_scalar(
        r"select c.relname::text from pg_class c
           where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname like '%embeddings%'
             and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'model')
           order by 1",
    )
    .fetch_all(&mut *connection)
    .await?;
    if tables.is_empty() {
        return Ok(Vec::new());
    }
    // The names are those of the catalogue.
    let rows =
        tables.iter().map(|table| format!("select model from {table} where model <> all($1)")).collect::<Vec<_>>().join(" union all ");
    let counted = format!("select model, count(*) from ({rows}) stale group by model order by model");
    sqlx::query_as(AssertSqlSafe(counted)).bind(kept.to_vec()).fetch_all(connection).await
}

/// Whether a database has a table.
async fn has(connection: &mut PgConnection, table: &str) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar("select to_regclass('public.' || $1) is not null").bind(table).fetch_one(connection).await
}

async fn outbox(connection: &mut PgConnection) -> Result<Option<Outbox>, sqlx::Error> {
    if !has(connection, "outbox").await? {
        return Ok(None);
    }
    let lag = r"select count(*) filter (where error is null) as waiting, min(created_at) filter (where error is null) as oldest,
                       count(*) filter (where error is not null) as set_aside
                  from outbox where delivered_at is null";
    sqlx::query_as(lag).fetch_one(connection).await.map(Some)
}

async fn events(connection: &mut PgConnection) -> Result<Option<Events>, sqlx::Error> {
    if !has(connection, "events").await? {
        return Ok(None);
    }
    let work = r"select count(*) filter (where state <> 'dead') as open, min(created_at) filter (where state <> 'dead') as oldest,
                        least(min(run_after) filter (where state in ('pending', 'failed') and run_after <= now()),
                              min(leased_until) filter (where state = 'running' and leased_until < now())) as due,
                        count(*) filter (where state = 'dead') as dead
                   from events where state in ('pending', 'running', 'failed', 'dead') and kind <> 'observation'";
    sqlx::query_as(work).fetch_one(connection).await.map(Some)
}

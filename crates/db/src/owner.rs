//! What a login must have and may do that owns the databases: asked before the first statement that changes something, so that a start
//! that cannot succeed changes nothing and says what is missing.

use super::link::ANSWER;
use super::migrate::{ROLES, connect};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{Connection, Row};
use tokio::time::timeout;

/// The oldest version that works: a role that is taken and not inherited came with it.
pub(super) const VERSION_MIN: u32 = 160_000;

/// What is wrong with a place where each transaction has another session, and what to do.
pub(super) const NO_SESSION: &str = "it gives each transaction another session, as PgBouncer does with pool_mode = transaction: let this URL \
                                     lead to Postgres itself, or to a pool with pool_mode = session (APP_DATABASE_URL and \
                                     SYSTEM_DATABASE_URL may lead to the other pool)";

/// The rights of a login in one database.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub(super) struct Owner {
    name: String,
    is_super: bool,
    may_create_roles: bool,
    /// The schema of the tables, if it may create none there.
    shut_schema: Option<String>,
    /// Roles of the server that do not exist.
    absent: Vec<String>,
    /// Roles of the server that it may neither take nor grant.
    closed: Vec<String>,
    /// Whether the database has the extension vector.
    has_vector: bool,
    /// Whether an owner may create it; absent if Postgres does not have it.
    vector_is_trusted: Option<bool>,
}

impl Owner {
    async fn of(connection: &mut PgConnection) -> Result<Self, sqlx::Error> {
        sqlx::query_as(
            r"select current_user::text as name, u.rolsuper as is_super, u.rolcreaterole as may_create_roles,
                     (select 'public'::text where not has_schema_privilege(current_user, 'public', 'create')) as shut_schema,
                     array(select name from unnest($1::text[]) name where not exists (select from pg_roles where rolname = name)) as absent,
                     array(select rolname::text from pg_roles
                            where rolname = any($1) and not u.rolsuper
                              and not pg_has_role(oid, 'set') and not pg_has_role(oid, 'member with admin option') order by 1) as closed,
                     exists (select from pg_extension where extname = 'vector') as has_vector,
                     (select bool_or(trusted) from pg_available_extension_versions where name = 'vector') as vector_is_trusted
                from pg_roles u where u.rolname = current_user",
        )
        .bind(ROLES.to_vec())
        .fetch_one(connection)
        .await
    }

    /// What it lacks for the migrations of a database, and what to do.
    fn lacks(&self, database: &str, needs_vector: bool) -> Option<String> {
        let name = &self.name;
        if !self.absent.is_empty() && !self.is_super && !self.may_create_roles {
            let roles = self.absent.join(", ");
            return Some(format!("the user {name} may not create the roles {roles}: run 'alter role {name} createrole' as a superuser"));
        }
        if !self.closed.is_empty() {
            let roles = self.closed.join(", ");
            return Some(format!(
                "another user made the roles {roles}: run 'grant {roles} to {name} with admin option' as a superuser, or as that user"
            ));
        }
        if let Some(schema) = &self.shut_schema {
            return Some(format!(
                "the user {name} may not create tables: run 'grant create on schema {schema} to {name} with grant option' in the database \
                 {database} as a superuser, or as the owner of that schema"
            ));
        }
        match self.vector_is_trusted {
            _ if self.has_vector || !needs_vector => None,
            None => Some("it has no pgvector: install the package of your system, as postgresql-18-pgvector".into()),
            Some(trusted) if trusted || self.is_super => None,
            Some(_) => Some(format!(
                "the user {name} may not create the extension vector: run 'create extension vector' in the database {database} as a \
                 superuser, or in template1 for new and temporary databases"
            )),
        }
    }
}

/// Why the databases cannot be migrated over a connection, and what to do.
pub(super) async fn objection(
    connection: &mut PgConnection,
    options: &PgConnectOptions,
    needs_vector: bool,
) -> Result<Option<String>, sqlx::Error> {
    if !is_one_session(connection, options).await? {
        return Ok(Some(NO_SESSION.into()));
    }
    if let Some(version) = connection.server_version_num().filter(|version| *version < VERSION_MIN) {
        return Ok(Some(format!("it has version {}: upgrade it to {} or newer", version / 10_000, VERSION_MIN / 10_000)));
    }
    Ok(Owner::of(connection).await?.lacks(options.get_database().unwrap_or_default(), needs_vector))
}

/// Why a database cannot be created over a connection to the maintenance database, which `options` lead to, and what to do.
pub(super) async fn objection_to_new(
    connection: &mut PgConnection,
    options: &PgConnectOptions,
    database: &str,
) -> Result<Option<String>, sqlx::Error> {
    if !is_one_session(connection, options).await? {
        return Ok(Some(NO_SESSION.into()));
    }
    let rights = "select current_user::text, rolsuper or rolcreatedb from pg_roles where rolname = current_user";
    let (name, may): (String, bool) = sqlx::query_as(rights).fetch_one(connection).await?;
    Ok((!may).then(|| {
        format!("the user {name} may not create the database {database}: run 'create database {database} owner {name}' as a superuser")
    }))
}

/// Whether a connection is one session until it ends. A pooler that gives each transaction another one forgets a setting or, if nobody else
/// is there, lends the same session to two connections. Statements without preparation, which such a pooler may refuse.
pub(super) async fn is_one_session(connection: &mut PgConnection, options: &PgConnectOptions) -> Result<bool, sqlx::Error> {
    let session = ask(connection, "select set_config('rmb.session', pg_backend_pid()::text, false) as answer").await?;
    let mut other = connect(options).await?;
    let others = ask(&mut other, "select pg_backend_pid()::text as answer").await?;
    other.close().await?;
    let now = "select concat_ws(' ', pg_backend_pid(), current_setting('rmb.session', true)) as answer";
    Ok(others != session && ask(connection, now).await? == format!("{session} {session}"))
}

async fn ask(connection: &mut PgConnection, question: &'static str) -> Result<String, sqlx::Error> {
    let row = timeout(ANSWER, sqlx::raw_sql(question).fetch_one(connection)).await;
    row.map_err(|_| sqlx::Error::PoolTimedOut)??.try_get("answer")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner() -> Owner {
        Owner {
            name: "vera".into(),
            is_super: false,
            may_create_roles: true,
            shut_schema: None,
            absent: vec!["rmb_app".into(), "rmb_system".into()],
            closed: vec![],
            has_vector: true,
            vector_is_trusted: Some(false),
        }
    }

    #[test]
    fn an_owner_who_may_do_too_little_is_told_the_statement_that_helps() {
        let lacks = |owner: Owner| owner.lacks("acme_shared_kb", true).unwrap_or_default();
        assert_eq!(lacks(owner()), "");
        assert!(lacks(Owner { may_create_roles: false, ..owner() }).contains("rmb_app, rmb_system: run 'alter role vera createrole'"));
        let closed = Owner { absent: vec![], closed: vec!["rmb_app".into()], ..owner() };
        assert!(lacks(closed).contains("run 'grant rmb_app to vera with admin option'"));
        let shut = Owner { shut_schema: Some("public".into()), ..owner() };
        assert!(lacks(shut).contains("run 'grant create on schema public to vera with grant option' in the database acme_shared_kb"));
        let bare = Owner { has_vector: false, ..owner() };
        assert!(lacks(bare.clone()).contains("run 'create extension vector' in the database acme_shared_kb"));
        assert_eq!(bare.lacks("acme_internal_shared", false), None);
        assert_eq!(lacks(Owner { vector_is_trusted: Some(true), ..bare.clone() }), "");
        assert!(lacks(Owner { vector_is_trusted: None, ..bare.clone() }).contains("has no pgvector"));
        assert_eq!(lacks(Owner { is_super: true, may_create_roles: false, ..bare }), "");
    }
}

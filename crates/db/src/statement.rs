//! Statements: the constant text stays in one piece, and filters are appended.

use super::{DbError, Tx};
use sqlx::{Postgres, QueryBuilder};
use wire::TOTAL_MAX;

/// What a statement for [`count_rows`] selects.
pub const COUNTED: &str = "count(*) from (select 1";

/// Counts the rows of `select {COUNTED} from …`, but stops after [`TOTAL_MAX`] and one more. `order` is that of the list: in this order an
/// index leads to the rows. Without one Postgres may read the rows of other tenants first.
pub async fn count_rows(tx: &mut Tx, mut query: QueryBuilder<Postgres>, order: &str) -> Result<i64, DbError> {
    query.push(" order by ").push(order).push(" limit ").push_bind(TOTAL_MAX + 1).push(") counted");
    Ok(query.build_query_scalar().fetch_one(&mut **tx).await?)
}

/// Starts a statement: `text` with the values of its parameters `$1`, `$2`, … in their order. Variable parts are pushed after it, with
/// parameters of their own; they may use the numbers of the first ones, too. For functions that return [`DbError`](super::DbError).
#[macro_export]
macro_rules! statement {
    ($text:expr, $($value:expr),+ $(,)?) => {{
        let mut arguments = sqlx::postgres::PgArguments::default();
        $(sqlx::Arguments::add(&mut arguments, $value).map_err(sqlx::Error::Encode)?;)+
        sqlx::QueryBuilder::<sqlx::Postgres>::with_arguments($text, arguments)
    }};
}

/// Inserts one row: `insert into …`, each column beside its value, and what comes after them.
#[macro_export]
macro_rules! insert {
    ($into:literal { $($column:ident: $value:expr),+ $(,)? } $end:literal) => {{
        let names = concat!($into, " (" $(, stringify!($column), ", ")+);
        let mut query = sqlx::QueryBuilder::<sqlx::Postgres>::new(names.trim_end_matches(", "));
        let mut values = query.push(") values (").separated(", ");
        $(values.push_bind($value);)+
        query.push(concat!(") ", $end));
        query
    }};
}

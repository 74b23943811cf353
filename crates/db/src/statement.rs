//! Statements: the constant text stays in one piece, and filters are appended.

use super::{DbError, SystemPool, Tx};
use sqlx::postgres::PgRow;
use sqlx::{Decode, FromRow, Postgres, QueryBuilder, Type};
use tracing::{Instrument, Span};
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
/// parameters of their own; they may use the numbers of the first ones, too. Only constants may be formatted into a text. For functions that return [`DbError`](super::DbError).
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

/// Updates rows: `update … set` with what is computed, each further column beside its value, columns that keep what they have where the
/// value is null, and the conditions. The first text ends where a column may follow: with `set ` or a comma. It and the conditions use the
/// values in brackets: `$1`, `$2`, … Those and the values must agree, as in [`sql!`](crate::sql).
#[macro_export]
macro_rules! update {
    (
        $update:expr, { $($column:ident: $value:expr),+ $(,)? } keep { $($kept:ident: $new:expr),* $(,)? }
        [$($key:expr),+ $(,)?] $($end:expr),+
    ) => {{
        const USED: &str = concat!($update, $($end),+);
        const { assert!($crate::has_parameters(USED, [$(stringify!($key)),+].len()), "the text has other parameters than values") };
        let mut query = $crate::statement!($update, $($key),+);
        let mut columns = query.separated(", ");
        $(columns.push(concat!(stringify!($column), " = ")).push_bind_unseparated($value);)+
        $(
            columns.push(concat!(stringify!($kept), " = coalesce(")).push_bind_unseparated($new);
            columns.push_unseparated(concat!(", ", stringify!($kept), ")"));
        )*
        query.push(concat!(" ", $($end),+));
        query
    }};
}

/// A whole statement: the values of its parameters `$1`, `$2`, … in their order, and its text, in one part or in several. A parameter
/// without a value, or a value without a parameter, does not compile. For functions that return [`DbError`](super::DbError).
#[macro_export]
macro_rules! sql {
    ([], $($text:expr),+ $(,)?) => {
        sqlx::QueryBuilder::<sqlx::Postgres>::new(concat!($($text),+))
    };
    ([$($value:expr),+ $(,)?], $($text:expr),+ $(,)?) => {{
        const TEXT: &str = concat!($($text),+);
        const { assert!($crate::has_parameters(TEXT, [$(stringify!($value)),+].len()), "the text has other parameters than values") };
        $crate::statement!(TEXT, $($value),+)
    }};
}

/// Whether a statement's parameters are `$1` to `$n`, each of them once or more.
pub const fn has_parameters(text: &str, n: usize) -> bool {
    let (text, mut at, mut seen) = (text.as_bytes(), 0, 0_u64);
    while at < text.len() {
        let is_parameter = text[at] == b'$';
        at += 1;
        let mut number = 0;
        while is_parameter && at < text.len() && text[at].is_ascii_digit() {
            number = number * 10 + (text[at] - b'0') as u32;
            at += 1;
        }
        if number > 0 {
            seen |= 1 << (number - 1);
        }
    }
    seen == (1 << n) - 1
}

/// The span of a statement: its text, which never holds a value. What nobody asked for, such as a look for jobs, makes no trace.
fn span(query: &QueryBuilder<Postgres>) -> Span {
    if Span::current().is_none() {
        return Span::none();
    }
    let text = query.sql();
    tracing::debug_span!("sql", db.system.name = "postgresql", db.query.text = text.as_str())
}

/// What runs whole statements: a transaction, or the pool whose statements are transactions of their own.
macro_rules! runs_statements {
    ($type:ty, ($($receiver:tt)+), $executor:expr) => {
        impl $type {
            /// The rows that a statement returns.
            pub async fn rows<T>($($receiver)+, mut query: QueryBuilder<Postgres>) -> Result<Vec<T>, DbError>
            where
                T: for<'r> FromRow<'r, PgRow> + Send + Unpin,
            {
                let span = span(&query);
                Ok(query.build_query_as().fetch_all($executor).instrument(span).await?)
            }

            /// The one row that a statement returns.
            pub async fn row<T>($($receiver)+, mut query: QueryBuilder<Postgres>) -> Result<T, DbError>
            where
                T: for<'r> FromRow<'r, PgRow> + Send + Unpin,
            {
                let span = span(&query);
                Ok(query.build_query_as().fetch_one($executor).instrument(span).await?)
            }

            /// The row that a statement returns, if it returns one.
            pub async fn row_if_any<T>($($receiver)+, mut query: QueryBuilder<Postgres>) -> Result<Option<T>, DbError>
            where
                T: for<'r> FromRow<'r, PgRow> + Send + Unpin,
            {
                let span = span(&query);
                Ok(query.build_query_as().fetch_optional($executor).instrument(span).await?)
            }

            /// The first column of the rows that a statement returns.
            pub async fn values<T>($($receiver)+, mut query: QueryBuilder<Postgres>) -> Result<Vec<T>, DbError>
            where
                T: for<'r> Decode<'r, Postgres> + Type<Postgres> + Send + Unpin,
            {
                let span = span(&query);
                Ok(query.build_query_scalar().fetch_all($executor).instrument(span).await?)
            }

            /// The first column of the one row that a statement returns.
            pub async fn value<T>($($receiver)+, mut query: QueryBuilder<Postgres>) -> Result<T, DbError>
            where
                T: for<'r> Decode<'r, Postgres> + Type<Postgres> + Send + Unpin,
            {
                let span = span(&query);
                Ok(query.build_query_scalar().fetch_one($executor).instrument(span).await?)
            }

            /// The first column of the row that a statement returns, if it returns one.
            pub async fn value_if_any<T>($($receiver)+, mut query: QueryBuilder<Postgres>) -> Result<Option<T>, DbError>
            where
                T: for<'r> Decode<'r, Postgres> + Type<Postgres> + Send + Unpin,
            {
                let span = span(&query);
                Ok(query.build_query_scalar().fetch_optional($executor).instrument(span).await?)
            }

            /// Runs a statement.
            pub async fn run($($receiver)+, mut query: QueryBuilder<Postgres>) -> Result<(), DbError> {
                let span = span(&query);
                query.build().execute($executor).instrument(span).await?;
                Ok(())
            }

            /// Runs a statement; how many rows it inserted, changed, deleted or returned.
            pub async fn changed($($receiver)+, mut query: QueryBuilder<Postgres>) -> Result<u64, DbError> {
                let span = span(&query);
                Ok(query.build().execute($executor).instrument(span).await?.rows_affected())
            }

            /// Runs a statement; whether it inserted, changed, deleted or returned any row.
            pub async fn changed_any($($receiver)+, mut query: QueryBuilder<Postgres>) -> Result<bool, DbError> {
                let span = span(&query);
                Ok(query.build().execute($executor).instrument(span).await?.rows_affected() > 0)
            }
        }
    };
}

runs_statements!(Tx, (&mut self), &mut **self);
runs_statements!(SystemPool, (&self), self);

#[cfg(test)]
mod tests {
    use super::has_parameters;

    #[test]
    fn every_parameter_has_a_value_and_every_value_a_parameter() {
        assert!(has_parameters("select 1", 0));
        assert!(has_parameters("select $2, $1, $2 from t where '$' <> $10 and $3 + $4 + $5 + $6 + $7 + $8 + $9 > 0", 10));
        assert!(!has_parameters("select $1", 0));
        assert!(!has_parameters("select $1, $3", 3));
        assert!(!has_parameters("select $1", 2));
    }
}

//! Keyset cursors: opaque to callers, a time and an id to us.

use chrono::{DateTime, Utc};
use sqlx::{Postgres, QueryBuilder};
use uuid::Uuid;
use wire::FieldError;

/// What a list is ordered by before ids decide.
pub trait Key: Sized {
    /// A text without `-` at its end.
    fn write(&self) -> String;
    /// What [`Key::write`] wrote.
    fn read(text: &str) -> Option<Self>;
}

impl Key for DateTime<Utc> {
    fn write(&self) -> String {
        format!("{:x}", self.timestamp_micros())
    }

    fn read(text: &str) -> Option<Self> {
        DateTime::from_timestamp_micros(i64::from_str_radix(text, 16).ok()?)
    }
}

impl Key for i64 {
    fn write(&self) -> String {
        self.to_string()
    }

    fn read(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

impl Key for String {
    fn write(&self) -> String {
        hex::encode(self)
    }

    fn read(text: &str) -> Option<Self> {
        Self::from_utf8(hex::decode(text).ok()?).ok().filter(|text| !text.contains('\0'))
    }
}

/// A place in a list ordered by (key, id); most lists are ordered by time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor<K = DateTime<Utc>> {
    pub key: K,
    pub id: Uuid,
}

impl<K: Key> Cursor<K> {
    /// The opaque text.
    pub fn encode(&self) -> String {
        format!("{}-{}", self.key.write(), self.id.simple())
    }

    /// Reads what [`Cursor::encode`] wrote.
    ///
    /// # Errors
    /// An error that names `field`.
    pub fn decode(field: &str, text: &str) -> Result<Self, FieldError> {
        let read = || {
            let (key, id) = text.rsplit_once('-')?;
            Some(Self { key: K::read(key)?, id: Uuid::try_parse(id).ok()? })
        };
        read().ok_or_else(|| FieldError::new(field, "is not a cursor of this server"))
    }
}

/// Which way to read from a cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seek<K = DateTime<Utc>> {
    First,
    After(Cursor<K>),
    Before(Cursor<K>),
}

impl<K: Key> Seek<K> {
    /// From the two parameters of a page request.
    ///
    /// # Errors
    /// An error that names the parameter, for a foreign cursor or when both are given.
    pub fn from_parameters(after: Option<&str>, before: Option<&str>) -> Result<Self, FieldError> {
        match (after, before) {
            (None, None) => Ok(Self::First),
            (Some(after), None) => Ok(Self::After(Cursor::decode("after", after)?)),
            (None, Some(before)) => Ok(Self::Before(Cursor::decode("before", before)?)),
            (Some(_), Some(_)) => Err(FieldError::new("before", "cannot be combined with after")),
        }
    }

    /// Narrows a list to what lies beyond the cursor, orders it and takes one row more than a page. `key` and `id` are columns; `falling`
    /// is whether the list shows the greatest first.
    pub fn push(&self, query: &mut QueryBuilder<Postgres>, key: &str, id: &str, falling: bool, size: usize)
    where
        K: Clone + for<'q> sqlx::Encode<'q, Postgres> + sqlx::Type<Postgres> + 'static,
    {
        let falling = falling != matches!(self, Self::Before(_));
        if let Self::After(cursor) | Self::Before(cursor) = self {
            query.push(format!(" and ({key}, {id}) {} (", if falling { "<" } else { ">" }));
            query.push_bind(cursor.key.clone()).push(", ").push_bind(cursor.id).push(")");
        }
        let order = if falling { "desc" } else { "asc" };
        query
            .push(format!(" order by {key} {order}, {id} {order} limit "))
            .push_bind(i64::try_from(size).unwrap_or(i64::MAX).saturating_add(1));
    }

    /// Cuts `rows`, read with one row more than `size` and in reading order, into a page in display order.
    pub fn page<T>(self, mut rows: Vec<T>, size: usize, total: i64, cursor: impl Fn(&T) -> Cursor<K>) -> wire::Page<T> {
        let more = rows.len() > size;
        rows.truncate(size);
        let backwards = matches!(self, Self::Before(_));
        if backwards {
            rows.reverse();
        }
        let (has_next, has_previous) = match self {
            Self::First => (more, false),
            Self::After(_) => (more, true),
            Self::Before(_) => (true, more),
        };
        let next = rows.last().filter(|_| has_next).map(|row| cursor(row).encode());
        let previous = rows.first().filter(|_| has_previous).map(|row| cursor(row).encode());
        wire::Page { rows, next, previous, total }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_survives_the_trip_and_a_forged_one_is_named() {
        let cursor = Cursor { key: DateTime::from_timestamp_micros(1_777_777_777_123_456).unwrap(), id: Uuid::from_u128(7) };
        assert_eq!(Cursor::decode("after", &cursor.encode()).unwrap(), cursor);
        for bad in ["", "-", "zz-00000000000000000000000000000007", "1-2", "'; drop table"] {
            assert_eq!(Cursor::<DateTime<Utc>>::decode("after", bad).unwrap_err().field, "after");
        }
    }

    #[test]
    fn pages_know_whether_there_is_more_on_either_side() {
        let cursor = |n: &i64| Cursor { key: DateTime::from_timestamp_micros(*n).unwrap(), id: Uuid::nil() };
        let here = cursor(&5);
        let first = Seek::First.page(vec![9, 8, 7], 2, 5, cursor);
        assert_eq!((first.rows, first.next.is_some(), first.previous.is_some()), (vec![9, 8], true, false));
        let last = Seek::After(here.clone()).page(vec![4, 3], 2, 5, cursor);
        assert_eq!((last.rows, last.next.is_some(), last.previous.is_some()), (vec![4, 3], false, true));
        let back = Seek::Before(here).page(vec![6, 7, 8], 2, 5, cursor);
        assert_eq!((back.rows, back.next.is_some(), back.previous.is_some()), (vec![7, 6], true, true));
    }
}

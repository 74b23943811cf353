//! Keyset cursors: opaque to callers, a time and an id to us.

use crate::error::Error;
use chrono::{DateTime, Utc};
use uuid::Uuid;

/// A place in a list ordered by (time, id), newest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub at: DateTime<Utc>,
    pub id: Uuid,
}

impl Cursor {
    /// The opaque text.
    pub fn encode(self) -> String {
        format!("{:x}-{}", self.at.timestamp_micros(), self.id.simple())
    }

    /// Reads what [`Cursor::encode`] wrote.
    ///
    /// # Errors
    /// `Invalid`, naming `field`.
    pub fn decode(field: &str, text: &str) -> Result<Self, Error> {
        let read = || {
            let (at, id) = text.split_once('-')?;
            let at = DateTime::from_timestamp_micros(i64::from_str_radix(at, 16).ok()?)?;
            Some(Self { at, id: Uuid::try_parse(id).ok()? })
        };
        read().ok_or_else(|| Error::invalid(field, "is not a cursor that this server gave"))
    }
}

/// Which way to read from a cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seek {
    First,
    After(Cursor),
    Before(Cursor),
}

impl Seek {
    /// From the two parameters of a page request.
    ///
    /// # Errors
    /// `Invalid` for a foreign cursor, or when both are given.
    pub fn from_parameters(after: Option<&str>, before: Option<&str>) -> Result<Self, Error> {
        match (after, before) {
            (None, None) => Ok(Self::First),
            (Some(after), None) => Ok(Self::After(Cursor::decode("after", after)?)),
            (None, Some(before)) => Ok(Self::Before(Cursor::decode("before", before)?)),
            (Some(_), Some(_)) => Err(Error::invalid("before", "cannot stand beside after")),
        }
    }

    /// Cuts `rows`, read with one row more than `size` and in reading order, into a page in display order.
    pub fn page<T>(self, mut rows: Vec<T>, size: usize, total: i64, cursor: impl Fn(&T) -> Cursor) -> crate::api::Page<T> {
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
        crate::api::Page { rows, next, previous, total }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_survives_the_trip_and_a_forged_one_is_named() {
        let cursor = Cursor { at: DateTime::from_timestamp_micros(1_777_777_777_123_456).unwrap(), id: Uuid::from_u128(7) };
        assert_eq!(Cursor::decode("after", &cursor.encode()).unwrap(), cursor);
        for bad in ["", "-", "zz-00000000000000000000000000000007", "1-2", "'; drop table"] {
            assert_eq!(Cursor::decode("after", bad).unwrap_err().fields()[0].field, "after");
        }
    }

    #[test]
    fn pages_know_whether_there_is_more_on_either_side() {
        let cursor = |n: &i64| Cursor { at: DateTime::from_timestamp_micros(*n).unwrap(), id: Uuid::nil() };
        let here = cursor(&5);
        let first = Seek::First.page(vec![9, 8, 7], 2, 5, cursor);
        assert_eq!((first.rows, first.next.is_some(), first.previous.is_some()), (vec![9, 8], true, false));
        let last = Seek::After(here).page(vec![4, 3], 2, 5, cursor);
        assert_eq!((last.rows, last.next.is_some(), last.previous.is_some()), (vec![4, 3], false, true));
        let back = Seek::Before(here).page(vec![6, 7, 8], 2, 5, cursor);
        assert_eq!((back.rows, back.next.is_some(), back.previous.is_some()), (vec![7, 6], true, true));
    }
}

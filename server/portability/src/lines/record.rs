//! What every type of lines says about itself.

use super::{Line, Section};
use crate::values::Stamp;
use foundation::Checks;
use serde::de::value::Error;
use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde::{Serialize, forward_to_deserialize_any};
use serde_json::Value;
use sqlx::Postgres;
use sqlx::query_builder::Separated;
use wire::{AgentId, UserId};

/// Whose a record is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Owner {
    /// The organisation's.
    Organisation,
    /// An agent's. A record of a memory follows the memory to its user.
    Agent(AgentId),
    /// An agent's, and a user's unless it has none; with the time at which it was written, if it does not change.
    User(AgentId, Option<UserId>, Option<Stamp>),
}

impl Owner {
    /// The agent, if it is one's.
    pub fn agent(self) -> Option<AgentId> {
        match self {
            Self::Organisation => None,
            Self::Agent(agent) | Self::User(agent, ..) => Some(agent),
        }
    }

    /// The user, if it is one's.
    pub fn user(self) -> Option<UserId> {
        match self {
            Self::Organisation | Self::Agent(_) => None,
            Self::User(_, user, _) => user,
        }
    }

    /// When it was written, if that is known.
    pub fn written_at(self) -> Option<Stamp> {
        match self {
            Self::Organisation | Self::Agent(_) => None,
            Self::User(_, _, at) => at,
        }
    }
}

/// A line that must come before another one: the kind of its key, and the key. The kind is a type of lines, `home` (a memory of the same
/// agent), `owned_memory` or `owned_source` (a memory or a source of the same agent and user).
pub type Need = (&'static str, String);

/// A type of lines. Nothing has a default: a new type must say whose its records are. Implement it with [`record`].
pub trait Record: Serialize + DeserializeOwned + 'static {
    /// Its place among the types.
    const SECTION: Section;
    /// The table of its records.
    const TABLE: &'static str;
    /// Whether rows of the table belong to users.
    const OF_USERS: bool;
    /// Columns that follow from a line and are not in it.
    const DERIVED: &'static [&'static str];
    /// What a file orders its lines by, in the rows `t` of the table.
    const ORDER: &'static [&'static str];

    /// The record of a line, if it has this type.
    fn of(line: &Line) -> Option<&Self>;

    /// Whose the record is.
    fn owner(&self) -> Owner;

    /// The key, which is unique among lines of its type.
    fn key(&self) -> String;

    /// Binds the values of [`Record::ORDER`].
    fn push_place(&self, values: &mut Separated<'_, Postgres, &'static str>);

    /// The lines that must come before it.
    fn needs(&self) -> Vec<Need>;

    /// Adds [`Record::DERIVED`] to its row.
    fn derive(&self, row: &mut Value);

    /// Makes an agent the author of what it imports. The author in the file is ignored: an agent speaks only for itself.
    fn sign(&mut self, id: AgentId, slug: &str);

    /// Notes values that no record may have.
    fn check(&self, checks: &mut Checks);
}

/// Everything of a [`Record`] except its check. No part can be left out.
macro_rules! record {
    (
        $section:ident in $table:literal, of_users: $of_users:literal, by: $by:tt, author: $author:tt, derived: $derived:tt,
        owner: |$owned:pat_param| $owner:expr, needs: |$needy:pat_param| $needs:expr $(,)?
    ) => {
        const SECTION: $crate::lines::Section = $crate::lines::Section::$section;
        const TABLE: &'static str = $table;
        const OF_USERS: bool = $of_users;

        fn of(line: &$crate::lines::Line) -> Option<&Self> {
            if let $crate::lines::Line::$section(record) = line { Some(record) } else { None }
        }

        fn owner(&self) -> $crate::lines::Owner {
            let $owned = self;
            $owner
        }

        fn needs(&self) -> Vec<$crate::lines::Need> {
            let $needy = self;
            $needs.into()
        }

        record!(@by $by);
        record!(@author $author);
        record!(@derived $derived);
    };
    (@by [$($column:ident),+]) => {
        const ORDER: &'static [&'static str] = &[$(concat!("t.", stringify!($column))),+];

        fn key(&self) -> String {
            [$(self.$column.to_string()),+].join("/")
        }

        fn push_place(&self, values: &mut sqlx::query_builder::Separated<'_, sqlx::Postgres, &'static str>) {
            $(values.push_bind(self.$column.clone());)+
        }
    };
    (@by { |$it:ident| $key:expr, $($sql:expr => $value:expr),+ }) => {
        const ORDER: &'static [&'static str] = &[$($sql),+];

        fn key(&self) -> String {
            let $it = self;
            $key
        }

        fn push_place(&self, values: &mut sqlx::query_builder::Separated<'_, sqlx::Postgres, &'static str>) {
            let $it = self;
            $(values.push_bind($value);)+
        }
    };
    (@author none) => {
        fn sign(&mut self, _: wire::AgentId, _: &str) {}
    };
    (@author [$column:ident]) => {
        fn sign(&mut self, _: wire::AgentId, slug: &str) {
            self.$column = slug.to_owned();
        }
    };
    (@author { |$it:ident, $id:ident, $slug:ident| $($column:ident = $value:expr),+ }) => {
        fn sign(&mut self, $id: wire::AgentId, $slug: &str) {
            let $it = self;
            $($it.$column = $value;)+
        }
    };
    (@derived none) => {
        const DERIVED: &'static [&'static str] = &[];

        fn derive(&self, _: &mut serde_json::Value) {}
    };
    (@derived { |$it:pat_param| $($column:ident = $value:expr),+ }) => {
        const DERIVED: &'static [&'static str] = &[$(stringify!($column)),+];

        fn derive(&self, row: &mut serde_json::Value) {
            let $it = self;
            $(row[stringify!($column)] = serde_json::Value::from($value);)+
        }
    };
}
pub(super) use record;

/// The names of a struct's fields, in their order.
pub fn fields<T: DeserializeOwned>() -> &'static [&'static str] {
    let mut fields = Fields(&[]);
    // Only the names are needed: nothing is read.
    drop(T::deserialize(&mut fields));
    fields.0
}

/// Keeps the names of the fields that a struct asks for.
struct Fields(&'static [&'static str]);

impl<'de> Deserializer<'de> for &mut Fields {
    type Error = Error;

    fn deserialize_struct<V: Visitor<'de>>(self, _: &'static str, names: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        self.0 = names;
        self.deserialize_any(visitor)
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("holds no value"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq tuple
        tuple_struct map enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::LinkLine;

    #[test]
    fn the_fields_of_a_line_are_its_columns() {
        assert_eq!(fields::<LinkLine>(), ["agent_id", "from_id", "to_id", "relation", "created_at", "created_by"]);
        assert!(Section::ALL.into_iter().all(|section| !section.columns().is_empty()));
    }
}

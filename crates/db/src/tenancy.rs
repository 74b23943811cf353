//! Whose rows a transaction sees.

use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArgumentBuffer, PgTypeInfo};
use sqlx::{Encode, Postgres, Type};
use uuid::Uuid;
use wire::{AgentId, TenantId, UserId};

/// Stands for every agent of a tenant. Transactions with it run in a role of their own.
pub const EVERY_AGENT: AgentId = AgentId(Uuid::max());

/// The settings that the policies of row-level security read; they travel with BEGIN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tenancy {
    pub tenant: TenantId,
    pub agent: AgentId,
    pub commons: AgentId,
    pub users: Users,
}

impl Tenancy {
    /// Whoever sees nothing.
    pub(super) fn nobody() -> Self {
        let agent = AgentId(Uuid::nil());
        Self { tenant: TenantId(Uuid::nil()), agent, commons: agent, users: Users::Nobody }
    }
}

/// Whose rows are in reach, among those that belong to a user. Rows without a user always are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Users {
    /// Every user's: for operators and workers.
    Every,
    /// One user's.
    One(UserId),
    /// Nobody's.
    Nobody,
}

impl Users {
    /// The user, if it is one.
    pub fn id(self) -> Option<UserId> {
        match self {
            Self::One(user) => Some(user),
            Self::Every | Self::Nobody => None,
        }
    }

    /// Whether a row that belongs to `owner` is in reach.
    pub fn include(self, owner: Option<UserId>) -> bool {
        match (self, owner) {
            (Self::Every, _) | (_, None) => true,
            (Self::One(user), Some(owner)) => user == owner,
            (Self::Nobody, Some(_)) => false,
        }
    }

    /// The parameter of [`of_user`]: the highest id for everybody's, null for nobody's.
    fn parameter(self) -> Option<Uuid> {
        match self {
            Self::Every => Some(Uuid::max()),
            Self::One(user) => Some(user.0),
            Self::Nobody => None,
        }
    }

    /// The value of `rmb.user`.
    pub(super) fn setting(self) -> String {
        self.parameter().map(|user| user.to_string()).unwrap_or_default()
    }
}

impl From<Option<UserId>> for Users {
    fn from(user: Option<UserId>) -> Self {
        user.map_or(Self::Nobody, Self::One)
    }
}

impl Type<Postgres> for Users {
    fn type_info() -> PgTypeInfo {
        <Uuid as Type<Postgres>>::type_info()
    }
}

impl Encode<'_, Postgres> for Users {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        <Option<Uuid> as Encode<'_, Postgres>>::encode_by_ref(&self.parameter(), buffer)
    }
}

/// The condition that rows of a table belong to users in reach: `of_user!("m", "$3")`, where the parameter is a [`Users`].
#[macro_export]
macro_rules! of_user {
    ($table:literal, $parameter:literal) => {
        concat!(
            "(",
            $table,
            ".user_id is null or ",
            $table,
            ".user_id = ",
            $parameter,
            " or ",
            $parameter,
            "::uuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff')"
        )
    };
}

/// The condition that rows of a table belong to one user, or to none: `same_user!("l", "$3")`, where the parameter is an optional user. Unlike
/// `is not distinct from`, it can be looked up in an index.
#[macro_export]
macro_rules! same_user {
    ($table:literal, $parameter:literal) => {
        concat!("(", $table, ".user_id = ", $parameter, " or ", $table, ".user_id is null and ", $parameter, "::uuid is null)")
    };
}

/// The condition that no legal hold keeps the rows of a table's user as they are: `not_held!("m")`.
#[macro_export]
macro_rules! not_held {
    ($table:literal) => {
        concat!(
            "not exists (select from legal_holds h where h.tenant_id = ",
            $table,
            ".tenant_id and h.user_id = ",
            $table,
            ".user_id and h.lifted_at is null)"
        )
    };
}

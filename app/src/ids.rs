use serde::{Deserialize, Serialize};
use std::{fmt::Display, str::FromStr};

/// Ids in one form field, separated by commas.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String", bound(serialize = "T: Clone + Display", deserialize = "T: FromStr, T::Err: Display"))]
pub struct Ids<T>(pub Vec<T>);

impl<T> Default for Ids<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: FromStr> TryFrom<String> for Ids<T> {
    type Error = T::Err;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.split(',').filter(|id| !id.is_empty()).map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}

impl<T: Display> From<Ids<T>> for String {
    fn from(Ids(ids): Ids<T>) -> Self {
        ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
    }
}

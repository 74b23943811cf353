use serde::{Deserialize, Serialize};
use std::{fmt::Display, str::FromStr};
use wire::MemoryId;

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

/// Memories with the versions that a page showed, in one form field: `id:version`, separated by commas.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Versions(pub Vec<(MemoryId, i32)>);

impl Versions {
    /// The version in which the page showed a memory.
    pub fn of(&self, id: MemoryId) -> Option<i32> {
        self.0.iter().find(|(shown, _)| *shown == id).map(|(_, version)| *version)
    }
}

impl TryFrom<String> for Versions {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let one = |one: &str| one.split_once(':').and_then(|(id, version)| Some((id.parse().ok()?, version.parse().ok()?)));
        let all = text.split(',').filter(|one| !one.is_empty()).map(one).collect::<Option<_>>();
        all.map(Self).ok_or_else(|| "is not a list of memories and versions".to_owned())
    }
}

impl From<Versions> for String {
    fn from(Versions(all): Versions) -> Self {
        all.iter().map(|(id, version)| format!("{id}:{version}")).collect::<Vec<_>>().join(",")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_pass_through_a_field() {
        let (one, two) = (MemoryId(uuid::Uuid::from_u128(1)), MemoryId(uuid::Uuid::from_u128(2)));
        let shown = Versions(vec![(one, 3), (two, 1)]);
        assert_eq!(Versions::try_from(String::from(shown.clone())), Ok(shown.clone()));
        assert_eq!((shown.of(two), shown.of(MemoryId(uuid::Uuid::from_u128(3)))), (Some(1), None));
        assert_eq!(Versions::try_from(String::new()), Ok(Versions::default()));
        assert!(Versions::try_from("tea:1".to_owned()).is_err() && Versions::try_from(one.to_string()).is_err());
    }
}

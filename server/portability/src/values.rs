//! The form of single values in a file, so that the same record is always the same line.

use chrono::{DateTime, Datelike, SecondsFormat, SubsecRound, Utc};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A time: RFC 3339 in UTC with six digits after the second, which is what the database keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, sqlx::Type)]
#[sqlx(transparent)]
pub struct Stamp(pub DateTime<Utc>);

impl Serialize for Stamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_rfc3339_opts(SecondsFormat::Micros, true))
    }
}

impl<'de> Deserialize<'de> for Stamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let time = DateTime::<Utc>::deserialize(deserializer)?;
        // Beyond these years Postgres and RFC 3339 do not agree.
        if !(1..=9999).contains(&time.year()) {
            return Err(D::Error::custom("must be a time in the years 1 to 9999"));
        }
        Ok(Self(time.trunc_subsecs(6)))
    }
}

/// A number from 0 to 1 that the database keeps in four bytes: written with as few digits as identify it.
#[derive(Clone, Copy, Debug, PartialEq, sqlx::Type)]
#[sqlx(transparent)]
pub struct Share(pub f32);

impl Serialize for Share {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let shortest = self.0.to_string().parse().unwrap_or_else(|_| f64::from(self.0));
        serializer.serialize_f64(shortest)
    }
}

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        if !(0.0..=1.0).contains(&number) {
            return Err(D::Error::custom("must be a number from 0 to 1"));
        }
        Ok(Self(number as f32))
    }
}

/// Bytes as Postgres reads them.
pub fn bytes(bytes: &[u8]) -> String {
    format!("\\x{}", hex::encode(bytes))
}

/// A SHA-256, as 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(transparent)]
pub struct Hash(pub Vec<u8>);

impl Hash {
    /// The text form.
    pub fn hex(&self) -> String {
        hex::encode(&self.0)
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.hex())
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        // One hash has one text: capital letters are refused.
        let hash = hex::decode(&text).ok().filter(|hash| hash.len() == 32).map(Self).filter(|hash| hash.hex() == text);
        hash.ok_or_else(|| D::Error::custom("must be a SHA-256 in 64 hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{from_str, to_string};

    #[test]
    fn times_have_six_digits_and_hashes_sixty_four() {
        let stamp: Stamp = from_str("\"2026-11-22T06:00:00.1234567+01:00\"").unwrap();
        assert_eq!(to_string(&stamp).unwrap(), "\"2026-11-22T05:00:00.123456Z\"");
        assert_eq!(to_string(&from_str::<Stamp>("\"2026-11-22T05:00:00Z\"").unwrap()).unwrap(), "\"2026-11-22T05:00:00.000000Z\"");
        assert!(from_str::<Stamp>("\"+12026-11-22T05:00:00Z\"").is_err());
        let hash = format!("\"{}\"", "0f".repeat(32));
        assert_eq!(to_string(&from_str::<Hash>(&hash).unwrap()).unwrap(), hash);
        for wrong in ["\"0f\"", "\"\"", "7", &format!("\"{}\"", "0F".repeat(32)), &format!("\"{}\"", "ü".repeat(32))] {
            assert!(from_str::<Hash>(wrong).is_err(), "{wrong}");
        }
        assert_eq!(to_string(&Share(0.7)).unwrap(), "0.7");
        assert!(from_str::<Share>("1.01").is_err() && from_str::<Share>("-0.1").is_err());
    }

    proptest! {
        #[test]
        fn a_share_reads_back_as_it_was(value in 0.0_f32..=1.0) {
            prop_assert_eq!(from_str::<Share>(&to_string(&Share(value)).unwrap()).unwrap().0.to_bits(), value.to_bits());
        }
    }
}

//! Money as a type of its own: sums are exact, and nothing else can be passed where dollars are meant.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Add, Sub};
use std::str::FromStr;

/// Micro-dollars of a billion dollars: up to here an `f64` of dollars has room for six exact decimals.
const READ_MAX: f64 = 1e15;

/// An amount of US dollars, in whole micro-dollars. Sums and differences are exact; one that is out of range becomes the last amount in it.
///
/// It is a number of dollars in JSON and as text, and a `bigint` of micro-dollars in the database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, sqlx::Type)]
#[sqlx(transparent)]
#[serde(try_from = "f64", into = "f64")]
pub struct Usd(i64);

impl Usd {
    /// No money.
    pub const ZERO: Self = Self(0);

    /// So many whole dollars.
    pub const fn from_dollars(dollars: i64) -> Self {
        Self(dollars.saturating_mul(1_000_000))
    }

    /// So many micro-dollars.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// The amount in micro-dollars.
    pub const fn as_micros(self) -> i64 {
        self.0
    }
}

impl Add for Usd {
    type Output = Self;
    fn add(self, more: Self) -> Self {
        Self(self.0.saturating_add(more.0))
    }
}

impl Sub for Usd {
    type Output = Self;
    fn sub(self, less: Self) -> Self {
        Self(self.0.saturating_sub(less.0))
    }
}

impl From<Usd> for f64 {
    fn from(amount: Usd) -> Self {
        amount.0 as f64 / 1e6
    }
}

impl TryFrom<f64> for Usd {
    type Error = &'static str;

    /// Rounds to six decimals. Refuses what is no number or beyond a billion dollars.
    fn try_from(dollars: f64) -> Result<Self, Self::Error> {
        let micros = (dollars * 1e6).round();
        if micros.abs() <= READ_MAX { Ok(Self(micros as i64)) } else { Err("must be an amount of at most a billion US dollars") }
    }
}

impl FromStr for Usd {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let dollars: f64 = text.parse().map_err(|_| "must be an amount of US dollars, such as 20 or 0.15")?;
        let amount = Self::try_from(dollars)?;
        if amount == Self::ZERO && dollars != 0.0 { Err("must be 0 or at least 0.000001 US dollars") } else { Ok(amount) }
    }
}

impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f64::from(*self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_and_written_as_dollars_with_six_exact_decimals() {
        for (text, micros) in [("0.1", 100_000), ("-5.50", -5_500_000), ("0.000001", 1), ("999999999.999999", 999_999_999_999_999)] {
            assert_eq!(text.parse::<Usd>(), Ok(Usd::from_micros(micros)), "{text}");
        }
        for micros in [0, 1, -1, 20_000, 171, 1_204_500_000, 999_999_999_999_999] {
            let amount = Usd::from_micros(micros);
            let json = serde_json::to_string(&amount).unwrap();
            assert_eq!(serde_json::from_str::<Usd>(&json).unwrap(), amount, "{json}");
            assert_eq!(amount.to_string().parse::<Usd>(), Ok(amount), "{amount}");
        }
        let json = [Usd::ZERO, Usd::from_micros(300_000), Usd::from_dollars(20)].map(|amount| serde_json::to_string(&amount).unwrap());
        assert_eq!(json, ["0.0", "0.3", "20.0"]);
        assert_eq!(
            (format!("{:.6}", Usd::from_micros(1)), format!("{:>10.4}", Usd::from_dollars(2))),
            ("0.000001".into(), "    2.0000".into())
        );
        assert_eq!([0.000_000_6, 0.000_000_4, -0.000_000_6].map(Usd::try_from), [1, 0, -1].map(|micros| Ok(Usd::from_micros(micros))));
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        for text in ["NaN", "inf", "-inf", "1e10", "-1e10", "1e400", "0.0000004", "a lot", ""] {
            assert!(text.parse::<Usd>().is_err(), "{text}");
        }
        assert!(serde_json::from_str::<Usd>("1e10").is_err());
    }

    #[test]
    fn sums_of_tiny_amounts_are_exact_and_huge_ones_stay_in_range() {
        let sum = (0..100_000).fold(Usd::ZERO, |sum, _| sum + Usd::from_micros(100_001));
        assert_eq!(sum.to_string(), "10000.1");
        assert_eq!(sum - Usd::from_dollars(10_000), Usd::from_micros(100_000));
        let most = Usd::from_micros(i64::MAX);
        assert_eq!((most + most, Usd::ZERO - most - most, Usd::from_dollars(i64::MAX)), (most, Usd::from_micros(i64::MIN), most));
    }
}

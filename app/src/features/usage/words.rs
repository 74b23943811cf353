use crate::ui::text;
use wire::{Exhausted, Usage, Usd};

/// Formats US dollars: `$1,204.50`, `$0.0042`, `-$5.00`; small amounts have more decimals.
pub fn dollars(amount: Usd) -> String {
    let sign = if amount < Usd::ZERO { "-" } else { "" };
    let decimals = match amount.as_micros().unsigned_abs() {
        0 | 1_000_000.. => 2,
        10_000.. => 4,
        _ => 6,
    };
    let fixed = format!("{:.decimals$}", f64::from(amount).abs());
    let (whole, fraction) = fixed.split_once('.').unwrap_or((&fixed, "00"));
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), text::number);
    // Zeros at the end say nothing after the cents.
    let fraction = fraction.trim_end_matches('0');
    format!("{sign}${whole}.{fraction:0<2}")
}

/// Calls and tokens: `12 calls, 3,400 tokens`.
pub fn calls(usage: Usage) -> String {
    format!("{}, {}", text::count(usage.calls, "call", "calls"), text::count(usage.tokens(), "token", "tokens"))
}

/// A purpose of calls, for people.
pub fn purpose(name: &str) -> &str {
    match name {
        "embedding" => "Embedding",
        "extraction" => "Extraction",
        "condensation" => "Condensation",
        "synthesis" => "Synthesis",
        "evaluation" => "Evaluation",
        other => other,
    }
}

/// What is left of an account that has nothing left.
pub fn exhausted(exhausted: Exhausted) -> String {
    match exhausted.renews {
        Some(day) => format!("Used up until {}", text::day(day)),
        None => "Used up".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_read_as_prices() {
        let shown = [0, 1_204_500_000, 123_450, 4_200, 2, -5_000_000].map(|micros| dollars(Usd::from_micros(micros)));
        assert_eq!(shown, ["$0.00", "$1,204.50", "$0.1235", "$0.0042", "$0.000002", "-$5.00"]);
    }
}

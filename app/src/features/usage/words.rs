use crate::ui::text;
use wire::{Exhausted, Usage};

/// Formats US dollars: `$1,204.50`, `$0.0042`, `-$5.00`; small amounts have more decimals.
pub fn dollars(amount: f64) -> String {
    let (sign, size) = (if amount < 0.0 { "-" } else { "" }, amount.abs());
    let decimals = match size {
        size if !(5e-7..1.0).contains(&size) => 2,
        size if size >= 0.01 => 4,
        _ => 6,
    };
    let fixed = format!("{size:.decimals$}");
    let (whole, fraction) = fixed.split_once('.').unwrap_or((&fixed, "00"));
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), text::number);
    let sign = if fixed.bytes().all(|byte| matches!(byte, b'0' | b'.')) { "" } else { sign };
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
        let shown = [0.0, 1204.5, 0.12345, 0.0042, 0.000_002, -5.0, -0.000_000_01].map(dollars);
        assert_eq!(shown, ["$0.00", "$1,204.50", "$0.1235", "$0.0042", "$0.000002", "-$5.00", "$0.00"]);
    }
}

/// Formats a value and the limit that it misses, with two decimals, or as many as tell them apart: `0.249`, `0.250`. Six at most.
pub fn missed(value: f64, limit: f64) -> [String; 2] {
    let with = |digits: usize| [value, limit].map(|number| format!("{number:.digits$}"));
    (2..6).map(with).find(|[value, limit]| value != limit).unwrap_or_else(|| with(6))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_never_looks_like_the_limit_that_it_misses() {
        assert_eq!(missed(0.1, 0.25), ["0.10", "0.25"]);
        assert_eq!(missed(0.2495, 0.25), ["0.249", "0.250"]);
        assert_eq!(missed(0.249_96, 0.25), ["0.24996", "0.25000"]);
        assert_eq!(missed(0.25, 0.25), ["0.250000", "0.250000"]);
    }
}

use crate::{
    form,
    query::Query,
    ui::{Parsed, parsed},
};
use wire::{FieldError, UsageFilter, UsageLimits, Usd, UserRef};

/// The filter of the address.
pub fn filter(query: &Query) -> Parsed<UsageFilter> {
    let date = "Write a date as 2026-05-31.";
    parsed(|errors| UsageFilter {
        from: query.read("from", date, errors),
        until: query.read("until", date, errors),
        agent: query.read("agent", "Choose one of the agents.", errors),
        model: query.owned("model"),
    })
}

/// Whose account it is, and the amount of a grant.
///
/// # Errors
/// Every field that cannot be read.
pub fn grant(user: &str, dollars: &str) -> Result<(Option<UserRef>, Usd), Vec<FieldError>> {
    let mut errors = Vec::new();
    let user = read(form::user("user", user), &mut errors);
    let amount = dollars.trim().parse().ok();
    if amount.is_none() {
        errors.push(FieldError::new("dollars", "Enter an amount in US dollars with at most six decimals, such as 20 or -5.50."));
    }
    amount.filter(|_| errors.is_empty()).map(|amount| (user, amount)).ok_or(errors)
}

/// Whose account it is, and its limits. An empty quota is no limit. `is_named`: it is a user's, who has to be named.
///
/// # Errors
/// Every field that cannot be read.
pub fn limits(
    (user, is_named): (&str, bool),
    month_dollars: &str,
    month_tokens: &str,
    needs_credit: bool,
) -> Result<(Option<UserRef>, UsageLimits), Vec<FieldError>> {
    let mut errors = Vec::new();
    let user = read(form::user("user", user), &mut errors);
    if is_named && user.is_none() && errors.is_empty() {
        errors.push(FieldError::new("user", "Enter a user’s name, reference or id."));
    }
    let amount = "Enter an amount in US dollars with at most six decimals, or leave the field empty.";
    let month_dollars = read(form::optional("month_dollars", month_dollars, amount), &mut errors);
    let number = "Enter a whole number, or leave the field empty.";
    let month_tokens = read(form::optional("month_tokens", month_tokens, number), &mut errors);
    if errors.is_empty() { Ok((user, UsageLimits { needs_credit, month_dollars, month_tokens })) } else { Err(errors) }
}

/// What a field holds; what is wrong with it is added to `errors`.
fn read<T>(field: Result<Option<T>, FieldError>, errors: &mut Vec<FieldError>) -> Option<T> {
    field.unwrap_or_else(|error| {
        errors.push(error);
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_field_is_no_limit_and_a_wrong_one_is_named() {
        assert_eq!(limits((" ", false), "", "", false), Ok((None, UsageLimits::default())));
        let (user, set) = limits(("crm-4711", true), "12.5", "100000", true).unwrap();
        assert_eq!(user.map(|user| user.to_string()), Some("crm-4711".to_owned()));
        assert_eq!(set, UsageLimits { needs_credit: true, month_dollars: Some(Usd::from_micros(12_500_000)), month_tokens: Some(100_000) });
        let wrong: Vec<_> = limits(("", true), "a lot", "1.5", true).unwrap_err().into_iter().map(|error| error.field).collect();
        assert_eq!(wrong, ["user", "month_dollars", "month_tokens"]);
        assert_eq!(grant("", "").unwrap_err()[0].field, "dollars");
        assert_eq!(grant("", " -5.50 "), Ok((None, Usd::from_micros(-5_500_000))));
    }
}

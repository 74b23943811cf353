//! Deadlines of statements: nobody waits for them after it, so they end and give their connection back.

use std::time::Duration;
use tokio::time::Instant;

tokio::task_local! {
    static DEADLINE: Instant;
}

/// Runs `work`. The statements of the transactions that it opens are cancelled when the deadline passes, give or take the time between
/// opening and the statement.
pub async fn by_deadline<T>(deadline: Instant, work: impl Future<Output = T>) -> T {
    DEADLINE.scope(deadline, work).await
}

/// The setting that ends the statements of a transaction at the deadline of its caller, if it has one that comes before the budget of all
/// statements; goes into the message of BEGIN.
pub(super) fn setting(budget: Duration) -> String {
    let Ok(left) = DEADLINE.try_with(|deadline| deadline.saturating_duration_since(Instant::now())) else { return String::new() };
    // Zero would mean no limit.
    let most = left.min(budget).as_millis().max(1);
    format!(", set_config('statement_timeout', '{most}', true)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_transaction_without_a_deadline_has_no_setting() {
        let budget = Duration::from_secs(15);
        assert_eq!(setting(budget), "");
        let past = Instant::now();
        assert_eq!(by_deadline(past, async { setting(budget) }).await, ", set_config('statement_timeout', '1', true)");
        let far = Instant::now() + Duration::from_secs(3600);
        assert_eq!(by_deadline(far, async { setting(budget) }).await, ", set_config('statement_timeout', '15000', true)");
    }
}

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

/// How long a statement may take: the budget of all statements, or less if the deadline of its caller comes first.
pub(super) fn within(budget: Duration) -> Duration {
    DEADLINE.try_with(|deadline| deadline.saturating_duration_since(Instant::now())).map_or(budget, |left| left.min(budget))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_statement_has_its_budget_or_what_is_left_until_the_deadline() {
        let budget = Duration::from_secs(15);
        assert_eq!(within(budget), budget);
        let past = Instant::now();
        assert_eq!(by_deadline(past, async { within(budget) }).await, Duration::ZERO);
        let far = Instant::now() + Duration::from_secs(3600);
        assert_eq!(by_deadline(far, async { within(budget) }).await, budget);
    }
}

//! What the demo's agents spent on an outside model in the last weeks, and the limits that were set. The model is invented.

use super::Failure;
use chrono::{Datelike, Duration, Weekday};
use foundation::usage::{self, Payer, Price, Purpose};
use foundation::{Engine, OpContext, identity};
use models::TokenUse;
use wire::{UsageLimits, Usd};

const MODEL: &str = "example-large";
/// Days with calls, up to today.
const DAYS: i64 = 26;
/// Calls of each agent on a working day: purpose, how many more on busy days, tokens of one.
const CALLS: [(&str, Purpose, i64, TokenUse); 4] = [
    ("atlas", Purpose::Extraction, 5, TokenUse { read: 5_200, written: 640 }),
    ("atlas", Purpose::Condensation, 3, TokenUse { read: 8_900, written: 310 }),
    ("binky", Purpose::Extraction, 2, TokenUse { read: 4_100, written: 520 }),
    ("binky", Purpose::Condensation, 1, TokenUse { read: 6_400, written: 280 }),
];

/// Enters the calls into the ledger, then sets a quota and grants credit.
pub async fn load(engine: &Engine, ctx: &OpContext) -> Result<(), Failure> {
    usage::set_price(engine, MODEL, Price { input: Usd::from_dollars(2), output: Usd::from_dollars(8) }).await?;
    let now = engine.clock().now();
    for (slug, purpose, busy, tokens) in CALLS {
        let agent = identity::agent_by_slug(engine, ctx, slug).await?;
        let payer = Payer { tenant_id: ctx.tenant_id, agent_id: Some(agent.id), user_id: None };
        for day in 0..DAYS {
            let at = now - Duration::days(day);
            if matches!(at.weekday(), Weekday::Sat | Weekday::Sun) {
                continue;
            }
            for _ in 0..(2 + busy * (day * 7 % 5)) {
                engine.book_call(payer, MODEL, purpose, tokens, at);
            }
        }
    }
    usage::flush(engine).await?;
    usage::grant_credit(engine, ctx, None, Usd::from_dollars(25), "Budget for the fourth quarter").await?;
    let limits = UsageLimits { needs_credit: true, month_dollars: Some(Usd::from_dollars(20)), month_tokens: None };
    usage::set_limits(engine, ctx, None, limits).await?;
    Ok(())
}

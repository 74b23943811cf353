//! What calls of models cost, by tenant, agent and user, and the limits on it. Calls are summed in memory and written every few seconds.

mod limits;
mod report;
pub mod store;

pub use crate::balances::{Accounts, Cost, Hold, Ledger, Line, Payer, Price, Purpose, Sum};
pub use limits::exhausted;
pub use limits::{balances, grant_credit, set_limits, set_price};
pub use report::{as_csv, export, overview, own, report};

use crate::balances;
use crate::engine::Engine;
use crate::error::Error;

/// Writes what was recorded since the last time, and reads the prices again. If the database is out of reach, the next call writes it.
pub async fn flush(engine: &Engine) -> Result<(), Error> {
    let (accounts, control) = (engine.accounts(), engine.db().control.system());
    let moving = accounts.moving.lock().await;
    let lines: Vec<(Line, Sum)> = engine.ledger().take().into_iter().collect();
    if !lines.is_empty() {
        let written = store::add(control, &lines, balances::month(engine.clock().now())).await;
        if written.is_err() {
            for (line, sum) in lines {
                engine.ledger().add(line, sum);
            }
        }
        written?;
    }
    drop(moving);
    accounts.set_prices(balances::store::prices(control).await?);
    Ok(())
}

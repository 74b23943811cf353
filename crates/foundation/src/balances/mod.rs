//! What the engine holds of usage: the calls of models that are not written yet, the prices, and what the limits of accounts leave.

mod accounts;
mod ledger;
pub mod store;

pub use accounts::{Accounts, Hold, Left, Price, month};
pub use ledger::{Cost, Ledger, Line, Payer, Purpose, Sum};

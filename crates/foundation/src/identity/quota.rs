//! How much a key may send on a day to be captured.

use super::store;
use crate::engine::Engine;
use crate::error::Error;
use crate::op::{Actor, OpContext};
use chrono::{Days, NaiveTime, SecondsFormat};

const MIB: u64 = 1024 * 1024;

/// Counts bytes that a key sends to be captured, before they are read. Days are those of UTC. People who paste are not limited.
///
/// # Errors
/// `OverQuota` if the key sent its share of the day, and `Invalid` for more at once than a day allows.
pub async fn count_source(engine: &Engine, ctx: &OpContext, bytes: usize) -> Result<(), Error> {
    let Actor::Agent { key_id, .. } = ctx.actor else { return Ok(()) };
    let (most, now) = (engine.settings().source_bytes_per_day, engine.clock().now());
    if bytes as u64 > most {
        let message = format!("has {bytes} bytes; a key may send {} MiB a day (SOURCE_MIB_PER_DAY)", most / MIB);
        return Err(Error::invalid("content", message));
    }
    let (bytes, limit) = (i64::try_from(bytes).unwrap_or(i64::MAX), i64::try_from(most).unwrap_or(i64::MAX));
    if store::count_source(engine.db().control.system(), (ctx.tenant_id, key_id), now.date_naive(), bytes, limit).await? {
        return Ok(());
    }
    let end = now.date_naive().checked_add_days(Days::new(1)).map_or(now, |day| day.and_time(NaiveTime::MIN).and_utc());
    let reason = format!(
        "this key sent almost {} MiB of sources today, and that is its limit (SOURCE_MIB_PER_DAY); it can send more from {} on",
        most / MIB,
        end.to_rfc3339_opts(SecondsFormat::Secs, true)
    );
    Err(Error::OverQuota { reason, wait: (end - now).to_std().unwrap_or_default() })
}

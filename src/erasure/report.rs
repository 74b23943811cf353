//! Reports of erasures: what they say, and their signatures.

use super::key::Key;
use super::store;
use chrono::{DateTime, Utc};
use db::Tx;
use db::columns::{Erasure as Rule, Holds, TABLES, label};
use foundation::{Engine, Error, OpContext};
use verb::verb;
use wire::{ErasedTable, Erasure, ErasureId, ErasureReport, KeptTable, MentionPlace, MentionRef, SignedReport, TableCount};

/// The first field of a report.
const FORMAT: &str = "remembrancer-erasure-report-1";
/// How reports are signed.
const ALGORITHM: &str = "HMAC-SHA256";
/// What the databases do not hold.
const OUTSIDE: [&str; 5] = [
    "backups, replicas and archives of the write-ahead log, which end with their own retention",
    "files of the database until `remembrancer erasure rewrite` has rewritten the tables, and the write-ahead log until it is recycled",
    "exports and other files that people made",
    "logs of the server and of the database, and the memory of running processes",
    "copies held by agents and models outside this server",
];

/// What an erasure did: counts before the first row went, and now.
pub(super) fn write(
    ctx: &OpContext,
    request: &Erasure,
    found: &[TableCount],
    left: &[TableCount],
    ticked: &[MentionRef],
    now: DateTime<Utc>,
) -> ErasureReport {
    let rows = |of: &TableCount| left.iter().find(|one| (&one.database, &one.table) == (&of.database, &of.table)).map_or(0, |one| one.rows);
    let table = |of: &TableCount| ErasedTable {
        database: of.database.clone(),
        table: of.table.clone(),
        label: label(&of.database, &of.table).into(),
        found: of.rows,
        left: rows(of),
    };
    let of_place = |place: MentionPlace| ticked.iter().filter(|row| row.place == place).count();
    let mentions = MentionPlace::ALL.iter().map(|place| (*place, i64::try_from(of_place(*place)).unwrap_or(i64::MAX)));
    let holds_words = |columns: &[(&str, Holds, bool)]| columns.iter().any(|(_, holds, _)| matches!(holds, Holds::Words | Holds::Name));
    let kept = TABLES.iter().filter_map(|table| match table.erasure {
        Rule::Keep(why) if holds_words(table.columns) => {
            Some(KeptTable { database: table.database.into(), table: table.name.into(), label: table.label.into(), why: why.into() })
        }
        _ => None,
    });
    ErasureReport {
        format: FORMAT.into(),
        tenant_id: ctx.tenant_id,
        request_id: request.id,
        user_id: request.user_id,
        requested_by: request.requested_by_name.clone(),
        requested_at: request.requested_at,
        confirmed_by: request.confirmed_by_name.clone().unwrap_or_default(),
        confirmed_at: request.confirmed_at.unwrap_or(request.requested_at),
        finished_at: now,
        tables: found.iter().map(table).collect(),
        mentions: mentions.filter(|(_, rows)| *rows > 0).collect(),
        kept: kept.collect(),
        outside: OUTSIDE.map(Into::into).to_vec(),
    }
}

/// A report as the text that is signed.
pub(super) fn text(report: &ErasureReport) -> Result<String, Error> {
    serde_json::to_string(report).map_err(Error::failed("a report cannot be serialised"))
}

/// The report of a request, if it is done.
pub(super) async fn stored(tx: &mut Tx, ctx: &OpContext, id: ErasureId) -> Result<Option<SignedReport>, Error> {
    let Some((text, signature)) = store::report(tx, ctx.tenant_id, id).await? else { return Ok(None) };
    let report = serde_json::from_str(&text).map_err(Error::failed("a stored report cannot be read"))?;
    Ok(Some(SignedReport { report, algorithm: ALGORITHM.into(), signature }))
}

/// The signed report of an erasure that is done.
///
/// # Errors
/// `Forbidden` without the role `admin`; `NotFound` for a request that is not done.
#[verb(role = Admin)]
pub async fn report(engine: &Engine, ctx: &OpContext, id: ErasureId) -> Result<SignedReport, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let report = stored(&mut tx, ctx, id).await?;
    tx.commit().await?;
    report.ok_or(Error::NotFound("report"))
}

/// Whether this server signed a report, and the report was not changed since.
#[verb(role = Admin)]
pub async fn verify_report(engine: &Engine, ctx: &OpContext, signed: &SignedReport) -> Result<bool, Error> {
    let Some(key) = Key::find(engine, ctx.tenant_id).await? else { return Ok(false) };
    let text = text(&signed.report)?;
    Ok(signed.algorithm == ALGORITHM && signed.report.tenant_id == ctx.tenant_id && key.signature(&text) == signed.signature)
}

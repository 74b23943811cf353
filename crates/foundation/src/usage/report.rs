//! Reports of the usage ledger: for the command line, for agents, and for the page Usage.

use super::store::{self, Lines, Part, Span};
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::identity::acting_for;
use crate::op::OpContext;
use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};
use db::{Planned, Tx};
use std::collections::{BTreeMap, HashMap};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use uuid::Uuid;
use verb::verb;
use wire::{KeyScope, USAGE_DAYS, USAGE_DAYS_MAX, Usage, UsageFilter, UsageReport, UsageRequest, UsageResponse, UsageShare};
use words::csv_line;

/// Agents, models or users of a report that are listed; the others are one line.
const LISTED: usize = 25;
/// The name of that line.
const OTHERS: &str = "all others";
/// The columns of an exported report.
const COLUMNS: [&str; 9] = ["day", "agent", "user", "model", "purpose", "calls", "tokens_in", "tokens_out", "dollars"];

/// What an organisation used since a time: one line for each agent, model and purpose, the dearest first.
#[verb(role = Viewer)]
pub async fn report(engine: &Engine, ctx: &OpContext, since: DateTime<Utc>) -> Result<Vec<store::Used>, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let used = store::used(&mut tx, ctx.tenant_id, since).await?;
    tx.commit().await?;
    Ok(used)
}

/// What an agent used, by day, model and purpose: for the user of the call and for nobody. A key that may choose its user and names none gets
/// the calls for every user.
///
/// # Errors
/// `Forbidden` without `memory:read`; `Invalid` for a period that ends before it begins or has more than [`USAGE_DAYS_MAX`] days.
#[verb]
pub async fn own(engine: &Engine, ctx: &OpContext, request: &UsageRequest) -> Result<UsageResponse, Error> {
    ctx.agent_id()?;
    ctx.require(KeyScope::MemoryRead)?;
    let period = Period::new(request.from, request.until, engine.clock().now())?;
    let ctx = match &request.user_id {
        Some(user) => acting_for(engine, ctx, Some(user)).await?,
        None => ctx.for_all_its_users()?,
    };
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let lines = store::of_agent(&mut tx, ctx.tenancy(), period.span()).await?;
    tx.commit().await?;
    let total = lines.iter().fold(Usage::default(), |sum, line| sum.plus(line.usage));
    Ok(UsageResponse { from: period.from, until: period.until, total, lines })
}

/// The answer of [`own`] as CSV.
///
/// # Errors
/// When a line cannot be written.
pub fn as_csv(answer: &UsageResponse) -> Result<Vec<u8>, Error> {
    let head = ["day", "model", "purpose", "calls", "tokens_in", "tokens_out", "dollars"].map(str::to_owned);
    let mut file = line(&head)?;
    for one in &answer.lines {
        let cells = [one.day.to_string(), one.model.clone(), one.purpose.to_string()];
        file.extend(line(&[cells.as_slice(), &numbers(one.usage)].concat())?);
    }
    Ok(file)
}

/// What an organisation used: by day, agent, model, purpose and user.
///
/// # Errors
/// `Forbidden` without the role `viewer`; `Invalid` as in [`own`].
#[verb(role = Viewer)]
pub async fn overview(engine: &Engine, ctx: &OpContext, filter: &UsageFilter) -> Result<UsageReport, Error> {
    let period = Period::new(filter.from, filter.until, engine.clock().now())?;
    let read = |mut tx: Tx| async move {
        let parts = store::parts(&mut tx, lines(ctx, filter, period)).await?;
        let ids: Vec<Uuid> = parts.iter().flat_map(|part| [part.agent_id, part.user_id]).flatten().collect();
        let names = Names::read(&mut tx, ctx, &ids).await?;
        tx.commit().await?;
        Ok::<_, Error>((parts, names))
    };
    let (parts, names) = ctx.read(&engine.db().control, Planned::ByPostgres, read).await?;
    Ok(assemble(period, &parts, &names))
}

/// Writes a report into a file of CSV, day by day; how many lines.
///
/// # Errors
/// As [`overview`]; when the writer fails.
#[verb(role = Viewer)]
pub async fn export<W: AsyncWrite + Unpin + Send>(
    engine: &Engine,
    ctx: &OpContext,
    filter: &UsageFilter,
    mut writer: W,
) -> Result<u64, Error> {
    let period = Period::new(filter.from, filter.until, engine.clock().now())?;
    let failed = |error: std::io::Error| Error::failed("the report could not be written")(error);
    let mut tx = engine.db().control.begin_snapshot(ctx.tenancy()).await?;
    writer.write_all(&line(&COLUMNS.map(str::to_owned))?).await.map_err(failed)?;
    let mut written = 0;
    for day in period.days() {
        let of_day = Period { from: day, until: day };
        let of_day = store::exported(&mut tx, lines(ctx, filter, of_day)).await?;
        let ids: Vec<Uuid> = of_day.iter().flat_map(|one| [one.agent_id, one.user_id]).collect();
        let names = Names::read(&mut tx, ctx, &ids).await?;
        for one in of_day {
            let agent = names.of(one.agent_id).unwrap_or_default();
            let user = names.of(one.user_id).unwrap_or_default();
            let cells = [one.day.to_string(), agent, user, one.model, one.purpose.to_string()];
            writer.write_all(&line(&[cells.as_slice(), &numbers(one.usage)].concat())?).await.map_err(failed)?;
            written += 1;
        }
    }
    tx.commit().await?;
    writer.shutdown().await.map_err(failed)?;
    Ok(written)
}

/// The days of a report, both included.
#[derive(Clone, Copy, Debug)]
struct Period {
    from: NaiveDate,
    until: NaiveDate,
}

impl Period {
    fn new(from: Option<NaiveDate>, until: Option<NaiveDate>, now: DateTime<Utc>) -> Result<Self, Error> {
        let until = until.unwrap_or_else(|| now.date_naive());
        let earliest = Days::new(u64::try_from(USAGE_DAYS - 1).unwrap_or_default());
        let from = from.or_else(|| until.checked_sub_days(earliest)).unwrap_or(until);
        let days = (until - from).num_days() + 1;
        Checks::default()
            .that(days >= 1, "from", "is after the last day")
            .that(days <= USAGE_DAYS_MAX, "from", format!("makes a period of {days} days; at most {USAGE_DAYS_MAX} are allowed"))
            .that(until < NaiveDate::MAX, "until", "is too far away")
            .done()?;
        Ok(Self { from, until })
    }

    fn days(self) -> impl Iterator<Item = NaiveDate> {
        self.from.iter_days().take_while(move |day| *day <= self.until)
    }

    fn span(self) -> Span {
        let start = |day: NaiveDate| day.and_time(NaiveTime::MIN).and_utc();
        (start(self.from), start(self.until.succ_opt().unwrap_or(self.until)))
    }
}

fn lines<'a>(ctx: &OpContext, filter: &'a UsageFilter, period: Period) -> Lines<'a> {
    Lines { tenant: ctx.tenant_id, span: period.span(), agent: filter.agent, model: filter.model.as_deref() }
}

/// What people call agents and users.
#[derive(Default)]
pub(super) struct Names(HashMap<Uuid, String>);

impl Names {
    pub(super) async fn read(tx: &mut Tx, ctx: &OpContext, ids: &[Uuid]) -> Result<Self, Error> {
        Ok(Self(store::names(tx, ctx.tenant_id, ids).await?.into_iter().collect()))
    }

    /// The name, or the id of what has no name; nothing for the nil id.
    pub(super) fn of(&self, id: Uuid) -> Option<String> {
        (!id.is_nil()).then(|| self.0.get(&id).cloned().unwrap_or_else(|| id.to_string()))
    }
}

fn assemble(period: Period, parts: &[Part], names: &Names) -> UsageReport {
    let mut days: BTreeMap<NaiveDate, Usage> = period.days().map(|day| (day, Usage::default())).collect();
    let mut total = Usage::default();
    for part in parts {
        if let Some(day) = part.day {
            days.insert(day, part.usage);
            total = total.plus(part.usage);
        }
    }
    let shares = |name: &dyn Fn(&Part) -> Option<Option<String>>| -> Vec<UsageShare> {
        let mut all: Vec<UsageShare> = parts.iter().filter_map(|part| Some(UsageShare { name: name(part)?, usage: part.usage })).collect();
        let rest = all.split_off(all.len().min(LISTED));
        if !rest.is_empty() {
            let usage = rest.iter().fold(Usage::default(), |sum, share| sum.plus(share.usage));
            all.push(UsageShare { name: Some(OTHERS.to_owned()), usage });
        }
        all
    };
    UsageReport {
        from: period.from,
        until: period.until,
        total,
        days: days.into_iter().collect(),
        agents: shares(&|part| Some(names.of(part.agent_id?))),
        models: shares(&|part| Some(Some(part.model.clone()?))),
        purposes: shares(&|part| Some(Some(part.purpose?.to_string()))),
        users: shares(&|part| Some(names.of(part.user_id?))),
    }
}

fn numbers(usage: Usage) -> [String; 4] {
    let Usage { calls, tokens_in, tokens_out, dollars } = usage;
    [calls.to_string(), tokens_in.to_string(), tokens_out.to_string(), format!("{dollars:.6}")]
}

fn line(cells: &[String]) -> Result<Vec<u8>, Error> {
    csv_line(cells).map_err(Error::failed("a line of the report cannot be written"))
}

//! What the limits of accounts leave, as this process knows it: read every few seconds, and lowered by each call of this process.

use super::ledger::{Cost, Ledger, Payer, Purpose, Sum};
use super::store;
use chrono::{DateTime, Datelike, Months, NaiveDate, Utc};
use db::Database;
use models::TokenUse;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;
use tokio::time::{Instant, timeout};
use wire::{DOLLARS_MAX, Exhausted, TOKENS_MAX, TenantId, Usd, UserId};

/// How long balances of a tenant count before they are read again. Calls of other servers show after this time.
const AGE: Duration = Duration::from_secs(5);

/// US dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    pub input: Usd,
    pub output: Usd,
}

impl Price {
    /// What a call costs that reads and writes so many tokens. The sum of both is rounded to a micro-dollar, half up, once for each call: so
    /// the costs of many calls add up exactly. A call costs at most [`DOLLARS_MAX`].
    pub fn of(self, TokenUse { read, written }: TokenUse) -> Cost {
        let of = |tokens: i64, price: Usd| i128::from(tokens) * i128::from(price.as_micros());
        let micros = (of(read, self.input) + of(written, self.output) + 500_000) / 1_000_000;
        let dollars = i64::try_from(micros).map_or(DOLLARS_MAX, Usd::from_micros).min(DOLLARS_MAX);
        Cost { dollars, tokens: read.saturating_add(written) }
    }
}

/// What is left of an account; `None` is without a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Left {
    /// `None`: the organisation.
    pub user_id: Option<UserId>,
    #[sqlx(rename = "credit_microusd")]
    pub credit: Option<Usd>,
    #[sqlx(rename = "month_microusd")]
    pub month_dollars: Option<Usd>,
    pub month_tokens: Option<i64>,
}

impl Left {
    /// Why a call is refused that would begin now, while others are expected to cost `held`; `None` if it may begin.
    pub fn exhausted(&self, held: Cost, now: DateTime<Utc>) -> Option<Exhausted> {
        let is_used_up = |left: Usd| left <= held.dollars;
        let quota = self.month_dollars.is_some_and(is_used_up) || self.month_tokens.is_some_and(|left| left <= held.tokens);
        match self.credit.is_some_and(is_used_up) {
            true => Some(Exhausted { user_id: self.user_id, renews: None }),
            false => quota.then(|| Exhausted { user_id: self.user_id, renews: Some(next_month(now)) }),
        }
    }

    fn lower(&mut self, by: Cost) {
        for left in [&mut self.credit, &mut self.month_dollars].into_iter().flatten() {
            *left = *left - by.dollars;
        }
        if let Some(left) = &mut self.month_tokens {
            *left = left.saturating_sub(by.tokens);
        }
    }

    fn counts(&self, user: Option<UserId>) -> bool {
        self.user_id.is_none() || self.user_id == user
    }
}

/// The first moment of the month of a time, in UTC.
pub fn month(now: DateTime<Utc>) -> DateTime<Utc> {
    let day = now.date_naive();
    day.with_day(1).unwrap_or(day).and_time(chrono::NaiveTime::MIN).and_utc()
}

fn next_month(now: DateTime<Utc>) -> NaiveDate {
    let first = month(now).date_naive();
    first.checked_add_months(Months::new(1)).unwrap_or(first)
}

/// The balances of a tenant.
#[derive(Default)]
struct Standing {
    read: Option<Instant>,
    left: Vec<Left>,
    /// What calls that go on are expected to cost, by call.
    held: HashMap<u64, (Option<UserId>, Cost)>,
    next: u64,
}

impl Standing {
    fn held_for(&self, account: &Left) -> Cost {
        let calls = self.held.values().filter(|(user, _)| account.counts(*user));
        calls.fold(Cost::default(), |sum, (_, cost)| sum.plus(*cost))
    }
}

/// The balances that this process knows, and the prices of models.
#[derive(Default)]
pub struct Accounts {
    tenants: Mutex<HashMap<TenantId, Standing>>,
    prices: RwLock<HashMap<String, Price>>,
    /// Held while calls move from the open ledger into the database, and while balances are read: so a call lowers a balance once.
    pub moving: tokio::sync::Mutex<()>,
}

impl Accounts {
    /// The price of a model; `None` if it costs nothing.
    pub fn price(&self, model: &str) -> Option<Price> {
        self.prices.read().unwrap_or_else(PoisonError::into_inner).get(model).copied()
    }

    pub fn set_prices(&self, prices: HashMap<String, Price>) {
        *self.prices.write().unwrap_or_else(PoisonError::into_inner) = prices;
    }

    /// Forgets the balances of a tenant, whose limits or credit changed.
    pub fn forget(&self, tenant: TenantId) {
        if let Some(standing) = self.tenants().get_mut(&tenant) {
            standing.read = None;
        }
    }

    fn tenants(&self) -> MutexGuard<'_, HashMap<TenantId, Standing>> {
        self.tenants.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the balances of a tenant must be read, and whether older ones are known.
    fn is_due(&self, tenant: TenantId) -> (bool, bool) {
        let read = self.tenants().get(&tenant).and_then(|standing| standing.read);
        (read.is_none_or(|read| read.elapsed() >= AGE), read.is_some())
    }

    /// Reads the balances of a tenant if that was long ago. If they cannot be read with this patience, the last known ones count, and none is
    /// no limit.
    pub async fn refresh(&self, control: &Database, patience: Duration, ledger: &Ledger, tenant: TenantId, now: DateTime<Utc>) {
        let (due, known) = self.is_due(tenant);
        if !due {
            return;
        }
        let _moving = match known {
            // Somebody else reads or writes; what is known is a few seconds old.
            true => match self.moving.try_lock() {
                Ok(moving) => moving,
                Err(_) => return,
            },
            false => match timeout(patience, self.moving.lock()).await {
                Ok(moving) => moving,
                Err(_) => return,
            },
        };
        if !self.is_due(tenant).0 {
            return;
        }
        let left = match timeout(patience, store::left(control.system(), tenant, month(now))).await {
            Ok(Ok(left)) => Some(left),
            Ok(Err(error)) => {
                tracing::warn!(%error, %tenant, "balances cannot be read; model calls continue with the last known balances");
                None
            }
            Err(_) => {
                tracing::warn!(%tenant, "balances were not read in time; model calls continue with the last known balances");
                None
            }
        };
        let mut tenants = self.tenants();
        let standing = tenants.entry(tenant).or_default();
        standing.read = Some(Instant::now());
        let Some(left) = left else { return };
        standing.left = left;
        for (line, sum) in ledger.open_of(tenant) {
            lower(standing, line.payer.user_id, sum.cost);
        }
    }

    /// Begins a call that is expected to cost `expected`, which is kept aside until the call ends.
    ///
    /// # Errors
    /// When the account of the organisation or of the user has nothing left.
    pub fn begin(self: &Arc<Self>, payer: Payer, expected: Cost, now: DateTime<Utc>) -> Result<Hold, Exhausted> {
        let mut tenants = self.tenants();
        let standing = tenants.entry(payer.tenant_id).or_default();
        let accounts = standing.left.iter().filter(|account| account.counts(payer.user_id));
        if let Some(exhausted) = accounts.filter_map(|account| account.exhausted(standing.held_for(account), now)).next() {
            return Err(exhausted);
        }
        let id = standing.next;
        standing.next += 1;
        standing.held.insert(id, (payer.user_id, expected));
        Ok(Hold { accounts: Arc::clone(self), tenant: payer.tenant_id, id })
    }

    /// Enters a call into the ledger, and lowers the balances that are known. Tokens below 0 or beyond [`TOKENS_MAX`], which a provider may
    /// report, count as the nearest number between.
    pub fn book(&self, ledger: &Ledger, payer: Payer, model: &str, purpose: Purpose, tokens: TokenUse, now: DateTime<Utc>) {
        let tokens = TokenUse { read: tokens.read.clamp(0, TOKENS_MAX), written: tokens.written.clamp(0, TOKENS_MAX) };
        let cost = self.price(model).map(|price| price.of(tokens)).unwrap_or_default();
        // One step for whoever reads balances: the call is in the open ledger and in the balances, or in neither.
        let mut tenants = self.tenants();
        ledger.record(payer, model, purpose, Sum { calls: 1, tokens_in: tokens.read, tokens_out: tokens.written, cost }, now);
        if let Some(standing) = tenants.get_mut(&payer.tenant_id) {
            lower(standing, payer.user_id, cost);
        }
    }
}

fn lower(standing: &mut Standing, user: Option<UserId>, by: Cost) {
    for account in standing.left.iter_mut().filter(|account| account.counts(user)) {
        account.lower(by);
    }
}

/// A call that goes on. What it is expected to cost is free again when this is dropped.
pub struct Hold {
    accounts: Arc<Accounts>,
    tenant: TenantId,
    id: u64,
}

impl Drop for Hold {
    fn drop(&mut self) {
        if let Some(standing) = self.accounts.tenants().get_mut(&self.tenant) {
            standing.held.remove(&self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    const VERA: UserId = UserId(Uuid::from_u128(1));
    const IDRIS: UserId = UserId(Uuid::from_u128(2));
    const PRICE: Price = Price { input: Usd::from_dollars(1), output: Usd::from_dollars(2) };

    fn accounts(left: Vec<Left>) -> (Arc<Accounts>, TenantId) {
        let (accounts, tenant) = (Arc::new(Accounts::default()), TenantId(Uuid::from_u128(9)));
        accounts.set_prices(HashMap::from([("example-large".to_owned(), PRICE)]));
        accounts.tenants().insert(tenant, Standing { left, ..Standing::default() });
        (accounts, tenant)
    }

    fn payer(tenant_id: TenantId, user: Option<UserId>) -> Payer {
        Payer { tenant_id, agent_id: None, user_id: user }
    }

    #[test]
    fn of_two_calls_at_once_only_one_takes_the_last_credit() {
        let now = DateTime::UNIX_EPOCH;
        let credit = |user_id, micros| {
            let credit = Some(Usd::from_micros(micros));
            Left { user_id, credit, month_dollars: None, month_tokens: None }
        };
        let (accounts, tenant) = accounts(vec![credit(None, 10), credit(Some(VERA), 4)]);
        let cost = PRICE.of(TokenUse::reading(4));
        let first = accounts.begin(payer(tenant, Some(VERA)), cost, now).ok();
        assert!(first.is_some());
        let refused = accounts.begin(payer(tenant, Some(VERA)), cost, now).err();
        assert_eq!(refused, Some(Exhausted { user_id: Some(VERA), renews: None }));
        let second = accounts.begin(payer(tenant, Some(IDRIS)), cost, now).ok();
        let third = accounts.begin(payer(tenant, None), cost, now).ok();
        assert!(second.is_some() && third.is_some(), "something is left while 8 of 10 are expected");
        assert_eq!(accounts.begin(payer(tenant, None), cost, now).err(), Some(Exhausted { user_id: None, renews: None }));

        // An abandoned call frees what it held; a booked one lowers the balance.
        drop(first);
        accounts.book(
            &Ledger::default(),
            payer(tenant, Some(VERA)),
            "example-large",
            Purpose::Extraction,
            TokenUse { read: 0, written: 2 },
            now,
        );
        assert!(accounts.begin(payer(tenant, Some(VERA)), cost, now).is_err(), "Vera's credit is spent");
    }

    #[test]
    fn a_call_costs_whole_micro_dollars_rounded_half_up() {
        let price = Price { input: Usd::from_micros(20_000), output: Usd::ZERO };
        let cost = |tokens| price.of(TokenUse::reading(tokens)).dollars.as_micros();
        assert_eq!([0, 24, 25, 74, 75, 1_000_000].map(cost), [0, 0, 1, 1, 2, 20_000]);
        let both = Price { input: Usd::from_micros(300_000), output: Usd::from_micros(300_000) };
        let costs = [(1, 0), (0, 1), (1, 1)].map(|(read, written)| both.of(TokenUse { read, written }).dollars.as_micros());
        assert_eq!(costs, [0, 0, 1], "what was read and written is rounded together");
        let finest = Price { input: Usd::from_micros(1), output: Usd::from_micros(1) };
        assert_eq!([499_999, 500_000].map(|tokens| finest.of(TokenUse::reading(tokens)).dollars.as_micros()), [0, 1]);
    }

    #[test]
    fn a_hundred_thousand_small_calls_add_up_exactly_and_huge_ones_stay_in_range() {
        let now = DateTime::UNIX_EPOCH;
        let dollar = Left { user_id: None, credit: Some(Usd::from_dollars(1)), month_dollars: None, month_tokens: None };
        let (accounts, tenant) = accounts(vec![dollar]);
        let (ledger, payer) = (Ledger::default(), payer(tenant, None));
        let book = |read, written| accounts.book(&ledger, payer, "example-large", Purpose::Embedding, TokenUse { read, written }, now);
        (0..100_000).for_each(|_| book(1, 0));
        let booked = || ledger.open_of(tenant)[0].1;
        assert_eq!((booked().calls, booked().cost), (100_000, Cost { dollars: Usd::from_micros(100_000), tokens: 100_000 }));
        assert_eq!(accounts.tenants()[&tenant].left[0].credit, Some(Usd::from_micros(900_000)));

        let dearest = Price { input: DOLLARS_MAX, output: DOLLARS_MAX };
        assert_eq!(dearest.of(TokenUse { read: i64::MAX, written: i64::MAX }), Cost { dollars: DOLLARS_MAX, tokens: i64::MAX });
        book(i64::MAX, -5);
        assert_eq!((booked().tokens_in, booked().tokens_out), (100_000 + TOKENS_MAX, 0));
        assert_eq!(booked().cost.dollars, Usd::from_micros(100_000) + DOLLARS_MAX);
    }

    #[test]
    fn free_models_are_not_counted_and_a_quota_says_when_it_renews() {
        let now = NaiveDate::from_ymd_opt(2026, 12, 31).unwrap().and_hms_opt(23, 0, 0).unwrap().and_utc();
        let quota = Left { user_id: None, credit: None, month_dollars: None, month_tokens: Some(10) };
        let (accounts, tenant) = accounts(vec![quota]);
        let book = |model| accounts.book(&Ledger::default(), payer(tenant, None), model, Purpose::Embedding, TokenUse::reading(10), now);
        book("all-MiniLM-L6-v2");
        assert!(accounts.begin(payer(tenant, None), Cost::default(), now).is_ok());
        book("example-large");
        let refused = accounts.begin(payer(tenant, None), Cost::default(), now).err().unwrap();
        assert_eq!(refused.renews, NaiveDate::from_ymd_opt(2027, 1, 1));
    }
}

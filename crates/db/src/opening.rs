//! How a transaction opens. Its role, its limits and the settings that policies read travel with BEGIN, in one message.

use super::proof::settings;
use super::replica::{Mark, Unready};
use super::tenancy::Tenancy;
use sqlx::postgres::PgRow;
use std::fmt::Write;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;
use wire::TenantId;

/// Whether the tables of a database are distributed over several nodes. Each new connection finds it out.
#[derive(Debug, Default)]
pub struct Spread(AtomicU8);

impl Spread {
    const PLAIN: u8 = 1;
    const DISTRIBUTED: u8 = 2;

    pub fn note(&self, is_distributed: bool) {
        self.0.store(if is_distributed { Self::DISTRIBUTED } else { Self::PLAIN }, Ordering::Relaxed);
    }

    /// Whether a connection found it out.
    pub fn is_known(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    pub fn is_distributed(&self) -> bool {
        self.0.load(Ordering::Relaxed) == Self::DISTRIBUTED
    }
}

/// How the statements of a transaction are planned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Planned {
    /// As Postgres decides.
    #[default]
    ByPostgres,
    /// For the values of each call: for lists that are filtered by a text. A plan for any text expects many rows soon, and for a rare text it
    /// would read every row in the order of the list.
    PerCall,
    /// Once. Only where tables are not distributed: which node has a tenant depends on the value.
    Once,
}

impl Planned {
    fn mode(self, is_distributed: bool) -> Option<&'static str> {
        match self {
            Self::ByPostgres => None,
            Self::PerCall => Some("force_custom_plan"),
            Self::Once => (!is_distributed).then_some("force_generic_plan"),
        }
    }
}

/// What a transaction opens with.
#[derive(Clone, Debug)]
pub struct Opening {
    begin: &'static str,
    role: &'static str,
    planned: Planned,
    /// What policies read, by name.
    read: Vec<(&'static str, String)>,
    /// The limit of its statements.
    statement: Option<Duration>,
    /// What a replica must have.
    after: Option<Mark>,
}

impl Opening {
    /// In a role, without a tenancy.
    pub fn in_role(role: &'static str, statement: Option<Duration>) -> Self {
        Self { begin: "begin", role, planned: Planned::ByPostgres, read: Vec::new(), statement, after: None }
    }

    /// Begins with another text than `begin`.
    pub fn with(mut self, begin: &'static str, planned: Planned) -> Self {
        (self.begin, self.planned) = (begin, planned);
        self
    }

    /// Sees the rows of one tenancy.
    pub fn of(mut self, tenancy: Tenancy) -> Self {
        // Typed UUIDs: nothing here can be anything but hexadecimal digits and dashes.
        self.read = vec![
            ("tenant", tenancy.tenant.to_string()),
            ("agent", tenancy.agent.to_string()),
            ("commons", tenancy.commons.to_string()),
            ("user", tenancy.users.setting()),
        ];
        self
    }

    /// Sees the rows of one tenant, of all its agents.
    pub fn of_tenant(mut self, tenant: TenantId) -> Self {
        self.read = vec![("tenant", tenant.to_string())];
        self
    }

    /// Only on a replica that has the log up to a mark: the first row of the statements says whether it has.
    pub fn after(mut self, mark: Mark) -> Self {
        self.after = Some(mark);
        self
    }

    /// Whether its first row says that it may be used.
    pub fn is_conditional(&self) -> bool {
        self.after.is_some()
    }

    /// Refuses what was opened on a replica that may not be read.
    ///
    /// # Errors
    /// An [`Unready`].
    pub fn check(&self, first: Option<&PgRow>) -> Result<(), sqlx::Error> {
        let unready = first.map_or(Some(Unready::Behind), Unready::in_answer).filter(|_| self.is_conditional());
        unready.map_or(Ok(()), |unready| Err(sqlx::Error::Configuration(Box::new(unready))))
    }

    /// The statements, as one message.
    pub fn text(&self, is_distributed: bool) -> String {
        let text = if is_distributed { self.distributed() } else { self.plain() };
        match &self.after {
            Some(mark) => format!("{}; {text}", mark.question()),
            None => text,
        }
    }

    fn plain(&self) -> String {
        let mut text = format!("{}; set local role {}; select ", self.begin, self.role);
        for (name, value) in &self.read {
            // Writing to a string does not fail.
            write!(text, "set_config('rmb.{name}', '{value}', true), ").ok();
        }
        self.end(text, false)
    }

    /// The node of a tenant gets the settings with its transaction, which the coordinator opens there when the first statement goes to it:
    /// those that are set with SET LOCAL, and not what a function sets. In a block each goes alone; in a text of several statements the
    /// whole text would go for each of them. The role goes with the connection: a function with the rights of its owner has another one.
    fn distributed(&self) -> String {
        let mut text =
            format!("{}; do $$ begin set local citus.propagate_set_commands = 'local'; set local timezone = 'UTC'; ", self.begin);
        for (name, value) in &self.read {
            write!(text, "set local rmb.\"{name}\" = '{value}'; ").ok();
        }
        write!(text, "end $$; select set_config('role', '{}', true), ", self.role).ok();
        self.end(text, true)
    }

    fn end(&self, mut text: String, is_distributed: bool) -> String {
        if let Some(mode) = self.planned.mode(is_distributed) {
            write!(text, "set_config('plan_cache_mode', '{mode}', true), ").ok();
        }
        text.push_str(&settings(self.statement));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_reach_the_nodes_only_where_tables_are_distributed() {
        let opening = Opening::in_role("rmb_app", None).with("begin", Planned::Once).of(Tenancy::nobody());
        let plain = opening.text(false);
        assert!(plain.starts_with("begin; set local role rmb_app; select set_config('rmb.tenant', '00000000-"), "{plain}");
        assert!(plain.contains("set_config('plan_cache_mode', 'force_generic_plan', true)"), "{plain}");
        let distributed = opening.text(true);
        assert!(distributed.contains("set local rmb.\"user\" = ''; end $$; select set_config('role', 'rmb_app', true), "), "{distributed}");
        assert!(!distributed.contains("set_config('rmb.") && !distributed.contains("plan_cache_mode"), "{distributed}");
    }

    #[test]
    fn nothing_is_known_before_the_first_connection() {
        let spread = Spread::default();
        assert!(!spread.is_known() && !spread.is_distributed());
        for distributed in [true, false] {
            spread.note(distributed);
            assert!(spread.is_known());
            assert_eq!(spread.is_distributed(), distributed);
        }
    }

    #[test]
    fn a_transaction_before_a_tenant_is_known_has_no_settings_of_one() {
        let opening = Opening::in_role("rmb_system", Some(Duration::from_secs(5)));
        assert!(opening.text(false).starts_with("begin; set local role rmb_system; select set_config('statement_timeout', '5000', true)"));
        assert!(!opening.text(true).contains("rmb.\""));
    }
}

//! How a tenant lets captured text become memory.

use super::MemoryKind;
use super::text_enum::text_enum;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

text_enum! {
    /// Whether a memory becomes durable by itself.
    Promotion {
        Automatic = "automatic",
        /// It waits in the inbox for a person.
        Review = "review",
    }
}

text_enum! {
    /// Which memories that hold for a project, a repository or everywhere all agents of the organisation read.
    Sharing {
        /// Those that somebody shares, one by one.
        ByHand = "by_hand",
        /// Those that a person confirms, too.
        Confirmed = "confirmed",
        /// Those that agents write, too, if their keys may write to the commons.
        All = "all",
    }
}

text_enum! {
    /// A sensitive matter. Profiles leave it out unless the organisation allows it.
    Matter {
        Health = "health",
        Faith = "faith",
        Politics = "politics",
        Money = "money",
        Ethnicity = "ethnicity",
    }
}

/// Most days for which a policy may keep a sensitive matter.
pub const MATTER_DAYS_MAX: i32 = 3650;

/// For how many days after its last observation a profile keeps an entry about each sensitive matter. 0 keeps the matter out, which is the
/// default; without a number there is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::FromRow)]
pub struct SensitiveMatters {
    #[sqlx(rename = "profile_health")]
    pub health: Option<i32>,
    #[sqlx(rename = "profile_faith")]
    pub faith: Option<i32>,
    #[sqlx(rename = "profile_politics")]
    pub politics: Option<i32>,
    #[sqlx(rename = "profile_money")]
    pub money: Option<i32>,
    #[sqlx(rename = "profile_ethnicity")]
    pub ethnicity: Option<i32>,
}

impl Default for SensitiveMatters {
    fn default() -> Self {
        Self { health: Some(0), faith: Some(0), politics: Some(0), money: Some(0), ethnicity: Some(0) }
    }
}

impl SensitiveMatters {
    /// The days of a matter; `None` without a limit.
    pub fn days(&self, matter: Matter) -> Option<i32> {
        match matter {
            Matter::Health => self.health,
            Matter::Faith => self.faith,
            Matter::Politics => self.politics,
            Matter::Money => self.money,
            Matter::Ethnicity => self.ethnicity,
        }
    }

    /// For each matter with a limit the time after which an entry must have been observed to be kept, as `{"health": "2026-11-01T00:00:00Z"}`.
    pub fn ended(&self, now: DateTime<Utc>) -> serde_json::Value {
        let ended = |matter: &Matter| {
            let end = now.checked_sub_signed(chrono::TimeDelta::days(self.days(*matter)?.into()))?;
            Some((matter.to_string(), serde_json::Value::from(end.to_rfc3339())))
        };
        Matter::ALL.iter().filter_map(ended).collect::<serde_json::Map<_, _>>().into()
    }

    /// Whether profiles may not hold a matter.
    pub fn keep_out(&self, matter: Matter) -> bool {
        self.days(matter) == Some(0)
    }
}

/// What a tenant lets happen without a person.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, sqlx::FromRow)]
pub struct CapturePolicy {
    pub episodes: Promotion,
    /// Facts about people.
    pub profile: Promotion,
    /// A decision also needs a rationale to become durable by itself.
    pub decisions: Promotion,
    /// Project facts, artifacts and hints.
    pub others: Promotion,
    /// What agents write to the commons.
    pub commons: Promotion,
    /// Anything less sure than this waits, 0 to 1.
    pub confidence_min: f32,
    /// Whether text may be sent to a model outside.
    pub outside_models: bool,
    /// What profiles may hold besides harmless facts.
    #[sqlx(flatten)]
    pub sensitive: SensitiveMatters,
    /// Whether every agent reads what the commons' profile says about a person.
    pub shared_profiles: bool,
    /// What becomes shared by itself.
    pub sharing: Sharing,
    /// What a person says of themselves, unless it is sensitive. Agents see that nobody confirmed it.
    pub own_statements: Promotion,
}

impl Default for CapturePolicy {
    fn default() -> Self {
        Self {
            episodes: Promotion::Automatic,
            profile: Promotion::Review,
            decisions: Promotion::Review,
            others: Promotion::Review,
            commons: Promotion::Automatic,
            confidence_min: 0.5,
            outside_models: false,
            sensitive: SensitiveMatters::default(),
            shared_profiles: false,
            sharing: Sharing::Confirmed,
            own_statements: Promotion::Automatic,
        }
    }
}

impl CapturePolicy {
    /// The policy where one person uses every agent and nobody reviews: what the person says is a memory at once. A decision without a
    /// rationale waits all the same.
    pub fn of_one_person() -> Self {
        Self { profile: Promotion::Automatic, decisions: Promotion::Automatic, others: Promotion::Automatic, ..Self::default() }
    }

    /// Whether all that is captured becomes durable by itself: nobody reads an inbox.
    pub fn is_unreviewed(&self) -> bool {
        let all = [self.episodes, self.profile, self.decisions, self.others, self.own_statements];
        all.iter().all(|one| *one == Promotion::Automatic)
    }

    /// What it says about a kind of memory.
    pub fn of(&self, kind: MemoryKind) -> Promotion {
        match kind {
            MemoryKind::Episode => self.episodes,
            MemoryKind::Profile => self.profile,
            MemoryKind::Decision => self.decisions,
            MemoryKind::Project | MemoryKind::Artifact | MemoryKind::TaskHint => self.others,
        }
    }
}

//! The capture policy of a tenant, from the command line.

use super::Failure;
use clap::Args;
use foundation::{Engine, identity};
use std::fmt::{self, Display};
use std::str::FromStr;
use wire::{CapturePolicy, Matter, Promotion, SensitiveMatters, Sharing};

/// No limit, in place of a number of days.
const FOREVER: &str = "forever";

/// For how many days profiles keep a sensitive matter; `None` without a limit.
#[derive(Clone, Copy)]
struct Days(Option<i32>);

impl FromStr for Days {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            FOREVER => Ok(Self(None)),
            _ => text.parse().map(|days| Self(Some(days))).map_err(|_| format!("must be a number of days, or {FOREVER}")),
        }
    }
}

impl Display for Days {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(days) => days.fmt(f),
            None => f.write_str(FOREVER),
        }
    }
}

#[derive(Args)]
pub struct PolicyOptions {
    /// The tenant's slug
    tenant: String,
    /// automatic: episodes become memories without review; review: they wait in the inbox
    #[arg(long)]
    episodes: Option<Promotion>,
    /// The same for facts about people
    #[arg(long)]
    profile: Option<Promotion>,
    /// The same for decisions; without a rationale a decision always waits
    #[arg(long)]
    decisions: Option<Promotion>,
    /// The same for project facts, artifacts and hints
    #[arg(long)]
    others: Option<Promotion>,
    /// The same for what agents write to the memory that they share
    #[arg(long)]
    commons: Option<Promotion>,
    /// Least confidence of what becomes a memory without review, 0 to 1
    #[arg(long)]
    confidence_min: Option<f32>,
    /// true: text may be sent to a model outside; false: it may not
    #[arg(long)]
    outside_models: Option<bool>,
    /// For how many days profiles keep entries about health: 0 keeps them out, forever sets no limit
    #[arg(long, value_name = "DAYS")]
    health: Option<Days>,
    /// The same for faith
    #[arg(long, value_name = "DAYS")]
    faith: Option<Days>,
    /// The same for politics
    #[arg(long, value_name = "DAYS")]
    politics: Option<Days>,
    /// The same for money
    #[arg(long, value_name = "DAYS")]
    money: Option<Days>,
    /// The same for ethnic origin
    #[arg(long, value_name = "DAYS")]
    ethnicity: Option<Days>,
    /// true: every agent reads what the shared profile says about a person; false: none does
    #[arg(long)]
    shared_profiles: Option<bool>,
    /// What all agents read: by_hand (what somebody shares one by one), confirmed (also what a person confirms), or all (also what agents write)
    #[arg(long)]
    sharing: Option<Sharing>,
    /// automatic: what a person says of themselves is a memory at once, marked as unconfirmed; review: it waits in the inbox
    #[arg(long)]
    own_statements: Option<Promotion>,
}

impl PolicyOptions {
    /// The policy with the changes that were asked for.
    fn change(&self, before: CapturePolicy) -> CapturePolicy {
        let days = |change: Option<Days>, before| change.map_or(before, |Days(days)| days);
        CapturePolicy {
            episodes: self.episodes.unwrap_or(before.episodes),
            profile: self.profile.unwrap_or(before.profile),
            decisions: self.decisions.unwrap_or(before.decisions),
            others: self.others.unwrap_or(before.others),
            commons: self.commons.unwrap_or(before.commons),
            confidence_min: self.confidence_min.unwrap_or(before.confidence_min),
            outside_models: self.outside_models.unwrap_or(before.outside_models),
            sensitive: SensitiveMatters {
                health: days(self.health, before.sensitive.health),
                faith: days(self.faith, before.sensitive.faith),
                politics: days(self.politics, before.sensitive.politics),
                money: days(self.money, before.sensitive.money),
                ethnicity: days(self.ethnicity, before.sensitive.ethnicity),
            },
            shared_profiles: self.shared_profiles.unwrap_or(before.shared_profiles),
            sharing: self.sharing.unwrap_or(before.sharing),
            own_statements: self.own_statements.unwrap_or(before.own_statements),
        }
    }
}

/// Changes the policy if an option asks for it, and prints it in the form of the options.
pub async fn capture(engine: &Engine, options: PolicyOptions) -> Result<(), Failure> {
    let ctx = identity::open_tenant(engine, &options.tenant).await?;
    let before = identity::policy(engine, &ctx).await?;
    let policy = options.change(before);
    // NaN equals nothing, so it is never taken for the value that is there.
    if policy != before {
        identity::set_policy(engine, &ctx, policy).await?;
    }
    let CapturePolicy { episodes, profile, decisions, others, commons, own_statements, .. } = policy;
    let CapturePolicy { confidence_min, outside_models, sensitive, shared_profiles, sharing, .. } = policy;
    println!("--episodes {episodes} --profile {profile} --decisions {decisions} --others {others} --commons {commons}");
    println!("--own-statements {own_statements} --sharing {sharing}");
    println!("--confidence-min {confidence_min} --outside-models {outside_models} --shared-profiles {shared_profiles}");
    for matter in Matter::ALL {
        print!("--{matter} {} ", Days(sensitive.days(*matter)));
    }
    println!();
    Ok(())
}

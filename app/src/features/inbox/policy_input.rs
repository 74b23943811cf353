use crate::form::form;
use wire::{CapturePolicy, FieldError, MATTER_DAYS_MAX, Matter, Promotion, SensitiveMatters};

/// The choices for a sensitive matter.
pub const KEEP_OUT: &str = "keep_out";
pub const ALLOW: &str = "allow";
pub const LIMIT: &str = "limit";

form! {
    /// The fields of the policy form, as they were entered.
    pub struct PolicyInput {
        pub episodes: String,
        pub profile: String,
        pub decisions: String,
        pub others: String,
        pub commons: String,
        /// In percent.
        pub confidence_min: String,
        /// `true` if the box is ticked.
        pub outside_models: String,
        /// For each sensitive matter whether profiles may hold it, and for how many days.
        pub health: String,
        pub health_days: String,
        pub faith: String,
        pub faith_days: String,
        pub politics: String,
        pub politics_days: String,
        pub money: String,
        pub money_days: String,
        pub ethnicity: String,
        pub ethnicity_days: String,
        /// `true` if the box is ticked.
        pub shared_profiles: String,
        /// What becomes shared by itself.
        pub sharing: String,
        pub own_statements: String,
    }
}

impl PolicyInput {
    /// The choice for a sensitive matter and its days, as they were entered.
    pub fn matter(&self, matter: Matter) -> (&str, &str) {
        match matter {
            Matter::Health => (&self.health, &self.health_days),
            Matter::Faith => (&self.faith, &self.faith_days),
            Matter::Politics => (&self.politics, &self.politics_days),
            Matter::Money => (&self.money, &self.money_days),
            Matter::Ethnicity => (&self.ethnicity, &self.ethnicity_days),
        }
    }

    /// The policy.
    ///
    /// # Errors
    /// The field that is missing or that does not fit.
    pub fn policy(&self) -> Result<CapturePolicy, FieldError> {
        let percent = self.confidence_min.trim().parse::<u8>().ok().filter(|percent| *percent <= 100);
        Ok(CapturePolicy {
            episodes: promotion("episodes", &self.episodes)?,
            profile: promotion("profile", &self.profile)?,
            decisions: promotion("decisions", &self.decisions)?,
            others: promotion("others", &self.others)?,
            commons: promotion("commons", &self.commons)?,
            confidence_min: f32::from(percent.ok_or_else(|| FieldError::new("confidence_min", "Enter a whole number from 0 to 100."))?)
                / 100.0,
            outside_models: self.outside_models == "true",
            sensitive: SensitiveMatters {
                health: self.days(Matter::Health)?,
                faith: self.days(Matter::Faith)?,
                politics: self.days(Matter::Politics)?,
                money: self.days(Matter::Money)?,
                ethnicity: self.days(Matter::Ethnicity)?,
            },
            shared_profiles: self.shared_profiles == "true",
            sharing: self.sharing.parse().map_err(|_| FieldError::new("sharing", "Choose what is shared by itself."))?,
            own_statements: promotion("own_statements", &self.own_statements)?,
        })
    }

    /// The days for which profiles keep a matter: 0 if it is kept out, `None` without a limit.
    fn days(&self, matter: Matter) -> Result<Option<i32>, FieldError> {
        let (choice, days) = self.matter(matter);
        match choice {
            ALLOW => Ok(None),
            LIMIT => match days.trim().parse() {
                Ok(days) if (1..=MATTER_DAYS_MAX).contains(&days) => Ok(Some(days)),
                _ => Err(FieldError::new(matter.as_str(), format!("Enter a number of days from 1 to {MATTER_DAYS_MAX}."))),
            },
            _ => Ok(Some(0)),
        }
    }
}

fn promotion(field: &str, text: &str) -> Result<Promotion, FieldError> {
    text.parse().map_err(|_| FieldError::new(field, "Choose one of the two."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Query;

    #[test]
    fn the_form_holds_a_policy() {
        let all = "episodes=automatic&profile=review&decisions=review&others=review&commons=automatic&sharing=confirmed\
                   &own_statements=automatic&confidence_min=";
        let read = |percent: &str| PolicyInput::read(&Query::parse(&format!("{all}{percent}"))).policy();
        assert_eq!(read("50"), Ok(CapturePolicy::default()));
        assert_eq!(read("101").unwrap_err().field, "confidence_min");
        assert_eq!(PolicyInput::default().policy().unwrap_err().field, "episodes");
        let health = |fields: &str| read(&format!("50&{fields}")).map(|policy| policy.sensitive.health);
        assert_eq!((health("health=allow"), health("health=limit&health_days=30")), (Ok(None), Ok(Some(30))));
        assert_eq!((health("health=keep_out&health_days=30"), health("health=limit").unwrap_err().field), (Ok(Some(0)), "health".into()));
    }
}

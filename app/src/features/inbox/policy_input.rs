use crate::query::Query;
use remembrancer::api::SensitiveMatters;
#[cfg(feature = "ssr")]
use remembrancer::api::{CapturePolicy, FieldError, Promotion};
use serde::{Deserialize, Serialize};

/// The fields of the policy form, as they were entered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
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
    /// `true` for each sensitive matter that profiles may hold.
    pub health: String,
    pub faith: String,
    pub politics: String,
    pub money: String,
}

impl PolicyInput {
    /// Reads the fields out of a query.
    pub fn read(query: &Query) -> Self {
        let text = |name: &str| query.text(name);
        Self {
            episodes: text("episodes"),
            profile: text("profile"),
            decisions: text("decisions"),
            others: text("others"),
            commons: text("commons"),
            confidence_min: text("confidence_min"),
            outside_models: text("outside_models"),
            health: text("health"),
            faith: text("faith"),
            politics: text("politics"),
            money: text("money"),
        }
    }
}

impl PolicyInput {
    /// The sensitive matters that are ticked.
    pub fn sensitive(&self) -> SensitiveMatters {
        let ticked = |text: &str| text == "true";
        SensitiveMatters {
            health: ticked(&self.health),
            faith: ticked(&self.faith),
            politics: ticked(&self.politics),
            money: ticked(&self.money),
        }
    }
}

#[cfg(feature = "ssr")]
impl PolicyInput {
    /// Writes the fields into a query, from which a refused form is filled in again.
    pub fn query(&self) -> Query {
        [
            ("episodes", &self.episodes),
            ("profile", &self.profile),
            ("decisions", &self.decisions),
            ("others", &self.others),
            ("commons", &self.commons),
            ("confidence_min", &self.confidence_min),
            ("outside_models", &self.outside_models),
            ("health", &self.health),
            ("faith", &self.faith),
            ("politics", &self.politics),
            ("money", &self.money),
        ]
        .into_iter()
        .fold(Query::default(), |query, (name, value)| query.with(name, value))
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
            confidence_min: f32::from(percent.ok_or_else(|| wrong("confidence_min", "Enter a whole number from 0 to 100."))?) / 100.0,
            outside_models: self.outside_models == "true",
            sensitive: self.sensitive(),
        })
    }
}

#[cfg(feature = "ssr")]
fn promotion(field: &str, text: &str) -> Result<Promotion, FieldError> {
    text.parse().map_err(|_| wrong(field, "Choose one of the two."))
}

#[cfg(feature = "ssr")]
fn wrong(field: &str, message: &str) -> FieldError {
    FieldError { field: field.to_owned(), message: message.to_owned() }
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::*;

    #[test]
    fn the_form_holds_a_policy() {
        let all = "episodes=automatic&profile=review&decisions=review&others=review&commons=automatic&confidence_min=";
        let read = |percent: &str| PolicyInput::read(&Query::parse(&format!("{all}{percent}"))).policy();
        assert_eq!(read("50"), Ok(CapturePolicy::default()));
        assert_eq!(read("101").unwrap_err().field, "confidence_min");
        assert_eq!(PolicyInput::default().policy().unwrap_err().field, "episodes");
    }
}

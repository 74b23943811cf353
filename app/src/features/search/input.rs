use crate::{
    form::form,
    query::Query,
    ui::{Parsed, parsed},
};
use wire::{AgentId, FieldError, SearchPolicy, Weights};

/// What the page is asked: whose documents it shows, and which weights it tries with which question.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    pub agent: Option<AgentId>,
    pub q: String,
    /// The weights to try; none in a URL without any.
    pub policy: Option<SearchPolicy>,
}

impl Look {
    pub fn read(query: &Query) -> Parsed<Self> {
        parsed(|errors| {
            let input = SearchInput::read(query);
            let policy = (input != SearchInput::default()).then(|| input.policy().map_err(|wrong| errors.extend(wrong)).ok()).flatten();
            Self { agent: query.read("agent", "Choose one of the agents.", errors), q: query.text("q"), policy }
        })
    }
}

form! {
    /// The fields of the form of weights, as they were entered.
    pub struct SearchInput {
        pub similarity: String,
        pub recency: String,
        pub importance: String,
        pub source_priority: String,
        /// Empty: the floors of the model.
        pub similarity_min: String,
    }
}

impl SearchInput {
    pub fn of(policy: &SearchPolicy) -> Self {
        let weights = policy.weights;
        Self {
            similarity: weights.similarity.to_string(),
            recency: weights.recency.to_string(),
            importance: weights.importance.to_string(),
            source_priority: weights.source_priority.to_string(),
            similarity_min: policy.similarity_min.map(|least| least.to_string()).unwrap_or_default(),
        }
    }

    /// The policy.
    ///
    /// # Errors
    /// Every field that is no number.
    pub fn policy(&self) -> Result<SearchPolicy, Vec<FieldError>> {
        let mut errors = Vec::new();
        let mut number = |field: &str, text: &str| match text.trim().parse::<f64>() {
            Ok(value) => value,
            Err(_) => {
                errors.push(FieldError::new(field, "Enter a number from 0 to 1."));
                0.0
            }
        };
        let weights = Weights {
            similarity: number("weights.similarity", &self.similarity),
            recency: number("weights.recency", &self.recency),
            importance: number("weights.importance", &self.importance),
            source_priority: number("weights.source_priority", &self.source_priority),
        };
        let least = self.similarity_min.trim();
        let similarity_min = (!least.is_empty()).then(|| number("similarity_min", least));
        if errors.is_empty() { Ok(SearchPolicy { weights, similarity_min }) } else { Err(errors) }
    }
}

/// The categories of a text, which separates them by commas.
pub fn categories(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|category| !category.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_holds_a_policy() {
        let policy = SearchPolicy { similarity_min: Some(0.4), ..SearchPolicy::default() };
        let form = SearchInput::of(&policy);
        assert_eq!(SearchInput::read(&form.query()).policy(), Ok(policy));
        let without = SearchInput { similarity_min: String::new(), ..form.clone() };
        assert_eq!(without.policy(), Ok(SearchPolicy::default()));
        let wrong = SearchInput { recency: "often".into(), similarity_min: "0,4".into(), ..form };
        let fields: Vec<_> = wrong.policy().unwrap_err().into_iter().map(|error| error.field).collect();
        assert_eq!(fields, ["weights.recency", "similarity_min"]);
    }

    #[test]
    fn a_url_tries_all_weights_or_none() {
        let plain = Look::read(&Query::parse("q=kestrel")).unwrap();
        assert_eq!(plain, Look { agent: None, q: "kestrel".into(), policy: None });
        let tried = SearchPolicy { similarity_min: None, weights: Weights { recency: 0.9, ..Weights::default() } };
        assert_eq!(Look::read(&SearchInput::of(&tried).query()).unwrap().policy, Some(tried));
        let fields: Vec<_> =
            Look::read(&Query::parse("similarity=0.4&recency=often")).unwrap_err().into_iter().map(|error| error.field).collect();
        assert_eq!(fields, ["weights.recency", "weights.importance", "weights.source_priority"]);
    }

    #[test]
    fn categories_are_separated_by_commas() {
        assert_eq!(categories(" adr, billing ,,handbook"), ["adr", "billing", "handbook"]);
        assert_eq!(categories(" , "), [] as [&str; 0]);
    }
}

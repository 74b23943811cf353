//! The fields of a decision, as a form sends them and the URL of a confirmation carries them.

use crate::form::form;
use wire::{FieldError, TermChange, TermId, Verdict};

form! {
    /// A verdict on proposals or a change of a term as it was entered; fields that do not belong to it are empty.
    pub struct DecisionInput {
        /// `approve`, `merge` or `reject`; `rename`, `define`, `alias`, `unalias`, `combine` or `retire`.
        pub what: String,
        pub term: String,
        pub definition: String,
        pub category: String,
        pub alias: String,
        /// Another term, by its id, its name or an alias.
        pub into: String,
        pub reason: String,
    }
}

impl DecisionInput {
    /// Whether the term has another name than the one whose effect was `shown`.
    pub fn renames(&self, shown: &str) -> bool {
        self.what == "approve" && !shown.is_empty() && !self.term.trim().is_empty() && self.term.trim() != shown
    }

    /// The verdict, once the term to merge into is known.
    ///
    /// # Errors
    /// The field that is missing or names no term.
    pub fn verdict(&self, into: Option<TermId>) -> Result<Verdict, FieldError> {
        match self.what.as_str() {
            "approve" => Ok(Verdict::Approve {
                term: filled(&self.term),
                definition: self.definition.trim().to_owned(),
                category: filled(&self.category),
            }),
            "merge" => into.map(|term_id| Verdict::Merge { term_id }).ok_or_else(|| self.no_term()),
            "reject" => Ok(Verdict::Reject { reason: self.reason.clone() }),
            _ => Err(FieldError::new("what", "Choose whether to approve, to merge or to reject.")),
        }
    }

    /// The change of a term, once the term to combine with is known.
    ///
    /// # Errors
    /// The field that is missing or names no term.
    pub fn change(&self, into: Option<TermId>) -> Result<TermChange, FieldError> {
        match self.what.as_str() {
            "rename" => Ok(TermChange::Rename { term: self.term.clone() }),
            "define" => Ok(TermChange::Define { definition: self.definition.trim().to_owned(), category: filled(&self.category) }),
            "alias" => Ok(TermChange::Alias { alias: self.alias.clone() }),
            "unalias" => Ok(TermChange::Unalias { alias: self.alias.clone() }),
            "combine" => into.map(|into| TermChange::Combine { into }).ok_or_else(|| self.no_term()),
            "retire" => Ok(TermChange::Retire { reason: self.reason.clone() }),
            _ => Err(FieldError::new("what", "Choose what to change.")),
        }
    }

    /// The error for a term that is missing or that no term in use is called.
    fn no_term(&self) -> FieldError {
        match self.into.trim() {
            "" => FieldError::new("into", "Choose an existing term."),
            text => FieldError::new("into", format!("No active term is called “{text}”. Choose a term from the list.")),
        }
    }
}

fn filled(text: &str) -> Option<String> {
    Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Query;

    #[test]
    fn a_url_and_a_form_carry_the_same() {
        let input = DecisionInput::read(&Query::parse("ids=1&what=approve&term=staging+database&category=infra"));
        assert_eq!(DecisionInput::read(&input.query()), input);
        let expected =
            Verdict::Approve { term: Some("staging database".into()), definition: String::new(), category: Some("infra".into()) };
        assert_eq!(input.verdict(None), Ok(expected));
        let merge = |url: &str| DecisionInput::read(&Query::parse(url)).verdict(None).unwrap_err();
        assert_eq!((merge("what=merge").field.as_str(), merge("what=merge").message.as_str()), ("into", "Choose an existing term."));
        assert_eq!(merge("what=merge&into=+tea").message, "No active term is called “tea”. Choose a term from the list.");
        assert_eq!(DecisionInput::default().change(None).unwrap_err().field, "what");
    }

    #[test]
    fn another_name_is_noticed() {
        let input = |term: &str| DecisionInput { what: "approve".into(), term: term.into(), ..DecisionInput::default() };
        assert!(input("staging database").renames("stg db"));
        assert!(!input(" stg db ").renames("stg db") && !input("").renames("stg db") && !input("x").renames(""));
    }
}

//! Turns each decision into rows to close and rows to open. Pure.

use chrono::{DateTime, Utc};
use foundation::Error;
use foundation::terms::{Alias, Plan, State, TermName};
use uuid::Uuid;
use wire::{TermChange, TermId, Verdict};
use words::normal;

/// Makes plans at a moment, with ids from the clock.
pub struct Planner<'a> {
    pub state: &'a State,
    pub now: DateTime<Utc>,
    pub new_id: &'a (dyn Fn() -> Uuid + Send + Sync),
}

/// Rows of terms and of aliases.
pub type Rows = (Vec<TermName>, Vec<Alias>);

#[derive(Clone, Copy, Debug, Default)]
pub struct NewTerm<'a> {
    pub term: &'a str,
    pub definition: &'a str,
    pub category: Option<&'a str>,
    pub aliases: &'a [&'a str],
}

impl Planner<'_> {
    /// Adds a term with its aliases.
    pub fn add(&self, new: NewTerm<'_>) -> Plan {
        let term = self.name(new.term, new.definition, new.category);
        let id = term.lineage;
        // A phrase that is the name in another spelling is not an alias.
        let open_aliases = new.aliases.iter().map(|alias| self.alias(id, alias)).filter(|alias| alias.normal != term.normal).collect();
        Plan { open_terms: vec![term], open_aliases, ..Plan::default() }
    }

    /// The plan of a verdict; a rejection has an empty one.
    ///
    /// # Errors
    /// `NotFound` for a term that is not in force, `Invalid` for one name for several phrases.
    pub fn verdict(&self, phrases: &[&str], verdict: &Verdict) -> Result<Plan, Error> {
        match verdict {
            Verdict::Reject { .. } => Ok(Plan::default()),
            Verdict::Merge { term_id } => {
                self.state.term(*term_id)?;
                let open_aliases = phrases.iter().map(|phrase| self.alias(*term_id, phrase)).collect();
                Ok(Plan { open_aliases, ..Plan::default() })
            }
            Verdict::Approve { term, definition, category } => match (term.as_deref(), phrases) {
                (Some(term), [phrase]) => Ok(self.add(NewTerm { term, definition, category: category.as_deref(), aliases: &[phrase] })),
                (Some(_), _) => Err(Error::invalid("term", "can be given for one proposal at a time")),
                (None, phrases) => {
                    let open_terms = phrases.iter().map(|phrase| self.name(phrase, definition, category.as_deref())).collect();
                    Ok(Plan { open_terms, ..Plan::default() })
                }
            },
        }
    }

    /// The plan of a change to a term.
    ///
    /// # Errors
    /// `NotFound` for a term or alias that is not in force, `Invalid` for a change into itself or into nothing new.
    pub fn change(&self, id: TermId, change: &TermChange) -> Result<Plan, Error> {
        let term = self.state.term(id)?;
        match change {
            TermChange::Define { definition, category } => {
                if *definition == term.definition && *category == term.category {
                    return Err(Error::invalid("definition", "is unchanged"));
                }
                let next = TermName { definition: definition.clone(), category: category.clone(), ..self.next(term) };
                Ok(Plan { close_terms: vec![term.id], open_terms: vec![next], ..Plan::default() })
            }
            TermChange::Rename { term: name } => {
                if name.trim() == term.term {
                    return Err(Error::invalid("term", "is already its name"));
                }
                let next = TermName { term: name.trim().to_owned(), normal: normal(name), ..self.next(term) };
                // An alias that becomes the name is closed; the old name becomes an alias.
                let close_aliases = self.state.aliases_of(id).filter(|alias| alias.normal == next.normal).map(|alias| alias.id).collect();
                let open_aliases = if next.normal == term.normal { vec![] } else { vec![self.alias(id, &term.term)] };
                Ok(Plan { close_terms: vec![term.id], open_terms: vec![next], close_aliases, open_aliases })
            }
            TermChange::Alias { alias } => Ok(Plan { open_aliases: vec![self.alias(id, alias)], ..Plan::default() }),
            TermChange::Unalias { alias } => {
                let form = normal(alias);
                let found = self.state.aliases_of(id).find(|alias| alias.normal == form).ok_or(Error::NotFound("alias"))?;
                Ok(Plan { close_aliases: vec![found.id], ..Plan::default() })
            }
            TermChange::Combine { into } => {
                if *into == id {
                    return Err(Error::invalid("into", "is the term itself"));
                }
                self.state.term(*into)?;
                let names = self.state.aliases_of(id).map(|alias| alias.alias.as_str()).chain([term.term.as_str()]);
                Ok(Plan {
                    close_terms: vec![term.id],
                    open_aliases: names.map(|name| self.alias(*into, name)).collect(),
                    close_aliases: self.state.aliases_of(id).map(|alias| alias.id).collect(),
                    open_terms: vec![],
                })
            }
            TermChange::Retire { .. } => Ok(Plan {
                close_terms: vec![term.id],
                close_aliases: self.state.aliases_of(id).map(|alias| alias.id).collect(),
                ..Plan::default()
            }),
        }
    }

    /// Undoes a decision: closes what it opened, and opens what it closed, each by its values: a later decision that was itself undone has
    /// left new rows with the same values.
    ///
    /// # Errors
    /// `Conflict` when something that it opened is not in force: a later decision depends on it.
    pub fn undo(&self, opened: Rows, closed: Rows) -> Result<Plan, Error> {
        let term = |old: &TermName| self.state.terms.iter().find(|term| term.says_the_same(old)).map(|term| term.id);
        let alias = |old: &Alias| self.state.aliases.iter().find(|alias| alias.says_the_same(old)).map(|alias| alias.id);
        let close_terms: Option<Vec<Uuid>> = opened.0.iter().map(term).collect();
        let close_aliases: Option<Vec<Uuid>> = opened.1.iter().map(alias).collect();
        let (Some(close_terms), Some(close_aliases)) = (close_terms, close_aliases) else {
            return Err(Error::Conflict("a later decision depends on this one: undo that one first".into()));
        };
        let open_terms = closed.0.iter().map(|term| self.next(term)).collect();
        let again = |alias: Alias| Alias { id: (self.new_id)(), valid_from: self.now, ..alias };
        Ok(Plan { close_terms, open_terms, close_aliases, open_aliases: closed.1.into_iter().map(again).collect() })
    }

    fn name(&self, term: &str, definition: &str, category: Option<&str>) -> TermName {
        let id = (self.new_id)();
        TermName {
            id,
            lineage: TermId(id),
            term: term.trim().to_owned(),
            normal: normal(term),
            definition: definition.trim().to_owned(),
            category: category.map(|category| category.trim().to_owned()).filter(|category| !category.is_empty()),
            created_at: self.now,
            valid_from: self.now,
        }
    }

    fn next(&self, term: &TermName) -> TermName {
        TermName { id: (self.new_id)(), valid_from: self.now, ..term.clone() }
    }

    fn alias(&self, term_id: TermId, alias: &str) -> Alias {
        Alias { id: (self.new_id)(), term_id, alias: alias.trim().to_owned(), normal: normal(alias), valid_from: self.now }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use db::clock::{Clock, SystemClock};
    use foundation::terms::Snapshot;

    fn snapshot(terms: &[(&str, &[&str])]) -> Snapshot {
        let (clock, mut state) = (SystemClock, State::default());
        for (term, aliases) in terms {
            let planner = Planner { state: &state, now: clock.now(), new_id: &|| clock.id() };
            let plan = planner.add(NewTerm { term, aliases, ..NewTerm::default() });
            state = state.after(&plan).unwrap();
        }
        Snapshot::new(1, state)
    }

    #[test]
    fn the_longest_term_inside_a_phrase_wins() {
        let known = snapshot(&[("kubernetes", &["k8s"]), ("kubernetes secret", &[]), ("vault", &[])]);
        assert_eq!(
            known.inside("How do I rotate a Kubernetes-Secret in k8s with vault, or another vault?"),
            ["kubernetes secret", "kubernetes", "vault"]
        );
        assert!(known.inside("nothing of that").is_empty());
        assert!(snapshot(&[]).inside("vault").is_empty());
    }

    #[test]
    fn a_form_stands_for_one_term() {
        let known = snapshot(&[("Vault", &["secret store"])]);
        assert_eq!(known.resolve("SECRET_STORE").topic, "Vault");
        let planner = Planner { state: &known.state, now: SystemClock.now(), new_id: &|| SystemClock.id() };
        let error = known.state.after(&planner.add(NewTerm { term: "Secret Store", ..NewTerm::default() })).unwrap_err();
        assert_eq!(error.to_string(), "“Secret Store” already stands for “Vault”");
    }
}

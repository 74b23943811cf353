//! Turns each decision into rows to close and rows to open. Pure.

use super::model::{Alias, Plan, State, TermName};
use crate::error::Error;
use chrono::{DateTime, Utc};
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

    /// The plans of a verdict, one for each phrase; those of a rejection are empty. Of several phrases under one name, the one that it
    /// spells makes the term, otherwise the first, and the others become aliases.
    ///
    /// # Errors
    /// `NotFound` for a term that is not in force.
    pub fn verdict(&self, phrases: &[&str], verdict: &Verdict) -> Result<Vec<Plan>, Error> {
        let alias = |id: TermId, phrase: &str| Plan { open_aliases: vec![self.alias(id, phrase)], ..Plan::default() };
        Ok(match verdict {
            Verdict::Reject { .. } => vec![Plan::default(); phrases.len()],
            Verdict::Merge { term_id } => {
                self.state.term(*term_id)?;
                phrases.iter().map(|phrase| alias(*term_id, phrase)).collect()
            }
            Verdict::Approve { term, definition, category } => {
                let add = |term: &str, aliases: &[&str]| self.add(NewTerm { term, definition, category: category.as_deref(), aliases });
                let Some(name) = term.as_deref() else { return Ok(phrases.iter().map(|phrase| add(phrase, &[])).collect()) };
                let own = phrases.iter().position(|phrase| normal(phrase) == normal(name)).unwrap_or(0);
                let first = add(name, phrases.get(own..=own).unwrap_or_default());
                let id = first.open_terms.first().map(|term| term.lineage).ok_or_else(|| Error::internal("a new term has no name"))?;
                let plan = |(at, phrase): (usize, &&str)| if at == own { first.clone() } else { alias(id, phrase) };
                phrases.iter().enumerate().map(plan).collect()
            }
        })
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
    /// left new rows with the same values. Later aliases of a term that goes are closed, too: they would stand for nothing.
    ///
    /// # Errors
    /// `Conflict` when something that it opened is not in force: a later decision depends on it.
    pub fn undo(&self, opened: Rows, closed: Rows) -> Result<Plan, Error> {
        let term = |old: &TermName| self.state.terms.iter().find(|term| term.says_the_same(old)).map(|term| term.id);
        let alias = |old: &Alias| self.state.aliases.iter().find(|alias| alias.says_the_same(old)).map(|alias| alias.id);
        let close_terms: Option<Vec<Uuid>> = opened.0.iter().map(term).collect();
        let close_aliases: Option<Vec<Uuid>> = opened.1.iter().map(alias).collect();
        let (Some(close_terms), Some(mut close_aliases)) = (close_terms, close_aliases) else {
            return Err(Error::Conflict("a later decision depends on this one: undo that one first".into()));
        };
        let goes = |id: TermId| opened.0.iter().any(|term| term.lineage == id) && !closed.0.iter().any(|term| term.lineage == id);
        let stranded = |alias: &&Alias| goes(alias.term_id) && !close_aliases.contains(&alias.id);
        let stranded: Vec<Uuid> = self.state.aliases.iter().filter(stranded).map(|alias| alias.id).collect();
        close_aliases.extend(stranded);
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
    use crate::terms::Snapshot;
    use db::clock::{Clock, SystemClock};

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
    fn an_undone_term_takes_later_aliases_with_it_and_comes_back_with_them() {
        let clock = SystemClock;
        let plan = |state: &State, make: &dyn Fn(&Planner<'_>) -> Plan| {
            let plan = make(&Planner { state, now: clock.now(), new_id: &|| clock.id() });
            (state.after(&plan).unwrap(), plan)
        };
        let (known, made) = plan(&State::default(), &|planner| planner.add(NewTerm { term: "Vault", ..NewTerm::default() }));
        let id = made.open_terms[0].lineage;
        let merge = Verdict::Merge { term_id: id };
        let (merged, _) = plan(&known, &|planner| planner.verdict(&["safe"], &merge).unwrap().remove(0));
        let (undone, undo) = plan(&merged, &|planner| planner.undo((made.open_terms.clone(), vec![]), (vec![], vec![])).unwrap());
        assert!(undone.terms.is_empty() && undone.aliases.is_empty(), "nothing stands for a term that is gone: {undone:?}");
        let closed = (made.open_terms.clone(), merged.aliases.clone());
        assert_eq!((undo.close_terms.len(), undo.close_aliases.len()), (1, 1));
        let (again, _) = plan(&undone, &|planner| planner.undo((vec![], vec![]), closed.clone()).unwrap());
        assert_eq!(again.meanings(), merged.meanings());
    }

    #[test]
    fn phrases_under_one_name_become_its_aliases() {
        let plans = |term: &str| {
            let planner = Planner { state: &State::default(), now: SystemClock.now(), new_id: &|| SystemClock.id() };
            let verdict = Verdict::Approve { term: Some(term.into()), definition: String::new(), category: None };
            let plans = planner.verdict(&["jib", "Genoa"], &verdict).unwrap();
            let made = |plan: &Plan| (plan.open_terms.len(), plan.open_aliases.iter().map(|alias| alias.alias.clone()).collect());
            plans.iter().map(made).collect::<Vec<(usize, Vec<String>)>>()
        };
        assert_eq!(plans("genoa"), [(0, vec!["jib".to_owned()]), (1, vec![])], "the phrase of this name is the term");
        assert_eq!(plans("sail"), [(1, vec!["jib".to_owned()]), (0, vec!["Genoa".to_owned()])]);
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

//! The vocabulary as the engine holds it: the meanings of phrases, and how a change affects them. Pure.

use crate::error::Error;
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;
use uuid::Uuid;
use wire::{Effect, TermId};

/// The name of a term, from some moment on.
#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct TermName {
    /// The row.
    pub id: Uuid,
    /// The term through all its names: the id of its first row.
    pub lineage: TermId,
    pub term: String,
    pub normal: String,
    pub definition: String,
    pub category: Option<String>,
    pub created_at: DateTime<Utc>,
    pub valid_from: DateTime<Utc>,
}

/// Another way to say a term.
#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct Alias {
    /// The row.
    pub id: Uuid,
    pub term_id: TermId,
    pub alias: String,
    pub normal: String,
    pub valid_from: DateTime<Utc>,
}

impl TermName {
    /// Whether another row has the same values for the same term.
    pub fn says_the_same(&self, other: &Self) -> bool {
        let said = |name: &Self| (name.lineage, name.term.clone(), name.definition.clone(), name.category.clone());
        said(self) == said(other)
    }
}

impl Alias {
    /// Whether another row has the same values for the same term.
    pub fn says_the_same(&self, other: &Self) -> bool {
        (self.term_id, &self.alias) == (other.term_id, &other.alias)
    }
}

/// Everything in force.
#[derive(Clone, Debug, Default)]
pub struct State {
    pub terms: Vec<TermName>,
    pub aliases: Vec<Alias>,
}

/// Rows to close and rows to open; nothing is overwritten, so every plan has an inverse.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    pub close_terms: Vec<Uuid>,
    pub open_terms: Vec<TermName>,
    pub close_aliases: Vec<Uuid>,
    pub open_aliases: Vec<Alias>,
}

impl Plan {
    /// Several plans as one. No row may be opened by one and closed by another.
    pub fn whole(plans: impl IntoIterator<Item = Self>) -> Self {
        plans.into_iter().fold(Self::default(), |mut whole, plan| {
            whole.close_terms.extend(plan.close_terms);
            whole.open_terms.extend(plan.open_terms);
            whole.close_aliases.extend(plan.close_aliases);
            whole.open_aliases.extend(plan.open_aliases);
            whole
        })
    }
}

impl State {
    /// The name in force of a term.
    ///
    /// # Errors
    /// `NotFound` when there is none.
    pub fn term(&self, id: TermId) -> Result<&TermName, Error> {
        self.terms.iter().find(|term| term.lineage == id).ok_or(Error::NotFound("term"))
    }

    /// The aliases in force of a term.
    pub fn aliases_of(&self, id: TermId) -> impl Iterator<Item = &Alias> {
        self.aliases.iter().filter(move |alias| alias.term_id == id)
    }

    /// Normal form → canonical term.
    pub fn meanings(&self) -> BTreeMap<String, String> {
        let names: BTreeMap<TermId, &str> = self.terms.iter().map(|term| (term.lineage, term.term.as_str())).collect();
        let own = self.terms.iter().map(|term| (term.normal.clone(), term.term.clone()));
        let others = self.aliases.iter().filter_map(|alias| Some((alias.normal.clone(), (*names.get(&alias.term_id)?).to_owned())));
        others.chain(own).collect()
    }

    /// The state after a plan.
    ///
    /// # Errors
    /// `Conflict` when two terms would have the same normal form; it names the phrase and its owner.
    pub fn after(&self, plan: &Plan) -> Result<Self, Error> {
        let mut next = self.clone();
        next.terms.retain(|term| !plan.close_terms.contains(&term.id));
        next.aliases.retain(|alias| !plan.close_aliases.contains(&alias.id));
        let mut taken = next.meanings();
        let opened = plan.open_terms.iter().map(|term| (&term.normal, &term.term));
        for (normal, phrase) in opened.chain(plan.open_aliases.iter().map(|alias| (&alias.normal, &alias.alias))) {
            if normal.is_empty() {
                return Err(Error::invalid("term", format!("“{phrase}” has neither letters nor digits")));
            }
            if let Some(owner) = taken.insert(normal.clone(), phrase.clone()) {
                return Err(Error::Conflict(format!("“{phrase}” already stands for “{owner}”")));
            }
        }
        next.terms.extend(plan.open_terms.iter().cloned());
        next.aliases.extend(plan.open_aliases.iter().cloned());
        Ok(next)
    }

    /// The normal forms whose meaning a plan changes, each with the new meaning.
    ///
    /// # Errors
    /// As [`State::after`].
    pub fn changes(&self, plan: &Plan) -> Result<BTreeMap<String, Option<String>>, Error> {
        let (before, after) = (self.meanings(), self.after(plan)?.meanings());
        let gone = before.keys().filter(|form| !after.contains_key(*form)).map(|form| (form.clone(), None));
        let new =
            after.iter().filter(|(form, term)| before.get(*form) != Some(term)).map(|(form, term)| (form.clone(), Some(term.clone())));
        Ok(gone.chain(new).collect())
    }
}

/// The effect of changed meanings, with the number of memories and agents that they concern.
pub fn effect(changes: BTreeMap<String, Option<String>>, memories: i64, agents: i64) -> Effect {
    Effect { memories, agents, phrases: changes.into_iter().collect() }
}

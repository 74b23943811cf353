//! The fields of the form for a new expectation.

use crate::form::form;
use wire::{ExpectationOrigin, FieldError, MemoryRef, NewExpectation};

form! {
    /// The fields of the form for a new expectation, as they were entered.
    pub struct ExpectationInput {
        pub agent: String,
        pub user: String,
        pub q: String,
        /// References to memories, between them blanks or commas.
        pub memory: String,
        /// The name of a set that exists.
        pub set: String,
        /// The name of a new set, which counts if there is one.
        pub new_set: String,
        pub note: String,
        /// The page on which the miss was seen.
        pub from: String,
    }
}

impl ExpectationInput {
    /// What is expected.
    ///
    /// # Errors
    /// Every field that cannot be read. The engine checks the others.
    pub fn request(&self) -> Result<NewExpectation, Vec<FieldError>> {
        let (query, mut errors) = (self.query(), Vec::new());
        let agent = query.read("agent", "Choose one of the agents.", &mut errors);
        if self.agent.trim().is_empty() {
            errors.push(FieldError::new("agent", "Choose the agent that asks."));
        }
        let named = self.memory.split(|c: char| c == ',' || c.is_whitespace()).filter(|name| !name.is_empty());
        let memories: Result<Vec<MemoryRef>, _> = named.map(str::parse::<MemoryRef>).collect();
        let memories = memories.unwrap_or_else(|_| {
            errors.push(FieldError::new("memories", "Enter short ids of eight letters and digits, or UUIDs."));
            vec![]
        });
        let user_id = query.read("user", "Enter the name, the reference or the id of a person.", &mut errors);
        let origin = query.read("from", "Open the form from the page of a recall.", &mut errors).unwrap_or(ExpectationOrigin::Playground);
        let set = if self.new_set.trim().is_empty() { self.set.clone() } else { self.new_set.clone() };
        if set.trim().is_empty() {
            errors.push(FieldError::new("set", "Choose a set, or name a new one."));
        }
        match agent {
            Some(agent_id) if errors.is_empty() => {
                Ok(NewExpectation { set, query: query.text("q"), agent_id, user_id, memories, origin, note: query.owned("note") })
            }
            _ => Err(errors),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "01900000-0000-7000-8000-000000000000";

    fn input() -> ExpectationInput {
        let (agent, q, from) = (ID.to_owned(), "Which tea?".to_owned(), "zero_hit".to_owned());
        ExpectationInput { agent, q, from, memory: "k3v9x2aq".into(), set: "Tea".into(), ..ExpectationInput::default() }
    }

    fn fields(input: &ExpectationInput) -> Vec<String> {
        input.request().unwrap_err().into_iter().map(|error| error.field).collect()
    }

    #[test]
    fn several_memories_are_named_and_a_new_set_goes_before_a_chosen_one() {
        let several = ExpectationInput { memory: format!(" k3v9x2aq,\r\n{ID} "), new_set: "Coffee".into(), ..input() };
        let new = several.request().unwrap();
        assert_eq!(new.memories.iter().map(ToString::to_string).collect::<Vec<_>>(), ["k3v9x2aq", ID]);
        assert_eq!((new.set.as_str(), new.origin, new.user_id, new.note), ("Coffee", ExpectationOrigin::ZeroHit, None, None));
        assert_eq!(input().request().unwrap().set, "Tea");
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        assert_eq!(fields(&ExpectationInput::default()), ["agent", "set"], "the engine asks for the question and the memory");
        assert_eq!(fields(&ExpectationInput { memory: "k3v9x2aq the tea".into(), ..input() }), ["memories"]);
        assert_eq!(fields(&ExpectationInput { agent: "atlas".into(), from: "dream".into(), ..input() }), ["agent", "from"]);
    }
}

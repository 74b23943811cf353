//! The names that an erasure searches for: what the person is called, names that are proposed, and others that somebody types.

use crate::query::Query;
use foundation::identity::User;
use wire::erasure_name_min;

/// Most addresses that are proposed.
const ADDRESSES: usize = 3;

/// A further name by which others may mention a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    pub name: String,
    /// Where it is from, and what to mind.
    pub why: &'static str,
    /// Whether it is searched for.
    pub ticked: bool,
}

/// The names of the form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    pub typed: Vec<String>,
    pub proposals: Vec<Proposal>,
}

impl Names {
    /// The names in the URL. A form that was not sent yet has what the organisation calls the person, with the proposals that find the
    /// person rather than relatives.
    pub fn of(query: &Query, user: Option<&User>, addresses: &[String]) -> Self {
        let chosen: Vec<String> = query.all("names").flat_map(lines).collect();
        let mut proposals = proposals(user, addresses);
        if chosen.is_empty() && query.get("searched").is_none() {
            return Self { typed: user.and_then(|user| user.name.clone()).into_iter().collect(), proposals };
        }
        for proposal in &mut proposals {
            proposal.ticked = chosen.iter().any(|name| same(name, &proposal.name));
        }
        let is_typed = |name: &String| !proposals.iter().any(|proposal| same(name, &proposal.name));
        Self { typed: chosen.into_iter().filter(is_typed).collect(), proposals }
    }

    /// What is searched for.
    pub fn all(&self) -> Vec<String> {
        let ticked = self.proposals.iter().filter(|proposal| proposal.ticked).map(|proposal| proposal.name.clone());
        self.typed.iter().cloned().chain(ticked).collect()
    }
}

/// One name a line, without empty ones.
pub fn lines(names: &str) -> Vec<String> {
    names.lines().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

fn same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// The addresses and handles in a text: words with an `@`.
pub fn addresses(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && !"@._+-".contains(c)).map(|word| word.trim_matches(['.', '-']));
    words.filter(|word| word.contains('@') && word.chars().any(char::is_alphanumeric)).map(str::to_owned).collect()
}

/// Parts of the name, what is before the `@` of an e-mail address, and addresses in profiles.
fn proposals(user: Option<&User>, addresses: &[String]) -> Vec<Proposal> {
    let mut proposals: Vec<Proposal> = Vec::new();
    let mut propose = |name: &str, why, ticked| {
        let is_new = !proposals.iter().any(|proposal| same(&proposal.name, name));
        if is_new && name.chars().count() >= erasure_name_min(name) {
            proposals.push(Proposal { name: name.to_owned(), why, ticked });
        }
    };
    let called = user.and_then(|user| user.name.as_deref()).unwrap_or_default();
    let reference = user.map(|user| user.external_ref.as_str()).unwrap_or_default();
    let words: Vec<&str> = called.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).collect();
    if let [first, rest @ ..] = words.as_slice()
        && !rest.is_empty()
    {
        propose(first, "The first part of the name. Other people may have it, too: check each mention.", true);
        rest.iter().for_each(|word| propose(word, "A part of the name. Relatives may have it, too.", false));
    }
    for (local, _) in [reference, called].into_iter().filter_map(|text| text.split_once('@')) {
        propose(local, "The part of the e-mail address before the @.", true);
    }
    for address in addresses.iter().filter(|address| !same(address, reference) && !same(address, called)).take(ADDRESSES) {
        propose(address, "In the person’s profile. It may be somebody else’s.", false);
    }
    proposals
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::UserId;

    fn user(reference: &str, name: Option<&str>) -> User {
        User { id: UserId(uuid::Uuid::nil()), external_ref: reference.to_owned(), name: name.map(str::to_owned) }
    }

    fn proposed(user: &User) -> Vec<(String, bool)> {
        proposals(Some(user), &[]).into_iter().map(|proposal| (proposal.name, proposal.ticked)).collect()
    }

    #[test]
    fn a_form_that_was_not_sent_searches_for_the_person_and_not_for_relatives() {
        let vera = user("vera.holm@example.com", Some("Vera Holm"));
        let names = Names::of(&Query::parse("user=vera.holm@example.com"), Some(&vera), &[]);
        assert_eq!(names.all(), ["Vera Holm", "Vera", "vera.holm"]);
        assert_eq!(proposed(&vera), [("Vera".into(), true), ("Holm".into(), false), ("vera.holm".into(), true)]);
        assert_eq!(Names::of(&Query::default(), None, &[]), Names::default());
    }

    #[test]
    fn a_form_that_was_sent_searches_for_what_it_has() {
        let vera = user("crm-4711", Some("Vera Holm"));
        let sent = |query: &str| Names::of(&Query::parse(query), Some(&vera), &[]);
        assert_eq!(sent("searched=true&names=Vee%0D%0A+Vera+Holm+&names=holm").all(), ["Vee", "Vera Holm", "Holm"]);
        assert!(sent("searched=true").all().is_empty(), "all names were taken out");
        assert_eq!(sent("names=Vera").typed, [] as [String; 0], "it is ticked");
    }

    #[test]
    fn addresses_in_profiles_are_proposed_and_not_ticked() {
        let found = addresses("Write to vera.holm@example.com, (or @vee_h). 3 @ 4 is no address.");
        assert_eq!(found, ["vera.holm@example.com", "@vee_h"]);
        let names = Names::of(&Query::default(), Some(&user("vera.holm@example.com", None)), &found);
        assert_eq!(names.all(), ["vera.holm"], "an address may be somebody else's");
        assert_eq!(names.proposals.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["vera.holm", "@vee_h"]);
        let chosen = Names::of(&Query::parse("names=%40vee_h"), None, &found);
        assert_eq!((chosen.all(), chosen.typed.len()), (vec!["@vee_h".to_owned()], 0));
    }

    #[test]
    fn nothing_is_proposed_that_would_be_refused_or_that_is_the_name_itself() {
        for name in [Some("Vera"), Some("王芳"), None, Some("")] {
            assert_eq!(proposed(&user("crm-4711", name)), [], "{name:?}");
        }
        assert_eq!(proposed(&user("vera@example.com", Some("(Vera) J. Li"))), [("Vera".into(), true)]);
        assert_eq!(proposed(&user("crm-4711", Some("田中 太郎"))), [("田中".into(), true), ("太郎".into(), false)]);
    }
}

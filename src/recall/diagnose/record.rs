//! The gates of the record: whose memory it is, its state, and the filters of the recall.

use super::facts::Facts;
use super::{passed, stopped};
use chrono::{DateTime, Utc};
use db::Users;
use wire::{Gate, GateResult, KeyScope, MemoryStatus, Mend, MendLink, Retention, UserId};

/// In their order.
pub(super) fn gates(facts: &Facts<'_>) -> Vec<GateResult> {
    let tenant = passed(Gate::Tenant, "The organisation has this memory.");
    let checks = [key, agent, user, status, deleted, expired, archived, filters];
    std::iter::once(tenant).chain(checks.iter().map(|check| check(facts))).collect()
}

fn key(facts: &Facts<'_>) -> GateResult {
    if facts.agent_recall.may(KeyScope::MemoryRead) {
        return passed(Gate::Key, "A key of the agent may recall.");
    }
    let mend = Mend::new("Create a key with this scope: remembrancer key create.");
    stopped(Gate::Key, "No valid key of the agent has the scope memory:read.", mend)
}

fn agent(facts: &Facts<'_>) -> GateResult {
    let [agent, commons] = facts.agent_recall.agents;
    match facts.memory.agent_id {
        owner if owner == agent => passed(Gate::Agent, "It is the agent’s own."),
        owner if owner == commons => passed(Gate::Agent, "It is shared by all agents."),
        _ => {
            let owner = &facts.owner;
            let mend = Mend::new(format!("Let {owner} store it as shared memory, or tell {} the same.", facts.agent_recall.agent.slug));
            stopped(Gate::Agent, format!("It belongs to the agent {owner}, and agents recall only their own and shared memories."), mend)
        }
    }
}

fn user(facts: &Facts<'_>) -> GateResult {
    let Some(owner) = facts.memory.user_id else {
        return passed(Gate::User, "It belongs to no user, so recalls for every user can return it.");
    };
    if Users::from(facts.agent_recall.user).include(Some(owner)) {
        return passed(Gate::User, "It belongs to the user of the recall.");
    }
    let asked_for = facts.agent_recall.user.map_or("no user".to_owned(), |UserId(user)| format!("the user {user}"));
    let mend = Mend::new("Recall on behalf of the user to whom it belongs.").at(MendLink::User(owner));
    stopped(Gate::User, format!("It belongs to the user {owner}, and the recall is on behalf of {asked_for}."), mend)
}

fn status(facts: &Facts<'_>) -> GateResult {
    let memory = &facts.memory;
    match memory.status {
        MemoryStatus::Active => passed(Gate::Status, "Recalls return memories of its status, active."),
        MemoryStatus::Contradicted => {
            passed(Gate::Status, "Its status is contradicted, and a recall returns it with the memories that contradict it.")
        }
        MemoryStatus::Archived => passed(Gate::Status, "Its status, archived, is judged below."),
        MemoryStatus::Inbox if memory.deleted_at.is_some() => {
            let mend = Mend::new("Undo the rejection in the inbox.").at(MendLink::Candidate(memory.id));
            stopped(Gate::Status, "It was a candidate of the inbox and was rejected.", mend)
        }
        MemoryStatus::Inbox => {
            let mend = Mend::new("Confirm it in the inbox.").at(MendLink::Candidate(memory.id));
            stopped(Gate::Status, "It is a candidate in the inbox and waits for a decision.", mend)
        }
        MemoryStatus::Superseded => {
            let Some(newer) = &facts.newer else {
                let mend = Mend::new("See its history.").at(MendLink::Memory(memory.id));
                return stopped(Gate::Status, "It was superseded.", mend);
            };
            let mend = Mend::new("The newer memory answers instead. If the older one is right, remove the link between them.");
            let detail = format!("It was superseded by “{}” ({}).", newer.other_topic, newer.other_short_id);
            stopped(Gate::Status, detail, mend.at(MendLink::Memory(newer.other_id)))
        }
    }
}

fn deleted(facts: &Facts<'_>) -> GateResult {
    let memory = &facts.memory;
    let Some(at) = memory.deleted_at else { return passed(Gate::Deleted, "It is not deleted.") };
    let by = memory.deleted_by.as_deref().map_or_else(String::new, |by| format!(" by {by}"));
    let mend = Mend::new("Restore it on its page.").at(MendLink::Memory(memory.id));
    stopped(Gate::Deleted, format!("It was deleted on {}{by}.", day(at)), mend)
}

fn expired(facts: &Facts<'_>) -> GateResult {
    let memory = &facts.memory;
    match memory.expires_at {
        None => passed(Gate::Expired, "It does not expire."),
        Some(end) if end > facts.agent_recall.now => {
            passed(Gate::Expired, format!("It expires on {}; its retention is {}.", day(end), memory.retention))
        }
        Some(end) => {
            let mend = format!("Let the agent remember it again with a longer retention, such as {}.", Retention::Permanent);
            stopped(
                Gate::Expired,
                format!("It expired on {}; its retention is {}.", day(end), memory.retention),
                Mend::new(mend).at(MendLink::Memory(memory.id)),
            )
        }
    }
}

/// A memory may be out of the live set without being deleted or of a status that says so.
fn archived(facts: &Facts<'_>) -> GateResult {
    let memory = &facts.memory;
    let set_aside =
        !memory.live && memory.deleted_at.is_none() && matches!(memory.status, MemoryStatus::Active | MemoryStatus::Contradicted);
    let detail = match facts.compared.archived_at {
        Some(at) => format!("It was archived on {}.", day(at)),
        None if set_aside || memory.status == MemoryStatus::Archived => "It is archived.".into(),
        None => return passed(Gate::Archived, "It is not archived."),
    };
    stopped(Gate::Archived, detail, Mend::new("Restore it on its page.").at(MendLink::Memory(memory.id)))
}

fn filters(facts: &Facts<'_>) -> GateResult {
    match facts.left_out_by.as_slice() {
        [] if facts.agent_recall.recall.filters.narrows() => passed(Gate::Filters, "It matches the filters of the recall."),
        [] => passed(Gate::Filters, "The recall has no filters."),
        names => {
            let names = names.join(", ");
            let mend = Mend::new("Recall without these filters, or with values that include it.");
            stopped(Gate::Filters, format!("The filters of the recall exclude it: {names}."), mend)
        }
    }
}

fn day(at: DateTime<Utc>) -> String {
    at.format("%-d %B %Y").to_string()
}

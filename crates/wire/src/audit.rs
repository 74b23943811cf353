use super::text_enum::text_enum;
use super::{AgentId, EventId, RequestId, TenantId};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

text_enum! {
    /// Who may read an audit row.
    AuditVisibility {
        Operators = "operators",
        /// Agents may search it too; what an operator typed is never there.
        Organisation = "organisation",
    }
}

text_enum! {
    /// The form of an exported audit log.
    AuditFormat {
        Csv = "csv",
        /// A JSON object on each line.
        Jsonl = "jsonl",
    }
}

/// One row of the audit log. It names fields and hashes, never content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, sqlx::FromRow)]
pub struct AuditEntry {
    pub event_id: EventId,
    /// Place in the tenant's hash chain, from 1, without gaps.
    pub seq: i64,
    pub at: DateTime<Utc>,
    /// `agent`, `operator` or `system`.
    pub actor_kind: String,
    pub actor_id: String,
    pub actor_name: String,
    /// `memory.remembered`, `memory.forgotten`, `operator.signed_in`, …
    pub action: String,
    /// `memory`, `operator`, `key`, …
    pub target_kind: String,
    pub target_id: String,
    /// What people call the target: the topic of a memory, a term, the title of a document. Only lists for people have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[sqlx(skip)]
    pub about: Option<String>,
    /// The agent whose memory was touched.
    pub agent_id: Option<AgentId>,
    pub message: String,
    pub reason: Option<String>,
    pub request_id: Option<RequestId>,
    /// Names and SHA-256 hashes of what changed.
    pub changes: serde_json::Value,
    pub visibility: AuditVisibility,
    #[serde(flatten)]
    #[sqlx(flatten)]
    pub proof: AuditProof,
}

/// What proves the place of an entry in the chain of its tenant; hashes are SHA-256 in hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, sqlx::FromRow)]
pub struct AuditProof {
    pub tenant_id: TenantId,
    /// The hash of the entry before it; zeros for the first one.
    pub previous: String,
    pub hash: String,
    /// The hash of its texts and their salt. Absent: the entry is from before texts had a table of their own, and its hash covers them.
    pub texts_hash: Option<String>,
    /// Absent once the texts are erased.
    pub salt: Option<String>,
}

/// What the audit page asks for; an absent field does not filter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AuditFilter {
    /// Part of the actor's name or id.
    pub actor: Option<String>,
    /// Beginning of the action: `memory.` finds every action on memories.
    pub action: Option<String>,
    /// The target: its id or the beginning of it; the short id or part of the topic of a memory; the slug of an agent or a project; a part of
    /// a term, of a phrase that was decided on, or of a document's title or path.
    pub target: Option<String>,
    /// The ids that `target` stands for besides those that begin with it. The server looks them up.
    #[serde(skip)]
    pub targets: Vec<String>,
    pub from: Option<DateTime<Utc>>,
    /// Exclusive.
    pub until: Option<DateTime<Utc>>,
    pub after: Option<String>,
    pub before: Option<String>,
    /// True: in the reverse of the usual order. The console sets it, no request has it.
    #[serde(skip)]
    pub reversed: bool,
}

/// Every action of the audit log, in words for people. The words of a group come before its actions.
pub const AUDIT_ACTIONS: &[(&str, &str)] = &[
    ("memory.", "Everything about memories"),
    ("memory.remembered", "Memory stored"),
    ("memory.revised", "Memory revised"),
    ("memory.amended", "Memory amended"),
    ("memory.repeated", "Memory repeated"),
    ("memory.forgotten", "Memory deleted"),
    ("memory.restored", "Memory restored"),
    ("memory.archived", "Memories archived"),
    ("memory.pinned", "Memory pinned"),
    ("memory.unpinned", "Memory unpinned"),
    ("memory.linked", "Link added"),
    ("memory.unlinked", "Link removed"),
    ("memory.contradicted", "Memory contradicted"),
    ("memory.reinstated", "Memory no longer contradicted"),
    ("memory.superseded", "Memory superseded"),
    ("memory.proposed", "Candidate waits for review"),
    ("memory.added", "Candidate added by hand"),
    ("memory.promoted", "Candidate confirmed"),
    ("memory.merged", "Candidate merged"),
    ("memory.rejected", "Candidate rejected"),
    ("memory.returned", "Candidate returned to the inbox"),
    ("memory.reviewed", "Shared memory reviewed"),
    ("memory.shared", "Memory shared with all agents"),
    ("memory.made_private", "Shared memory made private"),
    ("memory.imported", "Import"),
    ("memory.export_started", "Export started"),
    ("memory.exported", "Export finished"),
    ("proposal.decided", "Suggestion decided"),
    ("proposal.undone", "Decision on a suggestion undone"),
    ("quarantine.decided", "Quarantine decided"),
    ("quarantine.undone", "Quarantine decision undone"),
    ("profile.leaf_corrected", "Profile entry corrected"),
    ("profile.leaf_forgotten", "Profile entry forgotten"),
    ("profile.leaf_restored", "Profile entry restored"),
    ("profile.swept", "Profile entries about sensitive matters removed"),
    ("vocabulary.", "Everything about the vocabulary"),
    ("vocabulary.proposed", "Term proposed"),
    ("vocabulary.approve", "Term approved"),
    ("vocabulary.merge", "Proposal made an alias"),
    ("vocabulary.reject", "Proposal rejected"),
    ("vocabulary.add", "Term added"),
    ("vocabulary.rename", "Term renamed"),
    ("vocabulary.define", "Term described"),
    ("vocabulary.alias", "Alias added"),
    ("vocabulary.unalias", "Alias removed"),
    ("vocabulary.combine", "Terms combined"),
    ("vocabulary.retire", "Term retired"),
    ("vocabulary.undo", "Decision undone"),
    ("knowledge.", "Everything about knowledge"),
    ("knowledge.ingested", "Documents ingested"),
    ("knowledge.document", "Document changed"),
    ("knowledge.retired", "Document retired"),
    ("source.captured", "Source captured"),
    ("source.speaker_renamed", "Speaker renamed"),
    ("session.messages", "Messages stored"),
    ("context.cut", "Context cut to its budget"),
    ("event.retried", "Event retried"),
    ("webhook.", "Everything about webhooks"),
    ("webhook.created", "Webhook created"),
    ("webhook.changed", "Webhook changed"),
    ("webhook.rotated", "Secret of a webhook replaced"),
    ("webhook.removed", "Webhook removed"),
    ("webhook.disabled", "Webhook disabled after failures"),
    ("survey.requested", "Comparison requested"),
    ("sweep.requested", "Sweep requested"),
    ("history.swept", "Old history removed"),
    ("lifecycle.changed", "Lifecycle policy changed"),
    ("policy.changed", "Policy changed"),
    ("operator.", "Everything about operators"),
    ("operator.signed_in", "Signed in"),
    ("operator.sign_in_failed", "Sign-in failed"),
    ("operator.signed_out", "Signed out"),
    ("operator.created", "Operator created"),
    ("operator.disabled", "Operator disabled"),
    ("operator.restored", "Operator restored"),
    ("operator.password_reset", "Password reset"),
    ("operator.password_changed", "Own password changed"),
    ("operator.roles_set", "Roles changed"),
    ("operator.changed", "Operator changed"),
    ("operator.invited", "Operator invited"),
    ("operator.invitation_withdrawn", "Link for an operator withdrawn"),
    ("operator.password_offered", "Link for a new password made"),
    ("operator.sessions_ended", "Sessions ended"),
    ("operator.identity_detached", "Identity detached"),
    ("operator.identity_attached", "Identity attached"),
    ("key.", "Everything about API keys"),
    ("key.created", "Key created"),
    ("key.revoked", "Key revoked"),
    ("key.rotated", "Key replaced"),
    ("key.toolsets_set", "Toolsets of a key changed"),
    ("agent.", "Everything about agents"),
    ("agent.blocked", "Agent blocked"),
    ("agent.created", "Agent created"),
    ("agent.changed", "Agent changed"),
    ("agent.restored", "Agent restored"),
    ("agent.retired", "Agent retired"),
    ("agent.context_texts_set", "Storage of context texts changed"),
    ("agent.knowledge_set", "Knowledge categories changed"),
    ("agent.unblocked", "Agent unblocked"),
    ("bot.created", "Bot created"),
    ("bot.removed", "Bot removed"),
    ("bot.chat_bound", "Chat bound"),
    ("bot.chat_unbound", "Chat unbound"),
    ("project.created", "Project created"),
    ("project.linked", "Projects linked"),
    ("project.unlinked", "Projects unlinked"),
    ("repo.created", "Repository created"),
    ("erasure.", "Everything about erasures"),
    ("erasure.requested", "Erasure requested"),
    ("erasure.confirmed", "Erasure confirmed"),
    ("erasure.withdrawn", "Erasure withdrawn"),
    ("erasure.done", "Person erased"),
    ("hold.set", "Legal hold set"),
    ("hold.lifted", "Legal hold lifted"),
    ("tenant.created", "Organisation created"),
    ("usage.", "Everything about usage limits"),
    ("usage.credit_granted", "Credit granted"),
    ("usage.credit_corrected", "Credit corrected"),
    ("usage.limits_set", "Usage limits changed"),
    ("user.added", "User added"),
    ("user.changed", "User changed"),
    ("view.shared", "View shared with the organisation"),
    ("view.pinned", "View pinned"),
    ("view.made_private", "Shared view made private"),
    ("view.renamed", "Shared view renamed"),
    ("view.deleted", "Shared view deleted"),
    ("audit.exported", "Audit log exported"),
    ("expectation.", "Everything about expectations"),
    ("expectation.added", "Expectation added"),
    ("expectation.removed", "Expectation removed"),
    ("expectation.run_requested", "Run of expectations requested"),
    ("expectation.set_deleted", "Set of expectations deleted"),
];

/// What made a version of a memory, in the words of its action.
pub fn change_words(change: &str) -> &str {
    match change {
        "created" => "Memory stored",
        "archived" => "Memory archived",
        "recanonicalised" => "Memory refiled",
        _ => {
            let known = AUDIT_ACTIONS.iter().find(|(action, _)| action.strip_prefix("memory.") == Some(change));
            known.map_or(change, |(_, words)| words)
        }
    }
}

/// An action in words, or the action itself if it has none.
pub fn audit_words(action: &str) -> &str {
    AUDIT_ACTIONS.iter().find(|(known, _)| *known == action).map_or(action, |(_, words)| words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_named_like_the_entry_of_its_change() {
        for (change, action) in [("created", "memory.remembered"), ("forgotten", "memory.forgotten"), ("promoted", "memory.promoted")] {
            assert_eq!(change_words(change), audit_words(action));
        }
        assert_eq!(change_words("unheard-of"), "unheard-of");
    }
}

use super::{url, version::repeated};
use crate::{
    features::{people::PersonOf, projects::ProjectName},
    ui::{Bar, Time, Zone, chart::percent, fact, text},
};
use chrono::{DateTime, Utc};
use leptos::prelude::*;
use std::f64::consts::LN_2;
use uuid::Uuid;
use wire::{DECAY_DAYS, MemoryDetail, MemoryRecord, Retention, RetentionRule};

/// How often recalls returned a memory, and when the last one did.
pub fn recalled(times: i64, record: &MemoryRecord) -> AnyView {
    let restored = record.versions.iter().filter(|version| version.change == "restored").map(|version| version.valid_from);
    let words = text::count(times, "time", "times");
    match last_recall(times, record.last_accessed_at, restored) {
        Some(at) => view! { {words} ", last " <Time at /> }.into_any(),
        None if times > 0 => words.into_any(),
        None => "never".into_any(),
    }
}

/// The time of the last recall, if it is known: restoring a memory from the archive counts as an access of it, too.
fn last_recall(times: i64, accessed: Option<DateTime<Utc>>, mut restored: impl Iterator<Item = DateTime<Utc>>) -> Option<DateTime<Utc>> {
    accessed.filter(|at| times > 0 && !restored.any(|restored| restored == *at))
}

/// How a memory is kept, in words.
fn kept(retention: Retention) -> &'static str {
    match retention {
        Retention::Routine => "Kept as routine",
        Retention::Task => "Kept as a task",
        Retention::Decision => "Kept as a decision",
        Retention::Error => "Kept as an error",
        Retention::Permanent => "Kept permanently",
    }
}

#[component]
pub fn Facts(
    detail: MemoryDetail,
    /// Projects by id and slug.
    projects: Vec<(Uuid, String)>,
) -> impl IntoView {
    let (row, record) = (detail.memory.clone(), &detail.record);
    let (source, hash) = (row.source.clone(), detail.content_hash.clone());
    let recalled = recalled(row.recalled_count, record);
    let embedded = match detail.embedded_by.as_slice() {
        [] => "not yet; only its words are searched".to_owned(),
        models => models.join(", "),
    };
    let again = repeated(row.remembered_count, &record.versions);
    let kept = kept(record.retention);
    let retention = match row.expires_at {
        Some(at) => {
            let day = text::day(Zone::expect().local(at).date_naive());
            view! { {format!("{kept}, until {day} (")} <Time at /> ")" }.into_any()
        }
        None => kept.into_any(),
    };
    let rule = record.retention_rule.map(|rule| match rule {
        RetentionRule::Explicit => "a person asked to remember it",
        RetentionRule::Decision => "it holds a decision or an approval",
        RetentionRule::Task => "it reports a finished task",
        RetentionRule::Error => "it reports an error",
        RetentionRule::Routine => "no other rule applies",
    });
    let factors = record
        .importance_factors
        .iter()
        .map(|share| format!("{} {:+.2} (“{}”)", share.factor.as_str().replace('_', " "), share.weight, share.words));
    let factors: Vec<String> = factors.collect();
    let left = record.decayed_importance.map(|left| format!("{left:.2}; falls until a recall returns the memory"));
    let importance = format!("{:.2}{}", record.importance, if record.pinned { ", pinned" } else { "" });
    let decay = format!(
        "Falls by half every {:.0} days after the last write: exp(−days/{DECAY_DAYS}), as the ranking “decay” uses it. By default, age \
         costs a memory at most a tenth of its score.",
        DECAY_DAYS * LN_2
    );
    view! {
        <section class="card divide-y divide-line" aria-label="Facts">
            <dl class="facts p-4">
                {fact("Agent", view! { <a href=format!("/memories?agent={}", row.agent_id)>{row.agent_slug.clone()}</a> })}
                {fact("Topic as sent", text::visible(&row.topic_raw))}
                {(!detail.further_topics.is_empty()).then(|| fact("Further topics", text::visible(&detail.further_topics.join(", "))))}
                {record.subject.clone().map(|subject| fact("Subject", subject))}
                {row.user_id.map(|id| fact("User", view! { <PersonOf id /> }))}
                {record.role.map(|role| fact("Role", role.as_str().replace('_', " ")))}
                {fact("Kind", format!("{}{}", row.kind, record.category.map(|c| format!(" · {c}")).unwrap_or_default()))}
                {fact("Scope", row.scope.as_str())}
                {record.project_id.map(|id| fact("Project", view! { <ProjectName id projects /> }))}
                {record.repo_id.map(|id| fact("Repository", mono(id.to_string())))}
                {record.session_id.map(|id| {
                    let name = source.thread_id.clone().filter(|_| record.role.is_some()).unwrap_or_else(|| id.to_string());
                    fact("Session", view! { <Session name others=url::session(row.agent_id, id) /> })
                })}
                {fact("Status", if row.deleted_at.is_some() { "deleted" } else { row.status.as_str() })}
            </dl>
            <dl class="facts p-4" data-testid="provenance">
                {fact("Platform", source.platform)}
                {source.channel_id.map(|id| fact("Channel", mono(id)))}
                {source.thread_id.map(|id| fact("Thread", mono(id)))}
                {source.message_id.map(|id| fact("Message", mono(id)))}
                {source.speaker.map(|name| fact("Speaker", text::visible(&name)))}
                {source.observed_at.or(record.observed_at).map(|at| fact("Said", time(at)))}
                {fact("Origin", record.source_kind.as_str())}
                {record.filename.clone().map(|name| fact("File", name))}
                {record.attachment_id.clone().map(|id| fact("Attachment", mono(id)))}
                {record.evidence_ref.clone().map(|evidence| fact("Evidence", view! { <Evidence evidence /> }))}
            </dl>
            <dl class="facts p-4">
                {fact("Updated", time(row.updated_at))}
                {fact("Remembered", time(row.created_at))}
                {fact("Last stated", time(detail.stated_at))}
                {fact("Recalled", recalled)}
                {(again > 0).then(|| fact("Remembered again", text::count(again, "time", "times")))}
                {fact("Retention", retention)}
                {rule.map(|rule| fact("Kept because", rule))}
                {fact("Confidence", percent(record.confidence.into()))}
                {fact("Importance", importance)}
                {left.map(|left| fact("Importance now", left))}
                {(!factors.is_empty()).then(|| fact("Factors", factors.join(", ")))}
                {fact("Embedding model", embedded)}
                {fact("SHA-256", view! { <span class="block truncate font-mono text-xs" title=detail.content_hash>{hash}</span> })}
            </dl>
            <div class="p-4">
                <Bar label="Freshness" value=record.freshness />
                <p class="mt-1.5 text-xs text-soft">{decay}</p>
            </div>
        </section>
    }
}

/// A session with the way to its other messages.
#[component]
fn Session(
    /// The name that the agent gave it, or its id.
    name: String,
    /// The URL of all its memories.
    others: String,
) -> impl IntoView {
    view! {
        <span class="block font-mono text-xs wrap-anywhere">{text::visible(&name)}</span>
        <a href=others>"Other messages of this session"</a>
    }
}

/// The evidence of a memory; a link if it is a URL.
#[component]
fn Evidence(evidence: String) -> impl IntoView {
    if evidence.starts_with("https://") || evidence.starts_with("http://") {
        view! { <a class="wrap-anywhere" href=evidence.clone() rel="external noreferrer">{evidence.clone()}</a> }.into_any()
    } else {
        view! { <span class="font-mono text-xs wrap-anywhere">{evidence}</span> }.into_any()
    }
}

fn mono(text: String) -> impl IntoView {
    view! { <span class="font-mono text-xs">{text}</span> }
}

fn time(at: DateTime<Utc>) -> impl IntoView {
    view! { <Time at /> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restored_memory_was_not_recalled_at_that_moment() {
        let (recalled, restored) = (DateTime::UNIX_EPOCH, DateTime::UNIX_EPOCH + chrono::TimeDelta::days(1));
        let last = |times, accessed| last_recall(times, accessed, [restored].into_iter());
        assert_eq!(last(2, Some(recalled)), Some(recalled));
        assert_eq!(last(2, Some(restored)), None);
        assert_eq!((last(0, Some(recalled)), last(0, None)), (None, None));
    }
}

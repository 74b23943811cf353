use crate::ui::{Badge, Diff, Time, Tone, chart::percent};
use chrono::{DateTime, Utc};
use leptos::prelude::*;
use wire::{MemoryVersion, change_words};

/// The heading of a version: number, change, actor, platform and time.
#[component]
pub fn Stamp(version: MemoryVersion) -> impl IntoView {
    let tone = match version.change.as_str() {
        "forgotten" => Tone::Danger,
        "restored" => Tone::Good,
        "contradicted" => Tone::Warn,
        _ => Tone::Plain,
    };
    // Background work has no place of its own: the source is that of the memory.
    let place = (version.actor_kind != "system").then(|| view! { <span class="text-soft">"on " {version.source.platform}</span> });
    view! {
        <div class="flex flex-wrap items-baseline gap-x-2 text-sm">
            <span class="font-mono text-xs text-soft">"v" {version.version.to_string()}</span>
            <Badge tone text=change_words(&version.change) />
            <span class="min-w-0 break-words">{version.actor_name}</span>
            {place}
            <span class="ml-auto text-soft"><Time at=version.valid_from /></span>
        </div>
    }
}

/// The rationale and the rejected alternatives if they changed: a label, the old text and the new one. Nothing if either version does not
/// record them.
pub fn changed_reasons(old: &MemoryVersion, new: &MemoryVersion) -> Vec<(&'static str, String, String)> {
    let (Some(before), Some(after)) = (&old.alternatives, &new.alternatives) else { return Vec::new() };
    let text = |version: &MemoryVersion| version.rationale.clone().unwrap_or_default();
    let texts = [("Rationale", text(old), text(new)), ("Rejected alternatives", before.join("\n"), after.join("\n"))];
    texts.into_iter().filter(|(_, old, new)| old != new).collect()
}

/// The changed reasons, with removed words struck through and added words underlined.
#[component]
pub fn ChangedReasons(reasons: Vec<(&'static str, String, String)>) -> impl IntoView {
    let changed = |(label, old, new): (&'static str, String, String)| {
        view! {
            <div data-testid="changed-reasons">
                <p class="text-sm text-soft">{label} ":"</p>
                <Diff old new />
            </div>
        }
    };
    reasons.into_iter().map(changed).collect_view()
}

/// Who corrected a memory and when, by its versions, newest first; none if it says what it said before a person changed it.
pub fn corrected(versions: &[MemoryVersion]) -> Option<(String, DateTime<Utc>)> {
    let content = &versions.first()?.content;
    let at = versions.iter().position(|version| version.change == "revised")?;
    let (correction, before) = versions.get(at..)?.split_first()?;
    let in_force = by_person(correction) && before.iter().all(|version| version.content != *content);
    in_force.then(|| (correction.actor_name.clone(), correction.valid_from))
}

/// How often a memory was remembered again. New content by a person was counted, too, and repeats nothing.
pub fn repeated(remembered: i64, versions: &[MemoryVersion]) -> i64 {
    let corrections = versions.iter().filter(|version| version.change == "revised" && by_person(version)).count();
    remembered.saturating_sub(i64::try_from(corrections).unwrap_or(i64::MAX)).max(0)
}

fn by_person(version: &MemoryVersion) -> bool {
    version.actor_kind == "operator"
}

/// What happened in a version that differs in nothing else from the one before.
pub fn event(change: &str) -> &'static str {
    match change {
        "reviewed" => "A person confirmed the content.",
        "amended" => "Details were added; the content is the same.",
        "archived" => "Archived: hidden from recall.",
        "restored" => "Restored: recalls find it again.",
        _ => "The content is the same.",
    }
}

/// Sentences about everything that changed besides the content and its reasons.
pub fn changes(old: &MemoryVersion, new: &MemoryVersion) -> Vec<String> {
    let mut changes = Vec::new();
    if old.topic != new.topic {
        changes.push(format!("Topic: {} → {}", old.topic, new.topic));
    }
    if old.topic_raw != new.topic_raw {
        changes.push(format!("Topic as sent: {} → {}", old.topic_raw, new.topic_raw));
    }
    if old.is_canonical != new.is_canonical {
        let change = if new.is_canonical { "became" } else { "is no longer" };
        changes.push(format!("The topic {change} a term of the vocabulary."));
    }
    if let Some((before, after)) = old.kind.zip(new.kind).filter(|(before, after)| before != after) {
        changes.push(format!("Kind: {before} → {after}"));
    }
    let described = [
        ("Title", old.title.as_deref(), new.title.as_deref()),
        ("Summary", old.summary.as_deref(), new.summary.as_deref()),
        ("Category", old.category.map(|category| category.as_str()), new.category.map(|category| category.as_str())),
        ("Subject", old.subject.as_deref(), new.subject.as_deref()),
    ];
    if let (Some(before), Some(after)) = (old.confidence, new.confidence) {
        let differing = described.into_iter().filter(|(_, before, after)| before != after);
        changes
            .extend(differing.map(|(label, before, after)| format!("{label}: {} → {}", before.unwrap_or("none"), after.unwrap_or("none"))));
        if before != after {
            changes.push(format!("Confidence: {} → {}", percent(before.into()), percent(after.into())));
        }
    }
    if old.status != new.status {
        changes.push(format!("Status: {} → {}", old.status, new.status));
    }
    if old.deleted != new.deleted {
        changes.push(if new.deleted { "Deleted: hidden from recall." } else { "Restored: recalls find it again." }.to_owned());
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn version(change: &str, actor_kind: &str, content: &str) -> MemoryVersion {
        serde_json::from_value(json!({
            "version": 1, "change": change, "content": content, "topic": "", "topic_raw": "", "is_canonical": false, "status": "active",
            "deleted": false, "valid_from": "2026-06-14T22:30:00Z", "actor_kind": actor_kind, "actor_name": "Vera",
            "source": { "platform": "chat" },
        }))
        .unwrap()
    }

    #[test]
    fn a_correction_is_no_repetition_and_lasts_until_it_is_undone() {
        let by = |versions: &[MemoryVersion]| corrected(versions).map(|(by, _)| by);
        let created = version("created", "agent", "open at nine");
        let correction = version("revised", "operator", "open at seven");
        let versions = [version("contradicted", "agent", "open at seven"), correction.clone(), created.clone()];
        assert_eq!((by(&versions).as_deref(), repeated(1, &versions)), (Some("Vera"), 0));
        let undone = [version("revised", "operator", "open at nine"), correction.clone(), created.clone()];
        assert_eq!((by(&undone), repeated(2, &undone)), (None, 0), "the source says it again");
        let revised = [version("revised", "agent", "open at six"), correction, created.clone()];
        assert_eq!((by(&revised), repeated(2, &revised)), (None, 1), "the agent has changed it since");
        let untouched = [created];
        assert_eq!((by(&untouched), repeated(3, &untouched)), (None, 3));
    }
}

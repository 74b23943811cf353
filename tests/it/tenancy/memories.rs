//! The queries of memories: the record, its versions, links, vectors, words, lists and topics.

use super::fixture::EARLIER;
use super::queries::{Case, Query, queries};
use db::cursor::Seek;
use db::{DbError, Tx};
use remembrancer::memories::model::{Change, Details, Memory, content_hash};
use remembrancer::memories::store::{self as memories, Birth, Embedded, NewSuggestion, Repetition, StaleTopic};
use remembrancer::vocabulary::Resolved;
use wire::{MemoryFilter, MemoryId, MemoryStatus, Relation, Retention, SuggestionRelation};

fn filter(case: &Case) -> MemoryFilter {
    MemoryFilter { agent_id: Some(case.agent), ..MemoryFilter::default() }
}

/// Gives the memory of the case a further topic.
async fn add_topic(tx: &mut Tx, c: &Case) -> Result<(), DbError> {
    let mut draft = c.draft();
    (draft.topic_raw, draft.key.topic) = ("further".into(), "further".into());
    memories::add_topic(tx, c.ctx.tenancy(), &c.memory, &draft, c.now).await?;
    Ok(())
}

/// In the database of memories; kept apart by tenant and by agent.
pub const MEMORIES: &[Query] = queries! {
    "memories::by_ids" |tx, c| memories::by_ids(tx, c.ctx.tenancy(), None, &[c.id, c.other], true).await?.len();
    "memories::waiting" |tx, c|
        usize::from(memories::waiting(tx, c.ctx.tenancy(), &c.key(), &c.memory.content_hash).await?.is_some());
    "memories::reviewed" |tx, c| memories::reviewed(tx, c.ctx.tenancy(), &[c.id]).await?.len();
    "memories::same_content" |tx, c|
        usize::from(memories::same_content(tx, c.ctx.tenancy(), &c.key(), &c.memory.content_hash, c.now).await?.is_some());
    "memories::nearest" |tx, c| memories::nearest(tx, c.ctx.tenancy(), &c.key(), c.embedded(), None, 8, c.now).await?.len();
    "memories::insert" |tx, c| {
        let status = MemoryStatus::Active;
        let birth = Birth { id: MemoryId(c.fresh), short_id: "intruder", now: c.now, expires_at: None, awaiting_vector: true, status };
        memories::insert(tx, c.ctx.tenancy(), &c.draft(), &birth).await?;
        0
    };
    "memories::touch" |tx, c| {
        let repetition = Repetition { retention: Retention::Task, details: &Details::default(), expires_at: None, stated_at: c.now };
        memories::touch(tx, c.ctx.tenancy(), &c.memory, repetition, c.now).await?;
        0
    };
    "memories::revise" |tx, c| { memories::revise(tx, c.ctx.tenancy(), &c.memory, &c.draft(), None, c.now).await?; 0 };
    "memories::write_version" |tx, c| {
        sqlx::query("update agent_memories set version = version + 1 where tenant_id = $1 and id = $2 and (user_id is null or user_id = $3 or $3 = 'ffffffff-ffff-ffff-ffff-ffffffffffff')")
            .bind(c.tenant).bind(c.id).bind(c.ctx.users).execute(&mut **tx).await?;
        memories::write_version(tx, &c.ctx, c.agent, c.id, Change::Revised, None, c.now).await?;
        0
    };
    "memories::mark_deleted" |tx, c| { memories::mark_deleted(tx, c.ctx.tenancy(), &c.memory, "intruder", None, c.now).await?; 0 };
    "memories::mark_restored" |tx, c| usize::from(memories::mark_restored(tx, c.ctx.tenancy(), &c.memory).await?);
    "memories::next_version" |tx, c| { memories::next_version(tx, c.ctx.tenancy(), c.agent, c.id).await?; 0 };
    "memories::mark_captured" |tx, c| { memories::mark_captured(tx, c.ctx.tenancy(), c.agent, c.id).await?; 0 };
    "memories::mark_superseded" |tx, c| { memories::mark_superseded(tx, c.ctx.tenancy(), c.agent, c.id).await?; 0 };
    "memories::link" |tx, c| { memories::link(tx, &c.ctx, c.memory.owner(), c.other, c.id, Relation::Contradicts, c.now).await?; 0 };
    "memories::links" |tx, c| memories::links(tx, c.ctx.tenancy(), c.id).await?.len();
    "memories::unlink" |tx, c| usize::from(memories::unlink(tx, c.ctx.tenancy(), c.agent, c.id, c.other, Relation::Supports).await?);
    "memories::still_linked" |tx, c| usize::from(memories::still_linked(tx, c.ctx.tenancy(), c.id).await?.1);
    "memories::contradictions" |tx, c|
        memories::contradictions(tx, c.ctx.tenancy(), &[c.agent, c.commons], &[c.id], c.now).await?.len();
    "memories::set_status" |tx, c|
        usize::from(memories::set_status(tx, c.ctx.tenancy(), c.agent, c.id, MemoryStatus::Superseded).await?.is_some());
    "memories::by_short" |tx, c| memories::by_short(tx, c.ctx.tenancy(), &[c.agent], &c.memory.short_id, true).await?.len();
    "memories::profile_fact" |tx, c| {
        sqlx::query("update agent_memories set profile_fact = true where tenant_id = $1 and id = $2 and (user_id is null or user_id = $3 or $3 = 'ffffffff-ffff-ffff-ffff-ffffffffffff')")
            .bind(c.tenant).bind(c.id).bind(c.ctx.users).execute(&mut **tx).await?;
        usize::from(memories::profile_fact(tx, c.ctx.tenancy(), &c.draft(), c.now).await?.is_some())
    };
    "memories::recalls" |tx, c| memories::recalls(tx, c.ctx.tenancy(), c.id, 10).await?.1.len();
    "memories::removals_at" |tx, c| memories::removals_at(tx, c.ctx.tenancy(), &[c.other], c.now).await?.len();
    "memories::versions" |tx, c| memories::versions(tx, c.ctx.tenancy(), c.agent, c.id).await?.len();
    "memories::source_of_version" |tx, c| usize::from(memories::source_of_version(tx, c.ctx.tenancy(), c.agent, c.id, 1).await?.is_some());
    "memories::count" |tx, c| memories::count(tx, c.tenant, &filter(c)).await? as usize;
    "memories::list" |tx, c| memories::list(tx, c.tenant, &filter(c), &Seek::First, 10).await?.len();
    "memories::of_agent" |tx, c| memories::of_agent(tx, (c.ctx.tenancy(), &[c.agent]), &filter(c), (&Seek::First, 10), c.now).await?.1.len();
    "memories::named" |tx, c| memories::named(tx, c.tenant, "e", 100).await?.len();
    "memories::counts" |tx, c| memories::counts(tx, c.tenant, &[c.agent], c.now).await?.iter().filter(|row| row.last_write.is_some() || row.last_recall.is_some()).count();
    "memories::written_by_day" |tx, c| {
        let since = c.now.date_naive() - chrono::Duration::days(2);
        memories::written_by_day(tx, c.tenant, None, since).await?.iter().filter(|row| row.0 == c.agent).count()
    };
    "memories::stored_by" |tx, c| {
        let (starts, ends) = ([c.long_ago()], [c.now + chrono::Duration::days(1)]);
        memories::stored_by(tx, c.tenant, Some(c.agent), &starts, &ends).await?.iter().sum::<i64>() as usize
    };
    "memories::last_write" |tx, c| memories::last_write(tx, c.tenant, Some(c.agent)).await?.iter().count();
    "memories::newest" |tx, c| memories::newest(tx, c.tenant, 100).await?.iter().filter(|row| row.agent_id == c.agent).count();
    "memories::late_vectors" |tx, c| {
        memories::drop_vectors(tx, c.ctx.tenancy(), c.agent, c.id).await?;
        memories::late_vectors(tx, c.tenant, &[c.agent], c.now + chrono::Duration::days(1)).await? as usize
    };
    "memories::in_reach" |tx, c| memories::in_reach(tx, c.tenant, c.ctx.users, &[c.agent], c.now).await? as usize;
    "memories::put_vector" |tx, c| {
        let vector: Vec<f32> = c.vector.iter().rev().copied().collect();
        memories::put_vector(tx, c.ctx.tenancy(), c.agent, c.id, Embedded { vector: &vector, ..c.embedded() }, c.now).await?;
        0
    };
    "memories::add_vector" |tx, c| {
        let embedded = Embedded { model: "another", ..c.embedded() };
        memories::add_vector(tx, c.ctx.tenancy(), c.agent, c.id, embedded, c.now).await?;
        0
    };
    "memories::drop_vectors" |tx, c| { memories::drop_vectors(tx, c.ctx.tenancy(), c.agent, c.id).await?; 0 };
    "memories::sync_live" |tx, c| { memories::sync_live(tx, c.ctx.tenancy(), c.agent, &[c.id]).await?; 0 };
    "memories::embedded_by" |tx, c| memories::embedded_by(tx, c.ctx.tenancy(), c.agent, c.id).await?.len();
    "memories::refresh_vectors" |tx, c| {
        memories::refresh_vectors(tx, c.ctx.tenancy(), c.agent, c.id, None, c.now + chrono::Duration::days(1)).await?;
        0
    };
    "memories::add_words" |tx, c| { memories::add_words(tx, c.ctx.tenancy(), c.agent, c.id, "words").await?; 0 };
    "memories::put_words" |tx, c| { memories::put_words(tx, c.ctx.tenancy(), c.agent, c.id, "intruded", "words").await?; 0 };
    "memories::drop_words" |tx, c| { memories::drop_words(tx, c.ctx.tenancy(), c.agent, c.id).await?; 0 };
    "memories::lock_counts" |tx, c| memories::lock_counts(tx, c.ctx.tenancy(), &[c.agent]).await? as usize;
    "memories::count_phrases" |tx, c| memories::count_phrases(tx, c.tenant, &["tea".into()]).await?.0 as usize;
    "memories::phrases_in_use" |tx, c| memories::phrases_in_use(tx, c.tenant, &["tea".into()]).await?.len();
    "memories::with_phrase" |tx, c| memories::with_phrase(tx, c.tenant, "tea", &[c.id], 10).await?.len();
    "memories::unresolved" |tx, c|
        memories::unresolved(tx, c.tenant, &[(c.shared.decision, i64::MAX, vec!["tea".into()])]).await?.len();
    "memories::stale" |tx, c| memories::stale(tx, c.tenant, &["tea".into()], i64::MAX, 10).await?.len();
    "memories::file_under" |tx, c| {
        memories::file_under(tx, c.tenant, &c.memory, &Resolved { topic: "intruded".into(), is_canonical: false, version: 9 }).await?;
        0
    };
    "memories::copies_of" |tx, c| {
        memories::copies_of(tx, c.ctx.tenancy(), &[c.agent], &Memory { id: c.other, ..c.memory.clone() }, c.now).await?.len()
    };
    "memories::suggest" |tx, c| {
        let (owner, relation) = (c.memory.owner(), SuggestionRelation::Duplicates);
        let suggestion = NewSuggestion { owner, id: c.fresh, from: c.other, to: c.id, relation, reason: "because" };
        memories::suggest(tx, c.ctx.tenancy(), suggestion, c.now).await?;
        0
    };
    "memories::add_topic" |tx, c| { add_topic(tx, c).await?; 0 };
    "memories::take_topics" |tx, c| {
        let other = Memory { id: c.other, topic: "elsewhere".into(), ..c.memory.clone() };
        memories::take_topics(tx, c.ctx.tenancy(), &other, &c.memory, c.now).await?;
        0
    };
    "memories::drop_topics" |tx, c| { memories::drop_topics(tx, c.ctx.tenancy(), c.agent, c.id, None).await?; 0 };
    "memories::is_kept_as_earlier" |tx, c| {
        usize::from(memories::is_kept_as_earlier(tx, c.ctx.tenancy(), &c.memory, &content_hash(EARLIER)).await?)
    };
    "memories::inherit" |tx, c| {
        memories::inherit(tx, c.ctx.tenancy(), &c.memory, &Memory { id: c.other, ..c.memory.clone() }).await?;
        0
    };
    "memories::topics_of" |tx, c| memories::topics_of(tx, c.ctx.tenancy(), &[c.id], c.now).await?.len();
    "memories::stale_topics" |tx, c| {
        add_topic(tx, c).await?;
        memories::stale_topics(tx, c.tenant, &["further".into()], i64::MAX, 10).await?.len()
    };
    "memories::file_topic" |tx, c| {
        add_topic(tx, c).await?;
        let topic = StaleTopic { agent_id: c.agent, memory_id: c.id, topic_raw: "further".into() };
        memories::file_topic(tx, c.tenant, &topic, &Resolved { topic: "intruded".into(), is_canonical: false, version: 9 }).await?;
        0
    };
    "memories::topic_use" |tx, c| memories::topic_use(tx, c.tenant, &["tea".into()]).await?.len();
};

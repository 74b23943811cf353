//! Stretches of sources, what quotes them, and sources without them.

use chrono::{DateTime, Utc};
use db::{DbError, Tx, like, sql};
use extract::parts::StoredTurn;
use extract::redact::Redacted;
use sqlx::FromRow;
use sqlx::types::Json;
use std::ops::Range;
use uuid::Uuid;
use wire::{ErasureId, MemoryId, SourceForm, TenantId};

/// Stretches of sources: the part, the first byte, and the byte after the last.
#[derive(Clone, Debug, Default)]
pub struct Places {
    parts: Vec<Uuid>,
    starts: Vec<i32>,
    ends: Vec<i32>,
}

impl Places {
    /// Parts from their beginnings to their ends.
    pub fn whole(parts: &[Uuid]) -> Self {
        Self { parts: parts.to_vec(), starts: vec![0; parts.len()], ends: vec![i32::MAX; parts.len()] }
    }

    /// Adds a stretch of a part.
    pub fn add(&mut self, part: Uuid, place: Range<usize>) {
        self.parts.push(part);
        self.starts.push(i32::try_from(place.start).unwrap_or(i32::MAX));
        self.ends.push(i32::try_from(place.end).unwrap_or(i32::MAX));
    }
}

/// A part of a source with its text, which is empty for an attachment that is not text.
#[derive(Clone, Debug, FromRow)]
pub struct Text {
    pub id: Uuid,
    pub form: SourceForm,
    pub content: String,
    #[sqlx(json)]
    pub turns: Vec<StoredTurn>,
}

/// All parts of the source that has a part, in their order.
pub async fn texts(tx: &mut Tx, tenant: TenantId, part: Uuid) -> Result<Vec<Text>, DbError> {
    tx.rows(sql!(
        [tenant, part],
        r"select s.id, s.form, coalesce(s.content, '') as content, coalesce(s.turns, '[]') as turns from sources s
           where s.tenant_id = $1
             and coalesce(s.whole_id, s.id) in (select coalesce(w.whole_id, w.id) from sources w where w.tenant_id = $1 and w.id = $2)
           order by s.part"
    ))
    .await
}

/// The memories that quote nothing but some stretches. With `made`, only those that a capture made of them, also merged ones, whose quotes
/// another memory has now.
pub async fn derived(tx: &mut Tx, tenant: TenantId, places: &Places, made: bool) -> Result<Vec<MemoryId>, DbError> {
    tx.values(sql!(
        [tenant, &places.parts, &places.starts, &places.ends, made],
        r"with quotes as (
              select v.id, v.memory_id, v.candidate_id from evidence v join unnest($2::uuid[], $3::int[], $4::int[]) p (part, starts, ends)
                  on v.source_id = p.part and v.starts < p.ends and v.ends > p.starts
               where v.tenant_id = $1)
          select m.id from agent_memories m
           where m.tenant_id = $1 and m.id in (select memory_id from quotes union select candidate_id from quotes where $5)
             and (not $5 or exists (select from agent_memory_versions p where p.tenant_id = $1 and p.agent_id = m.agent_id
                                       and p.memory_id = m.id and p.change = 'proposed'
                                       and (p.actor_kind <> 'agent' or m.source->>'platform' = 'capture')))
             and not exists (select from evidence o where o.tenant_id = $1 and o.id not in (select id from quotes)
                                and (o.memory_id = m.id or o.agent_id = m.agent_id and o.candidate_id = m.id))"
    ))
    .await
}

/// Keeps which request erases some stretches: at their sources, and at the memories that quote them and stay.
pub async fn mark_erased(
    tx: &mut Tx,
    tenant: TenantId,
    request: ErasureId,
    sources: &[Uuid],
    places: &Places,
    gone: &[MemoryId],
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    tx.run(sql!(
        [tenant, &places.parts, &places.starts, &places.ends, sources, Uuid::nil(), request, now, gone],
        r"insert into erased_sources (tenant_id, agent_id, source_id, memory_id, request_id, erased_at)
          select x.tenant_id, x.agent_id, x.source_id, x.memory_id, $7::uuid, $8::timestamptz
            from (select v.tenant_id, v.agent_id, v.source_id, v.memory_id
                    from evidence v join unnest($2::uuid[], $3::int[], $4::int[]) p (part, starts, ends)
                      on v.source_id = p.part and v.starts < p.ends and v.ends > p.starts
                   where v.tenant_id = $1 and v.memory_id <> all($9)
                  union select s.tenant_id, s.agent_id, s.id, $6::uuid from sources s where s.tenant_id = $1 and s.id = any($5)) x
          on conflict do nothing"
    ))
    .await
}

/// Removes what quotes some stretches, and what they have in quarantine.
pub async fn delete_quotes(tx: &mut Tx, tenant: TenantId, places: &Places) -> Result<(), DbError> {
    tx.run(sql!(
        [tenant, &places.parts, &places.starts, &places.ends],
        r"with places as (select * from unnest($2::uuid[], $3::int[], $4::int[]) p (part, starts, ends)),
               held as (delete from quarantine q using places p
                         where q.tenant_id = $1 and q.source_id = p.part and q.starts < p.ends and q.ends > p.starts)
          delete from evidence v using places p
           where v.tenant_id = $1 and v.source_id = p.part and v.starts < p.ends and v.ends > p.starts"
    ))
    .await
}

/// How many leaves of profiles cite parts with some stretches.
pub async fn count_leaves(tx: &mut Tx, tenant: TenantId, places: &Places) -> Result<i64, DbError> {
    tx.value(sql!([tenant, &places.parts], "select count(*) from profile_leaves where tenant_id = $1 and source_ids && $2")).await
}

/// Removes the leaves of profiles that cite parts with some stretches, the documents of these leaves, the documents of sources that have
/// such a stretch or are filed under one of some names, and the narratives and assembled prompts that may repeat them.
pub async fn delete_leaves(tx: &mut Tx, tenant: TenantId, sources: &[Uuid], places: &Places, names: &[String]) -> Result<(), DbError> {
    let patterns: Vec<String> = names.iter().map(|name| like::named(name)).collect();
    tx.run(sql!(
        [tenant, &places.parts, &places.starts, &places.ends, sources, patterns],
        r"with gone as (delete from profile_leaves l where l.tenant_id = $1 and l.source_ids && $2
                        returning l.agent_id, l.id, l.user_id),
               of_sources as (delete from profile_documents d
                               where d.tenant_id = $1 and d.origin_id = any($5) and (d.metadata::text ~* any($6)
                                  or exists (select from unnest($2::uuid[], $3::int[], $4::int[]) p (part, starts, ends)
                                              where p.part = d.origin_id and d.starts < p.ends and d.ends > p.starts))
                              returning d.agent_id, d.user_id),
               of_leaves as (delete from profile_documents d using gone g
                              where d.tenant_id = $1 and d.agent_id = g.agent_id and d.origin_id = g.id),
               subjects as (select agent_id, user_id from gone union select agent_id, user_id from of_sources),
               cleared as (update profiles p set working_memory = null, narrated_at = null
                          from subjects g where p.tenant_id = $1 and p.agent_id = g.agent_id and p.user_id is not distinct from g.user_id)
          delete from context_texts t using subjects g
           where t.tenant_id = $1 and t.agent_id = g.agent_id and t.user_id is not distinct from g.user_id"
    ))
    .await
}

/// Stores a part without what names a person. Its file name, its reference and its title go where they name the person, and also where they
/// may repeat the first turn, if `retitled`.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, %part))]
pub async fn put_redacted(
    tx: &mut Tx,
    tenant: TenantId,
    part: Uuid,
    redacted: &Redacted,
    names: &[String],
    retitled: bool,
) -> Result<(), DbError> {
    let patterns: Vec<String> = names.iter().map(|name| like::named(name)).collect();
    tx.run(sql!(
        [tenant, part, &redacted.text, Json(&redacted.turns), patterns, retitled],
        r"update sources s
             set content = case when s.bytes is null then $3 end, turns = $4,
                 title = case when s.title ~* any($5) or $6 and s.title is distinct from s.filename then 'Untitled source' else s.title end,
                 reference = case when s.reference ~* any($5) or $6 and s.reference is distinct from s.filename then 'Untitled source'
                                  else s.reference end,
                 filename = case when s.filename ~* any($5) then null else s.filename end,
                 metadata = case when s.metadata::text ~* any($5) then '{}' else s.metadata end
           where s.tenant_id = $1 and s.id = $2"
    ))
    .await
}

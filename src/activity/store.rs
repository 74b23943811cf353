//! All SQL of what agents report.

use super::model::{Body, NewReport, Report, Reports};
use crate::api::{ActionKind, AgentId};
use crate::db::{DbError, Tenancy, Tx, insert, of_user, statement};
use crate::memories::model::content_hash;
use crate::ranking::bm25::{Posting, Statistics};
use crate::text::words;
use std::collections::BTreeMap;
use uuid::Uuid;

/// How many rows share the counts of a tenant's user.
const COUNT_SLOTS: u128 = 16;
/// The newest rows of each word that a search reads. Rows beyond are found by the other words of the question.
const NEWEST: i64 = 2_000;
/// How far the rows with a word are counted: a word that more rows have weighs as if exactly so many had it.
const COUNTED: i64 = 20_000;

/// Inserts reports of an agent in the name of the transaction's user, and makes their words searchable.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, %agent, reports = reports.len()))]
pub async fn insert(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, reports: &[NewReport]) -> Result<(), DbError> {
    for report in reports {
        let (kind, hash) = (report.body.kind(), content_hash(&report.body.content()));
        match &report.body {
            Body::Action { action, message, outcome, meta, .. } => {
                insert!("insert into actions" {
                    tenant_id: tenancy.tenant,
                    id: report.id,
                    agent_id: agent,
                    user_id: tenancy.users.id(),
                    session_id: &report.session_id,
                    kind: kind,
                    action: action,
                    message: message,
                    meta: meta,
                    outcome: outcome,
                    importance: report.importance,
                    searchable: report.searchable,
                    content_hash: hash,
                    created_at: report.created_at,
                } "")
                .build()
                .execute(&mut **tx)
                .await?;
            }
            Body::Step { workflow, step_name, output, completed_at } => {
                insert!("insert into workflow_steps" {
                    tenant_id: tenancy.tenant,
                    id: report.id,
                    agent_id: agent,
                    user_id: tenancy.users.id(),
                    session_id: &report.session_id,
                    workflow: workflow,
                    step_name: step_name,
                    output: output,
                    importance: report.importance,
                    searchable: report.searchable,
                    content_hash: hash,
                    completed_at: completed_at,
                    created_at: report.created_at,
                } "")
                .build()
                .execute(&mut **tx)
                .await?;
            }
        }
    }
    for of in [Reports::Actions, Reports::Steps] {
        let searchable = reports.iter().filter(|report| report.searchable && report.body.of() == of);
        let texts: Vec<Text> = searchable.map(|report| Text::new(report.id, report.body.kind(), &report.body.searched_text())).collect();
        put_words(tx, tenancy, of, &texts).await?;
    }
    Ok(())
}

/// The words of a report.
pub struct Text {
    id: Uuid,
    kind: String,
    terms: BTreeMap<String, u32>,
}

impl Text {
    /// Reads the words of a text.
    pub fn new(id: Uuid, kind: &str, text: &str) -> Self {
        Self { id, kind: kind.to_owned(), terms: words::terms(text) }
    }
}

/// Adds the words of reports of the tenancy's user, and counts the reports.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, texts = texts.len()))]
pub async fn put_words(tx: &mut Tx, tenancy: Tenancy, of: Reports, texts: &[Text]) -> Result<(), DbError> {
    let (mut terms, mut ids, mut kinds, mut counts, mut lengths) = (vec![], vec![], vec![], vec![], vec![]);
    // Rows are locked in the order of their slots, so that two writers never deadlock.
    let mut sums: BTreeMap<i16, (i64, i64)> = BTreeMap::new();
    for text in texts {
        let length = i32::try_from(text.terms.values().sum::<u32>()).unwrap_or(i32::MAX);
        let sum = sums.entry(slot(text.id)).or_default();
        *sum = (sum.0 + 1, sum.1 + i64::from(length));
        for (term, count) in &text.terms {
            terms.push(term.clone());
            ids.push(text.id);
            kinds.push(text.kind.clone());
            counts.push(*count as f32);
            lengths.push(length);
        }
    }
    let mut query = statement!(
        format!(
            r"insert into {} (tenant_id, user_id, term, id, kind, tf, length)
              select $1, $2, t.* from unnest($3::text[], $4::uuid[], $5::text[], $6::real[], $7::integer[]) as t (term, id, kind, tf, length)",
            of.terms()
        ),
        tenancy.tenant,
        tenancy.users.id(),
        terms,
        ids,
        kinds,
        counts,
        lengths,
    );
    query.build().execute(&mut **tx).await?;
    for (slot, (documents, terms)) in sums {
        sqlx::query(
            r"insert into activity_counts (tenant_id, source, user_id, slot, documents, terms) values ($1, $2, $3, $4, $5, $6)
              on conflict (tenant_id, source, user_id, slot) do update
                 set documents = activity_counts.documents + excluded.documents, terms = activity_counts.terms + excluded.terms",
        )
        .bind(tenancy.tenant)
        .bind(of.table())
        .bind(tenancy.users.id())
        .bind(slot)
        .bind(documents)
        .bind(terms)
        .execute(&mut **tx)
        .await?;
    }
    Ok(())
}

fn slot(id: Uuid) -> i16 {
    // The last bits of a version 7 UUID are random.
    i16::try_from(id.as_u128() % COUNT_SLOTS).unwrap_or_default()
}

/// What a search by words found, not yet scored.
pub struct Matches {
    /// The newest rows of each word.
    pub postings: Vec<Posting<Uuid>>,
    /// How many rows have each word, in the order of the words.
    pub frequencies: Vec<f64>,
    pub statistics: Statistics,
}

/// The words of a question in the reports in reach, of some kinds or of all. One statement, with arrays instead of a row for each word of
/// each report.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, terms = terms.len()))]
pub async fn matches(tx: &mut Tx, tenancy: Tenancy, of: Reports, terms: &[String], kinds: &[ActionKind]) -> Result<Matches, DbError> {
    type Arrays = (Vec<i64>, Vec<i32>, Vec<Uuid>, Vec<f32>, Vec<i32>, i64, i64);
    let kinds: Vec<String> = kinds.iter().map(ToString::to_string).collect();
    let (terms_of_user, counts_of_user) = (of_user!("t", "$2"), of_user!("n", "$2"));
    let table = of.terms();
    let kind = if kinds.is_empty() { "" } else { " and t.kind = any($4)" };
    let mut query = statement!(
        format!(
            r"with word as materialized (
                  select w.place, w.term,
                         (select count(*) from (select 1 from {table} t
                                                 where t.tenant_id = $1 and t.term = w.term and {terms_of_user} limit $6) c) as rows
                    from (select u.term, u.place - 1 as place from unnest($3::text[]) with ordinality as u (term, place)) w),
              posting as (
                  select w.place, t.id, t.tf, t.length
                    from word w cross join lateral (
                         select t.id, t.tf, t.length from {table} t
                          where t.tenant_id = $1 and t.term = w.term and {terms_of_user}{kind}
                          order by t.id desc limit $7) t)
              select (select coalesce(array_agg(w.rows order by w.place), '{{}}') from word w),
                     coalesce(array_agg(p.place::integer), '{{}}'), coalesce(array_agg(p.id), '{{}}'), coalesce(array_agg(p.tf), '{{}}'),
                     coalesce(array_agg(p.length), '{{}}'),
                     (select coalesce(sum(n.documents), 0)::bigint from activity_counts n
                       where n.tenant_id = $1 and n.source = $5 and {counts_of_user}),
                     (select coalesce(sum(n.terms), 0)::bigint from activity_counts n
                       where n.tenant_id = $1 and n.source = $5 and {counts_of_user})
                from posting p"
        ),
        tenancy.tenant,
        tenancy.users,
        terms,
        kinds,
        of.table(),
        COUNTED,
        NEWEST,
    );
    let (rows, places, ids, counts, lengths, documents, words): Arrays = query.build_query_as().fetch_one(&mut **tx).await?;
    let postings = places.into_iter().zip(ids).zip(counts.into_iter().zip(lengths));
    let postings = postings.map(|((term, id), (tf, length))| Posting { term, id, tf, length }).collect();
    let frequencies = rows.into_iter().map(|rows| rows.min(documents) as f64).collect();
    Ok(Matches { postings, frequencies, statistics: Statistics { documents, terms: words } })
}

/// Reports by id, of those that a search may return.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, ids = ids.len()))]
pub async fn by_ids(tx: &mut Tx, tenancy: Tenancy, of: Reports, ids: &[Uuid]) -> Result<Vec<Report>, DbError> {
    let columns = match of {
        Reports::Actions => "r.kind, r.action as title, r.message, r.outcome, r.created_at as at",
        Reports::Steps => {
            "null::text as kind, r.workflow || ' / ' || r.step_name as title, r.output as message, null::text as outcome, r.completed_at as at"
        }
    };
    let mut query = statement!(
        format!(
            r"select r.id, r.agent_id, a.slug as agent, r.importance, {columns}
                from {} r left join agents a on a.tenant_id = r.tenant_id and a.id = r.agent_id
               where r.tenant_id = $1 and r.id = any($3) and r.searchable and {}",
            of.table(),
            of_user!("r", "$2"),
        ),
        tenancy.tenant,
        tenancy.users,
        ids,
    );
    Ok(query.build_query_as().fetch_all(&mut **tx).await?)
}

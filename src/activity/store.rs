//! All SQL of what agents report.

use super::model::{Body, NewReport, Report, Reports};
use crate::memories::model::content_hash;
use db::{DbError, Tenancy, Tx, insert, of_user, sql, statement};
use foundation::index::{self, WordMatches, WordRows, slot};
use sqlx::FromRow;
use std::collections::BTreeMap;
use uuid::Uuid;
use wire::{ActionKind, AgentId};
use words::stems;

/// The newest rows of each word that a search reads, and of each kind if it is for some kinds. Rows beyond are found by the other words.
const NEWEST: i64 = 1_000;
/// The newest rows of a word with more than [`NEWEST`] by which its frequency is estimated, and how many rows around them are counted.
const SAMPLE: i64 = 200;
const AROUND: i64 = 20_000;

/// Inserts reports of an agent in the name of the transaction's user, and makes their words searchable.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, %agent, reports = reports.len()))]
pub async fn insert(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, reports: &[NewReport]) -> Result<(), DbError> {
    for report in reports {
        let (kind, hash) = (report.body.kind(), content_hash(&report.body.content()));
        match &report.body {
            Body::Action { action, message, outcome, succeeded, meta, .. } => {
                let query = insert!("insert into actions" {
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
                    succeeded: succeeded,
                    importance: report.importance,
                    searchable: report.searchable,
                    word_rules: stems::RULES,
                    content_hash: hash,
                    created_at: report.created_at,
                } "");
                tx.run(query).await?;
            }
            Body::Step { workflow, step_name, output, completed_at } => {
                let query = insert!("insert into workflow_steps" {
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
                    word_rules: stems::RULES,
                    content_hash: hash,
                    completed_at: completed_at,
                    created_at: report.created_at,
                } "");
                tx.run(query).await?;
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
        Self { id, kind: kind.to_owned(), terms: stems::terms(text) }
    }
}

/// Adds the words of reports of the tenancy's user, and counts the reports.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, texts = texts.len()))]
pub async fn put_words(tx: &mut Tx, tenancy: Tenancy, of: Reports, texts: &[Text]) -> Result<(), DbError> {
    // Rows are locked in the order of their slots, so that two writers never deadlock.
    let mut sums: BTreeMap<i16, (i64, i64)> = BTreeMap::new();
    for text in texts {
        let sum = sums.entry(slot(text.id)).or_default();
        *sum = (sum.0 + 1, sum.1 + i64::from(text.terms.values().sum::<u32>()));
    }
    let rows: WordRows<(Uuid, &str)> = texts.iter().map(|text| ((text.id, text.kind.as_str()), text.terms.clone())).collect();
    let (ids, kinds): (Vec<Uuid>, Vec<&str>) = rows.ids.into_iter().unzip();
    tx.run(statement!(
        format!(
            r"insert into {} (tenant_id, user_id, term, id, kind, tf, length)
              select $1, $2, t.*
                from unnest($3::text[], $4::uuid[], $5::text[], $6::real[], $7::integer[]) as t (term, id, kind, tf, length)",
            of.terms()
        ),
        tenancy.tenant,
        tenancy.users.id(),
        rows.terms,
        ids,
        kinds,
        rows.counts,
        rows.lengths,
    ))
    .await?;
    for (slot, (documents, terms)) in sums {
        tx.run(sql!(
            [tenancy.tenant, of.table(), tenancy.users.id(), slot, documents, terms],
            r"insert into activity_counts (tenant_id, source, user_id, slot, documents, terms) values ($1, $2, $3, $4, $5, $6)
              on conflict (tenant_id, source, user_id, slot) do update
                 set documents = activity_counts.documents + excluded.documents, terms = activity_counts.terms + excluded.terms"
        ))
        .await?;
    }
    Ok(())
}

/// What a search by words found, not yet scored.
pub struct Matches {
    /// The newest rows of each word, and the statistics of all.
    pub found: WordMatches<Uuid>,
    /// How many rows have each word, in the order of the words.
    pub frequencies: Vec<f64>,
}

/// The words of a question in the reports in reach, of some kinds or of all. One statement, with arrays instead of a row for each word of
/// each report. It reads a bounded number of rows, however many there are.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, terms = terms.len()))]
pub async fn matches(tx: &mut Tx, tenancy: Tenancy, of: Reports, terms: &[String], kinds: &[ActionKind]) -> Result<Matches, DbError> {
    #[derive(FromRow)]
    struct Row {
        #[sqlx(flatten)]
        found: WordMatches<Uuid>,
        words: Vec<i64>,
        rows: Vec<i64>,
        around: Vec<i64>,
    }
    let kinds: Vec<String> = kinds.iter().map(ToString::to_string).collect();
    let (table, words) = (of.terms(), "unnest($3::text[]) with ordinality as w (term, place)");
    let terms_of_user = of_user!("t", "$2");
    let counts_of_user = of_user!("n", "$2");
    let rows_of_user = of_user!("r", "$2");
    let posting = match kinds.as_slice() {
        [] => "select place, id, tf, length from newest".to_owned(),
        _ => format!(
            r"select w.place - 1, t.id, t.tf, t.length from {words} cross join unnest($4::text[]) as k (kind) cross join lateral (
                     select t.id, t.tf, t.length from {table} t
                      where t.tenant_id = $1 and t.term = w.term and t.kind = k.kind and {terms_of_user}
                      order by t.id desc limit $6) t"
        ),
    };
    let query = statement!(
        format!(
            r"with newest as materialized (
                  select w.place - 1 as place, t.id, t.tf, t.length, t.nth from {words} cross join lateral (
                         select t.id, t.tf, t.length, row_number() over (order by t.id desc) as nth from {table} t
                          where t.tenant_id = $1 and t.term = w.term and {terms_of_user}
                          order by t.id desc limit $6) t),
              word as materialized (
                  select n.place, count(*) as rows, (array_agg(n.id) filter (where n.nth = $7))[1] as sampled from newest n group by n.place),
              posting (place, id, tf, length) as ({posting})
              select (select coalesce(array_agg(w.place order by w.place), '{{}}') from word w) as words,
                     (select coalesce(array_agg(w.rows order by w.place), '{{}}') from word w) as rows,
                     (select coalesce(array_agg(case when w.rows < $6 then 0 else (
                                 select count(*) from (select 1 from {} r
                                                        where r.tenant_id = $1 and r.id >= w.sampled and {rows_of_user}
                                                        order by r.id desc limit $8) c)
                             end order by w.place), '{{}}') from word w) as around,
                     {},
                     (select coalesce(sum(n.documents), 0)::bigint from activity_counts n
                       where n.tenant_id = $1 and n.source = $5 and {counts_of_user}) as documents,
                     (select coalesce(sum(n.terms), 0)::bigint from activity_counts n
                       where n.tenant_id = $1 and n.source = $5 and {counts_of_user}) as terms
                from posting p",
            of.table(),
            index::match_columns(["p.place::integer", "p.id", "p.tf", "p.length", "false"])
        ),
        tenancy.tenant,
        tenancy.users,
        terms,
        kinds,
        of.table(),
        NEWEST,
        SAMPLE,
        AROUND,
    );
    let Row { found, words, rows, around } = tx.row(query).await?;
    let mut frequencies = vec![0.0; terms.len()];
    for (place, (rows, around)) in words.into_iter().zip(rows.into_iter().zip(around)) {
        if let Some(frequency) = usize::try_from(place).ok().and_then(|place| frequencies.get_mut(place)) {
            *frequency = self::frequency(rows, around, found.statistics.documents);
        }
    }
    Ok(Matches { found, frequencies })
}

/// How many of `documents` rows have a word: `rows` of them were read. Beyond [`NEWEST`] it is estimated by the share that the word's newest
/// rows have of all rows `around` them.
fn frequency(rows: i64, around: i64, documents: i64) -> f64 {
    let estimated = if rows < NEWEST { rows as f64 } else { documents as f64 * SAMPLE as f64 / around.max(SAMPLE) as f64 };
    estimated.max(rows as f64).min(documents as f64)
}

/// Reports by id, of those that a search may return.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, ids = ids.len()))]
pub async fn by_ids(tx: &mut Tx, tenancy: Tenancy, of: Reports, ids: &[Uuid]) -> Result<Vec<Report>, DbError> {
    let columns = match of {
        Reports::Actions => "r.kind, r.action as title, r.message, r.outcome, r.succeeded, r.created_at as at",
        Reports::Steps => {
            r"null::text as kind, r.workflow || ' / ' || r.step_name as title, r.output as message, null::text as outcome,
              null::boolean as succeeded, r.completed_at as at"
        }
    };
    tx.rows(statement!(
        format!(
            r"select r.id, r.agent_id, r.user_id, a.slug as agent, r.importance, {columns}
                from {} r left join agents a on a.tenant_id = r.tenant_id and a.id = r.agent_id
               where r.tenant_id = $1 and r.id = any($3) and r.searchable and {}",
            of.table(),
            of_user!("r", "$2"),
        ),
        tenancy.tenant,
        tenancy.users,
        ids,
    ))
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_common_word_is_estimated_by_its_share_of_the_newest_rows() {
        assert_eq!(frequency(999, 0, 100_000), 999.0);
        assert_eq!(frequency(NEWEST, SAMPLE, 100_000), 100_000.0);
        assert_eq!(frequency(NEWEST, 2 * SAMPLE, 100_000), 50_000.0);
        assert_eq!(frequency(NEWEST, AROUND, 2_000), 1_000.0, "no fewer than were read");
        assert_eq!(frequency(NEWEST, 0, 900), 900.0, "and no more than there are");
    }
}

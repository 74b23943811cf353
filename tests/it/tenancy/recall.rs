//! The queries of recall: candidates, the past, the log and its health.

use super::queries::{Case, FLOORS, Query, queries};
use db::Tenancy;
use db::cursor::Seek;
use foundation::recall_cache::store::{self as recall_cache, Embeddings, Owner, Which};
use foundation::registry::EmbeddingModel;
use remembrancer::memories::store as memories;
use remembrancer::recall::log::{Access, Entry, LoggedChunk};
use remembrancer::recall::near::EmptyRecall;
use remembrancer::recall::period::Span;
use remembrancer::recall::scope::Scoping;
use remembrancer::recall::store::{self as recall, Meaning, Narrowing, Reach, Recalls};
use serde_json::json;
use wire::{BarUnit, HealthFilter, MatchedBy, Ranking, RecallFilters, RetrievalId, ZeroHitCause};
use words::identifiers::NamedIds;

macro_rules! reach {
    ($case:ident) => {
        Reach {
            tenancy: $case.ctx.tenancy(),
            agents: &[$case.agent],
            filters: Narrowing::Agent(&RecallFilters::default()),
            scoping: &Scoping::default(),
            now: $case.now,
        }
    };
}

/// Only recalls of the case's agent.
fn of_agent(case: &Case) -> HealthFilter {
    HealthFilter { agent_id: Some(case.agent), ..HealthFilter::default() }
}

fn recalls<'a>(case: &Case, filter: &'a HealthFilter) -> Recalls<'a> {
    Recalls {
        tenant: case.tenant,
        span: Span { from: case.long_ago(), until: case.now + chrono::Duration::days(1), zone: chrono_tz::UTC },
        filter,
    }
}

fn minilm() -> EmbeddingModel {
    EmbeddingModel {
        name: "all-MiniLM-L6-v2".into(),
        dimension: 384,
        dedup_threshold: 0.9,
        suggestion_threshold: 0.8,
        related_threshold: 0.6,
        term_threshold: 0.4,
        floors: FLOORS,
    }
}

fn log(case: &Case) -> Entry {
    Entry {
        tenancy: Tenancy { agent: case.agent, ..case.ctx.tenancy() },
        agent_id: case.agent,
        id: RetrievalId(case.fresh),
        at: case.now,
        user_id: case.memory.user_id,
        session: None,
        for_context: false,
        given: None,
        query: "tea".into(),
        query_canonical: None,
        k: 1,
        expected: false,
        fewer: false,
        ranking: Ranking::Decay,
        filters: json!({}),
        model: "all-MiniLM-L6-v2".into(),
        floors: FLOORS,
        vocabulary_version: 0,
        statistics: json!({}),
        candidates: vec![],
        knowledge: vec![LoggedChunk {
            document_id: case.shared.document,
            chunk_id: case.shared.chunk,
            similarity: 1.0,
            score: None,
            parts: vec![],
            matched_by: MatchedBy::Vector,
            passed: true,
            rank: Some(1),
        }],
        zero_hit: true,
        reason: None,
        considered: 0,
        vector: None,
        degraded: vec![],
        took_ms: 0.0,
    }
}

/// In the database of memories; kept apart by tenant and by agent.
pub const RECALL: &[Query] = queries! {
    "recall::sides" |tx, c| {
        // A narrowed search counts for itself.
        let narrow = Scoping { narrow: true, project: Some(c.id.0), ..Scoping::default() };
        let mut seen = 0;
        for scoping in [Scoping::default(), narrow] {
            let meaning = Meaning { model: "all-MiniLM-L6-v2", vector: &c.vector, decayed_above: Some(0.0), most: 10 };
            let sides = recall::sides(tx, &Reach { scoping: &scoping, ..reach!(c) }, &["tea".into()], Some(&meaning)).await?;
            seen += sides.words.postings.len() + sides.nearest.len() + sides.words.statistics.documents as usize;
        }
        seen
    };
    "recall_cache::versions" |tx, c| {
        let owner = Owner { agent: c.agent, user: c.memory.user_id };
        let versions = recall_cache::versions(tx, c.ctx.tenancy(), &[(owner, 0)]).await?;
        versions.iter().map(|version| version.written().count() + version.documents as usize + version.terms as usize).sum()
    };
    "recall_cache::live_rows" |tx, c| {
        let owner = Owner { agent: c.agent, user: c.memory.user_id };
        let embeddings = Embeddings { model: "all-MiniLM-L6-v2", vectors: memories::VECTORS.of_384 };
        let mut seen = 0;
        for which in [Which::After(uuid::Uuid::nil(), 10), Which::Ids(&[c.id.0])] {
            let rows = recall_cache::live_rows(tx, c.ctx.tenancy(), owner, embeddings, which).await?;
            seen += rows.iter().map(|row| 1 + row.terms.len() + usize::from(row.vector.is_some())).sum::<usize>();
        }
        seen
    };
    "recall_cache::sizes" |tx, c| recall_cache::sizes(tx, c.ctx.tenancy(), &[c.agent]).await?.len();
    "recall::nearest_of" |tx, c| {
        let meaning = Meaning { model: "all-MiniLM-L6-v2", vector: &c.vector, decayed_above: Some(0.0), most: 10 };
        recall::nearest_of(tx, &reach!(c), &meaning, &[c.id.0], &[c.id.0]).await?.len()
    };
    "recall::sizes" |tx, c| recall::sizes(tx, &reach!(c)).await?.len();
    "recall::awaiting" |tx, c| {
        memories::drop_vectors(tx, c.ctx.tenancy(), c.agent, c.id).await?;
        recall::awaiting(tx, &reach!(c)).await?.len()
    };
    "recall::updated_at" |tx, c| recall::updated_at(tx, &reach!(c), &[c.id]).await?.len();
    "recall::named" |tx, c| recall::named(tx, &reach!(c), &NamedIds::read(&c.id.to_string())).await?.len();
    "recall::turns" |tx, c| {
        let ids = std::collections::HashSet::from([c.id]);
        let anchors = recall::Anchors { all: ids.clone(), wide: ids.clone(), holders: ids.clone(), named: ids };
        recall::turns(tx, &reach!(c), "all-MiniLM-L6-v2", Some(&c.vector), true, &anchors).await?.0.len()
    };
    "recall::compared" |tx, c| {
        recall::compared(tx, c.ctx.tenancy(), c.agent, c.id, &minilm(), Some(&c.vector)).await?.iter().count()
    };
    "recall::lets_through" |tx, c| {
        let filters = RecallFilters { platform: Some("slack".into()), ..RecallFilters::default() };
        recall::lets_through(tx, c.ctx.tenancy(), c.agent, c.id, &[filters]).await?.len()
    };
    "recall::count_past" |tx, c| recall::count_past(tx, &reach!(c)).await?.0 as usize;
    "recall::past" |tx, c| recall::past(tx, &reach!(c), "all-MiniLM-L6-v2", 384, true, c.now).await?.len();
    "recall::count_retrievals" |tx, c| recall::count_retrievals(tx, c.ctx.tenancy(), &Default::default()).await? as usize;
    "recall::list_retrievals" |tx, c| recall::list_retrievals(tx, c.ctx.tenancy(), &Default::default(), &Seek::First, 10).await?.len();
    "recall::retrieval" |tx, c| {
        let newest = recall::list_retrievals(tx, c.ctx.tenancy(), &Default::default(), &Seek::First, 1).await?.pop();
        match newest {
            Some(newest) => usize::from(recall::retrieval(tx, c.ctx.tenancy(), newest.id).await?.is_some()),
            None => 0,
        }
    };
    "recall::versions_seen" |tx, c| recall::versions_seen(tx, c.ctx.tenancy(), &[(c.agent, c.id, 1)], true, c.now).await?.len();
    "recall::insert_log" |tx, c| { recall::insert_log(tx, &log(c), Some(ZeroHitCause::BelowFloor), &[]).await?; 0 };
    "recall::nearest_of_all" |tx, c| {
        let empty = EmptyRecall {
            tenant: c.tenant,
            agent: c.agent,
            commons: c.agent,
            user_id: None,
            at: c.now,
            model: "all-MiniLM-L6-v2",
            floor: 0.0,
            reason: None,
            considered: 0,
            vector: Some(&c.vector),
        };
        recall::nearest_of_all(tx, &empty, &c.vector, 10).await?.len()
    };
    "recall::by_bar" |tx, c| {
        // The bars are there even if they are 0.
        recall::by_bar(tx, recalls(c, &of_agent(c)), BarUnit::Day).await?.iter().map(|(_, counts)| counts.recalls).sum::<i64>() as usize
    };
    "recall::shares" |tx, c| {
        // The total is there even if it is 0.
        recall::shares(tx, recalls(c, &of_agent(c)), 10, &[c.agent]).await?.iter().map(|share| share.counts.recalls).sum::<i64>() as usize
    };
    "recall::slow" |tx, c| recall::slow(tx, recalls(c, &of_agent(c)), 10).await?.iter().count();
    "recall::count_zero_hits" |tx, c| recall::count_zero_hits(tx, recalls(c, &of_agent(c))).await? as usize;
    "recall::list_zero_hits" |tx, c| recall::list_zero_hits(tx, recalls(c, &of_agent(c)), &Seek::First, 10).await?.len();
    "recall::zero_hit" |tx, c| {
        let newest = recall::list_zero_hits(tx, recalls(c, &of_agent(c)), &Seek::First, 1).await?.pop();
        match newest {
            Some(newest) => usize::from(recall::zero_hit(tx, c.tenant, newest.id).await?.is_some()),
            None => 0,
        }
    };
    "recall::count_accesses" |tx, c| {
        recall::count_accesses(tx, c.tenant, &[Access { agent_id: c.agent, memory_id: c.id, count: 1, last: c.now }]).await?;
        0
    };
};

//! Documents: what is known about a person and the tools that they use, found by meaning. They derive from leaves, schemas, entities and
//! attachments, and each is as visible as what it derives from.

mod draft;
mod entities;
pub mod store;
mod write;

pub use draft::{Attachment, Details, Draft, UnindexedLeaf, searched_text};
pub use entities::put_entities;
pub use write::request;
pub use write::{IndexPayload, index_attachment, index_profile};
pub(super) use write::{index_leaves, index_schema};

use super::model::Subject;
use foundation::identity::{self, acting_for};
use foundation::{Checks, Engine, Error, OpContext};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use store::{FoundDocument, Lookup};
use uuid::Uuid;
use verb::verb;
use wire::{
    CONNECTIONS_MAX, ContextDocument, ContextMetadata, ContextType, DISTANCE_MAX, DOCUMENTS_N_MAX, DegradedPart, KeyScope, MatchedBy,
    QUERY_MAX, SearchUserContextRequest, SearchUserContextResponse,
};
use words::bm25::{Postings, Words};
use words::guard;
use words::stems;

/// Candidates for each result, because equal texts are returned once.
const COPIES: u32 = 4;

/// Searches what is known about a person and about the connections in use. Without a vector of the query or of a document, words decide.
///
/// # Errors
/// `Forbidden` without `context:read`; `NotFound` for a connection that the person does not have; `Invalid` with every field that is out of
/// range.
#[verb]
pub async fn search_user_context(
    engine: &Engine,
    ctx: &OpContext,
    request: SearchUserContextRequest,
) -> Result<SearchUserContextResponse, Error> {
    ctx.agent_id()?;
    ctx.require(KeyScope::ContextRead)?;
    let ctx = &acting_for(engine, ctx, request.user_id.as_ref()).await?;
    check(&request)?;
    require_connections(engine, ctx, request.connections.as_deref()).await?;
    let request = SearchUserContextRequest { query: guard::without_secrets(request.query), ..request };
    let embedded = engine.embed_query(ctx.into(), &request.query).await;
    let missing = embedded.as_ref().err().map(|missing| missing.part().to_string());
    let mut answer = find(engine, ctx, &request, embedded.ok()).await?;
    answer.degraded.extend(missing);
    metrics::counter!("agent_memory_user_context_search_total").increment(1);
    Ok(answer)
}

/// The same search with a vector that the caller has, in the name of the operation's user. The caller says why it has none,
/// and has checked the connections.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn find(
    engine: &Engine,
    ctx: &OpContext,
    request: &SearchUserContextRequest,
    vector: Option<Arc<[f32]>>,
) -> Result<SearchUserContextResponse, Error> {
    let subject = Subject { agent_id: ctx.agent_id()?, user_id: ctx.user() };
    let all = lookup(engine, ctx, subject).await?;
    let lookup = Lookup { connections: request.connections.as_deref(), types: &request.context_types, ..all };
    let candidates = request.n.saturating_mul(COPIES);
    let mut tx = engine.db().memory.begin_planned_once(ctx.tenancy()).await?;
    let mut distances: HashMap<Uuid, (f64, MatchedBy)> = HashMap::new();
    if let Some(vector) = &vector {
        let nearest = store::nearest(&mut tx, &lookup, vector, request.max_distance, candidates).await?;
        distances.extend(nearest.into_iter().map(|(id, distance)| (id, (distance, MatchedBy::Vector))));
    }
    let terms = stems::terms(&request.query);
    let words = Words::new(&terms, std::slice::from_ref(&terms));
    let waiting = store::waiting(&mut tx, &lookup, vector.is_none(), &words.terms).await?;
    let by_words = Postings::new(&words, waiting.statistics, &waiting.postings, |_| true);
    let far = |distance: f64| request.max_distance.is_some_and(|most| distance > most);
    let by_words = by_words.relevances().map(|(id, relevance)| (id, 1.0 - relevance.min(1.0))).filter(|(_, distance)| !far(*distance));
    distances.extend(by_words.map(|(id, distance)| (id, (distance, MatchedBy::Lexical))));
    let mut best: Vec<(Uuid, (f64, MatchedBy))> = distances.into_iter().collect();
    best.sort_by(|a, b| a.1.0.total_cmp(&b.1.0).then(a.0.cmp(&b.0)));
    best.truncate(usize::try_from(candidates).unwrap_or(usize::MAX));
    let ids: Vec<Uuid> = best.iter().map(|(id, _)| *id).collect();
    let mut found: HashMap<Uuid, FoundDocument> =
        store::by_ids(&mut tx, &lookup, &ids).await?.into_iter().map(|document| (document.id, document)).collect();
    tx.commit().await?;
    // Two attachments can have the same text: return it once.
    let mut said = HashSet::new();
    let documents = best.into_iter().filter_map(|(id, matched)| Some(described(found.remove(&id)?, matched)));
    let documents = documents.filter(|one| said.insert((one.content.clone(), one.metadata.connection_id)));
    let documents = documents.take(usize::try_from(request.n).unwrap_or(usize::MAX)).collect();
    let degraded = if vector.is_some() && waiting.statistics.documents > 0 { vec![DegradedPart::Vectors.to_string()] } else { vec![] };
    Ok(SearchUserContextResponse { documents, degraded })
}

/// All documents of a subject that may be seen.
async fn lookup<'a>(engine: &'a Engine, ctx: &OpContext, subject: Subject) -> Result<Lookup<'a>, Error> {
    let (policy, model) = (identity::capture_policy(engine, ctx).await?, engine.model());
    Ok(Lookup {
        tenancy: ctx.tenancy(),
        subject,
        now: engine.clock().now(),
        sensitive: policy.sensitive,
        connections: None,
        types: &[],
        model: &model.name,
        dimension: model.dimension,
    })
}

/// Refuses a request that names a connection which the operation's user does not have.
///
/// # Errors
/// `NotFound` for such a connection.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn require_connections(engine: &Engine, ctx: &OpContext, named: Option<&[Uuid]>) -> Result<(), Error> {
    let Some(named) = named.filter(|named| !named.is_empty()) else { return Ok(()) };
    let subject = Subject { agent_id: ctx.agent_id()?, user_id: ctx.user() };
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let known = store::known_connections(&mut tx, ctx.tenancy(), subject, named).await?;
    tx.commit().await?;
    if named.iter().all(|id| known.contains(id)) { Ok(()) } else { Err(Error::NotFound("connection")) }
}

fn described(found: FoundDocument, (distance, matched_by): (f64, MatchedBy)) -> ContextDocument {
    let Details { path, entity, message_id, attachment_id, filename, source_id: _ } = found.metadata.0;
    ContextDocument {
        document_key: found.document_key,
        content: found.content,
        metadata: ContextMetadata {
            context_type: found.context_type,
            source: found.context_source,
            tool_id: found.tool_id,
            connection_id: found.connection_id,
            path,
            entity,
            message_id,
            attachment_id,
            filename,
        },
        distance: distance.clamp(0.0, DISTANCE_MAX),
        matched_by,
    }
}

/// What a request may be.
fn check(request: &SearchUserContextRequest) -> Result<(), Error> {
    let SearchUserContextRequest { query, n, max_distance, context_types, connections, .. } = request;
    let many = |count: usize, most: usize| format!("has {count} entries; at most {most} are allowed");
    let mut checks = Checks::default();
    checks
        .bytes("query", query, QUERY_MAX)
        .that((1..=DOCUMENTS_N_MAX).contains(n), "n", format!("is {n}; it may be 1 to {DOCUMENTS_N_MAX}"))
        .that(
            max_distance.is_none_or(|most| (0.0..=DISTANCE_MAX).contains(&most)),
            "max_distance",
            format!("must be a number from 0 to {DISTANCE_MAX}"),
        )
        .that(context_types.len() <= ContextType::ALL.len(), "context_types", many(context_types.len(), ContextType::ALL.len()));
    check_named(&mut checks, connections.as_deref());
    checks.done()
}

/// How many connections a request may name.
pub(crate) fn check_named(checks: &mut Checks, connections: Option<&[Uuid]>) {
    let count = connections.map_or(0, <[Uuid]>::len);
    checks.that(count <= CONNECTIONS_MAX, "connections", format!("has {count} entries; at most {CONNECTIONS_MAX} are allowed"));
}

//! The queries of profiles: leaves, working memories, versions, connections, documents.

use super::capture;
use super::queries::{Case, Query, queries};
use db::cursor::Seek;
use remembrancer::lifecycle::store as lifecycle;
use remembrancer::profile::documents::store::{self as documents, Lookup};
use remembrancer::profile::documents::{Details, Draft};
use remembrancer::profile::store::{self as profile, StoredConnection, StoredVersion};
use remembrancer::profile::{Citation, Leaf, LeafState, NewLeaf, Part, Subject};
use serde_json::json;
use sqlx::PgConnection;
use uuid::Uuid;
use wire::{ConnectionEntity, ContextSource, ContextType, EventId, PeopleFilter, SensitiveMatters, SourceId};

/// The id of a row of the fixture.
pub fn id(case: &Case, place: u128) -> Uuid {
    Uuid::from_u128(case.id.0.as_u128() ^ (place << 16))
}

fn subject(case: &Case) -> Subject {
    Subject { agent_id: case.agent, user_id: case.memory.user_id }
}

fn leaf(case: &Case) -> Leaf {
    let cite = Citation { source_id: SourceId(case.fresh), event_id: EventId(case.fresh), session_id: None, at: case.now };
    let (path, value) = (vec!["Role".to_owned()], json!("Director"));
    let new_leaf = NewLeaf { part: Part::Scaffold, connection_id: None, path, value, listed: false, corrects: false, cites: vec![cite] };
    Leaf {
        id: case.fresh,
        part: new_leaf.part,
        connection_id: None,
        leaf_hash: new_leaf.hash(),
        path: new_leaf.path,
        value: new_leaf.value,
        listed: false,
        state: LeafState::Shown,
        observations: 1,
        contradicts: vec![],
        source_ids: vec![case.fresh],
        event_ids: vec![case.fresh],
        first_seen: case.now,
        last_seen: case.now,
        superseded_at: None,
        matters: vec![],
        session_ids: vec![],
        hidden: false,
        unconfirmed: false,
    }
}

/// A leaf as a file might bring it.
pub fn row(case: &Case, id: Uuid) -> serde_json::Value {
    json!([{
        "agent_id": case.agent, "user_id": case.memory.user_id, "id": id, "part": "scaffold", "path": ["Role"], "value": "Director",
        "listed": false, "state": "shown", "leaf_hash": "\\x08", "observations": 1, "contradicts": [], "source_ids": [case.fresh],
        "event_ids": [case.fresh], "matters": [], "session_ids": [], "first_seen": case.now, "last_seen": case.now,
    }])
}

fn version(case: &Case) -> StoredVersion {
    StoredVersion { version: 9, diff: Default::default(), event_ids: vec![], narrated: false, created_at: case.now }
}

fn connection(case: &Case) -> StoredConnection {
    StoredConnection {
        id: case.fresh,
        tool_id: "jira".into(),
        name: "Jira".into(),
        tool_schema: None,
        schema_expires_at: None,
        active: true,
        created_at: case.now,
        updated_at: case.now,
    }
}

fn draft(case: &Case) -> Draft {
    Draft {
        context_type: ContextType::UserProfile,
        source: ContextSource::SystemLearned,
        connection_id: None,
        origin_id: id(case, 1),
        span: (0, 0),
        content: "Role: Director".into(),
        details: Details::default(),
    }
}

fn lookup(case: &Case) -> Lookup<'static> {
    Lookup {
        tenancy: case.ctx.tenancy(),
        subject: subject(case),
        now: case.now,
        sensitive: SensitiveMatters::default(),
        connections: None,
        types: &[],
        model: "all-MiniLM-L6-v2",
        dimension: 384,
    }
}

fn entity() -> ConnectionEntity {
    ConnectionEntity { key: "PROJ".into(), content: "The harbour".into(), message_id: None }
}

/// Adds a profile with a leaf, a version, a connection and its documents to the fixture.
pub async fn fill(owner: &mut PgConnection, case: &Case) {
    for sql in [
        "insert into profiles (tenant_id, agent_id, id, user_id, created_at, updated_at) values ($1, $2, $3, $4, now(), now())",
        "insert into profile_leaves (tenant_id, agent_id, id, user_id, part, path, value, listed, state, leaf_hash, observations, source_ids,
                                     event_ids, first_seen, last_seen, matters)
         values ($1, $2, $3, $4, 'scaffold', '{Role}', '\"Engineer\"', false, 'shown', '\\x07', 1, array[$5], array[$5], now(), now(), '{health}')",
        "insert into profile_versions (tenant_id, agent_id, id, user_id, version, diff, event_ids, narrated, created_at)
         values ($1, $2, $3, $4, 1, '{}', '{}', false, now())",
        "insert into connections (tenant_id, agent_id, id, user_id, tool_id, name, created_at, updated_at)
         values ($1, $2, $3, $4, 'jira', 'Jira', now(), now())",
        "insert into connection_entities (tenant_id, agent_id, id, user_id, connection_id, key, content, created_at)
         values ($1, $2, $3, $4, $3, 'DOCK', 'The dock', now())",
        // One with a vector, one without, and a leaf and a schema without a document.
        "insert into profile_documents (tenant_id, agent_id, id, user_id, document_key, context_type, context_source, connection_id, origin_id,
                                        starts, ends, content, metadata, length, created_at)
         values ($1, $2, $3, $4, gen_random_uuid(), 'tool_entity', 'tool_indexed', $3, $3, 0, 0, 'DOCK: the dock', '{}', 1, now()),
                ($1, $2, gen_random_uuid(), $4, gen_random_uuid(), 'tool_entity', 'tool_indexed', $3, $3, 0, 0, 'DOCK: the dock', '{}', 1,
                 now())",
        "insert into profile_document_terms (tenant_id, agent_id, document_id, user_id, term, tf)
         select $1, $2, d.id, $4, 'dock', 1 from profile_documents d where d.agent_id = $2 and d.connection_id = $3",
        "insert into profile_embeddings_384 (tenant_id, agent_id, document_id, model, user_id, half)
         values ($1, $2, $3, 'all-MiniLM-L6-v2', $4, array_fill(1::real, array[384])::halfvec(384))",
        "insert into profile_leaves (tenant_id, agent_id, id, user_id, part, path, value, listed, state, leaf_hash, observations, source_ids,
                                     event_ids, first_seen, last_seen)
         values ($1, $2, gen_random_uuid(), $4, 'scaffold', '{Home}', '\"Bern\"', false, 'shown', '\\x09', 1, array[$5], array[$5], now(), now())",
        "insert into connections (tenant_id, agent_id, id, user_id, tool_id, name, tool_schema, schema_expires_at, created_at, updated_at)
         values ($1, $2, gen_random_uuid(), $4, 'mail', 'Mail', '{}', now() + interval '1 year', now(), now())",
    ] {
        let sql = format!("with unused as (select $1::uuid, $2::uuid, $3::uuid, $4::uuid, $5::uuid) {sql}");
        sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(case.tenant)
            .bind(case.agent)
            .bind(id(case, 1))
            .bind(case.memory.user_id)
            .bind(capture::source(case).0)
            .execute(&mut *owner)
            .await
            .unwrap();
    }
}

/// What operators' lists and sweeps run, which see every user.
pub const PEOPLE: &[Query] = queries! {
    "profile::count_people" |tx, c| profile::count_people(tx, c.tenant, &PeopleFilter::default(), &[]).await? as usize;
    "profile::people" |tx, c| profile::people(tx, c.tenant, &PeopleFilter::default(), &[], &Seek::First, 9).await?.len();
    "lifecycle::sweep_leaves" |tx, c| {
        lifecycle::sweep_leaves(tx, c.tenant, c.agent, &json!({ "health": c.now + chrono::Duration::days(1) }), 9).await? as usize
    };
};

/// What agents' calls and background work run.
pub const PROFILE: &[Query] = queries! {
    "profile::profile" |tx, c| usize::from(profile::profile(tx, c.ctx.tenancy(), subject(c)).await?.is_some());
    "profile::leaves" |tx, c| profile::leaves(tx, c.ctx.tenancy(), subject(c)).await?.len();
    "profile::put_leaf" |tx, c| { profile::put_leaf(tx, c.ctx.tenancy(), subject(c), &leaf(c)).await?; 0 };
    "profile::put_working_memory" |tx, c| {
        profile::put_working_memory(tx, c.ctx.tenancy(), subject(c), c.fresh, Some(("intruded", c.now)), c.now).await?;
        0
    };
    "profile::next_version" |tx, c| profile::next_version(tx, c.ctx.tenancy(), subject(c)).await? as usize - 1;
    "profile::insert_version" |tx, c| {
        profile::insert_version(tx, c.ctx.tenancy(), subject(c), c.fresh, &version(c)).await?;
        0
    };
    "profile::versions" |tx, c| profile::versions(tx, c.ctx.tenancy(), subject(c), 9, 10).await?.len();
    "profile::read_by_rules" |tx, c| {
        profile::read_by_rules(tx, c.ctx.tenancy(), c.agent, &[capture::source(c).0]).await? as usize
    };
    "profile::memories_of" |tx, c| profile::memories_of(tx, c.ctx.tenancy(), c.agent, &[capture::source(c).0]).await?.len();
    "profile::cited" |tx, c| profile::cited(tx, c.ctx.tenancy(), c.agent, &[capture::source(c).0]).await?.len();
    "profile::connections" |tx, c| profile::connections(tx, c.ctx.tenancy(), subject(c), None, 10, c.now).await?.len();
    "profile::put_connection" |tx, c| { profile::put_connection(tx, c.ctx.tenancy(), subject(c), &connection(c)).await?; 0 };
    "documents::unindexed_leaves" |tx, c| documents::unindexed_leaves(tx, c.ctx.tenancy(), subject(c)).await?.len();
    "documents::unindexed_schemas" |tx, c| documents::unindexed_schemas(tx, c.ctx.tenancy(), subject(c), c.now).await?.len();
    "documents::put_documents" |tx, c| {
        documents::put_documents(tx, c.ctx.tenancy(), subject(c), &[(c.fresh, draft(c))], c.now).await?;
        0
    };
    "documents::drop_documents" |tx, c| {
        documents::drop_documents(tx, c.ctx.tenancy(), subject(c), ContextType::ToolEntity, id(c, 1), &[]).await?;
        0
    };
    "documents::put_vectors" |tx, c| {
        documents::put_vectors(tx, c.ctx.tenancy(), subject(c), "another", &[(id(c, 1), c.vector.clone())]).await?;
        0
    };
    "documents::hold_source" |tx, c| {
        let text = "Vera likes tea. Vera likes cocoa.";
        usize::from(documents::hold_source(tx, c.ctx.tenancy(), subject(c), capture::source(c).0, text).await?)
    };
    "documents::put_entities" |tx, c| {
        documents::put_entities(tx, c.ctx.tenancy(), subject(c), id(c, 1), &[(c.fresh, entity())], c.now).await?;
        0
    };
    "documents::known_connections" |tx, c| {
        documents::known_connections(tx, c.ctx.tenancy(), subject(c), &[id(c, 1)]).await?.len()
    };
    "documents::nearest" |tx, c| documents::nearest(tx, &lookup(c), &c.vector, None, 10).await?.len();
    "documents::waiting" |tx, c| documents::waiting(tx, &lookup(c), true, &["dock".into()]).await?.postings.len();
    "documents::by_ids" |tx, c| documents::by_ids(tx, &lookup(c), &[id(c, 1)]).await?.len();
    "documents::unembedded" |tx, c| documents::unembedded(tx, &lookup(c), 10).await?.len();
};

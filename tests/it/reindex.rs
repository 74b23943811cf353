//! Words are cut again after their rules have changed.

use crate::activity::{record, step};
use crate::support::{Fetch, Run, ask, ingest, remember, work};
use db::Users;
use foundation::OpContext;
use foundation::testing::{World, fact};
use remembrancer::{profile, reindex};
use serde_json::json;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use wire::{ConnectionEntity, PutConnectionRequest, PutEntitiesRequest, UserId};
use words::stems;

/// Every word with its text, and what is counted of them, as a text.
const OF_MEMORIES: &str = "
    select concat((select string_agg(concat_ws(' ', memory_id, term, tf, length), ',' order by memory_id, term)
                     from memory_terms where tenant_id = $1), ' / ',
                  (select string_agg(concat_ws(' ', agent_id, user_id, slot, documents, terms), ',' order by agent_id, user_id, slot)
                     from memory_term_counts where tenant_id = $1))";
const OF_SECTIONS: &str = "
    select concat((select string_agg(concat_ws(' ', chunk_id, term, tf, length), ',' order by chunk_id, term)
                     from chunk_terms where tenant_id = $1), ' / ',
                  (select string_agg(concat_ws(' ', chunks, terms), ',') from chunk_counts where tenant_id = $1))";
const OF_DOCUMENTS: &str = "
    select concat((select string_agg(concat_ws(' ', document_id, term, tf), ',' order by document_id, term)
                     from profile_document_terms where tenant_id = $1), ' / ',
                  (select string_agg(concat_ws(' ', id, length), ',' order by id) from profile_documents where tenant_id = $1))";
const OF_REPORTS: &str = "
    select concat((select string_agg(concat_ws(' ', id, kind, term, tf, length), ',' order by id, term)
                     from (select * from action_terms union all select * from workflow_step_terms) t where tenant_id = $1), ' / ',
                  (select string_agg(concat_ws(' ', source, user_id, documents, terms), ',' order by source, user_id)
                     from (select source, user_id, sum(documents) as documents, sum(terms) as terms
                             from activity_counts where tenant_id = $1 group by source, user_id) n))";

async fn words_of(world: &World) -> [String; 4] {
    let (tenant, urls) = (world.system.tenant_id, world.engine.urls());
    [
        sqlx::query_scalar(OF_MEMORIES).bind(tenant).one(&urls.agent_memory).await,
        sqlx::query_scalar(OF_SECTIONS).bind(tenant).one(&urls.shared_kb).await,
        sqlx::query_scalar(OF_DOCUMENTS).bind(tenant).one(&urls.agent_memory).await,
        sqlx::query_scalar(OF_REPORTS).bind(tenant).one(&urls.internal_shared).await,
    ]
}

/// As if former rules had cut all words of an organisation, each of them otherwise; how many texts.
async fn age(world: &World) -> usize {
    let (tenant, urls) = (world.system.tenant_id, world.engine.urls());
    for (url, statement) in [
        (&urls.agent_memory, "update memory_terms set term = term || '~' where tenant_id = $1"),
        (&urls.agent_memory, "update profile_document_terms set term = term || '~' where tenant_id = $1"),
        (&urls.shared_kb, "update chunk_terms set term = term || '~' where tenant_id = $1"),
        (&urls.internal_shared, "update action_terms set term = term || '~', length = length + 1 where tenant_id = $1"),
        (&urls.internal_shared, "update workflow_step_terms set term = term || '~' where tenant_id = $1"),
        // As long as the words that are one longer.
        (&urls.internal_shared, "update activity_counts set terms = terms + documents where tenant_id = $1 and source = 'actions'"),
    ] {
        assert!(sqlx::query(statement).bind(tenant).run(url).await > 0);
    }
    let mut texts = 0;
    for (url, statement) in [
        (&urls.agent_memory, "update agent_memories set word_rules = 1 where tenant_id = $1 and live"),
        (&urls.agent_memory, "update profile_documents set word_rules = 1 where tenant_id = $1"),
        (&urls.shared_kb, "update chunks set word_rules = 1 where tenant_id = $1"),
        (&urls.internal_shared, "update actions set word_rules = 1 where tenant_id = $1"),
        (&urls.internal_shared, "update workflow_steps set word_rules = 1 where tenant_id = $1"),
    ] {
        texts += sqlx::query(statement).bind(tenant).run(url).await;
    }
    usize::try_from(texts).unwrap()
}

async fn filled() -> World {
    let world = World::new().await;
    for (topic, content) in [("แมว", "แมวชอบนอนบนโซฟา"), ("чай", "Вера пьёт чай с лимоном"), ("café", "Le café ferme à dix-huit heures")]
    {
        remember(&world, &world.atlas, fact(topic, content)).await;
    }
    let text = "# Le port\n\nLa grue décharge les navires.\n\n## Horaires\n\nLe port ouvre à six heures.\n";
    assert_eq!(ingest(&world, "port", vec![("port.md".into(), text.as_bytes().to_vec())]).await.added, 1);
    let (jira, name) = (Uuid::from_u128(77), "Jira".to_owned());
    let connection = PutConnectionRequest { tool_id: "jira".into(), name, tool_schema: None, schema_ttl_seconds: Some(60), active: true };
    profile::put_connection(&world.engine, &world.atlas, jira, connection, None).await.unwrap();
    let entities = vec![ConnectionEntity { key: "GRUE".into(), content: "La grue est réparée".into(), message_id: None }];
    profile::put_entities(&world.engine, &world.atlas, jira, PutEntitiesRequest { entities }, None).await.unwrap();
    let of_user = OpContext { users: Users::One(UserId(Uuid::from_u128(1))), ..world.atlas.clone() };
    for ctx in [&world.atlas, &of_user] {
        record(&world, ctx, json!({ "action": "crane.repair", "message": "La grue est réparée." })).await;
        step(&world, ctx, "port", "ouvrir", "Le port est ouvert.").await;
    }
    work(&world).await;
    world
}

#[tokio::test]
async fn words_of_former_rules_are_cut_again_in_one_organisation_at_a_time() {
    let (world, other) = (filled().await, filled().await);
    let (fresh, fresh_of_other) = (words_of(&world).await, words_of(&other).await);
    let texts = age(&world).await;
    age(&other).await;
    let aged = words_of(&other).await;
    assert!(ask(&world, &world.atlas, "лимон").await.hits.iter().all(|hit| hit.memory().is_none_or(|hit| hit.matched_words.is_empty())));

    let (go, stopped) = (CancellationToken::new(), CancellationToken::new());
    stopped.cancel();
    assert_eq!(reindex::reindex(&world.engine, &world.system, &stopped).await.unwrap(), 0, "it was stopped");
    assert_eq!(reindex::reindex(&world.engine, &world.system, &go).await.unwrap(), texts);
    assert_eq!(words_of(&world).await, fresh);
    assert_eq!(reindex::reindex(&world.engine, &world.system, &go).await.unwrap(), 0, "there is nothing left to do");
    assert_eq!(words_of(&other).await, aged);
    reindex::reindex(&other.engine, &other.system, &go).await.unwrap();
    assert_eq!(words_of(&other).await, fresh_of_other);
}

#[tokio::test]
async fn every_text_says_by_which_rules_its_words_were_cut() {
    let world = filled().await;
    let (tenant, urls) = (world.system.tenant_id, world.engine.urls());
    for (url, rules) in [
        (&urls.agent_memory, "select array_agg(distinct word_rules) from agent_memories where tenant_id = $1 and live"),
        (&urls.agent_memory, "select array_agg(distinct word_rules) from profile_documents where tenant_id = $1"),
        (&urls.shared_kb, "select array_agg(distinct word_rules) from chunks where tenant_id = $1"),
        (&urls.internal_shared, "select array_agg(distinct word_rules) from actions where tenant_id = $1"),
        (&urls.internal_shared, "select array_agg(distinct word_rules) from workflow_steps where tenant_id = $1"),
    ] {
        let rules: Vec<i16> = sqlx::query_scalar(rules).bind(tenant).one(url).await;
        assert_eq!(rules, [stems::RULES]);
    }
}

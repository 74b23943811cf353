//! `POST /api/context/{id}/answer`: which memories of a context an answer uses, and who may say so.

use crate::harness::{Answer, Site};
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use remembrancer::quality;
use serde_json::{Value, json};
use wire::QualityFilter;

async fn post(site: &Site, key: &str, user: Option<&str>, path: &str, body: &impl ToString) -> Answer {
    let mut request = Request::post(path).header(header::CONTENT_TYPE, "application/json");
    request = request.header(header::AUTHORIZATION, format!("Bearer {key}"));
    if let Some(user) = user {
        request = request.header("X-Remembrancer-User", user);
    }
    site.send(request.body(Body::from(body.to_string())).unwrap()).await
}

/// The ids of two memories of a user, and the id of a context that has both.
async fn assembled(site: &Site, user: Option<&str>) -> (Vec<Value>, String) {
    let key = &site.world.atlas_key;
    let mut ids = Vec::new();
    for (topic, content) in [("deploy day", "The harbour service is deployed on Fridays."), ("pager", "Idris holds the pager.")] {
        let fact = json!({ "topic_raw": topic, "content": content, "source": { "platform": "slack" } });
        ids.push(post(site, key, user, "/api/tools/agent_memory_remember", &fact).await.json()["memory_id"].clone());
    }
    let context =
        post(site, key, user, "/api/context", &json!({ "query": "When is the harbour service deployed, and who holds the pager?" })).await;
    site.world.engine.finish_deferred().await;
    (ids, context.json()["id"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn an_answer_uses_the_memories_whose_words_it_has_and_is_not_stored() {
    let site = Site::new().await;
    let (ids, context) = assembled(&site, None).await;
    let path = format!("/api/context/{context}/answer");
    let said = json!({ "text": "We deploy the harbour service every Friday. Kumquat!" });
    let answer = post(&site, &site.world.atlas_key, None, &path, &said).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    assert_eq!(answer.json(), json!({ "context_id": context, "injected": 2, "used": [ids[0]] }));
    let measured = async || quality::measure(&site.world.engine, &site.world.vera, &QualityFilter::default()).await.unwrap().totals;
    let totals = measured().await;
    assert_eq!((totals.answers, totals.injected, totals.used, totals.contexts, totals.questions), (1, 2, 1, 1, 1));

    // A later report takes the place of the first.
    assert_eq!(post(&site, &site.world.atlas_key, None, &path, &json!({ "text": "Ask Mina." })).await.json()["used"], json!([]));
    let totals = measured().await;
    assert_eq!((totals.answers, totals.injected, totals.used), (1, 2, 0));

    // A memory that was forgotten since is not counted.
    assert_eq!(site.atlas("agent_memory_forget", json!({ "memory_id": ids[0] })).await.status, StatusCode::OK);
    assert_eq!(
        post(&site, &site.world.atlas_key, None, &path, &said).await.json(),
        json!({ "context_id": context, "injected": 1, "used": [] })
    );
}

#[tokio::test]
async fn only_the_agent_and_the_user_of_a_context_report_its_answer() {
    let site = Site::new().await;
    let (_, context) = assembled(&site, Some("crm-1")).await;
    let path = format!("/api/context/{context}/answer");
    let said = json!({ "text": "On Fridays." });
    let (atlas, binky) = (&site.world.atlas_key, &site.world.binky_key);
    for (key, user) in [(atlas, Some("crm-2")), (atlas, None), (binky, Some("crm-1"))] {
        assert_eq!(post(&site, key, user, &path, &said).await.status, StatusCode::NOT_FOUND, "{user:?}");
    }
    assert_eq!(post(&site, atlas, Some("crm-1"), &path, &said).await.status, StatusCode::OK);
    for unknown in ["/api/context/01900000-0000-7000-8000-000000000000/answer", "/api/context/tea/answer"] {
        assert_eq!(post(&site, atlas, Some("crm-1"), unknown, &said).await.status, StatusCode::NOT_FOUND, "{unknown}");
    }
}

#[tokio::test]
async fn an_answer_has_a_limit() {
    let site = Site::new().await;
    let (_, context) = assembled(&site, None).await;
    let path = format!("/api/context/{context}/answer");
    for (body, field, message) in [
        (json!({ "text": " " }), "text", "must not be empty"),
        (json!({ "text": "x".repeat(64 * 1024 + 1) }), "text", "at most 65536"),
        (json!({ "text": "On Fridays.", "agent_id": "x" }), "agent_id", ""),
        (json!({}), "text", ""),
    ] {
        let refused = post(&site, &site.world.atlas_key, None, &path, &body).await;
        assert_eq!(
            (refused.status, refused.error()),
            (StatusCode::BAD_REQUEST, ("invalid".into(), Some(field.into()))),
            "{}",
            refused.text
        );
        assert!(refused.text.contains(message), "{}", refused.text);
    }
    // Every byte escaped: the limit is that of the text.
    let answer = post(&site, &site.world.atlas_key, None, &path, &format!(r#"{{"text":"{}"}}"#, "\\u0041".repeat(64 * 1024))).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
}

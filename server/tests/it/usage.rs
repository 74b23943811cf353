//! What an agent's calls of models cost, over HTTP.

use crate::harness::{Answer, Site};
use axum::http::{StatusCode, header};
use foundation::usage;
use serde_json::json;

async fn get(site: &Site, path: &str) -> Answer {
    site.get(path, &[(header::AUTHORIZATION, &format!("Bearer {}", site.world.atlas_key))]).await
}

#[tokio::test]
async fn a_report_has_the_calls_of_the_keys_agent_as_json_and_as_a_file() {
    let site = Site::new().await;
    let tea = json!({ "topic_raw": "tea", "content": "Vera likes black tea", "source": { "platform": "slack" } });
    for stored in [site.atlas("agent_memory_remember", tea.clone()).await, site.binky("agent_memory_remember", tea).await] {
        assert_eq!(stored.status, StatusCode::OK, "{}", stored.text);
        assert!(stored.json().get("degraded").is_none(), "nothing is limited");
    }
    usage::flush(&site.world.engine).await.unwrap();
    let report = get(&site, "/api/usage").await.json();
    assert_eq!((&report["total"]["calls"], &report["lines"][0]["purpose"]), (&json!(1), &json!("embedding")));
    assert_eq!(report["total"]["dollars"], json!(0.0), "the local model is free");

    let file = get(&site, "/api/usage.csv").await;
    assert!(file.header(header::CONTENT_TYPE).starts_with("text/csv") && file.header(header::CONTENT_DISPOSITION).contains("attachment"));
    assert_eq!(file.text.lines().count(), 2, "{}", file.text);

    for (path, field) in [
        ("/api/usage?from=yesterday", "from"),
        ("/api/usage?from=2026-01-01&until=2026-12-31", "from"),
        ("/api/usage.csv?from=2026-02-01&until=2026-01-31", "from"),
    ] {
        let refused = get(&site, path).await;
        assert_eq!((refused.status, refused.error().1.as_deref()), (StatusCode::BAD_REQUEST, Some(field)), "{path}: {}", refused.text);
    }
}

//! The audit log as a file.

use crate::console::sign_in;
use crate::harness::Site;
use axum::http::{StatusCode, header};
use foundation::audit::{self, NewEntry};
use foundation::identity;
use foundation::intake::Reason;
use foundation::testing::PASSWORD;
use wire::OperatorRole;

#[tokio::test]
async fn a_viewer_downloads_what_the_filter_shows() {
    let site = Site::new().await;
    let world = &site.world;
    let entries: Vec<_> = (0..1_203)
        .map(|n| {
            world.clock.advance(chrono::Duration::milliseconds(1));
            NewEntry::new(&world.engine, &world.atlas, "memory.linked", "memory", n, format!("=SUM(A{n}), \"quoted\""))
                .reason(Some(&Reason::new("why")))
        })
        .collect();
    audit::append_all(&world.engine, world.system.tenant_id, &entries).await.unwrap();
    let login = format!("mina@{}", world.tenant_slug);
    identity::create_operator(&world.engine, &world.system, &login, "Mina", PASSWORD, &[OperatorRole::Viewer]).await.unwrap();
    let (_, mina) = sign_in(&site, &login, PASSWORD).await;
    let get = async |path: &str| site.get(path, &[(header::COOKIE, &mina)]).await;

    let csv = get("/audit.csv?action=memory.linked").await;
    assert_eq!((csv.status, csv.text.lines().count()), (StatusCode::OK, 1_204), "a line for each entry below the names of the columns");
    assert!(csv.header(header::CONTENT_TYPE).starts_with("text/csv") && csv.header(header::CONTENT_DISPOSITION).contains("attachment"));
    assert!(csv.text.contains(r#","'=SUM(A7), ""quoted""",why,"#), "{}", &csv.text[..400]);
    let lines = get("/audit.jsonl?action=memory.linked&actor=atlas&after=of-a-page").await;
    let numbers: Vec<i64> =
        lines.text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["seq"].as_i64().unwrap()).collect();
    assert_eq!(numbers.len(), 1_203);
    assert!(numbers.windows(2).all(|pair| pair[0] > pair[1]), "newest first, each once");

    assert_eq!(get("/audit.jsonl?action=audit.exported").await.text.lines().count(), 2, "an export is on record, and not in its own file");
    for (path, field) in [("/audit.csv?until=yesterday", "query"), ("/audit.csv?acton=memory.", "query")] {
        let refused = get(path).await;
        assert_eq!((refused.status, refused.error().1.as_deref()), (StatusCode::BAD_REQUEST, Some(field)), "{path}");
    }
    let stranger = site.get("/audit.csv", &[]).await;
    assert!(stranger.status.is_redirection(), "{stranger:?}");
}

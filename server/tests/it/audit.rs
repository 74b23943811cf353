//! The audit log as a file.

use crate::console::sign_in;
use crate::harness::Site;
use axum::http::{StatusCode, header};
use foundation::audit::{self, NewEntry};
use foundation::identity;
use foundation::intake::Reason;
use foundation::testing::PASSWORD;
use std::cmp::Reverse;
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

    // Each line proves its place: the newest is an anchor of the chain, and each carries the hash of the one before it.
    let whole = get("/audit.jsonl").await;
    let mut links: Vec<(i64, String, String)> = whole
        .text
        .lines()
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let text = |name: &str| line[name].as_str().unwrap().to_owned();
            assert_eq!((text("tenant_id"), text("texts_hash").len()), (world.system.tenant_id.to_string(), 64), "{line}");
            assert!(!text("salt").is_empty(), "{line}");
            (line["seq"].as_i64().unwrap(), text("previous"), text("hash"))
        })
        .collect();
    links.sort_by_key(|(seq, ..)| Reverse(*seq));
    let (entries, _, hash) = &links[0];
    let anchor = format!("{entries}:{hash}").parse().unwrap();
    let verified = audit::verify(&world.engine, &world.system, Some(&anchor)).await.unwrap();
    assert_eq!(verified.fault, None, "an anchor with another hash would be a fault");
    assert!(links.len() > 1_203 && links.windows(2).all(|pair| pair[0].1 == pair[1].2 && pair[0].0 == pair[1].0 + 1));
    assert_eq!(links.last().map(|(seq, previous, _)| (*seq, previous.clone())), Some((1, "0".repeat(64))));
    let names = csv.text.lines().next().unwrap();
    assert!(names.ends_with("event_id,previous,hash,texts_hash") && csv.text.contains(&links[100].2), "{names}");

    // The file proves itself, and shows what was changed in it or left out of it.
    let proven = audit::verify_exported(&whole.text).unwrap();
    assert_eq!((proven.entries, proven.erased, proven.gaps, proven.head), (links.len(), 0, 0, anchor));
    let of_seven: Vec<&str> = whole.text.lines().filter(|line| line.contains("SUM(A7)")).collect();
    let [seven] = of_seven[..] else { panic!("one entry: {of_seven:?}") };
    assert_eq!(audit::verify_exported(&whole.text.replace(seven, "").replace("\n\n", "\n")).unwrap().gaps, 1);
    let changed = |from: &str, to: &str| audit::verify_exported(&whole.text.replace(seven, &seven.replace(from, to))).unwrap_err();
    assert!(changed("\"why\"", "\"because\"").starts_with("the texts of entry"), "a changed text");
    assert!(changed("memory.linked", "memory.unlinked").starts_with("the chain is broken at entry"), "a changed action");
    // Without its salt an entry may have the words for erased texts only, and is counted as erased.
    let mut erased: serde_json::Value = serde_json::from_str(seven).unwrap();
    erased["salt"] = serde_json::Value::Null;
    let check = |entry: &serde_json::Value| audit::verify_exported(&whole.text.replace(seven, &entry.to_string()));
    for (name, text) in [
        ("actor_name", serde_json::json!("erased")),
        ("message", serde_json::json!("the texts of this entry were erased")),
        ("reason", serde_json::Value::Null),
    ] {
        assert!(check(&erased).unwrap_err().starts_with("the texts of entry"), "the wrong {name}");
        erased[name] = text;
    }
    assert_eq!(check(&erased).map(|proven| (proven.entries, proven.erased)), Ok((links.len(), 1)));
    erased["changes"] = serde_json::json!({ "a": 1 });
    assert!(check(&erased).unwrap_err().starts_with("the texts of entry"), "a change that nobody made");
    assert!(audit::verify_exported("tea").unwrap_err().starts_with("line 1 is not an exported entry"));

    assert_eq!(get("/audit.jsonl?action=audit.exported").await.text.lines().count(), 3, "an export is on record, and not in its own file");
    for (path, field) in [("/audit.csv?until=yesterday", "query"), ("/audit.csv?acton=memory.", "query")] {
        let refused = get(path).await;
        assert_eq!((refused.status, refused.error().1.as_deref()), (StatusCode::BAD_REQUEST, Some(field)), "{path}");
    }
    let stranger = site.get("/audit.csv", &[]).await;
    assert!(stranger.status.is_redirection(), "{stranger:?}");
}

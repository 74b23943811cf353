//! Files that are refused and leave nothing behind.

use crate::portability::{body, exported, file, import, newcomer, newcomer_elsewhere};
use crate::support::{Run, agent, remember};
use foundation::testing::{World, fact, rows_of};
use foundation::{Engine, OpContext};
use portability::lines::LINE_MAX;
use portability::{ImportOptions, Selection};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use tokio::io::{AsyncSeekExt, AsyncWriteExt};
use wire::ErrorCode;

/// A small file: two memories of atlas with their versions and events.
pub async fn small() -> (World, String) {
    let world = World::new().await;
    remember(&world, &world.atlas, fact("tea", "Vera likes black tea")).await;
    remember(&world, &world.atlas, fact("lift", "The lift is out of order")).await;
    let text = exported(&world.engine, &world.system, &Selection::Agent(agent(&world.atlas))).await;
    (world, text)
}

/// The lines with a footer that is right for them, as a careful forger would write it.
pub fn sealed(lines: &[String]) -> String {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for line in lines.iter().skip(1) {
        if let Some(kind) = line.split("\"type\":\"").nth(1).and_then(|rest| rest.split('"').next()) {
            *counts.entry(kind).or_default() += 1;
        }
    }
    let before: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let hash: String = Sha256::digest(&before).iter().map(|byte| format!("{byte:02x}")).collect();
    let footer = serde_json::json!({ "type": "footer", "counts": counts, "lines": lines.len() - 1, "sha256": hash });
    format!("{before}{footer}\n")
}

/// Header and lines, without the footer.
pub fn open(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.pop();
    lines
}

pub fn place(lines: &[String], kind: &str) -> usize {
    let kind = format!("\"type\":\"{kind}\"");
    lines.iter().position(|line| line.contains(&kind)).unwrap()
}

/// The file is refused with a sentence that says `why`, and not a row was written.
pub async fn refused(engine: &Engine, ctx: &OpContext, text: &str, why: &str) {
    let before = rows_of(engine, ctx.tenant_id).await;
    let error = import(engine, ctx, text).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::Invalid, "{error}");
    assert!(error.to_string().contains(why), "{error}\nshould say: {why}");
    assert!(error.to_string().starts_with("line "), "{error}");
    assert_eq!(rows_of(engine, ctx.tenant_id).await, before, "{why}");
}

#[tokio::test]
async fn a_file_that_is_cut_anywhere_is_refused_whole() {
    let (_, text) = small().await;
    let (there, ctx) = newcomer_elsewhere().await;
    let ends: Vec<usize> = text.match_indices('\n').map(|(end, _)| end + 1).collect();
    let footer = ends[ends.len() - 2];
    // At the end of each line, in the middle of each, and one byte before the end.
    let middles = ends.windows(2).map(|pair| (pair[0] + pair[1]) / 2);
    let cuts = ends[..ends.len() - 1].iter().copied().chain(middles).chain([0, 1, text.len() - 2]);
    for cut in cuts.filter(|cut| text.is_char_boundary(*cut)) {
        let why = if cut < ends[0] { "is not the header" } else { "cut off" };
        refused(&there, &ctx, &text[..cut], why).await;
    }
    let mut without_one = text.lines().map(str::to_owned).collect::<Vec<_>>();
    without_one.remove(place(&without_one, "event"));
    refused(&there, &ctx, &(without_one.join("\n") + "\n"), "some are missing or too many").await;
    refused(&there, &ctx, &text.replace("black tea", "green tea"), "the file was changed").await;
    refused(&there, &ctx, &format!("{text}{text}"), "comes after the footer").await;
    assert!(footer < text.len() && import(&there, &ctx, &text).await.is_ok(), "the whole one is taken");
}

#[tokio::test]
async fn headers_of_another_kind_or_a_newer_schema_are_refused() {
    let (_, text) = small().await;
    let (there, ctx) = newcomer_elsewhere().await;
    refused(
        &there,
        &ctx,
        &text.replace("\"schema\":6", "\"schema\":7"),
        "line 1 says that the file has schema 7, but this server reads schemas up to 6",
    )
    .await;
    refused(&there, &ctx, &text.replace("\"schema\":6", "\"schema\":0"), "line 1 schema must be").await;
    refused(&there, &ctx, &text.replace("\"schema\":6", "\"schema\":\"one\""), "line 1 schema must be").await;
    refused(&there, &ctx, &text.replace("remembrancer-export", "something-else"), "line 1 is not the header").await;
    refused(&there, &ctx, "", "line 1 is not the header").await;
    refused(&there, &ctx, "\u{0}\n", "line 1 is not the header").await;
    refused(&there, &ctx, &open(&text)[1..].join("\n"), "line 1 is not the header").await;
}

/// What is done to a line.
type Change<'a> = &'a dyn Fn(&str) -> String;

#[tokio::test]
async fn lines_that_are_no_records_are_named() {
    let (_, text) = small().await;
    let (there, ctx) = newcomer_elsewhere().await;
    let lines = open(&text);
    let with = |kind: &str, change: &dyn Fn(&str) -> String| {
        let mut lines = lines.clone();
        let at = place(&lines, kind);
        lines[at] = change(&lines[at]);
        (sealed(&lines), format!("line {} ", at + 1))
    };
    let cases: [(&str, Change, &str); 15] = [
        ("memory", &|_| "{\"type\":\"memory\"".into(), "is not JSON"),
        ("memory", &|_| "[1]".into(), "is not an object"),
        ("memory", &|_| String::new(), "is not JSON"),
        (
            "memory",
            &|line| line.replace("\"type\":\"memory\"", "\"type\":\"dream\""),
            "has the type \"dream\", which this server does not know",
        ),
        ("memory", &|line| line.replace(",\"type\":\"memory\"", ""), "has no type"),
        ("memory", &|line| line.replace("\"kind\":\"profile\"", "\"kind\":\"hunch\""), "kind "),
        ("memory", &|line| line.replace("\"scope\":\"agent\"", "\"scope\":\"galaxy\""), "scope "),
        ("memory", &|line| line.replace("\"kind\":\"profile\",", "\"kind\":\"profile\",\"mood\":1,"), "mood is not a field"),
        ("memory", &|line| line.replace("\"confidence\":1.0", "\"confidence\":1.5"), "confidence must be a number from 0 to 1"),
        ("memory", &|line| line.replace("\"agent\":\"atlas\"", "\"agent\":\"nobody\""), "agent names nobody"),
        ("memory", &|line| line.replace("\"content\":\"", "\"content\":\"\\u0000"), "content must not contain NUL"),
        ("memory", &|line| line.replace("\"content\":\"", &format!("\"content\":\"{}", "x".repeat(20_000))), "content has"),
        ("version", &|line| line.replace("\"version\":1", "\"version\":0"), "version must be at least 1"),
        ("version", &|line| line.replace("\"valid_from\":\"2", "\"valid_from\":\"x"), "valid_from "),
        ("event", &|line| line.replace("\"kind\":\"manual_write\"", "\"kind\":\"maintenance\""), "kind must be one of"),
    ];
    for (kind, change, why) in cases {
        let (text, line) = with(kind, change);
        refused(&there, &ctx, &text, &format!("{line}{why}")).await;
    }
    let mut swapped = lines.clone();
    let version = swapped.remove(place(&swapped, "version"));
    swapped.push(version);
    refused(&there, &ctx, &sealed(&swapped), "is of the type version, which must come before event").await;
}

#[tokio::test]
async fn an_id_twice_or_a_record_about_nothing_is_refused() {
    let (world, text) = small().await;
    let (there, ctx) = newcomer_elsewhere().await;
    let lines = open(&text);
    for kind in ["agent", "memory", "version", "event"] {
        let mut twice = lines.clone();
        let at = place(&twice, kind);
        twice.insert(at + 1, twice[at].clone());
        refused(&there, &ctx, &sealed(&twice), &format!("line {} repeats the {kind} of an earlier line", at + 2)).await;
    }
    let (at, mut orphan) = (place(&lines, "memory"), lines.clone());
    let id = orphan.remove(at).split("\"id\":\"").nth(1).unwrap()[..36].to_owned();
    refused(&there, &ctx, &sealed(&orphan), &format!("refers to the memory {id}, which is not a memory of that agent in this file")).await;

    let ids: Vec<String> = lines
        .iter()
        .filter(|line| line.contains("\"type\":\"memory\""))
        .map(|line| line.split("\"id\":\"").nth(1).unwrap()[..36].to_owned())
        .collect();
    let to = |from: &str, to: &str| {
        let mut linked = lines.clone();
        let at = place(&linked, "event");
        linked.insert(at, format!("{{\"agent\":\"atlas\",\"created_at\":\"2026-11-22T05:00:00.000000Z\",\"created_by\":\"atlas\",\"from_id\":\"{from}\",\"relation\":\"supports\",\"to_id\":\"{to}\",\"type\":\"link\"}}"));
        sealed(&linked)
    };
    refused(&there, &ctx, &to(&ids[0], "00000000-0000-7000-8000-00000000beef"), "which is not in this file").await;
    refused(&there, &ctx, &to(&ids[0], &ids[0]), "must not be the same memory as from_id").await;
    import(&there, &ctx, &to(&ids[0], &ids[1])).await.unwrap();
    world.engine.db().close().await;
}

#[tokio::test]
async fn an_id_that_another_organisation_or_agent_holds_is_refused() {
    let (world, text) = small().await;
    refused(&world.engine, &newcomer(&world.engine).await, &text, "line 2 has the id").await;
    // Without the agent's line the memories come first: here atlas is another agent.
    let other = World::new().await;
    let mut lines = open(&text);
    lines.remove(place(&lines, "agent"));
    refused(&other.engine, &other.system, &sealed(&lines), "which already belongs to another agent or organisation").await;
    let binkys: Vec<String> = lines.iter().map(|line| line.replace("\"agent\":\"atlas\"", "\"agent\":\"binky\"")).collect();
    refused(&world.engine, &world.system, &sealed(&binkys), "line 2 has the id").await;
    assert_eq!(import(&world.engine, &world.system, &text).await.unwrap().total().added, 0, "its own is there already");
}

#[tokio::test]
async fn a_memory_that_took_another_way_here_is_refused() {
    let (world, text) = small().await;
    let (there, ctx) = newcomer_elsewhere().await;
    import(&there, &ctx, &text).await.unwrap();
    let mut lines = open(&text);
    let at = place(&lines, "version");
    lines[at] = lines[at].replace("\"content\":\"", "\"content\":\"Not so: ");
    refused(&there, &ctx, &sealed(&lines), &format!("line {} conflicts with the history", at + 1)).await;
    // A short id that another memory uses already.
    let mut lines = open(&text);
    lines.retain(|line| !line.contains("\"type\":\"version\""));
    let at = place(&lines, "memory");
    let id = lines[at].split("\"id\":\"").nth(1).unwrap()[..36].to_owned();
    let fresh = world.engine.clock().id().to_string();
    let renamed: Vec<String> = lines.iter().map(|line| line.replace(&id, &fresh)).collect();
    refused(&there, &ctx, &sealed(&renamed), &format!("line {} has a short id", at + 1)).await;
    assert_eq!(body(&exported(&there, &ctx, &Selection::All).await), body(&text));
}

#[tokio::test]
async fn a_line_of_a_billion_characters_is_refused_unread() {
    let (_, text) = small().await;
    let (there, ctx) = newcomer_elsewhere().await;
    let mut long = file(text.lines().next().unwrap()).await;
    long.seek(std::io::SeekFrom::End(0)).await.unwrap();
    long.write_all(b"\n{\"content\":\"").await.unwrap();
    long.flush().await.unwrap();
    // A sparse file: it takes no room on the disk.
    long.set_len(1_000_000_000).await.unwrap();
    long.rewind().await.unwrap();
    let error = portability::import(&there, &ctx, long, ImportOptions::default(), &|_| {}).await.unwrap_err();
    assert!(error.to_string().starts_with(&format!("line 2 is longer than {LINE_MAX} bytes")), "{error}");
}

#[tokio::test]
async fn what_no_file_can_hold_is_not_written() {
    let (world, _) = small().await;
    sqlx::query(
        "insert into sources (tenant_id, agent_id, id, kind, reference, content, created_at)
         values ($1, $2, gen_random_uuid(), 'document', 'a novel', repeat('x', $3), now())",
    )
    .bind(world.system.tenant_id)
    .bind(agent(&world.atlas))
    .bind(i32::try_from(LINE_MAX).unwrap())
    .run(&world.engine)
    .await;
    let error = portability::export(&world.engine, &world.system, &Selection::All, Vec::new(), &|_| {}).await.unwrap_err();
    assert!(error.to_string().starts_with("a source makes a line of"), "{error}");
    let question = wire::MemoryFilter { q: Some("tea?".into()), ..Default::default() };
    let error =
        portability::export(&world.engine, &world.vera, &Selection::Filter(Box::new(question)), Vec::new(), &|_| {}).await.unwrap_err();
    assert_eq!(error.fields()[0].field, "q");
}

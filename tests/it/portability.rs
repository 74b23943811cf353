//! Export and import: a file that is imported elsewhere and exported again is the same.

use crate::support::{Fetch, Run, agent, ask, memory_owner, remember, work};
use db::DatabaseUrls;
use foundation::testing::{FakeClock, TestDatabases, World, fact, key};
use foundation::{Engine, Error, OpContext, audit, identity};
use portability::lines::Section;
use portability::{ImportOptions, Selection};
use remembrancer::memories::model::Owner;
use remembrancer::memories::store as records;
use remembrancer::{memories, workers};
use std::collections::BTreeSet;
use tokio::fs::File;
use tokio::io::{AsyncSeekExt, AsyncWriteExt};
use tokio::sync::OnceCell;
use wire::{
    Area, AuditFilter, ForgetRequest, ImportCount, KeyScope, MatchedBy, MemoryFilter, MemoryId, MemoryScope, OperatorRole, Relation,
};

pub async fn exported(engine: &Engine, ctx: &OpContext, selection: &Selection) -> String {
    let mut out = Vec::new();
    portability::export(engine, ctx, selection, &mut out, &|_| {}).await.unwrap();
    String::from_utf8(out).unwrap()
}

pub async fn file(text: &str) -> File {
    let mut file = File::from_std(tempfile::tempfile().unwrap());
    file.write_all(text.as_bytes()).await.unwrap();
    file.flush().await.unwrap();
    file.rewind().await.unwrap();
    file
}

pub async fn import(engine: &Engine, ctx: &OpContext, text: &str) -> Result<wire::ImportReport, Error> {
    portability::import(engine, ctx, file(text).await, ImportOptions::default(), &|_| {}).await
}

/// The lines between header and footer, sorted.
pub fn body(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    assert!(lines.remove(0).contains("\"type\":\"header\"") && lines.pop().unwrap().contains("\"type\":\"footer\""));
    lines.sort_unstable();
    lines
}

pub fn of_type<'a>(text: &'a str, kind: &str) -> Vec<&'a str> {
    let kind = format!("\"type\":\"{kind}\"");
    body(text).into_iter().filter(|line| line.contains(&kind)).collect()
}

/// An engine on databases that none of the worlds was ever in.
pub async fn elsewhere() -> Engine {
    static ELSEWHERE: OnceCell<DatabaseUrls> = OnceCell::const_new();
    World::on(ELSEWHERE.get_or_init(|| TestDatabases::named("elsewhere")).await.clone()).await.engine
}

/// A tenant without an agent.
pub async fn newcomer(engine: &Engine) -> OpContext {
    identity::create_tenant(engine, &format!("t{}", engine.clock().secret(16).to_lowercase()), "Elsewhere").await.unwrap()
}

pub async fn newcomer_elsewhere() -> (Engine, OpContext) {
    let there = elsewhere().await;
    let ctx = newcomer(&there).await;
    (there, ctx)
}

pub async fn link(world: &World, ctx: &OpContext, from: MemoryId, to: MemoryId, relation: Relation) {
    let mut tx = world.engine.db().memory.begin(ctx.tenancy()).await.unwrap();
    records::link(&mut tx, ctx, Owner { agent_id: agent(ctx), user_id: None }, from, to, relation, world.engine.clock().now())
        .await
        .unwrap();
    tx.commit().await.unwrap();
}

pub async fn forget(world: &World, ctx: &OpContext, id: MemoryId) {
    let request = ForgetRequest { memory_id: id.into(), reason: Some("no longer true".into()), user_id: None };
    memories::forget(&world.engine, ctx, request).await.unwrap();
}

pub async fn shared(world: &World, topic: &str, content: &str) -> MemoryId {
    let request = wire::RememberRequest { commons: true, scope: Some(MemoryScope::Global), ..fact(topic, content) };
    remember(world, &world.atlas, request).await.memory_id
}

/// A source, the event that brought it, and values in columns that no verb fills yet.
async fn fill(world: &World, id: MemoryId) {
    let (tenant, atlas) = (world.system.tenant_id, agent(&world.atlas));
    let mut owner = memory_owner(&world.engine).await;
    let source: uuid::Uuid = sqlx::query_scalar(
        "insert into sources (tenant_id, agent_id, id, kind, reference, content, metadata, created_at)
         values ($1, $2, gen_random_uuid(), 'conversation', 'slack/C1/7', E'Vera: \u{1F375}\\n', '{\"b\": 1.50, \"a\": [null, \"é\"]}', now())
         returning id",
    )
    .bind(tenant)
    .bind(atlas)
    .fetch_one(&mut owner)
    .await
    .unwrap();
    sqlx::query(
        "insert into events (tenant_id, agent_id, id, kind, task, payload, source_id, state, attempt, run_after, error, outcome, created_at)
         values ($1, $2, gen_random_uuid(), 'session_close', 'extract', '{\"z\": 1, \"a\": 2}', $3, 'dead', 3, now(), 'no model', '{}', now())",
    )
    .bind(tenant)
    .bind(atlas)
    .bind(source)
    .execute(&mut owner)
    .await
    .unwrap();
    for sql in [
        "insert into projects select $1, $2, p.id, p.slug, 'Kettle works', now(), 'Vera'
           from (values ($3::uuid, 'kettle'), ($4::uuid, 'teapot')) p (id, slug)",
        "insert into repos values ($1, $2, $4, $3, 'kettle-core', 'Core', now(), 'Vera')",
        "insert into project_links values ($1, $2, least($3, $4), greatest($3, $4), now(), 'atlas')",
    ] {
        let id = |n: u8| uuid::Uuid::from_u128(source.as_u128().wrapping_add(u128::from(n)));
        sqlx::query(sql).bind(tenant).bind(world.system.commons_id).bind(id(1)).bind(id(2)).execute(&mut owner).await.unwrap();
    }
    sqlx::query("update agents set discipline = 'confirming' where tenant_id = $1 and slug = 'binky'")
        .bind(tenant)
        .run(&world.engine.urls().internal_shared)
        .await;
    sqlx::query(
        "update agent_memories set source_id = $2, profile_fact = true, category = 'preference', subject = 'Vera', title = 'Tea', summary = 'likes tea',
                role = 'user', evidence_ref = 'slack/C1/7#2', context_type = 'chat', attachment_id = 'a1', filename = 'tea.txt',
                confidence = 0.7, importance = 0.1, pinned = true, access_count = 7, last_accessed_at = now(), status = 'contradicted'
          where id = $1",
    )
    .bind(id)
    .bind(source)
    .execute(&mut owner)
    .await
    .unwrap();
    sqlx::query(
        "update agent_memory_versions
            set provenance = '{\"platform\": \"email\"}', title = 'Tea', summary = 'likes tea', category = 'preference', subject = 'Vera',
                confidence = 0.7, observed_at = now(), rationale = 'it wakes her', alternatives = '{coffee, water}',
                project_id = memory_id
          where memory_id = $1",
    )
    .bind(id)
    .execute(&mut owner)
    .await
    .unwrap();
}

/// Memories in every state: revised, forgotten, restored, superseded, linked, shared, with a source.
pub async fn rich(world: &World) -> MemoryId {
    let tea = remember(world, &world.atlas, fact("tea", "Vera likes black tea")).await.memory_id;
    let coffee = remember(world, &world.atlas, fact("coffee", "Idris drinks \"filter\" coffee\nwith oat milk")).await.memory_id;
    let lift = remember(world, &world.atlas, fact("lift", "The lift is out of order")).await.memory_id;
    let code = remember(world, &world.binky, fact("door code", "It is 4711")).await.memory_id;
    link(world, &world.atlas, tea, coffee, Relation::Contradicts).await;
    link(world, &world.atlas, coffee, tea, Relation::Contradicts).await;
    link(world, &world.atlas, coffee, lift, Relation::RelatedTo).await;
    forget(world, &world.atlas, lift).await;
    forget(world, &world.binky, code).await;
    memories::restore(&world.engine, &world.vera, &[code], "it holds again").await.unwrap();
    shared(world, "office", "The office closes at eight").await;
    fill(world, tea).await;
    tea
}

#[tokio::test]
async fn seed_3_scenario_8_export_and_import_preserve_everything() {
    let world = World::new().await;
    rich(&world).await;
    let before = exported(&world.engine, &world.system, &Selection::All).await;
    for kind in ["agent", "project", "repo", "project_link", "source", "memory", "version", "link", "tombstone", "event"] {
        assert!(!of_type(&before, kind).is_empty(), "{kind}: the test would prove nothing");
    }
    assert!(!before.contains(&world.system.tenant_id.to_string()), "a file says nothing of its tenant");

    let there = &World::on(TestDatabases::fresh(&FakeClock::default()).await).await.engine;
    let ctx = newcomer(there).await;
    let report = import(there, &ctx, &before).await.unwrap();
    assert_eq!(report.total(), ImportCount { added: body(&before).len() as i64, updated: 0, unchanged: 0 });
    let after = exported(there, &ctx, &Selection::All).await;
    assert_eq!(body(&after), body(&before), "ids, times, links, statuses, versions, sources, events and tombstones");

    // The second import changes nothing. Each import left one audit row, each export two, and each new agent one.
    let again = import(there, &ctx, &before).await.unwrap();
    assert_eq!(again.total(), ImportCount { added: 0, updated: 0, unchanged: body(&before).len() as i64 });
    assert_eq!(body(&exported(there, &ctx, &Selection::All).await), body(&before));
    while workers::drain(there).await.unwrap() > 0 {}
    let rows = audit::browse(there, &ctx, &AuditFilter { action: Some("memory.imported".into()), ..AuditFilter::default() }).await.unwrap();
    assert_eq!(rows.total, 2);
    assert_eq!(rows.rows[1].changes["memory"]["added"], of_type(&before, "memory").len());
    let all = audit::browse(there, &ctx, &AuditFilter::default()).await.unwrap();
    assert_eq!(all.total, 1 + 2 + 2 * 2 + 2, "of the tenant, its imports, exports and agents, and nothing else: {:?}", all.rows);
}

#[tokio::test]
async fn what_came_is_found_by_words_at_once_and_by_meaning_after_the_jobs() {
    let world = World::new().await;
    let tea = rich(&world).await;
    let before = exported(&world.engine, &world.system, &Selection::All).await;
    let there = World::on(TestDatabases::fresh(&FakeClock::default()).await).await;
    let ctx = newcomer(&there.engine).await;
    import(&there.engine, &ctx, &before).await.unwrap();
    let (atlas, _) = key(&there.engine, &ctx, agent(&world.atlas), KeyScope::ALL).await;
    let found = ask(&there, &atlas, "Vera likes black tea").await;
    assert_eq!((found.memories()[0].memory_id, found.memories()[0].matched_by), (tea, MatchedBy::Lexical));
    work(&there).await;
    let found = ask(&there, &atlas, "Vera likes black tea").await;
    assert_eq!((found.memories()[0].memory_id, found.memories()[0].matched_by), (tea, MatchedBy::Both));
    let found = ask(&there, &atlas, "Vera likes black tea, and the lift is out of order").await;
    let topics: Vec<&str> = found.memories().iter().map(|hit| hit.topic.as_str()).collect();
    assert!(topics.contains(&"tea") && !topics.contains(&"lift"), "what was forgotten stays so: {topics:?}");
    // Vectors were made, and making them changed nothing else.
    assert_eq!(of_type(&exported(&there.engine, &ctx, &Selection::All).await, "memory").len(), of_type(&before, "memory").len());
    assert_eq!(of_type(&exported(&there.engine, &ctx, &Selection::All).await, "version"), of_type(&before, "version"));
}

#[tokio::test]
async fn a_memory_that_went_on_elsewhere_is_brought_forward_and_never_back() {
    let world = World::new().await;
    let id = remember(&world, &world.atlas, fact("tea", "Vera likes black tea")).await.memory_id;
    remember(&world, &world.atlas, fact("drinks", "Vera likes black tea")).await;
    let early = exported(&world.engine, &world.system, &Selection::All).await;
    let there = &elsewhere().await;
    let ctx = newcomer(there).await;
    import(there, &ctx, &early).await.unwrap();
    forget(&world, &world.atlas, id).await;
    let late = exported(&world.engine, &world.system, &Selection::All).await;
    assert_eq!(import(there, &ctx, &late).await.unwrap().lines["memory"], ImportCount { added: 0, updated: 1, unchanged: 0 });
    assert_eq!(body(&exported(there, &ctx, &Selection::All).await), body(&late));
    memories::restore(&world.engine, &world.vera, &[id], "again").await.unwrap();
    let latest = exported(&world.engine, &world.system, &Selection::All).await;
    import(there, &ctx, &latest).await.unwrap();
    assert_eq!(body(&exported(there, &ctx, &Selection::All).await), body(&latest), "its tombstone is gone, too");

    assert_eq!(import(there, &ctx, &early).await.unwrap().total().unchanged, body(&early).len() as i64);
    assert_eq!(body(&exported(there, &ctx, &Selection::All).await), body(&latest), "an old file takes nothing back");
}

#[tokio::test]
async fn a_dry_run_counts_and_writes_nothing() {
    let world = World::new().await;
    rich(&world).await;
    let before = exported(&world.engine, &world.system, &Selection::All).await;
    let there = World::on(TestDatabases::fresh(&FakeClock::default()).await).await;
    let ctx = newcomer(&there.engine).await;
    let rows = crate::support::all_row_counts(there.engine.urls()).await;
    let dry = ImportOptions { dry_run: true, ..ImportOptions::default() };
    let report = portability::import(&there.engine, &ctx, file(&before).await, dry, &|_| {}).await.unwrap();
    assert!(report.dry_run && report.total().added as usize == body(&before).len());
    assert_eq!(crate::support::all_row_counts(there.engine.urls()).await, rows);
}

#[tokio::test]
async fn a_filter_exports_what_it_shows_and_the_file_is_whole() {
    let world = World::new().await;
    rich(&world).await;
    let filter = |filter: MemoryFilter| Selection::Filter(Box::new(filter));
    let tea = exported(&world.engine, &world.vera, &filter(MemoryFilter { topic: Some("tea".into()), ..Default::default() })).await;
    assert_eq!((of_type(&tea, "memory").len(), of_type(&tea, "link").len(), of_type(&tea, "source").len()), (1, 0, 1));
    assert!(tea.contains("\"slug\":\"atlas\"") && !tea.contains("\"slug\":\"binky\""), "no agent that has no part in it");
    let deleted = exported(&world.engine, &world.vera, &filter(MemoryFilter { deleted: Some(true), ..Default::default() })).await;
    assert_eq!((of_type(&deleted, "memory").len(), of_type(&deleted, "tombstone").len(), of_type(&deleted, "version").len()), (1, 1, 2));
    let both =
        exported(&world.engine, &world.vera, &filter(MemoryFilter { agent_id: Some(agent(&world.atlas)), ..Default::default() })).await;
    assert_eq!((of_type(&both, "memory").len(), of_type(&both, "link").len()), (2, 2), "links whose ends are both shown");
    let there = &elsewhere().await;
    for text in [tea, deleted, both] {
        let ctx = newcomer(there).await;
        // Each file can be imported; the ids belong to the tenant before, so the test only counts.
        let dry = ImportOptions { dry_run: true, ..ImportOptions::default() };
        let report = portability::import(there, &ctx, file(&text).await, dry, &|_| {}).await.unwrap();
        assert_eq!(report.total().added as usize, body(&text).len());
    }
}

#[tokio::test]
async fn an_agents_key_exports_and_imports_its_own_alone() {
    let world = World::new().await;
    rich(&world).await;
    let own = Selection::Agent(agent(&world.atlas));
    let text = exported(&world.engine, &world.atlas, &own).await;
    assert!(
        text.contains("Vera likes black tea") && !text.contains("is 4711") && !text.contains("closes at eight"),
        "neither binky's nor the commons'"
    );
    let refused = |ctx: &OpContext, selection: Selection| {
        let (engine, ctx) = (world.engine.clone(), ctx.clone());
        async move { portability::export(&engine, &ctx, &selection, Vec::new(), &|_| {}).await.unwrap_err().code().status() }
    };
    for selection in [Selection::All, Selection::Agent(agent(&world.binky)), Selection::Filter(Box::default())] {
        assert_eq!(refused(&world.atlas, selection).await, 403);
    }
    let (reader, _) = key(&world.engine, &world.system, agent(&world.atlas), &[KeyScope::MemoryRead]).await;
    assert_eq!(refused(&reader, own.clone()).await, 403);
    assert_eq!(import(&world.engine, &reader, &text).await.unwrap_err().code().status(), 403);
    let mina = OpContext { access: foundation::op::Access::Roles(vec![OperatorRole::Viewer]), ..world.vera.clone() };
    assert_eq!(refused(&mina, Selection::All).await, 403);
    assert_eq!(import(&world.engine, &mina, &text).await.unwrap_err().code().status(), 403);

    assert_eq!(import(&world.engine, &world.atlas, &text).await.unwrap().total().added, 0);
    let wrong = import(&world.engine, &world.atlas, &exported(&world.engine, &world.system, &Selection::All).await).await.unwrap_err();
    assert!(wrong.to_string().contains("accepts only records of atlas"), "{wrong}");
}

#[tokio::test]
async fn the_folder_is_the_same_each_time_and_has_no_name_from_outside() {
    let world = World::new().await;
    remember(&world, &world.atlas, fact("../../etc/passwd", "Vera keeps\n# nothing there")).await;
    remember(&world, &world.atlas, fact("Größe: \"42\"?", "The shoe is a 42")).await;
    remember(&world, &world.binky, fact("///", "Only signs")).await;
    forget(&world, &world.binky, remember(&world, &world.binky, fact("lift", "It stands still")).await.memory_id).await;
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut folders = vec![];
    for folder in [one.path(), two.path()] {
        assert_eq!(portability::markdown(&world.engine, &world.vera, &Selection::All, folder, &|_| {}).await.unwrap(), 3);
        let mut files = vec![];
        for agent in ["atlas", "binky"] {
            for entry in std::fs::read_dir(folder.join(agent)).unwrap() {
                let path = entry.unwrap().path();
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                assert!(name == "INDEX.md" || name.trim_end_matches(".md").chars().all(|c| c.is_alphanumeric() || c == '-'), "{name}");
                files.push((agent, name, std::fs::read_to_string(path).unwrap()));
            }
        }
        files.sort();
        folders.push(files);
    }
    assert_eq!(folders[0], folders[1]);
    assert_eq!(folders[0].len(), 5, "two indexes, three memories: {:?}", folders[0]);
    let page = &folders[0].iter().find(|(_, name, _)| name.starts_with("etc-passwd-")).unwrap().2;
    assert!(page.starts_with("---\nagent: \"atlas\"\n") && page.contains("\ntopic: \"../../etc/passwd\"\n"), "{page}");
    assert!(page.ends_with("---\n\nVera keeps\n# nothing there\n"), "{page}");
    let again = portability::markdown(&world.engine, &world.vera, &Selection::All, one.path(), &|_| {}).await.unwrap_err();
    assert!(again.to_string().contains("not empty"), "{again}");
}

/// Fails for a new column that no file has and that would be lost in a move.
#[tokio::test]
async fn every_column_is_in_the_file_or_follows_from_it() {
    let world = World::new().await;
    let urls = world.engine.urls();
    let sql = "select column_name::text from information_schema.columns where table_schema = 'public' and table_name = $1";
    for section in Section::ALL {
        let url = match section.area() {
            _ if matches!(section, Section::Agent | Section::User) => &urls.internal_shared,
            Area::Memory => &urls.agent_memory,
            Area::Vocabulary | Area::Knowledge => &urls.shared_kb,
            Area::Activity => &urls.internal_shared,
        };
        let there: Vec<String> = sqlx::query_scalar(sql).bind(section.table()).all(url).await;
        let there: BTreeSet<&str> = there.iter().map(String::as_str).collect();
        let known: BTreeSet<&str> = ["tenant_id"].into_iter().chain(section.written()).chain(left_out(section).iter().copied()).collect();
        assert_eq!(there, known, "{}: docs/EXPORT.md and server/portability/src/lines/ know its columns", section.table());
    }
}

/// Columns that follow from a line by SQL, have a meaning in one installation only, or are left out as docs/EXPORT.md says.
fn left_out(section: Section) -> &'static [&'static str] {
    match section {
        Section::Agent => &["kind", "created_at", "knowledge_categories", "keeps_context_texts", "blocked_at", "retired_at"],
        Section::User => &["created_at"],
        Section::Term | Section::Alias | Section::Proposal | Section::Document => &["imported_by"],
        Section::Decision => &["together", "imported_by"],
        Section::Chunk => &["awaiting_vector", "word_rules", "written"],
        Section::ProjectLink => &["valid_to"],
        Section::Source => &["media_type", "bytes"],
        Section::Memory => &[
            "topic_normal",
            "topic_key",
            "word_rules",
            "vocabulary_version",
            "content_hash",
            "live",
            "awaiting_vector",
            "term_count",
            "written",
            "said_at",
            "characters",
            "punctuation",
            "asks",
            "conversation",
            "speaker",
            "platform",
            "imported_by",
        ],
        Section::Version => &["imported_by", "user_id"],
        Section::Link => &["user_id"],
        Section::Event => &["leased_until", "attempts_before"],
        Section::Suggestion => &["effect"],
        _ => &[],
    }
}

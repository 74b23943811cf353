//! An answer does not depend on other stored memories: a search with a filter finds what it would find if only the memories existed that
//! the filter lets through.

use crate::portability::{import, newcomer};
use crate::portability_refused::sealed;
use crate::support::{patient, work};
use chrono::{DateTime, Duration, Utc};
use foundation::testing::{Fake, FakeClock, TestDatabases, World, key};
use foundation::{Engine, OpContext, identity};
use remembrancer::recall;
use serde_json::{Value, json};
use std::sync::Arc;
use uuid::Uuid;
use wire::{Hit, KeyScope, MemoryKind, MemoryScope, MemoryStatus, Ranking, RecallFilters, RecallRequest, UserId, UserRef};

const MEMORIES: u64 = 5_000;
const USERS: u64 = 40;
const PROJECTS: u64 = 12;
pub const WORDS: [&str; 48] = [
    "harbour",
    "ferry",
    "ticket",
    "sunday",
    "pier",
    "crew",
    "engine",
    "timetable",
    "cargo",
    "winter",
    "bridge",
    "signal",
    "captain",
    "rope",
    "anchor",
    "delay",
    "fuel",
    "island",
    "market",
    "parcel",
    "lantern",
    "storm",
    "repair",
    "invoice",
    "driver",
    "garage",
    "window",
    "kettle",
    "garden",
    "recipe",
    "printer",
    "budget",
    "meeting",
    "painter",
    "ladder",
    "museum",
    "violin",
    "rehearsal",
    "ticketing",
    "survey",
    "permit",
    "mortar",
    "gravel",
    "concrete",
    "valve",
    "gasket",
    "pump",
    "filter",
];
const QUERIES: [&str; 3] =
    ["Which ferry leaves the harbour on sunday with cargo?", "gasket for the pump valve", "winter budget meeting about the museum"];

/// One memory of the fixture; everything follows from its number.
pub struct Row {
    n: u64,
    user: Option<u64>,
    project: Option<u64>,
    kind: MemoryKind,
    scope: MemoryScope,
    platform: &'static str,
    contradicted: bool,
    expired: bool,
    said_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

impl Row {
    pub fn new(n: u64, now: DateTime<Utc>) -> Self {
        let project = (n % 13).checked_sub(1);
        let scope = match project {
            None => MemoryScope::Agent,
            Some(_) if n.is_multiple_of(3) => MemoryScope::Repo,
            Some(_) => MemoryScope::Project,
        };
        Self {
            n,
            user: (!n.is_multiple_of(5)).then_some(n % USERS),
            project,
            kind: [MemoryKind::Profile, MemoryKind::Decision, MemoryKind::Artifact][(n / 7 % 3) as usize],
            scope,
            platform: ["slack", "email", "chat"][(n / 11 % 3) as usize],
            contradicted: n.is_multiple_of(17),
            expired: n % 19 == 4,
            said_at: now - Duration::days(100) + Duration::minutes(i64::try_from(n).unwrap() * 20),
            updated_at: now - Duration::minutes(i64::try_from(n * 7919 % MEMORIES).unwrap() * 31),
        }
    }

    /// Ids of the same order in every organisation, and none twice.
    fn id(kind: u64, organisation: u64, n: u64) -> Uuid {
        Uuid::from_u128((0x0190_0000_0000_7000_u128 << 64) | 0x8000_0000_0000_0000 | u128::from(kind << 56 | organisation << 32 | n))
    }

    fn content(&self) -> String {
        let mut state = self.n.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut word = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            WORDS[(state >> 33) as usize % WORDS.len()]
        };
        let words: Vec<&str> = (0..6 + self.n % 9).map(|_| word()).collect();
        format!("Note {}: {}.", self.n, words.join(" "))
    }

    fn lines(&self, organisation: u64) -> [String; 2] {
        let id = Self::id(1, organisation, self.n);
        let stamp = |at: DateTime<Utc>| json!(at.to_rfc3339_opts(chrono::SecondsFormat::Micros, true));
        let source = json!({ "platform": self.platform, "channel_id": format!("C{}", self.n % 29), "observed_at": stamp(self.said_at) });
        let status = if self.contradicted { MemoryStatus::Contradicted } else { MemoryStatus::Active };
        let topic = WORDS[(self.n % 6) as usize];
        let mut memory = json!({
            "type": "memory", "agent": "atlas", "id": id, "short_id": format!("{:08}", self.n), "created_by": "atlas",
            "kind": self.kind, "retention": "permanent", "scope": self.scope, "status": status, "topic": topic, "topic_raw": topic,
            "is_canonical": false, "content": self.content(), "source": source, "source_kind": "manual", "confidence": 1.0, "importance": 0.5,
            "pinned": false, "version": 1, "access_count": 0, "observed_at": stamp(self.said_at), "created_at": stamp(self.updated_at),
            "updated_at": stamp(self.updated_at), "profile_fact": false,
        });
        let mut set = |field: &str, value: Option<Value>| {
            if let Some(value) = value {
                memory[field] = value;
            }
        };
        set("user_id", self.user.map(|user| json!(user_id(user))));
        set("project_id", self.project.map(|project| json!(project_id(project))));
        set("repo_id", self.project.filter(|_| self.scope == MemoryScope::Repo).map(|project| json!(repo_id(project))));
        set("expires_at", self.expired.then(|| stamp(self.updated_at)));
        let version = json!({
            "type": "version", "agent": "atlas", "memory_id": id, "version": 1, "change": "created", "content": memory["content"],
            "topic": topic, "topic_raw": topic, "is_canonical": false, "status": status, "deleted": false, "updated_at": stamp(self.updated_at),
            "valid_from": stamp(self.updated_at), "source": memory["source"], "actor_kind": "agent", "actor_id": "atlas", "actor_name": "atlas",
        });
        [memory.to_string(), version.to_string()]
    }
}

pub fn user_id(n: u64) -> UserId {
    UserId(Row::id(2, 0, n))
}

fn project_id(n: u64) -> Uuid {
    Row::id(3, 0, n)
}

fn repo_id(n: u64) -> Uuid {
    Row::id(4, 0, n)
}

/// An organisation with an agent that remembers some of the fixture.
pub async fn organisation(engine: &Engine, number: u64, rows: impl Iterator<Item = &Row>) -> OpContext {
    let ctx = newcomer(engine).await;
    let agent = identity::create_agent(engine, &ctx, "atlas", "Atlas", false).await.unwrap();
    let (memories, versions): (Vec<String>, Vec<String>) = rows.map(|row| row.lines(number).into()).unzip();
    let agent_line =
        json!({ "type": "agent", "id": agent.id, "slug": "atlas", "name": "Atlas", "require_user": false, "discipline": "aggressive" });
    // No row is later than the file, or the import would correct its times.
    let exported_at = engine.clock().now().to_rfc3339_opts(chrono::SecondsFormat::Micros, true);
    let header = json!({ "type": "header", "format": "remembrancer-export", "schema": 1, "exported_at": exported_at });
    let lines: Vec<String> = [header.to_string(), agent_line.to_string()].into_iter().chain(memories).chain(versions).collect();
    import(engine, &ctx, &sealed(&lines)).await.unwrap();
    key(engine, &ctx, agent.id, KeyScope::ALL).await.0
}

/// A question with a filter, and which rows it lets through.
pub struct Narrowed {
    name: &'static str,
    user: Option<u64>,
    pub filters: RecallFilters,
    fits: fn(&Row) -> bool,
}

pub fn narrowed(now: DateTime<Utc>) -> Vec<Narrowed> {
    let none = RecallFilters::default;
    let case = |name, user, filters, fits| Narrowed { name, user, filters, fits };
    let month = |filters| RecallFilters { from: Some(now - Duration::days(70)), until: Some(now - Duration::days(60)), ..filters };
    vec![
        case("no user", None, none(), |_| true),
        case("a user", Some(7), none(), |_| true),
        case("a kind", None, RecallFilters { kinds: vec![MemoryKind::Decision], ..none() }, |row| row.kind == MemoryKind::Decision),
        case("a scope", None, RecallFilters { scopes: vec![MemoryScope::Repo], ..none() }, |row| row.scope == MemoryScope::Repo),
        case("a platform", Some(9), RecallFilters { platform: Some("email".into()), ..none() }, |row| row.platform == "email"),
        case("a project", Some(7), RecallFilters { project_id: Some(project_id(3)), ..none() }, |row| row.project == Some(3)),
        case("a repository", Some(8), RecallFilters { repo_id: Some(repo_id(5)), ..none() }, |row| {
            row.project == Some(5) && row.scope == MemoryScope::Repo
        }),
        case("a status", None, RecallFilters { statuses: vec![MemoryStatus::Contradicted], ..none() }, |row| row.contradicted),
        case("a period", Some(7), month(none()), |row| (2_160..2_880).contains(&row.n)),
        case("the project worked on", Some(7), RecallFilters { for_project: Some(project_id(3)), ..none() }, |row| {
            row.project.is_none_or(|project| project == 3)
        }),
        case("the repository worked on", None, RecallFilters { for_repo: Some(repo_id(5)), ..none() }, |row| {
            row.project.is_none() || (row.project == Some(5) && row.scope == MemoryScope::Repo)
        }),
    ]
}

/// The contents of the answer with their relevance, which, unlike the score, does not change from one second to the next. Strongly relevant
/// memories of other projects, which are shown beside the others, are left out.
async fn answer(engine: &Engine, ctx: &OpContext, case: &Narrowed, request: &RecallRequest) -> Vec<(String, f64)> {
    let answer = recall::without_floor(engine, ctx, request.clone()).await.unwrap();
    let row = |hit: &Hit| Row::new(hit.content["Note ".len()..hit.content.find(':').unwrap()].parse().unwrap(), DateTime::UNIX_EPOCH);
    answer.memories().into_iter().filter(|hit| (case.fits)(&row(hit))).map(|hit| (hit.content.clone(), hit.similarity)).collect()
}

#[tokio::test]
async fn a_filtered_search_finds_what_it_would_find_alone() {
    let fake = Fake::new();
    let world = World::with(TestDatabases::fresh(&FakeClock::default()).await, Arc::new(fake.clone()), fake, patient()).await;
    let (engine, now) = (&world.engine, world.engine.clock().now());
    let rows: Vec<Row> = (0..MEMORIES).map(|n| Row::new(n, now)).collect();
    assert_eq!(rows.iter().filter_map(|row| row.project).max(), Some(PROJECTS - 1));
    let crowd = organisation(engine, 1, rows.iter()).await;
    let cases = narrowed(now);
    let mut alone = Vec::new();
    for (number, case) in (2..).zip(&cases) {
        let let_through = |row: &&Row| !row.expired && (row.user.is_none() || row.user == case.user) && (case.fits)(row);
        assert!(rows.iter().filter(let_through).count() > 20, "{}", case.name);
        alone.push(organisation(engine, number, rows.iter().filter(let_through)).await);
    }
    work(&world).await;
    let then = engine.clock().now();
    for by_meaning in [true, false] {
        if !by_meaning {
            world.embedder.fail();
        }
        for (case, alone) in cases.iter().zip(&alone) {
            let narrow = case.filters.for_project.or(case.filters.for_repo).is_some();
            for (ranking, query) in
                [Ranking::Decay, Ranking::Hybrid, Ranking::HybridDecay].into_iter().flat_map(|one| QUERIES.map(|q| (one, q)))
            {
                // Without meaning it asks another question, because the vectors of the first are cached.
                let query = if by_meaning { query.to_owned() } else { format!("{query} please") };
                let user_id = case.user.map(|user| UserRef::Id(user_id(user)));
                let request =
                    RecallRequest { k: 30, user_id, ranking: Some(ranking), filters: case.filters.clone(), ..RecallRequest::new(&query) };
                let name = format!("{}, {ranking}, {query}", case.name);
                let crowded = answer(engine, &crowd, case, &request).await;
                let expected = answer(engine, alone, case, &request).await;
                assert!(!expected.is_empty() && (narrow || crowded.len() == expected.len()), "{name}");
                assert_eq!(crowded, expected[..crowded.len()], "{name}");
                if by_meaning && query == QUERIES[0] {
                    let past = RecallRequest { as_of: Some(then), ..request };
                    // The database and this process round cosines differently.
                    let contents = |answer: Vec<(String, f64)>| answer.into_iter().map(|(content, _)| content).collect::<Vec<_>>();
                    assert_eq!(contents(answer(engine, &crowd, case, &past).await), contents(crowded), "the past: {name}");
                }
            }
        }
    }
}

//! The diagnosis names the gate that stops a memory, and agrees with what a recall returns.

use crate::support::{Fetch, Run, agent, all_row_counts, alone_with, ingest, patient, remember};
use chrono::Duration;
use foundation::testing::{World, fact, key, nowhere, question};
use foundation::{Error, OpContext, identity, projects};
use remembrancer::vocabulary::{self, NewTerm};
use remembrancer::{memories, recall};
use uuid::Uuid;
use wire::{
    DiagnoseRequest, Diagnosis, Gate, GateOutcome, KeyScope, LinkRequest, MatchedBy, MemoryId, MemoryKind, MemoryRef, MemoryScope,
    MendLink, NewProject, Ranking, RecallFilters, RecallRequest, Relation, RememberRequest, Retention, Source, UserId, UserRef,
};

const FERRY: &str = "When does the heron ferry leave?";
const PLACES: [&str; 11] =
    ["pier", "harbour", "bakery", "museum", "garden", "station", "market", "bridge", "office", "lantern", "workshop"];
const DEEDS: [&str; 7] = ["paints", "repairs", "counts", "moves", "cleans", "sells", "draws"];
const THINGS: [&str; 13] =
    ["rope", "kettle", "ladder", "violin", "ticket", "window", "engine", "parcel", "filter", "recipe", "printer", "ferry", "cargo"];

const MINA: UserId = UserId(Uuid::from_u128(0x41));

/// The topic and content of one memory of the crowd.
fn crowd(n: usize) -> RememberRequest {
    let (who, deed) = (["Vera", "Idris", "Mina"][n % 3], DEEDS[n % 7]);
    let content = format!("{who} {deed} the {} and the {} near the {}", THINGS[n % 13], THINGS[n * 5 % 13], PLACES[n % 11]);
    fact(&format!("note {n}"), &format!("{content} on sheet {n}"))
}

async fn store(world: &World, ctx: &OpContext, user: Option<UserId>, items: impl Iterator<Item = RememberRequest>) -> Vec<MemoryId> {
    let answer = memories::remember_batch(&world.engine, ctx, user.map(UserRef::Id), items.map(Ok).collect()).await.unwrap();
    answer.results.into_iter().map(|result| result.memory.unwrap().memory_id).collect()
}

/// Memories of every owner, and a document.
struct Crowd {
    world: World,
    own: Vec<MemoryId>,
    shared: Vec<MemoryId>,
    of_mina: Vec<MemoryId>,
    of_binky: Vec<MemoryId>,
}

impl Crowd {
    /// Some 2,400 memories.
    async fn new() -> Self {
        Self::of(3).await
    }

    /// Its size, in parts of 500 of the agent's own memories.
    async fn of(parts: usize) -> Self {
        // Tests change rows behind the server's back, which its recall cache would not see.
        let world = alone_with(foundation::Settings { recall_cache_bytes: 0, ..patient() }).await;
        let mut own = Vec::new();
        for part in 0..parts {
            own.extend(store(&world, &world.atlas, None, (0..500).map(|n| crowd(part * 500 + n))).await);
        }
        let shared = |n| RememberRequest { commons: true, scope: Some(MemoryScope::Global), ..crowd(n) };
        let shared = store(&world, &world.atlas, None, (2_000..2_000 + parts * 70).map(shared)).await;
        let of_mina = store(&world, &world.atlas, Some(MINA), (3_000..3_000 + parts * 100).map(crowd)).await;
        let of_binky = store(&world, &world.binky, None, (0..parts * 130).map(crowd)).await;
        let text = b"# Piers\n\nThe ferry leaves the pier with cargo.\n\n## Lanterns\n\nA lantern hangs at the harbour office.\n".to_vec();
        ingest(&world, "acme", vec![("piers.md".to_owned(), text)]).await;
        Self { world, own, shared, of_mina, of_binky }
    }
}

async fn ask(world: &World, ctx: &OpContext, memory: impl Into<MemoryRef>, recall: RecallRequest) -> Result<Diagnosis, Error> {
    recall::diagnose(&world.engine, &world.vera, &DiagnoseRequest { agent_id: agent(ctx), memory: memory.into(), recall }).await
}

/// Diagnoses a memory that does not get through; the verdict, the gate, and the link of its mend.
async fn stop(world: &World, ctx: &OpContext, memory: impl Into<MemoryRef>, recall: RecallRequest) -> (Gate, String, Option<MendLink>) {
    let diagnosis = ask(world, ctx, memory, recall).await.unwrap();
    assert_eq!(diagnosis.gates.iter().map(|result| result.gate).collect::<Vec<Gate>>(), Gate::ALL, "every gate is shown, in its order");
    assert_eq!(diagnosis.rank, None, "{}", diagnosis.verdict);
    let stop = diagnosis.stop().unwrap();
    (stop.gate, diagnosis.verdict.clone(), stop.mend.clone().unwrap().link)
}

/// The rank of a memory that gets through.
async fn rank(world: &World, ctx: &OpContext, memory: MemoryId, recall: RecallRequest) -> Option<u32> {
    let diagnosis = ask(world, ctx, memory, recall).await.unwrap();
    assert_eq!(diagnosis.stopped_by, None, "{}", diagnosis.verdict);
    diagnosis.rank
}

/// The rank that a recall gives a memory.
async fn recalled(world: &World, ctx: &OpContext, memory: MemoryId, recall: RecallRequest) -> Option<u32> {
    let answer = recall::recall(&world.engine, ctx, recall).await.unwrap();
    let place = answer.hits.iter().position(|hit| hit.memory().is_some_and(|hit| hit.memory_id == memory))?;
    Some(u32::try_from(place + 1).unwrap())
}

async fn remembered(world: &World, topic: &str, content: &str) -> MemoryId {
    remember(world, &world.atlas, fact(topic, content)).await.memory_id
}

fn hits(query: &str, k: u32) -> RecallRequest {
    RecallRequest { k, ..question(query) }
}

fn ranked_by(query: &str, ranking: Ranking) -> RecallRequest {
    RecallRequest { ranking: Some(ranking), ..question(query) }
}

#[tokio::test]
async fn every_gate_of_the_record_names_itself() {
    let Crowd { world, own, .. } = Crowd::new().await;
    let (atlas, ferry) = (&world.atlas, || question(FERRY));
    let heron = |content: &str| fact("heron ferry", content);
    let id = remembered(&world, "heron ferry", "The heron ferry leaves at nine").await;
    assert_eq!(rank(&world, atlas, id, ferry()).await, recalled(&world, atlas, id, ferry()).await);
    let through = ask(&world, atlas, id, ferry()).await.unwrap();
    assert_eq!(through.verdict, "atlas gets this memory at rank 1 of 10.");
    let outcomes: Vec<_> = through.gates.iter().map(|result| (result.gate, result.outcome)).collect();
    assert_eq!(outcomes, Gate::ALL.iter().map(|gate| (*gate, GateOutcome::Passed)).collect::<Vec<_>>());

    let (gate, verdict, _) = stop(&world, atlas, MemoryId(nowhere()), ferry()).await;
    assert_eq!((gate, verdict.as_str()), (Gate::Tenant, "No memory of this organisation has this id."));

    let clerk = identity::create_agent(&world.engine, &world.system, "clerk", "Clerk", false).await.unwrap();
    let (write_only, _) = key(&world.engine, &world.system, clerk.id, &[KeyScope::MemoryWrite]).await;
    assert_eq!(stop(&world, &write_only, id, ferry()).await.0, Gate::Key);

    let (gate, verdict, _) = stop(&world, &world.binky, id, ferry()).await;
    assert_eq!(gate, Gate::Agent);
    assert!(verdict.starts_with("binky does not get this memory: it belongs to the agent atlas"), "{verdict}");

    let private = RememberRequest { user_id: Some(MINA.into()), ..heron("Mina takes the heron ferry at ten") };
    let private = remember(&world, atlas, private).await.memory_id;
    for recall in [ferry(), RecallRequest { user_id: Some(UserId(nowhere()).into()), ..ferry() }] {
        let (gate, _, mend) = stop(&world, atlas, private, recall).await;
        assert_eq!((gate, mend), (Gate::User, Some(MendLink::User(MINA))));
    }
    let for_mina = || RecallRequest { user_id: Some(MINA.into()), ..ferry() };
    assert_eq!(rank(&world, atlas, private, for_mina()).await, recalled(&world, atlas, private, for_mina()).await);

    let waiting = remembered(&world, "heron ferry", "A heron ferry was sold in May").await;
    sqlx::query("update agent_memories set status = 'inbox', live = false where id = $1").bind(waiting).run(&world.engine).await;
    let (gate, verdict, mend) = stop(&world, atlas, waiting, ferry()).await;
    assert_eq!((gate, mend), (Gate::Status, Some(MendLink::Candidate(waiting))), "{verdict}");

    let deleted = remembered(&world, "heron ferry", "The captain of the heron ferry retired").await;
    memories::delete(&world.engine, &world.vera, &[deleted], "wrong").await.unwrap();
    let (gate, verdict, mend) = stop(&world, atlas, deleted, ferry()).await;
    assert_eq!((gate, mend), (Gate::Deleted, Some(MendLink::Memory(deleted))));
    assert!(verdict.starts_with("atlas does not get this memory: it was deleted on ") && verdict.ends_with(" by Vera."), "{verdict}");
    let relevance = ask(&world, atlas, deleted, ferry()).await.unwrap().relevance.unwrap();
    assert!(relevance.similarity.unwrap() > 0.4 && relevance.words.unwrap() > 0.4, "it is compared all the same: {relevance:?}");
    assert_eq!((relevance.matched_words, relevance.score), (vec!["heron".to_owned(), "ferry".into()], None));
    memories::restore(&world.engine, &world.vera, &[deleted], "right after all").await.unwrap();
    assert_eq!(ask(&world, atlas, deleted, ferry()).await.unwrap().rank, recalled(&world, atlas, deleted, ferry()).await);

    let archived = remembered(&world, "heron ferry", "The heron ferry has a new engine").await;
    sqlx::query("update agent_memories set archived_at = now(), live = false where id = $1").bind(archived).run(&world.engine).await;
    let mut tx = world.engine.db().memory.begin(world.system.tenancy()).await.unwrap();
    memories::store::sync_live(&mut tx, world.system.tenancy(), agent(atlas), &[waiting, archived]).await.unwrap();
    for id in [waiting, archived] {
        memories::store::drop_words(&mut tx, world.system.tenancy(), agent(atlas), id).await.unwrap();
    }
    tx.commit().await.unwrap();
    assert_eq!(stop(&world, atlas, archived, ferry()).await.0, Gate::Archived);

    let filters = RecallFilters { kinds: vec![MemoryKind::Decision], platform: Some("slack".into()), ..RecallFilters::default() };
    let (gate, verdict, _) = stop(&world, atlas, id, RecallRequest { filters: filters.clone(), ..ferry() }).await;
    assert_eq!((gate, verdict.rsplit(": ").next()), (Gate::Filters, Some("kinds.")), "{verdict}");
    assert_eq!(rank(&world, atlas, id, RecallRequest { filters: RecallFilters { kinds: vec![], ..filters }, ..ferry() }).await, Some(1));

    let brief = RememberRequest { retention: Some(Retention::Routine), ..heron("The heron ferry is late today") };
    let brief = remember(&world, atlas, brief).await.memory_id;
    assert!(rank(&world, atlas, brief, ferry()).await.is_some());
    world.clock.advance(Duration::days(8));
    let (gate, verdict, _) = stop(&world, atlas, brief, ferry()).await;
    assert_eq!(gate, Gate::Expired);
    assert!(verdict.contains("it expired on ") && verdict.ends_with("; its retention is routine."), "{verdict}");

    // A short id means the agent's own memory, and is found for every other agent.
    let short: String = sqlx::query_scalar("select short_id from agent_memories where id = $1").bind(own[7]).one(&world.engine).await;
    for (ctx, gate) in [(atlas, Gate::Floor), (&world.binky, Gate::Agent)] {
        let diagnosis = ask(&world, ctx, MemoryRef::Short(short.clone()), ferry()).await.unwrap();
        assert_eq!((diagnosis.memory.as_ref().unwrap().id, diagnosis.stopped_by), (own[7], Some(gate)), "{}", diagnosis.verdict);
    }
}

#[tokio::test]
async fn every_gate_of_relevance_names_itself() {
    let Crowd { world, own, .. } = Crowd::new().await;
    let (atlas, ferry) = (&world.atlas, || question(FERRY));

    let mut ids = Vec::new();
    for slug in ["zephyr", "mistral"] {
        ids.push(projects::create(&world.engine, &world.system, NewProject { slug: slug.into(), name: slug.into() }).await.unwrap().id);
    }
    let elsewhere = RememberRequest {
        scope: Some(MemoryScope::Project),
        project_id: Some(ids[0].into()),
        ..fact("timetable", "Two volunteers painted the heron ferry last spring in bright colours for the parade")
    };
    let elsewhere = remember(&world, atlas, elsewhere).await.memory_id;
    let for_project = |project: Uuid| {
        let filters = RecallFilters { for_project: Some(project), ..RecallFilters::default() };
        RecallRequest { filters, ..question("heron quincunx timetable ferry borborygmus leave nine zyzzyva") }
    };
    assert!(rank(&world, atlas, elsewhere, for_project(ids[0])).await.is_some());
    assert_eq!(stop(&world, atlas, elsewhere, for_project(ids[1])).await.0, Gate::Scope);
    projects::link(&world.engine, &world.system, "zephyr", "mistral").await.unwrap();
    assert!(rank(&world, atlas, elsewhere, for_project(ids[1])).await.is_some());

    world.embedder.fail();
    let late = remembered(&world, "gasket", "Pump four takes the green gasket").await;
    world.embedder.work();
    let (gate, _, mend) = stop(&world, atlas, late, ferry()).await;
    assert_eq!((gate, mend), (Gate::Vector, Some(MendLink::Events)));
    let by_words = ask(&world, atlas, late, question("green gasket of pump four")).await.unwrap();
    let outcome = |gate| by_words.gates.iter().find(|result| result.gate == gate).unwrap().outcome;
    assert_eq!((by_words.rank, outcome(Gate::Vector), outcome(Gate::Similarity)), (Some(1), GateOutcome::Short, GateOutcome::Open));
    sqlx::query("update embeddings_384 set model = 'an-older-one' where memory_id = $1").bind(own[0]).run(&world.engine).await;
    let (gate, verdict, _) = stop(&world, atlas, own[0], ferry()).await;
    assert_eq!(gate, Gate::Vector);
    assert!(verdict.contains("its vector is of the model an-older-one, and recalls use all-MiniLM-L6-v2"), "{verdict}");
    // Under `decay` words stand in only for a vector that is still to come.
    let sheet = || ranked_by("paints rope rope pier sheet 0", Ranking::Decay);
    assert_eq!(stop(&world, atlas, own[0], sheet()).await.0, Gate::Vector);
    assert_eq!(recalled(&world, atlas, own[0], sheet()).await, None);

    let unrelated = || question("quarterly zyzzyva of the borborygmus");
    let id = remembered(&world, "heron ferry", "The heron ferry leaves at nine").await;
    assert_eq!(stop(&world, atlas, id, RecallRequest { ranking: Some(Ranking::Decay), ..unrelated() }).await.0, Gate::Similarity);
    let (gate, _, mend) = stop(&world, atlas, id, unrelated()).await;
    assert_eq!((gate, mend), (Gate::Floor, Some(MendLink::Terms)));
    world.embedder.fail();
    let blind = ask(&world, atlas, id, question("monthly zyzzyva")).await.unwrap();
    assert_eq!((blind.stopped_by, blind.degraded.as_slice()), (Some(Gate::Words), ["embedding".to_owned()].as_slice()));
    world.embedder.work();

    // A decision that has not reached the memory yet.
    let tin = remembered(&world, "chai", "Idris keeps the tin on the upper shelf").await;
    assert_eq!(stop(&world, atlas, tin, question("tea")).await.0, Gate::Floor);
    let tea = NewTerm { term: "tea", aliases: &["chai"], ..NewTerm::default() };
    vocabulary::add(&world.engine, &world.system, tea).await.unwrap();
    let (gate, verdict, _) = stop(&world, atlas, tin, question("tea")).await;
    assert_eq!(gate, Gate::Vocabulary);
    assert!(verdict.ends_with("its phrase “chai” now resolves to “tea”, and it is still filed under “chai”."), "{verdict}");
    // An alias that means something else in this question.
    let lamp = remembered(&world, "sheet", "sheet lamp").await;
    assert!(rank(&world, atlas, lamp, question("sheet xylophone")).await.is_some());
    let term = NewTerm { term: "customs house", aliases: &["sheet xylophone"], ..NewTerm::default() };
    vocabulary::add(&world.engine, &world.system, term).await.unwrap();
    let (gate, verdict, mend) = stop(&world, atlas, lamp, question("sheet xylophone")).await;
    assert_eq!((gate, mend), (Gate::Vocabulary, Some(MendLink::Terms)), "{verdict}");

    store(&world, atlas, None, (0..60).map(|n| fact(&format!("heron ferry {n}"), &format!("The heron ferry leaves at {n}")))).await;
    let aside = Source { platform: "mail".into(), ..Source::default() };
    let far = RememberRequest { source: aside, ..fact("paint", "Two volunteers painted the heron ferry last spring") };
    let far = remember(&world, atlas, far).await.memory_id;
    for (recall, gate) in [(hits(FERRY, 1), Gate::Rank), (hits(FERRY, 60), Gate::K)] {
        let (stopped_by, verdict, mend) = stop(&world, atlas, far, recall.clone()).await;
        let Some(MendLink::Hits(k)) = mend else { panic!("{verdict}: {mend:?}") };
        assert_eq!(stopped_by, gate, "{verdict}");
        let more = RecallRequest { k, ..recall };
        assert_eq!(rank(&world, atlas, far, more.clone()).await, recalled(&world, atlas, far, more).await);
    }
}

/// The diagnosis gives the same rank and numbers as the recall for each hit, and names a gate for each memory that is no hit.
#[tokio::test]
async fn a_diagnosis_agrees_with_the_recall_that_it_explains() {
    let Crowd { world, own, shared, of_mina, of_binky } = Crowd::new().await;
    memories::delete(&world.engine, &world.vera, &own[40..60], "wrong").await.unwrap();
    let sample = |ids: &[MemoryId], every: usize| ids.iter().copied().step_by(every).collect::<Vec<_>>();
    let strangers = [sample(&own, 150), own[40..43].to_vec(), sample(&shared, 50), sample(&of_mina, 75), sample(&of_binky, 200)].concat();
    let queries = [
        ("Who sells the ferry and the cargo near the pier?", None, 5),
        ("lantern", Some(MINA), 20),
        ("Does Mina paint the violin on sheet 3030?", Some(MINA), 10),
    ];
    let (mut through, mut stopped) = (0, std::collections::BTreeSet::new());
    for (query, user, k) in queries {
        for ranking in Ranking::ALL {
            let recall = RecallRequest { k, user_id: user.map(Into::into), ..ranked_by(query, *ranking) };
            let answer = recall::recall(&world.engine, &world.atlas, recall.clone()).await.unwrap();
            let returned: Vec<Option<_>> = answer.hits.iter().map(|hit| hit.memory()).collect();
            for id in returned.iter().flatten().map(|hit| hit.memory_id).chain(strangers.iter().copied()) {
                let diagnosis = ask(&world, &world.atlas, id, recall.clone()).await.unwrap();
                let place = returned.iter().position(|hit| hit.is_some_and(|hit| hit.memory_id == id));
                let rank = place.map(|place| u32::try_from(place + 1).unwrap());
                let why = format!("{query} by {ranking}, {id}: {diagnosis:#?}");
                assert_eq!(diagnosis.rank, rank, "{why}");
                assert_eq!(diagnosis.stopped_by.is_none(), rank.is_some(), "{why}");
                stopped.extend(diagnosis.stopped_by);
                let Some(hit) = place.and_then(|place| returned[place]) else { continue };
                through += 1;
                let relevance = diagnosis.relevance.unwrap();
                let measured = if hit.matched_by == MatchedBy::Lexical { relevance.words } else { relevance.similarity };
                assert!((measured.unwrap() - hit.similarity).abs() < 1e-9, "{why}");
                // Both were scored at their own moment.
                assert!((relevance.score.unwrap() - hit.score).abs() < 1e-5, "{why}");
                let how = |explanation: &str| explanation.split([';', '.']).next().unwrap().to_owned();
                assert_eq!(how(&relevance.explanation.unwrap()), how(&hit.explanation));
            }
        }
    }
    assert!(through > 60, "{through}");
    for gate in [Gate::Agent, Gate::User, Gate::Deleted, Gate::Floor, Gate::Similarity] {
        assert!(stopped.contains(&gate), "{stopped:?}");
    }
}

#[tokio::test]
async fn a_memory_of_another_organisation_is_like_none_and_nothing_leaves_a_trace() {
    let world = alone_with(patient()).await;
    let stranger = World::on(world.engine.urls().clone()).await;
    let theirs = remember(&stranger, &stranger.atlas, fact("heron ferry", "The heron ferry leaves at nine")).await;
    let own = remembered(&world, "heron ferry", "The heron ferry leaves at ten").await;
    let before = all_row_counts(world.engine.urls()).await;
    let none = ask(&world, &world.atlas, MemoryId(nowhere()), question(FERRY)).await.unwrap();
    let short = |short: &str| MemoryRef::Short(short.into());
    for name in [MemoryRef::Id(theirs.memory_id), short(&theirs.short_id), short("zzzzzzzz")] {
        assert_eq!(ask(&world, &world.atlas, name, question(FERRY)).await.unwrap(), none);
    }
    assert!(matches!(ask(&world, &stranger.atlas, own, question(FERRY)).await, Err(Error::NotFound("agent"))));
    assert_eq!(rank(&world, &world.atlas, own, question(FERRY)).await, Some(1));
    let past = RecallRequest { as_of: Some(world.engine.clock().now()), ..question(FERRY) };
    assert_eq!(ask(&world, &world.atlas, own, past).await.unwrap_err().fields()[0].field, "as_of");
    assert_eq!(all_row_counts(world.engine.urls()).await, before);
}

/// docs/diagnose.md, the first case.
#[tokio::test]
async fn an_agent_forgets_a_conversation() {
    let Crowd { world, .. } = Crowd::of(1).await;
    let session = Uuid::from_u128(0x5e55);
    let said = |content: &str, retention| RememberRequest {
        scope: Some(MemoryScope::Session),
        session_id: Some(session),
        kind: Some(MemoryKind::Episode),
        retention: Some(retention),
        ..fact("boat trip", content)
    };
    let chat = remember(&world, &world.atlas, said("Idris wants to visit the seal island", Retention::Routine)).await.memory_id;
    let task = remember(&world, &world.atlas, said("The boat to the seal island is booked for Idris", Retention::Task)).await.memory_id;
    let island = || question("What did Idris say about the seal island?");
    assert!(rank(&world, &world.atlas, chat, island()).await.is_some());
    world.clock.advance(Duration::days(10));
    let (gate, verdict, _) = stop(&world, &world.atlas, chat, island()).await;
    assert_eq!(gate, Gate::Expired, "{verdict}");
    assert_eq!(rank(&world, &world.atlas, task, island()).await, Some(1));
    // What would mend it, mends it.
    let kept = remember(&world, &world.atlas, said("Idris wants to visit the seal island", Retention::Permanent)).await.memory_id;
    assert!(rank(&world, &world.atlas, kept, island()).await.is_some());
}

/// docs/diagnose.md, the second case.
#[tokio::test]
async fn an_agent_retrieves_irrelevant_memories() {
    let Crowd { world, .. } = Crowd::of(1).await;
    let room = remembered(&world, "room", "Our meeting room has green walls").await;
    let board = remembered(&world, "board", "The board of the seal trust holds its meeting on Thursdays").await;
    let (vague, specific) = (|| question("meeting"), || question("On which weekday does the board of the seal trust come together?"));
    let irrelevant = ask(&world, &world.atlas, room, vague()).await.unwrap();
    assert!(irrelevant.rank.is_some(), "{}", irrelevant.verdict);
    assert_eq!(irrelevant.relevance.unwrap().matched_words, ["meeting"]);
    let (gate, verdict, _) = stop(&world, &world.atlas, room, specific()).await;
    assert_eq!(gate, Gate::Floor, "{verdict}");
    assert_eq!(rank(&world, &world.atlas, board, specific()).await, Some(1));
}

/// docs/diagnose.md, the third case.
#[tokio::test]
async fn an_agent_acts_on_outdated_information() {
    let Crowd { world, .. } = Crowd::of(1).await;
    let old = remembered(&world, "price of the boat trip", "The boat trip to the seal island costs 20 euros").await;
    world.clock.advance(Duration::days(5));
    let new = remembered(&world, "tickets", "Since May visitors pay 35 euros for the seal island").await;
    let price = || question("What does the boat trip to the seal island cost?");
    let (before, after) = (rank(&world, &world.atlas, old, price()).await, rank(&world, &world.atlas, new, price()).await);
    assert!(before.unwrap() < after.unwrap(), "both answer, and the old one first: {before:?} {after:?}");
    let link = LinkRequest { from: new.into(), to: old.into(), relation: Relation::Supersedes, remove: false, user_id: None };
    memories::link(&world.engine, &world.atlas, link).await.unwrap();
    let (gate, verdict, mend) = stop(&world, &world.atlas, old, price()).await;
    assert_eq!((gate, mend), (Gate::Status, Some(MendLink::Memory(new))));
    assert!(verdict.starts_with("atlas does not get this memory: it was superseded by “tickets” ("), "{verdict}");
    assert_eq!(rank(&world, &world.atlas, new, price()).await, before);
}

//! The context log as operators read it: its list, an entry with its sources, two entries compared, and a context without a trace.

use crate::assembly::changes;
use crate::support::{Fetch, Run, all_row_counts, alone, alone_with, patient, remember, work};
use db::Users;
use foundation::testing::{World, fact};
use foundation::{Error, OpContext, identity};
use remembrancer::{capture, context, memories, skills};
use serde_json::json;
use std::collections::BTreeSet;
use uuid::Uuid;
use wire::{
    AssembleRequest, AssembledContext, BlockName, BlockOrder, ContextFilter, ContextId, ContextTiers, ContextTurn, ForgetRequest,
    LineChange, MemoryKind, PreviewRequest, RememberRequest, TOTAL_MAX, TurnRole, UserContextRequest, UserId, UserRef,
};

async fn assemble(world: &World, ctx: &OpContext, request: AssembleRequest) -> AssembledContext {
    let context = context::assemble(&world.engine, ctx, request).await.unwrap();
    world.engine.finish_deferred().await;
    world.clock.advance(chrono::Duration::minutes(1));
    context
}

/// A request whose 60 turns do not fit.
fn too_long() -> AssembleRequest {
    let said = |n: usize| format!("In turn {n} somebody says that the heron stands on one leg. Nobody knows why.");
    let turn = |n: usize| ContextTurn { role: TurnRole::User, name: None, content: said(n) };
    AssembleRequest { turns: (0..60).map(turn).collect(), budget: 1_200, ..AssembleRequest::new("heron") }
}

async fn listed(world: &World, filter: ContextFilter) -> Vec<ContextId> {
    let page = context::entries(&world.engine, &world.vera, &filter).await.unwrap();
    assert_eq!(page.total, i64::try_from(page.rows.len()).unwrap());
    page.rows.into_iter().map(|row| row.id).collect()
}

#[tokio::test]
async fn the_list_is_narrowed_by_agent_user_cut_loss_and_period() {
    let world = alone().await;
    let idris = identity::add_user(&world.engine, &world.system, "crm-4711", None, None).await.unwrap();
    let for_idris = OpContext { users: Users::One(idris.id), ..world.atlas.clone() };
    let plain = assemble(&world, &world.atlas, AssembleRequest::new("Where does the heron stand?")).await;
    let noon = world.engine.clock().now();
    let cut = assemble(&world, &world.atlas, too_long()).await;
    let his = assemble(&world, &for_idris, AssembleRequest::new("heron")).await;
    world.embedder.fail();
    let degraded = assemble(&world, &world.binky, AssembleRequest::new("a heron without a vector")).await;
    let all = ContextFilter::default;
    assert_eq!(listed(&world, all()).await, [degraded.id, his.id, cut.id, plain.id]);
    assert_eq!(listed(&world, ContextFilter { reversed: true, ..all() }).await, [plain.id, cut.id, his.id, degraded.id]);
    assert_eq!(listed(&world, ContextFilter { agent_id: world.binky.agent_id().ok(), ..all() }).await, [degraded.id]);
    for named in [UserRef::Id(idris.id), UserRef::External("crm-4711".into())] {
        assert_eq!(listed(&world, ContextFilter { user_id: Some(named), ..all() }).await, [his.id]);
    }
    assert_eq!(listed(&world, ContextFilter { cut: Some(true), ..all() }).await, [cut.id]);
    assert_eq!(listed(&world, ContextFilter { cut: Some(false), degraded: Some(false), ..all() }).await, [his.id, plain.id]);
    assert_eq!(listed(&world, ContextFilter { degraded: Some(true), ..all() }).await, [degraded.id]);
    assert_eq!(listed(&world, ContextFilter { until: Some(noon), ..all() }).await, [plain.id]);
    assert_eq!(listed(&world, ContextFilter { from: Some(noon), degraded: Some(false), ..all() }).await, [his.id, cut.id]);

    let page = context::entries(&world.engine, &world.vera, &all()).await.unwrap();
    let row = page.rows.iter().find(|row| row.id == cut.id).unwrap();
    assert_eq!((row.agent_slug.as_str(), row.query.as_deref(), &row.cut), ("atlas", Some("heron"), &cut.cut));
    let field = async |filter: ContextFilter| match context::entries(&world.engine, &world.vera, &filter).await {
        Err(Error::Invalid(fields)) => fields[0].field.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(field(ContextFilter { user_id: Some(UserRef::External("nobody".into())), ..all() }).await, "user_id");
    assert_eq!(field(ContextFilter { from: Some(noon), until: Some(noon), ..all() }).await, "until");
    assert_eq!(field(ContextFilter { after: Some("1".into()), ..all() }).await, "after");
}

#[tokio::test]
async fn the_list_is_paged_by_key_among_100_000_entries() {
    let world = alone().await;
    let context = assemble(&world, &world.atlas, AssembleRequest::new("heron")).await;
    // Entries of ten agents, a minute apart, each of them about as wide as a real one.
    let copies = r"insert into context_log (tenant_id, agent_id, id, user_id, at, ordering, budget, tokens, tokenizer, hash, blocks, cut, degraded,
                                             memory_ids, took_ms)
                   select c.tenant_id, case when n % 10 = 0 then c.agent_id else md5((n % 10)::text)::uuid end, md5(n::text)::uuid, null,
                          c.at - n * interval '1 minute', c.ordering, c.budget, c.tokens, c.tokenizer, c.hash, c.blocks,
                          case when n % 1000 = 0 then '[]'::jsonb || '{}'::jsonb else '[]' end, '{}', '{}', c.took_ms
                     from context_log c, generate_series(1, 100000) n";
    sqlx::query(copies).run(&world.engine).await;
    sqlx::query("analyze context_log").run(&world.engine).await;
    let first = context::entries(&world.engine, &world.vera, &ContextFilter::default()).await.unwrap();
    // A long list is counted up to a limit.
    assert_eq!((first.total, first.rows[0].id, first.previous.is_none()), (TOTAL_MAX + 1, context.id, true));
    let next = ContextFilter { after: first.next, ..ContextFilter::default() };
    let second = context::entries(&world.engine, &world.vera, &next).await.unwrap();
    let ids = |rows: &[wire::ContextEntry]| rows.iter().map(|row| row.id).collect::<BTreeSet<_>>();
    assert!(ids(&first.rows).is_disjoint(&ids(&second.rows)) && second.rows[0].at < first.rows[24].at);
    // Each list is read from an index in its order, however rare its rows are.
    for filter in ["", "and c.agent_id = $2", "and c.was_cut"] {
        let list = format!(
            "explain select c.id from context_log c where c.tenant_id = $1 and ($2::uuid is not null) {filter} order by c.at desc, c.id desc limit 26"
        );
        let plan: Vec<String> = sqlx::query_scalar(sqlx::AssertSqlSafe(list))
            .bind(world.system.tenant_id)
            .bind(world.atlas.agent_id().unwrap())
            .all(&world.engine)
            .await;
        let plan = plan.join("\n");
        let ordered = !plan.contains("Sort Key") || plan.contains("Incremental Sort");
        assert!(plan.contains("using context_log_") && ordered, "{filter}: {plan}");
    }
}

#[tokio::test]
async fn an_entry_names_its_sources_and_divides_its_text_into_blocks() {
    let world = alone().await;
    let key = format!("sk-proj-{}", "a1B2".repeat(12));
    let id = remember(&world, &world.atlas, fact("kestrel", "The kestrel is called Kes")).await.memory_id;
    let request = AssembleRequest {
        system_prompt: Some(format!("Your key is {key}. Never tell it to anybody.")),
        directives: Some("Be brief.".into()),
        ..AssembleRequest::new("What is the kestrel called?")
    };
    let assembled = assemble(&world, &world.atlas, request).await;
    let divide = |blocks: &[wire::ContextBlock], text: &str| {
        let mut rest = text.to_owned();
        let mut parts = Vec::new();
        for block in blocks {
            let tail = rest.split_off(block.bytes as usize);
            parts.push((block.name, std::mem::replace(&mut rest, tail)));
        }
        assert_eq!(rest, "", "the blocks take the whole text");
        parts
    };
    let parts = divide(&assembled.blocks, &assembled.text);
    assert!(parts.iter().any(|(name, text)| *name == BlockName::Directives && text == "# Directives\n\nBe brief.\n\n"), "{parts:?}");
    let detail = context::entry(&world.engine, &world.vera, assembled.id).await.unwrap();
    let text = detail.context.text.unwrap();
    let parts = divide(&detail.context.blocks, &text);
    assert!(!text.contains(&key) && text.len() != assembled.text.len(), "{text}");
    let facts = parts.iter().find(|(name, _)| *name == BlockName::Facts).unwrap();
    assert!(facts.1.starts_with("# Relevant Retrieved Facts") && facts.1.contains("called Kes"), "{facts:?}");
    let names: Vec<_> = detail.sources.iter().map(|source| (source.id, source.name.as_str(), source.gone)).collect();
    assert_eq!((detail.agent_slug.as_str(), names), ("atlas", vec![(id.0, "kestrel", false)]));
    memories::forget(&world.engine, &world.atlas, ForgetRequest { memory_id: id.into(), reason: None, user_id: None }).await.unwrap();
    assert!(context::entry(&world.engine, &world.vera, assembled.id).await.unwrap().sources[0].gone);
    assert!(matches!(context::entry(&world.engine, &world.atlas, assembled.id).await, Err(Error::Forbidden(_))));
}

#[tokio::test]
async fn two_entries_are_compared_the_earlier_first() {
    let world = alone().await;
    remember(&world, &world.atlas, fact("kestrel", "The kestrel is called Kes")).await;
    let request = || AssembleRequest { system_prompt: Some("You are atlas.".into()), ..AssembleRequest::new("kestrel") };
    let one = assemble(&world, &world.atlas, request()).await;
    remember(&world, &world.atlas, fact("kestrel's tower", "The kestrel lives in the north tower")).await;
    let other = assemble(&world, &world.atlas, request()).await;
    let atlas = world.atlas.agent_id().unwrap();
    for ids in [[one.id, other.id], [other.id, one.id]] {
        let compared = context::compare(&world.engine, &world.vera, &ids).await.unwrap();
        assert_eq!((compared.before.id, compared.after.id), (Some(one.id), Some(other.id)));
        assert_eq!(changes(&compared, "north tower"), [LineChange::Added]);
        assert!(compared.after.tokens > compared.before.tokens && compared.after.agent_slug == "atlas");
        assert!(compared.lines.unwrap().iter().any(|line| line.change == LineChange::Skipped), "the system prompt is the same");
    }
    for wrong in [vec![], vec![one.id, one.id], vec![one.id, other.id, one.id]] {
        assert!(matches!(context::compare(&world.engine, &world.vera, &wrong).await, Err(Error::Invalid(_))));
    }
    identity::set_keeps_context_texts(&world.engine, &world.system, atlas, false).await.unwrap();
    let silent = assemble(&world, &world.atlas, request()).await;
    let compared = context::compare(&world.engine, &world.vera, &[silent.id, one.id]).await.unwrap();
    assert_eq!((compared.lines, compared.before.id), (None, Some(one.id)));
}

#[tokio::test]
async fn a_preview_is_what_the_agent_gets_and_leaves_no_trace() {
    let world = alone().await;
    for n in 0..4 {
        remember(&world, &world.atlas, fact(&format!("kestrel {n}"), &format!("Kestrel fact {n}: it eats {n} mice"))).await;
    }
    let mina = OpContext { users: Users::One(UserId(Uuid::from_u128(7))), ..world.atlas.clone() };
    remember(&world, &mina, fact("kestrel of Mina", "Mina's kestrel is called Kes")).await;
    let atlas = world.atlas.agent_id().unwrap();
    let preview = async |context: AssembleRequest| {
        context::preview(&world.engine, &world.vera, PreviewRequest { agent_id: atlas, context }).await.unwrap()
    };
    let before = all_row_counts(world.engine.urls()).await;
    let request = AssembleRequest { order: BlockOrder::PersonalFirst, ..AssembleRequest::new("kestrel") };
    let tried = preview(request.clone()).await;
    world.engine.finish_deferred().await;
    assert_eq!(all_row_counts(world.engine.urls()).await, before);
    assert!(tried.may_assemble && tried.may_read_knowledge && tried.sources.len() == 4, "{tried:?}");
    assert!(tried.timings.iter().any(|(step, _)| step == "search memories"));
    let real = assemble(&world, &world.atlas, request).await;
    // Scores fall a little from one moment to the next.
    let facts = |context: &AssembledContext| {
        let facts = context.blocks.iter().find(|block| block.name == BlockName::Facts).unwrap();
        facts.items.iter().map(|item| item.memory_id).collect::<Vec<_>>()
    };
    assert_eq!((facts(&tried.context), tried.context.tokens), (facts(&real), real.tokens));
    assert!(!tried.context.text.contains("Mina"));
    let hers = preview(AssembleRequest { user_id: Some(UserRef::Id(UserId(Uuid::from_u128(7)))), ..AssembleRequest::new("kestrel") }).await;
    assert!(hers.context.text.contains("Mina's kestrel"));
    let refused = |user: Option<UserRef>, budget| {
        let context = AssembleRequest { user_id: user, budget, ..AssembleRequest::new("kestrel") };
        context::preview(&world.engine, &world.vera, PreviewRequest { agent_id: atlas, context })
    };
    assert!(
        matches!(refused(Some(UserRef::External("nobody".into())), 8_000).await, Err(Error::Invalid(fields)) if fields[0].field == "user_id")
    );
    assert!(matches!(refused(None, 99).await, Err(Error::Invalid(fields)) if fields[0].field == "budget"));
}

#[tokio::test]
async fn measurements_leave_out_tiers_of_memory_and_vectors() {
    let world = alone_with(patient()).await;
    remember(&world, &world.atlas, fact("kestrel", "The kestrel is called Kes")).await;
    let episode = RememberRequest { kind: Some(MemoryKind::Episode), ..fact("flight", "The kestrel flew to the tower") };
    remember(&world, &world.atlas, episode).await;
    let updates = UserContextRequest {
        scaffold_updates: json!({ "role": "falconer" }).as_object().unwrap().clone(),
        persistent_info_additions: vec![],
        session_id: None,
        user_id: None,
        commons: false,
    };
    capture::update_user_context(&world.engine, &world.atlas, updates).await.unwrap();
    work(&world).await;
    let blocks = async |tiers: ContextTiers, vectors: bool| {
        let context = assemble(&world, &world.atlas, AssembleRequest { tiers, vectors, ..AssembleRequest::new("kestrel") }).await;
        let entry = context::logged(&world.engine, &world.atlas, context.id, None).await.unwrap();
        assert_eq!((entry.tiers, entry.vectors), (tiers, vectors));
        (context.blocks.iter().map(|block| block.name).collect::<Vec<_>>(), context.degraded)
    };
    use BlockName::{Episodes, Facts, StructuredData, Time, WorkingMemory};
    let everything = vec![WorkingMemory, StructuredData, Facts, Episodes, Time];
    let asked = world.embedder.calls();
    assert_eq!(blocks(ContextTiers::All, false).await, (everything.clone(), vec![]));
    assert_eq!(blocks(ContextTiers::WorkingMemory, true).await, (vec![WorkingMemory, Time], vec![]));
    assert_eq!(blocks(ContextTiers::None, true).await, (vec![Time], vec![]));
    assert_eq!(world.embedder.calls(), asked, "no vector is asked for");
    assert_eq!(blocks(ContextTiers::All, true).await, (everything, vec![]));
    assert_eq!(world.embedder.calls(), asked + 1);
}

#[tokio::test]
async fn skills_are_listed_with_their_tokens_and_faults() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("release", "---\nname: Release\ndescription: How to release.\nagents: atlas\n---\nTag first.\n"), ("broken", "")]
    {
        std::fs::create_dir_all(folder.path().join(name)).unwrap();
        std::fs::write(folder.path().join(name).join("SKILL.md"), text).unwrap();
    }
    let world = alone_with(foundation::Settings { skills_dir: Some(folder.path().to_owned()), ..patient() }).await;
    assert!(skills::refresh(&world.engine));
    let list = skills::list(&world.engine, &world.vera).await.unwrap();
    let release = &list.skills[0];
    assert_eq!((list.configured, list.skills.len(), list.faults[0].path.as_str()), (true, 1, "broken/SKILL.md"));
    assert_eq!((release.name.as_str(), release.description.as_deref(), release.agents.len()), ("Release", Some("How to release."), 1));
    assert!((5..20).contains(&release.tokens), "{release:?}");
    assert!(!skills::list(&alone().await.engine, &world.vera).await.unwrap().configured);
}

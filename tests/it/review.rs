//! Review of the vocabulary: every decision on proposals, its effect on memories, its undo, and who may not.

use crate::support::{Fetch, Told, alone, ask, contents, keep_outbox, remember, settle, undo_delivery, work};
use foundation::op::Access;
use foundation::testing::{World, fact, key, nowhere};
use foundation::{Error, OpContext, audit};
use remembrancer::vocabulary::{self, NewTerm};
use wire::{
    BULK_MAX, Decision, DecisionId, DecisionKind, KeyScope, LookupRequest, MemoryId, OperatorRole, Proposal, ProposalFilter, ProposalId,
    ProposalStatus, ProposeRequest, TermChange, TermFilter, TermId, Verdict,
};

pub async fn add(world: &World, term: &str, aliases: &[&str]) -> TermId {
    vocabulary::add(&world.engine, &world.vera, NewTerm { term, aliases, ..NewTerm::default() }).await.unwrap().term_id.unwrap()
}

async fn queue(world: &World, status: ProposalStatus) -> Vec<Proposal> {
    settle(world).await;
    let filter = ProposalFilter { status: Some(status), ..ProposalFilter::default() };
    vocabulary::proposals(&world.engine, &world.vera, &filter).await.unwrap().rows
}

async fn open(world: &World) -> Vec<Proposal> {
    queue(world, ProposalStatus::Open).await
}

async fn decide(world: &World, proposals: &[Proposal], verdict: Verdict) -> Result<Decision, Error> {
    decide_all(world, proposals, verdict).await.map(|mut decisions| decisions.remove(0))
}

async fn decide_all(world: &World, proposals: &[Proposal], verdict: Verdict) -> Result<Vec<Decision>, Error> {
    vocabulary::decide(&world.engine, &world.vera, &proposals.iter().map(|proposal| proposal.id).collect::<Vec<_>>(), &verdict).await
}

pub async fn change(world: &World, id: TermId, change: TermChange) -> Result<Decision, Error> {
    vocabulary::change(&world.engine, &world.vera, id, &change).await
}

pub async fn undo(world: &World, id: DecisionId) -> Result<Decision, Error> {
    vocabulary::undo(&world.engine, &world.vera, &[id]).await.map(|mut decisions| decisions.remove(0))
}

/// Phrases with an open proposal, in alphabetical order.
async fn waiting(world: &World) -> Vec<String> {
    let mut phrases: Vec<_> = open(world).await.into_iter().map(|proposal| proposal.phrase).collect();
    phrases.sort();
    phrases
}

/// The term that a phrase stands for.
async fn meaning(world: &World, phrase: &str) -> Option<String> {
    let found = vocabulary::lookup(&world.engine, &world.atlas, LookupRequest { phrase: phrase.into() }).await.unwrap();
    found.term.map(|term| term.term)
}

/// (topic, topic_raw, canonical, version, content, updated_at) of a memory.
pub async fn record(world: &World, id: MemoryId) -> (String, String, bool, i32, String, chrono::DateTime<chrono::Utc>) {
    sqlx::query_as("select topic, topic_raw, is_canonical, version, content, updated_at from agent_memories where id = $1")
        .bind(id)
        .one(&world.engine)
        .await
}

fn approve(term: Option<&str>) -> Verdict {
    Verdict::Approve { term: term.map(str::to_owned), definition: "Where secrets are kept".into(), category: None }
}

fn reject() -> Verdict {
    Verdict::Reject { reason: "Nobody says that".into() }
}

#[tokio::test]
async fn the_whole_loop_of_an_unknown_phrase() {
    let world = alone().await;
    let vault = add(&world, "secret store", &[]).await;
    let id = remember(&world, &world.atlas, fact("the big vault", "Tokens rotate on Mondays")).await.memory_id;
    assert_eq!(contents(&world, &world.atlas, "secret store").await, Vec::<String>::new());

    let proposals = open(&world).await;
    assert_eq!(proposals.iter().map(|p| (p.phrase.as_str(), p.count, p.agents.len())).collect::<Vec<_>>(), [("the big vault", 1, 1)]);
    let detail = vocabulary::proposal(&world.engine, &world.vera, proposals[0].id).await.unwrap();
    assert_eq!(detail.evidence.iter().map(|e| (e.memory_id, e.content.as_str())).collect::<Vec<_>>(), [(id, "Tokens rotate on Mondays")]);
    assert_eq!((detail.effect.memories, detail.effect.agents), (1, 1));

    let before = record(&world, id).await;
    let merge = Verdict::Merge { term_id: vault };
    let effect = vocabulary::preview(&world.engine, &world.vera, &[proposals[0].id], &merge).await.unwrap();
    assert_eq!((effect.memories, effect.phrases), (1, vec![("the big vault".to_owned(), Some("secret store".to_owned()))]));
    assert_eq!(record(&world, id).await, before, "a preview changes nothing");

    let decision = decide(&world, &proposals, merge).await.unwrap();
    assert_eq!((decision.kind, decision.memories, decision.undoable, decision.by.as_str()), (DecisionKind::Merge, 1, true, "Vera"));
    work(&world).await;
    let after = record(&world, id).await;
    assert_eq!((after.0.as_str(), after.1.as_str(), after.2, after.3), ("secret store", "the big vault", true, before.3 + 1));
    assert_eq!((&after.4, after.5), (&before.4, before.5), "neither content nor age moves");
    assert_eq!(contents(&world, &world.atlas, "secret store").await, ["Tokens rotate on Mondays"]);
    assert_eq!(contents(&world, &world.atlas, "The-Big_Vault").await, ["Tokens rotate on Mondays"]);
    assert_eq!(open(&world).await, []);

    let back = undo(&world, decision.id).await.unwrap();
    work(&world).await;
    assert_eq!((back.kind, record(&world, id).await.0.as_str()), (DecisionKind::Undo, "the big vault"));
    assert_eq!(contents(&world, &world.atlas, "secret store").await, Vec::<String>::new());
    assert_eq!(open(&world).await[0].phrase, "the big vault", "it waits again");
    assert!(matches!(undo(&world, decision.id).await, Err(Error::Conflict(_))));
    let kinds: Vec<_> =
        vocabulary::decisions(&world.engine, &world.vera, None, None).await.unwrap().rows.iter().map(|d| (d.kind, d.undone)).collect();
    assert_eq!(kinds, [(DecisionKind::Undo, false), (DecisionKind::Merge, true), (DecisionKind::Add, false)]);
    assert_eq!(audit::verify(&world.engine, &world.system, None).await.unwrap().fault, None);
}

#[tokio::test]
async fn approving_makes_a_term_under_its_own_or_another_name() {
    let world = alone().await;
    for phrase in ["key vault", "k.v."] {
        remember(&world, &world.atlas, fact(phrase, phrase)).await;
    }
    let proposals = open(&world).await;
    let short = proposals.iter().find(|p| p.phrase == "k.v.").unwrap().clone();
    let decision = decide(&world, &[short], approve(Some("Key Vault"))).await.unwrap();
    assert_eq!(decision.term.as_deref(), Some("Key Vault"));
    let terms = vocabulary::terms(&world.engine, &world.vera, &TermFilter::default()).await.unwrap().rows;
    assert_eq!(terms.iter().map(|t| (t.term.as_str(), t.aliases.clone())).collect::<Vec<_>>(), [("Key Vault", vec!["k.v.".to_owned()])]);
    assert_eq!(open(&world).await, [], "a phrase that became known by it needs no decision of its own");
    work(&world).await;
    let detail = vocabulary::term(&world.engine, &world.vera, decision.term_id.unwrap()).await.unwrap();
    assert_eq!((detail.term.memories, detail.usage.len(), detail.history.len()), (2, 1, 1));
}

#[tokio::test]
async fn a_rejected_phrase_stays_rejected_and_counts_on() {
    let world = alone().await;
    remember(&world, &world.atlas, fact("thingy", "one")).await;
    let proposals = open(&world).await;
    assert!(matches!(decide(&world, &proposals, Verdict::Reject { reason: " ".into() }).await, Err(Error::Invalid(_))));
    decide(&world, &proposals, reject()).await.unwrap();
    remember(&world, &world.binky, fact("Thingy", "two")).await;
    assert_eq!(open(&world).await, []);
    let rejected = queue(&world, ProposalStatus::Rejected).await;
    assert_eq!((rejected[0].count, rejected[0].agents.len()), (2, 2));
    assert_eq!(rejected[0].decision.as_ref().unwrap().reason.as_deref(), Some("Nobody says that"));
}

#[tokio::test]
async fn a_phrase_that_is_no_term_any_more_is_proposed_anew() {
    let world = alone().await;
    remember(&world, &world.atlas, fact("gizmo", "one")).await;
    let made = decide(&world, &open(&world).await, approve(None)).await.unwrap();
    change(&world, made.term_id.unwrap(), TermChange::Retire { reason: "unused".into() }).await.unwrap();
    assert_eq!(open(&world).await, [], "nobody has used it since");
    remember(&world, &world.binky, fact("gizmo", "two")).await;
    assert_eq!(open(&world).await.iter().map(|p| (p.phrase.as_str(), p.count)).collect::<Vec<_>>(), [("gizmo", 1)]);
}

#[tokio::test]
async fn each_phrase_has_a_decision_of_its_own_and_all_or_none_are_made() {
    let world = alone().await;
    for phrase in ["alpha", "beta", "gamma"] {
        remember(&world, &world.atlas, fact(phrase, phrase)).await;
    }
    let proposals = open(&world).await;
    assert_eq!(proposals.len(), 3);
    decide(&world, &proposals[..1], reject()).await.unwrap();
    let refused = decide(&world, &proposals, reject()).await.unwrap_err();
    assert!(refused.to_string().ends_with("was rejected by Vera meanwhile"), "{refused}");
    assert_eq!(open(&world).await.len(), 2);
    let made = decide_all(&world, &proposals[1..], approve(None)).await.unwrap();
    let own = |decision: &Decision| (decision.subjects.clone(), decision.memories, decision.term.clone());
    let [one, other] = [&proposals[1].phrase, &proposals[2].phrase];
    let each = |phrase: &String| (vec![phrase.clone()], 1, Some(phrase.clone()));
    let mut decided: Vec<_> = made.iter().map(own).collect();
    decided.sort();
    let mut expected = vec![each(one), each(other)];
    expected.sort();
    assert_eq!(decided, expected);
    let together = made[0].together.unwrap();
    assert_eq!(made[1].together, Some(together));
    let (decisions, effect) = vocabulary::preview_undo(&world.engine, &world.vera, together).await.unwrap();
    assert_eq!((decisions.len(), effect.memories, effect.phrases.len()), (2, 2, 2));
    let ids: Vec<_> = decisions.iter().map(|decision| decision.id).collect();
    let undone = vocabulary::undo(&world.engine, &world.vera, &ids).await.unwrap();
    assert_eq!(open(&world).await.len(), 2);
    let (again, _) = vocabulary::preview_undo(&world.engine, &world.vera, undone[0].together.unwrap()).await.unwrap();
    let ids: Vec<_> = again.iter().filter(|decision| decision.undoable).map(|decision| decision.id).collect();
    vocabulary::undo(&world.engine, &world.vera, &ids).await.unwrap();
    assert_eq!((ids.len(), open(&world).await), (2, vec![]), "an undo can be undone, too");
}

#[tokio::test]
async fn undoing_one_term_leaves_the_others_and_strands_no_phrase() {
    let world = alone().await;
    for phrase in ["alpha", "beta"] {
        remember(&world, &world.atlas, fact(phrase, phrase)).await;
    }
    let made = decide_all(&world, &open(&world).await, approve(None)).await.unwrap();
    let alpha = made.iter().find(|decision| decision.subjects == ["alpha"]).unwrap();
    remember(&world, &world.atlas, fact("delta", "delta")).await;
    let later = decide(&world, &open(&world).await, Verdict::Merge { term_id: alpha.term_id.unwrap() }).await.unwrap();
    let (one, effect) = vocabulary::preview_undo(&world.engine, &world.vera, alpha.id).await.unwrap();
    assert_eq!(one.iter().map(|decision| decision.id).collect::<Vec<_>>(), [alpha.id], "not all of its step");
    assert_eq!(effect.phrases, [("alpha".to_owned(), None), ("delta".to_owned(), None)], "the alias of the later decision goes with it");
    let undone = undo(&world, alpha.id).await.unwrap();
    assert_eq!(undone.memories, 2, "that of the merged phrase, too");
    assert_eq!(waiting(&world).await, ["alpha", "delta"], "what was merged into it waits again");
    assert_eq!(meaning(&world, "beta").await.as_deref(), Some("beta"), "it was only approved in the same step");
    assert!(matches!(undo(&world, later.id).await, Err(Error::Conflict(_))), "nothing of it is left");
    let (decisions, effect) = vocabulary::preview_undo(&world.engine, &world.vera, alpha.together.unwrap()).await.unwrap();
    assert_eq!(decisions.iter().filter(|decision| decision.undoable).count(), 1);
    assert_eq!(effect.phrases, [("beta".to_owned(), None)], "only what can still be undone");
    work(&world).await;

    let again = undo(&world, undone.id).await.unwrap();
    work(&world).await;
    assert_eq!((again.kind, again.undoable), (DecisionKind::Approve, true));
    assert_eq!((meaning(&world, "delta").await.as_deref(), waiting(&world).await), (Some("alpha"), vec![]), "made again as it was");
    undo(&world, again.id).await.unwrap();
    let open = open(&world).await;
    decide(&world, &open, reject()).await.unwrap();
    let log = vocabulary::decisions(&world.engine, &world.vera, None, None).await.unwrap().rows;
    assert!(log.iter().filter(|decision| decision.kind == DecisionKind::Undo).all(|undo| !undo.undoable), "the phrases were decided since");
    let rejection = log.iter().find(|decision| decision.kind == DecisionKind::Reject).unwrap();
    let undone = undo(&world, rejection.id).await.unwrap();
    let again = undo(&world, undone.id).await.unwrap();
    assert_eq!((again.kind, again.reason.as_deref()), (DecisionKind::Reject, Some("Nobody says that")));
    assert_eq!(queue(&world, ProposalStatus::Rejected).await.len(), 2);
}

#[tokio::test]
async fn a_rejection_cannot_be_undone_while_its_phrase_means_something() {
    let world = alone().await;
    for phrase in ["vault", "jetty"] {
        remember(&world, &world.atlas, fact(phrase, phrase)).await;
    }
    let rejected = decide_all(&world, &open(&world).await, reject()).await.unwrap();
    let term = add(&world, "secret store", &["vault"]).await;
    let undoable: Vec<_> = vocabulary::decisions(&world.engine, &world.vera, None, None)
        .await
        .unwrap()
        .rows
        .into_iter()
        .filter(|decision| decision.kind == DecisionKind::Reject && decision.undoable)
        .flat_map(|decision| decision.subjects)
        .collect();
    assert_eq!(undoable, ["jetty"]);
    let vault = rejected.iter().find(|decision| decision.subjects == ["vault"]).unwrap();
    assert!(matches!(undo(&world, vault.id).await, Err(Error::Conflict(_))));
    assert_eq!(waiting(&world).await, Vec::<String>::new());
    change(&world, term, TermChange::Retire { reason: "unused".into() }).await.unwrap();
    undo(&world, vault.id).await.unwrap();
    assert_eq!(waiting(&world).await, ["vault"]);
}

#[tokio::test]
async fn a_proposal_goes_with_its_last_use_and_comes_back_with_it() {
    let world = alone().await;
    for (phrase, content) in [("gizmo", "It whirs"), ("widget", "It clicks"), ("widget", "It hums at night")] {
        remember(&world, &world.atlas, fact(phrase, content)).await;
    }
    let request = ProposeRequest { phrase: "doodad".into(), memory_id: None, user_id: None };
    vocabulary::propose(&world.engine, &world.binky, request).await.unwrap();
    assert_eq!(waiting(&world).await, ["doodad", "gizmo", "widget"]);
    let often = ProposalFilter { once: Some(false), ..ProposalFilter::default() };
    let often = vocabulary::proposals(&world.engine, &world.vera, &often).await.unwrap();
    assert_eq!((often.total, often.rows[0].phrase.as_str()), (1, "widget"), "what was used twice");
    let once = ProposalFilter { once: Some(true), ..ProposalFilter::default() };
    assert_eq!(vocabulary::proposals(&world.engine, &world.vera, &once).await.unwrap().total, 2);

    let ids: Vec<MemoryId> =
        sqlx::query_scalar("select id from agent_memories where content in ('It whirs', 'It clicks')").all(&world.engine).await;
    remembrancer::memories::delete(&world.engine, &world.vera, &ids, "wrong").await.unwrap();
    remembrancer::lifecycle::sweep_now(&world.engine, &world.vera).await.unwrap();
    work(&world).await;
    assert_eq!(waiting(&world).await, ["doodad", "widget"], "one is used by another memory, one was proposed without any");
    remembrancer::memories::restore(&world.engine, &world.vera, &ids, "right after all").await.unwrap();
    remembrancer::lifecycle::sweep_now(&world.engine, &world.vera).await.unwrap();
    work(&world).await;
    assert_eq!(waiting(&world).await, ["doodad", "gizmo", "widget"]);
    remembrancer::memories::delete(&world.engine, &world.vera, &ids, "wrong").await.unwrap();
    remembrancer::lifecycle::sweep_now(&world.engine, &world.vera).await.unwrap();
    work(&world).await;
    remember(&world, &world.binky, fact("gizmo", "It whirs again")).await;
    assert_eq!(waiting(&world).await, ["doodad", "gizmo", "widget"], "used again");

    // A sweep that read the memories before this use does not hide it.
    let used = open(&world).await.into_iter().find(|proposal| proposal.phrase == "gizmo").unwrap().last_seen;
    let mark = async |since: chrono::DateTime<chrono::Utc>| {
        let mut tx = world.engine.db().kb.begin(world.vera.tenancy()).await.unwrap();
        vocabulary::store::mark_unused(&mut tx, world.vera.tenant_id, &["gizmo".into()], since).await.unwrap();
        tx.commit().await.unwrap();
    };
    mark(used).await;
    assert_eq!(waiting(&world).await, ["doodad", "gizmo", "widget"]);
    mark(used + chrono::Duration::seconds(1)).await;
    assert_eq!(waiting(&world).await, ["doodad", "widget"]);
}

#[tokio::test]
async fn several_phrases_become_one_term_and_each_can_be_taken_out() {
    let world = alone().await;
    for phrase in ["jib", "genoa", "spinnaker"] {
        remember(&world, &world.atlas, fact(phrase, phrase)).await;
    }
    let proposals = open(&world).await;
    let ids: Vec<_> = proposals.iter().map(|proposal| proposal.id).collect();
    let effect = vocabulary::preview(&world.engine, &world.vera, &ids, &approve(Some("Genoa"))).await.unwrap();
    assert_eq!(effect.phrases.iter().filter(|(_, term)| term.as_deref() == Some("Genoa")).count(), 3);
    let made = decide_all(&world, &proposals, approve(Some("Genoa"))).await.unwrap();
    assert_eq!(made.iter().map(|decision| decision.memories).collect::<Vec<_>>(), [1, 1, 1], "each phrase refiles its own memory");
    assert_eq!((made[0].kind, made[0].subjects.as_slice()), (DecisionKind::Approve, ["genoa".to_owned()].as_slice()));
    work(&world).await;
    let term = vocabulary::term(&world.engine, &world.vera, made[0].term_id.unwrap()).await.unwrap().term;
    assert_eq!((term.memories, term.aliases), (3, vec!["jib".to_owned(), "spinnaker".to_owned()]));
    let jib = made.iter().find(|decision| decision.subjects == ["jib"]).unwrap();
    undo(&world, jib.id).await.unwrap();
    assert_eq!((waiting(&world).await, meaning(&world, "spinnaker").await.as_deref()), (vec!["jib".to_owned()], Some("Genoa")));
    let (decisions, effect) = vocabulary::preview_undo(&world.engine, &world.vera, jib.together.unwrap()).await.unwrap();
    let ids: Vec<_> = decisions.iter().filter(|decision| decision.undoable).map(|decision| decision.id).collect();
    assert_eq!((ids.len(), effect.phrases.len()), (2, 2));
    let undone = vocabulary::undo(&world.engine, &world.vera, &ids).await.unwrap();
    assert_eq!(waiting(&world).await, ["genoa", "jib", "spinnaker"]);
    let ids: Vec<_> = undone.iter().map(|decision| decision.id).collect();
    vocabulary::undo(&world.engine, &world.vera, &ids).await.unwrap();
    assert_eq!(meaning(&world, "spinnaker").await.as_deref(), Some("Genoa"), "the term came back before its alias");
}

#[tokio::test]
async fn proposals_come_in_the_order_of_their_ids() {
    let world = alone().await;
    for phrase in ["alpha", "beta", "gamma"] {
        remember(&world, &world.atlas, fact(phrase, phrase)).await;
    }
    let proposals = open(&world).await;
    decide(&world, &proposals[2..], reject()).await.unwrap();
    let [first, second, third] = [0, 1, 2].map(|n| proposals[n].id);
    let ids = [third, ProposalId(nowhere()), first, second, third];
    let rows = vocabulary::proposals_by_id(&world.engine, &world.vera, &ids).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.id).collect::<Vec<_>>(), [third, first, second], "each once, unknown ids left out");
    assert_eq!(rows[1..], proposals[..2], "with the same fields as the list");
    let decision = rows[0].decision.as_ref().unwrap();
    assert_eq!((rows[0].status, decision.kind, decision.by.as_str()), (ProposalStatus::Rejected, DecisionKind::Reject, "Vera"));
    assert_eq!(vocabulary::proposals_by_id(&world.engine, &world.vera, &[]).await.unwrap(), []);
    let many = vec![first; BULK_MAX + 1];
    assert!(matches!(vocabulary::proposals_by_id(&world.engine, &world.vera, &many).await, Err(Error::Invalid(_))));
    assert!(matches!(vocabulary::proposals_by_id(&world.engine, &world.atlas, &ids).await, Err(Error::Forbidden(_))));
    let stranger = World::new().await;
    assert_eq!(vocabulary::proposals_by_id(&stranger.engine, &stranger.vera, &ids).await.unwrap(), []);
}

#[tokio::test]
async fn of_two_reviewers_one_wins_and_the_other_is_told() {
    let world = alone().await;
    remember(&world, &world.atlas, fact("gizmo", "one")).await;
    let proposals = open(&world).await;
    let rush = (0..8).map(|n| {
        let verdict = if n % 2 == 0 { approve(None) } else { reject() };
        decide(&world, &proposals, verdict)
    });
    let outcomes = futures_util::future::join_all(rush).await;
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    assert!(outcomes.iter().all(|outcome| matches!(outcome, Ok(_) | Err(Error::Conflict(_)))));
}

#[tokio::test]
async fn who_may_not_decide_cannot() {
    let world = alone().await;
    let tea = add(&world, "tea", &[]).await;
    remember(&world, &world.atlas, fact("gizmo", "one")).await;
    let proposals = open(&world).await;
    let viewer = OpContext { access: Access::Roles(vec![OperatorRole::Viewer]), ..world.vera.clone() };
    let ids = [proposals[0].id];
    assert!(matches!(vocabulary::decide(&world.engine, &viewer, &ids, &reject()).await, Err(Error::Forbidden(_))));
    let retire = TermChange::Retire { reason: "x".into() };
    assert!(matches!(vocabulary::change(&world.engine, &viewer, tea, &retire).await, Err(Error::Forbidden(_))));
    assert!(vocabulary::preview(&world.engine, &viewer, &ids, &reject()).await.is_ok(), "looking is free");
    let stranger = World::new().await;
    assert!(matches!(vocabulary::decide(&stranger.engine, &stranger.vera, &ids, &reject()).await, Err(Error::NotFound(_))));
}

#[tokio::test]
async fn agents_propose_with_the_memory_they_mean() {
    let world = alone().await;
    add(&world, "tea", &[]).await;
    let id = remember(&world, &world.atlas, fact("tea", "First flush comes in April")).await.memory_id;
    let propose = async |ctx: &OpContext, phrase: &str, memory_id| {
        vocabulary::propose(&world.engine, ctx, ProposeRequest { phrase: phrase.into(), memory_id, user_id: None }).await
    };
    assert!(propose(&world.atlas, "first flush", Some(id)).await.unwrap().proposed);
    assert!(propose(&world.binky, "First-Flush", None).await.unwrap().proposed);
    let known = propose(&world.atlas, "TEA", None).await.unwrap();
    assert_eq!((known.proposed, known.term.as_deref()), (false, Some("tea")));
    assert!(matches!(propose(&world.binky, "second flush", Some(id)).await, Err(Error::NotFound("memory"))));
    let proposals = open(&world).await;
    assert_eq!(proposals.iter().map(|p| (p.phrase.as_str(), p.count)).collect::<Vec<_>>(), [("first flush", 2)]);
    assert_eq!(vocabulary::proposal(&world.engine, &world.vera, proposals[0].id).await.unwrap().evidence[0].memory_id, id);
    let (narrow, _) = key(&world.engine, &world.system, world.atlas.agent_id().unwrap(), &[KeyScope::MemoryRead]).await;
    assert!(matches!(propose(&narrow, "x", None).await, Err(Error::Forbidden(_))));
}

#[tokio::test]
async fn a_proposal_survives_a_crash_before_its_delivery_and_counts_once() {
    let world = alone().await;
    remember(&world, &world.atlas, fact("gizmo", "one")).await;
    let waiting = "select count(*) from outbox where destination = 'proposal' and delivered_at is null";
    let count: i64 = sqlx::query_scalar(waiting).one(&world.engine).await;
    assert_eq!(count, 1, "it travels with the memory's own transaction");
    // A relay that dies between delivering and marking delivers again.
    keep_outbox(&world).await;
    settle(&world).await;
    undo_delivery(&world).await;
    assert_eq!(open(&world).await.iter().map(|p| p.count).collect::<Vec<_>>(), [1]);
}

#[tokio::test]
async fn many_memories_are_filed_in_batches_and_deleted_ones_too() {
    let world = alone().await;
    let mut ids = Vec::new();
    for n in 0..60 {
        let agent = if n % 2 == 0 { &world.atlas } else { &world.binky };
        ids.push(remember(&world, agent, fact("gizmo", &format!("{n} {}", "word ".repeat(n)))).await.memory_id);
    }
    ids.dedup();
    remembrancer::memories::delete(&world.engine, &world.vera, &ids[..1], "wrong").await.unwrap();
    let proposals = open(&world).await;
    let detail = vocabulary::proposal(&world.engine, &world.vera, proposals[0].id).await.unwrap();
    let decision = decide(&world, &proposals, approve(Some("gadget"))).await.unwrap();
    assert_eq!((decision.memories, decision.remaining), (detail.effect.memories, detail.effect.memories));
    assert_eq!(detail.effect.agents, 2);
    // The model is down: refiling goes on, vectors follow.
    world.embedder.fail();
    work(&world).await;
    let done = vocabulary::decisions(&world.engine, &world.vera, None, None).await.unwrap().rows.remove(0);
    assert_eq!((done.id, done.remaining), (decision.id, 0));
    let topics: Vec<(String, i64)> = sqlx::query_as("select topic, count(*) from agent_memories group by topic").all(&world.engine).await;
    assert_eq!(topics.iter().map(|(topic, _)| topic.as_str()).collect::<Vec<_>>(), ["gadget"]);
    assert!(!ask(&world, &world.atlas, "gadget").await.told().is_empty(), "words must do");
    world.embedder.work();
    world.clock.advance(chrono::Duration::hours(1));
    work(&world).await;
    let awaiting: i64 = sqlx::query_scalar("select count(*) from agent_memories where live and awaiting_vector").one(&world.engine).await;
    assert_eq!(awaiting, 0);
    remembrancer::memories::restore(&world.engine, &world.vera, &ids[..1], "right after all").await.unwrap();
    work(&world).await;
    assert_eq!(record(&world, ids[0]).await.0, "gadget");
}

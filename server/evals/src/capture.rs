//! `remembrancer eval capture`: the whole way of a conversation, from its transcript over extraction and confirmation to recall, beside two
//! ways that store turns as they are.

use crate::agents::{agent, confirm, lasting, memories_of, memory, work};
use crate::extraction::{is_long_first_person, spoken};
use crate::retrieval::Line;
use crate::retrieval::scores::{Judged, Scores};
use crate::{Failure, HITS, bar};
use db::{DatabaseUrls, vacuum};
use extract::transcript;
use foundation::{Engine, OpContext, identity};
use remembrancer::{capture, consolidation, memories, recall};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::{Display, Formatter, Result as Formatted};
use wire::{
    CaptureConversationRequest, CaptureMode, CapturePolicy, MemoryId, MemoryKind, Promotion, RecallRequest, SourceDetails, SourceId,
};

/// Characters of a token, as in [`Scores::tokens`].
const TOKEN: f64 = 4.0;

/// The memories of one conversation, with the turns that each of them says.
struct Stored {
    ctx: OpContext,
    turns: HashMap<MemoryId, Vec<String>>,
    characters: usize,
}

/// The turns of a captured conversation: where each ends in the source, and its key.
struct Turns {
    ends: Vec<usize>,
    keys: Vec<String>,
}

/// How one way did.
struct Outcome {
    memories: usize,
    characters: usize,
    scores: Scores,
}

/// The result for a file: how each way did.
pub struct Report(Vec<(&'static str, Outcome)>);

/// Measures recall@10 by source turn, the tokens stored and the tokens answered, for what was extracted and confirmed, for every turn, and
/// for the turns in the first person with at least 12 words. Candidates that are no episodes are confirmed first, then episodes, too.
///
/// # Errors
/// When a conversation is not read turn by turn, something is refused, or a database is out of reach.
pub async fn evaluate(engine: &Engine, urls: &DatabaseUrls, lines: &[Line]) -> Result<Report, Failure> {
    let tenant = identity::create_tenant(engine, "eval", "Evaluation").await?;
    let mut scopes: BTreeMap<&str, Vec<&Line>> = BTreeMap::new();
    for line in lines {
        let (Line::Memory { scope, .. } | Line::Question { scope, .. } | Line::OffTopic { scope, .. }) = line;
        scopes.entry(scope).or_default().push(line);
    }
    let captured = captured(engine, &tenant, &scopes).await?;
    let every = verbatim(engine, &tenant, &scopes, 1, |_| true).await?;
    let chosen = verbatim(engine, &tenant, &scopes, 2, is_long_first_person).await?;
    let mut outcomes = Vec::new();
    for (way, kinds) in [("extracted and confirmed", lasting()), ("the same with episodes", vec![MemoryKind::Episode])] {
        let stored = confirmed(engine, &tenant, &captured, &kinds).await?;
        vacuum(urls).await?;
        outcomes.push((way, ask(engine, &scopes, &stored, way).await?));
    }
    for (way, stored) in [("every turn", every), ("first person, at least 12 words", chosen)] {
        outcomes.push((way, ask(engine, &scopes, &stored, way).await?));
    }
    Ok(Report(outcomes))
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> Formatted {
        writeln!(f, "{:<34} {:>9} {:>14} {:>10} {:>7} {:>16}", "way", "memories", "tokens stored", "recall@10", "MRR", "tokens, 10 hits")?;
        for (way, Outcome { memories, characters, scores }) in &self.0 {
            let stored = *characters as f64 / TOKEN;
            writeln!(
                f,
                "{way:<34} {memories:>9} {stored:>14.0} {:>10.3} {:>7.3} {:>16.0}",
                scores.recall_at_10, scores.mrr, scores.tokens
            )?;
        }
        Ok(())
    }
}

/// Stores turns as they are.
async fn verbatim<'a>(
    engine: &Engine,
    tenant: &OpContext,
    scopes: &BTreeMap<&'a str, Vec<&'a Line>>,
    way: usize,
    wanted: impl Fn(&str) -> bool,
) -> Result<BTreeMap<&'a str, Stored>, Failure> {
    let bar = bar(scopes.len(), "conversations stored as they are")?;
    let mut all = BTreeMap::new();
    for (number, (scope, lines)) in scopes.iter().enumerate() {
        let ctx = agent(engine, tenant, way * scopes.len() + number).await?;
        let (mut turns, mut characters) = (HashMap::<MemoryId, Vec<String>>::new(), 0);
        for line in lines {
            let Line::Memory { key, text, at, topic, .. } = line else { continue };
            if wanted(spoken(text).1) {
                let topic = topic.as_deref().unwrap_or(scope);
                let id = memories::remember(engine, &ctx, memory(topic, scope, text, *at)).await?.memory_id;
                turns.entry(id).or_default().push(key.clone());
                characters += text.chars().count();
            }
        }
        all.insert(*scope, Stored { ctx, turns, characters });
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(all)
}

/// Captures each conversation. All candidates wait in the inbox.
async fn captured<'a>(
    engine: &Engine,
    tenant: &OpContext,
    scopes: &BTreeMap<&'a str, Vec<&'a Line>>,
) -> Result<BTreeMap<&'a str, (OpContext, Turns)>, Failure> {
    let policy = CapturePolicy { episodes: Promotion::Review, ..CapturePolicy::default() };
    identity::set_policy(engine, tenant, policy).await?;
    let bar = bar(scopes.len(), "conversations captured")?;
    let mut all = BTreeMap::new();
    for (number, (scope, lines)) in scopes.iter().enumerate() {
        let ctx = agent(engine, tenant, number).await?;
        let (messages, keys) = messages(lines);
        let bytes = serde_json::to_vec(&messages)?;
        let read = transcript::read(&bytes)?;
        if read.turns.len() != keys.len() {
            return Err(format!("the scope {scope} has {} turns and was read as {}", keys.len(), read.turns.len()).into());
        }
        let source = capture::add_source(engine, &ctx, SourceDetails::default(), bytes).await?;
        if source.parts > 1 {
            return Err(format!("the conversation {scope} is too long: it was stored in {} parts", source.parts).into());
        }
        capture::capture_conversation(engine, &ctx, whole(source.source_id)).await?;
        work(engine).await?;
        all.insert(*scope, (ctx, Turns { ends: read.turns.iter().map(|turn| turn.end).collect(), keys }));
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(all)
}

/// Confirms the candidates of some kinds; the memories of each conversation, with the turns that they quote.
async fn confirmed<'a>(
    engine: &Engine,
    tenant: &OpContext,
    captured: &BTreeMap<&'a str, (OpContext, Turns)>,
    kinds: &[MemoryKind],
) -> Result<BTreeMap<&'a str, Stored>, Failure> {
    let mut all = BTreeMap::new();
    for (scope, (ctx, Turns { ends, keys })) in captured {
        confirm(engine, tenant, ctx.agent_id()?, kinds).await?;
        work(engine).await?;
        let (mut turns, mut characters) = (HashMap::new(), 0);
        for (id, length) in memories_of(engine, tenant, ctx.agent_id()?).await? {
            let quotes = consolidation::quotes(engine, tenant, &[id]).await?;
            let place = |at: i32| ends.partition_point(|end| *end <= usize::try_from(at).unwrap_or(0));
            let said = quotes.iter().filter_map(|(_, quote)| keys.get(place(quote.evidence.starts)).cloned()).collect();
            turns.insert(id, said);
            characters += length;
        }
        all.insert(*scope, Stored { ctx: ctx.clone(), turns, characters });
    }
    Ok(all)
}

/// A conversation as the message list of a chat API, and the keys of its turns.
fn messages(lines: &[&Line]) -> (serde_json::Value, Vec<String>) {
    let (mut messages, mut keys) = (Vec::new(), Vec::new());
    for line in lines {
        if let Line::Memory { key, text, at, .. } = line {
            let (speaker, words) = spoken(text);
            messages.push(json!({ "role": "user", "name": speaker, "content": words, "timestamp": at }));
            keys.push(key.clone());
        }
    }
    (json!(messages), keys)
}

fn whole(source_ref: SourceId) -> CaptureConversationRequest {
    let capture_mode = Some(CaptureMode::Transcript);
    CaptureConversationRequest { source_ref, scope: None, capture_mode, project_id: None, repo_id: None, user_id: None }
}

async fn ask(engine: &Engine, scopes: &BTreeMap<&str, Vec<&Line>>, stored: &BTreeMap<&str, Stored>, way: &str) -> Result<Outcome, Failure> {
    let questions = || scopes.values().flatten().filter(|line| matches!(line, Line::Question { .. }));
    let bar = bar(questions().count(), format!("questions, {way}"))?;
    let mut judged = Vec::new();
    for line in questions() {
        let Line::Question { scope, query, evidence, .. } = line else { continue };
        let stored = stored.get(scope.as_str()).ok_or("a question names a conversation that has no turns")?;
        judged.push(judge(engine, stored, query, evidence).await?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let all = stored.values();
    let (memories, characters) = all.fold((0, 0), |(memories, characters), one| (memories + one.turns.len(), characters + one.characters));
    Ok(Outcome { memories, characters, scores: Scores::of(&judged) })
}

/// Where the first hit for each turn of the evidence is.
async fn judge(engine: &Engine, stored: &Stored, query: &str, evidence: &[String]) -> Result<Judged, Failure> {
    let answer = recall::without_floor(engine, &stored.ctx, RecallRequest { k: HITS, ..RecallRequest::new(query) }).await?;
    let hits = answer.memories();
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    for (place, hit) in hits.iter().enumerate() {
        for key in stored.turns.get(&hit.memory_id).into_iter().flatten().filter(|key| evidence.contains(key)) {
            if seen.insert(key) {
                found.push(place);
            }
        }
    }
    Ok(Judged {
        found,
        evidence: evidence.len(),
        returned: hits.len(),
        possible: stored.turns.len().min(HITS as usize),
        characters: hits.iter().map(|hit| hit.content.chars().count()).sum(),
        with_embedding: 0.0,
        without_embedding: 0.0,
    })
}

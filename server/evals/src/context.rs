//! `remembrancer eval context`: assembles contexts for tasks whose facts are known, with all tiers of memory and with parts of them.

pub mod scores;

use crate::agents::{agent, confirm, lasting, memories_of, memory, work};
use crate::file_clock::FileClock;
use crate::{Failure, bar};
use chrono::{DateTime, Utc};
use foundation::{Engine, OpContext, identity};
use remembrancer::{capture, consolidation, context, lifecycle, memories};
use scores::{Judged, Lines, Scores};
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};
use std::collections::{BTreeMap, HashMap};
use std::fmt::{Display, Formatter, Result as Formatted};
use std::sync::Arc;
use wire::{
    AssembleRequest, AssembledContext, BlockName, MemoryId, MessagesRequest, NewMessage, ObservationCategory, ObservationRequest,
    Retention, Role, UserContextRequest,
};

/// Tokens that a context may have.
const BUDGET: u32 = 4000;

/// A line of the file.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Line {
    /// What an agent observed.
    Observation {
        person: String,
        /// Tasks name it by this.
        key: String,
        text: String,
        category: ObservationCategory,
        at: Option<DateTime<Utc>>,
    },
    /// A message of a conversation.
    Turn { person: String, key: String, text: String, role: Role, at: Option<DateTime<Utc>> },
    /// What somebody asks, and the keys of what a good context holds.
    Task { person: String, query: String, wanted: Vec<String> },
}

/// How memory is filled for the contexts of a row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fill {
    Nothing,
    /// Observations make a profile; no candidate is confirmed.
    Profile,
    /// Observations make a profile, and their candidates are confirmed.
    Processor,
    /// The same, with the keys of a fixed schema.
    FixedKeys,
    /// Every observation is remembered at once, and there is no profile.
    AtOnce,
}

/// The rows: their names, how memory is filled, and whether queries have vectors. Those that fill it in the same way share it.
const WAYS: [(&str, Fill, bool); 6] = [
    ("no memory", Fill::Nothing, true),
    ("working memory only", Fill::Profile, true),
    ("all tiers", Fill::Processor, true),
    ("all tiers, words only", Fill::Processor, false),
    ("all tiers, fixed keys", Fill::FixedKeys, true),
    ("immediate write", Fill::AtOnce, true),
];

/// The result for a file: the rows in their order.
#[derive(Serialize)]
pub struct Report(pub Vec<(&'static str, Scores)>);

/// Fills memory in each way and assembles the contexts of all tasks.
///
/// # Errors
/// When a task names a key that its person does not have, something is refused, or the database is out of reach.
pub async fn evaluate(engine: &Engine, lines: &[Line]) -> Result<Report, Failure> {
    let clock = Arc::new(FileClock::new(engine.clock().now()));
    let engine = &engine.with_clock(Arc::<FileClock>::clone(&clock));
    let tenant = identity::create_tenant(engine, "eval", "Evaluation").await?;
    let texts = texts(lines)?;
    let bar = bar(WAYS.len(), "ways")?;
    let (mut filled, mut rows, mut number): (Vec<(Fill, People<'_>)>, Vec<_>, _) = (Vec::new(), Vec::new(), 0);
    for (name, fill, vectors) in WAYS {
        if !filled.iter().any(|(known, _)| *known == fill) {
            let filling = Filling { engine, clock: &clock, tenant: &tenant, fill };
            filled.push((fill, filling.people(lines, &mut number).await?));
        }
        let Some((_, people)) = filled.iter().find(|(known, _)| *known == fill) else { continue };
        let judged = ask(engine, people, &texts, (lines, vectors)).await?;
        rows.push((name, Scores::of(&judged)));
        bar.inc(1);
    }
    bar.finish_and_clear();
    engine.finish_deferred().await;
    Ok(Report(rows))
}

/// Texts by person and key.
type Texts<'a> = HashMap<(&'a str, &'a str), &'a str>;

fn texts(lines: &[Line]) -> Result<Texts<'_>, Failure> {
    let mut texts = HashMap::new();
    for line in lines {
        if let Line::Observation { person, key, text, .. } | Line::Turn { person, key, text, .. } = line
            && texts.insert((person.as_str(), key.as_str()), text.as_str()).is_some()
        {
            return Err(format!("{person} has the key {key} twice").into());
        }
    }
    Ok(texts)
}

/// The memory of one person: whose agent has it, and the keys that each memory stands for.
struct Filled<'a> {
    ctx: OpContext,
    keys: HashMap<MemoryId, Vec<&'a str>>,
}

type People<'a> = BTreeMap<&'a str, Filled<'a>>;

/// A way of filling memory, for all people of a file.
struct Filling<'a> {
    engine: &'a Engine,
    clock: &'a FileClock,
    tenant: &'a OpContext,
    fill: Fill,
}

impl Filling<'_> {
    /// Gives every person an agent whose memory is filled. `number` counts agents.
    async fn people<'a>(&self, lines: &'a [Line], number: &mut usize) -> Result<People<'a>, Failure> {
        let mut people: People<'a> = BTreeMap::new();
        for line in lines {
            let (Line::Observation { person, .. } | Line::Turn { person, .. } | Line::Task { person, .. }) = line;
            if !people.contains_key(person.as_str()) {
                let ctx = agent(self.engine, self.tenant, *number).await?;
                *number += 1;
                people.insert(person, Filled { ctx, keys: HashMap::new() });
            }
            let Some(filled) = people.get_mut(person.as_str()) else { continue };
            self.store(filled, line).await?;
        }
        work(self.engine).await?;
        if matches!(self.fill, Fill::Processor | Fill::FixedKeys) {
            for (person, filled) in &mut people {
                self.confirmed(person, filled, lines).await?;
            }
        }
        Ok(people)
    }

    async fn store<'a>(&self, Filled { ctx, keys }: &mut Filled<'a>, line: &'a Line) -> Result<(), Failure> {
        let Self { engine, clock, fill, .. } = *self;
        match line {
            Line::Observation { person, key, text, category, at } => {
                clock.set(*at);
                match fill {
                    Fill::Nothing => {}
                    Fill::Profile | Fill::Processor => {
                        let (content, category) = (text.clone(), *category);
                        let request = ObservationRequest {
                            role: None,
                            content,
                            category,
                            session_id: None,
                            connection_id: None,
                            user_id: None,
                            commons: false,
                        };
                        capture::record_observation(engine, ctx, request).await?;
                    }
                    Fill::FixedKeys => {
                        let scaffold_updates = Map::from_iter([(fixed_key(*category).to_owned(), json!([text]))]);
                        let request = UserContextRequest {
                            scaffold_updates,
                            persistent_info_additions: vec![],
                            session_id: None,
                            user_id: None,
                            commons: false,
                        };
                        capture::update_user_context(engine, ctx, request).await?;
                    }
                    Fill::AtOnce => {
                        let request = wire::RememberRequest { kind: None, ..memory(person, person, text, *at) };
                        keys.entry(memories::remember(engine, ctx, request).await?.memory_id).or_default().push(key);
                    }
                }
            }
            Line::Turn { key, text, role, at, .. } if !matches!(fill, Fill::Nothing | Fill::Profile) => {
                clock.set(*at);
                let (content, retention) = (text.clone(), Some(Retention::Permanent));
                let message = NewMessage { role: *role, content, message_id: None, observed_at: *at, importance: None, retention };
                let request = MessagesRequest { messages: vec![message], topic: None, platform: None, user_id: None };
                for stored in lifecycle::add_messages(engine, ctx, "eval", request).await?.messages {
                    keys.entry(stored.memory_id).or_default().push(key);
                }
            }
            Line::Turn { .. } | Line::Task { .. } => {}
        }
        Ok(())
    }

    /// Confirms the candidates of a person, and finds the observations that each memory quotes.
    async fn confirmed<'a>(&self, person: &str, filled: &mut Filled<'a>, lines: &'a [Line]) -> Result<(), Failure> {
        let Self { engine, tenant, .. } = *self;
        let agent_id = filled.ctx.agent_id()?;
        confirm(engine, tenant, agent_id, &lasting()).await?;
        work(engine).await?;
        for (id, _) in memories_of(engine, tenant, agent_id).await? {
            for (_, quote) in consolidation::quotes(engine, tenant, &[id]).await? {
                let said = lines.iter().filter_map(|line| match line {
                    Line::Observation { person: of, key, text, .. } if of == person && quote.evidence.quote.contains(text) => Some(key),
                    _ => None,
                });
                filled.keys.entry(id).or_default().extend(said.map(String::as_str));
            }
        }
        Ok(())
    }
}

/// The key of a fixed schema for an observation.
fn fixed_key(category: ObservationCategory) -> &'static str {
    match category {
        ObservationCategory::Preference => "Preferences",
        ObservationCategory::ProjectDetails => "Projects",
        ObservationCategory::Fact | ObservationCategory::Correction => "Facts",
    }
}

/// Assembles the context of every task.
async fn ask(engine: &Engine, people: &People<'_>, texts: &Texts<'_>, (lines, vectors): (&[Line], bool)) -> Result<Vec<Judged>, Failure> {
    let mut judged = Vec::new();
    for line in lines {
        let Line::Task { person, query, wanted } = line else { continue };
        let filled = people.get(person.as_str()).ok_or_else(|| format!("a task names {person}, who has no memory"))?;
        let facts: Result<Vec<(&str, &str)>, String> = wanted
            .iter()
            .map(|key| {
                let text = texts.get(&(person.as_str(), key.as_str()));
                text.map(|text| (key.as_str(), *text))
                    .ok_or_else(|| format!("a task of {person} wants {key}, which is not a key of that person"))
            })
            .collect();
        let request = AssembleRequest { budget: BUDGET, vectors, ..AssembleRequest::new(query) };
        judged.push(judge(&context::assemble(engine, &filled.ctx, request).await?, filled, &facts?));
    }
    Ok(judged)
}

/// Compares a context with the facts that it should hold.
fn judge(context: &AssembledContext, filled: &Filled<'_>, facts: &[(&str, &str)]) -> Judged {
    let blocks = context.blocks.iter().filter(|block| matches!(block.name, BlockName::Facts | BlockName::Episodes));
    let mut retrieved: Vec<_> = blocks.flat_map(|block| &block.items).collect();
    retrieved.sort_by(|one, other| other.score.unwrap_or_default().total_cmp(&one.score.unwrap_or_default()));
    let keys = |id: Option<MemoryId>| id.and_then(|id| filled.keys.get(&id)).map(Vec::as_slice).unwrap_or_default();
    let place = |key: &str| retrieved.iter().position(|item| keys(item.memory_id).contains(&key));
    let lines = Lines::of(&context.text);
    Judged {
        wanted: facts.len(),
        places: facts.iter().filter_map(|(key, _)| place(key)).collect(),
        held: facts.iter().filter(|(_, text)| lines.hold(text)).count(),
        tokens: context.tokens,
        budget: context.budget,
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> Formatted {
        writeln!(
            f,
            "{:<24} {:>6} {:>6} {:>9} {:>7} {:>6} {:>7} {:>10}",
            "way", "tasks", "P@5", "recall@5", "nDCG@5", "held", "tokens", "of budget"
        )?;
        for (way, s) in &self.0 {
            writeln!(
                f,
                "{way:<24} {:>6} {:>6.3} {:>9.3} {:>7.3} {:>6.3} {:>7.0} {:>8.1} %",
                s.tasks,
                s.precision_at_5,
                s.recall_at_5,
                s.ndcg_at_5,
                s.held,
                s.tokens,
                s.budget_share * 100.0
            )?;
        }
        Ok(())
    }
}

//! `serve --demo`: an invented organisation with two agents, so that there is something to look at and to call.

mod data;
mod knowledge;

use crate::config::Config;
use chrono::{DateTime, Duration, Utc};
use data::{FOUNDED, MEMORIES, Memory, RECALLS, TERMS};
use knowledge::FILES;
use remembrancer::api::{ForgetRequest, MemoryScope, OperatorRole, RecallRequest, RememberRequest, RequestId, Scope, Source};
use remembrancer::clock::{Clock, SystemClock};
use remembrancer::knowledge::{self as shared, Extent, Ingestion};
use remembrancer::vocabulary::NewTerm;
use remembrancer::{Engine, Error, OpContext, identity, memories, recall, vocabulary, workers};
use serde_json::json;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use tokio_util::sync::CancellationToken;

type Failure = Box<dyn std::error::Error + Send + Sync>;

const TENANT: &str = "acme";
const LOGIN: &str = "vera@acme.example";
const PASSWORD_LENGTH: usize = 20;

/// The system's clock, set back: demo memories are weeks old.
struct Rewound(AtomicI64);

impl Clock for Rewound {
    fn now(&self) -> DateTime<Utc> {
        SystemClock.now() - Duration::minutes(self.0.load(Ordering::Relaxed))
    }
}

/// Loads the data if it is not there, makes credentials if their files are not there, and prints how to use both.
///
/// # Errors
/// When a database or a file cannot be written.
pub async fn load(engine: &Engine, config: &Config, directory: &Path) -> Result<(), Failure> {
    let ctx = match identity::open_tenant(engine, TENANT).await {
        Ok(ctx) => ctx,
        Err(Error::NotFound(_)) => create(engine).await?,
        Err(error) => return Err(error.into()),
    };
    let (operator, key) = credentials(engine, &ctx, directory).await?;
    print(config, directory, &operator, &key);
    Ok(())
}

async fn create(engine: &Engine) -> Result<OpContext, Failure> {
    tracing::info!(memories = MEMORIES.len(), "loading the demo data");
    let ctx = identity::create_tenant(engine, TENANT, "Acme").await?;
    let atlas = agent(engine, &ctx, "atlas", "Atlas, the project assistant").await?;
    let binky = agent(engine, &ctx, "binky", "Binky, the release helper").await?;
    for (term, definition, aliases) in TERMS {
        vocabulary::add(engine, &ctx, NewTerm { term, definition, category: None, aliases }).await?;
    }
    let clock = Arc::new(Rewound(AtomicI64::new(0)));
    let past = engine.with_clock(Arc::<Rewound>::clone(&clock));
    clock.0.store(FOUNDED, Ordering::Relaxed);
    take_in(&past, &ctx).await?;
    for memory in MEMORIES {
        clock.0.store(memory.minutes_ago, Ordering::Relaxed);
        let agent = if memory.agent == "binky" { &binky } else { &atlas };
        let remembered = memories::remember(&past, agent, request(memory)).await?;
        if memory.forgotten {
            clock.0.store(memory.minutes_ago / 2, Ordering::Relaxed);
            let forget =
                ForgetRequest { memory_id: remembered.memory_id, reason: Some("Mina asked me to forget this".into()), user_id: None };
            memories::forget(&past, agent, forget).await?;
        }
    }
    for &(minutes_ago, query, expected) in RECALLS {
        clock.0.store(minutes_ago, Ordering::Relaxed);
        let request =
            RecallRequest { query: query.into(), k: 5, expected, user_id: None, ranking: None, filters: Default::default(), as_of: None };
        recall::recall(&past, if minutes_ago % 3 == 0 { &binky } else { &atlas }, request).await?;
    }
    Ok(ctx)
}

/// What the organisation has written down, with its vectors: the first recall already finds it.
async fn take_in(engine: &Engine, ctx: &OpContext) -> Result<(), Failure> {
    let ingestion = Ingestion {
        collection: "handbook".into(),
        files: FILES.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect(),
        extent: Extent::Whole,
        revision: None,
        dry_run: false,
        failures: vec![],
    };
    shared::ingest(engine, ctx, ingestion, &|_, _| {}).await?;
    let stop = CancellationToken::new();
    while workers::work_on(engine, &engine.db().kb, &stop).await? > 0 {}
    Ok(())
}

async fn agent(engine: &Engine, ctx: &OpContext, slug: &str, name: &str) -> Result<OpContext, Failure> {
    let agent = identity::create_agent(engine, ctx, slug, name, false).await?;
    let (_, key) = identity::create_key(engine, ctx, agent.id, "demo data", Scope::ALL, None).await?;
    Ok(identity::authenticate(engine, &key, RequestId(engine.clock().id())).await?)
}

fn request(memory: &Memory) -> RememberRequest {
    RememberRequest {
        topic_raw: memory.topic.into(),
        content: memory.content.into(),
        source: Source {
            platform: memory.platform.into(),
            channel_id: Some(memory.channel.into()),
            thread_id: Some(format!("{}-{}", memory.channel, memory.minutes_ago / 600)),
            ..Source::default()
        },
        kind: Some(memory.kind),
        scope: memory.shared.then_some(MemoryScope::Global),
        commons: memory.shared,
        ..RememberRequest::default()
    }
}

/// What the files hold, or new credentials in new files.
async fn credentials(engine: &Engine, ctx: &OpContext, directory: &Path) -> Result<(String, String), Failure> {
    std::fs::create_dir_all(directory)?;
    let (operator_file, key_file) = (directory.join("operator"), directory.join("agent-key"));
    let operator = match std::fs::read_to_string(&operator_file) {
        Ok(text) => text,
        Err(_) => {
            let password = engine.clock().secret(PASSWORD_LENGTH);
            match identity::create_operator(engine, ctx, LOGIN, "Vera", &password, OperatorRole::ALL).await {
                Ok(_) => {}
                Err(Error::Conflict(_)) => identity::reset_password(engine, LOGIN, &password).await?,
                Err(error) => return Err(error.into()),
            }
            let text = format!("{LOGIN}\n{password}\n");
            write_secret(&operator_file, &text)?;
            text
        }
    };
    let key = match std::fs::read_to_string(&key_file) {
        Ok(key) => key,
        Err(_) => {
            let atlas = identity::agent_by_slug(engine, ctx, "atlas").await?;
            let (_, key) = identity::create_key(engine, ctx, atlas.id, "demo", Scope::ALL, None).await?;
            write_secret(&key_file, &format!("{key}\n"))?;
            key
        }
    };
    Ok((operator, key.trim().to_owned()))
}

fn write_secret(path: &Path, text: &str) -> std::io::Result<()> {
    std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?.write_all(text.as_bytes())
}

fn print(config: &Config, directory: &Path, operator: &str, key: &str) {
    let url = &config.public_url;
    let (login, password) = operator.trim().split_once('\n').unwrap_or((operator, ""));
    let curl = |tool: &str, body: serde_json::Value| {
        format!("curl -sS {url}/api/tools/{tool} -H 'Authorization: Bearer {key}' -H 'Content-Type: application/json' -d '{body}'")
    };
    let remember = json!({ "topic_raw": "standup", "content": "The standup moved to 9:30.", "source": { "platform": "slack", "channel_id": "C-team" } });
    println!(
        "\nRemembrancer is at {url}\n\n  Sign in as   {login}\n  Password     {password}\n  API key      {key}  (agent atlas)\n\n\
         Kept in {}. Three calls to begin with:\n\n{}\n\n{}\n\n{}\n",
        directory.display(),
        curl("agent_memory_remember", remember),
        curl("agent_memory_recall", json!({ "query": "When is the standup?" })),
        curl("agent_memory_recall", json!({ "query": "Who approves a release?", "k": 3 })),
    );
}

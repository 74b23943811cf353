//! What there is to know about an installation, gathered without a judgement.

use super::cache::{Cache, Packed};
use super::machine::{self, Disk, Port, Private};
use crate::Failure;
use crate::config::{Config, Provider};
use crate::serve::{self, IfAbsent};
use chrono::{DateTime, Utc};
use db::clock::{Clock, SystemClock};
use db::{DatabaseUrls, Databases, DbError, Identity, Inspected, Patience, ReplicaFacts};
use foundation::identity::{open_tenant, store as tenants};
use foundation::registry::EmbeddingModel;
use foundation::{Engine, OpContext, audit, recall_cache};
use models::local;
use remembrancer::model_change;
use std::time::Duration;
use wire::AgentId;

/// Entries at the end of each audit chain that are verified.
pub const CHAIN_END: i64 = 1000;
/// How long a connection may take.
const CONNECTION: Duration = Duration::from_secs(10);

/// An installation, and the moment at which it was looked at.
pub struct Facts {
    pub now: DateTime<Utc>,
    /// Whether the server has its own Postgres.
    pub is_embedded: bool,
    /// Absent with a sentence if there is no Postgres to ask.
    pub databases: Result<Vec<Inspected>, String>,
    /// For each pool of the server who its connections are, or why there are none.
    pub identities: Named<Identity>,
    /// What the replicas are like, or why nothing is read from them.
    pub replicas: Named<ReplicaFacts>,
    /// What only databases tell that are migrated and that the server can work with.
    pub inside: Option<Result<Inside, String>>,
    /// Whether the provider of models outside answers, if one is configured.
    pub provider: Option<Result<(), String>>,
    /// The addresses of the server by the names of their settings.
    pub ports: Vec<(&'static str, String, Port)>,
    /// Of an embedded Postgres.
    pub disk: Option<Result<Disk, String>>,
    pub private: Vec<Private>,
}

/// What the engine tells.
pub struct Inside {
    pub model: EmbeddingModel,
    /// Whether it runs in this process, so that asking it for a vector sends nothing.
    pub is_local: bool,
    /// How many texts lack a vector of it; or why it cannot be loaded or gives no vectors.
    pub lacking: Result<usize, String>,
    /// Organisations.
    pub chains: usize,
    /// Entries that were verified.
    pub entries: i64,
    /// What is wrong with the chain of an organisation, by its slug.
    pub faults: Vec<(String, String)>,
    pub cache: Cache,
}

impl Facts {
    /// Looks at everything. It changes nothing; an embedded Postgres that does not run is started and stopped again.
    ///
    /// # Errors
    /// When the embedded Postgres cannot be stopped.
    pub async fn gather(config: &Config) -> Result<Self, Failure> {
        let mut facts = Self::of_machine(config).await;
        match serve::databases(config, IfAbsent::Refuse).await {
            Err(sentence) => facts.databases = Err(sentence.to_string()),
            Ok((urls, postgres)) => {
                facts.look(config, urls).await;
                if let Some(postgres) = postgres {
                    postgres.stop().await?;
                }
            }
        }
        Ok(facts)
    }

    async fn of_machine(config: &Config) -> Self {
        let is_embedded = config.databases.is_none();
        let mut ports = Vec::new();
        for (name, address) in [("LISTEN_ADDR", config.listen), ("METRICS_ADDR", config.metrics)] {
            ports.push((name, address.to_string(), machine::port(address, config).await));
        }
        let asks_outside = config.provider == Provider::OpenAi || config.llm_model.is_some();
        let provider = if asks_outside { Some(machine::provider(&config.openai_base_url).await) } else { None };
        Self {
            now: SystemClock.now(),
            is_embedded,
            databases: Ok(Vec::new()),
            identities: Vec::new(),
            replicas: Vec::new(),
            inside: None,
            provider,
            ports,
            disk: is_embedded.then(|| machine::disk(&config.cluster()).map_err(|error| error.to_string())),
            private: machine::private(config),
        }
    }

    async fn look(&mut self, config: &Config, urls: DatabaseUrls) {
        let databases = db::inspect(&urls).await;
        let is_migrated = databases.iter().all(|one| one.facts.as_ref().is_ok_and(|facts| facts.contents.is_some()));
        self.databases = Ok(databases);
        if !is_migrated {
            return;
        }
        (self.identities, self.replicas) = connections(config, &urls).await;
        if self.identities.iter().all(|(_, identity)| identity.is_ok()) {
            self.inside = Some(inside(config, urls).await.map_err(|error| error.to_string()));
        }
    }
}

/// By the names of databases.
type Named<T> = Vec<(&'static str, Result<T, String>)>;

/// Who the connections of the server are, and what the replicas are like.
async fn connections(config: &Config, urls: &DatabaseUrls) -> (Named<Identity>, Named<ReplicaFacts>) {
    let patience = Patience { connection: CONNECTION, lookup: CONNECTION, statement: config.statement_timeout, replica: CONNECTION };
    let databases = match Databases::connect(urls, &config.logins, patience) {
        Ok(databases) => databases,
        Err(error) => return (vec![("agent_memory", Err(error.to_string()))], Vec::new()),
    };
    let (identities, replicas) = (databases.identities().await, databases.replicas().await);
    databases.close().await;
    let sentences = |(database, identity): (_, Result<Identity, DbError>)| (database, identity.map_err(|error| error.to_string()));
    (identities.into_iter().map(sentences).collect(), replicas)
}

async fn inside(config: &Config, urls: DatabaseUrls) -> Result<Inside, Failure> {
    let engine = serve::open_unchanged(config, urls).await?;
    let model = engine.model().clone();
    let is_local = local::known(&model.name).is_some();
    let lacking = lacking(&engine, &model.name, is_local).await.map_err(|error| error.to_string());
    let (room, from) = (config.recall_cache_bytes, engine.settings().recall_cache_from);
    let cache = Cache { room, is_of_cluster: room > 0 && recall_cache::is_off(&engine), from, agents: Vec::new() };
    let mut inside = Inside { model, is_local, lacking, chains: 0, entries: 0, faults: Vec::new(), cache };
    for slug in tenants::tenant_slugs(engine.db().control.system()).await? {
        let ctx = open_tenant(&engine, &slug).await?;
        let verified = audit::verify_end(&engine, &ctx, CHAIN_END).await?;
        inside.chains += 1;
        inside.entries += verified.head.entries.min(CHAIN_END);
        inside.cache.agents.extend(packed(&engine, &ctx, &slug, from).await?);
        inside.faults.extend(verified.fault.map(|fault| (slug, fault.to_string())));
    }
    engine.db().close().await;
    Ok(inside)
}

/// The agents of an organisation that have so many memories or more, as the recall cache would keep them.
async fn packed(engine: &Engine, ctx: &OpContext, tenant: &str, from: i64) -> Result<Vec<Packed>, Failure> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let agents = tenants::agents(&mut tx, ctx.tenant_id).await?;
    tx.commit().await?;
    let ids: Vec<AgentId> = agents.iter().map(|agent| agent.id).collect();
    let demands = recall_cache::demands(engine, ctx.tenancy(), &ids).await?;
    let commons = demands.iter().find(|one| one.agent == ctx.commons_id).map_or(0, |one| one.bytes);
    let of = |one: &recall_cache::Demand| {
        let slug = agents.iter().find(|agent| agent.id == one.agent).map_or("", |agent| agent.slug.as_str());
        let beside = if one.agent == ctx.commons_id { 0 } else { commons };
        Packed { name: format!("{tenant}/{slug}"), bytes: one.bytes, with_commons: one.bytes + beside }
    };
    Ok(demands.iter().filter(|one| one.memories >= from).map(of).collect())
}

/// Loads a model and, if it is local, asks it for a vector; how many texts lack one.
async fn lacking(engine: &Engine, name: &str, is_local: bool) -> Result<usize, Failure> {
    let engine = engine.with_model(engine.load(name).await?);
    if is_local {
        engine.probe().await?;
    }
    Ok(model_change::lacking_of_all(&engine).await?)
}

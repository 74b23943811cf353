//! Databases of a command's own, beside those of the server, which are dropped afterwards.

use super::Failure;
use crate::config::{Config, Provider};
use crate::embedding;
use crate::serve::{self, IfAbsent};
use db::clock::{Clock, SystemClock};
use db::{DatabaseUrls, Logins, drop_databases, require_absent};
use models::local;
use std::time::Duration;

/// Runs work in databases that are dropped afterwards, on a Postgres that exists; also if a signal ends the work. `purpose` is part of
/// their names.
///
/// # Errors
/// Those of the work, when a database is out of reach, and when a signal ends it.
pub async fn in_own_databases<T, F: Future<Output = Result<T, Failure>>>(
    config: Config,
    purpose: &str,
    work: impl FnOnce(Config, DatabaseUrls) -> F,
) -> Result<T, Failure> {
    let mut config = detached(config);
    let (urls, postgres) = serve::databases(&config, IfAbsent::Refuse).await?;
    // What is measured is the configured model, or else the server's own; where nothing was stored yet, that of new databases.
    let names_none = config.model.is_none() && config.provider == Provider::Local;
    if names_none && let Ok(model) = embedding::model(&config, &urls).await {
        config.provider = if local::known(&model).is_some() { Provider::Local } else { Provider::OpenAi };
        config.model = Some(model);
    }
    if let Some(model) = &config.model {
        eprintln!("embedding model: {model}");
    }
    let urls = DatabaseUrls::beside(&urls, &format!("_{purpose}_{}", SystemClock.secret(8).to_lowercase()))?;
    // What is dropped below is created by the work.
    require_absent(&urls).await?;
    let done = tokio::select! {
        done = work(config, urls.clone()) => done,
        signalled = serve::wait_for_signal() => signalled.and_then(|()| Err("a signal ended this command".into())),
    };
    let dropped = drop_databases(&urls).await;
    if let Some(postgres) = postgres {
        postgres.stop().await?;
    }
    let done = done?;
    dropped?;
    Ok(done)
}

/// The configuration of an engine on other databases than those of the server.
fn detached(mut config: Config) -> Config {
    // No request waits, so every memory can wait for its vector.
    config.write_embedding_budget = Duration::from_secs(60);
    // They name the databases of the server.
    config.logins = Logins::default();
    config
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::env::VarError;

    #[test]
    fn logins_that_lead_to_the_databases_of_the_server_are_not_used() {
        let read = |name: &str| match name {
            "DATABASE_URL" | "APP_DATABASE_URL" | "SYSTEM_DATABASE_URL" => Ok("postgres://vera@localhost/acme".to_owned()),
            _ => Err(VarError::NotPresent),
        };
        let config = Config::read(&read).unwrap();
        assert!(config.logins.app.is_some() && config.logins.system.is_some());
        let logins = detached(config).logins;
        assert!(logins.app.is_none() && logins.system.is_none());
    }
}

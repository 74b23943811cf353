//! `serve --demo`: an invented organisation with two agents, to look at and to call.

mod activity;
mod capture;
mod contexts;
mod data;
mod history;
mod knowledge;
mod messages;
mod people;
mod sessions;
mod usage;

use foundation::{Engine, Error, OpContext, identity};
use models::Embedder;
use serde_json::json;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;
use wire::{KeyScope, OperatorRole};

type Failure = Box<dyn std::error::Error + Send + Sync>;

const TENANT: &str = "acme";
const LOGIN: &str = "vera@acme.example";
const PASSWORD_LENGTH: usize = 20;

/// The server that has the data, as people find it.
pub struct Server<'a> {
    pub public_url: &'a str,
    /// Whether it listens on loopback only: elsewhere no secret is printed, because output ends in logs.
    pub is_on_loopback: bool,
    /// The folder of its data; none if it uses the Postgres of `DATABASE_URL`.
    pub data_dir: Option<&'a Path>,
    /// The folder of the credentials.
    pub credentials: &'a Path,
}

/// Loads the data if it is not there, makes credentials if their files are not there, and prints how to use both. Call it before the
/// workers of `engine` start.
///
/// # Errors
/// When a database or a file cannot be written.
pub async fn load(engine: &Engine, embedder: Arc<dyn Embedder>, server: &Server<'_>) -> Result<(), Failure> {
    let ctx = match identity::open_tenant(engine, TENANT).await {
        Ok(ctx) => ctx,
        Err(Error::NotFound(_)) => {
            tracing::info!(memories = data::MEMORIES.len(), "loading the demo data");
            history::load(engine, embedder).await?
        }
        Err(error) => return Err(error.into()),
    };
    let (operator, key) = credentials(engine, &ctx, server.credentials).await?;
    println!("{}", welcome(server, &operator, &key));
    Ok(())
}

/// The credentials in the files, or new ones in new files.
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
            let (_, key) = identity::create_key(engine, ctx, atlas.id, "demo", &KeyScope::of_agents(), None, None).await?;
            write_secret(&key_file, &format!("{key}\n"))?;
            key
        }
    };
    Ok((operator, key.trim().to_owned()))
}

fn write_secret(path: &Path, text: &str) -> std::io::Result<()> {
    std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?.write_all(text.as_bytes())
}

/// Where the program and its data are, and a command that works in any folder.
fn places(server: &Server<'_>) -> String {
    let program = std::env::current_exe().map_or_else(|_| "remembrancer".into(), |path| path.display().to_string());
    let Some(folder) = server.data_dir else {
        return format!(
            "  Program      {program}\n  Data         in the Postgres of DATABASE_URL\n\n\
             Its commands find the data in every folder where DATABASE_URL is set:\n\n'{program}' usage --tenant {TENANT}"
        );
    };
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned()).display().to_string();
    format!(
        "  Program      {program}\n  Data         {folder}\n\nIn another folder, tell its commands where the data is:\n\n\
         DATA_DIR='{folder}' '{program}' usage --tenant {TENANT}"
    )
}

/// How to sign in and what to call. Where others can reach the server, too, it names the files of the secrets instead.
fn welcome(server: &Server<'_>, operator: &str, key: &str) -> String {
    let Server { public_url: url, is_on_loopback, credentials: directory, .. } = *server;
    let (login, password) = operator.trim().split_once('\n').unwrap_or((operator, ""));
    let kept = |file: &str| directory.join(file).display().to_string();
    let (password, shown_key, key) = match is_on_loopback {
        true => (password.to_owned(), key.to_owned(), key.to_owned()),
        false => (format!("in {}", kept("operator")), format!("in {}", kept("agent-key")), format!("'\"$(cat {})\"'", kept("agent-key"))),
    };
    let curl = |tool: &str, body: serde_json::Value| {
        format!("curl -sS {url}/api/tools/{tool} -H 'Authorization: Bearer {key}' -H 'Content-Type: application/json' -d '{body}'")
    };
    let host_key = if is_on_loopback { shown_key.as_str() } else { "rmb_…" };
    let host = json!({ "mcpServers": { "remembrancer": { "url": format!("{url}/mcp"), "headers": { "Authorization": format!("Bearer {host_key}") } } } });
    let remember = json!({ "topic_raw": "standup", "content": "The standup moved to 9:30.", "source": { "platform": "slack", "channel_id": "C-team" } });
    format!(
        "\nRemembrancer is at {url}\n\n  Sign in as   {login}\n  Password     {password}\n  API key      {shown_key}  (agent atlas)\n\
         {}\n\nThe credentials are in {}. The reference of the API is at {url}/api/docs. Three calls to begin with:\n\n{}\n\n{}\n\n{}\n\n\
         For the host of an agent (Model Context Protocol):\n\n{host}\n",
        places(server),
        directory.display(),
        curl("agent_memory_remember", remember),
        curl("agent_memory_recall", json!({ "query": "When is the standup?" })),
        curl("agent_memory_recall", json!({ "query": "Who approves a release?", "k": 3 })),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn welcome_of(data_dir: Option<&str>, is_on_loopback: bool) -> String {
        let (public_url, data_dir, credentials) = ("http://example.org", data_dir.map(Path::new), Path::new("kept"));
        welcome(&Server { public_url, is_on_loopback, data_dir, credentials }, "vera\nhunter2\n", "rmb_key")
    }

    #[test]
    fn the_program_and_its_data_are_named_by_paths_that_hold_in_every_folder() {
        let program = std::env::current_exe().unwrap().display().to_string();
        let folder = std::env::current_dir().unwrap().join("kept-here").display().to_string();
        let text = welcome_of(Some("kept-here"), true);
        for words in [format!("Program      {program}\n"), format!("Data         {folder}\n"), format!("DATA_DIR='{folder}' '{program}' ")]
        {
            assert!(text.contains(&words), "{text}");
        }
        let text = welcome_of(None, true);
        assert!(text.contains(&program) && text.contains("DATABASE_URL") && !text.contains("DATA_DIR"));
    }

    #[test]
    fn secrets_are_printed_on_loopback_only() {
        for printed in [true, false] {
            let text = welcome_of(None, printed);
            assert_eq!((text.contains("hunter2"), text.contains("rmb_key")), (printed, printed), "{text}");
            assert!(
                text.contains("vera") && (printed || text.contains("kept/operator") && text.contains("$(cat kept/agent-key)")),
                "{text}"
            );
        }
    }
}

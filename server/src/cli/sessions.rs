//! `remembrancer import-sessions`: captures the sessions that coding agents had before they were connected.
//!
//! A session goes the way of one that ends now. What was captured already is not captured again.

use super::connect::agrees;
use super::connect::hosts::Places;
use super::hook;
use super::hook::settings::{guard_words, is_off};
use super::host::Host;
use crate::Failure;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// How much of a file is read to find its session and folder, in bytes.
const HEAD: u64 = 1024 * 1024;

#[derive(Args)]
pub struct ImportSessions {
    /// The host of coding agents; without it, every one that keeps sessions in files
    host: Option<Host>,
    /// List the sessions, and capture nothing
    #[arg(long)]
    dry_run: bool,
    /// Capture without asking
    #[arg(long, conflicts_with = "dry_run")]
    yes: bool,
    /// How many sessions, the newest first; more than that would wait for the server
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=400), value_name = "SESSIONS")]
    newest: u32,
}

/// A session in a file.
#[derive(Debug, PartialEq)]
struct Session {
    host: Host,
    id: String,
    /// Where the agent worked.
    folder: PathBuf,
    file: PathBuf,
    bytes: u64,
    changed: SystemTime,
}

/// Lists the sessions of the hosts, asks, and has them captured.
///
/// # Errors
/// A sentence for each session that cannot be captured. The others are.
pub fn run(options: &ImportSessions) -> Result<(), Failure> {
    guard_words()?;
    let places = Places::of_this_user()?;
    let hosts = options.host.map_or_else(|| Host::value_variants().to_vec(), |host| vec![host]);
    let files: Vec<(Host, PathBuf)> =
        hosts.iter().flat_map(|host| files(*host, &places).into_iter().map(move |file| (*host, file))).collect();
    let mut sessions: Vec<Session> = files.iter().filter_map(|(host, file)| session(*host, file)).collect();
    let unread = files.len() - sessions.len();
    sessions.sort_by_key(|session| std::cmp::Reverse(session.changed));
    let older = sessions.split_off(sessions.len().min(usize::try_from(options.newest)?));
    for session in &sessions {
        let kilobytes = session.bytes.div_ceil(1024);
        println!("{}  {}  {}  {kilobytes} KiB", session.host.label(), session.folder.display(), session.id);
    }
    println!("{} sessions; {} older ones are left out, and {unread} files whose folder is gone or not named", sessions.len(), older.len());
    let Some(first) = sessions.first().filter(|_| !options.dry_run) else { return Ok(()) };
    if is_off() {
        return Err("REMEMBRANCER_HOOK is off, so nothing is captured".into());
    }
    if !(options.yes || agrees("Capture them?")?) {
        println!("nothing is captured");
        return Ok(());
    }
    let refused: Vec<String> =
        sessions.iter().filter_map(|session| Some(format!("{}: {}", session.file.display(), leave(session).err()?))).collect();
    if refused.len() < sessions.len() {
        hook::start_delivery(first.host)?;
        println!("{} sessions wait to be captured in the background; hook.log says what goes wrong", sessions.len() - refused.len());
    }
    if refused.is_empty() { Ok(()) } else { Err(refused.join("\n").into()) }
}

/// The files in which a host keeps its sessions.
fn files(host: Host, places: &Places) -> Vec<PathBuf> {
    let folder = host.folder(places);
    match host {
        // Files of helpers of an agent begin with "agent-".
        Host::ClaudeCode => below(&folder.join("projects"), 1, &|name| name.ends_with(".jsonl") && !name.starts_with("agent-")),
        Host::Codex => below(&folder.join("sessions"), 3, &|name| name.starts_with("rollout-") && name.ends_with(".jsonl")),
        Host::Gemini => below(&folder.join("tmp"), 2, &|name| {
            name.starts_with("session-") && [".json", ".jsonl"].iter().any(|ending| name.ends_with(ending))
        }),
        Host::Copilot => below(&folder.join("session-state"), 1, &|name| name == "events.jsonl"),
        // The files of the one do not say in which folder a session worked, and the other keeps sessions in a database.
        Host::Cursor | Host::OpenCode => Vec::new(),
    }
}

/// The files so many folders below a folder. What cannot be read is not there.
fn below(folder: &Path, depth: usize, fits: &dyn Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let paths = entries.map(|entry| entry.path());
    if depth > 0 {
        return paths.filter(|path| path.is_dir()).flat_map(|path| below(&path, depth - 1, fits)).collect();
    }
    paths.filter(|path| path.is_file() && path.file_name().and_then(|name| name.to_str()).is_some_and(fits)).collect()
}

/// The session of a file; none if it does not say in which folder, or if that is gone.
fn session(host: Host, file: &Path) -> Option<Session> {
    let (id, folder) = if host == Host::Gemini { first_value(file)? } else { first_lines(file)? };
    let about = fs::metadata(file).ok().filter(|_| folder.is_dir())?;
    // A fork begins with lines of the session that it came from.
    let id = if host == Host::ClaudeCode { file.file_stem()?.to_string_lossy().into_owned() } else { id };
    Some(Session { host, id, folder, file: file.to_owned(), bytes: about.len(), changed: about.modified().ok()? })
}

/// The session and folder that the first lines of a file name.
fn first_lines(file: &Path) -> Option<(String, PathBuf)> {
    let (mut id, mut folder) = (None, None);
    for line in BufReader::new(File::open(file).ok()?.take(HEAD)).lines().map_while(Result::ok) {
        let Ok(line) = serde_json::from_str::<Value>(&line) else { continue };
        let text = |paths: &[&str]| paths.iter().find_map(|path| line.pointer(path)?.as_str()).map(str::to_owned);
        id = id.or_else(|| text(&["/sessionId", "/payload/id", "/data/sessionId"]));
        folder = folder.or_else(|| text(&["/cwd", "/payload/cwd", "/data/context/cwd"]));
        if let (Some(id), Some(folder)) = (&id, &folder) {
            return Some((id.clone(), PathBuf::from(folder)));
        }
    }
    None
}

/// The session that the first value of a file names, and the folder that a file beside its folder names. Earlier versions of Gemini CLI
/// write one value, later ones write lines.
fn first_value(file: &Path) -> Option<(String, PathBuf)> {
    let root = fs::read_to_string(file.parent()?.with_file_name(".project_root")).ok()?;
    let mut values = serde_json::Deserializer::from_reader(BufReader::new(File::open(file).ok()?)).into_iter::<Value>();
    let session = values.next()?.ok()?;
    Some((session.get("sessionId")?.as_str()?.to_owned(), PathBuf::from(root.trim())))
}

/// Leaves a session, as a hook does when one ends.
fn leave(session: &Session) -> Result<(), Failure> {
    let (folder, file) = (session.folder.to_string_lossy(), session.file.to_string_lossy());
    hook::leave(session.host, json!({ "session_id": session.id, "cwd": folder, "transcript_path": file }))
}

#[cfg(test)]
mod tests {
    use super::super::connect::hosts::tests::places;
    use super::*;
    use tempfile::tempdir;

    #[test]
    fn sessions_are_found_with_their_folders() {
        let home = tempdir().unwrap();
        let harbour = home.path().join("harbour");
        let write = |name: &str, text: &str| {
            let path = home.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text.replace("FOLDER", &harbour.display().to_string())).unwrap();
        };
        write("harbour/README.md", "");
        let claude = "{\"type\":\"summary\",\"summary\":\"x\"}\nnot JSON\n{\"sessionId\":\"c1\",\"cwd\":\"FOLDER\",\"type\":\"user\"}\n";
        write(".claude/projects/-harbour/c1.jsonl", claude);
        write(".claude/projects/-harbour/fork.jsonl", claude);
        write(".claude/projects/-harbour/agent-1.jsonl", claude);
        write(".claude/projects/-gone/c2.jsonl", "{\"sessionId\":\"c2\",\"cwd\":\"/nowhere/at/all\"}\n");
        write(".codex/sessions/2026/11/28/rollout-1.jsonl", "{\"type\":\"session_meta\",\"payload\":{\"id\":\"x1\",\"cwd\":\"FOLDER\"}}\n");
        write(".gemini/tmp/harbour/chats/session-1.json", "{\"sessionId\":\"g1\",\"messages\":[]}");
        write(".gemini/tmp/harbour/chats/session-3.jsonl", "{\"sessionId\":\"g3\",\"kind\":\"main\"}\n{\"id\":\"m1\"}\nnot JSON\n");
        write(".gemini/tmp/harbour/.project_root", "FOLDER\n");
        write(".gemini/tmp/other/chats/session-2.json", "{\"sessionId\":\"g2\"}");
        write(
            ".copilot/session-state/p1/events.jsonl",
            "{\"type\":\"session.start\",\"data\":{\"sessionId\":\"p1\",\"context\":{\"cwd\":\"FOLDER\"}}}\n",
        );
        let places = places(home.path());
        let files: Vec<(Host, PathBuf)> =
            Host::value_variants().iter().flat_map(|host| files(*host, &places).into_iter().map(move |file| (*host, file))).collect();
        assert_eq!(files.len(), 8, "{files:?}");
        let sessions: Vec<Session> = files.iter().filter_map(|(host, file)| session(*host, file)).collect();
        let mut ids: Vec<&str> = sessions.iter().map(|session| session.id.as_str()).collect();
        ids.sort_unstable();
        assert_eq!(ids, ["c1", "fork", "g1", "g3", "p1", "x1"]);
        assert!(sessions.iter().all(|session| session.folder == harbour && session.bytes > 0));
    }
}

//! Programs, ports and processes.

use super::EmbeddedError;
use std::fs;
use std::io::{self, PipeReader, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs a program to its end; its output is reported only if it fails.
pub(super) fn run(command: &mut Command, name: &'static str) -> Result<String, EmbeddedError> {
    run_with(command, name, Stdio::null())
}

pub(super) fn run_with(command: &mut Command, name: &'static str, input: Stdio) -> Result<String, EmbeddedError> {
    let output = command.stdin(input).output().map_err(|e| EmbeddedError::Program { program: name, output: e.to_string() })?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    let output = format!("{} {}", String::from_utf8_lossy(&output.stderr).trim(), text.trim());
    Err(EmbeddedError::Program { program: name, output: output.trim().to_owned() })
}

/// A short text as the input of a program.
pub(super) fn piped(text: &str) -> io::Result<PipeReader> {
    let (reader, mut writer) = io::pipe()?;
    writer.write_all(text.as_bytes())?;
    Ok(reader)
}

pub(super) fn free_port() -> Result<u16, EmbeddedError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|l| l.local_addr());
    listener.map(|address| address.port()).map_err(EmbeddedError::Port)
}

pub(super) fn is_free(port: u16) -> bool {
    port != 0 && TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()
}

/// The state of a process that is Postgres, as `ps` writes it. A zombie has ended, even if nobody has collected its result yet.
fn state(pid: u32) -> Option<char> {
    let state = match fs::read_to_string(format!("/proc/{pid}/stat")) {
        // `pid (name) state …`
        Ok(stat) => stat.split_once("(postgres) ")?.1.chars().next(),
        Err(_) if has_proc() => None,
        Err(_) => ps(pid, "state=,comm=").filter(|line| line.ends_with("postgres"))?.chars().next(),
    };
    state.filter(|state| !matches!(state, 'Z' | 'X'))
}

fn has_proc() -> bool {
    Path::new("/proc/self/stat").exists()
}

fn ps(pid: u32, columns: &str) -> Option<String> {
    let output = Command::new("ps").args(["-ww", "-o", columns, "-p", &pid.to_string()]).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Whether a process of this number runs and is Postgres; numbers are given out again after a restart of the machine.
pub(super) fn is_postgres(pid: u32) -> bool {
    state(pid).is_some()
}

/// Whether a process is stopped by a signal: it takes connections and never answers.
pub(super) fn is_halted(pid: u32) -> bool {
    matches!(state(pid), Some('T' | 't'))
}

/// Whether a process is the first one of the Postgres that works in a folder.
pub(super) fn serves(pid: u32, data: &Path) -> bool {
    if !is_postgres(pid) {
        return false;
    }
    let command = match fs::read(format!("/proc/{pid}/cmdline")) {
        Ok(line) => String::from_utf8_lossy(&line).replace('\0', " "),
        Err(_) => ps(pid, "command=").unwrap_or_default(),
    };
    // The others write into their title what they do.
    let first = !command.starts_with("postgres: ");
    first && folder(pid).map_or_else(|| command.contains(&format!("-D {}", data.display())), |folder| folder == data)
}

/// Where a process works, if this can be seen.
fn folder(pid: u32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/cwd")).ok()
}

/// The Postgres that works in a folder, found among the running processes.
pub(super) fn server_of(data: &Path) -> Option<u32> {
    let numbers: Vec<u32> = match fs::read_dir("/proc") {
        Ok(entries) if has_proc() => entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect(),
        _ => {
            let output = Command::new("ps").args(["-axo", "pid="]).output().ok()?;
            String::from_utf8_lossy(&output.stdout).lines().filter_map(|line| line.trim().parse().ok()).collect()
        }
    };
    numbers.into_iter().find(|&pid| serves(pid, data))
}

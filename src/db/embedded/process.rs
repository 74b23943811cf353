//! Programs, ports and processes.

use super::EmbeddedError;
use super::owner::at;
use std::fs;
use std::io::{self, PipeReader, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
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
    listener.map(|address| address.port()).map_err(at(Path::new("a free port on 127.0.0.1")))
}

pub(super) fn is_free(port: u16) -> bool {
    port != 0 && TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()
}

/// Whether a process of this number runs and is Postgres; numbers are given out again after a restart of the machine.
pub(super) fn is_postgres(pid: u32) -> bool {
    if Path::new("/proc/self/stat").exists() {
        // `pid (name) state …`; a zombie has ended, even if nobody has collected its result yet.
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        return stat.split_once("(postgres) ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']));
    }
    let output = Command::new("ps").args(["-o", "comm=", "-p", &pid.to_string()]).output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).trim().ends_with("postgres"))
}

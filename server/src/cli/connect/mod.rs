//! `remembrancer connect`: writes the hooks and the MCP server into the configuration of the hosts of coding agents.

mod files;
pub mod hosts;
mod json;
mod tables;

use crate::Failure;
use crate::cli::hook::settings::Memory;
use crate::cli::host::Host;
use clap::{Args, ValueEnum};
use files::{Change, Written};
use hosts::Places;
use std::io::Write;

#[derive(Args)]
pub struct Connect {
    /// The host of coding agents
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    host: Option<Host>,
    /// Every host that is installed
    #[arg(long)]
    all: bool,
    /// Remove what this command wrote, and leave everything else as it is
    #[arg(long)]
    undo: bool,
    /// Write without asking
    #[arg(long)]
    yes: bool,
    /// Show the difference, and write nothing
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
}

/// Shows what changes, asks, and writes it.
///
/// # Errors
/// A sentence for each host whose files cannot be changed. The others are.
pub fn run(options: &Connect) -> Result<(), Failure> {
    let places = Places::of_this_user()?;
    let hosts = hosts(options, &places)?;
    let (changes, mut refused) = changes(&hosts, &places, options.undo);
    for change in changes.iter().flat_map(|(_, changes)| changes) {
        println!("{}", change.difference());
    }
    if changes.is_empty() && refused.is_empty() {
        println!("nothing to change");
    } else if options.dry_run || changes.is_empty() || !(options.yes || agrees("Write this?")?) {
        println!("nothing was written");
    } else {
        let mut written = Vec::new();
        for (host, changes) in &changes {
            match write(changes) {
                Ok(()) => written.push(*host),
                Err(error) => refused.push(format!("{}: {error}", host.label())),
            }
        }
        if !written.is_empty() {
            advise(&written, options.undo);
        }
    }
    if refused.is_empty() { Ok(()) } else { Err(refused.join("\n").into()) }
}

/// Writes the files of a host, and says what was done. If one of them cannot be written, the others become what they were.
fn write(changes: &[Change]) -> Result<(), Failure> {
    let mut done: Vec<(&Change, Written)> = Vec::new();
    for change in changes {
        match change.write() {
            Ok(written) => done.push((change, written)),
            Err(error) => {
                let left = done.iter().rev().filter_map(|(change, written)| change.take_back(written).err());
                let sentences: Vec<String> = [error].into_iter().chain(left).map(|error| error.to_string()).collect();
                return Err(sentences.join("\n").into());
            }
        }
    }
    for (_, written) in done {
        println!("{}", written.sentence);
    }
    Ok(())
}

/// Says what is to be done next.
fn advise(hosts: &[Host], undone: bool) {
    println!("restart what is running: hosts read their configuration when they start");
    if undone {
        return;
    }
    if hosts.contains(&Host::Codex) {
        println!("Codex runs new hooks after you allow them: type /hooks in it");
    }
    match Memory::of_this_user() {
        Ok(Memory::Own { data_dir, .. }) => println!("no server is set: hooks start one for you, with its data in {}", data_dir.display()),
        Ok(Memory::Server { .. }) => {}
        Err(error) => println!("there is no memory yet: {error}"),
    }
}

/// The host that was named, or those that are installed.
fn hosts(options: &Connect, places: &Places) -> Result<Vec<Host>, Failure> {
    let installed = || Host::value_variants().iter().copied().filter(|host| host.is_installed(places)).collect();
    let hosts: Vec<Host> = options.host.map_or_else(installed, |host| vec![host]);
    if hosts.is_empty() {
        let names: Vec<&str> = Host::value_variants().iter().map(|host| host.id()).collect();
        return Err(format!("no host was found; name one: {}", names.join(", ")).into());
    }
    Ok(hosts)
}

/// What changes in the files of each host, and a sentence for each host that is left out.
fn changes(hosts: &[Host], places: &Places, undo: bool) -> (Vec<(Host, Vec<Change>)>, Vec<String>) {
    let (mut changes, mut refused) = (Vec::new(), Vec::new());
    let change = if undo { Change::disconnecting } else { Change::connecting };
    for host in hosts {
        match host.files(places).iter().map(change).collect::<Result<Vec<_>, _>>() {
            Ok(found) => changes.push((*host, found.into_iter().flatten().collect::<Vec<_>>())),
            Err(error) => refused.push(format!("{}: {error}", host.label())),
        }
    }
    changes.retain(|(_, changes)| !changes.is_empty());
    (changes, refused)
}

/// Asks whoever sits at the terminal.
///
/// # Errors
/// When there is none to write to or to read from.
pub fn agrees(question: &str) -> Result<bool, Failure> {
    print!("{question} [y/N] ");
    std::io::stdout().flush()?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

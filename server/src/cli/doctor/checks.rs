//! What is well and what is not. Pure: everything that a check knows is in the facts.

use super::Finding;
use super::cache::cache;
use super::cluster::cluster;
use super::facts::{CHAIN_END, Facts, Inside};
use super::machine::Port;
use super::replica::replica;
use super::storage::{backup, disk};
use chrono::{DateTime, TimeDelta, Utc};
use db::{Contents, Events, Identity, Inspected, Outbox};
use foundation::registry::EmbeddingModel;

/// The oldest pgvector with half vectors and iterative scans.
const PGVECTOR: [u32; 2] = [0, 8];
/// How far clocks may differ before somebody should look, and before leases of jobs end too soon.
const CLOCKS: [TimeDelta; 2] = [TimeDelta::seconds(5), TimeDelta::seconds(30)];
/// How long a change may wait for its delivery, and a job for a worker.
const WAIT: TimeDelta = TimeDelta::minutes(10);
/// Texts that may lack a vector: those of the last seconds.
const LACKING: usize = 32;

/// Every finding, in the order in which they are read.
pub fn all(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    match &facts.databases {
        Err(sentence) => findings.push(Finding::sentence("database", sentence)),
        Ok(databases) => {
            for inspected in databases {
                findings.extend(of_database(inspected, facts.now));
            }
            findings.extend(connections(&facts.identities, facts.is_embedded));
            findings.extend(facts.replicas.iter().map(|(database, facts)| replica(database, facts)));
            findings.extend(of_inside(facts.inside.as_ref()));
        }
    }
    findings.extend(facts.disk.iter().map(disk));
    findings.extend(modes(facts));
    findings.extend(facts.ports.iter().map(|(setting, address, port)| listens(setting, address, port)));
    findings.extend(facts.provider.iter().map(provider));
    findings
}

fn of_database(Inspected { database, place, facts }: &Inspected, now: DateTime<Utc>) -> Vec<Finding> {
    let facts = match facts {
        Ok(facts) => facts,
        Err(sentence) => return vec![Finding::sentence("database", sentence)],
    };
    let version = &facts.version;
    if facts.is_old {
        let remedy = "upgrade Postgres to version 16 or newer";
        return vec![Finding::error("database", format!("{database}: Postgres {version} at {place} is too old"), remedy)];
    }
    if !facts.is_one_session {
        let remedy = "let DATABASE_URL lead to Postgres itself, or to a pool with pool_mode = session";
        let finding = format!("{database}: a pooler at {place} gives each transaction another session");
        return vec![Finding::error("database", finding, remedy)];
    }
    let mut findings = vec![
        Finding::ok("database", format!("{database}: Postgres {version} at {place}")),
        clock(database, facts.clock_ahead),
        migrations(database, facts),
    ];
    // The control database has no vectors.
    if *database != "internal_shared" {
        findings.push(extension(database, facts.vector.as_deref()));
    }
    findings.extend(roles(database, facts));
    findings.extend(facts.cluster.iter().flat_map(|one| cluster(database, one)));
    findings.extend(backup(database, facts.note.as_ref(), now));
    if let Some(contents) = &facts.contents {
        findings.extend(of_contents(database, contents, now));
    }
    findings
}

fn extension(database: &str, version: Option<&str>) -> Finding {
    let Some(version) = version else {
        let remedy = format!("run 'create extension vector' in the database of {database} as a superuser");
        return Finding::error("pgvector", format!("{database} lacks the extension vector"), remedy);
    };
    let parts: Vec<u32> = version.split('.').filter_map(|part| part.parse().ok()).collect();
    if parts.as_slice() < PGVECTOR.as_slice() {
        let remedy = "upgrade pgvector to 0.8 or newer, then run 'alter extension vector update'";
        return Finding::error("pgvector", format!("{database}: pgvector {version} is too old"), remedy);
    }
    Finding::ok("pgvector", format!("{database}: pgvector {version}"))
}

fn clock(database: &str, ahead: TimeDelta) -> Finding {
    let [look, wrong] = CLOCKS;
    let seconds = ahead.abs().num_seconds();
    let side = if ahead < TimeDelta::zero() { "behind" } else { "ahead of" };
    let finding = format!("{database}: the clock of Postgres is {seconds} s {side} that of this machine");
    let remedy = "let both machines set their clocks by NTP";
    match ahead.abs() {
        difference if difference < look => Finding::ok("clock", finding),
        difference if difference < wrong => Finding::warning("clock", finding, remedy),
        _ => Finding::error("clock", finding, remedy),
    }
}

fn migrations(database: &str, db::Facts { missing, unknown, changed, .. }: &db::Facts) -> Finding {
    if let Some(newest) = unknown.iter().max() {
        let finding = format!("{database} has migrations that this program does not know, up to {newest}");
        return Finding::error("migrations", finding, "start the program that made the database, or a newer one");
    }
    if let Some(oldest) = changed.iter().min() {
        let finding = format!("{database} was made by another build, whose migration {oldest} is not the same");
        let remedy = "start the program that made the database, or move with 'remembrancer export' of that one and 'import' of this one";
        return Finding::error("migrations", finding, remedy);
    }
    if missing.is_empty() {
        return Finding::ok("migrations", format!("{database} has every migration"));
    }
    let finding = format!("{database} lacks {} migrations of this program", missing.len());
    Finding::error("migrations", finding, "run 'remembrancer migrate', or start the server")
}

fn roles(database: &str, facts: &db::Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for role in &facts.roles {
        let name = &role.name;
        if !role.exists {
            findings.push(Finding::error("roles", format!("the role {name} does not exist"), "run 'remembrancer migrate'"));
        }
        if role.is_strong {
            let remedy = format!("run 'alter role {name} nosuperuser nobypassrls'");
            findings.push(Finding::error("roles", format!("row-level security does not bind the role {name}"), remedy));
        }
        if role.owns {
            let remedy = "run 'alter table … owner to …' with the user of DATABASE_URL for each table of this role";
            let finding = format!("{database}: the role {name} owns tables, whose policies do not bind it");
            findings.push(Finding::error("roles", finding, remedy));
        }
    }
    for (login, role) in &facts.untaken {
        findings.push(Finding::error("roles", format!("the role {login} cannot take the role {role}"), "run 'remembrancer migrate'"));
    }
    if findings.is_empty() {
        findings.push(Finding::ok("roles", format!("{database}: {} roles, bound by row-level security", facts.roles.len())));
    }
    findings
}

fn of_contents(database: &str, contents: &Contents, now: DateTime<Utc>) -> Vec<Finding> {
    let mut findings = vec![security(database, contents), indexes(database, &contents.invalid_indexes)];
    findings.extend(contents.stale_vectors.iter().map(|(model, count)| {
        let remedy = format!("run 'remembrancer model drop {model}', or 'remembrancer model add {model}' to use them");
        Finding::warning("vectors", format!("{database} has {count} vectors of {model}, which is not kept"), remedy)
    }));
    findings.extend(contents.outbox.as_ref().map(|lag| outbox(database, lag, now)));
    findings.extend(contents.events.as_ref().map(|work| events(database, work, now)));
    findings
}

fn security(database: &str, contents: &Contents) -> Finding {
    if !contents.exposed.is_empty() {
        let tables = contents.exposed.join(", ");
        let remedy = "run 'alter table … enable row level security' for each, and restore its policies from a backup of the schema";
        return Finding::error("tables", format!("{database}: row-level security is off or without policies for {tables}"), remedy);
    }
    if !contents.closed.is_empty() {
        let tables = contents.closed.join(", ");
        let finding = format!("{database}: a role of the server has no rights to {tables}");
        return Finding::error("tables", finding, "restore the rights from a backup of the schema");
    }
    Finding::ok("tables", format!("{database}: row-level security is in force for all {} tables of organisations", contents.tables))
}

fn indexes(database: &str, invalid: &[String]) -> Finding {
    if invalid.is_empty() {
        return Finding::ok("indexes", format!("{database}: every index is valid"));
    }
    let finding = format!("{database}: Postgres does not use {}, which were not finished", invalid.join(", "));
    Finding::warning("indexes", finding, "run 'reindex index concurrently …' for each")
}

/// How long ago a moment was, for people.
pub fn ago(moment: DateTime<Utc>, now: DateTime<Utc>) -> String {
    let minutes = (now - moment).num_minutes().max(0);
    match minutes {
        0..120 => format!("{minutes} minutes ago"),
        120..2880 => format!("{} hours ago", minutes / 60),
        _ => format!("{} days ago", minutes / 1440),
    }
}

fn outbox(database: &str, Outbox { waiting, oldest, set_aside }: &Outbox, now: DateTime<Utc>) -> Finding {
    if *set_aside > 0 {
        let remedy = "look for 'was set aside' in the log of the server, and at the column error of the table outbox";
        return Finding::error("outbox", format!("{database}: {set_aside} changes cannot be delivered"), remedy);
    }
    let since = oldest.map_or_else(String::new, |oldest| format!(", the oldest written {}", ago(oldest, now)));
    let finding = format!("{database}: {waiting} changes wait for delivery{since}");
    match oldest {
        Some(oldest) if now - *oldest > WAIT => Finding::warning("outbox", finding, "start the server or 'remembrancer worker'"),
        _ => Finding::ok("outbox", finding),
    }
}

fn events(database: &str, Events { open, oldest, due, dead }: &Events, now: DateTime<Utc>) -> Finding {
    let since = oldest.map_or_else(String::new, |oldest| format!(", the oldest requested {}", ago(oldest, now)));
    let finding = format!("{database}: {open} jobs are open{since}; {dead} gave up");
    if due.is_some_and(|due| now - due > WAIT) {
        return Finding::warning("jobs", finding, "start the server or 'remembrancer worker': a job is due that no worker takes");
    }
    if *dead > 0 {
        return Finding::warning("jobs", finding, "open the page Events of the console: it says why, and retries them");
    }
    Finding::ok("jobs", finding)
}

fn connections(identities: &[(&'static str, Result<Identity, String>)], is_embedded: bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (database, identity) in identities {
        match identity {
            Err(sentence) => findings.push(Finding::sentence("connections", format!("{database}: {sentence}"))),
            Ok(Identity { login, login_is_super: true, role }) if !is_embedded => {
                let finding = format!("{database}: transactions work as {role}, but the login {login} is a superuser");
                let remedy = "give the roles logins of their own: APP_DATABASE_URL and SYSTEM_DATABASE_URL (docs/operations.md)";
                findings.push(Finding::warning("connections", finding, remedy));
            }
            Ok(Identity { login, role, .. }) => {
                findings.push(Finding::ok("connections", format!("{database}: the login {login} works as {role}")));
            }
        }
    }
    findings
}

fn of_inside(inside: Option<&Result<Inside, String>>) -> Vec<Finding> {
    let inside = match inside {
        Some(Ok(inside)) => inside,
        Some(Err(sentence)) => return vec![Finding::sentence("model", sentence)],
        None => {
            let finding = "the model, its vectors and the audit log were not looked at";
            return vec![Finding::warning("model", finding, "repair the errors above, then run 'remembrancer doctor' again")];
        }
    };
    let mut findings = vec![thresholds(&inside.model)];
    findings.extend(model(inside));
    findings.push(cache(&inside.cache));
    findings.push(chains(inside));
    findings
}

fn model(Inside { model, is_local, lacking, .. }: &Inside) -> Vec<Finding> {
    let EmbeddingModel { name, dimension, .. } = model;
    let lacking = match lacking {
        Ok(lacking) => *lacking,
        Err(sentence) => return vec![Finding::sentence("model", format!("{name}: {sentence}"))],
    };
    let tried = if *is_local { "is loaded and gives vectors" } else { "runs outside and was not asked" };
    let vectors = match lacking {
        0..=LACKING => Finding::ok("vectors", format!("{lacking} texts lack a vector of {name}")),
        _ => {
            let remedy = "let a server or 'remembrancer worker' run: it fills them in ('remembrancer model list' shows how far it is)";
            Finding::warning("vectors", format!("{lacking} texts lack a vector of {name} and are found by their words only"), remedy)
        }
    };
    vec![Finding::ok("model", format!("{name} with {dimension} dimensions {tried}")), vectors]
}

fn thresholds(model: &EmbeddingModel) -> Finding {
    let EmbeddingModel { name, dedup_threshold, suggestion_threshold, related_threshold, term_threshold, floors, .. } = model;
    let falling = [1.0, *dedup_threshold, *suggestion_threshold, *related_threshold, 0.0];
    let in_order = falling.windows(2).all(|pair| pair[0] > pair[1]);
    let in_range = [*term_threshold, floors.vector, floors.lexical].iter().all(|value| (0.0..1.0).contains(value));
    let finding = format!(
        "{name}: same {dedup_threshold}, similar {suggestion_threshold}, related {related_threshold}, terms {term_threshold}, floors {} by \
         meaning and {} by words",
        floors.vector, floors.lexical
    );
    if in_order && in_range {
        return Finding::ok("thresholds", finding);
    }
    let remedy = "correct the row in the table models: each is between 0 and 1, and same > similar > related (docs/models.md)";
    Finding::error("thresholds", finding, remedy)
}

fn chains(Inside { chains, entries, faults, .. }: &Inside) -> Finding {
    if faults.is_empty() {
        return Finding::ok("audit", format!("{entries} entries of {chains} chains are intact: the last {CHAIN_END} of each"));
    }
    let faults: Vec<_> = faults.iter().map(|(slug, fault)| format!("{slug}: {fault}")).collect();
    Finding::error("audit", faults.join("; "), "run 'remembrancer audit verify' with an anchor that you kept, and compare with a backup")
}

fn modes(facts: &Facts) -> Vec<Finding> {
    let open = facts.private.iter().filter(|private| private.mode & private.forbidden != 0);
    let findings: Vec<_> = open
        .map(|private| {
            let (path, closed) = (private.path.display(), private.mode & !private.forbidden);
            let finding = format!("other users may read {path} (mode {:o})", private.mode);
            Finding::error("files", finding, format!("run 'chmod {closed:o} {path}', and change what it holds if others could read it"))
        })
        .collect();
    match facts.private.len() {
        _ if !findings.is_empty() => findings,
        0 => Vec::new(),
        files => vec![Finding::ok("files", format!("{files} files and folders with secrets or data are closed to other users"))],
    }
}

fn listens(setting: &str, address: &str, port: &Port) -> Finding {
    match port {
        Port::Free => Finding::ok("ports", format!("{setting} {address} is free: no server runs")),
        Port::Ours => Finding::ok("ports", format!("{setting} {address} is served by Remembrancer")),
        Port::Taken(why) => Finding::error("ports", format!("{setting} {address}: {why}"), format!("set {setting} to another address")),
    }
}

fn provider(answer: &Result<(), String>) -> Finding {
    match answer {
        Ok(()) => Finding::ok("provider", "the provider of OPENAI_BASE_URL answers (no key and no text was sent)"),
        Err(reason) => Finding::error(
            "provider",
            format!("the provider of OPENAI_BASE_URL does not answer: {reason}"),
            "correct OPENAI_BASE_URL, or the network",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::super::cache::Cache;
    use super::super::machine::{Disk, Private};
    use super::super::storage::GIB;
    use super::*;
    use db::RoleFacts;
    use foundation::registry::Floors;
    use std::path::PathBuf;

    fn now() -> DateTime<Utc> {
        "2026-11-28T09:00:00Z".parse().unwrap()
    }

    fn role() -> RoleFacts {
        RoleFacts { name: "rmb_app".into(), exists: true, is_strong: false, owns: false }
    }

    fn database(change: impl FnOnce(&mut db::Facts)) -> Vec<Finding> {
        let mut facts = db::Facts {
            version: "18.1".into(),
            vector: Some("0.8.5".into()),
            is_one_session: true,
            roles: vec![role()],
            contents: Some(Contents {
                tables: 39,
                outbox: Some(Outbox::default()),
                events: Some(Events::default()),
                ..Contents::default()
            }),
            ..db::Facts::default()
        };
        change(&mut facts);
        of_database(&Inspected { database: "agent_memory", place: "db.example.org:5432".into(), facts: Ok(facts) }, now())
    }

    fn contents(change: impl FnOnce(&mut Contents)) -> Vec<Finding> {
        database(|facts| change(facts.contents.as_mut().unwrap()))
    }

    fn inside() -> Inside {
        let model = EmbeddingModel {
            name: "multilingual-e5-small".into(),
            dimension: 384,
            dedup_threshold: 0.93,
            suggestion_threshold: 0.75,
            related_threshold: 0.6,
            term_threshold: 0.5,
            floors: Floors { vector: 0.28, lexical: 0.2 },
        };
        let cache = Cache { room: 1, is_of_cluster: false, from: 1_000, agents: vec![] };
        Inside { model, is_local: true, lacking: Ok(0), chains: 1, entries: 12, faults: vec![], cache }
    }

    fn healthy() -> Facts {
        let identity = Identity { login: "remembrancer_app".into(), login_is_super: false, role: "rmb_app".into() };
        Facts {
            now: now(),
            is_embedded: false,
            databases: Ok(vec![]),
            identities: vec![("agent_memory", Ok(identity))],
            replicas: vec![],
            inside: Some(Ok(inside())),
            provider: Some(Ok(())),
            ports: vec![("LISTEN_ADDR", "127.0.0.1:3000".into(), Port::Ours)],
            disk: Some(Ok(Disk { folder: PathBuf::from("/data"), free: 100 * GIB, total: 200 * GIB })),
            private: vec![Private { path: PathBuf::from("/data/operator"), forbidden: 0o077, mode: 0o600 }],
        }
    }

    /// The one finding of a list that is not well: its check, its level and its words.
    fn bad(findings: Vec<Finding>) -> (&'static str, Level, String) {
        let mut bad: Vec<_> = findings.into_iter().filter(|finding| finding.level != Level::Ok).collect();
        let Finding { check, level, finding, remedy } = bad.pop().unwrap();
        assert!(bad.is_empty(), "{bad:?}");
        (check, level, format!("{finding} → {}", remedy.unwrap_or_default()))
    }

    fn expect(findings: Vec<Finding>, check: &str, level: Level, words: &str) {
        let found = bad(findings);
        assert!((found.0, found.1) == (check, level) && found.2.contains(words), "{found:?}");
    }

    #[test]
    fn a_healthy_installation_has_no_bad_finding() {
        let findings = [database(|_| {}), all(&healthy())].concat();
        assert!(findings.len() > 15 && findings.iter().all(|finding| finding.level == Level::Ok), "{findings:?}");
    }

    #[test]
    fn a_database_that_cannot_work_is_an_error_with_what_to_do() {
        use Level::{Error, Warning};
        expect(database(|facts| facts.is_old = true), "database", Error, "version 16");
        expect(database(|facts| facts.is_one_session = false), "database", Error, "pool_mode = session");
        expect(database(|facts| facts.vector = None), "pgvector", Error, "create extension vector");
        expect(database(|facts| facts.vector = Some("0.7.4".into())), "pgvector", Error, "alter extension vector update");
        expect(database(|facts| facts.clock_ahead = TimeDelta::seconds(-10)), "clock", Warning, "10 s behind");
        expect(database(|facts| facts.clock_ahead = TimeDelta::seconds(45)), "clock", Error, "45 s ahead");
        expect(database(|facts| facts.missing = vec![7]), "migrations", Error, "remembrancer migrate");
        expect(database(|facts| facts.unknown = vec![8, 9]), "migrations", Error, "up to 9");
        expect(database(|facts| facts.changed = vec![7]), "migrations", Error, "another build, whose migration 7");
        let strong = RoleFacts { is_strong: true, ..role() };
        expect(database(|facts| facts.roles = vec![strong]), "roles", Error, "alter role rmb_app nosuperuser nobypassrls");
        let absent = RoleFacts { exists: false, ..role() };
        expect(database(|facts| facts.roles = vec![absent]), "roles", Error, "remembrancer migrate");
        expect(database(|facts| facts.roles = vec![RoleFacts { owns: true, ..role() }]), "roles", Error, "owns tables");
        expect(database(|facts| facts.untaken = vec![("rmb_app".into(), "rmb_operator".into())]), "roles", Error, "rmb_operator");
    }

    #[test]
    fn what_is_wrong_inside_a_database_is_named() {
        use Level::{Error, Warning};
        let long_ago = Some(now() - TimeDelta::hours(3));
        expect(contents(|inside| inside.exposed = vec!["sources".into()]), "tables", Error, "sources");
        expect(contents(|inside| inside.closed = vec!["sources".into()]), "tables", Error, "has no rights to sources");
        expect(contents(|inside| inside.invalid_indexes = vec!["sources_pkey".into()]), "indexes", Warning, "reindex index concurrently");
        expect(contents(|inside| inside.stale_vectors = vec![("old".into(), 3)]), "vectors", Warning, "remembrancer model drop old");
        let late = Outbox { waiting: 2, oldest: long_ago, set_aside: 0 };
        expect(contents(|inside| inside.outbox = Some(late)), "outbox", Warning, "the oldest written 3 hours ago");
        expect(
            contents(|inside| inside.outbox = Some(Outbox { set_aside: 1, ..Outbox::default() })),
            "outbox",
            Error,
            "cannot be delivered",
        );
        expect(contents(|inside| inside.events = Some(Events { due: long_ago, ..Events::default() })), "jobs", Warning, "no worker takes");
        expect(contents(|inside| inside.events = Some(Events { dead: 2, ..Events::default() })), "jobs", Warning, "2 gave up");
    }

    #[test]
    fn what_is_wrong_outside_the_databases_is_named() {
        use Level::{Error, Warning};
        let login = Identity { login: "postgres".into(), login_is_super: true, role: "rmb_app".into() };
        let inside_with = |change: fn(&mut Inside)| {
            let mut inside = inside();
            change(&mut inside);
            Some(Ok(inside))
        };
        let open = Private { path: PathBuf::from("/data/operator"), forbidden: 0o077, mode: 0o644 };
        let disk = |free| Some(Ok(Disk { folder: PathBuf::from("/data"), free, total: 200 * GIB }));
        let taken = Port::Taken("another program uses it".into());
        for (facts, check, level, words) in [
            (Facts { databases: Err("there is no database in /data".into()), ..healthy() }, "database", Error, "/data"),
            (Facts { identities: vec![("shared_kb", Ok(login.clone()))], ..healthy() }, "connections", Warning, "APP_DATABASE_URL"),
            (Facts { identities: vec![("shared_kb", Err("it is refused".into()))], ..healthy() }, "connections", Error, "it is refused"),
            (Facts { inside: None, ..healthy() }, "model", Warning, "not looked at"),
            (Facts { inside: inside_with(|inside| inside.lacking = Err("no file".into())), ..healthy() }, "model", Error, "no file"),
            (Facts { inside: inside_with(|inside| inside.lacking = Ok(33)), ..healthy() }, "vectors", Warning, "33 texts"),
            (Facts { inside: inside_with(|inside| inside.model.related_threshold = 0.8), ..healthy() }, "thresholds", Error, "models"),
            (Facts { inside: inside_with(|inside| inside.model.floors.vector = 1.5), ..healthy() }, "thresholds", Error, "models"),
            (
                Facts { inside: inside_with(|inside| inside.faults = vec![("acme".into(), "cut".into())]), ..healthy() },
                "audit",
                Error,
                "acme: cut",
            ),
            (Facts { disk: disk(3 * GIB), ..healthy() }, "disk", Warning, "3.0 of 200.0 GiB"),
            (Facts { disk: disk(GIB / 4), ..healthy() }, "disk", Error, "free space"),
            (Facts { private: vec![open], ..healthy() }, "files", Error, "chmod 600 /data/operator"),
            (Facts { ports: vec![("LISTEN_ADDR", "127.0.0.1:3000".into(), taken)], ..healthy() }, "ports", Error, "set LISTEN_ADDR"),
            (Facts { provider: Some(Err("timed out".into())), ..healthy() }, "provider", Error, "timed out"),
        ] {
            expect(all(&facts), check, level, words);
        }
        let own = Facts { identities: vec![("shared_kb", Ok(login))], is_embedded: true, ..healthy() };
        assert!(all(&own).iter().all(|finding| finding.level == Level::Ok), "the embedded Postgres has one login");
    }
}

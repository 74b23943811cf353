//! What is well and what is not with the replica of a database.

use super::Finding;
use db::ReplicaFacts;

/// Bytes of the log that a replica may lack before somebody should look.
const BEHIND: i64 = 64 * 1024 * 1024;

/// The finding about a replica, or about why nothing is read from it. Nothing depends on it: the primary answers in its place.
pub fn replica(database: &str, facts: &Result<ReplicaFacts, String>) -> Finding {
    match facts {
        Err(reason) => {
            let remedy = "repair it, or correct READ_DATABASE_URL: until then the primary answers in its place";
            Finding::warning("replica", format!("{database}: the replica is not read: {reason}"), remedy)
        }
        Ok(ReplicaFacts { bytes_behind, .. }) if *bytes_behind > BEHIND => {
            let finding = format!("{database}: the replica is {} MiB of the log behind", bytes_behind / (1024 * 1024));
            Finding::warning("replica", finding, "look at pg_stat_replication of the primary: a replica that lags is not read")
        }
        Ok(ReplicaFacts { has_feedback: false, .. }) => {
            let finding = format!("{database}: the replica may cancel a read, which the primary then repeats");
            Finding::warning("replica", finding, "set hot_standby_feedback = on there (docs/growing.md)")
        }
        Ok(ReplicaFacts { bytes_behind, .. }) => {
            Finding::ok("replica", format!("{database}: the replica is {} KiB of the log behind", bytes_behind / 1024))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn what_is_wrong_with_a_replica_is_named_with_what_to_do() {
        let facts = |has_feedback, bytes_behind| Ok(ReplicaFacts { has_feedback, bytes_behind });
        for (facts, level, words) in [
            (facts(true, 2048), Level::Ok, "2 KiB of the log behind"),
            (facts(true, 65 << 20), Level::Warning, "65 MiB of the log behind"),
            (facts(false, 0), Level::Warning, "hot_standby_feedback = on"),
            (Err("it does not answer".to_owned()), Level::Warning, "is not read: it does not answer"),
        ] {
            let found = replica("agent_memory", &facts);
            let text = format!("{} {}", found.finding, found.remedy.unwrap_or_default());
            assert_eq!(found.level, level, "{text}");
            assert!(text.contains(words), "{text}");
        }
    }
}

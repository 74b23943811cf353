//! What is well and what is not with the cluster of a database.

use super::Finding;
use db::distributed::{Cluster, NodeFacts};

/// Of a hundred statements, how many may run on several shards: those of metrics, of claims and of sweeps do.
const SEVERAL: i64 = 50;

/// The findings about the cluster of a database that has Citus.
pub fn cluster(database: &str, cluster: &Cluster) -> Vec<Finding> {
    let Cluster { version, is_distributed, is_begun, local, nodes, statements } = cluster;
    let mut findings = Vec::new();
    if *is_begun {
        let finding = format!("{database}: tables are distributed in part, and no server starts");
        findings.push(Finding::error("cluster", finding, "stop every server, then run 'remembrancer distribute' again"));
    } else if !is_distributed {
        let finding = format!("{database}: Citus {version} is there, and the tables are on the coordinator alone");
        findings.push(Finding::warning("cluster", finding, "run 'remembrancer distribute' to use the workers"));
    } else if !local.is_empty() {
        let finding = format!("{database}: these tables are on the coordinator alone: {}", local.join(", "));
        findings.push(Finding::error("cluster", finding, "run 'remembrancer distribute'"));
    }
    findings.extend(nodes.iter().map(|one| node(database, one)));
    if let Some((one, several)) = statements {
        let share = several.saturating_mul(100) / one.saturating_add(*several).max(1);
        let finding = format!("{database}: Citus {version}; {share} % of the statements ran on several shards");
        findings.push(if share > SEVERAL {
            let remedy = "look for the statements in pg_stat_statements; the program's own name their tenant (docs/growing.md)";
            Finding::warning("cluster", finding, remedy)
        } else {
            Finding::ok("cluster", finding)
        });
    }
    findings
}

fn node(database: &str, NodeFacts { node, is_active, shards, alone, bytes }: &NodeFacts) -> Finding {
    if !is_active {
        let remedy = format!("start it, or run 'select citus_activate_node(…)' for {node} in the database of {database}");
        return Finding::error("cluster", format!("{database}: the worker {node} is not active"), remedy);
    }
    match bytes {
        None => {
            let finding = format!("{database}: the worker {node} does not answer; its tenants are not served");
            Finding::error("cluster", finding, "start it, or bring its standby into its place")
        }
        Some(bytes) => {
            let mebibytes = bytes / (1024 * 1024);
            Finding::ok("cluster", format!("{database}: the worker {node} has {shards} shards, {alone} of one tenant, {mebibytes} MiB"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    fn healthy() -> Cluster {
        let node = NodeFacts { node: "db-2:5432".into(), is_active: true, shards: 16, alone: 1, bytes: Some(3 << 20) };
        Cluster {
            version: "14.0-1".into(),
            is_distributed: true,
            is_begun: false,
            local: vec![],
            nodes: vec![node],
            statements: Some((98, 2)),
        }
    }

    fn bad(change: impl FnOnce(&mut Cluster)) -> (Level, String) {
        let mut facts = healthy();
        change(&mut facts);
        let worst = cluster("agent_memory", &facts).into_iter().max_by_key(|finding| finding.level).unwrap();
        (worst.level, format!("{} {}", worst.finding, worst.remedy.unwrap_or_default()))
    }

    #[test]
    fn a_healthy_cluster_names_its_workers_and_their_sizes() {
        let findings = cluster("agent_memory", &healthy());
        assert!(findings.iter().all(|finding| finding.level == Level::Ok));
        assert!(findings[0].finding.contains("db-2:5432 has 16 shards, 1 of one tenant, 3 MiB"), "{}", findings[0].finding);
        assert!(findings[1].finding.contains("2 % of the statements"), "{}", findings[1].finding);
    }

    #[test]
    fn one_fault_hides_no_other() {
        let changes: [fn(&mut Cluster); 2] =
            [|facts| (facts.is_distributed, facts.is_begun) = (false, true), |facts| facts.local = vec!["skills".into()]];
        for change in changes {
            let mut facts = healthy();
            change(&mut facts);
            facts.nodes[0].bytes = None;
            let findings = cluster("agent_memory", &facts);
            assert_eq!(findings.iter().filter(|finding| finding.level == Level::Error).count(), 2, "{}", findings[0].finding);
        }
    }

    #[test]
    fn what_is_wrong_with_a_cluster_is_named_with_what_to_do() {
        let cases = [
            (bad(|facts| (facts.is_distributed, facts.is_begun) = (false, true)), Level::Error, "run 'remembrancer distribute' again"),
            (bad(|facts| facts.is_distributed = false), Level::Warning, "to use the workers"),
            (bad(|facts| facts.local = vec!["skills".into()]), Level::Error, "coordinator alone: skills"),
            (bad(|facts| facts.nodes[0].is_active = false), Level::Error, "citus_activate_node"),
            (bad(|facts| facts.nodes[0].bytes = None), Level::Error, "does not answer"),
            (bad(|facts| facts.statements = Some((1, 9))), Level::Warning, "90 %"),
        ];
        for ((level, text), expected, words) in cases {
            assert_eq!(level, expected, "{text}");
            assert!(text.contains(words), "{text}");
        }
    }
}

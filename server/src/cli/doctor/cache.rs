//! Whether the recall cache has room for the agents that it is for. Pure, as the other checks.

use super::Finding;

const MIB: usize = 1024 * 1024;

/// The recall cache, and what it would have to hold.
pub struct Cache {
    /// `RECALL_CACHE_MB`, in bytes.
    pub room: usize,
    /// Whether recalls search the database although there is room.
    pub is_of_cluster: bool,
    /// The cache is for agents with so many memories or more.
    pub from: i64,
    pub agents: Vec<Packed>,
}

/// An agent that the cache is for.
pub struct Packed {
    /// Its organisation and its slug.
    pub name: String,
    /// About how many bytes its memories take.
    pub bytes: usize,
    /// The same with those of the commons, which its recalls search, too.
    pub with_commons: usize,
}

pub fn cache(Cache { room, is_of_cluster, from, agents }: &Cache) -> Finding {
    let mib = |bytes: usize| bytes.div_ceil(MIB);
    if *room == 0 {
        return Finding::ok("cache", "the recall cache is off (RECALL_CACHE_MB is 0): recalls search the database");
    }
    if *is_of_cluster {
        return Finding::ok("cache", "the recall cache is off on a cluster: recalls search the database");
    }
    let Some(largest) = agents.iter().max_by_key(|agent| agent.with_commons) else {
        return Finding::ok("cache", format!("no agent has {from} memories yet, from which the recall cache works"));
    };
    let all = mib(agents.iter().map(|agent| agent.bytes).sum());
    let finding = format!("agents with {from} memories or more: {}, packed {all} MiB of {} (RECALL_CACHE_MB)", agents.len(), mib(*room));
    if largest.with_commons > *room {
        let remedy = format!("raise RECALL_CACHE_MB to {}, or recalls of this agent search the database", mib(largest.with_commons));
        return Finding::warning("cache", format!("{finding}; {} does not fit", largest.name), remedy);
    }
    Finding::ok("cache", finding)
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn an_agent_that_does_not_fit_is_named_with_the_size_that_it_needs() {
        let packed = |name: &str, mib| Packed { name: name.into(), bytes: mib * MIB, with_commons: (mib + 10) * MIB };
        let of = |room: usize, is_of_cluster, agents| cache(&Cache { room: room * MIB, is_of_cluster, from: 1_000, agents });
        let two = || vec![packed("acme/atlas", 50), packed("acme/binky", 90)];
        for (finding, level, words) in [
            (of(0, false, two()), Level::Ok, "off (RECALL_CACHE_MB is 0)"),
            (of(128, true, two()), Level::Ok, "off on a cluster"),
            (of(128, false, vec![]), Level::Ok, "no agent has 1000 memories"),
            (of(128, false, two()), Level::Ok, "memories or more: 2, packed 140 MiB of 128 (RECALL_CACHE_MB)"),
            (of(99, false, two()), Level::Warning, "acme/binky does not fit → raise RECALL_CACHE_MB to 100,"),
        ] {
            let text = format!("{} → {}", finding.finding, finding.remedy.as_deref().unwrap_or_default());
            assert!(finding.level == level && text.contains(words), "{text}");
        }
    }
}

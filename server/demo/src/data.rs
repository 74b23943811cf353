//! The memories and recalls of the demo's agents. Everybody in them is invented.

use wire::MemoryKind::{self, Artifact, Decision, Episode, Profile, Project, TaskHint};
use wire::Relation;

/// One thing to remember.
pub struct Memory {
    pub agent: &'static str,
    pub minutes_ago: i64,
    pub topic: &'static str,
    pub content: &'static str,
    pub platform: &'static str,
    pub channel: &'static str,
    pub kind: MemoryKind,
    /// True: it belongs to the commons.
    pub shared: bool,
    /// True: it is forgotten again later.
    pub forgotten: bool,
}

/// Two memories of one agent that it relates to each other, by their content.
pub struct Linked {
    pub agent: &'static str,
    pub minutes_ago: i64,
    pub from: &'static str,
    pub relation: Relation,
    pub to: &'static str,
}

/// Canonical terms: term, definition, aliases.
pub const TERMS: &[(&str, &str, &[&str])] = &[
    ("staging database", "The Postgres that every branch deploys against", &["staging db", "stage-db"]),
    ("release approval", "Who says that a release may go out", &["release sign-off", "go/no-go"]),
    ("terraform", "How infrastructure is described and changed", &["tf", "infra-as-code"]),
    ("on-call", "Who answers the pager this week", &["pager duty", "oncall rota"]),
    ("design review", "The meeting in which a design is questioned before it is built", &["architecture review"]),
    ("customer interview", "A conversation with somebody who uses what we make", &["user interview"]),
];

/// Age of the organisation, in minutes: nothing is older.
pub const FOUNDED: i64 = 90_000;

/// Recalls: age in minutes, query, and whether the agent expected a hit.
pub const RECALLS: &[(i64, &str, bool)] = &[
    (38_420, "staging database", false),
    (36_101, "Who approves releases?", true),
    (33_870, "parental leave policy", true),
    (31_553, "Which queue do background jobs use?", false),
    (28_804, "What does Vera think of Terraform?", false),
    (27_330, "salary bands for engineers", true),
    (25_912, "How is the knowledge graph stored?", true),
    (23_040, "on-call", false),
    (21_667, "chess openings", false),
    (20_250, "design review", false),
    (18_744, "parental leave policy", true),
    (17_281, "go/no-go", true),
    (15_860, "the printer on the third floor", false),
    (14_411, "What depends on the ledger?", false),
    (12_975, "customer interview", true),
    (11_530, "holiday in Norway", false),
    (10_086, "staging database password rotation", true),
    (8_640, "Who looks after incidents at night?", true),
    (7_204, "salary bands for engineers", true),
    (5_761, "release approval", false),
    (4_317, "Why Rust for services?", false),
    (2_878, "birthday cake recipes", false),
    (1_441, "infra-as-code", true),
    (602, "the printer on the third floor", true),
    (90, "lunch on Fridays", false),
];

/// Memories, oldest first.
pub const MEMORIES: &[Memory] = &[
    private("atlas", 83881, "Vera prefers Terraform", "slack", "C-infra", Profile)
        .says("Vera wants every piece of infrastructure managed by Terraform; nothing is clicked together in a web console."),
    private("atlas", 82264, "staging db", "drive", "D-runbook", Project)
        .says("The staging database runs on pg-stage-2; it is rebuilt from an anonymised copy every Sunday night."),
    private("atlas", 81074, "meeting notes style", "drive", "D-notes", Profile)
        .says("Idris likes meeting notes as five bullets at most, decisions first, names in bold."),
    private("atlas", 79896, "quarterly planning", "drive", "D-planning", Project)
        .says("Planning for the next quarter starts in the second week of the last month; drafts live in the planning folder."),
    shared("binky", 77839, "release sign-off", "slack", "C-release", Decision)
        .says("Mina approves every release to production; without her, Idris does."),
    private("atlas", 74984, "Mina's time zone", "slack", "C-team", Profile)
        .says("Mina works from Lisbon and is not reachable before 9:00 Western European Time."),
    private("atlas", 72578, "customer interview", "drive", "D-research", Project)
        .says("Five interviews with clinics are planned; the question guide was approved by Vera."),
    private("binky", 70686, "changelog tone", "slack", "C-release", Profile)
        .says("The changelog speaks to users, in the present tense, without ticket numbers."),
    shared("atlas", 68084, "database choice", "drive", "D-adr", Decision)
        .says("We use Postgres with JSONB for the knowledge graph; a graph database was considered and put off."),
    shared("atlas", 66866, "database choice", "drive", "D-adr", Decision)
        .says("The knowledge graph stays in Postgres; a dedicated graph store is looked at again when traversals exceed four hops."),
    private("binky", 63449, "hotfix procedure", "slack", "C-release", Project)
        .says("A hotfix branches from the released tag, is reviewed by two people and is merged back the same day."),
    forgotten("atlas", 62469, "Idris' sister", "slack", "C-team", Profile).says("Idris mentioned that his sister had an operation."),
    shared("atlas", 59289, "travel policy", "drive", "D-policies", Project)
        .says("Trains are preferred below five hours; flights need Vera's word."),
    shared("binky", 57668, "release calendar", "slack", "C-release", Decision)
        .says("Releases go out on Tuesdays and Thursdays before noon, never on a Friday."),
    private("atlas", 54838, "on-call", "slack", "C-ops", Project)
        .says("Idris has the pager this week; the rota is in the operations sheet."),
    private("atlas", 53754, "error budget", "drive", "D-slo", Project)
        .says("The error budget of the search service is 0.1 % a month; September used two thirds of it."),
    private("binky", 50858, "flaky tests", "slack", "C-build", Project)
        .says("The upload tests fail when the clock crosses midnight in UTC; quarantine is not allowed, they are being rewritten."),
    private("atlas", 49061, "Vera's report", "email", "inbox-vera", Profile)
        .says("Vera wants the weekly report on Monday before ten, one page, risks on top."),
    private("atlas", 47796, "supplier contract", "email", "inbox-contracts", Project)
        .says("The contract with the translation supplier ends in March and renews itself unless cancelled in January."),
    private("binky", 44762, "build cache", "slack", "C-build", Project)
        .says("The build cache is cleared with every compiler update; a cold build takes about half an hour."),
    shared("atlas", 43794, "accessibility", "drive", "D-design", Decision)
        .says("New pages are checked with a screen reader before review; contrast is measured in both themes."),
    private("atlas", 42224, "design review", "slack", "C-design", Project)
        .says("Design reviews happen on Wednesdays at two; the document is sent out the day before."),
    shared("atlas", 40410, "naming of agents", "slack", "C-team", Artifact)
        .says("Agents are named by the team that owns them; atlas belongs to projects, binky to releases."),
    shared("binky", 39489, "version numbers", "slack", "C-release", Decision)
        .says("Version numbers follow the calendar: year, month, patch."),
    private("atlas", 37596, "incident of 12 October", "drive", "D-incidents", Episode)
        .says("The search outage came from a migration that held a lock for nine minutes; migrations now set a lock timeout."),
    shared("atlas", 36258, "migration rules", "drive", "D-runbook", Decision)
        .says("Every migration sets a lock timeout and is tried on a copy of production first."),
    forgotten("atlas", 35235, "Mina's coffee", "slack", "C-team", Profile).says("Mina takes her coffee without milk."),
    shared("binky", 33792, "rollback", "slack", "C-release", Decision)
        .says("A rollback is a new release of the previous tag; the database only ever moves forward."),
    private("atlas", 32306, "hiring plan", "drive", "D-people", Project)
        .says("Two engineers and one designer are to be hired before summer; the first interviews are in January."),
    private("atlas", 30333, "Idris prefers diagrams", "slack", "C-design", Profile)
        .says("Idris asks for a drawing whenever more than two services are involved."),
    shared("atlas", 29420, "data retention", "drive", "D-policies", Decision)
        .says("Logs with personal data are kept for thirty days, everything else for a year."),
    private("binky", 27989, "feature flags", "slack", "C-release", Project)
        .says("A feature flag that is older than two releases is removed or explained."),
    private("atlas", 26356, "customer feedback", "drive", "D-research", Episode)
        .says("Clinics ask for an export of their schedules more often than for anything else."),
    private("atlas", 24560, "pricing page", "drive", "D-web", Project)
        .says("The pricing page is rewritten by Mina; the draft is due on the first of the month."),
    private("atlas", 23296, "vera prefers terraform managed infra", "slack", "C-infra", Profile)
        .says("Vera insists on Terraform for all infrastructure; nothing at all is clicked together in a web console."),
    private("binky", 21677, "release checklist", "slack", "C-release", Artifact)
        .says("The checklist has eleven steps; step four, the backup, may never be skipped."),
    shared("atlas", 20760, "office days", "slack", "C-team", Project)
        .says("The team meets in the office on the first Thursday of the month."),
    private("atlas", 18886, "search relevance", "slack", "C-build", Episode)
        .says("Searches by room number fail because the index drops short numbers."),
    shared("atlas", 17606, "budget owner", "email", "inbox-vera", Decision)
        .says("Vera owns the budget for tools; anything above two hundred a month needs her approval."),
    private("atlas", 17100, "Vera's report", "email", "inbox-vera", Profile)
        .says("Vera wants the weekly report on Monday before nine, one page, risks on top."),
    private("binky", 16299, "tag signing", "slack", "C-release", Decision)
        .says("Release tags are signed with the team's key; the build refuses unsigned ones."),
    private("atlas", 14577, "interview guide", "drive", "D-research", Artifact)
        .says("The interview guide has nine questions and ends with what we should have asked."),
    private("atlas", 13543, "stage-db", "slack", "C-ops", Project)
        .says("The staging database moved to pg-stage-3 and is now rebuilt every night."),
    private("atlas", 11670, "Idris on leave", "slack", "C-team", Episode)
        .says("Idris is away from the 14th to the 25th; Mina answers for operations."),
    private("binky", 10694, "performance regression", "slack", "C-release", Episode)
        .says("Version 2026.10 was four times slower on the schedule page; the missing index was added in 2026.10.1."),
    private("atlas", 8985, "quarterly planning", "drive", "D-planning", Project)
        .says("The planning workshop is on Wednesday in the large room; Mina moderates."),
    private("atlas", 7803, "security review", "email", "inbox-vera", Project)
        .says("An outside security review starts in December; scope is the API and the console."),
    shared("binky", 7415, "go/no-go", "slack", "C-release", Decision).says("If Mina and Idris are both away, a release waits."),
    private("atlas", 5895, "clinic pilot", "drive", "D-research", Project)
        .says("The pilot with the clinic in Porto has forty users and runs until the end of the year."),
    private("atlas", 4945, "Vera prefers short answers", "slack", "C-team", Profile)
        .says("Vera reads answers on her phone: three sentences, then a link."),
    private("atlas", 3494, "weekly report", "email", "inbox-vera", TaskHint)
        .says("This week's report should mention the pilot and the security review."),
    private("atlas", 3_102, "order of the weekly report", "email", "inbox-vera", Profile)
        .says("Vera wants the numbers first in the weekly report and the risks at its end."),
    private("binky", 2124, "next release", "slack", "C-release", Project)
        .says("The next release is 2026.11.2 on Tuesday; the schedule export is in it."),
    private("atlas", 1662, "schedule export", "slack", "C-build", Project)
        .says("The export gives one row per appointment, in local time, with the room's full name."),
    private("atlas", 130, "standup", "slack", "C-team", Episode).says("The standup is at 9:45 while the room is being repainted."),
];

/// Links, oldest first.
pub const LINKED: &[Linked] = &[
    Linked {
        agent: "atlas",
        minutes_ago: 13_541,
        from: "The staging database moved to pg-stage-3 and is now rebuilt every night.",
        relation: Relation::Supersedes,
        to: "The staging database runs on pg-stage-2; it is rebuilt from an anonymised copy every Sunday night.",
    },
    Linked {
        agent: "atlas",
        minutes_ago: 3_101,
        from: "Vera wants the numbers first in the weekly report and the risks at its end.",
        relation: Relation::Contradicts,
        to: "Vera wants the weekly report on Monday before nine, one page, risks on top.",
    },
];

type Text = &'static str;

const fn private(agent: Text, minutes_ago: i64, topic: Text, platform: Text, channel: Text, kind: MemoryKind) -> Memory {
    Memory { agent, minutes_ago, topic, content: "", platform, channel, kind, shared: false, forgotten: false }
}

const fn shared(agent: Text, minutes_ago: i64, topic: Text, platform: Text, channel: Text, kind: MemoryKind) -> Memory {
    Memory { shared: true, ..private(agent, minutes_ago, topic, platform, channel, kind) }
}

const fn forgotten(agent: Text, minutes_ago: i64, topic: Text, platform: Text, channel: Text, kind: MemoryKind) -> Memory {
    Memory { forgotten: true, ..private(agent, minutes_ago, topic, platform, channel, kind) }
}

impl Memory {
    const fn says(self, content: Text) -> Self {
        Self { content, ..self }
    }
}

//! Every place of the console with a name: the entries of the sidebar, the tabs of each, and the pages and actions that only the menu of
//! `Ctrl K` names. The sidebar, the tabs and the menu read this list, and leave out what the roles of the operator cannot open.

use crate::{query::Query, ui::Shape};
use wire::{OperatorRole, ReviewNumbers};

/// Counts what waits on a page.
type Count = fn(&ReviewNumbers) -> i64;

/// A page with a name.
#[derive(Clone, Copy)]
pub struct Page {
    /// Its path, and the filter that it is about.
    pub href: &'static str,
    pub name: &'static str,
    /// What else people call it, for the menu.
    pub also: &'static str,
    /// How much waits there for a decision, on a page of *Review*.
    pub count: Option<Count>,
    /// The roles that it demands, all of them. Others are not offered the page.
    needs: &'static [OperatorRole],
}

/// An entry of the sidebar. Its pages are its tabs.
pub struct Section {
    pub name: &'static str,
    pub shape: Shape,
    pub pages: &'static [Page],
}

/// Something to do, as the menu offers it to operators with the role.
pub struct Action {
    pub href: &'static str,
    pub name: &'static str,
    /// What else people call it.
    pub also: &'static str,
    pub role: OperatorRole,
}

const fn page(href: &'static str, name: &'static str) -> Page {
    Page { href, name, also: "", count: None, needs: &[OperatorRole::Viewer] }
}

impl Page {
    const fn also(self, also: &'static str) -> Self {
        Self { also, ..self }
    }

    const fn counts(self, count: Count) -> Self {
        Self { count: Some(count), ..self }
    }

    const fn needs(self, needs: &'static [OperatorRole]) -> Self {
        Self { needs, ..self }
    }

    /// Whether an operator with these roles may open it.
    pub fn is_open_to(&self, roles: &[OperatorRole]) -> bool {
        self.needs.iter().all(|role| roles.contains(role))
    }

    fn path(&self) -> &'static str {
        self.href.split('?').next().unwrap_or(self.href)
    }

    /// How many filters of the page a URL has; none if the URL shows another page.
    fn agreement(&self, path: &str, query: &Query) -> Option<usize> {
        let own = Query::parse(self.href.strip_prefix(self.path()).unwrap_or_default());
        (self.path() == path).then(|| own.within(query)).flatten()
    }
}

/// What people do every day.
pub static DAILY: [Section; 12] = [
    Section { name: "Overview", shape: Shape::Overview, pages: &[page("/", "Overview")] },
    Section {
        name: "Review",
        shape: Shape::Inbox,
        pages: &[
            page("/inbox", "Candidates").also("inbox confirm approve reject merge").counts(|waiting| waiting.candidates),
            page("/vocabulary", "Proposed terms").also("vocabulary review suggested phrases aliases").counts(|waiting| waiting.terms),
            page("/inbox/suggestions", "Suggestions").also("duplicates merge").counts(|waiting| waiting.suggestions),
            page("/memories?status=contradicted", "Contradictions")
                .also("contradicted contradictions conflicts")
                .counts(|waiting| waiting.contradicted),
            page("/inbox/quarantine", "Quarantine").also("prompt injection suspicious instructions").counts(|waiting| waiting.quarantined),
            page("/memories?unreviewed=true", "Shared memories").also("unreviewed commons").counts(|waiting| waiting.shared),
        ],
    },
    Section {
        name: "Memories",
        shape: Shape::Memories,
        pages: &[
            page("/memories", "Memories").also("facts search export json lines download"),
            page("/memories?deleted=true", "Deleted").also("deleted memories trash restore undo undelete"),
            page("/lifecycle", "Lifecycle").also("sweeps archive expiry retention forgetting decay"),
        ],
    },
    Section {
        name: "People",
        shape: Shape::People,
        pages: &[
            page("/people", "People").also("profiles users customers gdpr privacy subject access request export personal data"),
            page("/people/users", "Users").also("references names rename add a user").needs(&[OperatorRole::Admin]),
        ],
    },
    Section {
        name: "Agents",
        shape: Shape::Agents,
        pages: &[page("/agents", "Agents").also("api keys tokens credentials commons block bots")],
    },
    Section { name: "Projects", shape: Shape::Projects, pages: &[page("/projects", "Projects").also("repositories")] },
    Section {
        name: "Knowledge",
        shape: Shape::Knowledge,
        pages: &[
            page("/knowledge", "Documents").also("files specifications decision records adr"),
            page("/knowledge/runs", "Ingestions").also("import runs failed files"),
            page("/knowledge/topology", "Topology").also("components architecture graph dependencies"),
            page("/knowledge/upload", "Upload").also("import files documents pdf html markdown").needs(&[OperatorRole::Reviewer]),
        ],
    },
    Section {
        name: "Vocabulary",
        shape: Shape::Vocabulary,
        pages: &[
            page("/vocabulary/terms", "Terms").also("aliases glossary synonyms"),
            page("/vocabulary/decisions", "Decisions").also("undo redo history of terms"),
        ],
    },
    Section {
        name: "Sources",
        shape: Shape::Sources,
        pages: &[
            page("/sources", "Sources").also("transcripts conversations captured texts evidence"),
            page("/sessions", "Sessions").also("coding agents hosts hooks claude code codex copilot cursor gemini opencode tokens given"),
            page("/capture", "Capture")
                .also("transcript conversation chat minutes meeting paste")
                .needs(&[OperatorRole::Viewer, OperatorRole::Operator]),
        ],
    },
    Section {
        name: "Recalls",
        shape: Shape::Log,
        pages: &[
            page("/recall/log", "Recalls").also("recall log queries replay history"),
            page("/recall/contexts", "Contexts").also("context log assembled prompts tokens budget"),
        ],
    },
    Section {
        name: "Health",
        shape: Shape::Health,
        pages: &[
            page("/recall", "Health").also("recall causes zero hits empty results found nothing"),
            page("/quality", "Quality").also("metrics charts utilisation corrections"),
            page("/quality/expectations", "Expectations").also("tests of recall evaluation misses mrr regression sets"),
        ],
    },
    Section {
        name: "Playground",
        shape: Shape::Playground,
        pages: &[
            page("/recall/playground", "Recall").also("recall playground test try"),
            page("/recall/playground/context", "Assemble a context").also("context playground test try prompt"),
            page("/recall/diagnose", "Diagnose").also("why not recalled empty debug explain"),
        ],
    },
];

/// What people do to the organisation.
pub static ADMINISTRATION: [Section; 4] = [
    Section {
        name: "Audit",
        shape: Shape::Audit,
        pages: &[page("/audit", "Audit").also("audit log history who changed export csv hash chain compliance")],
    },
    Section {
        name: "Erasure",
        shape: Shape::Delete,
        pages: &[page("/erasure", "Erasure")
            .also("legal holds gdpr privacy right to be forgotten erase delete a person admin")
            .needs(&[OperatorRole::Admin])],
    },
    Section {
        name: "Usage",
        shape: Shape::Usage,
        pages: &[page("/usage", "Usage").also("credit costs limits tokens billing budget quota export csv admin")],
    },
    Section {
        name: "Settings",
        shape: Shape::Filter,
        pages: &[
            page("/inbox/policy", "Capture policy").also("admin rules automatic approval retention of sources"),
            page("/lifecycle/policy", "Lifecycle policy").also("admin retention expiry limits of memories"),
            page("/recall/policy", "Search across sources").also("search policy weights relevant documents admin ranking"),
            page("/events", "Events").also("jobs background work queue workers failed retry"),
            page("/webhooks", "Webhooks").also("admin notifications callbacks http integrations").needs(&[OperatorRole::Admin]),
            page("/prompts", "Prompts").also("skills instructions mcp"),
            page("/recall/model", "Embedding model").also("admin vectors re-embed switch").needs(&[OperatorRole::Admin]),
            page("/accounts", "Accounts")
                .also("admin operators team members invite invitation roles password sign out sessions")
                .needs(&[OperatorRole::Admin]),
        ],
    },
];

/// What the menu offers to do.
pub static ACTIONS: [Action; 8] = [
    Action { href: "/memories/new", name: "New memory…", also: "add remember write fact", role: OperatorRole::Operator },
    Action {
        href: "/capture",
        name: "Capture a text…",
        also: "paste a transcript conversation chat minutes meeting",
        role: OperatorRole::Operator,
    },
    Action {
        href: "/knowledge/upload",
        name: "Upload documents…",
        also: "import files add pdf html markdown",
        role: OperatorRole::Reviewer,
    },
    Action { href: "/vocabulary/terms/new", name: "New term…", also: "add vocabulary glossary alias", role: OperatorRole::Reviewer },
    Action { href: "/projects", name: "New project…", also: "add repository", role: OperatorRole::Operator },
    Action {
        href: "/agents/connect",
        name: "Connect an agent…",
        also: "make api key claude code desktop cursor vs code codex python typescript curl mcp",
        role: OperatorRole::Admin,
    },
    Action { href: "/accounts", name: "Invite somebody…", also: "add operator account colleague team", role: OperatorRole::Admin },
    Action { href: "/erasure", name: "Erase a person…", also: "gdpr delete right to be forgotten privacy", role: OperatorRole::Admin },
];

/// Every entry of the sidebar, in its order.
pub fn sections() -> impl Iterator<Item = &'static Section> {
    DAILY.iter().chain(&ADMINISTRATION)
}

impl Section {
    /// The section that a URL belongs to, and the tab that it shows; no tab on a page below one.
    pub fn of(path: &str, query: &Query) -> Option<(&'static Self, Option<&'static Page>)> {
        let all = || sections().flat_map(|section| section.pages.iter().map(move |page| (section, page)));
        let shown = all().filter_map(|(section, page)| Some((page.agreement(path, query)?, section, page)));
        if let Some((_, section, page)) = shown.max_by_key(|(agreement, ..)| *agreement) {
            return Some((section, Some(page)));
        }
        let below = |page: &Page| path.strip_prefix(page.path()).is_some_and(|rest| rest.starts_with('/'));
        all().filter(|(_, page)| below(page)).max_by_key(|(_, page)| page.path().len()).map(|(section, _)| (section, None))
    }

    /// Its pages that an operator with these roles may open. Its entry leads to the first.
    pub fn open_to(&self, roles: &[OperatorRole]) -> Vec<&'static Page> {
        self.pages.iter().filter(|page| page.is_open_to(roles)).collect()
    }
}

/// How much waits on some pages, each counted as its own list counts it.
pub fn waiting(pages: &[Page], numbers: &ReviewNumbers) -> i64 {
    pages.iter().filter_map(|page| page.count).map(|count| count(numbers)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(url: &str) -> (&'static str, Option<&'static str>) {
        let (path, query) = url.split_once('?').unwrap_or((url, ""));
        Section::of(path, &Query::parse(query)).map(|(section, page)| (section.name, page.map(|page| page.name))).unwrap()
    }

    #[test]
    fn a_url_belongs_to_one_entry_and_shows_one_tab() {
        for (url, expected) in [
            ("/", ("Overview", Some("Overview"))),
            ("/memories?agent=x", ("Memories", Some("Memories"))),
            ("/memories?q=tea&deleted=true", ("Memories", Some("Deleted"))),
            ("/memories?deleted=false", ("Memories", Some("Memories"))),
            ("/memories?unreviewed=true&peek=x", ("Review", Some("Shared memories"))),
            ("/memories?status=contradicted&agent=x", ("Review", Some("Contradictions"))),
            ("/memories?status=superseded", ("Memories", Some("Memories"))),
            ("/memories/0192?unreviewed=true", ("Memories", None)),
            ("/vocabulary", ("Review", Some("Proposed terms"))),
            ("/vocabulary/decide", ("Review", None)),
            ("/vocabulary/terms/new", ("Vocabulary", None)),
            ("/inbox/policy", ("Settings", Some("Capture policy"))),
            ("/inbox/review", ("Review", None)),
            ("/recall", ("Health", Some("Health"))),
            ("/recall/log/0192", ("Recalls", None)),
            ("/quality/expectations/new", ("Health", None)),
            ("/recall/playground/context", ("Playground", Some("Assemble a context"))),
            ("/people/a/b", ("People", None)),
        ] {
            assert_eq!(of(url), expected, "{url}");
        }
        assert!(Section::of("/search", &Query::default()).is_none(), "the front page is above every other, but leads to none");
    }

    #[test]
    fn the_sum_of_review_is_that_of_its_tabs() {
        let numbers =
            ReviewNumbers { candidates: 1, terms: 20, suggestions: 300, contradicted: 4_000, quarantined: 50_000, shared: 600_000 };
        let sums: Vec<_> = sections().map(|section| (section.name, waiting(section.pages, &numbers))).filter(|(_, sum)| *sum > 0).collect();
        assert_eq!(sums, [("Review", 654_321)]);
        let tabs = Section::of("/inbox", &Query::default()).unwrap().0.pages.iter();
        let tabs: Vec<_> = tabs.map(|tab| waiting(std::slice::from_ref(tab), &numbers)).collect();
        assert_eq!(tabs, [1, 20, 300, 4_000, 50_000, 600_000]);
    }
}

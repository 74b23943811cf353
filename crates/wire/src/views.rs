//! Saved views: filtered lists that an operator keeps.

use super::ViewId;
use super::text_enum::text_enum;
use serde::{Deserialize, Serialize};

text_enum! {
    /// A page of the console that the URL filters.
    ViewPage {
        Memories = "memories", Retrievals = "retrievals", Contexts = "contexts", Causes = "causes", Quality = "quality",
        Candidates = "candidates", Suggestions = "suggestions", Proposals = "proposals", Terms = "terms", Documents = "documents",
        People = "people", Sources = "sources", Sessions = "sessions", Events = "events", Audit = "audit", Usage = "usage",
    }
}

text_enum! {
    /// Who sees a saved view.
    ViewSharing {
        /// The operator who saved it.
        Private = "private",
        /// Every operator of the organisation, among the views of the page.
        Shared = "shared",
        /// Every operator, as a link above the list.
        Pinned = "pinned",
    }
}

/// A list with its filters, under a name that one operator gave it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedView {
    pub id: ViewId,
    pub page: ViewPage,
    /// Unique for the operator and the page.
    pub name: String,
    /// The query string of the page, without the question mark.
    pub query: String,
    pub sharing: ViewSharing,
    /// The name of the operator who shared it; absent for one's own.
    pub by: Option<String>,
}

/// Longest name of a saved view, in characters.
pub const VIEW_NAME_MAX: usize = 64;
/// Longest query string that a view keeps, in characters.
pub const VIEW_QUERY_MAX: usize = 2000;
/// Most views that one operator keeps, over all pages.
pub const VIEWS_MAX: i64 = 50;

use super::ViewBar;
use crate::{
    query::Query,
    ui::{FilterButtons, FilterForm},
};
use leptos::prelude::*;
use wire::ViewPage;

/// The address of a page that has filters.
pub fn address(page: ViewPage) -> &'static str {
    match page {
        ViewPage::Memories => "/memories",
        ViewPage::Retrievals => "/recall/log",
        ViewPage::Contexts => "/recall/contexts",
        ViewPage::Causes => "/recall",
        ViewPage::Quality => "/quality",
        ViewPage::Candidates => "/inbox",
        ViewPage::Suggestions => "/inbox/suggestions",
        ViewPage::Proposals => "/vocabulary",
        ViewPage::Terms => "/vocabulary/terms",
        ViewPage::Documents => "/knowledge",
        ViewPage::People => "/people",
        ViewPage::Sources => "/sources",
        ViewPage::Sessions => "/sessions",
        ViewPage::Events => "/events",
        ViewPage::Audit => "/audit",
        ViewPage::Usage => "/usage",
    }
}

/// The filters of a page under its saved views: the fields beside each other, as many as fit, then the buttons. A search field takes a line
/// of its own.
#[component]
pub fn FilterBar(
    page: ViewPage,
    label: &'static str,
    query: Query,
    /// The fields, of which one that is set can be cleared.
    names: &'static [&'static str],
    /// A link beside the buttons: to the form for a new one.
    #[prop(optional)]
    more: Option<AnyView>,
    children: Children,
) -> impl IntoView {
    let path = address(page);
    // At the foot of its row: in line with the fields, and without a gap in a row of its own. Alone, a button has room where a field has.
    let buttons = match more.is_some() || query.any(names) {
        true => "col-span-2 flex gap-2 self-end",
        false => "flex gap-2 self-end max-sm:col-span-2",
    };
    view! {
        <ViewBar page names query=query.clone() />
        <FilterForm action=path label>
            <div class="card grid grid-cols-[repeat(auto-fill,minmax(min(9rem,45%),1fr))] items-start gap-3 p-3">
                {children()}
                <div class=buttons><FilterButtons query names clear=path /> {more}</div>
            </div>
        </FilterForm>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Section;
    use std::collections::HashSet;

    #[test]
    fn every_address_is_that_of_one_page_with_a_name() {
        let addresses: HashSet<_> = ViewPage::ALL.iter().map(|page| address(*page)).collect();
        assert_eq!(addresses.len(), ViewPage::ALL.len());
        for address in addresses {
            assert!(Section::of(address, &Query::default()).is_some_and(|(_, shown)| shown.is_some()), "{address}");
        }
    }
}

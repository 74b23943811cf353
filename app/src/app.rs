//! The HTML document and the routes of all pages.

use crate::{
    features::{
        accounts::{AccountPage, AccountsPage, PasswordPage},
        agents::{AgentPage, AgentsPage, ConnectPage, ConnectedPage},
        audit::AuditPage,
        capture::{CapturePage, EventsPage, SourcePage, SourcesPage},
        clients::ConsentPage,
        contexts::{ContextComparisonPage, ContextLogPage, ContextPage, ContextPlaygroundPage},
        erasure::{ErasurePage, ErasuresPage, NewErasurePage},
        expectations::{ExpectationSetPage, ExpectationsPage, NewExpectationPage},
        inbox::{self, InboxPage, PolicyPage, QuarantinePage, SuggestionsPage},
        knowledge::{DocumentPage, KnowledgePage, RunsPage, TopologyPage, UploadPage},
        lifecycle::{LifecyclePage, LifecyclePolicyPage},
        memories::{DeletePage, MemoriesPage, MemoryPage, NewMemoryPage},
        model::ModelPage,
        overview::OverviewPage,
        people::{PeoplePage, PersonPage, ProfilePage, UsersPage},
        places::SearchPage,
        projects::{ProjectPage, ProjectsPage},
        prompts::PromptsPage,
        quality::QualityPage,
        recall::{DiagnosePage, HealthPage, LogPage, PlaygroundPage, RetrievalPage},
        search::SearchPolicyPage,
        session::{InvitationPage, SignInPage},
        sessions::{SessionPage, SessionsPage},
        usage::UsagePage,
        vocabulary::{ChangePage, DecidePage, DecisionsPage, NewTermPage, ReviewPage, TermPage, TermsPage, UndoPage},
        webhooks::WebhooksPage,
    },
    islands::Clock,
    layout::{Layout, NotFound},
    text,
    ui::Zone,
};
use leptos::prelude::*;
use leptos_meta::{MetaTags, Title, provide_meta_context};
use leptos_router::{
    SsrMode,
    components::{ParentRoute, Route, Router, Routes},
    path,
};

/// The URLs of the files that pages load. Each contains the version of the files, so that a browser keeps them for ever.
#[derive(Clone, Debug)]
pub struct Assets {
    pub style: String,
    pub script: String,
}

/// Renders the HTML document.
pub fn shell(options: LeptosOptions, assets: Assets) -> impl IntoView {
    // Only islands are hydrated: pages carry none of their data a second time.
    if let Some(context) = Owner::current_shared_context() {
        context.set_is_hydrating(false);
    }
    view! {
        <!DOCTYPE html>
        <html lang="en" data-theme=crate::guard::theme_cookie()>
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content="light dark" />
                <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
                <link rel="stylesheet" href=assets.style />
                <AutoReload options />
                <script type="module" src=assets.script></script>
                <MetaTags />
            </head>
            <body>
                <App />
            </body>
        </html>
    }
}

/// The title of the window. The title of every page passes here: topics, file names and questions in it are only text.
#[expect(clippy::needless_pass_by_value, reason = "a formatter owns its text")]
fn window_title(title: String) -> String {
    if title.is_empty() { "Remembrancer".into() } else { text::editable(&format!("{} · Remembrancer", text::visible(&title))) }
}

/// The router with every page of the console.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    Zone::provide();
    let zone = Zone::expect().kept();
    view! {
        <Title formatter=window_title />
        <Router>
            <Routes fallback=NotFound>
                <Route path=path!("/sign-in") view=SignInPage ssr=SsrMode::Async />
                <Route path=path!("/invitation") view=InvitationPage ssr=SsrMode::Async />
                // Async: a redirect can come before the first byte, and pages are complete without JavaScript.
                <ParentRoute path=path!("") view=Layout ssr=SsrMode::Async>
                    <Route path=path!("/") view=OverviewPage />
                    <Route path=path!("/agents") view=AgentsPage />
                    <Route path=path!("/agents/connect") view=ConnectPage />
                    <Route path=path!("/agents/connect/:key") view=ConnectedPage />
                    <Route path=path!("/agents/:id") view=AgentPage />
                    <Route path=path!("/accounts") view=AccountsPage />
                    <Route path=path!("/accounts/:id") view=AccountPage />
                    <Route path=path!("/password") view=PasswordPage />
                    <Route path=path!("/lifecycle") view=LifecyclePage />
                    <Route path=path!("/lifecycle/policy") view=LifecyclePolicyPage />
                    <Route path=path!("/search") view=SearchPage />
                    <Route path=path!("/people") view=PeoplePage />
                    <Route path=path!("/people/users") view=UsersPage />
                    <Route path=path!("/people/:user") view=PersonPage />
                    <Route path=path!("/people/:agent/:user") view=ProfilePage />
                    <Route path=path!("/memories") view=MemoriesPage />
                    <Route path=path!("/memories/delete") view=DeletePage />
                    <Route path=path!("/memories/new") view=NewMemoryPage />
                    <Route path=path!("/memories/:id") view=MemoryPage />
                    <Route path=path!("/inbox") view=InboxPage />
                    <Route path=path!("/inbox/review") view=inbox::ReviewPage />
                    <Route path=path!("/inbox/suggestions") view=SuggestionsPage />
                    <Route path=path!("/inbox/quarantine") view=QuarantinePage />
                    <Route path=path!("/inbox/policy") view=PolicyPage />
                    <Route path=path!("/capture") view=CapturePage />
                    <Route path=path!("/sources") view=SourcesPage />
                    <Route path=path!("/sources/:id") view=SourcePage />
                    <Route path=path!("/sessions") view=SessionsPage />
                    <Route path=path!("/sessions/:id") view=SessionPage />
                    <Route path=path!("/events") view=EventsPage />
                    <Route path=path!("/webhooks") view=WebhooksPage />
                    <Route path=path!("/knowledge") view=KnowledgePage />
                    <Route path=path!("/knowledge/documents/:id") view=DocumentPage />
                    <Route path=path!("/knowledge/runs") view=RunsPage />
                    <Route path=path!("/knowledge/topology") view=TopologyPage />
                    <Route path=path!("/knowledge/upload") view=UploadPage />
                    <Route path=path!("/recall") view=HealthPage />
                    <Route path=path!("/recall/log") view=LogPage />
                    <Route path=path!("/recall/log/:id") view=RetrievalPage />
                    <Route path=path!("/recall/contexts") view=ContextLogPage />
                    <Route path=path!("/recall/contexts/compare") view=ContextComparisonPage />
                    <Route path=path!("/recall/contexts/:id") view=ContextPage />
                    <Route path=path!("/recall/playground") view=PlaygroundPage />
                    <Route path=path!("/recall/playground/context") view=ContextPlaygroundPage />
                    <Route path=path!("/recall/diagnose") view=DiagnosePage />
                    <Route path=path!("/recall/policy") view=SearchPolicyPage />
                    <Route path=path!("/recall/model") view=ModelPage />
                    <Route path=path!("/quality") view=QualityPage />
                    <Route path=path!("/quality/expectations") view=ExpectationsPage />
                    <Route path=path!("/quality/expectations/new") view=NewExpectationPage />
                    <Route path=path!("/quality/expectations/:id") view=ExpectationSetPage />
                    <Route path=path!("/vocabulary") view=ReviewPage />
                    <Route path=path!("/vocabulary/decide") view=DecidePage />
                    <Route path=path!("/vocabulary/terms") view=TermsPage />
                    <Route path=path!("/vocabulary/terms/new") view=NewTermPage />
                    <Route path=path!("/vocabulary/terms/:id") view=TermPage />
                    <Route path=path!("/vocabulary/terms/:id/change") view=ChangePage />
                    <Route path=path!("/vocabulary/decisions") view=DecisionsPage />
                    <Route path=path!("/vocabulary/decisions/undo") view=UndoPage />
                    <Route path=path!("/projects") view=ProjectsPage />
                    <Route path=path!("/projects/:id") view=ProjectPage />
                    <Route path=path!("/prompts") view=PromptsPage />
                    <Route path=path!("/usage") view=UsagePage />
                    <Route path=path!("/audit") view=AuditPage />
                    <Route path=path!("/erasure") view=ErasuresPage />
                    <Route path=path!("/erasure/new") view=NewErasurePage />
                    <Route path=path!("/erasure/:id") view=ErasurePage />
                    <Route path=path!("/oauth/authorize") view=ConsentPage />
                </ParentRoute>
            </Routes>
        </Router>
        <Clock zone />
    }
}

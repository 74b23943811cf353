use super::form::CaptureForm;
use crate::{
    features::{memories::agent_names, projects::project_names},
    guard::not_allowed,
    layout::{PageHead, ViewerResource},
    query::use_query,
    ui::{ErrorView, awaited},
};
use leptos::prelude::*;
use remembrancer::api::OperatorRole;

const NOT_ALLOWED: &str = "Capturing requires the role “operator”. Ask an administrator for it.";

/// The page that captures a pasted text or a text file for an agent.
#[component]
pub fn CapturePage() -> impl IntoView {
    let (who, query) = (ViewerResource::expect(), use_query());
    let agents = agent_names();
    let projects = project_names();
    view! {
        <PageHead title="Capture">
            "Paste a conversation, notes or a summary. The statements in it become candidates in the inbox, each with the sentence that it comes from."
        </PageHead>
        {awaited(async move {
            let viewer = who.await.and_then(|viewer| match viewer.profile.has(OperatorRole::Operator) {
                true => Ok(viewer),
                false => Err(not_allowed(NOT_ALLOWED)),
            });
            match (viewer, agents.await) {
                (Ok(viewer), Ok(agents)) => {
                    let (flash, projects) = (viewer.flash.filter(|flash| flash.refused), projects.await.unwrap_or_default());
                    view! { <CaptureForm agents projects flash query /> }.into_any()
                }
                (Err(error), _) | (_, Err(error)) => view! { <div class="card"><ErrorView error /></div> }.into_any(),
            }
        })}
    }
}

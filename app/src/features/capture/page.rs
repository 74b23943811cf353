use super::form::CaptureForm;
use crate::{
    features::{memories::agent_names, projects::project_names},
    layout::{PageHead, ViewerResource},
    query::use_query,
    ui::{awaited, or_error},
};
use leptos::prelude::*;
use wire::OperatorRole;

const NOT_ALLOWED: &str = "Capturing requires the role “operator”. Ask an administrator for it.";

/// The page that captures a pasted text or a text file for an agent.
#[component]
pub fn CapturePage() -> impl IntoView {
    let (who, query) = (ViewerResource::shared(), use_query());
    let choices = async {
        let mut agents = agent_names().await?;
        agents.retain(|agent| !agent.retired);
        Ok((agents, project_names().await.unwrap_or_default()))
    };
    view! {
        <PageHead title="Capture">
            "Paste a conversation, notes or a summary. The statements in it become candidates in the inbox, each with the sentence that it comes from."
        </PageHead>
        {awaited(async move {
            let answer = who.permitted(OperatorRole::Operator, NOT_ALLOWED, choices).await;
            or_error(answer, |(viewer, (agents, projects))| view! { <CaptureForm agents projects flash=viewer.refused() query /> })
        })}
    }
}

use super::{
    api::{Models, models},
    commands::commands,
};
use crate::{
    layout::{PageHead, ViewerResource},
    ui::{
        Badge, Bar, Time, Tone, awaited,
        chart::{length, share_of},
        fact, or_error, text,
    },
};
use leptos::prelude::*;
use remembrancer::model_change::{Filled, Kind, ModelProgress};
use wire::OperatorRole;

/// What operators without the role see.
const NOT_ALLOWED: &str = "Reading this page requires the role “admin”. Ask an administrator for it.";

/// The page of the embedding model: each model that has vectors, with the organisation's progress, and the commands that change it.
#[component]
pub fn ModelPage() -> impl IntoView {
    let models = models();
    let who = ViewerResource::shared();
    view! {
        <PageHead title="Embedding model">
            "Turns texts into vectors, so that recalls find them by meaning. All organisations of a server have the same model."
        </PageHead>
        {awaited(async move {
            let answer = who.permitted(OperatorRole::Admin, NOT_ALLOWED, models).await;
            or_error(answer, |(_, models)| view! { <Whole models /> })
        })}
    }
}

#[component]
fn Whole(models: Models) -> impl IntoView {
    let Models { kept, others, used, reads } = models;
    let (state, lines) = (summary(&kept), commands(&kept, &others));
    let card = |model: ModelProgress| {
        let reads = (model.state.name == used).then_some(reads);
        view! { <Model model reads /> }
    };
    view! {
        <div class="max-w-3xl space-y-6">
            <p class="text-sm" data-testid="summary">{state}</p>
            {kept.into_iter().map(card).collect_view()}
            <p class="text-sm text-soft">
                "The numbers are those of this organisation: memories, sections of documents, documents of profiles, and terms. A text in a \
                language that a model does not know gets no vector; recalls find it by its words."
            </p>
            <section aria-labelledby="commands">
                <h2 class="mb-1" id="commands">"Change the model"</h2>
                <p class="mb-3 text-sm text-soft">"The model is changed on the server, by whoever runs it, while everything works:"</p>
                <pre
                    class="overflow-x-auto rounded-md bg-sunken px-3 py-2 font-mono text-xs"
                    tabindex="0"
                    role="region"
                    aria-label="Commands"
                    data-testid="commands"
                >
                    {lines}
                </pre>
            </section>
        </div>
    }
}

/// Whether anything is to be done, in a sentence.
fn summary(kept: &[ModelProgress]) -> &'static str {
    let lacks = kept.iter().flat_map(|model| &model.progress).any(|(_, filled)| filled.filled < filled.total);
    match (kept.len() > 1, lacks) {
        (false, false) => "The server has one model, and every text has its vector. To change the model, first add another one.",
        (false, true) => {
            "The server has one model. Missing vectors are added in the background. To change the model, first add another one."
        }
        (true, false) => "Every text of the organisation has a vector of each model.",
        (true, true) => "Missing vectors are added in the background. Switch to another model when its bars are full.",
    }
}

/// A model that has vectors: what it is, why a server could not load it, and how many texts of the organisation have a vector.
#[component]
fn Model(model: ModelProgress, reads: Option<usize>) -> impl IntoView {
    let ModelProgress { state, progress } = model;
    let (tone, name) = if state.is_current { (Tone::Good, "in use") } else { (Tone::Plain, "kept") };
    // The reason names folders of the server, which are not an organisation's business.
    let fault = state.fault.is_some().then(|| {
        view! {
            <p class="text-sm text-danger" data-testid="fault">
                "A server could not load it. On the server, " <code>"remembrancer model list"</code> " says why."
            </p>
        }
    });
    view! {
        <section class="card space-y-3 p-4" aria-label=state.name.clone() data-testid="model">
            <header class="flex flex-wrap items-center gap-2">
                <h2 class="wrap-anywhere">{state.name.clone()}</h2>
                <Badge tone text=name />
            </header>
            {fault}
            <dl class="facts">
                {reads.map(|limit| fact("Reads", format!("up to {limit} tokens of a text")))}
                {fact("Dimensions", state.dimension.to_string())}
                {state.current_since.filter(|_| state.is_current).map(|at| fact("In use since", view! { <Time at /> }))}
                {state.current_until.map(|at| fact("In use until", view! { <Time at /> }))}
            </dl>
            <div>
                <h3 class="mb-2 text-sm font-medium">"Texts with a vector"</h3>
                <ul class="space-y-1">{progress.into_iter().map(|(kind, filled)| bar(kind, filled)).collect_view()}</ul>
            </div>
        </section>
    }
}

/// How many texts of a kind have a vector.
fn bar(kind: Kind, Filled { total, filled }: Filled) -> impl IntoView {
    let label = match kind {
        Kind::Memories => "Memories",
        Kind::Sections => "Sections",
        Kind::Profiles => "Profiles",
        Kind::Terms => "Terms",
    };
    let number = if total == 0 { "none yet".to_owned() } else { format!("{} of {}", text::number(filled), text::number(total)) };
    view! {
        <li data-testid="progress"><Bar label value=share_of(length(filled), length(total)) number /></li>
    }
}

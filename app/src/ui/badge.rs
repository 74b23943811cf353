use leptos::prelude::*;

/// The colour of a badge and what it stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    #[default]
    Plain,
    Accent,
    Good,
    Warn,
    Danger,
}

/// A short label beside the thing that it describes.
#[component]
pub fn Badge(#[prop(optional)] tone: Tone, #[prop(into)] text: String, #[prop(optional, into)] title: Option<String>) -> impl IntoView {
    let class = match tone {
        Tone::Plain => "badge",
        Tone::Accent => "badge border-transparent bg-accent-wash text-accent",
        Tone::Good => "badge border-transparent bg-good-wash text-good",
        Tone::Warn => "badge border-transparent bg-warn-wash text-warn",
        Tone::Danger => "badge border-transparent bg-danger-wash text-danger",
    };
    view! {
        <span class=class title=title>
            {text}
        </span>
    }
}

/// A badge that says whether a topic is a term of the vocabulary.
#[component]
pub fn Canonical(yes: bool) -> impl IntoView {
    if yes {
        view! { <Badge tone=Tone::Good text="term" title="The topic is a term of the shared vocabulary." /> }
    } else {
        view! { <Badge text="not a term" title="The vocabulary does not know this topic. It is proposed for review." /> }
    }
}

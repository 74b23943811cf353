use crate::{
    Flash,
    ui::{Icon, PostForm, ReasonField, Shape},
};
use leptos::prelude::*;
use wire::AgentId;

/// The folded form that blocks or unblocks an agent, with a reason.
#[component]
pub fn Block(id: AgentId, blocked: bool, flash: Option<Flash>) -> impl IntoView {
    let (title, button, class, says) = if blocked {
        ("Unblock…", "Unblock this agent", "button button-primary", "Its keys work again at once.")
    } else {
        ("Block…", "Block this agent", "button button-danger", "Its keys are refused at once. Its memories stay. You can unblock it.")
    };
    let open = flash.is_some();
    let (typed, error) = Flash::reason(flash);
    view! {
        <details class="card" open=open>
            <summary class="flex items-center gap-2 px-4 py-2.5 font-medium" class:text-danger=!blocked>
                <Icon shape=if blocked { Shape::Restore } else { Shape::Close } />
                {title}
            </summary>
            <PostForm class="space-y-3 px-4 pb-4" action="/console/api/set_agent_blocked" fields=[
                ("id", id.to_string()), ("blocked", (!blocked).to_string()),
            ]>
                <p class="text-sm text-soft">{says}</p>
                <ReasonField id="reason" typed error hint="Kept in the audit log. At most 500 characters." />
                <button class=class type="submit">
                    {button}
                </button>
            </PostForm>
        </details>
    }
}

use super::{
    api::{ALLOW, Fault, Request, read_request},
    asked::Asked,
};
use crate::{
    Flash,
    features::session::Viewer,
    layout::{PageHead, ViewerResource},
    query::{Query, use_query},
    ui::{FieldSet, PostForm, SelectField, TextField, awaited, or_error, text},
};
use leptos::prelude::*;
use wire::{KeyScope, OperatorRole, USER_REF_MAX};

/// Where the answer is sent.
const ACTION: &str = "/console/api/authorize_client";
/// What operators without the role see.
const NOT_ALLOWED: &str = "Giving access requires the role “viewer”. Ask an administrator for it.";

/// The page on which an operator gives a client access, or denies it.
#[component]
pub fn ConsentPage() -> impl IntoView {
    let (request, who) = (read_request(Asked::of(&use_query())), ViewerResource::shared());
    view! {
        <PageHead title="Give access">"A program asks to use the memory of one of your agents."</PageHead>
        {awaited(async move {
            let answer = who.permitted(OperatorRole::Viewer, NOT_ALLOWED, request).await;
            or_error(answer, |(viewer, request)| view! { <Consent viewer request /> })
        })}
    }
}

#[component]
fn Consent(viewer: Viewer, request: Request) -> impl IntoView {
    let Request { asked, client, origin, agents, fault } = request;
    if let Some(fault) = fault {
        return view! { <Refusal client=client.name origin fault /> }.into_any();
    }
    // No client can name another host over http.
    let is_own_machine = origin.starts_with("http://");
    let (login, roles) = (viewer.profile.login.clone(), viewer.profile.roles.clone());
    let flash = viewer.refused();
    let form = if agents.is_empty() {
        view! {
            <p class="text-sm">"There are no agents yet. An admin makes one on the page Agents. Then try again."</p>
            <PostForm action=ACTION label="Give access" fields=[("asked", asked.query().href(""))]>
                <Deny />
            </PostForm>
        }
        .into_any()
    } else {
        let agents: Vec<(String, String)> = agents.into_iter().map(|agent| (agent.id.to_string(), agent.slug)).collect();
        view! { <Form asked agents roles flash /> }.into_any()
    };
    view! {
        <section class="card max-w-xl space-y-4 p-5" aria-label="Request" data-testid="consent">
            <p>
                <strong class="font-semibold break-words">{text::visible(&client.name)}</strong>
                {client.host.map(|host| view! { " from " <code class="font-mono text-sm break-all">{host}</code> })}
                " wants access. The answer goes to "
                <code class="font-mono text-sm break-all">{origin}</code> "."
            </p>
            <p class="text-sm text-soft">
                "The program chose its name itself. "
                {is_own_machine.then_some("The answer goes to your own machine, where another program could use the same name. ")}
                "Allow access only if you started this, and if the address is one that you expect."
            </p>
            {form}
            <p class="text-sm text-soft">
                {format!("You are signed in as {login}. ")}
                "The access appears among the API keys of the agent, where you or an administrator can revoke it. It ends after 30 days without use, \
                and when your roles or your password change."
            </p>
        </section>
    }
    .into_any()
}

/// A request that nobody can allow.
#[component]
fn Refusal(client: String, origin: String, fault: Fault) -> impl IntoView {
    view! {
        <section class="card max-w-xl space-y-4 p-5" aria-label="Request" data-testid="consent">
            <p>
                <strong class="font-semibold break-words">{text::visible(&client)}</strong>
                " sent a request that nobody can allow: "
                {fault.why}
                "."
            </p>
            <p class="text-sm text-soft">"Follow the link only if you started this, and if the address is one that you expect."</p>
            <p><a class="button" rel="external noreferrer" href=fault.back>{format!("Back to {origin}")}</a></p>
        </section>
    }
}

#[component]
fn Form(asked: Asked, agents: Vec<(String, String)>, roles: Vec<OperatorRole>, flash: Option<Flash>) -> impl IntoView {
    let typed = flash.as_ref().map(|flash| Query::parse(&flash.typed));
    let error = |name: &str| flash.as_ref().and_then(|flash| flash.field(name));
    let (may, may_not): (Vec<KeyScope>, Vec<KeyScope>) = asked.scopes().into_iter().partition(|scope| scope.is_granted_by(&roles));
    let ticks = may.into_iter().map(|scope| {
        let checked = typed.as_ref().is_none_or(|typed| typed.get(scope.as_str()).is_some());
        view! {
            <label class="flex items-start gap-2">
                <input class="mt-1 shrink-0" type="checkbox" name="scopes[]" value=scope.as_str() checked=checked />
                <span>{says(scope)} " " <code class="font-mono text-xs text-soft">{scope.as_str()}</code></span>
            </label>
        }
    });
    let ticks = ticks.collect_view();
    let refused = (!may_not.is_empty()).then(|| {
        let names = may_not.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(", ");
        view! { <p class="text-sm text-soft" data-testid="not-allowed">{format!("Your roles do not allow: {names}.")}</p> }
    });
    let chosen = typed.as_ref().map(|typed| typed.text("agent")).unwrap_or_default();
    let person = typed.as_ref().map(|typed| typed.text("user_id")).unwrap_or_default();
    let (no_agent, nobody) = (error("agent"), error("user_id").or_else(|| error("user")));
    let unticked = error("scopes");
    view! {
        <PostForm class="space-y-4" action=ACTION label="Give access" fields=[("asked", asked.query().href(""))]>
            <SelectField name="agent" label="Agent" value=chosen choices=agents error=no_agent />
            <TextField
                name="user_id"
                label="Person"
                value=person
                most=USER_REF_MAX
                note="The id, the reference or the name of the person for whom the program works. Without one it sees only memories that belong to nobody."
                error=nobody
            />
            <FieldSet legend="The program may" error=unticked>
                {ticks}
                {refused}
            </FieldSet>
            <div class="flex flex-wrap gap-2">
                <button class="button button-primary" type="submit" name="decision" value=ALLOW>
                    "Allow access"
                </button>
                <Deny />
            </div>
        </PostForm>
    }
}

/// The button that denies access.
#[component]
fn Deny() -> impl IntoView {
    view! {
        <button class="button" type="submit" name="decision" value="deny">
            "Deny access"
        </button>
    }
}

/// What a scope allows, as the rest of a sentence.
fn says(scope: KeyScope) -> &'static str {
    match scope {
        KeyScope::MemoryRead => "read memories",
        KeyScope::MemoryWrite => "remember and revise facts",
        KeyScope::MemoryForget => "delete memories, and facts of the profile",
        KeyScope::CommonsWrite => "write to the memory that all agents share",
        KeyScope::CaptureWrite => "send conversations, texts and observations, from which memories and the profile are made",
        KeyScope::ContextRead => "read the profile of the person, and whole contexts",
        KeyScope::VocabularyPropose => "propose terms",
        KeyScope::KbRead => "read the documents of the organisation",
        KeyScope::KbWrite => "add documents of the organisation",
        KeyScope::Export => "export and import all memories of the agent",
        KeyScope::UsersAny => "act for every person",
        KeyScope::Admin => "manage agents, keys and operators",
    }
}

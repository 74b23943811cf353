use super::api::skills;
use crate::ui::{TableCard, awaited, columns, or_error, reading, text};
use leptos::prelude::*;
use wire::{SkillError, SkillList, SkillSummary};

/// The skills of the server: who has them, how many tokens each takes, and the documents that could not be read.
#[component]
pub fn Skills() -> impl IntoView {
    let list = reading(skills());
    view! {
        <section class="mt-8 max-w-4xl" aria-labelledby="skills" data-testid="skills">
            <h2 id="skills">"Skills"</h2>
            <p class="mt-0.5 mb-3 text-sm text-soft">
                "Instructions from the server's folder of " <code class="font-mono">"SKILL.md"</code>
                " documents. They are part of every context that their agents assemble, and are the same for every organisation."
            </p>
            {awaited(async move { or_error(list.await, |list| view! { <Listed list /> }) })}
        </section>
    }
}

#[component]
fn Listed(list: SkillList) -> impl IntoView {
    let SkillList { configured, skills, faults } = list;
    let body = match (configured, skills.is_empty()) {
        (false, _) => view! {
            <p class="card px-4 py-3 text-sm text-soft">
                "No folder of skills is configured. Set " <code class="font-mono">"SKILLS_DIR"</code> " to a folder on the server."
            </p>
        }
        .into_any(),
        (true, true) => view! {
            <p class="card px-4 py-3 text-sm text-soft">
                "The folder of skills has no readable " <code class="font-mono">"SKILL.md"</code> " document."
            </p>
        }
        .into_any(),
        (true, false) => view! { <SkillTable skills /> }.into_any(),
    };
    view! {
        <Faults faults />
        {body}
    }
}

#[component]
fn SkillTable(skills: Vec<SkillSummary>) -> impl IntoView {
    let row = |skill: SkillSummary| {
        let (agents, roles) = (of(&skill.agents, "every agent"), of(&skill.roles, "every role"));
        let description = skill.description.map(|text| view! { <p class="break-words text-soft">{text::visible(&text)}</p> });
        view! {
            <tr data-testid="skill">
                <td>
                    <p class="font-medium wrap-anywhere">{text::visible(&skill.name)}</p>
                    {description}
                    <p class="font-mono text-xs wrap-anywhere text-soft">{skill.path}</p>
                    <p class="text-xs text-soft @xl:hidden">{agents.clone()} ", " {roles.clone()}</p>
                </td>
                <td class="hidden break-words @xl:table-cell">{agents}</td>
                <td class="hidden break-words @xl:table-cell">{roles}</td>
                <td class="number">{text::number(i64::from(skill.tokens))}</td>
            </tr>
        }
    };
    view! {
        <TableCard label="Skills" class="data table-fixed text-sm" rows=skills.into_iter().map(row).collect_view() heads=columns([
            ("Skill", ""), ("Agents", "hidden w-36 @xl:table-cell"), ("Roles", "hidden w-36 @xl:table-cell"),
            ("Tokens", "number w-20"),
        ]) />
    }
}

/// Names in a list, or who has it if it names nobody.
fn of(names: &[String], everybody: &str) -> String {
    if names.is_empty() { everybody.to_owned() } else { text::visible(&names.join(", ")) }
}

#[component]
fn Faults(faults: Vec<SkillError>) -> impl IntoView {
    let line = |fault: SkillError| {
        let path = if fault.path.is_empty() { "The folder".to_owned() } else { fault.path };
        view! { <li class="wrap-anywhere"><code class="font-mono">{path}</code> ": " {fault.reason}</li> }
    };
    (!faults.is_empty()).then(|| {
        view! {
            <div class="mb-3 rounded-md border border-danger bg-danger-wash px-3 py-2 text-sm text-danger" data-testid="skill-faults">
                <p class="font-medium">"Could not be read. Agents keep the previous text of each document."</p>
                <ul class="list-disc space-y-0.5 pl-5">{faults.into_iter().map(line).collect_view()}</ul>
            </div>
        }
    })
}

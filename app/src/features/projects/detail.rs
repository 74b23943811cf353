use super::{api::projects, list::NewProject};
use crate::{
    Flash,
    guard::not_found,
    layout::{Crumb, ViewerResource},
    query::use_param,
    ui::{PostForm, SelectField, Time, Titled, awaited, choice, or_missing, reading, rows_or, text},
};
use leptos::prelude::*;
use leptos_meta::Title;
use uuid::Uuid;
use wire::{OperatorRole, Project};

/// The page of one project: its repositories, and the projects that it is linked to.
#[component]
pub fn ProjectPage() -> impl IntoView {
    let id = use_param::<Uuid>("id");
    let (all, who) = (reading(projects()), ViewerResource::shared());
    view! {
        <Crumb href="/projects" text="Projects" />
        {awaited(async move {
            let (may_change, flash) = who.allows(OperatorRole::Operator).await;
            let result = all.await.and_then(|all| {
                let project = all.iter().find(|project| Some(project.id) == id).cloned();
                Ok((project.ok_or_else(|| not_found("No project of this organisation has this id."))?, all))
            });
            or_missing("Project", result, |(project, all)| view! { <Whole project all may_change flash /> })
        })}
    }
}

#[component]
fn Whole(project: Project, all: Vec<Project>, may_change: bool, flash: Option<Flash>) -> impl IntoView {
    let id = project.id;
    let name = (!project.name.eq_ignore_ascii_case(&project.slug)).then(|| text::visible(&project.name));
    view! {
        <Title text=project.slug.clone() />
        <header class="mb-5">
            <h1 class="break-words">{project.slug.clone()}</h1>
            {name.map(|name| view! { <p class="mt-0.5 text-sm break-words text-soft">{name}</p> })}
            <p class="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-sm">
                <a href=format!("/memories?project={id}")>"Memories"</a>
                <a href=format!("/audit?target={id}")>"Audit"</a>
                <span class="text-soft">"Created " <Time at=project.created_at /></span>
            </p>
        </header>
        <div class="items-start gap-6 lg:grid lg:grid-cols-[minmax(0,1fr)_21rem]">
            <div class="min-w-0 space-y-6">
                <Repositories project=project.clone() />
                <Links project all may_change />
            </div>
            {may_change.then(|| view! {
                <div class="mt-6 lg:mt-0">
                    <NewProject
                        action="/console/api/create_repo"
                        title="New repository"
                        button="Create repository"
                        flash
                        project=id.to_string()
                    />
                </div>
            })}
        </div>
    }
}

#[component]
fn Repositories(project: Project) -> impl IntoView {
    let one = |repo: wire::Repo| {
        let name =
            (!repo.name.eq_ignore_ascii_case(&repo.slug)).then(|| view! { <span class="text-soft">{text::visible(&repo.name)}</span> });
        view! {
            <li class="flex flex-wrap items-baseline gap-x-2 px-4 py-2" data-testid="repo">
                <span class="font-medium break-words">{repo.slug.clone()}</span>
                {name}
                <span class="ml-auto text-sm text-soft"><Time at=repo.created_at /></span>
            </li>
        }
    };
    view! {
        <Titled id="repos" title="Repositories">
            {rows_or("No repositories yet. A memory may belong to one of them.", project.repos.into_iter().map(one).collect())}
        </Titled>
    }
}

#[component]
fn Links(project: Project, all: Vec<Project>, may_change: bool) -> impl IntoView {
    let id = project.id;
    let (linked, others): (Vec<_>, Vec<_>) =
        all.into_iter().filter(|other| other.id != id).partition(|other| project.linked.contains(&other.id));
    let one = move |other: Project| {
        let label = format!("Remove the link to {}", other.slug);
        view! {
            <li class="flex flex-wrap items-center justify-between gap-2 px-4 py-1.5" data-testid="linked">
                <a class="min-w-0 break-words" href=format!("/projects/{}", other.id)>{other.slug.clone()}</a>
                {may_change.then(|| view! {
                    <PostForm action="/console/api/link_projects" fields=[
                        ("project", id.to_string()), ("other", other.id.to_string()), ("remove", "true".to_owned()),
                    ]>
                        <button class="button button-quiet" type="submit" aria-label=label>"Remove"</button>
                    </PostForm>
                })}
            </li>
        }
    };
    let others_to_choose = others.iter().map(|other| (other.id.to_string(), other.slug.clone()));
    let choices = std::iter::once(choice("", "Choose a project")).chain(others_to_choose).collect();
    let add = (may_change && !others.is_empty()).then(|| {
        view! {
            <PostForm class="mt-2 flex flex-wrap items-end gap-2" action="/console/api/link_projects" fields=[("project", id.to_string())]>
                <div class="min-w-40"><SelectField name="other" label="Link to" value=String::new() choices /></div>
                <button class="button" type="submit">"Link projects"</button>
            </PostForm>
        }
    });
    view! {
        <Titled id="links" title="Linked projects">
            {rows_or("No links. The memories of linked projects are relevant to each other.", linked.into_iter().map(one).collect())}
            {add}
        </Titled>
    }
}

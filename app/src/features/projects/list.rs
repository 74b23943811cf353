use super::api::{admins, projects};
use crate::{
    Flash,
    layout::{PageHead, ViewerResource},
    query::{Query, use_query},
    ui::{Admins, Empty, PostForm, Shape, TableCard, TextField, Time, awaited, columns, or_error, reading, sorting, text},
};
use leptos::prelude::*;
use std::cmp::Reverse;
use wire::{OperatorRole, Project};

/// The page of all projects, with a form for a new one.
#[component]
pub fn ProjectsPage() -> impl IntoView {
    let (list, admins, who, query) = (reading(projects()), reading(admins()), ViewerResource::shared(), use_query());
    view! {
        <PageHead title="Projects">
            "A memory may belong to a project. Recalls for a project prefer its memories and those of linked projects."
        </PageHead>
        {awaited(async move {
            let (may_create, flash) = who.allows(OperatorRole::Operator).await;
            let admins = admins.await.unwrap_or_default();
            or_error(list.await, |projects| view! {
                <div class="items-start gap-6 lg:grid lg:grid-cols-[minmax(0,1fr)_21rem]">
                    <div class="mb-6 min-w-0">
                        <Table projects query />
                        <div class="mt-3">
                            <Admins names=admins />
                        </div>
                    </div>
                    {may_create.then(|| view! {
                        <NewProject action="/console/api/create_project" title="New project" button="Create project" flash />
                    })}
                </div>
            })
        })}
    }
}

/// Sorts projects by the column that the URL names, the most or latest first. Usually they are in the order of their slugs.
fn sort(projects: &mut [Project], by: Option<&str>) {
    match by {
        Some("repositories") => projects.sort_by_key(|project| Reverse(project.repos.len())),
        Some("links") => projects.sort_by_key(|project| Reverse(project.linked.len())),
        Some("created") => projects.sort_by_key(|project| Reverse(project.created_at)),
        _ => {}
    }
}

#[component]
fn Table(projects: Vec<Project>, query: Query) -> impl IntoView {
    if projects.is_empty() {
        return view! {
            <div class="card">
                <Empty shape=Shape::Projects title="No projects yet">
                    <p>"Create one here. Agents create projects, too, with " <code class="font-mono">"POST /api/projects"</code>
                        ". Memories name a project by its id or slug."</p>
                </Empty>
            </div>
        }
        .into_any();
    }
    let total = text::count(i64::try_from(projects.len()).unwrap_or(i64::MAX), "project", "projects");
    let mut projects = projects;
    sort(&mut projects, query.get("sort"));
    let head = |key, name, class| sorting("/projects", &query, key, (name, class));
    let heads = (
        columns([("Project", "")]),
        head("repositories", "Repositories", "number"),
        head("links", "Links", "number"),
        columns([("Memories", "hidden @md:table-cell")]),
        head("created", "Created", "hidden @xl:table-cell"),
    );
    let row = |project: Project| {
        let number = |n: usize| text::number(i64::try_from(n).unwrap_or(i64::MAX));
        let name = (!project.name.eq_ignore_ascii_case(&project.slug)).then(|| text::visible(&project.name));
        view! {
            <tr data-testid="project">
                <th scope="row" class="font-normal! whitespace-normal! text-ink!">
                    <a class="text-base font-medium wrap-anywhere" href=format!("/projects/{}", project.id)>{project.slug.clone()}</a>
                    {name.map(|name| view! { <span class="block text-sm wrap-anywhere text-soft">{name}</span> })}
                </th>
                <td class="number">{number(project.repos.len())}</td>
                <td class="number">{number(project.linked.len())}</td>
                <td class="hidden w-36 @md:table-cell"><a href=format!("/memories?project={}", project.id)>"Memories"</a></td>
                <td class="hidden @xl:table-cell"><Time at=project.created_at /></td>
            </tr>
        }
    };
    view! {
        <p class="mb-2 text-sm text-soft" data-testid="total">{total}</p>
        <TableCard label="Projects" class="data" rows=projects.into_iter().map(row).collect_view() heads />
    }
    .into_any()
}

/// The form for a new project, or for a new repository of a project.
#[component]
pub fn NewProject(
    action: &'static str,
    title: &'static str,
    button: &'static str,
    flash: Option<Flash>,
    #[prop(optional, into)] project: Option<String>,
) -> impl IntoView {
    let typed = flash.as_ref().map(|flash| Query::parse(&flash.typed)).unwrap_or_default();
    let error = move |field: &str| flash.as_ref().and_then(|flash| flash.field(field));
    view! {
        <PostForm class="card space-y-3 p-4" action=action>
            <h2>{title}</h2>
            {project.map(|id| view! { <input type="hidden" name="project" value=id /> })}
            <TextField name="slug" label="Slug" required=true hint="harbour" value=typed.text("slug") error=error("slug") />
            <TextField name="name" label="Name" optional=true hint="same as the slug" value=typed.text("name") error=error("name") />
            <p class="text-xs text-soft">"A slug has 1 to 63 characters (a-z, 0-9 and -) and is unique in the organisation."</p>
            <button class="button button-primary" type="submit">{button}</button>
        </PostForm>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;
    use uuid::Uuid;

    #[test]
    fn projects_are_sorted_by_the_column_of_the_url() {
        let project = |slug: &str, links, day: i64| Project {
            id: Uuid::nil(),
            slug: slug.to_owned(),
            name: String::new(),
            created_at: DateTime::from_timestamp(day * 86_400, 0).unwrap(),
            repos: vec![],
            linked: vec![Uuid::nil(); links],
        };
        let projects = [project("harbour", 1, 2), project("orchard", 3, 1), project("quarry", 1, 3)];
        let sorted = |by: Option<&str>| {
            let mut projects = projects.to_vec();
            sort(&mut projects, by);
            projects.into_iter().map(|project| project.slug).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            [None, Some("links"), Some("created"), Some("nonsense")].map(sorted),
            ["harbour orchard quarry", "orchard harbour quarry", "quarry harbour orchard", "harbour orchard quarry"]
        );
    }
}

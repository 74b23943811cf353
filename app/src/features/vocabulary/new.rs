use super::{decide::NOT_ALLOWED, term_names::TermNames};
use crate::{
    Flash,
    islands::TermField,
    layout::{Crumb, PageHead, ViewerResource},
    query::{Query, use_query},
    ui::{AreaField, PostForm, TextField, awaited, or_error},
};
use leptos::prelude::*;
use wire::{CATEGORY_MAX, DEFINITION_MAX, OperatorRole, TOPIC_MAX};

/// The page that creates a term, or adds a phrase to a term as an alias. `name` and `alias` of its URL fill the fields.
#[component]
pub fn NewTermPage() -> impl IntoView {
    let (query, who) = (use_query(), ViewerResource::shared());
    view! {
        <Crumb href="/vocabulary/terms" text="Terms" />
        <PageHead title="New term">"The preferred name of a thing. Memories with an alias as their topic are filed under the term."</PageHead>
        {awaited(async move {
            let answer = who.permitted(OperatorRole::Reviewer, NOT_ALLOWED, async { Ok(()) }).await;
            or_error(answer, |(viewer, ())| view! { <Forms query flash=viewer.refused() /> })
        })}
        <TermNames />
    }
}

/// The value of a form's field: as it was typed before the form was refused, or as the URL fills it.
fn value(refused: Option<&Query>, query: &Query, (typed, filled): (&str, &str)) -> String {
    let text = refused.map_or_else(|| query.text(filled), |refused| refused.text(typed));
    text.chars().take(if typed == "definition" { DEFINITION_MAX } else { TOPIC_MAX }).collect()
}

#[component]
fn Forms(query: Query, flash: Option<Flash>) -> impl IntoView {
    let refused = flash.as_ref().map(|flash| Query::parse(&flash.typed));
    let of = |what: &str| refused.as_ref().filter(|refused| refused.get("what") == Some(what));
    let error = |what: &str, field: &str| of(what).and(flash.as_ref()).and_then(|flash| flash.field(field));
    let field = |what: &str, names: (&str, &str)| value(of(what), &query, names);
    let (alias, aliases) = (field("alias", ("alias", "alias")), field("term", ("aliases", "alias")));
    let [name, definition, category] = [("term", "name"), ("definition", ""), ("category", "")].map(|names| field("term", names));
    let [name_error, category_error, aliases_error] = ["term", "category", "aliases"].map(|name| error("term", name));
    let (into, [alias_error, into_error]) = (field("alias", ("into", "")), ["alias", "into"].map(|name| error("alias", name)));
    let one_per_line = format!("One per line, each at most {TOPIC_MAX} characters.");
    view! {
        <div class="grid max-w-5xl items-start gap-6 lg:grid-cols-2">
            <PostForm class="card space-y-3 p-4" action="/console/api/create_term" labelled_by="new-term">
                <h2 id="new-term">"New term"</h2>
                <TextField name="term" label="Term" value=name required=true error=name_error most=TOPIC_MAX />
                <AreaField id="definition" name="definition" label="Definition" optional=true rows="3"
                    value=definition most=DEFINITION_MAX />
                <TextField name="category" label="Category" optional=true value=category error=category_error most=CATEGORY_MAX />
                <AreaField id="aliases" name="aliases" label="Aliases" optional=true rows="3"
                    value=aliases note=one_per_line error=aliases_error />
                <button class="button button-primary" type="submit">"Create term"</button>
                <a class="button button-quiet" href="/vocabulary/terms">"Cancel"</a>
            </PostForm>
            <PostForm class="card space-y-3 p-4" action="/console/api/create_alias" labelled_by="new-alias">
                <h2 id="new-alias">"New alias"</h2>
                <p class="text-sm text-soft">"Recalls that use the alias find the memories of the term."</p>
                <TextField name="alias" label="Alias" value=alias required=true error=alias_error most=TOPIC_MAX />
                <div>
                    <TermField id="into" name="into" label="Term of the alias" value=into error=into_error />
                </div>
                <button class="button" type="submit">"Add alias"</button>
            </PostForm>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_form_keeps_its_text_and_a_fresh_one_takes_that_of_the_url() {
        let (url, refused) = (Query::parse("name=tea&alias=infusion"), Query::parse("what=term&term=mate"));
        assert_eq!(value(None, &url, ("term", "name")), "tea");
        assert_eq!(value(Some(&refused), &url, ("term", "name")), "mate");
        assert_eq!(value(Some(&refused), &url, ("aliases", "alias")), "", "it was emptied");
        assert_eq!(value(None, &Query::default().with("name", "x".repeat(300)), ("term", "name")).len(), TOPIC_MAX);
    }
}

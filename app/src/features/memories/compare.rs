use super::version::{ChangedReasons, Stamp, changed_reasons, changes};
use crate::{
    query::Query,
    ui::{Choice, Diff, FilterForm, Parsed, SelectField, Zone, text},
};
use leptos::prelude::*;
use wire::{FieldError, MemoryVersion, change_words};

const NAMES: &[&str] = &["from", "to"];

/// The two versions to compare, of those `known` (newest first); none unless the URL asks for a comparison. `from` defaults to the
/// version before `to`, and `to` to the newest.
fn pick(query: &Query, known: &[i32]) -> Parsed<Option<(i32, i32)>> {
    if !query.any(NAMES) {
        return Ok(None);
    }
    let mut errors = Vec::new();
    let from = query.read::<i32>("from", "Choose a version.", &mut errors);
    let to = query.read::<i32>("to", "Choose a version.", &mut errors);
    for (field, version) in [("from", from), ("to", to)] {
        if version.is_some_and(|version| !known.contains(&version)) {
            errors.push(FieldError::new(field, "This memory has no such version."));
        }
    }
    let to = to.or(known.first().copied()).unwrap_or_default();
    let before = || known.iter().copied().find(|version| *version < to);
    let from = from.or_else(before).unwrap_or(to);
    if errors.is_empty() && from == to {
        errors.push(FieldError::new("to", "Choose two different versions."));
    }
    if errors.is_empty() { Ok(Some((from, to))) } else { Err(errors) }
}

/// The comparison of two versions, which a form chooses and the URL names.
#[component]
pub fn Compare(versions: Vec<MemoryVersion>, query: Query, #[prop(into)] action: String) -> impl IntoView {
    let known: Vec<i32> = versions.iter().map(|version| version.version).collect();
    let [newest, second, ..] = known.as_slice() else { return ().into_any() };
    let picked = pick(&query, &known);
    let [(from, from_error), (to, to_error)] = [("from", second), ("to", newest)].map(|(name, usual)| {
        let error = picked.as_ref().err().and_then(|errors| errors.iter().find(|error| error.field == name));
        (query.get(name).map_or_else(|| usual.to_string(), str::to_owned), error.map(|error| error.message.clone()))
    });
    let choices = choices(&versions, Zone::expect());
    let (comparing, plain) = (query.any(NAMES), query.without(NAMES).href(&action));
    let comparison = picked.ok().flatten().and_then(|(from, to)| {
        let find = |wanted: i32| versions.iter().find(|version| version.version == wanted).cloned();
        Some(view! { <Comparison old=find(from)? new=find(to)? /> })
    });
    view! {
        <div class="mb-3">
            <FilterForm action label="Compare two versions">
                {query.get("back").map(|back| view! { <input type="hidden" name="back" value=back.to_owned() /> })}
                <div class="grid grid-cols-2 items-start gap-2 sm:flex sm:flex-wrap sm:items-end" data-testid="compare">
                    <SelectField name="from" label="From" value=from error=from_error choices=choices.clone() />
                    <SelectField name="to" label="To" value=to error=to_error choices />
                    <div class="col-span-full flex gap-2">
                        <button class="button" type="submit">"Compare"</button>
                        <a
                            class="button button-quiet"
                            class:hidden=!comparing
                            href=plain
                            data-noscroll="true"
                        >
                            "Stop comparing"
                        </a>
                    </div>
                </div>
            </FilterForm>
        </div>
        {comparison}
    }
    .into_any()
}

/// The choices of versions: `v3 · Memory revised, 14 Jun 2026`.
fn choices(versions: &[MemoryVersion], zone: Zone) -> Vec<Choice> {
    let choice = |version: &MemoryVersion| {
        let number = version.version.to_string();
        let change = change_words(&version.change);
        let text = format!("v{number} · {change}, {}", text::day(zone.local(version.valid_from).date_naive()));
        (number, text)
    };
    versions.iter().map(choice).collect()
}

#[component]
fn Comparison(old: MemoryVersion, new: MemoryVersion) -> impl IntoView {
    let title = format!("What changed from version {} to version {}", old.version, new.version);
    let changes = changes(&old, &new).into_iter().map(|text| view! { <p class="text-sm text-soft">{text}</p> }).collect_view();
    let reasons = changed_reasons(&old, &new);
    let content = if old.content == new.content {
        view! { <p class="text-sm text-soft">"The content is the same in both."</p> }.into_any()
    } else {
        view! { <Diff old=old.content.clone() new=new.content.clone() /> }.into_any()
    };
    view! {
        <section class="card mb-3 border-accent" aria-label=title.clone() data-testid="comparison">
            <h3 class="border-b border-line px-4 py-2.5 text-sm font-medium">{title.clone()}</h3>
            <div class="grid gap-x-6 gap-y-1 border-b border-line px-4 py-2.5 sm:grid-cols-2">
                <Stamp version=old />
                <Stamp version=new />
            </div>
            <div class="space-y-1.5 px-4 py-3">{changes} {content} <ChangedReasons reasons /></div>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_versions_are_picked_by_the_url() {
        let picked = |url: &str| pick(&Query::parse(url), &[5, 4, 2, 1]);
        assert_eq!(picked("peek=x"), Ok(None));
        assert_eq!(picked("from=2&to=5"), Ok(Some((2, 5))));
        assert_eq!(picked("from=5&to=2"), Ok(Some((5, 2))), "backwards, as asked");
        assert_eq!((picked("from=1"), picked("to=4")), (Ok(Some((1, 5))), Ok(Some((2, 4)))));
    }

    #[test]
    fn versions_that_are_not_there_are_named() {
        let fields = |url: &str| {
            let errors = pick(&Query::parse(url), &[5, 4, 2, 1]).unwrap_err();
            errors.into_iter().map(|e| e.field).collect::<Vec<_>>()
        };
        assert_eq!(fields("from=3&to=9"), ["from", "to"]);
        assert_eq!(fields("from=first&to=5"), ["from"]);
        assert_eq!((fields("from=2&to=2"), fields("to=1")), (vec!["to".to_owned()], vec!["to".to_owned()]));
    }
}

use super::{Icon, Labels, Shape, text};
use leptos::prelude::*;
use wire::REASON_MAX;

/// A value of a select field and its label.
pub type Choice = (String, String);

pub fn choice(value: &str, label: &str) -> Choice {
    (value.to_owned(), label.to_owned())
}

/// What a control says to screen readers about its error and its note, and both as texts beneath it.
struct Beneath {
    invalid: Option<&'static str>,
    described: Option<String>,
    texts: AnyView,
}

impl Beneath {
    fn new([error_id, note_id]: [String; 2], error: Option<String>, note: Option<String>) -> Self {
        let ids = [error.as_ref().map(|_| error_id.clone()), note.as_ref().map(|_| note_id.clone())];
        let ids: Vec<String> = ids.into_iter().flatten().collect();
        let invalid = error.as_ref().map(|_| "true");
        let texts = view! {
            {error.map(|text| view! { <p class="mt-1 text-xs text-danger" id=error_id>{text}</p> })}
            {note.map(|text| view! { <p class="mt-1 text-xs text-soft" id=note_id>{text}</p> })}
        };
        Self { invalid, described: (!ids.is_empty()).then(|| ids.join(" ")), texts: texts.into_any() }
    }
}

/// The label of a field as a form shows it. In a form that changes something, a field whose label says nothing is required: most are.
fn shown(label: &str, optional: bool) -> String {
    if optional { format!("{label} (optional)") } else { label.to_owned() }
}

#[component]
pub fn TextField(
    #[prop(into)] name: String,
    #[prop(into)] label: String,
    #[prop(into)] value: String,
    /// Tells fields of one name apart on a page.
    #[prop(optional, into)]
    id: Option<String>,
    #[prop(default = "text")] kind: &'static str,
    #[prop(optional)] hint: &'static str,
    /// A sentence beneath the field.
    #[prop(optional)]
    note: Option<&'static str>,
    /// Suggested values; others may be entered too.
    #[prop(optional)]
    suggestions: &'static [&'static str],
    /// The id of a list of suggested values elsewhere on the page.
    #[prop(optional)]
    list: Option<&'static str>,
    #[prop(optional)] required: bool,
    /// Says so, in a form that changes something.
    #[prop(optional)]
    optional: bool,
    #[prop(optional)] most: Option<usize>,
    /// The key that leads to the field.
    #[prop(optional)]
    key: Option<&'static str>,
    /// Where the direction of the text depends on the text: `auto`.
    #[prop(optional)]
    dir: Option<&'static str>,
    /// Shows the label to screen readers only.
    #[prop(optional)]
    bare: bool,
    #[prop(optional_no_strip)] error: Option<String>,
) -> impl IntoView {
    Labels::keep(&name, &label);
    let (notes, own_list) = match &id {
        Some(id) => ([format!("{id}-error"), format!("{id}-hint")], format!("{id}-list")),
        None => ([format!("error-{name}"), format!("hint-{name}")], format!("list-{name}")),
    };
    let id = id.unwrap_or_else(|| format!("field-{name}"));
    let Beneath { invalid, described, texts } = Beneath::new(notes, error, note.map(str::to_owned));
    let listed = (!suggestions.is_empty()).then(|| own_list.clone());
    view! {
        <div>
            <label class=if bare { "sr-only" } else { "label" } for=id.clone()>
                {shown(&label, optional)}
                {key.filter(|_| !bare).map(|key| view! { <kbd class="kbd ml-1.5 hidden md:inline" aria-hidden="true">{key}</kbd> })}
            </label>
            <input
                class="input"
                id=id
                name=name
                type=kind
                list=listed.or(list.map(str::to_owned))
                placeholder=(!hint.is_empty()).then_some(hint)
                autocomplete="off"
                value=value
                required=required
                maxlength=most.map(|most| most.to_string())
                dir=dir
                data-keys=key
                aria-invalid=invalid
                aria-describedby=described
            />
            {(!suggestions.is_empty()).then(|| {
                let options = suggestions.iter().map(|text| view! { <option value=*text></option> }).collect_view();
                view! { <datalist id=own_list>{options}</datalist> }
            })}
            {texts}
        </div>
    }
}

/// A labelled field for several lines of text.
#[component]
pub fn AreaField(
    #[prop(into)] id: String,
    name: &'static str,
    label: &'static str,
    #[prop(into)] value: String,
    rows: &'static str,
    #[prop(default = "input")] class: &'static str,
    #[prop(optional)] hint: Option<&'static str>,
    /// A sentence beneath the field.
    #[prop(optional, into)]
    note: Option<String>,
    #[prop(optional)] required: bool,
    /// Says so, in a form that changes something.
    #[prop(optional)]
    optional: bool,
    #[prop(optional)] most: Option<usize>,
    /// Where the direction of the text depends on the text: `auto`.
    #[prop(optional)]
    dir: Option<&'static str>,
    #[prop(optional_no_strip)] error: Option<String>,
) -> impl IntoView {
    let Beneath { invalid, described, texts } = Beneath::new([format!("{id}-error"), format!("{id}-hint")], error, note);
    view! {
        <div>
            <label class="label" for=id.clone()>
                {shown(label, optional)}
            </label>
            <textarea
                class=class
                id=id
                name=name
                rows=rows
                required=required
                maxlength=most.map(|most| most.to_string())
                dir=dir
                placeholder=hint
                aria-invalid=invalid
                aria-describedby=described
            >
                {text::editable(&value)}
            </textarea>
            {texts}
        </div>
    }
}

/// The field for the reason of a change; required, and kept in the audit log.
#[component]
pub fn ReasonField(
    #[prop(into)] id: String,
    /// The text that was typed before the form was refused.
    #[prop(into)]
    typed: String,
    error: Option<String>,
    hint: &'static str,
) -> impl IntoView {
    view! { <AreaField id name="reason" label="Reason" value=typed rows="2" note=hint required=true most=REASON_MAX error /> }
}

/// A labelled select field with its value from the URL.
#[component]
pub fn SelectField(
    name: &'static str,
    label: &'static str,
    #[prop(into)] value: String,
    choices: Vec<Choice>,
    /// Shows the label to screen readers only.
    #[prop(optional)]
    bare: bool,
    /// The first choice, an empty one, is none.
    #[prop(optional)]
    required: bool,
    #[prop(optional_no_strip)] error: Option<String>,
) -> impl IntoView {
    Labels::keep(name, label);
    let id = format!("field-{name}");
    let Beneath { invalid, described, texts } = Beneath::new([format!("error-{name}"), String::new()], error, None);
    let options = choices
        .into_iter()
        .map(|(key, text)| {
            let selected = value == key;
            view! {
                <option value=key selected=selected>
                    {text}
                </option>
            }
        })
        .collect_view();
    view! {
        <div>
            <label class=if bare { "sr-only" } else { "label" } for=id.clone()>
                {label}
            </label>
            <select class="input" id=id name=name required=required aria-invalid=invalid aria-describedby=described>
                {options}
            </select>
            {texts}
        </div>
    }
}

/// The search field of a page: `/` focuses it, and its value is `q` of the URL.
#[component]
pub fn SearchField(#[prop(into)] value: String, label: &'static str, hint: &'static str) -> impl IntoView {
    Labels::keep("q", label);
    view! {
        <div class="relative grow basis-full sm:basis-56">
            <label class="sr-only" for="field-q">
                {label}
            </label>
            <span class="pointer-events-none absolute top-2 left-2.5 text-soft">
                <Icon shape=Shape::Search />
            </span>
            <input
                class="input peer px-8!"
                id="field-q"
                name="q"
                type="search"
                placeholder=hint
                autocomplete="off"
                data-keys="/"
                value=value
            />
            <kbd class="kbd pointer-events-none absolute top-2 right-2.5 hidden md:peer-placeholder-shown:block" aria-hidden="true">
                "/"
            </kbd>
        </div>
    }
}

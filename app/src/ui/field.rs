use leptos::prelude::*;

/// A value of a select field and its label.
pub type Choice = (String, String);

/// Makes a choice.
pub fn choice(value: &str, label: &str) -> Choice {
    (value.to_owned(), label.to_owned())
}

/// A labelled text field with its value from the URL.
#[component]
pub fn TextField(
    #[prop(into)] name: String,
    label: &'static str,
    #[prop(into)] value: String,
    #[prop(default = "text")] kind: &'static str,
    #[prop(optional)] hint: &'static str,
    /// Suggested values; others may be entered too.
    #[prop(optional)]
    suggestions: &'static [&'static str],
    #[prop(optional_no_strip)] error: Option<String>,
) -> impl IntoView {
    let (id, error_id, list_id) = (format!("field-{name}"), format!("error-{name}"), format!("list-{name}"));
    let list = (!suggestions.is_empty()).then(|| list_id.clone());
    view! {
        <div>
            <label class="label" for=id.clone()>
                {label}
            </label>
            <input
                class="input"
                id=id
                name=name
                type=kind
                list=list
                placeholder=hint
                autocomplete="off"
                value=value
                aria-invalid=error.as_ref().map(|_| "true")
                aria-describedby=error.as_ref().map(|_| error_id.clone())
            />
            {(!suggestions.is_empty()).then(|| {
                let options = suggestions.iter().map(|text| view! { <option value=*text></option> }).collect_view();
                view! { <datalist id=list_id>{options}</datalist> }
            })}
            {error.map(|text| view! { <p class="mt-1 text-xs text-danger" id=error_id>{text}</p> })}
        </div>
    }
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
    #[prop(optional_no_strip)] error: Option<String>,
) -> impl IntoView {
    let (id, error_id) = (format!("field-{name}"), format!("error-{name}"));
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
            <select
                class="input"
                id=id
                name=name
                aria-invalid=error.as_ref().map(|_| "true")
                aria-describedby=error.as_ref().map(|_| error_id.clone())
            >
                {options}
            </select>
            {error.map(|text| view! { <p class="mt-1 text-xs text-danger" id=error_id>{text}</p> })}
        </div>
    }
}

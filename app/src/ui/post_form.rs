use crate::{form_token::FORM_TOKEN, guard::token_of};
use leptos::prelude::*;

/// A form that changes something. It begins with the token without which the server refuses it, so no other form of a page may post.
#[component]
pub fn PostForm(
    /// The path of a server function.
    #[prop(into)]
    action: String,
    #[prop(optional)] class: &'static str,
    #[prop(optional)] id: Option<&'static str>,
    #[prop(optional, into)] label: Option<String>,
    /// The id of the heading that names the form.
    #[prop(optional)]
    labelled_by: Option<&'static str>,
    #[prop(optional)] test_id: Option<&'static str>,
    /// With JavaScript, what was typed stays in its fields if the server refuses it.
    #[prop(optional)]
    keep: bool,
    /// The form sends files.
    #[prop(optional)]
    files: bool,
    #[prop(optional, into)] fields: Vec<(&'static str, String)>,
    children: Children,
) -> impl IntoView {
    let token = token_of(&action).map(|token| view! { <input type="hidden" name=FORM_TOKEN value=token /> });
    let fields = fields.into_iter().map(|(name, value)| view! { <input type="hidden" name=name value=value /> });
    view! {
        <form
            class=(!class.is_empty()).then_some(class)
            id=id
            method="post"
            action=action
            enctype=files.then_some("multipart/form-data")
            aria-label=label
            aria-labelledby=labelled_by
            data-testid=test_id
            data-keep=keep.then_some("")
        >
            {token}
            {fields.collect_view()}
            {children()}
        </form>
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    fn sources(folder: &Path, all: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() { sources(&entry, all) } else { all.push(entry) }
        }
    }

    #[test]
    fn no_other_form_posts() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut all = Vec::new();
        ["src", "islands/src"].iter().for_each(|folder| sources(&root.join(folder), &mut all));
        let posts = ["method=", "\"post\""].concat();
        let found = all.iter().filter(|path| std::fs::read_to_string(path).unwrap().contains(&posts));
        let mut found: Vec<_> = found.map(|path| path.strip_prefix(root).unwrap().display().to_string()).collect();
        found.sort();
        // Signing in needs no token, and the form of an island gets its token from the page around it.
        assert_eq!(found, ["islands/src/theme.rs", "src/features/session/sign_in.rs", "src/ui/post_form.rs"]);
    }
}

use crate::{
    Flash,
    ui::{Icon, PostForm, ReasonField, Shape},
};
use leptos::prelude::*;
use wire::MemoryRow;

/// The folded form that deletes or restores one memory, with a reason. Works without JavaScript.
#[component]
pub fn Decide(
    row: MemoryRow,
    archived: bool,
    /// The URL of the memory's page.
    here: String,
    /// The form that the URL unfolds.
    asked: Option<String>,
    flash: Option<Flash>,
) -> impl IntoView {
    let deleted = row.deleted_at.is_some();
    let says = match (deleted, archived) {
        (true, _) => "Agents recall it again. Its age is unchanged. The audit log keeps the deletion and the restoration.",
        (false, true) => "Agents recall it again. Its retention period starts now.",
        (false, false) => "Hidden from recall immediately. Content and history are kept; you can restore it.",
    };
    let (name, action, title, button, class, shape) = match deleted || archived {
        true => ("restore", "/console/api/restore_memories", "Restore…", "Restore this memory", "button button-primary", Shape::Restore),
        false => ("delete", "/console/api/delete_memories", "Delete…", "Delete this memory", "button button-danger", Shape::Delete),
    };
    let (typed, error) = flash.and_then(|flash| flash.refused_at(("ids", &row.id.to_string()), "reason")).unzip();
    let open = typed.is_some() || asked.as_deref() == Some(name);
    let typed = typed.map(|typed| typed.text("reason")).unwrap_or_default();
    view! {
        <details class="card scroll-mt-16 md:scroll-mt-5" id=name open=open>
            <summary class="flex items-center gap-2 px-4 py-2.5 font-medium" class:text-danger=!deleted && !archived>
                <Icon shape />
                {title}
            </summary>
            <PostForm class="space-y-3 px-4 pb-4" action=action fields=[
                ("ids", row.id.to_string()), ("done", here.clone()), ("form", here),
            ]>
                <p class="text-sm text-soft">{says}</p>
                <ReasonField id="reason" typed error=error.flatten() hint="Kept in the audit log. At most 500 characters." />
                <button class=class type="submit">
                    {button}
                </button>
            </PostForm>
        </details>
    }
}

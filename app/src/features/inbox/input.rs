use crate::form::form;
use std::str::FromStr;
use wire::{FieldError, InboxEdit, InboxVerdict, MemoryScope};

form! {
    /// The fields of the forms that decide on candidates, as they were entered.
    pub struct VerdictInput {
        /// `confirm`, `reject` or `merge`.
        pub what: String,
        /// The statement. Empty, as the next field, in forms that do not edit.
        pub content: String,
        /// The statement that the form showed at first, as each field in `_was`.
        pub content_was: String,
        /// Not `kind`, which is a filter of the inbox.
        pub new_kind: String,
        pub new_kind_was: String,
        pub topic: String,
        pub topic_was: String,
        pub scope: String,
        pub scope_was: String,
        pub project: String,
        /// `yes` or `no`; empty: as the policy says.
        pub share: String,
        pub reason: String,
        pub into: String,
    }
}

impl VerdictInput {
    /// The verdict. A statement, a kind, a topic and a scope are part of it only if they were changed.
    ///
    /// # Errors
    /// The field that is missing or that does not fit.
    pub fn verdict(&self) -> Result<InboxVerdict, FieldError> {
        match self.what.as_str() {
            "confirm" => self.confirm(),
            "reject" => Ok(InboxVerdict::Reject { reason: self.reason.clone() }),
            "merge" => Ok(InboxVerdict::Merge { into: read("into", &self.into, "Choose the memory to merge into.")? }),
            _ => Err(FieldError::new("what", "Choose whether to confirm, to reject or to merge.")),
        }
    }

    fn confirm(&self) -> Result<InboxVerdict, FieldError> {
        // An emptied statement is part of it, and refused.
        let content = (!is_same(&self.content, &self.content_was)).then(|| self.content.clone());
        let kind = match self.new_kind.trim() {
            "" => None,
            same if same == self.new_kind_was => None,
            other => Some(read("new_kind", other, "Choose one of the kinds.")?),
        };
        let topic = Some(self.topic.trim()).filter(|topic| !topic.is_empty() && *topic != self.topic_was).map(str::to_owned);
        let scope = match self.scope.trim() {
            "" => None,
            same if same == self.scope_was => None,
            other => Some(read::<MemoryScope>("scope", other, "Choose one of the scopes.")?),
        };
        let project_id = match scope {
            Some(MemoryScope::Project) => Some(read("project", &self.project, "Choose the project.")?),
            _ => None,
        };
        let share = match self.share.as_str() {
            "yes" => Some(true),
            "no" => Some(false),
            _ => None,
        };
        Ok(InboxVerdict::Confirm(InboxEdit { content, kind, topic, scope, project_id, share }))
    }
}

/// Whether a field was sent as the form showed it: browsers end lines in their own way.
pub fn is_same(typed: &str, was: &str) -> bool {
    typed.trim().lines().eq(was.trim().lines())
}

fn read<T: FromStr>(field: &str, text: &str, message: &str) -> Result<T, FieldError> {
    text.trim().parse().map_err(|_| FieldError::new(field, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Query;
    use wire::MemoryKind;

    fn confirm(text: &str) -> Result<InboxVerdict, String> {
        VerdictInput::read(&Query::parse(text)).verdict().map_err(|error| error.field)
    }

    #[test]
    fn only_what_was_changed_is_part_of_the_verdict() {
        let unchanged = InboxVerdict::confirm();
        assert_eq!(confirm("what=confirm&topic=tea&topic_was=tea&scope=agent&scope_was=agent"), Ok(unchanged.clone()));
        assert_eq!(confirm("what=confirm"), Ok(unchanged));
        let changed = InboxEdit { topic: Some("green tea".into()), scope: Some(MemoryScope::Global), ..InboxEdit::default() };
        assert_eq!(confirm("what=confirm&topic=green+tea&topic_was=tea&scope=global&scope_was=agent"), Ok(InboxVerdict::Confirm(changed)));
    }

    #[test]
    fn a_statement_and_a_kind_are_edits_only_if_the_form_showed_others() {
        let shown = "what=confirm&content_was=Vera+likes+tea.%0AIdris+too.&new_kind_was=profile";
        let sent = |content: &str, kind: &str| confirm(&format!("{shown}&content={content}&new_kind={kind}"));
        let edit = |content: Option<&str>, kind: Option<MemoryKind>| {
            Ok(InboxVerdict::Confirm(InboxEdit { content: content.map(str::to_owned), kind, ..InboxEdit::default() }))
        };
        // Browsers end lines with both characters.
        assert_eq!(sent("Vera+likes+tea.%0D%0AIdris+too.", "profile"), Ok(InboxVerdict::confirm()));
        assert_eq!(sent("Vera+likes+coffee.", "profile"), edit(Some("Vera likes coffee."), None));
        assert_eq!(sent("Vera+likes+tea.%0AIdris+too.", "decision"), edit(None, Some(MemoryKind::Decision)));
        assert_eq!(sent("", "profile"), edit(Some(""), None));
        assert_eq!(sent("Vera+likes+tea.%0AIdris+too.", "rumour"), Err("new_kind".into()));
    }

    #[test]
    fn the_error_names_the_field() {
        assert_eq!(confirm("what=confirm&scope=project&scope_was=agent"), Err("project".into()));
        assert_eq!(confirm("what=merge&into=tea"), Err("into".into()));
        assert_eq!(confirm("what=wave"), Err("what".into()));
    }

    #[test]
    fn a_refused_form_is_filled_in_again() {
        let rejected = VerdictInput { what: "reject".into(), reason: "A joke & no fact.".into(), ..VerdictInput::default() };
        let confirmed = VerdictInput {
            what: "confirm".into(),
            content: "Vera likes coffee.".into(),
            content_was: "Vera likes tea.\nIdris too.".into(),
            new_kind: "decision".into(),
            new_kind_was: "profile".into(),
            ..VerdictInput::default()
        };
        for input in [rejected, confirmed] {
            assert_eq!(VerdictInput::read(&Query::parse(&input.query().href(""))), input);
        }
    }
}

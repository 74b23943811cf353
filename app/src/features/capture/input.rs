use crate::form::{form, optional, user};
use remembrancer::capture::Paste;
use std::str::FromStr;
use wire::{AgentId, CaptureMode, FieldError, MemoryScope};

form! {
    /// The fields of the form that captures a text, as they were entered.
    pub struct CaptureInput {
        pub agent: String,
        pub mode: String,
        pub scope: String,
        pub project: String,
        pub title: String,
        pub filename: String,
        pub time_zone: String,
        /// On whose behalf: a name, a reference or an id.
        pub user: String,
        pub text: String,
    }
}

impl CaptureInput {
    /// What the engine captures.
    ///
    /// # Errors
    /// The field that is missing or that does not fit.
    pub fn paste(self) -> Result<Paste, FieldError> {
        let scope = optional::<MemoryScope>("scope", &self.scope, "Choose one of the scopes.")?;
        let project_id = match scope {
            Some(MemoryScope::Project) => Some(required("project", &self.project, "Choose the project.")?),
            _ => None,
        };
        Ok(Paste {
            agent_id: required::<AgentId>("agent", &self.agent, "Choose the agent that remembers it.")?,
            mode: required::<CaptureMode>("mode", &self.mode, "Choose how the text is read.")?,
            scope,
            project_id,
            title: filled(self.title),
            filename: filled(self.filename),
            time_zone: filled(self.time_zone),
            user_id: user("user", &self.user)?,
            text: self.text,
        })
    }
}

fn filled(text: String) -> Option<String> {
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn required<T: FromStr>(field: &str, text: &str, message: &str) -> Result<T, FieldError> {
    text.trim().parse().map_err(|_| FieldError::new(field, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Query;
    use wire::UserRef;

    fn input() -> CaptureInput {
        let agent = "0193a1f2-7c1e-7a55-9d3e-5b0c4f6a7d21".to_owned();
        CaptureInput { agent, mode: "note".into(), text: "Vera works in Zurich.".into(), ..CaptureInput::default() }
    }

    #[test]
    fn a_refused_form_is_filled_in_again() {
        let input = CaptureInput { title: "Notes & more".into(), time_zone: "Europe/Zurich".into(), ..input() };
        assert_eq!(CaptureInput::read(&Query::parse(&input.query().href(""))), input);
    }

    #[test]
    fn the_error_names_the_field() {
        let field = |input: CaptureInput| input.paste().map(drop).unwrap_err().field;
        assert_eq!(field(CaptureInput { agent: String::new(), ..input() }), "agent");
        assert_eq!(field(CaptureInput { mode: "song".into(), ..input() }), "mode");
        assert_eq!(field(CaptureInput { scope: "project".into(), ..input() }), "project");
        assert!(input().paste().is_ok_and(|paste| paste.scope.is_none() && paste.title.is_none() && paste.user_id.is_none()));
        let of_mina = CaptureInput { user: " Mina Lindt ".into(), ..input() }.paste().unwrap();
        assert_eq!(of_mina.user_id, Some(UserRef::External("Mina Lindt".into())));
    }
}

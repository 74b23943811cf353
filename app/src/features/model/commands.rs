use remembrancer::model_change::ModelProgress;

/// What whoever runs the server can do next, as lines for a shell. `kept` are the models that have vectors, `others` the names of the rest.
pub fn commands(kept: &[ModelProgress], others: &[String]) -> String {
    let line = |why: &str, command: &str, name: &str| format!("# {why}\nremembrancer model {command} {name}").trim_end().to_owned();
    let mut lines = vec![line("Show the progress of all organisations", "list", "")];
    for ModelProgress { state, .. } in kept.iter().filter(|model| !model.state.is_current) {
        lines.push(line("Compare what agents find with it and with the model in use", "compare", &state.name));
        lines.push(line("Use it from now on", "switch", &state.name));
        lines.push(line("Delete its vectors", "drop", &state.name));
    }
    if kept.iter().any(|model| model.state.current_until.is_some()) {
        lines.push(line("Use the former model again", "rollback", ""));
    }
    lines.extend(others.iter().map(|name| line("Add a model: its vectors are filled in while everything works", "add", name)));
    lines.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;
    use foundation::registry::ModelState;
    use std::slice;

    fn kept(name: &str, is_current: bool, was_current: bool) -> ModelProgress {
        let state = ModelState {
            name: name.to_owned(),
            dimension: 384,
            is_kept: true,
            is_current,
            current_since: None,
            current_until: was_current.then_some(DateTime::UNIX_EPOCH),
            fault: None,
        };
        ModelProgress { state, progress: vec![] }
    }

    /// The commands without their comments.
    fn only(text: &str) -> Vec<&str> {
        text.lines().filter_map(|line| line.strip_prefix("remembrancer model ")).collect()
    }

    #[test]
    fn a_model_is_added_before_it_is_compared_used_or_dropped() {
        let [current, new, former] = [kept("one", true, false), kept("two", false, false), kept("two", false, true)];
        assert_eq!(only(&commands(slice::from_ref(&current), &["two".to_owned()])), ["list", "add two"]);
        assert_eq!(only(&commands(&[current.clone(), new], &[])), ["list", "compare two", "switch two", "drop two"]);
        assert_eq!(only(&commands(&[current, former], &[])), ["list", "compare two", "switch two", "drop two", "rollback"]);
    }
}

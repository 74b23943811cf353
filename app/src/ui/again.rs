use crate::ConsoleError;
use leptos::prelude::*;
use serde::{Serialize, de::DeserializeOwned};
use std::time::Duration;

/// How often unfinished work is loaded again.
const AGAIN: Duration = Duration::from_secs(2);

/// Loads `answer` again every two seconds while it shows unfinished work.
pub fn again_while<T>(answer: Resource<Result<T, ConsoleError>>, unfinished: fn(&T) -> bool)
where
    T: Serialize + DeserializeOwned + Send + Sync + 'static,
{
    Effect::new(move |_| {
        let going = answer.with(|answer| answer.as_ref().is_some_and(|answer| answer.as_ref().is_ok_and(unfinished)));
        if let Some(Ok(handle)) = going.then(|| set_timeout_with_handle(move || answer.refetch(), AGAIN)) {
            on_cleanup(move || handle.clear());
        }
    });
}

use crate::{ConsoleError, features::overview::review_numbers};
use leptos::prelude::*;
use wire::ReviewNumbers;

/// How much waits for a decision. It is loaded with each page and shared by everything that shows it.
#[derive(Clone, Copy)]
pub struct NumbersResource(Resource<Result<ReviewNumbers, ConsoleError>>);

impl NumbersResource {
    /// Loads the numbers and provides them to everything below.
    pub fn provide() {
        provide_context(Self(Resource::new(|| (), |()| review_numbers())));
    }

    /// The numbers that the frame has loaded.
    pub fn expect() -> Resource<Result<ReviewNumbers, ConsoleError>> {
        expect_context::<Self>().0
    }
}

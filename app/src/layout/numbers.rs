use crate::{ConsoleError, features::capture::capture_counts};
use leptos::prelude::*;
use wire::CaptureNumbers;

/// What waits in the inbox and in the queue. It is loaded with each page and shared by everything that shows it.
#[derive(Clone, Copy)]
pub struct NumbersResource(Resource<Result<CaptureNumbers, ConsoleError>>);

impl NumbersResource {
    /// Loads the numbers and provides them to everything below.
    pub fn provide() {
        provide_context(Self(Resource::new(|| (), |()| capture_counts())));
    }

    /// The numbers that the frame has loaded.
    pub fn expect() -> Resource<Result<CaptureNumbers, ConsoleError>> {
        expect_context::<Self>().0
    }
}

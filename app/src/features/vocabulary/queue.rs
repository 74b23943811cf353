use crate::ConsoleError;
use leptos::prelude::*;
use remembrancer::api::{Page, Proposal};

/// The proposals of the review page as they load; the table shows them, and the panel steps through them.
pub type Queue = Resource<Result<Page<Proposal>, ConsoleError>>;

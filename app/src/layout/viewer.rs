use crate::{
    ConsoleError,
    features::session::{Viewer, current_viewer},
};
use leptos::prelude::*;

/// The signed-in viewer, loaded once with the frame and shared with every page inside it.
#[derive(Clone, Copy)]
pub struct ViewerResource(Resource<Result<Viewer, ConsoleError>>);

impl ViewerResource {
    /// Loads the viewer and provides it to everything below.
    pub fn provide() {
        provide_context(Self(Resource::new(|| (), |()| current_viewer())));
    }

    /// The viewer that the frame has loaded.
    pub fn expect() -> Resource<Result<Viewer, ConsoleError>> {
        expect_context::<Self>().0
    }
}

use crate::{
    ConsoleError, Flash,
    features::session::{Viewer, current_viewer},
    guard::set_status,
};
use leptos::prelude::*;
use wire::{ErrorCode, OperatorRole};

/// The signed-in viewer, loaded once with the frame and shared with every page inside it.
#[derive(Clone, Copy)]
pub struct ViewerResource(Resource<Result<Viewer, ConsoleError>>);

impl ViewerResource {
    /// Loads the viewer and provides it to everything below.
    pub fn provide() {
        provide_context(Self(Resource::new(|| (), |()| current_viewer())));
    }

    /// What the frame has loaded.
    pub fn shared() -> Self {
        expect_context()
    }

    /// The viewer, and what a page reads for viewers with a role. All others are refused before anything is read: a refused read would
    /// answer with a status of its own.
    pub async fn permitted<R>(
        self,
        role: OperatorRole,
        refusal: &str,
        read: impl Future<Output = Result<R, ConsoleError>>,
    ) -> Result<(Viewer, R), ConsoleError> {
        let viewer = self.0.await?;
        if !viewer.profile.has(role) {
            set_status(ErrorCode::Forbidden);
            return Err(ConsoleError::new(ErrorCode::Forbidden, refusal));
        }
        Ok((viewer, read.await?))
    }

    /// The roles of the viewer. If they could not be read, it has all: the way to every page stays open.
    pub async fn roles(self) -> Vec<OperatorRole> {
        self.0.await.map_or_else(|_| OperatorRole::ALL.to_vec(), |viewer| viewer.profile.roles)
    }

    /// Whether the viewer has a role, and the message about a refused form.
    pub async fn allows(self, role: OperatorRole) -> (bool, Option<Flash>) {
        match self.0.await {
            Ok(viewer) => (viewer.profile.has(role), viewer.refused()),
            Err(_) => (false, None),
        }
    }

    /// The viewer that the frame has loaded.
    pub fn expect() -> Resource<Result<Viewer, ConsoleError>> {
        expect_context::<Self>().0
    }
}

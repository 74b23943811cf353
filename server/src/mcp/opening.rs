//! The engine behind a door. A client that comes before the databases and the model are open is answered meanwhile.

use foundation::{Engine, Error, OpContext};
use tokio::sync::watch;

/// What is open.
#[derive(Clone)]
pub struct Open {
    pub engine: Engine,
    /// The agent of a process without a key.
    pub agent: Option<OpContext>,
    /// Whether the embedding model is loaded, too.
    pub has_model: bool,
}

/// Says what is open.
pub type Opener = watch::Sender<Option<Open>>;

/// An engine that is open, or will be.
#[derive(Clone)]
pub struct Opening(watch::Receiver<Option<Open>>);

impl Opening {
    /// An engine that is not open yet.
    pub fn begin() -> (Opener, Self) {
        let (opener, stages) = watch::channel(None);
        (opener, Self(stages))
    }

    /// An engine that is open.
    pub fn done(engine: Engine) -> Self {
        Self(watch::channel(Some(Open { engine, agent: None, has_model: true })).1)
    }

    /// Waits until the databases are open.
    ///
    /// # Errors
    /// `Unavailable` when they cannot be opened.
    pub async fn databases(&self) -> Result<Open, Error> {
        self.stage(|_| true).await
    }

    /// Waits until the model is loaded.
    ///
    /// # Errors
    /// `Unavailable` when the databases cannot be opened, or the model cannot be loaded.
    pub async fn whole(&self) -> Result<Engine, Error> {
        Ok(self.stage(|open| open.has_model).await?.engine)
    }

    async fn stage(&self, is_enough: fn(&Open) -> bool) -> Result<Open, Error> {
        let mut stages = self.0.clone();
        let open = stages.wait_for(|open| open.as_ref().is_some_and(is_enough)).await.ok().and_then(|open| open.clone());
        // The process says why, and ends.
        open.ok_or_else(|| Error::Unavailable("the start of this process failed".into()))
    }
}

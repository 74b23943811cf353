//! Sessions of clients up to protocol 2025-11-25, each bound to the key that opened it.

use futures_util::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, LocalSessionManagerError};
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use wire::KeyId;

/// Most sessions of one key. A client that crashes does not end its session, so the one that was idle longest makes room.
const OF_A_KEY: usize = 32;
/// Most sessions in all.
const IN_ALL: usize = 1024;
/// How long a session without a request lasts. Many clients do not open another one by themselves, so it outlasts a working day.
const IDLE: Duration = Duration::from_secs(12 * 60 * 60);

tokio::task_local! {
    /// The key of the request that is handled: [`SessionManager::create_session`] does not get it.
    pub static OWNER: KeyId;
}

/// The sessions of `rmcp`, each with its key.
pub struct Sessions {
    local: LocalSessionManager,
    owners: Mutex<HashMap<SessionId, (KeyId, Instant)>>,
}

impl Default for Sessions {
    fn default() -> Self {
        let mut local = LocalSessionManager::default();
        local.session_config.keep_alive = Some(IDLE);
        // A stream that is resumed would repeat answers of other requests, and these may be another user's.
        local.session_config.sse_retry = None;
        local.session_config.completed_cache_ttl = Duration::ZERO;
        Self { local, owners: Mutex::default() }
    }
}

impl Sessions {
    fn owners(&self) -> MutexGuard<'_, HashMap<SessionId, (KeyId, Instant)>> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the session exists and belongs to this key. Notes that it is in use.
    pub fn touch(&self, id: &str, key: KeyId) -> bool {
        match self.owners().get_mut(id) {
            Some((owner, used)) if *owner == key => {
                *used = Instant::now();
                true
            }
            _ => false,
        }
    }

    /// Makes room for one more session of a key. False: the server has no room.
    pub async fn make_room(&self, key: KeyId) -> bool {
        let idle = {
            let owners = self.owners();
            let own = owners.iter().filter(|(_, (owner, _))| *owner == key);
            let (count, idle) = (own.clone().count(), own.min_by_key(|(_, (_, used))| *used).map(|(id, _)| id.clone()));
            if count < OF_A_KEY {
                return owners.len() < IN_ALL;
            }
            idle
        };
        if let Some(id) = idle {
            let _ = self.close_session(&id).await;
        }
        true
    }
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let (id, transport) = self.local.create_session().await?;
        // A session without an owner belongs to nobody: no request reaches it.
        if let Ok(owner) = OWNER.try_with(|owner| *owner) {
            self.owners().insert(id.clone(), (owner, Instant::now()));
        }
        Ok((id, transport))
    }

    async fn initialize_session(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.local.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.local.has_session(id).await
    }

    /// Also called when a session expires or fails.
    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.owners().remove(id);
        self.local.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.local.create_stream(id, message).await
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Self::Error> {
        self.local.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.local.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.local.resume(id, last_event_id).await
    }
}

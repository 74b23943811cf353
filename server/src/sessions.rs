//! Sessions of the console. The engine stores them, so that they outlive the process and end on every server at once.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use foundation::{Engine, identity};
use std::fmt;
use tower_sessions::{
    SessionStore,
    cookie::time::OffsetDateTime,
    session::{Id, Record},
    session_store::{Error, Result},
};

/// A [`SessionStore`] over the engine.
#[derive(Clone)]
pub struct EngineSessions(pub Engine);

impl fmt::Debug for EngineSessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EngineSessions")
    }
}

#[async_trait]
impl SessionStore for EngineSessions {
    async fn create(&self, record: &mut Record) -> Result<()> {
        let (data, expires) = parts(record)?;
        while !identity::session_create(&self.0, &record.id.to_string(), &data, expires).await.map_err(backend)? {
            record.id = Id::default();
        }
        Ok(())
    }

    async fn save(&self, record: &Record) -> Result<()> {
        let (data, expires) = parts(record)?;
        // A session that was ended meanwhile stays ended: its owner has to sign in again.
        identity::session_save(&self.0, &record.id.to_string(), &data, expires).await.map(drop).map_err(backend)
    }

    async fn load(&self, id: &Id) -> Result<Option<Record>> {
        let row = identity::session_load(&self.0, &id.to_string()).await.map_err(backend)?;
        let Some((data, expires)) = row else { return Ok(None) };
        let data = serde_json::from_value(data).map_err(|error| Error::Decode(error.to_string()))?;
        let expiry_date = OffsetDateTime::from_unix_timestamp(expires.timestamp()).map_err(|error| Error::Decode(error.to_string()))?;
        Ok(Some(Record { id: *id, data, expiry_date }))
    }

    async fn delete(&self, id: &Id) -> Result<()> {
        identity::session_delete(&self.0, &id.to_string()).await.map_err(backend)
    }
}

fn parts(record: &Record) -> Result<(serde_json::Value, DateTime<Utc>)> {
    let data = serde_json::to_value(&record.data).map_err(|error| Error::Encode(error.to_string()))?;
    let expires = DateTime::from_timestamp(record.expiry_date.unix_timestamp(), 0);
    Ok((data, expires.ok_or_else(|| Error::Encode("the end of the session is out of range".into()))?))
}

fn backend(error: foundation::Error) -> Error {
    Error::Backend(error.to_string())
}

//! The state of the process, for those who watch it.

use serde::{Deserialize, Serialize};

/// Answer of `GET /healthz`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Liveness {
    /// Always `ok`.
    pub status: String,
}

/// Answer of `GET /readyz`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Readiness {
    /// `ready`, `degraded` if the model gives no vectors, or `not ready`.
    pub status: String,
    /// `ok`, or the database that does not answer, is ill or refuses connections, and why.
    pub databases: String,
    /// `ok`, how many are pending, or `unknown`.
    pub migrations: String,
    /// `ok`, or what is wrong with it.
    pub model: String,
}

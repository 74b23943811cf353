use crate::{ConsoleError, codec::Text};
#[cfg(feature = "ssr")]
use crate::{
    Flash,
    guard::{finish, operator},
};
use leptos::{prelude::*, server_fn::codec::GetUrl};
use remembrancer::api::{Forecast as Ahead, MemoryId};
#[cfg(feature = "ssr")]
use remembrancer::{lifecycle, memories};

/// What a sweep would archive now, what the next week brings, and the latest sweeps.
#[server(endpoint = "forecast", input = GetUrl, output = Text)]
pub async fn forecast() -> Result<Ahead, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(lifecycle::forecast(&engine, &ctx).await?)
}

/// Requests a sweep, then redirects to the page.
#[server(endpoint = "sweep")]
pub async fn sweep() -> Result<(), ConsoleError> {
    let result = async {
        let (engine, ctx) = operator().await?;
        lifecycle::sweep_now(&engine, &ctx).await?;
        Ok(Flash::done("The sweep was requested. Reload this page in a moment."))
    };
    finish(result.await, "/lifecycle", "/lifecycle", "").await
}

/// Pins or unpins a memory, then redirects to its page.
#[server(endpoint = "pin_memory")]
pub async fn pin_memory(id: MemoryId, pinned: bool) -> Result<(), ConsoleError> {
    let result = async {
        let (engine, ctx) = operator().await?;
        memories::set_pinned(&engine, &ctx, &id.into(), None, pinned).await?;
        Ok(Flash::done(if pinned { "Pinned. The memory never expires." } else { "Unpinned. Its retention begins now." }))
    };
    let done = format!("/memories/{id}");
    finish(result.await, &done, &done, "").await
}

//! Work that takes milliseconds for a megabyte of text, such as parsing, hashing or comparing it.

use crate::Error;

/// Runs work on a thread of its own, so that no other request waits for it. A caller that goes away does not end the work.
///
/// # Errors
/// `Internal` if the work ends early.
pub async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
    tokio::task::spawn_blocking(work).await.map_err(Error::failed("work on a thread of its own ended early"))
}

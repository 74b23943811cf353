//! Work that takes milliseconds for a megabyte of text.

use foundation::Error;

/// Runs work on a thread of its own, so that no other request waits for it.
///
/// # Errors
/// `Internal` if the work ends early.
pub(super) async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
    tokio::task::spawn_blocking(work).await.map_err(Error::failed("the work on a context ended early"))
}

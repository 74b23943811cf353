//! Work that takes milliseconds for a megabyte of text, such as parsing, hashing or comparing it.

use crate::Error;
use tokio::task::spawn_blocking;

/// Runs work on a thread of its own, so that no other request waits for it. A caller that goes away does not end the work.
///
/// # Errors
/// `Internal` if the work ends early.
pub async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
    spawn_blocking(work).await.map_err(Error::failed("work on a thread of its own ended early"))
}

/// The same of work that `is_large`. Any other is done at once: the way to a thread and back would take longer.
///
/// # Errors
/// `Internal` if the work ends early.
pub async fn off_thread_if<T: Send + 'static>(is_large: bool, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
    if is_large { off_thread(work).await } else { Ok(work()) }
}

/// Frees what takes long to free on a thread of its own. Nobody waits for it.
pub fn free_off_thread(large: impl Send + 'static) {
    drop(spawn_blocking(move || drop(large)));
}

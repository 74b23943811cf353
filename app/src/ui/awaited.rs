use leptos::{prelude::*, reactive::computed::ScopedFuture};
use std::panic::resume_unwind;

/// Starts to read an answer at once: what a page reads is read side by side.
pub fn reading<R: Send + 'static>(answer: impl Future<Output = R> + Send + 'static) -> impl Future<Output = R> + Send + 'static {
    let task = tokio::spawn(ScopedFuture::new_untracked(answer));
    async move {
        match task.await {
            Ok(answer) => answer,
            Err(error) => resume_unwind(error.into_panic()),
        }
    }
}

/// Awaits an answer that is read only for some URLs.
pub async fn if_any<R>(answer: Option<impl Future<Output = R>>) -> Option<R> {
    match answer {
        Some(answer) => Some(answer.await),
        None => None,
    }
}

/// The part of a page that shows what has to be read first.
///
/// No `Suspense` around it: a page is sent whole, so nothing would ever show in its place, and the set of tasks that it watches loses
/// one now and then when two end at once; then the page never comes.
pub fn awaited<V: IntoView + 'static>(view: impl Future<Output = V> + Send + 'static) -> impl IntoView {
    Suspend::new(view)
}

use leptos::prelude::*;

/// A signal for the `set_pending` of a transition, and how to read it.
///
/// Only the browser writes it. On the server a transition runs in a task of its own and would write while the page is rendered; a signal
/// that is being written at that moment cannot be read, and the page would fail.
pub fn busy() -> (ReadSignal<bool>, SignalSetter<bool>) {
    let (busy, set_busy) = signal(false);
    let set_in_browser = move |pending| {
        if cfg!(feature = "hydrate") {
            set_busy.set(pending);
        }
    };
    (busy, SignalSetter::map(set_in_browser))
}

//! A signal between verbs and a worker.

use std::time::Duration;
use tokio::sync::watch;

/// How long a verb waits for a worker.
const PATIENCE: Duration = Duration::from_secs(2);

/// Wakes workers, and lets a verb wait until a single worker has seen what the verb committed.
#[derive(Default)]
pub struct Signal {
    /// How often somebody woke them.
    wakes: watch::Sender<u64>,
    rounds: watch::Sender<Rounds>,
}

/// The worker's rounds, counted.
#[derive(Clone, Copy, Default)]
struct Rounds {
    running: bool,
    begun: u64,
    ended: u64,
}

impl Signal {
    /// Wakes every worker of this signal.
    pub fn wake(&self) {
        self.wakes.send_modify(|wakes| *wakes += 1);
    }

    /// Wakes the worker and waits until a round that begins after this call has ended, at most two seconds. Returns at once when no
    /// worker runs.
    pub async fn settle(&self) {
        let mut rounds = self.rounds.subscribe();
        let next = rounds.borrow_and_update().begun + 1;
        self.wake();
        // An error means that time is up or the signal is gone; the worker continues by itself.
        let _ = tokio::time::timeout(PATIENCE, rounds.wait_for(|rounds| !rounds.running || rounds.ended >= next)).await;
    }

    /// Marks the worker as running until the guard is dropped.
    pub fn attend(&self) -> Attendance<'_> {
        self.rounds.send_modify(|rounds| rounds.running = true);
        Attendance { signal: self, wakes: self.wakes.subscribe() }
    }
}

/// A running worker's side of its signal.
pub struct Attendance<'a> {
    signal: &'a Signal,
    wakes: watch::Receiver<u64>,
}

impl Attendance<'_> {
    /// Waits until somebody wakes the worker; returns at once if somebody did since the last time.
    pub async fn woken(&mut self) {
        // The sender is in the signal, so it is not gone.
        let _ = self.wakes.changed().await;
    }

    /// Runs one round.
    pub async fn round<T>(&self, work: impl Future<Output = T>) -> T {
        self.signal.rounds.send_modify(|rounds| rounds.begun += 1);
        let done = work.await;
        self.signal.rounds.send_modify(|rounds| rounds.ended = rounds.begun);
        done
    }
}

impl Drop for Attendance<'_> {
    fn drop(&mut self) {
        self.signal.rounds.send_modify(|rounds| rounds.running = false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[tokio::test]
    async fn nobody_waits_for_a_worker_that_does_not_run() {
        assert_eq!(Signal::default().settle().now_or_never(), Some(()));
    }

    #[tokio::test]
    async fn a_round_that_had_begun_is_not_enough() {
        let (signal, rounds) = (Arc::new(Signal::default()), Arc::new(AtomicU64::new(0)));
        let worker = tokio::spawn({
            let (signal, rounds) = (Arc::clone(&signal), Arc::clone(&rounds));
            async move {
                let mut attendance = signal.attend();
                for _ in 0..2 {
                    attendance.woken().await;
                    attendance.round(tokio::task::yield_now()).await;
                    rounds.fetch_add(1, Ordering::SeqCst);
                }
            }
        });
        while !signal.rounds.borrow().running {
            tokio::task::yield_now().await;
        }
        signal.wake();
        while signal.rounds.borrow().begun == 0 {
            tokio::task::yield_now().await;
        }
        signal.settle().await;
        assert_eq!(rounds.load(Ordering::SeqCst), 2);
        worker.await.unwrap();
        assert_eq!(signal.settle().now_or_never(), Some(()));
    }
}

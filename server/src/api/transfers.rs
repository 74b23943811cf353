//! Limits how many exports and imports run at once: each holds a database connection for as long as its client takes.

use foundation::op::Actor;
use foundation::{Error, OpContext};
use std::collections::BTreeSet;
use std::io::{Error as IoError, ErrorKind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::AsyncWrite;
use tokio::time::Sleep;

/// Exports at a time, over all callers: a quarter of the connections that serve requests.
const EXPORTS: usize = 4;
/// Imports at a time, over all callers.
const IMPORTS: usize = 2;
/// How long a caller should wait before it tries again.
const WAIT: Duration = Duration::from_secs(5);

/// The running exports and imports, and how long their clients may stall.
pub struct Transfers {
    exports: Arc<Lane>,
    imports: Arc<Lane>,
    /// How long a client may take no byte of an export, or send none of an import.
    pub stall: Duration,
}

impl Transfers {
    /// No transfer is running.
    pub fn new(stall: Duration) -> Self {
        let lane = |most, own, all| Arc::new(Lane { most, own, all, busy: Mutex::default() });
        Self {
            exports: lane(EXPORTS, "an export with this key or by this operator is under way", "too many exports are under way"),
            imports: lane(IMPORTS, "an import with this key is under way", "too many imports are under way"),
            stall,
        }
    }

    /// A turn to export.
    ///
    /// # Errors
    /// `Busy` while this caller runs an export, or too many others do.
    pub fn export(&self, ctx: &OpContext) -> Result<Turn, Error> {
        Lane::enter(&self.exports, caller(ctx))
    }

    /// A turn to import.
    ///
    /// # Errors
    /// `Busy` while this caller runs an import, or too many others do.
    pub fn import(&self, ctx: &OpContext) -> Result<Turn, Error> {
        Lane::enter(&self.imports, caller(ctx))
    }
}

/// The key under which a caller may have one transfer at a time.
fn caller(ctx: &OpContext) -> String {
    match &ctx.actor {
        Actor::Agent { key_id, .. } => format!("key {key_id}"),
        Actor::Operator { id, .. } => format!("operator {id}"),
        Actor::System => format!("request {}", ctx.request_id),
    }
}

struct Lane {
    most: usize,
    own: &'static str,
    all: &'static str,
    /// The callers with a running transfer.
    busy: Mutex<BTreeSet<String>>,
}

impl Lane {
    fn enter(lane: &Arc<Self>, who: String) -> Result<Turn, Error> {
        let mut busy = lane.busy();
        match (busy.contains(&who), busy.len() < lane.most) {
            (true, _) => Err(Error::Busy { reason: lane.own, wait: WAIT }),
            (false, false) => Err(Error::Busy { reason: lane.all, wait: WAIT }),
            (false, true) => {
                busy.insert(who.clone());
                Ok(Turn { lane: Arc::clone(lane), who })
            }
        }
    }

    fn busy(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to one export or import. The caller may start the next one when it is dropped.
pub struct Turn {
    lane: Arc<Lane>,
    who: String,
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.lane.busy().remove(&self.who);
    }
}

/// A writer that fails when its reader takes nothing for too long, so that the other side does not wait, with a transaction open, for ever.
pub struct Impatient<W> {
    inner: W,
    stall: Duration,
    /// Runs while the reader takes nothing.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<W> Impatient<W> {
    pub fn new(inner: W, stall: Duration) -> Self {
        Self { inner, stall, waiting: None }
    }

    /// The result of `polled`, or an error when it has been pending for too long.
    fn bounded<T>(&mut self, context: &mut Context<'_>, polled: Poll<Result<T, IoError>>) -> Poll<Result<T, IoError>> {
        if polled.is_ready() {
            self.waiting = None;
            return polled;
        }
        let stall = self.stall;
        ready!(self.waiting.get_or_insert_with(|| Box::pin(tokio::time::sleep(stall))).as_mut().poll(context));
        Poll::Ready(Err(IoError::new(ErrorKind::TimedOut, format!("the client read nothing for {} s", stall.as_secs()))))
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for Impatient<W> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize, IoError>> {
        let polled = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.bounded(context, polled)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), IoError>> {
        let polled = Pin::new(&mut self.inner).poll_flush(context);
        self.bounded(context, polled)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), IoError>> {
        let polled = Pin::new(&mut self.inner).poll_shutdown(context);
        self.bounded(context, polled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    fn enter(lane: &Arc<Lane>, who: &str) -> Result<Turn, Error> {
        Lane::enter(lane, who.into())
    }

    fn reason(turn: Result<Turn, Error>) -> String {
        turn.err().map(|error| error.to_string()).unwrap()
    }

    #[test]
    fn a_caller_has_one_export_and_one_import_at_a_time() {
        let Transfers { exports, imports, .. } = Transfers::new(Duration::from_secs(30));
        let turn = enter(&exports, "key 1").unwrap();
        assert_eq!(reason(enter(&exports, "key 1")), "an export with this key or by this operator is under way; try again in 5 s");
        let _others = (enter(&imports, "key 1").unwrap(), enter(&exports, "key 2").unwrap());
        assert_eq!(reason(enter(&imports, "key 1")), "an import with this key is under way; try again in 5 s");
        drop(turn);
        enter(&exports, "key 1").unwrap();
    }

    #[test]
    fn the_process_has_a_bound_of_its_own_for_each() {
        let Transfers { exports, imports, .. } = Transfers::new(Duration::from_secs(30));
        let mut turns: Vec<Turn> = (0..EXPORTS).map(|key| enter(&exports, &key.to_string()).unwrap()).collect();
        let _imports: Vec<Turn> = (0..IMPORTS).map(|key| enter(&imports, &key.to_string()).unwrap()).collect();
        assert_eq!(reason(enter(&exports, "another")), "too many exports are under way; try again in 5 s");
        assert_eq!(reason(enter(&imports, "another")), "too many imports are under way; try again in 5 s");
        turns.pop();
        enter(&exports, "another").unwrap();
    }

    #[tokio::test]
    async fn a_reader_that_takes_nothing_is_given_up_and_one_that_reads_is_not() {
        let (writer, mut reader) = tokio::io::duplex(64);
        let mut impatient = Impatient::new(writer, Duration::ZERO);
        impatient.write_all(&[0; 64]).await.unwrap();
        assert_eq!(impatient.write_all(&[0]).await.unwrap_err().kind(), ErrorKind::TimedOut);
        // It continues when there is room again.
        reader.read_exact(&mut [0; 64]).await.unwrap();
        impatient.write_all(&[0; 64]).await.unwrap();

        let (writer, mut reader) = tokio::io::duplex(64);
        let mut patient = Impatient::new(writer, Duration::MAX);
        let mut read = Vec::new();
        let (written, _) = tokio::join!(
            async {
                patient.write_all(&[7; 10_000]).await?;
                patient.shutdown().await
            },
            reader.read_to_end(&mut read)
        );
        written.unwrap();
        assert_eq!(read.len(), 10_000);
    }
}

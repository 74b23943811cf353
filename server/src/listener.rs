//! The HTTP listener: it limits connections, and drops peers that make the server wait too long.
//!
//! `axum::serve` gives hyper no timer, so its timeout for headers has no effect, and it limits neither bodies nor connections.

use crate::limits::network;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, Request};
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::collections::HashMap;
use std::error::Error;
use std::io::{self, IoSlice};
use std::net::{IpAddr, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

/// The limits of a listener.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Open connections; more wait until one closes.
    pub connections: usize,
    /// Open connections of one address; more are closed at once.
    pub of_an_address: usize,
    /// Addresses without such a limit: proxies, which speak for many clients.
    pub proxies: Vec<IpAddr>,
    /// How long the headers of a request may take, counted from the end of the one before.
    pub headers: Duration,
    /// How long a peer may keep the server waiting for a body, or for room to send its answer. A transfer at [`PACE`] uses up none of it.
    pub patience: Duration,
}

/// The rate, in bytes a second, at which a transfer regains as much patience as it uses.
pub const PACE: u32 = 1024;
/// How long the listener rests when the process has no more file descriptors.
const REST: Duration = Duration::from_secs(1);

/// Serves until `stop`, then lets running requests finish.
pub async fn serve(listener: TcpListener, router: Router, limits: Limits, stop: CancellationToken) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.headers);
    let (places, connections) = (Arc::new(Semaphore::new(limits.connections)), TaskTracker::new());
    let (addresses, patience) = (Addresses::default(), limits.patience);
    loop {
        let (stream, peer, place) = tokio::select! {
            biased;
            () = stop.cancelled() => break,
            Some(accepted) = accept(&listener, &places) => accepted,
            else => break,
        };
        let Some(own_place) = addresses.enter(peer.ip(), &limits) else {
            metrics::counter!("remembrancer_refused_total", "limit" => "connections").increment(1);
            continue;
        };
        metrics::gauge!("remembrancer_connections").increment(1);
        let (http, router, stop) = (http.clone(), router.clone(), stop.clone());
        connections.spawn(async move {
            let service = service_fn(move |request: hyper::Request<Incoming>| {
                let mut request: Request = request.map(|body| Body::new(PacedBody { body, patience: Patience::new(patience) }));
                request.extensions_mut().insert(ConnectInfo(peer));
                router.clone().oneshot(request)
            });
            let stream = PacedStream { stream, patience: Patience::new(patience) };
            let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
            let ended = tokio::select! {
                ended = connection.as_mut() => ended,
                () = stop.cancelled() => {
                    connection.as_mut().graceful_shutdown();
                    connection.await
                }
            };
            if let Err(error) = ended {
                tracing::debug!(%peer, %error, "a connection broke off");
            }
            metrics::gauge!("remembrancer_connections").decrement(1);
            drop((place, own_place));
        });
    }
    drop(listener);
    connections.close();
    connections.wait().await;
}

/// The next connection, once there is a place for it; until then the kernel keeps it waiting. It never returns `None`.
async fn accept(listener: &TcpListener, places: &Arc<Semaphore>) -> Option<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.ok()?;
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => return Some((stream, peer, place)),
            // The peer was gone before it was accepted.
            Err(error) if matches!(error.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset) => {}
            Err(error) => {
                tracing::error!(%error, "no connection can be accepted");
                tokio::time::sleep(REST).await;
            }
        }
    }
}

/// Open connections by address, or by /64 of IPv6.
#[derive(Clone, Default)]
struct Addresses(Arc<Mutex<HashMap<IpAddr, usize>>>);

/// The place of a connection among those of its address.
struct Place {
    addresses: Addresses,
    address: IpAddr,
}

impl Addresses {
    /// A place for a connection; `None` if its address has too many.
    fn enter(&self, peer: IpAddr, limits: &Limits) -> Option<Place> {
        let (address, most) = match limits.proxies.contains(&peer.to_canonical()) {
            true => (peer, usize::MAX),
            false => (network(peer), limits.of_an_address),
        };
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(address).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(Place { addresses: self.clone(), address })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.addresses.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.address);
            }
        }
    }
}

/// The time that a peer may keep the server waiting: waiting uses it up, every byte that moves gives some back, up to the initial amount.
struct Patience {
    most: Duration,
    left: Duration,
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl Patience {
    fn new(most: Duration) -> Self {
        Self { most, left: most, waiting: None }
    }

    /// Waits for the peer; ready when its time is used up.
    fn wait(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let left = self.left;
        let (_, sleep) = self.waiting.get_or_insert_with(|| (Instant::now(), Box::pin(tokio::time::sleep(left))));
        sleep.as_mut().poll(context)
    }

    /// Records that bytes moved.
    fn moved(&mut self, bytes: usize) {
        if let Some((since, _)) = self.waiting.take() {
            self.left = self.left.saturating_sub(since.elapsed());
        }
        let earned = Duration::from_secs(bytes as u64) / PACE;
        self.left = self.left.saturating_add(earned).min(self.most);
    }
}

/// A request's body that fails when it comes too slowly.
struct PacedBody {
    body: Incoming,
    patience: Patience,
}

impl HttpBody for PacedBody {
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) else {
            ready!(self.patience.wait(context));
            return Poll::Ready(Some(Err("the body arrived too slowly".into())));
        };
        let bytes = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref()).map_or(0, Bytes::len);
        self.patience.moved(bytes);
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A connection that breaks off when its peer takes no bytes.
struct PacedStream {
    stream: TcpStream,
    patience: Patience,
}

impl PacedStream {
    fn paced(&mut self, context: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match written {
            Poll::Pending => self.patience.wait(context).map(|()| Err(io::ErrorKind::TimedOut.into())),
            Poll::Ready(written) => {
                self.patience.moved(*written.as_ref().unwrap_or(&0));
                Poll::Ready(written)
            }
        }
    }
}

impl AsyncRead for PacedStream {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for PacedStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.paced(context, written)
    }

    fn poll_write_vectored(mut self: Pin<&mut Self>, context: &mut Context<'_>, parts: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.paced(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn waiting_uses_patience_up_and_bytes_give_it_back() {
        let second = Duration::from_secs(1);
        let mut patience = Patience::new(20 * second);
        let waited =
            |patience: &mut Patience, time: Duration| patience.waiting = Some((Instant::now() - time, Box::pin(tokio::time::sleep(time))));
        // One byte every five seconds: a trickle.
        for left in [15, 10, 5] {
            waited(&mut patience, 5 * second);
            patience.moved(1);
            assert!(patience.left <= left * second + Duration::from_millis(10), "{:?}", patience.left);
        }
        waited(&mut patience, 60 * second);
        patience.moved(1);
        assert!(patience.left < second);
        patience.moved(3 * PACE as usize);
        assert!(patience.left >= 3 * second);
        patience.moved(1000 * PACE as usize);
        assert_eq!(patience.left, 20 * second, "nobody saves up");
    }

    #[test]
    fn a_closed_connection_makes_room_for_another_of_its_address() {
        let second = Duration::from_secs(1);
        let limits = Limits { connections: 8, of_an_address: 1, proxies: vec![], headers: second, patience: second };
        let (addresses, peer) = (Addresses::default(), |text: &str| text.parse::<IpAddr>().unwrap());
        let place = addresses.enter(peer("2001:db8::1"), &limits);
        assert!(place.is_some() && addresses.enter(peer("2001:db8::2"), &limits).is_none(), "one client can choose its addresses");
        assert!(addresses.enter(peer("192.0.2.7"), &limits).is_some());
        drop(place);
        assert!(addresses.enter(peer("2001:db8::2"), &limits).is_some());
        assert!(addresses.0.lock().unwrap().is_empty());
    }
}

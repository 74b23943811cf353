//! The listener: slow peers are dropped, connections are counted, and running requests finish.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::ConnectInfo;
use axum::routing::{get, post};
use futures_util::stream;
use server::listener::{Limits, serve};
use std::io::Error as IoError;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

const PATIENT: Limits = Limits {
    connections: 100,
    of_an_address: 100,
    proxies: Vec::new(),
    headers: Duration::from_secs(60),
    patience: Duration::from_secs(60),
};
const SHORT: Duration = Duration::from_millis(50);

struct Running {
    address: SocketAddr,
    stop: CancellationToken,
    served: JoinHandle<()>,
}

async fn run(router: Router, limits: Limits) -> Running {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, stop) = (listener.local_addr().unwrap(), CancellationToken::new());
    Running { address, served: tokio::spawn(serve(listener, router, limits, stop.clone())), stop }
}

impl Running {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// Sends a text and reads until the server closes the connection. A server that never does fails the test.
    async fn exchange(&self, text: &str) -> String {
        let mut stream = self.connect().await;
        stream.write_all(text.as_bytes()).await.unwrap();
        closed(&mut stream).await
    }
}

async fn closed(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    within(stream.read_to_end(&mut bytes)).await.unwrap();
    String::from_utf8(bytes).unwrap()
}

/// Fails a test that would otherwise hang.
async fn within<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), work).await.unwrap()
}

#[tokio::test]
async fn a_peer_that_sends_no_headers_is_disconnected() {
    let running = run(Router::new().route("/", get(|| async { "hello" })), Limits { headers: SHORT, ..PATIENT }).await;
    for unfinished in ["", "GET / HTT", "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "] {
        assert!(!running.exchange(unfinished).await.contains("hello"));
    }
    let kept = running.exchange("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert!(kept.ends_with("hello"), "a connection that rests too long after an answer is closed: {kept}");
}

#[tokio::test]
async fn a_body_that_stops_coming_is_given_up() {
    let router = Router::new().route("/", post(|body: Result<Bytes, _>| async move { body.map_or("cut", |_| "whole") }));
    let running = run(router, Limits { patience: SHORT, ..PATIENT }).await;
    for (length, body, expected) in [(5, "12345", "whole"), (1000, "12345", "cut"), (1000, "", "cut")] {
        let request = format!("POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}");
        let answer = running.exchange(&request).await;
        assert!(answer.ends_with(expected), "{length} {body}: {answer}");
    }
}

/// Sends a message when it is dropped.
struct Told(mpsc::UnboundedSender<()>);

impl Drop for Told {
    fn drop(&mut self) {
        self.0.send(()).ok();
    }
}

#[tokio::test]
async fn an_answer_that_nobody_takes_is_broken_off() {
    let (dropped, mut told) = mpsc::unbounded_channel();
    let endless = move || {
        let parts = stream::unfold(Told(dropped.clone()), |told| async { Some((Ok::<_, IoError>(Bytes::from(vec![b'x'; 65536])), told)) });
        async { Body::from_stream(parts) }
    };
    let running = run(Router::new().route("/", get(endless)), Limits { patience: SHORT, ..PATIENT }).await;
    let mut stream = running.connect().await;
    stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    within(told.recv()).await.unwrap();
}

#[tokio::test]
async fn connections_beyond_the_limit_wait_for_their_turn() {
    let (inside, most, leave) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
    let (entered, mut entries) = mpsc::unbounded_channel();
    let handler = {
        let (inside, most, leave) = (Arc::clone(&inside), Arc::clone(&most), Arc::clone(&leave));
        move || async move {
            most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            entered.send(()).unwrap();
            leave.acquire().await.unwrap().forget();
            inside.fetch_sub(1, Ordering::SeqCst);
            "done"
        }
    };
    let running = Arc::new(run(Router::new().route("/", get(handler)), Limits { connections: 3, ..PATIENT }).await);
    let request = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let clients: Vec<_> = (0..12)
        .map(|_| {
            let running = Arc::clone(&running);
            tokio::spawn(async move { running.exchange(request).await })
        })
        .collect();
    for _ in 0..3 {
        within(entries.recv()).await.unwrap();
    }
    leave.add_permits(12);
    for client in clients {
        assert!(client.await.unwrap().ends_with("done"));
    }
    assert_eq!(most.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn stopping_finishes_the_request_under_way_and_takes_no_other() {
    let (entered, mut entries) = mpsc::unbounded_channel();
    let leave = Arc::new(Semaphore::new(0));
    let handler = {
        let leave = Arc::clone(&leave);
        move |ConnectInfo(peer): ConnectInfo<SocketAddr>| async move {
            entered.send(peer).unwrap();
            leave.acquire().await.unwrap().forget();
            "finished"
        }
    };
    let running = run(Router::new().route("/", get(handler)), PATIENT).await;
    let mut stream = running.connect().await;
    stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    assert_eq!(within(entries.recv()).await.unwrap(), stream.local_addr().unwrap(), "a handler knows its peer");
    running.stop.cancel();
    leave.add_permits(1);
    assert!(closed(&mut stream).await.ends_with("finished"));
    within(running.served).await.unwrap();
    assert!(TcpStream::connect(running.address).await.is_err());
}

#[tokio::test]
async fn one_address_does_not_take_every_connection() {
    let router = || Router::new().route("/", get(|| async { "done" }));
    let request = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let limits = Limits { connections: 4, of_an_address: 2, ..PATIENT };
    let running = run(router(), limits.clone()).await;
    let mut idle = [running.connect().await, running.connect().await];
    // The listener takes connections in their order.
    assert_eq!(closed(&mut running.connect().await).await, "", "the third of this address is closed");
    let neighbour = tokio::net::TcpSocket::new_v4().unwrap();
    neighbour.bind("127.0.0.2:0".parse().unwrap()).unwrap();
    let mut neighbour = neighbour.connect(running.address).await.unwrap();
    neighbour.write_all(request.as_bytes()).await.unwrap();
    assert!(closed(&mut neighbour).await.ends_with("done"), "another address has room");
    for stream in &mut idle {
        stream.write_all(request.as_bytes()).await.unwrap();
        assert!(closed(stream).await.ends_with("done"));
    }

    let proxies = vec!["127.0.0.1".parse().unwrap()];
    let behind = run(router(), Limits { proxies, ..limits }).await;
    let _idle = [behind.connect().await, behind.connect().await];
    assert!(behind.exchange(request).await.ends_with("done"), "a proxy speaks for many");
}

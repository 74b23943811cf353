//! A client that costs the measured machine little: one connection that is kept, one request at a time, nothing that pools or redirects.

use crate::Failure;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE, HOST, HeaderMap, HeaderValue, SET_COOKIE};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde::Serialize;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

/// How long an answer may take.
const ANSWER: Duration = Duration::from_secs(60);
/// Largest body of an answer, in bytes; an export may be larger.
const BODY_MAX: usize = 16 * 1024 * 1024;

/// An answer, read to its end.
pub struct Answer {
    pub status: StatusCode,
    pub body: Bytes,
}

/// Whose requests a connection sends.
#[derive(Clone, Copy, Debug)]
pub enum Access<'a> {
    Nobody,
    /// The key of an agent.
    Key(&'a str),
    /// The cookie of a session of the console.
    Session(&'a str),
}

/// A connection to a server.
pub struct Http {
    sender: SendRequest<Full<Bytes>>,
    /// The headers that every request has.
    headers: HeaderMap,
    /// Dropping it closes the connection.
    _connection: AbortOnDropHandle<()>,
}

impl Http {
    /// Connects to a server on this machine.
    ///
    /// # Errors
    /// When nothing listens there.
    pub async fn connect(address: SocketAddr, access: Access<'_>) -> Result<Self, Failure> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        // Whoever waits for an answer learns why there is none.
        let connection = AbortOnDropHandle::new(tokio::spawn(async move { drop(connection.await) }));
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::try_from(address.to_string())?);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        match access {
            Access::Nobody => {}
            Access::Key(key) => drop(headers.insert(AUTHORIZATION, HeaderValue::try_from(format!("Bearer {key}"))?)),
            Access::Session(cookie) => drop(headers.insert(COOKIE, HeaderValue::try_from(cookie)?)),
        }
        Ok(Self { sender, headers, _connection: connection })
    }

    /// Posts JSON.
    ///
    /// # Errors
    /// When the connection breaks, or there is no answer in time.
    pub async fn post(&mut self, path: &str, body: &impl Serialize) -> Result<Answer, Failure> {
        let body = serde_json::to_vec(body)?;
        in_time(path, async { read(self.send(Method::POST, path, body).await?).await }).await
    }

    /// Gets a path.
    ///
    /// # Errors
    /// As [`Http::post`].
    pub async fn get(&mut self, path: &str) -> Result<Answer, Failure> {
        in_time(path, async { read(self.send(Method::GET, path, vec![]).await?).await }).await
    }

    /// Gets a path, reads the answer to its end and keeps none of it. How many bytes it had.
    ///
    /// # Errors
    /// When the connection breaks, or the server refuses.
    pub async fn drain(&mut self, path: &str) -> Result<usize, Failure> {
        let answer = self.send(Method::GET, path, vec![]).await?;
        if !answer.status().is_success() {
            return Err(refused(path, &read(answer).await?));
        }
        let (mut body, mut bytes) = (answer.into_body(), 0);
        while let Some(frame) = body.frame().await {
            bytes += frame?.data_ref().map_or(0, Bytes::len);
        }
        Ok(bytes)
    }

    async fn send(&mut self, method: Method, path: &str, body: Vec<u8>) -> Result<Response<Incoming>, Failure> {
        let mut request = Request::builder().method(method).uri(path).body(Full::new(Bytes::from(body)))?;
        request.headers_mut().clone_from(&self.headers);
        self.sender.ready().await?;
        Ok(self.sender.send_request(request).await?)
    }
}

/// Signs in to the console: the cookie of the session. Login and password need no escape in a form.
///
/// # Errors
/// When the server refuses.
pub async fn sign_in(address: SocketAddr, login: &str, password: &str) -> Result<String, Failure> {
    let mut http = Http::connect(address, Access::Nobody).await?;
    http.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
    http.headers.insert("sec-fetch-site", HeaderValue::from_static("same-origin"));
    let path = "/console/api/sign_in";
    let answer = http.send(Method::POST, path, format!("login={login}&password={password}").into_bytes()).await?;
    let cookies = answer.headers().get_all(SET_COOKIE).iter().filter_map(|cookie| cookie.to_str().ok()?.split(';').next());
    match cookies.map(str::to_owned).find(|cookie| cookie.starts_with("rmb=")) {
        Some(session) => Ok(session),
        None => Err(refused(path, &read(answer).await?)),
    }
}

/// An error with what the server answered.
pub fn refused(what: &str, Answer { status, body }: &Answer) -> Failure {
    format!("the server refused {what} with the status {status}: {}", String::from_utf8_lossy(body)).into()
}

async fn read(answer: Response<Incoming>) -> Result<Answer, Failure> {
    let status = answer.status();
    Ok(Answer { status, body: Limited::new(answer.into_body(), BODY_MAX).collect().await?.to_bytes() })
}

async fn in_time(path: &str, answer: impl Future<Output = Result<Answer, Failure>>) -> Result<Answer, Failure> {
    timeout(ANSWER, answer).await.map_err(|_| format!("{path} was not answered within {} s", ANSWER.as_secs()))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    /// What a client reads from a server that sends one answer, and what it sent.
    async fn read(answer: &'static str) -> Result<(u16, String, String), Failure> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let server = tokio::spawn(async move {
            let (mut stream, mut request) = (listener.accept().await?.0, Vec::new());
            while !request.ends_with(b"\r\n\r\n") {
                stream.read_buf(&mut request).await?;
            }
            stream.write_all(answer.as_bytes()).await?;
            Ok::<_, std::io::Error>(String::from_utf8_lossy(&request).into_owned())
        });
        let answer = Http::connect(address, Access::Key("secret")).await?.get("/some").await?;
        Ok((answer.status.as_u16(), String::from_utf8(answer.body.to_vec())?, server.await??))
    }

    #[tokio::test]
    async fn an_answer_is_read_to_its_end() {
        let (status, body, request) = read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello").await.unwrap();
        assert_eq!((status, body.as_str()), (200, "hello"));
        assert!(request.starts_with("GET /some HTTP/1.1\r\n") && request.contains("authorization: Bearer secret\r\n"), "{request}");
        let chunked = "HTTP/1.1 409 Conflict\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n";
        assert_eq!(read(chunked).await.unwrap().1, "hello");
        assert!(read("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhello").await.is_err());
        assert!(read("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\nhello").await.is_err());
    }
}

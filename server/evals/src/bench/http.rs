//! A client that costs the measured machine little: one connection, one request at a time.

use crate::Failure;
use serde::Serialize;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long an answer may take.
const ANSWER: Duration = Duration::from_secs(60);
/// Largest body of an answer, in bytes.
const BODY_MAX: usize = 16 * 1024 * 1024;

/// An answer, read to its end.
pub struct Answer {
    pub status: u16,
    pub body: Vec<u8>,
}

impl Answer {
    /// Whether the server did what it was asked to do.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// A connection to a server, with the key of an agent.
pub struct Http {
    stream: BufReader<TcpStream>,
    /// The headers that every request has.
    headers: String,
}

impl Http {
    /// Connects to a server on this machine. Without a key, requests name none.
    ///
    /// # Errors
    /// When nothing listens there.
    pub async fn connect(address: SocketAddr, key: &str) -> Result<Self, Failure> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let authorization = if key.is_empty() { String::new() } else { format!("Authorization: Bearer {key}\r\n") };
        let headers = format!("Host: {address}\r\n{authorization}Content-Type: application/json\r\n");
        Ok(Self { stream: BufReader::new(stream), headers })
    }

    /// Posts JSON.
    ///
    /// # Errors
    /// When the connection breaks, or there is no answer in time.
    pub async fn post(&mut self, path: &str, body: &impl Serialize) -> Result<Answer, Failure> {
        self.send("POST", path, &serde_json::to_vec(body)?).await
    }

    /// Gets a path.
    ///
    /// # Errors
    /// As [`Http::post`].
    pub async fn get(&mut self, path: &str) -> Result<Answer, Failure> {
        self.send("GET", path, &[]).await
    }

    async fn send(&mut self, method: &str, path: &str, body: &[u8]) -> Result<Answer, Failure> {
        let mut request = format!("{method} {path} HTTP/1.1\r\n{}Content-Length: {}\r\n\r\n", self.headers, body.len()).into_bytes();
        request.extend_from_slice(body);
        timeout(ANSWER, self.exchange(&request)).await.map_err(|_| format!("{path} was not answered within {} s", ANSWER.as_secs()))?
    }

    async fn exchange(&mut self, request: &[u8]) -> Result<Answer, Failure> {
        self.stream.get_mut().write_all(request).await?;
        let status = self.line().await?.split(' ').nth(1).and_then(|status| status.parse::<u16>().ok()).ok_or("an answer has no status")?;
        let (mut length, mut chunked) = (0_usize, false);
        loop {
            let line = self.line().await?.to_ascii_lowercase();
            match line.split_once(':') {
                None => break,
                Some(("content-length", value)) => length = value.trim().parse()?,
                Some(("transfer-encoding", value)) => chunked = value.trim() == "chunked",
                Some(_) => {}
            }
        }
        let mut body = Vec::new();
        if chunked {
            while self.chunk(&mut body).await? {}
        } else {
            self.read(&mut body, length).await?;
        }
        Ok(Answer { status, body })
    }

    /// Reads a chunk; whether another one follows.
    async fn chunk(&mut self, body: &mut Vec<u8>) -> Result<bool, Failure> {
        let size = self.line().await?;
        let size = usize::from_str_radix(size.split(';').next().unwrap_or_default(), 16)?;
        self.read(body, size).await?;
        self.line().await?;
        Ok(size > 0)
    }

    async fn read(&mut self, body: &mut Vec<u8>, length: usize) -> Result<(), Failure> {
        let begin = body.len();
        if length > BODY_MAX - begin.min(BODY_MAX) {
            return Err(format!("an answer is larger than {BODY_MAX} bytes").into());
        }
        body.resize(begin + length, 0);
        self.stream.read_exact(&mut body[begin..]).await?;
        Ok(())
    }

    /// A line without its end.
    async fn line(&mut self) -> Result<String, Failure> {
        let mut line = String::new();
        if self.stream.read_line(&mut line).await? == 0 {
            return Err("the server closed the connection".into());
        }
        Ok(line.trim_end().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    /// What a client reads from a server that sends one answer.
    async fn read(answer: &'static str) -> Result<(u16, String), Failure> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let server = tokio::spawn(async move {
            let mut stream = BufReader::new(listener.accept().await?.0);
            let mut request = String::new();
            while !request.ends_with("\r\n\r\n") {
                stream.read_line(&mut request).await?;
            }
            stream.write_all(answer.as_bytes()).await
        });
        let answer = Http::connect(address, "key").await?.get("/").await?;
        server.await??;
        Ok((answer.status, String::from_utf8(answer.body)?))
    }

    #[tokio::test]
    async fn answers_with_a_length_and_in_chunks_are_read_to_their_end() {
        let sized = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
        assert_eq!(read(sized).await.unwrap(), (200, "hello".into()));
        let chunked = "HTTP/1.1 409 Conflict\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n";
        assert_eq!(read(chunked).await.unwrap(), (409, "hello".into()));
        assert!(read("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhello").await.is_err());
        assert!(read("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n").await.is_err());
    }
}

//! The files that pages load: those in the program, or those of a folder.

use axum::extract::Request;
use axum::http::{HeaderMap, Method, header};
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use tower::ServiceExt;
use tower_http::services::ServeDir;

/// Files with their names below the root. A compressed one has the ending of its coding.
type Files = &'static [(&'static str, &'static [u8])];

/// The files in the program. `build.rs` lists none without the feature `embedded-site`.
static EMBEDDED: Files = include!(concat!(env!("OUT_DIR"), "/site.rs"));
/// The folder of a program that has no files in it, as `scripts/frontend.sh` makes it.
const FOLDER: &str = "target/site";
/// The codings of files that are compressed already, best first.
const CODINGS: [(&str, &str); 2] = [("br", ".br"), ("gzip", ".gz")];

/// Where the files are.
#[derive(Clone, Debug)]
pub enum Site {
    Embedded(Files),
    Folder(PathBuf),
}

impl Site {
    /// The files of the configured folder, else those in the program, else those of `target/site`.
    pub fn of(folder: Option<&Path>) -> Self {
        match folder {
            Some(folder) => Self::Folder(folder.to_owned()),
            None if EMBEDDED.is_empty() => Self::Folder(FOLDER.into()),
            None => Self::Embedded(EMBEDDED),
        }
    }

    /// The bytes of a file, none if it is not there: a server without its site still answers the API.
    pub fn read(&self, name: &str) -> Cow<'static, [u8]> {
        match self {
            Self::Embedded(files) => find(files, name).unwrap_or_default().into(),
            Self::Folder(folder) => std::fs::read(folder.join(name)).unwrap_or_default().into(),
        }
    }

    /// The file that a request names, compressed if the client reads that; where there is none, the answer of `absent`.
    pub async fn respond(&self, request: Request, absent: MethodRouter) -> Response {
        let answer = match self {
            Self::Embedded(files) => {
                let file = embedded(files, &request);
                match file {
                    Some(file) => Ok(file),
                    None => absent.oneshot(request).await,
                }
            }
            Self::Folder(folder) => {
                let folder = ServeDir::new(folder).precompressed_br().precompressed_gzip().fallback(absent);
                folder.oneshot(request).await.map(IntoResponse::into_response)
            }
        };
        answer.unwrap_or_else(|never| match never {})
    }
}

fn find(files: Files, name: &str) -> Option<&'static [u8]> {
    files.iter().find(|(known, _)| *known == name).map(|(_, bytes)| *bytes)
}

fn embedded(files: Files, request: &Request) -> Option<Response> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return None;
    }
    let name = request.uri().path().trim_start_matches('/');
    let (plain, kind) = (find(files, name)?, content_type(name));
    let mut accepted = CODINGS.iter().filter(|(coding, _)| accepts(request.headers(), coding));
    let compressed = accepted.find_map(|(coding, ending)| Some((*coding, find(files, &format!("{name}{ending}"))?)));
    Some(match compressed {
        Some((coding, bytes)) => ([(header::CONTENT_TYPE, kind), (header::CONTENT_ENCODING, coding)], bytes).into_response(),
        None => ([(header::CONTENT_TYPE, kind)], plain).into_response(),
    })
}

fn content_type(name: &str) -> &'static str {
    match Path::new(name).extension().and_then(|ending| ending.to_str()) {
        Some("css") => "text/css",
        Some("js") => "text/javascript",
        Some("svg") => "image/svg+xml",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}

/// Whether a client names this coding, and not as one that it refuses.
fn accepts(headers: &HeaderMap, coding: &str) -> bool {
    let values = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|part| {
        let (name, weight) = part.split_once(';').unwrap_or((part, ""));
        let weight = weight.trim().strip_prefix("q=").map_or(1.0, |weight| weight.parse::<f32>().unwrap_or(0.0));
        name.trim().eq_ignore_ascii_case(coding) && weight > 0.0
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::{Body, to_bytes};
    use axum::http::StatusCode;
    use axum::routing::get;

    const FILES: Files = &[("pkg/a.css", b"plain"), ("pkg/a.css.br", b"brotli"), ("pkg/a.css.gz", b"gzip"), ("favicon.svg", b"icon")];

    /// Status, kind, coding and body of an answer.
    async fn answer(method: Method, path: &str, accepted: &str) -> (StatusCode, String, String, Vec<u8>) {
        let request = Request::builder().method(method).uri(path).header(header::ACCEPT_ENCODING, accepted).body(Body::empty()).unwrap();
        let absent = get(|| async { (StatusCode::NOT_FOUND, "no page") });
        let response = Site::Embedded(FILES).respond(request, absent).await;
        let (parts, body) = response.into_parts();
        let shown = |name: header::HeaderName| parts.headers.get(name).map_or(String::new(), |value| value.to_str().unwrap().to_owned());
        let (kind, coding) = (shown(header::CONTENT_TYPE), shown(header::CONTENT_ENCODING));
        (parts.status, kind, coding, to_bytes(body, 1000).await.unwrap().to_vec())
    }

    #[tokio::test]
    async fn a_file_in_the_program_comes_as_the_client_reads_it() {
        for (accepted, coding, body) in [
            ("gzip, deflate, br", "br", "brotli"),
            ("gzip;q=1.0, br;q=0", "gzip", "gzip"),
            ("identity", "", "plain"),
            ("brotli, br;q=much", "", "plain"),
        ] {
            let expected = (StatusCode::OK, "text/css".to_owned(), coding.to_owned(), body.as_bytes().to_vec());
            assert_eq!(answer(Method::GET, "/pkg/a.css", accepted).await, expected, "{accepted}");
        }
        let icon = answer(Method::GET, "/favicon.svg", "br").await;
        assert_eq!((icon.1.as_str(), icon.2.as_str(), icon.3.as_slice()), ("image/svg+xml", "", &b"icon"[..]), "it has no compressed form");
    }

    #[tokio::test]
    async fn what_is_no_file_is_answered_by_the_fallback() {
        for path in ["/pkg", "/pkg/b.css", "/pkg/../pkg/a.css", "/"] {
            let (status, _, _, body) = answer(Method::GET, path, "br").await;
            assert_eq!((status, body.as_slice()), (StatusCode::NOT_FOUND, &b"no page"[..]), "{path}");
        }
        assert_eq!(answer(Method::POST, "/pkg/a.css", "br").await.0, StatusCode::METHOD_NOT_ALLOWED);
    }

    #[test]
    fn a_configured_folder_wins() {
        assert!(matches!(Site::of(Some(Path::new("site"))), Site::Folder(folder) if folder == Path::new("site")));
        let default = Site::of(None);
        assert!(matches!(default, Site::Folder(_)) == EMBEDDED.is_empty(), "{default:?}");
    }
}

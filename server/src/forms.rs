//! Which forms the console takes: those that come from a page of this server and hold the token of their session; and how a consent leads
//! to its client.

use app::{FORM_TOKEN, SIGN_IN, is_form_token, own_path};
use axum::{
    body::{Body, Bytes},
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, Uri, header},
    middleware::Next,
    response::{Html, IntoResponse, Response},
};
use futures_util::{StreamExt, stream};
use std::sync::Arc;
use tower_sessions::Session;
use wire::RequestId;
use wire::oauth::redirect_origin;

/// The form with which an operator gives a client access, or denies it.
const CONSENT: &str = "/console/api/authorize_client";

/// Bytes of a form that are read to find its token, which is in the first field. In a form with files a boundary and a header come before it.
const FIRST_FIELD: usize = 512;

/// Middleware that refuses changes which do not come from a page of this server: the cookie of a session alone proves nothing.
pub async fn require_same_origin(State(public_url): State<Arc<str>>, request: Request, next: Next) -> Response {
    if request.method().is_safe() || is_same_origin(request.headers(), &public_url) {
        return next.run(request).await;
    }
    let request_id = request.extensions().get::<RequestId>().copied();
    tracing::warn!(?request_id, path = request.uri().path(), "refused a form that came from another site");
    let text = "Changes can only be sent from pages of the console. Nothing was changed.";
    refused("This request did not come from the console", text, "/", "Open the console")
}

fn is_same_origin(headers: &HeaderMap, public_url: &str) -> bool {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    if let Some(site) = text(header::HeaderName::from_static("sec-fetch-site")) {
        return matches!(site, "same-origin" | "none");
    }
    let authority = |url: &str| url.parse::<Uri>().ok().and_then(|uri| uri.authority().map(ToString::to_string));
    let Some(origin) = text(header::ORIGIN) else { return false };
    origin == public_url || authority(origin).is_some_and(|authority| Some(authority.as_str()) == text(header::HOST))
}

/// Middleware that refuses a form of a session without the token of that form: a form that somebody smuggled into a page has none. Runs
/// inside the layer of the sessions. Without a session there is nothing that a form could abuse, so signing in needs no token.
pub async fn require_form_token(request: Request, next: Next) -> Response {
    let session = request.extensions().get::<Session>().and_then(Session::id);
    let Some(session) = session.filter(|_| !request.method().is_safe() && request.uri().path() != SIGN_IN) else {
        return next.run(request).await;
    };
    let (parts, body) = request.into_parts();
    let (start, body) = peek(body).await;
    let token = first_field(&parts.headers, &start).unwrap_or_default();
    if is_form_token(session, parts.uri.path(), token) {
        return next.run(Request::from_parts(parts, body)).await;
    }
    let request_id = parts.extensions.get::<RequestId>().copied();
    tracing::warn!(?request_id, path = parts.uri.path(), "refused a form without the token of its session");
    let text = "Reload the page and send it again. Nothing was changed.";
    refused("This form has expired", text, &origin_page(&parts.headers), "Back to the page")
}

/// The start of a body, at least [`FIRST_FIELD`] bytes if it has so many, and the whole body.
async fn peek(body: Body) -> (Vec<u8>, Body) {
    let (mut rest, mut read, mut start) = (body.into_data_stream(), Vec::<Result<Bytes, axum::Error>>::new(), Vec::new());
    while start.len() < FIRST_FIELD {
        let Some(chunk) = rest.next().await else { break };
        let failed = chunk.is_err();
        start.extend_from_slice(chunk.as_deref().unwrap_or_default());
        read.push(chunk);
        if failed {
            break;
        }
    }
    (start, Body::from_stream(stream::iter(read).chain(rest)))
}

/// The value of the first field of a form, if that is the field of the token.
fn first_field<'a>(headers: &HeaderMap, start: &'a [u8]) -> Option<&'a [u8]> {
    let kind = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let (name, value) = if kind.starts_with("multipart/form-data") {
        let head = start.windows(4).position(|four| four == b"\r\n\r\n")?;
        let name = format!("name=\"{FORM_TOKEN}\"");
        (start.get(..head)?.windows(name.len()).any(|part| part == name.as_bytes()), start.get(head + 4..)?)
    } else {
        let field = format!("{FORM_TOKEN}=");
        (start.starts_with(field.as_bytes()), start.get(field.len()..)?)
    };
    let end = value.iter().position(|byte| matches!(byte, b'&' | b'\r')).unwrap_or(value.len());
    value.get(..end).filter(|_| name)
}

/// The page that a form was sent from, if it is one of this server.
fn origin_page(headers: &HeaderMap) -> String {
    let referer = headers.get(header::REFERER).and_then(|value| value.to_str().ok()?.parse::<Uri>().ok());
    let path = referer.and_then(|uri| uri.path_and_query().map(ToString::to_string)).unwrap_or_default();
    escaped(own_path(&path, "/"))
}

/// Middleware that makes a page of the redirect with which a consent leads to its client. Browsers apply the policy of a page that sends a
/// form to every redirect that follows, also to those of the client, which nobody knows. A page of its own leads wherever it likes.
pub async fn lead_to_client(State(public_url): State<Arc<str>>, request: Request, next: Next) -> Response {
    let is_consent = request.uri().path() == CONSENT;
    let response = next.run(request).await;
    let is_own = |to: &str| to.strip_prefix(&*public_url).unwrap_or(to).starts_with(['/', '?']);
    let to = response.headers().get(header::LOCATION).and_then(|to| to.to_str().ok());
    let to = to.filter(|to| is_consent && response.status().is_redirection() && !is_own(to)).map(str::to_owned);
    to.map_or(response, |to| {
        let (href, client) = (escaped(&to), redirect_origin(&to).unwrap_or_else(|| "the program".to_owned()));
        let head = format!("<meta http-equiv=\"refresh\" content=\"0;url={href}\"><title>Back to the program · Remembrancer</title>");
        let text = "If nothing happens, follow the link.";
        page(&head, "<h1>Back to the program</h1>", text, &href, &format!("Continue to {client}")).into_response()
    })
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
}

/// A page that says why a form was refused. `href` is escaped.
fn refused(title: &str, text: &str, href: &str, link: &str) -> Response {
    let title = format!("<p class=\"mb-2 font-mono text-sm text-soft\">403</p><h1>{title}</h1>");
    (StatusCode::FORBIDDEN, page("<title>Refused · Remembrancer</title>", &title, text, href, link)).into_response()
}

/// A page with one link. Everything is escaped.
fn page(head: &str, title: &str, text: &str, href: &str, link: &str) -> Html<String> {
    Html(format!(
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">{head}\
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><link rel=\"stylesheet\" href=\"/pkg/remembrancer.css\"></head>\
<body><main class=\"mx-auto flex min-h-dvh max-w-md flex-col justify-center px-6\">{title}\
<p class=\"mt-2 mb-5 text-soft\">{text}</p><p><a class=\"button button-primary\" href=\"{href}\">{link}</a></p></main></body></html>"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (header::HeaderName::from_static(name), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn only_own_pages_may_send_forms() {
        let ours = "https://memory.example.org";
        let cases: [(&[(&str, &str)], bool); 8] = [
            (&[("sec-fetch-site", "same-origin"), ("origin", "https://elsewhere.example")], true),
            (&[("sec-fetch-site", "none")], true),
            (&[("sec-fetch-site", "same-site"), ("origin", "https://memory.example.org")], false),
            (&[("sec-fetch-site", "cross-site")], false),
            (&[("origin", "https://memory.example.org"), ("host", "10.0.0.1:3000")], true),
            (&[("origin", "http://127.0.0.1:3000"), ("host", "127.0.0.1:3000")], true),
            (&[("origin", "null"), ("host", "127.0.0.1:3000")], false),
            (&[("host", "memory.example.org")], false),
        ];
        for (pairs, expected) in cases {
            assert_eq!(is_same_origin(&headers(pairs), ours), expected, "{pairs:?}");
        }
    }

    #[test]
    fn the_token_is_the_first_field_of_a_form() {
        let simple = headers(&[("content-type", "application/x-www-form-urlencoded")]);
        let files = headers(&[("content-type", "multipart/form-data; boundary=b")]);
        let part = |name: &str| format!("--b\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\nabc\r\n--b--\r\n");
        let (ours, other) = (part(FORM_TOKEN), part("collection"));
        let cases = [
            (&simple, format!("{FORM_TOKEN}=abc&reason=tea"), Some("abc")),
            (&simple, format!("{FORM_TOKEN}=abc"), Some("abc")),
            (&simple, format!("reason=tea&{FORM_TOKEN}=abc"), None),
            (&simple, String::new(), None),
            (&files, ours.clone(), Some("abc")),
            (&files, other, None),
            (&HeaderMap::new(), ours, None),
        ];
        for (headers, body, expected) in cases {
            assert_eq!(first_field(headers, body.as_bytes()), expected.map(str::as_bytes), "{body}");
        }
    }

    #[test]
    fn only_own_pages_are_led_back_to() {
        let from = |referer: &'static str| origin_page(&headers(&[("referer", referer)]));
        assert_eq!(from("https://memory.example.org/inbox?agent=a&focus=b"), "/inbox?agent=a&amp;focus=b");
        assert_eq!(from("https://memory.example.org//example.org"), "/");
        assert!(!from("https://memory.example.org/\"><b>").contains("\"><"));
        assert_eq!(origin_page(&HeaderMap::new()), "/");
    }
}

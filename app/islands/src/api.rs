//! Requests of islands to the server functions of the console. Islands know these by their URL alone.

use leptos::{
    prelude::*,
    wasm_bindgen::JsCast,
    web_sys::{
        RequestInit, Response, UrlSearchParams,
        js_sys::{encode_uri_component, futures::JsFuture},
    },
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// The path of the server function that finds [`Target`]s by a text.
pub const PLACES: &str = "/console/api/places";
/// The path of the server function that lists names of terms that contain a text.
pub const TERM_NAMES: &str = "/console/api/term_names";
/// The path of the server function that stores the choice of a theme.
pub const SET_THEME: &str = "/console/api/set_theme";

/// Somewhere to go: what it is, what it is called, what tells it apart, and its URL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    pub kind: String,
    pub label: String,
    pub detail: String,
    pub href: String,
}

/// What an island needs of the error of a server function.
#[derive(Deserialize)]
struct Refusal {
    message: String,
}

/// The URL of a path with the query `q`.
pub fn with_q(path: &str, q: &str) -> String {
    format!("{path}?q={}", encode_uri_component(q))
}

/// Reads what the server function at a path answers to a text. The error is a message for the reader.
pub async fn read<T: DeserializeOwned>(path: &str, q: &str) -> Result<T, String> {
    let sent = JsFuture::from(window().fetch_with_str(&with_q(path, q))).await;
    let Ok(response) = sent.and_then(|response| response.dyn_into::<Response>()) else {
        return Err("The server cannot be reached. Check the connection, then try again.".into());
    };
    let text = text_of(&response).await.unwrap_or_default();
    let answer = if response.ok() {
        serde_json::from_str(&text).map(Ok)
    } else {
        serde_json::from_str(&text).map(|refusal: Refusal| Err(refusal.message))
    };
    answer.unwrap_or_else(|_| Err("This page could not read the answer of the server. Reload it.".into()))
}

async fn text_of(response: &Response) -> Option<String> {
    JsFuture::from(response.text().ok()?).await.ok()?.as_string()
}

/// Posts the fields of a form to the server function at a path. Whether that worked does not matter to the caller.
pub async fn post(path: &str, fields: &[(&str, &str)]) {
    let Ok(body) = UrlSearchParams::new() else { return };
    fields.iter().for_each(|(name, value)| body.append(name, value));
    let request = RequestInit::new();
    request.set_method("POST");
    request.set_body(&body);
    drop(JsFuture::from(window().fetch_with_str_and_init(path, &request)).await);
}

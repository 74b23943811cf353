//! Embeddings from any server that speaks OpenAI's `POST /embeddings`.

use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

use super::http::{Endpoint, Failure};
use super::{ApiKey, EmbedError, Embedder, Role, normalise};

/// Most texts in one request; hosted servers take at least this many.
const BATCH: usize = 96;
/// Longest part of a provider's own message that is shown, in characters.
const MESSAGE_MAX: usize = 200;

/// Where the server is and what it is asked for.
#[derive(Clone, Debug)]
pub struct OpenAiOptions {
    /// Up to and without `/embeddings`, e.g. `https://api.openai.com/v1`.
    pub base_url: String,
    /// Sent as a bearer token; self-hosted servers often need none.
    pub api_key: Option<ApiKey>,
    /// The model's name as the server knows it, which is also its name in the registry.
    pub model: String,
    /// Components that each vector must have.
    pub dimension: usize,
    /// For one request, from connecting to the last byte.
    pub timeout: Duration,
}

/// Embeddings over HTTP.
#[derive(Clone, Debug)]
pub struct OpenAi {
    model: String,
    dimension: usize,
    endpoint: Endpoint,
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: &'a [String],
    encoding_format: &'static str,
}

#[derive(Deserialize)]
struct Response {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: usize,
    embedding: Vec<f32>,
}

#[derive(Deserialize)]
struct Reason {
    error: Message,
}

#[derive(Deserialize)]
struct Message {
    message: String,
}

impl OpenAi {
    /// Checks the address and prepares a connection pool; sends nothing yet.
    pub fn new(options: OpenAiOptions) -> Result<Self, EmbedError> {
        let OpenAiOptions { base_url, api_key, model, dimension, timeout } = options;
        let endpoint = Endpoint::new(&base_url, "embeddings", api_key, timeout).map_err(EmbedError::Unavailable)?;
        Ok(Self { model, dimension, endpoint })
    }

    async fn request(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let body = Request { model: &self.model, input: texts, encoding_format: "float" };
        let response = match self.endpoint.post(&body).await {
            Ok(response) => response,
            Err(failure) => return Err(reason(failure).await),
        };
        let body = match response.bytes().await {
            Ok(body) => body,
            Err(error) => return Err(reason(self.endpoint.transport(error)).await),
        };
        let response: Response = serde_json::from_slice(&body).map_err(|e| EmbedError::BadResponse(e.to_string()))?;
        self.vectors(response, texts.len())
    }

    /// Puts the vectors into the order of the texts; a server may answer in any order.
    fn vectors(&self, response: Response, count: usize) -> Result<Vec<Vec<f32>>, EmbedError> {
        if response.data.len() != count {
            return Err(EmbedError::BadResponse(format!("{} vectors for {count} texts", response.data.len())));
        }
        let mut vectors = vec![Vec::new(); count];
        for Item { index, mut embedding } in response.data {
            if embedding.len() != self.dimension {
                let expected = self.dimension;
                return Err(EmbedError::BadResponse(format!("a vector of {} components, {expected} expected", embedding.len())));
            }
            let place = vectors.get_mut(index).filter(|v| v.is_empty());
            let place = place.ok_or_else(|| EmbedError::BadResponse(format!("index {index} twice or out of range")))?;
            normalise(&mut embedding)?;
            *place = embedding;
        }
        Ok(vectors)
    }
}

async fn reason(failure: Failure) -> EmbedError {
    match failure {
        Failure::Unavailable(message) => EmbedError::Unavailable(message),
        Failure::Timeout(timeout) => EmbedError::Timeout(timeout),
        Failure::Unauthorized { status } => EmbedError::Unauthorized { status },
        Failure::RateLimited { retry_after } => EmbedError::RateLimited { retry_after },
        Failure::Refused(response) => {
            let status = response.status().as_u16();
            let message = response.json::<Reason>().await.map(|r| r.error.message).unwrap_or_else(|_| "no reason given".into());
            EmbedError::Refused { status, message: message.chars().take(MESSAGE_MAX).collect() }
        }
    }
}

impl Embedder for OpenAi {
    fn model(&self) -> &str {
        &self.model
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn embed(&self, texts: Vec<String>, _: Role) -> BoxFuture<'_, Result<Vec<Vec<f32>>, EmbedError>> {
        Box::pin(async move {
            let mut vectors = Vec::with_capacity(texts.len());
            for batch in texts.chunks(BATCH) {
                vectors.extend(self.request(batch).await?);
            }
            Ok(vectors)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::{
        Json, Router,
        http::{HeaderMap, StatusCode, Uri},
        response::IntoResponse,
    };
    use serde_json::{Value, json};
    use std::sync::{Arc, Mutex};
    use tokio::task::JoinHandle;

    const KEY: &str = "sk-very-secret";

    /// What a server was sent: path, `authorization`, inputs.
    type Received = Arc<Mutex<Vec<(String, String, Vec<String>)>>>;

    /// A server on a free port, gone when dropped.
    struct Stub {
        url: String,
        received: Received,
        serving: JoinHandle<()>,
    }

    impl Drop for Stub {
        fn drop(&mut self) {
            self.serving.abort();
        }
    }

    impl Stub {
        async fn answering<R: IntoResponse>(answer: impl Fn(&[String]) -> R + Clone + Send + Sync + 'static) -> Self {
            let received = Received::default();
            let log = received.clone();
            let router = Router::new().fallback(async move |uri: Uri, headers: HeaderMap, Json(body): Json<Value>| {
                let inputs: Vec<String> = serde_json::from_value(body["input"].clone()).unwrap();
                let authorization = headers["authorization"].to_str().unwrap().to_owned();
                let response = answer(&inputs).into_response();
                log.lock().unwrap().push((uri.path().to_owned(), authorization, inputs));
                response
            });
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let url = format!("http://{}/v1/", listener.local_addr().unwrap());
            let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
            Self { url, received, serving }
        }

        fn provider(&self) -> OpenAi {
            provider(&self.url)
        }

        fn received(&self) -> Vec<(String, String, Vec<String>)> {
            self.received.lock().unwrap().clone()
        }
    }

    fn provider(url: &str) -> OpenAi {
        OpenAi::new(OpenAiOptions {
            base_url: url.into(),
            api_key: Some(ApiKey::new(KEY)),
            model: "m".into(),
            dimension: 2,
            timeout: Duration::from_millis(500),
        })
        .unwrap()
    }

    /// The error that one text gets from an endpoint with this answer.
    async fn one<R: IntoResponse + Clone + Send + Sync + 'static>(answer: R) -> EmbedError {
        let endpoint = Stub::answering(move |_| answer.clone()).await;
        endpoint.provider().embed(vec!["a".into()], Role::Passage).await.unwrap_err()
    }

    fn texts(n: usize) -> Vec<String> {
        (0..n).map(|i| i.to_string()).collect()
    }

    #[tokio::test]
    async fn sends_the_key_and_restores_the_order() {
        let body = json!({"data": [{"index": 1, "embedding": [0.0, 5.0]}, {"index": 0, "embedding": [2.0, 0.0]}]});
        let endpoint = Stub::answering(move |_| Json(body.clone())).await;
        let vectors = endpoint.provider().embed(texts(2), Role::Passage).await.unwrap();
        assert_eq!(vectors, [[1.0, 0.0], [0.0, 1.0]]);
        assert_eq!(endpoint.received(), [("/v1/embeddings".to_owned(), format!("Bearer {KEY}"), texts(2))]);
    }

    #[tokio::test]
    async fn many_texts_go_out_in_batches() {
        let endpoint = Stub::answering(|inputs| {
            let number = |text: &String| text.parse::<f32>().unwrap();
            let data: Vec<_> = inputs.iter().enumerate().map(|(i, text)| json!({"index": i, "embedding": [1.0, number(text)]})).collect();
            Json(json!({"data": data}))
        })
        .await;
        let vectors = endpoint.provider().embed(texts(200), Role::Passage).await.unwrap();
        assert_eq!(vectors.len(), 200);
        for (i, v) in vectors.iter().enumerate() {
            assert!((v[1] / v[0] - i as f32).abs() < 1e-2, "{i}: {v:?}");
        }
        let received = endpoint.received();
        assert_eq!(received.len(), 3);
        assert!(received.iter().all(|(_, _, inputs)| inputs.len() <= BATCH));
    }

    #[tokio::test]
    async fn no_texts_ask_nothing() {
        let endpoint = Stub::answering(|_| StatusCode::INTERNAL_SERVER_ERROR).await;
        assert!(endpoint.provider().embed(Vec::new(), Role::Passage).await.unwrap().is_empty());
        assert_eq!(endpoint.received(), []);
    }

    #[tokio::test]
    async fn unusable_answers_are_refused() {
        let item = |index: usize, embedding: Value| json!({"data": [{"index": index, "embedding": embedding}]});
        for body in [
            json!({"data": []}),
            item(1, json!([1.0, 0.0])),
            item(0, json!([1.0])),
            item(0, json!([0.0, 0.0])),
            item(0, json!("AAAA")),
            json!({"object": "list"}),
        ] {
            let error = one(Json(body.clone())).await;
            assert!(matches!(error, EmbedError::BadResponse(_)), "{body}: {error}");
        }
    }

    #[tokio::test]
    async fn statuses_become_reasons() {
        let error = one((StatusCode::UNAUTHORIZED, KEY)).await;
        assert!(matches!(error, EmbedError::Unauthorized { status: 401 }));
        assert!(!format!("{error} {error:?}").contains(KEY));

        let error = one((StatusCode::TOO_MANY_REQUESTS, [("retry-after", "7")])).await;
        assert!(matches!(error, EmbedError::RateLimited { retry_after: Some(d) } if d.as_secs() == 7));
        assert!(error.is_transient());

        assert!(matches!(one(StatusCode::SERVICE_UNAVAILABLE).await, EmbedError::Unavailable(_)));

        let error = one((StatusCode::BAD_REQUEST, Json(json!({"error": {"message": "no such model"}})))).await;
        assert!(error.to_string().contains("no such model"), "{error}");
        assert!(!error.is_transient());
    }

    #[tokio::test]
    async fn a_redirect_does_not_take_the_key_along() {
        let error = one((StatusCode::FOUND, [("location", "http://127.0.0.1:1/")])).await;
        assert!(matches!(error, EmbedError::Refused { status: 302, .. }), "{error}");
    }

    #[tokio::test]
    async fn slow_and_absent_servers_are_told_apart() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let silent = provider(&format!("http://{}/v1", listener.local_addr().unwrap()));
        let error = silent.embed(texts(1), Role::Passage).await.unwrap_err();
        assert!(matches!(error, EmbedError::Timeout(_)), "{error}");

        drop(listener);
        let error = silent.embed(texts(1), Role::Passage).await.unwrap_err();
        assert!(matches!(error, EmbedError::Unavailable(_)) && error.is_transient(), "{error}");
    }

    #[test]
    fn debug_never_shows_the_key() {
        assert!(!format!("{:?}", provider("http://127.0.0.1:1/v1")).contains(KEY));
    }
}

//! Answers in JSON from any server that speaks OpenAI's `POST /chat/completions` with a JSON schema.

use super::openai::ApiKey;
use futures_util::future::BoxFuture;
use reqwest::{Client, StatusCode, header};
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

/// Longest answer that is read, in bytes. What a model has to say about one part of a text is far shorter.
const ANSWER_MAX: usize = 1024 * 1024;
/// Longest error code of a provider that is shown, in characters.
const CODE_MAX: usize = 64;

/// Answers a question with a JSON document.
pub trait Chat: Send + Sync + 'static {
    /// The model's name as the provider knows it.
    fn model(&self) -> &str;
    /// One answer. Dropping the future abandons the request.
    fn answer(&self, question: Question) -> BoxFuture<'_, Result<Answer, ChatError>>;
}

/// What a model is asked.
#[derive(Clone, Debug)]
pub struct Question {
    /// What to do; the same for every text.
    pub instructions: String,
    /// The text to work on.
    pub text: String,
    /// The name of the schema, in lower case and without spaces.
    pub name: &'static str,
    /// The JSON schema of the answer.
    pub schema: Value,
}

/// What a model answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub json: Value,
    /// Tokens of the question and of the answer, as the provider counts them; 0 if it does not.
    pub tokens_in: i64,
    pub tokens_out: i64,
}

/// Why there is no answer. No variant holds words of a question or an answer, so that errors can be logged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChatError {
    #[error("the chat model cannot be reached: {0}")]
    Unavailable(String),
    #[error("the chat model did not answer within {} s", .0.as_secs_f32())]
    Timeout(Duration),
    #[error("the chat model's provider refused the API key (HTTP {status}): check OPENAI_API_KEY")]
    Unauthorized { status: u16 },
    #[error("the chat model's provider has no capacity for this key now (HTTP 429)")]
    RateLimited { retry_after: Option<Duration> },
    #[error("the chat model's provider refused the request (HTTP {status}, {code})")]
    Refused { status: u16, code: String },
    #[error("the chat model declined to answer about this text")]
    Declined,
    #[error("the chat model's answer is longer than {} kB", ANSWER_MAX / 1024)]
    TooLong,
    #[error("the chat model answered something unusable: {0}")]
    BadResponse(String),
}

impl ChatError {
    /// Whether the same question may succeed later, without a change of the configuration.
    pub fn is_transient(&self) -> bool {
        !matches!(self, Self::Unauthorized { .. } | Self::Refused { .. } | Self::Declined)
    }
}

/// Where the server is and which model answers.
#[derive(Clone, Debug)]
pub struct ChatOptions {
    /// Up to and without `/chat/completions`, e.g. `https://api.openai.com/v1`.
    pub base_url: String,
    /// Sent as a bearer token; self-hosted servers often need none.
    pub api_key: Option<ApiKey>,
    pub model: String,
    /// For one request, from connecting to the last byte.
    pub timeout: Duration,
}

/// A chat model over HTTP.
#[derive(Clone, Debug)]
pub struct OpenAiChat {
    options: ChatOptions,
    url: reqwest::Url,
    client: Client,
}

#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Usage,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
    refusal: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Usage {
    prompt_tokens: i64,
    completion_tokens: i64,
}

impl OpenAiChat {
    /// Checks the address and prepares a connection pool. Sends nothing yet.
    ///
    /// # Errors
    /// `Unavailable` if the base URL is not a URL.
    pub fn new(options: ChatOptions) -> Result<Self, ChatError> {
        let address = format!("{}/chat/completions", options.base_url.trim_end_matches('/'));
        let url = address.parse().map_err(|e| ChatError::Unavailable(format!("OPENAI_BASE_URL is not a URL: {e}")))?;
        // An error means that the process has chosen its cryptography already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .timeout(options.timeout)
            .connect_timeout(options.timeout.min(Duration::from_secs(5)))
            // The key must not follow a redirect to another host.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|e| ChatError::Unavailable(e.to_string()))?;
        Ok(Self { options, url, client })
    }

    async fn request(&self, question: &Question) -> Result<Answer, ChatError> {
        let body = json!({
            "model": self.options.model,
            "messages": [
                { "role": "system", "content": question.instructions },
                { "role": "user", "content": question.text },
            ],
            "response_format": {
                "type": "json_schema",
                "json_schema": { "name": question.name, "strict": true, "schema": question.schema },
            },
        });
        let mut request = self.client.post(self.url.clone()).json(&body);
        if let Some(key) = &self.options.api_key {
            request = request.bearer_auth(key.secret());
        }
        let response = request.send().await.map_err(|e| self.transport(e))?;
        if !response.status().is_success() {
            return Err(self.refusal(response).await);
        }
        read(&self.body(response).await?)
    }

    /// The body, as far as it is short enough to be an answer.
    async fn body(&self, mut response: reqwest::Response) -> Result<Vec<u8>, ChatError> {
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|e| self.transport(e))? {
            if body.len() + chunk.len() > ANSWER_MAX {
                return Err(ChatError::TooLong);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    /// What a status other than success means. The message of a refused key is not read: some servers repeat the key in it.
    async fn refusal(&self, response: reqwest::Response) -> ChatError {
        let status = response.status();
        match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => ChatError::Unauthorized { status: status.as_u16() },
            StatusCode::TOO_MANY_REQUESTS => {
                let seconds = response.headers().get(header::RETRY_AFTER).and_then(|v| v.to_str().ok()).and_then(|v| v.parse().ok());
                ChatError::RateLimited { retry_after: seconds.map(Duration::from_secs) }
            }
            _ if status.is_server_error() => ChatError::Unavailable(format!("HTTP {}", status.as_u16())),
            _ => {
                let body = self.body(response).await.unwrap_or_default();
                let body: Value = serde_json::from_slice(&body).unwrap_or_default();
                ChatError::Refused { status: status.as_u16(), code: code(&body["error"]) }
            }
        }
    }

    fn transport(&self, error: reqwest::Error) -> ChatError {
        if error.is_timeout() { ChatError::Timeout(self.options.timeout) } else { ChatError::Unavailable(error.without_url().to_string()) }
    }
}

/// A provider's code of an error. Its message may repeat the question, so it is not shown.
fn code(error: &Value) -> String {
    let code = error["code"].as_str().or_else(|| error["type"].as_str()).unwrap_or("no code");
    let plain = |c: &char| c.is_ascii_alphanumeric() || " _-.".contains(*c);
    code.chars().filter(plain).take(CODE_MAX).collect()
}

/// The JSON in a completion. Errors say where it is wrong and never repeat the answer, which holds words of users.
fn read(body: &[u8]) -> Result<Answer, ChatError> {
    let at = |error: &serde_json::Error| format!("line {}, column {}", error.line(), error.column());
    let completion: Completion =
        serde_json::from_slice(body).map_err(|e| ChatError::BadResponse(format!("the body is no chat completion ({})", at(&e))))?;
    let choice = completion.choices.into_iter().next().ok_or_else(|| ChatError::BadResponse("no choice".into()))?;
    if choice.message.refusal.is_some() {
        return Err(ChatError::Declined);
    }
    match choice.finish_reason.as_deref() {
        Some("content_filter") => return Err(ChatError::Declined),
        Some("length") => return Err(ChatError::BadResponse("it was cut at the model's token limit".into())),
        _ => {}
    }
    let content = choice.message.content.ok_or_else(|| ChatError::BadResponse("no content".into()))?;
    let json = serde_json::from_str(&content).map_err(|e| ChatError::BadResponse(format!("the content is not JSON ({})", at(&e))))?;
    Ok(Answer { json, tokens_in: completion.usage.prompt_tokens, tokens_out: completion.usage.completion_tokens })
}

impl Chat for OpenAiChat {
    fn model(&self) -> &str {
        &self.options.model
    }

    fn answer(&self, question: Question) -> BoxFuture<'_, Result<Answer, ChatError>> {
        Box::pin(async move { self.request(&question).await })
    }
}

//! Answers in JSON from any server that speaks OpenAI's `POST /chat/completions` with a JSON schema.

use super::http::{Endpoint, Failure};
use super::{ApiKey, TokenUse};
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;
use wire::Exhausted;

/// Longest answer that is read, in bytes. What a model has to say about one part of a text is far shorter.
const ANSWER_MAX: usize = 1024 * 1024;
/// Longest error code of a provider that is shown, in characters.
const CODE_MAX: usize = 64;

/// Answers a question with a JSON document.
pub trait Chat: Send + Sync + 'static {
    /// The model's name as the provider knows it.
    fn model(&self) -> &str;
    /// One answer. Dropping the future abandons the request.
    ///
    /// # Errors
    /// When the model did not work on the question. What it answered in vain is an [`Answer`] with an error inside, since it is paid for.
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
    /// The JSON document, or why it is unusable.
    pub content: Result<Value, ChatError>,
    /// Tokens of the question and of the answer, as the provider counts them; 0 if it does not.
    pub tokens: TokenUse,
}

/// Why there is no answer. No variant holds words of a question or an answer, so that errors can be logged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChatError {
    #[error("no chat model is configured: set LLM_MODEL")]
    NotConfigured,
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
    /// The provider was not called.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
    #[error("the chat model's answer is longer than {} kB", ANSWER_MAX / 1024)]
    TooLong,
    #[error("the chat model's answer cannot be used: {0}")]
    BadResponse(String),
}

impl ChatError {
    /// Whether the same question may succeed later, without a change of the configuration.
    pub fn is_transient(&self) -> bool {
        !matches!(self, Self::NotConfigured | Self::Unauthorized { .. } | Self::Refused { .. } | Self::Declined)
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
    model: String,
    endpoint: Endpoint,
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
        let ChatOptions { base_url, api_key, model, timeout } = options;
        let endpoint = Endpoint::new(&base_url, "chat/completions", api_key, timeout).map_err(ChatError::Unavailable)?;
        Ok(Self { model, endpoint })
    }

    async fn request(&self, question: &Question) -> Result<Answer, ChatError> {
        let body = json!({
            "model": self.model,
            "messages": [
                { "role": "system", "content": question.instructions },
                { "role": "user", "content": question.text },
            ],
            "response_format": {
                "type": "json_schema",
                "json_schema": { "name": question.name, "strict": true, "schema": question.schema },
            },
        });
        let response = match self.endpoint.post(&body).await {
            Ok(response) => response,
            Err(failure) => return Err(self.reason(failure).await),
        };
        read(&self.body(response).await?)
    }

    /// The body, as far as it is short enough to be an answer.
    async fn body(&self, mut response: reqwest::Response) -> Result<Vec<u8>, ChatError> {
        let mut body = Vec::new();
        loop {
            let chunk = match response.chunk().await {
                Ok(Some(chunk)) => chunk,
                Ok(None) => return Ok(body),
                Err(error) => return Err(without_body(self.endpoint.transport(error))),
            };
            if body.len() + chunk.len() > ANSWER_MAX {
                return Err(ChatError::TooLong);
            }
            body.extend_from_slice(&chunk);
        }
    }

    async fn reason(&self, failure: Failure) -> ChatError {
        let Failure::Refused(response) = failure else { return without_body(failure) };
        let status = response.status().as_u16();
        let body = self.body(*response).await.unwrap_or_default();
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        ChatError::Refused { status, code: code(&body["error"]) }
    }
}

/// The error for a failure whose body is not read.
fn without_body(failure: Failure) -> ChatError {
    match failure {
        Failure::Unavailable(message) => ChatError::Unavailable(message),
        Failure::Timeout(timeout) => ChatError::Timeout(timeout),
        Failure::Unauthorized { status } => ChatError::Unauthorized { status },
        Failure::RateLimited { retry_after } => ChatError::RateLimited { retry_after },
        Failure::Refused(response) => ChatError::Refused { status: response.status().as_u16(), code: "no code".into() },
    }
}

/// A provider's code of an error. Its message may repeat the question, so it is not shown.
fn code(error: &Value) -> String {
    let code = error["code"].as_str().or_else(|| error["type"].as_str()).unwrap_or("no code");
    let plain = |c: &char| c.is_ascii_alphanumeric() || " _-.".contains(*c);
    code.chars().filter(plain).take(CODE_MAX).collect()
}

/// A completion. Errors say where it is wrong and never repeat the answer, which holds words of users.
fn read(body: &[u8]) -> Result<Answer, ChatError> {
    let completion: Completion =
        serde_json::from_slice(body).map_err(|e| ChatError::BadResponse(format!("the body is not a chat completion ({})", at(&e))))?;
    let tokens = TokenUse { read: completion.usage.prompt_tokens, written: completion.usage.completion_tokens };
    Ok(Answer { content: content(completion.choices), tokens })
}

/// The JSON of the first choice.
fn content(choices: Vec<Choice>) -> Result<Value, ChatError> {
    let choice = choices.into_iter().next().ok_or_else(|| ChatError::BadResponse("no choice".into()))?;
    if choice.message.refusal.is_some() {
        return Err(ChatError::Declined);
    }
    match choice.finish_reason.as_deref() {
        Some("content_filter") => return Err(ChatError::Declined),
        Some("length") => return Err(ChatError::BadResponse("it was cut at the model's token limit".into())),
        _ => {}
    }
    let content = choice.message.content.ok_or_else(|| ChatError::BadResponse("no content".into()))?;
    serde_json::from_str(&content).map_err(|e| ChatError::BadResponse(format!("the content is not JSON ({})", at(&e))))
}

fn at(error: &serde_json::Error) -> String {
    format!("line {}, column {}", error.line(), error.column())
}

impl Chat for OpenAiChat {
    fn model(&self) -> &str {
        &self.model
    }

    fn answer(&self, question: Question) -> BoxFuture<'_, Result<Answer, ChatError>> {
        Box::pin(async move { self.request(&question).await })
    }
}

//! How the answers of server functions travel to islands.

use leptos::server_fn::{Bytes, ContentType, Decodes, Encodes, Format, FormatType, codec::Post};
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Display;

/// JSON that is read as text, like the arguments of islands. So the browser has the code that reads each type once; with the usual encoding,
/// which reads bytes, it has it twice.
pub struct TextEncoding;

/// The `output` of server functions that islands read.
pub type Text = Post<TextEncoding>;

impl ContentType for TextEncoding {
    const CONTENT_TYPE: &'static str = "application/json";
}

impl FormatType for TextEncoding {
    const FORMAT_TYPE: Format = Format::Text;
}

impl<T: Serialize> Encodes<T> for TextEncoding {
    type Error = serde_json::Error;

    fn encode(answer: &T) -> Result<Bytes, Self::Error> {
        serde_json::to_string(answer).map(Bytes::from)
    }
}

impl<T: DeserializeOwned> Decodes<T> for TextEncoding {
    type Error = String;

    fn decode(bytes: Bytes) -> Result<T, Self::Error> {
        let text = std::str::from_utf8(&bytes).map_err(text_of)?;
        serde_json::from_str(text).map_err(text_of)
    }
}

fn text_of(error: impl Display) -> String {
    error.to_string()
}

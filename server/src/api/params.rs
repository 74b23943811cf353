//! The parameters of a URL: those of its query, and the variable segment of its path. Errors have the same shape as all others.

use super::error::ApiError;
use axum::extract::{self, FromRequestParts};
use axum::http::request::Parts;
use remembrancer::Error;
use remembrancer::api::UserRef;
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::convert::Infallible;
use std::str::FromStr;

/// The query as a value of one type.
pub struct Query<T>(pub T);

impl<S: Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        match extract::Query::try_from_uri(&parts.uri) {
            Ok(extract::Query(value)) => Ok(Self(value)),
            Err(rejection) => Err(Error::invalid("query", rejection.body_text()).into()),
        }
    }
}

/// The parameters of a query, parsed one by one by the handler, so that an error names its parameter.
pub struct Parameters(HashMap<String, String>);

impl<S: Sync> FromRequestParts<S> for Parameters {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(extract::Query::try_from_uri(&parts.uri).map_or_else(|_| HashMap::new(), |extract::Query(parameters)| parameters)))
    }
}

impl Parameters {
    /// Parses a parameter, if it is there.
    ///
    /// # Errors
    /// `Invalid`, naming the parameter, when its value cannot be parsed.
    pub fn parse<T: FromStr>(&self, name: &str) -> Result<Option<T>, Error> {
        let parse = |text: &String| text.parse().map_err(|_| Error::invalid(name, format!("cannot be “{}”", text.escape_default())));
        self.0.get(name).map(parse).transpose()
    }

    /// The person an agent talks to, as `user_id`.
    ///
    /// # Errors
    /// `Invalid` when it is neither an id nor a reference.
    pub fn user(&self) -> Result<Option<UserRef>, Error> {
        self.parse("user_id")
    }
}

/// The one variable segment of a path.
pub struct Segment(pub String);

impl<S: Send + Sync> FromRequestParts<S> for Segment {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let segment = extract::Path::from_request_parts(parts, state).await;
        segment.map(|extract::Path(segment)| Self(segment)).map_err(|_| ApiError::NoSuchAddress)
    }
}

impl Segment {
    /// Parses the id of a `noun`.
    ///
    /// # Errors
    /// `NotFound` for a text that is not a valid id: no row has it.
    pub fn id<T: FromStr>(&self, noun: &'static str) -> Result<T, Error> {
        self.0.parse().map_err(|_| Error::NotFound(noun))
    }
}

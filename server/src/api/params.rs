//! The parameters of a URL: those of its query, and the variable segment of its path. Errors have the same shape as all others.

use super::error::ApiError;
use super::openapi::{Describe, Operation};
use axum::extract::{self, FromRequestParts};
use axum::http::request::Parts;
use foundation::Error;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::convert::Infallible;
use std::marker::PhantomData;
use std::str::FromStr;
use wire::UserRef;

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

impl<T: JsonSchema> Describe for Query<T> {
    fn describe(operation: &mut Operation) {
        operation.query_parameters::<T>();
    }
}

/// Declares the parameters of a query, all of them optional. They are parsed one by one, so that an error names its parameter.
macro_rules! parameters {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(schemars::JsonSchema)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: Option<$type>,)+
        }

        impl $crate::api::params::FromParameters for $name {
            fn from_parameters(parameters: &$crate::api::params::Parameters<Self>) -> Result<Self, foundation::Error> {
                Ok(Self { $($field: parameters.parse(stringify!($field))?),+ })
            }
        }
    };
}
pub(super) use parameters;

/// A type with a field for each parameter.
pub trait FromParameters: Sized {
    /// # Errors
    /// `Invalid`, naming the parameter, when a value cannot be parsed.
    fn from_parameters(parameters: &Parameters<Self>) -> Result<Self, Error>;
}

/// The parameters of a query, not yet parsed. Others than those of `T` are ignored.
pub struct Parameters<T>(HashMap<String, String>, PhantomData<T>);

impl<S: Sync, T> FromRequestParts<S> for Parameters<T> {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let parameters = extract::Query::try_from_uri(&parts.uri).map_or_else(|_| HashMap::new(), |extract::Query(parameters)| parameters);
        Ok(Self(parameters, PhantomData))
    }
}

impl<T: JsonSchema> Describe for Parameters<T> {
    fn describe(operation: &mut Operation) {
        operation.query_parameters::<T>();
    }
}

impl<T: FromParameters> Parameters<T> {
    /// # Errors
    /// `Invalid`, naming the parameter, when a value cannot be parsed.
    pub fn read(&self) -> Result<T, Error> {
        T::from_parameters(self)
    }

    /// Parses a parameter, if it is there.
    ///
    /// # Errors
    /// `Invalid`, naming the parameter, when its value cannot be parsed.
    pub fn parse<P: FromStr>(&self, name: &str) -> Result<Option<P>, Error> {
        let parse = |text: &String| {
            text.parse().map_err(|_| {
                Error::invalid(
                    name,
                    format!("is “{}”, which is not valid: /api/docs says what this parameter may be", text.escape_default()),
                )
            })
        };
        self.0.get(name).map(parse).transpose()
    }
}

parameters! {
    /// The parameter of most reads.
    OfUser {
        /// The person you are talking to, as a user's id or your own reference to a user. Needs a key that may choose its user.
        user_id: UserRef,
    }
}

impl Parameters<OfUser> {
    /// The person an agent talks to.
    ///
    /// # Errors
    /// `Invalid` when it is neither an id nor a reference.
    pub fn user(&self) -> Result<Option<UserRef>, Error> {
        Ok(self.read()?.user_id)
    }
}

/// The one variable segment of a path, which names a `T`.
pub struct Segment<T>(pub String, pub PhantomData<T>);

impl<S: Send + Sync, T> FromRequestParts<S> for Segment<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let segment = extract::Path::from_request_parts(parts, state).await;
        segment.map(|extract::Path(segment)| Self(segment, PhantomData)).map_err(|_| ApiError::NoSuchAddress)
    }
}

impl<T: JsonSchema> Describe for Segment<T> {
    fn describe(operation: &mut Operation) {
        operation.path_parameter::<T>();
    }
}

impl<T: FromStr> Segment<T> {
    /// Parses the id of a `noun`.
    ///
    /// # Errors
    /// `NotFound` for a text that is not a valid id: no row has it.
    pub fn id(&self, noun: &'static str) -> Result<T, Error> {
        self.0.parse().map_err(|_| Error::NotFound(noun))
    }
}

//! How the types of a handler describe its operation: an extractor adds parameters, a body and refusals, an answer adds responses.

use super::operation::Operation;
use super::refusals::Refusal;
use crate::api::{Api, ApiError};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

/// What an extractor or an answer of a handler adds to the description of its operation.
pub trait Describe {
    fn describe(operation: &mut Operation);
}

/// A handler: its arguments and its answer describe the operation. `Arguments` keeps the implementations apart.
pub trait DescribedHandler<Arguments> {
    fn describe(operation: &mut Operation);
}

macro_rules! described_handler {
    ($($argument:ident),*) => {
        impl<Handler, Future, Answer, $($argument),*> DescribedHandler<($($argument,)*)> for Handler
        where
            Handler: FnOnce($($argument),*) -> Future,
            Future: core::future::Future<Output = Answer>,
            Answer: Describe,
            $($argument: Describe,)*
        {
            fn describe(operation: &mut Operation) {
                $($argument::describe(operation);)*
                Answer::describe(operation);
            }
        }
    };
}
described_handler!();
described_handler!(A);
described_handler!(A, B);
described_handler!(A, B, C);
described_handler!(A, B, C, D);
described_handler!(A, B, C, D, E);

impl Describe for State<Api> {
    fn describe(_: &mut Operation) {}
}

impl<T: Describe> Describe for Result<T, ApiError> {
    fn describe(operation: &mut Operation) {
        T::describe(operation);
    }
}

impl<T: JsonSchema> Describe for Json<T> {
    fn describe(operation: &mut Operation) {
        operation.answers_json::<T>(StatusCode::OK, "Success.");
    }
}

/// The answer 200 to a request whose body or query names things that may not exist.
pub struct Found<T>(pub T);

impl<T: Serialize> IntoResponse for Found<T> {
    fn into_response(self) -> Response {
        Json(self.0).into_response()
    }
}

impl<T: JsonSchema> Describe for Found<T> {
    fn describe(operation: &mut Operation) {
        Json::<T>::describe(operation);
        operation.refuses(Refusal::NotFound);
    }
}

/// The answer 201 with what was made.
pub struct Created<T>(pub T);

impl<T: Serialize> IntoResponse for Created<T> {
    fn into_response(self) -> Response {
        (StatusCode::CREATED, Json(self.0)).into_response()
    }
}

impl<T: JsonSchema> Describe for Created<T> {
    fn describe(operation: &mut Operation) {
        operation.answers_json::<T>(StatusCode::CREATED, "Created.");
    }
}

/// The answer 201 with what was made for something that the body names, and that may not exist.
pub struct CreatedFor<T>(pub T);

impl<T: Serialize> IntoResponse for CreatedFor<T> {
    fn into_response(self) -> Response {
        Created(self.0).into_response()
    }
}

impl<T: JsonSchema> Describe for CreatedFor<T> {
    fn describe(operation: &mut Operation) {
        Created::<T>::describe(operation);
        operation.refuses(Refusal::NotFound);
    }
}

/// The answer to a `PUT` that makes or changes something: 201 with what is new, which the flag says, and otherwise 200.
pub struct Put<T>(pub T, pub bool);

impl<T: Serialize> IntoResponse for Put<T> {
    fn into_response(self) -> Response {
        let Self(value, is_new) = self;
        if is_new { Created(value).into_response() } else { Json(value).into_response() }
    }
}

impl<T: JsonSchema> Describe for Put<T> {
    fn describe(operation: &mut Operation) {
        Json::<T>::describe(operation);
        Created::<T>::describe(operation);
    }
}

/// The answer 204, without a body.
pub struct NoContent;

impl IntoResponse for NoContent {
    fn into_response(self) -> Response {
        StatusCode::NO_CONTENT.into_response()
    }
}

impl Describe for NoContent {
    fn describe(operation: &mut Operation) {
        operation.answers(StatusCode::NO_CONTENT, "Success, without a body.", &[]);
    }
}

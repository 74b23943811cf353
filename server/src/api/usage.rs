//! What an agent's calls of models cost, as JSON and as CSV.

use super::caller::Caller;
use super::error::{Answer, ApiError};
use super::openapi::{Describe, Operation};
use super::params::{Parameters, parameters};
use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use chrono::NaiveDate;
use foundation::{Error, usage};
use serde_json::json;
use wire::{UsageRequest, UsageResponse, UserRef};

/// The media type of CSV.
pub const CSV: &str = "text/csv; charset=utf-8";

parameters! {
    /// The period of a report, and whose calls it counts.
    Period {
        /// The first day, in UTC; 30 days up to the last one if absent.
        from: NaiveDate,
        /// The last day, in UTC; today if absent. A period has at most 92 days.
        until: NaiveDate,
        /// Counts the calls for this person and those for nobody. Needs a key that may choose its user. Without it, such a key gets the
        /// calls for everybody.
        user_id: UserRef,
    }
}

impl Parameters<Period> {
    fn request(&self) -> Result<UsageRequest, Error> {
        let Period { from, until, user_id } = self.read()?;
        Ok(UsageRequest { from, until, user_id })
    }
}

/// `GET /api/usage`: the calls of models that the key's agent caused.
pub async fn report(Caller(engine, ctx): Caller, period: Parameters<Period>) -> Answer<UsageResponse> {
    Ok(Json(usage::own(&engine, &ctx, &period.request()?).await?))
}

/// A report as a file of CSV.
pub struct Table(Vec<u8>);

impl IntoResponse for Table {
    fn into_response(self) -> Response {
        let name = "attachment; filename=\"remembrancer-usage.csv\"";
        ([(header::CONTENT_TYPE, CSV), (header::CONTENT_DISPOSITION, name)], self.0).into_response()
    }
}

impl Describe for Table {
    fn describe(operation: &mut Operation) {
        let description = "One line for each day, model and purpose, after a line with the names of the columns. A text that begins like a \
            formula gets an apostrophe in front.";
        operation.answers(StatusCode::OK, "Success", &[("text/csv", json!({ "type": "string", "description": description }))]);
    }
}

/// `GET /api/usage.csv`: the same as CSV.
pub async fn table(Caller(engine, ctx): Caller, period: Parameters<Period>) -> Result<Table, ApiError> {
    let answer = usage::own(&engine, &ctx, &period.request()?).await?;
    Ok(Table(usage::as_csv(&answer)?))
}

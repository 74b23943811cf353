//! Sources over HTTP: what a client sends in to be captured.

use super::body::UnreadText;
use super::caller::Caller;
use super::error::Answer;
use super::params::{Parameters, parameters};
use axum::Json;
use remembrancer::capture;
use uuid::Uuid;
use wire::{KeyScope, SOURCE_MAX, SourceDetails, SourceForm, SourceResponse, UserRef};

parameters! {
    /// What belongs to a source besides its text.
    OfSource {
        /// What it is: `transcript` (the default), `note`, `summary`, `document`, `tool_output` or `attachment`.
        ///
        /// An attachment may have any media type. One that is not text is kept, up to 4 MiB, and nothing is read out of it.
        form: SourceForm,
        /// A name for people, up to 256 characters.
        title: String,
        /// The name of the file, up to 256 characters.
        filename: String,
        /// The attachment's id in the system that it comes from, up to 256 characters.
        attachment_id: String,
        /// The time zone of the times in it that have none, such as `Europe/Zurich`; UTC by default.
        time_zone: String,
        /// The session that it belongs to.
        session_id: Uuid,
        /// The connection of the tool that it comes from.
        connection_id: Uuid,
        /// The person whose source it is, as a user's id or your own reference to a user. Needs a key that may choose its user.
        user_id: UserRef,
    }
}

/// `POST /api/sources`: stores a transcript, a note, a document or an attachment. Nothing is read out of it until it is captured.
pub async fn add(Caller(engine, ctx): Caller, parameters: Parameters<OfSource>, body: UnreadText) -> Answer<SourceResponse> {
    let attached = parameters.parse::<SourceForm>("form").is_ok_and(|form| form == Some(SourceForm::Attachment));
    let media_type = body.media_type().filter(|_| attached);
    let content = body.read(&ctx, KeyScope::CaptureWrite, SOURCE_MAX, attached).await?;
    let OfSource { form, title, filename, attachment_id, time_zone, session_id, connection_id, user_id } = parameters.read()?;
    let details = SourceDetails { form, title, filename, attachment_id, media_type, time_zone, session_id, connection_id, user_id };
    Ok(Json(capture::add_source(&engine, &ctx, details, content).await?))
}

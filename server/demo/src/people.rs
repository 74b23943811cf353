//! What the demo's agents notice about one person: a profile with repetition, a contradiction and a connection. Everybody in it is invented.

use super::Failure;
use foundation::{Engine, OpContext, identity};
use remembrancer::{capture, profile};
use serde_json::{Map, Value, json};
use uuid::Uuid;
use wire::{
    ConnectionContextRequest, ObservationCategory, ObservationRequest, PutConnectionRequest, SCHEMA_TTL_MAX, UserContextRequest, UserRef,
};

/// The organisation's reference to the person, and what people call her.
const VERA: (&str, &str) = ("vera@acme.example", "Vera Lindt");
/// Her issue tracker, as the runtime of the agent knows it.
const TRACKER: Uuid = Uuid::from_u128(0x0199_7c1e_5d2f_7a55_9d3e_5b0c_4f6a_7d21);

/// Something that an agent notices about Vera.
pub struct Noticed {
    pub agent: &'static str,
    pub minutes_ago: i64,
    /// Sessions have small numbers.
    session: u128,
    what: What,
}

enum What {
    Sentence(ObservationCategory, &'static str),
    /// A key of her profile with its value as JSON.
    Key(&'static str, &'static str),
    /// Her issue tracker, with what the agent learned about using it.
    Tracker(&'static str, &'static str),
}

const fn noticed(minutes_ago: i64, session: u128, what: What) -> Noticed {
    Noticed { agent: "atlas", minutes_ago, session, what }
}

/// What the agent notices, in several sessions.
pub const NOTICED: &[Noticed] = {
    use ObservationCategory::{Fact, Preference, ProjectDetails};
    use What::{Key, Sentence, Tracker};
    const SHORT: &str = "Vera prefers short answers with a link.";
    &[
        noticed(36_000, 1, Key("Role", "\"Head of operations\"")),
        noticed(35_990, 1, Key("Time zone", "\"Europe/Lisbon\"")),
        noticed(35_980, 1, Sentence(Preference, SHORT)),
        noticed(22_100, 2, Key("Projects", r#"{"clinic pilot": {"status": "five interviews planned", "city": "Porto"}}"#)),
        noticed(22_090, 2, Sentence(Preference, SHORT)),
        noticed(22_080, 2, Sentence(Fact, "Vera wants to start the pilot in Porto before January.")),
        noticed(9_300, 3, Sentence(Preference, SHORT)),
        noticed(9_290, 3, Sentence(ProjectDetails, "Vera works on the reporting project with Mina.")),
        noticed(9_280, 3, Key("Weekly report", "\"Monday before nine\"")),
        noticed(9_270, 3, Tracker("default_project", "OPS")),
        noticed(2_860, 4, Key("Weekly report", "\"Friday before noon\"")),
        noticed(2_850, 4, Tracker("labels", "Vera files her own requests under the label “question”.")),
        noticed(2_840, 4, Sentence(Fact, "Vera reports to the board.")),
    ]
};

/// Records what an agent noticed.
pub async fn notice(engine: &Engine, ctx: &OpContext, agent: &OpContext, noticed: &Noticed) -> Result<(), Failure> {
    let (reference, name) = VERA;
    let user: UserRef = reference.parse()?;
    match identity::add_user(engine, ctx, reference, Some(name), None).await {
        Ok(_) | Err(foundation::Error::Conflict(_)) => {}
        Err(error) => return Err(error.into()),
    }
    let session_id = Some(Uuid::from_u128(noticed.session));
    match &noticed.what {
        What::Sentence(category, content) => {
            let (content, user_id) = ((*content).to_owned(), Some(user));
            let request =
                ObservationRequest { role: None, content, category: *category, session_id, connection_id: None, user_id, commons: false };
            capture::record_observation(engine, agent, request).await?;
        }
        What::Key(key, value) => {
            let scaffold_updates = Map::from_iter([((*key).to_owned(), serde_json::from_str::<Value>(value)?)]);
            let (persistent_info_additions, user_id) = (Vec::new(), Some(user));
            let request = UserContextRequest { scaffold_updates, persistent_info_additions, session_id, user_id, commons: false };
            capture::update_user_context(engine, agent, request).await?;
        }
        What::Tracker(key, value) => {
            let request = PutConnectionRequest {
                tool_id: "issues".into(),
                name: "Issue tracker of operations".into(),
                tool_schema: Some(json!({ "operations": ["create", "comment", "close"] })),
                schema_ttl_seconds: Some(SCHEMA_TTL_MAX),
                active: true,
            };
            profile::put_connection(engine, agent, TRACKER, request, Some(&user)).await?;
            let learned = Map::from_iter([((*key).to_owned(), Value::from(*value))]);
            let request = ConnectionContextRequest { connection_id: TRACKER, learned, session_id, user_id: Some(user) };
            capture::update_connection_context(engine, agent, request).await?;
        }
    }
    Ok(())
}

//! One delivery: the signed request, and what follows from its answer.

use super::store::{self, Target};
use crate::audit::{self, NewEntry};
use crate::engine::Engine;
use crate::error::Error;
use crate::jobs::store::Leased;
use crate::jobs::{ATTEMPTS_MAX, Work};
use crate::op::OpContext;
use crate::outbound::Fault;
use async_recursion::async_recursion as boxed;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use chrono::{DateTime, TimeDelta, Utc};
use hmac::{Hmac, KeyInit, Mac};
use reqwest::header::{HeaderMap, HeaderValue};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use wire::{EventId, NoticeBody, Webhook, WebhookId, WebhookState};

/// How the text of a secret begins; what follows is the key in Base64.
const PREFIX: &str = "whsec_";
/// Characters of a new key: 43 of 62 symbols are 256 bits.
const SECRET_LENGTH: usize = 43;
/// Seconds before the next attempt, after the first one and so on: as the specification proposes, over 31 hours.
const PAUSES: [i64; ATTEMPTS_MAX as usize - 1] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400];
/// A webhook without a delivery for so long is disabled when a notice has used up its attempts, or is [`LATE`].
const PATIENCE: TimeDelta = TimeDelta::days(3);
/// All attempts take less, unless they wait behind other notices: those of a busy webhook that hangs are never used up. What waits for a
/// paused webhook is dropped after this time.
pub(super) const LATE: TimeDelta = TimeDelta::hours(32);
/// When a delivery is due again whose webhook was paused after it was claimed. It is not claimed before the webhook is resumed.
const SOON: TimeDelta = TimeDelta::seconds(5);
/// The answer of a receiver that wants nothing any more.
const GONE: Fault = Fault::Status(410);

/// What a delivery sends, and to which webhook.
#[derive(Serialize, Deserialize)]
pub(super) struct Delivery {
    pub webhook_id: WebhookId,
    /// That of the notice.
    pub id: EventId,
    pub body: NoticeBody,
}

/// A new secret, as its receiver gets it.
pub(super) fn new_secret(engine: &Engine) -> String {
    format!("{PREFIX}{}", BASE64_STANDARD.encode(engine.clock().secret(SECRET_LENGTH)))
}

/// Sends a notice to a webhook. What fails is tried again over 31 hours; a webhook that took nothing for three days is disabled.
#[boxed]
pub async fn deliver(engine: &Engine, ctx: &OpContext, event: &Leased) -> Result<Work, Error> {
    let delivery: Delivery = event.payload()?;
    let control = engine.db().control.system();
    let Some(target) = store::target(control, ctx.tenant_id, delivery.webhook_id).await? else {
        return Ok("the webhook was removed".into());
    };
    match target.state {
        WebhookState::Active => {}
        WebhookState::Paused if engine.clock().now() - delivery.body.timestamp < LATE => {
            return Ok(Work::Waits { error: "the webhook was paused".into(), pause: SOON });
        }
        WebhookState::Paused => return Ok("not sent: the webhook was paused for too long".into()),
        WebhookState::Disabled => return Ok("not sent: the webhook is disabled".into()),
    }
    let body = serde_json::to_string(&delivery.body).map_err(Error::failed("a notice cannot be serialised"))?;
    let headers = headers(&target, delivery.id, engine.clock().now(), &body)?;
    match engine.outbound().post(&target.url, headers, body).await {
        Ok(()) => {
            store::attempted(control, ctx.tenant_id, delivery.webhook_id, &target.url, engine.clock().now(), None).await?;
            Ok("sent".into())
        }
        Err(fault) => failed(engine, ctx, &delivery, &target.url, event.tries, fault).await,
    }
}

/// When the next attempt is due, if there is one.
async fn failed(engine: &Engine, ctx: &OpContext, delivery: &Delivery, url: &str, tries: i32, fault: Fault) -> Result<Work, Error> {
    let id = delivery.webhook_id;
    let (now, error) = (engine.clock().now(), format!("the receiver {fault}"));
    let since = store::attempted(engine.db().control.system(), ctx.tenant_id, id, url, now, Some(&error)).await?.unwrap_or(now);
    let is_late = now - since >= PATIENCE && now - delivery.body.timestamp >= LATE;
    let pause = usize::try_from(tries - 1).ok().and_then(|tries| PAUSES.get(tries)).filter(|_| fault != GONE && !is_late);
    if fault == GONE {
        disable(engine, ctx, id, url, "the receiver answered 410 Gone".into()).await?;
    } else if pause.is_none() && now - since >= PATIENCE {
        disable(engine, ctx, id, url, format!("nothing was delivered for {} days: {error}", (now - since).num_days())).await?;
    }
    Ok(Work::Failed { error, again: pause.copied().map(TimeDelta::seconds) })
}

/// Stops calling a webhook until a person makes it active again, unless it got another address since this one was called.
async fn disable(engine: &Engine, ctx: &OpContext, id: WebhookId, url: &str, reason: String) -> Result<(), Error> {
    let mut tx = engine.db().control.begin_system().await?;
    let webhook = store::to_change(&mut tx, ctx.tenant_id, id).await?;
    let Some(before) = webhook.filter(|webhook| webhook.state == WebhookState::Active && webhook.url == url) else {
        return Ok(tx.rollback().await?);
    };
    let entry = NewEntry::new(engine, ctx, "webhook.disabled", "webhook", id, format!("webhook disabled: {reason}"));
    let after = Webhook { state: WebhookState::Disabled, reason: Some(reason), ..before.clone() };
    store::update(&mut tx, ctx.tenant_id, &after, false).await?;
    let entry = entry.changes(audit::differences(Some(&before), &after)?);
    audit::append_in(engine, &mut tx, ctx.tenant_id, &[entry]).await?;
    Ok(tx.commit().await?)
}

/// The headers of the specification. Shortly after a rotation, both secrets sign.
fn headers(target: &Target, id: EventId, now: DateTime<Utc>, body: &str) -> Result<HeaderMap, Error> {
    let signed = format!("{id}.{}.{body}", now.timestamp());
    let previous = target.previous_secret.as_deref().filter(|_| target.previous_ends_at.is_some_and(|end| end > now));
    let signatures: Vec<String> = [Some(target.secret.as_str()), previous]
        .into_iter()
        .flatten()
        .map(|secret| signature(secret, &signed))
        .collect::<Result<_, _>>()?;
    let mut headers = HeaderMap::new();
    for (name, value) in
        [("webhook-id", id.to_string()), ("webhook-timestamp", now.timestamp().to_string()), ("webhook-signature", signatures.join(" "))]
    {
        headers.insert(name, HeaderValue::try_from(value).map_err(Error::failed("a header cannot be written"))?);
    }
    Ok(headers)
}

/// `v1,` and HMAC-SHA256 in Base64.
fn signature(secret: &str, signed: &str) -> Result<String, Error> {
    let key = BASE64_STANDARD.decode(secret.trim_start_matches(PREFIX)).map_err(Error::failed("a webhook's secret cannot be read"))?;
    let mac = Hmac::<Sha256>::new_from_slice(&key).map_err(Error::failed("a webhook's secret cannot sign"))?;
    Ok(format!("v1,{}", BASE64_STANDARD.encode(mac.chain_update(signed).finalize().into_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification's reference libraries.
    #[test]
    fn a_signature_is_that_of_the_specification() {
        let signed = r#"msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}"#;
        let signature = signature("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", signed).unwrap();
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn both_secrets_sign_until_the_overlap_ends() {
        let now = DateTime::from_timestamp(1_614_265_330, 0).unwrap();
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned();
        let target = Target {
            url: "https://example.org/".into(),
            state: WebhookState::Active,
            secret: secret.clone(),
            previous_secret: Some(secret),
            previous_ends_at: Some(now + TimeDelta::seconds(1)),
        };
        let id = EventId(uuid::Uuid::nil());
        let signatures = |now| {
            let headers = headers(&target, id, now, "{}").unwrap();
            assert_eq!(headers["webhook-id"], id.to_string());
            headers["webhook-signature"].to_str().unwrap().split(' ').map(str::to_owned).collect::<Vec<_>>()
        };
        let both = signatures(now);
        assert_eq!((both.len(), &both[0]), (2, &both[1]));
        let one = signatures(now + TimeDelta::seconds(1));
        assert_eq!(one.len(), 1);
        assert_ne!(one[0], both[0], "the time is signed");
    }
}

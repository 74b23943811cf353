//! Requests: one admin makes one, another confirms it. Nothing is removed before.

use super::preview::{check_names, known, of_user};
use super::run::ErasePayload;
use super::store::{self, NewRequest, Stored};
use super::{admin, mentions, report};
use chrono::TimeDelta;
use db::{DbError, Tx};
use extract::redact::is_named;
use foundation::audit::NewEntry;
use foundation::intake::{Admitted, Reason};
use foundation::{Checks, Engine, Error, OpContext, identity};
use verb::verb;
use wire::{
    ERASURE_DAYS, ERASURE_MENTIONS_MAX, Erasure, ErasureDetail, ErasureId, ErasureState, MentionRef, NewErasure, REASON_MAX, UserId,
    UserRef,
};

/// Most requests that are listed.
const LISTED: i64 = 100;

/// Requests the erasure of a person. It waits for another admin, and expires after [`ERASURE_DAYS`].
///
/// # Errors
/// `Forbidden` without the role `admin`; `Invalid` with every field that is wrong, for example a reason that names the person;
/// `NotFound` for an unknown reference; `Conflict` if a request for the person is open, or if the person, or the owner of a mention, is
/// under a legal hold.
#[verb]
pub async fn request(engine: &Engine, ctx: &OpContext, new: NewErasure) -> Result<ErasureId, Error> {
    let by = admin(ctx)?;
    let new = Admitted::new(new)?.into_inner();
    let user = identity::known_user(engine, ctx, &new.user).await?.ok_or(Error::NotFound("user"))?;
    let searched = mentions::searched(&new.names, user, &known(engine, ctx, user).await?);
    check(&new, &searched)?;
    let reason = Reason::new(&new.reason);
    refuse_held(engine, ctx, user, &new.mentions).await?;
    let (id, now) = (ErasureId(engine.clock().id()), engine.clock().now());
    let mut tx = engine.db().control.begin_system().await?;
    store::expire(&mut tx, ctx.tenant_id, now).await?;
    let row = NewRequest {
        id,
        user,
        reason: reason.as_str(),
        // Also what the organisation calls the person: the job removes that before it looks for the turns that name the person.
        names: &searched,
        mentions: &new.mentions,
        by: (by, ctx.actor.name()),
        at: now,
        expires_at: now + TimeDelta::days(ERASURE_DAYS),
    };
    store::insert_request(&mut tx, ctx.tenant_id, &row).await.map_err(|error| match error {
        DbError::Unique { .. } => Error::Conflict("a request to erase this user is already open".into()),
        error => error.into(),
    })?;
    let entry = NewEntry::new(engine, ctx, "erasure.requested", "erasure", id, "erasure of a person requested");
    identity::finish(engine, tx, ctx, entry.reason(Some(&reason))).await?;
    Ok(id)
}

fn check(new: &NewErasure, searched: &[String]) -> Result<(), Error> {
    let named = is_named(&new.reason, searched);
    let mut checks = Checks::default();
    check_names(&mut checks, &new.names);
    checks
        .text("reason", &new.reason, REASON_MAX)
        .that(!named, "reason", "names the person: the reason is kept after the erasure, so refer to the case instead")
        .that(
            new.mentions.len() <= ERASURE_MENTIONS_MAX,
            "mentions",
            format!("has {} entries; at most {ERASURE_MENTIONS_MAX} are allowed", new.mentions.len()),
        );
    for mention in &new.mentions {
        checks.that(mention.place.is_erasable(), "mentions", format!("names a {}, which belongs to the organisation", mention.place));
    }
    checks.done()
}

/// Refuses to erase what a legal hold keeps.
async fn refuse_held(engine: &Engine, ctx: &OpContext, user: UserId, rows: &[MentionRef]) -> Result<(), Error> {
    let mut users = mentions::owners(engine, ctx, rows).await?;
    users.push(user);
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let hold = store::hold_of(&mut tx, ctx.tenant_id, &users).await?;
    tx.commit().await?;
    match hold {
        None => Ok(()),
        Some(hold) if hold.user_id == user => Err(Error::Conflict("this user is under a legal hold: lift it first".into())),
        Some(hold) => {
            let called = identity::user_names(engine, ctx, &[hold.user_id]).await?.remove(&hold.user_id);
            let owner = called.unwrap_or_else(|| hold.user_id.to_string());
            Err(Error::Conflict(format!("a mention belongs to the user {owner}, who is under a legal hold")))
        }
    }
}

/// The latest 100 requests, newest first.
#[verb(role = Admin)]
pub async fn requests(engine: &Engine, ctx: &OpContext) -> Result<Vec<Erasure>, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let list = store::list(&mut tx, ctx.tenant_id, engine.clock().now(), LISTED).await?;
    tx.commit().await?;
    Ok(list)
}

/// How many requests wait for the admin who asks, among the latest; 0 for other operators.
pub(crate) async fn waiting(engine: &Engine, ctx: &OpContext, tx: &mut Tx) -> Result<i64, Error> {
    let Ok(me) = admin(ctx) else { return Ok(0) };
    let list = store::list(tx, ctx.tenant_id, engine.clock().now(), LISTED).await?;
    Ok(list.iter().filter(|one| one.state == ErasureState::Waiting && one.requested_by != me.0).count() as i64)
}

/// One request: while it waits with what it would remove, and once it is done with its report.
///
/// # Errors
/// `Forbidden` without the role `admin`; `NotFound`.
#[verb(role = Admin)]
pub async fn show(engine: &Engine, ctx: &OpContext, id: ErasureId) -> Result<ErasureDetail, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let stored = store::request(&mut tx, ctx.tenant_id, id, engine.clock().now()).await?.ok_or(Error::NotFound("request"))?;
    let report = report::stored(&mut tx, ctx, id).await?;
    tx.commit().await?;
    let Stored { request, names, ticked, .. } = stored;
    let (mut rows, mut preview) = (Vec::new(), None);
    if request.state == ErasureState::Waiting {
        preview = Some(of_user(engine, ctx, request.user_id, &names).await?);
        rows = mentions::search(engine, ctx, request.user_id, &names, Some(&ticked)).await?.0;
    }
    Ok(ErasureDetail { request, names, ticked: rows, preview, report })
}

async fn locked(engine: &Engine, ctx: &OpContext, id: ErasureId) -> Result<(Tx, Stored), Error> {
    let mut tx = engine.db().control.begin_system().await?;
    let stored = store::lock_request(&mut tx, ctx.tenant_id, id, engine.clock().now()).await?.ok_or(Error::NotFound("request"))?;
    Ok((tx, stored))
}

/// Confirms a request of another admin, who names the person once more, by reference or id; the job begins. To confirm a request again makes
/// sure that its job is there.
///
/// # Errors
/// `Forbidden` without the role `admin` and for the admin who made the request; `NotFound`; `Invalid` for the name of another person;
/// `Conflict` if the request expired or ended, or under a legal hold.
#[verb]
pub async fn confirm(engine: &Engine, ctx: &OpContext, id: ErasureId, person: &UserRef) -> Result<(), Error> {
    let by = admin(ctx)?;
    let (mut tx, Stored { request, ticked, .. }) = locked(engine, ctx, id).await?;
    match request.state {
        ErasureState::Waiting if request.requested_by == by.0 => {
            return Err(Error::Forbidden("another admin must confirm it: an erasure needs two people".into()));
        }
        ErasureState::Waiting => {
            // A name is not enough: several people may have it.
            let typed = match person {
                UserRef::Id(id) => Some(*id),
                UserRef::External(text) => identity::store::user_by_reference(engine.db().control.system(), ctx.tenant_id, text).await?,
            };
            if typed != Some(request.user_id) {
                return Err(Error::invalid("person", "is not the person of this request: type the reference that the request shows"));
            }
            refuse_held(engine, ctx, request.user_id, &ticked).await?;
            store::confirm(&mut tx, ctx.tenant_id, id, by, ctx.actor.name(), engine.clock().now()).await?;
            let entry = NewEntry::new(engine, ctx, "erasure.confirmed", "erasure", id, "erasure of a person confirmed");
            identity::finish(engine, tx, ctx, entry).await?;
        }
        ErasureState::Confirmed => tx.rollback().await?,
        state => return Err(Error::Conflict(format!("this request is {state}: create a new one"))),
    }
    post(engine, ctx, id).await
}

/// Withdraws a request that waits.
///
/// # Errors
/// `Forbidden` without the role `admin`; `NotFound`; `Conflict` if it was confirmed or ended.
#[verb(role = Admin)]
pub async fn withdraw(engine: &Engine, ctx: &OpContext, id: ErasureId) -> Result<(), Error> {
    let (mut tx, Stored { request, .. }) = locked(engine, ctx, id).await?;
    if request.state != ErasureState::Waiting {
        return Err(Error::Conflict(format!("this request is {}: it cannot be withdrawn", request.state)));
    }
    store::withdraw(&mut tx, ctx.tenant_id, id, ctx.actor.name(), engine.clock().now()).await?;
    let entry = NewEntry::new(engine, ctx, "erasure.withdrawn", "erasure", id, "request to erase a person withdrawn");
    identity::finish(engine, tx, ctx, entry).await
}

/// Makes sure that every confirmed request has its job: after a crash between the two, and after a legal hold that stopped it.
#[verb]
pub async fn resume(engine: &Engine, ctx: &OpContext) -> Result<(), Error> {
    for id in store::unfinished(engine.db().control.system(), ctx.tenant_id).await? {
        post(engine, ctx, id).await?;
    }
    Ok(())
}

async fn post(engine: &Engine, ctx: &OpContext, id: ErasureId) -> Result<(), Error> {
    let payload = serde_json::to_value(ErasePayload { request_id: id }).map_err(Error::failed("a payload cannot be serialised"))?;
    store::post_job(engine.db().memory.system(), ctx.tenant_id, ctx.commons_id, id, &payload, engine.clock().now()).await?;
    engine.captures().wake();
    Ok(())
}

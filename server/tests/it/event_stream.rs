//! Streams of events: who hears what, where a stream goes on, and when it ends.

use crate::console::sign_in;
use crate::harness::Site;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use axum::response::Response;
use db::clock::SystemClock;
use foundation::identity;
use foundation::testing::{PASSWORD, TestDatabases, World, fact, key};
use http_body_util::BodyExt;
use remembrancer::{memories, workers};
use tower::ServiceExt;
use wire::{KeyScope, MemoryScope, RememberRequest};

/// An open stream, as its client reads it.
struct Stream(Body);

impl Stream {
    async fn open(site: &Site, path: &str, headers: &[(&str, &str)]) -> Self {
        let mut request = Request::get(path).header(header::HOST, "localhost");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response: Response = site.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()[header::CONTENT_TYPE], "text/event-stream");
        Self(response.into_body())
    }

    async fn of_key(site: &Site, key: &str, last: Option<&str>) -> Self {
        let bearer = format!("Bearer {key}");
        let last = last.map(|last| ("last-event-id", last));
        Self::open(site, "/api/events/stream", &[("authorization", bearer.as_str())].into_iter().chain(last).collect::<Vec<_>>()).await
    }

    /// The next part; nothing when the stream has ended.
    async fn next(&mut self) -> Option<String> {
        let frame = self.0.frame().await?.unwrap().into_data().unwrap();
        Some(String::from_utf8(frame.to_vec()).unwrap())
    }

    /// The next part with an event.
    async fn event(&mut self) -> String {
        loop {
            let part = self.next().await.unwrap();
            if part.contains("data:") {
                return part;
            }
        }
    }
}

async fn alone() -> Site {
    Site::on(World::on(TestDatabases::fresh(&SystemClock).await).await, &[])
}

/// Stores a memory of binky, or of all agents, and carries the notice of it.
async fn remember(site: &Site, content: &str, commons: bool) -> String {
    let scope = if commons { Some(MemoryScope::Global) } else { None };
    let request = RememberRequest { commons, scope, ..fact("kettle", content) };
    let stored = memories::remember(&site.world.engine, &site.world.binky, request).await.unwrap();
    workers::drain(&site.world.engine).await.unwrap();
    stored.memory_id.to_string()
}

#[tokio::test]
async fn an_agent_hears_of_its_own_and_of_shared_memories_and_goes_on_where_it_was() {
    let site = alone().await;
    // Another server on the same databases.
    let other = Site::on(site.world.clone(), &[]);
    let mut stream = Stream::of_key(&site, &site.world.atlas_key, None).await;
    let mut beside = Stream::of_key(&other, &site.world.atlas_key, None).await;
    assert!(stream.next().await.unwrap().contains("id: 0\n"));
    remember(&site, "Binky keeps the key under the mat", false).await;
    let shared = remember(&site, "The kettle is in the green cupboard", true).await;
    for event in [stream.event().await, beside.event().await] {
        assert!(event.starts_with("id: 2\n") && event.contains(&shared) && event.contains("\"agent\":\"commons\""), "{event}");
        assert!(event.contains("\"type\":\"memory.stored\"") && !event.contains("cupboard"), "{event}");
    }
    let mut again = Stream::of_key(&site, &site.world.atlas_key, Some("1")).await;
    assert!(again.event().await.contains(&shared));
    let mut of_binky = Stream::of_key(&site, &site.world.binky_key, Some("0")).await;
    assert_eq!(of_binky.event().await.matches("data:").count(), 2);
    let mut ahead = Stream::of_key(&site, &site.world.atlas_key, Some("9223372036854775807")).await;
    assert_eq!(ahead.next().await.unwrap(), "retry: 2000\nid: 2\ndata: {\"type\":\"missed\"}\n\n");
}

#[tokio::test]
async fn a_stream_ends_when_its_key_is_revoked_or_the_server_stops() {
    let site = alone().await;
    let World { engine, system, atlas, .. } = &site.world;
    let (ctx, revoked) = key(engine, system, atlas.agent_id().unwrap(), &[KeyScope::MemoryRead]).await;
    let mut stream = Stream::of_key(&site, &revoked, None).await;
    let mut kept = Stream::of_key(&site, &site.world.atlas_key, None).await;
    assert!(stream.next().await.is_some() && kept.next().await.is_some());
    let foundation::op::Actor::Agent { key_id, .. } = ctx.actor else { panic!("a key belongs to an agent") };
    identity::revoke_key(engine, system, key_id).await.unwrap();
    let shared = remember(&site, "The kettle is in the green cupboard", true).await;
    assert_eq!(stream.next().await, None, "a revoked key hears nothing more");
    assert!(kept.event().await.contains(&shared));
    site.stop.cancel();
    while let Some(part) = kept.next().await {
        assert!(!part.contains("data:"), "{part}");
    }
}

#[tokio::test]
async fn one_key_holds_few_streams_open() {
    let site = alone().await;
    let mut open = Vec::new();
    for _ in 0..8 {
        open.push(Stream::of_key(&site, &site.world.atlas_key, None).await);
    }
    let bearer = format!("Bearer {}", site.world.atlas_key);
    let refused = site.get("/api/events/stream", &[(header::AUTHORIZATION, bearer.as_str())]).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS, "{}", refused.text);
    open.pop();
    Stream::of_key(&site, &site.world.atlas_key, None).await;
}

#[tokio::test]
async fn pages_follow_with_the_session_of_their_reader() {
    let site = alone().await;
    let (_, cookie) = sign_in(&site, &site.world.login, PASSWORD).await;
    let mut stream = Stream::open(&site, "/live", &[("cookie", cookie.as_str())]).await;
    assert!(stream.next().await.is_some());
    let kept = remember(&site, "Binky keeps the key under the mat", false).await;
    assert!(stream.event().await.contains(&kept), "people hear of every agent's");
    let nobody = site.get("/live", &[]).await;
    assert_eq!((nobody.status, nobody.header(header::LOCATION)), (StatusCode::SEE_OTHER, "/sign-in"));
}

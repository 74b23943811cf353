//! Clients of OAuth that describe themselves in a document, and those that lie in it.

use crate::console::sign_in;
use crate::harness::Site;
use crate::oauth::{Client, READ, recall, refused, tokens};
use axum::http::{StatusCode, header};
use axum::routing::get;
use axum::{Json, Router};
use foundation::Settings;
use foundation::testing::{Fake, PASSWORD, TestDatabases, World};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::net::TcpListener;

/// A server of documents on this machine.
struct Host {
    name: String,
    fetched: Arc<AtomicUsize>,
}

impl Host {
    /// Serves the document of a good client under each name, with these fields changed.
    async fn with(documents: &[(&'static str, Value)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (name, fetched) = (listener.local_addr().unwrap().to_string(), Arc::new(AtomicUsize::new(0)));
        let mut router = Router::new();
        for (path, changes) in documents {
            let mut document = json!({
                "client_id": format!("http://{name}{path}"),
                "client_name": "Claude",
                "redirect_uris": ["http://127.0.0.1/callback"],
            });
            document.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
            let fetched = Arc::clone(&fetched);
            let answer = get(move || {
                fetched.fetch_add(1, Ordering::Relaxed);
                async move { Json(document) }
            });
            router = router.route(path, answer);
        }
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { name, fetched }
    }

    fn address(&self, path: &str) -> String {
        format!("http://{}{path}", self.name)
    }

    fn fetched(&self) -> usize {
        self.fetched.load(Ordering::Relaxed)
    }
}

/// A site that fetches documents from this machine, too.
async fn site() -> Site {
    let (fake, settings) = (Fake::new(), Settings { allow_private_addresses: true, ..Settings::default() });
    Site::on(World::with(TestDatabases::shared().await, Arc::new(fake.clone()), fake, settings).await, &[])
}

async fn client(site: &Site, id: String) -> Client<'_> {
    Client::with(site, sign_in(site, &site.world.login, PASSWORD).await.1, id)
}

#[tokio::test]
async fn a_client_without_a_registration_gets_access_by_its_document() {
    let (site, host) = (site().await, Host::with(&[("/client.json", json!({})), ("/other.json", json!({}))]).await);
    let client = client(&site, host.address("/client.json")).await;
    let page = client.page(&client.asked).await;
    assert_eq!(page.status, StatusCode::OK, "{page:?}");
    for part in ["Claude", &host.name, "http://127.0.0.1:4711", "another program could use the same name", "Allow access"] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    let exchange = client.exchange_of(&client.code().await);
    for other in [host.address("/other.json"), "01900000-0000-7000-8000-000000000000".into()] {
        let answer = client.send("/oauth/token", exchange.with("client_id", &other)).await;
        refused(&answer, if other.starts_with("http") { "invalid_grant" } else { "invalid_client" });
    }
    let (access, refresh) = tokens(&client.send("/oauth/token", exchange).await);
    assert_eq!(recall(&site, &access).await, StatusCode::OK);
    let (newer, _) = tokens(&client.refresh(&refresh).await);
    assert_eq!((recall(&site, &access).await, recall(&site, &newer).await), (StatusCode::UNAUTHORIZED, StatusCode::OK));
    assert_eq!(client.keys().await[0].name, format!("Claude ({}, http://127.0.0.1:4711)", host.name));
    assert_eq!(host.fetched(), 1, "the page and the consent read it once, and tokens need no document");
}

#[tokio::test]
async fn a_document_that_lies_lets_nobody_in() {
    let lies = [
        ("/other.json", json!({ "client_id": "https://claude.example/client.json" }), "must be the address of the document"),
        (
            "/elsewhere.json",
            json!({ "redirect_uris": ["https://attacker.example/callback"] }),
            "not an address that this client registered",
        ),
        ("/nowhere.json", json!({ "redirect_uris": ["claude://callback"] }), "must be https, or http on 127.0.0.1"),
        ("/nameless.json", json!({ "client_name": "" }), "must not be empty"),
        ("/secret.json", json!({ "token_endpoint_auth_method": "client_secret_post" }), "must be none"),
        ("/long.json", json!({ "padding": "x".repeat(10_000_000) }), "answers with more than 65536 bytes"),
        ("/number.json", json!({ "redirect_uris": 7 }), "does not answer with the JSON that is expected"),
    ];
    let served: Vec<(&'static str, Value)> = lies.iter().map(|(path, changes, _)| (*path, changes.clone())).collect();
    let (site, host) = (site().await, Host::with(&served).await);
    let absent = ("/absent.json", Value::Null, "answers with the status 404 instead of 200");
    let mut client = client(&site, host.address("/")).await;
    for (path, _, why) in lies.iter().chain([&absent]) {
        client.asked = client.asked.with("client_id", host.address(path));
        let page = client.page(&client.asked).await;
        assert_eq!((page.status, page.header(header::LOCATION)), (StatusCode::BAD_REQUEST, ""), "{path}: {page:?}");
        assert!(page.text.contains(why) && !page.text.contains("Allow access"), "{path}: {}", page.text);
        for decision in ["allow", "deny"] {
            let answer = client.decide(&client.asked, decision, READ, "").await;
            assert!(answer.header(header::LOCATION).starts_with("/oauth/authorize?"), "{path}: {answer:?}");
        }
    }
    assert!(client.keys().await.is_empty(), "nobody was let in");
}

#[tokio::test]
async fn no_document_is_fetched_from_a_private_network() {
    let (open, closed) = (site().await, Site::new().await);
    let host = Host::with(&[("/client.json", json!({}))]).await;
    let port = host.name.rsplit_once(':').unwrap().1;
    let private = "leads into a private network";
    for (id, why) in [
        (host.address("/client.json"), "must be an https address"),
        (format!("https://127.0.0.1:{port}/client.json"), private),
        (format!("https://localhost:{port}/client.json"), private),
    ] {
        let client = client(&closed, id).await;
        let page = client.page(&client.asked).await;
        assert_eq!(page.status, StatusCode::BAD_REQUEST, "{page:?}");
        assert!(page.text.contains(why), "{why}: {}", page.text);
    }
    assert_eq!(host.fetched(), 0);
    let client = client(&open, host.address("/client.json")).await;
    assert_eq!((client.page(&client.asked).await.status, host.fetched()), (StatusCode::OK, 1), "where it is allowed, it is fetched");
}

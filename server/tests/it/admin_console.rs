//! Agents, keys, accounts and users as admins manage them in the console.

use crate::console::{form, sign_in};
use crate::doors::tables_with;
use crate::harness::{Answer, Site};
use axum::http::{StatusCode, header};
use db::clock::SystemClock;
use foundation::identity;
use foundation::testing::{PASSWORD, TestDatabases, World};
use remembrancer::chat;
use serde_json::json;
use wire::{NewInvitation, OperatorRole};

/// The cookie of this name that an answer sets, as a browser sends it.
fn set(answer: &Answer, name: &str) -> String {
    let start = format!("{name}=");
    answer.cookies().into_iter().rfind(|pair| pair.starts_with(&start)).unwrap_or_else(|| panic!("{name}: {answer:?}"))
}

async fn page(site: &Site, path: &str, cookie: &str) -> Answer {
    site.get(path, &[(header::COOKIE, cookie), (header::ACCEPT, "text/html")]).await
}

async fn vera(site: &Site) -> String {
    sign_in(site, &site.world.login, PASSWORD).await.1
}

/// Makes an operator, and signs in.
async fn operator(site: &Site, name: &str, roles: &[OperatorRole]) -> (String, String) {
    let world = &site.world;
    let login = format!("{name}@{}", world.tenant_slug);
    identity::create_operator(&world.engine, &world.system, &login, name, PASSWORD, roles).await.unwrap();
    let cookie = sign_in(site, &login, PASSWORD).await.1;
    (login, cookie)
}

#[tokio::test]
async fn a_new_key_is_shown_once_to_whoever_made_it_and_stored_nowhere() {
    let site = Site::on(World::on(TestDatabases::fresh(&SystemClock).await).await, &[]);
    let cookie = vera(&site).await;
    let agent = site.world.atlas.agent_id().unwrap();
    let made = form(&site, "create_key", &cookie, &format!("agent={agent}&name=laptop&preset=agent&days=90")).await;
    assert_eq!(made.status, StatusCode::OK, "{}", made.text);
    let once = set(&made, "rmb-once");
    let secret = once.split_once("secret=").unwrap().1;
    let path = format!("/agents/{agent}");
    assert!(!made.text.contains(secret), "{}", made.text);
    assert_eq!(tables_with(&site, secret).await, Vec::<String>::new(), "the secret is stored nowhere");

    let (_, idris) = operator(&site, "idris", OperatorRole::ALL).await;
    let other = page(&site, &path, &format!("{idris}; {once}")).await;
    assert!(other.status == StatusCode::OK && !other.text.contains(secret), "another operator in the same browser sees nothing");
    let elsewhere = page(&site, "/accounts", &format!("{cookie}; {once}")).await;
    for answer in [&other, &elsewhere] {
        assert!(!answer.cookies().iter().any(|pair| pair.starts_with("rmb-once")), "the browser keeps it for its page");
    }
    let shown = page(&site, &path, &format!("{cookie}; {once}")).await;
    assert!(shown.text.contains(secret) && shown.text.contains("laptop"), "{}", shown.text);
    assert_eq!(set(&shown, "rmb-once"), "rmb-once=", "the browser drops it");
    assert!(!page(&site, &path, &cookie).await.text.contains(secret), "the server cannot show it again");
    let recalled = site.post(Some(secret), "agent_memory_recall", json!({ "query": "tea" }).to_string()).await;
    assert_eq!(recalled.status, StatusCode::OK, "{}", recalled.text);

    let keys = identity::list_keys(&site.world.engine, &site.world.vera, Some("atlas"), None).await.unwrap().keys;
    let id = keys.iter().find(|key| key.name == "laptop").unwrap().id;
    let rotated = form(&site, "rotate_key", &cookie, &format!("id={id}&agent={agent}&overlap_hours=0")).await;
    let once = set(&rotated, "rmb-once");
    let next = once.split_once("secret=").unwrap().1;
    let status = |key: String| {
        let site = &site;
        async move { site.post(Some(&key), "agent_memory_recall", json!({ "query": "tea" }).to_string()).await.status }
    };
    assert_eq!((status(secret.to_owned()).await, status(next.to_owned()).await), (StatusCode::UNAUTHORIZED, StatusCode::OK));
}

#[tokio::test]
async fn an_agent_is_connected_with_finished_lines() {
    let site = Site::new().await;
    let (cookie, agent) = (vera(&site).await, site.world.atlas.agent_id().unwrap());
    let made = form(&site, "connect_agent", &cookie, &format!("agent={agent}&host=cursor")).await;
    assert_eq!(made.status, StatusCode::OK, "{}", made.text);
    let once = set(&made, "rmb-once");
    let secret = once.split_once("secret=").unwrap().1;
    let keys = identity::list_keys(&site.world.engine, &site.world.vera, Some("atlas"), None).await.unwrap().keys;
    let path = format!("/agents/connect/{}?host=cursor", keys.iter().find(|key| key.name == "Cursor").unwrap().id);
    let shown = page(&site, &path, &format!("{cookie}; {once}")).await;
    assert!(shown.text.contains(&format!("Bearer {secret}")) && shown.text.contains("/mcp"), "{}", shown.text);
    assert!(shown.text.contains("Waiting for the first call.") && shown.text.contains("Check again"), "{}", shown.text);
    let again = page(&site, &path, &cookie).await;
    assert!(again.text.contains("Bearer YOUR_KEY") && !again.text.contains(secret), "{}", again.text);
    for wrong in ["host=emacs", "host=cursor&user=mistyped"] {
        let refused = form(&site, "connect_agent", &cookie, &format!("agent={agent}&{wrong}")).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{}", refused.text);
    }
}

#[tokio::test]
async fn a_retired_agent_gets_no_key_until_it_is_back() {
    let site = Site::new().await;
    let (cookie, agent) = (vera(&site).await, site.world.binky.agent_id().unwrap());
    let key = format!("agent={agent}&name=laptop&preset=reader");
    let here = format!("/agents/{agent}");
    let offers = [(here.as_str(), format!("/memories/new?agent={agent}")), ("/quality/expectations/new", format!("value=\"{agent}\""))];
    for (path, offer) in &offers {
        let shown = page(&site, path, &cookie).await.text;
        assert!(shown.contains(offer), "{path}: {shown}");
    }
    assert_eq!(form(&site, "retire_agent", &cookie, &format!("id={agent}&reason=sold")).await.status, StatusCode::OK);
    let change = format!("id={agent}&name=Binky&discipline=confirming");
    for (function, body) in [("create_key", &key), ("change_agent", &change)] {
        let refused = form(&site, function, &cookie, body).await;
        assert_eq!(refused.status, StatusCode::CONFLICT, "{function}: {}", refused.text);
    }
    let shown = page(&site, &here, &cookie).await;
    assert!(shown.text.contains("Bring this agent back") && !shown.text.contains("New key…"), "{}", shown.text);
    for (path, offer) in &offers {
        let shown = page(&site, path, &cookie).await.text;
        assert!(!shown.contains(offer), "{path}: {shown}");
    }
    assert_eq!(form(&site, "restore_agent", &cookie, &format!("id={agent}")).await.status, StatusCode::OK);
    assert_eq!(form(&site, "create_key", &cookie, &key).await.status, StatusCode::OK);
}

#[tokio::test]
async fn an_invited_person_chooses_a_password_and_the_link_works_once() {
    let site = Site::new().await;
    let cookie = vera(&site).await;
    let login = format!("mina%40{}", site.world.tenant_slug);
    let made = form(&site, "invite_operator", &cookie, &format!("login={login}&name=Mina&roles[]=viewer&hours=24")).await;
    assert_eq!(made.status, StatusCode::OK, "{}", made.text);
    let once = set(&made, "rmb-once");
    let token = once.split_once("token%3D").unwrap().1.to_owned();
    let shown = page(&site, "/accounts", &format!("{cookie}; {once}")).await;
    assert!(shown.text.contains(&format!("/invitation?token={token}")) && shown.text.contains("becomes viewer"), "{}", shown.text);
    assert!(!page(&site, "/accounts", &cookie).await.text.contains(&token));

    let body = format!("token={token}&password=a+long+enough+password");
    let accepted = form(&site, "accept_invitation", "", &body).await;
    assert_eq!(accepted.status, StatusCode::OK, "{}", accepted.text);
    let front = page(&site, "/", &set(&accepted, "rmb")).await;
    assert!(front.status == StatusCode::OK && front.text.contains("Mina"), "{}", front.text);
    assert_eq!(form(&site, "accept_invitation", "", &body).await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn the_last_admin_stays_and_a_removal_is_confirmed_with_the_login() {
    let site = Site::new().await;
    let (world, cookie) = (&site.world, vera(&site).await);
    let accounts = identity::list_operators(&world.engine, &world.vera).await.unwrap();
    let me = accounts.iter().find(|account| account.login == world.login).unwrap().id;
    let status = async |function: &str, body: String| form(&site, function, &cookie, &body).await.status;
    let login = world.login.replace('@', "%40");
    assert_eq!(status("remove_account", format!("id={me}&login=somebody")).await, StatusCode::BAD_REQUEST);
    assert_eq!(status("remove_account", format!("id={me}&login={login}")).await, StatusCode::CONFLICT);
    assert_eq!(status("change_account", format!("id={me}&name=Vera&roles[]=viewer")).await, StatusCode::CONFLICT);

    let (login, idris) = operator(&site, "idris", &[OperatorRole::Admin]).await;
    let accounts = identity::list_operators(&world.engine, &world.vera).await.unwrap();
    let other = accounts.iter().find(|account| account.login == login).unwrap().id;
    assert_eq!(page(&site, "/accounts", &idris).await.status, StatusCode::OK);
    let login = login.replace('@', "%40");
    assert_eq!(status("remove_account", format!("id={other}&login={login}")).await, StatusCode::OK);
    assert!(page(&site, "/accounts", &idris).await.status.is_redirection(), "the session has ended");
    assert_eq!(status("restore_account", format!("id={other}")).await, StatusCode::OK);
    assert!(page(&site, "/accounts", &idris).await.status.is_redirection(), "the session from before stays ended");
    assert_eq!(status("restore_account", format!("id={other}")).await, StatusCode::NOT_FOUND, "it has access");
}

#[tokio::test]
async fn a_new_password_ends_the_other_sessions() {
    let site = Site::new().await;
    let (here, there) = (vera(&site).await, vera(&site).await);
    let wrong = form(&site, "change_password", &here, "current=not+the+password&new=another+long+password").await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST, "{}", wrong.text);
    let changed = form(&site, "change_password", &here, "current=a+long+enough+password&new=another+long+password").await;
    assert_eq!(changed.status, StatusCode::OK, "{}", changed.text);
    assert_eq!(page(&site, "/agents", &set(&changed, "rmb")).await.status, StatusCode::OK);
    assert!(page(&site, "/agents", &there).await.status.is_redirection(), "the other session has ended");
    let (_, signed_in) = sign_in(&site, &site.world.login, "another long password").await;
    assert!(!signed_in.is_empty());
}

#[tokio::test]
async fn what_belongs_to_another_organisation_is_not_found() {
    let (site, foreign) = (Site::new().await, Site::new().await);
    let (cookie, theirs) = (vera(&site).await, &foreign.world);
    let agent = theirs.atlas.agent_id().unwrap();
    let key = identity::list_keys(&theirs.engine, &theirs.vera, Some("atlas"), None).await.unwrap().keys[0].id;
    let account = identity::list_operators(&theirs.engine, &theirs.vera).await.unwrap()[0].clone();
    let new =
        NewInvitation { login: format!("mole@{}", theirs.tenant_slug), name: "Mole".into(), roles: vec![OperatorRole::Viewer], hours: 1 };
    let invitation = identity::invite(&theirs.engine, &theirs.vera, new).await.unwrap().invitation.id;
    let (bot, _) = chat::create_bot(&theirs.engine, &theirs.vera, key, "telegram").await.unwrap();
    let (operator, login) = (account.id, account.login.replace('@', "%40"));
    for (function, body) in [
        ("change_agent", format!("id={agent}&name=Ours&discipline=confirming")),
        ("retire_agent", format!("id={agent}&reason=ours")),
        ("restore_agent", format!("id={agent}")),
        ("create_key", format!("agent={agent}&name=ours&preset=agent")),
        ("rotate_key", format!("id={key}&agent={agent}&overlap_hours=0")),
        ("connect_agent", format!("agent={agent}&host=curl")),
        ("create_bot", format!("agent={agent}&key={key}&name=ours")),
        ("unbind_chat", format!("agent={agent}&bot={bot}&chat=4711")),
        ("remove_bot", format!("agent={agent}&bot={bot}")),
        ("change_account", format!("id={operator}&name=Ours&roles[]=viewer")),
        ("offer_password", format!("id={operator}")),
        ("end_sessions", format!("id={operator}")),
        ("detach_identity", format!("id={operator}")),
        ("restore_account", format!("id={operator}")),
        ("remove_account", format!("id={operator}&login={login}")),
        ("withdraw_invitation", format!("id={invitation}")),
    ] {
        let refused = form(&site, function, &cookie, &body).await;
        assert_eq!(refused.status, StatusCode::NOT_FOUND, "{function}: {}", refused.text);
    }
    for path in [format!("/agents/{agent}"), format!("/agents/connect/{key}"), format!("/accounts/{operator}")] {
        assert_eq!(page(&site, &path, &cookie).await.status, StatusCode::NOT_FOUND, "{path}");
    }
    let after = identity::list_operators(&theirs.engine, &theirs.vera).await.unwrap();
    assert_eq!(after, [account], "nothing of it changed");
    let users = page(&site, "/people/users", &cookie).await;
    assert!(users.status == StatusCode::OK && !users.text.contains(&theirs.tenant_slug), "{}", users.text);
}

#[tokio::test]
async fn a_bot_is_made_and_its_chats_are_bound_and_unbound() {
    let site = Site::new().await;
    let (cookie, world) = (vera(&site).await, &site.world);
    let agent = world.atlas.agent_id().unwrap();
    let key = identity::list_keys(&world.engine, &world.vera, Some("atlas"), None).await.unwrap().keys[0].id;
    let made = form(&site, "create_bot", &cookie, &format!("agent={agent}&key={key}&name=Otter")).await;
    assert_eq!(made.status, StatusCode::OK, "{}", made.text);
    let path = format!("/agents/{agent}");
    let shown = page(&site, &path, &format!("{cookie}; {}", set(&made, "rmb-once"))).await;
    assert!(shown.text.contains("secret_token ") && shown.text.contains("0 bound chats"), "{}", shown.text);
    let bot = chat::bots(&world.engine, &world.vera).await.unwrap()[0].id;
    let bind = |user: &str| format!("agent={agent}&bot={bot}&chat=4711&user={user}");
    assert_eq!(form(&site, "bind_chat", &cookie, &bind("crm-4711")).await.status, StatusCode::BAD_REQUEST, "nobody has the reference");
    assert_eq!(form(&site, "put_user", &cookie, "reference=crm-4711&name=Mina").await.status, StatusCode::OK);
    assert_eq!(form(&site, "bind_chat", &cookie, &bind("crm-4711")).await.status, StatusCode::OK);
    let bound = page(&site, &path, &cookie).await.text;
    assert!(bound.contains("1 bound chat") && !bound.contains("secret_token"), "{bound}");
    let unbind = format!("agent={agent}&bot={bot}&chat=4711");
    assert_eq!(form(&site, "unbind_chat", &cookie, &unbind).await.status, StatusCode::OK);
    assert_eq!(form(&site, "unbind_chat", &cookie, &unbind).await.status, StatusCode::NOT_FOUND);
    assert_eq!(form(&site, "remove_bot", &cookie, &format!("agent={agent}&bot={bot}")).await.status, StatusCode::OK);
    assert!(chat::bots(&world.engine, &world.vera).await.unwrap().is_empty());
}

#[tokio::test]
async fn users_are_added_and_changed_by_reference() {
    let site = Site::new().await;
    let (cookie, world) = (vera(&site).await, &site.world);
    assert_eq!(form(&site, "put_user", &cookie, "reference=crm-4711&name=Mina").await.status, StatusCode::OK);
    let all = identity::list_users(&world.engine, &world.vera, None).await.unwrap().users;
    let user = all.iter().find(|user| user.external_ref == "crm-4711").unwrap().id;
    let shown = page(&site, &format!("/people/users?user={user}"), &cookie).await;
    assert!(shown.text.contains("Change a user") && shown.text.contains("value=\"crm-4711\""), "{}", shown.text);
    let changed = form(&site, "put_user", &cookie, &format!("id={user}&reference=crm-4712&name=Mina+Roth")).await;
    assert_eq!(changed.status, StatusCode::OK, "{}", changed.text);
    let all = identity::list_users(&world.engine, &world.vera, None).await.unwrap().users;
    let after = all.iter().find(|one| one.id == user).unwrap();
    assert_eq!((after.external_ref.as_str(), after.name.as_deref()), ("crm-4712", Some("Mina Roth")));
    assert_eq!(form(&site, "put_user", &cookie, &format!("id={user}&reference=crm-4712&name=")).await.status, StatusCode::OK);
    assert_eq!(identity::users_with(&world.engine, &world.vera, &[user]).await.unwrap()[0].name, None, "the field was emptied");
    let nameless = form(&site, "put_user", &cookie, "reference=&name=Mina").await;
    assert_eq!(nameless.status, StatusCode::BAD_REQUEST, "{}", nameless.text);
}

//! The pages of erasures, over HTTP.

use crate::console::{form, sign_in};
use crate::doors::alone;
use crate::forms::{FIELDS, post};
use crate::harness::with_token;
use axum::http::{StatusCode, header};
use db::clock::Clock;
use foundation::identity;
use foundation::testing::{PASSWORD, fact};
use remembrancer::{capture, consolidation, erasure, memories, workers};
use tokio_util::sync::CancellationToken;
use wire::{CaptureConversationRequest, ErasureState, InboxFilter, OperatorRole, SignedReport, SourceDetails, UserId};

#[tokio::test]
async fn a_second_admin_types_the_reference_and_downloads_a_report_that_verifies() {
    let site = alone().await;
    let (world, engine) = (&site.world, &site.world.engine);
    let talk = "[2026-05-21 09:12] Idris: I moved to Basel last month.\n[2026-05-21 09:13] Mina Lindt: I am allergic to peanuts.\n";
    let source = capture::add_source(engine, &world.atlas, SourceDetails::default(), talk.as_bytes().to_vec()).await.unwrap().source_id;
    let conversation =
        CaptureConversationRequest { source_ref: source, scope: None, capture_mode: None, project_id: None, repo_id: None, user_id: None };
    capture::capture_conversation(engine, &world.atlas, conversation).await.unwrap();
    let work =
        async || while workers::drain(engine).await.unwrap() + workers::work(engine, &CancellationToken::new()).await.unwrap() > 0 {};
    work().await;
    let of_basel = InboxFilter { q: Some("Basel".into()), ..InboxFilter::default() };
    let candidate = consolidation::inbox(engine, &world.vera, &of_basel).await.unwrap().rows.remove(0).id;
    let person = identity::add_user(engine, &world.vera, "crm-4711", Some("Mina Lindt"), None).await.unwrap().id;
    let (_, vera) = sign_in(&site, &world.login, PASSWORD).await;
    let gone = "01900000-0000-7000-8000-000000000000";
    let chosen =
        ["keep".to_owned(), format!("turns%3A{gone}"), format!("source%3A{source}")].map(|mention| format!("&mentions%5B%5D={mention}"));
    form(&site, "request_erasure", &vera, &format!("user=crm-4711&reason=Article+17{}", chosen.concat())).await;
    let requested = erasure::requests(engine, &world.vera).await.unwrap().remove(0);
    assert_eq!((requested.user_id, requested.mentions), (person, 2), "what is kept is not chosen");
    let id = requested.id;
    let login = format!("idris@{}", world.tenant_slug);
    identity::create_operator(engine, &world.system, &login, "Idris", PASSWORD, OperatorRole::ALL).await.unwrap();
    let (_, idris) = sign_in(&site, &login, PASSWORD).await;
    let page = async |path: &str| site.get(path, &[(header::COOKIE, &idris), (header::ACCEPT, "text/html")]).await.text;
    let state = async || erasure::show(engine, &world.vera, id).await.unwrap().request.state;

    let asks = site.get(&format!("/erasure/{id}"), &[(header::COOKIE, &vera), (header::ACCEPT, "text/html")]).await.text;
    assert!(asks.contains("Idris can confirm it") && asks.contains("Withdraw request") && !asks.contains("waits for you"), "{asks}");
    let list = page("/erasure").await;
    assert!(list.contains("waits for you") && list.contains("Admins of this organisation: Idris, Vera"), "{list}");
    assert!(list.contains("Mina Lindt") && !list.contains(&format!(">{person}<")), "people have names: {list}");
    let request = page(&format!("/erasure/{id}")).await;
    assert!(request.contains("Type crm-4711 to confirm") && request.contains("Mina Lindt"), "{request}");
    assert!(
        request.contains("Vera requested it.") && request.contains("Refuse request") && !request.contains("Withdraw request"),
        "{request}"
    );
    for wrong in ["", "Mina", "crm-4712"] {
        let fields = format!("id={id}&person={wrong}");
        assert!(!form(&site, "confirm_erasure", &idris, &fields).await.status.is_success(), "{wrong}");
        assert_eq!(state().await, ErasureState::Waiting, "“{wrong}” is not the reference");
    }
    form(&site, "confirm_erasure", &idris, &format!("id={id}&person=crm-4711")).await;
    assert_eq!(state().await, ErasureState::Confirmed);
    assert!(page(&format!("/erasure/{id}")).await.contains("http-equiv=\"refresh\""), "progress shows by itself, also without JavaScript");
    work().await;

    let done = page(&format!("/erasure/{id}")).await;
    assert!(!done.contains("http-equiv=\"refresh\"") && !done.contains("Mina Lindt"), "{done}");
    let path = format!("/erasure/{id}/report.json");
    assert!(done.contains(&path), "the page offers the file");
    let file = site.get(&path, &[(header::COOKIE, &idris)]).await;
    assert_eq!(file.status, StatusCode::OK);
    assert!(file.header(header::CONTENT_DISPOSITION).starts_with("attachment"), "{file:?}");
    let signed: SignedReport = serde_json::from_str(&file.text).unwrap();
    assert!(erasure::verify_report(engine, &world.vera, &signed).await.unwrap());
    assert!(site.get(&path, &[]).await.status.is_redirection(), "a stranger signs in first");

    // What quoted the source is there, and says what became of its evidence.
    let login = format!("mina@{}", world.tenant_slug);
    identity::create_operator(engine, &world.system, &login, "Mina", PASSWORD, &[OperatorRole::Viewer]).await.unwrap();
    let (_, mina) = sign_in(&site, &login, PASSWORD).await;
    let (link, short) = (format!("/erasure/{id}"), format!("request {}", &id.to_string()[28..]));
    for (path, says) in [
        (format!("/sources/{source}"), "Source erased"),
        (format!("/memories/{candidate}"), "Evidence erased"),
        (format!("/inbox?focus={candidate}"), "Evidence erased"),
    ] {
        let text = page(&path).await;
        assert!(text.contains(says) && text.contains(&link), "{path}: {text}");
        assert!(!text.contains("sent without"), "{path}: {text}");
        // Only admins may read the request, so it is no link for others.
        let text = site.get(&path, &[(header::COOKIE, &mina), (header::ACCEPT, "text/html")]).await.text;
        assert!(text.contains(says) && text.contains(&short) && !text.contains(&link), "{path}: {text}");
    }
}

#[tokio::test]
async fn a_legal_hold_leads_back_to_the_page_of_the_person() {
    let site = alone().await;
    let world = &site.world;
    let person = identity::add_user(&world.engine, &world.vera, "crm-4711", Some("Mina Lindt"), None).await.unwrap().id;
    let (_, vera) = sign_in(&site, &world.login, PASSWORD).await;
    let (action, here) = ("/console/api/set_hold", format!("/people/{person}"));
    for (reason, held) in [("", false), ("Case+31", true)] {
        let body = with_token(&vera, action, &format!("user={person}&done={here}&reason={reason}"));
        assert_eq!(post(&site, &vera, action, FIELDS, body).await.header(header::LOCATION), here);
        let text = site.get(&here, &[(header::COOKIE, &vera), (header::ACCEPT, "text/html")]).await.text;
        assert_eq!(text.contains("Legal hold, set by"), held, "{text}");
        // A refused form is open, with what is wrong about it.
        assert_eq!(text.contains("<details open class=\"card\">"), !held, "{text}");
    }
}

#[tokio::test]
async fn a_new_erasure_opens_with_names_and_nobody_is_no_dead_end() {
    let site = alone().await;
    let (world, engine) = (&site.world, &site.world.engine);
    let lena = identity::add_user(engine, &world.vera, "crm-4711", Some("Lena Holm"), None).await.unwrap().id;
    for (topic, content) in
        [("tea", "Ask Lena about tea."), ("auto", "Lenas Auto."), ("boats", "Alena has several boats."), ("quay", "Mina Roth left.")]
    {
        memories::remember(engine, &world.binky, fact(topic, content)).await.unwrap();
    }
    let (_, cookie) = sign_in(&site, &world.login, PASSWORD).await;
    let get = async |path: &str| site.get(path, &[(header::COOKIE, &cookie), (header::ACCEPT, "text/html")]).await;
    let opened = get(&format!("/erasure/new?user={lena}")).await.text;
    assert!(opened.contains(">Lena Holm</textarea>") && opened.contains("2 records. "), "{opened}");
    assert!(opened.contains("Lenas Auto.") && !opened.contains("several boats"), "the first name is searched for: {opened}");
    let without = get(&format!("/erasure/new?user={lena}&searched=true&names=Lena+Holm")).await.text;
    assert!(without.contains("“Lena Holm”: 0 records") && !without.contains("Lenas Auto."), "{without}");
    let refused = get(&format!("/erasure/new?user={lena}&searched=true&names=Al")).await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    assert!(refused.text.contains(">Al</textarea>"), "the name can be corrected: {}", refused.text);

    let nobody = get("/erasure/new?user=nobody").await;
    assert_eq!(nobody.status, StatusCode::NOT_FOUND);
    for way in ["Nobody is known as “nobody”", "/people?user=nobody", "/erasure/new?names=nobody"] {
        assert!(nobody.text.contains(way), "{way}: {}", nobody.text);
    }
    let people = get("/people?user=Mina+Roth").await.text;
    assert!(people.contains("Look for mentions of “Mina Roth” in all texts") && people.contains("/erasure/new?names=Mina"), "{people}");
    let only_named = get("/erasure/new?names=Mina+Roth").await.text;
    assert!(only_named.contains("“Mina Roth”: 1 record") && only_named.contains("Mina Roth left."), "{only_named}");
    form(&site, "request_erasure", &cookie, &format!("user={}&names=Mina+Roth&reason=Article+17", UserId(world.clock.id()))).await;
    assert_eq!(erasure::requests(engine, &world.vera).await.unwrap().len(), 1, "whom only texts name can be erased");
}

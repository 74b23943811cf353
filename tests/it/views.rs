//! Saved views of an operator: private, limited, and with unique names.

use foundation::op::{Access, Actor};
use foundation::testing::{World, nowhere};
use foundation::{Error, OpContext, identity};
use wire::{AuditFilter, ErrorCode, OperatorRole, SavedView, VIEWS_MAX, ViewId, ViewPage, ViewSharing};

const PAGE: ViewPage = ViewPage::Memories;

async fn save(world: &World, ctx: &OpContext, name: &str) -> Result<SavedView, Error> {
    identity::save_view(&world.engine, ctx, PAGE, name, "kind=decision&agent=1").await
}

async fn names(world: &World, ctx: &OpContext, page: ViewPage) -> Vec<String> {
    identity::views(&world.engine, ctx, page).await.unwrap().into_iter().map(|view| view.name).collect()
}

/// Another operator of the same tenant.
async fn mina(world: &World) -> OpContext {
    let login = format!("mina-{}@acme.example", world.tenant_slug);
    let roles = vec![OperatorRole::Viewer];
    let id = identity::create_operator(&world.engine, &world.system, &login, "Mina", "a long enough password", &roles).await.unwrap();
    OpContext { actor: Actor::Operator { id, name: "Mina".into(), epoch: 0 }, access: Access::Roles(roles), ..world.vera.clone() }
}

#[tokio::test]
async fn a_view_is_saved_renamed_and_deleted() {
    let world = World::new().await;
    let view = save(&world, &world.vera, "  Decisions of atlas ").await.unwrap();
    assert_eq!((view.name.as_str(), view.query.as_str()), ("Decisions of atlas", "kind=decision&agent=1"));
    save(&world, &world.vera, "about tea").await.unwrap();
    assert_eq!(names(&world, &world.vera, PAGE).await, ["about tea", "Decisions of atlas"], "by name, whatever its case");
    assert!(names(&world, &world.vera, ViewPage::Retrievals).await.is_empty(), "each page has its own");

    identity::rename_view(&world.engine, &world.vera, view.id, "All decisions").await.unwrap();
    let seen = identity::views(&world.engine, &world.vera, PAGE).await.unwrap();
    assert!(seen.contains(&SavedView { name: "All decisions".into(), ..view.clone() }));
    identity::delete_view(&world.engine, &world.vera, view.id).await.unwrap();
    assert_eq!(names(&world, &world.vera, PAGE).await, ["about tea"]);
    assert!(matches!(identity::delete_view(&world.engine, &world.vera, view.id).await, Err(Error::NotFound("view"))));
}

#[tokio::test]
async fn names_and_queries_have_their_limits() {
    let world = World::new().await;
    let view = save(&world, &world.vera, &"é".repeat(64)).await.unwrap();
    save(&world, &world.vera, "tea").await.unwrap();
    for name in ["", "   ", &"n".repeat(65), "nul\0"] {
        let error = save(&world, &world.vera, name).await.unwrap_err();
        assert_eq!(error.fields()[0].field, "name", "{error}");
        let error = identity::rename_view(&world.engine, &world.vera, view.id, name).await.unwrap_err();
        assert_eq!(error.fields()[0].field, "name", "{error}");
    }
    for error in [
        save(&world, &world.vera, " tea").await.unwrap_err(),
        identity::rename_view(&world.engine, &world.vera, view.id, "tea").await.unwrap_err(),
    ] {
        assert_eq!(error.to_string(), "name is already the name of one of your views");
    }
    identity::save_view(&world.engine, &world.vera, ViewPage::Retrievals, "tea", "q=tea").await.unwrap();
    for query in ["", &"q".repeat(2001), "q=\0"] {
        let error = identity::save_view(&world.engine, &world.vera, PAGE, "long", query).await.unwrap_err();
        assert_eq!(error.fields()[0].field, "query", "{error}");
    }
    assert_eq!(names(&world, &world.vera, PAGE).await.len(), 2, "nothing of what was refused is kept");
}

#[tokio::test]
async fn fifty_views_are_enough_even_for_who_saves_all_at_once() {
    let world = World::new().await;
    let saves = (0..VIEWS_MAX + 10).map(|n| {
        let (engine, vera) = (world.engine.clone(), world.vera.clone());
        tokio::spawn(async move { identity::save_view(&engine, &vera, PAGE, &format!("view {n}"), "q=x").await })
    });
    let mut refused = 0;
    for save in saves.collect::<Vec<_>>() {
        if let Err(error) = save.await.unwrap() {
            assert_eq!(
                (error.code(), error.message().as_str()),
                (ErrorCode::Conflict, "you already have 50 saved views: delete one first")
            );
            refused += 1;
        }
    }
    assert_eq!((refused, names(&world, &world.vera, PAGE).await.len()), (10, 50));
    save(&world, &mina(&world).await, "hers").await.unwrap();
}

#[tokio::test]
async fn nobody_sees_or_touches_the_views_of_somebody_else() {
    let (world, stranger) = (World::new().await, World::new().await);
    let mina = mina(&world).await;
    let view = save(&world, &world.vera, "decisions").await.unwrap();
    for other in [&mina, &stranger.vera] {
        assert!(names(&world, other, PAGE).await.is_empty());
        assert!(matches!(identity::rename_view(&world.engine, other, view.id, "mine").await, Err(Error::NotFound("view"))));
        assert!(matches!(identity::delete_view(&world.engine, other, view.id).await, Err(Error::NotFound("view"))));
        save(&world, other, "decisions").await.unwrap();
    }
    assert_eq!(identity::views(&world.engine, &world.vera, PAGE).await.unwrap(), [view]);

    for ctx in [&OpContext { access: Access::Roles(vec![OperatorRole::Reviewer]), ..world.vera.clone() }, &world.atlas, &world.system] {
        assert!(matches!(identity::views(&world.engine, ctx, PAGE).await, Err(Error::Forbidden(_))));
        assert!(matches!(save(&world, ctx, "x").await, Err(Error::Forbidden(_))));
        assert!(matches!(identity::rename_view(&world.engine, ctx, ViewId(nowhere()), "x").await, Err(Error::Forbidden(_))));
        assert!(matches!(identity::delete_view(&world.engine, ctx, ViewId(nowhere())).await, Err(Error::Forbidden(_))));
    }
}

#[tokio::test]
async fn reviewers_and_admins_share_a_view_with_everybody_of_the_organisation() {
    let (world, stranger) = (World::new().await, World::new().await);
    let (engine, mina) = (&world.engine, mina(&world).await);
    let view = save(&world, &world.vera, "decisions").await.unwrap();
    let as_role = |ctx: &OpContext, role| OpContext { access: Access::Roles(vec![role]), ..ctx.clone() };
    for role in OperatorRole::ALL {
        let allowed = matches!(role, OperatorRole::Reviewer | OperatorRole::Admin);
        let shared = identity::share_view(engine, &as_role(&world.vera, *role), view.id, ViewSharing::Shared).await;
        assert_eq!(shared.is_ok(), allowed, "{role}: {shared:?}");
        assert!(allowed || matches!(shared, Err(Error::Forbidden(_))));
    }
    for ctx in [&world.atlas, &world.system] {
        assert!(matches!(identity::share_view(engine, ctx, view.id, ViewSharing::Shared).await, Err(Error::Forbidden(_))));
    }
    let hers = save(&world, &mina, "Apples").await.unwrap();
    let seen = identity::views(engine, &mina, PAGE).await.unwrap();
    let shared = SavedView { sharing: ViewSharing::Shared, by: Some(world.vera.actor.name().to_owned()), ..view.clone() };
    assert_eq!(seen, [hers.clone(), shared], "one's own come first");
    assert!(names(&world, &stranger.vera, PAGE).await.is_empty());
    assert!(matches!(identity::share_view(engine, &stranger.vera, view.id, ViewSharing::Pinned).await, Err(Error::NotFound("view"))));

    // Sharing gives nobody the right to change the view, and what is private stays so.
    assert!(matches!(identity::rename_view(engine, &mina, view.id, "mine").await, Err(Error::NotFound("view"))));
    assert!(matches!(identity::delete_view(engine, &mina, view.id).await, Err(Error::NotFound("view"))));
    assert!(matches!(identity::share_view(engine, &world.vera, hers.id, ViewSharing::Shared).await, Err(Error::NotFound("view"))));

    let reviewer = as_role(&mina, OperatorRole::Reviewer);
    identity::share_view(engine, &reviewer, view.id, ViewSharing::Pinned).await.unwrap();
    assert_eq!(identity::views(engine, &world.vera, PAGE).await.unwrap()[0].sharing, ViewSharing::Pinned);
    identity::share_view(engine, &reviewer, view.id, ViewSharing::Private).await.unwrap();
    assert_eq!(names(&world, &mina, PAGE).await, ["Apples"]);
    assert_eq!(identity::views(engine, &world.vera, PAGE).await.unwrap(), std::slice::from_ref(&view));
    let filter = AuditFilter { target: Some(view.id.to_string()), ..AuditFilter::default() };
    let entries = foundation::audit::browse(engine, &world.vera, &filter).await.unwrap().rows;
    let mut actions: Vec<&str> = entries.iter().map(|entry| entry.action.as_str()).collect();
    actions.sort_unstable();
    assert_eq!(actions, ["view.made_private", "view.pinned", "view.shared"]);

    // Who may not share any more cannot take what others use away.
    identity::share_view(engine, &reviewer, hers.id, ViewSharing::Shared).await.unwrap();
    assert!(matches!(identity::delete_view(engine, &mina, hers.id).await, Err(Error::Forbidden(_))));
    assert!(matches!(identity::rename_view(engine, &mina, hers.id, "Pears").await, Err(Error::Forbidden(_))));
    assert_eq!(names(&world, &mina, PAGE).await, ["Apples"]);
}

//! Terms of the vocabulary: how they are named and looked up, and what changing one does to memories.

use crate::review::{add, change, record, undo};
use crate::support::{Run, alone, remember, work};
use foundation::Error;
use foundation::testing::{World, fact, nowhere};
use remembrancer::vocabulary;
use wire::{Likeness, LookupRequest, NamedTerm, TermChange, TermFilter, TermId};

#[tokio::test]
async fn a_term_is_named_by_its_id_its_name_or_an_alias() {
    let world = alone().await;
    let (tea, coffee) = (add(&world, "Black Tea", &["infusion"]).await, add(&world, "coffee", &["Black Tea with milk"]).await);
    let named = async |world: &World, text: &str| vocabulary::term_named(&world.engine, &world.vera, text).await.unwrap();
    let term = Some(NamedTerm { id: tea, term: "Black Tea".into() });
    for text in ["Black Tea", "black-TEA ", " infusion", "Infusion", &tea.to_string()] {
        assert_eq!(named(&world, text).await, term, "{text}");
    }
    for text in ["tea", "black", "with milk", "beverage", "-", &nowhere().to_string()] {
        assert_eq!(named(&world, text).await, None, "{text}");
    }
    assert_eq!(named(&world, "black tea with milk").await.map(|term| term.id), Some(coffee));
    change(&world, tea, TermChange::Rename { term: "tea".into() }).await.unwrap();
    assert_eq!(named(&world, "black tea").await, Some(NamedTerm { id: tea, term: "tea".into() }), "the old name is an alias");
    let stranger = World::new().await;
    assert_eq!((named(&stranger, "tea").await, named(&stranger, &tea.to_string()).await), (None, None));
    change(&world, tea, TermChange::Retire { reason: "unused".into() }).await.unwrap();
    assert_eq!((named(&world, "tea").await, named(&world, &tea.to_string()).await), (None, None), "not in use any more");
    for text in ["  ".to_owned(), "x".repeat(257)] {
        assert!(matches!(vocabulary::term_named(&world.engine, &world.vera, &text).await, Err(Error::Invalid(_))));
    }
    assert!(matches!(vocabulary::term_named(&world.engine, &world.atlas, "tea").await, Err(Error::Forbidden(_))));
}

#[tokio::test]
async fn names_of_terms_are_suggested_in_alphabetical_order() {
    let world = alone().await;
    for term in ["walnut", "almond", "Brazil nut"] {
        add(&world, term, if term == "almond" { &["nut of the almond tree"] } else { &[] }).await;
    }
    let names = async |world: &World, q: &str| vocabulary::term_names(&world.engine, &world.vera, q).await.unwrap();
    assert_eq!(names(&world, "nut").await, ["almond", "Brazil nut", "walnut"], "aliases count too");
    assert_eq!(names(&world, " ").await.len(), 3);
    assert_eq!(names(&world, "%").await, Vec::<String>::new());
    assert!(matches!(vocabulary::term_names(&world.engine, &world.atlas, "nut").await, Err(Error::Forbidden(_))));
    assert_eq!(names(&World::new().await, "nut").await, Vec::<String>::new());
    let more = "insert into canonical_terms (tenant_id, id, lineage, term, normal, definition, status, created_at, valid_from)
        select $1, id, id, 'nut ' || n, 'nut ' || n, '', 'active', now(), now()
          from (select n, gen_random_uuid() as id from generate_series(1, 60) n) t";
    sqlx::query(more).bind(world.vera.tenant_id).run(&world.engine.urls().shared_kb).await;
    let page = vocabulary::terms(&world.engine, &world.vera, &TermFilter { q: Some("nut".into()), ..TermFilter::default() }).await.unwrap();
    let names = names(&world, "nut").await;
    assert_eq!(names, page.rows.into_iter().map(|term| term.term).collect::<Vec<_>>(), "one page, as the list of terms has them");
}

#[tokio::test]
async fn terms_are_renamed_combined_and_retired_and_memories_follow() {
    let world = alone().await;
    let (store, vault) = (add(&world, "secret store", &["secrets"]).await, add(&world, "vault", &[]).await);
    let id = remember(&world, &world.atlas, fact("secrets", "Tokens rotate")).await.memory_id;
    let topic = async || record(&world, id).await.0;
    assert_eq!(topic().await, "secret store");

    let renamed = change(&world, store, TermChange::Rename { term: "Secret Manager".into() }).await.unwrap();
    work(&world).await;
    assert_eq!((topic().await.as_str(), renamed.memories), ("Secret Manager", 1));
    let combined = change(&world, store, TermChange::Combine { into: vault }).await.unwrap();
    work(&world).await;
    assert_eq!(topic().await, "vault");
    let aliases = vocabulary::term(&world.engine, &world.vera, vault).await.unwrap().term.aliases;
    assert_eq!(aliases, ["Secret Manager", "secret store", "secrets"]);
    let early = undo(&world, renamed.id).await.unwrap_err();
    assert!(matches!(early, Error::Conflict(_)), "{early}");
    let retired = change(&world, vault, TermChange::Retire { reason: "unused".into() }).await.unwrap();
    work(&world).await;
    assert_eq!((topic().await.as_str(), record(&world, id).await.2), ("secrets", false));
    let gone = TermFilter { retired: Some(true), ..TermFilter::default() };
    let gone: Vec<_> = vocabulary::terms(&world.engine, &world.vera, &gone).await.unwrap().rows.into_iter().map(|t| t.term).collect();
    assert_eq!(gone, ["Secret Manager", "vault"]);
    for (decision, expected) in [(retired, "vault"), (combined, "Secret Manager"), (renamed, "secret store")] {
        undo(&world, decision.id).await.unwrap();
        work(&world).await;
        assert_eq!(topic().await, expected);
    }
}

#[tokio::test]
async fn changes_that_make_no_sense_are_refused_and_leave_nothing() {
    let world = alone().await;
    let (tea, coffee) = (add(&world, "tea", &["infusion"]).await, add(&world, "coffee", &[]).await);
    let version = vocabulary::decisions(&world.engine, &world.vera, None, None).await.unwrap().total;
    let refused = [
        change(&world, tea, TermChange::Alias { alias: "Coffee".into() }).await,
        change(&world, tea, TermChange::Rename { term: "COFFEE".into() }).await,
        change(&world, tea, TermChange::Combine { into: tea }).await,
        change(&world, tea, TermChange::Rename { term: "tea".into() }).await,
        change(&world, tea, TermChange::Rename { term: " - ".into() }).await,
        change(&world, tea, TermChange::Alias { alias: String::new() }).await,
        change(&world, tea, TermChange::Alias { alias: "x".repeat(257) }).await,
        change(&world, tea, TermChange::Unalias { alias: "beverage".into() }).await,
        change(&world, TermId(nowhere()), TermChange::Combine { into: coffee }).await,
    ];
    assert!(refused.iter().all(Result::is_err), "{refused:?}");
    assert_eq!(refused[0].as_ref().unwrap_err().to_string(), "“Coffee” already stands for “coffee”");
    assert_eq!(vocabulary::decisions(&world.engine, &world.vera, None, None).await.unwrap().total, version);
}

#[tokio::test]
async fn lookup_resolves_what_is_known_and_only_suggests_the_rest() {
    let world = alone().await;
    add(&world, "terraform", &["tf"]).await;
    add(&world, "managed infrastructure", &[]).await;
    work(&world).await;
    let look = async |phrase: &str| vocabulary::lookup(&world.engine, &world.atlas, LookupRequest { phrase: phrase.into() }).await.unwrap();
    let exact = look("TF").await;
    assert_eq!((exact.found, exact.term.unwrap().term.as_str()), (true, "terraform"));
    let inside = look("how do we run managed_infrastructure with tf?").await;
    assert!(!inside.found);
    assert_eq!(inside.inside.iter().map(|t| t.term.as_str()).collect::<Vec<_>>(), ["managed infrastructure", "terraform"]);
    let typo = look("terrafrom").await;
    assert!(!typo.found && typo.term.is_none());
    assert_eq!((typo.suggestions[0].term.as_str(), typo.suggestions[0].likeness), ("terraform", Likeness::Spelling));
    let meant = look("infrastructure that is managed").await;
    assert_eq!((meant.suggestions[0].term.as_str(), meant.suggestions[0].likeness), ("managed infrastructure", Likeness::Meaning));
    for phrase in [String::new(), "x".repeat(257)] {
        let refused = vocabulary::lookup(&world.engine, &world.atlas, LookupRequest { phrase }).await;
        assert_eq!(refused.unwrap_err().fields()[0].field, "phrase");
    }
}

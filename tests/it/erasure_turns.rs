//! Erasing a person from a conversation of several people: as a whole, or only the turns that name the person.

use crate::capture::{captured, inbox};
use crate::erasure::idris;
use crate::support::{agent, alone, settle, work};
use db::clock::Clock;
use foundation::{Error, identity};
use remembrancer::{capture, erasure};
use std::collections::BTreeSet;
use wire::{ErasureState, MentionPlace, MentionRef, NewErasure, UserId, UserRef};

/// One of two equal conversations goes as a whole, the other one loses a turn.
#[tokio::test]
async fn a_transcript_goes_as_a_whole_or_only_the_turns_that_name_the_person() {
    let world = alone().await;
    let (engine, vera, idris) = (&world.engine, &world.vera, idris(&world).await);
    let reference = UserRef::External("crm-zqxmarker".into());
    let person = identity::add_user(engine, vera, "crm-zqxmarker", Some("Zqxmarker Person"), None).await.unwrap().id;
    let talk = "[2026-05-21 09:12] Idris: I moved to Basel last month.\n\
        [2026-05-21 09:13] Zqxmarker: My sister Lena works as a nurse in Zurich.\n\
        [2026-05-21 09:14] Mina: I am allergic to peanuts.\n";
    let (split, whole) = (captured(&world, &world.binky, talk).await.source_id, captured(&world, &world.atlas, talk).await.source_id);
    assert_eq!(inbox(&world).await.len(), 6);
    settle(&world).await;

    let mentions = erasure::preview(engine, vera, &reference, &["zqxmarker".into()]).await.unwrap().mentions;
    for source in [split, whole] {
        let row = MentionRef { place: MentionPlace::Source, id: source.0 };
        let extent = mentions.iter().find(|mention| mention.row() == row).and_then(|mention| mention.extent.clone()).unwrap();
        assert_eq!((extent.turns, extent.speakers, extent.naming, extent.bereft, extent.derived), (3, 3, 1, 3, 1));
        assert!(extent.is_divisible() && extent.whole == source.0);
    }
    let ticked = [(MentionPlace::Turns, split), (MentionPlace::Source, whole)].map(|(place, source)| MentionRef { place, id: source.0 });
    let (reason, names) = ("Article 17, case 31".into(), vec!["Zqxmarker".into()]);
    let new = NewErasure { user: person.into(), reason, names, mentions: ticked.to_vec() };
    let id = erasure::request(engine, vera, new).await.unwrap();
    let shown = erasure::show(engine, &idris, id).await.unwrap();
    assert_eq!(shown.ticked.iter().map(|mention| mention.row()).collect::<BTreeSet<_>>(), BTreeSet::from(ticked));
    assert_eq!(shown.request.user_name.as_deref(), Some("Zqxmarker Person"));
    for wrong in [UserRef::External("crm-4711".into()), UserId(world.clock.id()).into()] {
        let error = erasure::confirm(engine, &idris, id, &wrong).await.unwrap_err();
        assert_eq!(error.fields().first().map(|wrong| wrong.field.as_str()), Some("person"), "{error}");
    }
    erasure::confirm(engine, &idris, id, &reference).await.unwrap();
    work(&world).await;
    let done = erasure::show(engine, &idris, id).await.unwrap().request;
    assert_eq!((done.state, done.user_name), (ErasureState::Done, None));

    let left = capture::source(engine, vera, split, 0).await.unwrap();
    let said = left.turns.iter().map(|turn| {
        let words: String = turn.pieces.iter().map(|piece| piece.text.as_str()).collect();
        (turn.speaker.as_deref(), words.trim().to_owned())
    });
    assert_eq!(
        said.collect::<Vec<_>>(),
        [
            (Some("Idris"), "I moved to Basel last month.".to_owned()),
            (None, String::new()),
            (Some("Mina"), "I am allergic to peanuts.".to_owned())
        ]
    );
    assert!(matches!(capture::source(engine, vera, whole, 0).await, Err(Error::NotFound(_))));
    let (of_split, of_whole): (Vec<_>, Vec<_>) = inbox(&world).await.into_iter().partition(|item| item.agent_id == agent(&world.binky));
    assert_eq!(of_split.len(), 2, "what was made from the turn went with it: {of_split:#?}");
    for item in &of_split {
        let [quote] = item.quotes.as_slice() else { panic!("{item:#?}") };
        assert!(item.erased_by.is_none() && !format!("{}{}", quote.before, quote.after).contains("nurse"), "{quote:?}");
    }
    assert_eq!(of_whole.len(), 3, "they were not chosen");
    assert!(of_whole.iter().all(|item| item.quotes.is_empty() && item.erased_by == Some(id)), "{of_whole:#?}");
    for (what, expected) in [(split.0, Some(id)), (whole.0, Some(id)), (of_whole[0].id.0, Some(id)), (of_split[0].id.0, None)] {
        assert_eq!(erasure::erased_by(engine, vera, what).await.unwrap(), expected);
    }
    // The same transcript once more brings nothing back.
    captured(&world, &world.binky, talk).await;
    assert_eq!(inbox(&world).await.iter().filter(|item| item.agent_id == agent(&world.binky)).count(), 2);
}

use crate::ui::{Badge, Time, Tone, text};
use foundation::audit::{Verification, Verified};
use leptos::prelude::*;

/// Whether the hash chain of the log is intact: a badge, how many entries were verified, and the anchor.
#[component]
pub fn Chain(
    verification: Verification,
    /// The URL of the page.
    here: String,
) -> impl IntoView {
    let (tone, badge, says) = state(&verification);
    let Verification { since, verified, waiting, .. } = verification;
    let going = waiting > 0 && verified.fault.is_none();
    let anchor = verified.head.to_string();
    view! {
        <p class="mb-4 flex flex-wrap items-baseline gap-x-2 gap-y-1 text-sm text-soft" data-testid="chain" data-again=going.then_some("")>
            <Badge tone text=badge title="The hash of each entry is computed again and compared." />
            <span>{says} " " <Time at=since /></span>
            // With JavaScript the page refreshes by itself.
            {going.then(|| view! { <a class="underline" href=here>"Look again"</a> })}
            <span>"Anchor " <code class="font-mono text-xs break-all">{anchor}</code></span>
        </p>
    }
}

/// The badge of a verification, and what it means; the time at which it began follows.
fn state(Verification { verified, waiting, .. }: &Verification) -> (Tone, &'static str, String) {
    let Verified { head, erased, fault } = verified;
    let entries = text::count(head.entries, "entry", "entries");
    let erased = match erased {
        0 => String::new(),
        n => format!(" ({} of them without their texts, which were erased)", text::number(*n)),
    };
    match fault {
        Some(fault) => (Tone::Danger, "chain broken", format!("After {entries}: {fault}. Verification began")),
        None if *waiting > 0 => {
            (Tone::Plain, "chain being verified", format!("{entries} verified, {} to go. Began", text::number(*waiting)))
        }
        None => (Tone::Good, "chain intact", format!("{entries}{erased}. Verification began")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;
    use foundation::audit::{Anchor, Fault};

    #[test]
    fn only_a_chain_that_is_verified_to_its_end_is_intact() {
        let badge = |waiting, erased, fault| {
            let verified = Verified { head: Anchor { entries: 1_203, hash: vec![0; 32] }, erased, fault };
            let expected = Anchor { entries: 0, hash: vec![0; 32] };
            let (_, badge, says) = state(&Verification { since: DateTime::UNIX_EPOCH, verified, waiting, expected });
            (badge, says)
        };
        assert_eq!(badge(0, 0, None), ("chain intact", "1,203 entries. Verification began".to_owned()));
        assert_eq!(badge(0, 2, None).1, "1,203 entries (2 of them without their texts, which were erased). Verification began");
        assert_eq!(badge(7, 0, None), ("chain being verified", "1,203 entries verified, 7 to go. Began".to_owned()));
        for waiting in [0, 7] {
            let (badge, says) = badge(waiting, 0, Some(Fault::Cut));
            assert_eq!((badge, says.contains("its end was cut off")), ("chain broken", true));
        }
    }
}

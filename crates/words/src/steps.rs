//! Counts what a search looks at, so that tests see whether its work is linear in its text. An optimised program counts nothing.

#[cfg(debug_assertions)]
thread_local! {
    static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// So many characters, words or parts of a pattern were looked at.
#[inline]
pub fn looked_at(count: usize) {
    #[cfg(debug_assertions)]
    STEPS.set(STEPS.get() + count);
    #[cfg(not(debug_assertions))]
    let _ = count;
}

/// Tries a search on a piece of text that is repeated: four times the text must not cost more than five times the steps.
#[cfg(debug_assertions)]
pub fn assert_linear(piece: &str, search: impl Fn(&str)) {
    grows(piece, |times| search(&piece.repeat(times)));
}

/// Runs a search whose text grows with a number: four times the number must not cost more than five times the steps.
#[cfg(debug_assertions)]
pub fn assert_linear_in(what: &str, run: impl Fn(usize)) {
    assert!(grows(what, run) > 0, "{what:?}: nothing was counted");
}

#[cfg(debug_assertions)]
fn grows(what: &str, run: impl Fn(usize)) -> usize {
    let steps = |times: usize| {
        STEPS.set(0);
        run(times);
        STEPS.get()
    };
    let (few, many) = (steps(1_000), steps(4_000));
    assert!(many <= 5 * few.max(1_000), "{what:?}: {few} steps, {many} for four times the text");
    few
}

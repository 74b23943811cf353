//! The entry point of the console in the browser. It is a crate of its own so that the linker can leave out what is never called.

// The islands are called by name (`public/console.js`).
use islands as _;

/// Prepares the islands; each is hydrated on its own.
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    leptos::mount::hydrate_islands();
}

#!/usr/bin/env bash
# Builds what the browser loads into target/site with cargo-leptos: wasm, JavaScript, style sheet, assets, each also compressed.
# Nothing is done if nothing changed since the last time.
set -euo pipefail
source "$(dirname "$0")/env.sh"
cd "$REPO"

inputs=(app src/api src/lib.rs style/tailwind.css style/package-lock.json public Cargo.toml Cargo.lock .cargo/config.toml scripts/frontend.sh)
state=$(find "${inputs[@]}" -type f -print0 | LC_ALL=C sort -z | xargs -0 cksum; rustc --version; echo "${RUSTFLAGS:-}")
done_file=$REPO/target/frontend.state
if [ -d "$LEPTOS_SITE_ROOT" ] && [ "$state" = "$(cat "$done_file" 2>/dev/null)" ]; then exit 0; fi

say "building the front end (WebAssembly, optimised for size: some minutes the first time)"
cargo leptos build --release --frontend-only --precompress >&2
wasm=$LEPTOS_SITE_ROOT/pkg/remembrancer.wasm
[ -s "$wasm.br" ] || die "cargo-leptos ended without a compressed $wasm"
echo "$state" >"$done_file"
say "front end: $(wc -c <"$wasm") bytes of wasm, $(wc -c <"$wasm.br") with brotli"

#!/usr/bin/env bash
# Builds what the browser loads into target/site: wasm and its JavaScript with cargo-leptos, style sheet, assets, each also compressed.
# Nothing is done if nothing changed since the last time. The wasm is kept, so a changed page only needs another style sheet.
set -euo pipefail
source "$(dirname "$0")/env.sh"
cd "$REPO"

# What a phone downloads, compressed. Raise it only with a reason in the commit.
WASM_BUDGET=145000

state_of() { { find "$@" -type f -print0 | LC_ALL=C sort -z | xargs -0 cksum; rustc --version; } | cksum | tr -d ' '; }
kept=$CACHE/site/$(state_of app/islands app/frontend Cargo.toml Cargo.lock .cargo/config.toml scripts/frontend.sh)
mkdir -p "$CACHE/site" "$REPO/target"

if [ ! -d "$kept" ]; then
  say "building the front end (WebAssembly, optimised for size: some minutes the first time)"
  # The registry's place on this machine has no business in the file.
  export RUSTFLAGS="--cfg erase_components --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo"
  # What is there is not what the state says until all of it is made anew.
  rm -rf "$LEPTOS_SITE_ROOT" "$REPO/target/frontend.state"
  cargo leptos build --release --frontend-only --precompress >&2
  wasm=$LEPTOS_SITE_ROOT/pkg/remembrancer.wasm
  [ -s "$wasm.br" ] || die "cargo-leptos ended without a compressed $wasm"
  size=$(wc -c <"$wasm.br")
  say "front end: $(wc -c <"$wasm") bytes of wasm, $size with brotli"
  [ "$size" -le "$WASM_BUDGET" ] || die "the wasm has $size bytes with brotli; the budget is $WASM_BUDGET (scripts/frontend.sh)."
  # A few are kept: whoever goes back and forth between two states builds neither again.
  # shellcheck disable=SC2012 # the names are numbers
  (cd "$CACHE/site" && ls -t | tail -n +8 | xargs -r rm -rf)
  rm "$LEPTOS_SITE_ROOT"/pkg/*.css*
  cp -R "$LEPTOS_SITE_ROOT/pkg" "$kept.$$" && mv "$kept.$$" "$kept"
fi

state=$(state_of "$kept" app server/src/api/reference style/tailwind.css style/package-lock.json public)
if [ "$(cat "$REPO/target/frontend.state" 2>/dev/null)" != "$state" ] || [ ! -d "$LEPTOS_SITE_ROOT" ]; then
  rm -rf "$LEPTOS_SITE_ROOT"
  mkdir -p "$LEPTOS_SITE_ROOT/pkg"
  cp -R public/. "$LEPTOS_SITE_ROOT"
  tailwindcss --minify --input style/tailwind.css --output "$LEPTOS_SITE_ROOT/pkg/remembrancer.css" >&2
  find "$LEPTOS_SITE_ROOT" -type f -print0 | xargs -0 node -e '
    const { readFileSync, writeFileSync } = require("fs"), { brotliCompressSync, gzipSync } = require("zlib")
    for (const file of process.argv.slice(1)) {
      writeFileSync(`${file}.br`, brotliCompressSync(readFileSync(file)))
      writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }))
    }'
  cp -R "$kept/." "$LEPTOS_SITE_ROOT/pkg"
  echo "$state" >"$REPO/target/frontend.state"
fi

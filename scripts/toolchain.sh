#!/usr/bin/env bash
# Rust that compiles to WebAssembly, cargo-leptos and wasm-bindgen. Idempotent; about 16 minutes on two cores the first time.
set -euo pipefail
source "$(dirname "$0")/env.sh"

need cargo "Rust from https://rustup.rs"
need cc "a C compiler (Debian: build-essential, macOS: xcode-select --install)"

has_wasm() { [ -n "$(ls "$(rustc --print sysroot)"/lib/rustlib/wasm32-unknown-unknown/lib/libstd-*.rlib 2>/dev/null)" ]; }
new_enough() { [ "$(printf '%s\n' "$RUST_MINIMUM" "$(rustc --version | cut -d' ' -f2)" | sort -V | head -1)" = "$RUST_MINIMUM" ]; }

# rustup is asked first. Where it has no answer (no way to its servers), Debian's Rust for the browser builds that it ships with
# source, and its standard library is compiled for wasm here, once.
distro_toolchain() {
  command -v apt-get >/dev/null || return 1
  local sudo=""; [ "$(id -u)" = 0 ] || sudo="sudo -n"
  if ! dpkg -s cargo-web rustc-web rust-web-src rust-web-clippy rustfmt-web lld-22 >/dev/null 2>&1; then
    say "installing the distribution's Rust (one minute)"
    $sudo apt-get update -qq && $sudo apt-get install -qq -y --no-install-recommends \
      rustc-web cargo-web rust-web-src rust-web-llvm rust-web-clippy rustfmt-web lld-22 >/dev/null || return 1
  fi
  local lib=/usr/lib/rustlib/wasm32-unknown-unknown/lib
  if ! compgen -G "$lib/libstd-*.rlib" >/dev/null; then
    say "compiling Rust's standard library for WebAssembly (one minute)"
    local dir; dir=$(mktemp -d)
    printf '[package]\nname = "std-for-wasm"\nversion = "0.0.0"\nedition = "2021"\n[lib]\ncrate-type = ["cdylib"]\npath = "lib.rs"\n' >"$dir/Cargo.toml"
    touch "$dir/lib.rs"
    (cd "$dir" && CARGO_TARGET_DIR="$dir/target" RUSTC_BOOTSTRAP=1 RUSTC=/usr/bin/rustc /usr/bin/cargo build --quiet --release \
      -Zbuild-std=std,panic_abort --target wasm32-unknown-unknown)
    $sudo mkdir -p "$lib" && $sudo cp "$dir"/target/wasm32-unknown-unknown/release/deps/*.rlib "$lib/"
    rm -rf "$dir"
  fi
  if command -v rustup >/dev/null; then rustup toolchain link distro /usr; mkdir -p "$CACHE"; echo distro >"$CACHE/toolchain"; export RUSTUP_TOOLCHAIN=distro; fi
}

if ! has_wasm || ! new_enough; then
  if new_enough && command -v rustup >/dev/null && [ "${RUSTUP_TOOLCHAIN:-}" != distro ]; then
    say "asking rustup for the wasm32-unknown-unknown target"
    rustup target add wasm32-unknown-unknown >/dev/null 2>&1 || true
  fi
  if ! has_wasm || ! new_enough; then
    distro_toolchain || die "Rust $RUST_MINIMUM or newer with the wasm32-unknown-unknown target is needed: run 'rustup update stable && rustup target add wasm32-unknown-unknown'."
  fi
  has_wasm || die "the wasm32-unknown-unknown standard library is still missing: run 'rustup target add wasm32-unknown-unknown'."
fi

# Tools need no optimising: a debug build takes a third of the time.
tool() { # name version home extra…
  local name=$1 version=$2 home=$3; shift 3
  [ -x "$home/bin/$name" ] && return
  local package=$name; [ "$name" = wasm-bindgen ] && package=wasm-bindgen-cli
  say "building $package $version (once for this machine; cargo-leptos takes about 12 minutes on two cores)"
  CARGO_PROFILE_DEV_DEBUG=0 CARGO_TARGET_DIR="$CACHE/target-tools" cargo install "$package" --version "$version" --debug --root "$home" --quiet "$@" \
    || die "$package $version could not be built: is crates.io reachable?"
}
tool wasm-bindgen "$WASM_BINDGEN_VERSION" "$WASM_BINDGEN_HOME"
tool cargo-leptos "$CARGO_LEPTOS_VERSION" "$CARGO_LEPTOS_HOME" --locked --features no_downloads
rm -rf "$CACHE/target-tools"

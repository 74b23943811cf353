#!/usr/bin/env bash
# Rust that compiles to WebAssembly, wasm-bindgen and cargo-leptos. Idempotent; on two cores the first time takes about 17 minutes.
set -euo pipefail
source "$(dirname "$0")/env.sh"

has_rust() { command -v cargo >/dev/null 2>&1 && rustc --version >/dev/null 2>&1 && at_least "$RUST_MINIMUM" "$(rustc --version | cut -d' ' -f2)"; }
# The standard library for wasm, with the bitcode that link-time optimisation needs.
has_wasm() { grep -qs llvmbc "$(rustc --print sysroot)"/lib/rustlib/wasm32-unknown-unknown/lib/libcore-*.rlib; }
ready() { has_rust && has_wasm; }

# rustup is asked first. Where it has no answer (no way to its servers), Debian's Rust for the browser builds that it ships with
# source, and its standard library is compiled for wasm here, once.
distro_toolchain() {
  command -v apt-get >/dev/null || return 1
  if ! dpkg -s rustc-web cargo-web rust-web-src rust-web-llvm rust-web-clippy rustfmt-web lld-22 >/dev/null 2>&1; then
    apt_install rustc-web cargo-web rust-web-src rust-web-llvm rust-web-clippy rustfmt-web lld-22 || return 1
  fi
  local lib=/usr/lib/rustlib/wasm32-unknown-unknown/lib
  if ! grep -qs llvmbc "$lib"/libcore-*.rlib; then
    is_root || return 1
    say "compiling Rust's standard library for WebAssembly (one minute)"
    local dir; dir=$(mktemp -d)
    printf '[package]\nname = "std-for-wasm"\nversion = "0.0.0"\nedition = "2021"\n[lib]\ncrate-type = ["cdylib"]\npath = "lib.rs"\n' >"$dir/Cargo.toml"
    touch "$dir/lib.rs"
    (cd "$dir" && CARGO_TARGET_DIR="$dir/target" RUSTC_BOOTSTRAP=1 RUSTC=/usr/bin/rustc RUSTFLAGS="-C embed-bitcode=yes" /usr/bin/cargo build \
      --quiet --release -Zbuild-std=std,panic_abort --target wasm32-unknown-unknown) || return 1
    mkdir -p "$lib" && rm -f "$lib"/*.rlib && cp "$dir"/target/wasm32-unknown-unknown/release/deps/*.rlib "$lib/"
    # What was compiled against another standard library cannot be linked any more.
    rm -rf "$dir" "$CARGO_TARGET_DIR/front" "$CARGO_TARGET_DIR/wasm32-unknown-unknown"
  fi
  if command -v rustup >/dev/null; then
    rustup toolchain link distro /usr
    mkdir -p "$CACHE" && echo distro >"$CACHE/toolchain"
    export RUSTUP_TOOLCHAIN=distro
  fi
}

if [ -f "$CACHE/toolchain" ] && ! ready; then
  rm "$CACHE/toolchain"
  unset RUSTUP_TOOLCHAIN
fi
if ! ready; then
  if has_rust && command -v rustup >/dev/null; then
    say "asking rustup for the wasm32-unknown-unknown target"
    (cd / && rustup target add wasm32-unknown-unknown) >/dev/null 2>&1 || true
  fi
  ready || distro_toolchain || true
  ready || die "Rust $RUST_MINIMUM or newer with the target wasm32-unknown-unknown is needed: get it from https://rustup.rs (or 'rustup update stable'), then 'rustup target add wasm32-unknown-unknown'."
fi
command -v cc >/dev/null || apt_install build-essential || die "a C compiler is missing: install build-essential (Debian) or run 'xcode-select --install' (macOS)."

# Tools need no optimising, but for what compresses: a debug build takes a third of the time.
tool() { # program package version home minutes extra…
  local program=$1 package=$2 version=$3 home=$4 minutes=$5; shift 5
  [ -x "$home/bin/$program" ] && return
  say "building $package $version (once for this machine; about $minutes minutes on two cores)"
  CARGO_PROFILE_DEV_DEBUG=0 CARGO_TARGET_DIR="$CACHE/target-tools" cargo install "$package" --version "$version" --debug --root "$home" --quiet "$@" \
    || die "$package $version could not be built: is crates.io reachable?"
  rm -rf "$CACHE/target-tools"
}
optimised=()
for crate in brotli libflate libflate_lz77 seahash; do optimised+=(--config "profile.dev.package.$crate.opt-level=3"); done
tool wasm-bindgen wasm-bindgen-cli "$WASM_BINDGEN_VERSION" "$WASM_BINDGEN_HOME" 2
tool cargo-leptos cargo-leptos "$CARGO_LEPTOS_VERSION" "$CARGO_LEPTOS_HOME" 8 --locked --features no_downloads "${optimised[@]}"

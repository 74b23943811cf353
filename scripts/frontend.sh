#!/usr/bin/env bash
# Builds what the browser loads into target/site: wasm, JavaScript, style sheet, assets, each also compressed.
#
# This is what `cargo leptos build --release --frontend-only` does, without cargo-leptos, whose own build takes twelve minutes on a new
# machine; for `make watch` it is there. Nothing is done if nothing changed since the last time.
set -euo pipefail
source "$(dirname "$0")/env.sh"
cd "$REPO"

name=remembrancer # LEPTOS_OUTPUT_NAME in .cargo/config.toml
inputs=(app src/api src/lib.rs style/tailwind.css style/package-lock.json public Cargo.toml Cargo.lock .cargo/config.toml scripts/frontend.sh)
state=$(find "${inputs[@]}" -type f -print0 | LC_ALL=C sort -z | xargs -0 cksum; rustc --version; echo "${RUSTFLAGS:-}")
if [ "$state" = "$(cat "$LEPTOS_SITE_ROOT/.state" 2>/dev/null)" ]; then exit 0; fi

say "building the front end (WebAssembly, optimised for size: some minutes the first time)"
cargo build --package app --lib --profile wasm --target wasm32-unknown-unknown --no-default-features --features hydrate
new=$LEPTOS_SITE_ROOT.new
rm -rf "$new" && mkdir -p "$new/pkg"
wasm-bindgen --target web --no-typescript --out-name "$name" --out-dir "$new/pkg" "$CARGO_TARGET_DIR/wasm32-unknown-unknown/wasm/app.wasm"
# Which features it may use, wasm-opt reads from the file: hence no `strip = true` in the profile, and the stripping here.
wasm-opt -Oz --strip-debug --strip-producers "$new/pkg/${name}_bg.wasm" -o "$new/pkg/$name.wasm"
rm "$new/pkg/${name}_bg.wasm"
tailwindcss --input style/tailwind.css --output "$new/pkg/$name.css" --minify 2>"$new/tailwind.log" || { cat "$new/tailwind.log" >&2; exit 1; }
rm "$new/tailwind.log"
cp -R public/. "$new/"

# Served as they lie there to browsers that take them.
node -e '
  const fs = require("fs"), path = require("path"), zlib = require("zlib");
  for (const entry of fs.readdirSync(process.argv[1], { recursive: true })) {
    const file = path.join(process.argv[1], entry);
    if (!/\.(wasm|js|css|svg|txt|webmanifest)$/.test(file)) continue;
    const bytes = fs.readFileSync(file);
    fs.writeFileSync(file + ".br", zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }));
    fs.writeFileSync(file + ".gz", zlib.gzipSync(bytes, { level: 9 }));
  }' "$new"
echo "$state" >"$new/.state"
rm -rf "$LEPTOS_SITE_ROOT" && mv "$new" "$LEPTOS_SITE_ROOT"
say "front end: $(wc -c <"$LEPTOS_SITE_ROOT/pkg/$name.wasm") bytes of wasm, $(wc -c <"$LEPTOS_SITE_ROOT/pkg/$name.wasm.br") with brotli"

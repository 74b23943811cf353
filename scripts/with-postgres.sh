#!/usr/bin/env bash
# Runs a command with a throw-away Postgres in TEST_DATABASE_URL: scripts/with-postgres.sh cargo test -p server
set -euo pipefail
source "$(dirname "$0")/env.sh"
source "$(dirname "$0")/postgres.sh"
"$REPO/scripts/fetch.sh" pg0 model minilm onnxruntime
use_postgres
"$@"

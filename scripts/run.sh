#!/usr/bin/env bash
# Everything from nothing to a running server with demo data. A second time only what changed is built.
#
#   BUILD_PROFILE=optimised scripts/run.sh     another profile of Cargo.toml than dev: longer to build, faster to run
set -euo pipefail
source "$(dirname "$0")/env.sh"
cd "$REPO"

"$REPO/scripts/toolchain.sh"
source scripts/env.sh # the tool chain may be another one now
parts=(model onnxruntime style)
[ -n "${DATABASE_URL:-}${AGENT_MEMORY_DATABASE_URL:-}" ] || parts+=(pg0)
"$REPO/scripts/fetch.sh" "${parts[@]}"
claim_target
say "building the server (ten minutes and more the first time, on two cores)"
build_server "${BUILD_PROFILE:-dev}"
"$REPO/scripts/frontend.sh"

mkdir -p "$LOCAL"
say "starting $SERVER"
exec "$SERVER" serve --demo --credentials-dir "$LOCAL" "$@"

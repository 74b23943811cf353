#!/usr/bin/env bash
# Builds the optimised program and measures how fast it is: scripts/bench.sh --quick (docs/performance.md). Without DATABASE_URL, it
# measures in a Postgres of its own, whose commits are durable, and removes it.
set -euo pipefail
source "$(dirname "$0")/env.sh"
cd "$REPO"

"$REPO/scripts/toolchain.sh"
source scripts/env.sh # the tool chain may be another one now
"$REPO/scripts/fetch.sh" pg0 model onnxruntime
claim_target
say "building the optimised program (half an hour the first time, on two cores)"
build_release
program=$CARGO_TARGET_DIR/release/remembrancer

if [ -z "${DATABASE_URL:-}" ]; then
  work=$(mktemp -d "${TMPDIR:-/tmp}/remembrancer-bench.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  # Root starts Postgres as another user, who must find its folder.
  chmod 755 "$work"
  export DATA_DIR=$work
  "$program" migrate
fi
# The report names the commit; a build that knew it would be another one at each commit.
if commit=$(git rev-parse --verify --quiet --short=12 HEAD); then
  git diff --quiet HEAD || commit="$commit with changes"
  export REMEMBRANCER_COMMIT="${REMEMBRANCER_COMMIT:-$commit}"
fi
"$program" bench "$@"

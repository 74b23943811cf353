#!/usr/bin/env bash
# Line coverage of the engine by all Rust tests: a table by file and the total. Builds our crates once more, with counters.
set -euo pipefail
source "$(dirname "$0")/env.sh"
source "$(dirname "$0")/postgres.sh"
cd "$REPO"

"$REPO/scripts/toolchain.sh"
source scripts/env.sh # the tool chain may be another one now
"$REPO/scripts/fetch.sh" pg0 model minilm onnxruntime
tools=$(rustc --print sysroot)/lib/rustlib/$(rustc --print host-tuple)/bin
[ -x "$tools/llvm-cov" ] || die "llvm-cov is missing: run 'rustup component add llvm-tools', then this again."

use_postgres
work=$(mktemp -d)
trap 'stop_postgres; rm -rf "$work"' EXIT
# Only our own crates count: what they depend on is compiled once, for tests and for this.
export RUSTC_WORKSPACE_WRAPPER=$REPO/scripts/rustc-counted.sh LLVM_PROFILE_FILE="$work/%p-%4m.profraw"
say "building the tests with counters"
objects=$(cargo test --no-run --message-format=json | python3 -c '
import json, sys
for line in sys.stdin:
    built = json.loads(line)
    if built.get("executable"):
        print("--object", built["executable"])')
cargo test --quiet
"$tools/llvm-profdata" merge --sparse "$work"/*.profraw -o "$work/all.profdata"
# shellcheck disable=SC2086 # a list of options
"$tools/llvm-cov" report --instr-profile "$work/all.profdata" $objects --show-region-summary=false --show-branch-summary=false \
  --ignore-filename-regex='(/\.cargo/|/rustc/|^'"$REPO"'/(app|server/(src|tests|demo|evals)|tests|crates/foundation/src/testing)/|src/testing\.rs$)'

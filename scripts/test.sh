#!/usr/bin/env bash
# All checks: format, lints, dependencies, Rust tests against a real Postgres and the real model, tests with official MCP clients, an export
# of the demo that is imported again, generated requests to every operation of the HTTP API, browser tests, the installation of the wheel. Ends
# with one line of totals.
set -euo pipefail
source "$(dirname "$0")/env.sh"
source "$(dirname "$0")/postgres.sh"
cd "$REPO"

passed=0 failed=0
work=$(mktemp -d)
trap 'stop_postgres; rm -rf "$work"' EXIT

# Runs one step under a heading. A failure is remembered and the next step runs all the same, so that one run tells everything.
step() { # title command…
  local title=$1 start=$SECONDS status=0; shift
  printf '\n\033[1m── %s\033[0m\n' "$title"
  "$@" || status=$?
  if [ "$status" = 0 ]; then printf '\033[32m✓\033[0m %s (%d s)\n' "$title" $((SECONDS - start)); return 0; fi
  printf '\033[31m✗\033[0m %s (%d s)\n' "$title" $((SECONDS - start))
  printf '%s\n' "$title" >>"$work/failures"
  return 1
}
check() { step "$@" || failed=$((failed + 1)); }

# A test that hangs has its name on the screen by then, and what follows still has its turn.
limit=$(command -v timeout || true) # not on macOS
rust_tests() { ${limit:+"$limit" 30m} cargo test --quiet --no-fail-fast 2>&1 | tee "$work/rust.log"; }
citus_tests() { ${limit:+"$limit" 60m} scripts/citus.sh 2>&1 | tee "$work/citus.log"; }
client_tests() { ${limit:+"$limit" 5m} scripts/mcp.sh 2>&1 | tee "$work/mcp.log"; }
move_tests() { ${limit:+"$limit" 5m} scripts/move.sh 2>&1 | tee "$work/move.log"; }
generated_tests() { ${limit:+"$limit" 5m} scripts/openapi.sh 2>&1 | tee "$work/openapi.log"; }
# A Rust test checks the names and labels in the rules, promtool all of their syntax.
alert_rules() {
  command -v promtool >/dev/null || { say "skipped: promtool is not installed"; return 0; }
  promtool check rules docs/observability/alerts.yml
}
# The wheel of a release if there is one. An optimised program takes half an hour, so otherwise a wheel is made of the program that was tested.
install_tests() {
  local wheels=(dist/*.whl)
  if [ -f "${wheels[0]}" ]; then scripts/install-test.sh "${wheels[0]}"; return; fi
  if [ "$(uname -sm)" != "Linux x86_64" ] || ! python3 -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    say "skipped: the wheel installs with Python 3.11 or newer on Linux (x86_64)"
    return 0
  fi
  strip -S -o "$work/remembrancer" "$SERVER" &&
    scripts/package.py --wheel-only --program "$work/remembrancer" --target x86_64-unknown-linux-gnu \
      --tokenizer "$MODEL_HOME/tokenizer.json" --out "$work/dist" &&
    UNOPTIMISED=1 ${limit:+"$limit" 10m} scripts/install-test.sh "$work"/dist/*.whl
}
browser_tests() { E2E_REPORT=$work/e2e.json scripts/e2e.sh; }

# Says at the end, too, what failed and why: the end is what people read of a long output.
failures() {
  [ -s "$work/failures" ] || return 0
  printf '\n\033[1m── what failed\033[0m\n'
  cat "$work/failures"
  grep -ahE '^(not ok |    [a-z_]+(::[a-z_0-9]+)+$)' "$work"/*.log | sort -u | head -n 40 || true
  node -e '
    const plain = (text) => text.replace(/\u001b\[[0-9;]*m/g, "").split("\n").slice(0, 12).join("\n    ");
    const walk = (suite) => [...(suite.suites ?? []).flatMap(walk), ...(suite.specs ?? [])];
    let suites = []; try { suites = JSON.parse(require("fs").readFileSync(process.argv[1])).suites } catch {}
    for (const spec of suites.flatMap(walk)) for (const test of spec.tests) for (const { error } of test.results)
      if (error) console.log(`${spec.file}:${spec.line} (${test.projectName}) ${spec.title}\n    ${plain(error.message ?? "")}`)' "$work/e2e.json"
}

# Adds what a runner counted; a runner that failed without counting a failure counts as one.
count() { # status passed failed
  passed=$((passed + $2)) failed=$((failed + $3))
  if [ "$1" != 0 ] && [ "$3" = 0 ]; then failed=$((failed + 1)); fi
}

step "tool chain and downloads" scripts/toolchain.sh || exit 1
source scripts/env.sh # the tool chain may be another one now
parts=(model minilm onnxruntime style end2end clients chromium pg0)
scripts/fetch.sh "${parts[@]}"
claim_target

check "format" cargo fmt --all --check
check "lints" cargo clippy --all-targets -- -D warnings
check "lints for the browser" cargo clippy --package islands --package frontend --target wasm32-unknown-unknown -- -D warnings

check "dependencies" scripts/audit.sh
check "alert rules" alert_rules

check "building the tests" cargo test --no-run
use_postgres
trap 'stop_postgres; rm -rf "$work"' EXIT
status=0
step "Rust tests" rust_tests || status=1
read -r p f < <(awk '/^test result:/ { p += $4; f += $6 } END { print p + 0, f + 0 }' "$work/rust.log")
count "$status" "$p" "$f"

# The same tests on distributed tables. TEST_DATABASE_URL is that of one Postgres.
if [ -n "${CITUS_BIN:-}" ]; then
  status=0
  TEST_DATABASE_URL='' step "Rust tests on a cluster of Citus" citus_tests || status=1
  read -r p f < <(awk '/^test result:/ { p += $4; f += $6 } END { print p + 0, f + 0 }' "$work/citus.log")
  count "$status" "$p" "$f"
fi

# The tests of the process built it.
check "the server" keep_server
status=0
step "clients of the Model Context Protocol" client_tests || status=1
read -r p f < <(awk '/^ok / { p += 1 } /^not ok / { f += 1 } END { print p + 0, f + 0 }' "$work/mcp.log")
count "$status" "$p" "$f"

status=0
step "an export that moves" move_tests || status=1
read -r p f < <(awk '/^ok / { p += 1 } /^not ok / { f += 1 } END { print p + 0, f + 0 }' "$work/move.log")
count "$status" "$p" "$f"

status=0
step "generated requests to the HTTP API" generated_tests || status=1
read -r p f < <(awk '/^ok / { p += 1 } /^not ok / { f += 1 } END { print p + 0, f + 0 }' "$work/openapi.log")
count "$status" "$p" "$f"

check "building the front end" scripts/frontend.sh
status=0
step "browser tests" browser_tests || status=1
read -r p f < <(node -e '
  let s = {}; try { s = JSON.parse(require("fs").readFileSync(process.argv[1])).stats } catch {}
  console.log((s.expected ?? 0) + (s.flaky ?? 0), s.unexpected ?? 0)' "$work/e2e.json")
count "$status" "$p" "$f"

check "installing the wheel" install_tests

check "Cargo.lock is as committed" git diff --exit-code --stat Cargo.lock

failures
[ -n "${CITUS_BIN:-}" ] || say "not tested on a cluster: set CITUS_BIN to the bin folder of a PostgreSQL with citus and vector"
printf '\n%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ]

#!/usr/bin/env bash
# Browser tests: a server with demo data on a free port, Playwright against it. Arguments go to Playwright (`scripts/e2e.sh sign-in`).
# Playwright gets BASE_URL, CREDENTIALS_DIR (files `operator`, `viewer` and `newcomer`: login, password), CHROMIUM, and SERVER and DATABASE_URL
# for what only the command line can do; its totals go to $E2E_REPORT as JSON.
set -euo pipefail
source "$(dirname "$0")/env.sh"
source "$(dirname "$0")/postgres.sh"
need curl "curl"
[ -x "$SERVER" ] || die "the server is not built: run 'make run' or 'make test' first."
"$REPO/scripts/fetch.sh" pg0 model onnxruntime style end2end chromium

work=$(mktemp -d)
server='' runner=''
# Ends a process that was started here, by force if it is still there after 15 seconds.
stop() { # signal process
  [ -n "$2" ] || return 0
  kill "-$1" "$2" 2>/dev/null || true
  for _ in $(seq 150); do kill -0 "$2" 2>/dev/null || break; sleep 0.1; done
  kill -KILL "$2" 2>/dev/null || true
  wait "$2" 2>/dev/null || true
}
finish() {
  local status=$?
  stop INT "$runner" # Playwright closes its browsers
  stop TERM "$server"
  if [ "$status" != 0 ] && [ -f "$work/server.log" ]; then
    mkdir -p "$REPO/end2end/test-results"
    cp "$work/server.log" "$REPO/end2end/test-results/server.log" && say "the server's log is in end2end/test-results/server.log"
  fi
  stop_postgres
  rm -rf "$work"
}
use_postgres
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

own_databases e2e
port=$(free_port)
export BASE_URL=http://127.0.0.1:$port CREDENTIALS_DIR=$work
CHROMIUM=$(find_chromium)
export CHROMIUM SERVER
# Tests write faster than agents do, and on a busy machine a late vector would let the same fact in twice.
LISTEN_ADDR=127.0.0.1:$port METRICS_ADDR=127.0.0.1:$(free_port) PUBLIC_URL=$BASE_URL RUST_LOG=${RUST_LOG:-info} EMBEDDING_BUDGET_MS=20000 \
  "$SERVER" serve --demo --credentials-dir "$work" >"$work/server.log" 2>&1 </dev/null &
server=$!
until_ready "$BASE_URL" "$server" || { tail -n 30 "$work/server.log" >&2; die "the server for the browser tests did not become ready."; }

# Somebody who may look and nothing else.
"$SERVER" operator create una@acme.example --tenant acme --name Una --roles viewer >"$work/viewer"
# Somebody whose organisation has no data yet.
"$SERVER" tenant create blank --name Blank >/dev/null
"$SERVER" operator create mina@blank.example --tenant blank --name Mina --roles viewer,operator,reviewer,admin >"$work/newcomer"

cd "$REPO/end2end"
node_modules/.bin/tsc
# In the background, so that whoever ends this script ends the browsers, too.
PLAYWRIGHT_JSON_OUTPUT_NAME=${E2E_REPORT:-$work/report.json} node_modules/.bin/playwright test --reporter=list,json "$@" &
runner=$!
status=0
wait "$runner" || status=$?
runner=
exit "$status"

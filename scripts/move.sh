#!/usr/bin/env bash
# Moves the demo's organisation with the server as last built: its export is imported into an empty installation and exported again. Both
# files must hold the same lines. Then the import is repeated and must change nothing. Prints `ok …` or `not ok …` for each of the two.
set -euo pipefail
source "$(dirname "$0")/env.sh"
source "$(dirname "$0")/postgres.sh"
source "$(dirname "$0")/client-server.sh"
cd "$REPO"
need curl "curl"
[ -x "$SERVER" ] || die "the server is not built: run 'make run' or 'make test' first."
scripts/fetch.sh pg0 clients

work=$(mktemp -d)
started=()
use_postgres
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
model=$(free_port) port=$(free_port)
export BASE_URL=http://127.0.0.1:$port EMBEDDING_PROVIDER=openai OPENAI_BASE_URL=http://127.0.0.1:$model
"$PYTHON_HOME/bin/python" clients/embeddings.py "$model" &
started+=($!)

# The lines between header and footer, in one order.
lines() { sed '1d;$d' "$1" | LC_ALL=C sort; }
same() { # what one other
  local count
  count=$(lines "$2" | wc -l)
  if [ "$count" -gt 0 ] && diff <(lines "$2") <(lines "$3") >"$work/diff"; then echo "ok $1 ($count lines)"; return 0; fi
  echo "not ok $1 ($count lines)"
  cut -c 1-400 "$work/diff" | head -n 20 >&2
  return 1
}

own_databases moved_from
LISTEN_ADDR=127.0.0.1:$port METRICS_ADDR=127.0.0.1:$(free_port) PUBLIC_URL=$BASE_URL \
  "$SERVER" serve --demo --credentials-dir "$work" >"$work/server.log" 2>&1 </dev/null &
server=$!
started+=("$server")
until_ready "$BASE_URL" "$server" || die "the server did not become ready."
kill -TERM "$server" && wait "$server" || true
"$SERVER" export --tenant acme --out "$work/first.jsonl" >/dev/null 2>>"$work/server.log"

own_databases moved_to
"$SERVER" migrate >/dev/null 2>>"$work/server.log"
"$SERVER" tenant create acme --name Acme >/dev/null 2>>"$work/server.log"
status=0
"$SERVER" import "$work/first.jsonl" --tenant acme >"$work/report" 2>>"$work/server.log" || { cat "$work/report"; exit 1; }
"$SERVER" export --tenant acme --out "$work/second.jsonl" >/dev/null 2>>"$work/server.log"
same "the demo's export is the same after it was imported" "$work/first.jsonl" "$work/second.jsonl" || status=1
"$SERVER" import "$work/first.jsonl" --tenant acme >"$work/report" 2>>"$work/server.log" || { cat "$work/report"; exit 1; }
"$SERVER" export --tenant acme --out "$work/third.jsonl" >/dev/null 2>>"$work/server.log"
same "the same import again changes nothing" "$work/second.jsonl" "$work/third.jsonl" || status=1
exit "$status"

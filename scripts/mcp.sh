#!/usr/bin/env bash
# The official SDKs of the Model Context Protocol as clients of the server as last built: Python and TypeScript, over HTTP and over standard
# input and output. Prints one line for each test, `ok …` or `not ok …`.
set -euo pipefail
source "$(dirname "$0")/env.sh"
source "$(dirname "$0")/postgres.sh"
cd "$REPO"
need curl "curl"
[ -x "$SERVER" ] || die "the server is not built: run 'make run' or 'make test' first."
"$REPO/scripts/fetch.sh" pg0 clients

work=$(mktemp -d)
started=()
finish() {
  local status=$?
  for process in "${started[@]}"; do kill -TERM "$process" 2>/dev/null || true; done
  for process in "${started[@]}"; do wait "$process" 2>/dev/null || true; done
  if [ "$status" != 0 ] && [ -s "$work/server.log" ]; then tail -n 30 "$work/server.log" >&2; fi
  stop_postgres
  rm -rf "$work"
}
use_postgres
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# The model answers when the test wants it to.
own_databases mcp
port=$(free_port) model=$(free_port)
export SERVER BASE_URL=http://127.0.0.1:$port
export EMBEDDING_PROVIDER=openai OPENAI_BASE_URL=http://127.0.0.1:$model
"$PYTHON_HOME/bin/python" clients/embeddings.py "$model" &
started+=($!)
"$SERVER" migrate >/dev/null
"$SERVER" tenant create acme --name Acme >/dev/null
"$SERVER" agent create atlas --tenant acme --name Atlas >/dev/null
KEY=$("$SERVER" key create atlas --tenant acme --name test --scopes memory:read,memory:write,kb:read,kb:write | tail -n 1)
export KEY
LISTEN_ADDR=127.0.0.1:$port METRICS_ADDR=127.0.0.1:$(free_port) PUBLIC_URL=$BASE_URL RATE_LIMIT_PER_MINUTE=1000000 \
  "$SERVER" serve >"$work/server.log" 2>&1 </dev/null &
server=$!; started+=("$server")
until_ready "$BASE_URL" "$server" || die "the server for the tests of the Model Context Protocol did not become ready."

status=0
"$PYTHON_HOME/bin/python" clients/mcp_client.py || status=1
node clients/mcp_client.mjs || status=1
exit "$status"

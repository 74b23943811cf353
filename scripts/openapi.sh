#!/usr/bin/env bash
# schemathesis against the server as last built: every operation of its OpenAPI document. Prints one line for each operation, `ok …` or
# `not ok …`.
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

# The vectors of a server of embeddings for tests cost nothing.
own_databases openapi
port=$(free_port) model=$(free_port)
export BASE_URL=http://127.0.0.1:$port EMBEDDING_PROVIDER=openai OPENAI_BASE_URL=http://127.0.0.1:$model
"$PYTHON_HOME/bin/python" clients/embeddings.py "$model" &
started+=($!)
"$SERVER" migrate >/dev/null
"$SERVER" tenant create acme --name Acme >/dev/null
"$SERVER" agent create atlas --tenant acme --name Atlas >/dev/null
scopes=memory:read,memory:write,memory:forget,commons:write,capture:write,context:read,vocabulary:propose,kb:read,kb:write,export,users:any
made=$("$SERVER" key create atlas --tenant acme --name test --scopes "$scopes")
KEY=$(tail -n 1 <<<"$made")
bot=$("$SERVER" bot create "$(sed -n 's/^key \([^ ]*\).*/\1/p' <<<"$made")" --tenant acme --name test)
BOT=$(sed -n 's/^bot //p' <<<"$bot") BOT_SECRET=$(sed -n 's/^secret_token //p' <<<"$bot")
export KEY BOT BOT_SECRET
LISTEN_ADDR=127.0.0.1:$port METRICS_ADDR=127.0.0.1:$(free_port) PUBLIC_URL=$BASE_URL RATE_LIMIT_PER_MINUTE=1000000 \
  UNKNOWN_KEYS_PER_MINUTE=1000000 \
  "$SERVER" serve >"$work/server.log" 2>&1 </dev/null &
server=$!; started+=("$server")
until_ready "$BASE_URL" "$server" || die "the server for the tests of the OpenAPI document did not become ready."

"$PYTHON_HOME/bin/python" clients/openapi.py

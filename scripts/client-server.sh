# Sourced: a server of its own for tests with clients in other languages. It and everything else that was started ends with the script.
# shellcheck shell=bash disable=SC2164

# Starts Postgres and a model that answers when the test wants it to; makes the organisation acme with the agent atlas.
prepare_server() { # name of the databases
  cd "$REPO"
  need curl "curl"
  [ -x "$SERVER" ] || die "the server is not built: run 'make run' or 'make test' first."
  "$REPO/scripts/fetch.sh" pg0 clients
  work=$(mktemp -d)
  started=()
  use_postgres
  trap finish EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  own_databases "$1"
  port=$(free_port)
  local model; model=$(free_port)
  export SERVER BASE_URL=http://127.0.0.1:$port EMBEDDING_PROVIDER=openai OPENAI_BASE_URL=http://127.0.0.1:$model
  "$PYTHON_HOME/bin/python" clients/embeddings.py "$model" &
  started+=($!)
  "$SERVER" migrate >/dev/null
  "$SERVER" tenant create acme --name Acme >/dev/null
  "$SERVER" agent create atlas --tenant acme --name Atlas >/dev/null
}

# Starts the server and waits until it is ready. Its limits are far away.
start_server() {
  LISTEN_ADDR=127.0.0.1:$port METRICS_ADDR=127.0.0.1:$(free_port) PUBLIC_URL=$BASE_URL RATE_LIMIT_PER_MINUTE=1000000 \
    UNKNOWN_KEYS_PER_MINUTE=1000000 "$SERVER" serve >"$work/server.log" 2>&1 </dev/null &
  local server=$!
  started+=("$server")
  until_ready "$BASE_URL" "$server" || die "the server did not become ready."
}

finish() {
  local status=$?
  for process in "${started[@]}"; do kill -TERM "$process" 2>/dev/null || true; done
  for process in "${started[@]}"; do wait "$process" 2>/dev/null || true; done
  # What the server itself calls an error may stand far above the end.
  if [ "$status" != 0 ] && [ -s "$work/server.log" ]; then { grep -a ERROR "$work/server.log" | tail -n 20; tail -n 30 "$work/server.log"; } >&2; fi
  stop_postgres
  rm -rf "$work"
}

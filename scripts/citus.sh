#!/usr/bin/env bash
# Runs a command on a cluster of Citus: a coordinator and two workers on this machine, started here and removed afterwards. Without a
# command it runs the tests of the engine and of the API.
#
# CITUS_BIN is the `bin` folder of a PostgreSQL 16 to 18 with the extensions citus and vector. With TEST_DATABASE_URL (a superuser's, of a
# coordinator) and TEST_WORKERS (host:port, separated by commas) set, it uses those nodes instead and starts nothing.
set -euo pipefail
source "$(dirname "$0")/env.sh"
cd "$REPO"

# A cluster of its own for a run: without fsync, and with few connections of Citus' own between the nodes.
node() { # name port
  local data=$CITUS_DIR/$1
  as_owner initdb -D "$data" -U postgres --auth=trust --encoding=UTF8 --locale=C.UTF-8 --no-sync >"$CITUS_DIR/$1.log" 2>&1 \
    || { cat "$CITUS_DIR/$1.log" >&2; die "initdb of $CITUS_BIN failed."; }
  cat >>"$data/postgresql.conf" <<CONF
listen_addresses = '127.0.0.1'
port = $2
unix_socket_directories = ''
timezone = 'UTC'
shared_preload_libraries = 'citus'
citus.node_conninfo = 'sslmode=disable'
citus.enable_stat_counters = on
max_connections = 600
max_prepared_transactions = 600
# Citus keeps a process for each database; tests make many.
max_worker_processes = 256
fsync = off
synchronous_commit = off
full_page_writes = off
CONF
  as_owner pg_ctl -D "$data" -l "$CITUS_DIR/$1.server.log" -w -t 60 start >/dev/null 2>&1 \
    || { tail -n 20 "$CITUS_DIR/$1.server.log" >&2; die "the node $1 did not start: does the PostgreSQL of CITUS_BIN have the library citus?"; }
}

# root may not run Postgres.
as_owner() {
  local as=(env)
  if is_root; then as=(setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups env); fi
  (cd / && "${as[@]}" HOME="$CITUS_DIR" TZ=UTC PATH="$CITUS_BIN:$PATH" "$@")
}

stop_cluster() {
  [ -n "${CITUS_DIR:-}" ] || return 0
  for name in coordinator worker1 worker2; do
    [ ! -f "$CITUS_DIR/$name/postmaster.pid" ] || as_owner pg_ctl -D "$CITUS_DIR/$name" -m immediate stop >/dev/null 2>&1 || true
  done
  rm -rf "$CITUS_DIR"
  CITUS_DIR=
}

start_cluster() {
  [ -x "$CITUS_BIN/initdb" ] || die "CITUS_BIN is «$CITUS_BIN», which has no initdb: set it to the bin folder of a PostgreSQL with citus and vector."
  CITUS_DIR=$(mktemp -d "${TMPDIR:-/tmp}/remembrancer-citus.XXXXXX")
  trap stop_cluster EXIT
  chmod 755 "$CITUS_DIR"
  if is_root; then chown nobody "$CITUS_DIR"; fi
  local ports=()
  for name in coordinator worker1 worker2; do
    local port; port=$(free_port)
    node "$name" "$port"
    ports+=("$port")
  done
  export TEST_DATABASE_URL=postgres://postgres@127.0.0.1:${ports[0]}/postgres?sslmode=disable
  export TEST_WORKERS=127.0.0.1:${ports[1]},127.0.0.1:${ports[2]}
}

if [ -z "${TEST_WORKERS:-}" ]; then
  [ -n "${CITUS_BIN:-}" ] || die "set CITUS_BIN to the bin folder of a PostgreSQL with citus and vector, or TEST_DATABASE_URL and TEST_WORKERS to a cluster that runs."
  start_cluster
fi
: "${TEST_DATABASE_URL:?names the coordinator of the workers in TEST_WORKERS: set it to a URL of a superuser}"
say "a coordinator at ${TEST_DATABASE_URL#*@}, workers at $TEST_WORKERS"
if [ $# -gt 0 ]; then "$@"; exit; fi
"$REPO/scripts/fetch.sh" model minilm onnxruntime
# The embedded Postgres and its backups are not of a cluster.
cargo test --quiet --no-fail-fast --package remembrancer --test it
cargo test --quiet --no-fail-fast --package server --test it -- --skip backup --skip embedded --skip full_disk

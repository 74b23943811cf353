# Sourced: a throw-away Postgres for tests, without fsync, stopped and removed when the script ends.
# shellcheck shell=bash

# Exports TEST_DATABASE_URL, a superuser's: the one that is set, or that of a server started here. Never DATABASE_URL: tests create and drop
# databases.
use_postgres() {
  export TEST_DATABASE_URL=${TEST_DATABASE_URL:-}
  [ -z "$TEST_DATABASE_URL" ] || return 0
  PG_DIR=$(mktemp -d "${TMPDIR:-/tmp}/remembrancer-pg.XXXXXX")
  trap stop_postgres EXIT
  # root may not run Postgres, and the user who may cannot look into root's home: hence the copy.
  install -m 755 "$REMEMBRANCER_PG0" "$PG_DIR/pg0"
  chmod 755 "$PG_DIR"
  if is_root; then chown -R nobody "$PG_DIR"; fi
  local port; port=$(free_port)
  as_postgres start --port "$port" --data-dir "$PG_DIR/data" --password test \
    -c max_connections=300 -c fsync=off -c synchronous_commit=off -c full_page_writes=off -c shared_buffers=128MB >"$PG_DIR/log" 2>&1 \
    || { cat "$PG_DIR/log" >&2; die "the test Postgres did not start (libraries it needs on Debian: libgssapi-krb5-2 liblz4-1 libzstd1 libssl3 libstdc++6)."; }
  TEST_DATABASE_URL=postgres://postgres:test@127.0.0.1:$port/postgres
}

# Exports DATABASE_URL: databases for one server, beside the one in TEST_DATABASE_URL.
own_databases() { # name
  local address=${TEST_DATABASE_URL%%\?*}
  export DATABASE_URL="${address%/*}/$1_$$${TEST_DATABASE_URL#"$address"}"
}

as_postgres() {
  local as=(env)
  if is_root; then as=(setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups env); fi
  (cd / && "${as[@]}" HOME="$PG_DIR" TMPDIR="$PG_DIR" "$PG_DIR/pg0" "$@" --name test)
}

stop_postgres() {
  [ -n "${PG_DIR:-}" ] || return 0
  as_postgres stop --timeout 20 >/dev/null 2>&1 || true
  rm -rf "$PG_DIR"
  PG_DIR=
}

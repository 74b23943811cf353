#!/usr/bin/env bash
# Removes .local/: the embedded Postgres with all its data, and the demo's credentials. Asks first.
set -euo pipefail
source "$(dirname "$0")/env.sh"

[ -e "$LOCAL" ] || { say "there is no $LOCAL"; exit 0; }
if [ "${1:-}" != --yes ]; then
  read -r -p "Remove $LOCAL with all memories in it? [y/N] " answer || answer=
  [ "$answer" = y ] || [ "$answer" = yes ] || die "nothing was removed."
fi
# As root the data may lie outside, behind a link (crates/db/src/embedded/owner.rs).
data=$(readlink -f "$LOCAL/postgres" || true)
if pid=$(head -n 1 "$data/data/postmaster.pid" 2>/dev/null) && kill -INT "$pid" 2>/dev/null; then
  say "stopping its Postgres"
  for _ in $(seq 100); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
fi
[ -z "$data" ] || rm -rf "$data"
rm -rf "$LOCAL"
say "removed $LOCAL"

#!/usr/bin/env bash
# Known vulnerabilities, licences and sources of the dependencies. What cannot be checked here is skipped, and said.
set -euo pipefail
source "$(dirname "$0")/env.sh"
cd "$REPO"
failed=0

rust() {
  if ! command -v cargo-deny >/dev/null; then
    say "skipped: cargo-deny is not installed (cargo install cargo-deny)"
    return
  fi
  local checks=(bans licenses sources)
  # The advisories of an earlier run, or of this one where the network is there.
  if cargo deny fetch db >/dev/null 2>&1 || [ -d "${CARGO_HOME:-$HOME/.cargo}/advisory-dbs" ]; then
    checks=(advisories "${checks[@]}")
  else
    say "skipped: the advisories for Rust cannot be had without the network"
  fi
  cargo deny --offline check --disable-fetch "${checks[@]}" || failed=1
}

npm_packages() { # folder
  local report; report=$(cd "$1" && npm audit --json --audit-level=high --fetch-retries=0 --fetch-timeout=10000 2>/dev/null) && return
  if ! node -e 'process.exit(JSON.parse(process.argv[1]).metadata ? 0 : 1)' "$report" 2>/dev/null; then
    say "skipped: the npm registry gives no advisories for $1/"
    return
  fi
  (cd "$1" && npm audit --audit-level=high) || failed=1
}

rust
npm_packages style
npm_packages end2end
npm_packages clients
exit "$failed"

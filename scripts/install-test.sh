#!/usr/bin/env bash
# What a stranger gets: installs a wheel into a new virtual environment, from packages on the disk, starts the server with demo data and
# recalls a memory over MCP. Nothing is built, and no tool of this clone is used. Prints seconds, sizes and memory, each with its limit; fails
# above a limit of sizes and memory. How fast it is depends on the machine.
#
#   scripts/install-test.sh WHEEL [FOLDER]                 the folder has the packages that the wheel requires; pip fills it if it is missing
#   UNOPTIMISED=1 scripts/install-test.sh WHEEL [FOLDER]   the same without limits, for a program whose size and speed say nothing
set -euo pipefail

die() { printf '✗ %s\n' "$*" >&2; exit 1; }
wheel=$(readlink -f "${1:?the path of a wheel}")
[ -f "$wheel" ] || die "$wheel is not there: run 'make release' first."
# Another folder for other requirements.
requires() {
  python3 -c '
import sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
metadata = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
print(*(line for line in wheel.read(metadata).decode().splitlines() if line.startswith("Requires-Dist:")), sep="\n")' "$wheel"
}
packages=${2:-${REMEMBRANCER_CACHE:-$HOME/.cache/remembrancer}/packages-$(requires | cksum | cut -d " " -f 1)}
if [ ! -d "$packages" ]; then
  python3 -m pip --disable-pip-version-check download --quiet --only-binary=:all: --dest "$packages.part" "$wheel"
  # pip puts the wheel itself beside them.
  rm -f "$packages.part/$(basename "$wheel")"
  mv "$packages.part" "$packages"
fi
packages=$(readlink -f "$packages")

work=$(mktemp -d "${TMPDIR:-/tmp}/remembrancer-install.XXXXXX")
# As root, the embedded Postgres runs as another user, who must find its folder.
chmod 755 "$work"
server=
stop() {
  [ -n "$server" ] || return 0
  kill -TERM "$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
  server=
}
finish() {
  local status=$?
  stop
  [ "$status" = 0 ] || tail -n 20 "$work"/*.log >&2 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

now() { date +%s.%N; }
since() { awk -v from="$1" -v to="$(now)" 'BEGIN { printf "%.1f", to - from }'; }
missed=0 prepared=
report() { # what value unit limit
  local verdict=
  if [ -n "${4:-}" ] && [ -z "${UNOPTIMISED:-}" ]; then
    verdict="(at most $4)"
    if awk -v value="$2" -v most="$4" 'BEGIN { exit !(value > most) }'; then
      verdict="(above the limit of $4)"
      [ "$3" = s ] || missed=1
    fi
  fi
  printf '%-58s %8s %-3s %s\n' "$1" "$2" "$3" "$verdict"
}

python=$(command -v python3)
# Neither the settings of this shell nor what earlier runs fetched.
settings=(env -i "HOME=$work/home" PATH=/usr/bin:/bin LANG=C.UTF-8 "DATA_DIR=$work/data")
clean() { "${settings[@]}" "$@"; }
install() { # environment
  clean "$1/bin/pip" --disable-pip-version-check install --quiet --no-index --find-links "$packages" "$wheel"
}
free_port() { "$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
port=$(free_port) metrics=$(free_port)
url=http://127.0.0.1:$port
serve() { # environment options
  local program=$1/bin/remembrancer; shift
  # Without a shell in between, whose number would not be that of the server.
  "${settings[@]}" LISTEN_ADDR="127.0.0.1:$port" METRICS_ADDR="127.0.0.1:$metrics" "$program" serve --credentials-dir "$work/credentials" "$@" \
    >"$work/serve.log" 2>&1 </dev/null &
  server=$!
}
ready() {
  for _ in $(seq 2400); do
    if curl -fsS -o /dev/null "$url/readyz" 2>/dev/null; then return 0; fi
    kill -0 "$server" 2>/dev/null || die "the server ended."
    sleep 0.05
  done
  die "the server did not become ready within two minutes."
}
# One recall through the Model Context Protocol; prints the first hit.
recall() {
  "$python" - "$url" "$(cat "$work/credentials/agent-key")" <<'PYTHON'
import json, sys, urllib.request
url, key = sys.argv[1:]
session = {}

def send(method, params, **more):
    body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json", "Accept": "application/json, text/event-stream", **session}
    with urllib.request.urlopen(urllib.request.Request(f"{url}/mcp", body, headers), timeout=60) as answer:
        if answer.headers.get("Mcp-Session-Id"):
            session["Mcp-Session-Id"] = answer.headers["Mcp-Session-Id"]
        text = answer.read().decode()
    if "id" not in more:
        return None
    lines = [line[5:] for line in text.splitlines() if line.startswith("data:")] or [text]
    messages = [json.loads(line) for line in lines if line.strip()]
    return next(message["result"] for message in messages if message.get("id") == more["id"])

start = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "install-test", "version": "1"}}
send("initialize", start, id=1)
send("notifications/initialized", {})
answer = send("tools/call", {"name": "agent_memory_recall", "arguments": {"query": "When is the release?"}}, id=2)
hits = answer["structuredContent"]["hits"]
assert hits, answer
print(hits[0]["content"])
PYTHON
}

mkdir "$work/home"
# The first time on a machine: Postgres is unpacked, and the model is made ready for ONNX Runtime.
if [ -z "${UNOPTIMISED:-}" ]; then
  "$python" -m venv "$work/first"
  install "$work/first"
  from=$(now)
  clean "$work/first/bin/remembrancer" migrate >"$work/migrate.log" 2>&1
  prepared=$(since "$from")
  rm -rf "$work/data"
  from=$(now)
  clean "$work/first/bin/remembrancer" migrate >"$work/migrate.log" 2>&1
  again=$(since "$from")
  rm -rf "$work/data" "$work/first"
fi

"$python" -m venv "$work/venv"
from=$(now)
install "$work/venv"
installed=$(since "$from")
serve "$work/venv" --demo
ready
hit=$(recall)
recalled=$(since "$from")
stop

from=$(now)
serve "$work/venv"
ready
restarted=$(since "$from")
recall >/dev/null
rss=$(awk '/^VmRSS:/ { printf "%.0f", $2 / 1024 }' "/proc/$server/status")
stop

clean "$work/venv/bin/remembrancer" --version
printf 'first hit: %s\n\n' "$hit"
report "wheel" "$(awk -v bytes="$(wc -c <"$wheel")" 'BEGIN { printf "%.1f", bytes / 1e6 }')" MB 40
# shellcheck disable=SC2046 # a list of files, whose names have no spaces
report "everything that pip fetches" "$(du -cb "$wheel" $("$work/venv/bin/pip" --disable-pip-version-check install --quiet --dry-run --ignore-installed \
  --no-index --find-links "$packages" --report - "$wheel" | "$python" -c '
import json, sys, urllib.parse
urls = [one["download_info"]["url"] for one in json.load(sys.stdin)["install"]]
print(*(urllib.parse.unquote(url.removeprefix("file://")) for url in urls if "/remembrancer-" not in url))') | awk 'END { printf "%.0f", $1 / 1e6 }')" MB 220
if [ -z "${UNOPTIMISED:-}" ]; then
  report "databases created, model made ready (once)" "$prepared" s
  report "the same with the model ready" "$again" s
fi
report "pip install" "$installed" s
report "pip install to the first recall over MCP${prepared:+, model ready}" "$recalled" s 20
report "ready again on migrated databases" "$restarted" s 2
report "memory of the server with demo data, after a recall" "$rss" MiB 350
[ "$missed" = 0 ] || die "some limits of sizes or memory are missed."

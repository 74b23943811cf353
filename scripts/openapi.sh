#!/usr/bin/env bash
# schemathesis against the server as last built: every operation of its OpenAPI document. Prints one line for each operation, `ok …` or
# `not ok …`.
set -euo pipefail
source "$(dirname "$0")/env.sh"
source "$(dirname "$0")/postgres.sh"
source "$(dirname "$0")/client-server.sh"

prepare_server openapi
scopes=memory:read,memory:write,memory:forget,commons:write,capture:write,context:read,vocabulary:propose,kb:read,kb:write,export,users:any,admin
made=$("$SERVER" key create atlas --tenant acme --name test --scopes "$scopes")
KEY=$(tail -n 1 <<<"$made")
bot=$("$SERVER" bot create "$(sed -n 's/^key \([^ ]*\).*/\1/p' <<<"$made")" --tenant acme --name test)
BOT=$(sed -n 's/^bot //p' <<<"$bot") BOT_SECRET=$(sed -n 's/^secret_token //p' <<<"$bot")
export KEY BOT BOT_SECRET
start_server

"$PYTHON_HOME/bin/python" clients/openapi.py

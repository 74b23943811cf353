#!/usr/bin/env bash
# The official clients of the Model Context Protocol against the server as last built: the SDKs of Python and TypeScript and the command
# line of the inspector, over HTTP, with a key and with OAuth, and over standard input and output. Prints one line for each test, `ok …` or
# `not ok …`.
set -euo pipefail
source "$(dirname "$0")/env.sh"
source "$(dirname "$0")/postgres.sh"
source "$(dirname "$0")/client-server.sh"

prepare_server mcp
KEY=$("$SERVER" key create atlas --tenant acme --name test --scopes memory:read,memory:write,kb:read,kb:write | tail -n 1)
LOGIN=vera@acme.example
PASSWORD=$("$SERVER" operator create "$LOGIN" --tenant acme --name Vera --roles viewer,operator,reviewer | tail -n 1)
export KEY LOGIN PASSWORD
start_server

status=0
"$PYTHON_HOME/bin/python" clients/mcp_client.py || status=1
node clients/mcp_client.mjs || status=1
node clients/mcp_inspector.mjs || status=1
exit "$status"

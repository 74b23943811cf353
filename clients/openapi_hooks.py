"""Hooks of schemathesis: every second request of an operation names something that exists and has a key of its own, and the status of each answer is counted."""
import atexit, collections, itertools, json, os
from pathlib import Path

import schemathesis

WORK = Path(os.environ["WORK"])
known = json.loads((WORK / "known.json").read_text())
export = known.pop("export")
turns = collections.defaultdict(itertools.count)
# Each name is used in turn. What a request deletes is named once.
pools = {name: itertools.cycle(values) for name, values in known.items() if not name.startswith("spare")}
spares = {name: iter(values) for name, values in known.items() if name.startswith("spare")}
statuses = collections.defaultdict(collections.Counter)

# The segment of a path, by the path's beginning, and the fields of a body, by operation and name: which pool has their values.
SEGMENTS = {"/api/memories/": "memory", "/api/memory/": "entry", "/api/retrievals/": "retrieval", "/api/projects/": "project", "/api/adapters/": "bot", "/api/admin/agents/": "slug", "/api/admin/keys/": "key"}
FIELDS = {"memory": "memory", "from": "memory", "to": "memory", "memory_id": "memory", "retrieval_id": "retrieval", "component": "component", "project": "project", "project_id": "project", "agent": "slug"}
DELETES = {
    "DELETE /api/memory/{id}": "spare entry", "POST /api/tools/agent_memory_forget": "spare memory", "DELETE /api/admin/agents/{slug}": "spare slug",
    "DELETE /api/admin/keys/{id}": "spare key",
}
ENTRIES = ("POST /api/tools/update_memory",)
# What these write is given words of its own: one content is one memory, and two memories that are given the same words become one.
WRITES = ("POST /api/tools/agent_memory_revise", "POST /api/tools/update_memory", "POST /api/memory/", "PUT /api/memory/{id}")
SHORT = 400
# The agent whose key the requests have. Generated texts are sometimes words of these files, and who retires it is refused from then on.
OWN = "atlas"


@schemathesis.serializer("application/x-ndjson")
def lines(ctx, value):
    return value if isinstance(value, bytes) else str(value).encode()


def name(pool):
    return next(spares[pool], None) if pool in spares else next(pools[pool])


@schemathesis.hook
def before_call(ctx, case, kwargs):
    label = case.operation.label
    if label == "POST /api/import" and isinstance(case.body, (str, bytes)):
        case.body = export
    if (case.path_parameters or {}).get("slug") == OWN:
        case.path_parameters["slug"] = "another"
    turn = next(turns[label])
    if turn % 2:
        return
    # Generated keys are short and soon used up.
    if "idempotency-key" in (case.headers or {}):
        case.headers["idempotency-key"] = f"request-{turn}"
    for segment in case.path_parameters or {}:
        pool = DELETES.get(label) or next((pool for start, pool in SEGMENTS.items() if case.path.startswith(start)), None)
        # Any text may name a session or a workflow.
        if pool:
            case.path_parameters[segment] = name(pool) or case.path_parameters[segment]
    if label == "POST /api/sessions/{session}/messages" and isinstance(case.body, dict) and isinstance(case.body.get("messages"), list):
        # The schema does not say that a message has words, and that there is one.
        case.body["messages"] = case.body["messages"] or [{"role": "user", "content": "The tide is low."}]
        for message in case.body["messages"]:
            if isinstance(message, dict) and isinstance(message.get("content"), str) and not message["content"].strip(" \n\t\r\0"):
                message["content"] = "The tide is low."
    if isinstance(case.body, dict):
        content = case.body.get("content")
        if label in WRITES and isinstance(content, str) and 0 < len(content) < SHORT:
            case.body["content"] = f"Tide {turn} is low. {content}"
        for field in case.body.keys() & FIELDS.keys():
            pool = DELETES.get(label) or ("entry" if label in ENTRIES else FIELDS[field])
            case.body[field] = name(pool) or case.body[field]


@schemathesis.hook
def after_call(ctx, case, response):
    statuses[case.operation.label][response.status_code] += 1


@atexit.register
def save():
    (WORK / "statuses.json").write_text(json.dumps(statuses))

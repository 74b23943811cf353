"""schemathesis against the server: requests for every operation of its OpenAPI document, valid and not, and whether each answer is one that
the document describes. Something of each kind is stored first, so that the operations have something to answer with."""
import collections, json, os, subprocess, sys, tempfile, urllib.request
import xml.etree.ElementTree as xml
from pathlib import Path

URL, KEY, BOT, SECRET = (os.environ[name] for name in ("BASE_URL", "KEY", "BOT", "BOT_SECRET"))
CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance,"
    "unsupported_method,ignored_auth"
)
HEADERS = {"Authorization": f"Bearer {KEY}", "X-Telegram-Bot-Api-Secret-Token": SECRET}
# It does not end.
STREAM = "/api/events/stream"
# The least share of answers that must be a success. Many requests are wrong on purpose.
ENOUGH = 0.22


def send(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data, HEADERS | {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request) as answer:
        return answer.read().decode()


def post(path, **body):
    return json.loads(send("POST", path, body))


def seed():
    """Stores something of each kind; returns what requests can name."""
    for slug in ("orchard", "meadow"):
        post("/api/projects", slug=slug, name=slug)
    remember = lambda subject: post(
        "/api/tools/agent_memory_remember", topic_raw=f"habit of {subject}", content=f"{subject} walks at noon.", source={"platform": "test"}
    )["memory_id"]
    add = lambda content: post("/api/memory/", content=content, category="context")["id"]
    memories = [remember(subject) for subject in ("Vera", "Idris", "Mina", "atlas", "binky", "the team", "the cat", "the dog")]
    entries = [add(content) for content in ("Mina keeps bees.", "The kettle leaks.", "Vera plays chess.", "Lunch is at one.", "Idris sings.", "Rent is due.")]
    components = "# Architecture\n\n## Components\n\n| Component | Description | Depends on |\n|---|---|---|\n| Billing | Sends invoices | Ledger |\n"
    documents = [{"path": "ARCHITECTURE.md", "content": components}, {"path": "INDEX.md", "content": "# Index\n\nEverything.\n"}]
    post("/api/kb/documents", documents=documents)
    slugs = ["zephyr", "mistral", "bora", "levante"]
    for slug in slugs:
        send("PUT", f"/api/admin/agents/{slug}", {"name": slug})
    keys = [post("/api/admin/keys", agent="zephyr", name=f"key {number}", preset="reader")["key"]["id"] for number in range(8)]
    retrieval = post("/api/tools/agent_memory_recall", query="habit")["retrieval_id"]
    return {
        "memory": memories[:4], "spare memory": memories[4:], "entry": entries[:3], "spare entry": entries[3:], "retrieval": [retrieval],
        "project": ["orchard", "meadow"], "component": ["billing"], "slug": slugs[:2], "spare slug": slugs[2:], "key": keys[:4], "spare key": keys[4:], "bot": [BOT], "export": send("GET", "/api/export"),
    }


def run(work):
    """Runs schemathesis. What it prints goes to the log of the tests."""
    command = [
        sys.executable, "-m", "schemathesis.cli", "run", f"{URL}/api/openapi.json", "--checks", CHECKS,
        "--phases", "examples,coverage,fuzzing", "--workers", "1", "--max-examples", "20", "--generation-deterministic", "--no-shrink",
        "--exclude-path", STREAM,
        # The largest batch takes an unoptimised server many seconds where something else is running.
        "--request-timeout", "60",
        "--continue-on-failure", "--suppress-health-check", "all", "--warnings", "off", "--no-color",
        "--report", "junit", "--report-junit-path", work / "report.xml",
    ]
    command += [part for name, value in HEADERS.items() for part in ("--header", f"{name}: {value}")]
    env = os.environ | {"SCHEMATHESIS_HOOKS": "openapi_hooks", "PYTHONPATH": str(Path(__file__).parent), "WORK": str(work)}
    return subprocess.run([str(part) for part in command], cwd=work, env=env).returncode


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "known.json").write_text(json.dumps(seed()))
        status = run(work)
        statuses = {operation: collections.Counter(counts) for operation, counts in json.loads((work / "statuses.json").read_text()).items()}
        cases = xml.parse(work / "report.xml").getroot().iter("testcase")
        failed = {case.get("name") for case in cases if case.find("failure") is not None or case.find("error") is not None}
    for operation, counts in sorted(statuses.items()):
        seen = " ".join(f"{status}×{count}" for status, count in sorted(counts.items()))
        print(f"{'not ok' if operation in failed else 'ok'} OpenAPI: {operation} ({seen})")
    every = sum(statuses.values(), collections.Counter())
    good = sum(count for status, count in every.items() if status.startswith("2"))
    document = json.loads(send("GET", "/api/openapi.json"))
    described = {f"{method.upper()} {path}" for path, methods in document["paths"].items() for method in methods}
    # It leaves out the address from which it reads the document.
    described -= {"GET /api/openapi.json", f"GET {STREAM}"}
    tests = {
        "every operation was called": described == statuses.keys(),
        f"enough answers were a success ({good} of {every.total()})": good >= ENOUGH * every.total(),
        "schemathesis found nothing": status == 0,
    }
    for name, passed in tests.items():
        print(f"{'ok' if passed else 'not ok'} OpenAPI: {name}")
    sys.exit(not all(tests.values()))


main()

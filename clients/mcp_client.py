"""The official Python SDK as a client, in both generations of the protocol, over HTTP, with a key and with OAuth, and over standard input and output."""
import html, json, os, re, socket, subprocess, sys, time, traceback
from urllib.parse import parse_qsl, urlencode, urlsplit
import anyio, httpx2
from mcp import Client, StdioServerParameters
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata

SERVER, URL, KEY = os.environ["SERVER"], os.environ["BASE_URL"], os.environ["KEY"]
BEARER = {"Authorization": f"Bearer {KEY}"}
failed = False


def stdio(*arguments):
    keep = ("DATABASE_URL", "EMBEDDING_PROVIDER", "OPENAI_BASE_URL", "PATH", "HOME")
    env = {name: os.environ[name] for name in keep if name in os.environ} | {"REMEMBRANCER_KEY": KEY, "RUST_LOG": "warn,rmcp=off"}
    return StdioServerParameters(command=SERVER, args=["mcp", *arguments], env=env)


def http(query=""):
    timeout, limits = httpx2.Timeout(30, read=120), httpx2.Limits(max_connections=None)
    return streamable_http_client(f"{URL}/mcp{query}", http_client=httpx2.AsyncClient(headers=BEARER, timeout=timeout, limits=limits))


WAYS = [
    ("HTTP", http, "auto"),
    ("HTTP with a session", http, "legacy"),
    ("stdio, embedded", stdio, "auto"),
    ("stdio, embedded, with a session", stdio, "legacy"),
    ("stdio, forwarded", lambda: stdio("--url", URL), "auto"),
    ("stdio, forwarded, with a session", lambda: stdio("--url", URL), "legacy"),
]


async def test(name, work):
    global failed
    try:
        with anyio.fail_after(30):
            await work()
        print(f"ok Python: {name}", flush=True)
    except BaseException:
        failed = True
        print(f"not ok Python: {name}", flush=True)
        traceback.print_exc()


async def conversation(way, open_, mode):
    async with Client(open_(), mode=mode) as client:

        async def lists():
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert "agent_memory_remember" in tools and "agent_memory_forget" not in tools, list(tools)
            # A new key lists the set `core`.
            assert "find_tools" in tools and "canonical_terms_lookup" not in tools, list(tools)
            assert tools["agent_memory_recall"].annotations.read_only_hint is True
            assert [str(one.uri) for one in (await client.list_resources()).resources][0] == "remembrancer://memory/prompt"
            assert len((await client.list_resource_templates()).resource_templates) == 2
            assert "recall" in [prompt.name for prompt in (await client.list_prompts()).prompts]

        async def calls():
            fact = f"The lamp of {way} is green"
            stored = await client.call_tool("agent_memory_remember", {"topic_raw": way, "content": fact, "source": {"platform": "test"}})
            assert not stored.is_error, stored
            recalled = await client.call_tool("agent_memory_recall", {"query": fact})
            assert any(hit["content"] == fact for hit in recalled.structured_content["hits"]), recalled
            assert fact in recalled.content[0].text
            memory = await client.read_resource(f"remembrancer://memories/{stored.structured_content['memory_id']}")
            assert fact in memory.contents[0].text
            assert "agent_memory_recall" in (await client.get_prompt("recall")).messages[0].content.text

        async def errors():
            wrong = await client.call_tool("agent_memory_recall", {"query": ""})
            error = wrong.structured_content["error"]
            assert wrong.is_error and (error["code"], error["fields"][0]["field"]) == ("invalid", "query"), wrong
            assert wrong.content[0].text.startswith("invalid: query"), wrong
            refused = await client.call_tool("agent_memory_forget", {"memory_id": "01900000-0000-7000-8000-000000000000"})
            assert refused.structured_content["error"]["code"] == "forbidden", refused
            for attempt in (client.call_tool("nothing", {}), client.read_resource("remembrancer://memories/aaaaaaaa")):
                try:
                    await attempt
                except Exception:
                    continue
                raise AssertionError("an unknown name was accepted")

        async def cancels():
            start = time.monotonic()
            with anyio.move_on_after(0.3) as scope:
                await client.call_tool("agent_memory_recall", {"query": f"WAIT, cancelled, Python, {way}"})
            assert scope.cancelled_caught and time.monotonic() - start < 1.5
            assert not (await client.call_tool("canonical_terms_lookup", {"phrase": "lamp"})).is_error

        async def progress():
            """The model takes ten seconds and gets two; the client hears that the call goes on."""
            heard = []

            async def hear(seconds, *_):
                heard.append(seconds)

            answer = await client.call_tool("agent_memory_recall", {"query": f"WAIT, {way}"}, progress_callback=hear)
            assert not answer.is_error and heard and heard == sorted(heard), heard

        async def many():
            answers = {}

            async def one(number):
                answers[number] = await client.call_tool("canonical_terms_lookup", {"phrase": f"phrase {number}"})

            async with anyio.create_task_group() as group:
                for number in range(200):
                    group.start_soon(one, number)
            assert len(answers) == 200 and not any(answer.is_error for answer in answers.values())

        tests = {"lists": lists, "calls": calls, "errors": errors, "a cancelled call": cancels, "progress": progress, "200 calls at once": many}
        for name, work in tests.items():
            await test(f"{name} over {way}", work)


async def toolsets():
    """A client chooses what it lists: by the address, or by an option of the command."""
    for open_ in (http("?toolset=core,vocabulary"), stdio("--toolset", "core,vocabulary"), stdio("--url", URL, "--toolset", "core,vocabulary")):
        async with Client(open_, mode="auto") as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert "canonical_terms_lookup" in names and "shared_kb_search" not in names, names
            answer = await client.call_tool("find_tools", {})
            assert "shared_kb_search" in answer.content[0].text, answer
    refused = httpx2.post(f"{URL}/mcp?toolset=magic", headers=BEARER, json={"jsonrpc": "2.0", "id": 1, "method": "ping"})
    assert refused.status_code == 400 and refused.json()["error"]["fields"][0]["field"] == "toolset", refused.text


async def loose_arguments():
    """Models write numbers as text, and null for what they leave out."""
    async with Client(http(), mode="auto") as client:
        answer = await client.call_tool("agent_memory_recall", {"query": "lamp", "k": "3", "as_of": None, "filters": "{}", "mood": "good"})
        assert not answer.is_error and answer.structured_content["ignored_arguments"] == ["mood"], answer


async def announcements():
    """From protocol 2026-07-28 on a client subscribes."""
    async with Client(http(), mode="auto") as client, httpx2.AsyncClient(headers=BEARER) as plain:
        async with client.listen(resources_list_changed=True) as events:
            document = {"path": "docs/lamp.md", "content": f"# Lamps\n\n{time.time()}"}
            answer = await plain.post(f"{URL}/api/kb/documents", json={"collection": "test", "documents": [document]})
            assert answer.status_code == 200, answer.text
            await anext(aiter(events))


async def http_client_that_never_reads():
    """Its answers fill its own buffers and nobody else's."""
    head = {**BEARER, "Host": "127.0.0.1", "Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    start = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    async with httpx2.AsyncClient(headers=head) as plain:
        opened = await plain.post(f"{URL}/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": start})
        head["Mcp-Session-Id"] = opened.headers["mcp-session-id"]
        await plain.post(f"{URL}/mcp", headers=head, json={"jsonrpc": "2.0", "method": "notifications/initialized"})
        host, port = URL.removeprefix("http://").split(":")
        sockets = []
        for number in range(100):
            body = json.dumps({"jsonrpc": "2.0", "id": 100 + number, "method": "tools/list"})
            lines = [f"{name}: {value}" for name, value in head.items()] + [f"Content-Length: {len(body)}"]
            deaf = socket.socket()
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            deaf.connect((host, int(port)))
            deaf.sendall("\r\n".join(["POST /mcp HTTP/1.1", *lines, "", body]).encode())
            sockets.append(deaf)
        async with Client(http(), mode="auto") as client:
            with anyio.fail_after(10):
                assert not (await client.call_tool("canonical_terms_lookup", {"phrase": "lamp"})).is_error
        for deaf in sockets:
            deaf.close()


async def stdio_client_that_never_reads():
    """The process ends when such a client has gone."""
    parameters = stdio()
    process = subprocess.Popen(
        [SERVER, *parameters.args], env=parameters.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    os.set_blocking(process.stdin.fileno(), False)
    start = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    messages = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": start}]
    messages += [{"jsonrpc": "2.0", "method": "notifications/initialized"}]
    messages += [{"jsonrpc": "2.0", "id": number, "method": "tools/list"} for number in range(2, 200)]
    data = "".join(json.dumps(message) + "\n" for message in messages).encode()
    end = time.monotonic() + 5
    while data and time.monotonic() < end:
        try:
            data = data[os.write(process.stdin.fileno(), data):]
        except BlockingIOError:
            await anyio.sleep(0.05)
    await anyio.sleep(1)
    assert process.poll() is None
    process.stdout.close()
    process.stdin.close()
    status = await anyio.to_thread.run_sync(lambda: process.wait(20))
    assert status in (0, 1), status


async def consent(address):
    """What a person does in a browser: signs in and allows access. Returns where the browser is led."""
    headers = {"Accept": "text/html", "Origin": URL, "Content-Type": "application/x-www-form-urlencoded"}
    async with httpx2.AsyncClient(base_url=URL, headers=headers, timeout=30) as browser:
        who = {"login": os.environ["LOGIN"], "password": os.environ["PASSWORD"]}
        await browser.post("/console/api/sign_in", content=urlencode(who))
        page = (await browser.get(address)).text
        action = "/console/api/authorize_client"
        form = page.split(f'action="{action}"')[1].split("</form>")[0]
        tags = [dict(re.findall(r'([\w-]+)="([^"]*)"', tag)) for tag in re.findall(r"<input[^>]*>", form)]
        fields = [(tag["name"], html.unescape(tag["value"])) for tag in tags if tag["name"] != "user_id"]
        agent = re.search(r'<option[^>]* value="([^"]+)"', form)[1]
        answer = await browser.post(action, content=urlencode([*fields, ("agent", agent), ("decision", "allow")]))
        return html.unescape(re.search(r'http-equiv="refresh" content="0;url=([^"]*)"', answer.text)[1])


class Kept:
    """What a client keeps of its registration and its tokens."""

    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


async def oauth():
    """Without a key: the client registers itself, a person allows access, and the tokens are renewed without the person."""
    kept, answers = Kept(), []

    async def redirect(address):
        answers.append(await consent(address))

    async def callback():
        answer = dict(parse_qsl(urlsplit(answers[-1]).query))
        return AuthorizationCodeResult(code=answer["code"], state=answer["state"], iss=answer["iss"])

    metadata = OAuthClientMetadata(client_name="Python", redirect_uris=["http://127.0.0.1:4711/callback"])
    provider = OAuthClientProvider(f"{URL}/mcp", metadata, kept, redirect, callback)

    async def lists():
        plain = httpx2.AsyncClient(auth=provider, timeout=30)
        async with Client(streamable_http_client(f"{URL}/mcp", http_client=plain), mode="auto") as client:
            assert "agent_memory_forget" in [tool.name for tool in (await client.list_tools()).tools]

    await lists()
    access = kept.tokens.access_token
    provider.context.token_expiry_time = 1
    await lists()
    assert kept.tokens.access_token != access and len(answers) == 1, answers


async def cancelled_calls_left_no_trace():
    """A recall is logged when it is answered. The last one here is a check of this check."""
    async with httpx2.AsyncClient(headers=BEARER, timeout=30) as plain:
        body = {"query": "WAIT for the answer, Python"}
        assert (await plain.post(f"{URL}/api/tools/agent_memory_recall", json=body)).status_code == 200
        queries = []
        while body["query"] not in queries:
            await anyio.sleep(0.1)
            answer = await plain.get(f"{URL}/api/retrievals")
            queries = [row["query"] for row in answer.json()["rows"]]
        cancelled = [query for query in queries if query.startswith("WAIT, cancelled, Python")]
        assert not cancelled, cancelled


async def main():
    for way, open_, mode in WAYS:
        try:
            await conversation(way, open_, mode)
        except BaseException:
            global failed
            failed = True
            print(f"not ok Python: a conversation over {way}", flush=True)
            traceback.print_exc()
    await test("toolsets", toolsets)
    await test("loose arguments", loose_arguments)
    await test("announcements", announcements)
    await test("OAuth", oauth)
    await test("an HTTP client that never reads", http_client_that_never_reads)
    await test("a stdio client that never reads", stdio_client_that_never_reads)
    await test("cancelled calls leave no trace", cancelled_calls_left_no_trace)


anyio.run(main)
sys.exit(failed)

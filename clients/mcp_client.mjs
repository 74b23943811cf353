// The official TypeScript SDK as a client, as today's hosts use it, over HTTP and over standard input and output.
import assert from "node:assert/strict";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const { SERVER, BASE_URL, KEY, LOGIN, PASSWORD } = process.env;
const headers = { Authorization: `Bearer ${KEY}` };
const post = (path, body) =>
  fetch(BASE_URL + path, { method: "POST", headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify(body) });

const stdio = (...args) => {
  const env = { REMEMBRANCER_KEY: KEY, RUST_LOG: "warn,rmcp=off" };
  for (const name of ["DATABASE_URL", "EMBEDDING_PROVIDER", "OPENAI_BASE_URL", "PATH", "HOME"]) {
    if (process.env[name]) env[name] = process.env[name];
  }
  return new StdioClientTransport({ command: SERVER, args: ["mcp", ...args], env });
};
const ways = [
  ["HTTP", () => new StreamableHTTPClientTransport(new URL(`${BASE_URL}/mcp`), { requestInit: { headers } })],
  ["stdio, embedded", () => stdio()],
  ["stdio, forwarded", () => stdio("--url", BASE_URL)],
];

async function test(name, work) {
  let timer;
  try {
    const late = new Promise((_, fail) => (timer = setTimeout(() => fail(new Error("no end after 30 s")), 30_000)));
    await Promise.race([work(), late]);
    console.log(`ok TypeScript: ${name}`);
  } catch (error) {
    process.exitCode = 1;
    console.log(`not ok TypeScript: ${name}`);
    console.error(error);
  } finally {
    clearTimeout(timer);
  }
}

async function conversation(way, open) {
  const client = new Client({ name: "test", version: "1" });
  const transport = open();
  await client.connect(transport);
  const call = (name, args, options) => client.callTool({ name, arguments: args }, undefined, options);

  await test(`lists over ${way}`, async () => {
    const tools = Object.fromEntries((await client.listTools()).tools.map((tool) => [tool.name, tool]));
    assert(tools.agent_memory_remember && !tools.agent_memory_forget, Object.keys(tools).join());
    // A new key lists the set `core`.
    assert(tools.find_tools && !tools.canonical_terms_lookup, Object.keys(tools).join());
    assert.equal(tools.agent_memory_recall.annotations.readOnlyHint, true);
    assert.equal((await client.listResources()).resources[0].uri, "remembrancer://memory/prompt");
    assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 2);
    assert((await client.listPrompts()).prompts.some((prompt) => prompt.name === "recall"));
  });

  await test(`calls over ${way}`, async () => {
    const fact = `The door of ${way} is blue`;
    const stored = await call("agent_memory_remember", { topic_raw: `door, ${way}`, content: fact, source: { platform: "test" } });
    assert(!stored.isError, JSON.stringify(stored));
    const recalled = await call("agent_memory_recall", { query: fact });
    assert(recalled.structuredContent.hits.some((hit) => hit.content === fact), JSON.stringify(recalled));
    assert(recalled.content[0].text.includes(fact));
    const memory = await client.readResource({ uri: `remembrancer://memories/${stored.structuredContent.memory_id}` });
    assert(memory.contents[0].text.includes(fact));
    assert((await client.getPrompt({ name: "recall" })).messages[0].content.text.includes("agent_memory_recall"));
  });

  await test(`errors over ${way}`, async () => {
    const wrong = await call("agent_memory_recall", { query: "" });
    assert(wrong.isError);
    assert.deepEqual([wrong.structuredContent.error.code, wrong.structuredContent.error.fields[0].field], ["invalid", "query"]);
    const refused = await call("agent_memory_forget", { memory_id: "01900000-0000-7000-8000-000000000000" });
    assert.equal(refused.structuredContent.error.code, "forbidden");
    await assert.rejects(call("nothing", {}));
    await assert.rejects(client.readResource({ uri: "remembrancer://memories/aaaaaaaa" }));
  });

  await test(`a cancelled call over ${way}`, async () => {
    const start = Date.now();
    const query = `WAIT, cancelled, TypeScript, ${way}`;
    await assert.rejects(call("agent_memory_recall", { query }, { signal: AbortSignal.timeout(300) }));
    assert(Date.now() - start < 1500);
    assert(!(await call("canonical_terms_lookup", { phrase: "door" })).isError);
  });

  await test(`200 calls at once over ${way}`, async () => {
    const numbers = [...Array(200).keys()];
    const answers = await Promise.all(numbers.map((number) => call("canonical_terms_lookup", { phrase: `phrase ${number}` })));
    assert(answers.every((answer) => !answer.isError));
  });

  // A process of its own hears only of its own changes.
  if (way !== "stdio, embedded") {
    await test(`announcements over ${way}`, async () => {
      const announced = new Promise((resolve) => client.setNotificationHandler(ResourceListChangedNotificationSchema, resolve));
      const documents = [{ path: "docs/door.md", content: `# Doors\n\n${Date.now()}` }];
      assert.equal((await post("/api/kb/documents", { collection: "test", documents })).status, 200);
      await announced;
    });
  }
  if (transport.terminateSession) await transport.terminateSession();
  await client.close();
}

for (const [way, open] of ways) {
  try {
    await conversation(way, open);
  } catch (error) {
    process.exitCode = 1;
    console.log(`not ok TypeScript: a conversation over ${way}`);
    console.error(error);
  }
}

await test("toolsets", async () => {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${BASE_URL}/mcp?toolset=core,vocabulary`), { requestInit: { headers } }));
  const names = (await client.listTools()).tools.map((tool) => tool.name);
  assert(names.includes("canonical_terms_lookup") && !names.includes("shared_kb_search"), names.join());
  const answer = await client.callTool({ name: "find_tools", arguments: {} });
  assert(answer.content[0].text.includes("shared_kb_search"), JSON.stringify(answer));
  await client.close();
});

// What a person does in a browser: signs in and allows access. Returns where the browser is led.
async function consent(address) {
  const headers = { Accept: "text/html", Origin: BASE_URL, "Content-Type": "application/x-www-form-urlencoded" };
  const send = (url, fields) => fetch(url, { method: "POST", redirect: "manual", headers, body: new URLSearchParams(fields).toString() });
  const signedIn = await send(`${BASE_URL}/console/api/sign_in`, { login: LOGIN, password: PASSWORD });
  headers.Cookie = signedIn.headers.getSetCookie().find((one) => one.startsWith("rmb=")).split(";")[0];
  const page = await (await fetch(address, { headers: { Accept: "text/html", Cookie: headers.Cookie } })).text();
  const action = "/console/api/authorize_client";
  const form = page.split(`action="${action}"`)[1].split("</form>")[0];
  const plain = (text) => text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
  const attribute = (tag, name) => plain(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? "");
  const inputs = [...form.matchAll(/<input[^>]*>/g)].map(([tag]) => [attribute(tag, "name"), attribute(tag, "value")]);
  const agent = /<option[^>]* value="([^"]+)"/.exec(form)[1];
  const fields = [...inputs.filter(([name]) => name !== "user_id"), ["agent", agent], ["decision", "allow"]];
  const answer = await (await send(BASE_URL + action, fields)).text();
  return new URL(plain(/http-equiv="refresh" content="0;url=([^"]*)"/.exec(answer)[1]));
}

await test("OAuth", async () => {
  const kept = {};
  const redirectUrl = "http://127.0.0.1:4711/callback";
  const authProvider = {
    redirectUrl,
    clientMetadata: { client_name: "TypeScript", redirect_uris: [redirectUrl] },
    state: () => "a state",
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: (address) => void (kept.address = address),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier,
  };
  const open = () => new StreamableHTTPClientTransport(new URL(`${BASE_URL}/mcp`), { authProvider });
  const first = open();
  await assert.rejects(new Client({ name: "test", version: "1" }).connect(first), UnauthorizedError);
  const answer = (await consent(kept.address)).searchParams;
  assert.deepEqual([answer.get("state"), answer.get("iss")], ["a state", BASE_URL]);
  await first.finishAuth(answer.get("code"));
  const tokens = kept.tokens;
  // The second client has a token that is not valid any more: it renews it without the person.
  for (const access_token of [tokens.access_token, "rmb_gone"]) {
    kept.tokens = { ...kept.tokens, access_token };
    const client = new Client({ name: "test", version: "1" });
    await client.connect(open());
    assert((await client.listTools()).tools.some((tool) => tool.name === "agent_memory_forget"));
    await client.close();
  }
  assert.notEqual(kept.tokens.refresh_token, tokens.refresh_token);
});

// A recall is logged when it is answered. The last one here is a check of this check.
await test("cancelled calls leave no trace", async () => {
  const query = "WAIT for the answer, TypeScript";
  assert.equal((await post("/api/tools/agent_memory_recall", { query })).status, 200);
  let queries = [];
  while (!queries.includes(query)) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    queries = (await (await fetch(`${BASE_URL}/api/retrievals`, { headers })).json()).rows.map((row) => row.query);
  }
  assert.deepEqual(queries.filter((one) => one.startsWith("WAIT, cancelled, TypeScript")), []);
});

// The command line of the official inspector, with which people try a server: over HTTP, and over standard input and output.
// It is that of the inspector's first version: the second one needs Node.js 22.19 and weighs 111 MB.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const { SERVER, BASE_URL, KEY } = process.env;
// It looks for its own package.json from the folder in which it is started.
const cwd = new URL("node_modules/@modelcontextprotocol/inspector-cli/build/", import.meta.url);

const env = { RUST_LOG: "warn,rmcp=off" };
for (const name of ["DATABASE_URL", "EMBEDDING_PROVIDER", "OPENAI_BASE_URL", "PATH", "HOME"]) {
  if (process.env[name]) env[name] = process.env[name];
}
const overHttp = (key) => [`${BASE_URL}/mcp`, "--transport", "http", "--header", `Authorization: Bearer ${key}`];
const ways = [
  ["HTTP", overHttp(KEY), {}],
  ["stdio, embedded", [SERVER, "mcp"], { REMEMBRANCER_KEY: KEY }],
  ["stdio, forwarded", [SERVER, "mcp"], { REMEMBRANCER_KEY: KEY, REMEMBRANCER_URL: BASE_URL }],
];

// What the inspector prints.
async function inspect(target, variables, ...options) {
  const settings = { cwd, env: { ...env, ...variables }, timeout: 30_000, maxBuffer: 16 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)(process.execPath, ["cli.js", "--cli", ...target, ...options], settings);
  return JSON.parse(stdout);
}

async function test(name, work) {
  try {
    await work();
    console.log(`ok inspector: ${name}`);
  } catch (error) {
    process.exitCode = 1;
    console.log(`not ok inspector: ${name}`);
    console.error(error);
  }
}

async function session([way, target, variables]) {
  await test(`lists over ${way}`, async () => {
    const names = (await inspect(target, variables, "--method", "tools/list")).tools.map((tool) => tool.name);
    assert(names.includes("agent_memory_recall") && names.includes("find_tools"), names.join());
    assert(!names.includes("agent_memory_forget") && !names.includes("canonical_terms_lookup"), names.join());
  });

  await test(`calls over ${way}`, async () => {
    const pairs = ["topic_raw=bell", `content=The bell of ${way} is brass`, 'source={"platform":"test"}'];
    const call = ["--method", "tools/call", "--tool-name", "agent_memory_remember", "--tool-arg", ...pairs];
    const stored = await inspect(target, variables, ...call);
    assert(!stored.isError && stored.structuredContent.memory_id, JSON.stringify(stored));
  });
}

await Promise.all(ways.map(session));
await test("a wrong key", async () => {
  await assert.rejects(inspect(overHttp("rmb_wrong"), {}, "--method", "tools/list"), /Failed to connect to MCP server.*unauthenticated/);
});

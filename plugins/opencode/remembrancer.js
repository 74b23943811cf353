// Remembrancer for OpenCode: gives each session what is known of its project, and keeps what was said.
// `remembrancer connect opencode` writes this file to ~/.config/opencode/plugins and removes it again.

import { spawn } from "node:child_process"

const program = "remembrancer"

// What `remembrancer hook` wants the agent to read; empty if there is nothing, or if anything is wrong.
function hook(event, input) {
  return new Promise((resolve) => {
    const child = spawn(program, ["hook", event, "--host", "opencode"], { stdio: ["pipe", "pipe", "ignore"] })
    let answer = ""
    child.on("error", () => resolve(""))
    child.on("close", () => {
      try {
        resolve(JSON.parse(answer).additionalContext ?? "")
      } catch {
        resolve("")
      }
    })
    child.stdin.on("error", () => {})
    child.stdout.on("data", (part) => {
      answer += part
    })
    child.stdin.end(JSON.stringify(input))
  })
}

export const Remembrancer = async ({ client, directory }) => {
  // What each session was given at its start: the system prompt is built again for every turn.
  const given = new Map()

  return {
    event: async ({ event }) => {
      if (event.type !== "session.idle") return
      const sessionID = event.properties.sessionID
      const session = await client.session.get({ path: { id: sessionID } }).catch(() => ({}))
      // What a subagent does is not what was said. A session that cannot be read may be one.
      if (!session.data || session.data.parentID) return
      const messages = await client.session.messages({ path: { id: sessionID } }).catch(() => ({}))
      await hook("stop", { sessionID, directory, messages: messages.data ?? [] })
    },
    "experimental.chat.system.transform": async (input, output) => {
      const { sessionID } = input
      if (!sessionID) return
      // The title of a session is asked for beside its first turn: both wait for one hook.
      if (!given.has(sessionID)) given.set(sessionID, hook("session-start", { sessionID, directory }))
      const context = await given.get(sessionID)
      if (context) output.system.push(context)
    },
  }
}

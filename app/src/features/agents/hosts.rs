//! The programs in which agents run, and the lines that connect each to this server.

use wire::HostName;

/// A program in which an agent runs, or a language in which somebody writes one.
pub struct Host {
    /// Its name in addresses and forms.
    pub slug: &'static str,
    pub name: &'static str,
    /// Where the lines go, and what to do then.
    pub says: &'static str,
    /// The lines, with `<url>` and `<key>` in place of the address of the server and of the key.
    lines: &'static str,
}

/// Says which question makes the first call.
const ASK: &str = "Then ask your agent: “What do you remember about tea?”";

/// Every host that the console knows, by how often agents run in it.
pub static HOSTS: [Host; 8] = [
    Host {
        slug: HostName::CLAUDE_CODE.id,
        name: HostName::CLAUDE_CODE.label,
        says: "Run this in a terminal, and start Claude Code again.",
        lines: "claude mcp add --transport http --scope user remembrancer <url>/mcp \\\n  --header \"Authorization: Bearer <key>\"\n",
    },
    Host {
        slug: "claude-desktop",
        name: "Claude Desktop",
        says: "Add this to claude_desktop_config.json (Settings, Developer, Edit Config), with the path of the program remembrancer on your \
               computer, and start Claude Desktop again.",
        lines: r#"{
  "mcpServers": {
    "remembrancer": {
      "command": "/usr/local/bin/remembrancer",
      "args": ["mcp", "--url", "<url>"],
      "env": { "REMEMBRANCER_KEY": "<key>" }
    }
  }
}
"#,
    },
    Host {
        slug: HostName::CURSOR.id,
        name: HostName::CURSOR.label,
        says: "Add this to ~/.cursor/mcp.json, and start Cursor again.",
        lines: r#"{
  "mcpServers": {
    "remembrancer": {
      "url": "<url>/mcp",
      "headers": { "Authorization": "Bearer <key>" }
    }
  }
}
"#,
    },
    Host {
        slug: "vs-code",
        name: "VS Code",
        says: "Run the command “MCP: Open User Configuration” and add this to the file that opens. Do not add it to a repository: it has \
               the key.",
        lines: r#"{
  "servers": {
    "remembrancer": {
      "type": "http",
      "url": "<url>/mcp",
      "headers": { "Authorization": "Bearer <key>" }
    }
  }
}
"#,
    },
    Host {
        slug: HostName::CODEX.id,
        name: HostName::CODEX.label,
        says: "Add this to ~/.codex/config.toml, and start Codex again.",
        lines: "[mcp_servers.remembrancer]\nurl = \"<url>/mcp\"\nhttp_headers = { Authorization = \"Bearer <key>\" }\n",
    },
    Host {
        slug: "python",
        name: "Python",
        says: "Run this. It needs nothing but Python.",
        lines: r#"import json
from urllib.request import Request, urlopen

request = Request(
    "<url>/api/tools/agent_memory_recall",
    data=json.dumps({"query": "What do I remember about tea?"}).encode(),
    headers={"Authorization": "Bearer <key>", "Content-Type": "application/json"},
)
print(urlopen(request).read().decode())
"#,
    },
    Host {
        slug: "typescript",
        name: "TypeScript",
        says: "Run this with Node 18 or later, Deno or Bun.",
        lines: r#"const response = await fetch("<url>/api/tools/agent_memory_recall", {
  method: "POST",
  headers: { Authorization: "Bearer <key>", "Content-Type": "application/json" },
  body: JSON.stringify({ query: "What do I remember about tea?" }),
});
console.log(await response.json());
"#,
    },
    Host {
        slug: "curl",
        name: "curl",
        says: "Run this in a terminal.",
        lines: "curl <url>/api/tools/agent_memory_recall \\\n  -H \"Authorization: Bearer <key>\" -H \"Content-Type: application/json\" \\\n  \
                -d '{\"query\": \"What do I remember about tea?\"}'\n",
    },
];

impl Host {
    /// The host with this slug.
    pub fn named(slug: &str) -> Option<&'static Self> {
        HOSTS.iter().find(|host| host.slug == slug)
    }

    /// The lines for a server at `url`, with this key.
    pub fn lines(&self, url: &str, key: &str) -> String {
        self.lines.replace("<url>", url).replace("<key>", key)
    }

    /// Where the lines go and, unless they are a call themselves, how to make one.
    pub fn says(&self) -> String {
        if self.lines.contains("/api/tools/") { self.says.to_owned() } else { format!("{} {ASK}", self.says) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_every_host_have_the_address_and_the_key_once() {
        for host in &HOSTS {
            let lines = host.lines("https://memory.example.org", "rmb_abc_def");
            let count = |text: &str| lines.matches(text).count();
            assert_eq!((count("https://memory.example.org"), count("rmb_abc_def"), count("<")), (1, 1, 0), "{}: {lines}", host.slug);
            assert!(Host::named(host.slug).is_some_and(|found| found.name == host.name), "{} is named twice", host.slug);
        }
        assert!(Host::named("emacs").is_none());
    }

    #[test]
    fn what_a_host_reads_as_json_is_json() {
        let json = HOSTS.iter().map(|host| host.lines("https://memory.example.org", "rmb_abc_def")).filter(|lines| lines.starts_with('{'));
        let read: Vec<serde_json::Value> = json.map(|lines| serde_json::from_str(&lines).unwrap()).collect();
        assert_eq!(read.len(), 3);
    }
}

import type { CommandSpec } from "../command.ts";
import { EXPIRES } from "./shared-options.ts";

/** The commands that let clients in. */
export const CLIENT_COMMANDS: readonly CommandSpec[] = [
  {
    name: "mcp",
    description: "Serve the tools and agents to one MCP client, on standard input and output",
    options: [{ flags: "--no-agents", description: "offer no agents as tools" }, EXPIRES],
    examples: ["pegboard mcp", "pegboard mcp -C my-tools --trust", "pegboard mcp --approve none"],
    load: async () => (await import("../commands/mcp.ts")).mcp,
  },
  {
    name: "acp",
    description: "Be the agent of an editor that speaks the Agent Client Protocol, on standard input and output",
    arguments: [{ name: "[agent]", description: "the agent that is talked with at first", fallback: "assistant" }],
    options: [EXPIRES],
    examples: ["pegboard acp", "pegboard acp researcher", "pegboard acp -C my-tools --approve none"],
    load: async () => (await import("../commands/acp.ts")).acp,
  },
  {
    name: "stdio",
    description: "Serve the tools and agents to one program in our own protocol, on standard input and output",
    options: [EXPIRES],
    examples: ["pegboard stdio", `echo '{"id":1,"type":"tools.list"}' | pegboard stdio`],
    load: async () => (await import("../commands/stdio.ts")).stdio,
  },
  {
    name: "serve",
    description: "Serve the tools and agents to many clients at one port: MCP, our own protocol, health, metrics",
    options: [
      { flags: "--host <address>", description: "the address to listen at (default: 127.0.0.1)" },
      { flags: "--port <number>", description: "the port; 0 is any that is free (default: 4747)" },
      {
        flags: "--allow-remote",
        description: "let other machines reach it, at an address that is not this machine's own",
      },
      {
        flags: "--allow-host <name>",
        description: "it may also be asked under this name (may be repeated)",
        repeats: true,
      },
      {
        flags: "--allow-origin <origin>",
        description: "pages of this origin may ask it (may be repeated)",
        repeats: true,
      },
      { flags: "--rate <count>", description: "answer busy to more requests a second than this" },
      { flags: "--no-agents", description: "offer no agents as tools of MCP" },
      EXPIRES,
      { flags: "--drain <time>", description: "how long what is at work may go on at the end (default: 4s)" },
      { flags: "--health", description: "ask the server that runs how it is; exits with 1 unless all is well" },
      { flags: "--link", description: "ask the server that runs for a link that lets a browser in, once" },
    ],
    examples: [
      "pegboard serve",
      "pegboard serve --port 0 --json",
      "pegboard serve --host 0.0.0.0 --allow-remote --allow-host tools.example",
      "pegboard serve --health",
    ],
    load: async () => (await import("../commands/serve.ts")).serve,
  },
  {
    name: "connect",
    description: "Print, or write, the configuration that lets a client use this workspace",
    arguments: [{ name: "[client]", description: "the client; without one, all that are known are listed" }],
    options: [
      { flags: "--write", description: "write it to the client's own file, beside what is there" },
      { flags: "--name <name>", description: "what the client calls it (default: pegboard)" },
      { flags: "--http", description: "over HTTP, with a server that runs, instead of starting one" },
      { flags: "--url <url>", description: "with --http: where it is (default: http://127.0.0.1:4747/mcp)" },
    ],
    examples: [
      "pegboard connect",
      "pegboard connect claude",
      "pegboard connect cursor --write",
      "pegboard connect vscode --http --url http://127.0.0.1:4748/mcp",
    ],
    load: async () => (await import("../commands/connect.ts")).connect,
  },
];

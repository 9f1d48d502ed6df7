import type { CommandSpec } from "../command.ts";
import { EXPIRES, SERVER } from "./shared-options.ts";

/** The commands about tools. */
export const TOOL_COMMANDS: readonly CommandSpec[] = [
  {
    name: "list",
    description: "List the tools that can be called, or the agents, skills and commands that there are",
    arguments: [{ name: "[what]", description: "tools, toolsets, agents, skills, or commands", fallback: "tools" }],
    options: [
      { flags: "--as <caller>", description: "as whom: the user, or a model", choices: ["user", "model"] },
      SERVER,
    ],
    examples: [
      "pegboard list",
      "pegboard list tools --json",
      "pegboard list toolsets",
      "pegboard list agents",
      "pegboard list skills",
      "pegboard list commands --json",
      "pegboard list --as model",
    ],
    load: async () => (await import("../commands/list.ts")).list,
  },
  {
    name: "call",
    description: "Call a tool through the whole pipeline",
    arguments: [
      { name: "<tool>", description: "the tool's name" },
      { name: "[input...]", description: "key=value, typed by the tool's schema, or key:=json" },
    ],
    options: [
      { flags: "--input <json>", description: "the whole input as JSON; - reads it from standard input" },
      { flags: "--timeout <time>", description: "for tools that name none: 30s, 5m" },
      { flags: "--session <id>", description: "go on with this session" },
      EXPIRES,
      SERVER,
    ],
    examples: [
      "pegboard call hello name=world",
      "pegboard call mine__add a=1 b=2 --json",
      "pegboard call hello name=world --server http://127.0.0.1:4747",
      `echo '{"path":"a.md"}' | pegboard call vfs_read --input -`,
      "pegboard call send_mail to=ada@example.com --approve wait --expires 2h",
    ],
    load: async () => (await import("../commands/call.ts")).call,
  },
];

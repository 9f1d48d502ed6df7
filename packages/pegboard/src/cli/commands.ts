import type { CommandSpec } from "./command.ts";
import { PLUGIN_COMMANDS } from "./plugin-commands.ts";

/** What chooses events of the log. */
const FILTERS: NonNullable<CommandSpec["options"]> = [
  { flags: "--session <id>", description: "only this session; the beginning of its id is enough" },
  { flags: "--tool <name>", description: "only events that name this tool" },
  { flags: "--agent <name>", description: "only what this agent did" },
  { flags: "--type <type>", description: "only events of this type, such as call-end" },
  {
    flags: "--decision <word>",
    description: "only events with this decision, of policy or of an approver",
    choices: ["preApproved", "ask", "allow", "deny", "expired", "cancelled"],
  },
  { flags: "--call <id>", description: "only events of this call" },
  { flags: "--since <time>", description: "only from then on: 2026-01-31, 2026-01-31T09:30, or 2h for two hours ago" },
  { flags: "--until <time>", description: "only up to then" },
];

/** Has a command done by a server that runs. */
const SERVER = {
  flags: "--server <url>",
  description: "at this server, such as http://127.0.0.1:4747, and in no workspace of this machine",
};

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandSpec[] = [
  {
    name: "init",
    description: "Make a workspace: a configuration file, a first tool and a first agent",
    arguments: [{ name: "[dir]", description: "its folder (default: the working folder)" }],
    options: [{ flags: "--force", description: "replace files that are there already" }],
    examples: ["pegboard init", "pegboard init my-tools", "pegboard init my-tools --force"],
    load: async () => (await import("./commands/init.ts")).init,
  },
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
    load: async () => (await import("./commands/list.ts")).list,
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
      { flags: "--expires <time>", description: "how long an approval request waits: 30s, 2h (default: 10m)" },
      SERVER,
    ],
    examples: [
      "pegboard call hello name=world",
      "pegboard call mine__add a=1 b=2 --json",
      "pegboard call hello name=world --server http://127.0.0.1:4747",
      `echo '{"path":"a.md"}' | pegboard call vfs_read --input -`,
      "pegboard call send_mail to=ada@example.com --approve wait --expires 2h",
    ],
    load: async () => (await import("./commands/call.ts")).call,
  },
  {
    name: "run",
    description: "Run an agent once, and print its answer",
    arguments: [
      {
        name: "<agent>",
        description: "the agent's name; assistant is always there. Or a command: /name, /plugin:name",
      },
      { name: "[prompt...]", description: "what it is to do; without words, or with -, read from standard input" },
    ],
    options: [
      { flags: "--model <model>", description: "provider:model, or an alias, over the agent's own" },
      { flags: "--stream-json", description: "print every event of the run as a line of JSON, and nothing else" },
      { flags: "--attach <file>", description: "take a file along (may be repeated)", repeats: true },
      { flags: "--max-cost <usd>", description: "end it when it has cost so many US dollars" },
      { flags: "--max-turns <count>", description: "end it when the model has been asked so often" },
      { flags: "--hide-denied", description: "do not tell the model of tools that nobody is there to allow" },
      { flags: "--session <id>", description: "in this session, with what is remembered there" },
      { flags: "--continue <run>", description: "go on with this run; the beginning of its id is enough" },
      { flags: "--expires <time>", description: "how long an approval request waits: 30s, 2h (default: 10m)" },
      SERVER,
    ],
    examples: [
      `pegboard run assistant "What can you do?" --model google:gemini-2.5-flash`,
      "pegboard run reviewer <changes.diff",
      "pegboard run reader --attach invoice.pdf --json What does it cost",
      "pegboard run reporter --approve wait --max-cost 0.50 Write the report of this week",
      "pegboard run /acme:review src/main.ts",
      `pegboard run assistant --continue 3f2a "And why?"`,
    ],
    load: async () => (await import("./commands/run.ts")).run,
  },
  {
    name: "chat",
    description: "Talk with an agent, prompt by prompt",
    arguments: [{ name: "[agent]", description: "the agent's name", fallback: "assistant" }],
    options: [
      { flags: "--model <model>", description: "provider:model, or an alias, over the agent's own" },
      { flags: "--expires <time>", description: "how long an approval request waits: 30s, 2h (default: 10m)" },
      SERVER,
    ],
    examples: [
      "pegboard chat",
      "pegboard chat researcher --model anthropic:claude-sonnet-4-5",
      `printf 'Hello\\nWhat did I say?\\n' | pegboard chat`,
    ],
    load: async () => (await import("./commands/chat.ts")).chat,
  },
  {
    name: "agents",
    description: "Look at what is kept for agents",
    commands: [
      {
        name: "pool",
        usage: "pegboard agents pool",
        description: "Show how many agents are kept warm, and for how long; a chat shows its own with /pool",
        examples: ["pegboard agents pool", "pegboard agents pool --json"],
        load: async () => (await import("./commands/agents-pool.ts")).agentsPool,
      },
    ],
  },
  {
    name: "runs",
    description: "List the runs of agents, the newest first, and how they stand",
    options: [
      { flags: "-n, --last <count>", description: "how many (default: 20)" },
      {
        flags: "--status <status>",
        description: "only those that stand like this",
        choices: ["running", "waiting", "interrupted", "completed", "failed", "cancelled"],
      },
    ],
    examples: ["pegboard runs", "pegboard runs --status interrupted", "pegboard runs -n 100 --json"],
    load: async () => (await import("./commands/runs.ts")).runs,
  },
  {
    name: "resume",
    description: "Go on with a run whose process ended, at the step where it was",
    arguments: [
      { name: "[session]", description: "its session, or the run; the beginning is enough (default: the newest run)" },
    ],
    options: [
      { flags: "--model <model>", description: "provider:model, or an alias, over what it was started with" },
      { flags: "--stream-json", description: "print every event from now on as a line of JSON, and nothing else" },
      { flags: "--expires <time>", description: "how long an approval request waits: 30s, 2h (default: 10m)" },
    ],
    examples: ["pegboard resume", "pegboard resume 3f2a --json", "pegboard resume 3f2a --approve wait"],
    load: async () => (await import("./commands/resume.ts")).resume,
  },
  {
    name: "cancel",
    description: "End a run, or the runs of a session, of whatever process",
    arguments: [{ name: "<id>", description: "of the run or of the session; the beginning is enough" }],
    examples: ["pegboard cancel 3f2a", "pegboard cancel 3f2a --json"],
    load: async () => (await import("./commands/cancel.ts")).cancel,
  },
  {
    name: "session",
    description: "Look at sessions and their conversations, and change them",
    commands: [
      {
        name: "list",
        usage: "pegboard session list",
        description: "List the sessions, the one that was used last first",
        options: [{ flags: "-n, --last <count>", description: "how many (default: 20)" }],
        examples: ["pegboard session list", "pegboard session list -n 100 --json"],
        load: async () => (await import("./commands/session-list.ts")).sessionList,
      },
      {
        name: "show",
        usage: "pegboard session show",
        description: "Show a session: its runs, what they cost, and the conversation of the last one",
        arguments: [{ name: "<session>", description: "its id; the beginning is enough" }],
        examples: ["pegboard session show 3f2a", "pegboard session show 3f2a --json"],
        load: async () => (await import("./commands/session-show.ts")).sessionShow,
      },
      {
        name: "fork",
        usage: "pegboard session fork",
        description: "Begin a new session with the history of a run",
        arguments: [{ name: "<session>", description: "its id; the beginning is enough" }],
        options: [
          { flags: "--run <id>", description: "with the history of this run (default: of the last one)" },
          { flags: "--as <id>", description: "the id of the new session" },
        ],
        examples: ["pegboard session fork 3f2a", "pegboard session fork 3f2a --run 91bc --as try-two"],
        load: async () => (await import("./commands/session-fork.ts")).sessionFork,
      },
      {
        name: "inject",
        usage: "pegboard session inject",
        description: "Add a message that the model reads when the conversation goes on",
        arguments: [
          { name: "<session>", description: "its id; the beginning is enough" },
          { name: "<text...>", description: "the message" },
        ],
        examples: ["pegboard session inject 3f2a The deadline has moved to Friday"],
        load: async () => (await import("./commands/session-inject.ts")).sessionInject,
      },
      {
        name: "clear",
        usage: "pegboard session clear",
        description: "Forget the conversation of a session; what happened stays in the log",
        arguments: [{ name: "<session>", description: "its id; the beginning is enough" }],
        examples: ["pegboard session clear 3f2a"],
        load: async () => (await import("./commands/session-clear.ts")).sessionClear,
      },
      {
        name: "delete",
        usage: "pegboard session delete",
        description: "Take one session out of the log",
        arguments: [{ name: "<session>", description: "its id; the beginning is enough" }],
        options: [{ flags: "--yes", description: "agree without being asked" }],
        examples: ["pegboard session delete 3f2a", "pegboard session delete 3f2a --yes"],
        load: async () => (await import("./commands/session-delete.ts")).sessionDelete,
      },
      {
        name: "clean",
        usage: "pegboard session clean",
        description: "Take sessions out of the log that were not used for long; what somebody may still need stays",
        options: [
          { flags: "--older-than <time>", description: "how long: 12h, 30d (default: 30d)" },
          { flags: "--yes", description: "agree without being asked" },
        ],
        examples: ["pegboard session clean", "pegboard session clean --older-than 7d --yes"],
        load: async () => (await import("./commands/session-clean.ts")).sessionClean,
      },
    ],
  },
  {
    name: "mcp",
    description: "Serve the tools and agents to one MCP client, on standard input and output",
    options: [
      { flags: "--no-agents", description: "offer no agents as tools" },
      { flags: "--expires <time>", description: "how long an approval request waits: 30s, 2h (default: 10m)" },
    ],
    examples: ["pegboard mcp", "pegboard mcp -C my-tools --trust", "pegboard mcp --approve none"],
    load: async () => (await import("./commands/mcp.ts")).mcp,
  },
  {
    name: "stdio",
    description: "Serve the tools and agents to one program in our own protocol, on standard input and output",
    options: [{ flags: "--expires <time>", description: "how long an approval request waits: 30s, 2h (default: 10m)" }],
    examples: ["pegboard stdio", `echo '{"id":1,"type":"tools.list"}' | pegboard stdio`],
    load: async () => (await import("./commands/stdio.ts")).stdio,
  },
  {
    name: "plugin",
    description: "Add, make, switch and configure plugins",
    commands: PLUGIN_COMMANDS,
  },
  {
    name: "acp",
    description: "Be the agent of an editor that speaks the Agent Client Protocol, on standard input and output",
    arguments: [{ name: "[agent]", description: "the agent that is talked with at first", fallback: "assistant" }],
    options: [{ flags: "--expires <time>", description: "how long an approval request waits: 30s, 2h (default: 10m)" }],
    examples: ["pegboard acp", "pegboard acp researcher", "pegboard acp -C my-tools --approve none"],
    load: async () => (await import("./commands/acp.ts")).acp,
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
      { flags: "--expires <time>", description: "how long an approval request waits: 30s, 2h (default: 10m)" },
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
    load: async () => (await import("./commands/serve.ts")).serve,
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
    load: async () => (await import("./commands/connect.ts")).connect,
  },
  {
    name: "trust",
    description: "Show what of a workspace would run, and agree to it",
    options: [{ flags: "--yes", description: "agree without being asked" }],
    examples: ["pegboard trust", "pegboard trust --yes", "pegboard trust -C my-tools --json"],
    load: async () => (await import("./commands/trust.ts")).trust,
  },
  {
    name: "log",
    description: "Show what happened: the newest events of the workspace's log",
    options: [
      ...FILTERS,
      { flags: "-n, --last <count>", description: "how many (default: 50)" },
      { flags: "--skip <count>", description: "leave out so many of the newest, to see those before" },
      { flags: "-f, --follow", description: "go on with every new event, of whatever process, until Ctrl-C" },
    ],
    examples: [
      "pegboard log",
      "pegboard log --tool hello -n 10",
      "pegboard log -n 10 --skip 10",
      "pegboard log --type call-end --since 2h --json",
      "pegboard log --follow --agent researcher",
    ],
    load: async () => (await import("./commands/log.ts")).log,
    commands: [
      {
        name: "export",
        usage: "pegboard log export",
        description: "Write the whole log, or what the filters choose, as lines of JSON",
        options: [...FILTERS, { flags: "-o, --output <file>", description: "to this file (default: standard output)" }],
        examples: ["pegboard log export >log.jsonl", "pegboard log export --since 2026-01-01 --output january.jsonl"],
        load: async () => (await import("./commands/log-export.ts")).logExport,
      },
      {
        name: "prune",
        usage: "pegboard log prune",
        description: "Take old sessions out of the log; what somebody may still need stays",
        options: [
          { flags: "--older-than <time>", description: "sessions whose last event is that old: 12h, 30d" },
          { flags: "--keep-last <count>", description: "all sessions but the last so many" },
          { flags: "--archive <file>", description: "write what goes to this file first, as log export does" },
          { flags: "--dry-run", description: "say what would go, and change nothing" },
          { flags: "--yes", description: "agree without being asked" },
        ],
        examples: [
          "pegboard log prune --older-than 30d --dry-run",
          "pegboard log prune --older-than 30d --archive old.jsonl --yes",
          "pegboard log prune --keep-last 100 --yes",
        ],
        load: async () => (await import("./commands/log-prune.ts")).logPrune,
      },
    ],
  },
  {
    name: "audit",
    description: "Check that the log is what was written",
    commands: [
      {
        name: "verify",
        usage: "pegboard audit verify",
        description: "Verify every record of the log and name the first bad one; exits with 1 when there is one",
        examples: ["pegboard audit verify", "pegboard audit verify --json"],
        load: async () => (await import("./commands/audit-verify.ts")).auditVerify,
      },
    ],
  },
  {
    name: "approvals",
    description: "Answer approval requests, of whatever process",
    commands: [
      {
        name: "list",
        usage: "pegboard approvals list",
        description: "List the requests that nobody has answered",
        examples: ["pegboard approvals list", "pegboard approvals list --json"],
        load: async () => (await import("./commands/approvals-list.ts")).approvalsList,
      },
      {
        name: "show",
        usage: "pegboard approvals show",
        description: "Show one request whole",
        arguments: [{ name: "<id>", description: "its id; the beginning is enough" }],
        examples: ["pegboard approvals show 3f2a", "pegboard approvals show 3f2a --json"],
        load: async () => (await import("./commands/approvals-show.ts")).approvalsShow,
      },
      {
        name: "answer",
        usage: "pegboard approvals answer",
        description: "Answer a request; the first answer counts",
        arguments: [
          { name: "<id>", description: "its id; the beginning is enough" },
          { name: "<decision>", description: "allow, or deny" },
        ],
        options: [
          {
            flags: "--remember <scope>",
            description: "for what it holds: this call, the same input or the tool in this session, from now on",
            choices: ["once", "input", "tool", "rule"],
          },
          { flags: "--note <text>", description: "a word to whoever asked" },
        ],
        examples: [
          "pegboard approvals answer 3f2a allow",
          "pegboard approvals answer 3f2a allow --remember input",
          'pegboard approvals answer 3f2a deny --note "not on a Friday"',
        ],
        load: async () => (await import("./commands/approvals-answer.ts")).approvalsAnswer,
      },
    ],
  },
  {
    name: "stats",
    description: "Show the numbers of each tool and agent: calls, errors, durations, approvals",
    options: FILTERS.filter(({ flags }) => ["--session <id>", "--since <time>", "--until <time>"].includes(flags)),
    examples: ["pegboard stats", "pegboard stats --since 7d", "pegboard stats --session 3f2a --json"],
    load: async () => (await import("./commands/stats.ts")).stats,
  },
  {
    name: "policy",
    description: "Ask what policy says, and test its rules",
    commands: [
      {
        name: "explain",
        usage: "pegboard policy explain",
        description: "Say what policy decides about a call, and which rule does; nothing runs and nobody is asked",
        arguments: [
          { name: "[tool]", description: "the tool's name" },
          { name: "[input...]", description: "key=value, typed by the tool's schema, or key:=json" },
        ],
        options: [
          { flags: "--input <json>", description: "the whole input as JSON; - reads it from standard input" },
          { flags: "--agent <name>", description: "as if this agent called" },
          { flags: "--as <caller>", description: "as whom: the user, or a model", choices: ["user", "model"] },
          {
            flags: "--batch <from>",
            description: `- reads lines of {"tool","input","agent"} and answers each with a line`,
            choices: ["-"],
          },
        ],
        examples: [
          "pegboard policy explain vfs_read path=a.md",
          "pegboard policy explain mine__add --agent researcher --json",
          "pegboard policy explain --batch - <calls.jsonl",
        ],
        load: async () => (await import("./commands/policy-explain.ts")).policyExplain,
      },
      {
        name: "test",
        usage: "pegboard policy test",
        description: "Check every rule against its own examples (match, not_match)",
        examples: ["pegboard policy test", "pegboard policy test --json"],
        load: async () => (await import("./commands/policy-test.ts")).policyTest,
      },
    ],
  },
  {
    name: "secret",
    description: "Keep secrets that tools use and nobody sees",
    commands: [
      {
        name: "set",
        usage: "pegboard secret set",
        description: "Keep a secret, encrypted; its value is asked for, or read from standard input",
        arguments: [{ name: "<name>", description: "its name, for secret://name" }],
        examples: ["pegboard secret set github", "pegboard secret set github <token.txt"],
        load: async () => (await import("./commands/secret-set.ts")).secretSet,
      },
      {
        name: "list",
        usage: "pegboard secret list",
        description: "List the names of all secrets and where each is kept, never their values",
        examples: ["pegboard secret list", "pegboard secret list --json"],
        load: async () => (await import("./commands/secret-list.ts")).secretList,
      },
      {
        name: "remove",
        usage: "pegboard secret remove",
        description: "Forget a secret",
        arguments: [{ name: "<name>", description: "its name" }],
        examples: ["pegboard secret remove github"],
        load: async () => (await import("./commands/secret-remove.ts")).secretRemove,
      },
    ],
  },
  {
    name: "check",
    description:
      "Check files before they are used: configuration, tools, agents, skills, plugins, also of other programs",
    arguments: [{ name: "[paths...]", description: "files or folders (default: the workspace and your own policy)" }],
    examples: [
      "pegboard check",
      "pegboard check tools/hello.ts --trust",
      "pegboard check agents",
      "pegboard check ~/.claude --json",
      "pegboard check --strict --json",
    ],
    load: async () => (await import("./commands/check.ts")).check,
  },
  {
    name: "config",
    description: "Show the settings that hold",
    commands: [
      {
        name: "show",
        usage: "pegboard config show",
        description: "Show the settings that hold, and where each comes from; nothing runs",
        options: [
          { flags: "--origins", description: "also say where each value comes from" },
          { flags: "--timeout <time>", description: "as if it were given to a call" },
        ],
        examples: [
          "pegboard config show",
          "pegboard config show --origins",
          "PEGBOARD_TIMEOUT=5s pegboard config show --origins --json",
        ],
        load: async () => (await import("./commands/config-show.ts")).configShow,
      },
    ],
  },
  {
    name: "doctor",
    description: "Check that everything is in order, and say what would mend what is not",
    examples: ["pegboard doctor", "pegboard doctor --json"],
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
  {
    name: "completion",
    description: "Print a script that lets a shell complete commands and options",
    arguments: [{ name: "<shell>", description: "bash, zsh or fish" }],
    examples: [
      "source <(pegboard completion bash)",
      "pegboard completion fish > ~/.config/fish/completions/pegboard.fish",
    ],
    load: async () => (await import("./commands/completion.ts")).completion,
  },
  {
    name: "demo",
    description: "Show what Pegboard does, in a few seconds, offline",
    examples: ["pegboard demo", "pegboard demo --json"],
    load: async () => (await import("./commands/demo.ts")).demo,
  },
];

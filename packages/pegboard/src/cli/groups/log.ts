import type { CommandSpec } from "../command.ts";

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

/** The commands about what happened. */
export const LOG_COMMANDS: readonly CommandSpec[] = [
  {
    name: "log",
    description: "Show what happened: the newest events of the workspace's log; with --json, as lines of JSON",
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
    load: async () => (await import("../commands/log.ts")).log,
    commands: [
      {
        name: "export",
        usage: "pegboard log export",
        description: "Write the whole log, or what the filters choose, as lines of JSON",
        options: [...FILTERS, { flags: "-o, --output <file>", description: "to this file (default: standard output)" }],
        examples: ["pegboard log export >log.jsonl", "pegboard log export --since 2026-01-01 --output january.jsonl"],
        load: async () => (await import("../commands/log-export.ts")).logExport,
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
        load: async () => (await import("../commands/log-prune.ts")).logPrune,
      },
    ],
  },
  {
    name: "stats",
    description: "Show the numbers of each tool and agent: calls, errors, durations, approvals",
    options: FILTERS.filter(({ flags }) => ["--session <id>", "--since <time>", "--until <time>"].includes(flags)),
    examples: ["pegboard stats", "pegboard stats --since 7d", "pegboard stats --session 3f2a --json"],
    load: async () => (await import("../commands/stats.ts")).stats,
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
        load: async () => (await import("../commands/audit-verify.ts")).auditVerify,
      },
    ],
  },
];

import type { CommandSpec } from "../command.ts";
import { EXPIRES } from "./shared-options.ts";

/** The commands about runs and sessions, of whatever process. */
export const RUN_COMMANDS: readonly CommandSpec[] = [
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
    load: async () => (await import("../commands/runs.ts")).runs,
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
      EXPIRES,
    ],
    examples: ["pegboard resume", "pegboard resume 3f2a --json", "pegboard resume 3f2a --approve wait"],
    load: async () => (await import("../commands/resume.ts")).resume,
  },
  {
    name: "cancel",
    description: "End a run, or the runs of a session, of whatever process",
    arguments: [{ name: "<id>", description: "of the run or of the session; the beginning is enough" }],
    examples: ["pegboard cancel 3f2a", "pegboard cancel 3f2a --json"],
    load: async () => (await import("../commands/cancel.ts")).cancel,
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
        load: async () => (await import("../commands/session-list.ts")).sessionList,
      },
      {
        name: "show",
        usage: "pegboard session show",
        description: "Show a session: its runs, what they cost, and the conversation of the last one",
        arguments: [{ name: "<session>", description: "its id; the beginning is enough" }],
        examples: ["pegboard session show 3f2a", "pegboard session show 3f2a --json"],
        load: async () => (await import("../commands/session-show.ts")).sessionShow,
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
        load: async () => (await import("../commands/session-fork.ts")).sessionFork,
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
        load: async () => (await import("../commands/session-inject.ts")).sessionInject,
      },
      {
        name: "clear",
        usage: "pegboard session clear",
        description: "Forget the conversation of a session; what happened stays in the log",
        arguments: [{ name: "<session>", description: "its id; the beginning is enough" }],
        examples: ["pegboard session clear 3f2a"],
        load: async () => (await import("../commands/session-clear.ts")).sessionClear,
      },
      {
        name: "delete",
        usage: "pegboard session delete",
        description: "Take one session out of the log",
        arguments: [{ name: "<session>", description: "its id; the beginning is enough" }],
        options: [{ flags: "--yes", description: "agree without being asked" }],
        examples: ["pegboard session delete 3f2a", "pegboard session delete 3f2a --yes"],
        load: async () => (await import("../commands/session-delete.ts")).sessionDelete,
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
        load: async () => (await import("../commands/session-clean.ts")).sessionClean,
      },
    ],
  },
];

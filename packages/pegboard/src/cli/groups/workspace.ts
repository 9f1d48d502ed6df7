import type { CommandSpec } from "../command.ts";

/** The commands that make a workspace and look after it. */
export const WORKSPACE_COMMANDS: readonly CommandSpec[] = [
  {
    name: "init",
    description: "Make a workspace: a configuration file, a first tool and a first agent",
    arguments: [{ name: "[dir]", description: "its folder (default: the working folder)" }],
    options: [{ flags: "--force", description: "replace files that are there already" }],
    examples: ["pegboard init", "pegboard init my-tools", "pegboard init my-tools --force"],
    load: async () => (await import("../commands/init.ts")).init,
  },
  {
    name: "demo",
    description: "Show what Pegboard does, in a few seconds, offline",
    examples: ["pegboard demo", "pegboard demo --json"],
    load: async () => (await import("../commands/demo.ts")).demo,
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
    load: async () => (await import("../commands/check.ts")).check,
  },
  {
    name: "trust",
    description: "Show what of a workspace would run, and agree to it",
    options: [{ flags: "--yes", description: "agree without being asked" }],
    examples: ["pegboard trust", "pegboard trust --yes", "pegboard trust -C my-tools --json"],
    load: async () => (await import("../commands/trust.ts")).trust,
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
        load: async () => (await import("../commands/config-show.ts")).configShow,
      },
    ],
  },
  {
    name: "doctor",
    description: "Check that everything is in order, and say what would mend what is not",
    examples: ["pegboard doctor", "pegboard doctor --json"],
    load: async () => (await import("../commands/doctor.ts")).doctor,
  },
  {
    name: "completion",
    description: "Print a script that lets a shell complete commands and options",
    arguments: [{ name: "<shell>", description: "bash, zsh or fish" }],
    examples: [
      "source <(pegboard completion bash)",
      "pegboard completion fish > ~/.config/fish/completions/pegboard.fish",
    ],
    load: async () => (await import("../commands/completion.ts")).completion,
  },
];

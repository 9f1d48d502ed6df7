import type { CommandSpec } from "../command.ts";

/** The commands about what is allowed, and who says so. */
export const POLICY_COMMANDS: readonly CommandSpec[] = [
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
        load: async () => (await import("../commands/policy-explain.ts")).policyExplain,
      },
      {
        name: "test",
        usage: "pegboard policy test",
        description: "Check every rule against its own examples (match, not_match)",
        examples: ["pegboard policy test", "pegboard policy test --json"],
        load: async () => (await import("../commands/policy-test.ts")).policyTest,
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
        load: async () => (await import("../commands/approvals-list.ts")).approvalsList,
      },
      {
        name: "show",
        usage: "pegboard approvals show",
        description: "Show one request whole",
        arguments: [{ name: "<id>", description: "its id; the beginning is enough" }],
        examples: ["pegboard approvals show 3f2a", "pegboard approvals show 3f2a --json"],
        load: async () => (await import("../commands/approvals-show.ts")).approvalsShow,
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
            description:
              "for what it holds: this call; the same input, the scope or the tool in this session; from now on",
            choices: ["once", "input", "scope", "tool", "rule"],
          },
          { flags: "--note <text>", description: "a word to whoever asked" },
        ],
        examples: [
          "pegboard approvals answer 3f2a allow",
          "pegboard approvals answer 3f2a allow --remember input",
          'pegboard approvals answer 3f2a deny --note "not on a Friday"',
        ],
        load: async () => (await import("../commands/approvals-answer.ts")).approvalsAnswer,
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
        load: async () => (await import("../commands/secret-set.ts")).secretSet,
      },
      {
        name: "list",
        usage: "pegboard secret list",
        description: "List the names of all secrets and where each is kept, never their values",
        examples: ["pegboard secret list", "pegboard secret list --json"],
        load: async () => (await import("../commands/secret-list.ts")).secretList,
      },
      {
        name: "remove",
        usage: "pegboard secret remove",
        description: "Forget a secret",
        arguments: [{ name: "<name>", description: "its name" }],
        examples: ["pegboard secret remove github"],
        load: async () => (await import("../commands/secret-remove.ts")).secretRemove,
      },
    ],
  },
];

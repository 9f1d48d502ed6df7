import { resolve } from "node:path";
import { defineTool, fail, type Result, type Tool } from "@pegboard/contract";
import { PegboardError } from "../../core/error.ts";
import type { Judge } from "../../core/judge.ts";
import { compileShellPolicy, type ShellPolicy } from "../../tools/shell/decide.ts";
import { MAX_COMMAND, toVisible } from "../../tools/shell/present.ts";
import { ruleWarning } from "../../tools/shell/rules.ts";
import { shellEnvironment } from "./environment.ts";
import { createShellJudge, folderOf } from "./judge.ts";
import { toPlan } from "./plan.ts";
import { type RunOutcome, runSteps } from "./run-steps.ts";

/** How commands are run. */
export interface ShellOptions extends ShellPolicy {
  /** The folder that commands work in. */
  readonly root: string;
  /** For commands that ask for no other time; 30 seconds when absent, 300 at most. */
  readonly timeoutMs?: number;
  /** Variables of the host that commands see, besides the few that every program needs. */
  readonly env?: readonly string[];
  /** The command that runs a command confined. Rejects when it must not run. */
  confine?(argv: readonly string[], options: { readonly cwd: string }): Promise<readonly string[]>;
}

/** The tool that runs commands, and the rules for what it is given: register the one with the other. */
export interface Shell {
  readonly tools: readonly Tool[];
  readonly judge: Judge;
  /** What is odd about the rules, each with its rule. */
  readonly warnings: readonly { readonly message: string; readonly file?: string; readonly line?: number }[];
}

const DEFAULT_MS = 30_000;
const MOST_MS = 300_000;

/** Makes the tool `shell`. Throws `invalid_config` for a pattern that is not plain words, or an impossible time. */
export function createShell(options: ShellOptions): Shell {
  const policy = compileShellPolicy(options);
  const { timeoutMs = DEFAULT_MS } = options;
  if (!(timeoutMs > 0 && timeoutMs <= MOST_MS))
    throw new PegboardError(
      "invalid_config",
      `The time for commands must be more than 0 and at most ${MOST_MS / 1000} seconds`,
    );
  const root = resolve(options.root);
  return {
    tools: [shellTool({ ...options, root, timeoutMs })],
    judge: createShellJudge(policy, root),
    warnings: policy.rules.flatMap((rule) => {
      const message = ruleWarning(rule);
      return message === undefined ? [] : [{ message, ...rule.origin }];
    }),
  };
}

function shellTool({ root, timeoutMs, env = [], confine }: ShellOptions & { timeoutMs: number }): Tool {
  return defineTool({
    name: "shell",
    description:
      "Run a command in the workspace and get its exit code and output. Plain commands joined by && || ; | are checked one by one against the operator's rules; variables, redirections, loops and the like need approval. cd is understood at the beginning; cwd does the same",
    input: {
      type: "object",
      properties: {
        command: {
          type: "string",
          minLength: 1,
          maxLength: MAX_COMMAND,
          description: "The command, such as git status",
        },
        cwd: { type: "string", description: "The folder to run it in; absent is that of the session" },
        timeout: {
          type: "number",
          exclusiveMinimum: 0,
          maximum: MOST_MS / 1000,
          description: `Seconds; ${timeoutMs / 1000} when absent`,
        },
      },
      required: ["command"],
      additionalProperties: false,
    },
    output: OUTPUT,
    capabilities: ["process"],
    // Its own time ends before this one does.
    timeoutMs: MOST_MS + 10_000,
    summary: ({ command, cwd }) => `${cwd === undefined ? "" : `in ${toVisible(cwd)}: `}${toVisible(command)}`,
    async execute({ command, cwd, timeout }, { session, signal, progress }) {
      const variables = shellEnvironment(root, env);
      const seconds = timeout ?? timeoutMs / 1000;
      const { steps, folder } = toPlan(command, { root, folder: folderOf(root, session.cwd, cwd), env: variables });
      const outcome = await runSteps(steps, {
        cwd: folder,
        env: variables,
        signal,
        timeoutMs: seconds * 1000,
        confine: async (argv) => confine?.(argv, { cwd: folder }) ?? argv,
        onLine: (line) => progress(line),
      });
      if (outcome.ended === "cancelled") throw new PegboardError("cancelled", "The command was cancelled and ended");
      return outcome.ended === "timeout" ? toTimedOut(outcome, seconds) : toEnded(outcome);
    },
  });
}

const OUTPUT = {
  type: "object",
  properties: {
    exitCode: { type: "integer" },
    signal: { type: "string" },
    stdout: { type: "string" },
    stderr: { type: "string" },
    timedOut: { type: "boolean" },
    cut: { type: "boolean", description: "Whether there was more output than could be kept" },
  },
  required: ["exitCode", "stdout", "stderr", "timedOut", "cut"],
  additionalProperties: false,
} as const;

function toEnded(outcome: RunOutcome) {
  return {
    ok: true,
    content: [{ type: "text", text: describe(outcome) }],
    structured: toStructured(outcome, false),
    meta: { kind: "command", exitCode: outcome.code },
  };
}

function toTimedOut(outcome: RunOutcome, seconds: number): Result {
  const message = `The command did not end within ${seconds} seconds and was killed`;
  const { error } = fail("timeout", message, { retryable: true });
  return {
    ok: false,
    content: [{ type: "text", text: `${message}\n${toText(outcome)}`.trimEnd() }],
    structured: toStructured(outcome, true),
    error: error!,
    meta: { kind: "command" },
  };
}

function toStructured({ code, signal, stdout, stderr, dropped }: RunOutcome, timedOut: boolean) {
  return { exitCode: code, ...(signal && { signal }), stdout, stderr, timedOut, cut: dropped > 0 };
}

function describe(outcome: RunOutcome): string {
  const { code, signal } = outcome;
  const text = toText(outcome);
  if (code !== 0) return `[exit code ${code}${signal ? `, ${signal}` : ""}]\n${text}`.trimEnd();
  return text === "" ? "[no output]" : text;
}

function toText({ stdout, stderr, dropped }: RunOutcome): string {
  const parts = [
    stdout,
    ...(stderr === "" ? [] : [`[stderr]\n${stderr}`]),
    ...(dropped > 0 ? [`[${dropped} bytes of output were left out]`] : []),
  ];
  return parts
    .filter((part) => part !== "")
    .join("\n")
    .trimEnd();
}

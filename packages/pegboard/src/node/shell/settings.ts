import type { Approval } from "@pegboard/contract";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { parseDuration } from "../../core/duration.ts";
import { messageOf } from "../../core/error.ts";
import type { ShellPolicy } from "../../tools/shell/decide.ts";
import { exampleProblems, type RuleExamples } from "../../tools/shell/examples.ts";
import { compileRule, ruleWarning, type ShellRule } from "../../tools/shell/rules.ts";

/** `toolsets.shell` of a workspace, or `shell` of a person's own policy, as it is written. */
export interface WrittenShell {
  readonly default?: "ask" | "blocked";
  readonly rules?: readonly (RuleExamples & {
    readonly pattern: string;
    readonly approval: Approval;
    readonly unsafe?: boolean;
    readonly reason?: string;
  })[];
  readonly timeout?: number | string;
  readonly env?: readonly string[];
}

/** The same with the places of its rules. */
export interface ShellSettings extends ShellPolicy {
  readonly rules: readonly ShellRule[];
  readonly timeoutMs?: number;
  readonly env?: readonly string[];
}

/** What is written about commands. One rule that cannot be read takes all of it: a rule that blocks might be missing. */
export interface ReadShell {
  readonly settings?: ShellSettings;
  readonly diagnostics: readonly Diagnostic[];
}

const MOST_MS = 300_000;

/** Reads what is written about commands. `at` gives the line and column of a place below it. */
export function readShell(
  written: WrittenShell,
  file: string,
  at: (pointer: string) => { readonly line: number; readonly column: number },
): ReadShell {
  const { timeout, env } = written;
  const diagnostics: Diagnostic[] = [];
  const rules: ShellRule[] = [];
  for (const [index, { match, not_match, ...rule }] of (written.rules ?? []).entries()) {
    const place = { file, ...at(`/rules/${index}`) };
    rules.push({ ...rule, origin: { file, line: place.line } });
    try {
      const compiled = compileRule(rule);
      const warning = ruleWarning(compiled);
      if (warning !== undefined)
        diagnostics.push({ severity: "warning", code: "covers_less", message: warning, ...place });
      for (const problem of exampleProblems(compiled, { ...(match && { match }), ...(not_match && { not_match }) })) {
        const message = `a rule does not hold its examples: ${problem}`;
        diagnostics.push({ severity: "error", code: "example_failed", message, ...place });
      }
    } catch (error) {
      diagnostics.push({ severity: "error", code: "invalid_value", message: messageOf(error), ...place });
    }
  }
  const timeoutMs =
    typeof timeout === "string" ? parseDuration(timeout) : timeout === undefined ? undefined : timeout * 1000;
  if (timeoutMs !== undefined && timeoutMs > MOST_MS)
    diagnostics.push({
      severity: "error",
      code: "invalid_value",
      message: `a command gets at most ${MOST_MS / 1000} seconds`,
      file,
      ...at("/timeout"),
    });
  if (diagnostics.some(({ severity }) => severity === "error")) return { diagnostics };
  return {
    settings: {
      ...(written.default && { default: written.default }),
      rules,
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(env && { env }),
    },
    diagnostics,
  };
}

import { canonicalJson } from "../core/json.ts";
import type { Registry } from "../core/registry.ts";
import { type CheckedExample, checkExamples, describeRule, matchesTool, type Rule } from "../core/rule.ts";
import type { Inspection } from "./inspect.ts";
import { bareNameProblem } from "./rule-names.ts";

/** One rule, how its examples turned out, and what is odd about it. */
export interface TestedRule {
  readonly rule: string;
  readonly file?: string;
  readonly line?: number;
  readonly examples: readonly CheckedExample[];
  readonly warnings: readonly string[];
}

/** Tests the rules of all files against their own examples, with the tools that are loaded. */
export function testPolicy({ registry, files }: Inspection): TestedRule[] {
  const rules = files.flatMap(({ config }) => config?.policy.rules ?? []);
  // What was not looked into may well have the tools that a rule is for.
  const complete = files.every(
    ({ loaded, diagnostics }) => loaded && !diagnostics.some(({ severity }) => severity === "error"),
  );
  return rules.map((rule) => ({
    rule: describeRule(rule),
    ...rule.origin,
    examples: checkExamples(rule, (name) => registry.find(name)),
    warnings: [
      ...(complete ? idleWarnings(rule, registry) : []),
      ...[bareNameProblem(rule, registry)].filter((problem) => problem !== undefined),
      ...shadowWarnings(rule, rules),
    ],
  }));
}

function idleWarnings(rule: Rule, registry: Registry): string[] {
  return registry.list().some((registration) => matchesTool(rule, registration))
    ? []
    : ["it concerns none of the tools that are there"];
}

const STRICTNESS = ["preApproved", "ask", "blocked"];

// Of rules that name the same in the same words, the strictest decides: the others never do.
function shadowWarnings(rule: Rule, rules: readonly Rule[]): string[] {
  const strictness = (one: Rule) => STRICTNESS.indexOf(one.approval);
  const subject = subjectOf(rule);
  const above = rules.find(
    (other) => other !== rule && strictness(other) > strictness(rule) && subjectOf(other) === subject,
  );
  const { origin } = above ?? {};
  return above
    ? [
        `it never decides: ${describeRule(above)}${origin ? ` (${origin.file}:${origin.line})` : ""} is for the same calls and stricter`,
      ]
    : [];
}

function subjectOf({ tool, toolset, capability, agent, client, mode, input, digest }: Rule): string {
  return canonicalJson([tool, toolset, capability, agent, client, mode, input, digest].map((part) => part ?? null));
}

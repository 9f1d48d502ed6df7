import { decideCommand } from "./decide.ts";
import type { CompiledRule } from "./rules.ts";

/** Commands that a rule must decide about, and such that it must not. */
export interface RuleExamples {
  readonly match?: readonly string[];
  readonly not_match?: readonly string[];
}

/** What a rule does not hold of its own examples, each as it is decided by this rule alone, in a folder without files. */
export function exampleProblems(rule: CompiledRule, { match = [], not_match: others = [] }: RuleExamples): string[] {
  const decide = (example: string) => {
    const decided = decideCommand(example, { default: "ask", rules: [rule] });
    return { ...decided, matched: decided.rule === rule && decided.decision === rule.approval };
  };
  return [
    ...match.flatMap((example) => {
      const { matched, reason } = decide(example);
      return matched
        ? []
        : [`the example ${JSON.stringify(example)} is not matched, but \`match\` lists it: ${reason}`];
    }),
    ...others.flatMap((example) =>
      decide(example).matched ? [`the example ${JSON.stringify(example)} is matched, but \`not_match\` lists it`] : [],
    ),
  ];
}

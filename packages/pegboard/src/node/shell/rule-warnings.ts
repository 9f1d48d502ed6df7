import type { Diagnostic } from "../../core/diagnostic.ts";
import { matchesName } from "../../core/name.ts";
import type { Rule } from "../../core/rule.ts";

/** What a policy says about the tool `shell` that does not count, because its own rules decide what it is given. */
export function shellRuleWarnings(rules: readonly Rule[]): Diagnostic[] {
  const allowing = rules.filter(
    ({ tool, approval }) =>
      approval === "preApproved" && tool !== undefined && tool !== "*" && matchesName(tool, "shell"),
  );
  return allowing.flatMap(({ input, unsafe, origin }): Diagnostic[] => {
    const warning = { severity: "warning", code: "not_used", ...origin } as const;
    if (input)
      return [
        {
          ...warning,
          message: `comparing texts is not enough to allow commands, so this rule asks; write a pattern in toolsets.shell.rules`,
        },
      ];
    return unsafe
      ? []
      : [
          {
            ...warning,
            message: `this rule would allow every command, so it does not count; "unsafe: true" says that this is meant`,
          },
        ];
  });
}

import { describeDiagnostic } from "../../core/diagnostic.ts";
import { PegboardError } from "../../core/error.ts";
import { type Inspection, inspectWorkspace } from "../../node/inspect.ts";
import { type TestedRule, testPolicy } from "../../node/test-policy.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { toSettings } from "../settings.ts";
import { type Terminal, visible } from "../terminal.ts";

/** Tests every rule of the workspace's and the person's own policy against its examples. */
export async function policyTest({ options, terminal }: CommandInput): Promise<number> {
  const { workspace, home, trust } = toSettings(options);
  const inspection = await inspectWorkspace(workspace.value, {
    home: home.value,
    trust: trust.value,
    ...(options.hostTools && { hostTools: options.hostTools }),
  });
  refuseBrokenRules(inspection);
  const rules = testPolicy(inspection);
  const examples = rules.flatMap((rule) => rule.examples);
  const summary = {
    rules: rules.length,
    examples: examples.length,
    failed: examples.filter(({ holds }) => holds === false).length,
    unknown: examples.filter(({ holds }) => holds === undefined).length,
    warnings: rules.flatMap(({ warnings }) => warnings).length,
  };
  if (options.json) terminal.print(JSON.stringify({ rules: rules.map(toReport), summary }, null, 2));
  else {
    for (const rule of rules) terminal.print(describe(rule, terminal));
    terminal.print(
      `${summary.rules} rules, ${summary.examples} examples: ${summary.failed} failed, ${summary.unknown} could not be checked; ${summary.warnings} warnings`,
    );
  }
  const odd = options.strict === true && summary.unknown + summary.warnings > 0;
  return summary.failed > 0 || odd ? EXIT.failed : EXIT.done;
}

// Rules that cannot be read cannot be tested. An example that fails is what the test is for.
function refuseBrokenRules({ files }: Inspection): void {
  const broken = files.filter(
    ({ kind, config }) => kind !== "host-tools" && kind !== "tools" && (config === undefined || config.fatal),
  );
  const errors = broken.flatMap(({ diagnostics }) =>
    diagnostics.filter(
      ({ severity, code }) => severity === "error" && !["example_failed", "not_loaded", "missing"].includes(code),
    ),
  );
  if (errors.length > 0)
    throw new PegboardError(
      "invalid_config",
      `The policy cannot be read:\n${errors.map((error) => `  ${describeDiagnostic(error)}`).join("\n")}`,
    );
}

function toReport({ examples, ...rule }: TestedRule) {
  const outcome = (holds: boolean | undefined) => (holds === undefined ? "unknown" : holds ? "ok" : "failed");
  return {
    ...rule,
    examples: examples.map(({ expected, holds, ...example }) => ({
      ...example,
      expected: expected ? "match" : "not_match",
      outcome: outcome(holds),
    })),
  };
}

function describe({ rule, file, line, examples, warnings }: TestedRule, { style }: Terminal): string {
  const failed = examples.some(({ holds }) => holds === false);
  const count =
    examples.length === 0
      ? "no examples"
      : `${examples.filter(({ holds }) => holds).length} of ${examples.length} examples hold`;
  return [
    `${failed ? style("red", "failed") : style("green", "ok    ")}  ${visible(rule)}  ${style("dim", `${file === undefined ? "" : visible(`${file}:${line} `)}${count}`)}`,
    ...examples.flatMap(({ problem, holds }) =>
      problem === undefined ? [] : [`        ${holds === undefined ? "unknown" : "failed"}: ${visible(problem)}`],
    ),
    ...warnings.map((warning) => `        ${style("yellow", "warning")}: ${visible(warning)}`),
  ].join("\n");
}

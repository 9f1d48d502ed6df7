import { readFileSync } from "node:fs";
import type { Approval } from "@pegboard/contract";
import { describe, expect, test } from "vitest";
import { compileShellPolicy, decideCommand } from "../../src/tools/shell/decide.ts";

interface Case {
  readonly id: string;
  readonly class: string;
  readonly cmd?: string;
  readonly cmdGen?: { readonly pre: string; readonly rep: string; readonly n: number; readonly post: string };
  readonly expect: Approval;
  readonly alsoOk?: readonly Approval[];
  readonly rule?: string;
  readonly why: string;
}

const { cases } = JSON.parse(readFileSync(new URL("../corpora/shell-approvals.json", import.meta.url), "utf8")) as {
  readonly cases: readonly Case[];
};

const attacks = cases.filter((one) => one.expect !== "preApproved");
const controls = cases.filter((one) => one.expect === "preApproved");

describe("under a rule that allows git", () => {
  test.each(attacks.map((one) => [one.id, one.why, one] as const))("%s is never allowed: %s", (_, __, one) => {
    expect(decide(one)).toSatisfy((decision: Approval) => decision !== "preApproved");
  });

  test.each(attacks.filter((one) => one.expect === "blocked").map((one) => [one.id, one.why, one] as const))(
    "%s is refused, or at least asked about: %s",
    (_, __, one) => {
      expect([one.expect, ...(one.alsoOk ?? [])]).toContain(decide(one));
    },
  );

  test("at most two harmless commands raise a false alarm", () => {
    const alarms = controls.filter((one) => decide(one) !== "preApproved" && !one.alsoOk?.includes(decide(one)));
    expect(alarms.map(({ id }) => id).slice(2)).toEqual([]);
  });

  test("a command that may also ask is still allowed", () => {
    expect(controls.filter((one) => decide(one) !== "preApproved").map(({ id }) => id)).toEqual([]);
  });

  test("there are both attacks and harmless commands", () => {
    expect(attacks.length).toBeGreaterThan(90);
    expect(controls.length).toBeGreaterThan(15);
  });
});

function decide(one: Case): Approval {
  const policy = compileShellPolicy({
    default: "ask",
    rules: [{ pattern: one.rule ?? "git ", approval: "preApproved" }],
  });
  return decideCommand(textOf(one), policy).decision;
}

function textOf({ cmd, cmdGen }: Case): string {
  const text = cmd ?? `${cmdGen!.pre}${cmdGen!.rep.repeat(cmdGen!.n)}${cmdGen!.post}`;
  return text.replaceAll("{{P}}", "/tmp/canary/made").replaceAll("{{W}}", "/work").replaceAll("{{PORT401}}", "8401");
}

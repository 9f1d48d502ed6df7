import { expect, test } from "vitest";
import { parseAgentFile } from "../../src/agents/agent-file.ts";
import { Registry } from "../../src/core/registry.ts";
import { lintAgent } from "../../src/node/index.ts";
import corpus from "../corpora/agents.json" with { type: "json" };

interface Case {
  readonly id: string;
  readonly why: string;
  readonly text?: string;
  readonly gen?: { readonly pre: string; readonly rep: string; readonly n: number; readonly post: string };
  readonly expect: Outcome;
  readonly alsoOk?: readonly Outcome[];
}

type Outcome = "ok" | "warn" | "error";

const BOARD = new Registry();
for (const name of ["x", "read"])
  BOARD.register({ name, description: name, input: { type: "object" }, execute: () => name });

const CASES = corpus.cases as readonly Case[];

test.each(CASES)("$id: $why ($expect)", ({ text, gen, expect: expected, alsoOk = [] }) => {
  const source = text ?? gen!.pre + gen!.rep.repeat(gen!.n) + gen!.post;
  const file = "agents/good.md";
  const parsed = parseAgentFile(source, { file, name: "good" });
  const { agent } = parsed;
  const diagnostics = [...parsed.diagnostics, ...(agent ? lintAgent({ agent, file, text: source }, BOARD) : [])];
  const worst = diagnostics.find(({ severity }) => severity === "error") ?? diagnostics[0];
  const outcome: Outcome = worst === undefined ? "ok" : worst.severity === "error" ? "error" : "warn";

  expect([expected, ...alsoOk]).toContain(outcome);
  for (const diagnostic of diagnostics) {
    expect(diagnostic).toMatchObject({ file: "agents/good.md", line: expect.any(Number), message: expect.any(String) });
  }
  if (outcome === "error") expect(agent === undefined || hasNoTools(agent)).toBe(true);
  else expect(agent).toBeDefined();
  expect(Object.keys(Object.prototype)).toEqual([]);
});

const MEANINGS: Readonly<Record<string, object>> = {
  AM003: { name: "good", instructions: "You are x." },
  AM011: { tools: ["x"] },
  AM025: { name: "no" },
  AM037: { tools: ["read"] },
  AM038: { tools: [] },
  AM040: { tools: ["nosuch"] },
  AM043: { name: "a", tools: [] },
  AM058: { createdAt: "2024-01-01T00:00:00Z" },
  AM059: { description: "on" },
  AM060: { model: "1:30" },
  AM064: { instructions: "@../../../etc/passwd" },
};

test.each(Object.entries(MEANINGS))("%s is read as it is meant", (id, meant) => {
  const { text } = CASES.find((one) => one.id === id)!;
  expect(parseAgentFile(text!).agent).toMatchObject(meant);
});

function hasNoTools({ tools, promptTools, toolsets }: NonNullable<ReturnType<typeof parseAgentFile>["agent"]>) {
  return tools?.length === 0 && !promptTools && !toolsets;
}

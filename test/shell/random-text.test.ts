import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import {
  type CompiledShellPolicy,
  compileShellPolicy,
  decideCommand,
} from "../../packages/pegboard/src/tools/shell/decide.ts";
import { parseShell } from "../../packages/pegboard/src/tools/shell/syntax/parse.ts";
import { attack, hiding } from "./texts.ts";
import { ALLOWING, runInBash } from "./bash.ts";
import type { Witnessed } from "./inside/run-texts.ts";
import type { Start } from "./inside/witness.ts";

const ATTACKS = 20_000;
const HIDDEN = 2_000;

const seed = Number(process.env["PEGBOARD_SEED"] ?? Date.now() % 1_000_000);
const again = `to see this again: PEGBOARD_SEED=${seed}`;
let witnessed: readonly (readonly [string, Witnessed])[];

beforeAll(async () => {
  const texts = new Set([
    ...fc.sample(attack, { numRuns: ATTACKS, seed }),
    ...fc.sample(hiding("rm x"), { numRuns: HIDDEN, seed }),
  ]);
  const done = await runInBash([...texts]);
  witnessed = Array.from(texts, (text, index) => [text, done[index]!] as const);
});

test("whatever is allowed, a real bash starts exactly what was looked at, and changes no file", () => {
  const allowed = witnessed.filter(([text]) => decideCommand(text, ALLOWING).decision === "preApproved");
  const wrong = allowed.filter(([text, { starts, changed }]) => changed.length > 0 || !isAsLookedAt(text, starts));
  expect(wrong.slice(0, 10), again).toEqual([]);
  // A check that never gets to see anything allowed proves nothing.
  expect(allowed.length).toBeGreaterThan(3_000);
});

test("whatever a real bash starts, a rule that blocks it is found", () => {
  const started = witnessed.flatMap(([text, { starts }]) =>
    Array.from(new Set(starts.map(({ argv }) => argv[0]!)), (program) => ({ text, program })),
  );
  const missed = started.filter(
    // A variable takes letters out of braces behind it. Such a text asks, whoever it turns out to start.
    ({ text, program }) => decideCommand(text, blocking(program)).decision !== "blocked" && !/\$\w+\{/.test(text),
  );
  expect(missed.slice(0, 10), again).toEqual([]);
  expect(started.length).toBeGreaterThan(10_000);
});

/** Whether the programs that were started are those of the text as it was looked at, with the input that it gives them. */
function isAsLookedAt(text: string, starts: readonly Start[]): boolean {
  // The stubs succeed, so what waits for a failure waits in vain.
  const steps = parseShell(text).steps!.filter(({ when }) => when !== "failure");
  const expected = steps.flatMap(({ commands }) =>
    commands.map(({ argv, stdin }, place) => JSON.stringify([argv, stdin ?? (place === 0 ? "" : PIPED)])),
  );
  for (const { argv, stdin } of starts) {
    const at = [stdin, PIPED].map((input) => expected.indexOf(JSON.stringify([argv, input]))).find((one) => one >= 0);
    if (at === undefined) return false;
    expected.splice(at, 1);
  }
  return expected.length === 0;
}

/** Any input: what another program says is its own business. */
const PIPED = null;

function blocking(program: string): CompiledShellPolicy {
  const rules = [
    { pattern: "*", approval: "preApproved", unsafe: true },
    { pattern: program, approval: "blocked" },
  ] as const;
  return compileShellPolicy({ default: "ask", rules });
}

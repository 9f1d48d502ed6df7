import { mkdirSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { decideCommand } from "../../packages/pegboard/src/tools/shell/decide.ts";
import { attack } from "./texts.ts";
import { testSeed } from "../log/seed.ts";
import { makeHome } from "../sandbox/home.ts";
import { ALLOWING, makeStubs, RULES, runInBash } from "./bash.ts";
import { readStarts, type Start } from "./inside/witness.ts";

const CONFIG = `version: 1
sandbox: { mode: bubblewrap, required: true }
toolsets:
  shell: ${JSON.stringify({ default: "ask", rules: RULES, env: ["WITNESS"] })}
`;

/** What the tool answered and which programs were started for it. */
interface Done {
  readonly ok: boolean;
  readonly starts: readonly Start[];
  readonly result: unknown;
}

test("the tool starts what a real bash would, with the same input and output, and nothing that is not allowed", async () => {
  const seed = testSeed();
  const texts = Array.from(new Set(fc.sample(attack, { numRuns: 3_000, seed })));
  const isAllowed = (text: string) => decideCommand(text, ALLOWING).decision === "preApproved";
  // Those with pipes, redirections and several lines say most.
  const allowed = texts
    .filter(isAllowed)
    .sort((a, b) => signs(b) - signs(a))
    .slice(0, 250);
  const refused = texts.filter((text) => !isAllowed(text)).slice(0, 50);
  expect([allowed.length, refused.length]).toEqual([250, 50]);
  const run = await openShell();
  for (const [index, witnessed] of (await runInBash(allowed)).entries()) {
    const { starts, stdout, stderr, code } = witnessed;
    expect(await run(allowed[index]!), allowed[index]).toEqual({
      ok: true,
      starts,
      result: { exitCode: code, stdout, stderr: sorted(stderr), timedOut: false, cut: false },
    });
  }
  for (const text of refused) expect(await run(text), text).toMatchObject({ ok: false, starts: [] });
});

async function openShell(): Promise<(command: string) => Promise<Done>> {
  const home = makeHome({ "pegboard.yaml": CONFIG, "a.txt": "a\n", "b.txt": "b\n" });
  const witness = join(home.workspace, "witness");
  makeStubs(join(home.path, "bin"));
  const { PATH } = process.env;
  process.env["PATH"] = [join(home.path, "bin"), PATH].join(delimiter);
  process.env["WITNESS"] = witness;
  onTestFinished(() => {
    process.env["PATH"] = PATH;
    delete process.env["WITNESS"];
  });
  const workspace = await home.open();
  expect(workspace.diagnostics).toEqual([]);
  const session = workspace.open();
  return async (command) => {
    rmSync(witness, { recursive: true, force: true });
    mkdirSync(witness);
    const { ok, structured } = await session.call("shell", { command });
    const result = structured as { readonly stderr: string } | undefined;
    return { ok, starts: readStarts(witness), result: result && { ...result, stderr: sorted(result.stderr) } };
  };
}

// Programs of one pipeline complain at the same time.
function sorted(text: string): string[] {
  return text.split("\n").sort();
}

function signs(text: string): number {
  return text.match(/[|<>&;\n]/g)?.length ?? 0;
}

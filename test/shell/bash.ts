import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compileShellPolicy } from "../../packages/pegboard/src/tools/shell/decide.ts";
import { askConfined, makeFolder } from "./confinement.ts";
import type { Witnessed } from "./inside/run-texts.ts";
import { STUB } from "./inside/witness.ts";

/** What is allowed of the programs that there are stubs of. */
export const RULES = ["git ", "ls", "cat"].map((pattern) => ({ pattern, approval: "preApproved" as const }));

/** Asks about everything else. */
export const ALLOWING = compileShellPolicy({ default: "ask", rules: RULES });

const PROGRAMS = "git ls cat touch sh bash rm tee x a b env xargs npm node EOF".split(" ");

/** Makes a folder of programs that do nothing but write down how they were started. */
export function makeStubs(folder: string): void {
  mkdirSync(folder);
  for (const program of PROGRAMS) {
    writeFileSync(join(folder, program), STUB);
    chmodSync(join(folder, program), 0o755);
  }
}

/**
 * What a real bash does with texts, each in a folder of its own. It is confined and can start nothing but stubs. It knows
 * nothing of our parser, which is the point.
 */
export async function runInBash(texts: readonly string[]): Promise<readonly Witnessed[]> {
  using folder = makeFolder();
  makeStubs(join(folder.path, "bin"));
  return await askConfined<Witnessed[]>("run-texts", { texts }, folder.path);
}

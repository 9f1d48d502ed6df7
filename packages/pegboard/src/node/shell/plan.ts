import { statSync } from "node:fs";
import { resolve } from "node:path";
import { PegboardError } from "../../core/error.ts";
import { splitLead } from "../../tools/shell/lead.ts";
import { isBuiltin } from "../../tools/shell/program.ts";
import type { Step } from "../../tools/shell/syntax/command.ts";
import { parseShell } from "../../tools/shell/syntax/parse.ts";
import { findProgram } from "../find-program.ts";
import { fullPath, isBelow, realOf } from "./locate.ts";

/** What to run, and in which folder. */
export interface Plan {
  readonly steps: readonly Step[];
  readonly folder: string;
}

/** Where a command is to run. */
export interface PlanPlace {
  readonly root: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * How to run a command: what is plain as it was looked at, word for word; anything else was approved as text, and a shell
 * reads it. A `cd` at the beginning is where it runs: when it fails, so does all of it. Throws `invalid_input` for a folder
 * that is not there, `denied` for one that only turns out to be outside.
 */
export function toPlan(command: string, { root, folder, env }: PlanPlace): Plan {
  checkFolder(root, folder);
  const { steps } = parseShell(command);
  const { paths, rest } = splitLead(steps ?? []);
  const isProgram = ({ commands }: Step) => commands.every(({ argv }) => !isBuiltin(argv[0]!));
  if (steps && rest.every(isProgram) && staysInside(root, folder, paths))
    return { steps: rest, folder: paths.reduce((so, path) => enter(root, so, path), folder) };
  const bash = findProgram("bash", "/", env);
  const shell = "path" in bash ? [bash.path, "--noprofile", "--norc"] : ["/bin/sh"];
  const argv = [...shell, "-c", command];
  return { steps: [{ when: "always", commands: [{ argv, stdout: "out", stderr: "err" }] }], folder };
}

// A folder that says it is outside was approved as such; one that only turns out to be was not.
function checkFolder(root: string, folder: string): void {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new PegboardError("invalid_input", `There is no folder ${folder} to run the command in`);
  if (isBelow(folder, root) && !isBelow(realOf(folder) ?? folder, realOf(root) ?? root))
    throw new PegboardError("denied", `The folder ${folder} leads out of the workspace`);
}

function staysInside(root: string, folder: string, paths: readonly string[]): boolean {
  let at = folder;
  return paths.every((path) => isBelow((at = resolve(at, path)), root));
}

function enter(root: string, folder: string, path: string): string {
  const next = resolve(folder, path);
  checkFolder(root, next);
  if (realOf(next) === realOf(fullPath(folder, path))) return next;
  throw new PegboardError("invalid_input", `The path ${path} goes back from behind a link: name the folder itself`);
}

import type { Folder } from "./folder.ts";
import type { Step } from "./syntax/command.ts";

/** The changes of folder that a command begins with, one after the other, and what follows them. */
export interface Lead {
  readonly paths: readonly string[];
  readonly rest: readonly Step[];
}

/**
 * Splits off the `cd` that steps begin with. Only there is it sure to have happened before all that follows: whoever runs
 * the rest runs nothing when one of them fails.
 */
export function splitLead(steps: readonly Step[]): Lead {
  const paths: string[] = [];
  for (const [index, step] of steps.entries()) {
    const path = step.when === "failure" || steps[index + 1]?.when === "failure" ? undefined : pathOf(step);
    if (path === undefined) break;
    paths.push(path);
  }
  return { paths, rest: steps.slice(paths.length) };
}

/** The folder in which what follows would run; undefined when a path does not lead to a folder of the workspace. */
export function enterAll(folder: Folder, paths: readonly string[]): Folder | undefined {
  return paths.reduce<Folder | undefined>((so, path) => so?.enter(path), folder);
}

/** Where a step leads that is nothing but `cd` with one path. A dash is the folder before, or an option. */
function pathOf({ commands: [command, ...others] }: Step): string | undefined {
  if (others.length > 0 || command!.stdin !== undefined || command!.stdout !== "out" || command!.stderr !== "err")
    return undefined;
  const [program, path, ...more] = command!.argv;
  return program === "cd" && path !== undefined && more.length === 0 && /^[^-]/.test(path) ? path : undefined;
}

import { dirname } from "node:path";
import type { Capability, Json, ToolContext } from "@pegboard/contract";
import type { AnyTool } from "../core/registry.ts";
import { fromHostTool } from "../sources/host-tool.ts";
import type { HostCommandEntry, Placed } from "./config-file.ts";
import { minimalEnvironment, resolveReferences } from "./environment.ts";
import { findProgram } from "./find-program.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";

/** More than this on standard output ends the program. */
const MAX_OUTPUT = 16 * 1024 * 1024;

/** Where a program runs, and what it sees there. */
export interface CommandPlaces extends Pick<Sandbox, "command"> {
  /** Variables besides those of its entry, asked for at every call. */
  env?(): Readonly<Record<string, string>>;
  /** Folders that it may write; absent is its own. */
  readonly write?: readonly string[];
  /** What it may read wherever it lies. */
  readonly read?: readonly string[];
}

/**
 * A tool that is a program. It gets the input as JSON on its standard input, which is closed then, runs in the folder of
 * the file that names it, and answers with JSON on its standard output; what it writes to standard error is progress.
 * Its arguments are those of the file, never anything of the input.
 */
export function commandTool({ entry, file }: Placed<HostCommandEntry>, places: CommandPlaces): AnyTool {
  const { command, env = {}, ...definition } = entry;
  const cwd = dirname(file);
  const { write = [cwd], read = [] } = places;
  const capabilities = [...new Set<Capability>(["process", ...(definition.capabilities ?? [])])];

  async function run(input: Json, { signal, progress }: ToolContext): Promise<unknown> {
    // Most starts only list tools.
    const [{ runProcess }, { toCommandResult }] = await Promise.all([
      import("./process.ts"),
      import("./command-result.ts"),
    ]);
    const environment = minimalEnvironment({ ...resolveReferences(env), ...places.env?.() });
    const found = findProgram(command[0]!, cwd, environment);
    const program = "path" in found ? found.path : command[0]!;
    const argv = await places.command([program, ...command.slice(1)], { cwd, write, read });
    const outcome = await runProcess({
      argv: "path" in found ? argv : command,
      cwd,
      env: environment,
      stdin: JSON.stringify(input),
      signal,
      maxBytes: MAX_OUTPUT,
      overflow: "kill",
      onStderr: toLines(progress),
    });
    return toCommandResult(command, outcome);
  }

  return fromHostTool({ ...definition, capabilities, handler: run });
}

/** Hands on the last line of each chunk: whoever watches sees where the program is. */
function toLines(progress: ToolContext["progress"]): (chunk: Buffer) => void {
  return (chunk) => {
    const line = chunk.toString("utf8").trimEnd().split("\n").at(-1);
    if (line) progress(line);
  };
}

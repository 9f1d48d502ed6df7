import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Diagnostic } from "../packages/pegboard/src/core/diagnostic.ts";
import { readConfig, readHostTools, readPolicy } from "../packages/pegboard/src/node/config-file.ts";
import type { Block } from "./markdown.ts";

const REPOSITORY = resolve(import.meta.dirname, "..");
const COMMAND = join(REPOSITORY, "packages/pegboard/bin/pegboard.js");
const YAML = { config: readConfig, policy: readPolicy, "host-tools": readHostTools };

/** Somebody who works through one document from top to bottom, in a folder of their own. */
export interface Reader {
  /** Where they are now: `cd` in a shell block moves them. */
  readonly cwd: string;
  /** Does what a block asks for. Resolves to what is wrong with it, or to nothing. */
  follow(block: Block): Promise<string | undefined>;
}

/** Sends a reader to a new folder. Its parent must lead to the packages of the repository (`node_modules`). */
export function createReader(folder: string, home: string): Reader {
  let cwd = folder;
  let output = "";
  mkdirSync(folder, { recursive: true });
  const outer = Object.entries(process.env).filter(([name]) => !name.startsWith("PEGBOARD_"));
  const env = { ...Object.fromEntries(outer), PEGBOARD_HOME: home, NO_COLOR: "1" };

  const acts: Record<string, (block: Block) => string | undefined | Promise<string | undefined>> = {
    from: ({ text, marker }) => missingLine(text, readFileSync(join(REPOSITORY, marker!.path!), "utf8")),
    output: ({ text }) => missingLine(text, output.replaceAll(folder, "~")),
    file: ({ text, marker }) => void write(marker!.path!, text),
    config: (block) => checkYaml(block, "config"),
    policy: (block) => checkYaml(block, "policy"),
    "host-tools": (block) => checkYaml(block, "host-tools"),
    run: ({ language, text, line }) =>
      language === "sh" ? runLines(text) : runModule(write(`example-${line}.ts`, text)),
  };

  function write(path: string, text: string): string {
    const file = join(cwd, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  async function checkYaml({ text, line }: Block, kind: keyof typeof YAML): Promise<string | undefined> {
    const { diagnostics } = await YAML[kind](write(`example-${line}.yaml`, text));
    return diagnostics.map(({ line: at, message }: Diagnostic) => `line ${at}: ${message}`).join("\n") || undefined;
  }

  async function runModule(file: string): Promise<string | undefined> {
    const done = await run(process.execPath, ["--conditions=pegboard:source", file], { cwd, env });
    output = done.output;
    return done.code === 0 ? undefined : output;
  }

  async function runLines(text: string): Promise<string | undefined> {
    for (const line of text.split("\n").filter((one) => one !== "" && !one.startsWith("#"))) {
      const moved = /^cd (\S+)$/.exec(line)?.[1];
      if (moved !== undefined) {
        cwd = join(cwd, moved);
        continue;
      }
      const expected = Number(/# exits with (\d+)$/.exec(line)?.[1] ?? 0);
      const shell = `pegboard() { "${process.execPath}" "${COMMAND}" "$@"; }; ${line}`;
      const done = await run("sh", ["-c", shell], { cwd, env });
      output = done.output;
      if (done.code !== expected) return `${line}\nexits with ${String(done.code)}:\n${output}`;
    }
    return undefined;
  }

  return {
    get cwd() {
      return cwd;
    },
    async follow(block) {
      const act = block.marker && acts[block.marker.kind];
      if (block.marker && !act) return `"${block.marker.kind}" is no marker; there are ${Object.keys(acts).join(", ")}`;
      return act?.(block);
    },
  };
}

/** The first line of a text that does not stand in the whole, behind those before it. Blanks around it do not count. */
function missingLine(text: string, whole: string): string | undefined {
  const lines = whole.split("\n").map((line) => line.trim());
  let at = 0;
  for (const line of text
    .split("\n")
    .map((one) => one.trim())
    .filter(Boolean)) {
    const found = lines.indexOf(line, at);
    if (found < 0) return `this line is not there: ${line}\n${whole}`;
    at = found + 1;
  }
  return undefined;
}

const execute = promisify(execFile);

async function run(file: string, args: readonly string[], options: { cwd: string; env: NodeJS.ProcessEnv }) {
  try {
    const { stdout, stderr } = await execute(file, args, { ...options, timeout: 15_000 });
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string };
    return { code, output: stdout + stderr };
  }
}

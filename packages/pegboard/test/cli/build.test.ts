import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makePlace } from "./run.ts";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");
const VITE = join(ROOT, "node_modules/vite/bin/vite.js");

/** The package as it is published, and as an install has it. */
let installed: string;

beforeAll(async () => {
  const modules = join(realpathSync(mkdtempSync(join(tmpdir(), "pegboard-build-"))), "node_modules");
  installed = join(modules, "pegboard");
  for (const part of ["package.json", "bin", "pegboard.schema.json"])
    cpSync(join(ROOT, "packages/pegboard", part), join(installed, part), { recursive: true });
  for (const name of namesIn(join(ROOT, "node_modules"))) link(join(ROOT, "node_modules", name), join(modules, name));
  await build("contract", join(modules, "@pegboard/contract"), "dist");
  cpSync(join(ROOT, "packages/contract/package.json"), join(modules, "@pegboard/contract/package.json"));
  await build("pegboard", installed, "build");
  await node(VITE, "build", installed, "--config", join(ROOT, "packages/pegboard/vite.config.ts"), "--logLevel=error");
  rmSync(join(installed, "build"), { recursive: true });
}, 120_000);

afterAll(() => rmSync(dirname(dirname(installed)), { recursive: true, force: true }));

test("the build makes a workspace, and calls a tool of it in a process of its own", async () => {
  const place = makePlace({}, { trust: true });
  const env = { ...process.env, PEGBOARD_HOME: place.home, NODE_OPTIONS: "" };
  const run = (...argv: string[]) =>
    promisify(execFile)(process.execPath, [join(installed, "bin/pegboard.js"), ...argv], { cwd: place.folder, env });
  await run("init");
  expect(place.read("pegboard.yaml")).toContain(`$schema=${join(installed, "pegboard.schema.json")}`);
  const { stdout } = await run("call", "hello", "name=world", "--approve", "all");
  expect(stdout).toContain("Hello, world!");
});

test("the build exports what the source does", async () => {
  const { exports } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as {
    exports: Record<string, { "pegboard:source": string; default: string }>;
  };
  for (const entry of Object.values(exports)) {
    const source = await namesOf(
      join(ROOT, "packages/pegboard", entry["pegboard:source"]),
      "--conditions=pegboard:source",
    );
    expect(await namesOf(join(installed, entry.default))).toEqual(source);
  }
});

test("what of the build is for browsers loads no module of Node", () => {
  const entries = ["index.js", "ai-sdk.js", "mcp.js", "http.js", "acp.js", "client/index.js"];
  const loaded = loadedBy(entries, /(?:from |import\(|^import )"([^"]+)"/gm);
  expect(loaded).toContain("@pegboard/contract");
  expect(loaded.filter(isBuiltin)).toEqual([]);
});

test("what every command loads of the build has neither YAML nor a workspace in it", () => {
  const loaded = loadedBy(["cli/main.js"], /(?:from |^import )"([^"]+)"/gm);
  expect(loaded).toContain("commander");
  expect(loaded.filter((name) => /^yaml$|workspace/.test(name))).toEqual([]);
});

/** What these files of the build load, however far: files by their paths, which begin with a dot, modules by their names. */
function loadedBy(entries: readonly string[], reference: RegExp): string[] {
  const seen = new Set(entries.map((entry) => `./${entry}`));
  for (const name of seen) {
    if (!name.startsWith(".")) continue;
    const text = readFileSync(join(installed, "dist", name), "utf8");
    for (const [, specifier = ""] of text.matchAll(reference))
      seen.add(specifier.startsWith(".") ? `./${join(dirname(name), specifier)}` : specifier);
  }
  return [...seen];
}

async function build(name: string, folder: string, code: string): Promise<void> {
  const places = ["--outDir", join(folder, code), "--declarationDir", join(folder, "dist")];
  // Without what the other package's build would say of it.
  const alone = ["--composite", "false", "--declaration", "--customConditions", "pegboard:source"];
  await node(TSC, "-p", join(ROOT, "packages", name), ...places, ...alone);
}

async function node(...argv: string[]): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: "" };
  return (await promisify(execFile)(process.execPath, argv, { env })).stdout;
}

async function namesOf(file: string, ...flags: string[]): Promise<string> {
  return node(
    ...flags,
    "-e",
    `import(${JSON.stringify(file)}).then((all) => console.log(Object.keys(all).sort().join()))`,
  );
}

function namesIn(modules: string): string[] {
  const names = readdirSync(modules).filter((name) => !name.startsWith(".") && name !== "pegboard");
  return names.flatMap((name) =>
    name.startsWith("@")
      ? readdirSync(join(modules, name)).flatMap((part) => (name === "@pegboard" ? [] : `${name}/${part}`))
      : name,
  );
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

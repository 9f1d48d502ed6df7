import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";

const run = promisify(execFile);
const resolveSelfUrl = new URL("../../src/node/resolve-self.ts", import.meta.url).href;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "pegboard-resolve-"));
});
afterEach(() => rm(folder, { recursive: true }));

test.each(["pegboard", "@pegboard/contract"])("a tool module in a folder of its own imports %s", async (name) => {
  await write(
    "tools/hello.ts",
    `import { defineTool } from "${name}"; export const value: string = typeof defineTool;`,
  );
  expect(await load("tools/hello.ts")).toEqual({ value: "function" });
});

test("a tool module imports a subpath of pegboard", async () => {
  await write("tools/hello.ts", `export const value: string = import.meta.resolve("pegboard/testing");`);
  const expected = new URL("../../src/testing/index.ts", import.meta.url).href;
  expect(await load("tools/hello.ts")).toEqual({ value: expected });
});

test("a pegboard that is installed beside the module wins", async () => {
  await write(
    "node_modules/pegboard/package.json",
    `{ "name": "pegboard", "type": "module", "exports": "./index.js" }`,
  );
  await write("node_modules/pegboard/index.js", `export const value = "installed";`);
  await write("tools/hello.ts", `export { value } from "pegboard";`);
  expect(await load("tools/hello.ts")).toEqual({ value: "installed" });
});

test.each(["pegboard-extra", "@pegboard/console", "yaml"])(
  "%s stays unknown: only our own packages are lent",
  async (name) => {
    await write("tools/hello.ts", `import "${name}";`);
    expect(await load("tools/hello.ts")).toEqual({ error: "ERR_MODULE_NOT_FOUND" });
  },
);

test("without it, nothing is found", async () => {
  await write("tools/hello.ts", `import "@pegboard/contract";`);
  expect(await load("tools/hello.ts", "")).toEqual({ error: "ERR_MODULE_NOT_FOUND" });
});

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

/** What the module exports, or the code of the error, in a Node process of its own that called `resolveSelf` twice. */
async function load(path: string, before = "resolveSelf(); resolveSelf();"): Promise<unknown> {
  const script = `
    import { resolveSelf } from ${JSON.stringify(resolveSelfUrl)};
    ${before}
    const loading = import(${JSON.stringify(pathToFileURL(join(folder, path)).href)});
    console.log(JSON.stringify(await loading.catch((error) => ({ error: error.code }))));
  `;
  const flags = ["--conditions=pegboard:source", "--input-type=module", "--eval", script];
  const { stdout } = await run(process.execPath, flags, { cwd: folder });
  return JSON.parse(stdout);
}

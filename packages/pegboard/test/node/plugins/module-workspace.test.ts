import { appendFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeFolder } from "../workspace-folder.ts";
import { handler, module, text } from "./module-files.ts";

describe("a module of a workspace", () => {
  test("is listed and not run before the workspace is trusted, nor when it is switched off", async () => {
    const folder = makeFolder();
    const mark = join(folder.path, "ran");
    folder.write(
      "plugins/p/index.js",
      module(
        "p",
        "register() {}",
        `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(mark)}, "");`,
      ),
    );
    const workspace = await folder.open({ trust: false });
    expect(workspace.plugins.list()).toMatchObject([
      { name: "p", status: "disabled", reason: "the workspace is not trusted" },
    ]);
    expect(await workspace.plugins.enable("p")).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("has not been run"),
    });
    folder.write("pegboard.yaml", "version: 1\nplugins: { disabled: [p] }\n");
    expect((await folder.open()).plugins.get("p")).toMatchObject({ status: "disabled" });
    expect(existsSync(mark)).toBe(false);
    folder.write("pegboard.yaml", "version: 1\n");
    await folder.open();
    expect(existsSync(mark)).toBe(true);
  });

  test("runs in this process when the operator trusts it", async () => {
    const folder = makeFolder({
      "pegboard.yaml": "version: 1\nplugins: { trusted: [p] }\n",
      "plugins/p/index.js": module("p", `tools: [${handler("pid", "return String(process.pid)")}]`),
    });
    expect(await text(await folder.open(), "p__pid")).toBe(String(process.pid));
  });

  test("takes up a change of what it imports in this process too, of either kind of module", async () => {
    const folder = makeFolder({
      "pegboard.yaml": "version: 1\nplugins: { trusted: [esm, cjs] }\n",
      "plugins/esm/index.js": module(
        "esm",
        `tools: [${handler("t", `return word + (await import("./later.js")).word`)}]`,
        `import { word } from "./lib/word.js";`,
      ),
      "plugins/esm/lib/word.js": `export { word } from "../deep.js";`,
      "plugins/esm/deep.js": `import { kept } from "kept"; export const word = "one" + kept;`,
      "plugins/esm/later.js": `export const word = " later";`,
      "plugins/esm/node_modules/kept/package.json": `{ "type": "module", "exports": "./index.js" }`,
      "plugins/esm/node_modules/kept/index.js":
        "export const kept = (globalThis.keptCount = (globalThis.keptCount ?? 0) + 1);",
      "plugins/cjs/package.json": `{ "main": "main.cjs" }`,
      "plugins/cjs/main.cjs": `exports.plugin = { name: "cjs", version: "1.0.0", tools: [${handler("t", `return require("./word.cjs")`)}] };`,
      "plugins/cjs/word.cjs": `module.exports = "one";`,
    });
    const workspace = await folder.open();
    const said = async () => [await text(workspace, "esm__t"), await text(workspace, "cjs__t")];
    expect(await said()).toEqual(["one1 later", "one"]);
    folder.write("plugins/esm/deep.js", `import { kept } from "kept"; export const word = "another" + kept;`);
    folder.write("plugins/cjs/word.cjs", `module.exports = "another";`);
    await workspace.reload();
    expect(await said()).toEqual(["another1 later", "another"]);
    expect(workspace.diagnostics).toEqual([]);
  });

  test("can be the one that its package.json names, also of CommonJS and behind a promise", async () => {
    const body = `{ name: "NAME", version: "1.0.0", tools: [${handler("t", `return "NAME"`)}] }`;
    const folder = makeFolder({
      "plugins/esm/package.json": `{ "version": "2.0.0", "type": "module", "exports": { ".": { "import": "./lib/main.js" } } }`,
      "plugins/esm/lib/main.js": `export default Promise.resolve(${body.replaceAll("NAME", "esm")});`,
      "plugins/esm/index.js": "throw new Error('not this one');",
      "plugins/cjs/package.json": `{ "main": "main.cjs" }`,
      "plugins/cjs/main.cjs": `exports.plugin = ${body.replaceAll("NAME", "cjs")};`,
      "plugins/none/package.json": "{}",
      "plugins/out/package.json": `{ "main": "../esm/index.js" }`,
    });
    const workspace = await folder.open();
    expect([await text(workspace, "esm__t"), await text(workspace, "cjs__t")]).toEqual(["esm", "cjs"]);
    expect(workspace.diagnostics.map(({ message }) => message)).toEqual([
      expect.stringContaining("there is no module"),
      expect.stringContaining("../esm/index.js"),
    ]);
  });

  test("that is edited is another on the next reload, also behind a link; one that broke leaves the old one", async () => {
    const folder = makeFolder({ "plugins/keep/index.js": module("keep", "register() {}") });
    const elsewhere = join(folder.path, "..", "linked");
    const says = (word: string) =>
      module("linked", `tools: [${handler("t", "return word")}]`, `import { word } from "./word.js";`) + `// ${word}\n`;
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, "word.js"), `export const word = "one";`);
    writeFileSync(join(elsewhere, "index.js"), says("one"));
    symlinkSync(elsewhere, join(folder.path, "plugins/linked"));
    const workspace = await folder.open();
    expect(await text(workspace, "linked__t")).toBe("one");
    writeFileSync(join(elsewhere, "word.js"), `export const word = "another";`);
    await workspace.reload();
    expect(await text(workspace, "linked__t")).toBe("another");
    appendFileSync(join(elsewhere, "index.js"), "export const = 1;");
    await workspace.reload();
    expect(workspace.diagnostics).toMatchObject([{ message: expect.stringContaining(join(elsewhere, "index.js")) }]);
    expect(await text(workspace, "linked__t")).toBe("another");
    writeFileSync(join(elsewhere, "index.js"), says("mended").replace("return word", `return word + " mended"`));
    await workspace.reload();
    expect(await text(workspace, "linked__t")).toBe("another mended");
    expect(workspace.diagnostics).toEqual([]);
  });
});

import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { checkDependencies, checkImports, type Manifest, type Sources } from "./architecture.ts";

const contract = read("packages/contract/src/**/*.ts");
const product = read("packages/pegboard/src/**/*.ts");

describe("the repository", () => {
  test("imports only what the architecture allows", () => {
    expect(product.size).toBeGreaterThan(0);
    expect(checkImports(new Map([...contract, ...product]))).toEqual([]);
  });

  test("has a contract that depends on nothing", () => {
    expect(contract.size).toBeGreaterThan(0);
    expect(checkDependencies(contract, manifest("packages/contract/package.json"))).toEqual([]);
    expect(Object.keys(manifest("packages/contract/package.json"))).not.toContain("dependencies");
  });

  test("declares every package it imports, and no other", () => {
    expect(checkDependencies(product, manifest("packages/pegboard/package.json"))).toEqual([]);
  });
});

describe("the checker finds", () => {
  test("a folder that imports a folder it may not", () => {
    expect(check({ "core/a.ts": `import { b } from "../stores/b.ts";`, "stores/b.ts": "" })).toEqual([
      "packages/pegboard/src/core/a.ts:1 may not import stores/b.ts",
    ]);
  });

  test.each([
    `import type { B } from "../core/b.ts";`,
    `import { type B } from "../core/b.ts";`,
    `type B = import("../core/b.ts").B;`,
    `let b: typeof import("../core/b.ts");`,
    `import type b = require("../core/b.ts");`,
    `import b = require("../core/b.ts");`,
    `export * from "../core/b.ts";`,
    `export { b } from "../core/b.ts";`,
    `export type { B } from "../core/b.ts";`,
    `await import("../core/b.ts");`,
    "await import(`../core/b.ts`);",
    `const b = require("../core/b.ts");`,
    `const load = createRequire(import.meta.url); load("../core/b.ts");`,
    `module.createRequire(import.meta.url)("../core/b.ts");`,
    `require.resolve("../core/b.ts");`,
    `import.meta.resolve("../core/b.ts");`,
  ])("a wrong import in the form %s", (text) => {
    expect(check({ "cli/a.ts": text, "core/b.ts": "" })).toEqual([
      "packages/pegboard/src/cli/a.ts:1 may not import core/b.ts",
    ]);
  });

  test.each([`import "node:fs";`, `import fs from "fs";`, `import type { Stats } from "node:fs";`])(
    "a module of Node outside node and cli: %s",
    (text) => {
      expect(check({ "core/a.ts": text })).toEqual([expect.stringContaining("must run in a browser too")]);
      expect(check({ "node/a.ts": text, "cli/a.ts": text })).toEqual([]);
    },
  );

  test("a module of Node that is asked of the process", () => {
    expect(check({ "core/a.ts": `process.getBuiltinModule("fs");` })).toHaveLength(1);
  });

  test.each(["import(name);", "require(name);", "import.meta.resolve(name);", "import(`./${name}.ts`);"])(
    "an import outside node that only the running program could name: %s",
    (text) => {
      expect(check({ "cli/a.ts": text })).toEqual([expect.stringContaining("only src/node may")]);
      expect(check({ "node/a.ts": text })).toEqual([]);
    },
  );

  test("a cycle, also one of types alone", () => {
    const a = `import type { B } from "./b.ts";`;
    const b = `import type { C } from "./c.ts";`;
    expect(check({ "core/a.ts": a, "core/b.ts": b, "core/c.ts": `import type { A } from "./a.ts";` })).toEqual([
      "a cycle: core/a.ts → core/b.ts → core/c.ts → core/a.ts",
    ]);
    expect(check({ "core/a.ts": a, "core/b.ts": b, "core/c.ts": "" })).toEqual([]);
  });

  test("a file that imports itself", () => {
    expect(check({ "core/a.ts": `import "./a.ts";` })).toEqual(["a cycle: core/a.ts → core/a.ts"]);
  });

  test("a second home of a third-party package", () => {
    const text = `import Ajv from "ajv/dist/2020.js";`;
    expect(check({ "core/schema.ts": text })).toEqual([]);
    expect(check({ "core/schema.ts": text, "core/schema-cache.ts": text })).toEqual([
      "ajv has more than one home: core/schema.ts, core/schema-cache.ts",
    ]);
  });

  test("a third-party package outside its home, and one without a home", () => {
    expect(check({ "core/a.ts": `import { Command } from "commander";` })).toHaveLength(1);
    expect(check({ "cli/a.ts": `import { Command } from "commander";` })).toEqual([]);
    expect(check({ "cli/a.ts": `import type { X } from "@left/pad/x";` })).toEqual([
      "@left/pad is imported by cli/a.ts and has no home in test/architecture.ts",
    ]);
  });

  test("a value where only types are allowed", () => {
    const runtime = { "runtime.ts": "" };
    expect(check({ ...runtime, "transports/a.ts": `import type { B } from "../runtime.ts";` })).toEqual([]);
    expect(check({ ...runtime, "transports/a.ts": `import { type B } from "../runtime.ts";` })).toHaveLength(1);
  });

  test("a part of the command line that takes what no entry exports", () => {
    const files = { "stores/b.ts": "", "node/index.ts": `export { type A, b as c } from "../stores/b.ts";` };
    const published = `import { type A, b as d } from "../stores/b.ts";`;
    expect(check({ ...files, "cli/a.ts": published })).toEqual([]);
    expect(check({ ...files, "core/a.ts": published })).toHaveLength(1);
    expect(check({ ...files, "cli/a.ts": `import { b, e } from "../stores/b.ts";` })).toHaveLength(1);
    expect(check({ ...files, "cli/a.ts": `import * as all from "../stores/b.ts";` })).toHaveLength(1);
    expect(check({ ...files, "cli/a.ts": `import "../stores/b.ts";` })).toHaveLength(1);
  });

  test("a file of node that composes the runtime, though only the entries may", () => {
    const text = `import { createRuntime } from "../runtime.ts";`;
    expect(check({ "runtime.ts": "", "node/workspace.ts": text })).toEqual([]);
    expect(check({ "runtime.ts": "", "node/files.ts": text })).toHaveLength(1);
  });

  test("a contract that imports anything", () => {
    const file = "packages/contract/src/tool.ts";
    expect(checkImports(new Map([[file, `import type { Ajv } from "ajv";`]]))).toHaveLength(1);
    expect(checkImports(new Map([[file, `import "@pegboard/contract";`]]))).toHaveLength(1);
    expect(checkImports(new Map([[file, `import "../../pegboard/src/index.ts";`]]))).toHaveLength(1);
  });

  test("a path into another package, a path to nowhere, and a folder that is in no table", () => {
    const sources = new Map([
      ["packages/contract/src/tool.ts", ""],
      ["packages/pegboard/src/core/a.ts", `import "../../../contract/src/tool.ts"; import "@pegboard/contract";`],
    ]);
    expect(checkImports(sources)).toEqual([expect.stringContaining("packages import each other by name")]);
    expect(check({ "core/a.ts": `import "../../package.json";` })).toHaveLength(1);
    expect(check({ "misc/a.ts": `import "@pegboard/contract";` })).toHaveLength(1);
  });

  test("a package that is imported and not declared, and one that is declared and not imported", () => {
    const sources = inProduct({ "core/a.ts": `import "ajv/dist/2020.js"; import "node:fs"; import "./b.ts";` });
    expect(checkDependencies(sources, { dependencies: { ajv: "8" } })).toEqual([]);
    expect(checkDependencies(sources, { dependencies: { yaml: "2" } })).toEqual([
      "ajv is imported and not declared",
      "yaml is declared and never imported",
    ]);
  });

  test("a file that cannot be parsed", () => {
    expect(() => check({ "core/a.ts": "import {" })).toThrow(SyntaxError);
  });
});

function check(files: Record<string, string>): string[] {
  return checkImports(inProduct(files));
}

function inProduct(files: Record<string, string>): Sources {
  return new Map(Object.entries(files).map(([path, text]) => [`packages/pegboard/src/${path}`, text]));
}

function read(pattern: string): Sources {
  return new Map(globSync(pattern).map((file) => [file, readFileSync(file, "utf8")]));
}

function manifest(path: string): Manifest {
  return JSON.parse(readFileSync(path, "utf8")) as Manifest;
}

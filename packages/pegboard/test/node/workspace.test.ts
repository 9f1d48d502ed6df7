import { existsSync, readFileSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { type ApprovalRequest, createRuntime } from "../../src/index.ts";
import { makeFolder } from "./workspace-folder.ts";

const HELLO = `
import { defineTool } from "pegboard";
export const hello = defineTool({
  name: "hello", description: "Greets", capabilities: ["read"],
  input: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  execute: ({ name }) => \`Hello, \${name}!\`,
});
export const notATool = 5;
`;

const MATH = `
export function add({ a, b }) { return a + b; }
export const addSchema = { type: "object", description: "Adds two numbers", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] };
export async function later({ a }) { return a; }
export const laterSchema = { type: "object", properties: { a: { type: "number" } } };
export const whole = { name: "whole", description: "A whole tool", input: { type: "object" }, execute: (input, { callId, session }) => ({ callId, cwd: session.cwd }) };
export const sdk = { description: "An AI SDK tool", inputSchema: { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }), jsonSchema: { input: () => ({ type: "object" }) } } }, execute: () => "sdk" };
export function bare() {}
export function wrong() {}
export const wrongSchema = 5;
`;

const text = (result: { content: readonly unknown[] }) => (result.content[0] as { text: string }).text;

describe("a workspace", () => {
  test("has every exported tool of its tools folder", async () => {
    const workspace = await makeFolder({ "tools/hello.ts": HELLO }).open();
    const session = workspace.open();
    expect(session.list().find(({ name }) => name === "hello")).toMatchObject({
      layer: "user",
      source: { kind: "file", id: "hello", file: expect.stringContaining("tools/hello.ts") },
      approval: "preApproved",
    });
    expect(text(await session.call("hello", { name: "you" }))).toBe("Hello, you!");
    expect(workspace.diagnostics).toEqual([]);
  });

  test("A1-16 a local module gives functions with their schemas and whole tools, sync and async", async () => {
    const folder = makeFolder({
      "lib/math.mjs": MATH,
      "pegboard.yaml":
        "version: 1\ntoolsets:\n  math: { module: ./lib/math.mjs, tools: [add, later, whole, sdk], approval: preApproved }\n",
    });
    const session = (await folder.open()).open();
    expect((await session.call("math__add", { a: 1, b: 2 })).structured).toBe(3);
    expect((await session.call("math__later", { a: 4 })).structured).toBe(4);
    expect((await session.call("math__whole", {}, { id: "c" })).structured).toEqual({ callId: "c", cwd: folder.path });
    expect(text(await session.call("math__sdk"))).toBe("sdk");
    expect(session.list().find(({ name }) => name === "math__add")).toMatchObject({
      description: "Adds two numbers",
      source: { kind: "module", id: "math" },
    });
  });

  test.each([
    [
      "an export that is not there",
      "tools: [nosuch, add]",
      /nosuch: There is no export named "nosuch"; available: add, addSchema/,
    ],
    [
      "a function without a schema",
      "tools: [bare, add]",
      /bare: The function "bare" has no schema: export one as "bareSchema"/,
    ],
    ["a schema that is none", "tools: [wrong, add]", /wrong: .*schema/i],
  ])("A1-17 %s is reported, and the others load", async (_, entry, message) => {
    const workspace = await makeFolder({
      "math.mjs": MATH,
      "pegboard.yaml": `version: 1\ntoolsets:\n  math: { module: ./math.mjs, ${entry} }\n`,
    }).open();
    expect(workspace.diagnostics).toMatchObject([
      { severity: "error", code: "not_loaded", message: expect.stringMatching(message), line: 3 },
    ]);
    expect(workspace.tools.get("math__add")).toBeDefined();
  });

  test("A1-17 a module that throws when it is imported is reported in its own words", async () => {
    const workspace = await makeFolder({
      "tools/bad.mjs": `throw new Error("the moon is full");`,
      "tools/hello.ts": HELLO,
    }).open();
    expect(workspace.diagnostics).toMatchObject([
      { message: expect.stringContaining("the moon is full"), file: expect.stringContaining("bad.mjs") },
    ]);
    expect(workspace.tools.get("hello")).toBeDefined();
  });

  test("A1-18 only the exports on the list become tools", async () => {
    const workspace = await makeFolder({
      "math.mjs": MATH,
      "pegboard.yaml": "version: 1\ntoolsets:\n  math: { module: ./math.mjs, tools: [add] }\n",
    }).open();
    expect(workspace.tools.names().filter((name) => name.startsWith("math__"))).toEqual(["math__add"]);
  });

  test("A1-18 an npm package loads the same way, from a folder of its own or the workspace's", async () => {
    const files = {
      "node_modules/@acme/kit/package.json": `{"name":"@acme/kit","type":"module","exports":{".":{"import":"./index.js"},"./more":{"import":"./more.js"}}}`,
      "node_modules/@acme/kit/index.js": `export const makeTools = async (options) => ({ tools: { shout: { description: "Shouts", parameters: { jsonSchema: { type: "object", properties: { text: { type: "string" } } }, validate: undefined, [Symbol.for("vercel.ai.schema")]: true }, execute: ({ text }) => text.toUpperCase() + options.mark } } });`,
      "node_modules/@acme/kit/more.js": MATH,
      ".pegboard/packages/solo/node_modules/solo/package.json": `{"name":"solo","type":"module","main":"index.js"}`,
      ".pegboard/packages/solo/node_modules/solo/index.js": `export default { one: { name: "one", description: "One", input: { type: "object" }, execute: () => 1 } };`,
      "pegboard.yaml": `version: 1
toolsets:
  kit: { package: "@acme/kit", import: makeTools, call: [{ mark: "!" }], select: tools, approval: preApproved }
  more: { package: "@acme/kit/more", tools: [add], approval: preApproved }
  solo: { package: solo, approval: preApproved }
`,
    };
    const workspace = await makeFolder(files).open();
    expect(workspace.diagnostics).toEqual([]);
    const session = workspace.open();
    expect(text(await session.call("kit__shout", { text: "hi" }))).toBe("HI!");
    expect((await session.call("more__add", { a: 2, b: 3 })).structured).toBe(5);
    expect((await session.call("solo__one")).structured).toBe(1);
  });

  test("A1-18 a package that is not installed is an error with the command that installs it", async () => {
    const workspace = await makeFolder({
      "pegboard.yaml": `version: 1\ntoolsets:\n  exa: { package: "@exalabs/ai-sdk", import: webSearch }\n`,
    }).open();
    expect(workspace.diagnostics[0]?.message).toMatch(
      /"@exalabs\/ai-sdk" is not installed. Install it with: npm install --prefix .*\.pegboard\/packages\/@exalabs\+ai-sdk @exalabs\/ai-sdk/,
    );
  });

  test("A1-41 a toolset that a call makes is made once a session and disposed with it, unless it is shared", async () => {
    const made = `let made = 0, disposed = 0;
      export const make = () => { const id = ++made; return { [Symbol.dispose]: () => { disposed++; }, id: { name: "id", description: "Its number", input: { type: "object" }, execute: () => id }, fails: { name: "fails", description: "Fails", input: { type: "object" }, execute: () => { throw new Error("no"); } } }; };
      export const state = { name: "state", description: "Counts", input: { type: "object" }, execute: () => ({ made, disposed }) };`;
    const folder = makeFolder({
      "made.mjs": made,
      "pegboard.yaml": `version: 1
toolsets:
  own: { module: ./made.mjs, import: make, call: [], approval: preApproved }
  state: { module: ./made.mjs, import: state, approval: preApproved }
`,
    });
    const workspace = await folder.open();
    const numbers = [];
    for (let count = 0; count < 3; count++) {
      const session = workspace.open();
      await session.call("own__fails");
      numbers.push((await session.call("own__id")).structured, (await session.call("own__id")).structured);
      await session.close();
    }
    expect(numbers).toEqual([1, 1, 2, 2, 3, 3]);
    expect((await workspace.open().call("state__state")).structured).toEqual({ made: 3, disposed: 3 });
  });

  test("A4-15 host tools of YAML run with their context, and keep approval, timeout, scope and category", async () => {
    const folder = makeFolder({
      "host/db.mjs": `export const query = ({ sql }, { session_id, cwd, callId }) => ({ success: true, output: { sql, session_id, cwd, callId: typeof callId } }); export const broken = () => ({ success: false, error: "no such table" }); export const slow = () => new Promise(() => {});`,
      "pegboard.yaml": `version: 1
tools:
  - name: query
    description: Query the database
    module: ./host/db.mjs
    function: query
    parameters: { type: object, properties: { sql: { type: string } }, required: [sql] }
    requires_approval: false
    category: database
    scope: session
  - { name: broken, description: Fails, module: ./host/db.mjs, function: broken, requires_approval: false }
  - { name: slow, description: Never ends, module: ./host/db.mjs, function: slow, requires_approval: false, timeout: "50ms" }
  - { name: careful, description: Asks, module: ./host/db.mjs, function: query, requires_approval: true }
`,
    });
    const session = (await folder.open()).open({ id: "s" });
    expect((await session.call("query", { sql: "select 1" })).structured).toEqual({
      sql: "select 1",
      session_id: "s",
      cwd: folder.path,
      callId: "string",
    });
    expect((await session.call("broken")).error).toMatchObject({ code: "tool_error", message: "no such table" });
    expect((await session.call("slow")).error).toMatchObject({
      code: "timeout",
      message: expect.stringContaining("0.05 seconds"),
    });
    expect((await session.call("careful")).error?.code).toBe("denied");
    expect(session.list().find(({ name }) => name === "query")).toMatchObject({
      layer: "host",
      scope: "session",
      category: "database",
    });
  });

  test("A4-16 a module of host tools registers by definitions and by a setup function, and can take tools away again", async () => {
    const module = `
      export const direct = { name: "direct", description: "Exported", parameters: { type: "object" }, handler: () => "direct", requires_approval: false };
      let host;
      export async function setupHostTools(registry) {
        host = registry;
        await registry.register({ name: "set_up", description: "Registered", parameters: { type: "object" }, handler: () => "set up", requires_approval: false });
        await registry.register({ name: "leave", description: "Takes set_up away", input: { type: "object" }, approval: "preApproved", execute: () => host.unregister("set_up") });
      }`;
    const folder = makeFolder();
    const workspace = await folder.open({ trust: false, hostToolsModules: [folder.write("host.mjs", module)] });
    const session = workspace.open();
    expect(text(await session.call("direct"))).toBe("direct");
    expect(text(await session.call("set_up"))).toBe("set up");
    expect((await session.call("leave")).structured).toBe(true);
    expect((await session.call("set_up")).error?.code).toBe("not_found");
  });
});

describe("a workspace that changes", () => {
  test("A4-16 what changes on disk is loaded without a restart, and sessions are told", async () => {
    const folder = makeFolder({ "tools/hello.ts": HELLO });
    const workspace = await folder.open({ watch: true });
    const session = workspace.open();
    await session.call("hello", { name: "you" });
    folder.write("tools/hello.ts", HELLO.replace("Hello, ", "Good morning, "));
    await vi.waitFor(
      async () => expect(text(await session.call("hello", { name: "you" }))).toBe("Good morning, you!"),
      { timeout: 5_000 },
    );
    folder.write("tools/second.ts", HELLO.replaceAll("hello", "second"));
    await vi.waitFor(() => expect(session.list().map(({ name }) => name)).toContain("second"), { timeout: 5_000 });
    folder.write("pegboard.yaml", "version: 1\npolicy:\n  rules:\n    - { tool: second, approval: blocked }\n");
    await vi.waitFor(() => expect(session.list().map(({ name }) => name)).not.toContain("second"), { timeout: 5_000 });
    await session.close();
    const changes = (await Array.fromAsync(session.events()))
      .filter(({ type }) => type === "tools-change")
      .map(({ data }) => data);
    expect(changes).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ changed: [{ name: "hello" }] }),
        expect.objectContaining({ added: ["second"] }),
      ]),
    );
  });

  test("a file that breaks leaves its tools as they were, and says so", async () => {
    const folder = makeFolder({ "tools/hello.ts": HELLO });
    const workspace = await folder.open();
    folder.write("tools/hello.ts", "export const hello = {{{");
    await workspace.reload();
    expect(text(await workspace.open().call("hello", { name: "you" }))).toBe("Hello, you!");
    expect(workspace.diagnostics).toMatchObject([{ severity: "error", file: expect.stringContaining("hello.ts") }]);
    folder.write("tools/hello.ts", HELLO);
    await workspace.reload();
    expect(workspace.diagnostics).toEqual([]);
  });

  test("a file that goes takes its tools along", async () => {
    const folder = makeFolder({
      "tools/hello.ts": HELLO,
      "pegboard.yaml": "version: 1\ntoolsets:\n  a: { module: ./tools/hello.ts }\n",
    });
    const workspace = await folder.open();
    expect(workspace.tools.get("a__hello")).toBeDefined();
    folder.write("pegboard.yaml", "version: 1\n");
    await workspace.reload();
    expect([workspace.tools.get("a__hello"), workspace.tools.get("hello")]).toEqual([undefined, expect.anything()]);
  });
});

describe("trust", () => {
  const MARK = (path: string) =>
    `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(path)}, "ran"); export const t = { name: "t", description: "d", input: { type: "object" }, execute: () => 1 };`;

  test("a workspace that is not trusted is read, never run, and its rules can only tighten", async () => {
    const folder = makeFolder();
    const mark = join(folder.path, "mark");
    folder.write("tools/evil.mjs", MARK(mark));
    folder.write("lib.mjs", MARK(mark));
    folder.write(
      "pegboard.yaml",
      `version: 1
toolsets: { lib: { module: ./lib.mjs } }
tools: [{ name: h, description: d, module: ./lib.mjs, function: f }]
policy: { rules: [{ tool: "vfs_read", approval: blocked }, { tool: "*", approval: preApproved }] }
limits: { timeout: 10h }
`,
    );
    const workspace = await folder.open({ trust: false });
    expect(existsSync(mark)).toBe(false);
    expect(workspace.trust).toMatchObject({
      trusted: false,
      changed: false,
      files: ["lib.mjs", "pegboard.yaml", "tools/evil.mjs"],
    });
    expect(workspace.held).toEqual([`toolset "lib" (./lib.mjs)`, `tool "h" (./lib.mjs)`, "tools/evil.mjs"]);
    const session = workspace.open();
    expect((await session.call("vfs_read", { path: "a" })).error?.code).toBe("blocked");
    expect(
      session.list().every(({ approval, capabilities }) => approval === "ask" || capabilities.includes("state")),
    ).toBe(true);
  });

  test("a change that was not agreed to is not loaded while the workspace runs", async () => {
    const folder = makeFolder({ "tools/hello.ts": HELLO });
    const { recordTrust, readTrust } = await import("../../src/node/trust.ts");
    recordTrust(readTrust(folder.path, folder.home, []), folder.home);
    const workspace = await folder.open({ trust: false });
    expect(workspace.trust.trusted).toBe(true);
    folder.write("tools/hello.ts", HELLO.replace("Hello, ", "Evil, "));
    await workspace.reload();
    expect(text(await workspace.open().call("hello", { name: "you" }))).toBe("Hello, you!");
    expect(workspace.diagnostics.at(-1)?.message).toMatch(/has changed since you trusted it.*pegboard trust/);
    recordTrust(readTrust(folder.path, folder.home, []), folder.home);
    await workspace.reload();
    expect(text(await workspace.open().call("hello", { name: "you" }))).toBe("Evil, you!");
  });

  test("what a trusted file imports from beside it counts too", async () => {
    const folder = makeFolder({
      "tools/a.mjs": `export * from "../lib/deep.mjs";`,
      "lib/deep.mjs": `export { x } from "./deeper.mjs";`,
      "lib/deeper.mjs": "export const x = 1;",
    });
    const { readTrust } = await import("../../src/node/trust.ts");
    const before = readTrust(folder.path, folder.home, []);
    expect(before.files).toEqual(["lib/deep.mjs", "lib/deeper.mjs", "pegboard.yaml", "tools/a.mjs"]);
    folder.write("lib/deeper.mjs", "export const x = 2;");
    expect(readTrust(folder.path, folder.home, []).digest).not.toBe(before.digest);
  });

  test("a file that is merely touched is still trusted", async () => {
    const folder = makeFolder({ "tools/hello.ts": HELLO });
    const { readTrust } = await import("../../src/node/trust.ts");
    const before = readTrust(folder.path, folder.home, []);
    utimesSync(join(folder.path, "tools/hello.ts"), 1, 1);
    expect(readTrust(folder.path, folder.home, []).digest).toBe(before.digest);
  });
});

describe("an answer that holds from now on", () => {
  const ask = HELLO.replace(`capabilities: ["read"],`, `capabilities: ["write"],`);

  test("is a rule in the person's own policy, for this very definition, and keeps the file's comments", async () => {
    const folder = makeFolder({ "tools/hello.ts": ask });
    folder.write("../home/policy.yaml", "version: 1\n# mine\nrules:\n  - { tool: other, approval: ask } # keep\n");
    const requests: ApprovalRequest[] = [];
    const approver = (request: ApprovalRequest) => {
      requests.push(request);
      return { decision: "allow", remember: "rule" } as const;
    };
    const first = await folder.open({ approver });
    expect((await first.open().call("hello", { name: "a" })).ok).toBe(true);
    const file = join(folder.home, "policy.yaml");
    expect(readFileSync(file, "utf8")).toMatch(
      /# mine\nrules:\n {2}- \{ tool: other, approval: ask \} # keep\n {2}- tool: hello\n {4}approval: preApproved\n {4}digest: [0-9a-f]{64}\n$/,
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const second = await folder.open({ approver });
    expect((await second.open().call("hello", { name: "b" })).ok).toBe(true);
    expect(requests).toHaveLength(1);
    folder.write("tools/hello.ts", ask.replace("Greets", "Greets and more"));
    expect((await (await folder.open({ approver })).open().call("hello", { name: "c" })).ok).toBe(true);
    expect(requests).toHaveLength(2);
  });

  test("is not offered where there is no place to keep it", async () => {
    const offered: (readonly string[])[] = [];
    const runtime = createRuntime({
      tools: [{ name: "t", description: "d", input: { type: "object" }, execute: () => 1 }],
      approver: ({ options }) => (offered.push(options), { decision: "deny" }),
    });
    await runtime.open().call("t");
    expect(offered).toEqual([["once", "input", "tool"]]);
  });
});

import { describe, expect, test } from "vitest";
import { CONFIG, makePlace } from "./run.ts";

const TOOLS = `tools:
  - name: query
    description: Query the application database
    module: ./handlers.ts
    function: query
    parameters: { type: object, properties: { sql: { type: string } }, required: [sql] }
    requires_approval: false
    timeout: 30
    scope: session
    category: database
  - { name: incomplete, description: Has no function, module: ./handlers.ts }
  - { name: broken, description: Cannot be imported, module: ./broken.ts, function: run }
  - { name: mistaken, description: Names no function, module: ./handlers.ts, function: queri }
`;

const HANDLERS = {
  "handlers.ts": `export async function query(input, context) { return { success: true, output: input.sql + " in " + typeof context.session_id }; }`,
  "broken.ts": `import "./nowhere.ts";`,
};

describe.each([
  { where: "in pegboard.yaml", files: { "pegboard.yaml": CONFIG + TOOLS }, argv: [] },
  { where: "in a file of --host-tools", files: { "tools.yaml": TOOLS }, argv: ["--host-tools", "tools.yaml"] },
])("A4-15: host tools $where", ({ files, argv }) => {
  const place = () => makePlace({ ...HANDLERS, ...files }, { trust: true });

  test("load by name, module and function", async () => {
    const { code, stdout } = await place().run("call", "query", "sql=select 1", "--quiet", ...argv);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "select 1 in string\n" });
  });

  test("that are incomplete or broken are named and leave the others; --strict makes them fail", async () => {
    const made = place();
    const { code, stdout, stderr } = await made.run("list", ...argv);
    expect({ code, listed: stdout.includes("query") }).toEqual({ code: 0, listed: true });
    expect(stderr).toMatch(/error: .*\.yaml:\d+:\d+: \/tools\/1: .*"function"; tool "incomplete" is left out/);
    expect(stderr).toMatch(/error: .*\.yaml:\d+: tool "broken" was not loaded: .*nowhere\.ts/);
    expect(stderr).toMatch(/tool "mistaken" was not loaded: .*no function named "queri"; available: query/);
    expect((await made.run("list", "--strict", ...argv)).code).toBe(1);
  });
});

describe("A4-16: a module of host tools", () => {
  const HOST = `export const greet = { name: "greet", description: "Greet", requires_approval: false, handler: () => "hello" };
export const notATool = 1;`;
  const SETUP = (name: string, async: string) => `export ${async} function ${name}(registry) {
  ${async && "await null;"}
  registry.register({ name: "made", description: "Made by setup", requires_approval: false, handler: () => "made" });
}`;

  test("gives its exported definitions", async () => {
    const place = makePlace({ "host.ts": HOST });
    expect(await place.run("call", "greet", "--host-tools-module", "host.ts")).toEqual({
      code: 0,
      stdout: "hello\n",
      stderr: "",
    });
  });

  test.each([
    ["setupHostTools", ""],
    ["setupHostTools", "async"],
    ["setup_host_tools", ""],
    ["setup_host_tools", "async"],
  ])("gives what %s registers (%s)", async (name, async) => {
    const place = makePlace({ "host.ts": SETUP(name, async) });
    expect(await place.run("call", "made", "--host-tools-module", "host.ts")).toEqual({
      code: 0,
      stdout: "made\n",
      stderr: "",
    });
  });

  test.each([
    { text: `throw new Error("no license");`, message: "host.ts cannot be imported: no license" },
    {
      text: `export function setupHostTools() { throw new Error("no port"); }`,
      message: "its setup function failed: no port",
    },
  ])("that fails ends the command with 1 and its message: $message", async ({ text, message }) => {
    const place = makePlace({ "host.ts": text });
    expect(await place.run("list", "--host-tools-module", "host.ts")).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining(message),
    });
  });

  test("that is not there is named", async () => {
    const place = makePlace();
    expect(await place.run("list", "--host-tools-module", "none.ts")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`There is no file ${place.path("none.ts")}`),
    });
    expect(await place.run("list", "--host-tools", "none.yaml")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${place.path("none.yaml")} cannot be read`),
    });
  });
});

import { expect, test } from "vitest";
import { CONFIG, makePlace, toolModule } from "./run.ts";

const FILES = {
  "pegboard.yaml": CONFIG,
  "tools/mine.ts": toolModule({
    greet: `capabilities: ["read"], input: { type: "object", properties: { name: { type: "string" }, loud: { type: "boolean" } }, required: ["name"] }, execute: () => "hi"`,
    risky: `description: "Risky \\u001b[31mred\\nsecond line", execute: () => "ran"`,
    vfs_list: `capabilities: ["read"], execute: () => "mine"`,
  }),
};

test("A0-01: --json gives every tool with its schema, source and approval, and nothing else on standard output", async () => {
  const { code, stdout, stderr } = await makePlace(FILES, { trust: true }).run("list", "tools", "--json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const { tools } = JSON.parse(stdout) as { tools: (Record<string, unknown> & { name: string })[] };
  const names = tools.map(({ name }) => name);
  expect(names).toEqual(names.toSorted());
  expect(names).toEqual(expect.arrayContaining(["greet", "risky", "vfs_delete", "vfs_list", "vfs_read", "vfs_write"]));
  expect(tools.find(({ name }) => name === "greet")).toEqual({
    name: "greet",
    description: "The greet tool",
    source: { kind: "file", id: "mine", file: expect.stringMatching(/tools\/mine\.ts$/) },
    layer: "user",
    scope: "global",
    approval: "preApproved",
    capabilities: ["read"],
    inputSchema: {
      type: "object",
      properties: { name: { type: "string" }, loud: { type: "boolean" } },
      required: ["name"],
    },
  });
  expect(tools.find(({ name }) => name === "vfs_list")).toMatchObject({
    source: { kind: "file" },
    shadows: [{ kind: "builtin", id: "vfs" }],
  });
});

test("the text has one aligned line a tool, without escapes of its own or of tools", async () => {
  const { stdout } = await makePlace(FILES, { trust: true }).run("list");
  const lines = stdout.trimEnd().split("\n");
  expect(lines).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^greet +preApproved {2}The greet tool$/),
      expect.stringMatching(/^risky +ask {10}Risky \\u\{1b\}\[31mred$/),
      expect.stringMatching(/^vfs_list +preApproved {2}\(shadows builtin\) The vfs_list tool$/),
    ]),
  );
  expect(new Set(lines.map((line) => line.search(/ (preApproved|ask) /))).size).toBe(1);
});

test("on a terminal there are colours, and lines are cut to its width", async () => {
  const place = makePlace(
    { ...FILES, "tools/long.ts": toolModule({ long: `description: "${"x".repeat(200)}", execute: () => ""` }) },
    { trust: true },
  );
  const { stdout } = await place.onTerminal([], "list");
  expect(stdout).toContain("\u001b[1mgreet\u001b[22m");
  expect(stdout).toMatch(/x…/);
  expect((await place.onTerminal([], "list", "--no-color")).stdout).not.toContain("\u001b");
});

test("list toolsets shows where tools come from", async () => {
  const place = makePlace(FILES, { trust: true });
  const lines = (await place.run("list", "toolsets")).stdout.split("\n").map((line) => line.replaceAll(/ +/g, " "));
  expect(lines).toEqual(
    expect.arrayContaining([`mine file 3 tools ${place.path("tools/mine.ts")}`, "vfs builtin 3 tools"]),
  );
  const { toolsets } = JSON.parse((await place.run("list", "toolsets", "--json")).stdout) as { toolsets: unknown[] };
  expect(toolsets).toContainEqual({
    kind: "file",
    id: "mine",
    file: place.path("tools/mine.ts"),
    tools: ["greet", "risky", "vfs_list"],
  });
});

test("another word is a usage error that names the lists there are", async () => {
  const { code, stderr } = await makePlace().run("list", "agent");
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `error (invalid_config): There is no list of "agent"; there are tools, toolsets, agents, skills, commands\n`,
  });
});

test("a workspace that is not trusted is listed and never run; the note is beside the document", async () => {
  const place = makePlace({
    ...FILES,
    "tools/evil.ts": `import { writeFileSync } from "node:fs";\nwriteFileSync("ran", "");\n`,
  });
  const { code, stdout, stderr } = await place.run("list", "--json");
  expect(code).toBe(0);
  const { tools } = JSON.parse(stdout) as { tools: { source: { kind: string } }[] };
  expect(new Set(tools.map(({ source }) => source.kind))).toEqual(new Set(["builtin"]));
  expect(stderr).toContain("not trusted: tools/evil.ts, tools/mine.ts. Look at it and run: pegboard trust");
  expect(() => place.read("ran")).toThrow("ENOENT");
});

test("outside of a workspace there are the built-in tools, and a hint", async () => {
  const { code, stdout, stderr } = await makePlace().run("list");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^vfs_read /m);
  expect(stderr).toContain("pegboard init");
});

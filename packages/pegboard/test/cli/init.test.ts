import { expect, test } from "vitest";
import { makePlace } from "./run.ts";

test("a new workspace works at once, in any folder, with nothing installed", async () => {
  const place = makePlace();
  const { code, stdout, stderr } = await place.run("init", "x");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("pegboard -C x call hello name=world");
  expect(await place.run("-C", "x", "call", "hello", "name=world")).toEqual({
    code: 0,
    stdout: "Hello, world!\n",
    stderr: "",
  });
  expect(await place.run("-C", "x", "list", "--strict")).toMatchObject({ code: 0, stderr: "" });
  expect(await place.run("-C", "x", "check", "--strict")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("agent: helper"),
    stderr: "",
  });
  expect((await place.run("-C", "x", "list", "agents")).stdout).toMatch(/^helper +project +- +hello, vfs_\* +Greets/m);
  expect(place.read("x/.gitignore")).toBe(".pegboard/\n");
  expect(place.read("x/pegboard.yaml")).toMatch(
    /^# yaml-language-server: \$schema=.*pegboard\.schema\.json\nversion: 1\n/,
  );
});

test("files that are there stay, unless it is forced; a .gitignore is added to", async () => {
  const place = makePlace({ "pegboard.yaml": "version: 1\n", ".gitignore": "dist" });
  expect(await place.run("init")).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("has pegboard.yaml already; nothing was changed"),
  });
  expect(place.read("pegboard.yaml")).toBe("version: 1\n");
  expect((await place.run("init", "--force")).code).toBe(0);
  expect(place.read("pegboard.yaml")).toContain("limits:");
  expect(place.read(".gitignore")).toBe("dist\n.pegboard/\n");
});

test("it trusts only what it made", async () => {
  const place = makePlace({ "tools/found.ts": "process.exit(9);" });
  const { stdout } = await place.run("init", "--json");
  expect(JSON.parse(stdout)).toEqual({
    folder: place.folder,
    files: ["pegboard.yaml", "tools/hello.ts", "agents/helper.md", ".gitignore"],
    trusted: false,
  });
  expect((await place.run("call", "hello", "name=x")).code).toBe(4);
});

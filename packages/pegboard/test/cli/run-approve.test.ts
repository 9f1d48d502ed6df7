import { expect, test } from "vitest";
import { makeAgentPlace, startAndWatch } from "./agent-place.ts";
import { finish } from "./run.ts";

const CONFIG = `version: 1
model: scripted:script.json
policy:
  rules:
    - { tool: vfs_write, approval: ask }
    - { tool: vfs_read, approval: ask }
    - { tool: vfs_list, approval: ask }
    - { tool: vfs_delete, approval: blocked }
`;
const PROMPT = "Allow it? [y/i/t/a/n/d] ";
const write = { tool: "vfs_write", input: { path: "a.md", content: "A" } };
const erase = { tool: "vfs_delete", input: { path: "a.md" } };
const workspace = (...calls: readonly object[]) => makeAgentPlace([{ calls }, "Done."], { "pegboard.yaml": CONFIG });

test("A1-36: without a terminal, what asks is denied with a hint, and the run goes on", async () => {
  const { code, stdout, stderr } = await workspace(write).run("run", "helper", "Go");
  expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" });
  expect(stderr).toContain("x vfs_write denied: ");
  expect(stderr).toContain("--approve all");
  expect(stderr).toContain("    - { tool: vfs_write, approval: preApproved }");
});

test("A1-36: --approve all allows what asks and never what is blocked, --approve none denies without a hint", async () => {
  const place = workspace(write, erase);
  const all = await place.run("run", "helper", "Go", "--approve", "all");
  expect(all).toMatchObject({ code: 0, stdout: "Done.\n" });
  expect(all.stderr).toContain("< vfs_write ");
  expect(all.stderr).toContain("x vfs_delete blocked: ");
  const none = await place.run("run", "helper", "Go", "--approve", "none");
  expect(none.stderr).toContain("x vfs_write denied: ");
  expect(none.stderr).not.toContain("--approve all");
});

test("A1-36: --approve wait leaves the request in the inbox, and an answer lets the run go on", async () => {
  const place = workspace(write);
  const { child, said } = startAndWatch(place, "run", "helper", "Go", "--approve", "wait", "--quiet");
  child.stdin!.end();
  const ended = finish(child);
  const id = /approvals answer (\S+) allow/.exec(await said(" allow\n"))![1]!;
  expect((await place.run("approvals", "list")).stdout).toContain("vfs_write");
  expect(await place.run("approvals", "answer", id, "allow")).toMatchObject({ code: 0 });
  expect(await ended).toMatchObject({ code: 0, stdout: "Done.\n" });
  expect((await place.run("call", "vfs_read", "path=a.md", "--approve", "all")).stdout).toBe("A\n");
});

test("A1-36: --hide-denied does not tell the model of tools that nobody is there to allow", async () => {
  const place = workspace(write);
  const tools = async (...argv: readonly string[]) => {
    const { stdout } = await place.run("run", "helper", "Go", "--stream-json", ...argv);
    const start = stdout.split("\n").find((line) => line.includes(`"turn-start"`))!;
    return (JSON.parse(start) as { data: { tools: string[] } }).data.tools;
  };
  expect(await tools()).toContain("vfs_write");
  expect(await tools("--hide-denied")).not.toContain("vfs_write");
});

test("a terminal is asked one question at a time, after the line of its call, and each has its own answer", async () => {
  const place = workspace({ tool: "vfs_list", input: {} }, { tool: "vfs_read", input: { path: "b.md" } });
  const answers = [
    [PROMPT, "y\n"],
    [PROMPT, "n\n"],
  ] as const;
  const { code, stdout } = await place.onTerminal(answers, "run", "helper", "Go", "--no-color");
  expect(code).toBe(0);
  const lines = stdout.replaceAll("\r", "").split("\n");
  const told = lines.filter((line) => /^[>?<x] |^Allow/.test(line)).map((line) => line.replace(/ \(\d+ ms\).*/, ""));
  expect(told.filter((line) => line.startsWith("Allow"))).toEqual([`${PROMPT}y`, `${PROMPT}n`]);
  expect(told.indexOf("> vfs_list {}")).toBeLessThan(told.indexOf("? vfs_list asks for approval"));
  expect(told).toEqual(
    expect.arrayContaining(["< vfs_list", `x vfs_read denied: The call of tool "vfs_read" was denied`]),
  );
});

import { readFileSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { makeAgentPlace } from "./agent-place.ts";

const ASK = `version: 1
model: scripted:script.json
policy:
  rules:
    - { tool: vfs_write, approval: ask }
    - { tool: vfs_delete, approval: blocked }
`;
const write = { calls: [{ tool: "vfs_write", input: { path: "a.md", content: "A" } }] };
const PROMPT = "helper> ";

test("answers are streamed, a question is asked in between, and Ctrl-D leaves", async () => {
  const place = makeAgentPlace([{ text: "I write.", ...write }, "Written."], { "pegboard.yaml": ASK });
  const { code, stdout } = await place.onTerminal(
    [
      [PROMPT, "write it\r"],
      ["Allow it? ", "y\n"],
      [PROMPT, "\u0004"],
    ],
    "chat",
    "helper",
    "--no-color",
  );
  expect(code).toBe(0);
  expect(stdout.replaceAll("\r", "")).toMatch(
    /I write\.\n> vfs_write .*\n\? vfs_write asks for approval\n[^]*Allow it\? .*y\n< vfs_write .*\nWritten\.\n2 turns, 1 call/,
  );
});

test("/approve holds for the calls to come, and never lifts what is blocked", async () => {
  const erase = { calls: [{ tool: "vfs_delete", input: { path: "a.md" } }] };
  const turns = [write, "One.", write, "Two.", erase, "Three."];
  const { code, stdout } = await makeAgentPlace(turns, { "pegboard.yaml": ASK }).onTerminal(
    [
      [PROMPT, "/approve\r"],
      [PROMPT, "/approve none\r"],
      [PROMPT, "one\r"],
      [PROMPT, "/approve all\r"],
      [PROMPT, "two\r"],
      [PROMPT, "three\r"],
      [PROMPT, "/approve wait\r"],
      [PROMPT, "/exit\r"],
    ],
    "chat",
    "helper",
    "--no-color",
  );
  const told = stdout.replaceAll("\r", "").split("\n");
  expect(code).toBe(0);
  const facts = told.filter((line) => /^(When|[<x?] |error)/.test(line));
  expect(facts.map((line) => line.replace(/ \(\d+ ms\).*|(?<=^x .*): .*/, ""))).toEqual([
    "When a call asks: ask",
    "When a call asks: none",
    "x vfs_write denied",
    "When a call asks: all",
    "< vfs_write",
    "x vfs_delete blocked",
    `error (invalid_config): "wait" is none of ask, all, none`,
  ]);
});

test("Ctrl-C cancels the turn, once more says how to leave, and twice leaves", async () => {
  const place = makeAgentPlace([{ calls: [{ tool: "vfs_list" }] }, { delay: "60s", text: "Late." }]);
  const cancelled = await place.onTerminal(
    [
      [PROMPT, "go\r"],
      ["< vfs_list", "\u0003"],
      [PROMPT, "\u0003"],
    ],
    "chat",
    "helper",
    "--no-color",
  );
  expect(cancelled).toMatchObject({ code: 130, stdout: expect.stringContaining("(cancelled)") });
  const idle = await place.onTerminal(
    [
      [PROMPT, "half a line\u0003"],
      [PROMPT, "/approve\r"],
      [PROMPT, "\u0003"],
      [PROMPT, "\u0003"],
    ],
    "chat",
    "helper",
  );
  expect(idle.code).toBe(130);
  expect(idle.stdout.split("Ctrl-C again leaves").length - 1).toBe(2);
});

test("lines that are pasted are one prompt", async () => {
  const place = makeAgentPlace([{ expect: "first\nsecond\nthird", text: "Three lines." }]);
  const { stdout } = await place.onTerminal(
    [
      [PROMPT, "first\nsecond\nthird\r"],
      [PROMPT, "/exit\r"],
    ],
    "chat",
    "helper",
  );
  expect(stdout).toContain("Three lines.");
});

test("what was typed can be had again in the next chat, and holds no secret", async () => {
  const place = makeAgentPlace([{ expect: "remember", text: "Yes." }]);
  await place.runWith({ stdin: "s3cr3t-Zq8vN2kLw0" }, "secret", "set", "door");
  await place.onTerminal(
    [
      [PROMPT, "remember s3cr3t-Zq8vN2kLw0\r"],
      [PROMPT, "\u0004"],
    ],
    "chat",
    "helper",
  );
  const file = place.path(".pegboard/chat-history");
  expect(readFileSync(file, "utf8")).toBe("remember [secret door]\n");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const again = await place.onTerminal(
    [
      [PROMPT, "\u001b[A\r"],
      [PROMPT, "/exit\r"],
    ],
    "chat",
    "helper",
  );
  expect(again.stdout).toContain("Yes.");
});

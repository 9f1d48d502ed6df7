import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeAgentPlace, startAndWatch } from "./agent-place.ts";
import { finish } from "./run.ts";

const usage = (input: number) => ({ input, output: 10 });

test("A1-42: each line is a prompt that goes on from the one before, /new forgets them and what they took, /exit ends", async () => {
  const place = makeAgentPlace([
    { text: "One.", usage: usage(100) },
    { text: "Two.", usage: usage(200) },
  ]);
  const stdin = "hello\n\nagain\n/new\nhello\n/exit\nnot read\n";
  const { code, stdout, stderr } = await place.runWith({ stdin }, "chat", "helper");
  expect({ code, stdout }).toEqual({ code: 0, stdout: "One.\nTwo.\nOne.\n" });
  expect(stderr.trimEnd().split("\n")).toEqual([
    "1 turn, 0 calls · 100 + 10 tokens, $0",
    "1 turn, 0 calls · 200 + 10 tokens, $0 · all: 300 + 20 tokens, $0",
    "A new conversation. The last one took 300 + 20 tokens, $0",
    "1 turn, 0 calls · 100 + 10 tokens, $0",
  ]);
});

test("A1-42: a conversation that passes what the model takes is warned of", async () => {
  const place = makeAgentPlace([
    { text: "Short.", usage: usage(1_000) },
    { text: "Long.", usage: usage(110_000) },
  ]);
  const { stderr } = await place.runWith({ stdin: "one\ntwo\n" }, "chat", "helper");
  const warning = /warning: The conversation fills most of the 128000 tokens that scripted:script\.json takes/;
  expect(stderr.split("\n").map((line) => (warning.test(line) ? "warning" : line.slice(0, 7)))).toEqual([
    "1 turn,",
    "warning",
    "1 turn,",
    "",
  ]);
});

test("A1-42: when older messages become a summary, that is said", async () => {
  const long = "x".repeat(300_000);
  const place = makeAgentPlace([], {
    "script.json": JSON.stringify({
      scripts: [{ when: { system: "summarise" }, turns: ["A summary."] }, { turns: [long, "Two.", "Three."] }],
    }),
  });
  const { stderr } = await place.runWith({ stdin: `${long}\nagain\n` }, "chat", "helper");
  expect(stderr).toContain("! the conversation is too long: its first 2 messages became a summary");
});

test("A4-27: after an error the chat takes the next prompt, with another model too", async () => {
  const place = makeAgentPlace([{ error: { status: 400, message: "no" } }, "Two."], { "other.yaml": "[Other.]" });
  const stdin = "one\n/model nothing\ntwo\n/model scripted:other.yaml\n/model\nthree\n";
  const { code, stdout, stderr } = await place.runWith({ stdin }, "chat", "helper");
  expect({ code, stdout }).toEqual({ code: 0, stdout: "Other.\n" });
  expect(stderr).toMatch(/error \(\w+\): .*\n[^]*error \(invalid_config\): "nothing" is no model/);
  expect(stderr).toContain("The model: scripted:other.yaml");
});

test("A4-27: Ctrl-C cancels the turn, and the chat goes on with the next prompt", async () => {
  const slow = [{ calls: [{ tool: "vfs_list" }] }, { delay: "60s", text: "Late." }];
  const place = makeAgentPlace(slow);
  const { child, said } = startAndWatch(place, "chat", "helper");
  const ended = finish(child);
  child.stdin!.write("one\n");
  await said("< vfs_list");
  child.kill("SIGINT");
  await said("error (cancelled)");
  place.write("script.json", JSON.stringify([slow[0], "On time."]));
  child.stdin!.end("two\n");
  expect(await ended).toMatchObject({ code: 0, stdout: "On time.\n" });
});

test("A2-16: an edit of a linked plugin, of its tools or of an agent's file, holds for the prompts that follow", async () => {
  const manifest = (...tools: string[]) =>
    JSON.stringify({
      name: "kit",
      version: "1.0.0",
      tools: tools.map((name) => ({ name, description: "d", command: "cat" })),
      agents: [{ name: "a", system_prompt_file: "a.md" }],
    });
  const agent = (prompt: string) => `---\nname: a\ndescription: d\n---\n${prompt}\n`;
  const turns = (text: string) => Array.from({ length: 100 }, () => text);
  const scripts = [{ when: { system: "Second prompt" }, turns: turns("Second.") }, { turns: turns("First.") }];
  const place = makeAgentPlace([], {
    "script.json": JSON.stringify({ scripts }),
    "../source/plugin.json": manifest("one"),
    "../source/a.md": agent("First prompt"),
  });
  mkdirSync(join(place.home, "plugins"), { recursive: true });
  symlinkSync(place.path("../source"), join(place.home, "plugins/kit"));
  const { child } = startAndWatch(place, "chat", "kit/a");
  const ended = finish(child);
  let heard = "";
  child.stdout!.on("data", (chunk: Buffer) => (heard += chunk.toString()));
  const hears = async (line: string, expected: string) => {
    const say = () => (child.stdin!.write(`${line}\n`), heard);
    await expect.poll(say, { interval: 300, timeout: 20_000 }).toContain(expected);
  };
  await hears("hello", "First.");
  await hears("/tools", "kit__one");
  expect(heard).not.toContain("kit__two");
  place.write("../source/plugin.json", manifest("one", "two"));
  await hears("/tools", "kit__two");
  place.write("../source/a.md", agent("Second prompt"));
  await hears("hello", "Second.");
  child.stdin!.end("/exit\n");
  expect(await ended).toMatchObject({ code: 0 });
}, 60_000);

test("Ctrl-C between prompts leaves, where nobody is at a terminal", async () => {
  const { child, said } = startAndWatch(makeAgentPlace(["One."]), "chat", "helper");
  const ended = finish(child);
  child.stdin!.write("one\n");
  await said("1 turn");
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ code: 130, stdout: "One.\n" });
});

test("/tools shows what the agent has, /approve what holds, /help what there is, and a path is a prompt", async () => {
  const place = makeAgentPlace([{ expect: "/etc/hosts what", text: "A file." }], {
    "agents/narrow.md": `---
name: narrow
description: Has little
tools:
  - vfs_read
  - { name: sum, description: Sums up, prompt: "{{text}}", parameters: { text: { type: string } } }
---
You help.
`,
  });
  const stdin = "/tools\n/approve\n/approve all\n/nothing\n/help\n/etc/hosts what\n";
  const { code, stdout, stderr } = await place.runWith({ stdin }, "chat", "narrow");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^sum +preApproved +\(a prompt of its own\) Sums up\nvfs_read +preApproved .*\n\/new /);
  for (const name of ["new", "tools", "approve", "model", "pool", "help", "exit"])
    expect(stdout).toContain(`\n/${name} `);
  expect(stdout).toMatch(/A file\.\n$/);
  expect(stderr).toContain("When a call asks: none\n");
  expect(stderr).toContain(`The mode "none" cannot be changed in this chat: start it with --approve and another`);
  expect(stderr).toContain("There is no /nothing; /help shows what there is");
});

test("the assistant is there without a name, and an unknown agent and --json are wrong usage", async () => {
  const place = makeAgentPlace(["Hello."]);
  expect(await place.runWith({ stdin: "hi" }, "chat", "--quiet")).toEqual({ code: 0, stdout: "Hello.\n", stderr: "" });
  expect(await place.run("chat", "nobody")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("no agent named"),
  });
  expect(await place.run("chat", "--json")).toMatchObject({ code: 2, stderr: expect.stringContaining("pegboard run") });
});

test("the exit code is that of the last prompt where a program talks", async () => {
  const place = makeAgentPlace([{ error: { code: "denied", message: "no" } }]);
  expect(await place.runWith({ stdin: "one\n" }, "chat", "helper")).toMatchObject({ code: 3, stdout: "" });
});

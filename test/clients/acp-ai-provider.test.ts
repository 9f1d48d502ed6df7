import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type InstalledFolder, installPackages, type Load, makeLoad } from "../install.ts";
import { BIN, makeClientPlace } from "./place.ts";

let installed: InstalledFolder;
let load: Load;
beforeAll(async () => {
  installed = await installPackages("pegboard-acp-", ["@mcpc-tech/acp-ai-provider@0.2.9", "ai@6.0.326"]);
  load = await makeLoad(installed);
});
afterAll(() => installed?.remove());

test("the AI SDK talks to an agent of ours over ACP, in sessions that go on, and sees the tools that it calls", async () => {
  const place = await makeClientPlace();
  onTestFinished(() => place.remove());
  place.write("pegboard.yaml", "version: 1\nmodel: scripted:script.json\n");
  const turns = [{ calls: [{ tool: "greet", input: { name: "Ada" } }] }, "She is greeted.", "Once more."];
  place.write("script.json", JSON.stringify(turns));
  const { createACPProvider } = await load("@mcpc-tech/acp-ai-provider");
  const { streamText } = await load("ai");
  const provider = createACPProvider({
    command: process.execPath,
    args: [BIN, "acp", "--trust"],
    env: { ...place.env },
    session: { cwd: place.folder, mcpServers: [] },
    persistSession: true,
  });
  onTestFinished(() => provider.cleanup());
  const model = provider.languageModel();
  const said: { type: string; text?: string }[] = [];
  for (const prompt of ["Greet Ada", "Go on"])
    for await (const part of streamText({ model, prompt, tools: provider.tools }).fullStream) said.push(part);
  expect(said.filter(({ type }) => type === "error")).toEqual([]);
  const words = said.flatMap(({ type, text }) => (type === "text-delta" ? [text] : [])).join("");
  expect(words).toBe("She is greeted.Once more.");
  expect(JSON.stringify(said.filter(({ type }) => type === "tool-result"))).toContain("Hello, Ada");
  expect(await place.calls()).toMatchObject([{ tool: "greet", ok: true }]);
});

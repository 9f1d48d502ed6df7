import { expect, test } from "vitest";
import { parseAgentFile } from "../../../src/agents/agent-file.ts";
import { agentNameOf } from "../../../src/node/agents/read-agents.ts";
import { type OddFile, oddFiles } from "./odd-files.ts";

const FILES = oddFiles(2_000);

function read({ path, text }: OddFile) {
  return parseAgentFile(text, { file: path, name: agentNameOf(path), format: "detect" });
}

test("whatever is odd about a file that people have, it loads with its name, description and tools", () => {
  const wrong = FILES.filter((file) => {
    const { agent } = read(file);
    return (
      agent?.name !== file.name ||
      agent.description !== file.description ||
      JSON.stringify(agent.tools) !== JSON.stringify(file.tools)
    );
  });
  expect(new Set(wrong.map(({ oddity }) => oddity))).toEqual(new Set());
});

test("every field of every file has a word on what became of it", () => {
  const silent = FILES.filter((file) => {
    const { fields, rung } = read(file);
    const keys = file.text.match(/^[A-Za-z_-]+(?=:)/gm) ?? [];
    return rung === "strict" && fields.map(({ field }) => field).join() !== keys.join();
  });
  expect(silent).toEqual([]);
});

test("a tool that is left out is named", () => {
  const file = FILES.find(({ oddity }) => oddity === "tools that nobody has here")!;
  expect(read(file).diagnostics).toMatchObject([
    {
      severity: "warning",
      code: "unknown_tool",
      message: expect.stringContaining("TodoWrite, NotebookEdit, FancyTool"),
    },
  ]);
});

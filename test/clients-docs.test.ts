import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
/** What others need besides, and nobody runs. */
const PARTS = ["@langchain/core", "@langchain/langgraph", "@mastra/core", "genkit", "zod"];

it.for(["agents/light", "agents/heavy", "clients/libraries"])(
  "the document of clients names every program of test/%s with the version that is run",
  (folder) => {
    const { dependencies } = JSON.parse(read(`./${folder}/package.json`)) as { dependencies: Record<string, string> };
    const rows = read("../docs/mcp-clients.md")
      .split("\n")
      .filter((line) => line.startsWith("| "));
    const missing = Object.entries(dependencies).filter(
      ([name, version]) =>
        !PARTS.includes(name) && !rows.some((row) => row.includes(`\`${name}\``) && row.includes(`| ${version} |`)),
    );
    expect(missing).toEqual([]);
  },
);

it.for(["agents/light", "agents/heavy", "clients/libraries"])("the lock of test/%s names no registry", (folder) => {
  expect(read(`./${folder}/package-lock.json`)).not.toMatch(/"resolved"|https?:\/\/registry/);
});

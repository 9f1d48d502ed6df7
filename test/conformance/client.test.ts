import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runSuite } from "./run-suite.ts";
import { CLIENT } from "./scenarios.ts";

const program = fileURLToPath(new URL("client.ts", import.meta.url));

describe("our source of MCP servers before the official conformance suite", () => {
  it.each(CLIENT)("does what is required of clients: %s", async (scenario) => {
    const command = `${process.execPath} --conditions=pegboard:source ${program}`;
    const { passed, failed, output } = await runSuite("client", "--command", command, "--scenario", scenario);
    expect(failed, output).toEqual({});
    expect(passed).toEqual([scenario]);
  });
});
